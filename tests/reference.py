"""The rules of play written a second time, plainly and slowly, to judge the vectorised generator by.

Nothing is shared with what it judges. A side is the sorted tuple of the points its checkers stand on, in that
side's own numbers: 25 is the bar, and a checker that is off is no longer listed. So the start position is
``(6, 6, 6, 6, 6, 8, 8, 8, 13, 13, 13, 13, 13, 24, 24)`` for either side, entering from the bar is an ordinary
step from 25, and my point p is the other side's point 25 - p.
"""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gammon_rl.rules.variants import STANDARD, Variant

Board = tuple[int, ...]
Side = tuple[int, ...]

BAR = 25
HOME = 6


class Place(NamedTuple):
    """Where a turn has got to: both sides, and whether a step moved inside although its die could bear off."""

    mine: Side
    theirs: Side
    shirked: bool


def sides(board: Sequence[int]) -> tuple[Side, Side]:
    """Return the checkers of the player on roll and of the other, each in their own numbers."""
    mine = [point for point in range(1, 26) for _ in range(board[point])]
    theirs = [25 - point for point in range(24, -1, -1) for _ in range(-board[point])]
    return tuple(mine), tuple(theirs)


def board_of(mine: Side, theirs: Side) -> Board:
    """Return the board as the owner of `mine` sees it."""
    board = [0] * 26
    for point in mine:
        board[point] += 1
    for point in theirs:
        board[25 - point] -= 1
    return tuple(board)


def may_bear_off(mine: Side, source: int, die: int) -> bool:
    """Return whether the die takes a checker off from that point."""
    if max(mine) > HOME:
        return False
    return source == die or (source < die and source == max(mine))


def steps(place: Place, die: int) -> Iterator[Place]:
    """Yield the place after every step that one checker can make with the die."""
    mine, theirs, shirked = place
    for source in set(mine):
        if BAR in mine and source != BAR:
            continue
        target = source - die
        if target <= 0:
            if may_bear_off(mine, source, die):
                yield Place(_without(mine, source), theirs, shirked)
            continue
        defenders = theirs.count(25 - target)
        if defenders >= 2:
            continue
        after_hit = _with(_without(theirs, 25 - target), BAR) if defenders == 1 else theirs
        could_bear_off = any(may_bear_off(mine, other, die) for other in mine)
        yield Place(_with(_without(mine, source), target), after_hit, shirked or could_bear_off)


def stages(start: Place, order: Sequence[int]) -> list[set[Place]]:
    """Return where playing the dice in this order can have got to after 0, 1, 2, ... of them; no stage is empty."""
    reached = [{start}]
    for die in order:
        following = {after for place in reached[-1] for after in steps(place, die)}
        if not following:
            break
        reached.append(following)
    return reached


def legal_plays(board: Sequence[int], dice: Sequence[int], rules: Variant = STANDARD) -> set[Board]:
    """Return the afterstates of all legal plays, turned: the other side is on roll. A dance gives the empty set."""
    low, high = sorted(int(die) for die in dice)
    orders = [(low,) * 4] if low == high else [(high, low), (low, high)]
    mine, theirs = sides([int(count) for count in board])
    lines = [stages(Place(mine, theirs, False), order) for order in orders]
    most = max(len(line) for line in lines) - 1
    if most == 0:
        return set()
    complete = [line for line in lines if len(line) - 1 == most]
    if most == 1:
        # Only one of two different dice fits: the order that begins with the higher comes first in the list.
        # (When a double is played once, the list has one order.)
        complete = complete[:1]
    places = {place for line in complete for place in line[most]}
    # The game ends with the last checker, so a play that ends it is complete with any number of dice.
    places |= {place for line in lines for stage in line for place in stage if not place.mine}
    if rules.forced_bearoff and not all(place.shirked for place in places):
        places = {place for place in places if not place.shirked}
    return {board_of(place.theirs, place.mine) for place in places}


def result(board: Sequence[int], rules: Variant = STANDARD) -> int:
    """Return the points the player on roll has won (positive) or lost (negative), 0 while the game goes on."""
    mine, theirs = sides([int(count) for count in board])
    if not mine:
        return _rank(theirs, rules)
    if not theirs:
        return -_rank(mine, rules)
    return 0


def _rank(loser: Side, rules: Variant) -> int:
    """Return 1, 2 or 3 by how the loser stands."""
    if len(loser) < rules.checkers:
        return 1
    return 3 if max(loser) >= 19 else 2


def _without(side: Side, point: int) -> Side:
    where = side.index(point)
    return side[:where] + side[where + 1 :]


def _with(side: Side, point: int) -> Side:
    return tuple(sorted((*side, point)))


# Positions to try the rules on ------------------------------------------------------------------------------


def random_positions(n: int, seed: int, rules: Variant = STANDARD) -> list[Board]:
    """Return n boards met in games of uniformly random legal plays, one game after another."""
    rng = random.Random(f"random {seed} {rules.name}")
    boards: list[Board] = []
    start = tuple(int(count) for count in rules.start())
    board = start
    while len(boards) < n:
        boards.append(board)
        plays = legal_plays(board, random_roll(rng), rules)
        board = rng.choice(sorted(plays)) if plays else board_of(*reversed(sides(board)))
        if result(board, rules):
            board = start
    return boards


