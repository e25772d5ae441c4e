"""Plays as text: written in one way, read in many, refused with the reason."""

import random
import re

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from gammon_rl.errors import IllegalPlayError, InvalidNotationError
from gammon_rl.rules.board import turn
from gammon_rl.rules.notation import Play, format_play, parse_play, play_of
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.steps import Step
from gammon_rl.rules.variants import STANDARD, TAVLA, VARIANTS, Boards, Variant
from tests import reference
from tests.positions import position

START = STANDARD.start()
SHUT_OUT = position("bar 13", "19x2 20x2 21x2 22x2 23x2 24x2")


def plays_of(board: Boards, dice: tuple[int, int], rules: Variant = STANDARD) -> list[Play]:
    return [play_of(board, dice, afterstate, rules) for afterstate in legal_plays(board[None], dice, rules)[1]]


# Writing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([Step(8, 5), Step(6, 5)], "8/5 6/5"),
        ([Step(6, 5), Step(8, 5)], "8/5 6/5"),
        ([Step(24, 18, hit=True), Step(25, 22)], "bar/22 24/18*"),
        ([Step(6, 4, hit=True), Step(6, 5)], "6/5 6/4*"),
        ([Step(24, 18), Step(18, 14)], "24/18 18/14"),
        ([Step(6, 0)], "6/off"),
        ([Step(25, 24, hit=True)], "bar/24*"),
        ([], "dance"),
    ],
)
def test_writing(steps: list[Step], text: str) -> None:
    assert format_play(steps) == text


def test_a_play_says_result_steps_and_text() -> None:
    afterstate = turn(position("24x2 13x5 8x2 6x4 5x2", "1x2 12x5 17x3 19x5"))
    play = play_of(START, (3, 1), afterstate)
    assert (play.afterstate == afterstate).all()
    assert play.afterstate.dtype == np.int8
    assert not play.afterstate.flags.writeable
    assert play.steps == (Step(8, 5), Step(6, 5))
    assert play.text == str(play) == "8/5 6/5"
    afterstate[6] = 0
    assert play.afterstate[6] != 0


def test_plays_with_one_result_are_one_play() -> None:
    one, same, other = (parse_play(text, START, (6, 4)) for text in ("24/14", "24/20 20/14", "24/18 13/9"))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != "24/18 18/14"


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
def test_every_play_is_read_back_from_its_text(rules: Variant) -> None:
    rng = random.Random(5)
    boards = reference.random_positions(20, 5, rules) + reference.artificial_positions(30, 5, rules)
    for board in (np.array(board, dtype=np.int8) for board in boards):
        dice = reference.random_roll(rng)
        plays = plays_of(board, dice, rules)
        assert len({play.text for play in plays}) == len(plays)
        for play in rng.sample(plays, min(5, len(plays))):
            words = play.text.upper().split()
            rng.shuffle(words)
            for text in (play.text, play.text.replace("*", ""), ", ".join(words)):
                assert parse_play(text, board, dice, rules).text == play.text
        if not plays:
            assert parse_play("dance", board, dice, rules).steps == ()


# Reading ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "dice", "written"),
    [
        ("8/5 6/5", (3, 1), "8/5 6/5"),
        ("8/5 6/5", (1, 3), "8/5 6/5"),
        ("6/5 8/5", (3, 1), "8/5 6/5"),
        (" 8/5,6/5 ", (3, 1), "8/5 6/5"),
        ("8 / 5 6 /5", (3, 1), "8/5 6/5"),
        ("24/14", (6, 4), "24/18 18/14"),
        ("24/18/14", (6, 4), "24/18 18/14"),
        ("24/20/14", (6, 4), "24/18 18/14"),
        ("13/5", (2, 2), "13/11 11/9 9/7 7/5"),
        ("13/9/5", (2, 2), "13/11 11/9 9/7 7/5"),
        ("6/4(2) 8/6(2)", (2, 2), "8/6 8/6 6/4 6/4"),
        ("6/4 (2), 24/20", (2, 2), "24/22 22/20 6/4 6/4"),
        ("24/20(2)", (2, 2), "24/22 24/22 22/20 22/20"),
        ("6/4(4)", (2, 2), "6/4 6/4 6/4 6/4"),
    ],
)
def test_generous_reading(text: str, dice: tuple[int, int], written: str) -> None:
    assert parse_play(text, START, dice).text == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("bar/22* 13/8", "bar/22* 13/8"),
        ("BAR/22 13/8", "bar/22* 13/8"),
        ("25/22 13/8", "bar/22* 13/8"),
        ("13/8 Bar/22*", "bar/22* 13/8"),
        ("bar/17", "bar/20 20/17"),
        ("bar/20/17", "bar/20 20/17"),
        ("bar/22/17", "bar/22* 22/17"),
        ("bar/22*/17", "bar/22* 22/17"),
        ("bar/17*", "bar/22* 22/17"),
    ],
)
def test_reading_from_the_bar(text: str, written: str) -> None:
    assert parse_play(text, position("bar 13x2 6x5", "22 19x3 12x4"), (5, 3)).text == written


