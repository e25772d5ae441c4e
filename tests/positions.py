"""Positions written so that they read like positions."""

from collections.abc import Iterable

import numpy as np

from gammon_rl.rules.variants import Boards

_LETTERS = {".": 0}
_LETTERS |= {chr(ord("A") + k): k + 1 for k in range(15)}
_LETTERS |= {chr(ord("a") + k): -k - 1 for k in range(15)}
_COUNTS = {count: letter for letter, count in _LETTERS.items()}


def position(mine: str, theirs: str = "") -> Boards:
    """Return the board with these checkers, int8 (26,); every point is in the numbers of the player on roll.

    Examples
    --------
    >>> position("24x2 13x5 8x3 6x5", "1x2 12x5 17x3 19x5").tolist()[:9]
    [0, -2, 0, 0, 0, 0, 5, 0, 3]
    >>> position("bar 6x3", "bar 20x2")[[0, 6, 20, 25]].tolist()
    [-1, 3, -2, 1]
    """
    board = np.zeros(26, dtype=np.int8)
    for text, bar, sign in ((mine, 25, 1), (theirs, 0, -1)):
        for word in text.split():
            point, _, count = word.partition("x")
            where = bar if point == "bar" else int(point)
            assert point == "bar" or 1 <= where <= 24, f"no such point: {word}"
            assert board[where] == 0, f"named twice: {word}"
            board[where] = sign * int(count or 1)
    return board


def afterstate(mine: str, theirs: str = "") -> tuple[int, ...]:
    """Return what `position` says, as the player who then comes to roll sees it: a play's result as a tuple.

    Examples
    --------
    >>> afterstate("", "19x2")[6]
    2
    """
    return tuple(-int(count) for count in position(mine, theirs)[::-1])


def to_letters(board: Iterable[int]) -> str:
    """Return a board as 26 letters, index 0 first: A is one checker of the player on roll, a one of the other's.

    Examples
    --------
    >>> to_letters(position("24x2 13x5 8x3 6x5", "1x2 12x5 17x3 19x5"))
    '.b....E.C...eE...c.e....B.'
    """
    return "".join(_COUNTS[int(count)] for count in board)


def from_letters(text: str) -> tuple[int, ...]:
    """Return the board that `to_letters` wrote, as a tuple."""
    return tuple(_LETTERS[letter] for letter in text)
