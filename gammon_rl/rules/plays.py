"""Legal plays for a batch of boards and rolls at once.

A play is judged as a whole turn, so this module makes the results of whole turns and never asks whether one step
is legal on its own. Three observations keep it fast:

* Which points can be landed on depends on the opponent only, and no step of a turn blocks a point. With the boards
  as bit masks (bit p for point p), the checkers that can move by a die are one shift and one *and*.
* With two different numbers, two checkers that move once each give every result once; what remains is one checker
  that moves twice, with up to three results (no hit on the way, or a hit on either landing point). Only near the
  bear-off do different pairs of steps meet in one result.
* With doubles, steps taken from the highest point down give every result once: a result fixes how often each
  point was left.

The change a pair of steps makes to a board is a row of a table, so a board is made by one gather of its parent, one
gather from the table, and one addition. Doubles do that twice.

Legend: N boards, M afterstates, K partial plays; ``row`` a board's index in its chunk, ``own``/``open``/``blot`` masks
(uint32, bit p for point p, 25 for the bar): my checkers, points I may land on, opposing blots.
"""

from __future__ import annotations  # signatures say ArrayLike, not what that stands for

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gammon_rl.errors import InvalidPositionError
from gammon_rl.rules.board import turn
from gammon_rl.rules.changes import FIRST, SECOND, tables
from gammon_rl.rules.dice import Dice, checked_dice
from gammon_rl.rules.one_board import plays_of_one
from gammon_rl.rules.variants import STANDARD, Boards, Variant

Masks = NDArray[np.uint32]
Index = NDArray[np.int64]

_CHUNK: Final = 1 << 14  # boards worked on at once; a row must fit the 16 bits above a change in a key
_BLOCK: Final = 1 << 13  # afterstates built at once; a block of them fits the cache
_BAR: Final = np.uint32(1 << 25)
_POINTS: Final = np.uint32((1 << 25) - 2)
_ONE: Final = np.uint32(1)
_ALL: Final = np.uint32(0xFFFFFFFF)
_CHANGE: Final = np.uint32(0xFFFF)  # the part of a key that is the change
_FIRST: Final = np.uint32(FIRST[0]), np.uint32(FIRST[1])
_SECOND: Final = np.uint32(SECOND[0]), np.uint32(SECOND[1])


def legal_plays(boards: ArrayLike, dice: ArrayLike, rules: Variant = STANDARD) -> tuple[Index, Boards]:
    """Return the afterstates of every legal play of every board.

    Parameters
    ----------
    boards : array_like of int8, shape (N, 26)
        Boards as the player on roll sees them. They are not modified, and no row affects another.
    dice : array_like of int, shape (N, 2) or (2,)
        The roll of each board, or one roll for all; in any order.
    rules : Variant
        The variant played; it matters for forced bear-offs only.

    Returns
    -------
    parents : int64 (M,)
        For each afterstate the index of its board; not falling. A board that can play nothing (a dance) has none.
    afterstates : int8 (M, 26)
        The boards after each play, turned: the other side is on roll. Distinct for each parent, in an order
        that depends on the board and the roll alone.

    Raises
    ------
    InvalidPositionError
        If the boards are not whole numbers of shape (N, 26), or the dice not from 1 to 6.

    Notes
    -----
    As many dice must be used as any play can use; when either die can be played but not both, the higher one must
    be. Nothing else is asked of a board: counts are taken as they are (see `checked_board` for boards from outside).

    Examples
    --------
    >>> parents, afterstates = legal_plays(STANDARD.start()[None], (3, 1))
    >>> afterstates.shape
    (16, 26)
    """
    boards = _checked_boards(boards)
    rolls = checked_dice(dice, len(boards))
    if len(boards) == 1:
        alone = plays_of_one(boards[0], rolls[0], rules)
        if alone is not None:
            return np.zeros(len(alone), dtype=np.int64), alone
    parts = [
        _chunk_plays(boards[at : at + _CHUNK], rolls[at : at + _CHUNK], rules)
        for at in range(0, max(len(boards), 1), _CHUNK)
    ]
    if len(parts) == 1:
        return parts[0]
    parents = np.concatenate([part[0] + number * _CHUNK for number, part in enumerate(parts)])
    return parents, np.concatenate([part[1] for part in parts])


