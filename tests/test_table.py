"""The table: every rule of the game, the JSON, going back, who may do what, and the page for server developers.

A test named after a ruling holds one decision about what the rules leave open.
"""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from types import FrameType
from typing import Any

import numpy as np
import pytest

import gammon_rl as gr
from gammon_rl.errors import IllegalActionError, TableError
from gammon_rl.rules import notation
from gammon_rl.rules.position import Position
from gammon_rl.rules.steps import Step
from gammon_rl.rules.variants import VARIANTS
from gammon_rl.stakes.cube import may_double
from gammon_rl.table import actions as ac, events as ev, table as table_module
from gammon_rl.table.dice import HandDice, RecordedDice, SeededDice, SystemDice
from gammon_rl.table.options import CLOCKS, Seat, Settings, TableOptions, clean_name
from gammon_rl.table.state import Phase, position_for
from gammon_rl.table.table import RunningTime, Table, _Cache
from tests.pages import run_page
from tests.positions import position

SCALE = float(os.environ.get("GAMMON_RL_TEST_SCALE", "1"))

ROLL = ac.Roll()
MANUAL = Settings(auto_bearoff=False, auto_forced=False)
SHUT_OUT = position("bar 6x5 8x5 13x4", "19x2 20x2 21x2 22x2 23x2 24x2 12x3")
CONTACT = position("24x2 13x5 8x3 6x5", "1x2 12x5 17x3 19x5")


def table_with(
    options: TableOptions | None = None, rolls: Sequence[tuple[int, int]] = (), bot: str = "", manual: bool = True
) -> Table:
    """Return a new table with these rolls, seat 1 a bot or a person, and nothing done by itself unless wished."""
    table = Table(options, (Seat("Ann"), Seat("Bob", bot)), RecordedDice(rolls))
    if manual:
        table.apply(ac.ChangeSettings(0, MANUAL))
        if not bot:
            table.apply(ac.ChangeSettings(1, MANUAL))
    return table


def placed(board: Sequence[int] | np.ndarray, options: TableOptions | None = None, **changes: object) -> Table:
    """Return a table at the start of seat 0's turn (not the first) with this board, or otherwise as the changes say."""
    rolls = changes.pop("rolls", [(6, 5), (4, 3), (2, 1)])
    table = table_with(options, [(3, 1), *rolls], bot=changes.pop("bot", ""), manual=changes.pop("manual", True))  # type: ignore[arg-type,misc]
    table.apply(ROLL)
    known = {"phase": Phase.TO_ROLL, "turn": 0, "dice": None, "board": tuple(int(count) for count in board)}
    table._state = table._state._replace(**(known | changes))  # type: ignore[arg-type]
    table._cache = _Cache()
    return table


def kinds(actions: Sequence[object]) -> list[str]:
    return [type(action).__name__ for action in actions]


def play_any(table: Table) -> tuple[ev.Notice, ...]:
    return table.apply(table.legal_actions()[0])


def new_game_at(score: tuple[int, int], options: TableOptions, crawford_over: bool = False) -> Table:
    """Return a table whose last game has just ended at this score, and whose next one has been started and opened."""
    table = placed(CONTACT, options, phase=Phase.GAME_OVER, score=score, crawford_over=crawford_over)
    table.apply(ac.NextGame())
    table._state = table._state._replace(phase=Phase.TO_ROLL, turn=0)
    table._cache = _Cache()
    return table


# Plays -----------------------------------------------------------------------------------------------------------


def test_ruling_1_a_step_is_offered_only_if_a_legal_play_begins_with_it() -> None:
    # 6-2 where the 6 can only be played after the 2: one legal play, 24/22 8/2 (in either order of steps)
    board = position("6x13 8 24", "4x2 16x2 18x3 19x4 20x4")
    table = placed(board, phase=Phase.TO_PLAY, dice=(6, 2))
    assert [play.text for play in table.plays] == ["24/22 8/2"]
    assert {(step.start, step.end) for step in table.next_steps()} == {(24, 22), (8, 2)}
    with pytest.raises(IllegalActionError, match="24/22"):
        table.apply(ac.TakeStep(6, 4))


@pytest.mark.parametrize("dice", [(3, 1), (6, 5), (2, 2)])
def test_ruling_1_step_by_step_is_the_same_as_at_once(dice: tuple[int, int]) -> None:
    at_once = placed(CONTACT, phase=Phase.TO_PLAY, dice=dice)
    for play in at_once.plays:
        stepwise = placed(CONTACT, phase=Phase.TO_PLAY, dice=dice)
        for step in reversed(play.steps) if len(set(dice)) == 2 else play.steps:
            if step not in stepwise.next_steps():  # the reverse order of a checker that moves twice
                break
            assert stepwise.apply(ac.TakeStep(step.start, step.end)) == (ev.StepTaken(0, step),)
        else:
            once = placed(CONTACT, phase=Phase.TO_PLAY, dice=dice)
            assert stepwise.apply(ac.EndTurn()) == once.apply(play)
            assert stepwise.to_json() == once.to_json()
            assert stepwise._state == once._state


def test_ruling_1_a_turn_is_ended_only_when_it_is_complete() -> None:
    table = placed(CONTACT, phase=Phase.TO_PLAY, dice=(3, 1))
    with pytest.raises(IllegalActionError, match="not complete"):
        table.apply(ac.EndTurn())
    table.apply(ac.TakeStep(8, 5))
    assert "EndTurn" not in kinds(table.legal_actions())
    with pytest.raises(IllegalActionError, match="begun with steps"):
        table.apply(ac.Play("8/5 6/5"))
    table.apply(ac.TakeStep(6, 5))
    assert kinds(table.legal_actions()) == ["EndTurn"]
    assert table.record.events[-1] == ev.OpeningRolled((3, 1)), "nothing counts before the turn is ended"
    assert table.board(0)[5] == 2
    assert table.board(0, steps=False)[5] == 0
    (played,) = table.apply(ac.EndTurn())
    assert played == ev.Played(0, (3, 1), (Step(8, 5), Step(6, 5)))


def test_ruling_2_the_game_ends_with_the_last_checker() -> None:
    table = placed(position("1 2", "24x2"), phase=Phase.TO_PLAY, dice=(6, 6))
    assert len(table.plays[0].steps) == 2
    table.apply(ac.TakeStep(2, 0))
    table.apply(ac.TakeStep(1, 0))
    _, ended, over = table.apply(ac.EndTurn())
    assert isinstance(ended, ev.GameEnded)
    assert isinstance(over, ev.MatchEnded)
    assert table.is_over
    assert table.legal_actions() == ()


def test_ruling_4_the_opening_roll() -> None:
    table = table_with(rolls=[(2, 2), (4, 4), (2, 5), (6, 1)])
    assert table.phase is Phase.OPENING
    assert table.to_act is None
    assert table.turn is None
    assert table.legal_actions() == (ROLL,)
    for action in (ac.Double(), ac.Resign()):
        with pytest.raises(IllegalActionError):
            table.apply(action)
    assert table.apply(ROLL, seat=1) == tuple(ev.OpeningRolled(dice) for dice in [(2, 2), (4, 4), (2, 5)])
    assert table.turn == table.to_act == 1
    assert table.phase is Phase.TO_PLAY
    assert sorted(table.dice or ()) == [2, 5]
    for action in (ac.Double(), ac.Resign(), ROLL):
        with pytest.raises(IllegalActionError, match="to play"):
            table.apply(action)
    play_any(table)
    assert kinds(table.legal_actions()) == ["Roll", "Double", "Resign"]


@pytest.mark.parametrize("name", VARIANTS)
def test_ruling_5_and_6_each_variant_is_played_by_its_rules(name: str) -> None:
    rules = VARIANTS[name]
    table = table_with(TableOptions(variant=name), [(3, 1)])
    assert table.board(0) == table.board(1) == tuple(rules.start().tolist())
    table.apply(ROLL)
    legal = gr.legal_plays(rules.start()[None], (3, 1), rules)[1].tolist()
    assert [list(action.afterstate) for action in table.legal_actions()] == legal  # type: ignore[union-attr,arg-type]
    assert table.position.rules is rules


def test_ruling_5_hypergammon_counts_gammons_with_three_checkers() -> None:
    options = TableOptions(variant="hypergammon", jacoby=False)
    for theirs, points in (("20x3", 2), ("24x2", 1), ("20x2 3", 3)):
        table = placed(position("1", theirs), options, phase=Phase.TO_PLAY, dice=(2, 1))
        play_any(table)
        assert table.score == (points, 0), theirs


def test_ruling_6_a_tavla_die_that_can_bear_off_must() -> None:
    table = placed(position("5 4 1", "24x5"), TableOptions(variant="tavla"), phase=Phase.TO_PLAY, dice=(2, 1))
    assert {play.text for play in table.plays} == {"5/3 1/off", "4/2 1/off"}


# Stakes ----------------------------------------------------------------------------------------------------------


def test_ruling_7_the_cube_stops_at_64() -> None:
    table = placed(CONTACT, TableOptions(beavers=True), cube=32, owner=0)
    table.apply(ac.Double())
    assert table.legal_actions() == (ac.Take(), ac.Drop())
    table.apply(ac.Take())
    assert (table.cube, table.cube_owner) == (64, 1)
    table._state = table._state._replace(turn=1)
    with pytest.raises(IllegalActionError, match="no higher than 64"):
        table.apply(ac.Double())


