"""Numbers for the positions of games with up to three checkers a side.

The checkers of one side lie on 26 places: off (0), the points 1 to 24, the bar (25). A way to lay them out is a
*layout*; with three checkers there are 3,276, numbered so that those with fewer pips to go come first. A position is
two layouts, that of the player on roll and that of the opponent as the opponent counts, and its number is
``layout_of_opponent * layouts + layout_of_mover``. Turning the table swaps the two. Some numbers stand for nothing,
since two sides cannot share a point.

So if one side moves alike in positions that differ in the other side alone, the positions after it lie near each other,
and near each other in memory are their values.

Legend: N boards or positions, L layouts.
"""

from functools import cached_property
from itertools import combinations_with_replacement
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.errors import InvalidPositionError
from gammon_rl.rules.board import MY_BAR
from gammon_rl.rules.variants import Boards, Variant

Index = NDArray[np.int64]

MOST: Final = 3
"""Checkers a side can have at most."""

# One weight a place, such that all sums of three of them differ (Mian and Chowla's greedy sequence): the sum of a
# side's weights tells its layout, and a sum is one product of matrices. Above it stands the number of checkers.
_WEIGHTS: Final = (
    0, 1, 4, 13, 32, 71, 124, 218, 375, 572, 744, 1208, 1556, 2441, 3097, 4047, 5297, 6703, 7838, 10986, 12331, 15464,
    19143, 24545, 28973, 34405,
)  # fmt: skip
_CHECKER: Final = 1 << 17  # more than three times the greatest weight
_MINE: Final = np.array([0, *(weight + _CHECKER for weight in _WEIGHTS[1:])], dtype=np.float32)  # sums are exact
_THEIRS: Final = _MINE[::-1].copy()
_BLOCK: Final = 1 << 13  # boards numbered at once: their numbers stay in the cache


class PositionIndex:
    """The positions of a game with few checkers, numbered.

    Parameters
    ----------
    rules : Variant
        The game; up to three checkers a side.

    Raises
    ------
    InvalidPositionError
        If it has more checkers.

    Examples
    --------
    >>> from gammon_rl.rules.variants import HYPERGAMMON
    >>> index = PositionIndex(HYPERGAMMON)
    >>> index.layouts, index.size
    (3276, 10732176)
    >>> number = index.numbers(HYPERGAMMON.start())
    >>> bool((index.boards(number) == HYPERGAMMON.start()).all())
    True
    """

    def __init__(self, rules: Variant) -> None:
        if rules.checkers > MOST:
            raise InvalidPositionError(f"positions of up to {MOST} checkers a side are numbered, got {rules.checkers}")
        self.rules = rules
        places = np.array(list(combinations_with_replacement(range(26), rules.checkers)), dtype=np.int64)
        places = places[np.argsort(places.sum(axis=1), kind="stable")]
        self.places = places
        """Places of the checkers of each layout, int64 (L, checkers), the first layout with all of them off."""
        self.layouts = len(places)
        self.size = self.layouts**2
        self.pips = places.sum(axis=1)
        """Pips each layout has still to go, int64 (L,)."""
        self._layout_of = np.zeros((rules.checkers + 1) * _CHECKER, dtype=np.int32)
        self._layout_of[_MINE.astype(np.int64)[places].sum(axis=1)] = np.arange(self.layouts)
        counts = np.zeros((self.layouts, 26), dtype=np.int8)
        np.add.at(counts, (np.arange(self.layouts)[:, None], places), 1)
        counts[:, 0] = 0
        self._counts = counts

    def numbers(self, boards: Boards) -> Index:
        """Return the numbers of positions, int64 (...), for boards int8 (..., 26).

        Raises
        ------
        InvalidPositionError
            If a board has too many checkers.
        """
        flat = boards.reshape(-1, 26)
        out = np.empty(len(flat), dtype=np.int64)
        limit = len(self._layout_of)
        for at in range(0, len(flat), _BLOCK):
            block = flat[at : at + _BLOCK].astype(np.float32)
            mine = (np.maximum(block, 0) @ _MINE).astype(np.int64)
            theirs = (np.maximum(-block, 0) @ _THEIRS).astype(np.int64)
            if max(mine.max(), theirs.max()) >= limit:
                self._refuse(flat[at : at + _BLOCK])
            np.multiply(self._layout_of[theirs], self.layouts, out=out[at : at + _BLOCK], dtype=np.int64)
            out[at : at + _BLOCK] += self._layout_of[mine]
        return out.reshape(boards.shape[:-1])

    def boards(self, numbers: Index | NDArray[np.integer]) -> Boards:
        """Return the boards of positions, int8 (..., 26), for numbers (...)."""
        theirs, mine = np.divmod(numbers, self.layouts)
        return self._counts[mine] - self._counts[theirs][..., ::-1]

    def turned(self, numbers: NDArray[np.integer]) -> Index:
        """Return the numbers of the positions as the other player sees them, int64 (...)."""
        theirs, mine = np.divmod(numbers.astype(np.int64), self.layouts)
        return mine * self.layouts + theirs

    @cached_property
    def playable(self) -> NDArray[np.bool_]:
        """Whether each number stands for a position in which both sides have checkers left, bool (L * L,)."""
        occupied = np.zeros((self.layouts, 26), dtype=np.float32)
        occupied[:, 1:MY_BAR] = self._counts[:, 1:MY_BAR] > 0
        free: NDArray[np.bool_] = occupied @ occupied[:, ::-1].T == 0
        free[0] = free[:, 0] = False
        return free.reshape(-1)

    @cached_property
    def total_pips(self) -> NDArray[np.int16]:
        """Pips both sides together have still to go, int16 (L * L,)."""
        pips: NDArray[np.int16] = self.pips.astype(np.int16)
        total: NDArray[np.int16] = np.add.outer(pips, pips).reshape(-1)
        return total

    def _refuse(self, boards: Boards) -> None:
        most = max(np.maximum(boards, 0).sum(axis=1).max(), np.maximum(-boards, 0).sum(axis=1).max())
        raise InvalidPositionError(
            f"a board has {most} checkers of one side, {self.rules.name} is played with {self.rules.checkers}"
        )