def _checked_boards(boards: ArrayLike) -> Boards:
    try:
        values = np.asarray(boards)
    except ValueError:  # rows of different lengths
        values = np.empty(0)
    if values.ndim != 2 or values.shape[1] != 26 or not np.issubdtype(values.dtype, np.integer):
        raise InvalidPositionError(
            f"boards must be whole numbers of shape (N, 26), got shape {values.shape} of {values.dtype}"
        )
    if values.dtype != np.int8 and values.size and (values.min() < -128 or values.max() > 127):
        raise InvalidPositionError("boards must fit int8, got counts beyond -128 to 127")
    return np.ascontiguousarray(values, dtype=np.int8)


@dataclass(frozen=True)
class _Chunk:
    """Up to `_CHUNK` boards as masks. Dice are ordered, the higher first."""

    boards: Boards
    turned: Boards
    high: Masks
    low: Masks
    roll: Masks  # offset of the roll's changes
    own: Masks
    open: Masks
    blot: Masks

    def start(self, row: Index) -> Masks:
        """Return row << 16 | change with no step in it: keys are this plus what their steps add."""
        return (row.astype(np.uint32) << np.uint32(16)) + self.roll[row]

    def counts(self, row: Index, point: NDArray[np.integer]) -> NDArray[np.int8]:
        """Return my checkers on a point of each row; only asked where there are some."""
        return np.take(self.boards.reshape(-1), row * 26 + point)


def _mask(where: NDArray[np.bool_]) -> Masks:
    """Pack bool (N, 32) into one uint32 a row."""
    return np.packbits(where, bitorder="little").view("<u4").astype(np.uint32, copy=False)


def _bits(masks: Masks) -> tuple[Index, Masks]:
    """Return (index, bit) of every set bit: first the lowest bit of each mask, then the next of each that has one.

    Masks have few bits, so taking one from each at a time is several times quicker than looking at all 32.
    """
    if len(masks) <= _FEW:
        return _few_bits(masks)
    index = np.flatnonzero(masks != 0)
    left = masks[index]
    indices, bits = [index[:0]], [left[:0]]
    while index.size:
        lowest = left & -left
        indices.append(index)
        bits.append(np.bitwise_count(lowest - _ONE).astype(np.uint32))
        left ^= lowest
        more = np.flatnonzero(left != 0)
        index, left = np.take(index, more), np.take(left, more)
    return np.concatenate(indices), np.concatenate(bits)


_FEW: Final = 24  # masks whose bits are taken out more quickly one by one than by calling NumPy


def _few_bits(masks: Masks) -> tuple[Index, Masks]:
    left = masks.tolist()
    rows = [row for row, mask in enumerate(left) if mask]
    indices, bits = [], []
    while rows:
        for row in rows:
            lowest = left[row] & -left[row]
            left[row] ^= lowest
            indices.append(row)
            bits.append(lowest.bit_length() - 1)
        rows = [row for row in rows if left[row]]
    return np.array(indices, dtype=np.int64), np.array(bits, dtype=np.uint32)


def _movable(own: Masks, open_points: Masks, die: Masks, forced_bearoff: bool) -> Masks:
    """Return the points a checker can be moved from with a die.

    With a forced bear-off a die that can bear off does nothing else; all checkers are home then, so every other
    step with it would be inside the home board.
    """
    moves = own & (open_points << die)
    moves &= np.where(own & _BAR, _BAR, _ALL)
    home = np.flatnonzero(own < 128)
    if home.size:
        bearoffs = tables().bearoffs.reshape(-1)[die[home] * np.uint32(128) + own[home]]
        stays = np.where(bearoffs, np.uint32(0), moves[home]) if forced_bearoff else moves[home]
        moves[home] = stays | bearoffs
    return moves


