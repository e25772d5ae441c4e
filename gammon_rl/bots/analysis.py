"""What the decisions of a record were worth: what each lost by the opinion of a bot, and the luck of every roll.

A *decision* is a play where there was a choice; a double, or a turn at which doubling was right or nearly so; the
answer to a double; and offering a resignation or answering one. `judged` says what one of them lost, and all else adds
that up.

Losses and luck are on two scales: equity (EMG; points in units of the present cube for money), in which decisions at
any cube and score can be compared and added up to an error rate; and what is really played for, points or, in a
match, the chance of winning it.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal

import numpy as np

from gammon_rl.bots.bot import Bot, Candidate
from gammon_rl.bots.levels import Level
from gammon_rl.bots.luck import luck_at_stakes
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.processes import in_order
from gammon_rl.rules.board import turn
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import Variant
from gammon_rl.stakes.cube import CubeDecision
from gammon_rl.stakes.met import own_table
from gammon_rl.stakes.worth import Stakes
from gammon_rl.table import events as ev
from gammon_rl.table.options import TableOptions
from gammon_rl.table.record import Record
from gammon_rl.table.state import State, moved, next_game, position_for, why_no_double

CLOSE: Final = 0.16
"""A double that is wrong by less is a decision even if nobody doubled (as GNU Backgammon counts)."""
ERROR: Final = 0.02
"""The loss from which a decision is called an error."""
BLUNDER: Final = 0.08
"""The loss from which an error is called a blunder."""
_SAME: Final = 5e-7  # a difference that is none, but of the arithmetic

_LISTED: Final = 5  # the best plays that are kept of each decision
_OFFERS: Final = {1: "resign a single game", 2: "resign a gammon", 3: "resign a backgammon"}

Kind = Literal["play", "no double", "double", "take", "drop", "beaver", "resign", "accept", "decline"]
PLAYS: Final[tuple[Kind, ...]] = ("play",)
CUBES: Final[tuple[Kind, ...]] = ("no double", "double", "take", "drop", "beaver")
RESIGNATIONS: Final[tuple[Kind, ...]] = ("resign", "accept", "decline")
KINDS: Final = (*PLAYS, *CUBES, *RESIGNATIONS)


@dataclass(frozen=True)
class Decision:
    """A decision and what it was worth.

    Attributes
    ----------
    game : int
        The number of the game, from 1.
    seat : int
        Who decided.
    kind : Kind
        What was done: a ``play``, or the action.
    position : Position
        What the player saw; at a resignation what the one saw who offered it.
    done, best : str
        What was done, and what would have been best; the same words where nothing was better.
    loss : float
        The equity it lost, EMG, never negative.
    lost : float
        The same in points, or in chances of winning the match.
    candidates : tuple of Candidate
        At a play the best few, and the one that was made.
    cube : CubeDecision or None
        Elsewhere, what there was to win with the cube for the player on roll.
    probs : tuple of five floats
        With it the nested chances before the roll of the player who sees the position.
    """

    game: int
    seat: int
    kind: Kind
    position: Position
    done: str
    best: str
    loss: float
    lost: float
    candidates: tuple[Candidate, ...] = ()
    cube: CubeDecision | None = None
    probs: tuple[float, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether it counts in the error rate: all do but resignations."""
        return self.kind not in RESIGNATIONS

    @property
    def what(self) -> str:
        """What was to be decided: the roll, or a word for it."""
        if self.position.dice:
            return "{}-{}".format(*sorted(self.position.dice, reverse=True))
        if self.kind in RESIGNATIONS:
            return "resignation"
        return "doubled" if self.position.doubled else "cube"


@dataclass(frozen=True)
class Luck:
    """The luck of a roll for the player who made it: EMG, and points or chances of winning the match."""

    seat: int
    equity: float
    worth: float


@dataclass(frozen=True)
class Finding:
    """An event of a record, the state before it, and what was found about it."""

    number: int
    state: State
    event: ev.Event
    decision: Decision | None = None
    luck: Luck | None = None


@dataclass(frozen=True)
class Share:
    """Decisions of one kind: how many, how many of them lost at least `ERROR`, and what all of them lost, EMG."""

    count: int = 0
    errors: int = 0
    loss: float = 0.0


