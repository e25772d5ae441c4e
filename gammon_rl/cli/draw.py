"""Draws a position for a terminal: board, bar, checkers off, cube, dice, pips and score as lines of text.

The drawing is plain text in one of two styles, in which the sides differ. `paint` puts colours on it afterwards; where
a look tells the sides apart, checkers of both are discs.
"""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from gammon_rl.cli.looks import Palette
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
_CHECKERS: Final = (UNICODE.light, UNICODE.dark)


class Size(NamedTuple):
    """How large a drawing may be.

    Attributes
    ----------
    columns, lines : int
        Characters in a line, and lines.
    """

    columns: int = 80
    lines: int = 24


class _Plan(NamedTuple):
    """How a drawing is laid out."""

    stack: int  # checkers drawn on a point; beyond them a taller stack has its number
    cell: int  # columns of a point
    bar: int  # columns of the bar
    beside: bool  # whether the players stand beside the board, not above and below it


_UPPER: Final = (range(13, 19), range(19, 25))  # points from left to right, either side of the bar
_LOWER: Final = (range(12, 6, -1), range(6, 0, -1))
_LONGEST_NAME: Final = 14
_WIDE: Final = 79
_MEDIUM: Final = 60
_NARROW: Final = 46
_HIGH: Final = 19  # lines that a full board needs, with a little under it


def draw(
    position: Position,
    *,
    names: tuple[str, str] = ("you", "opponent"),
    score: tuple[int, int] = (0, 0),
    light: bool = True,
    acting: bool | None = True,
    cube: bool = True,
    dice: Sequence[int] | None = None,
    title: str = "",
    style: Style = PLAIN,
    size: Size = Size(),  # noqa: B008  # a tuple cannot be changed
) -> str:
    """Return the drawing of a position: 15 lines of at most 79 characters, fewer or narrower where it must.

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
    dice : sequence of int, optional
        The dice to show, instead of those of the position.
    title : str
        A line to stand above, such as the length of the match.
    style : Style
        The characters to use.
    size : Size
        The room there is. Under 79 columns the players stand above and below the board; under 46 there is no board,
        but a list of points.

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
    heads = [
        f"{style.marker if acting is (side == 0) else ' '} {checkers[side]} {names[side][:_LONGEST_NAME]}"
        for side in (0, 1)
    ]
    facts = [
        [
            ("pips", position.pips[side]),
            ("off", off[side]),
            ("score", score[side]),
            *([("cube", position.cube_value)] if cube and position.cube_owner == owner else []),
        ]
        for side, owner in enumerate(("mine", "theirs"))
    ]
    between = _cube_between(position) if cube else ""
    dice_text = " ".join(f"[{die}]" for die in (position.dice or () if dice is None else dice))
    above = [f" {title}"[: size.columns]] if title else []
    if size.columns < _NARROW:
        return "\n".join([*above, *_listed(position, heads, facts, between, dice_text, size.columns)])
    plan = _plan(size)
    # the room beside the board or, where there is none, above and below it
    panels = [
        [head, *(f"    {name:<5} {value}" for name, value in about), *[""] * 6]
        if plan.beside
        else [""] * (plan.stack + 1)
        for head, about in zip(heads, facts, strict=True)
    ]
    left, right = ("", dice_text) if acting else (dice_text, "")
    if position.doubled and not plan.beside:
        left, between = between.strip(), ""
    half = 6 * plan.cell
    lines = [
        _edge(_UPPER, style, style.upper, plan),
        *_half(position, checkers, _UPPER, THEIR_BAR, panels[1], style, plan),
        _line(f"{left:^{half}}", "BAR", f"{right:^{half}}", between if plan.beside else "", style, plan),
        *reversed(_half(position, checkers, _LOWER, MY_BAR, panels[0], style, plan)),
        _edge(_LOWER, style, style.lower, plan),
    ]
    if not plan.beside:
        mine, theirs = (
            f" {head}  {'  '.join(f'{name} {value}' for name, value in about)}"
            for head, about in zip(heads, facts, strict=True)
        )
        centre = f"  {' '.join(between.split())}" if between else ""
        lines = [theirs[: size.columns], *lines, f"{mine}{centre}"[: size.columns]]
    return "\n".join(line.rstrip() for line in [*above, *lines])


def _plan(size: Size) -> _Plan:
    high = size.lines >= _HIGH
    beside = size.columns >= _WIDE and high
    return _Plan(5 if high else 3, 4, 5, beside) if size.columns >= _MEDIUM else _Plan(5 if high else 3, 3, 3, False)


def _half(
    position: Position,
    checkers: tuple[str, str],
    points: Iterable[Iterable[int]],
    bar: int,
    panel: Sequence[str],
    style: Style,
    plan: _Plan,
) -> list[str]:
    """Return the lines of the upper or the lower half of the board, from the edge to the middle."""

    def stack(count: int, empty: str) -> list[str]:
        return _stack(count, checkers, empty, plan.stack)

    left, right = ([stack(int(position.board[point]), style.empty) for point in side] for side in points)
    waiting = stack(int(position.board[bar]), "")[::-1]  # on the bar they stand from the middle outwards
    return [
        _line(
            "".join(f"{one[row]:>{plan.cell - 1}} " for one in left),
            waiting[row],
            "".join(f"{one[row]:>{plan.cell - 1}} " for one in right),
            panel[row],
            style,
            plan,
        )
        for row in range(plan.stack + 1)
    ]


def _stack(count: int, checkers: tuple[str, str], empty: str, height: int) -> list[str]:
    """Return what stands on a point, from the edge to the middle; `count` is negative for the other player's."""
    drawn = [checkers[count < 0]] * min(abs(count), height) or [empty]
    drawn += [""] * (height - len(drawn))
    return [*drawn, str(abs(count)) if abs(count) > height else ""]


