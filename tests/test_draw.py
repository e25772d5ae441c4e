"""Drawings of positions, against literal expected ones."""

import re

import numpy as np
import pytest

from gammon_rl.cli.draw import PLAIN, UNICODE, Size, draw, paint
from gammon_rl.cli.looks import BASIC, LOOKS, look, palette
from gammon_rl.errors import TableError
from gammon_rl.rules.board import pip_counts, results
from gammon_rl.rules.dice import roll
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import HYPERGAMMON, STANDARD, VARIANTS, Variant
from tests.positions import position

START = """
 +-13--14--15--16--17--18--+-----+-19--20--21--22--23--24--+
 |  O   .   .   .   X   .  |     |  X   .   .   .   .   O  |   X Hard
 |  O               X      |     |  X                   O  |     pips  167
 |  O               X      |     |  X                      |     off   0
 |  O                      |     |  X                      |     score 0
 |  O                      |     |  X                      |
 |                         |     |                         |
 |                         | BAR |                         |     cube  1
 |                         |     |                         |
 |  X                      |     |  O                      |
 |  X                      |     |  O                      |     score 0
 |  X               O      |     |  O                      |     off   0
 |  X               O      |     |  O                   X  |     pips  167
 |  X   .   .   .   O   .  |     |  O   .   .   .   .   X  | > O you
 +-12--11--10---9---8---7--+-----+--6---5---4---3---2---1--+
"""

START_UNICODE = """
 ┌─13──14──15──16──17──18──┬─────┬─19──20──21──22──23──24──┐
 │  ○   ·   ·   ·   ●   ·  │     │  ●   ·   ·   ·   ·   ○  │   ● Hard
 │  ○               ●      │     │  ●                   ○  │     pips  167
 │  ○               ●      │     │  ●                      │     off   0
 │  ○                      │     │  ●                      │     score 0
 │  ○                      │     │  ●                      │
 │                         │     │                         │
 │                         │ BAR │                         │     cube  1
 │                         │     │                         │
 │  ●                      │     │  ○                      │
 │  ●                      │     │  ○                      │     score 0
 │  ●               ○      │     │  ○                      │     off   0
 │  ●               ○      │     │  ○                   ●  │     pips  167
 │  ●   ·   ·   ·   ○   ·  │     │  ○   ·   ·   ·   ·   ●  │ ▶ ○ you
 └─12──11──10───9───8───7──┴─────┴──6───5───4───3───2───1──┘
"""

# Both on the bar, stacks of seven, dice, my cube; I have the dark checkers.
BAR = Position(position("barx2 24 13x7 8x3 6x2", "barx7 1x2 12x2 17x3"), dice=(6, 5), cube_value=2, cube_owner="mine")
BAR_DARK = """
 +-13--14--15--16--17--18--+-----+-19--20--21--22--23--24--+
 |  X   .   .   .   O   .  |  7  |  .   .   .   .   .   X  |   O Hard
 |  X               O      |  O  |                         |     pips  273
 |  X               O      |  O  |                         |     off   1
 |  X                      |  O  |                         |     score 5
 |  X                      |  O  |                         |
 |  7                      |  O  |                         |
 |                         | BAR |        [6] [5]          |
 |                         |  X  |                         |
 |                         |  X  |                         |     cube  2
 |                         |     |                         |     score 12
 |                  X      |     |                         |     off   0
 |  O               X      |     |  X                   O  |     pips  201
 |  O   .   .   .   X   .  |     |  X   .   .   .   .   O  | > X you
 +-12--11--10---9---8---7--+-----+--6---5---4---3---2---1--+
"""

# The same as the other player sees it who waits, the dice still to be played across the board.
BAR_TURNED = """
 ┌─13──14──15──16──17──18──┬─────┬─19──20──21──22──23──24──┐
 │  ○   ·   ·   ·   ●   ·  │     │  ●   ·   ·   ·   ·   ○  │ ▶ ● you
 │  ○               ●      │     │  ●                   ○  │     pips  201
 │                  ●      │     │                         │     off   0
 │                         │     │                         │     score 12
 │                         │  ●  │                         │     cube  2
 │                         │  ●  │                         │
 │        [6] [5]          │ BAR │                         │
 │  7                      │  ○  │                         │
 │  ●                      │  ○  │                         │
 │  ●                      │  ○  │                         │     score 5
 │  ●               ○      │  ○  │                         │     off   1
 │  ●               ○      │  ○  │                         │     pips  273
 │  ●   ·   ·   ·   ○   ·  │  7  │  ·   ·   ·   ·   ·   ●  │   ○ Hard
 └─12──11──10───9───8───7──┴─────┴──6───5───4───3───2───1──┘
"""