def test_ruling_7_and_8_a_beaver_quadruples_and_the_doubler_rolls() -> None:
    for cube, offered in ((1, True), (16, True), (32, False)):
        table = placed(CONTACT, TableOptions(beavers=True), cube=cube, owner=None if cube == 1 else 0)
        table.apply(ac.Double())
        assert (ac.Beaver() in table.legal_actions()) is offered
    table = placed(CONTACT, TableOptions(beavers=True))
    assert table.apply(ac.Double()) == (ev.Doubled(0, 2),)
    assert table.position.doubled
    assert table.position.beavers
    assert table.apply(ac.Beaver()) == (ev.Beavered(1, 4),)
    assert (table.cube, table.cube_owner, table.to_act) == (4, 1, 0)
    assert "Double" not in kinds(table.legal_actions()), "there is no raccoon"
    assert table.phase is Phase.TO_ROLL


@pytest.mark.parametrize("how", ["match", "off"])
def test_ruling_8_beavers_only_where_they_are_played(how: str) -> None:
    options = TableOptions(match_length=5, beavers=True) if how == "match" else TableOptions()
    table = placed(CONTACT, options)
    table.apply(ac.Double())
    with pytest.raises(IllegalActionError, match="beavers are played for money only"):
        table.apply(ac.Beaver())


@pytest.mark.parametrize(
    ("options", "cube", "owner", "points"),
    [
        (TableOptions(), 1, None, 1),
        (TableOptions(), 2, 1, 4),
        (TableOptions(automatic_doubles=1), 2, None, 2),  # an automatic double turns nothing
        (TableOptions(jacoby=False), 1, None, 2),
        (TableOptions(cube=False), 1, None, 2),
        (TableOptions(match_length=7), 1, None, 2),
    ],
)
def test_ruling_9_jacoby_counts_gammons_once_a_double_was_taken(
    options: TableOptions, cube: int, owner: int | None, points: int
) -> None:
    table = placed(position("1", "13x15"), options, phase=Phase.TO_PLAY, dice=(2, 1), cube=cube, owner=owner)
    played, ended, *_ = play_any(table)
    assert isinstance(played, ev.Played)
    assert ended == ev.GameEnded(0, "bear-off", 2, points, (points, 0))


@pytest.mark.parametrize("answer", [ac.Take(), ac.Beaver()])
def test_ruling_9_a_taken_double_or_beaver_brings_gammons_back(answer: ac.Action) -> None:
    table = placed(position("1x2 2", "13x15"), TableOptions(beavers=True), rolls=[(1, 1)])
    table.apply(ac.Double())
    table.apply(answer)
    table.apply(ROLL)
    play_any(table)
    assert table.score == (2 * table.cube, 0)


@pytest.mark.parametrize(
    ("options", "cubes"),
    [
        (TableOptions(automatic_doubles=1), [2, 2, 2, 2]),
        (TableOptions(automatic_doubles=2), [2, 4, 4, 4]),
        (TableOptions(automatic_doubles=0), [1, 1, 1, 1]),
        (TableOptions(automatic_doubles=2, cube=False), [1, 1, 1, 1]),
        (TableOptions(automatic_doubles=2, match_length=5), [1, 1, 1, 1]),
    ],
)
def test_ruling_10_automatic_doubles(options: TableOptions, cubes: list[int]) -> None:
    table = table_with(options, [(1, 1), (2, 2), (3, 3), (5, 4)])
    events = table.apply(ROLL)
    assert [event.cube for event in events] == cubes  # type: ignore[union-attr]
    assert table.cube_owner is None
    play_any(table)
    assert ("Double" in kinds(table.legal_actions())) is options.cube


def test_ruling_10_automatic_doubles_stop_at_64() -> None:
    table = table_with(TableOptions(automatic_doubles=9), [(1, 1)] * 8 + [(5, 4)])
    table.apply(ROLL)
    assert table.cube == 64
    play_any(table)
    assert not table.may_double


def test_ruling_11_a_dead_cube_is_not_turned() -> None:
    options = TableOptions(match_length=5)
    for score, cube, owner, may in (
        ((0, 0), 1, None, True),
        ((3, 0), 2, 0, False),
        ((2, 0), 2, 0, True),
        ((1, 3), 4, 0, False),
        ((4, 3), 1, None, False),
        ((3, 4), 1, None, True),
    ):
        table = placed(CONTACT, options, score=score, cube=cube, owner=owner, crawford_over=True)
        assert table.may_double is may, (score, cube)
        assert may_double(table.position) is may, "the stakes say the same"
        assert ("Double" in kinds(table.legal_actions())) is may


def test_ruling_11_the_crawford_game_is_played_once() -> None:
    options = TableOptions(match_length=5)
    before = new_game_at((3, 0), options)
    assert not before.crawford
    crawford = new_game_at((4, 0), options)
    assert crawford.crawford
    assert crawford.position.crawford
    with pytest.raises(IllegalActionError, match="Crawford"):
        crawford.apply(ac.Double())
    assert ac.Resign(3) in crawford.legal_actions()
    after = new_game_at((4, 2), options, crawford_over=True)
    assert not after.crawford
    assert not after.may_double  # the leader's cube is dead
    after._state = after._state._replace(turn=1)
    assert after.may_double
    assert not new_game_at((4, 0), TableOptions(match_length=5, crawford=False)).crawford
    assert not new_game_at((4, 0), TableOptions(match_length=5, cube=False)).crawford


def test_ruling_11_the_crawford_game_comes_by_itself_and_is_recorded() -> None:
    table = table_with(TableOptions(match_length=3), [(6, 5), (3, 1)] * 20)
    seen = []
    while not table.is_over:
        actions = table.legal_actions()
        resigns = table.phase is Phase.TO_ROLL
        if table.phase is Phase.RESIGNING:
            table.apply(ac.AcceptResignation())
        else:
            table.apply(ac.Resign(1) if resigns else actions[0])
        if table.phase is Phase.OPENING:
            seen.append((table.score, table.crawford))
    crawfords = [game.crawford for game in table.record.games]
    assert sum(crawfords) == 1
    assert crawfords == [max(game.score) == 2 and sum(g.crawford for g in table.record.games[:at]) == 0
                         for at, game in enumerate(table.record.games)]  # fmt: skip


@pytest.mark.parametrize("length", [1, 2, 4, 25])
def test_ruling_11_a_match_has_any_length(length: int) -> None:
    table = placed(CONTACT, TableOptions(match_length=length))
    assert table.may_double is (length > 1)
    assert not new_game_at((0, 0), TableOptions(match_length=1)).crawford
    with pytest.raises(TableError):
        TableOptions(match_length=26)


def test_ruling_12_options_without_effect_are_kept() -> None:
    options = TableOptions(match_length=5, jacoby=True, beavers=True, automatic_doubles=3, session=True)
    table = Table(options)
    assert Table.from_json(table.to_json()).options == options
    table = placed(CONTACT, options)
    assert not table.position.jacoby
    assert not table.position.beavers
    assert ac.Resign(3) in table.legal_actions()
    without_cube = placed(CONTACT, TableOptions(cube=False, jacoby=True, beavers=True))
    assert not without_cube.position.jacoby
    assert ac.Resign(3) in without_cube.legal_actions()
    with pytest.raises(IllegalActionError, match="there is no cube"):
        without_cube.apply(ac.Double())


def test_ruling_13_what_a_game_is_worth() -> None:
    match = TableOptions(match_length=25, clock="fast", on_timeout="forfeit")

    def ended(table: Table, *actions: ac.Action) -> ev.GameEnded:
        for action in actions:
            events = table.apply(action)
        (end,) = (event for event in events if isinstance(event, ev.GameEnded))
        return end

    owned = {"cube": 4, "owner": 0}
    assert ended(placed(CONTACT, match, **owned), ac.Double(), ac.Drop()) == ev.GameEnded(0, "drop", 1, 4, (4, 0))
    for level in (1, 2, 3):
        resigned = ended(placed(CONTACT, match, **owned), ac.Resign(level), ac.AcceptResignation())
        assert resigned == ev.GameEnded(1, "resignation", level, 4 * level, (0, 4 * level))
    assert ended(placed(CONTACT, match, **owned), ac.TimeOut(0)) == ev.GameEnded(1, "forfeit", 1, 4, (0, 4))
    facing = ended(placed(CONTACT, match, **owned), ac.Double(), ac.TimeOut(1))
    assert facing == ev.GameEnded(0, "forfeit", 1, 4, (4, 0))
    bear_off = placed(position("1", "13x15"), match, phase=Phase.TO_PLAY, dice=(2, 1), **owned)
    play_any(bear_off)
    assert bear_off.score == (8, 0)
    assert bear_off.phase is Phase.GAME_OVER


@pytest.mark.parametrize(
    ("theirs", "points"),
    [("13x15", 2), ("7x15", 2), ("6 24x14", 3), ("bar 24x14", 3), ("bar 24x13", 1), ("1x14", 1), ("24x15", 2)],
)
def test_ruling_14_gammon_and_backgammon(theirs: str, points: int) -> None:
    # the winner's points 1 to 6 are the loser's 24 to 19; a checker on the loser's 18 is on the winner's 7
    table = placed(position("2", theirs), TableOptions(jacoby=False), phase=Phase.TO_PLAY, dice=(2, 1))
    play_any(table)
    assert table.score == (points, 0)


# Turns -----------------------------------------------------------------------------------------------------------