def _line(left: str, bar: str, right: str, panel: str, style: Style, plan: _Plan) -> str:
    return f" {style.side}{left} {style.side}{bar:^{plan.bar}}{style.side}{right} {style.side} {panel}"


def _edge(points: Iterable[Iterable[int]], style: Style, corners: str, plan: _Plan) -> str:
    left, right = (
        "".join(f"{point:{style.edge}>{plan.cell - 1}}{style.edge}" for point in side) + style.edge for side in points
    )
    return f" {corners[0]}{left}{corners[1]}{style.edge * plan.bar}{corners[2]}{right}{corners[3]}"


def _cube_between(position: Position) -> str:
    """Return what stands in the middle about the cube, while nobody owns it or a double is on offer."""
    if position.doubled:
        return f"  double to {2 * position.cube_value}?"
    return f"    cube  {position.cube_value}" if position.cube_owner == "centre" else ""


def _listed(
    position: Position,
    heads: Sequence[str],
    facts: Sequence[Iterable[tuple[str, int]]],
    between: str,
    dice: str,
    columns: int,
) -> Iterator[str]:
    """Yield a list of the points where a board would not fit, each player's in the numbers of the one at the bottom."""
    width = max(columns, 10)
    for side, sign in ((1, -1), (0, 1)):
        where = [
            f"{'bar' if point in (MY_BAR, THEIR_BAR) else point}{f'({abs(count)})' * (abs(count) > 1)}"
            for point, count in reversed(list(enumerate(position.board.tolist())))
            if count * sign > 0
        ]
        about = " ".join(f"{name} {value}" for name, value in facts[side])
        for text in (f"{heads[side]}  {about}", " ".join(where)):
            yield from textwrap.wrap(text, width - 1, initial_indent=" ", subsequent_indent="   ")
    rest = " ".join(part for part in (dice, between.strip()) if part)
    if rest:
        yield f" {rest}"


# Colours ---------------------------------------------------------------------------------------------------------


def paint(drawing: str, palette: Palette) -> str:
    r"""Return a drawing in the `UNICODE` style with its colours, as ANSI escapes.

    A checker stands on the colour of a point wherever it is, since a look's checkers are made to be seen on those.

    Examples
    --------
    >>> from gammon_rl.cli.looks import BASIC
    >>> paint(" ▶ ● you", BASIC)
    ' \x1b[1m▶\x1b[0m \x1b[1;31m●\x1b[0m you'
    """
    lines = drawing.splitlines()
    top = next((at for at, line in enumerate(lines) if line[1:2] == UNICODE.upper[0]), len(lines))
    bottom = next((at for at, line in enumerate(lines) if line[1:2] == UNICODE.lower[0]), top)
    painted = []
    for at, line in enumerate(lines):
        if top < at < bottom:
            depth = min(at - top, bottom - at) - 1  # 0 at the edge of the board
            height = (bottom - top) // 2 - 2
            colours = _row_colours(line, depth if depth < height else None, 2 * at < top + bottom, palette)
        elif at in (top, bottom):
            end = 1 + max(line.rfind(UNICODE.upper[3]), line.rfind(UNICODE.lower[3]))
            colours = ["", *[palette.frame] * (end - 1), *[""] * (len(line) - end)]
        else:
            colours = [_colour_beside(character, palette) for character in line]
        painted.append(_with_colours(line, colours))
    text = "\n".join(painted)
    return text.replace(UNICODE.light, UNICODE.dark) if palette.felt else text


def _row_colours(line: str, depth: int | None, upper: bool, palette: Palette) -> list[str]:
    """Return the colour of every character in a row of the board; `depth` is None between the points."""
    sides = [at for at, character in enumerate(line) if character == UNICODE.side]
    first, bar, behind, last = sides[:4]
    cell = (bar - first - 1) // 6
    colours = []
    for at, character in enumerate(line):
        if at in sides:
            colours.append(palette.frame)
        elif not first < at < last:
            colours.append(_colour_beside(character, palette))
        else:
            ground = palette.felt
            point, column = divmod(at - (first if at < bar else behind) - 1, cell)
            from_middle = abs(column - (cell - 2))
            if depth is not None and point < 6 and not bar < at < behind and from_middle <= (depth < 3):
                ground = palette.points[(point + upper) % 2]  # it is pointed towards the middle
            elif character in _CHECKERS:
                ground = palette.points[0]
            colours.append(";".join(part for part in (ground, _colour_of(character, palette)) if part))
    return colours


def _colour_of(character: str, palette: Palette) -> str:
    known = {UNICODE.light: palette.light, UNICODE.dark: palette.dark, UNICODE.empty: palette.faint, " ": ""}
    return known.get(character, palette.ink)


def _colour_beside(character: str, palette: Palette) -> str:
    """Return the colour of a character beside the board, where the background is that of the terminal."""
    if character in _CHECKERS:
        return ";".join(part for part in (palette.points[0], _colour_of(character, palette)) if part)
    return "1" if character == UNICODE.marker else ""


def _with_colours(line: str, colours: Sequence[str]) -> str:
    parts = []
    for colour, run in groupby(zip(colours, line, strict=True), key=lambda pair: pair[0]):
        text = "".join(character for _, character in run)
        parts.append(f"\033[{colour}m{text}\033[0m" if colour else text)
    return "".join(parts)
