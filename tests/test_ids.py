"""Position IDs, match IDs and XGIDs: what GNU Backgammon writes, round trips, and refusals.

The pairs marked so were written by GNU Backgammon 1.07 itself, run as a program.
"""

import base64
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from gammon_rl.errors import InvalidNotationError, InvalidPositionError
from gammon_rl.rules.board import checked_board, turn
from gammon_rl.rules.ids import (
    LARGEST_CUBE,
    Situation,
    board_from_position_id,
    from_gnubg_id,
    from_xgid,
    gnubg_id,
    match_id,
    position_id,
    situation_from_match_id,
    xgid,
)
from gammon_rl.rules.variants import HYPERGAMMON, STANDARD, VARIANTS, Boards, Variant
from tests.positions import position

START = STANDARD.start()
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


@st.composite
def boards(draw: st.DrawFn, rules: Variant = STANDARD) -> Boards:
    """Draw any possible board: checkers off, on both bars, a game that is over."""
    counts = [0] * 26
    for point in draw(st.lists(st.integers(1, 25), max_size=rules.checkers)):
        counts[point] += 1
    for point in draw(st.lists(st.integers(0, 24), max_size=rules.checkers)):
        if counts[point] <= 0:
            counts[point] -= 1
    try:
        return checked_board(counts, rules)
    except InvalidPositionError:
        assume(False)
        raise


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    """Draw any possible situation: money and matches, the Crawford game, doubles to be answered."""
    length = draw(st.sampled_from([0, 0, 1, 2, 3, 5, 7, 11, 25]))
    points = st.integers(0, max(length - 1, 0))
    score = (draw(points), draw(points))
    one_away = [points == length - 1 for points in score]
    crawford = length > 1 and one_away[0] != one_away[1] and draw(st.booleans())
    doubled = not crawford and draw(st.booleans())
    owner = "centre" if crawford else draw(st.sampled_from(["centre", "theirs"] + ["mine"] * (not doubled)))
    exponents = st.integers(1, 14)
    automatic = st.integers(0, 6 if length == 0 and not crawford else 0)
    return Situation(
        dice=None if doubled else draw(st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6))),
        cube_value=1 << draw(automatic if owner == "centre" else exponents),
        cube_owner=owner,  # type: ignore[arg-type]
        match_length=length,
        score=score if length else (0, 0),
        crawford=crawford,
        jacoby=length == 0 and draw(st.booleans()),
        beavers=length == 0 and draw(st.booleans()),
        doubled=doubled,
    )


def seen_by_the_other(situation: Situation) -> Situation:
    owner = {"centre": "centre", "mine": "theirs", "theirs": "mine"}[situation.cube_owner]
    return situation._replace(cube_owner=owner, score=situation.score[::-1])  # type: ignore[arg-type]


# Position ID ------------------------------------------------------------------------------------------------

# Written by GNU Backgammon.
KNOWN_IDS = [
    (START, "4HPwATDgc/ABMA"),
    (position("24x2 13x5 8x3 6x4 2", "1x2 12x5 17x3 19x5"), "4HPwATDCc/ABMA"),
    (position("24x2 13x5 8x3 6x5", "1x2 12x5 17x3 19x4 23"), "wnPwATDgc/ABMA"),
    (position("17x3 12x5 9 19x4 1x2", "6x4 8x3 13x5 21 24x2"), "I8AH5wEDxAfnAQ"),
]


@pytest.mark.parametrize(("board", "text"), KNOWN_IDS)
def test_known_position_ids(board: Boards, text: str) -> None:
    assert position_id(board) == text
    assert (board_from_position_id(text) == board).all()


def test_the_player_not_on_roll_comes_first() -> None:
    # The lowest bit is a checker on the other player's 1 point; after 25 zeros comes mine.
    assert (board_from_position_id("AQAAAAAAAAAAAA") == position("", "24")).all()
    assert (board_from_position_id("AAAAAgAAAAAAAA") == position("1")).all()


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
def test_position_ids_of_the_variants(rules: Variant) -> None:
    start = rules.start()
    assert (board_from_position_id(position_id(start), rules) == start).all()


def test_checkers_on_both_bars_are_kept() -> None:
    board = position("barx3 6x5 1", "barx4 20x2 24")
    assert (board_from_position_id(position_id(board)) == board).all()


@settings(deadline=None)
@given(boards())
def test_position_ids_round_trip(board: Boards) -> None:
    text = position_id(board)
    assert re.fullmatch("[A-Za-z0-9+/]{14}", text)
    assert (board_from_position_id(text) == board).all()


