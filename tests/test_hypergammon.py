"""Solved games: against published values, against a slow solution of one-checker games, and against themselves.

``GAMMON_RL_TEST_SCALE=10`` looks at ten times as many boards. The tests of the game with three checkers need its file
(``gammon-rl solve hypergammon``) and are skipped where it is not.
"""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from gammon_rl.bots.bot import Bot
from gammon_rl.bots.player import SearchPlayer, player
from gammon_rl.bots.search import chosen
from gammon_rl.cli import app
from gammon_rl.errors import (
    ConfigError,
    DatabaseFileError,
    GammonError,
    InvalidNotationError,
    InvalidPositionError,
    ModelFileError,
)
from gammon_rl.eval.network import POINTS, certain, nested
from gammon_rl.eval.regret import BEST, RegretMeter
from gammon_rl.eval.strongest import strongest
from gammon_rl.exact.check import random_positions, residuals
from gammon_rl.exact.hypergammon import SolvedGame, build, few_checkers, load_solved, solved_path
from gammon_rl.exact.index import _WEIGHTS, PositionIndex
from gammon_rl.rules.board import pip_counts, results, turn
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS, opening_roll, roll
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import HYPERGAMMON, NACKGAMMON, STANDARD, TAVLA, Boards, Variant
from gammon_rl.writing import held
from tests import reference

SCALE = float(os.environ.get("GAMMON_RL_TEST_SCALE", "1"))
WHOLE = solved_path(HYPERGAMMON)
needs_the_whole_game = pytest.mark.skipif(not WHOLE.exists(), reason="Hypergammon is not solved here")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    folder = tmp_path_factory.mktemp("solved")
    paths = {checkers: folder / f"{checkers}.db" for checkers in (1, 2)}
    for checkers, path in paths.items():
        build(few_checkers(checkers), path, workers=checkers)
        assert sorted(one.name for one in folder.iterdir()) == [f"{n}.db" for n in range(1, checkers + 1)]
    return paths


@pytest.fixture(scope="module")
def games(files: dict[int, Path]) -> dict[int, SolvedGame]:
    return {checkers: load_solved(few_checkers(checkers), path, check=True) for checkers, path in files.items()}


def some_boards(index: PositionIndex, count: int, seed: int) -> Boards:
    numbers = np.flatnonzero(index.playable)
    return index.boards(np.random.default_rng(seed).choice(numbers, min(round(count * SCALE), len(numbers))))


# The numbers of positions


def test_all_sums_of_three_weights_differ() -> None:
    sums = [sum(three) for three in combinations_with_replacement(_WEIGHTS, 3)]
    assert len(set(sums)) == len(sums) == 3276


@pytest.mark.parametrize(("checkers", "size", "playable"), [(1, 26**2, 601), (2, 351**2, 106_552)])
def test_every_number_is_one_board_and_back(checkers: int, size: int, playable: int) -> None:
    index = PositionIndex(few_checkers(checkers))
    numbers = np.flatnonzero(index.playable)
    boards = index.boards(numbers)
    assert (index.size, len(numbers)) == (size, playable)
    assert (index.numbers(boards) == numbers).all()
    assert (index.numbers(turn(boards)) == index.turned(numbers)).all()
    assert (index.total_pips[numbers] == pip_counts(boards).sum(axis=1)).all()
    assert len(np.unique(boards, axis=0)) == len(boards)


def test_positions_of_three_checkers_are_counted_and_numbered() -> None:
    index = PositionIndex(HYPERGAMMON)
    assert int(np.count_nonzero(index.playable)) == 7_953_353
    boards = some_boards(index, 20_000, 1)
    assert (index.boards(index.numbers(boards)) == boards).all()
    assert (index.numbers(turn(boards)) == index.turned(index.numbers(boards))).all()


def test_what_has_no_number_is_refused(games: dict[int, SolvedGame]) -> None:
    with pytest.raises(InvalidPositionError, match="has 15 checkers of one side, hypergammon is played with 3"):
        PositionIndex(HYPERGAMMON).numbers(STANDARD.start())
    with pytest.raises(InvalidPositionError, match="up to 3 checkers"):
        PositionIndex(NACKGAMMON)
    with pytest.raises(InvalidPositionError, match="3 checkers of one side"):
        games[2].outcomes(HYPERGAMMON.start())


# The values