# Bearing off, stacks of ten and eleven, a double on offer, a name that is too long.
BEAROFF = Position(position("6x2 5x10", "19x11 24"), cube_value=32, cube_owner="theirs", doubled=True)
BEAROFF_DRAWN = """
 +-13--14--15--16--17--18--+-----+-19--20--21--22--23--24--+
 |  .   .   .   .   .   .  |     |  X   .   .   .   .   X  |   X a very long na
 |                         |     |  X                      |     pips  67
 |                         |     |  X                      |     off   3
 |                         |     |  X                      |     score 0
 |                         |     |  X                      |     cube  32
 |                         |     | 11                      |
 |                         | BAR |                         |   double to 64?
 |                         |     |     10                  |
 |                         |     |      O                  |
 |                         |     |      O                  |     score 1234
 |                         |     |      O                  |     off   3
 |                         |     |  O   O                  |     pips  62
 |  .   .   .   .   .   .  |     |  O   O   .   .   .   .  | > O you
 +-12--11--10---9---8---7--+-----+--6---5---4---3---2---1--+
"""

# The end of a game of hypergammon: everything off on one side, all still on the board on the other.
ENDED = Position(position("", "1 bar 13"), rules=HYPERGAMMON)
ENDED_DRAWN = """
 +-13--14--15--16--17--18--+-----+-19--20--21--22--23--24--+
 |  X   .   .   .   .   .  |     |  .   .   .   .   .   .  |   X Easy
 |                         |     |                         |     pips  61
 |                         |     |                         |     off   0
 |                         |     |                         |     score 0
 |                         |     |                         |
 |                         |  X  |                         |
 |                         | BAR |                         |
 |                         |     |                         |
 |                         |     |                         |
 |                         |     |                         |     score 0
 |                         |     |                         |     off   3
 |                         |     |                         |     pips  0
 |  .   .   .   .   .   .  |     |  .   .   .   .   .   X  |   O you
 +-12--11--10---9---8---7--+-----+--6---5---4---3---2---1--+
"""


def test_the_start() -> None:
    assert draw(Position.start(), names=("you", "Hard")) == START.strip("\n")
    assert draw(Position.start(), names=("you", "Hard"), style=UNICODE) == START_UNICODE.strip("\n")


def test_bars_stacks_dice_and_my_cube() -> None:
    assert draw(BAR, names=("you", "Hard"), score=(12, 5), light=False) == BAR_DARK.strip("\n")


def test_the_same_from_the_other_side() -> None:
    seen = Position(BAR.turned().board, dice=BAR.dice, cube_value=2, cube_owner="theirs")
    drawn = draw(seen, names=("Hard", "you"), score=(5, 12), acting=False, style=UNICODE)
    assert drawn == BAR_TURNED.strip("\n")


def test_bearing_off_and_a_double_on_offer() -> None:
    assert draw(BEAROFF, names=("you", "a very long name"), score=(1234, 0)) == BEAROFF_DRAWN.strip("\n")


def test_a_finished_game_without_a_cube() -> None:
    assert draw(ENDED, names=("you", "Easy"), acting=None, cube=False) == ENDED_DRAWN.strip("\n")


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=lambda rules: rules.name)
def test_every_position_fits_and_has_all_its_checkers(rules: Variant) -> None:
    rng = np.random.default_rng(4)
    board = rules.start()
    for dice in roll(rng, 60).tolist():
        drawn = draw(Position(board, dice=tuple(dice), cube_value=64, rules=rules), score=(99999, 99999))
        assert len(drawn.splitlines()) == 15
        assert max(map(len, drawn.splitlines())) < 80
        playing_area = "\n".join(line[:60] for line in drawn.splitlines())
        assert playing_area.count("O") == np.clip(board, 0, 5).sum()
        assert playing_area.count("X") == np.clip(-board, 0, 5).sum()
        assert re.findall(r"pips +(\d+)", drawn) == [str(pips) for pips in pip_counts(board)[::-1]]
        _, afterstates = legal_plays(board[None], dice, rules)
        board = afterstates[rng.integers(len(afterstates))] if len(afterstates) else -board[::-1]
        if results(board, rules):
            board = rules.start()


SIZES = [Size(80, 24), Size(79, 19), Size(78, 24), Size(80, 18), Size(60, 24), Size(59, 24), Size(46, 17)]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", ["basic", *LOOKS])
def test_colours_change_nothing_but_the_colour(name: str, size: Size) -> None:
    colours = BASIC if name == "basic" else palette(look(name), 256)
    for seen in (Position.start(), BAR, BEAROFF):
        drawn = draw(seen, style=UNICODE, title="Match to 5", size=size)
        painted = paint(drawn, colours)
        assert painted != drawn
        discs = drawn if name == "basic" else drawn.replace(UNICODE.light, UNICODE.dark)
        assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == discs
        assert painted.count("\x1b[0m") * 2 == painted.count("\x1b")


