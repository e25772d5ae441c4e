"""What the steps of a play change on a board, as one table for all rolls.

The change that a pair of steps makes is a row of the table, and its number says the steps: the roll's offset, plus
the source of the step by the higher die and whether it hits, plus the same of the lower die.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.rules.board import turn
from gammon_rl.rules.dice import ROLLS

CHANGES_A_ROLL: Final = 26 * 26 * 4  # source of the first and of the second step (0: none), whether each hits
FIRST: Final = 104, 2  # what the source and the hit of the first step count for in a change's number
SECOND: Final = 4, 1


@dataclass(frozen=True)
class Tables:
    """What a pair of steps changes, for each of the 21 rolls, and which bear-offs a die allows."""

    changes: NDArray[np.int8]  # (21 * CHANGES_A_ROLL, 26), added to a TURNED board
    canonical: NDArray[np.uint32]  # for each change the first one of the same roll that changes the board alike
    roll: NDArray[np.uint32]  # (7, 7) offset of a roll's changes
    bearoffs: NDArray[np.uint32]  # (7, 128) by die and occupied home points: the points a checker may be borne off from


def _keep_freed_memory() -> None:
    """Have the C library keep some tens of MB of freed memory, instead of giving it back after every call.

    A third of the time went into pages that the system took back and handed out anew. The GNU C library keeps twice the
    size of the largest block it was ever given back, up to 32 MiB; a block that is never touched costs nothing. Other
    libraries have rules of their own, and lose nothing.
    """
    np.empty(31 << 20, dtype=np.uint8)


@cache
def tables() -> Tables:
    """Return the table; it is made once."""
    _keep_freed_memory()
    steps = np.zeros((7, 26, 2, 26), dtype=np.int8)  # die, source, hit -> what changes on the mover's board
    for die in range(1, 7):
        for source in range(1, 26):
            target = source - die
            steps[die, source, :, source] -= 1
            if target >= 1:
                steps[die, source, :, target] += 1
                steps[die, source, 1, target] += 1  # the blot was counted as -1
                steps[die, source, 1, 0] -= 1
    steps = turn(steps)
    changes = np.empty((21, 26, 26, 2, 2, 26), dtype=np.int8)
    canonical = np.empty((21, CHANGES_A_ROLL), dtype=np.uint32)
    roll = np.zeros((7, 7), dtype=np.uint32)
    for number, (high, low) in enumerate(ROLLS.tolist()):
        changes[number] = steps[high][:, None, :, None] + steps[low][None, :, None, :]
        rows = np.ascontiguousarray(changes[number].reshape(CHANGES_A_ROLL, 26)).view("V26").ravel()
        _, first, same = np.unique(rows, return_index=True, return_inverse=True)
        canonical[number] = number * CHANGES_A_ROLL + first[same]
        roll[high, low] = roll[low, high] = number * CHANGES_A_ROLL
    bearoffs = np.zeros((7, 128), dtype=np.uint32)
    for die in range(1, 7):
        for home in range(0, 128, 2):
            highest = home.bit_length() - 1
            bearoffs[die, home] = 1 << highest if 0 < highest < die else home & (1 << die)
    return Tables(changes.reshape(-1, 26), canonical.ravel(), roll, bearoffs)
