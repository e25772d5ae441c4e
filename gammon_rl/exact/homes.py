"""The positions of one side's checkers in its home board: their numbers, and where the rolls take them.

A *home* is the six counts of a side's own points 1 to 6. With all of its checkers there and no contact a side plays as
if it were alone, so a home is all there is to know about it. Homes are numbered so that those with fewer checkers come
first: the first 924 are those of up to 6 checkers, all 54,264 those of up to 15.

Legend: N boards, H homes, E plays; a *turn* is a home with one of the 21 rolls.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.rules.dice import ROLLS
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import Boards, Variant

POINTS: Final = 6
MOST: Final = 15
"""Checkers a side can have at most."""

Counts = NDArray[np.int8]
Index = NDArray[np.int64]

# What `below` checkers on the points 1 to k add to the number of a home; a combination in the usual numbering.
_RANK: Final = np.array([[comb(below + k - 1, k) for below in range(MOST + 1)] for k in range(1, POINTS + 1)])


def home_count(checkers: int) -> int:
    """Return how many homes of up to that many checkers there are.

    Examples
    --------
    >>> home_count(6), home_count(15)
    (924, 54264)
    """
    return comb(checkers + POINTS, POINTS)


def home_numbers(counts: Counts) -> Index:
    """Return the numbers of homes, int64 (...), for counts int8 (..., 6) of up to 15 checkers.

    Examples
    --------
    >>> home_numbers(np.array([[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1], [15, 0, 0, 0, 0, 0]])).tolist()
    [0, 1, 54263]
    """
    below = np.zeros(counts.shape[:-1], dtype=np.intp)
    numbers = np.zeros(counts.shape[:-1], dtype=np.int64)
    for point in range(POINTS):
        below += counts[..., point]
        numbers += np.take(_RANK[point], below)
    return numbers


@cache
def all_homes(checkers: int = MOST) -> Counts:
    """Return the counts of all homes of up to that many checkers, by number: int8 (H, 6), read-only."""
    marks = np.array(list(combinations(range(checkers + POINTS), POINTS)))
    counts = np.diff(marks, axis=1, prepend=-1) - 1
    homes = np.empty_like(counts, dtype=np.int8)
    homes[home_numbers(counts)] = counts
    homes.flags.writeable = False
    return homes


@dataclass(frozen=True)
class Plays:
    """Where some homes can go with every roll.

    Attributes
    ----------
    homes : int64 (E,)
        The numbers of the homes after each play, distinct for each turn, turn after turn: the 21 rolls of the first
        home in the order of `ROLLS`, then those of the next.
    starts : int64 (H * 21,)
        Where the plays of each turn begin. There is always one, as a home is never shut out.
    """

    homes: Index
    starts: Index


def plays_from(counts: Counts, rules: Variant) -> Plays:
    """Return the plays of homes, int8 (H, 6), none of them empty, with every roll."""
    boards = np.zeros((len(counts) * len(ROLLS), 26), dtype=np.int8)
    boards[:, 1 : POINTS + 1] = np.repeat(counts, len(ROLLS), axis=0)
    parents, afterstates = legal_plays(boards, np.tile(ROLLS, (len(counts), 1)), rules)
    return Plays(home_numbers(their_homes(afterstates)), np.searchsorted(parents, np.arange(len(boards))))


def my_homes(boards: Boards) -> Counts:
    """Return the counts of the mover's home board, int8 (..., 6), of boards int8 (..., 26)."""
    return boards[..., 1 : POINTS + 1]


def their_homes(boards: Boards) -> Counts:
    """Return the counts of the opponent's home board, int8 (..., 6), of boards int8 (..., 26)."""
    return np.negative(boards[..., 24 : 24 - POINTS : -1])
