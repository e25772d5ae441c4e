"""The board as an array: turning it, counting it, reading a result off it, and refusing an impossible one.

A board is int8 (..., 26), seen by the player on roll. Index p in 1 to 24 is the mover's point p: positive
counts are the mover's checkers, negative ones the opponent's. Index 25 is the mover's bar (never negative),
index 0 the opponent's bar (never positive). Checkers off are what is missing.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gammon_rl.errors import InvalidPositionError
from gammon_rl.rules.variants import STANDARD, Boards, Variant

MY_BAR: Final = 25
THEIR_BAR: Final = 0
OFF: Final = 0  # as the end of a step; on a board this index is the opponent's bar

_MY_PIPS: Final = np.arange(26, dtype=np.int32)
_THEIR_PIPS: Final = 25 - _MY_PIPS


def turn(boards: Boards) -> Boards:
    """Return the boards as the other player sees them (a copy).

    Examples
    --------
    >>> bool((turn(STANDARD.start()) == STANDARD.start()).all())
    True
    """
    return np.negative(boards[..., ::-1])


def checkers_off(boards: Boards, rules: Variant = STANDARD) -> NDArray[np.int64]:
    """Return the checkers borne off, int64 (..., 2): the player on roll first, then the opponent."""
    mine = np.maximum(boards, 0).sum(axis=-1, dtype=np.int64)
    theirs = -np.minimum(boards, 0).sum(axis=-1, dtype=np.int64)
    return rules.checkers - np.stack([mine, theirs], axis=-1)


def pip_counts(boards: Boards) -> NDArray[np.int64]:
    """Return the pips still to go, int64 (..., 2): the player on roll first, then the opponent.

    Examples
    --------
    >>> pip_counts(STANDARD.start()).tolist()
    [167, 167]
    """
    mine = (np.maximum(boards, 0) * _MY_PIPS).sum(axis=-1, dtype=np.int64)
    theirs = (-np.minimum(boards, 0) * _THEIR_PIPS).sum(axis=-1, dtype=np.int64)
    return np.stack([mine, theirs], axis=-1)


def results(boards: Boards, rules: Variant = STANDARD) -> NDArray[np.int8]:
    """Return the points each board is won by, int8 (...): 0 while the game goes on.

    Positive when the player on roll has won, negative when the opponent has; 1 single, 2 gammon (the loser has no
    checker off), 3 backgammon (and one on the bar or in the winner's home board). After a winning play the
    afterstate has the loser on roll, so it reads -1, -2 or -3.

    Examples
    --------
    >>> board = np.zeros(26, dtype=np.int8)
    >>> board[19], board[1] = 1, 14
    >>> int(results(board))
    -3
    """
    points = np.zeros(boards.shape[:-1], dtype=np.int8)
    i_won: NDArray[np.bool_] = np.asarray(boards.max(axis=-1) <= 0)
    they_won: NDArray[np.bool_] = np.asarray(boards.min(axis=-1) >= 0)
    if i_won.any():
        points[i_won] = _loss(turn(boards[i_won]), rules)
    if they_won.any():
        points[they_won] = -_loss(boards[they_won], rules)
    return points


def _loss(boards: Boards, rules: Variant) -> NDArray[np.int8]:
    """Return the points the player on roll has lost, the opponent having none left on the board."""
    mine = np.maximum(boards, 0)
    none_off = mine.sum(axis=-1) == rules.checkers
    loss: NDArray[np.int8] = (1 + none_off * (1 + mine[..., 19:].any(axis=-1))).astype(np.int8)
    return loss


def home_is_closed(boards: Boards) -> NDArray[np.bool_]:
    """Return whether the opponent holds all six points the player on roll would enter on, bool (...)."""
    closed: NDArray[np.bool_] = np.asarray((boards[..., 19:25] <= -2).all(axis=-1))
    return closed


def checked_board(board: ArrayLike | Any, rules: Variant = STANDARD) -> Boards:
    """Return a board that came from outside as int8 (26,), or say everything that is impossible about it.

    Parameters
    ----------
    board : array_like of int, shape (26,)
        The board as the player on roll sees it.
    rules : Variant
        Tells how many checkers a side has.

    Raises
    ------
    InvalidPositionError
        If it has not 26 whole numbers, too many checkers, a checker on the wrong bar, nobody left to play, or
        both players shut out for ever.

    Examples
    --------
    >>> checked_board([0] * 26)
    Traceback (most recent call last):
        ...
    gammon_rl.errors.InvalidPositionError: impossible board: neither player has a checker left
    """
    try:
        values = np.asarray(board)
    except ValueError:
        values = np.empty(0)
    if values.shape != (26,) or not np.issubdtype(values.dtype, np.integer):
        raise InvalidPositionError(
            f"a board is 26 whole numbers, got {type(board).__name__} of shape {values.shape} and type {values.dtype}"
        )
    counts: list[int] = values.tolist()  # without limits, so that no sum of large ones wraps round
    mine, theirs = sum(count for count in counts if count > 0), -sum(count for count in counts if count < 0)
    faults = []
    if mine > rules.checkers:
        faults.append(f"the player on roll has {mine} checkers, {rules.name} is played with {rules.checkers}")
    if theirs > rules.checkers:
        faults.append(f"the opponent has {theirs} checkers, {rules.name} is played with {rules.checkers}")
    if counts[MY_BAR] < 0:
        faults.append("index 25 is the bar of the player on roll and holds opposing checkers")
    if counts[THEIR_BAR] > 0:
        faults.append("index 0 is the opponent's bar and holds checkers of the player on roll")
    if mine == 0 and theirs == 0:
        faults.append("neither player has a checker left")
    if not faults:
        seen = np.array(counts, dtype=np.int8)
        both_on_bar = counts[MY_BAR] > 0 > counts[THEIR_BAR]
        if both_on_bar and home_is_closed(seen) and home_is_closed(turn(seen)):
            faults.append("both players are on the bar against a closed board")
    if faults:
        raise InvalidPositionError("impossible board: " + "; ".join(faults))
    return seen
