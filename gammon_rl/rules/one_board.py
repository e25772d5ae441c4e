"""The legal plays of one board, made as `plays` makes those of many, with Python's own whole numbers.

For a single board the calls of NumPy cost eight times what they do, so the same masks are taken apart here one by
one. The plays and their order are those of the batch. The doubles of Tavla, where bearing off is forced, are left to
it.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from gammon_rl.rules.board import turn
from gammon_rl.rules.changes import FIRST, SECOND, tables
from gammon_rl.rules.dice import Dice
from gammon_rl.rules.variants import Boards, Variant

_BAR: Final = 1 << 25
_POINTS: Final = (1 << 25) - 2
_ALL: Final = (1 << 32) - 1
_HOME: Final = 128  # masks below this have no checker outside the home board


class _Board:
    """One board and roll as masks: bit p for point p, 25 for the bar; my checkers, points I may land on, blots."""

    def __init__(self, counts: list[int], high: int, low: int) -> None:
        self.counts = counts
        self.high, self.low = high, low
        self.own = self.blot = blocked = 0
        for point, count in enumerate(counts):
            if count > 0:
                self.own |= 1 << point
            elif count == -1:
                self.blot |= 1 << point
            elif count:
                blocked |= 1 << point
        self.open = _POINTS & ~blocked
        self.blot &= _POINTS

    def lands_on_blot(self, source: int, die: int) -> bool:
        return bool(source > die and self.blot >> (source - die) & 1)

    def movable(self, own: int, die: int, forced: bool) -> int:
        """Return the points a checker can be moved from with a die, when `own` are those with checkers."""
        moves = own & (self.open << die)
        if own & _BAR:
            return moves & _BAR
        if own < _HOME:
            highest = own.bit_length() - 1
            bearoffs = 1 << highest if 0 < highest < die else own & (1 << die)
            return bearoffs if forced and bearoffs else moves | bearoffs
        return moves


def plays_of_one(board: Boards, dice: Dice, rules: Variant) -> Boards | None:
    """Return the afterstates of the legal plays of one board, int8 (M, 26), or None where the batch has to do it.

    Parameters
    ----------
    board : int8, shape (26,)
        The board as the player on roll sees it.
    dice : int, shape (2,)
        The roll.
    rules : Variant
        The variant played.
    """
    low, high = sorted(dice.tolist())
    here = _Board(board.tolist(), high, low)
    offset = int(tables().roll[high, low])
    changes = tables().changes
    if high == low:
        if rules.forced_bearoff:
            return None
        firsts, seconds = _doubles(here, offset)
        afterstates = changes[firsts]
        if seconds:
            afterstates += changes[seconds]
    elif _may_bear_off(here):
        afterstates = changes[_bearing_off(here, offset, rules.forced_bearoff)]
    else:
        afterstates = changes[_outer(here, offset)]
    afterstates += turn(board)
    return afterstates


def _bits(mask: int) -> Iterator[int]:
    """Yield the set bits from the lowest up."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _bits_in_turn(masks: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield (index, bit): the lowest bit of each mask, then the next of each that has one, and so on."""
    left = [(index, mask) for index, mask in enumerate(masks) if mask]
    while left:
        more = []
        for index, mask in left:
            lowest = mask & -mask
            yield index, lowest.bit_length() - 1
            if mask != lowest:
                more.append((index, mask ^ lowest))
        left = more


def _step(source: int, hit: int | bool, place: tuple[int, int]) -> int:
    return source * place[0] + hit * place[1]


def _may_bear_off(here: _Board) -> bool:
    """Return whether a checker could be borne off in this turn: all home, or one checker a step away from it."""
    outside = here.own >> 7
    if not outside:
        return True
    point = here.own.bit_length() - 1
    return outside & (outside - 1) == 0 and point <= here.high + 6 and here.counts[point] == 1