@dataclass(frozen=True)
class Tally:
    """What the decisions and the luck of one player come to.

    Attributes
    ----------
    shares : mapping of Kind to Share
        The decisions by kind; every kind is there.
    lost : float
        What those that count lost, in points or chances of winning the match.
    errors, blunders : int
        Of those that count, how many lost at least `ERROR`, and at least `BLUNDER`.
    turns : int
        Turns with a roll, forced plays and dances included.
    luck, luck_worth : float
        The luck of all rolls, EMG, and in points or chances of winning the match.
    """

    shares: dict[Kind, Share] = field(default_factory=lambda: dict.fromkeys(KINDS, Share()))
    lost: float = 0.0
    errors: int = 0
    blunders: int = 0
    turns: int = 0
    luck: float = 0.0
    luck_worth: float = 0.0

    @classmethod
    def of(cls, decisions: Iterable[Decision], lucks: Iterable[Luck] = (), turns: int = 0) -> "Tally":
        """Return the tally of decisions and rolls.

        Examples
        --------
        >>> seen = Position.parse("start")
        >>> losses = (0.0, 0.1, 0.02)
        >>> tally = Tally.of(Decision(1, 0, "play", seen, "8/5", "6/3", loss, loss, ()) for loss in losses)
        >>> tally.decisions, tally.errors, tally.blunders, round(tally.rate, 6), round(tally.rating, 6)
        (3, 2, 1, 40.0, 20.0)
        """
        found, rolls = list(decisions), list(lucks)
        counted = [one for one in found if one.counts]
        shares = {}
        for kind in KINDS:
            losses = [one.loss for one in found if one.kind == kind]
            shares[kind] = Share(len(losses), sum(loss >= ERROR for loss in losses), sum(losses))
        return cls(
            shares,
            sum(one.lost for one in counted),
            sum(one.loss >= ERROR for one in counted),
            sum(one.loss >= BLUNDER for one in counted),
            turns,
            sum(one.equity for one in rolls),
            sum(one.worth for one in rolls),
        )

    def share(self, kinds: Sequence[Kind]) -> Share:
        """Return several kinds of decisions as one."""
        parts = [self.shares[kind] for kind in kinds]
        return Share(sum(one.count for one in parts), sum(one.errors for one in parts), sum(one.loss for one in parts))

    @property
    def decisions(self) -> int:
        """How many decisions count."""
        return self.share((*PLAYS, *CUBES)).count

    @property
    def loss(self) -> float:
        """What they lost, EMG."""
        return self.share((*PLAYS, *CUBES)).loss

    @property
    def rate(self) -> float:
        """The error rate: the mean loss of a decision that counts in milli-points, 0 without any."""
        return 1000 * self.loss / max(1, self.decisions)

    @property
    def rating(self) -> float:
        """The performance rating (PR): half the error rate."""
        return self.rate / 2

    def snowie_rate(self, turns: int) -> float:
        """Return the error rate as Snowie counts it: milli-points a turn, of the turns of both players."""
        return 1000 * self.loss / max(1, turns)


@dataclass(frozen=True)
class GameOutcome:
    """A game that has ended: what it was worth to seat 0, in points or chances of winning the match."""

    number: int
    result: ev.GameEnded
    worth: float


@dataclass(frozen=True)
class Analysis:
    """A record and what was found about its events, from the first on.

    Attributes
    ----------
    record : Record
        What was analysed.
    findings : tuple of Finding
        Of the events in order, of all of them or, if the analysis was interrupted, of the first.
    ply : int
        How deep the bot looked.
    complete : bool
        Whether all events are there.
    """

    record: Record
    findings: tuple[Finding, ...]
    ply: int
    complete: bool = True

    def decisions(self, seat: int | None = None, game: int | None = None) -> list[Decision]:
        """Return the decisions of a player and a game, or of all."""
        found = [one.decision for one in self.findings if one.decision]
        return [one for one in found if seat in (None, one.seat) and game in (None, one.game)]

    def worst(self, least: float = BLUNDER) -> list[Decision]:
        """Return the decisions that lost at least so much, those that lost most first."""
        return sorted((one for one in self.decisions() if one.loss >= least), key=lambda one: -one.loss)

    def tally(self, seat: int, game: int | None = None) -> Tally:
        """Return what a player's decisions and luck come to, in a game or in all."""
        within = [one for one in self.findings if game in (None, one.state.game)]
        lucks = [one.luck for one in within if one.luck and one.luck.seat == seat]
        turns = sum(isinstance(one.event, ev.Played) and one.event.seat == seat for one in within)
        return Tally.of(self.decisions(seat, game), lucks, turns)

    def outcomes(self) -> list[GameOutcome]:
        """Return the games that have ended."""
        options = self.record.options
        outcomes, before = [], _standing((0, 0), False, options)
        for finding in self.findings:
            if isinstance(finding.event, ev.GameEnded):
                score = finding.event.score
                state = finding.state._replace(score=score)
                now = _standing(score, next_game(state, options).crawford, options)
                outcomes.append(GameOutcome(state.game, finding.event, now - before))
                before = now
        return outcomes