@settings(deadline=None)
@given(boards(HYPERGAMMON))
def test_hypergammon_position_ids_round_trip(board: Boards) -> None:
    assert (board_from_position_id(position_id(board), HYPERGAMMON) == board).all()


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet=BASE64, min_size=14, max_size=14))
def test_any_text_of_the_right_form_is_a_board_or_refused(text: str) -> None:
    try:
        board = board_from_position_id(text)
    except (InvalidNotationError, InvalidPositionError):
        return
    assert position_id(board) == text


@pytest.mark.parametrize(
    ("text", "error", "fault"),
    [
        ("", InvalidNotationError, "a position ID has 14 characters, got 0"),
        ("4HPwATDgc/ABM", InvalidNotationError, "got 13"),
        ("4HPwATDgc/ABMAA", InvalidNotationError, "got 15"),
        ("4HPwATDgc/ABM-", InvalidNotationError, "is made of A-Z, a-z, 0-9"),
        ("4HPwATDgc_ABMA", InvalidNotationError, "is made of"),
        ("4HPwATDgc/ABM=", InvalidNotationError, "is made of"),
        ("4HPwATDgc/AB A", InvalidNotationError, "is made of"),
        ("4HPwATDgc/ABMé", InvalidNotationError, "is made of"),
        ("4HPwATDgc/ABMB", InvalidNotationError, "bits set after its last byte"),
        ("AAAAAAAAAAAACA", InvalidNotationError, "bits set after the last point"),
        ("//8AAAAAAAAAAA", InvalidPositionError, "the opponent has 16 checkers"),
        ("////////////8/", InvalidNotationError, "bits set after its last byte"),
        ("////////////8A", InvalidPositionError, "checkers"),
        ("AAAAAAAAAAAAAA", InvalidPositionError, "neither player has a checker left"),
        ("AQAAAAAAAAAAQA", InvalidNotationError, "bits set after the last point"),
    ],
)
def test_what_is_no_position_id_is_refused(text: str, error: type[Exception], fault: str) -> None:
    with pytest.raises(error, match=re.escape(fault)):
        board_from_position_id(text)


def test_two_players_on_one_point_are_refused() -> None:
    bits = 0b1 | (0b1 << (25 + 1 + 23))  # the other player's 1 point is my 24 point
    text = base64.b64encode(bits.to_bytes(10, "little")).decode()[:14]
    with pytest.raises(InvalidPositionError, match="checkers of both players on the 24 point"):
        board_from_position_id(text)


def test_too_many_checkers_for_the_variant_are_refused() -> None:
    with pytest.raises(InvalidPositionError, match="hypergammon is played with 3"):
        board_from_position_id("4HPwATDgc/ABMA", HYPERGAMMON)


# Match ID ---------------------------------------------------------------------------------------------------

# Written by GNU Backgammon, but for the first of all, which its manual takes apart.
KNOWN_MATCH_IDS = {
    "QYkqASAAIAAE": Situation((5, 2), 2, "theirs", 9, (4, 2)),
    "cAkAAAAAAAAE": Situation(),
    "cAkAAAAAAAAA": Situation(jacoby=True),
    "cImmAAAAAAAE": Situation((5, 1), match_length=5),
    "UonlACAAGAAE": Situation((3, 1), 4, "mine", 7, (3, 2)),
    "8AngACAAMAAE": Situation(match_length=7, score=(6, 2), crawford=True),
    "cAngACAAMAAE": Situation(match_length=7, score=(6, 2)),
}


@pytest.mark.parametrize(("text", "situation"), KNOWN_MATCH_IDS.items(), ids=KNOWN_MATCH_IDS)
def test_known_match_ids(text: str, situation: Situation) -> None:
    assert situation_from_match_id(text) == situation
    assert match_id(situation) == text


def test_match_ids_of_the_other_player() -> None:
    # The same, player 0 being on roll.
    assert situation_from_match_id("QonlADAAEAAE") == Situation((3, 1), 4, "theirs", 7, (2, 3))
    assert situation_from_match_id("MAHgACAAGAAE") == Situation(match_length=7, score=(2, 3))
    # Player 1 has to answer player 0, and the other way about.
    assert situation_from_match_id("MBkAAAAAAAAA") == Situation(jacoby=True, doubled=True)
    assert situation_from_match_id("cBHgAAAAAAAE") == Situation(match_length=7, doubled=True)
    assert match_id(Situation(jacoby=True, doubled=True)) == "MBkAAAAAAAAA"


