"""Dice: the 21 distinct rolls and their chances, and rolls drawn from a generator handed in."""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gammon_rl.errors import InvalidPositionError

Dice = NDArray[np.int64]

ROLLS: Final[Dice] = np.array([(a, b) for a in range(1, 7) for b in range(1, a + 1)], dtype=np.int64)
"""The 21 distinct rolls, int64 (21, 2), the higher die first."""

ROLL_CHANCES: Final[NDArray[np.float64]] = np.where(ROLLS[:, 0] == ROLLS[:, 1], 1.0, 2.0) / 36
"""The chance of each of `ROLLS`, float64 (21,)."""


def roll(rng: np.random.Generator, count: int) -> Dice:
    """Return `count` independent rolls, int64 (count, 2)."""
    return rng.integers(1, 7, size=(count, 2))


def opening_roll(rng: np.random.Generator, count: int) -> Dice:
    """Return `count` independent opening rolls, int64 (count, 2): two different dice, all 30 pairs alike."""
    first = rng.integers(1, 7, size=count)
    second = rng.integers(1, 6, size=count)
    return np.stack([first, second + (second >= first)], axis=-1)


def checked_dice(dice: ArrayLike, count: int) -> Dice:
    """Return dice from outside as int64 (count, 2), one roll standing for all.

    Raises
    ------
    InvalidPositionError
        If they are not two whole numbers from 1 to 6 for each board, or for all.
    """
    try:
        values = np.asarray(dice)
    except ValueError:
        values = np.empty(0)
    if values.shape not in {(2,), (count, 2)} or not (np.issubdtype(values.dtype, np.integer) or not values.size):
        raise InvalidPositionError(
            f"dice must be whole numbers of shape (2,) or ({count}, 2), got shape {values.shape} of {values.dtype}"
        )
    if values.size and (values.min() < 1 or values.max() > 6):
        wrong = values.reshape(-1)[((values < 1) | (values > 6)).reshape(-1)][0]
        raise InvalidPositionError(f"a die shows 1 to 6, got {wrong}")
    return np.broadcast_to(values, (count, 2)).astype(np.int64)