def _standing(score: tuple[int, int], crawford: bool, options: TableOptions) -> float:
    """Return what a score before a game is worth to seat 0: points, or chances of winning the match."""
    mine, theirs = score
    if options.money:
        return float(mine - theirs)
    needs = options.match_length - mine, options.match_length - theirs
    return float(own_table().mwc(*needs, min(needs) == 1 and not crawford))


# One event -------------------------------------------------------------------------------------------------------


def judged(state: State, event: ev.Event, options: TableOptions, bot: Bot) -> Decision | None:
    """Return what the decision of a player was worth; None where there was nothing to decide.

    What the table decided, or a bot in the place of a person, is nobody's decision.

    Parameters
    ----------
    state, event : State, Event
        What a record says, and the state before it.
    options : TableOptions
        The rules of the table.
    bot : Bot
        Whose opinion it is; one that has opinions, and does not err on purpose.

    Raises
    ------
    InvalidPositionError
        If the bot plays another variant.
    IllegalPlayError
        If it has no opinions (Easy).
    """
    if getattr(event, "by", "") != "player":
        return None
    match event:
        case ev.Played(seat=seat):
            return _judged_play(state, event, position_for(state, seat, options), bot)
        case ev.Rolled(seat=seat) | ev.TurnSkipped(seat=seat) | ev.Doubled(seat=seat):
            if why_no_double(state, options):
                return None
            return _judged_double(state, isinstance(event, ev.Doubled), position_for(state, seat, options), bot)
        case ev.Taken(seat=seat) | ev.Dropped(seat=seat) | ev.Beavered(seat=seat):
            return _judged_answer(state, _ANSWERS[type(event)], position_for(state, seat, options), bot)
        case ev.ResignationOffered(level=level):
            return _judged_offer(state, level, position_for(state, state.turn, options), bot)
        case ev.ResignationAccepted() | ev.ResignationDeclined():
            accepted = isinstance(event, ev.ResignationAccepted)
            return _judged_reply(state, accepted, position_for(state, state.turn, options), bot)
    return None


_ANSWERS: Final[dict[type, Kind]] = {ev.Taken: "take", ev.Dropped: "drop", ev.Beavered: "beaver"}


def _judged_play(state: State, event: ev.Played, position: Position, bot: Bot) -> Decision | None:
    ranked = bot.analyse(position, event.dice)
    if len(ranked) < 2:
        return None
    after = turn(np.array(moved(state.board, event.steps), dtype=np.int8))
    at = next(at for at, one in enumerate(ranked) if np.array_equal(one.play.afterstate, after))
    own, best = ranked[at], ranked[0] if ranked[at].loss > _SAME else ranked[at]
    kept = [one for place, one in enumerate(ranked) if place < _LISTED or place == at]
    return _decision(
        state, event.seat, "play", position, own.play.text, best.play.text, own.loss, candidates=tuple(kept)
    )


def _judged_double(state: State, doubled: bool, position: Position, bot: Bot) -> Decision | None:
    cube = bot.cube_action(position)
    done: Kind = "double" if doubled else "no double"
    if not doubled and cube.costs["double"] >= CLOSE:
        return None
    best = "double" if cube.double else "no double"
    return _decision(state, state.turn, done, position, done, best, cube.costs[done], cube=cube, bot=bot)


def _judged_answer(state: State, done: Kind, position: Position, bot: Bot) -> Decision:
    cube = bot.cube_action(position)
    best = "beaver" if cube.beaver else "take" if cube.take else "drop"
    loss = cube.costs["pass" if done == "drop" else done]
    return _decision(state, 1 - state.turn, done, position, done, best, loss, cube=cube, bot=bot)


def _judged_offer(state: State, level: int, position: Position, bot: Bot) -> Decision:
    """Judge an offer to resign by the right answer to it, as a double is."""
    cube = bot.cube_action(position)
    loss = _playing_on(cube) - min(_playing_on(cube), _given_up(position, level))
    done = _OFFERS[level]
    best = "play on" if loss > _SAME else done
    return _decision(state, state.turn, "resign", position, done, best, loss, cube=cube, bot=bot)