def test_ruling_15_a_closed_board_offers_double_or_pass() -> None:
    table = placed(np.negative(SHUT_OUT[::-1]), turn=1, rolls=[(2, 1), (3, 2)])
    table.apply(ROLL)
    play = next(play for play in table.plays if all(step.start > 6 for step in play.steps))
    table.apply(play)
    assert table.phase is Phase.CLOSED_BOARD
    assert table.legal_actions() == (ac.Double(), ac.PassTurn())
    for action in (ROLL, ac.Resign()):
        with pytest.raises(IllegalActionError, match="closed board"):
            table.apply(action)
    before = table.board(0)
    assert table.apply(ac.PassTurn()) == (ev.TurnSkipped(0, "closed board", "player"),)
    assert (table.to_act, table.phase, table.board(0)) == (1, Phase.TO_ROLL, before)


@pytest.mark.parametrize("answer", [ac.Take(), ac.Beaver(), ac.Drop()])
def test_ruling_15_after_a_double_the_turn_passes_at_once(answer: ac.Action) -> None:
    table = placed(SHUT_OUT, TableOptions(beavers=True), phase=Phase.CLOSED_BOARD)
    table.apply(ac.Double())
    events = table.apply(answer)
    if answer == ac.Drop():
        assert events[1] == ev.GameEnded(0, "drop", 1, 1, (1, 0))
        return
    assert events[1:] == (ev.TurnSkipped(0),)
    assert table.phase is Phase.TO_ROLL
    assert table.to_act == table.cube_owner == 1
    assert table.may_double


def test_ruling_15_the_skip_is_an_event_when_there_is_no_choice() -> None:
    table = placed(np.negative(SHUT_OUT[::-1]), turn=1, owner=1, cube=2, rolls=[(2, 1), (3, 2)])
    table.apply(ROLL)
    play = next(play for play in table.plays if all(step.start > 6 for step in play.steps))
    assert table.apply(play)[1:] == (ev.TurnSkipped(0, "closed board", "table"),)
    assert table.to_act == 1


def test_ruling_15_five_points_are_not_closed_and_a_dance_is_rolled() -> None:
    five = position("bar 6x5 8x5 13x4", "19x2 20x2 21x2 22x2 23x2 24 12x4")
    table = placed(np.negative(five[::-1]), turn=1, rolls=[(2, 1), (3, 2)])
    table.apply(ROLL)
    table.apply(ac.Play("13/10"))
    assert table.phase is Phase.TO_ROLL
    assert ROLL in table.legal_actions()
    table.apply(ROLL)
    assert [play.text for play in table.plays] == ["dance"]
    assert kinds(table.legal_actions(stepwise=True)) == ["EndTurn"]
    (played,) = table.apply(ac.Play("dance"))
    assert played == ev.Played(0, (3, 2), ())


def test_ruling_16_a_resignation_is_offered_once_a_turn() -> None:
    table = placed(CONTACT, TableOptions(match_length=5))
    assert table.apply(ac.Resign(2)) == (ev.ResignationOffered(0, 2),)
    assert (table.to_act, table.resignation, table.phase) == (1, 2, Phase.RESIGNING)
    assert table.legal_actions() == (ac.AcceptResignation(), ac.DeclineResignation())
    table.apply(ac.DeclineResignation())
    assert (table.to_act, table.phase) == (0, Phase.TO_ROLL)
    assert kinds(table.legal_actions()) == ["Roll", "Double"]
    with pytest.raises(IllegalActionError, match="declined in this turn"):
        table.apply(ac.Resign(3))
    table.apply(ac.Double())
    table.apply(ac.Take())
    assert kinds(table.legal_actions()) == ["Roll"]
    for _ in range(2):
        table.apply(ROLL)
        play_any(table)
    assert ac.Resign(3) in table.legal_actions()


def test_ruling_16_under_jacoby_only_a_single_game_is_offered() -> None:
    table = placed(CONTACT)
    assert [action for action in table.legal_actions() if isinstance(action, ac.Resign)] == [ac.Resign(1)]
    with pytest.raises(IllegalActionError, match="Jacoby"):
        table.apply(ac.Resign(2))
    turned = placed(CONTACT, cube=2, owner=1)
    assert ac.Resign(3) in turned.legal_actions()
    with pytest.raises(IllegalActionError, match="1, 2 or 3"):
        turned.apply(ac.Resign(4))


BEARING_OFF = position("1x3 2", "20x2 19x5 18x3")


def test_ruling_17_automatic_bear_off_rolls_and_plays_until_there_is_a_choice() -> None:
    board = np.negative(BEARING_OFF[::-1])
    options = TableOptions(cube=False)
    # Seat 1 plays; then seat 0 has all home: 6-5 leaves one result and is played.
    table = placed(board, options, turn=1, rolls=[(2, 1), (6, 5), (3, 3), (2, 1)], manual=False)
    table.apply(ac.ChangeSettings(1, MANUAL))
    table.apply(ROLL)
    events = play_any(table)
    assert events[1:] == (
        ev.Rolled(0, (6, 5), "table"),
        ev.Played(0, (6, 5), (Step(2, 0), Step(1, 0)), "table"),
    )
    assert table.to_act == 1

    choice = placed(board, options, turn=1, rolls=[(2, 1), (2, 1)], manual=False)
    choice.apply(ac.ChangeSettings(1, MANUAL))
    choice.apply(ROLL)
    assert play_any(choice)[1:] == (ev.Rolled(0, (2, 1), "table"),)
    assert choice.to_act == 0
    assert len(choice.plays) > 1

    may_double_first = placed(board, turn=1, rolls=[(2, 1), (6, 5)], manual=False)
    may_double_first.apply(ac.ChangeSettings(1, MANUAL))
    may_double_first.apply(ROLL)
    assert len(play_any(may_double_first)) == 1
    assert may_double_first.phase is Phase.TO_ROLL
    assert may_double_first.may_double


def test_ruling_17_automatic_forced_play_acts_only_after_the_roll() -> None:
    five = position("bar 6x5 8x5 13x4", "19x2 20x2 21x2 22x2 23x2 12x5")
    table = placed(five, TableOptions(cube=False), rolls=[(3, 2)], manual=False)
    assert table.phase is Phase.TO_ROLL
    assert table.apply(ROLL)[1:] == (ev.Played(0, (3, 2), (), "table"),)
    off = placed(five, rolls=[(3, 2)])
    assert off.apply(ROLL) == (ev.Rolled(0, (3, 2)),)
    assert off.to_act == 0


def test_ruling_17_automatic_rolling_is_off_unless_wished_and_waits_where_one_may_double() -> None:
    assert Settings() == Settings(auto_bearoff=True, auto_forced=True, auto_roll=False, paused=False)
    rolling = Settings(False, False, auto_roll=True)
    table = placed(CONTACT, TableOptions(cube=False))
    assert table.apply(ac.ChangeSettings(0, rolling)) == (ev.Rolled(0, (6, 5), "table"),)
    with_cube = placed(CONTACT)
    assert with_cube.apply(ac.ChangeSettings(0, rolling)) == ()
    owned_by_other = placed(CONTACT, cube=2, owner=1)
    assert len(owned_by_other.apply(ac.ChangeSettings(0, rolling))) == 1


def test_ruling_17_a_pause_stops_all_of_it_until_resumed_or_the_game_ends() -> None:
    table = placed(CONTACT, TableOptions(cube=False, session=True))
    table.apply(ac.Pause(0), seat=0)
    assert table.apply(ac.ChangeSettings(0, Settings(auto_roll=True, paused=True))) == ()
    assert table.phase is Phase.TO_ROLL
    assert table.apply(ac.Resume(0)) == (ev.Rolled(0, (6, 5), "table"),)
    table.apply(ac.Pause(0))
    play_any(table)
    table.apply(ac.Resign(1))
    assert table.settings(0).paused
    table.apply(ac.AcceptResignation())
    assert not table.settings(0).paused


def test_ruling_17_automatic_bearoff_plays_a_roll_that_was_made_by_hand_too() -> None:
    """It stops where one may double; after the roll one may not, and if there is one result it goes on."""
    only_bearoff = Settings(auto_bearoff=True, auto_forced=False)
    board = position("6x4", "24x2")
    may_double = placed(board, rolls=[(6, 6), (2, 1)])
    assert may_double.apply(ac.ChangeSettings(0, only_bearoff)) == (), "the roll waits, since one may double"
    assert may_double.apply(ROLL)[1] == ev.Played(0, (6, 6), (Step(6, 0),) * 4, "table")
    entered = Table(None, dice=HandDice())
    entered._state = may_double._state._replace(
        phase=Phase.TO_ROLL, turn=0, board=tuple(board.tolist()), owner=1, due=None
    )
    entered._cache = _Cache()
    entered.apply(ac.ChangeSettings(0, only_bearoff))
    assert entered.apply(ac.Roll((6, 6)))[1] == ev.Played(0, (6, 6), (Step(6, 0),) * 4, "table")
    choice = placed(position("6 4x3", "24x2"), rolls=[(2, 1)])
    choice.apply(ac.ChangeSettings(0, only_bearoff))
    assert len(choice.apply(ROLL)) == 1, "with a choice it stops"
    elsewhere = placed(position("13 6x4", "24x14 20"), rolls=[(6, 6)])
    elsewhere.apply(ac.ChangeSettings(0, only_bearoff))
    assert len(elsewhere.apply(ROLL)) == 1, "and it has nothing to do with a checker that is not home"


