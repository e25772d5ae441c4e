import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import gammon_rl as gr
from gammon_rl.bots.cubeful import cube_ahead, worth_on_roll
from gammon_rl.bots.rollout import roll_out, roll_out_until
from gammon_rl.cli.rollout import rollout
from gammon_rl.stakes.worth import Stakes


@pytest.fixture(scope="module")
def judge():
    return gr.load_model("standard")


def board_of(mine, theirs):
    board = np.zeros(26, dtype=np.int8)
    for points, sign in ((mine, 1), (theirs, -1)):
        for point, count in points.items():
            board[point] = sign * count
    return board


@pytest.mark.parametrize(
    "stakes", [Stakes.money(jacoby=True, beavers=True), Stakes.match(3, 2), Stakes.match(2, 5, 2, "mine")]
)
def test_a_cubeful_rollout_of_a_ply_is_the_search_of_a_ply(judge, stakes):
    start = gr.STANDARD.start()[None]
    found = roll_out(judge, start, 36, 1, stakes=stakes, rolled_at_once=True)
    assert found.equity[0] == pytest.approx(float(cube_ahead(judge, start[0], stakes, 1).nd), abs=1e-5)
    assert found.error[0] < 1e-6


def test_a_passed_double_ends_a_trial_before_the_roll(judge):
    won = board_of({1: 8}, {7: 12})[None]
    found = roll_out(judge, won, 36, 6, stakes=Stakes.money())
    assert found.equity[0] == 1
    assert found.error[0] == 0
    assert roll_out(judge, won, 36, 6, stakes=Stakes.money(4, "theirs")).equity[0] == pytest.approx(1, abs=1e-3)


def test_the_cube_of_the_last_roll_is_exact(judge):
    # Two checkers that come off with 27 rolls of 36 against one that is sure to: doubled, taken, worth 1.
    last = board_of({6: 1}, {24: 1})[None]
    found = roll_out(judge, last, 72, None, stakes=Stakes.money())
    assert found.equity[0] == pytest.approx(1.0, abs=1e-6)
    rolled = roll_out(judge, last, 72, None, stakes=Stakes.money(), rolled_at_once=True)
    assert rolled.equity[0] == pytest.approx(0.5, abs=1e-6)


def test_both_sides_of_the_cube_share_their_dice_and_rows_do_not_meet(judge):
    start = gr.STANDARD.start()
    both = Stakes.money([1, 2], [0, -1])
    found = roll_out(judge, np.stack([start, start]), 36, 3, stakes=both, rolled_at_once=True)
    for row, alone in enumerate((Stakes.money(), Stakes.money(2, "theirs"))):
        one = roll_out(judge, start[None], 36, 3, stakes=alone, rolled_at_once=True)
        np.testing.assert_allclose(one.equities[0], found.equities[row], atol=1e-5)


def test_luck_taken_out_leaves_the_mean_and_far_less_spread(judge):
    start = gr.STANDARD.start()[None]
    found = roll_out(judge, start, 72, 6)
    assert found.equities.std() < 0.1  # a game's own spread is 1.3
    assert found.equity[0] == pytest.approx(0.07, abs=0.05)
    money = roll_out(judge, start, 36, 3, stakes=Stakes.money())
    assert money.equity[0] == pytest.approx(float(worth_on_roll(judge, start, Stakes.money(), 1)[0]), abs=0.1)


def test_rounds_stop_at_the_wanted_error_and_do_not_depend_on_the_processes(judge):
    boards = gr.STANDARD.start()[None]
    counts = []
    found = roll_out_until(
        judge, boards, 0.02, plies=3, trials=360, progress=lambda so_far: counts.append(so_far.trials)
    )
    assert found.error[0] <= 0.02
    assert counts[-1] == found.trials < 360
    alone, together = (roll_out_until(judge, boards, 0, plies=2, trials=72, processes=count) for count in (1, 2))
    np.testing.assert_array_equal(alone.equities, together.equities)
    assert alone.trials == 72


def test_an_interrupt_gives_the_rounds_so_far(judge):
    def tired(so_far):
        if so_far.trials == 72:
            raise KeyboardInterrupt

    boards = gr.STANDARD.start()[None]
    assert roll_out_until(judge, boards, 0, plies=3, trials=360, progress=tired).trials == 72


def run(*arguments):
    app = typer.Typer()
    app.command()(rollout)
    return CliRunner().invoke(app, [*arguments, "--trials", "36", "--plies", "1", "--processes", "1"])


def test_the_command_compares_plays_best_first():
    found = json.loads(run("start", "--dice", "31", "--plays", "3", "--json").stdout)
    losses = [one["loss"] for one in found["plays"]]
    assert found["plays"][0]["play"] == "8/5 6/5"
    assert losses[0] == 0
    assert losses == sorted(losses)
    assert len(losses) <= 3
    assert "8/5 6/5" in (told := run("start", "--dice", "31").stdout)
    assert found["xgid"].split(":")[4] == "31"
    assert found["xgid"] in told


def test_the_command_decides_the_cube():
    found = json.loads(run("start", "--json").stdout)
    assert found["action"] == "no double/take"
    assert found["dp"] == 1
    assert "probs" in json.loads(run("start", "--cubeless", "--json").stdout)
    match = json.loads(run("XGID=-b----E-C---eE---c-e----B-:1:1:1:00:2:4:0:7:10", "--json").stdout)
    assert match["dp"] == 1
    assert "redouble" in match["action"]


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no masks of signals here")
def test_an_interrupt_while_its_processes_begin_ends_it():
    command = [sys.executable, "-m", "gammon_rl", "rollout", "start", "--dice", "31", "--processes", "2"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            while children.exists() and len(children.read_text().split()) < 3:  # one of them looks after resources
                time.sleep(0.01)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            assert process.wait(30) in (0, 130)
        finally:
            process.kill()