def _judged_reply(state: State, accepted: bool, position: Position, bot: Bot) -> Decision:
    cube = bot.cube_action(position)
    gain = _playing_on(cube) - _given_up(position, state.level)  # by accepting, for the player who does so
    done: Kind = "accept" if accepted else "decline"
    best = "accept" if gain >= 0 else "decline"
    loss = max(0.0, -gain if accepted else gain)
    return _decision(state, 1 - state.turn, done, position, done, best, loss, cube=cube, bot=bot)


def _playing_on(cube: CubeDecision) -> float:
    """Return the equity of the player on roll if nobody resigns."""
    return cube.nd + cube.costs.get("no double", 0.0)


def _given_up(position: Position, level: int) -> float:
    """Return the equity of a player who resigns."""
    stakes = Stakes.of(position)
    return float(stakes.equity(stakes.worth(-level)))


def _decision(
    state: State,
    seat: int,
    kind: Kind,
    position: Position,
    done: str,
    best: str,
    loss: float,
    *,
    candidates: tuple[Candidate, ...] = (),
    cube: CubeDecision | None = None,
    bot: Bot | None = None,
) -> Decision:
    probs = tuple(bot.probs(position).tolist()) if bot else ()
    loss = max(0.0, loss)
    lost = loss * _point(position)
    return Decision(state.game, seat, kind, position, done, best, loss, lost, candidates, cube, probs)


def _point(position: Position) -> float:
    """Return what a point of equity is worth: points, or chances of winning the match."""
    stakes = Stakes.of(position)
    return float(stakes.worth(1) - stakes.worth(-1)) / 2


def luck_of(state: State, event: ev.Event, options: TableOptions, evaluator: Evaluator) -> Luck | None:
    """Return the luck of a roll by the opinion of an evaluator, 0 plies ahead; None of any other event."""
    match event:
        case ev.Rolled(seat=seat, dice=dice):
            opening = False
        case ev.OpeningRolled(dice=(first, second)) if first != second:
            seat, dice, opening = int(second > first), (first, second), True
            state = state._replace(turn=seat)
        case _:
            return None
    position = position_for(state, seat, options)
    worth = luck_at_stakes(evaluator, position.board, dice, Stakes.of(position), opening=opening)
    return Luck(seat, worth / _point(position), worth)


# All events ------------------------------------------------------------------------------------------------------


def analyse(
    record: Record,
    bot: Bot,
    *,
    processes: int = 1,
    progress: Callable[[int, int, int], None] = lambda done, total, game: None,
) -> Analysis:
    """Return what the decisions and rolls of a record were worth.

    The number of processes changes nothing but the last digits. An interrupt (Ctrl-C) gives what was found so far, if
    anything.

    Parameters
    ----------
    record : Record
        What was played, finished or not.
    bot : Bot
        Whose opinion it is, as for `judged`.
    processes : int
        How many work at once. More than one needs a main module that can be imported.
    progress : callable
        Told after each event how many are done, of how many, and which game that was.
    """
    tasks = list(zip(record.states(), record.events, strict=False))
    findings: list[Finding] = []
    try:
        with closing(_worked(tasks, record.options, bot, processes)) as results:
            for number, ((state, event), (decision, luck)) in enumerate(zip(tasks, results, strict=True)):
                findings.append(Finding(number, state, event, decision, luck))
                progress(number + 1, len(tasks), max(1, state.game))
    except KeyboardInterrupt:
        if not findings:
            raise
    return Analysis(record, tuple(findings), bot.level.ply, len(findings) == len(tasks))


_Task = tuple[State, ev.Event]
_Result = tuple[Decision | None, Luck | None]


def _worked(tasks: list[_Task], options: TableOptions, bot: Bot, processes: int) -> Generator[_Result]:
    """Yield the results of tasks in their order; closing the iterator ends the processes."""
    if processes == 1 or len(tasks) < 2:
        yield from map(partial(_found, options, bot), tasks)
        return
    made_of = options, bot.level, bot.evaluator, bot.rules  # a bot itself cannot be sent
    yield from in_order(_do, tasks, processes, _begin, *made_of)


def _found(options: TableOptions, bot: Bot, task: _Task) -> _Result:
    return judged(*task, options, bot), luck_of(*task, options, bot.evaluator)


_do_task: Callable[[_Task], _Result]  # of this process, if it is one of several


def _begin(options: TableOptions, level: Level, evaluator: Evaluator, rules: Variant) -> None:
    global _do_task  # the one way to keep something in a process of a pool
    _do_task = partial(_found, options, Bot(level, evaluator, rules=rules, bearoff=False))  # it has its databases


def _do(task: _Task) -> _Result:
    return _do_task(task)