def _outer(here: _Board, offset: int) -> list[int]:
    """Return the changes of the plays of two different dice where nothing can be borne off."""
    high, low, own, blot = here.high, here.low, here.own, here.blot
    from_high, from_low = own & (here.open << high), own & (here.open << low)
    partner, runner = _ALL, own
    if own & _BAR:
        partner = runner = _BAR
        if here.counts[25] > 1:
            from_high &= _BAR
            from_low &= _BAR
            runner = 0
    halves, partners, hits = [], [], []
    for a in _bits(from_high):
        bit = 1 << a
        target = bit >> high
        taken = target | bit << low | (bit if here.counts[a] == 1 else 0)
        halves.append(offset + _step(a, blot & target != 0, FIRST))
        partners.append(from_low & (_ALL if bit == _BAR else partner) & ~taken)
        hits.append((blot & ~target) << low)
    changes = [halves[a] + _step(b, hits[a] >> b & 1, SECOND) for a, b in _bits_in_turn(partners)]
    runner &= here.open << (high + low)
    quiet = here.open & ~blot
    for mask, middle_hit, high_first in (
        (runner & ((quiet << high) | (quiet << low)), 0, True),
        (runner & (blot << high), 1, True),
        (runner & (blot << low), 1, False),
    ):
        (one, first), (other, second) = ((high, FIRST), (low, SECOND)) if high_first else ((low, SECOND), (high, FIRST))
        for x in _bits(mask):
            end_hit = here.lands_on_blot(x - one, other)
            changes.append(offset + _step(x, middle_hit, first) + _step(x - one, end_hit, second))
    return changes or _single_steps(here, offset, from_high & partner, from_low & partner)


def _single_steps(here: _Board, offset: int, from_high: int, from_low: int) -> list[int]:
    """Return the changes of plays of one die: the higher one if it can be played."""
    if from_high:
        return [offset + _step(x, here.lands_on_blot(x, here.high), FIRST) for x in _bits(from_high)]
    return [offset + _step(x, here.lands_on_blot(x, here.low), SECOND) for x in _bits(from_low)]


def _bearing_off(here: _Board, offset: int, forced: bool) -> list[int]:
    """Return the changes of the plays of two different dice where a checker might be borne off."""
    changes = _two_steps(here, offset, forced)
    if forced and not changes:
        # Using both dice comes first: where no play that bears off at every chance uses both, any other may.
        changes = _two_steps(here, offset, False)
    if not changes:
        own = here.own
        changes = _single_steps(here, offset, here.movable(own, here.high, forced), here.movable(own, here.low, forced))
    point = max(here.own.bit_length() - 1, 0)
    if here.own == 1 << point and here.counts[point] == 1 and point <= here.high:
        changes.append(offset + _step(point, 0, FIRST))  # the last checker, which ends the game
    return sorted(set(tables().canonical[changes].tolist())) if changes else changes


def _two_steps(here: _Board, offset: int, forced: bool) -> list[int]:
    """Return the changes of plays of two steps in both orders of the dice; results may come more than once."""
    changes = []
    for first_die, second_die, first, second in (
        (here.high, here.low, FIRST, SECOND),
        (here.low, here.high, SECOND, FIRST),
    ):
        for x in _bits(here.movable(here.own, first_die, forced)):
            bit = 1 << x
            target = bit >> first_die & ~1
            hit = target & here.blot
            half = offset + _step(x, hit != 0, first)
            own = (here.own & ~(bit if here.counts[x] == 1 else 0)) | target
            for y in _bits(here.movable(own, second_die, forced)):
                hits = here.lands_on_blot(y, second_die) and y - second_die != x - first_die
                changes.append(half + _step(y, hits, second))
    return changes


def _doubles(here: _Board, offset: int) -> tuple[list[int], list[int]]:
    """Return the changes of the first two steps of every play of a double, and of the others if it has more."""
    die = here.high
    level: list[tuple[tuple[int, ...], int]] = [((), here.own)]
    for steps in range(1, 5):
        masks = []
        for sources, own in level:
            movable = here.movable(own, die, False)
            masks.append(movable & ((2 << sources[-1]) - 1) if sources else movable)
        following = [
            ((*level[index][0], source), 0 if steps == 4 else _own_after(here, *level[index], source))
            for index, source in _bits_in_turn(masks)
        ]
        if not following:
            break
        level = following
    plays = [sources for sources, _ in level if sources]
    firsts = [_pair(here, offset, play[:2], ()) for play in plays]
    return firsts, [_pair(here, offset, play[2:], play[:2]) for play in plays if len(play) > 2]


def _own_after(here: _Board, sources: tuple[int, ...], own: int, source: int) -> int:
    """Return my checkers after one more step from `source`; `sources` are those of the steps before it."""
    die = here.high
    count = max(here.counts[source], 0)  # a blot that was hit is gone
    for earlier in sources:
        count += (earlier == source + die) - (earlier == source)
    bit = 1 << source
    return (own & ~(bit if count == 1 else 0)) | (bit >> die & ~1)


def _pair(here: _Board, offset: int, sources: tuple[int, ...], before: tuple[int, ...]) -> int:
    """Return the change that one or two steps of a double make, after the steps `before`."""
    change = offset
    for source, place in zip(sources, (FIRST, SECOND), strict=False):
        hit = here.lands_on_blot(source, here.high) and source not in before  # a blot is hit once
        change += _step(source, hit, place)
        before = (*before, source)
    return change
