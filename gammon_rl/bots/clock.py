"""Bounded time: a clock that a search asks, and an evaluator that asks it between its blocks.

Everything a search does goes through its evaluator, so an evaluator that minds the clock bounds the whole search, and
the search itself need not know of time.
"""

import math
import time
from dataclasses import dataclass
from numbers import Real
from typing import Final, Protocol

import numpy as np

from gammon_rl.errors import ConfigError
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.network import Floats
from gammon_rl.rules.variants import Boards, Variant

_BLOCK: Final = 256  # boards evaluated between two looks at the clock: some 2 ms with the released model
QUICK_BLOCK: Final = 2048
"""Boards that a quick evaluator takes between two looks at the clock: some 1 ms with the released companion."""

_MARGIN: Final = 0.008  # seconds that the work between two looks may take, and putting the answer together


class OutOfTime(Exception):  # noqa: N818  # no error: it never leaves the bot, which has an answer by then
    """The time is up, or the call was cancelled."""


class Stop(Protocol):
    """What a caller cancels a call by, such as a `threading.Event`."""

    def is_set(self) -> bool:
        """Return whether to stop."""
        ...


@dataclass(frozen=True)
class Clock:
    """When a call has to end.

    Attributes
    ----------
    end : float or None
        By `time.monotonic`.
    stop : Stop or None
        Set by another thread to end the call at once.
    """

    end: float | None = None
    stop: Stop | None = None

    @classmethod
    def of(cls, time_limit: float | None, stop: Stop | None = None) -> "Clock":
        """Return a clock that runs from now; a part of short limits is kept back for the answer.

        Raises
        ------
        ConfigError
            If the limit is no number of seconds.
        """
        if time_limit is None:
            return cls(None, stop)
        try:
            seconds = float(time_limit) if isinstance(time_limit, Real) else math.nan
        except OverflowError:  # its digits may be too many to print, too
            raise ConfigError("time_limit must be a number of seconds, got one that no float can hold") from None
        if math.isnan(seconds):
            raise ConfigError(f"time_limit must be a number of seconds, got {time_limit!r}")
        return cls(time.monotonic() + seconds - min(_MARGIN, seconds / 4), stop)

    @property
    def over(self) -> bool:
        """Whether to stop now."""
        late = self.end is not None and time.monotonic() >= self.end
        return late or (self.stop is not None and self.stop.is_set())

    def ask(self) -> None:
        """Go on.

        Raises
        ------
        OutOfTime
            If it is over.
        """
        if self.over:
            raise OutOfTime


@dataclass(frozen=True, eq=False)
class Timed:
    """An evaluator that asks a clock before each block of boards.

    Attributes
    ----------
    evaluator : Evaluator
        Who answers.
    clock : Clock
        Whom it asks; `outcomes` raises its `OutOfTime`.
    block : int
        Boards of a block.
    """

    evaluator: Evaluator
    clock: Clock
    block: int = _BLOCK

    @property
    def rules(self) -> Variant:
        """The variant it knows."""
        return self.evaluator.rules

    def outcomes(self, boards: Boards) -> Floats:
        """Return the chances of the six outcomes, float32 (N, 6), for boards int8 (N, 26)."""
        parts = []
        for at in range(0, max(1, len(boards)), self.block):
            self.clock.ask()
            parts.append(self.evaluator.outcomes(boards[at : at + self.block]))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)
