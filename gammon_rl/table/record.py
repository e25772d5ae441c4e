"""The record of a table: who played by which rules, and everything that has happened."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from gammon_rl.errors import TableError
from gammon_rl.rules.plays import legal_plays
from gammon_rl.table import events as ev
from gammon_rl.table.data import Data, built, to_data
from gammon_rl.table.options import Seat, TableOptions
from gammon_rl.table.state import Board, State, advance, first_state, objection, turned


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

        Raises
        ------
        TableError
            At the first one that could not, or an illegal play; the message has its number, from 0.
        """
        state = first_state(self.options, self.seats)
        plays: list[tuple[int, Board, tuple[int, int], Board]] = []
        for number, event in enumerate(self.events):
            before, state = state, followed(state, event, self.options, number)
            if isinstance(event, ev.Played):
                after = state.board if state.turn != before.turn else turned(state.board)
                plays.append((number, before.board, event.dice, after))
        for number in self._illegal(plays):
            raise TableError(f"impossible record: event {number}, {self.events[number]}, is not a legal play")
        return state

    def _illegal(self, plays: list[tuple[int, Board, tuple[int, int], Board]]) -> list[int]:
        """Return the numbers of the plays that are not legal, all of them judged at once."""
        if not plays:
            return []
        numbers, boards, dice, afters = zip(*plays, strict=True)
        parents, afterstates = legal_plays(np.array(boards, dtype=np.int8), np.array(dice), self.options.rules)
        wished = np.array(afters, dtype=np.int8)
        legal = np.bincount(parents[(afterstates == wished[parents]).all(axis=1)], minlength=len(plays)) > 0
        dances = np.bincount(parents, minlength=len(plays)) == 0
        stayed = np.array([turned(board) == after for board, after in zip(boards, afters, strict=True)])
        return [number for number, good in zip(numbers, legal | (dances & stayed), strict=True) if not good]

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
            case {"options": options, "seats": [one, other], "light": 0 | 1 as light, "events": list(events)}:
                seats = built(Seat, one, "seat 0"), built(Seat, other, "seat 1")
                told = tuple(ev.event_from_data(event) for event in events)
                return cls(built(TableOptions, options, "options"), seats, int(light), told)
        raise TableError("not a record: it should have options, two seats, light (0 or 1) and events")


def followed(state: State, event: ev.Event, options: TableOptions, number: int) -> State:
    """Return the state after an event of a record, or say that it cannot come there."""
    try:
        reason = objection(state, event, options)
        if not reason:
            return advance(state, event, options)
    except TableError as error:
        reason = str(error)
    raise TableError(f"impossible record: event {number}, {event}: {reason}")