def test_ruling_17_and_18_a_pause_is_there_again_in_the_game_that_one_goes_back_into() -> None:
    rolls = [(3, 1), (6, 5), (6, 4), (2, 1), (5, 2)]
    table = table_with(TableOptions(match_length=5), rolls, bot="hard")
    for action in (ROLL, ac.Play("8/5 6/5"), ROLL, ac.Play("24/13"), ac.Pause(0), ac.Resign(1)):
        table.apply(action)
    paused = table.to_json()
    table.apply(ac.AcceptResignation())
    assert not table.settings(0).paused
    table.apply(ac.Undo())
    assert table.settings(0).paused
    assert Table.from_json(table.to_json()).settings(0).paused
    table.apply(ac.Redo())
    assert not table.settings(0).paused
    assert Table.from_json(table.to_json()) == table
    for action in (ac.NextGame(), ROLL, ac.Pause(0), ac.Resume(0), ac.Undo()):
        table.apply(action)
    assert table.game == 1
    assert table.settings(0).paused, "what was resumed was another game"
    assert table.view(0)["settings"]["paused"]
    table.apply(ac.Resume(0))
    assert not table.settings(0).paused
    # a text from before pauses were kept with their games
    old = json.loads(paused)
    del old["pauses"]
    old["settings"][0]["paused"] = True
    assert Table.from_json(json.dumps(old)).to_json() == paused


def test_ruling_17_a_pause_between_two_games_is_for_the_next() -> None:
    table = placed(CONTACT, TableOptions(session=True), phase=Phase.GAME_OVER)
    table.apply(ac.Pause(0))
    table.apply(ac.NextGame())
    assert table.settings(0).paused
    assert not table.settings(1).paused


def test_ruling_17_and_21_bots_have_no_automatic_settings() -> None:
    board = np.negative(BEARING_OFF[::-1])
    table = placed(board, TableOptions(cube=False), turn=1, rolls=[(6, 5)], bot="hard", manual=False)
    # The bot's checkers stand where seat 0 would be played for.
    table._state = table._state._replace(board=tuple(BEARING_OFF))
    table._cache = _Cache()
    assert table.apply(ROLL) == (ev.Rolled(1, (6, 5)),)
    assert table.phase is Phase.TO_PLAY
    with pytest.raises(IllegalActionError, match="only persons have settings"):
        table.apply(ac.ChangeSettings(1, Settings()))


def against_the_computer() -> Table:
    """Return a table after Ann's opening play, the bot's turn, and Ann's second roll."""
    table = table_with(TableOptions(match_length=5), [(3, 1), (6, 5), (4, 2), (5, 5), (6, 6), (2, 1)], bot="hard")
    for action in (ROLL, ac.Play("8/5 6/5"), ROLL, ac.Play("24/18 18/13"), ROLL):
        table.apply(action)
    return table


def test_ruling_18_undo_takes_back_steps_and_whole_turns_and_the_dice_come_again() -> None:
    table = against_the_computer()
    table.apply(ac.TakeStep(8, 4))
    assert table.apply(ac.Undo(), seat=0) == (ev.StepTakenBack(0, Step(8, 4)),)
    table.apply(ac.Redo())
    assert table.steps == (Step(8, 4),)
    table.apply(ac.Undo())
    assert table.undoable == 2  # the roll, and the opening play
    assert table.apply(ac.Undo()) == (ev.Undone(5),)
    assert (table.phase, table.to_act) == (Phase.TO_ROLL, 0)
    assert table.apply(ac.Undo()) == (ev.Undone(2),)
    assert (table.phase, table.to_act, table.dice) == (Phase.TO_PLAY, 0, (3, 1))
    assert table.undoable == 0
    assert table.redoable == 3
    # Something else is played now: what was undone is gone, and the same dice come.
    table.apply(ac.Play("24/23 13/10"))
    assert table.redoable == 0
    table.apply(ROLL)
    assert table.dice == (6, 5)
    play_any(table)
    table.apply(ROLL)
    assert table.dice == (4, 2)
    play_any(table)
    table.apply(ROLL)
    assert table.dice == (5, 5)


def test_ruling_18_undo_then_redo_is_as_if_nothing_had_been() -> None:
    table = against_the_computer()
    table.apply(ac.TakeStep(8, 4))
    before = table.to_json()
    for count in range(1, table.undoable + 1):
        table.apply(ac.Undo(count))
        assert Table.from_json(table.to_json()) == table
        table.apply(ac.Redo(count))
        assert table.to_json() == before
    with pytest.raises(IllegalActionError, match="there are 0"):
        table.apply(ac.Redo())
    with pytest.raises(IllegalActionError, match="there are 3"):
        table.apply(ac.Undo(4))


def test_ruling_18_undo_goes_back_over_the_end_of_a_game() -> None:
    table = against_the_computer()
    play_any(table)
    table.apply(ROLL)
    play_any(table)
    before = table.to_json()
    table.apply(ac.Resign(1))
    table.apply(ac.AcceptResignation())
    table.apply(ac.NextGame())
    assert table.score == (0, 1)
    assert table.apply(ac.Undo())[-1] == ev.Undone(len(json.loads(before)["record"]["events"]))
    assert table.score == (0, 0)
    table._undone = ()
    assert table.to_json() == before


@pytest.mark.parametrize("bot", ["", "hard"])
def test_ruling_18_never_with_two_people_or_between_bots(bot: str) -> None:
    table = Table(None, (Seat("Ann", bot), Seat("Bob", bot)), RecordedDice([(3, 1), (6, 5)]))
    table.apply(ROLL)
    table.apply(ac.TakeStep(8, 5))
    assert table.undoable == 0
    with pytest.raises(IllegalActionError, match="one person against the computer"):
        table.apply(ac.Undo())


def test_ruling_19_a_roll_is_drawn_when_it_is_rolled() -> None:
    class Counting:
        ready, drawn = True, 0

        def roll(self) -> tuple[int, int]:
            self.drawn += 1
            return (3, 1) if self.drawn == 1 else (6, 5)

        def to_data(self) -> dict[str, object]:
            return {"type": "counting"}

    source = Counting()
    table = Table(dice=source)
    assert source.drawn == 0
    table.apply(ROLL)
    table.legal_actions()
    play_any(table)
    assert source.drawn == 1
    assert "dice" not in table.view() or table.view()["dice"] is None
    assert "state" not in json.dumps(Table(dice=7).view(0))
    assert "rolls" not in json.dumps(table_with(rolls=[(3, 1)]).view(0))
    with pytest.raises(TableError, match="not a source of dice"):
        Table.from_json(table.to_json())
    assert Table.from_json(table.to_json(), dice=source) == table


def test_ruling_20_the_clock_is_data() -> None:
    assert {CLOCKS[name] for name in ("relaxed", "normal", "fast", "30 seconds", "60 seconds")} == {60, 40, 20, 30}
    assert [CLOCKS[f"{hours} hours"] for hours in (12, 24, 72)] == [43200, 86400, 259200]
    table = placed(CONTACT, TableOptions(clock="normal"))
    assert table.running_time == RunningTime(0, 40)
    table.apply(ac.Double())
    assert table.running_time == RunningTime(1, 40)
    assert placed(CONTACT).running_time is None
    with pytest.raises(IllegalActionError, match="no clock"):
        placed(CONTACT).apply(ac.TimeOut(0))
    with pytest.raises(IllegalActionError, match="not running"):
        table.apply(ac.TimeOut(0))
    with_bot = placed(CONTACT, TableOptions(clock="normal"), turn=1, bot="hard")
    assert with_bot.running_time is None


def test_ruling_20_a_bot_finishes_the_turn_of_a_player_whose_time_is_up() -> None:
    forced = position("bar 6x5 8x5 13x4", "19x2 20x2 21x2 22x2 23x2 12x5")
    table = placed(forced, TableOptions(clock="fast", cube=False), rolls=[(3, 2), (6, 5)], manual=False)
    assert table.apply(ac.TimeOut(0, bot="easy")) == (ev.TimedOut(0, "easy"),)
    assert table.bot_at(0) == "easy"
    assert table.running_time is None
    with pytest.raises(IllegalActionError, match="a bot plays for seat 0"):
        table.apply(ROLL, seat=0)
    # the automatic settings do not act: the dance waits for the bot
    assert table.apply(ROLL) == (ev.Rolled(0, (3, 2), "bot"),)
    assert table.apply(ac.Play("dance"))[0] == ev.Played(0, (3, 2), (), "bot")
    assert table.bot_at(0) == ""
    assert table.to_act == 1


def test_ruling_20_a_bot_gives_the_answer_of_a_player_whose_time_is_up() -> None:
    table = placed(CONTACT, TableOptions(clock="fast"))
    table.apply(ac.Double())
    table.apply(ac.TimeOut(1))
    assert table.bot_at(1) == "normal"
    assert table.apply(ac.Take()) == (ev.Taken(1, 2, "bot"),)
    assert table.bot_at(1) == ""
    assert table.running_time == RunningTime(0, 20)