def roll_means(rules: Variant, boards: Boards, value: Callable[[Boards], NDArray[np.float32]]) -> NDArray[np.float64]:
    """Return the mean over the rolls of the best play by the value of the next position, (N,)."""
    turns = np.repeat(boards, len(ROLLS), axis=0)
    dice = np.tile(ROLLS, (len(boards), 1))
    parents, afterstates = legal_plays(turns, dice, rules)
    made = chosen(turns, parents, afterstates, value(afterstates))
    means: NDArray[np.float64] = -value(made).reshape(len(boards), -1) @ ROLL_CHANCES
    return means


def published(game: SolvedGame, board: Boards) -> list[float]:
    """Return the equities in the order of GNU Backgammon's manual: owned, centred, Jacoby, the opponent's."""
    return [round(float(equity), 4) for equity in game.money_equities(board)]


def test_published_values_of_the_small_games(games: dict[int, SolvedGame]) -> None:
    one, two = (published(games[checkers], few_checkers(checkers).start()) for checkers in (1, 2))
    assert one == pytest.approx([0.5883, 0.5393, 0.4557, 0.3864], abs=1e-4)
    # After a dance the published ones let the cube change sides and leave out the next cube action: see the docs.
    assert two == pytest.approx([0.3278, 0.2092, 0.2046, 0.0109], abs=3e-4)


def test_one_checker_a_side_against_a_slow_solution(games: dict[int, SolvedGame]) -> None:
    rules, game = few_checkers(1), games[1]
    numbers = np.flatnonzero(game.index.playable)
    boards = [tuple(board) for board in game.index.boards(numbers).tolist()]
    boards.sort(key=lambda board: sum(abs(count) * point for count, point in zip(board, range(26), strict=True)))
    values: dict[reference.Board, float] = dict.fromkeys(boards, 0.0)
    plays: dict[reference.Board, list[set[reference.Board]]] = {}
    for board in boards:
        dance = {tuple(-count for count in reversed(board))}
        plays[board] = [reference.legal_plays(board, dice, rules) or dance for dice in ROLLS.tolist()]
        for after in set().union(*plays[board]):
            if points := reference.result(after, rules):
                values[after] = float(points)
    change = 1.0
    while change > 1e-9:
        change = 0.0
        for board in boards:
            best = [-min(values[after] for after in afterstates) for afterstates in plays[board]]
            value = sum(chance * one for chance, one in zip(ROLL_CHANCES.tolist(), best, strict=True))
            change = max(change, abs(value - values[board]))
            values[board] = value
    found = game.equity(np.array(boards, dtype=np.int8))
    assert np.abs(found - np.array([values[board] for board in boards])).max() < 4e-7


@pytest.mark.parametrize("checkers", [1, 2])
def test_values_are_the_means_of_the_best_plays(games: dict[int, SolvedGame], checkers: int) -> None:
    game = games[checkers]
    boards = some_boards(game.index, 4000, 2)
    assert_bellman(game, boards)


def assert_bellman(game: SolvedGame, boards: Boards) -> None:
    assert np.abs(roll_means(game.rules, boards, game.equity) - game.equity(boards)).max() < 1e-6
    nd = game.money_equities(boards)

    def before_doubling(cube: int) -> Callable[[Boards], NDArray[np.float32]]:
        def value(boards: Boards) -> NDArray[np.float32]:
            equities = game.money_equities(boards)
            over = results(boards, game.rules) != 0
            doubled = np.minimum(1, 2 * equities[..., 3])
            return np.where(over, equities[..., cube], np.maximum(equities[..., cube], doubled))

        return value

    for mine, next_one in ((0, lambda boards: game.money_equities(boards)[..., 3]), (3, before_doubling(0))):
        assert np.abs(roll_means(game.rules, boards, next_one) - nd[:, mine]).max() < 2e-6
    for cube in (1, 2):
        assert np.abs(roll_means(game.rules, boards, before_doubling(cube)) - nd[:, cube]).max() < 2e-6


