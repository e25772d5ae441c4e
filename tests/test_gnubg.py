"""GNU Backgammon as a player: its lines and answers, its failures, and, where it is installed, its choices.

What goes wrong is played by a small stand-in for the engine, so it is tested on every machine.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gammon_rl.bots import gnubg
from gammon_rl.bots.gnubg import GnubgPlayer, find_gnubg
from gammon_rl.errors import PlayerUnavailableError
from gammon_rl.rules.board import turn
from gammon_rl.rules.variants import STANDARD, Boards
from tests import reference
from tests.positions import position

try:
    find_gnubg()
    missing = ""
except PlayerUnavailableError as error:
    missing = str(error)
needs_gnubg = pytest.mark.skipif(bool(missing), reason=missing)

START = STANDARD.start()
ROLL_31 = np.array([[3, 1]])
MAKES_THE_5_POINT = turn(position("24x2 13x5 8x2 6x4 5x2", "1x2 12x5 17x3 19x5"))
CLOSED_OUT = position("bar 6x14", "19x2 20x2 21x2 22x2 23x2 24x2 1x3")


# Lines and answers ------------------------------------------------------------------------------------------


def test_a_board_line_has_the_movers_checkers_positive_and_moving_down() -> None:
    board = position("bar 13x2 6x3", "bar 1x2 20")
    line = "board:me:you:0:0:0:-1:-2:0:0:0:0:3:0:0:0:0:0:0:2:0:0:0:0:0:0:-1:0:0:0:0:1:1:5:2:5:2:1:1:1:0:1:-1:0:25:"
    sent = gnubg._board_line(board.tolist(), [5, 2])
    assert sent == f"{line}0:0:0:0:0:0:0:0\n".encode()
    assert len(sent.split(b":")) == 53  # "board" and the 52 fields of a FIBS board


def test_the_longest_board_line_fits_the_read_buffer_of_the_engine() -> None:
    assert len(gnubg._board_line([-15] * 26, [6, 6])) < 256


@pytest.mark.parametrize(
    ("answer", "steps"),
    [
        ("8/5 6/5 \n", [(8, 5), (6, 5)]),
        ("\n", []),
        ("25/22 24/18* \n", [(25, 22), (24, 18)]),
        ("bar/22*/18 6/off", [(25, 22), (22, 18), (6, 0)]),
        ("4/0 1/0", [(4, 0), (1, 0)]),
        ("24/18*/14*", [(24, 18), (18, 14)]),
        ("6/4(2) 13/11*(2)", [(6, 4), (6, 4), (13, 11), (13, 11)]),
        ("8/6/4(2)", [(8, 6), (6, 4), (8, 6), (6, 4)]),
    ],
)
def test_an_answer_is_read(answer: str, steps: list[tuple[int, int]]) -> None:
    assert [(step.start, step.end) for step in gnubg._steps(answer)] == steps


@pytest.mark.parametrize(
    "answer", ["roll", "Error: badly formed board", "8/5 6", "5/8", "8/8", "26/20", "0/3", "8//5", "6/4(9)", "6/bar"]
)
def test_what_is_not_a_list_of_steps_is_refused(answer: str) -> None:
    with pytest.raises(PlayerUnavailableError, match=r"^gnubg answered '"):
        gnubg._steps(answer)


# Failures ---------------------------------------------------------------------------------------------------

STAND_IN = """#!{python}
import os, re, signal, socket, sys, time
def give_up(*_):
    os._exit(0)
signal.signal(signal.SIGALRM, give_up)
signal.alarm(30)
assert sys.argv[1:] == ["-t", "-q", "-r"]
commands = sys.stdin.read()
print("settings understood", flush=True)
listener = socket.socket(socket.AF_UNIX)
listener.bind(re.search("^external (.*)$", commands, re.M)[1])
listener.listen()
peer = listener.accept()[0]
answers = {answers!r}
while line := peer.recv(256):
    answer = answers.pop(0)
    if answer == "die":
        os._exit(3)
    if answer == "hang":
        time.sleep(30)
    for part in answer.split("|"):
        peer.sendall(part.encode())
        time.sleep(0.01)