_NO_KEYS: Final = np.empty(0, dtype=np.uint32)


def _step(source: Masks, hit: Masks | NDArray[np.bool_], place: tuple[np.uint32, np.uint32]) -> Masks:
    """Return what a step adds to a change's number, as the first or the second step of the pair."""
    return source * place[0] + hit * place[1]


def _lands_on(blot: Masks, source: Masks, die: Masks) -> Masks:
    """Return 1 where a step from `source` ends on a blot, else 0."""
    landed: Masks = (((_ONE << source) >> die) & ~_ONE & blot) != 0
    return landed.astype(np.uint32)


def _chunk_plays(boards: Boards, dice: Dice, rules: Variant) -> tuple[Index, Boards]:
    made = tables()
    high = np.maximum(dice[:, 0], dice[:, 1]).astype(np.uint32)
    low = np.minimum(dice[:, 0], dice[:, 1]).astype(np.uint32)
    padded = np.zeros((len(boards), 32), dtype=np.int8)
    padded[:, :26] = boards
    chunk = _Chunk(
        boards, turn(boards), high, low, made.roll[high, low],
        _mask(padded > 0), _mask(padded >= -1) & _POINTS, _mask(padded == -1) & _POINTS,
    )  # fmt: skip
    mixed = np.flatnonzero(high != low)
    may_bear_off = _may_bear_off(chunk, mixed)
    keys = [
        _outer_plays(chunk, mixed[~may_bear_off]),
        _bearing_off_plays(chunk, mixed[may_bear_off], rules.forced_bearoff),
    ]
    key = np.concatenate(keys)
    row = (key >> np.uint32(16)).astype(np.int64)
    change = (key & _CHANGE).astype(np.int64)
    doubles = _doubles_plays(chunk, np.flatnonzero(high == low), rules.forced_bearoff)

    # Each row is in one of the three groups, and keeps the order in which its plays were made.
    rows = np.concatenate([row, doubles.row])
    order = np.argsort(rows.astype(np.uint16), kind="stable")
    bases = np.concatenate([chunk.turned, doubles.boards])
    base = np.concatenate([row, doubles.base])
    changes = np.concatenate([change, doubles.change])
    afterstates = np.empty((len(order), 26), dtype=np.int8)
    scratch = np.empty((_BLOCK, 26), dtype=np.int8)
    for at in range(0, len(order), _BLOCK):
        which = order[at : at + _BLOCK]
        block, change_block = afterstates[at : at + _BLOCK], scratch[: len(which)]
        np.take(bases, base[which], axis=0, out=block, mode="clip")
        np.take(made.changes, changes[which], axis=0, out=change_block, mode="clip")
        block += change_block
    return rows[order], afterstates


def _may_bear_off(chunk: _Chunk, row: Index) -> NDArray[np.bool_]:
    """Whether a checker could be borne off in this turn: all home, or one checker a step away from it."""
    own = chunk.own[row]
    outside = own >> np.uint32(7)
    may: NDArray[np.bool_] = outside == 0
    near = np.flatnonzero((outside != 0) & (own < 1 << 13) & (outside & (outside - _ONE) == 0))
    point = np.bitwise_count(outside[near] - _ONE).astype(np.int64) + 7
    may[near] = (chunk.counts(row[near], point) == 1) & (point <= chunk.high[row[near]] + 6)
    return may