@pytest.mark.parametrize(
    ("offer", "answer"), [(ac.Double(), ac.Take()), (ac.Resign(), ac.DeclineResignation())], ids=("double", "resign")
)
def test_ruling_20_the_bot_has_the_turn_to_its_end_also_if_the_answer_times_out(
    offer: ac.Action, answer: ac.Action
) -> None:
    home = position("6x2 5x2", "19x2 20x2")  # where the automatic settings would roll
    table = placed(home, TableOptions(clock="fast"), manual=False)
    for action in (ac.TimeOut(0, "easy"), offer, ac.TimeOut(1, "hard")):
        table.apply(action)
    assert (table.bot_at(0), table.bot_at(1)) == ("easy", "hard")
    assert len(table.apply(answer)) == 1
    assert (table.bot_at(0), table.bot_at(1)) == ("easy", "")
    assert table.running_time is None
    with pytest.raises(IllegalActionError, match="not running"):
        table.apply(ac.TimeOut(0))
    assert table.apply(ROLL) == (ev.Rolled(0, (6, 5), "bot"),)
    table.apply(table.legal_actions()[0])
    assert (table.to_act, table.bot_at(0), table.bot_at(1)) == (1, "", "")


def test_ruling_20_a_seat_taken_over_and_given_back_is_still_finished_by_the_bot_of_the_time_out() -> None:
    table = placed(CONTACT, TableOptions(clock="fast"))
    table.apply(ac.TimeOut(0, "easy"))
    table.apply(ac.TakeOver(0, "hard"))
    assert table.bot_at(0) == "hard"
    table.apply(ac.GiveBack(0))
    assert table.bot_at(0) == "easy"
    assert table.apply(ROLL) == (ev.Rolled(0, (6, 5), "bot"),)


def timed_out_twice(*more: ac.Action) -> Table:
    table = table_with(TableOptions(clock="fast"), [(3, 1), (6, 5), (4, 2)])
    for action in (ROLL, ac.Play("8/5 6/5"), ROLL, ac.Play("24/13"), ac.TimeOut(0), *more):
        table.apply(action)
    return table


@pytest.mark.parametrize(
    ("before", "by"),
    [
        ([ac.Double(), ac.TimeOut(1), ac.Take()], "player"),
        ([ac.Double(), ac.TimeOut(1), ac.Take()], "table"),
        ([ac.TakeOver(0), ac.GiveBack(0)], "player"),
    ],
)
def test_ruling_20_an_early_record_in_which_the_person_had_the_turn_again_replays(
    before: list[ac.Action], by: ev.By
) -> None:
    table = timed_out_twice(*before)
    record = table.record
    rolled = record.with_events((*record.events, ev.Rolled(0, (4, 2), by)))
    again = Table.replay(rolled)
    assert again.bot_at(0) == ""
    again.apply(ac.Play("8/4 6/4"), seat=0)
    assert again.record.check()
    assert Table.from_json(again.to_json()) == again
    out = Table.replay(record.with_events((*record.events, ev.TimedOut(0, "hard"))))
    assert out.bot_at(0) == "hard"
    with pytest.raises(TableError, match="the bot who decides"):
        Table.replay(rolled.with_events((*rolled.events[: -1 - len(before)], rolled.events[-1])))


def test_ruling_20_a_bot_takes_a_seat_over_and_gives_it_back() -> None:
    table = placed(CONTACT, TableOptions(clock="fast"))
    assert table.apply(ac.TakeOver(0, bot="hard")) == (ev.SeatTakenOver(0, "hard"),)
    assert table.bot_at(0) == "hard"
    assert table.apply(ROLL) == (ev.Rolled(0, (6, 5), "bot"),)
    with pytest.raises(IllegalActionError, match="has a bot already"):
        table.apply(ac.TakeOver(0))
    assert table.apply(ac.GiveBack(0)) == (ev.SeatGivenBack(0),)
    assert table.bot_at(0) == ""
    with pytest.raises(IllegalActionError, match="no bot has taken"):
        table.apply(ac.GiveBack(0))
    (played,) = play_any(table)
    assert isinstance(played, ev.Played)
    assert played.by == "player"


def test_ruling_20_a_bot_that_took_over_clears_an_unfinished_turn_and_undo_rests() -> None:
    table = against_the_computer()
    table.apply(ac.TakeStep(8, 4))
    table.apply(ac.TakeOver(0))
    assert table.steps == ()
    assert table.undoable == 0
    with pytest.raises(IllegalActionError, match="a bot plays for the person"):
        table.apply(ac.Undo())
    with pytest.raises(IllegalActionError, match="no bot has taken"):
        table.apply(ac.GiveBack(1))
    table.apply(ac.GiveBack(0))
    assert table.undoable == 2


def test_ruling_21_bots_play_through_the_same_door() -> None:
    table = Table(TableOptions(match_length=3), (Seat("A", "easy"), Seat("B", "easy")), dice=5)
    bot = gr.Bot("easy", seed=1)
    for _ in range(400):
        if table.is_over:
            break
        if table.phase is Phase.TO_PLAY:
            assert table.dice is not None
            table.apply(bot.choose_play(table.position, table.dice))
        elif table.phase is Phase.DOUBLED:
            table.apply(ac.Take() if bot.cube_action(table.position).take else ac.Drop())
        else:
            table.apply(table.legal_actions()[0])
    assert table.record.check()


def test_ruling_22_plays_are_given_as_text() -> None:
    for text in ("8/5 6/5", "6/5, 8/5", "6/5 8/5"):
        table = table_with(rolls=[(3, 1)])
        table.apply(ROLL)
        (played,) = table.apply(ac.Play(text))
        assert isinstance(played, ev.Played)
        assert played.text == "8/5 6/5"
    table = table_with(rolls=[(3, 1)])
    table.apply(ROLL)
    for text in ("8/6", "nonsense", ""):
        with pytest.raises(IllegalActionError):
            table.apply(ac.Play(text))
    with pytest.raises(IllegalActionError, match="no play leads"):
        table.apply(ac.Play(afterstate=(0,) * 26))


# What else the rules say -----------------------------------------------------------------------------------------


def test_the_taker_owns_the_cube_and_the_doubler_rolls() -> None:
    table = placed(CONTACT, TableOptions(match_length=7))
    table.apply(ac.Double())
    assert table.position == Position(
        np.negative(CONTACT[::-1]), match_length=7, doubled=True, rules=gr.STANDARD
    )  # fmt: skip
    assert table.apply(ac.Take()) == (ev.Taken(1, 2),)
    assert (table.cube, table.cube_owner, table.to_act, table.phase) == (2, 1, 0, Phase.TO_ROLL)
    with pytest.raises(IllegalActionError, match="the opponent owns the cube"):
        table.apply(ac.Double())
    assert table.position.cube_owner == "theirs"


def test_each_game_starts_afresh() -> None:
    table = placed(CONTACT, TableOptions(match_length=7), cube=2, owner=0)
    table.apply(ac.Resign(1))
    table.apply(ac.AcceptResignation())
    assert table.legal_actions() == (ac.NextGame(),)
    assert table.result == ev.GameEnded(1, "resignation", 1, 2, (0, 2))
    assert table.apply(ac.NextGame(), seat=1) == (ev.GameStarted(2, (0, 2)),)
    assert (table.cube, table.cube_owner, table.game) == (1, None, 2)
    assert table.board(0) == tuple(gr.STANDARD.start().tolist())


def test_a_single_game_ends_the_session_and_a_session_goes_on() -> None:
    def resigned(options: TableOptions) -> Table:
        table = placed(CONTACT, options)
        table.apply(ac.Resign(1))
        table.apply(ac.AcceptResignation())
        return table

    assert resigned(TableOptions()).is_over
    session = resigned(TableOptions(session=True))
    assert session.legal_actions() == (ac.NextGame(), ac.EndSession())
    assert session.apply(ac.EndSession()) == (ev.MatchEnded(1, (0, 1)),)
    with pytest.raises(IllegalActionError, match="only a session"):
        resigned(TableOptions(match_length=3)).apply(ac.EndSession())


def test_a_match_ends_at_its_length_or_beyond_and_keeps_the_points() -> None:
    table = placed(
        position("1", "6 24x14"), TableOptions(match_length=3), phase=Phase.TO_PLAY, dice=(2, 1), cube=4, owner=0
    )
    assert play_any(table)[1:] == (ev.GameEnded(0, "bear-off", 3, 12, (12, 0)), ev.MatchEnded(0, (12, 0)))
    assert table.is_over
    for action in (ROLL, ac.NextGame(), ac.TakeOver(0)):
        with pytest.raises(IllegalActionError, match="all is over"):
            table.apply(action)


def test_a_forfeit_loses_a_game_and_not_the_match() -> None:
    table = placed(CONTACT, TableOptions(match_length=5, clock="24 hours", on_timeout="forfeit"))
    assert table.apply(ac.TimeOut(0)) == (ev.TimedOut(0), ev.GameEnded(1, "forfeit", 1, 1, (0, 1)))
    assert table.legal_actions() == (ac.NextGame(),)


def test_colours_swap_or_stay_at_a_rematch() -> None:
    table = Table(TableOptions(colour="dark"))
    assert table.light == 1
    assert table.rematch().light == 0
    assert Table(TableOptions(on_rematch="keep")).rematch().light == 0
    drawn = [Table(TableOptions(colour="random"), dice=seed).light for seed in range(40)]
    assert set(drawn) == {0, 1}
    assert drawn == [Table(TableOptions(colour="random"), dice=seed).light for seed in range(40)]
    again = Table.from_json(Table(TableOptions(colour="random"), dice=3).to_json())
    assert again.light == drawn[3]