def random_roll(rng: random.Random) -> tuple[int, int]:
    """Return two dice."""
    return rng.randint(1, 6), rng.randint(1, 6)


def artificial_positions(n: int, seed: int, rules: Variant = STANDARD) -> list[Board]:
    """Return n boards of kinds that play seldom meets, the kinds taking turns.

    Many on the bar; deep bear-offs; bear-offs with the other side in the way or to be hit; long blocks; all home
    but one; checkers strewn anywhere.
    """
    rng = random.Random(f"artificial {seed} {rules.name}")
    kinds = (_on_the_bar, _bearing_off, _bearing_off_with_contact, _against_a_block, _straggler, _strewn)
    boards: list[Board] = []
    while len(boards) < n:
        table = _Table(rng, rules.checkers)
        kinds[len(boards) % len(kinds)](table)
        if table.is_possible():
            boards.append(tuple(table.board))
    return boards


class _Table:
    """A board being filled; points are in the numbers of the player on roll."""

    def __init__(self, rng: random.Random, checkers: int) -> None:
        self.rng = rng
        self.board = [0] * 26
        self.left = {1: checkers, -1: checkers}

    def put(self, sign: int, point: int, count: int = 1) -> None:
        """Put up to that many checkers there, unless the other side is there already."""
        if self.board[point] * sign >= 0:
            count = min(count, self.left[sign])
            self.board[point] += sign * count
            self.left[sign] -= count

    def strew(self, sign: int, points: Sequence[int], most: int | None = None) -> None:
        """Put some or all of the side's other checkers on points drawn from these."""
        count = self.left[sign] if most is None else self.rng.randint(0, min(most, self.left[sign]))
        for _ in range(count):
            self.put(sign, self.rng.choice(points))

    def make(self, sign: int, points: Sequence[int]) -> None:
        """Put two or three checkers on each of these points."""
        for point in points:
            self.put(sign, point, self.rng.choice((2, 2, 2, 3)))

    def some(self, points: Sequence[int]) -> list[int]:
        """Return some of the points in random order, perhaps all or none."""
        return self.rng.sample(points, self.rng.randint(0, len(points)))

    def is_possible(self) -> bool:
        """Return whether both sides have a checker and are not both shut out for ever."""
        i_am_shut_out = self.board[25] > 0 and all(count <= -2 for count in self.board[19:25])
        they_are_shut_out = self.board[0] < 0 and all(count >= 2 for count in self.board[1:7])
        both_play = any(count > 0 for count in self.board) and any(count < 0 for count in self.board)
        return both_play and not (i_am_shut_out and they_are_shut_out)


_MY_HOME = range(1, 7)
_THEIR_HOME = range(19, 25)
_ALL = range(1, 25)


def _on_the_bar(table: _Table) -> None:
    table.put(1, 25, table.rng.randint(1, 5))
    table.make(-1, table.some(_THEIR_HOME))
    table.strew(-1, _THEIR_HOME, most=3)
    table.strew(1, _ALL)
    table.put(-1, 0, table.rng.choice((0, 0, 1, 2)))
    table.strew(-1, _ALL)


def _bearing_off(table: _Table) -> None:
    table.strew(1, _MY_HOME[: table.rng.randint(1, 6)], most=15)
    table.put(1, table.rng.choice(_MY_HOME))
    table.put(-1, table.rng.randint(7, 24))
    table.strew(-1, range(7, 25), most=15)


def _bearing_off_with_contact(table: _Table) -> None:
    table.make(-1, table.some(_MY_HOME)[:3])
    table.strew(-1, _MY_HOME, most=3)
    table.put(-1, 0, table.rng.choice((0, 0, 1, 2)))
    table.strew(1, _MY_HOME, most=table.rng.choice((4, 15)))
    table.put(1, table.rng.choice(_MY_HOME))
    table.strew(-1, _ALL, most=15)


def _against_a_block(table: _Table) -> None:
    low, length = table.rng.randint(1, 21), table.rng.randint(3, 6)
    table.make(-1, [point for point in range(low, low + length) if point <= 24])
    table.put(1, 25, table.rng.choice((0, 0, 1)))
    table.strew(1, range(min(low + 1, 24), 25), most=6)
    table.strew(1, _ALL)
    table.strew(-1, _ALL)


def _straggler(table: _Table) -> None:
    table.put(1, table.rng.choice((*range(7, 13), *range(7, 13), *range(13, 26))))
    table.make(-1, table.some(_ALL)[: table.rng.randint(0, 4)])
    table.strew(-1, range(1, 13), most=4)
    table.strew(1, _MY_HOME, most=table.rng.choice((5, 15)))
    table.strew(-1, _ALL, most=15)


def _strewn(table: _Table) -> None:
    first = table.rng.choice((1, -1))
    for sign in (first, -first):
        table.strew(sign, range(1, 26) if sign == 1 else range(25), most=15)