@pytest.mark.parametrize(
    ("mine", "dice", "text", "written"),
    [
        ("4", (6, 2), "4/off", "4/off"),
        ("4", (6, 2), "4/0", "4/off"),
        ("4", (6, 2), "4/2 2/OFF", "4/off"),
        ("4", (6, 2), "4/2/off", "4/off"),
        ("4 1", (6, 2), "4/off", "4/2 2/off"),
        ("6x2", (4, 2), "6/off", "6/2 2/off"),
        ("6x2", (2, 2), "6/off 6/4", "6/4 6/4 4/2 2/off"),
        ("6x4", (6, 6), "6/off(4)", "6/off 6/off 6/off 6/off"),
        ("5 2", (6, 5), "2/off 5/off", "5/off 2/off"),
    ],
)
def test_reading_bear_offs(mine: str, dice: tuple[int, int], text: str, written: str) -> None:
    assert parse_play(text, position(mine, "24x2"), dice).text == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("24/14", "24/20 20/14*"),
        ("24/14*", "24/20 20/14*"),
        ("24/20/14", "24/20 20/14*"),
        ("24/18*/14", "24/18* 18/14*"),
        ("24/18/14*", "24/18* 18/14*"),
        ("24/18*/14*", "24/18* 18/14*"),
    ],
)
def test_an_open_way_hits_less_unless_a_star_asks(text: str, written: str) -> None:
    assert parse_play(text, position("24 6x5", "18 14 10x2"), (6, 4)).text == written


def test_an_ending_play_hits_on_the_way_only_if_told() -> None:
    board = position("3", "2 24x2")
    assert parse_play("3/2*/off", board, (6, 1)).steps == (Step(3, 2, hit=True), Step(2, 0))
    assert parse_play("3/off", board, (6, 1)).steps == (Step(3, 0),)


def test_two_ways_that_hit_differently_are_ambiguous() -> None:
    board = position("24 6x5", "18 20 10x2")
    for text in ("24/14", "24/14*"):
        with pytest.raises(InvalidNotationError, match=r"can mean 24/20\* 20/14 or 24/18\* 18/14; name"):
            parse_play(text, board, (6, 4))
    assert parse_play("24/20/14", board, (6, 4)).text == "24/20* 20/14"


@pytest.mark.parametrize("text", ["", "  ", "dance", "Pass", "CANNOT MOVE", "can't move"])
def test_reading_a_dance(text: str) -> None:
    play = parse_play(text, SHUT_OUT, (6, 5))
    assert play.steps == ()
    assert play.text == "dance"
    assert (play.afterstate == turn(SHUT_OUT)).all()


