import dataclasses
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from typer.testing import CliRunner

import gammon_rl as gr
from gammon_rl.bots.arena import meet
from gammon_rl.bots.bench import random_positions
from gammon_rl.bots.levels import NORMAL
from gammon_rl.bots.player import RandomPlayer, SearchPlayer
from gammon_rl.bots.search import outcomes_ahead
from gammon_rl.cli import app
from gammon_rl.eval.encoder import INPUTS, WITH_SHOTS
from gammon_rl.eval.model import Model
from gammon_rl.eval.network import POINTS
from gammon_rl.exact.bearoff import load_bearoff
from gammon_rl.rules.board import results

torch = pytest.importorskip("torch")

from gammon_rl.train.checkpoint import NAME, PREVIOUS, Checkpoint, load_checkpoint, save_checkpoint  # noqa: E402
from gammon_rl.train.config import TrainConfig, config_from, load_config, value_at  # noqa: E402
from gammon_rl.train.export import export_run  # noqa: E402
from gammon_rl.train.labels import label  # noqa: E402
from gammon_rl.train.network import FoldedNet, HalfNet, Judge, Net, outcomes, precision  # noqa: E402
from gammon_rl.train.plot import curve  # noqa: E402
from gammon_rl.train.returns import lambda_returns  # noqa: E402
from gammon_rl.train.selfplay import SelfPlay  # noqa: E402
from gammon_rl.train.trainer import Trainer  # noqa: E402
from tests.test_bots import position  # noqa: E402

SMALL = {"games": 400, "parallel_games": 64, "segment": 6, "minibatch": 128, "hidden": (8,)}


class RandomJudge:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def equity(self, boards):
        return self.rng.random(len(boards), dtype=np.float32)


# The nets


@pytest.fixture(scope="module")
def many_boards():
    boards = random_positions(9000, seed=2)[0]
    finished = gr.turn(boards[:1000])
    finished[:500] = np.where(finished[:500] > 0, 0, finished[:500])
    return np.concatenate([boards, finished])


@pytest.mark.parametrize("with_shots", [False, True])
@pytest.mark.parametrize("hidden", [(16,), (200,), (32, 24)])
def test_numpy_model_equals_torch_on_ten_thousand_boards(many_boards, hidden, with_shots):
    torch.manual_seed(3)
    net = Net(hidden, gr.STANDARD, with_shots=with_shots)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.mul_(3)
    assert len(many_boards) == 10_000
    by_torch = outcomes(net, many_boards)
    np.testing.assert_allclose(Model(net.arrays(), gr.STANDARD).outcomes(many_boards), by_torch, atol=1e-5)
    assert by_torch.std(axis=0).min() > 0.01


@pytest.mark.parametrize("with_shots", [False, True])
@pytest.mark.parametrize("hidden", [(16,), (32, 24)])
def test_folded_net_is_the_net(many_boards, hidden, with_shots):
    net = Net(hidden, gr.STANDARD, with_shots=with_shots)
    with torch.no_grad():
        plain = torch.softmax(net(torch.from_numpy(many_boards)), dim=1)
    torch.testing.assert_close(FoldedNet(net).outcomes(many_boards), plain, atol=1e-5, rtol=0)


@pytest.mark.parametrize("with_shots", [False, True])
@pytest.mark.parametrize("hidden", [(16,), (64, 32), (48, 32, 16)])
def test_half_net_is_nearly_the_net(many_boards, hidden, with_shots):
    net = Net(hidden, gr.STANDARD, with_shots=with_shots)
    exact, half = FoldedNet(net).equity(many_boards), HalfNet(net).equity(many_boards)
    assert np.abs(half - exact).max() < 0.02
    assert np.abs(half - exact).mean() < 0.2 * exact.std()
    assert HalfNet(net).equity(many_boards[:0]).shape == (0,)
    one_by_one = np.concatenate([HalfNet(net).equity(board[None]) for board in many_boards[:50]])
    np.testing.assert_allclose(one_by_one, half[:50], atol=0.01)


def test_half_net_of_hypergammon_counts_checkers_borne_off():
    net = Net((32,), gr.HYPERGAMMON)
    play = SelfPlay(gr.HYPERGAMMON, 200, np.random.default_rng(4))
    boards = play.play(RandomJudge(5), 10).boards.reshape(-1, 26)
    exact, half = FoldedNet(net).equity(boards), HalfNet(net).equity(boards)
    assert np.corrcoef(exact, half)[0, 1] > 0.999


@pytest.mark.parametrize("shown", [(False, False), (False, True), (True, True)])
@pytest.mark.parametrize("hidden", [(8, 6), (20, 6), (16, 8, 6), (16, 9, 12), (8, 8, 8, 8)])
def test_a_grown_net_is_the_same_function_and_all_of_it_learns(many_boards, hidden, shown):
    small, large = (
        Net(units, gr.STANDARD, with_shots=shots) for units, shots in zip(((8, 6), hidden), shown, strict=True)
    )
    boards = torch.from_numpy(many_boards[:500])
    large.grow_from(small.arrays())
    with torch.no_grad():
        torch.testing.assert_close(large(boards), small(boards), atol=1e-5, rtol=0)
    before = [weight.detach().clone() for weight in large.parameters()]
    optimiser = torch.optim.Adam(large.parameters(), lr=1e-3)
    for _ in range(4):
        loss = torch.nn.functional.cross_entropy(large(boards), torch.full((500, 6), 1 / 6))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    for was, weight in zip(before[::2], list(large.parameters())[::2], strict=True):
        assert ((was != weight).any(dim=1)).float().mean() > 0.4


