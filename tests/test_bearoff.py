"""The bear-off databases: against the scalar rules, known values, GNU Backgammon's answers, and damage to their files.

``GAMMON_RL_TEST_SCALE=10`` looks at ten times as many boards.
"""

import json
import os
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gammon_rl import cli
from gammon_rl.bots.bench import random_positions
from gammon_rl.errors import DatabaseFileError, InvalidPositionError
from gammon_rl.eval.exactly import WithBearoff, exact_outcomes, with_bearoff
from gammon_rl.eval.network import OUTCOMES, POINTS, certain
from gammon_rl.exact import files, one_sided, two_sided
from gammon_rl.exact.bearoff import BUILT_BY, Bearoff, database_files, load_bearoff
from gammon_rl.exact.files import read_database, write_database
from gammon_rl.exact.homes import all_homes, home_count, home_numbers, my_homes, plays_from, their_homes
from gammon_rl.rules.board import results, turn
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import HYPERGAMMON, LONGGAMMON, STANDARD, TAVLA
from tests import reference
from tests.positions import from_letters, position

HOMES = home_count(15)
SCALE = float(os.environ.get("GAMMON_RL_TEST_SCALE", "1"))

# Rolls out of 36 that bear off the last two checkers, by where they stand; a table that books on the game print.
LAST_ROLLS = {
    (1, 1): 36, (2, 1): 36, (3, 1): 34, (4, 1): 29, (5, 1): 23, (6, 1): 15, (2, 2): 26,
    (3, 2): 25, (4, 2): 23, (5, 2): 19, (6, 2): 13, (3, 3): 17, (4, 3): 17, (5, 3): 14,
    (6, 3): 10, (4, 4): 11, (5, 4): 10, (6, 4): 8, (5, 5): 6, (6, 5): 6, (6, 6): 4,
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        place = tmp_path_factory.mktemp("databases")
        patch.setenv(files.FOLDER_VARIABLE, str(place))
        yield place


@pytest.fixture(scope="module")
def bearoff(folder) -> Bearoff:
    return load_bearoff()


def boards_of(mine, theirs):
    """Return boards by the numbers of both homes."""
    homes = all_homes()
    boards = np.zeros((len(mine), 26), dtype=np.int8)
    boards[:, 1:7] = homes[mine]
    boards[:, 24:18:-1] = -homes[theirs]
    return boards


def random_homes(count, seed, low=1, high=HOMES):
    """Return numbers of homes that are not empty."""
    return np.random.default_rng(seed).integers(low, high, round(count * SCALE))


def after_all_rolls(boards):
    """Return the turn (board times 21 plus roll) each play belongs to, and the afterstates."""
    return legal_plays(np.repeat(boards, len(ROLLS), axis=0), np.tile(ROLLS, (len(boards), 1)))


def mean_of_best(turns, values, count):
    """Return the mean over the rolls of the best play's value, for each of `count` boards."""
    starts = np.searchsorted(turns, np.arange(count * len(ROLLS)))
    return np.maximum.reduceat(values, starts).reshape(count, len(ROLLS)) @ ROLL_CHANCES


# Homes ------------------------------------------------------------------------------------------------------


def test_homes_are_numbered_once_and_fewer_checkers_come_first():
    homes = all_homes()
    assert len(homes) == HOMES == 54_264
    assert (home_numbers(homes) == np.arange(len(homes))).all()
    assert (np.diff(homes.sum(axis=1)) >= 0).all()
    assert (all_homes(6) == homes[: home_count(6)]).all()


def test_homes_are_read_off_a_board_from_either_side():
    board = position("6x3 4 1x2", "24x5 20 19x2")
    assert my_homes(board).tolist() == [2, 0, 0, 1, 0, 3]
    assert their_homes(board).tolist() == [5, 0, 0, 0, 1, 2]
    assert their_homes(turn(board)).tolist() == my_homes(board).tolist()


@pytest.mark.parametrize("rules", [STANDARD, TAVLA], ids=lambda rules: rules.name)
def test_plays_of_homes_are_those_of_the_reference_rules(rules):
    numbers = random_homes(12, seed=3)
    plays = plays_from(all_homes()[numbers], rules)
    found = np.split(plays.homes, plays.starts[1:])
    boards = boards_of(numbers, np.zeros_like(numbers))
    for number, homes in enumerate(found):
        board, dice = boards[number // 21], ROLLS[number % 21]
        expected = {tuple(after) for after in reference.legal_plays(board.tolist(), dice.tolist(), rules)}
        after = boards_of(np.zeros_like(homes), homes)
        assert {tuple(one) for one in after.tolist()} == expected


# Values against an independent computation ------------------------------------------------------------------


@cache
def reference_plays(counts):
    """Return for each roll the homes after it, by the scalar rules."""
    board = [0, *counts, *[0] * 19]
    return [
        [tuple(-after[24 - k] for k in range(6)) for after in reference.legal_plays(board, tuple(dice))]
        for dice in ROLLS.tolist()
    ]


@cache
def reference_values(mine, theirs):
    """Return cubeless, owner's, centred and opponent's equity, by recursion over single positions."""
    if not any(theirs):
        return (-1.0,) * 4
    means = [0.0] * 4
    for chance, plays in zip(ROLL_CHANCES.tolist(), reference_plays(mine), strict=True):
        after = [(1.0,) * 4 if not any(play) else tuple(-v for v in reference_values(theirs, play)) for play in plays]
        means = [mean + chance * max(one[k] for one in after) for k, mean in zip((0, 3, 2, 1), means, strict=True)]
    cubeless, mine_nd, centre_nd, opponents = means
    double = min(2 * opponents, 1)
    return cubeless, max(mine_nd, double), max(centre_nd, double), opponents


def test_equities_of_few_checkers_are_those_of_plain_recursion(bearoff):
    small = home_count(2)
    pairs = [(mine, theirs) for mine in range(1, small) for theirs in range(1, small)]
    mine, theirs = np.array(pairs).T
    homes = [tuple(home) for home in all_homes(2).tolist()]
    expected = [reference_values(homes[a], homes[b]) for a, b in pairs]
    np.testing.assert_allclose(bearoff.money_equities(boards_of(mine, theirs)), expected, atol=1e-7)


def test_distributions_of_few_checkers_are_those_of_plain_recursion(bearoff):
    @cache
    def chances(home):
        if not any(home):
            return 1.0, *[1.0] * 7
        best = [min(map(chances, plays), key=lambda one: 8 - sum(one)) for plays in reference_plays(home)]
        return 0.0, *(ROLL_CHANCES @ np.array(best))[:-1].tolist()

    homes = [tuple(home) for home in all_homes(3).tolist()]
    expected = np.array([chances(home) for home in homes])
    stored = bearoff.all_off[: len(homes), :8] / one_sided.STEPS
    assert np.abs(stored - expected).max() <= 0.5 / one_sided.STEPS + 1e-12


@pytest.mark.parametrize("seed", [1, 2])
def test_every_equity_is_the_mean_of_what_comes_next(bearoff, seed):
    most = home_count(6)
    boards = boards_of(random_homes(300, seed, high=most), random_homes(300, seed + 10, high=most))
    turns, after = after_all_rolls(boards)
    cubeless, owned, centred, opponents = np.negative(bearoff.money_equities(after), dtype=np.float64).T
    ours = bearoff.money_equities(boards)
    np.testing.assert_allclose(ours[:, 0], mean_of_best(turns, cubeless, len(boards)), atol=3e-7)
    np.testing.assert_allclose(ours[:, 3], mean_of_best(turns, owned, len(boards)), atol=3e-7)
    for column, owner, next_values in ((1, "mine", opponents), (2, "centre", centred)):
        nd, dt = bearoff.money_cube(boards, owner)
        np.testing.assert_allclose(nd, mean_of_best(turns, next_values, len(boards)), atol=3e-7)
        np.testing.assert_allclose(dt, 2 * ours[:, 3])
        np.testing.assert_array_equal(ours[:, column], np.maximum(nd, np.minimum(dt, 1)))
    assert (bearoff.money_cube(boards, "theirs")[0] == ours[:, 3]).all()
    with pytest.raises(InvalidPositionError, match="owner is one of mine, centre, theirs, got 'nobody'"):
        bearoff.money_cube(boards, "nobody")


def test_nobody_doubles_rightly_while_the_other_side_is_ahead(bearoff):
    values = bearoff.pairs[1:, 1:]
    taken = 2 * values[..., two_sided.THEIRS]
    no_double = values[..., [two_sided.MINE_ND, two_sided.CENTRE_ND]].min(axis=-1)
    assert not ((taken < -1e-6) & (taken >= no_double)).any()


def test_mean_rolls_are_one_more_than_after_the_best_play(bearoff):
    boards = boards_of(random_homes(200, 5), random_homes(200, 6))
    turns, after = after_all_rolls(boards)
    expected = 1 - mean_of_best(turns, -bearoff.mean_rolls(after)[:, 1], len(boards))
    np.testing.assert_allclose(bearoff.mean_rolls(boards)[:, 0], expected, atol=2e-4)


def test_the_first_checker_is_off_no_later_than_the_last(bearoff):
    # played for different goals, so this is not clear by itself; it keeps gammons below losses
    rolls = bearoff.first_off.shape[1]
    assert (bearoff.first_off >= bearoff.all_off[:, :rolls]).all()


def test_distributions_never_fall_and_end_at_one(bearoff):
    for stored in (bearoff.all_off, bearoff.first_off):
        assert (np.diff(stored.astype(int), axis=1) >= 0).all()
        assert (stored[:, -1] == one_sided.STEPS).all()
        assert (stored[1:, 0] == 0).all()
        assert (stored[0] == one_sided.STEPS).all()


def test_chances_by_distributions_are_sums_over_both_lengths(bearoff):
    mine, theirs = random_homes(200, 7, low=home_count(6)), random_homes(200, 8)
    lengths = np.diff(bearoff.all_off / one_sided.STEPS, axis=1, prepend=0)
    joint = lengths[mine][:, :, None] * lengths[theirs][:, None, :]  # my rolls, their rolls; I roll first
    expected = np.tril(joint.transpose(0, 2, 1)).sum(axis=(1, 2))
    np.testing.assert_allclose(bearoff.race_probs(boards_of(mine, theirs))[:, 0], expected, atol=1e-6)


def test_one_sided_chances_are_near_the_exact_ones(bearoff):
    small = home_count(6)
    mine, theirs = random_homes(20_000, 9, high=small), random_homes(20_000, 10, high=small)
    lengths = np.diff(bearoff.all_off / one_sided.STEPS, axis=1, prepend=0)
    done_before = np.pad(np.cumsum(lengths[theirs], axis=1)[:, :-1], ((0, 0), (1, 0)))
    apart = np.einsum("nr,nr->n", lengths[mine], 1 - done_before)
    error = np.abs(apart - bearoff.race_probs(boards_of(mine, theirs))[:, 0])
    assert error.mean() < 0.001
    assert error.max() < 0.015


# Known values -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("points", "rolls"), LAST_ROLLS.items(), ids=str)
def test_two_checkers_on_the_last_roll(bearoff, points, rolls):
    mine = f"{points[0]} {points[1]}" if points[0] != points[1] else f"{points[0]}x2"
    board = position(mine, "24")  # the opponent bears off the next time
    win = rolls / 36
    assert bearoff.race_probs(board)[0] == pytest.approx(win, abs=1e-7)
    nd, dt = (float(one) for one in bearoff.money_cube(board, "mine"))
    assert nd == pytest.approx(2 * win - 1, abs=1e-7)
    assert dt == pytest.approx(4 * win - 2, abs=1e-7)
    equities = bearoff.money_equities(board)
    best = max(nd, min(dt, 1))  # double from a half up, take up to three quarters
    assert equities.tolist() == pytest.approx([nd, best, best, nd], abs=1e-7)


def test_a_double_is_taken_with_a_quarter(bearoff):
    nd, dt = bearoff.money_cube(position("6", "24"), "centre")  # 27 rolls of 36
    assert (float(nd), float(dt)) == (0.5, 1)


@pytest.mark.parametrize("rolls", [1, 2, 3])
def test_rolls_against_rolls(bearoff, rolls):
    @cache
    def win(mine, theirs):  # in pairs of checkers on the ace point
        if mine <= 0:
            return 1
        return 1 - (5 * win(theirs, mine - 1) + win(theirs, mine - 2)) / 6 if theirs > 0 else 0

    board = position(f"1x{2 * rolls}", f"24x{2 * rolls}")
    assert bearoff.race_probs(board)[0] == pytest.approx(win(rolls, rolls), abs=1e-6)
    assert round(float(bearoff.race_probs(board)[0]), 3) == {1: 1, 2: 0.861, 3: 0.788}[rolls]


@pytest.mark.parametrize("rolls", range(3, 8))
def test_rolls_on_the_ace_point_waste_as_published(bearoff, rolls):
    """Walter Trice's rule: so many rolls of two checkers each are worth 7 pips a roll and 1 more."""
    pips = bearoff.mean_rolls(position(f"1x{2 * rolls}", "24"))[0] * 49 / 6
    assert pips == pytest.approx(7 * rolls + 1, abs=0.2)


def test_gammon_chances_worked_out_by_hand(bearoff):
    # Whoever has 15 on the 6 point saves the gammon with any 6, 5-1, 4-2, 3-3 and 2-2: 17 of 36.
    stack = position("6x15", "24x2")
    assert bearoff.race_probs(stack).tolist() == pytest.approx([0, 0, 0, 19 / 36, 0], abs=one_sided.ERROR)
    theirs = position("1x4", "19x15")  # off at once with a double, else the next time
    assert bearoff.race_probs(theirs)[1] == pytest.approx(1 / 6 + 5 / 6 * 19 / 36, abs=one_sided.ERROR)
    one_off = position("1x4", "19x14")
    assert bearoff.race_probs(one_off)[1] == 0


def test_a_finished_game_has_its_result(bearoff):
    finished = np.array([position("6x14", ""), position("6x15", ""), position("", "19x15"), position("", "24x2")])
    known, outcomes = exact_outcomes(bearoff, finished)
    assert known.all()
    assert (outcomes == certain(results(finished))).all()


# GNU Backgammon ---------------------------------------------------------------------------------------------


def test_gnu_backgammon_agrees(bearoff):
    frozen = json.loads((Path(__file__).parent / "data" / "gnubg_bearoff.json").read_text())
    boards = np.array([from_letters(row[0]) for row in frozen["two_sided"]], dtype=np.int8)
    np.testing.assert_allclose(bearoff.race_probs(boards)[:, 0], [row[1] for row in frozen["two_sided"]], atol=7e-5)
    for owner, column in (("mine", 2), ("centre", 6)):
        nd, dt, double, take = zip(*(row[column : column + 4] for row in frozen["two_sided"]), strict=True)
        ours, taken = bearoff.money_cube(boards, owner)
        np.testing.assert_allclose(ours, nd, atol=2.5e-4)
        np.testing.assert_allclose(taken, dt, atol=2.5e-4)
        assert (np.minimum(taken, 1) >= ours).tolist() == list(double)
        assert (taken <= 1).tolist() == list(take)
    boards = np.array([from_letters(row[0]) for row in frozen["one_sided"]], dtype=np.int8)
    np.testing.assert_allclose(bearoff.race_probs(boards), [row[1:] for row in frozen["one_sided"]], atol=1e-4)


# What it knows ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "theirs", "known", "cube"),
    [
        ("6x15", "19x15", True, False),
        ("6x6", "19x6", True, True),
        ("6x6", "19x7", True, False),
        ("6x7", "19x6", True, False),
        ("1", "", True, True),
        ("7", "19x3", False, False),
        ("6", "18x3", False, False),
        ("24 6", "19x3", False, False),
        ("6", "19x3 1", False, False),
        ("bar 6", "19x3", False, False),
        ("6", "bar 19x3", False, False),
        ("6x10 5x6", "19x3", False, False),
    ],
)
def test_what_it_knows(bearoff, mine, theirs, known, cube):
    board = position(mine, theirs)
    assert bool(bearoff.knows(board)) == known
    assert bool(bearoff.knows_cube(board)) == cube
    with_more = board[None, None]
    assert bearoff.knows(with_more).shape == (1, 1)
    if known:
        assert bearoff.race_probs(with_more).shape == (1, 1, 5)
        assert bearoff.race_probs(with_more).dtype == np.float32
    else:
        with pytest.raises(InvalidPositionError, match="not in the bear-off database"):
            bearoff.race_probs(board)
    if cube:
        assert bearoff.money_equities(with_more).shape == (1, 1, 4)
    else:
        with pytest.raises(InvalidPositionError, match="not in the bear-off database"):
            bearoff.money_equities(board)


def test_no_boards_are_no_trouble(bearoff):
    none = np.empty((0, 26), dtype=np.int8)
    assert bearoff.knows(none).shape == (0,)
    assert bearoff.race_probs(none).shape == (0, 5)
    assert bearoff.money_equities(none).shape == (0, 4)


def test_chances_are_nested(bearoff):
    probs = bearoff.race_probs(boards_of(random_homes(20_000, 11), random_homes(20_000, 12)))
    assert ((probs >= 0) & (probs <= 1)).all()
    assert (probs[:, 1] <= probs[:, 0]).all()
    assert (probs[:, 3] <= 1 - probs[:, 0]).all()
    assert (probs[:, [2, 4]] == 0).all()


class Everything:
    """An evaluator that answers the number of checkers, and remembers what it was asked."""

    rules = STANDARD

    def __init__(self):
        self.asked = 0

    def outcomes(self, boards):
        self.asked += boards[..., 0].size
        return np.repeat(np.abs(boards).sum(axis=-1, dtype=np.float32)[..., None], 6, axis=-1)


def test_an_evaluator_is_asked_only_where_the_databases_do_not_know(bearoff):
    other = Everything()
    evaluator = WithBearoff(other, bearoff)
    assert evaluator.rules is STANDARD
    contact = random_positions(200, seed=4)[0]
    contact = contact[~bearoff.knows(contact)]
    races = boards_of(random_homes(300, 13), random_homes(300, 14))
    mixed = np.concatenate([contact, races])[np.random.default_rng(1).permutation(len(contact) + len(races))]
    known = bearoff.knows(mixed)
    outcomes = evaluator.outcomes(mixed)
    assert other.asked == len(contact)
    assert outcomes.shape == (len(mixed), len(OUTCOMES))
    assert outcomes.dtype == np.float32
    np.testing.assert_allclose(outcomes[known].sum(axis=1), 1, atol=1e-6)
    probs = bearoff.race_probs(mixed[known])
    np.testing.assert_allclose(outcomes[known] @ POINTS, 2 * probs[:, 0] - 1 + probs[:, 1] - probs[:, 3], atol=1e-6)
    assert (outcomes[~known] == Everything().outcomes(mixed[~known])).all()
    one_by_one = np.concatenate([evaluator.outcomes(board[None]) for board in mixed[:50]])
    np.testing.assert_array_equal(one_by_one, outcomes[:50])
    np.testing.assert_array_equal(evaluator.outcomes(mixed[:50].reshape(5, 10, 26)).reshape(50, 6), outcomes[:50])
    assert evaluator.outcomes(mixed[0]).shape == (6,)


def test_forced_bearoffs_make_a_difference(bearoff):
    few, size = home_count(3), home_count(4)
    tavla = two_sided.solve_two_sided(TAVLA, checkers=4)
    assert (bearoff.pairs[:few, :few] == tavla[:few, :few]).all()  # so few are best borne off anyway
    differ = np.abs(bearoff.pairs[:size, :size] - tavla)[..., two_sided.CUBELESS] > 1e-4
    assert 0 < differ.mean() < 0.2


# Files ------------------------------------------------------------------------------------------------------


def test_built_once_and_found_again(folder, bearoff, monkeypatch):
    assert {file.path.parent for file in database_files(STANDARD)} == {folder}
    assert database_files(LONGGAMMON)[0].path == database_files(STANDARD)[0].path
    assert database_files(TAVLA)[0].path != database_files(STANDARD)[0].path
    monkeypatch.setattr(one_sided, "solve_one_sided", None)
    monkeypatch.setattr(two_sided, "solve_two_sided", None)
    assert load_bearoff() is bearoff
    assert with_bearoff(Everything()).bearoff is bearoff
    assert load_bearoff(LONGGAMMON).pairs.shape == bearoff.pairs.shape


def test_what_cannot_be_had_is_refused(tmp_path, monkeypatch):
    with pytest.raises(DatabaseFileError, match="no bear-off database for hypergammon"):
        load_bearoff(HYPERGAMMON)
    monkeypatch.setenv(files.FOLDER_VARIABLE, str(tmp_path / "empty"))
    with pytest.raises(DatabaseFileError, match=f"no such database; {BUILT_BY} builds it"):
        load_bearoff(build=False)
    assert not (tmp_path / "empty").exists()


def test_the_folder_is_the_users(monkeypatch, tmp_path):
    monkeypatch.delenv(files.FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert files.data_folder() == tmp_path / "gammon-rl"
    monkeypatch.setenv(files.FOLDER_VARIABLE, str(tmp_path / "mine"))
    assert files.database_path("x") == tmp_path / "mine" / "x.db"


ARRAYS = {"numbers": np.arange(10, dtype=np.int16), "table": np.ones((3, 5)), "none": np.empty((0, 3), dtype="f4")}


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "new" / "x.db"
    write_database(path, "test", 1, ARRAYS, {"seed": 7})
    return path


def opened(path, kind="test", version=1, check=True):
    return read_database(path, kind, version, built_by="make x", check=check)


def test_a_database_is_read_as_it_was_written(written):
    database = opened(written)
    assert database.about == {"seed": 7}
    assert list(database.arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        found = database.arrays[name]
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)
        assert found.ctypes.data % 64 == 0 or not found.size
        assert not found.flags.writeable or not found.size
    content = written.read_bytes()
    big_endian = {
        name: np.asfortranarray(array.astype(array.dtype.newbyteorder(">"))) for name, array in ARRAYS.items()
    }
    write_database(written, "test", 1, big_endian, {"seed": 7})
    assert written.read_bytes() == content
    assert [path.name for path in written.parent.iterdir()] == ["x.db"]


def test_every_changed_byte_is_noticed(written):
    content = written.read_bytes()
    used = sorted({0, 5, 9, 13, *range(16, len(content), 37), len(content) - 1})
    for at in used:
        changed = bytearray(content)
        changed[at] ^= 0x20
        written.write_bytes(changed)
        with pytest.raises(DatabaseFileError, match=r"x\.db: (damaged|not a database)"):
            opened(written)


@pytest.mark.parametrize("length", [0, 7, 15, 16, 100, -64, -1])
def test_a_file_cut_off_is_noticed_without_reading_it_all(written, length):
    written.write_bytes(written.read_bytes()[:length])
    with pytest.raises(DatabaseFileError, match=r"x\.db: (damaged|not a database)"):
        opened(written, check=False)


def test_something_else_is_refused(written, tmp_path):
    for kind, version, said in (("other", 1, "kind 'test', expected 'other'"), ("test", 2, "version 1, expected 2")):
        with pytest.raises(DatabaseFileError, match=said):
            opened(written, kind, version)
    with pytest.raises(DatabaseFileError, match="no such database; make x builds it"):
        opened(tmp_path / "missing.db")
    with pytest.raises(DatabaseFileError, match="cannot be read"):
        opened(tmp_path)


def test_a_write_that_fails_leaves_the_old_file(written, monkeypatch):
    content = written.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(DatabaseFileError, match=r"cannot be written \(disk full\); GAMMON_RL_DATA names another"):
        write_database(written, "test", 1, {"table": np.zeros(3)})
    assert written.read_bytes() == content
    assert [path.name for path in written.parent.iterdir()] == ["x.db"]


def test_a_folder_that_cannot_be_made_is_said(written):
    with pytest.raises(DatabaseFileError, match="cannot be written"):
        write_database(written / "y.db", "test", 1, ARRAYS)


# The command ------------------------------------------------------------------------------------------------


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["gammon-rl", "bearoff", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    shown = capsys.readouterr()
    return ended.value.code, shown.out, shown.err


def test_the_command_checks_what_is_there(folder, bearoff, monkeypatch, capsys):
    code, out, _ = run(monkeypatch, capsys)
    assert code == 0
    assert out.count("was there, checksum right") == 2
    assert str(folder) in out


def test_the_command_builds_what_is_missing_and_refuses_what_is_damaged(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(files.FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr(one_sided, "solve_one_sided", lambda rules, told: told(54_264) or {"all_off": np.arange(3)})
    monkeypatch.setattr(two_sided, "solve_two_sided", lambda rules, told: np.arange(4))
    code, out, err = run(monkeypatch, capsys)
    assert code == 0
    assert out.count("checksum right") == 2
    assert "Building bear-off, one side: 2.8 MB, about 4 seconds" in err
    (file, _) = database_files(STANDARD)
    file.path.write_bytes(file.path.read_bytes()[:-1])
    code, _, err = run(monkeypatch, capsys)
    assert code == 2
    assert "damaged" in err
    assert "bearoff --rebuild" in err
    assert run(monkeypatch, capsys, "--rebuild")[0] == 0
    assert run(monkeypatch, capsys, "--variant", "hypergammon")[0] == 2
