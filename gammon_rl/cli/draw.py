"""Draws a position for a terminal: board, bar, checkers off, cube, dice, pips and score, 15 lines of text.

The drawing is plain text in one of two styles. `paint` puts colours on it afterwards, so that no colour says
anything that the text does not.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gammon_rl.rules.board import MY_BAR, THEIR_BAR, checkers_off
from gammon_rl.rules.position import Position


@dataclass(frozen=True)
class Style:
    """The characters of a drawing.

    Attributes
    ----------
    light, dark : str
        A checker of either colour.
    empty : str
        Stands at the edge of an empty point.
    marker : str
        Stands before the name of the player who has to act.
    side, edge : str
        The frame.
    upper, lower : str
        The corners and crossings of its upper and its lower edge, four each.
    """

    light: str
    dark: str
    empty: str
    marker: str
    side: str
    edge: str
    upper: str
    lower: str


PLAIN: Final = Style("O", "X", ".", ">", "|", "-", "++++", "++++")
UNICODE: Final = Style("○", "●", "·", "▶", "│", "─", "┌┬┬┐", "└┴┴┘")

_STACK: Final = 5  # checkers drawn on a point; beyond them a taller stack has its number
_ROWS: Final = _STACK + 1  # of either half of the board
_UPPER: Final = (range(13, 19), range(19, 25))  # points from left to right, either side of the bar
_LOWER: Final = (range(12, 6, -1), range(6, 0, -1))
_LONGEST_NAME: Final = 14

_COLOURS: Final = (  # what is painted, and how (SGR parameters)
    ("[─│┌┬┐└┴┘·]+", "2"),
    ("○", "1;33"),
    ("●", "1;31"),
    (r"\[[1-6]\]|▶", "1"),
)


def draw(
    position: Position,
    *,
    names: tuple[str, str] = ("you", "opponent"),
    score: tuple[int, int] = (0, 0),
    light: bool = True,
    acting: bool | None = True,
    cube: bool = True,
    style: Style = PLAIN,
) -> str:
    """Return the drawing of a position, 15 lines of at most 79 characters.

    Parameters
    ----------
    position : Position
        As the player at the bottom sees it, whoever has to act.
    names : (str, str)
        The players, the one at the bottom first.
    score : (int, int)
        Their points, in the same order.
    light : bool
        Whether the player at the bottom has the light checkers.
    acting : bool or None
        Whether the player at the bottom has to act. If not, the other one has, and the dice are theirs; None says
        that nobody has.
    cube : bool
        Whether there is a cube.
    style : Style
        The characters to use.

    Examples
    --------
    >>> position = Position.parse("XGID=aFBC----------------------:1:1:1:62:0:0:0:0:10")
    >>> print(draw(position, names=("anna", "bert"), score=(2, 0)))
     +-13--14--15--16--17--18--+-----+-19--20--21--22--23--24--+
     |  .   .   .   .   .   .  |     |  .   .   .   .   .   .  |   X bert
     |                         |     |                         |     pips  25
     |                         |     |                         |     off   14
     |                         |     |                         |     score 0
     |                         |     |                         |
     |                         |  X  |                         |
     |                         | BAR |        [6] [2]          |
     |                         |     |                      6  |
     |                         |     |                      O  |     cube  2
     |                         |     |                      O  |     score 2
     |                         |     |              O       O  |     off   4
     |                         |     |              O   O   O  |     pips  19
     |  .   .   .   .   .   .  |     |  .   .   .   O   O   O  | > O anna
     +-12--11--10---9---8---7--+-----+--6---5---4---3---2---1--+
    """
    checkers = (style.light, style.dark) if light else (style.dark, style.light)
    off = checkers_off(position.board, position.rules).tolist()
    panels = [
        [
            f"{style.marker if acting is (side == 0) else ' '} {checkers[side]} {names[side][:_LONGEST_NAME]}",
            f"    pips  {position.pips[side]}",
            f"    off   {off[side]}",
            f"    score {score[side]}",
            f"    cube  {position.cube_value}" if cube and position.cube_owner == owner else "",
            "",
        ]
        for side, owner in enumerate(("mine", "theirs"))
    ]
    dice = " ".join(f"[{die}]" for die in position.dice or ())
    left, right = ("", dice) if acting else (dice, "")
    lines = [
        _edge(_UPPER, style, style.upper),
        *_half(position, checkers, _UPPER, THEIR_BAR, panels[1], style),
        _line(f"{left:^24}", "BAR", f"{right:^24}", _cube_between(position) if cube else "", style),
        *reversed(_half(position, checkers, _LOWER, MY_BAR, panels[0], style)),
        _edge(_LOWER, style, style.lower),
    ]
    return "\n".join(line.rstrip() for line in lines)


def paint(drawing: str) -> str:
    r"""Return a drawing in the `UNICODE` style with its colours, as ANSI escapes.

    Examples
    --------
    >>> paint("│ ●")
    '\x1b[2m│\x1b[0m \x1b[1;31m●\x1b[0m'
    """
    for pattern, colour in _COLOURS:
        drawing = re.sub(pattern, rf"\033[{colour}m\g<0>\033[0m", drawing)
    return drawing


def _half(
    position: Position,
    checkers: tuple[str, str],
    points: Iterable[Iterable[int]],
    bar: int,
    panel: Sequence[str],
    style: Style,
) -> list[str]:
    """Return the lines of the upper or the lower half of the board, from the edge to the middle."""
    left, right = ([_stack(int(position.board[point]), checkers, style.empty) for point in side] for side in points)
    waiting = _stack(int(position.board[bar]), checkers, "")[::-1]  # on the bar they stand from the middle outwards
    return [
        _line(
            "".join(f"{stack[row]:>3} " for stack in left),
            waiting[row],
            "".join(f"{stack[row]:>3} " for stack in right),
            panel[row],
            style,
        )
        for row in range(_ROWS)
    ]


def _stack(count: int, checkers: tuple[str, str], empty: str) -> list[str]:
    """Return what stands on a point, from the edge to the middle; `count` is negative for the other player's."""
    drawn = [checkers[count < 0]] * min(abs(count), _STACK) or [empty]
    drawn += [""] * (_STACK - len(drawn))
    return [*drawn, str(abs(count)) if abs(count) > _STACK else ""]


def _line(left: str, bar: str, right: str, panel: str, style: Style) -> str:
    return f" {style.side}{left} {style.side}{bar:^5}{style.side}{right} {style.side} {panel}"


def _edge(points: Iterable[Iterable[int]], style: Style, corners: str) -> str:
    left, right = ("".join(f"{point:{style.edge}>3}{style.edge}" for point in side) for side in points)
    return f" {corners[0]}{left}{style.edge}{corners[1]}{style.edge * 5}{corners[2]}{right}{style.edge}{corners[3]}"


def _cube_between(position: Position) -> str:
    """Return what the panel says in the middle about the cube, while nobody owns it or a double is on offer."""
    if position.doubled:
        return f"  double to {2 * position.cube_value}?"
    return f"    cube  {position.cube_value}" if position.cube_owner == "centre" else ""