@pytest.mark.parametrize("hidden", [(7, 6), (8,), (8, 5), (6, 8), (8, 5, 9)])
def test_a_net_that_is_too_small_cannot_be_grown_into(hidden):
    with pytest.raises(gr.ConfigError, match=r"hidden layers \[8, 6\] cannot grow into"):
        Net(hidden, gr.STANDARD).grow_from(Net((8, 6), gr.STANDARD).arrays())


def test_a_net_that_is_shown_shots_cannot_grow_into_one_that_is_not():
    with pytest.raises(gr.ConfigError, match="shown shots"):
        Net((8, 6), gr.STANDARD).grow_from(Net((8, 6), gr.STANDARD, with_shots=True).arrays())


def test_net_begins_near_the_base_rates():
    net = Net((80,), gr.STANDARD)
    net.start_at((0.01, 0.12, 0.37, 0.37, 0.12, 0.01))
    win, gammon, _, lost_gammon, _ = Model(net.arrays(), gr.STANDARD).probs(gr.STANDARD.start())
    assert abs(win - 0.5) < 0.05
    assert abs(gammon - 0.13) < 0.05
    assert abs(lost_gammon - 0.13) < 0.05


# Returns


def episode(seed, plies=7, games=40, trace=0.6, explore=0.2):
    rng = np.random.default_rng(seed)
    values = rng.dirichlet(np.ones(6), (plies, games)).astype(np.float32)
    points = (rng.random((plies, games)) < 0.15) * rng.integers(1, 4, (plies, games))
    explored = rng.random((plies, games)) < explore
    return values, points.astype(np.int8), explored, trace


def spelled_out(values, points, explored, trace, ply, game):
    """The return of one position, by the definition: a sum over how far it looks, seen by its own player."""

    def seen(chances, turns):
        return chances[::-1] if turns % 2 else chances

    total, weight = np.zeros(6), 1.0
    for steps in range(1, len(points) - ply + 1):
        at = ply + steps - 1
        if points[at, game]:
            result = np.zeros(6)
            result[2 + points[at, game]] = 1  # won by the player on roll at `at`
            return total + weight * seen(result, steps - 1)
        last = explored[at, game] or at == len(points) - 1
        share = weight if last else weight * (1 - trace)
        total = total + share * seen(values[at, game], steps)
        weight -= share
        if last:
            return total
    raise AssertionError


@pytest.mark.parametrize("trace", [0.0, 0.5, 0.6, 1.0])
def test_lambda_returns_are_the_weighted_sum_of_n_step_returns(trace):
    values, points, explored, _ = episode(seed=4)
    returns = lambda_returns(values, points, explored, trace)
    for ply in range(len(points)):
        for game in range(points.shape[1]):
            expected = spelled_out(values, points, explored, trace, ply, game)
            np.testing.assert_allclose(returns[ply, game], expected, atol=1e-6)
    np.testing.assert_allclose(returns.sum(axis=-1), 1, atol=1e-5)


def test_returns_turn_at_every_ply_and_stop_at_the_end_of_a_game():
    value = np.array([0.1, 0.2, 0.3, 0.2, 0.15, 0.05], dtype=np.float32)
    values = np.tile(value, (3, 1, 1))
    points = np.array([[0], [2], [0]], dtype=np.int8)
    none = np.zeros((3, 1), dtype=bool)
    returns = lambda_returns(values, points, none, 1.0)
    assert returns[1, 0].tolist() == [0, 0, 0, 0, 1, 0]  # the mover won a gammon
    assert returns[0, 0].tolist() == [0, 1, 0, 0, 0, 0]  # so the other lost it
    assert returns[2, 0].tolist() == value[::-1].tolist()  # the next game: nothing carried over
    assert lambda_returns(values, points, none, 0.0)[0, 0].tolist() == value[::-1].tolist()


# Self-play


def test_selfplay_follows_the_rules_and_restarts_games():
    play = SelfPlay(gr.STANDARD, 50, np.random.default_rng(1))
    start = gr.STANDARD.start()
    segment = play.play(RandomJudge(2), 300, exploration=0.0)
    for ply in range(299):
        over = segment.points[ply] > 0
        assert (segment.boards[ply + 1][over] == start).all()
        assert (segment.boards[ply + 1][~over] == segment.next_boards[ply][~over]).all()
        assert (results(segment.next_boards[ply]) == -segment.points[ply]).all()
    assert len(segment.results) == (segment.points > 0).sum() > 50
    mine, theirs = np.maximum(segment.boards, 0).sum(-1), -np.minimum(segment.boards, 0).sum(-1)
    assert mine.max() == theirs.max() == 15


def test_random_games_have_the_known_length_and_results():
    play = SelfPlay(gr.STANDARD, 500, np.random.default_rng(9))
    plies, counts = 0, np.zeros(4)
    for _ in range(40):
        segment = play.play(RandomJudge(plies), 25)
        plies += segment.points.size
        counts += np.bincount(segment.results, minlength=4)
    games = counts.sum()
    # 95.8 plies a game; 37.7 % single, 36.7 % gammon, 25.6 % backgammon; games in progress make it a little long
    assert plies / games == pytest.approx(95.8 * (1 + 0.5 / (plies / 500 / 95.8)), rel=0.08)
    assert counts[1:] / games == pytest.approx([0.377, 0.367, 0.256], abs=0.035)


