"""Positions written so that they read like positions, and rolls whose legal plays are known."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gammon_rl.rules.variants import HYPERGAMMON, LONGGAMMON, STANDARD, TAVLA, Boards, Variant

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


@dataclass(frozen=True)
class Known:
    """A roll whose plays were worked out by hand, or are a published case.

    Attributes
    ----------
    name : str
        What it shows.
    mine, theirs : str
        The position, as `position` reads it.
    dice : tuple of int
        The roll, in either order.
    results : tuple of str or int
        The checkers of the player who moved after each play, in the same numbers; ``"5 | bar 24x2"`` where the other
        side's have changed too. A number alone says how many results there are, where they are too many to write.
    rules : Variant
        The variant played.
    pips : int, optional
        How many pips every play uses.
    """

    name: str
    mine: str
    theirs: str
    dice: tuple[int, int]
    results: tuple[str, ...] | int
    rules: Variant = STANDARD
    pips: int | None = None

    @property
    def board(self) -> Boards:
        """The position, int8 (26,)."""
        return position(self.mine, self.theirs)

    def check(self, found: set[tuple[int, ...]]) -> None:
        """Assert that these afterstates are the right ones."""
        if isinstance(self.results, int):
            assert len(found) == self.results
        else:
            halves = [result.partition("|") for result in self.results]
            assert found == {afterstate(mine, theirs if bar else self.theirs) for mine, bar, theirs in halves}
        if self.pips is not None:
            before = int(np.maximum(self.board, 0) @ np.arange(26))
            for after in found:
                left = sum(-count * (25 - point) for point, count in enumerate(after) if count < 0)
                assert before - left == self.pips


_FIVE = "20x2 21x2 22x2 23x2 24x2"

KNOWN = (
    # Faults of other programs, with the right answer.
    Known(
        "only one pair of steps fits",
        "6x13 8 24",
        "4x2 16x2 18x3 19x4 20x4",
        (6, 2),
        ("6x13 2 22",),
    ),
    Known("either die alone, so the higher", "24", "13x2", (6, 5), ("18",)),
    Known("only the bear-off fits", "2 5 6x4", "1x2 3x4 4x2 7x2 13 15x2 19x2", (5, 3), ("2 6x4",)),
    Known(
        "more results than any fixed table",
        "1 3 4 7 8 10 12x2 13 14x2 16 17 20 23",
        "5 11 15 19",
        (1, 1),
        1117,
        pips=4,
    ),
    Known("two off or one left", "4 5", "24x2", (6, 4), ("", "1")),
    Known("a double past a block", "13x2 11x2", "12x2", (1, 1), ("13x2 11 7", "13x2 10 8", "13x2 9x2")),
    Known(
        "the order that enters and goes on",
        "bar 6x3 5x2 3x2 2x3 22 24",
        "1x2 7 12x3 17x3 19x6",
        (3, 5),
        ("20 21 22 6x3 5x2 3x2 2x3", "20 22 24 6x2 5x2 3x3 2x3", "20 22 24 6x3 5 3x2 2x4"),
        pips=8,
    ),
    Known(
        "four fives from the bar",
        "bar 8x3 6x6 2 13x2 22x2",
        "12x2 10 5x2 1x2 17x3 18 19x4",
        (5, 5),
        8,
        pips=20,
    ),
    # Where a checker may land.
    Known(
        "the first move of the game",
        "24x2 13x5 8x3 6x5",
        "1x2 12x5 17x3 19x5",
        (6, 6),
        (
            "24x2 13x1 8x3 7x4 6x5",
            "24x1 18x1 13x2 8x3 7x3 6x5",
            "18x2 13x3 8x3 7x2 6x5",
            "24x2 13x2 8x2 7x3 6x5 2",
            "24 18 13x3 8x2 7x2 6x5 2",
            "18x2 13x4 8x2 7 6x5 2",
            "24x2 13x3 8x1 7x2 6x5 2x2",
            "24 18 13x4 8 7 6x5 2x2",
            "18x2 13x5 8 6x5 2x2",
            "24x2 13x4 7 6x5 2x3",
            "24 18 13x5 6x5 2x3",
        ),
    ),
    Known("a blocked middle stop blocks one order only", "24", "20x2", (4, 2), ("18",)),
    Known("both middle stops blocked", "24", "20x2 22x2", (4, 2), ()),
    Known("only the lower die first lets both be played", "24", "18x2", (6, 1), ("17",)),
    Known("the higher die when either fits but not both", "12", "3x2", (5, 4), ("7",)),
    Known("the lower die when only it fits", "12", "3x2 7x2", (5, 4), ("8",)),
    Known("two of four fives fit", "20", "5x2 1", (5, 5), ("10",)),
    Known("one of four sixes fits", "20", "8x2", (6, 6), ("14",)),
    # Hitting and the bar.
    Known("hit and go on, or pass by", "8", "6 24x2", (2, 1), ("5 | bar 24x2", "5")),
    Known("a double hits twice", "8", "7 5 1x2", (1, 1), ("4 | barx2 1x2",)),
    Known("entering hits", "bar", "22 1x2", (3, 3), ("13 | bar 1x2",)),
    Known("hit from the bar and with the other die", "bar", "24 22", (3, 1), ("21 | bar 22", "21 | bar 24")),
    Known("enter with either die", "bar 8", "1x2", (5, 2), ("18 8", "20 6", "23 3")),
    Known("the open die enters, the other is then free", "bar 13", "19x2", (6, 1), ("24 7", "18 13")),
    Known("one of two enters and nothing else moves", "barx2 13", "19x2", (6, 1), ("bar 24 13",)),
    Known("both enter, in one way", "barx2 13", "1x2", (6, 1), ("24 19 13",)),
    Known("three of five enter on a double", "barx5", "1x2", (2, 2), ("bar 23x4",)),
    Known("a closed board", "bar 13", f"19x2 {_FIVE}", (6, 5), ()),
    Known(
        "a closed board but for a blot",
        "bar 13",
        f"19 {_FIVE}",
        (6, 1),
        (f"19 12 | bar {_FIVE}", f"18 13 | bar {_FIVE}"),
    ),
    Known("entries blocked", "bar 13", "24x2 21x2", (4, 1), ()),
    # Bearing off.
    Known("exact, or highest point only", "5x2 3", "24x2", (6, 3), ("5", "3 2")),
    Known("a higher die needs the highest point", "5 2", "1x2 24", (4, 4), ()),
    Known("a lower point once the higher is cleared", "6 2", "24x2", (6, 5), ("", "1")),
    Known("home first, then off", "7 6", "24x2", (6, 6), ("",)),
    Known("no bear-off with one outside", "13 6", "24x2", (6, 5), ("6 2", "7 1")),
    Known("no bear-off from the bar", "bar 6", "19x2", (6, 6), ()),
    Known("the choice to move inside", "6 4x2", "24x2", (4, 1), ("5 4", "6 3", "4 3 2", "4x2 1")),
    Known(
        "a hit while bearing off",
        "6 4",
        "3 24x2",
        (3, 1),
        ("3x2 | bar 24x2", "6 | bar 24x2", "6", "5 1", "4 2 | bar 24x2", "4 2"),
    ),
    Known("the last checker ends the game", "3", "24x2", (6, 6), ("",)),
    Known("the same end in one step or two", "4", "24x2", (6, 2), ("",)),
    Known("an ending play is complete with one die", "3", "2 24x2", (6, 1), ("", " | bar 24x2")),
    # Variants.
    Known("hypergammon bears off three", "6 5 4", "24x3", (6, 5), ("4", "4 1"), HYPERGAMMON),
    Known("hypergammon brings three home first", "7 5 4", "24x3", (5, 4), ("5 2", "4 2 1", "4 3"), HYPERGAMMON),
    Known("longgammon opens", "24x15", "1x15", (6, 1), ("24x13 23 18", "24x14 17"), LONGGAMMON),
    Known(
        "longgammon opens with sixes",
        "24x15",
        "1x15",
        (6, 6),
        ("24x13 18 6", "24x13 12x2", "24x12 18x2 12", "24x11 18x4"),
        LONGGAMMON,
    ),
    Known("tavla must bear off", "6 4x2", "24x2", (4, 1), ("5 4", "6 3"), TAVLA),
    Known("tavla uses both dice first", "4 2", "1x2 24", (3, 2), ("2",), TAVLA),
    Known("tavla uses both dice first, the checker then off", "6 4", "1x2 3x2", (5, 4), ("2",), TAVLA),
    Known("tavla doubles bear off each time", "6x3 3", "24x2", (3, 3), ("6 3",), TAVLA),
    Known("without tavla they need not", "6x3 3", "24x2", (3, 3), ("6 3", "3x3")),
    Known(
        "tavla allows what one order reaches without shirking",
        "7 6 2",
        "24x2",
        (2, 1),
        ("6x2", "5x2 2", "7 3 2", "6 5 1", "7 4 1", "6 4 2"),
        TAVLA,
    ),
)
