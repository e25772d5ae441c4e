"""Draws a position as SVG within a page: a few shared shapes, and for each board little more than where they go.

`SHAPES` goes into the page once; the colours are in its style sheet, `page.css`.
The player who sees the position sits below, with the home board on the right, and moves from 24 down to 1.
"""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from gammon_rl.rules.board import MY_BAR, OFF, THEIR_BAR, checkers_off
from gammon_rl.rules.position import Position
from gammon_rl.rules.steps import HOME, Step

_WIDTH: Final = 400
_HEIGHT: Final = 320
_TRAY: Final = 32  # at either side: the cube on the left, checkers off on the right
_POINT: Final = 26
_BAR: Final = 24
_TOP: Final = 16  # of the field
_CHECKER: Final = 12  # radius
_APART: Final = 23  # two checkers of a stack
_STACKED: Final = 5  # the most that are drawn; more are a number
_LEFT: Final = _TRAY
_RIGHT: Final = _TRAY + 6 * _POINT + _BAR
_END: Final = _RIGHT + 6 * _POINT
_MIDDLE: Final = _HEIGHT / 2
_BASES: Final = {"up": _HEIGHT - _TOP - _CHECKER - 1, "down": _TOP + _CHECKER + 1}
_PIPS: Final = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
}


def _x(point: int) -> float:
    """Return the middle of a point, or of the bar."""
    if point in (MY_BAR, THEIR_BAR):
        return _RIGHT - _BAR / 2
    column = (point - 1) % 12 if point <= 12 else 24 - point
    return _END - (column + 0.5) * _POINT - (_BAR if column >= HOME else 0)


def _shapes() -> Iterator[str]:
    """Yield the definitions: the empty board, stacks of one to five checkers of either colour, dice."""
    yield '<g id="board">'
    yield f'<rect class="frame" width="{_WIDTH}" height="{_HEIGHT}" rx="10"/>'
    for left in (_LEFT, _RIGHT):
        yield f'<rect class="field" x="{left}" y="{_TOP}" width="{6 * _POINT}" height="{_HEIGHT - 2 * _TOP}" rx="2"/>'
    for point in range(1, 25):
        x, base, tip = _x(point), _HEIGHT - _TOP, _HEIGHT - _TOP - 5 * _APART
        if point > 12:
            base, tip = _HEIGHT - base, _HEIGHT - tip
        kind = "odd" if point % 2 else "even"
        yield f'<path class="{kind}" d="M{x - _POINT / 2:g} {base}L{x:g} {tip}L{x + _POINT / 2:g} {base}z"/>'
        yield f'<text class="label" x="{x:g}" y="{_HEIGHT - 4 if point <= 12 else 12}">{point}</text>'
    yield "</g>"
    for colour in (0, 1):
        for count in range(1, _STACKED + 1):
            for way, sign in (("up", -1), ("down", 1)):
                circles = "".join(
                    f'<circle cy="{sign * _APART * at}" r="{_CHECKER}" class="c{colour}"/>' for at in range(count)
                )
                yield f'<g id="{way}{colour}{count}">{circles}</g>'
        for die, pips in _PIPS.items():
            dots = "".join(f'<circle cx="{7 * x}" cy="{7 * y}" r="2.6" class="p{colour}"/>' for x, y in pips)
            face = f'<rect x="-13" y="-13" width="26" height="26" rx="5" class="c{colour}"/>'
            yield f'<g id="die{colour}{die}">{face}{dots}</g>'


SHAPES: Final = f'<svg width="0" height="0" aria-hidden="true" class="shapes"><defs>{"".join(_shapes())}</defs></svg>'
"""What the boards of a page share."""


def board_svg(position: Position, seat: int, label: str, best: Iterable[Step] = (), made: Iterable[Step] = ()) -> str:
    """Return a position as an SVG element.

    Parameters
    ----------
    position : Position
        What to draw.
    seat : int
        The colour of the player who sees it, 0 light or 1 dark.
    label : str
        What it shows, for those who cannot see it.
    best, made : steps
        Arrows to draw: of the best play, and of another one that was made.
    """
    parts = [
        f'<svg class="board" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(label)}">',
        '<use href="#board"/>',
        *_checkers(position, seat),
        *_trays(position, seat),
        *_cube(position),
    ]
    for at, die in enumerate(position.dice or ()):
        parts.append(f'<use href="#die{seat}{die}" x="{(_RIGHT + _END) / 2 + 34 * at - 17:g}" y="{_MIDDLE:g}"/>')
    board = position.board.tolist()
    for kind, steps in (("made", made), ("best", best)):
        parts += (_arrow(board, step, kind) for step in steps)
    return "".join([*parts, "</svg>"])


