"""Tells a player at the end of a game what the decisions were worth, and which were the worst."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from gammon_rl.bots.analysis import Decision, Tally, judged
from gammon_rl.bots.bot import Bot
from gammon_rl.table import events as ev
from gammon_rl.table.options import TableOptions
from gammon_rl.table.record import Record
from gammon_rl.table.state import State

_WORST: Final = 3
_SHOWN_FROM: Final = 0.0005  # a loss that is not 0.000


@dataclass(frozen=True)
class Review:
    """All that a player has decided.

    Attributes
    ----------
    decisions : tuple of Decision
        In their order.
    """

    decisions: tuple[Decision, ...]

    @property
    def tally(self) -> Tally:
        """What they come to."""
        return Tally.of(self.decisions)

    @property
    def worst(self) -> list[Decision]:
        """The three decisions that lost most, if they lost anything worth showing."""
        ranked = sorted(self.decisions, key=lambda one: -one.loss)
        return [one for one in ranked[:_WORST] if one.loss >= _SHOWN_FROM]

    def lines(self, who: str, other: str = "", second: Sequence[Decision] = ()) -> Iterator[str]:
        """Yield the review in lines of at most 79 characters, with another bot's opinion on the worst if any."""
        tally = self.tally
        if not tally.decisions:
            yield f"{who}: no decisions to review."
            return
        yield (
            f"{who}: {tally.decisions} decision{'s' * (tally.decisions != 1)}, {tally.rate:.1f} milli-points lost a "
            f"decision, PR {tally.rating:.1f}."
        )
        yield "  This is Normal's opinion, which does not look ahead."
        for one, again in zip_longest(self.worst, second):
            yield f"  Game {one.game}, {one.what}: {one.done}; better {one.best} (-{one.loss:.3f})"
            if again:
                better = f"better {again.best} (-{again.loss:.3f})" if again.loss >= _SHOWN_FROM else "nothing better"
                yield f"    {other}, which looks further: {better}"
            yield f"    {one.position.xgid}"
            yield f"    {one.position.gnubg_id}"


Known = dict[tuple[State, ev.Event], Decision | None]
"""What was found about decisions before, so that nothing is analysed twice."""


def review(record: Record, seat: int, bot: Bot, known: Known | None = None) -> Review:
    """Look over what a player has decided, by the analysis of a bot that has opinions.

    What is `known` is not analysed again, and what is found is added to it.
    """
    known = {} if known is None else known
    found = []
    for state, event in zip(record.states(), record.events, strict=False):
        if getattr(event, "seat", None) == seat:
            if (state, event) not in known:
                known[state, event] = judged(state, event, record.options, bot)
            decision = known[state, event]
            if decision:
                found.append(decision)
    return Review(tuple(found))


def reconsidered(found: Review, options: TableOptions, bot: Bot, known: Known, again: Known) -> list[Decision]:
    """Return another bot's opinion on the worst decisions; `again` remembers its own, as `known` does the others.

    A turn on which it finds no decision to speak of keeps the first opinion.
    """
    second = []
    for decision in found.worst:
        state, event = next(key for key, one in known.items() if one is decision)
        if (state, event) not in again:
            again[state, event] = judged(state, event, options, bot)
        second.append(again[state, event] or decision)
    return second
