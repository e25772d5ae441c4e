"""The table: one game, match or session as a value that knows every rule and refuses what they do not allow."""

import json
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, replace
from functools import wraps
from itertools import islice
from typing import Any, Concatenate, Final, NamedTuple, ParamSpec, TypeVar, get_args

import numpy as np

from gammon_rl.errors import GammonError, IllegalActionError, TableError
from gammon_rl.rules import notation
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.position import Position
from gammon_rl.rules.steps import HOME, Step, next_steps, play_steps
from gammon_rl.table import actions as ac, events as ev
from gammon_rl.table.data import Data, built, short, to_data, type_name
from gammon_rl.table.dice import (
    DiceSource,
    HandDice,
    SeededDice,
    can_be_copied,
    checked_roll,
    dice_from_data,
    light_seat,
)
from gammon_rl.table.options import Seat, Settings, TableOptions
from gammon_rl.table.record import Record
from gammon_rl.table.state import (
    Board,
    Phase,
    advance,
    bot_at,
    checked_seat,
    decided_by,
    first_state,
    match_ended,
    moved,
    next_game,
    objection,
    opening,
    position_for,
    to_act,
    turned,
    why_no_double,
    with_seat,
)

FORMAT: Final = "gammon_rl table"
VERSION: Final = 1

_T = TypeVar("_T")
_P = ParamSpec("_P")

_ANY_ROLL: Final = tuple((first, second) for first in range(1, 7) for second in range(1, 7))
_SORTED_ROLLS: Final = tuple(roll for roll in _ANY_ROLL if roll[0] >= roll[1])


class RunningTime(NamedTuple):
    """Whose time is running, and how many seconds they have for it."""

    seat: int
    seconds: int


class _Undone(NamedTuple):
    """What one undoing has taken away: events with the unfinished turn after them, or one step."""

    events: tuple[ev.Event, ...]
    steps: tuple[Step, ...]


@dataclass(slots=True)
class _Cache:
    """What was worked out for the present state. It is filled, and replaced as a whole when anything changes."""

    legal: tuple[Board, ...] | None = None
    actions: tuple[ac.TurnAction, ...] | None = None
    position: Position | None = None
    next_steps: tuple[Step, ...] | None = None
    now: Board | None = None


def _at_one_moment(
    read: Callable[Concatenate["Table", _P], _T],
) -> Callable[Concatenate["Table", _P], _T]:
    """Let a method read a copy of the table, so that all it reads is of one moment while another thread changes it."""

    @wraps(read)
    def reading(table: "Table", /, *args: _P.args, **named: _P.kwargs) -> _T:
        return read(copy(table), *args, **named)

    return reading


