"""A session of money games between a person and the bot: the questions, the answers, and what is shown.

All input and output goes through the two functions that are handed in.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import numpy as np

from gammon_rl.bots.bot import Bot
from gammon_rl.cli.draw import PLAIN, UNICODE, Style, draw, paint
from gammon_rl.cli.game import BACKGAMMON, GAMMON, SINGLE, Game, Outcome, opening_throws, roll_dice
from gammon_rl.errors import GammonError
from gammon_rl.rules.board import checkers_off, turn
from gammon_rl.rules.notation import Play, parse_play, play_of
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import STANDARD, Variant

YOU, BOT = 0, 1

_LISTED: Final = 60  # plays shown at once
_HINTS: Final = 5
_LONGEST: Final = 60  # letters of an answer that are worth reading
_LEVELS: Final = {SINGLE: "a single game", GAMMON: "a gammon", BACKGAMMON: "a backgammon"}

# The words that a question understands, each with what it means. Beginnings of a word will do, the first one that
# fits; "" is an empty line, and so what Enter does.
_BEFORE_ROLL: Final = {"": "roll", "roll": "roll", "double": "double", "hint": "hint", "resign": "resign"}
_DOUBLE_OR_PASS: Final = {"double": "double", "pass": "pass", "hint": "hint"}
_ANSWERS: Final = {"take": "take", "drop": "drop", "pass": "drop", "hint": "hint"}
_PLAYING: Final = {"list": "list", "hint": "hint"}
_ANY_TIME: Final = {"board": "board", "pips": "pips", "help": "help", "?": "help", "quit": "quit", "exit": "quit"}
_YES_NO: Final = {"yes": "yes", "no": "no"}
_RESIGNATIONS: Final = {"single": "single", "gammon": "gammon", "backgammon": "backgammon", "no": "no", "": "no"}
_WORDS: Final = {**_BEFORE_ROLL, **_ANSWERS, **_PLAYING, **_ANY_TIME}

_HELP: Final = """\
  Before the roll  Enter or roll, double, resign; hint on the cube
  A double         take or drop
  A play           8/5 6/5, 24/14, bar/22 13/7*, 6/4(2), 6/off
                   list numbers the legal plays, list 13 those from the 13 point;
                   a number then makes that play. hint: the best ones and their equities
  At any time      board, pips, help, quit
  Words may be shortened: r, d, t, p (drop), l, h, b, q. You move from 24 down to 1 and
  off. A play is written in the numbers of the player who makes it: 24 is the other's 1."""


class _LeaveError(Exception):
    """The person wants to leave."""
