"""The one-sided bear-off: how many rolls a side alone needs to bear off, and to bear its first checker off.

Every home of up to 15 checkers is played so that the mean number of rolls left is least: until all checkers are off
for the one distribution, until the first one is off for the other. Each play takes pips away, so the homes are solved
once, from few pips to many.

The chance to be done within n rolls is stored as a 16-bit number, to the nearest of 65,535 steps. A chance that side A
is done before side B is a sum over n of the rises of A times what B lacks. Summed by parts, a rounding by at most h of
either side changes it by at most h, so that it is right to 2 h, which is 1.6e-5.

Legend: H homes, E plays, R rolls.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.exact.homes import POINTS, Index, all_homes, plays_from
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.rules.variants import STANDARD, Variant

KIND: Final = "bear-off, one side"
VERSION: Final = 1
STEPS: Final = 65_535
ERROR: Final = 1 / STEPS
"""What a chance made of two stored distributions is wrong by at most, for the rounding: half a step for each."""

_LONGEST: Final = 40  # rolls; more than any home needs
_MOST_PIPS: Final = 90

Floats = NDArray[np.float64]
Steps = NDArray[np.uint16]


def solve_one_sided(rules: Variant = STANDARD, told: Callable[[int], None] | None = None) -> dict[str, Steps]:
    """Solve all homes of up to 15 checkers.

    Parameters
    ----------
    rules : Variant
        The variant; it matters for forced bear-offs only.
    told : callable, optional
        Called now and then with the number of homes done.

    Returns
    -------
    dict
        ``all_off`` and ``first_off``, uint16 (H, R) each with an R of its own: in 65,535ths the chance that all
        checkers, or the first one, are off after 0, 1, 2, ... rolls. The last column is 65,535 everywhere.
    """
    homes = all_homes()
    pips = homes @ np.arange(1, POINTS + 1)
    checkers = homes.sum(axis=1)
    all_off, first_off = _Race(len(homes)), _Race(len(homes))
    done = 1
    for level in range(1, _MOST_PIPS + 1):
        here = np.flatnonzero(pips == level)
        plays = plays_from(homes[here], rules)
        turn = np.repeat(np.arange(len(plays.starts)), np.diff(plays.starts, append=len(plays.homes)))
        bears_off = checkers[plays.homes] < checkers[here][turn // len(ROLLS)]
        all_off.solve(here, plays.homes, plays.starts, turn)
        first_off.solve(here, np.where(bears_off, 0, plays.homes), plays.starts, turn)
        done += len(here)
        if told:
            told(done)
    return {"all_off": all_off.stored(), "first_off": first_off.stored()}


class _Race:
    """What is known so far of a race to some goal; home 0 stands for being there.

    Attributes
    ----------
    chance : float64 (H, _LONGEST)
        The chance to be there after so many rolls.
    mean : float64 (H,)
        The mean number of rolls.
    """

    def __init__(self, homes: int) -> None:
        self.chance = np.zeros((homes, _LONGEST))
        self.mean = np.zeros(homes)
        self.chance[0] = 1

    def solve(self, here: Index, after: Index, starts: Index, turn: Index) -> None:
        """Solve the homes `here`, whose plays lead to the homes `after`, which are solved."""
        best = after[_first_least(self.mean[after], starts, turn)].reshape(len(here), len(ROLLS))
        self.mean[here] = 1 + self.mean[best] @ ROLL_CHANCES
        for roll, chance in enumerate(ROLL_CHANCES):
            self.chance[here, 1:] += chance * self.chance[best[:, roll], :-1]

    def stored(self) -> Steps:
        """Return the chances as they are stored, up to the first column that is 65,535 everywhere."""
        steps = np.rint(self.chance * STEPS).astype(np.uint16)
        return np.ascontiguousarray(steps[:, : 1 + np.count_nonzero((steps < STEPS).any(axis=0))])


def _first_least(values: Floats, starts: Index, turn: Index) -> Index:
    """Return where the least value of each turn stands, the first of equals: int64, one for each turn."""
    least = np.minimum.reduceat(values, starts)
    # Plays that differ by rounding alone are equal: the choice has to be the same on every machine.
    at = np.flatnonzero(values <= least[turn] + 1e-12)
    return at[np.searchsorted(turn[at], np.arange(len(starts)))]


def mean_rolls(stored: Steps) -> Floats:
    """Return the mean number of rolls, float64 (...), of stored distributions (..., R)."""
    return np.asarray((STEPS - stored.astype(np.float64)).sum(axis=-1) / STEPS)