def test_a_winning_play_is_made_whatever_the_judge_thinks_of_a_finished_game():
    class AfraidOfTheEnd:
        def equity(self, boards):
            return np.where(results(boards) != 0, 2.9, 0).astype(np.float32)  # finished: says the loser has won

    play = SelfPlay(gr.STANDARD, 200, np.random.default_rng(1))
    two_left = np.zeros(26, dtype=np.int8)
    two_left[[6, 1, 24]] = 1, 1, -2
    play.boards[:] = two_left
    play.opening[:] = False
    segment = play.play(AfraidOfTheEnd(), 1)
    # Any 6 and the doubles from 2-2 up bear both off, 15 of 36 rolls; with 6-2 to 6-5 one need not.
    assert (segment.points[0] == 1).mean() == pytest.approx(15 / 36, abs=0.1)


class Counting:
    """A judge that counts what it is asked."""

    def __init__(self, judge):
        self.judge, self.asked = judge, 0

    def equity(self, boards):
        self.asked += len(boards)
        return self.judge.outcomes(boards) @ POINTS


def test_a_quick_net_spares_the_judge_most_plays_and_hides_none_that_both_like_best():
    same = Model(Net((16,), gr.STANDARD).arrays(), gr.STANDARD)
    segments, judges = [], []
    for quick in (None, same):
        judges.append(Counting(same))
        segments.append(SelfPlay(gr.STANDARD, 50, np.random.default_rng(4), quick).play(judges[-1], 30))
    np.testing.assert_array_equal(segments[0].next_boards, segments[1].next_boards)
    assert judges[1].asked < judges[0].asked / 3


def test_labels_with_a_quick_net_that_agrees_are_the_same():
    net = Net((16,), gr.STANDARD)
    made = [
        label(SelfPlay(gr.STANDARD, 8, np.random.default_rng(4), quick), Judge(net), 6, 0.9)
        for quick in (None, Model(net.arrays(), gr.STANDARD))
    ]
    np.testing.assert_array_equal(made[0][0], made[1][0])
    np.testing.assert_allclose(made[0][1], made[1][1], atol=1e-5)


def test_auto_takes_the_arithmetic_that_the_processor_is_quick_at(monkeypatch):
    cpu, graphics = torch.device("cpu"), torch.device("cuda")
    assert precision("float32", cpu) == torch.float32
    assert precision("bfloat16", cpu) == torch.bfloat16
    assert precision("auto", graphics) == torch.bfloat16
    for there, expected in ((True, torch.bfloat16), (False, torch.float32)):
        for unit in ("amx_tile", "avx512_bf16"):
            monkeypatch.setattr(torch.cpu, f"_is_{unit}_supported", lambda there=there: there)
        assert precision("auto", cpu) == expected


def test_games_begin_otherwise_as_often_as_they_should():
    starts = [gr.NACKGAMMON.start(), gr.LONGGAMMON.start()]
    play = SelfPlay(gr.STANDARD, 4000, np.random.default_rng(1), None, starts)
    own = (play.boards == gr.STANDARD.start()).all(axis=1)
    others = [(play.boards == start).all(axis=1) for start in starts]
    assert (own | others[0] | others[1]).all()
    assert [own.mean(), others[0].mean(), others[1].mean()] == pytest.approx([0.8, 0.1, 0.1], abs=0.02)
    before = play.boards.copy()
    ends = np.zeros((4000, 26), dtype=np.int8)
    ends[:, 25] = 3  # the board after a play that bore off the last checker
    ends[::2] = before[::2]
    play.advance(ends)
    assert (play.boards[::2] == before[::2]).all()
    assert (play.boards[1::2] == starts[1]).all(axis=1).mean() == pytest.approx(0.1, abs=0.03)


def test_exploring_plays_are_marked_and_legal():
    play = SelfPlay(gr.STANDARD, 200, np.random.default_rng(1))
    segment = play.play(RandomJudge(2), 20, exploration=0.5)
    assert 0.45 < segment.explored.mean() < 0.55
    same = (segment.boards[1:] == segment.next_boards[:-1]).all(axis=-1) | (segment.points[:-1] > 0)
    assert same[~segment.explored[:-1]].all()
    assert not same[segment.explored[:-1]].all()


def test_dice_differ_between_games_and_are_fair():
    play = SelfPlay(gr.STANDARD, 64, np.random.default_rng(2**40))
    other = SelfPlay(gr.STANDARD, 64, np.random.default_rng(2**40 + 2**33))
    one, two = play.play(RandomJudge(1), 4), other.play(RandomJudge(1), 4)
    assert len(np.unique(one.next_boards[0], axis=0)) > 20
    assert (one.next_boards != two.next_boards).any()


# Configuration