def test_dice_entered_by_hand_are_waited_for() -> None:
    table = Table(None, (Seat("Ann"), Seat("Bob", "hard")), HandDice())
    assert len(table.legal_actions()) == 36
    assert table.apply(ac.Roll((4, 4))) == (ev.OpeningRolled((4, 4)),)
    assert table.phase is Phase.OPENING
    table.apply(ac.Roll((3, 1)))
    play_any(table)
    assert sum(isinstance(action, ac.Roll) for action in table.legal_actions()) == 21
    for wrong in (ac.Roll(), ac.Roll((0, 7))):
        with pytest.raises(IllegalActionError):
            table.apply(wrong)
    table.apply(ac.Roll((1, 6)))
    assert table.dice == (1, 6)
    table.apply(ac.Undo())
    table.apply(ac.Play("24/23 13/10"))
    assert table.legal_actions()[0] == ac.Roll(), "the roll that was undone comes again"
    assert Table.from_json(table.to_json()) == table
    table.apply(ac.Roll())
    assert table.dice == (1, 6)
    with pytest.raises(IllegalActionError, match="not entered by hand"):
        Table(dice=1).apply(ac.Roll((3, 1)))


def test_a_list_of_dice_that_runs_out_changes_nothing() -> None:
    table = table_with(rolls=[(3, 3)])
    before = table.to_json()
    for _ in range(2):
        with pytest.raises(TableError, match="used up"):
            table.apply(ROLL)
        assert table.to_json() == before


def test_a_roll_of_a_source_that_cannot_be_copied_comes_again_after_a_failure() -> None:
    class Flaky:
        ready = True

        def __init__(self) -> None:
            self.rolls = [(3, 3), (0, 0), (6, 5)]

        def roll(self) -> tuple[int, int]:
            return self.rolls.pop(0)

        def to_data(self) -> dict[str, object]:
            return {"type": "flaky"}

    table = Table(dice=Flaky())
    with pytest.raises(TableError, match="1 to 6"):
        table.apply(ROLL)
    assert table.apply(ROLL) == (ev.OpeningRolled((3, 3)), ev.OpeningRolled((6, 5)))


def test_a_table_leaves_a_source_that_can_be_copied_as_it_is() -> None:
    source = RecordedDice([(3, 1), (6, 5)])
    first, second = Table(dice=source), Table(dice=source)
    assert first.apply(ROLL) == second.apply(ROLL) == (ev.OpeningRolled((3, 1)),)
    assert source.roll() == (3, 1)
    generator = SeededDice(4)
    copied = generator.copy()
    rolls = [generator.roll() for _ in range(40)]
    assert [copied.roll() for _ in range(40)] == rolls


def interrupted(table: Table, action: ac.Action, at: int) -> int:
    """Apply an action, interrupt it at one of the moments that it has, and return how many came before.

    The moments are the lines, in `apply` itself the instructions: as near as can be to a signal that may come any time.
    """
    passed = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal passed
        if "gammon_rl" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = frame.f_code is Table.apply.__code__
        if event == ("opcode" if frame.f_trace_opcodes else "line"):
            if passed == at:
                raise KeyboardInterrupt
            passed += 1
        return trace

    earlier = sys.gettrace()
    sys.settrace(trace)
    try:
        table.apply(action)
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(earlier)
    return passed


@pytest.mark.parametrize(
    ("before", "action"),
    [
        ([], ROLL),  # with a tie first
        ([ROLL], ac.Play("8/5 6/5")),
        ([ROLL, ac.TakeStep(8, 5)], ac.TakeStep(6, 5)),
        ([ROLL, ac.TakeStep(8, 5), ac.TakeStep(6, 5)], ac.EndTurn()),
        ([ROLL, ac.Play("8/5 6/5"), ROLL, ac.Play("24/13"), ac.Resign(1)], ac.AcceptResignation()),
        ([ROLL, ac.Play("8/5 6/5"), ROLL, ac.Play("24/13")], ac.Undo()),
        ([ROLL, ac.Play("8/5 6/5"), ROLL, ac.Play("24/13"), ac.Undo()], ac.Redo()),
        ([ROLL], ac.ChangeSettings(0, Settings(auto_roll=True, paused=True))),
    ],
    ids=lambda value: "" if isinstance(value, list) else type(value).__name__,
)
def test_an_interrupt_at_any_moment_leaves_the_table_before_the_action_or_after_it(
    before: list[ac.Action], action: ac.Action
) -> None:
    def seen(table: Table) -> tuple[object, ...]:
        return table.to_json(), table._state, table.board(0), table.legal_actions(True), table.settings(0)

    table = table_with(TableOptions(match_length=3), [(2, 2), (3, 1), (6, 5), (4, 2)], bot="hard")
    for earlier in before:
        table.apply(earlier)
    start = table.to_json()
    whole = [seen(table)]
    moments = interrupted(table := Table.from_json(start), action, -1)
    whole.append(seen(table))
    found = set()
    for at in {*range(0, moments, -(-moments // round(30 * SCALE))), *range(moments - 25, moments)}:
        table = Table.from_json(start)
        interrupted(table, action, at)
        found.add(whole.index(seen(table)))
        if seen(table) == whole[0]:
            table.apply(action)
            assert seen(table) == whole[1]
    assert found == {0, 1}, "and there are moments on both sides"


def test_a_large_seed_counts_and_dice_are_fair() -> None:
    large = [SeededDice(2**40 + 5), SeededDice(5)]
    assert [large[0].roll() for _ in range(9)] != [large[1].roll() for _ in range(9)]
    source = SeededDice(1)
    counts = np.zeros((6, 6))
    for _ in range(7200):
        first, second = source.roll()
        counts[first - 1, second - 1] += 1
    assert ((counts - 200) ** 2 / 200).sum() < 70  # chi-square with 35 degrees of freedom: 0.05 % above
    for _ in range(50):
        assert all(1 <= die <= 6 for die in SystemDice().roll())


# Who may do what -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (ac.Resign, (2.0,)), (ac.Resign, (True,)), (ac.Resign, ("2",)), (ac.Resign, (None,)),
        (ac.Resign, (np.int64(2),)),
        (ac.TakeOver, (True,)), (ac.TakeOver, (1.0,)), (ac.TakeOver, (0, 5)), (ac.GiveBack, ("0",)),
        (ac.TimeOut, (0, None)), (ac.Pause, (0.0,)), (ac.Resume, (False,)), (ac.Undo, ("1",)), (ac.Redo, (1.5,)),
        (ac.ChangeSettings, (0, "x")), (ac.ChangeSettings, (0, None)), (Settings, ("no",)), (Settings, (1,)),
        (ac.Play, (5,)), (ac.Play, (None, ("a",))), (ac.Play, (None, 5)), (ac.Play, (None, [0] * 26)),
        (ac.Play, (None, (0.0,) * 26)), (ac.TakeStep, ("8", 5)), (ac.TakeStep, (8, None)), (ac.Roll, ((1, 2, 3),)),
        (ac.Roll, ([3, 1],)), (ac.Roll, (31,)), (Seat, (5,)), (Seat, ("Ann", None)), (ev.Rolled, (True, (3, 1))),
        (ev.Rolled, (0, (3, 1), "nobody")), (ev.Played, (0, (3, 1), "8/5 6/5")),
        (ev.GameEnded, (0, "drop", 1, 1.0, (1, 0))),
    ],
)  # fmt: skip
def test_a_field_of_another_type_is_refused_when_the_record_is_made(kind: Any, fields: tuple[object, ...]) -> None:
    with pytest.raises(TableError, match=r": \w+ should be "):
        kind(*fields)


@pytest.mark.parametrize("play", [None, np.zeros(26), np.full(26, "a"), [[1]]], ids=str)
def test_a_play_of_a_bot_that_is_none_is_refused(play: Any) -> None:
    table = table_with(rolls=[(3, 1)])
    table.apply(ROLL)
    with pytest.raises(TableError):
        table.apply(notation.Play(play, (), "8/5"))


@pytest.mark.parametrize("seat", [2, -1, "0", None, 0.0, True, np.int64(1)])
def test_there_are_two_seats(seat: Any) -> None:
    table = placed(CONTACT)
    for ask in (table.board, table.settings, table.bot_at, lambda one: position_for(table._state, one, table.options)):
        with pytest.raises(TableError, match="the seats are 0 and 1, got"):
            ask(seat)
    if seat is not None:  # a spectator, the host, and whoever the options say
        for ask in (table.view, lambda one: table.apply(ROLL, seat=one), lambda one: Table(light=one)):
            with pytest.raises(TableError, match="the seats are 0 and 1, got"):
                ask(seat)
    for action in (ac.TimeOut, ac.TakeOver, ac.GiveBack, ac.Pause, ac.Resume):
        if type(seat) is int:
            with pytest.raises(IllegalActionError, match="the seats are 0 and 1, got"):
                table.apply(action(seat))


@pytest.mark.parametrize("name", ["Ann", "x", "a" * 40, " Ann ", "名前", 'J. O\'Neill: 3rd; "x"'])
def test_a_name_has_1_to_40_printable_characters(name: str) -> None:
    assert Seat(name).name == name
    assert clean_name(name, "nobody") == name


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("", "nobody"), ("   ", "nobody"), ("\n\t", "nobody"), ("a" * 3000, "a" * 40), ("Ann\x1b[2J", "Ann [2J"),
        ("Ann\nBob", "Ann Bob"), ("\u202eAnn", " Ann"), ("\ud800x", " x"), (" " * 50 + "Ann", "Ann"),
        ("a" + " " * 60 + "b", "a" + " " * 39),
    ],
)  # fmt: skip
def test_another_name_is_refused_or_cleaned(name: str, cleaned: str) -> None:
    with pytest.raises(TableError, match="1 to 40 printable characters") as refused:
        Seat(name)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 120
    assert clean_name(name, "nobody") == cleaned
    assert Seat(cleaned)


