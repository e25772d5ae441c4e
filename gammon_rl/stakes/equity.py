"""Equity without a cube: what outcome probabilities are worth in points."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Equities = NDArray[np.float32]
Probs = NDArray[np.float32]


def cubeless_equity(probs: ArrayLike) -> Equities:
    """Return the mean points won if the game is played out for a stake of one point.

    Parameters
    ----------
    probs : float (..., 5)
        For the player on roll, nested: win, win gammon or better, win backgammon, lose gammon or worse, lose
        backgammon.

    Returns
    -------
    float32 (...)
        From -3 to 3.

    Examples
    --------
    >>> float(cubeless_equity([0.5, 0.25, 0, 0.125, 0]))
    0.125
    """
    p = np.asarray(probs, dtype=np.float32)
    return np.asarray(2 * p[..., 0] - 1 + p[..., 1] + p[..., 2] - p[..., 3] - p[..., 4], dtype=np.float32)


def jacoby_equity(probs: ArrayLike) -> Equities:
    """Return the mean points won if gammons count as single games, float32 (...).

    So it is in money play under the Jacoby rule for as long as nobody has doubled.
    """
    return np.asarray(2 * np.asarray(probs, dtype=np.float32)[..., 0] - 1, dtype=np.float32)


def turned_probs(probs: ArrayLike) -> Probs:
    """Return the probabilities of the other player, float32 (..., 5).

    Examples
    --------
    >>> turned_probs([0.75, 0.5, 0.25, 0.125, 0]).tolist()
    [0.25, 0.125, 0.0, 0.5, 0.25]
    """
    turned = np.asarray(probs, dtype=np.float32)[..., [0, 3, 4, 1, 2]]
    turned[..., 0] = 1 - turned[..., 0]
    return turned