# Refusing ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("hello", "'hello' should be like 8/5"),
        ("8-5 6-5", "'8-5' should be like"),
        ("8/5 6", "'6' should be like"),
        ("8/", "'8/' should be like"),
        ("8/5(0)", "should be like"),
        ("8/5(5)", "should be like"),
        ("*8/5", "should be like"),
        ("8/5**", "should be like"),
        ("8//5", "should be like"),
        ("8/5 dance", "'dance' should be like"),
        ("26/20", "'26/20' should begin on the bar"),
        ("off/3", "should begin on"),
        ("0/3", "should begin on"),
        ("8/bar", "end on a point or off"),
        ("8/25", "end on a point or off"),
        ("8/off/3", "end on a point or off"),
        ("\u0668/\u0665", "should be like"),
    ],
)
def test_what_is_not_a_play_is_refused(text: str, fault: str) -> None:
    with pytest.raises(InvalidNotationError, match=re.escape(fault)) as refusal:
        parse_play(text, START, (3, 1))
    assert repr(text) in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "dice", "reason"),
    [
        ("8/5", (3, 1), "both dice must be played"),
        ("8/6(2) 6/4", (2, 2), "as many dice as possible must be played"),
        ("7/4 6/5", (3, 1), "there is no checker on the 7 point"),
        ("12/9 6/5", (3, 1), "there is no checker on the 12 point"),
        ("bar/22 6/5", (3, 1), "there is no checker on the bar"),
        ("24/19 6/5", (5, 1), "the 19 point is blocked"),
        ("6/1 8/7", (5, 1), "the 1 point is blocked"),
        ("8/3 6/5", (3, 1), "8/3 does not fit the dice;"),
        ("8/5 8/5", (3, 1), "8/5 does not fit the dice left;"),
        ("13/10 8/5 6/5", (3, 1), "8/5 does not fit the dice left;"),
        ("8/5 6/5 6/5", (3, 1), "there are more steps than dice"),
        ("5/8 6/5", (3, 1), "a checker moves to a lower point, not from 5 to 8"),
        ("6/6 8/5", (3, 1), "a checker moves to a lower point"),
        ("6/off 8/5", (6, 3), "no checker is borne off before all are home"),
        ("8/5* 6/5", (3, 1), "a star stands where nothing is hit"),
        ("8/5 6/5*", (3, 1), "a star stands where nothing is hit"),
        ("dance", (3, 1), "a checker can move"),
        ("", (3, 1), "a checker can move"),
    ],
)
def test_an_illegal_play_is_refused_with_the_reason(text: str, dice: tuple[int, int], reason: str) -> None:
    with pytest.raises(IllegalPlayError, match=re.escape(f"{text!r} is not legal with")) as refusal:
        parse_play(text, START, dice)
    message, _, near = str(refusal.value).partition("; near to it: ")
    assert reason in message + ";"
    legal = {play.text for play in plays_of(START, dice)}
    assert 1 <= len(near.split(", ")) <= 5
    assert set(near.split(", ")) <= legal


@pytest.mark.parametrize(
    ("mine", "theirs", "dice", "text", "reason"),
    [
        ("bar 13x2 6", "19x2", (6, 4), "13/7 13/9", "a checker on the bar must enter first"),
        ("bar 13x2 6", "19x2", (6, 4), "bar/19 13/9", "the 19 point is blocked"),
        ("barx2 13", "1x2", (6, 4), "bar/19 13/9", "a checker on the bar must enter first"),
        ("24 6x3", "18x2", (6, 4), "24/18/14", "the 18 point is blocked"),
        ("24", "13x2", (6, 5), "24/19", "only one die can be played, and it has to be the 6"),
        ("4", "24x2", (6, 2), "4/2", "both dice must be played"),
        ("5 2x2", "24x2", (3, 2), "2/off(2)", "a 3 bears off from the 2 point only when no checker is on a higher"),
        ("bar 13", "24x2 21x2", (4, 1), "bar/21", "no checker can move; near to it: dance"),
    ],
)
def test_the_reason_is_the_one_that_matters(
    mine: str, theirs: str, dice: tuple[int, int], text: str, reason: str
) -> None:
    with pytest.raises(IllegalPlayError, match=re.escape(reason)):
        parse_play(text, position(mine, theirs), dice)


def test_tavla_says_that_bearing_off_is_forced() -> None:
    board = position("6 4x2", "24x2")
    assert parse_play("6/2 6/5", position("6x2 4x2", "24x2"), (4, 1)).text == "6/5 6/2"
    with pytest.raises(IllegalPlayError, match="a die that can bear a checker off must do so"):
        parse_play("6/2 4/3", board, (4, 1), TAVLA)


def test_the_plays_listed_are_near() -> None:
    with pytest.raises(IllegalPlayError) as refusal:
        parse_play("24/18 13/12", START, (6, 5))
    assert "24/18 13/8" in str(refusal.value)


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="0123456789/*(), baroftx-", max_size=20))
@example("8/5/3/2/1/off")
@example("24/1(4)")
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        play = parse_play(text, START, (2, 2))
    except (InvalidNotationError, IllegalPlayError):
        return
    assert play.text in {play.text for play in plays_of(START, (2, 2))}
