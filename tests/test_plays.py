"""The vectorised plays against the reference rules, GNU Backgammon's frozen answers and known cases.

``GAMMON_RL_TEST_SCALE=100`` compares 20,000 positions met in play and 5,000 artificial ones in every variant; the
default of 1 compares a hundredth of that.
"""

import json
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gammon_rl.errors import GammonError, InvalidPositionError
from gammon_rl.rules.board import results, turn
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import STANDARD, VARIANTS, Boards, Variant
from tests import reference
from tests.positions import KNOWN, Known, from_letters, position

SCALE = float(os.environ.get("GAMMON_RL_TEST_SCALE", "1"))
ROLLS = np.array([(high, low) for high in range(1, 7) for low in range(1, high + 1)])
EVERY_VARIANT = pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)

Dice = NDArray[np.int64]
Afterstates = set[tuple[int, ...]]


def play_sets(boards: Boards, dice: Dice, rules: Variant = STANDARD) -> list[Afterstates]:
    """Return the afterstates of each board as a set, having checked all that is promised of the arrays.

    A board alone, which is done in another way, has to have the same plays in the same order.
    """
    boards = np.asarray(boards)
    parents, afterstates = legal_plays(boards, dice, rules)
    for row, roll in enumerate(np.broadcast_to(dice, (len(boards), 2)) if len(boards) > 1 else ()):
        alone = legal_plays(boards[row : row + 1], roll, rules)
        np.testing.assert_array_equal(alone[1], afterstates[parents == row])
        np.testing.assert_array_equal(alone[0], np.zeros(len(alone[1])))
    assert isinstance(parents, np.ndarray)
    assert isinstance(afterstates, np.ndarray)
    assert parents.ndim == 1
    assert np.issubdtype(parents.dtype, np.integer)
    assert afterstates.dtype == np.int8
    assert afterstates.shape == (len(parents), 26)
    assert (np.diff(parents) >= 0).all()
    assert ((parents >= 0) & (parents < len(boards))).all()
    sets: list[Afterstates] = [set() for _ in boards]
    for parent, afterstate in zip(parents.tolist(), afterstates.tolist(), strict=True):
        sets[parent].add(tuple(afterstate))
    assert sum(map(len, sets)) == len(parents), "a result is listed twice"
    return sets


@cache
def met_in_play(rules: Variant) -> list[reference.Board]:
    return reference.random_positions(round(200 * SCALE), 1, rules)


@cache
def artificial(rules: Variant) -> list[reference.Board]:
    return reference.artificial_positions(round(50 * SCALE), 1, rules)


def mixed(rules: Variant = STANDARD) -> tuple[Boards, Dice]:
    """Return 120 boards of both sorts in mixed order, with rolls of both sorts."""
    boards = reference.random_positions(60, 2, rules) + reference.artificial_positions(60, 2, rules)
    rng = np.random.default_rng(2)
    order = rng.permutation(len(boards))
    return np.array(boards, dtype=np.int8)[order], rng.integers(1, 7, (len(boards), 2))


def compare(boards: list[reference.Board], dice: Dice, rules: Variant) -> None:
    """Assert that every board has the reference's plays; tell the first few that have not."""
    found = play_sets(np.array(boards, dtype=np.int8), dice, rules)
    faults = []
    for board, roll, ours in zip(boards, dice.tolist(), found, strict=True):
        expected = reference.legal_plays(board, roll, rules)
        if ours != expected:
            faults.append(f"{board} {roll}: missing {expected - ours}, illegal {ours - expected}")
    assert not faults, f"{len(faults)} of {len(boards)} differ\n" + "\n".join(faults[:3])


# The same plays as the judges --------------------------------------------------------------------------------


@EVERY_VARIANT
def test_positions_met_in_play(rules: Variant) -> None:
    boards = met_in_play(rules)
    compare(boards, np.random.default_rng(11).integers(1, 7, (len(boards), 2)), rules)


@EVERY_VARIANT
def test_artificial_positions(rules: Variant) -> None:
    boards = artificial(rules)
    compare(boards, np.random.default_rng(12).integers(1, 7, (len(boards), 2)), rules)


