"""The reference rules against known answers, so that they may judge the vectorised generator."""

import json
import random
from pathlib import Path

import pytest

from gammon_rl.rules.variants import HYPERGAMMON, STANDARD, TAVLA, VARIANTS, Variant
from tests.positions import KNOWN, Known, from_letters, position
from tests.reference import (
    artificial_positions,
    board_of,
    legal_plays,
    random_positions,
    random_roll,
    result,
    sides,
)

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


def test_the_sides_are_read_in_their_own_numbers() -> None:
    mine, theirs = sides(position("bar 6x2", "bar 24 1x2").tolist())
    assert mine == (6, 6, 25)
    assert theirs == (1, 24, 24, 25)
    assert board_of(mine, theirs) == tuple(position("bar 6x2", "bar 24 1x2").tolist())
    assert board_of(theirs, mine) == tuple(position("bar 24x2 1", "bar 19x2").tolist())


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case.name)
def test_known_plays(case: Known) -> None:
    board = case.board.tolist()
    case.check(legal_plays(board, case.dice, case.rules))
    assert legal_plays(board, case.dice[::-1], case.rules) == legal_plays(board, case.dice, case.rules)


def test_perft() -> None:
    start = STANDARD.start().tolist()
    first = [after for roll in ROLLS for after in legal_plays(start, roll)]
    assert len(first) == 447
    assert sum(len(legal_plays(board, roll)) for board in first for roll in ROLLS) == 202_782


def test_gnu_backgammon_agrees() -> None:
    frozen = json.loads((Path(__file__).parent / "data" / "gnubg_plays.json").read_text())
    assert len(frozen) == 409
    for board, dice, results in frozen:
        assert legal_plays(from_letters(board), dice) == {from_letters(after) for after in results}, (board, dice)


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
def test_checkers_are_neither_made_nor_lost(rules: Variant) -> None:
    rng = random.Random(3)
    for board in random_positions(150, 3, rules) + artificial_positions(150, 3, rules):
        mine, theirs = sides(board)
        dice = random_roll(rng)
        most = 4 if dice[0] == dice[1] else 2
        for after in legal_plays(board, dice, rules):
            their_side, my_side = sides(after)
            assert len(their_side) == len(theirs)
            assert 0 <= len(mine) - len(my_side) <= most
            assert sum(my_side) < sum(mine)
            assert sum(their_side) >= sum(theirs)


def test_tavla_only_takes_plays_away_and_never_all() -> None:
    rng = random.Random(4)
    fewer = 0
    for board in artificial_positions(1500, 4, TAVLA):
        dice = random_roll(rng)
        free, forced = legal_plays(board, dice, STANDARD), legal_plays(board, dice, TAVLA)
        assert forced <= free
        assert bool(forced) == bool(free)
        fewer += forced != free
    assert fewer > 50


@pytest.mark.parametrize(
    ("mine", "theirs", "rules", "points"),
    [
        ("", "24x2 1x12", STANDARD, 1),  # one off
        ("", "bar 24x2 1x11", STANDARD, 1),  # one off, wherever the others stand
        ("", "24x15", STANDARD, 2),
        ("", "7x15", STANDARD, 2),  # their 18 point is outside
        ("", "7x14 6", STANDARD, 3),  # their 19 point is inside
        ("", "bar 24x14", STANDARD, 3),
        ("24x2", "", STANDARD, -1),
        ("18x15", "", STANDARD, -2),
        ("19 1x14", "", STANDARD, -3),
        ("bar 1x14", "", STANDARD, -3),
        ("", "24x2", HYPERGAMMON, 1),
        ("", "24x3", HYPERGAMMON, 2),
        ("", "bar 24x2", HYPERGAMMON, 3),
        ("24x2", "1x2", STANDARD, 0),
    ],
)
def test_results(mine: str, theirs: str, rules: Variant, points: int) -> None:
    assert result(position(mine, theirs).tolist(), rules) == points


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
def test_the_positions_to_try_are_possible_and_repeat(rules: Variant) -> None:
    for make in (random_positions, artificial_positions):
        boards = make(300, 5, rules)
        assert boards == make(300, 5, rules)
        assert boards != make(300, 6, rules)
        assert len(boards) == 300
        for board in boards:
            mine, theirs = sides(board)
            assert 1 <= len(mine) <= rules.checkers
            assert 1 <= len(theirs) <= rules.checkers
            assert board[25] >= 0 >= board[0]
            assert board_of(mine, theirs) == board


def test_the_artificial_positions_are_what_play_seldom_meets() -> None:
    boards = artificial_positions(1200, 5, STANDARD)
    many_on_the_bar = sum(board[25] >= 2 for board in boards)
    all_home = [board for board in boards if max(sides(board)[0]) <= 6]
    with_contact = sum(min(board[:6]) < 0 for board in all_home)
    all_home_but_one = sum(sum(point > 6 for point in sides(board)[0]) == 1 for board in boards)
    assert min(many_on_the_bar, len(all_home), with_contact, all_home_but_one) > 100