def test_what_a_seat_sees_in_a_state_is_what_the_table_shows() -> None:
    table = placed(CONTACT, TableOptions(match_length=7), cube=2, owner=1, score=(3, 2))
    assert position_for(table._state, 0, table.options) == table.position
    other = position_for(table._state, 1, table.options)
    assert other == Position(
        np.negative(CONTACT[::-1]), cube_value=2, cube_owner="mine", match_length=7, score=(2, 3), rules=gr.STANDARD
    )
    table = table_with(TableOptions(match_length=5), [(3, 1), (6, 5)])
    for action in (ROLL, ac.Play("8/5 6/5"), ac.Double()):
        table.apply(action)
    assert position_for(list(table.record.states())[-1], 0, table.options) == table.position
    assert table.position.doubled


def test_seats_do_only_what_is_theirs() -> None:
    table = placed(CONTACT, TableOptions(clock="fast"))
    for action in (ROLL, ac.Double(), ac.Resign()):
        with pytest.raises(IllegalActionError, match="seat 0 has to act, not seat 1"):
            table.apply(action, seat=1)
    with pytest.raises(IllegalActionError, match="for the players"):
        table.apply(ROLL, seat=2)
    for action in (ac.TimeOut(0), ac.TakeOver(1), ac.GiveBack(1)):
        with pytest.raises(IllegalActionError, match="only the host"):
            table.apply(action, seat=1)
    with pytest.raises(IllegalActionError, match="not those of seat 1"):
        table.apply(ac.Pause(0), seat=1)
    with pytest.raises(IllegalActionError, match="not an action"):
        table.apply("roll")  # type: ignore[arg-type]
    computer = against_the_computer()
    with pytest.raises(IllegalActionError, match="only the person"):
        computer.apply(ac.Undo(), seat=1)


def test_an_illegal_action_says_what_is_legal_and_changes_nothing() -> None:
    table = placed(CONTACT)
    before = table.to_json(), table._state
    for action in (ac.Take(), ac.PassTurn(), ac.Play("8/5 6/5"), ac.NextGame(), ac.EndTurn(), ac.TakeStep(8, 5)):
        with pytest.raises(IllegalActionError, match=r"legal are: roll, double, resign 1$"):
            table.apply(action)
    assert (table.to_json(), table._state) == before


def test_an_error_tells_the_other_player_nothing_of_an_unfinished_turn() -> None:
    table = table_with(rolls=[(3, 1)])
    table.apply(ROLL)
    untouched = Table.from_json(table.to_json())
    table.apply(ac.TakeStep(8, 5), seat=0)
    for action in (*EVERY_ACTION, ac.TakeStep(6, 5), ac.Undo()):
        answers = []
        for at in (table, untouched):
            try:
                answers.append(str(at.apply(action, seat=1)))
            except IllegalActionError as error:
                answers.append(str(error))
        assert answers[0] == answers[1]
        assert "legal are" not in answers[0]
    for seat in (0, None):
        with pytest.raises(IllegalActionError, match="legal are: take step 24/23, take step 8/7, take step 6/5"):
            table.apply(ROLL, seat=seat)