@EVERY_VARIANT
def test_all_rolls(rules: Variant) -> None:
    boards = [board for board in met_in_play(rules)[::40] + artificial(rules)[::7] for _ in ROLLS]
    compare(boards, np.tile(ROLLS, (len(boards) // len(ROLLS), 1)), rules)


def test_gnu_backgammon_agrees() -> None:
    frozen = json.loads((Path(__file__).parent / "data" / "gnubg_plays.json").read_text())
    boards = np.array([from_letters(board) for board, _, _ in frozen], dtype=np.int8)
    found = play_sets(boards, np.array([dice for _, dice, _ in frozen]))
    for (board, dice, expected), ours in zip(frozen, found, strict=True):
        assert ours == {from_letters(after) for after in expected}, (board, dice)


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case.name)
def test_known_plays(case: Known) -> None:
    (found,) = play_sets(case.board[None], np.array([case.dice]), case.rules)
    case.check(found)


def test_perft() -> None:
    boards = STANDARD.start()[None]
    counts = []
    for _ in range(2):
        _, boards = legal_plays(np.repeat(boards, len(ROLLS), axis=0), np.tile(ROLLS, (len(boards), 1)))
        counts.append(len(boards))
    assert counts == [447, 202_782]


def test_random_games_are_as_long_and_end_as_published() -> None:
    """95.8 turns a game; 37.7 % single, 36.7 % gammon, 25.6 % backgammon; within five standard errors."""
    rng = np.random.default_rng(95)
    games = 1000
    boards = np.repeat(STANDARD.start()[None], games, axis=0)
    turns, ends = 0, np.zeros(4)
    opening = np.array([roll for roll in ROLLS if roll[0] != roll[1]])
    dice = opening[rng.integers(0, len(opening), games)]
    while len(boards):
        turns += len(boards)
        parents, afterstates = legal_plays(boards, dice)
        following = turn(boards)
        # The play with the highest of independent random keys is a uniform choice for each parent.
        keys = rng.random(len(parents))
        order = np.lexsort((keys, parents))
        following[parents[order]] = afterstates[order]  # the last one written stays
        points = -results(following)
        ends += np.bincount(points, minlength=4)
        boards = following[points == 0]
        dice = rng.integers(1, 7, (len(boards), 2))
    assert ends.sum() - ends[0] == games
    assert abs(turns / games - 95.8) < 6
    assert np.abs(ends[1:] / games - [0.377, 0.367, 0.256]).max() < 0.08


# What the arrays promise -------------------------------------------------------------------------------------


@EVERY_VARIANT
def test_the_order_of_the_dice_does_not_matter(rules: Variant) -> None:
    boards, dice = mixed(rules)
    assert play_sets(boards, dice, rules) == play_sets(boards, dice[:, ::-1], rules)


@EVERY_VARIANT
def test_rows_do_not_affect_each_other(rules: Variant) -> None:
    boards, dice = mixed(rules)
    together = play_sets(boards, dice, rules)
    for rows in (
        np.random.default_rng(3).permutation(len(boards)),
        np.arange(len(boards))[::3],
        np.zeros(5, dtype=int),  # the same board five times
    ):
        assert play_sets(boards[rows], dice[rows], rules) == [together[row] for row in rows]
    for row in range(len(boards)):
        assert play_sets(boards[row : row + 1], dice[row : row + 1], rules) == [together[row]]


def test_one_board_with_every_roll_at_once() -> None:
    board = position("24x2 13x5 8x3 6x5", "1x2 12x5 17x3 19x5")
    together = play_sets(np.repeat(board[None], 36, axis=0), np.indices((6, 6)).reshape(2, 36).T + 1)
    assert sum(map(len, together)) == 2 * 447 - sum(len(together[7 * double]) for double in range(6))


def test_one_roll_serves_all_boards() -> None:
    boards, _ = mixed()
    for roll in ((6, 1), (3, 3)):
        every = np.tile(roll, (len(boards), 1))
        assert play_sets(boards, np.array(roll)) == play_sets(boards, every)
        parents, afterstates = legal_plays(boards, roll)
        assert (parents == legal_plays(boards, every)[0]).all()
        assert (afterstates == legal_plays(boards, every)[1]).all()


@EVERY_VARIANT
@pytest.mark.parametrize("dice", [(2, 1), (6, 3), (4, 4)])
def test_a_board_without_a_checker_of_the_mover_has_no_plays(rules: Variant, dice: tuple[int, int]) -> None:
    empty = position("", "1")
    for boards in (empty[None], np.stack([rules.start(), empty]), np.stack([empty, rules.start()])):
        (found,) = {
            len(one)
            for one, board in zip(play_sets(boards, np.array(dice), rules), boards, strict=True)
            if board.max() <= 0
        }
        assert found == 0


def test_a_dance_gives_no_row() -> None:
    shut_out = position("bar 13", "19x2 20x2 21x2 22x2 23x2 24x2")
    boards = np.stack([shut_out, STANDARD.start(), shut_out])
    parents, _ = legal_plays(boards, (3, 1))
    assert set(parents.tolist()) == {1}
    parents, afterstates = legal_plays(boards[:1], (3, 1))
    assert parents.shape == (0,)
    assert afterstates.shape == (0, 26)


@pytest.mark.parametrize("dice", [np.zeros((0, 2), dtype=np.int64), np.array([3, 1])], ids=["none", "one"])
def test_an_empty_batch_has_no_plays(dice: Dice) -> None:
    assert play_sets(np.zeros((0, 26), dtype=np.int8), dice) == []


@EVERY_VARIANT
def test_checkers_are_neither_made_nor_lost(rules: Variant) -> None:
    boards, dice = mixed(rules)
    parents, afterstates = legal_plays(boards, dice, rules)
    before, after = boards[parents], turn(afterstates)
    mine_off = np.maximum(before, 0).sum(axis=1) - np.maximum(after, 0).sum(axis=1)
    assert (np.minimum(before, 0).sum(axis=1) == np.minimum(after, 0).sum(axis=1)).all()
    assert (mine_off >= 0).all()
    assert (mine_off <= np.where(dice[parents, 0] == dice[parents, 1], 4, 2)).all()
    assert (after[:, 25] >= 0).all()
    assert (after[:, 0] <= 0).all()


def test_the_input_is_left_alone() -> None:
    boards, dice = mixed()
    boards.flags.writeable = dice.flags.writeable = False
    copies = boards.copy(), dice.copy()
    _, afterstates = legal_plays(boards, dice)
    assert (boards == copies[0]).all()
    assert (dice == copies[1]).all()
    afterstates[:] = 0  # a fresh array, the caller's to write in
    assert (boards == copies[0]).all()


def test_views_are_read_as_they_look() -> None:
    boards, dice = mixed()
    spread = np.zeros((2 * len(boards), 52), dtype=np.int8)[::2, ::-2]
    spread[:] = boards
    assert not spread.flags.c_contiguous
    assert play_sets(spread, np.asfortranarray(dice)) == play_sets(boards, dice)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64])
