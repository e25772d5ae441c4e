"""The bot's levels as data: how far each looks, how many plays it looks at again, and how much it errs."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gammon_rl.bots.search import nearest


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
        The most plays that are looked ahead from at first; from each depth to the next about half as many go on.
    within : float
        How many points a candidate may be behind the best at 0 plies; at each further depth half as many.
    noise : float
        Standard deviation, in points, of the error it makes in what every play and every turn of the cube is worth.
        It is what makes a level weaker than Normal; ``docs/bots.md`` says by how much.
    """

    name: str
    ply: int
    candidates: int = 5
    within: float = 0.16
    noise: float = 0.0

    def at(self, ply: int) -> "Level":
        """Return the same level at another depth."""
        return replace(self, ply=ply)

    def candidates_of(self, parents: NDArray[np.int64], equity: NDArray[np.float32], ply: int = 0) -> NDArray[np.int64]:
        """Return which afterstates deserve a deeper look, int64 (K,), not falling in their parents, best first.

        Parameters
        ----------
        parents : int64 (M,)
            Boards of the afterstates, not falling.
        equity : float32 (M,)
            Equity of each for the player then on roll: the lower, the better the play.
        ply : int
            The depth that the equities come from.
        """
        most = max(2, -(-self.candidates // 2**ply)) if self.candidates > 1 else 1
        return nearest(parents, equity, most, self.within / 2**ply)


def easy_takes(doubler: ArrayLike, answerer: ArrayLike) -> NDArray[np.bool_]:
    """Return whether one who only counts pips takes a double: unless more than a fifth behind, bool (...)."""
    return np.asarray(5 * np.asarray(answerer) <= 6 * np.asarray(doubler))


EASY: Final = Level("easy", -1)
NOVICE: Final = Level("novice", 0, noise=0.12)
CASUAL: Final = Level("casual", 0, noise=0.05)
NORMAL: Final = Level("normal", 0)
HARD: Final = Level("hard", 2)
LEVELS: Final = {level.name: level for level in (EASY, NOVICE, CASUAL, NORMAL, HARD)}