def test_points_take_turns_and_checkers_have_their_colours() -> None:
    drawn = paint(draw(Position.start(), style=UNICODE), palette(look("walnut"), 256))
    upper = drawn.splitlines()[1]
    points = re.findall(r"\x1b\[48;5;(137|130)m ", upper)
    assert points[::2] == ["137", "130"] * 6 or points[::2] == ["130", "137"] * 6
    lower = drawn.splitlines()[13]
    assert lower.index("48;5;137") != upper.index("48;5;137")  # across the board it is the other colour
    assert "1;38;5;230m●" in upper
    assert "1;38;5;232m●" in upper
    assert "48;5" not in paint(draw(Position.start(), style=UNICODE), BASIC)


@pytest.mark.parametrize("name", LOOKS)
def test_every_checker_is_a_disc_on_the_colour_of_a_point(name: str) -> None:
    chosen = look(name)
    for size in SIZES:
        painted = paint(draw(BAR, style=UNICODE, size=size), palette(chosen, 256))
        discs = re.findall(r"\x1b\[([0-9;]*)m●+\x1b", painted)
        allowed = {
            f"48;5;{point};1;38;5;{checker}" for point in chosen.points for checker in (chosen.light, chosen.dark)
        }
        assert set(discs) <= allowed
        assert painted.count("●") >= len(discs) > 10
        assert UNICODE.light not in painted


def test_without_colours_the_sides_differ_in_shape() -> None:
    drawn = draw(BAR, style=UNICODE)
    painted = paint(drawn, palette(look("fog"), 0))
    assert painted == drawn.replace("▶", "\x1b[1m▶\x1b[0m")


def brightness(colour: int) -> float:
    """Return the relative luminance of one of the 256 colours, from 0 to 1 (WCAG 2)."""
    levels = (0, 95, 135, 175, 215, 255)
    number = colour - 16
    grey = 8 + 10 * (colour - 232)
    parts = (grey,) * 3 if colour >= 232 else (levels[number // 36], levels[number // 6 % 6], levels[number % 6])
    linear = [((part / 255 + 0.055) / 1.055) ** 2.4 if part > 10 else part / 3295 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: int, other: int) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    dark, bright = sorted((brightness(one), brightness(other)))
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", LOOKS)
def test_a_look_can_be_read(name: str) -> None:
    chosen = look(name.upper())
    for checker in (chosen.light, chosen.dark):
        assert min(contrast(checker, point) for point in chosen.points) > 3
    assert contrast(chosen.light, chosen.dark) > 7
    assert contrast(chosen.text, chosen.frame) > 4
    assert contrast(chosen.ink, chosen.felt) > 4
    assert brightness(chosen.light) > brightness(chosen.dark)


def test_an_unknown_look_is_refused() -> None:
    with pytest.raises(
        TableError, match="no look is called 'leopard'; there are walnut, oat, midnight, pine, clay, fog"
    ):
        look("leopard")


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_drawing_fits_and_has_everything(size: Size) -> None:
    for seen in (Position.start(), BAR, BEAROFF):
        drawn = draw(seen, names=("anna", "bert"), score=(12, 5), title="Match to 13", size=size)
        lines = drawn.splitlines()
        assert max(map(len, lines)) <= size.columns
        assert len(lines) + 2 <= size.lines
        assert re.findall(r"pips +(\d+)", drawn) == [str(pips) for pips in seen.pips[::-1]]
        assert re.findall(r"score +(\d+)", drawn) == ["5", "12"]
        assert ("double to 64?" in drawn) == seen.doubled
        if seen.dice:
            assert "[6] [5]" in drawn


def test_where_no_board_fits_there_is_a_list_of_points() -> None:
    drawn = draw(BAR, names=("anna", "bert"), score=(12, 5), size=Size(30, 20))
    assert drawn == "\n".join(
        [
            "   X bert  pips 273 off 1",
            "   score 5",
            " 17(3) 12(2) 1(2) bar(7)",
            " > O anna  pips 201 off 0",
            "   score 12 cube 2",
            " bar(2) 24 13(7) 8(3) 6(2)",
            " [6] [5]",
        ]
    )


def test_the_two_styles_differ_in_characters_only() -> None:
    plain = draw(BAR)
    table = str.maketrans(
        {UNICODE.light: PLAIN.light, UNICODE.dark: PLAIN.dark, UNICODE.empty: PLAIN.empty, UNICODE.marker: PLAIN.marker}
        | {UNICODE.side: PLAIN.side, UNICODE.edge: PLAIN.edge}
        | dict.fromkeys(UNICODE.upper + UNICODE.lower, "+")
    )
    assert draw(BAR, style=UNICODE).translate(table) == plain
    assert plain.isascii()


def test_the_sides_are_told_apart_without_colour() -> None:
    for style in (PLAIN, UNICODE):
        assert style.light != style.dark
        swapped = draw(Position(STANDARD.start()), light=False, style=style)
        assert swapped != draw(Position(STANDARD.start()), light=True, style=style)