def test_dice_of_any_whole_type(dtype: type[np.integer]) -> None:
    boards, dice = mixed()
    assert play_sets(boards, dice.astype(dtype)) == play_sets(boards, dice)


# What is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "boards",
    [
        np.zeros(26, dtype=np.int8),
        np.zeros((1, 25), dtype=np.int8),
        np.zeros((1, 28), dtype=np.int8),
        np.zeros((26, 1), dtype=np.int8),
        np.zeros((1, 1, 26), dtype=np.int8),
        np.zeros((1, 26), dtype=np.float32),
        np.zeros((1, 26), dtype=np.complex64),
        np.full((1, 26), "a"),
    ],
    ids=lambda boards: f"{boards.shape} {boards.dtype}",
)
def test_boards_that_are_none(boards: Boards) -> None:
    with pytest.raises(InvalidPositionError):
        legal_plays(boards, np.array([3, 1]))


@pytest.mark.parametrize(
    "dice",
    [
        (0, 1),
        (1, 7),
        (-1, 3),
        (257, 1),  # 1 if it were cut to a byte
        (3, 1, 1),
        (3,),
        [(3, 1)] * 3,
        [(3, 1), (6, 0)],
        [(3, 1, 2), (6, 1, 2)],
        (3.0, 1.5),
        "31",
    ],
    ids=str,
)
def test_dice_that_are_none(dice: object) -> None:
    boards = np.stack([STANDARD.start()] * 2)
    with pytest.raises(GammonError):
        legal_plays(boards, np.array(dice))