class Table:
    """A table: who plays by which rules, what has happened, and what may be done now.

    A table is changed by `apply` alone, and by each action wholly or not at all, even if it is interrupted. It compares
    by its JSON. One thread at a time may change it; others may read it meanwhile.

    Parameters
    ----------
    options : TableOptions, optional
        The rules; by default a single game for money.
    seats : two Seats, optional
        Who plays; by default two persons. Seat 0 is the host's.
    dice : DiceSource or int, optional
        Where the dice come from, or the seed of a generator; by default a generator with a seed that nobody knows.
        A source that can be copied is left as it is: the table draws from copies, so every table needs one of its own.
    light : int, optional
        The seat with the light checkers; by default as the options say.

    Raises
    ------
    TableError
        If a parameter is impossible.

    Examples
    --------
    >>> from gammon_rl.table.actions import Play, Roll
    >>> from gammon_rl.table.dice import RecordedDice
    >>> table = Table(TableOptions(match_length=3), dice=RecordedDice([(3, 1), (6, 5)]))
    >>> table.apply(Roll())
    (OpeningRolled(dice=(3, 1), cube=1),)
    >>> table.to_act, table.phase.value, len(table.legal_actions())
    (0, 'to play', 16)
    >>> [event.text for event in table.apply(Play("8/5 6/5"))]
    ['8/5 6/5']
    >>> table.apply(Play("24/13"))
    Traceback (most recent call last):
        ...
    gammon_rl.errors.IllegalActionError: play is not legal now: the table is at: to roll or double; legal are: roll, \
double, resign 1, resign 2, resign 3
    >>> Table.from_json(table.to_json()) == table
    True
    """

    def __init__(
        self,
        options: TableOptions | None = None,
        seats: Iterable[Seat] = (Seat("Player 1"), Seat("Player 2")),
        dice: DiceSource | int | None = None,
        *,
        light: int | None = None,
    ) -> None:
        self._options = TableOptions() if options is None else options
        if not isinstance(self._options, TableOptions):
            raise TableError(f"the options of a table are TableOptions, got {short(options)}")
        self._seats = _two_seats(seats)
        self._dice: DiceSource = SeededDice(dice) if dice is None or isinstance(dice, int) else dice
        if not all(hasattr(self._dice, name) for name in ("ready", "roll", "to_data")):
            raise TableError(f"dice come from a source or a seed, got {short(dice)}")
        if light is None:
            by_lot = self._options.colour == "random"
            light = light_seat(self._dice) if by_lot else int(self._options.colour == "dark")
        # Nothing of this is ever changed in place, so that a shallow copy of a table is a draft of what it will be.
        self._light = checked_seat(light, "the light checkers are for a seat: ")
        self._settings = Settings(), Settings()  # without pauses
        self._pauses: tuple[frozenset[int], frozenset[int]] = frozenset(), frozenset()  # the games they were made in
        self._events: tuple[ev.Event, ...] = ()
        self._steps: tuple[Step, ...] = ()
        self._undone: tuple[_Undone, ...] = ()
        self._again: tuple[tuple[int, int], ...] = ()  # rolls that were undone and come again
        self._drawn: tuple[tuple[int, int], ...] = ()  # rolls of this action from a source that cannot be copied
        self._asker: int | None = None  # who asks for this action; None is the host
        self._state = first_state(self._options, self._seats)
        self._cache = _Cache()
        self._settle([])

    # What there is to see ----------------------------------------------------------------------------------------

    @property
    def options(self) -> TableOptions:
        """The rules."""
        return self._options

    @property
    def seats(self) -> tuple[Seat, Seat]:
        """Who plays."""
        return self._seats

    @property
    def light(self) -> int:
        """The seat with the light checkers."""
        return self._light

    @property
    def phase(self) -> Phase:
        """What the table waits for."""
        return self._state.phase

    @property
    def turn(self) -> int | None:
        """The seat whose turn it is, also while the other one answers; None before the opening roll."""
        state = self._state
        return None if state.phase is Phase.OPENING else state.turn

    @property
    def to_act(self) -> int | None:
        """The seat that has to act; None where either may (opening roll, next game), or when all is over."""
        return to_act(self._state)

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll to be played; None if there is none."""
        return self._state.dice

    @property
    def cube(self) -> int:
        """The value of the cube; while a double is on offer, that before it."""
        return self._state.cube

    @property
    def cube_owner(self) -> int | None:
        """The seat that owns the cube; None while it is in the centre, or if there is none."""
        return self._state.owner

    @property
    def resignation(self) -> int:
        """The level of the resignation on offer: 1, 2 or 3; 0 if there is none."""
        return self._state.level

    @property
    def score(self) -> tuple[int, int]:
        """The points so far, seat 0 first."""
        return self._state.score

    @property
    def game(self) -> int:
        """The number of the game, from 1."""
        return self._state.game

    @property
    def crawford(self) -> bool:
        """Whether it is the Crawford game."""
        return self._state.crawford

    @property
    def result(self) -> ev.GameEnded | None:
        """How the last finished game ended."""
        return self._state.result

    @property
    def is_over(self) -> bool:
        """Whether the match, session or single game is over."""
        return self.phase is Phase.MATCH_OVER

    @property
    def record(self) -> Record:
        """Everything that has happened."""
        return Record(self._options, self._seats, self._light, self._events)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the unfinished turn."""
        return self._steps

    @_at_one_moment
    def board(self, seat: int, steps: bool = True) -> Board:
        """Return the checkers as a seat sees them, a tuple of 26; with the steps of an unfinished turn or without."""
        board = self._now if steps else self._state.board
        return board if checked_seat(seat) == self._state.turn else turned(board)

    @property
    @_at_one_moment
    def position(self) -> Position:
        """What the player sees who has to act, for a bot or for analysis.

        Steps of an unfinished turn are not in it. While a resignation is on offer it is the view of the player who
        answers, and the other one is on roll. It cannot say that there is no cube; `legal_actions` knows.

        Raises
        ------
        TableError
            If nobody has to act.
        """
        cache = self._cache
        if cache.position is None:
            seat = self.to_act
            if seat is None:
                raise TableError(f"nobody has to act: the table is at: {self.phase}")
            cache.position = position_for(self._state, seat, self._options)
        return cache.position

    def bot_at(self, seat: int) -> str:
        """Return the level of the bot that acts for a seat now; empty if its person does.

        A seat can belong to a bot, a bot can have taken it over, or it finishes the turn of a player whose time was up.
        """
        return bot_at(self._state, checked_seat(seat))

    @property
    @_at_one_moment
    def running_time(self) -> RunningTime | None:
        """Whose time is running and how long it is; None without a clock, or while no person has to act."""
        seat, seconds = self.to_act, self._options.seconds
        if seat is None or seconds is None or self.bot_at(seat):
            return None
        return RunningTime(seat, seconds)

    @_at_one_moment
    def settings(self, seat: int) -> Settings:
        """Return the own settings of the person at a seat."""
        settings = self._settings[checked_seat(seat)]
        return replace(settings, paused=True) if self._pausable in self._pauses[seat] else settings

    @property
    def _pausable(self) -> int:
        """The number of the game that a pause is for: this one, or between two games the next."""
        return self._state.game + (self.phase in (Phase.GAME_OVER, Phase.MATCH_OVER))

    @property
    @_at_one_moment
    def may_double(self) -> bool:
        """Whether the player who has to act may double."""
        return self.phase in (Phase.TO_ROLL, Phase.CLOSED_BOARD) and not why_no_double(self._state, self._options)

    @property
    @_at_one_moment
    def plays(self) -> tuple[notation.Play, ...]:
        """The legal plays with their steps and texts, distinct results only; a dance if there is none.

        Empty unless a turn is to be played.
        """
        if self.dice is None:
            return ()
        board, rules = self._state.board, self._options.rules
        return tuple(notation.play_of(board, self.dice, after, rules) for after in self._legal)

    @_at_one_moment
    def next_steps(self) -> tuple[Step, ...]:
        """Return the steps that may be taken now: those with which some legal play goes on."""
        if self.dice is None:
            return ()
        cache = self._cache
        if cache.next_steps is None:
            offers = next_steps(self._state.board, self.dice, self._steps, self._options.rules)
            cache.next_steps = tuple(offer.step for offer in offers)
        return cache.next_steps

    @property
    @_at_one_moment
    def undoable(self) -> int:
        """How many steps and decisions can be undone."""
        if self._why_no_undo():
            return 0
        return len(self._steps) * self._steps_are_mine + len(self._decisions())

    @property
    @_at_one_moment
    def redoable(self) -> int:
        """How many undone steps and decisions can be done again."""
        return 0 if self._why_no_undo() else len(self._undone)

    @_at_one_moment
    def view(self, seat: int | None = None) -> Data:
        """Return what a spectator may see, or a player, as plain data for JSON.

        Neither holds dice that are not rolled, or another person's settings or unfinished turn.

        Parameters
        ----------
        seat : int, optional
            The player; None for a spectator.

        Raises
        ------
        TableError
            If there is no such seat, or spectators are not allowed.
        """
        if seat is None and not self._options.watching:
            raise TableError("watching is not allowed at this table")
        if seat is not None:
            checked_seat(seat)
        state, running = self._state, self.running_time
        seen = tuple(ev.seen_by(event, seat) for event in self._events)
        view: Data = {
            **self.record.with_events(seen).to_data(),
            "phase": state.phase.value,
            "turn": self.turn,
            "to_act": self.to_act,
            "board": list(self.board(0, steps=False)),  # as seat 0 sees it
            "dice": None if state.dice is None else list(state.dice),
            "cube": state.cube if self._options.cube else None,
            "cube_owner": state.owner,
            "resignation": state.level,
            "score": list(state.score),
            "game": state.game,
            "crawford": state.crawford,
            "bots": [self.bot_at(0), self.bot_at(1)],
            "running_time": running and {"seat": running.seat, "seconds": running.seconds},
        }
        if seat is not None:
            view["seat"] = seat
            view["settings"] = to_data(self.settings(seat), typed=False)
            view["undoable"], view["redoable"] = self.undoable, self.redoable
            if self.to_act in (None, seat) and not self.bot_at(seat):
                view |= self.choices()
        return view

    @_at_one_moment
    def choices(self) -> Data:
        """Return what whoever has to act may do, as plain data for JSON: for them, and for the host.

        Returns
        -------
        dict
            ``steps``, those taken in this turn, and ``next_steps``, those that may be taken now, as texts such as
            ``8/5``; and ``legal``, the actions of `legal_actions`, whole plays as texts.
        """
        whole = self.phase is Phase.TO_PLAY and not self._steps
        actions = [ac.Play(one.text) for one in self.plays] if whole else self.legal_actions()
        return {
            "steps": [notation.format_play([step]) for step in self._steps],
            "next_steps": [notation.format_play([step]) for step in self.next_steps()],
            "legal": [ac.action_to_data(action) for action in actions],
        }

    # What may be done --------------------------------------------------------------------------------------------

    @_at_one_moment
    def legal_actions(self, stepwise: bool = False) -> tuple[ac.TurnAction, ...]:
        """Return everything the player who has to act may do, or either player where nobody has to.

        Besides, a person may always change settings, undo and redo (`undoable`, `redoable`), and the host may inject
        what happens to seats.

        Parameters
        ----------
        stepwise : bool
            List the steps that may be taken, and the end of the turn if it is complete, instead of whole plays; both
            are allowed. Once a step is taken the turn goes on by steps.

        Returns
        -------
        tuple of actions
            Empty only when all is over.
        """
        if not stepwise and not self._steps:
            cache = self._cache
            if cache.actions is None:
                cache.actions = self._legal_actions(False)
            return cache.actions
        return self._legal_actions(True)

    def _legal_actions(self, stepwise: bool) -> tuple[ac.TurnAction, ...]:
        match self.phase:
            case Phase.TO_PLAY if stepwise:
                steps = tuple(ac.TakeStep(step.start, step.end) for step in self.next_steps())
                return (*steps, ac.EndTurn()) if self._is_complete else steps
            case Phase.TO_PLAY:
                return tuple(ac.Play.known(afterstate=after) for after in self._legal)
            case Phase.OPENING:
                return self._rolls(_ANY_ROLL)
            case Phase.TO_ROLL:
                resignations = (ac.Resign(1), ac.Resign(2), ac.Resign(3))
                return (*self._rolls(_SORTED_ROLLS), *self._allowed(ac.Double(), *resignations))
            case Phase.CLOSED_BOARD:
                return ac.Double(), ac.PassTurn()
            case Phase.DOUBLED:
                return (ac.Take(), ac.Drop(), *self._allowed(ac.Beaver()))
            case Phase.RESIGNING:
                return ac.AcceptResignation(), ac.DeclineResignation()
            case Phase.GAME_OVER:
                return (ac.NextGame(), *self._allowed(ac.EndSession()))
            case Phase.MATCH_OVER:
                return ()

    def _rolls(self, by_hand: Iterable[tuple[int, int]]) -> tuple[ac.TurnAction, ...]:
        if self._by_hand:
            return tuple(ac.Roll(roll) for roll in by_hand)
        return (ac.Roll(),)

    @property
    def _by_hand(self) -> bool:
        """Whether the next roll has to be entered."""
        return isinstance(self._dice, HandDice) and not self._again

    def _allowed(self, *actions: ac.TurnAction) -> tuple[ac.TurnAction, ...]:
        return tuple(action for action in actions if not objection(self._state, self._event_of(action), self._options))

    # What is done ------------------------------------------------------------------------------------------------

    def apply(self, action: ac.Action | notation.Play, seat: int | None = None) -> tuple[ev.Notice, ...]:
        """Do what an action says, and what follows by itself, and return all of it.

        Parameters
        ----------
        action : Action or Play
            An action, or a play as a bot gives it.
        seat : int, optional
            Who asks for it, to be held against who may. None is the host, who may do anything.

        Returns
        -------
        tuple of Notice
            The events that were added to the record; for a step, undo and redo what was done. Changes of settings are
            nobody else's business and say nothing, but what then plays by itself does.

        Raises
        ------
        IllegalActionError
            If the action is not allowed now, or not to this seat; the message says why, and what is legal to the
            host and the player who has to act. Nothing has changed.
        TableError
            If the dice have run out, or a field of a bot's play is of another type. Nothing has changed.
        """
        if isinstance(action, notation.Play):
            action = ac.Play(afterstate=tuple(np.ravel(action.afterstate).tolist()))
        if not isinstance(action, _ACTIONS):
            raise IllegalActionError(f"not an action: {short(action)}; there are {', '.join(_ACTION_NAMES)}")
        draft = copy(self)
        draft._drawn, draft._asker = (), seat
        if seat is not None:
            draft._check_seat(action, seat)
        notices: list[ev.Notice] = []
        try:
            draft._do(action, notices)
        except BaseException:
            self._again += draft._drawn
            raise
        self.__dict__ = draft.__dict__  # the whole change is this one assignment: an interrupt comes before it or after
        return tuple(notices)

    def _check_seat(self, action: ac.Action, seat: int) -> None:
        checked_seat(seat, f"{type_name(type(action))} is for the players; ", IllegalActionError)
        if isinstance(action, ac.HostAction):
            raise self._illegal(action, "only the host may do that")
        if isinstance(action, ac.ChangeSettings | ac.Pause | ac.Resume):
            if action.seat != seat:
                raise self._illegal(action, f"the settings of seat {action.seat} are not those of seat {seat}")
        elif isinstance(action, ac.Undo | ac.Redo):
            if not self._seats[seat].is_person:
                raise self._illegal(action, "only the person who plays the computer can go back")
        elif self.to_act not in (None, seat):
            raise self._illegal(action, f"seat {self.to_act} has to act, not seat {seat}")
        elif self.bot_at(seat) and self._seats[seat].is_person:
            raise self._illegal(action, f"a bot plays for seat {seat}")

    def _illegal(self, action: ac.Action, reason: str) -> IllegalActionError:
        message = f"{type_name(type(action))} is not legal now: {reason}"
        if self._asker is None or self.to_act in (None, self._asker):  # what is legal tells of an unfinished turn
            message += f"; legal are: {self._legal_text()}"
        return IllegalActionError(message)

    def _legal_text(self) -> str:
        """Return what may be done, shortly."""
        names: dict[str, int] = {}
        for action in self.legal_actions():
            name = type_name(type(action)).replace("_", " ")
            if isinstance(action, ac.Resign):
                name += f" {action.level}"
            elif isinstance(action, ac.TakeStep):
                name += f" {notation.format_play([Step(action.start, action.end)])}"
            names[name] = names.get(name, 0) + 1
        texts = [name if count == 1 else f"{name} ({count} of them)" for name, count in names.items()]
        return ", ".join(texts) or "nothing, all is over"

    def _do(self, action: ac.Action, notices: list[ev.Notice]) -> None:
        match action:
            case ac.Roll(dice=dice):
                self._roll(action, dice, notices)
            case ac.Play():
                self._play(action, self._meant(action), notices)
            case ac.TakeStep(start=start, end=end):
                self._take_step(action, start, end, notices)
                return
            case ac.EndTurn():
                if self.phase is not Phase.TO_PLAY:
                    raise self._illegal(action, f"the table is at: {self.phase}")
                if not self._is_complete:
                    raise self._illegal(action, "the turn is not complete")
                self._play(action, turned(self._now), notices)
            case ac.Undo(count=count):
                self._undo(action, count, notices)
                return
            case ac.Redo(count=count):
                self._redo(action, count, notices)
                return
            case ac.ChangeSettings(seat=seat, settings=settings):
                self._set(action, seat, settings)
            case ac.Pause(seat=seat):
                self._set(action, seat, paused=True)
            case ac.Resume(seat=seat):
                self._set(action, seat, paused=False)
            case _:
                self._record(action, self._event_of(action), notices)
        self._settle(notices)

    def _event_of(self, action: ac.TurnAction | ac.HostAction) -> ev.Event:
        """Return the event an action makes, where the action alone says it; the seat is the one that has to act."""
        state = self._state
        seat = to_act(state)
        seat = state.turn if seat is None else seat
        by = decided_by(state, seat)
        match action:
            case ac.Double():
                return ev.Doubled(seat, 2 * state.cube, by)
            case ac.Take():
                return ev.Taken(seat, 2 * state.cube, by)
            case ac.Beaver():
                return ev.Beavered(seat, 4 * state.cube, by)
            case ac.Drop():
                return ev.Dropped(seat, by)
            case ac.PassTurn():
                return ev.TurnSkipped(seat, by=by)
            case ac.Resign(level=level):
                return ev.ResignationOffered(seat, level, by)
            case ac.AcceptResignation():
                return ev.ResignationAccepted(seat, by)
            case ac.DeclineResignation():
                return ev.ResignationDeclined(seat, by)
            case ac.NextGame():
                return next_game(state, self._options)
            case ac.EndSession():
                return match_ended(state.score)
            case ac.TimeOut(seat=out, bot=bot):
                return ev.TimedOut(out, bot if self._options.on_timeout == "bot" else "")
            case ac.TakeOver(seat=left, bot=bot):
                return ev.SeatTakenOver(left, bot)
            case ac.GiveBack(seat=left):
                return ev.SeatGivenBack(left)
            case ac.Roll() | ac.Play() | ac.TakeStep() | ac.EndTurn():
                raise AssertionError(f"{action} does not say its event alone")

    def _record(self, action: ac.Action, event: ev.Event, notices: list[ev.Notice]) -> None:
        """Add an event that an action makes, unless it cannot come now."""
        reason = objection(self._state, event, self._options)
        if reason:
            raise self._illegal(action, reason)
        self._add(event, notices)

    def _add(self, event: ev.Event, notices: list[ev.Notice]) -> None:
        self._state = advance(self._state, event, self._options)
        self._events += (event,)
        self._steps = ()
        self._undone = ()
        self._cache = _Cache()
        notices.append(event)

    def _set_steps(self, steps: tuple[Step, ...]) -> None:
        self._steps = steps
        self._cache = replace(self._cache, next_steps=None, now=None)

    # Rolling and playing -----------------------------------------------------------------------------------------

    def _roll(self, action: ac.Roll, dice: tuple[int, int] | None, notices: list[ev.Notice]) -> None:
        if self.phase not in (Phase.OPENING, Phase.TO_ROLL):
            raise self._illegal(action, f"the table is at: {self.phase}")
        if dice is not None and not self._by_hand:
            raise self._illegal(action, "the dice are not entered by hand")
        if dice is None and self._by_hand:
            raise self._illegal(action, "the dice are entered by hand, so it has to say what was thrown")
        if self.phase is Phase.TO_ROLL:
            seat = self._state.turn
            roll = self._next_roll() if dice is None else _entered(dice)
            self._add(ev.Rolled(seat, roll, decided_by(self._state, seat)), notices)
            return
        while self.phase is Phase.OPENING:
            roll = self._next_roll() if dice is None else _entered(dice)
            self._add(opening(self._state, roll, self._options), notices)
            if self._by_hand:
                return

    def _next_roll(self) -> tuple[int, int]:
        """Return the next roll: one that was undone comes again."""
        if self._again:
            roll, *rest = self._again
            self._again = tuple(rest)
            return roll
        if can_be_copied(self._dice):
            self._dice = self._dice.copy()
            return checked_roll(self._dice.roll())
        self._drawn += (checked_roll(self._dice.roll()),)
        return self._drawn[-1]

    @property
    def _legal(self) -> tuple[Board, ...]:
        """The results of the legal plays, turned; of a dance the board as it is."""
        cache = self._cache
        if cache.legal is None:
            board = np.array([self._state.board], dtype=np.int8)
            _, afterstates = legal_plays(board, self._state.dice, self._options.rules)  # type: ignore[arg-type]
            cache.legal = tuple(map(tuple, afterstates.tolist())) or (turned(self._state.board),)
        return cache.legal

    @property
    def _now(self) -> Board:
        """The board with the steps of the unfinished turn, as the player sees it who takes them."""
        cache = self._cache
        if cache.now is None:
            cache.now = moved(self._state.board, self._steps) if self._steps else self._state.board
        return cache.now

    @property
    def _is_complete(self) -> bool:
        return turned(self._now) in self._legal

    def _meant(self, action: ac.Play) -> Board:
        """Return the result of a play that is meant, if it is legal."""
        if self.phase is not Phase.TO_PLAY:
            raise self._illegal(action, f"the table is at: {self.phase}")
        if self._steps:
            raise self._illegal(action, "the turn has begun with steps")
        after = action.afterstate
        if after is None:
            try:
                play = notation.parse_play(action.text, self._state.board, self.dice, self._options.rules)  # type: ignore[arg-type]
            except GammonError as error:
                raise IllegalActionError(f"play is not legal now: {error}") from None
            return tuple(play.afterstate.tolist())
        if after not in self._legal:
            raise self._illegal(action, f"with {self.dice} no play leads to that board")
        return after

    def _play(self, action: ac.Action, after: Board, notices: list[ev.Notice]) -> None:
        """Make a legal play."""
        self._add(self._played(after, decided_by(self._state, self._state.turn)), notices)

    def _played(self, after: Board, by: ev.By) -> ev.Played:
        state = self._state
        assert state.dice is not None
        steps = play_steps(state.board, state.dice, after, self._options.rules)
        return ev.Played(state.turn, state.dice, steps, by)

    def _take_step(self, action: ac.Action, start: int, end: int, notices: list[ev.Notice]) -> None:
        if self.phase is not Phase.TO_PLAY:
            raise self._illegal(action, f"the table is at: {self.phase}")
        step = next((step for step in self.next_steps() if (step.start, step.end) == (start, end)), None)
        if step is None:
            offered = (
                " ".join(notation.format_play([step]) for step in self.next_steps()) or "none, the turn is complete"
            )
            raise IllegalActionError(f"no legal play goes on with a step from {start} to {end}; steps now: {offered}")
        self._set_steps((*self._steps, step))
        self._undone = ()
        notices.append(ev.StepTaken(self._state.turn, step))

    # What follows by itself --------------------------------------------------------------------------------------

    def _settle(self, notices: list[ev.Notice]) -> None:
        """Let follow what follows by itself: by the rules, and where a person lets the table play."""
        while True:
            event = self._state.due or self._automatic()
            if event is None:
                return
            self._add(event, notices)

    def _automatic(self) -> ev.Event | None:
        """Return what the table does for the person who has to act, if they let it."""
        seat = self.to_act
        if seat is None or self.bot_at(seat) or self._steps:
            return None
        settings = self.settings(seat)
        if settings.paused:
            return None
        bears_off = settings.auto_bearoff and not any(count > 0 for count in self._state.board[HOME + 1 :])
        if self.phase is Phase.TO_ROLL and (settings.auto_roll or bears_off):
            if self.may_double or not (self._again or self._dice.ready):
                return None
            return ev.Rolled(seat, self._next_roll(), "table")
        if self.phase is Phase.TO_PLAY and (settings.auto_forced or bears_off):
            return self._played(self._legal[0], "table") if len(self._legal) == 1 else None
        return None

    def _set(self, action: ac.Action, seat: int, settings: Settings | None = None, paused: bool | None = None) -> None:
        checked_seat(seat, error=IllegalActionError)
        if not self._seats[seat].is_person:
            raise self._illegal(action, f"seat {seat} has no person, and only persons have settings")
        new = self._settings[seat] if settings is None else settings
        self._keep_settings(seat, new if paused is None else replace(new, paused=paused))

    def _keep_settings(self, seat: int, settings: Settings) -> None:
        """Set the settings of a seat; a pause is kept with its game, so that it is there again if one goes back."""
        game = frozenset({self._pausable})
        pauses = self._pauses[seat] | game if settings.paused else self._pauses[seat] - game
        self._settings = with_seat(self._settings, seat, replace(settings, paused=False))
        self._pauses = with_seat(self._pauses, seat, pauses)

    # Going back --------------------------------------------------------------------------------------------------

    def _why_no_undo(self) -> str:
        people = self._state.people
        if sum(people) != 1:
            return "going back is for one person against the computer"
        if self.bot_at(people.index(True)):
            return "a bot plays for the person"
        return ""

    @property
    def _steps_are_mine(self) -> bool:
        """Whether the unfinished turn is that of the person who plays the computer."""
        return self._state.people[self._state.turn]

    def _decisions(self) -> list[int]:
        """Return where in the record the person has decided something."""
        person = self._state.people.index(True)
        return [
            number
            for number, event in enumerate(self._events)
            if isinstance(event, _DECISIONS) and event.seat == person and event.by == "player"
        ]

    def _undo(self, action: ac.Undo, count: int, notices: list[ev.Notice]) -> None:
        if reason := self._why_no_undo():
            raise self._illegal(action, reason)
        if not 1 <= count <= self.undoable:
            raise self._illegal(action, f"there are {self.undoable} steps and decisions to take back, not {count}")
        decisions = self._decisions()
        length = len(self._events)
        for _ in range(count):
            if self._steps and self._steps_are_mine:
                *rest, step = self._steps
                self._steps = tuple(rest)
                self._undone += (_Undone((), (step,)),)
                notices.append(ev.StepTakenBack(self._state.turn, step))
            else:
                start = decisions.pop()
                gone = self._events[start:length]
                length = start
                self._undone += (_Undone(gone, self._steps),)
                self._again = (*_rolls_in(gone), *self._again)
                self._steps = ()
        if length < len(self._events):
            *_, self._state = self.record.with_events(self._events[:length]).states()
            self._events = self._events[:length]
            notices.append(ev.Undone(length))
        self._cache = _Cache()

    def _redo(self, action: ac.Redo, count: int, notices: list[ev.Notice]) -> None:
        if reason := self._why_no_undo():
            raise self._illegal(action, reason)
        if not 1 <= count <= len(self._undone):
            raise self._illegal(action, f"there are {len(self._undone)} steps and decisions to do again, not {count}")
        for _ in range(count):
            *rest, (events, steps) = self._undone
            self._undone = tuple(rest)
            for event in events:
                self._state = advance(self._state, event, self._options)
            self._events += events
            self._again = _without_rolls_in(events, self._again)
            if events:
                self._steps = steps
                notices.append(ev.Redone(len(self._events)))
            else:
                self._steps += steps
                notices += [ev.StepTaken(self._state.turn, step) for step in steps]
        self._cache = _Cache()

    # Keeping and continuing --------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Return all of the table as JSON: the record, the state of the dice, settings, and what was undone.

        It is for the host alone, since with it the dice can be foreseen; for others there is `view`.
        """
        return json.dumps(self.to_data(), separators=(",", ":"))

    @_at_one_moment
    def to_data(self) -> Data:
        """Return what `to_json` writes, as plain data."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "record": self.record.to_data(),
            "dice": self._dice.to_data(),
            "settings": [to_data(settings, typed=False) for settings in self._settings],
            "pauses": [sorted(games) for games in self._pauses],
            "steps": _steps_data(self._steps),
            "undone": [
                {"events": [ev.event_to_data(event) for event in events], "steps": _steps_data(steps)}
                for events, steps in self._undone
            ],
            "again": [list(roll) for roll in self._again],
        }

    @classmethod
    def from_json(cls, text: str | bytes, dice: DiceSource | None = None) -> "Table":
        """Return the table that was written by `to_json`; it continues as the original would have.

        Parameters
        ----------
        text : str or bytes
            The JSON.
        dice : DiceSource, optional
            A source to go on with instead of the stored one; needed where the source was a caller's own.

        Raises
        ------
        TableError
            If the text is damaged, of a newer version, or tells of something that cannot have happened.
        """
        try:
            data = json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:
            raise TableError(f"the table is damaged: not JSON ({error})") from None
        return cls.from_data(data, dice)

    @classmethod
    def from_data(cls, data: object, dice: DiceSource | None = None) -> "Table":
        """Return the table that plain data from `to_data` says; otherwise as `from_json`."""
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise TableError(f"not a table: its format should be {FORMAT!r}")
        if type(data.get("version")) is not int or data["version"] != VERSION:
            raise TableError(
                f"the table has version {short(data.get('version'))}; this library reads version {VERSION}"
            )
        match data:
            case {
                "record": record,
                "dice": source,
                "settings": [one, other],
                "steps": str(steps),
                "undone": list(undone),
                "again": list(again),
            }:
                table = cls.replay(Record.from_data(record), dice=dice_from_data(source) if dice is None else dice)
            case _:
                raise TableError("the table is damaged: it should have record, dice, settings, steps, undone and again")
        if len(table._events) != len(record["events"]):
            raise TableError("the record breaks off before what has to follow")
        table._pauses = _pauses_from(data.get("pauses", [[], []]))
        for seat, settings in enumerate((one, other)):
            kept: Settings = built(Settings, settings, "settings")
            table._keep_settings(seat, replace(kept, paused=kept.paused or table.settings(seat).paused))
        table._again = tuple(checked_roll(roll) for roll in again)
        table._undone = tuple(_undone_from(item) for item in undone)
        table._restore_steps(_steps_from(steps))
        table._try_redoing()
        return table

    @classmethod
    def replay(cls, record: Record, upto: int | None = None, dice: DiceSource | int | None = None) -> "Table":
        """Return the table as it was after the first `upto` events of a record (all of them by default).

        What follows from them by itself is done; settings are not in a record, and are the usual ones.

        Parameters
        ----------
        record : Record
            What has happened.
        upto : int, optional
            How many events.
        dice : DiceSource or int, optional
            What to go on with, as for a new table.

        Raises
        ------
        TableError
            If the record is impossible, or has not so many events.
        """
        if not isinstance(record, Record):
            raise TableError(f"a table follows from a Record, got {short(record)}")
        if upto is not None and not (type(upto) is int and 0 <= upto <= len(record.events)):
            raise TableError(f"the record has {len(record.events)} events, so upto is 0 to that, got {short(upto)}")
        part = record.with_events(record.events[:upto])
        state, part = part.check(), part.tidy()
        table = cls(record.options, record.seats, dice, light=record.light)
        if part.events:
            table._events, table._state = part.events, state
            table._cache = _Cache()
            while table._state.due is not None:
                table._add(table._state.due, [])
        return table

    def _restore_steps(self, steps: Iterable[Step]) -> None:
        """Take the steps of an unfinished turn as far as they are legal, or refuse them."""
        if steps and self.phase is not Phase.TO_PLAY:
            raise TableError(f"there can be no steps: the table is at: {self.phase}")
        self._set_steps(())
        for step in steps:
            if step not in self.next_steps():
                raise TableError(f"the unfinished turn is impossible: {notation.format_play([step])}")
            self._set_steps((*self._steps, step))

    def _try_redoing(self) -> None:
        """Refuse what was undone if it could not have happened, and tidy it as the record is."""
        if not self._undone:
            return
        if sum(self._state.people) != 1:
            raise TableError("something was undone where it is not allowed")
        events = [*self._events, *(event for item in reversed(self._undone) for event in item.events)]
        trial = Table.replay(self.record)
        again = self._again
        tidied = Table.replay(self.record.with_events(events))._events
        if len(tidied) != len(events):
            raise TableError("what was undone breaks off before what has to follow")
        later = iter(tidied[len(self._events) :])
        undone = [_Undone(tuple(islice(later, len(gone))), steps) for gone, steps in reversed(self._undone)]
        self._undone = tuple(reversed(undone))
        trial._steps = self._steps
        for item in reversed(self._undone):
            again = _without_rolls_in(item.events, again)
            for event in item.events:
                trial._state = advance(trial._state, event, self._options)
            trial._cache = _Cache()
            trial._restore_steps([*([] if item.events else trial._steps), *item.steps])

    def rematch(self, dice: DiceSource | int | None = None) -> "Table":
        """Return a new table with the same options and seats; the colours are swapped or kept as the options say."""
        light = 1 - self._light if self._options.on_rematch == "swap" else self._light
        return Table(self._options, self._seats, dice, light=light)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]  # a table changes

    @_at_one_moment
    def __repr__(self) -> str:
        one, other = self._seats
        return f"Table({one.name} {self.score[0]}, {other.name} {self.score[1]}, game {self.game}, {self.phase})"


