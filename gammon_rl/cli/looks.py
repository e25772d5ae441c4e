"""The six looks of a board, in the 256 colours that terminals share. A look changes colours only."""

from typing import Final, NamedTuple

from gammon_rl.errors import TableError


class Look(NamedTuple):
    """The colours of a board with its own pair of checkers: numbers of the 256-colour palette.

    Attributes
    ----------
    felt : int
        The playing area between the points, and the bar.
    points : (int, int)
        The points, which take turns.
    frame : int
        Around it.
    text : int
        The numbers in the frame.
    ink : int
        Dice and numbers on the felt.
    light, dark : int
        The checkers.
    """

    felt: int
    points: tuple[int, int]
    frame: int
    text: int
    ink: int
    light: int
    dark: int


LOOKS: Final = {
    "walnut": Look(94, (137, 130), 235, 223, 230, 230, 232),
    "oat": Look(187, (137, 101), 95, 230, 52, 231, 52),
    "midnight": Look(17, (67, 61), 16, 189, 189, 231, 16),
    "pine": Look(22, (65, 29), 233, 194, 230, 231, 232),
    "clay": Look(95, (167, 131), 52, 224, 231, 231, 232),
    "fog": Look(250, (245, 242), 240, 255, 234, 231, 234),
}


class Palette(NamedTuple):
    """What a terminal is sent for the parts of a board: SGR parameters, empty for nothing special."""

    felt: str
    points: tuple[str, str]
    frame: str
    ink: str
    faint: str
    light: str
    dark: str


BASIC: Final = Palette("", ("", ""), "2", "1", "2", "1;33", "1;31")
"""For terminals with 16 colours, whose background nobody knows."""
NONE: Final = Palette("", ("", ""), "", "", "", "", "")
"""For terminals without colours."""


def look(name: str) -> Look:
    """Return a look by its name, in any letter case.

    Raises
    ------
    TableError
        If there is none of that name.
    """
    if name.casefold() not in LOOKS:
        raise TableError(f"no look is called {name!r}; there are {', '.join(LOOKS)}")
    return LOOKS[name.casefold()]


def palette(chosen: Look, colours: int) -> Palette:
    """Return the palette of a look for a terminal that shows so many colours, 0 for none.

    Examples
    --------
    >>> palette(LOOKS["fog"], 256).dark, palette(LOOKS["fog"], 16) == BASIC
    ('1;38;5;234', True)
    """
    if colours < 256:
        return BASIC if colours else NONE
    one, other = chosen.points
    return Palette(
        f"48;5;{chosen.felt}",
        (f"48;5;{one}", f"48;5;{other}"),
        f"48;5;{chosen.frame};38;5;{chosen.text}",
        f"1;38;5;{chosen.ink}",
        f"38;5;{chosen.felt}",
        f"1;38;5;{chosen.light}",
        f"1;38;5;{chosen.dark}",
    )