@pytest.mark.parametrize("read", ["legal_actions", "next_steps", "position", "board", "view"])
def test_a_table_that_is_read_while_another_thread_changes_it_stays_whole(
    read: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other thread comes in where a value is worked out, before it is kept."""
    table = table_with(rolls=[(3, 1), (6, 5)])
    table.apply(ROLL)
    for step in ((8, 5), (6, 5)) if read == "board" else ():
        table.apply(ac.TakeStep(*step))
    expected = reading(Table.from_json(table.to_json()), read)

    def interleaved(original: Any) -> Any:
        def worked_out(*args: Any) -> Any:
            value = original(*args)
            monkeypatch.undo()
            for action in (ac.EndTurn() if table.steps else ac.Play("8/5 6/5"), ROLL):
                table.apply(action)
            return value

        return worked_out

    for name in ("legal_plays", "next_steps", "position_for", "moved"):
        monkeypatch.setattr(f"gammon_rl.table.table.{name}", interleaved(getattr(table_module, name)))
    assert reading(table, read) == expected
    assert table.dice == (6, 5)
    fresh = Table.from_json(table.to_json())
    for name in ("legal_actions", "next_steps", "position", "board", "view"):
        assert reading(table, name) == reading(fresh, name)


def reading(table: Table, name: str) -> object:
    value = getattr(table, name)
    return value(0) if name in ("board", "view") else value() if callable(value) else value


def test_a_view_lists_what_is_legal_also_where_either_player_may_act() -> None:
    table = table_with(TableOptions(match_length=3), [(3, 1)])
    opening = [{"type": "roll"}]
    assert table.view(0)["legal"] == table.view(1)["legal"] == opening
    assert "legal" not in table.view()
    table.apply(ROLL)
    assert "legal" not in table.view(1)
    table = placed(CONTACT, TableOptions(session=True), phase=Phase.GAME_OVER)
    assert table.view(0)["legal"] == table.view(1)["legal"] == [{"type": "next_game"}, {"type": "end_session"}]


def test_a_spectator_sees_no_private_settings_and_no_unfinished_turn() -> None:
    table = against_the_computer()
    table.apply(ac.TakeStep(8, 4))
    watched, mine, other = table.view(), table.view(0), table.view(1)
    for private in ("settings", "steps", "legal", "undoable", "seat"):
        assert private not in watched
    assert mine["steps"] == ["8/4"]
    assert mine["settings"] == {"auto_bearoff": False, "auto_forced": False}
    assert "steps" not in other
    assert other["settings"] == {}
    assert watched["board"] == mine["board"] == list(table.board(0, steps=False))
    assert len(watched["events"]) == len(table.record.events)
    assert json.loads(json.dumps(mine)) == mine
    let = placed(CONTACT, TableOptions(cube=False))
    let.apply(ac.ChangeSettings(0, Settings(auto_roll=True)))
    assert let.view(0)["events"][-1]["by"] == "table"
    assert "by" not in let.view(1)["events"][-1]
    assert "by" not in let.view()["events"][-1]
    with pytest.raises(TableError, match="watching"):
        Table(TableOptions(watching=False)).view()
    with pytest.raises(TableError, match="seats are 0 and 1"):
        table.view(5)


def test_nobody_has_a_position_while_nobody_acts() -> None:
    with pytest.raises(TableError, match="opening roll"):
        _ = Table().position


def test_the_position_is_that_of_the_player_who_acts() -> None:
    table = placed(CONTACT, TableOptions(match_length=5), score=(1, 3), cube=2, owner=1)
    assert table.position.score == (1, 3)
    table.apply(ac.Resign(1))
    assert table.position.score == (3, 1)
    assert table.position.cube_owner == "mine"
    assert not table.position.doubled


# JSON ------------------------------------------------------------------------------------------------------------

EVERY_ACTION = [
    ac.Roll(), ac.Roll((3, 1)), ac.Play("8/5 6/5"), ac.Play(afterstate=tuple(range(26))), ac.TakeStep(25, 22),
    ac.EndTurn(), ac.Double(), ac.Take(), ac.Drop(), ac.Beaver(), ac.PassTurn(), ac.Resign(2), ac.AcceptResignation(),
    ac.DeclineResignation(), ac.NextGame(), ac.EndSession(), ac.Undo(3), ac.Redo(), ac.Pause(1), ac.Resume(0),
    ac.ChangeSettings(1, Settings(auto_roll=True)), ac.TimeOut(1), ac.TakeOver(0, "hard"), ac.GiveBack(0),
]  # fmt: skip


@pytest.mark.parametrize("action", EVERY_ACTION, ids=lambda action: type(action).__name__)
def test_every_action_has_a_json_form(action: ac.Action) -> None:
    assert ac.action_from_data(json.loads(json.dumps(ac.action_to_data(action)))) == action


@pytest.mark.parametrize(
    "data",
    [
        None, 3, [], {}, {"type": "fly"}, {"type": ["roll"]}, {"type": "roll", "dice": [1]},
        {"type": "roll", "dice": "31"},
        {"type": "roll", "seat": 0}, {"type": "play"}, {"type": "take_step", "start": 8},
        {"type": "resign", "level": True}, {"type": "roll", "dice": [3, 1.0]},
        {"type": "take_step", "start": 8.0, "end": 5}, {"type": "change_settings", "seat": 0, "settings": []},
        {"type": "play", "text": "x", "afterstate": []}, {"type": "roll", 3: 4},
    ],
)  # fmt: skip
def test_what_is_no_action_is_refused(data: object) -> None:
    with pytest.raises(TableError):
        ac.action_from_data(data)


def nested(depth: int) -> object:
    inner: list[object] = []
    for _ in range(depth):
        inner = [inner]
    return inner


@pytest.mark.parametrize("depth", [*range(900, 1000, 9), 100_000])
def test_what_is_nested_deeply_is_refused_as_anything_else(depth: int) -> None:
    inner = nested(depth)
    for data in (inner, {"type": inner}, {"type": "resign", "level": inner}, {"type": "play", "afterstate": [inner]}):
        with pytest.raises(TableError):
            ac.action_from_data(data)
    with pytest.raises(IllegalActionError):
        Table().apply(inner)  # type: ignore[arg-type]
    for where in (
        "version", "dice", "again.0", "steps", "undone.0", "settings.0", "pauses.0", "record", "record.light",
        "record.seats.0", "record.seats.0.name", "record.options.variant", "record.options.cube", "record.events.0",
        "record.events.2.dice.0", "dice.type", "dice.rolls",
    ):  # fmt: skip
        data = json.loads(against_the_computer().to_json())
        data["again"], data["undone"] = [[1, 1]], [[]]
        with pytest.raises(TableError):
            Table.from_data(put(data, where, inner))
        if depth < 1000:  # in JSON there is a place where the reader itself gives up, and one where only we do
            text = json.dumps(put(data, where, "HERE")).replace('"HERE"', "[" * depth + "]" * depth)
            with pytest.raises(TableError):
                Table.from_json(text)


def put(data: Any, where: str, what: object) -> Any:
    """Return JSON data in which something else stands somewhere."""
    *path, last = (int(part) if part.isdigit() else part for part in where.split("."))
    inner = data
    for part in path:
        inner = inner[part]
    inner[last] = what
    return data


@pytest.mark.parametrize(
    ("where", "what"),
    [
        ("version", True), ("version", 1.0), ("record.light", True), ("record.light", 0.0), ("again", [[True, 1]]),
        ("dice", {"type": "recorded", "rolls": [[True, 1]]}), ("dice", {"type": "recorded", "rolls": [[1.0, 1]]}),
        ("dice.has_uint32", 2.5), ("dice.has_uint32", 2), ("dice.has_uint32", True), ("dice.uinteger", -1),
        ("dice.uinteger", 2**32), ("dice.uinteger", 0.0), ("dice.inc", "2"), ("dice.inc", 3), ("dice.inc", "-3"),
        ("dice.state", "\u0663"), ("dice.state", " 1"), ("dice.state", "1_0"), ("dice.state", 2.0),
        ("dice.state", str(2**128)),
    ],
)  # fmt: skip
def test_json_is_taken_at_its_word(where: str, what: object) -> None:
    table = Table(dice=5)
    data = json.loads(table.to_json())
    data["again"] = []
    assert Table.from_data(data) == table
    with pytest.raises(TableError):
        Table.from_json(json.dumps(put(data, where, what)))


def test_a_record_says_of_the_table_only_what_it_may_decide() -> None:
    for cube, refused in ((False, ""), (True, r"event 3, .* may double")):
        table = table_with(TableOptions(cube=cube), [(3, 1), (6, 5)])
        for action in (ROLL, ac.Play("8/5 6/5"), ROLL):
            table.apply(action)
        *events, _ = table.record.events
        record = table.record.with_events((*events, ev.Rolled(1, (6, 5), "table")))
        if not refused:
            assert record.check()
            continue
        with pytest.raises(TableError, match=refused):
            record.check()
    chosen = replace(events[2], by="table")  # type: ignore[call-arg]
    with pytest.raises(TableError, match=r"event 2, .* one of 16 plays"):
        record.with_events((*events[:2], chosen)).check()
    shut = position("bar 6x5 8x5 13x4", "19x2 20x2 21x2 22x2 23x2 12x5")
    forced = placed(shut, TableOptions(cube=False), rolls=[(3, 2)], manual=False)
    assert forced.apply(ROLL)[1] == ev.Played(0, (3, 2), (), "table"), "a play without a choice is the table's"


def test_steps_of_a_record_in_another_order_are_put_in_the_order_of_the_table() -> None:
    table = against_the_computer()
    text = table.to_json()
    table.apply(ac.Undo(1))
    for told in (text, table.to_json()):
        original = Table.from_json(told)
        data = json.loads(told)
        for events in (data["record"]["events"], *(item["events"] for item in data["undone"])):
            for event in events:
                if event["type"] == "played":
                    event["steps"] = " ".join(reversed(event["steps"].split(" ")))
        assert json.dumps(data, separators=(",", ":")) != told
        assert Table.from_json(json.dumps(data)) == original
        assert Table.from_json(json.dumps(data)).to_json() == told


def damaged() -> list[tuple[str, object]]:
    """Return changes to a table's JSON as (where, what to write there)."""
    return [
        ("version", 2), ("format", "chess"), ("dice", {"type": "seeded", "state": "x", "inc": "1"}), ("dice", 3),
        ("settings", []), ("settings", [{}, {"paused": 1}]), ("pauses", [[1]]), ("pauses", [["1"], []]),
        ("steps", "13/7"), ("steps", "nonsense"),
        ("again", [[1, 9]]),
        ("undone", [3]), ("undone", [{"events": [], "steps": "8/5"}]), ("record", {}), ("record.light", 2),
        ("record.seats", [{"name": "A"}]), ("record.seats.0", {"name": 3}), ("record.options", {"match_length": 99}),
        ("record.options", {"variant": "chess"}), ("record.options", {"cube": 1}), ("record.events", []),
        ("record.events.1", {"type": "opening_rolled", "dice": [3, 3]}),
        ("record.events.1", {"type": "opening_rolled", "dice": [3, 7]}),
        ("record.events.1", {"type": "opening_rolled", "dice": [1, 3]}),
        ("record.events.1", {"type": "opening_rolled", "dice": [3, 1], "cube": 2}),
        ("record.events.1", {"type": "undone", "events": 3}),
        ("record.events.2.steps", "8/4"), ("record.events.2.steps", "8/5"), ("record.events.2.steps", "8/5* 6/5"),
        ("record.events.2.steps", ""), ("record.events.2.steps", "9/6 6/5"), ("record.events.2.steps", "8/5 8/5"),
        ("record.events.2.seat", 1), ("record.events.2.dice", [3, 2]), ("record.events.2.by", "bot"),
        ("record.events.2.by", "nobody"), ("record.events.3", {"type": "doubled", "seat": 1, "cube": 4}),
        ("record.events.3", {"type": "taken", "seat": 0, "cube": 2}), ("record.events.3.by", "bot"),
        ("record.events.3", {"type": "match_ended", "winner": None, "score": [0, 0]}),
        ("record.events.3", {"type": "timed_out", "seat": 1}),
        ("record.events.3", {"type": "seat_given_back", "seat": 0}),
        ("record.events.3", {"type": "seat_taken_over", "seat": 1, "bot": "x"}),
    ]  # fmt: skip


@pytest.mark.parametrize(("where", "what"), damaged(), ids=lambda value: str(value)[:40])
def test_a_damaged_or_impossible_table_is_refused(where: str, what: object) -> None:
    data = put(json.loads(against_the_computer().to_json()), where, what)
    with pytest.raises(TableError) as refused:
        Table.from_json(json.dumps(data))
    assert len(str(refused.value)) > 10


def test_a_truncated_table_is_refused() -> None:
    text = against_the_computer().to_json()
    for length in range(0, len(text), 37):
        with pytest.raises(TableError):
            Table.from_json(text[:length])
    with pytest.raises(TableError):
        Table.from_json(b"\xff\xfe\x00")


def test_a_record_that_breaks_off_before_what_follows_is_refused() -> None:
    table = placed(CONTACT)
    table = table_with(rolls=[(3, 1), (6, 5)])
    table.apply(ROLL)
    play_any(table)
    table.apply(ac.Double())
    table.apply(ac.Drop())
    data = json.loads(table.to_json())
    data["record"]["events"] = data["record"]["events"][:-2]
    with pytest.raises(TableError, match="breaks off"):
        Table.from_json(json.dumps(data))
    assert Table.replay(table.record, upto=len(table.record.events) - 2).is_over, "a replay does what follows"


def test_a_replay_stops_at_any_event() -> None:
    table = against_the_computer()
    events = table.record.events
    for upto in range(1, len(events) + 1):
        part = Table.replay(table.record, upto)
        assert part.record.events == events[:upto]
    assert part._state == table._state
    with pytest.raises(TableError, match="upto"):
        Table.replay(table.record, 99)


def test_options_and_seats_are_checked() -> None:
    for wrong in (
        {"variant": "chess"}, {"match_length": -1}, {"match_length": 5.0}, {"cube": 1}, {"clock": "blitz"},
        {"colour": "red"}, {"on_timeout": "wait"}, {"automatic_doubles": -1}, {"on_rematch": None},
    ):  # fmt: skip
        with pytest.raises(TableError, match=next(iter(wrong))):
            TableOptions(**wrong)  # type: ignore[arg-type]
    with pytest.raises(TableError, match="two seats"):
        Table(None, [Seat("Ann")])
    with pytest.raises(TableError):
        Table(light=2)
    for seed in (-1, 1.5, "1", True):
        with pytest.raises(TableError):
            SeededDice(seed)  # type: ignore[arg-type]
    with pytest.raises(TableError, match="two seats"):
        Table(None, 5)  # type: ignore[arg-type]
    with pytest.raises(TableError, match="TableOptions"):
        Table("x")  # type: ignore[arg-type]
    with pytest.raises(TableError, match="Record"):
        Table.replay("x")  # type: ignore[arg-type]
    with pytest.raises(TableError, match="upto"):
        Table.replay(Table().record, "1")  # type: ignore[arg-type]
    with pytest.raises(TableError, match="source or a seed"):
        Table(dice="31")  # type: ignore[arg-type]
    for nothing in (None, 3, b"", "[]", "null"):
        with pytest.raises(TableError):
            Table.from_json(nothing)  # type: ignore[arg-type]


# The page --------------------------------------------------------------------------------------------------------


def test_the_page_for_server_developers_runs_as_written() -> None:
    assert run_page("table.md") >= 5