_ACTIONS: Final = get_args(ac.Action)
_ACTION_NAMES: Final = [type_name(kind) for kind in _ACTIONS]
_DECISIONS: Final = get_args(ev.Decision)


def _two_seats(seats: Iterable[Seat]) -> tuple[Seat, Seat]:
    both = tuple(seats) if isinstance(seats, Iterable) else (seats,)
    if len(both) != 2 or not all(isinstance(seat, Seat) for seat in both):
        raise TableError(f"a table has two seats, got {short(both)}")
    return both[0], both[1]


def _entered(dice: tuple[int, int]) -> tuple[int, int]:
    try:
        return checked_roll(dice)
    except TableError as error:
        raise IllegalActionError(str(error)) from None


def _rolls_in(events: Iterable[ev.Event]) -> tuple[tuple[int, int], ...]:
    return tuple(event.dice for event in events if isinstance(event, ev.Rolled | ev.OpeningRolled))


def _without_rolls_in(events: Iterable[ev.Event], again: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """Return the rolls that come again without those that these events have, which come first."""
    rolls = _rolls_in(events)
    if again[: len(rolls)] != rolls:
        raise TableError("the rolls that come again are not those that were undone")
    return again[len(rolls) :]


def _steps_data(steps: Iterable[Step]) -> str:
    return " ".join(notation.format_play([step]) for step in steps)


def _steps_from(text: str) -> list[Step]:
    played: Any = ev.event_from_data({"type": "played", "seat": 0, "dice": [1, 1], "steps": text})
    return list(played.steps)


def _undone_from(data: object) -> _Undone:
    match data:
        case {"events": list(events), "steps": str(steps)} if events or steps:
            return _Undone(tuple(ev.event_from_data(event) for event in events), tuple(_steps_from(steps)))
    raise TableError("what was undone is damaged: it should have events and steps, or one of them")


def _pauses_from(data: object) -> tuple[frozenset[int], frozenset[int]]:
    match data:
        case [list(one), list(other)] if all(type(game) is int for game in (*one, *other)):
            return frozenset(one), frozenset(other)
    raise TableError("the pauses are damaged: they should be the numbers of games, for each seat")
