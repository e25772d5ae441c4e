"""Positions: what is refused, the texts they are read from, and the other player's side."""

import copy
import pickle
import re
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from gammon_rl.errors import InvalidNotationError, InvalidPositionError
from gammon_rl.rules.board import checked_board, turn
from gammon_rl.rules.ids import LARGEST_CUBE, Situation, match_id
from gammon_rl.rules.position import LONGEST_MATCH, Position
from gammon_rl.rules.variants import HYPERGAMMON, STANDARD, TAVLA, VARIANTS, Boards, Variant
from tests.positions import position
from tests.test_ids import boards, situations

START = STANDARD.start()


@st.composite
def positions(draw: st.DrawFn) -> Position:
    return Position(draw(boards()), **draw(situations())._asdict())


# What is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"match_length": -1}, "a match goes to 1 to 25 points (0 is money play), got -1"),
        ({"match_length": 26}, "a match goes to 1 to 25 points (0 is money play), got 26"),
        ({"match_length": 5.0}, "the match length must be a whole number, got 5.0"),
        ({"match_length": 5, "score": (5, 0)}, "5 to 0 is no score during a match to 5"),
        ({"match_length": 5, "score": (0, 7)}, "0 to 7 is no score during a match to 5"),
        ({"match_length": 5, "score": (-1, 0)}, "-1 to 0 is no score during a match to 5"),
        ({"score": (1, 0)}, "money play has no score, got 1 to 0"),
        ({"match_length": 5, "score": 3}, "the score must be two whole numbers, got 3"),
        ({"match_length": 5, "score": (1, 2, 3)}, "the score must be two whole numbers"),
        ({"match_length": 5, "score": (1.5, 2)}, "the score must be two whole numbers"),
        ({"dice": (0, 1)}, "a die shows 1 to 6, got 0 and 1"),
        ({"dice": (3, 7)}, "a die shows 1 to 6, got 3 and 7"),
        ({"dice": (3,)}, "the dice must be two whole numbers, got (3,)"),
        ({"dice": "31"}, "the dice must be two whole numbers, got '31'"),
        ({"cube_value": 0}, "a cube is a power of two up to 32768, got 0"),
        ({"cube_value": -2}, "a cube is a power of two"),
        ({"cube_value": 3, "cube_owner": "mine"}, "a cube is a power of two up to 32768, got 3"),
        ({"cube_value": 65536, "cube_owner": "mine"}, "a cube is a power of two up to 32768, got 65536"),
        ({"cube_value": 2.0, "cube_owner": "mine"}, "the cube value must be a whole number, got 2.0"),
        ({"cube_value": 2, "cube_owner": "white"}, "owner is one of centre, mine, theirs, got 'white'"),
        ({"cube_value": 2, "cube_owner": None}, "owner is one of centre, mine, theirs, got None"),
        ({"cube_owner": "mine"}, "a cube at 1 is in the centre"),
        ({"cube_owner": "theirs"}, "a cube at 1 is in the centre"),
        ({"match_length": 5, "cube_value": 2}, "in a match a cube at 2 has an owner"),
        ({"crawford": True}, "in the Crawford game just one player is one point from winning"),
        ({"match_length": 5, "crawford": True}, "in the Crawford game just one player"),
        ({"match_length": 5, "score": (3, 2), "crawford": True}, "in the Crawford game just one player"),
        ({"match_length": 5, "score": (4, 4), "crawford": True}, "in the Crawford game just one player"),
        ({"match_length": 1, "crawford": True}, "in the Crawford game just one player"),
        (
            {"match_length": 5, "score": (4, 2), "crawford": True, "cube_value": 2, "cube_owner": "theirs"},
            "there is no doubling in the Crawford game",
        ),
        ({"match_length": 5, "score": (2, 4), "crawford": True, "doubled": True}, "nobody can have doubled"),
        ({"doubled": True, "cube_value": 2, "cube_owner": "mine"}, "the opponent cannot have doubled with my cube"),
        ({"doubled": True, "dice": (3, 1)}, "a double comes before the roll, so there are no dice"),
        (
            {"doubled": True, "cube_value": LARGEST_CUBE, "cube_owner": "theirs"},
            "a cube to be doubled is a power of two up to 16384",
        ),
        ({"rules": HYPERGAMMON}, "hypergammon is played with 3"),
        ({"rules": "tavla"}, "rules are a Variant, such as gammon_rl.TAVLA, got 'tavla'"),
    ],
)
def test_what_cannot_occur_is_refused(said: dict[str, Any], fault: str) -> None:
    with pytest.raises(InvalidPositionError, match=re.escape(fault)):
        Position(START, **said)


def test_every_fault_is_named() -> None:
    with pytest.raises(InvalidPositionError) as refusal:
        Position(START, match_length=3, score=(3, 0), cube_value=6, cube_owner="mine", dice=(9, 1))
    for fault in ("3 to 0 is no score", "power of two up to 32768, got 6", "a die shows 1 to 6, got 9 and 1"):
        assert fault in str(refusal.value)