def test_schedules_are_straight_lines_between_points():
    schedule = ((0.0, 1.0), (0.5, 0.5), (1.0, 0.0))
    assert [value_at(schedule, share) for share in (0, 0.25, 0.75, 1, 2)] == [1, 0.75, 0.25, 0, 0]
    assert value_at(0.3, 0.5) == 0.3


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"gmaes": 5}, "unknown key 'gmaes'; the nearest known key is 'games'"),
        ({"lambda": 0.5}, "unknown key 'lambda'; the nearest known key is"),
        ({"games": -1}, "games must not be negative, got -1"),
        ({"bearoff": 1}, "bearoff must be true or false, got 1"),
        ({"bearoff": True, "variant": "hypergammon"}, "bearoff needs a variant with 15 checkers, got 'hypergammon'"),
        ({"teacher": "solved"}, "teacher 'solved' needs a game that is solved: hypergammon, got 'standard'"),
        ({"workers": True}, "workers must be a whole number, got True"),
        ({"device": "tpu"}, "device must be one of cpu, cuda, mps, got 'tpu'"),
        ({"precision": "half"}, "precision must be one of float32, bfloat16, auto, got 'half'"),
        ({"games": "many"}, "games must be a whole number, got 'many'"),
        ({"games": 1.5}, "games must be a whole number, got 1.5"),
        ({"games": math.inf}, "games must be a number of sensible size, got inf"),
        ({"games": math.nan}, "games must be a number of sensible size, got nan"),
        ({"step_size": 10**400}, "step_size must be a number of sensible size"),
        ({"hidden": [10**11]}, "hidden must be at most 65536"),
        ({"parallel_games": 10**12}, "parallel_games must be at most 1000000"),
        ({"games": True}, "games must be a whole number, got True"),
        ({"hidden": []}, "hidden must be one or more positive sizes"),
        ({"hidden": [80, -1]}, "hidden must be one or more positive sizes"),
        ({"other_starts": "nackgammon"}, "other_starts must be a list of variants, got 'nackgammon'"),
        ({"other_starts": ["tavla"]}, "other_starts: tavla is another game than standard"),
        ({"other_starts": ["chess"]}, "unknown variant 'chess'"),
        ({"companion": [0]}, "companion must be positive sizes, or none, got [0]"),
        ({"companion": [8], "quick": "standard-quick"}, "companion learns from the first game; with quick it is"),
        ({"companion": [8], "start": "standard"}, "companion learns from the first game; with start it is"),
        ({"hidden": "big"}, "hidden must be a list of whole numbers, got 'big'"),
        ({"trace": 1.5}, "trace must stay within 0 to 1, got 1.5"),
        ({"trace": [[0, 0.5], [0.2]]}, "trace must be a number or [[share of run, value], ...]"),
        ({"trace": [[0.5, 0.5], [0.2, 0.1]]}, "shares of the run must rise"),
        ({"step_size": math.nan}, "step_size must be a number of sensible size, got nan"),
        ({"trace": [[0, math.nan]]}, "trace must stay within 0 to 1"),
        ({"variant": "chess"}, "unknown variant 'chess'"),
        ({"seed": -1}, "seed must not be negative"),
        ({"gradient_limit": 0}, "gradient_limit must be positive"),
        ({"games": 0}, "there is nothing to do"),
    ],
)
def test_a_wrong_configuration_says_what_is_wrong(values, said):
    with pytest.raises(gr.ConfigError) as refused:
        config_from(values)
    assert said in str(refused.value)


def test_config_file_with_changes(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text("games = 5\nhidden = [4, 3]\ntrace = [[0, 0.7], [1, 0]]\n")
    config = load_config(path, ["games=9", "variant=tavla", "step_size=0.01"])
    assert (config.games, config.hidden, config.variant, config.step_size) == (9, (4, 3), "tavla", 0.01)
    assert config.trace == ((0.0, 0.7), (1.0, 0.0))
    assert config_from(json.loads(json.dumps(config.as_dict()))) == config
    with pytest.raises(gr.ConfigError, match="'nonsense' is not key=value"):
        load_config(path, ["nonsense"])
    for value in ("9" * 5000, "[" * 3000):
        with pytest.raises(gr.ConfigError):
            load_config(path, [f"games={value}"])
    path.write_text("games = = 5")
    with pytest.raises(gr.ConfigError, match="not TOML"):
        load_config(path)
    with pytest.raises(gr.ConfigError, match="cannot be read"):
        load_config(tmp_path / "none.toml")


def test_every_shipped_config_is_valid():
    configs = sorted((Path(__file__).parents[1] / "configs").glob("*.toml"))
    assert configs
    for path in configs:
        config = load_config(path)
        assert config.games + config.generations > 0


# Runs


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def run_to_end(directory, resume=False, **changes):
    trainer = Trainer(TrainConfig(**(SMALL | changes)), directory, resume=resume)
    assert trainer.run()
    return trainer


def state(directory):
    """What a checkpoint says."""
    checkpoint = load_checkpoint(directory)
    return {name: tensor.tobytes() for name, tensor in checkpoint.tensors.items()}, checkpoint.about


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path):
    for name, seed in (("a", 2**70), ("b", 2**70), ("c", 2**70 + 2**35)):
        run_to_end(tmp_path / name, seed=seed)
        export_run(tmp_path / name, tmp_path / f"{name}.safetensors")
    assert state(tmp_path / "a") == state(tmp_path / "b")
    assert state(tmp_path / "a")[0] != state(tmp_path / "c")[0]
    for files in ("{}/checkpoint.safetensors", "{}.safetensors"):
        first, second, other = ((tmp_path / files.format(name)).read_bytes() for name in "abc")
        assert first == second != other


def test_a_little_learning_beats_random_play(tmp_path):
    config = {"games": 4000, "parallel_games": 128, "minibatch": 256, "hidden": (16,), "step_size": 3e-3}
    run_to_end(tmp_path / "run", companion=(8,), **config)
    for companion, units in ((False, 16), (True, 8)):
        model = export_run(tmp_path / "run", tmp_path / "m.safetensors", companion=companion)
        assert model.info["layers"] == [INPUTS, units, 6]
        learned, random = SearchPlayer(model, NORMAL, "learned"), RandomPlayer(gr.STANDARD, 1)
        result = meet(learned, random, 200)
        assert result.points > 1
        assert result.wins > 0.8


