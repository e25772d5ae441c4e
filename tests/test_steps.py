"""Plays taken apart into steps, and turns put together step by step."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from gammon_rl.errors import IllegalPlayError, InvalidPositionError
from gammon_rl.rules.board import turn
from gammon_rl.rules.notation import format_play
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.steps import Step, apply_step, dice_to_play, next_steps, play_steps, steps_by_die
from gammon_rl.rules.variants import HYPERGAMMON, STANDARD, TAVLA, VARIANTS, Boards, Variant
from tests import reference
from tests.positions import KNOWN, Known, position

EVERY_VARIANT = pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
MANY_RESULTS = position("1 3 4 7 8 10 12x2 13 14x2 16 17 20 23", "5 11 15 19")


def results(board: Boards, dice: tuple[int, int], rules: Variant = STANDARD) -> Boards:
    return legal_plays(board[None], dice, rules)[1]


def rolled_positions(rules: Variant, count: int, seed: int = 8) -> Iterator[tuple[Boards, tuple[int, int]]]:
    rng = random.Random(seed)
    met, made = reference.random_positions(count, seed, rules), reference.artificial_positions(count, seed, rules)
    for board in met + made:
        yield np.array(board, dtype=np.int8), reference.random_roll(rng)


def made_step_by_step(board: Boards, dice: tuple[int, int], rules: Variant) -> set[tuple[int, ...]]:
    """Return the afterstates reached by taking every offered step until none is offered."""
    found = set()
    seen = set()

    def take(here: Boards, taken: list[Step]) -> None:
        key = (here.tobytes(), len(taken))
        if key in seen:
            return
        seen.add(key)
        offers = next_steps(board, dice, taken, rules)
        if taken and not offers:
            found.add(tuple(turn(here).tolist()))
        for step, _ in offers:
            take(apply_step(here, step), [*taken, step])

    take(board, [])
    return found


# A play as steps --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "theirs", "dice", "after", "text"),
    [
        ("24x2 13x5 8x3 6x5", "1x2 12x5 17x3 19x5", (3, 1), "24x2 13x5 8x2 6x4 5x2", "8/5 6/5"),
        ("24x2 13x5 8x3 6x5", "1x2 12x5 17x3 19x5", (1, 2), "24x2 13x5 8x3 6x3 5 4", "6/5 6/4"),
        ("bar 24 6x3", "1x2 12x3", (6, 3), "22 18 6x3", "bar/22 24/18"),
        ("barx2 24", "1x2", (6, 3), "24 22 19", "bar/22 bar/19"),
        ("6x13 8 24", "4x2 16x2 18x3 19x4 20x4", (6, 2), "6x13 22 2", "24/22 8/2"),
        ("4 5", "24x2", (6, 4), "1", "5/1 4/off"),
        ("4", "24x2", (6, 2), "", "4/off"),
        ("4 1", "24x2", (6, 2), "1", "4/2 2/off"),
        ("4 1", "24x2", (6, 2), "", "4/off 1/off"),
        ("13x2 11x2", "12x2", (1, 1), "13x2 9x2", "11/10 11/10 10/9 10/9"),
        ("6x3 2", "24x2", (3, 3), "3x2 2", "6/3 6/3 6/3 3/off"),
        ("24", "13x2", (6, 5), "18", "24/18"),
        ("24 6", "1x2", (6, 4), "14 6", "24/18 18/14"),
        ("24 6", "1x2 18x2", (6, 4), "14 6", "24/20 20/14"),
    ],
)
def test_steps_are_written_as_a_player_would(
    mine: str, theirs: str, dice: tuple[int, int], after: str, text: str
) -> None:
    afterstate = turn(position(after, theirs))
    steps = play_steps(position(mine, theirs), dice, afterstate)
    assert " ".join(format_play([step]) for step in steps) == text  # in the order they are made
    assert steps == play_steps(position(mine, theirs), dice[::-1], afterstate)


def test_the_way_taken_is_the_one_that_hits_what_was_hit() -> None:
    board = position("24", "18 20 1x2")
    texts = {
        "24/20* 20/14": turn(position("14", "bar 18 1x2")),
        "24/18* 18/14": turn(position("14", "bar 20 1x2")),
    }
    for text, afterstate in texts.items():
        assert format_play(play_steps(board, (6, 4), afterstate)) == text


def test_two_checkers_on_one_blot_hit_it_once() -> None:
    board = position("8 6", "5 24x2")
    steps = play_steps(board, (3, 1), turn(position("5x2", "bar 24x2")))
    assert steps == (Step(8, 5, hit=True), Step(6, 5))


def test_an_ending_play_may_use_one_die_or_hit_on_the_way() -> None:
    board = position("3", "2 24x2")
    assert play_steps(board, (6, 1), turn(position("", "2 24x2"))) == (Step(3, 0),)
    assert play_steps(board, (6, 1), turn(position("", "bar 24x2"))) == (Step(3, 2, hit=True), Step(2, 0))


def test_in_tavla_the_order_avoids_a_step_that_shirks() -> None:
    # With the 2 first, 4/2 would move inside while 2/off can be played.
    board = position("4 2", "24x2")
    afterstate = turn(position("2 1", "24x2"))
    assert play_steps(board, (2, 1), afterstate, STANDARD) == (Step(4, 2), Step(2, 1))
    assert play_steps(board, (2, 1), afterstate, TAVLA) == (Step(2, 1), Step(4, 2))


def test_a_dance_has_no_steps() -> None:
    board = position("bar 13", "19x2 20x2 21x2 22x2 23x2 24x2")
    assert play_steps(board, (6, 5), turn(board)) == ()


@EVERY_VARIANT
def test_every_play_is_made_of_possible_steps(rules: Variant) -> None:
    for board, dice in rolled_positions(rules, 30):
        before = board.copy()
        for afterstate in results(board, dice, rules)[:40]:
            here, dice_left = board, list(dice_to_play(dice))
            for step in play_steps(board, dice, afterstate, rules):
                assert step.hit == (step.end > 0 and here[step.end] == -1)
                assert apply_step(here, step)[step.start] == here[step.start] - 1
                used = [die for die in dice_left if is_possible(here, step, die)]
                assert used, f"{step} on {here.tolist()} with {dice_left}"
                dice_left.remove(min(used))
                here = apply_step(here, step)
            assert (turn(here) == afterstate).all()
        assert (board == before).all()


def is_possible(board: Boards, step: Step, die: int) -> bool:
    """Return whether the reference knows the step."""
    start = reference.Place(*reference.sides(board.tolist()), False)
    after = reference.sides(apply_step(board, step).tolist())
    return any((place.mine, place.theirs) == after for place in reference.steps(start, die))


@pytest.mark.parametrize("rules", [STANDARD, HYPERGAMMON], ids=lambda rules: rules.name)
def test_steps_come_in_one_order(rules: Variant) -> None:
    for board, dice in rolled_positions(rules, 60, seed=9):
        for afterstate in results(board, dice, rules)[:40]:
            steps = play_steps(board, dice, afterstate, rules)
            ends = [(-step.start, -step.end) for step in steps]
            assert ends == sorted(ends)


def test_a_result_that_cannot_be_reached_is_refused() -> None:
    start = STANDARD.start()
    for dice in ((3, 1), (2, 2)):
        with pytest.raises(IllegalPlayError, match="no steps with"):
            play_steps(start, dice, turn(position("24x2 13x5 8x3 6x4", "1x2 12x5 17x3 19x5")))
    with pytest.raises(InvalidPositionError, match="1 to 6"):
        play_steps(start, (7, 1), turn(apply_step(start, Step(6, 5))))


# One step ---------------------------------------------------------------------------------------------------


def test_a_step_changes_a_copy() -> None:
    board = position("bar 6", "22 12x2")
    after = apply_step(board, Step(25, 22))
    assert (board == position("bar 6", "22 12x2")).all()
    assert (after == position("22 6", "bar 12x2")).all()
    assert after.dtype == np.int8
    assert (apply_step(position("6x2", "bar 24"), Step(6, 0)) == position("6", "bar 24")).all()


@pytest.mark.parametrize(
    ("step", "fault"),
    [
        (Step(7, 5), "no checker to move from 7 to 5"),
        (Step(12, 8), "no checker to move from 12 to 8"),
        (Step(6, 1), "the 1 point is blocked by 2 checkers"),
        (Step(5, 8), "no checker to move"),
        (Step(0, -3), "no checker to move"),
        (Step(26, 20), "no checker to move"),
    ],
)
def test_an_impossible_step_is_refused(step: Step, fault: str) -> None:
    with pytest.raises(IllegalPlayError, match=fault):
        apply_step(STANDARD.start(), step)


# A turn step by step ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [case for case in KNOWN if case.results != 1117], ids=lambda case: case.name)
def test_known_plays_step_by_step(case: Known) -> None:
    case.check(made_step_by_step(case.board, case.dice, case.rules))


@EVERY_VARIANT
def test_the_steps_offered_lead_to_the_legal_plays_and_nowhere_else(rules: Variant) -> None:
    compared = 0
    for board, dice in rolled_positions(rules, 25):
        legal = {tuple(after) for after in results(board, dice, rules).tolist()}
        if len(legal) < 40:
            assert made_step_by_step(board, dice, rules) == legal, (board.tolist(), dice)
            compared += 1
    assert compared > 30


def offered(board: Boards, dice: tuple[int, int], *taken: Step, rules: Variant = STANDARD) -> dict[str, int]:
    """Return the steps offered as text, each with its die."""
    return {format_play([step]): die for step, die in next_steps(board, dice, taken, rules)}


def test_a_step_is_offered_only_if_a_whole_play_begins_with_it() -> None:
    # Only 24/22 8/2 uses both dice.
    board = position("6x13 8 24", "4x2 16x2 18x3 19x4 20x4")
    assert offered(board, (6, 2)) == {"24/22": 2, "8/2": 6}
    assert offered(board, (6, 2), Step(8, 2)) == {"24/22": 2}
    assert offered(board, (6, 2), Step(8, 2), Step(24, 22)) == {}
    # The 5 could be played too, but then not the 6.
    assert offered(position("24", "13x2"), (6, 5)) == {"24/18": 6}
    # All begin with 11/10.
    assert offered(position("13x2 11x2", "12x2"), (1, 1)) == {"11/10": 1}


def test_offers_name_the_die_they_use() -> None:
    assert offered(STANDARD.start(), (6, 4), Step(24, 18)) == {"24/20": 4, "18/14": 4, "13/9": 4, "8/4": 4, "6/2": 4}
    board = position("5 4 2", "24x3")
    assert offered(board, (6, 5)) == {"5/off": 5}
    assert offered(board, (6, 5), Step(5, 0)) == {"4/off": 6}
    assert offered(position("4 3", "24x3"), (6, 5)) == {"4/off": 5}


def test_nothing_is_offered_once_the_game_is_over() -> None:
    board = position("2 1", "24x3")
    assert offered(board, (6, 6), Step(2, 0), Step(1, 0)) == {}
    assert offered(position("4", "24x2"), (6, 2)) == {"4/2": 2, "4/off": 6}
    assert offered(position("4", "24x2"), (6, 2), Step(4, 2)) == {"2/off": 6}


def test_nothing_is_offered_in_a_dance() -> None:
    assert offered(position("bar 13", "24x2 21x2"), (4, 1)) == {}


@pytest.mark.parametrize(
    "taken",
    [
        [Step(13, 9)],
        [Step(8, 5), Step(8, 5)],
        [Step(8, 5), Step(6, 5), Step(6, 5)],
        [Step(25, 22)],
        [Step(0, -3)],
    ],
)
def test_steps_that_begin_no_play_are_refused(taken: list[Step]) -> None:
    with pytest.raises(IllegalPlayError, match="no legal play with"):
        next_steps(STANDARD.start(), (3, 1), taken)


def test_a_first_step_that_leaves_too_few_dice_playable_is_refused() -> None:
    with pytest.raises(IllegalPlayError, match=r"\[6, 5\] begins with the steps: 24 to 19"):
        next_steps(position("24", "13x2"), (6, 5), [Step(24, 19)])


def test_the_bar_comes_before_any_other_step() -> None:
    board = position("bar 13", "1x2 24x2")
    assert offered(board, (6, 2)) == {"bar/23": 2, "bar/19": 6}
    with pytest.raises(IllegalPlayError, match="begins with the steps: 13 to 7"):
        next_steps(board, (6, 2), [Step(13, 7)])
    assert offered(board, (6, 2), Step(25, 23)) == {"23/17": 6, "13/7": 6}


def test_a_thousand_results_are_taken_apart_in_time() -> None:
    plays = results(MANY_RESULTS, (1, 1))
    assert len(plays) == 1117
    texts = {format_play(play_steps(MANY_RESULTS, (1, 1), play)) for play in plays}
    assert len(texts) == 1117
    assert len(next_steps(MANY_RESULTS, (1, 1))) == 12
    steps: list[Step] = []
    while offers := next_steps(MANY_RESULTS, (1, 1), steps):
        steps.append(offers[-1].step)
    assert len(steps) == 4


def test_steps_of_one_die_come_from_the_highest_point_down() -> None:
    assert steps_by_die(STANDARD.start().tolist(), 5) == [Step(13, 8), Step(8, 3)]
    assert steps_by_die(position("bar 24 8", "22").tolist(), 3) == [Step(25, 22, hit=True)]
    assert steps_by_die(position("6 4 2", "1x2 24").tolist(), 4) == [Step(6, 2), Step(4, 0)]
    assert steps_by_die(position("6 4 2", "1x2 24").tolist(), 4, forced_bearoff=True) == [Step(4, 0)]
