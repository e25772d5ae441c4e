"""How much of its possible use a cube really has: the cube efficiency of Janowski's model, by kind of position."""

from typing import Final

import numpy as np

from gammon_rl.rules.board import checkers_off, pip_counts
from gammon_rl.rules.variants import STANDARD, Boards, Variant
from gammon_rl.stakes.equity import Floats

CONTACT: Final = 0.75
"""While the sides can still hit each other."""

RACE_PIPS: Final = (5, 10, 20, 30)
RACE: Final = (0.29, 0.48, 0.63, 0.70)
"""In a race with so many pips to go on average, and in straight lines between."""


def cube_efficiency(boards: Boards, rules: Variant = STANDARD) -> Floats:
    """Return the cube efficiency before the roll, float64 (...), for boards int8 (..., 26).

    The longer the game still is, the smaller are its jumps, and the more often the cube is turned near the point where
    taking and passing are worth the same. So it falls from `CONTACT` along `RACE` to 0, a dead cube, where the opponent
    is sure to be off with the next roll: what comes after a double is exact then. How the numbers were found is in
    ``docs/cube.md``.

    Examples
    --------
    >>> float(cube_efficiency(STANDARD.start()))
    0.75
    """
    places = np.arange(26)
    mine = np.where(boards > 0, places, 0).max(axis=-1)
    theirs = np.where(boards < 0, places, 25).min(axis=-1)
    racing = mine < theirs
    if not racing.any():
        return np.full(racing.shape, CONTACT)
    pips = pip_counts(boards)
    left = rules.checkers - checkers_off(boards, rules)[..., 1]
    # every roll bears off a checker within three pips, two on the ace point, or one there and one on the two point
    last = (pips[..., 1] <= 3) & (left <= 2)
    race = np.where(last, 0.0, np.interp(pips.mean(axis=-1), RACE_PIPS, RACE))
    return np.where(racing, race, CONTACT)