def test_a_companion_leaves_the_net_few_plays_and_is_never_an_old_one(tmp_path):
    trainer = Trainer(TrainConfig(**(SMALL | {"companion": (4,)})), tmp_path / "run")
    boards = random_positions(50, 1)[0]
    boards = boards[np.abs(boards).sum(axis=1) == 30]
    seen = []
    trainer.run(lambda status: seen.append(trainer.play.quick.outcomes(boards)))
    assert not np.allclose(seen[0], seen[1], atol=1e-6)
    with pytest.raises(gr.RunError, match="has no companion"):
        export_run(run_to_end(tmp_path / "alone").directory, tmp_path / "m.safetensors", companion=True)


def test_a_run_that_is_interrupted_and_resumed_ends_as_one_that_was_not(tmp_path):
    run_to_end(tmp_path / "whole")

    trainer = Trainer(TrainConfig(**SMALL), tmp_path / "cut")
    asked = []

    def interrupt(status):
        if status.games > 150 and not asked:
            asked.append(status.games)
            os.kill(os.getpid(), signal.SIGINT)

    assert not trainer.run(interrupt)
    assert 150 < load_checkpoint(tmp_path / "cut").about["games"] < 400
    run_to_end(tmp_path / "cut", resume=True)
    assert state(tmp_path / "cut") == state(tmp_path / "whole")


LABELS = {"generations": 2, "labels": 600, "label_games": 10, "label_segment": 8, "epochs": 3, "replay": 2}


def test_generations_of_labels_resume_to_the_same_bytes_from_every_piece(tmp_path):
    changes = LABELS | {"companion": (4,), "last_epochs": 5}
    config = TrainConfig(**(SMALL | changes))
    run_to_end(tmp_path / "whole", **changes)
    stages = []
    cut = tmp_path / "cut"
    for piece in range(1000):
        trainer = Trainer(config, cut, resume=piece > 0)

        def interrupt(status):
            stages.append(status.stage)
            if status.games >= config.games:  # the self-play before it is tried elsewhere
                os.kill(os.getpid(), signal.SIGINT)

        if trainer.run(interrupt):
            break
    assert {"labels 1 of 2", "fit 1 of 2", "labels 2 of 2", "fit 2 of 2"} <= set(stages)
    assert stages.count("labels 1 of 2") == 8  # 600 labels in whole segments of 80
    assert stages.count("fit 1 of 2") <= 3 < stages.count("fit 2 of 2") <= 5
    assert state(cut) == state(tmp_path / "whole")
    assert list(cut.glob("labels-*"))  # more generations may be asked for
    layers = [export_run(run, tmp_path / "m.safetensors").layers for run in (cut, tmp_path / "whole")]
    assert (layers[0][0][0] == layers[1][0][0]).all()


def test_a_finished_run_that_is_given_more_generations_ends_as_one_that_had_them(tmp_path):
    run_to_end(tmp_path / "whole", **LABELS | {"generations": 3})
    run_to_end(tmp_path / "more", **LABELS)
    run_to_end(tmp_path / "more", resume=True, **LABELS | {"generations": 3})
    weights = [state(tmp_path / name)[0] for name in ("whole", "more")]
    assert weights[0] == weights[1]


def test_labels_are_the_mean_over_rolls_and_take_the_luck_out():
    torch.manual_seed(5)
    net = Net((12,), gr.STANDARD)
    judge = Judge(net)
    model = Model(net.arrays(), gr.STANDARD)
    plies, games, trace = 5, 12, 0.7
    boards, targets = label(SelfPlay(gr.STANDARD, games, np.random.default_rng(2)), judge, plies, trace)
    boards, targets = boards.reshape(plies, games, 26), targets.reshape(plies, games, 6)
    np.testing.assert_allclose(targets.sum(axis=-1), 1, atol=1e-5)
    means = outcomes_ahead(model, boards.reshape(-1, 26), 1).reshape(plies, games, 6)
    np.testing.assert_allclose(targets[-1], means[-1], atol=1e-5)
    for ply in range(plies - 1):  # no game ends so early
        value = model.outcomes(boards[ply + 1])
        expected = means[ply] + trace * (targets[ply + 1] - value)[:, ::-1]
        np.testing.assert_allclose(targets[ply], expected, atol=1e-5)
    exact = label(SelfPlay(gr.STANDARD, games, np.random.default_rng(2)), judge, plies, 0.0)[1]
    np.testing.assert_allclose(exact.reshape(means.shape), means, atol=1e-5)


def test_labels_know_how_a_game_ends():
    play = SelfPlay(gr.STANDARD, 40, np.random.default_rng(3))
    last = np.zeros(26, dtype=np.int8)
    last[[1, 4]] = 1, -15  # one checker on the ace point, and all of the other still in my home board
    play.boards[:] = last
    play.opening[:] = False
    torch.manual_seed(1)
    boards, targets = label(play, Judge(Net((8,), gr.STANDARD)), 3, 0.9)
    assert (boards[:40] == last).all()
    np.testing.assert_allclose(targets[:40], np.tile([0, 0, 0, 0, 0, 1], (40, 1)), atol=1e-6)
    assert (boards[40:80] == gr.STANDARD.start()).all()


class Certain:
    """A solved game in which every position is a sure single win."""

    def outcomes(self, boards):
        return np.tile(np.float32([0, 0, 0, 1, 0, 0]), (len(boards), 1))


