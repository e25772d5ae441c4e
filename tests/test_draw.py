"""Drawings of positions, against literal expected ones."""

import re

import numpy as np
import pytest

from gammon_rl.cli.draw import PLAIN, UNICODE, draw, paint
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


def test_colours_change_nothing_but_the_colour() -> None:
    for seen in (Position.start(), BAR, BEAROFF):
        drawn = draw(seen, style=UNICODE)
        painted = paint(drawn)
        assert painted != drawn
        assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == drawn
        assert painted.count("\x1b[0m") * 2 == painted.count("\x1b")


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