"""


@pytest.fixture
def stand_in(tmp_path: Path) -> Iterator[Path]:
    """Yield the path for a stand-in, and see that nothing is left of those that ran."""
    tmp = tmp_path / "tmp"
    tmp.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(tmp))
        yield tmp_path / "stand-in"
        assert list(tmp.iterdir()) == []


def write(path: Path, *answers: str) -> str:
    path.write_text(STAND_IN.format(python=sys.executable, answers=list(answers)))
    path.chmod(0o755)
    return str(path)


def test_a_play_is_carried_out(stand_in: Path) -> None:
    boards = np.stack([START, CLOSED_OUT])
    with GnubgPlayer(executable=write(stand_in, "8/5| 6/5 |\n", "\n")) as player:
        afterstates = player.choose(boards, np.array([[3, 1], [6, 6]]))
        assert os.getpgid(player._process.pid) != os.getpgid(0)  # Ctrl-C does not reach it
    assert afterstates.dtype == np.int8
    np.testing.assert_array_equal(afterstates, [MAKES_THE_5_POINT, turn(CLOSED_OUT)])


@pytest.mark.parametrize(
    "answer", ["8/5 8/5\n", "24/23\n", "6/3 8/7 8/7\n", "7/4 6/5\n", "24/18\n", "13/12 8/5\n", "\n"]
)
def test_an_illegal_play_closes_the_player(stand_in: Path, answer: str) -> None:
    with GnubgPlayer(executable=write(stand_in, answer)) as player:
        with pytest.raises(PlayerUnavailableError, match=r"not legal: with \[3, 1\] from \[0, -2, 0"):
            player.choose(START[None], ROLL_31)
        with pytest.raises(PlayerUnavailableError, match="gnubg@0 is closed"):
            player.choose(START[None], ROLL_31)


def test_the_end_of_the_engine_is_noticed(stand_in: Path) -> None:
    with (
        GnubgPlayer(executable=write(stand_in, "8/5 6/5\n", "die")) as player,
        pytest.raises(PlayerUnavailableError, match="gnubg@0 ended before it answered"),
    ):
        player.choose(np.stack([START] * 3), np.repeat(ROLL_31, 3, axis=0))


@pytest.mark.parametrize("answer", ["hang", "8/5 6/5"])
def test_an_engine_that_falls_silent_is_given_up(stand_in: Path, answer: str) -> None:
    with GnubgPlayer(1, executable=write(stand_in, answer)) as player:
        assert player._socket.gettimeout() == 60
        player._socket.settimeout(0.3)  # only now: the stand-in may have been slow to start
        with pytest.raises(PlayerUnavailableError, match=r"gnubg@1 did not answer within 0\.3 s"):
            player.choose(START[None], ROLL_31)
        assert player._process.returncode is not None


def test_an_interruption_closes_the_player(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(answer: str) -> None:
        raise KeyboardInterrupt

    with GnubgPlayer(executable=write(stand_in, "8/5 6/5\n")) as player:
        monkeypatch.setattr(gnubg, "_steps", interrupted)
        with pytest.raises(KeyboardInterrupt):
            player.choose(START[None], ROLL_31)
        monkeypatch.undo()
        with pytest.raises(PlayerUnavailableError, match="gnubg@0 is closed"):
            player.choose(START[None], ROLL_31)
        assert player._process.returncode == -signal.SIGKILL


def test_a_program_that_is_something_else_is_refused(stand_in: Path) -> None:
    stand_in.write_text("#!/bin/sh\necho hello\necho not me; exit 5\n")
    with pytest.raises(PlayerUnavailableError, match="does not start"):
        GnubgPlayer(executable=str(stand_in))
    stand_in.chmod(0o755)
    with pytest.raises(PlayerUnavailableError, match=r"ended with status 5\); the last it said: not me"):
        GnubgPlayer(executable=str(stand_in))


def test_a_program_that_does_not_listen_is_given_up_and_ended(stand_in: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    stand_in.write_text(f"#!/bin/sh\necho $$ > {pid}\nexec sleep 30\n")
    stand_in.chmod(0o755)
    with pytest.raises(PlayerUnavailableError, match=r"did not listen within 1 s"):
        GnubgPlayer(executable=str(stand_in), timeout=1)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


@pytest.mark.parametrize("ply", [-1, 5])
def test_an_impossible_ply_is_refused(ply: int) -> None:
    with pytest.raises(PlayerUnavailableError, match=f"ply 0 to 4, got {ply}"):
        GnubgPlayer(ply)


def test_the_environment_names_the_program(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNUBG", write(stand_in))
    assert find_gnubg() == str(stand_in)
    monkeypatch.setenv("GNUBG", "/no/such/gnubg")
    with pytest.raises(PlayerUnavailableError, match="GNUBG is '/no/such/gnubg'"):
        GnubgPlayer()


def test_a_missing_program_is_told_how_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GNUBG", raising=False)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(PlayerUnavailableError, match="not installed: install the package gnubg"):
        GnubgPlayer()


# The engine itself ------------------------------------------------------------------------------------------


@pytest.fixture
def player() -> Iterator[GnubgPlayer]:
    with GnubgPlayer() as engine:
        yield engine


def gone(pid: int) -> bool:
    """Return whether a process has ended, be it that nobody has asked for its status yet."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], stdout=subprocess.PIPE, text=True, check=False).stdout
    return not state.strip() or state.strip().startswith("Z")


