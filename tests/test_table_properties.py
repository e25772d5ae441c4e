"""The table under random legal actions, in all options: what must hold at every event, whatever is done.

``GAMMON_RL_TEST_SCALE=4000`` plays 100,000 random matches; the default of 1 plays 25.
"""

import os
import random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from gammon_rl.errors import IllegalActionError
from gammon_rl.rules.variants import VARIANTS
from gammon_rl.stakes.cube import may_double
from gammon_rl.table import actions as ac, events as ev
from gammon_rl.table.dice import SeededDice
from gammon_rl.table.options import CLOCKS, Seat, Settings, TableOptions
from gammon_rl.table.state import Phase
from gammon_rl.table.table import Table
from tests import reference

SCALE = float(os.environ.get("GAMMON_RL_TEST_SCALE", "1"))

ALL_OPTIONS = st.builds(
    TableOptions,
    variant=st.sampled_from(list(VARIANTS)),
    match_length=st.sampled_from([0, 0, 1, 2, 3, 5, 25]),
    session=st.booleans(),
    cube=st.booleans(),
    crawford=st.booleans(),
    jacoby=st.booleans(),
    beavers=st.booleans(),
    automatic_doubles=st.integers(0, 7),
    colour=st.sampled_from(["light", "dark", "random"]),
    clock=st.sampled_from(list(CLOCKS)),
    on_timeout=st.sampled_from(["bot", "forfeit"]),
)
SEATS = st.sampled_from(
    [(Seat("A"), Seat("B")), (Seat("A"), Seat("B", "hard")), (Seat("A", "easy"), Seat("B", "hard"))]
)


def random_table(options: TableOptions, seats: tuple[Seat, Seat], rng: random.Random) -> Table:
    table = Table(options, seats, SeededDice(rng.getrandbits(64)))
    for seat in (0, 1):
        if seats[seat].is_person:
            wish = Settings(rng.random() < 0.5, rng.random() < 0.5, rng.random() < 0.2)
            table.apply(ac.ChangeSettings(seat, wish))
    return table


def random_action(table: Table, rng: random.Random, eager: float) -> ac.Action:
    """Return a random legal action; `eager` is how gladly they double, resign, drop and end a session."""
    actions = table.legal_actions(stepwise=rng.random() < 0.1)
    action = rng.choice(actions)
    if isinstance(action, ac.Double | ac.Resign | ac.Drop | ac.AcceptResignation | ac.EndSession) and len(actions) > 1:
        calm = [other for other in actions if not isinstance(other, ac.Double | ac.Resign | ac.Drop | ac.EndSession)]
        return action if rng.random() < eager or not calm else rng.choice(calm)
    return action


def random_disturbance(table: Table, rng: random.Random) -> ac.Action | None:
    """Return something that a person or the host may do besides, if anything."""
    seat = rng.randrange(2)
    running = table.running_time
    own = table.seats[seat].is_person
    possible = [
        ac.TimeOut(running.seat) if running and rng.random() < 0.3 else None,
        ac.TakeOver(seat, "normal") if own and not table.is_over and table.bot_at(seat) == "" else None,
        ac.Pause(seat) if own else None,
        ac.Resume(seat) if own else None,
        ac.ChangeSettings(seat, Settings(rng.random() < 0.5, rng.random() < 0.5)) if own else None,
        ac.Undo(rng.randint(1, table.undoable)) if table.undoable else None,
        ac.Redo(rng.randint(1, table.redoable)) if table.redoable else None,
    ]
    taken = [event for event in table.record.events if isinstance(event, ev.SeatTakenOver | ev.SeatGivenBack)]
    mine = [event for event in taken if event.seat == seat]
    if mine and isinstance(mine[-1], ev.SeatTakenOver):
        return ac.GiveBack(seat)
    return rng.choice(possible)