@settings(deadline=None)
@given(situations())
def test_match_ids_round_trip(situation: Situation) -> None:
    assert situation_from_match_id(match_id(situation)) == situation._replace(beavers=False)


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet=BASE64, min_size=12, max_size=12))
def test_any_match_id_is_read_or_refused(text: str) -> None:
    try:
        situation = situation_from_match_id(text)
    except (InvalidNotationError, InvalidPositionError):
        return
    assert situation_from_match_id(match_id(situation)) == situation


def packed(**changes: int) -> str:
    """Return a match ID of these fields, written down a second time: (first bit, bits) by name."""
    places = {
        "cube": (0, 4), "owner": (4, 2), "roller": (6, 1), "crawford": (7, 1), "state": (8, 3), "turn": (11, 1),
        "doubled": (12, 1), "resigned": (13, 2), "die1": (15, 3), "die2": (18, 3), "length": (21, 15),
        "score0": (36, 15), "score1": (51, 15), "no_jacoby": (66, 1), "spare": (67, 5),
    }  # fmt: skip
    values = {"owner": 3, "roller": 1, "state": 1, "turn": 1, "no_jacoby": 1} | changes
    key = 0
    for name, value in values.items():
        first, bits = places[name]
        assert 0 <= value < 1 << bits
        key |= value << first
    characters = int.from_bytes(key.to_bytes(9, "little"), "big")
    return "".join(BASE64[characters >> shift & 63] for shift in range(66, -1, -6))


@settings(deadline=None)
@given(situations())
def test_match_ids_say_what_the_manual_says(situation: Situation) -> None:
    mine, theirs = situation.score
    die1, die2 = situation.dice or (0, 0)
    assert match_id(situation) == packed(
        cube=situation.cube_value.bit_length() - 1,
        owner={"centre": 3, "mine": 1, "theirs": 0}[situation.cube_owner],
        roller=0 if situation.doubled else 1,
        crawford=situation.crawford,
        doubled=situation.doubled,
        die1=die1,
        die2=die2,
        length=situation.match_length,
        score0=theirs,
        score1=mine,
        no_jacoby=not situation.jacoby,
    )


def test_points_won_in_money_play_are_dropped() -> None:
    assert situation_from_match_id(packed(score0=3, score1=12)) == Situation()
    assert from_xgid("-b----E-C---eE---c-e----B-:0:0:1:00:3:12:0:0:10")[1] == Situation()


@pytest.mark.parametrize(
    ("text", "error", "fault"),
    [
        ("", InvalidNotationError, "a match ID has 12 characters, got 0"),
        ("cAkAAAAAAAA", InvalidNotationError, "got 11"),
        ("cAkAAAAAAAAAA", InvalidNotationError, "got 13"),
        ("cAkAAAAAAAA=", InvalidNotationError, "is made of"),
        ("cAkAAAAAA-AA", InvalidNotationError, "is made of"),
        (packed(spare=1), InvalidNotationError, "bits set after the last field"),
        (packed(state=0), InvalidPositionError, "the game has not begun"),
        (packed(state=2), InvalidPositionError, "the game is over"),
        (packed(state=3), InvalidPositionError, "the game was resigned"),
        (packed(state=4), InvalidPositionError, "the game ended with a drop"),
        (packed(state=7), InvalidPositionError, "there is no game state 7"),
        (packed(resigned=2), InvalidPositionError, "a resignation has to be answered"),
        (packed(owner=2), InvalidPositionError, "there is no cube owner 2"),
        (packed(turn=0), InvalidPositionError, "the player on roll and the player to act differ"),
        ("QRkAAAAAAAAA", InvalidPositionError, "a beaver has to be answered"),  # written by GNU Backgammon
        (packed(die1=3), InvalidPositionError, "no roll is 3-0"),
        (packed(die2=3), InvalidPositionError, "no roll is 0-3"),
        (packed(die1=7, die2=1), InvalidPositionError, "no roll is 7-1"),
    ],
)
def test_what_is_no_match_id_is_refused(text: str, error: type[Exception], fault: str) -> None:
    with pytest.raises(error, match=re.escape(fault)):
        situation_from_match_id(text)


# The two together -------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(boards(), situations())
def test_gnu_ids_round_trip(board: Boards, situation: Situation) -> None:
    board_read, read = from_gnubg_id(gnubg_id(board, situation))
    assert (board_read == board).all()
    assert read == situation._replace(beavers=False)


def test_a_double_on_offer_is_seen_by_the_player_who_answers() -> None:
    # Written by GNU Backgammon after its player 0 doubled; the position ID stays in that player's view.
    board, situation = from_gnubg_id("A8QH5wEjwAfnAQ:MBkAAAAAAAAA")
    assert (board == position("17x3 12x5 9 19x4 1x2", "6x4 8x3 13x5 21 24x2")).all()
    assert situation.doubled
    assert gnubg_id(board, situation) == "A8QH5wEjwAfnAQ:MBkAAAAAAAAA"