@pytest.mark.parametrize(
    ("board", "fault"),
    [
        (np.zeros(26, dtype=np.int8), "neither player has a checker left"),
        (position("6x16", "24x2"), "has 16 checkers"),
        (-position("bar", "bar 24"), "the bar of the player on roll and holds opposing checkers"),
        ([0] * 25, "a board is 26 whole numbers"),
        (np.zeros((2, 26)), "a board is 26 whole numbers"),
    ],
)
def test_impossible_boards_are_refused(board: Boards, fault: str) -> None:
    with pytest.raises(InvalidPositionError, match=fault):
        Position(board)
    with pytest.raises(InvalidPositionError, match=fault):
        Position.parse(board)


@pytest.mark.parametrize(
    "said",
    [
        {"match_length": LONGEST_MATCH, "score": (24, 0), "crawford": True},
        {"match_length": 2, "score": (0, 1), "crawford": True},
        {"match_length": 5, "score": (4, 4)},
        {"match_length": 1},
        {"cube_value": 64, "cube_owner": "mine"},
        {"cube_value": LARGEST_CUBE, "cube_owner": "theirs"},
        {"cube_value": 4},  # automatic doubles
        {"doubled": True},
        {"doubled": True, "cube_value": 2, "cube_owner": "theirs"},
        {"match_length": 5, "jacoby": True, "beavers": True},
        {"rules": TAVLA, "dice": (6, 6)},
    ],
)
def test_what_can_occur_is_accepted(said: dict[str, Any]) -> None:
    position = Position(START, **said)
    for name, value in said.items():
        assert getattr(position, name) == value


# A value ----------------------------------------------------------------------------------------------------


def test_a_position_is_a_value() -> None:
    one = Position(START, dice=(3, 1), match_length=5, score=(1, 2))
    arrays: dict[str, Any] = {"dice": [np.int64(3), np.int64(1)], "match_length": np.int8(5), "score": np.array([1, 2])}
    same = Position.parse(START.tolist())
    same = replace(same, **arrays)
    assert one == same
    assert hash(one) == hash(same)
    assert {one: "found"}[same] == "found"
    assert type(same.match_length) is int
    assert same.dice == (3, 1)
    assert type(same.dice[0]) is int
    for other in (
        Position(position("24x2 13x5 8x3 6x4 5", "1x2 12x5 17x3 19x5"), dice=(3, 1), match_length=5, score=(1, 2)),
        replace(one, dice=None),
        replace(one, score=(2, 1)),
        replace(one, rules=TAVLA),
        replace(one, jacoby=True),
    ):
        assert one != other
    assert one != one.xgid


@settings(deadline=None)
@given(positions())
def test_everything_counts_in_a_comparison(position: Position) -> None:
    assert copy.deepcopy(position) == position
    assert pickle.loads(pickle.dumps(position)) == position
    assert replace(position, beavers=not position.beavers) != position
    assert hash(replace(position)) == hash(position)


def test_the_crawford_game_is_another_position() -> None:
    crawford = Position(START, match_length=5, score=(4, 2), crawford=True)
    after = replace(crawford, crawford=False)
    assert crawford != after
    assert len({crawford, after}) == 2


def test_a_position_cannot_be_changed() -> None:
    board = START.copy()
    made = Position(board)
    board[6] = 0
    assert made.board[6] == 5
    assert made.board.dtype == np.int8
    with pytest.raises(ValueError, match="read-only"):
        made.board[6] = 0
    with pytest.raises(FrozenInstanceError):
        made.jacoby = True  # type: ignore[misc]


def test_a_position_shows_what_it_is() -> None:
    assert repr(Position.start(TAVLA)) == "Position('XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10', tavla)"


# Texts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "start",
        " Start\n",
        "4HPwATDgc/ABMA",
        "4HPwATDgc/ABMA:cAkAAAAAAAAE",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
        "-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
        "xgid=-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:0:6",
        START,
        START.tolist(),
        tuple(START.astype(np.int64)),
    ],
    ids=lambda source: source if isinstance(source, str) else type(source).__name__,
)
def test_the_start_in_every_form(source: str | Boards) -> None:
    assert Position.parse(source) == Position.start() == Position(START)


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
def test_the_start_of_every_variant(rules: Variant) -> None:
    start = Position.start(rules)
    assert (start.board == rules.start()).all()
    assert start.rules == rules
    for text in ("start", start.xgid, start.gnubg_id, start.position_id):
        assert Position.parse(text, rules) == start


def test_the_ids_of_the_start() -> None:
    start = Position.start()
    assert start.position_id == "4HPwATDgc/ABMA"
    assert start.match_id == "cAkAAAAAAAAE"
    assert start.gnubg_id == "4HPwATDgc/ABMA:cAkAAAAAAAAE"
    assert start.xgid == "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"


@settings(deadline=None)
@given(positions())
def test_positions_are_read_back_from_their_texts(position: Position) -> None:
    assert Position.parse(position.xgid) == position
    assert Position.parse(f"{position.gnubg_id}") == replace(position, beavers=False)
    assert position.gnubg_id == f"{position.position_id}:{position.match_id}"
    assert (Position.parse(position.board).board == position.board).all()