def check(table: Table) -> None:
    """Assert what must hold in every state."""
    rules = table.options.rules
    board = np.array(table.board(0))
    mine, theirs = int(board[board > 0].sum()), int(-board[board < 0].sum())
    assert 0 <= mine <= rules.checkers
    assert 0 <= theirs <= rules.checkers
    assert table.board(1) == tuple((-board[::-1]).tolist())
    assert table.cube in (1, 2, 4, 8, 16, 32, 64)
    ended = [event for event in table.record.events if isinstance(event, ev.GameEnded)]
    for seat in (0, 1):
        assert table.score[seat] == sum(event.points for event in ended if event.winner == seat)
    for event in ended:
        assert event.points >= 1
    assert bool(table.legal_actions()) is not table.is_over
    length = table.options.match_length
    if length:
        assert table.is_over is (max(table.score) >= length)
        assert sum(game.crawford for game in table.record.games) <= 1
    if table.crawford or not table.options.cube:
        assert table.cube_owner is None
        assert not table.may_double
    if table.to_act is not None:
        position = table.position
        assert position.board.tolist() == list(table.board(table.to_act, steps=False))
        if table.options.cube and table.phase in (Phase.TO_ROLL, Phase.CLOSED_BOARD):
            assert table.may_double is may_double(position)
    assert table.record.check()


def play_on(table: Table, rng: random.Random, actions: int, eager: float, disturbed: float = 0.0) -> list[ev.Notice]:
    """Do random things and return what was told."""
    told: list[ev.Notice] = []
    for _ in range(actions):
        if table.is_over:
            break
        action = random_disturbance(table, rng) if rng.random() < disturbed else None
        told += table.apply(action or random_action(table, rng, eager))
    return told


@settings(max_examples=round(12 * min(SCALE, 40)), deadline=None)
@given(ALL_OPTIONS, SEATS, st.randoms(use_true_random=False), st.sampled_from([0.0, 0.1, 1.0]))
def test_what_must_hold_holds_and_json_continues_at_every_event(
    options: TableOptions, seats: tuple[Seat, Seat], rng: random.Random, eager: float
) -> None:
    table = random_table(options, seats, rng)
    for _ in range(30):
        check(table)
        again = Table.from_json(table.to_json())
        assert again == table
        assert again._state == table._state
        assert again.legal_actions() == table.legal_actions()
        if table.is_over:
            break
        action = (random_disturbance(table, rng) if rng.random() < 0.3 else None) or random_action(table, rng, eager)
        assert again.apply(action) == table.apply(action)
        assert again.to_json() == table.to_json()


@settings(max_examples=round(10 * min(SCALE, 40)), deadline=None)
@given(ALL_OPTIONS, SEATS, st.randoms(use_true_random=False))
def test_a_replay_is_the_original_at_every_event(
    options: TableOptions, seats: tuple[Seat, Seat], rng: random.Random
) -> None:
    table = random_table(options, seats, rng)
    states = {len(table.record.events): table._state}
    for _ in range(40):
        if table.is_over:
            break
        play_on(table, rng, 1, 0.1, 0.1)
        states = {length: state for length, state in states.items() if length < len(table.record.events)}  # undone
        states[len(table.record.events)] = table._state
    for length, state in states.items():
        part = Table.replay(table.record, length)
        assert part._state == state
        assert part.record.events == table.record.events[:length]
    assert sum(1 + len(game.events) for game in table.record.games) == len(table.record.events)


@settings(max_examples=round(10 * min(SCALE, 40)), deadline=None)
@given(ALL_OPTIONS, st.randoms(use_true_random=False))
def test_undo_then_redo_is_the_original_and_the_dice_come_again(options: TableOptions, rng: random.Random) -> None:
    table = random_table(options, (Seat("A"), Seat("B", "hard")), rng)
    for _ in range(6):
        play_on(table, rng, 8, 0.1, 0.05)
        if not table.undoable:
            continue
        before, state = table.to_json(), table._state
        rolls = tuple(event.dice for event in table.record.events if isinstance(event, ev.Rolled | ev.OpeningRolled))
        count = rng.randint(1, table.undoable)
        table.apply(ac.Undo(count))
        check(table)
        left = tuple(event.dice for event in table.record.events if isinstance(event, ev.Rolled | ev.OpeningRolled))
        assert left + table._again[: len(rolls) - len(left)] == rolls
        if rng.random() < 0.7:
            table.apply(ac.Redo(count))
            assert table.to_json() == before
            assert table._state == state