def _outer_plays(chunk: _Chunk, row: Index) -> Masks:
    """Return the plays of two different dice where nothing can be borne off, as keys row << 16 | change.

    Let the high die move a checker from `a`, the low die one from `b`. Two checkers that move once each give a
    result of their own, unless one lands where the other started: that looks like one checker moving twice, and
    is counted there.
    """
    if not row.size:
        return _NO_KEYS
    own, open_points, blot = chunk.own[row], chunk.open[row], chunk.blot[row]
    high, low = chunk.high[row], chunk.low[row]
    start = chunk.start(row)
    from_a: Masks = own & (open_points << high)
    from_b: Masks = own & (open_points << low)

    # On the bar: both dice enter if two or more wait there, else one of them does and the other may do anything.
    waiting = np.flatnonzero(own & _BAR)
    several = waiting[chunk.boards[row[waiting], 25] > 1]
    from_a[several] &= _BAR
    from_b[several] &= _BAR
    partner = np.full(len(row), _ALL)  # where `b` may be if `a` is not the bar
    partner[waiting] = _BAR
    runner = own.copy()
    runner[waiting] = _BAR
    runner[several] = 0

    # Two checkers, one step each.
    at, a = _bits(from_a)
    bit_a = _ONE << a
    target = bit_a >> high[at]
    alone = chunk.counts(row[at], a) == 1
    where_b: Masks = from_b[at] & np.where(bit_a == _BAR, _ALL, partner[at])
    where_b &= ~(target | (bit_a << low[at]) | np.where(alone, bit_a, np.uint32(0)))
    hits = (blot[at] & ~target) << low[at]  # bit b: a step from b hits, and `a` did not hit there before
    half = start[at] + _step(a, (blot[at] & target) != 0, _FIRST)
    pair, b = _bits(where_b)
    pairs = half[pair] + _step(b, (hits[pair] >> b) & _ONE, _SECOND)

    # One checker, two steps: by way of a landing point without a blot, or hitting on either one.
    runner &= open_points << (high + low)
    quiet = open_points & ~blot
    runs, found = [], np.zeros(len(row), dtype=np.bool_)
    found[at[pair]] = True
    for mask, middle_hit, high_first in (
        (runner & ((quiet << high) | (quiet << low)), np.uint32(0), True),
        (runner & (blot << high), _ONE, True),
        (runner & (blot << low), _ONE, False),
    ):
        at, x = _bits(mask)
        found[at] = True
        first, second = (_FIRST, _SECOND) if high_first else (_SECOND, _FIRST)
        middle = x - (high if high_first else low)[at]
        end_hit = _lands_on(blot[at], middle, (low if high_first else high)[at])
        runs.append(start[at] + x * first[0] + middle_hit * first[1] + _step(middle, end_hit, second))
    partner = partner[~found]
    singles = _single_steps(chunk, row[~found], from_a[~found] & partner, from_b[~found] & partner)
    return np.concatenate([pairs, *runs, singles])


def _single_steps(chunk: _Chunk, row: Index, from_high: Masks, from_low: Masks) -> Masks:
    """Return the keys of plays of one die: the higher one wherever it can be played."""
    keys = []
    for use, movable, die, place in (
        (from_high != 0, from_high, chunk.high, _FIRST),
        (from_high == 0, from_low, chunk.low, _SECOND),
    ):
        at, source = _bits(movable[use])
        at = row[use][at]
        keys.append(chunk.start(at) + _step(source, _lands_on(chunk.blot[at], source, die[at]), place))
    return np.concatenate(keys)


