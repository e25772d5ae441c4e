"""The record of a table: who played by which rules, and everything that has happened."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from gammon_rl.errors import TableError
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.steps import play_steps
from gammon_rl.table import events as ev
from gammon_rl.table.data import Data, built, to_data
from gammon_rl.table.options import Seat, TableOptions
from gammon_rl.table.state import Board, State, advance, as_written, checked_seat, first_state, objection, turned


@dataclass(frozen=True)
class GameRecord:
    """One game of a record.

    Attributes
    ----------
    number : int
        From 1.
    score : (int, int)
        Before the game, seat 0 first.
    crawford : bool
        Whether it is the Crawford game.
    events : tuple of Event
        From the opening roll on.
    """

    number: int
    score: tuple[int, int]
    crawford: bool
    events: tuple[ev.Event, ...]

    @property
    def result(self) -> ev.GameEnded | None:
        """How it ended; None while it goes on."""
        return next((event for event in self.events if isinstance(event, ev.GameEnded)), None)


@dataclass(frozen=True)
class Record:
    """Everything that has happened at a table, in order; the table follows from it.

    Attributes
    ----------
    options : TableOptions
        The rules.
    seats : (Seat, Seat)
        Who plays.
    light : int
        The seat with the light checkers.
    events : tuple of Event
        What has happened, without what was undone.
    """

    options: TableOptions
    seats: tuple[Seat, Seat]
    light: int
    events: tuple[ev.Event, ...]

    @property
    def games(self) -> tuple[GameRecord, ...]:
        """The record game by game."""
        starts = [at for at, event in enumerate(self.events) if isinstance(event, ev.GameStarted)]
        games = []
        for at, end in pairwise([*starts, len(self.events)]):
            start = self.events[at]
            assert isinstance(start, ev.GameStarted)
            games.append(GameRecord(start.number, start.score, start.crawford, self.events[at + 1 : end]))
        return tuple(games)

    def with_events(self, events: Iterable[ev.Event]) -> "Record":
        """Return a record of the same table with other events."""
        return replace(self, events=tuple(events))

    def states(self) -> Iterator[State]:
        """Yield the state before the first event and after each one; plays are not asked whether they are legal.

        Raises
        ------
        TableError
            At an event that cannot come there.
        """
        state = first_state(self.options, self.seats)
        yield state
        for number, event in enumerate(self.events):
            state = followed(state, event, self.options, number)
            yield state

    def check(self) -> State:
        """Return the state after the last event, having checked that each could come where it stands.

        The steps of a play may stand in any order, as in `tidy`.

        Raises
        ------
        TableError
            At the first one that could not, or an illegal play; the message has its number, from 0.
        """
        state = first_state(self.options, self.seats)
        plays: list[tuple[int, Board, tuple[int, int], Board]] = []  # number, before, dice, after
        for number, event in enumerate(self.events):
            before, state = state, followed(state, event, self.options, number)
            if isinstance(event, ev.Played):
                plays.append((number, before.board, event.dice, _result(before, state)))
        for number, reason in self._impossible(plays):
            raise TableError(f"impossible record: event {number}, {self.events[number]}, {reason}")
        return state

    def _impossible(self, plays: list[tuple[int, Board, tuple[int, int], Board]]) -> Iterator[tuple[int, str]]:
        """Yield the numbers of the plays that cannot have been made, and why, all of them judged at once."""
        if not plays:
            return
        numbers, boards, dice, afters = zip(*plays, strict=True)
        parents, afterstates = legal_plays(np.array(boards, dtype=np.int8), np.array(dice), self.options.rules)
        wished = np.array(afters, dtype=np.int8)
        legal = np.bincount(parents[(afterstates == wished[parents]).all(axis=1)], minlength=len(plays)) > 0
        results = np.bincount(parents, minlength=len(plays))
        stayed = np.array([turned(board) == after for board, after in zip(boards, afters, strict=True)])
        for number, good, count in zip(numbers, legal | ((results == 0) & stayed), results, strict=True):
            if not good:
                yield number, "is not a legal play"
            elif count > 1 and getattr(self.events[number], "by", "") == "table":
                yield number, f"is one of {count} plays, so the table does not make it"

    def tidy(self) -> "Record":
        """Return the record with the steps of every play as a table writes them; what they come to stays the same.

        Raises
        ------
        TableError
            At an event that cannot come where it stands. Of a record that `check` refuses the rest is not defined.
        """
        events = []
        for event, (before, after) in zip(self.events, pairwise(self.states()), strict=True):
            if isinstance(event, ev.Played):
                steps = play_steps(before.board, event.dice, _result(before, after), self.options.rules)
                event = event if steps == event.steps else replace(event, steps=steps)
            events.append(event)
        return self.with_events(events)

    def to_data(self) -> Data:
        """Return the record as plain data for JSON."""
        return {
            "options": to_data(self.options, typed=False),
            "seats": [to_data(seat, typed=False) for seat in self.seats],
            "light": self.light,
            "events": [ev.event_to_data(event) for event in self.events],
        }

    @classmethod
    def from_data(cls, data: Any) -> "Record":
        """Return the record that plain data says; `check` asks whether it is possible.

        Raises
        ------
        TableError
            If it says none.
        """
        match data:
            case {"options": options, "seats": [one, other], "light": int(light), "events": list(events)}:
                seats = built(Seat, one, "seat 0"), built(Seat, other, "seat 1")
                told = tuple(ev.event_from_data(event) for event in events)
                light = checked_seat(light, "the light checkers are for a seat: ")
                return cls(built(TableOptions, options, "options"), seats, light, told)
        raise TableError("not a record: it should have options, two seats, light (0 or 1) and events")


def _result(before: State, after: State) -> Board:
    """Return the board after a play, turned, also where it has ended the game."""
    return after.board if after.turn != before.turn else turned(after.board)


def followed(state: State, event: ev.Event, options: TableOptions, number: int) -> State:
    """Return the state after an event of a record, or say that it cannot come there."""
    try:
        reason = objection(as_written(state, event), event, options)
        if not reason:
            return advance(state, event, options)
    except TableError as error:
        reason = str(error)
    raise TableError(f"impossible record: event {number}, {event}: {reason}")
