"""What outcome probabilities are worth without a cube, and the two scales of a match: winning chances and equity."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Equities = NDArray[np.float32]
Probs = NDArray[np.float32]
Floats = NDArray[np.float64]


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


def outcome_shares(probs: ArrayLike) -> tuple[Floats, Floats]:
    """Return how wins and losses are made up: single game, gammon, backgammon, each float64 (..., 3) adding up to 1.

    What never happens counts as single games, and probabilities that are not quite nested are taken for the nearest
    that are.

    Examples
    --------
    >>> [shares.tolist() for shares in outcome_shares([0.5, 0.25, 0.125, 0.125, 0])]
    [[0.5, 0.25, 0.25], [0.75, 0.25, 0.0]]
    """
    win, gammon, backgammon, lost_gammon, lost_backgammon = np.moveaxis(np.asarray(probs, dtype=np.float64), -1, 0)
    return _shares(win, gammon, backgammon), _shares(1 - win, lost_gammon, lost_backgammon)


def _shares(whole: Floats, gammon: Floats, backgammon: Floats) -> Floats:
    known = np.where(whole > 0, whole, np.inf)  # of nothing, nothing is a gammon
    most = np.clip(gammon / known, 0, 1)
    least = np.clip(backgammon / known, 0, most)
    return np.stack([1 - most, most - least, least], axis=-1)


def mwc_to_emg(mwc: ArrayLike, after_loss: ArrayLike, after_win: ArrayLike) -> Floats:
    """Return match winning chances as money-equivalent equity, float64 (...).

    Parameters
    ----------
    mwc : float (...)
        The chances to put on the other scale.
    after_loss, after_win : float (...)
        The chances after losing and after winning a single game at the present cube, which are -1 and 1 there;
        `Stakes.equity` knows them of any score and cube.

    Examples
    --------
    >>> mwc_to_emg([0.25, 0.5, 0.625, 1], 0.25, 0.75).tolist()
    [-1.0, 0.0, 0.5, 2.0]
    """
    value, low, high = (np.asarray(x, dtype=np.float64) for x in (mwc, after_loss, after_win))
    return np.asarray(1 - 2 * (high - value) / (high - low))  # written so, both ends are exact


def emg_to_mwc(emg: ArrayLike, after_loss: ArrayLike, after_win: ArrayLike) -> Floats:
    """Return money-equivalent equities as match winning chances, float64 (...): the inverse of `mwc_to_emg`.

    Examples
    --------
    >>> emg_to_mwc([-1, 0, 0.5, 2], 0.25, 0.75).tolist()
    [0.25, 0.5, 0.625, 1.0]
    """
    value, low, high = (np.asarray(x, dtype=np.float64) for x in (emg, after_loss, after_win))
    return np.asarray(high - (1 - value) / 2 * (high - low))