def test_outcomes_are_chances_and_mean_the_equity(games: dict[int, SolvedGame]) -> None:
    game = games[2]
    boards = some_boards(game.index, 20_000, 3)
    outcomes = game.outcomes(boards)
    assert outcomes.dtype == np.float32
    assert outcomes.min() >= 0
    assert np.abs(outcomes.sum(axis=-1) - 1).max() < 1e-6
    assert np.abs(outcomes @ POINTS - game.equity(boards)).max() < 1e-6
    assert np.abs(nested(outcomes) - game.probs(boards)).max() < 1e-6
    off = np.abs(np.minimum(boards, 0)).sum(axis=1) < 2
    assert off.any()
    assert outcomes[off, 4:].max() == 0  # a side with a checker off loses no gammon
    assert game.outcomes(boards.reshape(-1, 2, 26)).shape == (len(boards) // 2, 2, 6)


def test_finished_games_have_their_results(games: dict[int, SolvedGame]) -> None:
    game = games[2]
    layouts = np.arange(1, game.index.layouts)
    boards = game.index.boards(np.concatenate([layouts, layouts * game.index.layouts]))
    points = results(boards, game.rules)
    assert set(points.tolist()) == {-3, -2, -1, 1, 2, 3}
    assert (game.outcomes(boards) == certain(points)).all()
    assert np.abs(game.money_equities(boards)[:, [0, 1, 3]] - points[:, None]).max() < 1e-6
    assert np.abs(game.money_equities(boards)[:, 2] - np.sign(points)).max() < 1e-6


def test_more_cube_is_worth_more(games: dict[int, SolvedGame]) -> None:
    boards = some_boards(games[2].index, 20_000, 4)
    owned, _, _, theirs = np.moveaxis(games[2].money_equities(boards), -1, 0)
    cubeless = games[2].equity(boards)
    assert (owned >= cubeless - 1e-6).all()
    assert (theirs <= cubeless + 1e-6).all()


def test_visits_are_those_of_games_played(games: dict[int, SolvedGame]) -> None:
    game, rng, count = games[2], np.random.default_rng(5), round(4000 * SCALE)
    boards = np.tile(game.rules.start(), (count, 1))
    dice = opening_roll(rng, count)
    turns, first = np.zeros(count), []
    rows = np.arange(count)
    while len(boards):
        parents, afterstates = legal_plays(boards, dice, game.rules)
        boards = chosen(boards, parents, afterstates, game.equity(afterstates))
        going = results(boards, game.rules) == 0
        boards, rows = boards[going], rows[going]
        turns[rows] += 1
        first = first or [boards.copy()]
        dice = roll(rng, len(boards))
    assert turns.mean() == pytest.approx(game.all_visits.sum(), abs=4 * turns.std() / np.sqrt(count))
    common, times = np.unique(first[0], axis=0, return_counts=True)
    met = game.visits(common[times.argmax()])
    assert met >= times.max() / count - 4 * np.sqrt(met / count)


# The file


def test_a_run_that_was_stopped_goes_on_and_ends_in_the_same_bytes(files: dict[int, Path], tmp_path: Path) -> None:
    class StoppedError(Exception):
        pass

    steps = 0

    def stop(title: str, done: int, total: int, note: str) -> None:
        nonlocal steps
        steps += 1
        if steps in (1, 3, 7, 12):
            raise StoppedError

    path = tmp_path / "1.db"
    for _ in range(4):
        with pytest.raises(StoppedError):
            build(few_checkers(1), path, workers=1, progress=stop)
        assert not path.exists()
    build(few_checkers(1), path, workers=2, progress=stop)
    assert path.read_bytes() == files[1].read_bytes()
    assert [one.name for one in tmp_path.iterdir()] == ["1.db"]


def test_damaged_and_other_files_are_refused(files: dict[int, Path], tmp_path: Path) -> None:
    data = bytearray(files[1].read_bytes())
    data[-100] ^= 1
    (tmp_path / "bad.db").write_bytes(data)
    with pytest.raises(DatabaseFileError, match="checksum"):
        load_solved(few_checkers(1), tmp_path / "bad.db", check=True)
    (tmp_path / "bad.db").write_bytes(data[:-1])
    with pytest.raises(DatabaseFileError, match="damaged"):
        load_solved(few_checkers(1), tmp_path / "bad.db")
    with pytest.raises(DatabaseFileError, match="expected hypergammon with 3 checkers"):
        load_solved(HYPERGAMMON, files[2])
    with pytest.raises(DatabaseFileError, match="gammon-rl solve hypergammon builds it"):
        load_solved(HYPERGAMMON, tmp_path / "none.db")
    with pytest.raises(InvalidNotationError, match="1 to 3"):
        few_checkers(4)


def test_what_the_file_says_about_itself(games: dict[int, SolvedGame]) -> None:
    for checkers, game in games.items():
        assert game.about["checkers"] == checkers
        assert game.about["last_change"] <= 1e-10
        assert game.about["largest_loss"] < 1e-6


# What uses it


def test_a_bot_plays_by_it(games: dict[int, SolvedGame]) -> None:
    rules = few_checkers(2)
    bot = Bot("normal", games[2], rules=rules)
    position = Position(rules.start(), rules=rules)
    candidates = bot.analyse(position, (6, 3))
    assert candidates[0].loss == 0
    win, gammon, backgammon, lost_gammon, lost_backgammon = candidates[0].probs
    cubeless = 2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon
    assert cubeless == pytest.approx(-games[2].equity(bot.choose_play(position, (6, 3)).afterstate), abs=1e-6)


def test_hard_plays_by_the_file_where_it_is(
    files: dict[int, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAMMON_RL_DATA", str(tmp_path))
    rules = few_checkers(2)
    with pytest.raises(ModelFileError, match="no model is released for hypergammon"):
        strongest(rules)
    shutil.copy(files[2], solved_path(rules))
    assert isinstance(strongest(rules), SolvedGame)
    first = Position(rules.start(), rules=rules)
    assert Bot("hard", rules=rules).choose_play(first, (6, 3)) == Bot(
        "hard@0", strongest(rules), rules=rules
    ).choose_play(first, (6, 3))
    hard = player("hard@0", rules)
    assert isinstance(hard, SearchPlayer)
    assert isinstance(hard.evaluator, SolvedGame)
    with pytest.raises(ModelFileError, match="no model is released"):
        Bot("normal", rules=rules)
    with pytest.raises(ModelFileError):
        strongest(TAVLA)
    assert not isinstance(strongest(STANDARD), SolvedGame)


class Blurred:
    """A solved game with errors of its own."""

    def __init__(self, game: SolvedGame, noise: float) -> None:
        self.rules, self._game = game.rules, game
        self._noise = noise * np.random.default_rng(6).normal(size=game.index.size).astype(np.float32)
        self.asked = 0

    def equity(self, boards: Boards) -> NDArray[np.float32]:
        noise = self._noise[self._game.index.numbers(boards)] * (results(boards, self.rules) == 0)
        return self._game.equity(boards) + noise

    def outcomes(self, boards: Boards) -> NDArray[np.float32]:
        self.asked += len(boards)
        outcomes = np.zeros((len(boards), 6), dtype=np.float32)
        outcomes[:, 3] = self.equity(boards)  # no chances, but the equity is what counts
        return outcomes


@pytest.mark.parametrize(("checkers", "sample"), [(1, None), (2, 1000)])
def test_the_solved_game_has_no_regret(games: dict[int, SolvedGame], checkers: int, sample: int | None) -> None:
    regret = RegretMeter(games[checkers], sample, left_out=0)(games[checkers], worst=3)
    assert regret.loss < 1e-7
    assert (regret.best, regret.coverage, regret.worst) == (1, 1, ())
    assert regret.error < 1e-6


def test_regret_is_what_the_plays_lose(games: dict[int, SolvedGame]) -> None:
    game = games[2]
    blurred = Blurred(game, 0.02)
    meter = RegretMeter(game, left_out=0.5)
    regret = meter(blurred, worst=5)
    assert blurred.asked < np.count_nonzero(game.index.playable) + 2 * game.index.layouts  # once each

    numbers = meter.numbers
    rarest = np.setdiff1d(np.arange(game.index.size), numbers)
    assert game.all_visits[numbers].min() >= game.all_visits[rarest].max()
    assert 0.5 <= regret.coverage < 0.55
    boards = np.concatenate([game.rules.start()[None], game.index.boards(numbers)])
    opening = np.where(ROLLS[:, 0] == ROLLS[:, 1], 0, 1 / 15)
    weights = np.concatenate([opening[None], game.all_visits[numbers, None].astype(np.float64) * ROLL_CHANCES])
    turns, dice = np.repeat(boards, len(ROLLS), axis=0), np.tile(ROLLS, (len(boards), 1))
    parents, afterstates = legal_plays(turns, dice, game.rules)
    lost, least = (
        game.equity(chosen(turns, parents, afterstates, value(afterstates))) for value in (blurred.equity, game.equity)
    )
    losses = (lost - least).reshape(len(boards), -1)
    assert 0.001 < regret.loss < 0.02
    assert regret.positions == len(boards)
    assert regret.loss == pytest.approx((weights * losses).sum() / weights.sum(), rel=1e-5)
    assert regret.game_loss == pytest.approx(regret.loss * (1 + game.all_visits.sum()), rel=1e-5)
    decisions = weights * (np.bincount(parents, minlength=len(turns)).reshape(losses.shape) > 1)
    assert regret.decision_loss == pytest.approx((weights * losses).sum() / decisions.sum(), rel=1e-5)
    assert regret.best == pytest.approx((decisions * (losses <= BEST)).sum() / decisions.sum(), rel=1e-5)
    costs = np.sort((weights * losses).ravel())[::-1]
    assert [one.loss * one.visits for one in regret.worst] == pytest.approx(costs[:5].tolist(), rel=1e-4)
    assert all(one.play != one.best for one in regret.worst)
    assert json.loads(json.dumps(regret.as_dict()))["worst"][0]["xgid"] == regret.worst[0].xgid


def test_a_sample_of_positions_says_nearly_the_same(games: dict[int, SolvedGame]) -> None:
    blurred = Blurred(games[2], 0.02)
    many = RegretMeter(games[2], sample=10_000, seed=10)(blurred)
    samples = [RegretMeter(games[2], sample=1000, seed=seed)(blurred) for seed in range(6)]
    inside = [abs(one.loss - many.loss) < 1.5 * one.interval for one in samples]
    assert sum(inside) >= 5
    assert all(0 < one.interval < 0.2 * one.loss for one in samples)
    assert RegretMeter(games[2], sample=1000, seed=3)(blurred) == samples[3]


def test_regret_refuses_another_variant(games: dict[int, SolvedGame]) -> None:
    blurred = Blurred(games[1], 0)
    blurred.rules = STANDARD
    with pytest.raises(ModelFileError, match="made for standard with 15 checkers, the solved game is hypergammon"):
        RegretMeter(games[1])(blurred)


@pytest.mark.parametrize("jacoby", [False, True])
def test_a_bot_doubles_and_plays_by_the_exact_cube(games: dict[int, SolvedGame], jacoby: bool) -> None:
    game = games[2]
    bot = Bot("hard", game, rules=game.rules)
    columns = {"mine": 0, "centre": 2 if jacoby else 1, "theirs": 3}
    for board in some_boards(game.index, 40, 11):
        values = game.money_equities(board)
        for owner, column in columns.items():
            value = 1 if owner == "centre" else 2
            asked = Position(board, None, value, owner, jacoby=jacoby, rules=game.rules)  # type: ignore[arg-type]
            cube = bot.cube_action(asked)
            assert cube.nd == pytest.approx(values[column], abs=1e-6)
            if owner != "theirs":
                assert cube.dt == pytest.approx(2 * values[3], abs=1e-6)
                doubled = min(1, 2 * float(values[3]))
                assert cube.double or doubled <= values[column] + 1e-6
        own = Position(board, cube_value=2, cube_owner="mine", rules=game.rules)
        for one in bot.analyse(own, (4, 3)):
            after = one.play.afterstate
            expected = -game.money_equities(after)[3] if not results(after, game.rules) else -results(after, game.rules)
            assert one.equity == pytest.approx(float(expected), abs=1e-6)


def test_one_process_solves_at_a_time_and_one_game_in_a_folder(tmp_path: Path) -> None:
    path, work = tmp_path / "k.db", tmp_path / "k.db.work"
    with held(tmp_path / "k.db.lock"), pytest.raises(DatabaseFileError, match="another process is solving there"):
        build(few_checkers(1), path)
    build(few_checkers(1), path, workers=1, keep=True)
    before = path.read_bytes()
    with pytest.raises(DatabaseFileError, match=r"holds 'hypergammon 1 1', expected 'hypergammon 2 1'"):
        build(few_checkers(2), path, workers=1)
    for plays in work.glob("*"):
        if plays.name != "game.txt":
            plays.write_bytes(b"old")
    build(few_checkers(1), path, workers=1, fresh=True)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["k.db"]
    path.unlink()
    path.mkdir()
    with pytest.raises(DatabaseFileError, match="is no file, and is not replaced by one"):
        build(few_checkers(1), path, workers=1)


def test_a_damaged_file_is_done_without_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("GAMMON_RL_DATA", str(tmp_path))
    (tmp_path / "hypergammon.db").write_bytes(b"no database")
    assert strongest(HYPERGAMMON).rules is HYPERGAMMON
    assert not isinstance(strongest(HYPERGAMMON), SolvedGame)
    (said,) = (record.getMessage() for record in caplog.records)
    assert "--force writes over it" in said
    refused = CliRunner().invoke(app, ["solve", "hypergammon"])
    assert "--force writes over it" in str(refused.exception)


def test_regret_takes_no_impossible_sample_and_no_other_game(games: dict[int, SolvedGame]) -> None:
    for wrong in ({"sample": 0}, {"sample": -1}, {"left_out": 1.0}, {"left_out": -0.1}):
        with pytest.raises(ConfigError, match="sample must be at least 1 and left_out from 0 to 1"):
            RegretMeter(games[1], **wrong)  # type: ignore[arg-type]
    with pytest.raises(ModelFileError, match="with 2 checkers, the solved game is hypergammon with 1 checkers"):
        RegretMeter(games[1])(games[2])
    with pytest.raises(ModelFileError):
        Bot("hard", games[2], rules=games[1].rules)


def test_the_commands(files: dict[int, Path], tmp_path: Path) -> None:
    run = CliRunner().invoke
    path = tmp_path / "small.db"
    first = run(app, ["solve", "hypergammon", "--checkers", "1", "--workers", "1", "--out", str(path)])
    assert first.exit_code == 0, first.output
    assert "601 positions" in first.output
    assert "CPU-seconds" in first.output
    assert path.read_bytes() == files[1].read_bytes()
    assert "was there, checksum right" in run(app, ["solve", "--checkers", "1", "--out", str(path)]).output
    for arguments in (["solve", "standard"], ["regret", "standard", "--variant", "standard"], ["regret", "standard"]):
        assert isinstance(run(app, arguments).exception, GammonError)


# The whole game


@pytest.fixture(scope="module")
def whole() -> SolvedGame:
    return load_solved(HYPERGAMMON)


@needs_the_whole_game
def test_published_value_of_the_opening(whole: SolvedGame) -> None:
    opening = ROLLS[ROLLS[:, 0] != ROLLS[:, 1]]
    turns = np.tile(HYPERGAMMON.start(), (len(opening), 1))
    parents, afterstates = legal_plays(turns, opening, HYPERGAMMON)
    made = chosen(turns, parents, afterstates, whole.equity(afterstates))
    outcomes = whole.outcomes(made)[:, ::-1].astype(np.float64).mean(axis=0)
    assert -whole.equity(made).astype(np.float64).mean() == pytest.approx(0.08367954, abs=1e-6)
    won = [outcomes[3:].sum(), outcomes[4:].sum(), outcomes[5]]
    lost = [outcomes[:3].sum(), outcomes[:2].sum(), outcomes[0]]
    assert won == pytest.approx([0.52118, 0.31021, 0.02082], abs=1e-5)
    assert lost == pytest.approx([0.47882, 0.27245, 0.01726], abs=1e-5)


@needs_the_whole_game
def test_published_cubeful_values(whole: SolvedGame) -> None:
    position = Position.parse("ADAAAQAkIAAAAA", HYPERGAMMON)
    assert published(whole, position.board) == pytest.approx([-0.0219, -0.2305, -0.2181, -0.3552], abs=1e-4)
    # The published ones err a little after a dance: see the docs.
    assert published(whole, position.board) == pytest.approx([-0.0230, -0.2310, -0.2186, -0.3548], abs=1.2e-3)


@needs_the_whole_game
def test_values_of_the_whole_game_are_the_means_of_the_best_plays(whole: SolvedGame) -> None:
    assert whole.about["last_change"] <= 1e-10
    assert whole.about["largest_loss"] < 1e-6
    assert_bellman(whole, some_boards(whole.index, 4000, 7))


# Held against its own equation


@pytest.mark.parametrize("checkers", [1, 2])
def test_every_value_is_the_mean_over_the_rolls_of_the_best_plays(games: dict[int, SolvedGame], checkers: int) -> None:
    game = games[checkers]
    numbers = random_positions(game, 3000, seed=1)
    assert len(set(numbers.tolist())) == (601 if checkers == 1 else 3000)
    assert np.abs(residuals(game, numbers)).max() < 2e-6  # 24 bits of each value


def test_a_value_that_is_wrong_misses_its_equation(games: dict[int, SolvedGame]) -> None:
    game = games[1]
    wrong = replace(game, _equities=game._equities.copy())
    number = int(random_positions(game, 1, seed=2)[0])
    wrong._equities[number, 1] = 0  # with the cube in the centre: -3
    cubeless, mine, centre, jacoby, theirs = residuals(wrong, np.array([number]))[0]
    assert centre == pytest.approx(-3 - game.money_equities(game.index.boards(np.array(number)))[1], abs=1e-5)
    assert np.abs([cubeless, mine, jacoby, theirs]).max() < 2e-6
