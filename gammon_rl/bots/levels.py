"""The bot's levels as data: how far each looks, and how many plays it takes a second look at."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Level:
    """How a bot plays.

    Attributes
    ----------
    name : str
        What the command line calls it.
    ply : int
        How far it looks (GNU Backgammon's count); -1 plays at random.
    candidates : int
        The most plays that are looked ahead from.
    within : float
        How many points a candidate may be behind the best at 0 plies.
    """

    name: str
    ply: int
    candidates: int = 5
    within: float = 0.16

    def at(self, ply: int) -> "Level":
        """Return the same level at another depth."""
        return replace(self, ply=ply)

    def candidates_of(self, parents: NDArray[np.int64], equity: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return which afterstates deserve a second look, int64 (K,), not falling in their parents.

        Parameters
        ----------
        parents : int64 (M,)
            Boards of the afterstates, not falling.
        equity : float32 (M,)
            Equity of each for the player then on roll: the lower, the better the play.
        """
        if not len(parents):
            return np.empty(0, dtype=np.int64)
        order = np.lexsort((equity, parents))
        first = np.flatnonzero(np.diff(parents, prepend=-1))
        counts = np.diff(first, append=len(parents))
        rank = np.arange(len(parents)) - np.repeat(first, counts)
        behind = equity[order] - np.repeat(equity[order[first]], counts)
        return order[(rank < self.candidates) & (behind <= self.within)]


EASY: Final = Level("easy", -1)
NORMAL: Final = Level("normal", 0)
HARD: Final = Level("hard", 1)
LEVELS: Final = {level.name: level for level in (EASY, NORMAL, HARD)}