def _checkers(position: Position, seat: int) -> Iterator[str]:
    for point, count in enumerate(position.board.tolist()):
        if not count:
            continue
        colour = seat if count > 0 else 1 - seat
        way, y = _place(point)
        number = min(abs(count), _STACKED)
        yield f'<use href="#{way}{colour}{number}" x="{_x(point):g}" y="{y:g}"/>'
        if abs(count) > _STACKED:
            top = y + _APART * (_STACKED - 1) * (-1 if way == "up" else 1)
            yield f'<text class="n{colour}" x="{_x(point):g}" y="{top + 4:g}">{abs(count)}</text>'


def _place(point: int) -> tuple[str, float]:
    """Return which way a stack grows, and where it begins."""
    if point == MY_BAR:
        return "down", _MIDDLE + 36
    if point == THEIR_BAR:
        return "up", _MIDDLE - 36
    way = "up" if point <= 12 else "down"
    return way, _BASES[way]


def _trays(position: Position, seat: int) -> Iterator[str]:
    """Yield checkers off, seen from the side, and the pips that each player has still to go."""
    x = _END + _TRAY / 2
    off = checkers_off(position.board, position.rules).tolist()
    for colour, count, way, y in ((seat, off[0], -1, _HEIGHT - 30), (1 - seat, off[1], 1, 26)):
        for at in range(count):
            yield f'<rect class="c{colour}" x="{x - 10:g}" y="{y + 6 * way * at:g}" width="20" height="5" rx="1.5"/>'
    for pips, y in zip(position.pips, (_HEIGHT - 4, 12), strict=True):
        yield f'<text x="{x:g}" y="{y}">{pips}</text>'


def _cube(position: Position) -> Iterator[str]:
    x, value = _TRAY / 2, position.cube_value
    y = {"centre": _MIDDLE, "mine": _HEIGHT - _TOP - 14, "theirs": _TOP + 14}[position.cube_owner]
    if position.doubled:
        x, y, value = _LEFT + 3 * _POINT, _MIDDLE, 2 * value
    elif position.crawford or position.match_length == 1:
        return
    shown = value if value > 1 else 64
    yield f'<rect class="cube" x="{x - 12:g}" y="{y - 12:g}" width="24" height="24" rx="4"/>'
    yield f'<text class="value" x="{x:g}" y="{y + 5:g}">{shown}</text>'


def _arrow(board: list[int], step: Step, kind: str) -> str:
    """Return an arrow along a step, curved a little so that two between the same points are told apart."""
    x1, y1 = _spot(board, step.start)
    x2, y2 = _spot(board, step.end)
    bend = 10 if kind == "best" else -10
    length = max(1.0, ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5)
    cx, cy = (x1 + x2) / 2 - bend * (y2 - y1) / length, (y1 + y2) / 2 + bend * (x2 - x1) / length
    back = max(1.0, ((x2 - cx) ** 2 + (y2 - cy) ** 2) ** 0.5)
    ux, uy = (x2 - cx) / back, (y2 - cy) / back
    head = f"M{x2:.0f} {y2:.0f}l{-9 * ux - 5 * uy:.1f} {-9 * uy + 5 * ux:.1f}l{10 * uy:.1f} {-10 * ux:.1f}z"
    line = f"M{x1:.0f} {y1:.0f}Q{cx:.0f} {cy:.0f} {x2 - 6 * ux:.0f} {y2 - 6 * uy:.0f}"
    return f'<path class="arrow {kind}" d="{line}"/><path class="head {kind}" d="{head}"/>'


def _spot(board: list[int], point: int) -> tuple[float, float]:
    """Return where the last checker of a point lies, or the place off the board."""
    if point == OFF:
        return _END + _TRAY / 2, _HEIGHT - 60
    way, y = _place(point)
    on_top = min(max(board[point], 1), _STACKED) - 1
    return _x(point), y + _APART * on_top * (-1 if way == "up" else 1)
