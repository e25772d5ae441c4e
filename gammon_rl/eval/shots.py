"""How many of the 36 rolls hit: each blot of the opponent by the player on roll, and the other way round.

A place's inputs show where the checkers are, but not which of them can be hit, which depends on pairs of places and on
what stands between them. A net has to learn that from very many boards; counted out, it is a few operations on sets
of places, which are bits of a number: moving all checkers by a die is a shift.

Legend: N boards, R rolls.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.rules.board import turn
from gammon_rl.rules.variants import Boards

COUNTS: Final = 2 * 25
"""Counts of a board: for each side its 24 points, and all of them together."""
ROLLS: Final = 36

_Bits = NDArray[np.uint32]

_POINTS: Final = np.uint32((1 << 25) - 2)  # places 1 to 24
_BAR: Final = np.uint32(1 << 25)
TWO_DICE: Final = tuple((a, b) for a in range(2, 7) for b in range(1, a))
"""The rolls of two different dice."""
# Those, then the doubles.
_FIRST, _SECOND = (
    np.array(dice, dtype=np.uint32)[:, None] for dice in zip(*TWO_DICE, *((a, a) for a in range(1, 7)), strict=True)
)
_DOUBLES: Final = len(TWO_DICE)  # where they begin
_BLOCK: Final = 512  # boards at once: what is on the way fits the cache


def shots(boards: Boards) -> NDArray[np.uint8]:
    """Return how many of the 36 rolls hit, uint8 (N, 50).

    A roll counts if a checker can get to the blot with one of its dice, or with both, or with up to four steps of a
    double, over points that are not blocked, checkers on the bar first. That the dice left over may have no play, or
    have to be played in another way, is left out: it makes a difference to one roll of some thousand.

    Parameters
    ----------
    boards : int8 (N, 26)
        Boards of the player on roll.

    Returns
    -------
    uint8 (N, 50)
        Rolls of the player on roll that hit the blot on point 1 to 24, then those that hit at least one; after those
        the same of the opponent, as if it were on roll, by its own points.

    Examples
    --------
    A blot six points away with nothing between is hit by 17 rolls; so is the other one, by the other side.

    >>> board = np.zeros(26, dtype=np.int8)
    >>> board[10], board[4] = 1, -1
    >>> counts = shots(board[None])[0]
    >>> int(counts[4 - 1]), int(counts[24]), int(counts[25 + 25 - 10 - 1])
    (17, 17, 17)
    """
    counts = np.empty((len(boards), 2, 25), dtype=np.uint8)
    for at in range(0, len(boards), _BLOCK):
        block = boards[at : at + _BLOCK]
        both = np.concatenate([block, turn(block)])
        counts[at : at + _BLOCK] = _one_side(both).reshape(2, len(block), 25).swapaxes(0, 1)
    return counts.reshape(len(boards), COUNTS)


def _one_side(boards: Boards) -> NDArray[np.uint8]:
    """Return the counts of the player on roll, uint8 (N, 25)."""
    wide = np.zeros((len(boards), 32), dtype=np.int8)
    wide[:, :26] = boards
    hits = _hits(_places(wide > 0), _places(wide == -1) & _POINTS, ~_places(wide < -1), boards[:, 25])
    hits |= hits != 0  # bit 0 is of no place that is hit; taken for whether any is
    each = np.unpackbits(hits.view(np.uint8), axis=-1, bitorder="little")
    counts = np.add.reduce(each[:_DOUBLES], axis=0, dtype=np.uint8)
    counts *= 2
    counts += np.add.reduce(each[_DOUBLES:], axis=0, dtype=np.uint8)
    counts = counts.reshape(-1, 32)
    return np.concatenate([counts[:, 1:25], counts[:, :1]], axis=1)


def _places(there: NDArray[np.bool_]) -> _Bits:
    """Return where a row of 32 places is true, as bits of a number."""
    packed: _Bits = np.packbits(there.reshape(-1), bitorder="little").view("<u4")
    return packed


def _hits(mine: _Bits, blots: _Bits, free: _Bits, bar: NDArray[np.int8]) -> _Bits:
    """Return the blots that are hit with each roll, (21, N)."""
    barred = np.flatnonzero(bar > 0)
    ready = mine
    if barred.size:
        ready = mine.copy()
        ready[barred] = _BAR
    one, other = ready >> _FIRST, ready >> _SECOND
    hits = one | other
    for landed, die in ((one & free, _SECOND), (other & free, _FIRST)):
        if barred.size:  # once the last one is in, any checker may go on
            landed[:, barred] = _in_play(landed[:, barred], mine[barred] & ~_BAR, bar[barred])
        landed >>= die
        hits |= landed
    at, double = landed[_DOUBLES:], _FIRST[_DOUBLES:]
    for still_in in (2, 1):  # the third and the fourth step, if no more than so many had to enter
        at &= free
        at >>= double
        hits[_DOUBLES:] |= np.where(bar <= still_in, at, np.uint32(0)) if barred.size else at
    hits &= blots
    return hits


def _in_play(entered: _Bits, inside: _Bits, bar: NDArray[np.int8]) -> _Bits:
    """Return who may move on with each roll, (21, N), by who has entered: none, without entry or a die left."""
    may = entered != 0
    may[:_DOUBLES] &= bar == 1
    may[_DOUBLES:] &= bar <= 3
    return np.where(may, entered | inside, np.uint32(0))