@pytest.mark.parametrize("text", ["4HPwATDgc/ABMA", "4HPwATDgc/ABMA:", ":cAkAAAAAAAAA", "cAkAAAAAAAAA:4HPwATDgc/ABMA"])
def test_half_a_gnu_id_is_refused(text: str) -> None:
    with pytest.raises(InvalidNotationError):
        from_gnubg_id(text)


# XGID -------------------------------------------------------------------------------------------------------

# Read by GNU Backgammon and written again as IDs.
KNOWN_XGIDS = {
    "XGID=-bA---D-C---eE---c-e----B-:2:1:1:31:3:2:0:7:10": "4HPwATDCc/ABMA:UonlACAAGAAE",
    "XGID=-bA---D-C---eE---c-e----B-:2:1:-1:31:3:2:0:7:10": "wnPwATDgc/ABMA:QonlADAAEAAE",
    "XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:3:0:10": "4HPwATDgc/ABMA:MAEAAAAAAAAA",
    "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:2:0:10": "4HPwATDgc/ABMA:cAkAAAAAAAAE",
    "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:6:2:1:7:10": "4HPwATDgc/ABMA:8AngACAAMAAE",
    "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:6:2:0:7:10": "4HPwATDgc/ABMA:cAngACAAMAAE",
    "XGID=-bA---D-C---eE---c-e----B-:0:0:1:00:0:0:0:1:10": "4HPwATDCc/ABMA:cAkgAAAAAAAE",
}


@pytest.mark.parametrize(("text", "gnu"), KNOWN_XGIDS.items())
def test_xgids_say_what_gnu_backgammon_reads(text: str, gnu: str) -> None:
    (board, situation), (other_board, other) = from_xgid(text), from_gnubg_id(gnu)
    assert (board == other_board).all()
    assert situation._replace(beavers=False) == other


@settings(deadline=None)
@given(boards(), situations())
def test_xgids_round_trip(board: Boards, situation: Situation) -> None:
    board_read, read = from_xgid(xgid(board, situation))
    assert (board_read == board).all()
    assert read == situation


@settings(deadline=None)
@given(boards(), situations())
def test_an_xgid_may_have_either_player_at_the_bottom(board: Boards, situation: Situation) -> None:
    fields = xgid(turn(board), seen_by_the_other(situation)).split(":")
    fields[3] = str(-int(fields[3]))
    board_read, read = from_xgid(":".join(fields))
    assert (board_read == board).all()
    assert read == situation


def test_an_xgid_reads_like_a_position() -> None:
    board = position("bar 13x5 8x3 6x5 24", "barx2 12x5 17x3 19x5")
    text = "XGID=b-----E-C---eE---c-e----AA:1:-1:1:64:0:3:0:5:10"
    assert xgid(board, Situation((6, 4), 2, "theirs", 5, (0, 3))) == text
    for same in (text, text[5:], f" {text.replace('XGID', 'xgid')}\n"):
        board_read, situation = from_xgid(same)
        assert (board_read == board).all()
        assert situation == Situation((6, 4), 2, "theirs", 5, (0, 3))


def test_in_an_xgid_the_double_belongs_to_the_player_whose_turn_it_is() -> None:
    board, situation = from_xgid("-bA---D-C---eE---c-e----B-:1:1:1:D:3:2:0:7:10")
    assert (turn(board) == position("24x2 13x5 8x3 6x4 2", "1x2 12x5 17x3 19x5")).all()
    assert situation == Situation(None, 2, "theirs", 7, (2, 3), doubled=True)


def test_large_cubes_are_read_and_written() -> None:
    for exponent in (7, 10, 11, 15):
        text = f"XGID=-b----E-C---eE---c-e----B-:{exponent}:1:1:00:0:0:0:0:{max(exponent, 10)}"
        board, situation = from_xgid(text)
        assert situation.cube_value == 2**exponent
        assert xgid(board, situation) == text
        assert situation_from_match_id(match_id(situation)).cube_value == 2**exponent


def test_hypergammon_xgids() -> None:
    board, _ = from_xgid("-aaa------------------AAA-:0:0:1:00:0:0:0:0:10", HYPERGAMMON)
    assert (board == HYPERGAMMON.start()).all()
    with pytest.raises(InvalidPositionError, match="hypergammon is played with 3"):
        from_xgid("-aab------------------AAA-:0:0:1:00:0:0:0:0:10", HYPERGAMMON)