def test_labels_may_be_the_values_of_the_solved_game(tmp_path, monkeypatch):
    monkeypatch.setattr("gammon_rl.train.trainer.load_solved", lambda rules: Certain())
    changes = {"variant": "hypergammon", "games": 0, "generations": 1, "labels": 20_000, "teacher": "solved"}
    trainer = run_to_end(tmp_path, **changes, fit_step_size=1e-2, fit_minibatch=64, meter_minutes=0.0)
    assert trainer.play.ended > 300  # games of some 25 turns
    win, *others = Model(trainer.net.arrays(), gr.HYPERGAMMON).probs(gr.HYPERGAMMON.start())
    assert win > 0.98
    assert max(others) < 0.02


def test_without_the_file_of_the_solved_game_nothing_begins(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMMON_RL_DATA", str(tmp_path))
    with pytest.raises(gr.GammonError, match="gammon-rl solve hypergammon"):
        Trainer(config_from({"variant": "hypergammon", "teacher": "solved"}), tmp_path / "run")


def test_damaged_labels_and_changed_settings_are_refused_on_resume(tmp_path):
    trainer = Trainer(TrainConfig(**(SMALL | LABELS)), tmp_path)
    trainer.run(lambda status: os.kill(os.getpid(), signal.SIGINT) if status.stage == "fit 1 of 2" else None)
    file = next(tmp_path.glob("labels-*"))
    with pytest.raises(gr.RunError, match="epochs was 3 and is 4"):
        Trainer(TrainConfig(**(SMALL | LABELS | {"epochs": 4})), tmp_path, resume=True)
    file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(gr.RunError, match="labels of the run that cannot be read"):
        Trainer(TrainConfig(**(SMALL | LABELS)), tmp_path, resume=True)


def test_between_generations_how_they_are_made_may_change_and_shots_be_turned_on(tmp_path):
    run_to_end(tmp_path, **LABELS)
    before = export_run(tmp_path, tmp_path / "before.safetensors")
    more = LABELS | {"generations": 3, "epochs": 1, "replay": 3, "label_trace": 0.5}
    trainer = Trainer(TrainConfig(**(SMALL | more | {"shots": True})), tmp_path, resume=True)
    boards = gr.legal_plays(gr.STANDARD.start()[None], (3, 1))[1]
    np.testing.assert_allclose(outcomes(trainer.net, boards), before.outcomes(boards), atol=1e-5)
    assert trainer.run()
    after = export_run(tmp_path, tmp_path / "after.safetensors")
    assert after.info["layers"][0] == WITH_SHOTS
    assert after.layers[0][0][:, INPUTS:].any()
    with pytest.raises(gr.RunError, match="shots was True and is False"):
        Trainer(TrainConfig(**(SMALL | more | {"generations": 4})), tmp_path, resume=True)
    with pytest.raises(gr.RunError, match="3 generations are made, generations is 2"):
        Trainer(TrainConfig(**(SMALL | more | {"shots": True, "generations": 2})), tmp_path, resume=True)
    with pytest.raises(gr.RunError, match="label_games was"):
        Trainer(TrainConfig(**(SMALL | more | {"shots": True, "label_games": 99})), tmp_path, resume=True)


def test_a_run_without_labels_goes_on_with_some(tmp_path):
    run_to_end(tmp_path)
    trainer = run_to_end(tmp_path, resume=True, **LABELS)
    assert trainer.generation == 2


def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path):
    config = SMALL | {"games": 1500, "checkpoint_minutes": 0.002}
    run_to_end(tmp_path / "whole", **config)
    code = (
        "import sys; from pathlib import Path; import torch; torch.set_num_threads(1)\n"
        "from gammon_rl.train.config import TrainConfig; from gammon_rl.train.trainer import Trainer\n"
        f"Trainer(TrainConfig(**{config!r}), Path(sys.argv[1]), resume=len(sys.argv) > 2).run()\n"
    )
    rng = np.random.default_rng(1)
    kills, resume = 0, []
    for _ in range(20):
        process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "cut"), *resume])
        deadline = time.monotonic() + 60
        while not (tmp_path / "cut" / NAME).exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        resume = ["--resume"]
        try:
            process.wait(timeout=2.2 + rng.random())
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
            if kills == 2:
                run_to_end(tmp_path / "cut", resume=True, **config)
                break
        else:
            break
    assert state(tmp_path / "cut") == state(tmp_path / "whole")


def test_a_damaged_checkpoint_falls_back_on_the_one_before(tmp_path):
    run_to_end(tmp_path, checkpoint_minutes=1e-6)
    newest, before = tmp_path / NAME, tmp_path / PREVIOUS
    assert before.exists()
    newest.write_bytes(newest.read_bytes()[:1000])
    assert load_checkpoint(tmp_path).about["games"] < 400
    newest.unlink()
    run_to_end(tmp_path, resume=True, checkpoint_minutes=1e-6)
    save_file({"x": np.zeros(3, np.float32)}, newest)
    before.unlink()
    with pytest.raises(gr.RunError, match="not a readable checkpoint"):
        load_checkpoint(tmp_path)
    save_file({"x": np.zeros(3, np.float32)}, newest, {"gammon_rl_run": '{"format": 1}'})
    with pytest.raises(gr.RunError, match=r"not a readable checkpoint.*config"):
        load_checkpoint(tmp_path)
    before.write_bytes(b"")
    newest.write_bytes(b"")
    with pytest.raises(gr.RunError, match="not a readable checkpoint"):
        load_checkpoint(tmp_path)