@needs_gnubg
@pytest.mark.parametrize(
    ("board", "roll", "after"),
    [
        (START, [3, 1], MAKES_THE_5_POINT),
        (CLOSED_OUT, [4, 4], turn(CLOSED_OUT)),
        # only if gammons count is it right to bear a checker off (8/6 1/off): this game is lost
        (
            position("8 6x2 5x3 4x2 3x3 2 1x3", "24x2"),
            [2, 1],
            turn(position("6x3 5x3 4x2 3x3 2 1x2", "24x2")),
        ),
        # a cubeful choice would be the safer 18/10, cubelessly 0.07 points worse
        (
            position("18x3 13x2 10 7 6 5 3 2x4 1", "15 16 17 19x3 20 22 23x5 24x2"),
            [5, 3],
            turn(position("18x2 15 13x2 7 6 5x2 3 2x4 1", "bar 16 17 19x3 20 22 23x5 24x2")),
        ),
        # forced: both have borne off, the mover enters with a hit and runs home
        (position("bar 6 3x2", "19 22x3 23x2"), [6, 6], turn(position("6 3x2 1", "bar 22x3 23x2"))),
    ],
    ids=["opening", "dance", "gammons count", "cubeless", "bar"],
)
def test_it_makes_the_play(player: GnubgPlayer, board: Boards, roll: list[int], after: Boards) -> None:
    np.testing.assert_array_equal(player.choose(board[None], np.array([roll])), after[None])


@needs_gnubg
def test_it_plays_every_kind_of_position_legally_and_always_the_same(player: GnubgPlayer) -> None:
    places = reference.random_positions(300, 7) + reference.artificial_positions(200, 7)
    boards = np.array([place for place in places if not reference.result(place)], dtype=np.int8)
    dice = np.random.default_rng(7).integers(1, 7, (len(boards), 2))
    afterstates = player.choose(boards, dice)
    for board, roll, after in zip(boards.tolist(), dice.tolist(), afterstates, strict=True):
        legal = reference.legal_plays(board, roll)
        assert tuple(after.tolist()) in legal if legal else (after == turn(np.array(board, dtype=np.int8))).all()
    backwards = np.arange(len(boards))[::-1]
    with GnubgPlayer() as other:
        np.testing.assert_array_equal(other.choose(boards[backwards], dice[backwards]), afterstates[backwards])


@needs_gnubg
def test_no_boards_are_no_plays(player: GnubgPlayer) -> None:
    assert player.choose(START[None][:0], ROLL_31[:0]).shape == (0, 26)


@needs_gnubg
def test_several_play_at_the_same_time() -> None:
    with GnubgPlayer(0) as first, GnubgPlayer(1) as second:
        assert (first.name, second.name) == ("gnubg@0", "gnubg@1")
        for engine in (first, second, first):
            np.testing.assert_array_equal(engine.choose(START[None], ROLL_31), MAKES_THE_5_POINT[None])


@needs_gnubg
def test_it_looks_ahead_as_told() -> None:
    # 0-ply hits once, and is 0.1 points ahead by its own reckoning; 1-ply hits twice, and is 0.2 ahead by its own
    board = position("22 20x2 19 15x3 14x2 11 2x5", "1 3 5 6 10 12 13 16 23 24x6")
    afterstates = []
    for ply in (0, 1):
        with GnubgPlayer(ply) as engine:
            afterstates.append(engine.choose(board[None], np.array([[6, 2]]))[0])
    once, twice = (int(after[25]) for after in afterstates)
    assert (once, twice) == (1, 2)


@needs_gnubg
def test_it_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, tmp = tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    tmp.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("tempfile.tempdir", str(tmp))
    monkeypatch.chdir(tmp_path)
    with GnubgPlayer() as engine:
        engine.choose(START[None], ROLL_31)
        pid = engine._process.pid
    assert gone(pid)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["home", "tmp"]


@needs_gnubg
def test_it_is_noticed_when_killed(player: GnubgPlayer) -> None:
    player.choose(START[None], ROLL_31)
    player._process.kill()
    with pytest.raises(PlayerUnavailableError, match="gnubg@0 ended before it answered"):
        player.choose(START[None], ROLL_31)


@needs_gnubg
def test_it_does_not_outlive_a_process_that_is_killed() -> None:
    program = (
        "import os, signal\n"
        "from gammon_rl.bots.gnubg import GnubgPlayer\n"
        "print(GnubgPlayer()._process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, check=False
    )
    assert done.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 10
    while not gone(int(done.stdout)):
        assert time.monotonic() < deadline, "the engine is still running"
        time.sleep(0.02)
