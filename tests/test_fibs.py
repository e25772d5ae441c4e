"""FIBS board lines: those that GNU Backgammon 1.07 was seen to send, those of FIBS, and what is no board."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gammon_rl.errors import InvalidNotationError, InvalidPositionError
from gammon_rl.rules.board import turn
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import HYPERGAMMON, STANDARD
from gammon_rl.serve.fibs import FibsBoard
from tests.positions import position

START = STANDARD.start()
BUSY = position("bar 22 13x4 8x3 6x4 5", "bar 2 12x4 17x3 19x4 20x2")
HYPER_START = HYPERGAMMON.start()


def board_line(
    points: NDArray[np.integer[Any]] = START,
    *,
    names: str = "gnubg:root",
    match: str = "0:0:0",
    turn: int = 1,
    dice: str = "0:0",
    their_dice: str = "",
    cube: int = 1,
    may: str = "1:1",
    doubled: int = 0,
    way: str = "1:-1",
    flags: str = "0:1",
) -> str:
    """Return a line; without anything said it is one of GNU Backgammon before a roll of player 1."""
    numbers = ":".join(map(str, points.tolist()))
    return (
        f"board:{names}:{match}:{numbers}:{turn}:{dice}:{their_dice or dice}:{cube}:{may}:{doubled}:{way}"
        f":0:25:0:0:0:0:0:0:{flags}"
    )


def read(line: str, **rules: Any) -> Position:
    return FibsBoard.parse(line).position(**rules)


# What GNU Backgammon sends --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        # player 0 is colour -1, and the first name and score are his
        ({"turn": -1, "dice": "2:1", "match": "5:1:3"}, {"dice": (2, 1), "match_length": 5, "score": (1, 3)}),
        ({"turn": 1, "dice": "6:5", "match": "5:1:3"}, {"dice": (6, 5), "match_length": 5, "score": (3, 1)}),
        # before the roll
        ({"turn": -1, "match": "7:0:4"}, {"match_length": 7, "score": (0, 4)}),
        # a double of player 1, and of player 0: now the first score is that of player 1
        ({"turn": 1, "doubled": 1, "match": "7:4:0"}, {"match_length": 7, "score": (0, 4), "doubled": True}),
        ({"turn": -1, "doubled": 1, "match": "7:4:0"}, {"match_length": 7, "score": (4, 0), "doubled": True}),
        # the first flag of the two is colour 1's
        ({"turn": 1, "cube": 2, "may": "1:0"}, {"cube_value": 2, "cube_owner": "mine"}),
        ({"turn": 1, "cube": 2, "may": "0:1"}, {"cube_value": 2, "cube_owner": "theirs"}),
        ({"turn": -1, "cube": 4, "may": "0:1"}, {"cube_value": 4, "cube_owner": "mine"}),
        # a redouble of player 1 at 2, and of player 0 at 4
        ({"turn": 1, "cube": 2, "may": "1:0", "doubled": 1},
         {"cube_value": 2, "cube_owner": "theirs", "doubled": True}),
        ({"turn": -1, "cube": 4, "may": "0:1", "doubled": 1},
         {"cube_value": 4, "cube_owner": "theirs", "doubled": True}),
        # the Crawford game, the games after it, and two players at match point
        ({"match": "7:6:0", "dice": "1:1", "flags": "0:0"},
         {"match_length": 7, "score": (0, 6), "dice": (1, 1), "crawford": True}),
        ({"match": "7:6:1", "flags": "1:1"}, {"match_length": 7, "score": (1, 6)}),
        ({"match": "7:6:6", "dice": "4:4", "flags": "0:0"}, {"match_length": 7, "score": (6, 6), "dice": (4, 4)}),
        ({"match": "5:3:3", "flags": "0:0"}, {"match_length": 5, "score": (3, 3)}),
        # a session has scores, which say nothing
        ({"match": "0:12:24", "turn": -1}, {}),
        # an automatic double
        ({"cube": 2}, {"cube_value": 2}),
    ],
)  # fmt: skip
def test_gnubg_lines(said: dict[str, Any], expected: dict[str, Any]) -> None:
    assert read(board_line(**said)) == Position(START, **expected)


def test_the_checkers_are_those_of_the_player_who_has_to_act() -> None:
    seen = {
        (on_roll, doubled): read(board_line(BUSY, turn=on_roll, doubled=doubled)).board
        for on_roll in (1, -1)
        for doubled in (0, 1)
    }
    np.testing.assert_array_equal(seen[1, 0], BUSY)
    np.testing.assert_array_equal(seen[-1, 1], BUSY)
    np.testing.assert_array_equal(seen[-1, 0], turn(BUSY))
    np.testing.assert_array_equal(seen[1, 1], turn(BUSY))


def test_a_beaver_is_a_double_by_the_player_who_was_doubled() -> None:
    # player 0 has doubled to 4; player 1 took it and turned it to 8
    seen = FibsBoard.parse(board_line(turn=-1, cube=4, may="1:0", doubled=1, match="0:0:44"))
    assert (seen.beavered, seen.actor) == (True, -1)
    assert seen.position() == Position(START, cube_value=4, cube_owner="theirs")
    assert not FibsBoard.parse(board_line(turn=1, cube=4, may="1:0", doubled=1)).beavered


def test_the_rules_are_handed_in() -> None:
    assert read(board_line(), jacoby=True, beavers=True) == Position(START, jacoby=True, beavers=True)
    assert read(board_line(match="5:0:0"), jacoby=True, beavers=True) == Position(START, match_length=5)
    assert not read(board_line(match="7:6:0", flags="0:0"), crawford_rule=False).crawford
    seen = read(board_line(HYPER_START), rules=HYPERGAMMON)
    assert (seen.rules, seen.board.tolist()) == (HYPERGAMMON, HYPER_START.tolist())


# What FIBS sends ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("colour", [1, -1])
@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("bars_are_counts", [True, False])
def test_every_colour_and_direction(colour: int, direction: int, bars_are_counts: bool) -> None:
    points = colour * BUSY if direction < 0 else colour * BUSY[::-1]
    if bars_are_counts:
        points[[0, 25]] = np.abs(points[[0, 25]])
    mine = board_line(points, turn=colour, dice="3:1", way=f"{colour}:{direction}")
    np.testing.assert_array_equal(read(mine).board, BUSY)
    theirs = board_line(points, turn=-colour, dice="0:0", their_dice="5:2", way=f"{colour}:{direction}")
    assert read(theirs) == Position(turn(BUSY), dice=(5, 2))


def test_unlimited_matches_are_money_and_long_ones_are_cut() -> None:
    assert read(board_line(match="9999:3:8")) == Position(START)
    assert read(board_line(match="64:60:10")) == Position(START, match_length=25, score=(0, 21))


def test_nobody_may_double_while_a_double_is_on_offer() -> None:
    assert read(board_line(turn=-1, may="0:0")) == Position(START, doubled=True)
    redoubled = read(board_line(turn=-1, may="0:0", cube=2, doubled=1))
    assert redoubled == Position(START, cube_value=2, cube_owner="theirs", doubled=True)


def test_names_are_kept() -> None:
    assert FibsBoard.parse(f"  {board_line(names='Ann Lee:名前')}\n").names == ("Ann Lee", "名前")


# What is no board -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "52 fields after colons, got 0"),
        ("board", "52 fields after colons, got 0"),
        ("bored:" + board_line().partition(":")[2], "the word board and 52 fields"),
        (board_line() + ":0", "52 fields after colons, got 53"),
        (board_line(dice="x:1"), "a whole number, got 'x'"),
        (board_line(dice=":"), "a whole number, got ''"),
        (board_line(match="\u0663:0:0"), "a whole number"),  # a 3 of another script
        (board_line(match="3:1e9:0"), "a whole number, got '1e9'"),
        (board_line(match=f"3:{2**70}:0"), "too large"),
        (board_line(turn=0), "the turn of a FIBS board is 1 or -1, got 0; the game is over"),
        (board_line(way="0:-1"), "the colour of a FIBS board is 1 or -1, got 0"),
        (board_line(way="1:7"), "the direction of a FIBS board is 1 or -1, got 7"),
    ],
)
def test_what_is_no_line_is_refused(line: str, message: str) -> None:
    with pytest.raises(InvalidNotationError, match=message):
        FibsBoard.parse(line)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (board_line(START * 2), "checkers"),
        (board_line(START * 0), "neither player has a checker left"),
        (board_line(dice="7:1"), "a die shows 1 to 6"),
        (board_line(dice="3:0"), "a die shows 1 to 6"),
        (board_line(match="5:5:0"), "is no score"),
        (board_line(match="5:-1:0"), "is no score"),
        (board_line(match="-3:0:0"), "a match goes to"),
        (board_line(cube=3, may="1:0"), "power of two"),
        (board_line(cube=0), "power of two"),
        (board_line(match="5:0:0", cube=2), "has an owner"),
        (board_line(START.astype(np.int64) * 2**20), "checkers"),
    ],
)
def test_what_cannot_be_is_refused(line: str, message: str) -> None:
    with pytest.raises(InvalidPositionError, match=message):
        read(line)