@pytest.mark.parametrize(
    ("about", "tensors"),
    [
        ({}, {"boards.0": None}),
        ({}, {"weights.0": np.zeros((3, INPUTS), np.float32)}),
        ({"games": "x"}, {}),
        ({"ended": []}, {}),
        ({"rng": [{}]}, {}),
        ({"labels": 5}, {}),
        ({"config": []}, {}),
    ],
)
def test_a_checkpoint_that_does_not_hold_what_it_should_falls_back_too(tmp_path, about, tensors):
    run_to_end(tmp_path, checkpoint_minutes=1e-6)
    whole = load_checkpoint(tmp_path)
    wrong = {name: tensor for name, tensor in (whole.tensors | tensors).items() if tensor is not None}
    save_checkpoint(tmp_path, Checkpoint(wrong, whole.about | about))
    assert load_checkpoint(tmp_path).about == whole.about  # the one before
    (tmp_path / PREVIOUS).unlink()
    with pytest.raises(gr.RunError, match="not a readable checkpoint"):
        load_checkpoint(tmp_path)


def test_runs_in_the_way_or_missing_or_changed_are_refused(tmp_path):
    with pytest.raises(gr.RunError, match="holds no checkpoint"):
        Trainer(TrainConfig(**SMALL), tmp_path, resume=True)
    run_to_end(tmp_path)
    with pytest.raises(gr.RunError, match="already holds a run"):
        Trainer(TrainConfig(**SMALL), tmp_path)
    with pytest.raises(gr.RunError, match=r"another configuration: seed was 1 and is 2"):
        Trainer(TrainConfig(**SMALL, seed=2), tmp_path, resume=True)


def test_a_run_belongs_to_one_process_at_a_time(tmp_path):
    second = Trainer(TrainConfig(**SMALL), tmp_path)
    said = []

    def start_another(status):
        if not said:
            with pytest.raises(gr.RunError, match="another process is training there") as refused:
                second.run()
            said.append(str(refused.value))

    Trainer(TrainConfig(**SMALL), tmp_path).run(start_another)
    assert said


def test_a_directory_that_cannot_be_written_is_one_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    for place in (tmp_path / "file", tmp_path / "file" / "run", tmp_path / ("a" * 300)):
        with pytest.raises(gr.RunError, match="cannot be kept there"):
            Trainer(TrainConfig(**SMALL), place).run()


def test_a_loss_that_is_no_number_stops_the_run_with_the_reason(tmp_path):
    trainer = Trainer(TrainConfig(**SMALL), tmp_path)
    with torch.no_grad():
        trainer.parameters[-1].fill_(math.nan)
    with pytest.raises(gr.RunError, match="the loss became nan after"):
        trainer.run()
    assert not (tmp_path / NAME).exists()