PLACES = "-b----E-C---eE---c-e----B-"


@pytest.mark.parametrize(
    ("text", "error", "fault"),
    [
        ("XGID=", InvalidNotationError, "an XGID has 10 fields separated by colons, got 1"),
        (f"{PLACES}:0:0:1:00:0:0:0:0", InvalidNotationError, "got 9"),
        (f"{PLACES}:0:0:1:00:0:0:0:0:10:0", InvalidNotationError, "got 11"),
        (f"{PLACES}-:0:0:1:00:0:0:0:0:10", InvalidNotationError, "the position must be 26 characters"),
        (f"{PLACES[1:]}:0:0:1:00:0:0:0:0:10", InvalidNotationError, "the position must be 26 characters"),
        (f"{PLACES[:-1]}*:0:0:1:00:0:0:0:0:10", InvalidNotationError, "the position must be 26 characters"),
        (f"{PLACES}:x:0:1:00:0:0:0:0:10", InvalidNotationError, "the cube must be a power of two, got 'x'"),
        (f"{PLACES}:-1:0:1:00:0:0:0:0:10", InvalidNotationError, "the cube must be"),
        (f"{PLACES}:0:2:1:00:0:0:0:0:10", InvalidNotationError, "the cube owner must be 0, 1 or -1"),
        (f"{PLACES}:0:0:0:00:0:0:0:0:10", InvalidNotationError, "the turn must be 1 or -1"),
        (f"{PLACES}:0:0:1:07:0:0:0:0:10", InvalidNotationError, "the dice must be two digits from 1 to 6"),
        (f"{PLACES}:0:0:1:30:0:0:0:0:10", InvalidNotationError, "the dice must be"),
        (f"{PLACES}:0:0:1:3:0:0:0:0:10", InvalidNotationError, "the dice must be"),
        (f"{PLACES}:0:0:1:00:-1:0:0:7:10", InvalidNotationError, "the score must be a number"),
        (f"{PLACES}:0:0:1:00:0:x:0:7:10", InvalidNotationError, "the opponent's score must be a number"),
        (f"{PLACES}:0:0:1:00:0:0:2:7:10", InvalidNotationError, "must be 0 or 1 in a match, got '2'"),
        (f"{PLACES}:0:0:1:00:0:0:4:0:10", InvalidNotationError, "must be 0 to 3, got '4'"),
        (f"{PLACES}:0:0:1:00:0:0:0::10", InvalidNotationError, "the match length must be a number"),
        (f"{PLACES}:0:0:1:00:0:0:0:0:x", InvalidNotationError, "the largest cube must be a number"),
        (f"{PLACES}:\u0661:0:1:00:0:0:0:0:10", InvalidNotationError, "the cube must be a power of two"),
        (f"{PLACES}:16:1:1:00:0:0:0:0:16", InvalidPositionError, f"a cube is at most {LARGEST_CUBE}"),
        (f"{PLACES}:0:0:1:B:0:0:2:0:10", InvalidPositionError, "a beaver has to be answered"),
        (f"{PLACES}:0:0:1:R:0:0:2:0:10", InvalidPositionError, "a beaver has to be answered"),
        ("-b----P-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", InvalidPositionError, "has 26 checkers"),
        ("Ab----E-C---eD---c-e----B-:0:0:1:00:0:0:0:0:10", InvalidPositionError, "index 0 is the opponent's bar"),
        ("--------------------------:0:0:1:00:0:0:0:0:10", InvalidPositionError, "neither player has a checker"),
    ],
)
def test_what_is_no_xgid_is_refused(text: str, error: type[Exception], fault: str) -> None:
    with pytest.raises(error, match=re.escape(fault)):
        from_xgid(text)


@settings(deadline=None, max_examples=200)
@given(boards(), situations(), st.data())
def test_a_damaged_xgid_is_read_or_refused(board: Boards, situation: Situation, data: st.DataObject) -> None:
    text = xgid(board, situation)
    at = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:at] + data.draw(st.sampled_from("-:0179aAZD=")) + text[at + 1 :]
    try:
        board_read, read = from_xgid(damaged)
    except (InvalidNotationError, InvalidPositionError):
        return
    assert board_read.dtype == np.int8
    assert isinstance(read, Situation)


def test_a_cube_that_is_no_power_of_two_cannot_be_written() -> None:
    for value in (0, 3, -2, 2 * LARGEST_CUBE):
        for write in (match_id, lambda situation: xgid(START, situation)):
            with pytest.raises(InvalidPositionError, match="a cube is a power of two"):
                write(Situation(cube_value=value))