def _bearing_off_plays(chunk: _Chunk, row: Index, forced: bool) -> Masks:
    """Return the plays of two different dice where a checker might be borne off, as keys row << 16 | change.

    Both orders of the dice are tried, and results that meet are kept once.
    """
    if not row.size:
        return _NO_KEYS
    high, low = chunk.high, chunk.low
    ways = [_two_steps(chunk, row, *order, forced) for order in ((high, low, True), (low, high, False))]
    keys = np.concatenate(ways)
    single = _without(row, keys)
    if forced and single.size:
        # Using both dice comes first: where no play that bears off at every chance uses both, any other may.
        ways = [_two_steps(chunk, single, *order, False) for order in ((high, low, True), (low, high, False))]
        keys = np.concatenate([keys, *ways])
        single = _without(row, keys)
    own, open_points = chunk.own[single], chunk.open[single]
    from_high = _movable(own, open_points, high[single], forced)
    from_low = _movable(own, open_points, low[single], forced)
    keys = np.concatenate([keys, _single_steps(chunk, single, from_high, from_low), _endings(chunk, row)])
    return np.unique((keys & ~_CHANGE) | tables().canonical[keys & _CHANGE])


def _endings(chunk: _Chunk, row: Index) -> Masks:
    """Return the keys of plays that bear the last checker off by the higher die and so end the game.

    They are complete even where both dice could be played, by a hit on the way off.
    """
    own = chunk.own[row]
    alone = row[(own != 0) & (own & (own - _ONE) == 0)]
    point = np.bitwise_count(chunk.own[alone] - _ONE).astype(np.uint32)
    ends = (chunk.counts(alone, point) == 1) & (point <= chunk.high[alone])
    return chunk.start(alone[ends]) + _step(point[ends], np.zeros(1, dtype=np.uint32), _FIRST)


def _without(row: Index, keys: Masks) -> Index:
    """Return the rows that no key belongs to."""
    found = np.zeros(_CHUNK, dtype=np.bool_)
    found[keys >> np.uint32(16)] = True
    return row[~found[row]]


def _two_steps(chunk: _Chunk, row: Index, first_die: Masks, second_die: Masks, high_first: bool, forced: bool) -> Masks:
    """Return the keys of plays of two steps in one order of the dice; results may come more than once."""
    first, second = (_FIRST, _SECOND) if high_first else (_SECOND, _FIRST)
    own, open_points = chunk.own[row], chunk.open[row]
    at, source = _bits(_movable(own, open_points, first_die[row], forced))
    row, own = row[at], own[at]
    bit = _ONE << source
    target = (bit >> first_die[row]) & ~_ONE
    own = (own & ~np.where(chunk.counts(row, source) == 1, bit, np.uint32(0))) | target
    half = chunk.start(row) + _step(source, (target & chunk.blot[row]) != 0, first)
    at, source = _bits(_movable(own, open_points[at], second_die[row], forced))
    row = row[at]
    hit = _lands_on(chunk.blot[row] & ~target[at], source, second_die[row])
    return half[at] + _step(source, hit, second)


@dataclass(frozen=True)
class _Partials:
    """Plays of a double as far as they are made: K of them, each from one row."""

    row: Index
    own: Masks  # not kept after the fourth step
    sources: tuple[Masks, ...]  # one array for each step made
    pair: Index  # after more than two steps, the partial play of two steps it began with


@dataclass(frozen=True)
class _DoublesPlays:
    """The plays of doubles: M of them, each a last change added to a base."""

    row: Index
    base: Index  # into the N boards of the chunk, turned, followed by `boards`
    change: Index
    boards: Boards  # boards after the first two steps of a longer play, turned