def test_two_workers_train_together_and_resume(tmp_path):
    config = tmp_path / "c.toml"
    config.write_text("games = 60\nparallel_games = 32\nsegment = 6\nminibatch = 64\nhidden = [8]\nworkers = 2\n")
    train = [sys.executable, "-m", "gammon_rl", "train", str(config)]
    for name in "ab":
        subprocess.run([*train, "--run", str(tmp_path / name)], check=True, capture_output=True, timeout=120)
    assert state(tmp_path / "a") == state(tmp_path / "b")
    boards = load_checkpoint(tmp_path / "a").tensors
    assert (boards["boards.0"] != boards["boards.1"]).any()
    done = subprocess.run(
        [*train, "--run", str(tmp_path / "a"), "--resume"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    assert "Done" in done.stdout


@pytest.mark.parametrize("moment", ["starting", "training"])
@pytest.mark.parametrize("event", ["worker killed", "Ctrl-C"])
def test_two_workers_end_quietly_together(tmp_path, moment, event):
    config = tmp_path / "c.toml"
    config.write_text("games = 1_000_000\nparallel_games = 32\nminibatch = 64\nhidden = [8]\nworkers = 2\n")
    run = [sys.executable, "-m", "gammon_rl", "train", str(config), "--run", str(tmp_path / "run")]
    run += ["--set", "checkpoint_minutes=0.001"]
    process = subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not workers.exists():
        process.kill()
        pytest.skip("needs /proc to find the worker")
    deadline = time.monotonic() + 60

    def worker():
        for child in workers.read_text().split():
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
        return None

    while worker() is None or (moment == "training" and not (tmp_path / "run" / NAME).exists()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    if event == "Ctrl-C":
        os.killpg(process.pid, signal.SIGINT)
    else:
        os.kill(worker(), signal.SIGKILL)
    try:
        _, err = process.communicate(timeout=30)
    finally:
        os.killpg(process.pid, signal.SIGKILL) if process.poll() is None else None
    assert "Traceback" not in err
    if event == "Ctrl-C":
        assert process.returncode == 130
    else:
        assert process.returncode == 2
        assert "a worker process ended" in err


def test_tensorboard_has_the_scalars_and_the_configuration(tmp_path):
    run_to_end(tmp_path)
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(tmp_path)).Reload()
    tags = events.Tags()["scalars"]
    assert {"learning/loss", "learning/lambda", "start/win", "games/gammons", "speed/games_per_second"} <= set(tags)
    assert events.Scalars("learning/loss")[-1].step >= 400
    assert any("hparams" in tag for tag in events.summary_metadata)


# The strength meter


def test_meter_changes_nothing_of_the_run_and_tells_tensorboard(tmp_path, monkeypatch):
    released = Model(Net((4,), gr.STANDARD).arrays(), gr.STANDARD)
    monkeypatch.setattr("gammon_rl.train.meter.released_model", lambda rules: released)
    monkeypatch.setattr("shutil.which", lambda name: None)  # no GNU Backgammon
    run_to_end(tmp_path / "plain", games=40, segment=60, meter_minutes=0)
    run_to_end(tmp_path / "metered", games=40, segment=60, meter_minutes=1e-6, meter_games=2)
    plain, metered = (load_checkpoint(tmp_path / name) for name in ("plain", "metered"))
    for name, tensor in plain.tensors.items():
        np.testing.assert_array_equal(metered.tensors[name], tensor)
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(tmp_path / "metered")).Reload()
    points = events.Scalars("strength/points_against_released")
    assert len(points) > 1
    assert any(one.value for one in points)
    assert [one.wall_time for one in points] == sorted(one.wall_time for one in points)
    assert points[-1].wall_time < 600  # seconds of the run, not of the calendar
    games, points_lost = curve(tmp_path / "metered", "strength/points_against_released", "games")
    assert games == sorted(games)
    assert 0 < games[0] < games[-1] <= 40 + 64
    assert points_lost == [one.value for one in points]
    with pytest.raises(gr.GammonError, match="no scalar 'exact/error'; there are "):
        curve(tmp_path / "metered", "exact/error", "games")
    assert (
        "strength/points_against_released" not in EventAccumulator(str(tmp_path / "plain")).Reload().Tags()["scalars"]
    )


def test_the_databases_give_the_values_of_bear_offs():
    net = Net((8,), gr.STANDARD)
    boards = np.stack([position(p1=1, o24=1), position(p6=1, o24=1), gr.STANDARD.start()])
    judge = Judge(net, torch.bfloat16, load_bearoff())
    np.testing.assert_allclose(judge.outcomes(boards)[:2], [[0, 0, 0, 1, 0, 0], [0, 0, 0.25, 0.75, 0, 0]], atol=1e-6)
    np.testing.assert_allclose(judge.equity(boards)[:2], [1, 0.5], atol=1e-6)
    np.testing.assert_allclose(judge.outcomes(boards)[2], FoldedNet(net).outcomes(boards)[2], atol=1e-6)


def test_a_run_with_databases_goes_on_the_same_after_a_stop(tmp_path):
    changes = {"bearoff": True, "generations": 1, "labels": 100, "label_games": 8, "label_segment": 5, "epochs": 1}
    run_to_end(tmp_path / "whole", **changes)
    assert state(tmp_path / "whole") == state(run_to_end(tmp_path / "again", **changes).directory)
    run_to_end(tmp_path / "without", **changes | {"bearoff": False})
    assert state(tmp_path / "whole") != state(tmp_path / "without")


def test_a_run_may_be_measured_otherwise_when_resumed(tmp_path):
    config = TrainConfig(**SMALL)
    Trainer(config, tmp_path).run()
    Trainer(dataclasses.replace(config, meter_minutes=0.0, meter_games=7), tmp_path, resume=True)


def test_a_run_begins_with_a_model_and_may_learn_labels_alone(tmp_path):
    run_to_end(tmp_path / "small", games=60)
    model = export_run(tmp_path / "small", tmp_path / "small.safetensors")
    start = {"games": 0, "start": str(tmp_path / "small.safetensors"), "hidden": (16, 8), "precision": "bfloat16"}
    config = TrainConfig(**SMALL | start, generations=1, labels=200, label_games=8, label_segment=5, epochs=2)
    trainer = Trainer(config, tmp_path / "grown")
    boards = random_positions(50, 1)[0]
    grown = Model(trainer.net.arrays(), gr.STANDARD)
    np.testing.assert_allclose(grown.outcomes(boards), model.outcomes(boards), atol=1e-5)
    assert trainer.run()
    assert np.abs(Model(trainer.net.arrays(), gr.STANDARD).outcomes(boards) - model.outcomes(boards)).max() > 1e-4
    (tmp_path / "small.safetensors").unlink()  # a run that has begun does not need it any more
    Trainer(config, tmp_path / "grown", resume=True)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"start": "nowhere"}, "nowhere: no such model file"),
        ({"teacher": "nowhere"}, "nowhere: no such model file"),
        ({"teacher": "standard", "variant": "tavla"}, "made for standard, not for tavla"),
        ({"start": "standard", "hidden": (80,)}, r"hidden layers \[512, 256, 128\] cannot grow into \[80\]"),
        ({"start": "standard", "variant": "hypergammon"}, "standard"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(tmp_path, values, said):
    with pytest.raises(gr.GammonError, match=said):
        Trainer(TrainConfig(**SMALL | values), tmp_path)


def test_a_device_that_is_not_there_is_refused_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(gr.ConfigError, match="device 'cuda' is not to be had here; there is cpu"):
        Trainer(TrainConfig(**SMALL, device="cuda"), tmp_path)


def test_a_run_that_torchrun_starts_again_goes_on(tmp_path, monkeypatch):
    config = tmp_path / "c.toml"
    config.write_text("games = 60\nparallel_games = 32\nhidden = [4]\n")
    command = ["train", str(config), "--run", str(tmp_path / "run")]
    run = CliRunner()
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")  # the first time there was no time for a checkpoint
    assert run.invoke(app, command).exit_code == 0
    again = run.invoke(app, command)
    assert again.exit_code == 0
    assert "Done" in again.output
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "0")
    assert run.invoke(app, command).exit_code != 0
