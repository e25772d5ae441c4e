"""Looks over what a player has decided: how much each decision lost by a bot's analysis, and the worst of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

import numpy as np

from gammon_rl.bots.bot import Bot
from gammon_rl.rules.board import turn
from gammon_rl.rules.position import Position
from gammon_rl.table import events as ev
from gammon_rl.table.options import TableOptions
from gammon_rl.table.record import Record
from gammon_rl.table.state import State, moved, position_for, why_no_double

_CLOSE: Final = 0.16  # a double that is wrong by less is a decision, even if nobody doubled (as GNU Backgammon counts)
_WORST: Final = 3
_SHOWN_FROM: Final = 0.0005  # a loss that is not 0.000


@dataclass(frozen=True)
class Verdict:
    """What a decision was worth.

    Attributes
    ----------
    game : int
        Its number, from 1.
    what : str
        What was to be decided: the roll, or the cube.
    done, best : str
        What the player did, and what the bot would have done.
    loss : float
        The equity it lost, in points at a cube of 1.
    position : Position
        What the player saw.
    """

    game: int
    what: str
    done: str
    best: str
    loss: float
    position: Position


@dataclass(frozen=True)
class Review:
    """All that a player has decided.

    Attributes
    ----------
    verdicts : tuple of Verdict
        In the order of the decisions.
    """

    verdicts: tuple[Verdict, ...]

    @property
    def mean(self) -> float:
        """The equity lost a decision; 0 without any."""
        return sum(one.loss for one in self.verdicts) / max(1, len(self.verdicts))

    @property
    def rating(self) -> float:
        """The performance rating: `mean` in milli-points, divided by 2."""
        return 500 * self.mean

    @property
    def worst(self) -> list[Verdict]:
        """The three decisions that lost most, if they lost anything worth showing."""
        ranked = sorted(self.verdicts, key=lambda one: -one.loss)
        return [one for one in ranked[:_WORST] if one.loss >= _SHOWN_FROM]

    def lines(self, who: str, other: str = "", second: Sequence[Verdict] = ()) -> Iterator[str]:
        """Yield the review in lines of at most 79 characters, with another bot's verdicts on the worst if there are."""
        count = len(self.verdicts)
        if not count:
            yield f"{who}: no decisions to review."
            return
        yield (
            f"{who}: {count} decision{'s' * (count != 1)}, {1000 * self.mean:.1f} milli-points lost a decision, "
            f"PR {self.rating:.1f}."
        )
        yield "  This is Normal's opinion, which does not look ahead."
        for one, again in zip_longest(self.worst, second):
            yield f"  Game {one.game}, {one.what}: {one.done}; better {one.best} (-{one.loss:.3f})"
            if again:
                better = f"better {again.best} (-{again.loss:.3f})" if again.loss >= _SHOWN_FROM else "nothing better"
                yield f"    {other}, which looks further: {better}"
            yield f"    {one.position.gnubg_id}"


Known = dict[tuple[State, ev.Event], Verdict | None]
"""What was found about decisions before, so that nothing is analysed twice."""


def review(record: Record, seat: int, bot: Bot, known: Known | None = None) -> Review:
    """Look over what a player has decided, by the analysis of a bot that has opinions.

    Decisions are plays with a choice, doubles and the answers to them, and the turns before which a double was right
    or nearly so. What the table or a bot did in the player's place is not among them. What is `known` is not analysed
    again, and what is found is added to it.
    """
    known = {} if known is None else known
    found: list[Verdict] = []
    for state, event in zip(record.states(), record.events, strict=False):
        if getattr(event, "seat", None) == seat and getattr(event, "by", "") == "player":
            if (state, event) not in known:
                known[state, event] = _judged(state, event, record.options, bot)
            verdict = known[state, event]
            if verdict:
                found.append(verdict)
    return Review(tuple(found))


def reconsidered(found: Review, options: TableOptions, bot: Bot, known: Known, again: Known) -> list[Verdict]:
    """Return the verdicts of another bot on the worst decisions; `again` remembers its own, as `known` does the others.

    A turn on which it finds no decision to speak of keeps its verdict.
    """
    verdicts = []
    for verdict in found.worst:
        state, event = next(key for key, one in known.items() if one is verdict)
        if (state, event) not in again:
            again[state, event] = _judged(state, event, options, bot)
        verdicts.append(again[state, event] or verdict)
    return verdicts


def _judged(state: State, event: ev.Event, options: TableOptions, bot: Bot) -> Verdict | None:
    """Return what a decision was worth; None where there was nothing to decide."""
    match event:
        case ev.Played(seat=seat, dice=dice, steps=steps):
            position = position_for(state, seat, options)
            candidates = bot.analyse(position, dice)
            if len(candidates) < 2:
                return None
            after = turn(np.array(moved(state.board, steps), dtype=np.int8))
            own = next(one for one in candidates if np.array_equal(one.play.afterstate, after))
            roll = f"{max(dice)}-{min(dice)}"
            return Verdict(state.game, roll, own.play.text, candidates[0].play.text, max(0.0, own.loss), position)
        case ev.Rolled(seat=seat) | ev.TurnSkipped(seat=seat) | ev.Doubled(seat=seat):
            if why_no_double(state, options):
                return None
            done = "double" if isinstance(event, ev.Doubled) else "no double"
            position = position_for(state, seat, options)
            decision = bot.cube_action(position)
            if done == "no double" and decision.costs.get("double", 0.0) >= _CLOSE:
                return None
            best = "double" if decision.double else "no double"
            return Verdict(state.game, "cube", done, best, max(0.0, decision.costs.get(done, 0.0)), position)
        case ev.Taken(seat=seat) | ev.Dropped(seat=seat) | ev.Beavered(seat=seat):
            position = position_for(state, seat, options)
            decision = bot.cube_action(position)
            done = {ev.Taken: "take", ev.Dropped: "drop", ev.Beavered: "beaver"}[type(event)]
            best = "beaver" if decision.beaver else "take" if decision.take else "drop"
            loss = decision.costs.get("pass" if done == "drop" else done, 0.0)
            return Verdict(state.game, "doubled", done, best, max(0.0, loss), position)
    return None