def _doubles_plays(chunk: _Chunk, row: Index, forced: bool) -> _DoublesPlays:
    """Return the plays of doubles."""
    if not row.size:
        return _DoublesPlays(row, row, row, chunk.boards[:0])
    free = _levels(chunk, row, False)
    depth = _depth(chunk, free)
    ways = [(free, depth)]
    if forced:
        # Using as many dice as possible comes first: the strict plays count where they use as many as any.
        strict = _levels(chunk, row[chunk.own[row] >> (np.uint32(7) + 4 * chunk.high[row]) == 0], True)
        as_deep = _depth(chunk, strict) == depth
        ways = [(free, np.where(as_deep, 0, depth)), (strict, np.where(as_deep, depth, 0))]
    rows, bases, changes, boards, made = [], [], [], [], len(chunk.boards)
    for levels, whole in ways:
        for steps, level in enumerate(levels, start=1):
            keep = np.flatnonzero(whole[level.row] == steps)
            row, sources = level.row[keep], [source[keep] for source in level.sources]
            if steps <= 2:
                base, change = row, _pair_change(chunk, row, sources)
            else:
                base = made + level.pair[keep]
                change = _pair_change(chunk, row, sources[2:], before=sources[:2])
            rows.append(row)
            bases.append(base)
            changes.append(change)
        pairs = levels[1]
        boards.append(chunk.turned[pairs.row])
        boards[-1] += np.take(tables().changes, _pair_change(chunk, pairs.row, pairs.sources), axis=0)
        made += len(pairs.row)
    return _DoublesPlays(np.concatenate(rows), np.concatenate(bases), np.concatenate(changes), np.concatenate(boards))


def _levels(chunk: _Chunk, row: Index, forced: bool) -> list[_Partials]:
    """Return the partial plays of one to four steps of a double."""
    levels, partials = [], _Partials(row, chunk.own[row], (), row)
    for steps in range(1, 5):
        partials = _next_partials(chunk, partials, forced, steps)
        levels.append(partials)
    return levels


def _depth(chunk: _Chunk, levels: list[_Partials]) -> NDArray[np.int8]:
    """Return how many steps each row of the chunk can make."""
    depth = np.zeros(len(chunk.boards), dtype=np.int8)
    for steps, level in enumerate(levels, start=1):
        depth[level.row] = steps
    return depth


def _next_partials(chunk: _Chunk, partials: _Partials, forced: bool, steps: int) -> _Partials:
    """Make one more step of a double, the `steps`-th, in every way that keeps the sources from rising.

    Forced bear-offs depend on the order of the steps, so there every order is tried, and those of the same steps
    are kept once.
    """
    movable = _movable(partials.own, chunk.open[partials.row], chunk.high[partials.row], forced)
    if steps > 1 and not forced:
        movable &= (np.uint32(2) << partials.sources[-1]) - _ONE
    at, source = _bits(movable)
    row, sources = partials.row[at], tuple(earlier[at] for earlier in partials.sources)
    pair = at if steps == 3 else partials.pair[at]
    own = partials.own if steps == 4 else _own_after(chunk, row, partials.own[at], sources, source)
    made = _Partials(row, own, (*sources, source), pair)
    if not forced:
        return made
    key = row
    for one in np.sort(np.stack(made.sources), axis=0):
        key = key * 32 + one
    first = np.unique(key, return_index=True)[1]
    own = own if steps == 4 else own[first]
    return _Partials(row[first], own, tuple(one[first] for one in made.sources), pair[first])


def _own_after(chunk: _Chunk, row: Index, own: Masks, sources: tuple[Masks, ...], source: Masks) -> Masks:
    """Return my checkers after one more step from `source`; `sources` are those of the steps before it."""
    die = chunk.high[row]
    count = np.maximum(chunk.counts(row, source), 0)  # a blot that was hit is gone
    for earlier in sources:
        count += earlier == source + die
        count -= earlier == source
    bit = _ONE << source
    return (own & ~np.where(count == 1, bit, np.uint32(0))) | ((bit >> die) & ~_ONE)


def _pair_change(chunk: _Chunk, row: Index, sources: Sequence[Masks], before: Sequence[Masks] = ()) -> Index:
    """Return the number of the change that one or two steps of a double make, after the steps `before`."""
    change, blot, die = chunk.roll[row], chunk.blot[row], chunk.high[row]
    earlier = list(before)
    for source, place in zip(sources, (_FIRST, _SECOND), strict=False):
        hit = _lands_on(blot, source, die)
        for one in earlier:
            hit &= one != source  # a blot is hit once
        change = change + _step(source, hit, place)
        earlier.append(source)
    return change.astype(np.int64)