@settings(max_examples=round(10 * min(SCALE, 40)), deadline=None)
@given(ALL_OPTIONS, SEATS, st.randoms(use_true_random=False))
def test_stepwise_equals_at_once(options: TableOptions, seats: tuple[Seat, Seat], rng: random.Random) -> None:
    table = random_table(options, seats, rng)
    twin = Table.from_json(table.to_json())
    for _ in range(25):
        if table.is_over:
            break
        if table.phase is not Phase.TO_PLAY:
            action = random_action(table, rng, 0.1)
            assert table.apply(action) == twin.apply(action)
            continue
        while table.legal_actions(stepwise=True)[-1] != ac.EndTurn():
            steps = table.legal_actions(stepwise=True)
            assert steps, "the turn cannot be ended, and no step is offered"
            table.apply(rng.choice(steps))
        after = tuple(-count for count in reversed(table.board(table.to_act or 0)))
        assert table.apply(ac.EndTurn()) == twin.apply(ac.Play(afterstate=after))
        assert table.to_json() == twin.to_json()


@settings(max_examples=round(10 * min(SCALE, 40)), deadline=None)
@given(st.sampled_from(list(VARIANTS)), st.randoms(use_true_random=False))
def test_plays_and_results_are_those_of_the_reference(variant: str, rng: random.Random) -> None:
    table = Table(TableOptions(variant=variant, jacoby=False), dice=rng.getrandbits(64))
    for _ in range(20):
        if table.phase is Phase.TO_PLAY and not table.steps:
            board, rules = table.position.board.tolist(), table.options.rules
            assert table.dice is not None
            expected = reference.legal_plays(board, table.dice, rules) or {tuple(-count for count in reversed(board))}
            assert {action.afterstate for action in table.legal_actions() if isinstance(action, ac.Play)} == expected
        play_on(table, rng, 1, 0.0)


@settings(max_examples=round(10 * min(SCALE, 40)), deadline=None)
@given(ALL_OPTIONS, SEATS, st.randoms(use_true_random=False))
def test_what_is_not_listed_is_refused_and_changes_nothing(
    options: TableOptions, seats: tuple[Seat, Seat], rng: random.Random
) -> None:
    table = random_table(options, seats, rng)
    every: list[ac.Action] = [
        ac.Roll(), ac.EndTurn(), ac.Double(), ac.Take(), ac.Drop(), ac.Beaver(), ac.PassTurn(), ac.Resign(1),
        ac.Resign(2), ac.Resign(3), ac.AcceptResignation(), ac.DeclineResignation(), ac.NextGame(), ac.EndSession(),
    ]  # fmt: skip
    for _ in range(20):
        legal = {*table.legal_actions(), *table.legal_actions(stepwise=True)}
        before = table.to_json()
        for action in every:
            if action not in legal:
                with pytest.raises(IllegalActionError):
                    table.apply(action)
        assert table.to_json() == before
        play_on(table, rng, 1, 0.3)


@pytest.mark.parametrize("seed", range(5))
def test_random_matches(seed: int) -> None:
    rng = random.Random(seed)
    variants = list(VARIANTS)
    for number in range(round(5 * SCALE)):
        options = TableOptions(
            variant=variants[number % 5],
            match_length=rng.choice([0, 1, 3, 5, 7]),
            cube=rng.random() < 0.9,
            crawford=rng.random() < 0.9,
            jacoby=rng.random() < 0.5,
            beavers=rng.random() < 0.5,
            automatic_doubles=rng.choice([0, 0, 1, 3]),
            clock=rng.choice(["none", "fast"]),
            on_timeout=rng.choice(["bot", "forfeit"]),
        )
        seats = (Seat("A"), Seat("B", rng.choice(["", "hard"])))
        table = random_table(options, seats, rng)
        eager = rng.choice([1.0, 0.3, 0.05])
        while not table.is_over:
            play_on(table, rng, 50, eager, disturbed=0.005)
        check(table)
        assert Table.from_json(table.to_json()) == table
