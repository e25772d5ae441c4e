"""What can no longer be averted: how much the player on roll loses whatever the dice show."""

import numpy as np

from gammon_rl.rules.board import checkers_off, pip_counts
from gammon_rl.rules.variants import STANDARD, Boards, Variant


def points_surely_lost(board: Boards, rules: Variant = STANDARD) -> int:
    """Return the points the player on roll loses with every sequence of rolls, 0 to 3; 0 while there is contact.

    In a race every roll takes the opponent at least two pips further, one by either die, until all checkers are off,
    while a roll of the player makes at most four steps of six pips. Where the longest time of the one is shorter than
    the shortest of the other, no dice help.

    Parameters
    ----------
    board : int8 (26,)
        A game that goes on, before the roll.

    Examples
    --------
    >>> board = np.zeros(26, dtype=np.int8)
    >>> board[[6, 24]] = 5, -2  # the other side is off with its next roll
    >>> points_surely_lost(board)
    1
    >>> board[6] = 4  # but first 6-6 would bear off four
    >>> points_surely_lost(board)
    0
    """
    mine, theirs = np.flatnonzero(board > 0), np.flatnonzero(board < 0)
    if mine.max() > theirs.min():
        return 0
    pips = int(pip_counts(board)[1])
    rolls = -(-pips // 2)  # the most they need; I roll first, and so as often
    counts = board[mine].astype(np.int64)

    def too_slow(goal: int, more: int = 0) -> bool:
        """Whether the steps that take all checkers to a point or beyond, and some more, are too many."""
        steps = -(-np.maximum(mine - goal, 0) // 6) @ counts
        return bool(steps + more > 4 * rolls)

    if not too_slow(0):
        return 0
    if checkers_off(board, rules)[0] or not too_slow(6, 1):
        return 1
    return 3 if too_slow(18) else 2