def test_a_double_on_offer_is_in_the_ids() -> None:
    board = position("24 13x5 8x3 6x5", "1x2 12x5 17x3 19x4")
    offered = Position(board, doubled=True, cube_value=2, cube_owner="theirs", match_length=7, score=(1, 3))
    assert offered.xgid.split(":")[1:7] == ["1", "-1", "-1", "D", "1", "3"]
    assert offered.position_id == Position(turn(board)).position_id
    assert Position.parse(offered.xgid) == Position.parse(offered.gnubg_id) == offered


def test_options_without_effect_are_kept_but_not_written() -> None:
    position = Position(START, match_length=5, jacoby=True, beavers=True)
    plain = replace(position, jacoby=False, beavers=False)
    assert position.xgid == plain.xgid
    assert position.match_id == plain.match_id


@pytest.mark.parametrize(
    ("text", "error", "fault"),
    [
        ("", InvalidNotationError, "not a position: ''; expected an XGID, a position ID of 14 characters"),
        ("begin", InvalidNotationError, "not a position: 'begin'"),
        ("4HPwATDgc/ABM", InvalidNotationError, "not a position"),
        ("cAkAAAAAAAAE", InvalidNotationError, "not a position"),
        ("4HPwATDgc/ABM?", InvalidNotationError, "a position ID is made of"),
        ("4HPwATDgc/ABMA:cAkAAAAAAAA", InvalidNotationError, "a match ID has 12 characters"),
        ("-b----E-C---eE---c-e----B-", InvalidNotationError, "not a position"),
        ("XGID=-b----E-C---eE---c-e----B-", InvalidNotationError, "an XGID has 10 fields"),
        (
            f"4HPwATDgc/ABMA:{match_id(Situation(match_length=26))}",
            InvalidPositionError,
            "a match goes to 1 to 25 points",
        ),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:26:10", InvalidPositionError, "goes to 1 to 25 points"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:7:0:0:7:10", InvalidPositionError, "7 to 0 is no score"),
        ("XGID=-b----E-C---eE---c-e----B-:0:1:1:00:0:0:0:7:10", InvalidPositionError, "a cube at 1 is in the"),
        ("XGID=-b----E-C---eE---c-e----B-:1:1:1:00:6:0:1:7:10", InvalidPositionError, "no doubling in the Craw"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:0:1:7:10", InvalidPositionError, "the Crawford game just one"),
        ("XGID=-b----E-C---eE---c-e----B-:1:-1:1:D:0:0:0:0:10", InvalidPositionError, "cannot have doubled"),
        ("XGID=-b----E-C---eE---c-e----B-:15:1:1:D:0:0:0:0:10", InvalidPositionError, "a cube to be doubled"),
    ],
)
def test_texts_that_say_no_position_are_refused(text: str, error: type[Exception], fault: str) -> None:
    with pytest.raises(error, match=re.escape(fault)):
        Position.parse(text)


# The other side ---------------------------------------------------------------------------------------------


def test_the_other_side() -> None:
    mine = Position(
        position("bar 6x3 5", "20x2 12"), dice=(3, 1), cube_value=2, cube_owner="mine", match_length=5, score=(1, 3)
    )
    other = mine.turned()
    assert (other.board == position("5x2 13", "bar 19x3 20")).all()
    assert other == Position(other.board, cube_value=2, cube_owner="theirs", match_length=5, score=(3, 1))
    assert other.pips == mine.pips[::-1] == (23, 48)


@settings(deadline=None)
@given(positions())
def test_turning_twice_leaves_all_but_the_roll_and_the_double(position: Position) -> None:
    assert position.turned().turned() == replace(position, dice=None, doubled=False)
    assert position.turned().situation == Situation(
        cube_value=position.cube_value,
        cube_owner={"centre": "centre", "mine": "theirs", "theirs": "mine"}[position.cube_owner],  # type: ignore[arg-type]
        match_length=position.match_length,
        score=position.score[::-1],
        crawford=position.crawford,
        jacoby=position.jacoby,
        beavers=position.beavers,
    )


def test_pips() -> None:
    assert Position.start().pips == (167, 167)
    assert Position(position("bar 24 1", "bar 23 2")).pips == (50, 50)


@pytest.mark.parametrize(
    "counts",
    [
        np.array([-15, 2**62, 2**62, 2**62, 2**62, *[0] * 21], dtype=np.int64),
        np.array([0, 2**64 - 1, *[0] * 24], dtype=np.uint64),
        np.array([0, -(2**63), 1, *[0] * 23], dtype=np.int64),
        np.array([0, 257, *[0] * 24], dtype=np.int64),
    ],
    ids=["sums to -15", "reads as -1", "reads as 0", "reads as 1"],
)
def test_counts_beyond_any_number_of_checkers_do_not_wrap_round(counts: Any) -> None:
    with pytest.raises(InvalidPositionError, match="checkers"):
        checked_board(counts)
