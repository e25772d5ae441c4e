"""The variants that are played: how many checkers, where they start, and whether bearing off is forced."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.errors import InvalidNotationError

Boards = NDArray[np.int8]


@dataclass(frozen=True)
class Variant:
    """The rules in which the variants differ; everything else is common to all of them.

    Attributes
    ----------
    name : str
        Lower-case name, as the command line and model files write it.
    checkers : int
        Checkers a side.
    layout : tuple of (int, int)
        The start position as (point, checkers) of either player, each in their own numbers.
    forced_bearoff : bool
        Whether a die that can bear a checker off must do so (Tavla).

    Examples
    --------
    >>> HYPERGAMMON.start().tolist()[22:]
    [1, 1, 1, 0]
    """

    name: str
    checkers: int
    layout: tuple[tuple[int, int], ...]
    forced_bearoff: bool = False

    def same_but_for_the_start(self, other: "Variant") -> bool:
        """Whether another variant has the same rules for every position, so that what knows one knows the other.

        Examples
        --------
        >>> NACKGAMMON.same_but_for_the_start(STANDARD), TAVLA.same_but_for_the_start(STANDARD)
        (True, False)
        """
        return (self.checkers, self.forced_bearoff) == (other.checkers, other.forced_bearoff)

    def start(self) -> Boards:
        """Return a fresh start board, int8 (26,), the same for both players."""
        board = np.zeros(26, dtype=np.int8)
        for point, count in self.layout:
            board[point] += count
            board[25 - point] -= count
        return board


STANDARD: Final = Variant("standard", 15, ((24, 2), (13, 5), (8, 3), (6, 5)))
NACKGAMMON: Final = Variant("nackgammon", 15, ((24, 2), (23, 2), (13, 4), (8, 3), (6, 4)))
HYPERGAMMON: Final = Variant("hypergammon", 3, ((24, 1), (23, 1), (22, 1)))
LONGGAMMON: Final = Variant("longgammon", 15, ((24, 15),))
TAVLA: Final = Variant("tavla", 15, STANDARD.layout, forced_bearoff=True)

VARIANTS: Final = {v.name: v for v in (STANDARD, NACKGAMMON, HYPERGAMMON, LONGGAMMON, TAVLA)}


def variant(name: str) -> Variant:
    """Return the variant of that name, in any letter case.

    Raises
    ------
    InvalidNotationError
        If there is none of that name.

    Examples
    --------
    >>> variant("Tavla").forced_bearoff
    True
    """
    try:
        return VARIANTS[name.lower()]
    except (KeyError, AttributeError):
        known = ", ".join(VARIANTS)
        raise InvalidNotationError(f"unknown variant {name!r}; known are {known}") from None
