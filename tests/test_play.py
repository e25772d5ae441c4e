"""The terminal game: tables driven through a screen of the tests, and the command through a real terminal."""

import errno
import io
import os
import re
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
import pytest

import gammon_rl as gr
from gammon_rl.bots.bot import Bot, Candidate
from gammon_rl.bots.levels import NORMAL
from gammon_rl.cli import main, saving, words
from gammon_rl.cli.draw import PLAIN, UNICODE, Size, Style
from gammon_rl.cli.flags import CLOCK_NAMES
from gammon_rl.cli.players import Bots
from gammon_rl.cli.review import Review
from gammon_rl.cli.session import Session
from gammon_rl.cli.show import Show
from gammon_rl.cli.terminal import Terminal as RealTerminal, TimeUpError, _locale_has_unicode, _without_echo
from gammon_rl.errors import TableError
from gammon_rl.eval.encoder import INPUTS
from gammon_rl.eval.model import Model
from gammon_rl.eval.network import OUTCOMES
from gammon_rl.rules.board import turn
from gammon_rl.rules.notation import Play, parse_play, play_of
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import HYPERGAMMON, VARIANTS, Variant
from gammon_rl.stakes.cube import CubeDecision
from gammon_rl.table import actions as ac, events as ev
from gammon_rl.table.dice import HandDice, RecordedDice
from gammon_rl.table.options import CLOCKS, Seat, TableOptions
from gammon_rl.table.state import Phase
from gammon_rl.table.table import Table
from gammon_rl.writing import write_whole
from tests.positions import position

Dice = tuple[int, int]

GARBAGE: Final = (
    "", " ", "x", "??", "8/5/", "99", "-1", "0", "1.5", "roll now", "double it", "take that", "drop dead", "bar", "off",
    "8/5 8/5 8/5 8/5 8/5", "25/0", "24/14", "6/4(9)", "1" * 500, "a" * 500, "8/5" * 200,
    "\x00", "\x1b[A", "ä½♟", "²",
    "None", "list 99", "%s %d {0}", "\\", "'", '"', "undo 0", "undo x", "load", "auto x", "look x", "hint 3",
)  # fmt: skip

SCALE: Final = int(os.environ.get("GAMMON_RL_TEST_SCALE", "1"))
ENDLESS: Final = 3000  # questions after which a game does not end


class ScriptedBot:
    """Plays the first legal play, or what it is told; doubles and answers as it is told."""

    level = NORMAL
    has_opinions = True

    def __init__(
        self,
        doubles: Iterable[bool] = (),
        takes: bool = True,
        nd: float = 0.25,
        plays: Iterable[str] = (),
        beavers: bool = False,
    ) -> None:
        self.doubles, self.takes, self.nd, self.plays, self.beavers = iter(doubles), takes, nd, iter(plays), beavers
        self.asked: list[Position] = []

    def choose_play(self, seen: Position, dice: Dice, *limits: object) -> Play:
        self.asked.append(seen)
        told = next(self.plays, None)
        if told:
            return parse_play(told, seen.board, dice, seen.rules)
        _, afterstates = legal_plays(seen.board[None], dice, seen.rules)
        return play_of(seen.board, dice, afterstates[0] if len(afterstates) else turn(seen.board), seen.rules)

    def cube_action(self, seen: Position, *limits: object) -> CubeDecision:
        self.asked.append(seen)
        doubles = not seen.doubled and seen.dice is None and next(self.doubles, False)
        action = "double/take" if doubles else "no double/take"
        costs = {"no double": 0.0, "double": 0.0, "take": 0.0, "pass": 0.875}
        return CubeDecision(self.nd, 0.125, 1.0, doubles, self.takes, self.beavers, action, costs)

    def analyse(self, seen: Position, dice: Dice, time_limit: float | None = None) -> list[Candidate]:
        self.asked.append(seen)
        _, afterstates = legal_plays(seen.board[None], dice, seen.rules)
        plays = [play_of(seen.board, dice, afterstate, seen.rules) for afterstate in afterstates[::-1]]
        return [Candidate(play, (0.5, 0.1, 0, 0.1, 0), -0.1 * at, 0.1 * at, 0) for at, play in enumerate(plays)]

    def resignation(self, seen: Position) -> int:
        return 0

    def accepts(self, seen: Position, level: int, *limits: object) -> bool:
        return level == 3 or level >= -self.nd - 0.005

    def probs(self, seen: Position) -> np.ndarray:
        return np.array([0.5, 0.1, 0, 0.1, 0], dtype=np.float32)


class OneBot:
    """Gives the same bot for every level, and as the adviser."""

    model = None

    def __init__(self, bot: Any) -> None:
        self.bot = bot

    def of(self, name: str) -> Any:
        return self.bot

    def first_of(self, *names: str) -> str:
        return next(filter(None, names))

    def adviser(self, name: str = "") -> Any:
        return self.bot if self.bot.has_opinions else None


class Terminal:
    """Answers questions from a script or by a function, and keeps all that is shown.

    An answer that is an exception is raised; after the last one there is an end of file.
    """

    colours = 0

    def __init__(
        self,
        answers: Iterable[str | type[BaseException]] | Callable[[str], str],
        *,
        style: Style = PLAIN,
        size: Size = Size(),  # noqa: B008
    ) -> None:
        self.answer = answers if callable(answers) else None
        self.script = iter(()) if callable(answers) else iter(answers)
        self.style, self.room, self.live = style, size, style == UNICODE
        self.shown = ""
        self.questions: list[str] = []

    def size(self) -> Size:
        return self.room

    def read(self, question: str, words: Any, redraw: Any, seconds: float | None) -> str:
        assert len(self.questions) < ENDLESS, "the game does not end"
        if len(self.questions) < 9:
            assert all(isinstance(word, str) for word in words())
        self.questions.append(question)
        self.shown += question
        answer = self.answer(question) if self.answer else next(self.script, EOFError)
        if not isinstance(answer, str):
            raise answer
        self.shown += f"{answer}\n"
        return answer

    def write(self, text: str) -> None:
        self.shown += text

    def busy(self, note: str, redraw: Any) -> Any:
        return nullcontext()

    def clear(self) -> None:
        self.shown += "\x1b[2J\x1b[H" if self.style == UNICODE else ""


def table_of(dice: Any = 1, bot: str = "hard", seats: tuple[Seat, Seat] | None = None, **options: Any) -> Table:
    """Return a table between you and a bot; a list of rolls ends like a file."""
    source = RecordedDice(dice) if isinstance(dice, list) else dice
    options = {"session": not options.get("match_length", 0), **options}
    return Table(TableOptions(**options), seats or (Seat("You"), Seat("Hard", bot=bot)), source)


def table_at(
    mine: str, theirs: str, dice: Any = 1, *, player: int = 0, cube: int = 1, owner: int | None = None, **options: Any
) -> Table:
    """Return a table whose player on turn has this position, nothing rolled. The record does not tell how."""
    table = table_of(dice, **options)
    board = tuple(position(mine, theirs).tolist())
    state = table._state._replace(phase=Phase.TO_ROLL, turn=player, board=board, cube=cube, owner=owner)
    if board[25] > 0 and all(board[point] <= -2 for point in range(19, 25)):
        skipped = owner == 1 - player or not table.options.cube
        state = state._replace(
            **{"due": ev.TurnSkipped(player)} if skipped else {"phase": Phase.CLOSED_BOARD}  # type: ignore[arg-type]
        )
    table._state = state
    table._cache.__init__()  # type: ignore[misc]
    table._settle([])
    SET_UP.add(id(table))
    return table


SET_UP: Final = set[int]()
"""Tables of `table_at`, whose record cannot be looked over."""


def run(
    answers: Any, table: Table, bot: Any = None, *, keeper: Any = None, **screen: Any
) -> tuple[Terminal, Session, int]:
    """Play at a table until it is over or the answers are; return the terminal, the session and the exit code."""
    terminal = Terminal(answers, **screen)
    session = Session(table, OneBot(bot or ScriptedBot()), terminal, keeper=keeper)  # type: ignore[arg-type]
    looked_over = patch("gammon_rl.cli.session.review", lambda *_: Review(()))
    try:
        with looked_over if id(table) in SET_UP else nullcontext():
            code = session.run()
    except TableError as error:
        if "used up" not in str(error):
            raise
        code = -1  # the rolls of the test are used up
    return terminal, session, code


def always_first(question: str) -> str:
    """Answer any question so that the game goes on: roll, take, and the first play of the list."""
    if "ake at" in question:
        return "take"
    if "lay again" in question:
        return "no"
    return "1" if "our play with" in question or "and then" in question else ""


def random_answers(seed: int) -> Callable[[str], str]:
    """Return a person who does everything at random: plays by number, steps, the cube, going back, resigning."""
    rng = np.random.default_rng(seed)

    def pick(*answers: str) -> str:
        return str(rng.choice(answers))

    def answer(question: str) -> str:
        if rng.random() < 0.05:
            return pick("undo", "undo 2", "redo", "board", "pips", "auto", "auto roll", "review", "eval", "?", "save")
        if "lay again" in question:
            return "no"
        if "Next game" in question:
            return pick("", "", "no")
        if "ake at" in question:
            return pick("t", "TAKE", "beaver", "drop", "hint")
        if "our play with" in question or "and then" in question:
            return pick("1", "2", "3", "list", "hint", "13/", "8", "24", "6/5", "bar", "6/off", "4")
        if "cannot enter" in question:
            return pick("double", "pass")
        if "Resign" in question:
            return pick("s", "gammon", "backgammon", "")
        if "decline" in question:
            return pick("accept", "decline")
        return pick("", "r", "roll", "double", "resign") if "Enter rolls" in question else ""

    return answer


# Whole games -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        *((rules, {"session": False}) for rules in VARIANTS.values()),
        (HYPERGAMMON, {"match_length": 3}),
        (HYPERGAMMON, {"beavers": True, "automatic_doubles": 2}),
    ],
    ids=lambda one: getattr(one, "name", str(one)),
)
@pytest.mark.parametrize("seed", range(SCALE))
def test_games_against_easy_with_random_answers(
    seed: int, rules: Variant, options: dict[str, Any], tmp_path: Path
) -> None:
    table = table_of(seed + 3, variant=rules.name, **options)
    keeper = saving.Keeper(tmp_path / "game.json")
    terminal, session, code = run(random_answers(seed), table, Bot("easy", seed=1, rules=rules), keeper=keeper)
    assert code == 0
    assert max(map(len, terminal.shown.splitlines())) < 200
    assert f"{session.table.score[0]}" in terminal.shown
    session.table.record.check()
    if keeper.path.exists():
        assert saving.read(keeper.path).table == session.table


@pytest.mark.parametrize("seed", range(SCALE))
def test_two_persons_with_random_answers(seed: int) -> None:
    seats = (Seat("Ann"), Seat("Bob"))
    terminal, session, code = run(
        random_answers(seed), table_of(seed, seats=seats, match_length=2, variant="hypergammon")
    )
    assert code == 0
    assert session.table.is_over or "no" in terminal.shown
    assert "Going back is for one person against the computer; " in terminal.shown or "undo" not in terminal.shown
    assert {question.partition(":")[0] for question in terminal.questions} >= {"Ann", "Bob"}


def test_the_same_seed_gives_the_same_session() -> None:
    shown = [run(random_answers(5), table_of(3), Bot("easy", seed=3))[0].shown for _ in range(2)]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_a_game_with_hints_against_a_bot_that_has_an_evaluator(level: str) -> None:
    rng = np.random.default_rng(2)
    layers = tuple(
        (rng.normal(0, 0.2, (outputs, inputs)).astype(np.float32), np.zeros(outputs, dtype=np.float32))
        for inputs, outputs in ((INPUTS, 8), (8, len(OUTCOMES)))
    )
    hinted = True

    def answer(question: str) -> str:
        nonlocal hinted
        hinted = not hinted
        if "Next game" in question:
            return "no"
        return always_first(question) if hinted else "hint"

    bot = Bot(level, Model(layers, HYPERGAMMON), rules=HYPERGAMMON)
    terminal, session, code = run(answer, table_of(1, variant="hypergammon"), bot)
    assert code == 0
    assert max(session.table.score) >= 1
    assert re.search(r"^  1\. \S.* [+-]\d\.\d{3} .*\d% +\d+% \d-ply$", terminal.shown, re.MULTILINE)
    assert re.search(r"^  Best: (no )?double/\w+\. Equities:$", terminal.shown, re.MULTILINE)
    assert re.search(r"^You: \d+ decisions?, \d+\.\d milli-points lost a decision, PR \d", terminal.shown, re.MULTILINE)
    assert max(map(len, terminal.shown.splitlines())) <= 80


def test_a_session_goes_from_game_to_game_and_ends_with_a_review() -> None:
    answers = ["8/5 6/5", "d", "", "24/18 18/13", "d", "n"]
    rolls = [(6, 6), (3, 1), (6, 2), (6, 5), (4, 2)]
    terminal, session, code = run(answers, table_of(rolls), ScriptedBot(takes=False))
    assert code == 0
    assert session.table.score == (2, 0)
    assert "Opening roll: you 6, Hard 6, again.\nOpening roll: you 3, Hard 1. You begin.\n" in terminal.shown
    assert "You double to 2.\nHard drops.\nYou win 1 point.\n" in terminal.shown
    double, play = "Enter rolls, d doubles > ", "Your play with"
    another = [f"Score: you {points}, Hard 0. Next game (Enter: yes) > " for points in (1, 2)]
    assert terminal.questions == [f"{play} 3-1 > ", double, another[0], f"{play} 6-5 > ", double, another[1]]
    assert "The end: you 2, Hard 0.\nYou: " in terminal.shown
    assert "milli-points lost a decision, PR " in terminal.shown


def test_a_match_ends_with_a_review_and_can_be_played_again_with_the_colours_swapped() -> None:
    bot = ScriptedBot(nd=-1.0)
    table = table_of([(1, 3), (6, 2), (6, 5), (4, 2)], match_length=1)
    terminal, session, _ = run(["resign 1", "maybe", "yes"], table, bot)
    assert "Hard wins the match 1 to 0.\n" in terminal.shown
    assert "You: no decisions to review.\n" in terminal.shown
    again = "Play again, colours swapped: yes or no > "
    assert terminal.questions[1:3] == [again] * 2
    assert session.table is not table
    assert (table.light, session.table.light) == (0, 1)
    assert session.table.score == (0, 0)


def test_the_bot_begins_with_the_higher_die() -> None:
    bot = ScriptedBot(doubles=[True])  # would double if it were asked before its first play
    terminal, _, code = run([], table_of([(1, 3)]), bot)
    assert code == 0
    assert "Opening roll: you 1, Hard 3. Hard begins.\nHard plays 3-1: " in terminal.shown
    assert "doubles to" not in terminal.shown
    assert terminal.questions == ["Enter rolls, d doubles > "]


def test_crawford_is_on_the_board_and_nobody_doubles_then() -> None:
    answers = ["8/5 6/5", "d", "", "24/18 18/13", "", "double", "6/4"]
    rolls = [(3, 1), (6, 2), (6, 5), (4, 2), (3, 1)]
    terminal, _, _ = run(answers, table_of(rolls, match_length=2), ScriptedBot([False], takes=False))
    assert "Backgammon, match to 2, game 2, Crawford game" in terminal.shown
    assert "Game 2. This is the Crawford game: no doubling." in terminal.shown
    assert "Enter rolls > " in terminal.questions
    assert (
        "Double is not possible: there is no doubling in the Crawford game."
        in run(
            ["8/5 6/5", "d", "", "24/18 18/13", "double"], table_of(rolls, match_length=2), ScriptedBot(takes=False)
        )[0].shown
    )


# The cube --------------------------------------------------------------------------------------------------------

START: Final = ("24x2 13x5 8x3 6x5", "1x2 12x5 17x3 19x5")


def test_my_double_is_taken_or_dropped() -> None:
    terminal, session, _ = run(["DOUBLE", "n"], table_at(*START), ScriptedBot(takes=False))
    assert session.table.score == (1, 0)
    bot = ScriptedBot()
    terminal, _, _ = run(["d", "", "8/5 6/5", "d"], table_at(*START, [(3, 1), (6, 5)]), bot)
    assert "You double to 2.\nHard takes the cube at 2." in terminal.shown
    assert bot.asked[0].doubled
    assert (
        terminal.questions
        == ["Enter rolls, d doubles > ", "Enter rolls > ", "Your play with 3-1 > "] + ["Enter rolls > "] * 2
    )
    assert "Double is not possible: the opponent owns the cube." in terminal.shown


def test_an_empty_line_or_a_p_never_answers_a_double() -> None:
    answers = ["", "  ", "\t", "", "foo", "p", "ta"]
    terminal, _, _ = run(answers, table_at(*START, [(6, 2)], player=1), ScriptedBot([True]))
    assert terminal.questions[:7] == ["Take at 2 or drop and lose 1 > "] * 7
    assert terminal.shown.count("Expected take, drop or pass; ? explains.") == 5
    assert "Pips: you 167, Hard 167." in terminal.shown
    assert "You take the cube at 2." in terminal.shown
    assert terminal.questions[-1] == "Enter rolls, d doubles > "


@pytest.mark.parametrize("answer", ["drop", "pass", "d", "PA"])
@pytest.mark.parametrize("value", [1, 8])
def test_a_drop_costs_the_value_before_the_double(answer: str, value: int) -> None:
    table = table_at("6x15", "19x15", player=1, cube=value, owner=1 if value > 1 else None)
    terminal, session, _ = run([answer, "no"], table, ScriptedBot([True]))
    assert session.table.score == (0, value)
    assert f"You drop.\nHard wins {value} point{'s' * (value > 1)}.\n" in terminal.shown


def test_beavers_are_offered_where_they_are_allowed() -> None:
    table = table_at(*START, [(6, 2)], player=1, beavers=True)
    terminal, session, _ = run(["beaver"], table, ScriptedBot([True]))
    assert terminal.questions[0] == "Take at 2, beaver or drop and lose 1 > "
    assert "You beaver: you own the cube at 4." in terminal.shown
    assert (session.table.cube, session.table.cube_owner) == (4, 0)
    terminal, _, _ = run(["beaver"], table_at(*START, player=1), ScriptedBot([True]))
    assert "'beaver' does not fit here" in terminal.shown
    bot = ScriptedBot(beavers=True)
    terminal, session, _ = run(["d"], table_at(*START, beavers=True), bot)
    assert "Hard beavers: Hard owns the cube at 4." in terminal.shown


def test_the_cube_goes_to_and_fro_and_stops_at_64() -> None:
    def answer(question: str) -> str:
        return "double" if "d doubles" in question else "no" if "Next" in question else always_first(question)

    terminal, session, _ = run(answer, table_at(*START), ScriptedBot([True] * 99))
    doubles = re.findall(r"(You double|Hard doubles) to (\d+)\.", terminal.shown)
    assert [(who.split()[0], int(value)) for who, value in doubles] == [
        (("You", "Hard")[at % 2], 2 ** (at + 1)) for at in range(6)
    ]
    assert max(session.table.score) % 64 == 0
    terminal, _, _ = run(["double"], table_at("8", "17", cube=64, owner=0))
    assert "Double is not possible: the cube goes no higher than 64." in terminal.shown


def test_without_a_cube_nobody_doubles() -> None:
    bot = ScriptedBot([True] * 99)
    terminal, _, _ = run(["8/5 6/5", "d"], table_of([(3, 1), (1, 1)], cube=False), bot)
    assert "Double is not possible: there is no cube." in terminal.shown
    assert "cube  " not in terminal.shown
    assert "doubles to" not in terminal.shown


# Turns -----------------------------------------------------------------------------------------------------------

CLOSED: Final = "19x2 20x2 21x2 22x2 23x2 24x2"
SHUT_OUT: Final = "bar 6x5 5x5 4x4"


def test_a_closed_board_is_not_rolled_against() -> None:
    table = table_at(SHUT_OUT, f"{CLOSED} 13x3", [(2, 1)], cube=2, owner=1)
    terminal, _, code = run([], table, ScriptedBot(plays=["12/10 12/11"]))
    assert code == -1
    assert (
        "Hard plays 2-1: 12/11 12/10.\nYou are on the bar against a closed board: nothing is rolled." in terminal.shown
    )
    assert not terminal.questions


def test_against_a_closed_board_the_choice_is_double_or_pass() -> None:
    for end in ("pass", ""):
        answers = ["roll", "resign", "r", "8/5", "x", "p", end]
        table = table_at(SHUT_OUT, f"{CLOSED} 13x3", [(2, 1)])
        terminal, _, _ = run(answers, table, ScriptedBot(plays=["12/10 12/11"]))
        assert set(terminal.questions) == {"You cannot enter: Enter passes, d doubles > "}
        assert len(terminal.questions) == len(answers) + 1 == 8
        assert terminal.shown.count("You pass.") == 1
        assert "You play" not in terminal.shown
    table = table_at(SHUT_OUT, f"{CLOSED} 13x3", [(2, 1)])
    terminal, _, _ = run(["double"], table, ScriptedBot(plays=["12/10 12/11"]))
    assert "Hard takes the cube at 2.\nYou are on the bar against a closed board: nothing is rolled." in terminal.shown
    table = table_at(SHUT_OUT, f"{CLOSED} 13x3", [(2, 1)])
    _, session, _ = run(["double", "no"], table, ScriptedBot(takes=False))
    assert session.table.score == (1, 0)


def test_the_bot_doubles_or_passes_against_a_closed_board() -> None:
    for doubles, answers in (([], []), ([True], ["take"])):
        terminal, _, _ = run(answers, table_at(SHUT_OUT, f"{CLOSED} 13x3", player=1), ScriptedBot(doubles))
        assert ("You take the cube at 2." in terminal.shown) == bool(doubles)
        assert ("Hard passes." in terminal.shown) == (not doubles)
        assert terminal.questions[-1].startswith("Enter rolls")


def test_a_dance_is_shown_and_passed() -> None:
    mine, theirs = "bar 6x5", "19x2 20x2 21x2 22x2 23x2 13x3"
    bot = ScriptedBot(plays=["12/10 12/11"])
    terminal, _, _ = run([""], table_at(mine, theirs, [(6, 2), (2, 1)]), bot)
    assert "You roll 6-2 and cannot move.\nHard plays 2-1: 12/11 12/10.\n" in terminal.shown
    terminal, _, _ = run([], table_at(mine, theirs, [(3, 3)], player=1))
    assert "Hard rolls 3-3 and cannot move.\n" in terminal.shown


@pytest.mark.parametrize(
    ("text", "dice", "play"),
    [
        ("8/5 6/5", (3, 1), "8/5 6/5"),
        ("6/5, 8/5", (3, 1), "8/5 6/5"),
        ("8-5 6-5", (3, 1), "8/5 6/5"),
        ("  8 / 5   6/5 ", (3, 1), "8/5 6/5"),
        ("8/5,6-5", (3, 1), "8/5 6/5"),
        ("24-14", (6, 4), "24/18 18/14"),
        ("24/20", (3, 1), "24/21 21/20"),
        ("24-18-13", (6, 5), "24/18 18/13"),
        ("8/4 4", (4, 2), "8/4 4/2"),  # the end of the last checker is settled
    ],
)
def test_plays_are_read_in_many_ways(text: str, dice: Dice, play: str) -> None:
    terminal, _, _ = run([text], table_of([dice]))
    assert f"You play {dice[0]}-{dice[1]}: {play}.\n" in terminal.shown


def test_repeats_are_read() -> None:
    terminal, _, _ = run(["", "6/4(2) 8/6(2)"], table_at(*START, [(2, 2)]))
    assert "You play 2-2: 8/6 8/6 6/4 6/4.\n" in terminal.shown


def test_bar_hits_and_bearing_off_are_read() -> None:
    for text in ("BAR/22* 6/4", "b/22 6/4", "bar/22 6/4", "bar-22* 6-4"):
        terminal, _, _ = run(["", text], table_at("bar 6x2", "22 5x3 1x2", [(3, 2), (6, 2)]))
        assert "You play 3-2: bar/22* 6/4.\n" in terminal.shown
    table = table_at("1 2", "19 24x13", [(2, 1)])
    terminal, session, _ = run(["auto bearoff off", "auto forced off", "", "2/o 1/o", "n"], table)
    assert session.table.score == (1, 0)
    assert "You play 2-1: 2/off 1/off.\n" in terminal.shown


def test_a_part_of_a_play_is_made_step_by_step_and_taken_back() -> None:
    answers = ["8/5", "list", "undo", "13/10", "undo", "redo", "6/5"]
    terminal, session, _ = run(answers, table_of([(3, 1), (6, 2)]))
    assert "8/5, and then > " in terminal.questions
    assert "  1. 24/23 8/5" in terminal.shown
    assert next(one.text for one in session.table.record.events if isinstance(one, ev.Played)) == "13/10 6/5"
    # the dice that are left are on the board
    assert "          [1]  " in terminal.shown


def test_a_part_of_a_play_that_settles_it_makes_it() -> None:
    table = table_at("24 6x2", "13x2 1x2", [(6, 5)])
    terminal, _, _ = run(["auto forced off", "", "24/18"], table)
    assert "You play 6-5: 24/18" in terminal.shown
    terminal, _, _ = run(["", "bar"], table_at("bar 13x2 6x2", "19x2 21x2 1x2", [(5, 3), (6, 2)]))
    assert "bar/20, and then > " in terminal.questions or "'bar' can be" in terminal.shown


def test_what_can_be_several_plays_is_asked_for() -> None:
    terminal, _, _ = run(["24/", "13 13", "1/5"], table_of([(3, 1)]))
    assert "'13 13' begins no legal play with 3-1" in terminal.shown
    assert "'24/' can be " in terminal.shown
    assert "say where to." in terminal.shown


def test_steps_can_be_completed_by_a_number() -> None:
    for seats in (None, (Seat("Ann"), Seat("Bob"))):
        terminal, session, _ = run(["8/5", "list", "3"], table_of([(3, 1)], seats=seats))
        assert "8/5 6/5" in terminal.shown
        played = [event for event in session.table.record.events if isinstance(event, ev.Played)]
        assert played[0].text == "8/5 6/5"


def test_a_wrong_play_is_explained_in_one_line_with_plays_near_to_it() -> None:
    terminal, _, _ = run(["8/3"], table_of([(3, 1)]))
    line = terminal.shown.splitlines()[-3]
    assert line.startswith("'8/3' is not legal with 3-1: 8/3 does not fit the dice; near to it: ")
    terminal, _, _ = run(["8/5", "13/10"], table_of([(3, 1)]))
    assert "'13/10' does not go on from 8/5; steps now: 24/23 8/7 6/5 5/4." in terminal.shown


def test_a_forced_play_is_made_by_the_table_or_by_enter() -> None:
    terminal, _, _ = run([""], table_at("24", "13x2", [(6, 5), (2, 1)]))
    assert "You play 6-5: 24/18.\n" in terminal.shown
    assert terminal.questions[0] == "Enter rolls, d doubles > "
    for answer in ("", "1", "24/18", "24", "list", "hint"):
        table = table_at("24", "13x2", [(6, 5), (2, 1)])
        terminal, _, _ = run(["auto forced off", "", answer, "1"], table)
        assert terminal.questions[2] == "Your only play is 24/18: Enter makes it > "
        assert "You play 6-5: 24/18.\n" in terminal.shown


def test_enter_makes_no_play_that_is_not_forced() -> None:
    terminal, _, _ = run(["", ""], table_of([(3, 1)]))
    assert terminal.questions == ["Your play with 3-1 > "] * 3
    assert "You play" not in terminal.shown


def test_numbers_pick_from_the_list_that_was_shown_last() -> None:
    terminal, _, _ = run(["list", "0", "17", "list 6", "1"], table_of([(3, 1), (6, 2)]))
    assert len(re.findall(r"\d+\. \d+/", terminal.shown)) == 16 + 7
    assert "There is no play 0; the numbers go from 1 to 16." in terminal.shown
    assert "There is no play 17; the numbers go from 1 to 16." in terminal.shown
    first = re.findall(r"  1\. (\S+ \S+)", terminal.shown)
    assert "6/" not in first[0]
    assert "6/" in first[1]
    assert f"You play 3-1: {first[1]}.\n" in terminal.shown


def test_a_number_without_a_list_shows_the_list_first() -> None:
    told = [run(answers, table_of([(3, 1), (6, 2)]))[0].shown for answers in (["list", "2"], ["2", "2"], ["2"])]
    listed = re.search(r" 2\. (\S+ \S+)", told[0])
    assert listed
    assert [f"You play 3-1: {listed[1]}.\n" in shown for shown in told] == [True, True, False]
    assert "A number makes one of these." in told[2]
    # what was hinted at is forgotten with the turn
    terminal, _, _ = run(["hint", "1", "", "1", "1"], table_of([(3, 1), (6, 2), (3, 1)]))
    played = re.findall(r"You play 3-1: (.*)\.", terminal.shown)
    assert len(set(played)) == 2


def test_a_long_list_is_cut_and_can_be_narrowed() -> None:
    table = table_at("1 3 4 7 8 10 12x2 13 14x2 16 17 20 23", "5 11 15 19", [(1, 1)])
    terminal, _, _ = run(["", "list", "list 23"], table)
    assert "... and 1057 more; list 13 shows those with a step from the 13 point." in terminal.shown
    assert "  1. 23/22 22/21 21/20 20/19*" in terminal.shown.rpartition("list 23")[2]
    assert max(map(len, terminal.shown.splitlines())) <= 80


def test_a_part_of_a_play_is_quick_where_there_are_a_thousand() -> None:
    began = time.process_time()
    table = table_at("1 3 4 7 8 10 12x2 13 14x2 16 17 20 23", "5 11 15 19", [(1, 1)])
    terminal, _, _ = run(["", "12/11", "14/13"], table)
    assert "12/11*, and then > " in terminal.questions
    assert time.process_time() - began < 5


# Advice ----------------------------------------------------------------------------------------------------------


def test_hints_are_numbered_and_can_be_picked() -> None:
    terminal, _, _ = run(["h", "2"], table_of([(3, 1), (6, 2)]))
    assert re.search(r"^  1\. \S+.* +-0.000 ", terminal.shown, re.MULTILINE)
    heads = re.search(r"^ +equity +loss +win +gammon +depth$", terminal.shown, re.MULTILINE)
    second = re.search(r"^  2\. (\S+(?: \S+)?) +-0.100 -0.100  50%     10% 0-ply$", terminal.shown, re.MULTILINE)
    assert heads
    assert len(heads[0]) == len(second[0]) if second else False
    assert second
    assert f"You play 3-1: {second[1]}.\n" in terminal.shown
    assert " 6. " not in terminal.shown
    assert max(len(line) for line in terminal.shown.splitlines() if "-ply" in line) < 60


def test_a_hint_stands_under_the_board_in_a_terminal_of_24_lines() -> None:
    for size in (Size(80, 24), Size(60, 24)):
        terminal, _, _ = run(["8/5 6/5", "", "hint", "?"], table_of([(3, 1), (6, 2), (6, 5)]), style=UNICODE, size=size)
        hinted = terminal.shown.rpartition("\x1b[2J\x1b[H")[2].partition(" > ")[0]
        assert hinted.count("-ply") == 5
        assert "○" in hinted
        assert len(hinted.splitlines()) <= 24  # the question is the last


def test_the_words_for_a_redouble_are_the_same_in_the_verdict_and_the_equities() -> None:
    terminal, _, _ = run(["hint"], table_at("6x15", "19x15", cube=2, owner=0))
    assert "  no redouble +0.250, redouble/take +0.125, redouble/drop +1.000\n" in terminal.shown


def test_hints_on_the_cube() -> None:
    line = "  no double +0.250, double/take +0.125, double/drop +1.000\n"
    terminal, _, _ = run(["hint"], table_at("6x15", "19x15"))
    assert f"  Best: no double/take. Equities:\n{line}" in terminal.shown
    terminal, _, _ = run(["hint"], table_at("6x15", "19x15", player=1), ScriptedBot([True]))
    assert f"  Best: take. Equities for the doubler:\n{line}" in terminal.shown
    table = table_at("6x15", "19x15", variant="tavla")
    terminal = Terminal(["hint"])
    Session(table, Bots(table.options.rules), terminal).run()
    assert "No advice: no model is released for tavla, and none was named." in terminal.shown
    terminal, _, _ = run(["hint"], table_at(*START, cube=2, owner=1))
    assert "No hint: you cannot double" in terminal.shown


def test_easy_gives_no_advice_but_normal_does_in_its_place() -> None:
    table = table_of([(3, 1)], bot="easy")
    terminal = Terminal(["hint"])
    Session(table, Bots(table.options.rules), terminal).run()
    assert "  1. 8/5 6/5" in terminal.shown


def test_eval_shows_chances_and_the_position_for_others() -> None:
    terminal, _, _ = run(["eval"], table_of([(3, 1)]))
    assert (
        "  Win 50.0 % (gammon 10.0, backgammon 0.0) after the best play\n  Lose 50.0 % (gammon 10.0" in terminal.shown
    )
    assert "  XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10\n  4HPwATDgc/ABMA:" in terminal.shown


def test_board_pips_and_help_at_any_time() -> None:
    for table in (table_of([(3, 1)]), table_at(*START), table_at(*START, player=1)):
        terminal, _, _ = run(["b", "pips", "?", "help"], table, ScriptedBot([True]))
        assert terminal.shown.count("+-13--14-") == 2
        assert "Pips: you 167, Hard 167." in terminal.shown
        assert terminal.shown.count("Your turn  roll (or Enter)") == 2
        assert len(set(terminal.questions)) == 1
        assert max(map(len, terminal.shown.splitlines())) <= 80


# Going back, settings, files -------------------------------------------------------------------------------------


def test_undo_and_redo_of_whole_turns_with_the_same_dice() -> None:
    rolls = [(3, 1), (6, 2), (5, 4), (4, 4)]
    answers = ["8/5 6/5", "", "undo", "u", "13/9", "6/5", "", "undo 2", "redo 9", "redo 2", "undo 99", "undo zwei"]
    terminal, session, _ = run(answers, table_of(rolls))
    assert "Only 2 steps or decisions can be taken back." in terminal.shown
    assert "Only 2 steps or decisions can be done again." in terminal.shown
    assert "'zwei' is no number of steps and decisions; without any, one is taken back." in terminal.shown
    assert terminal.questions.count("Your play with 3-1 > ") >= 2
    assert terminal.questions[-1].startswith("Your play with 5-4")
    rolled = [event.dice for event in session.table.record.events if isinstance(event, ev.Rolled)]
    assert rolled == [(6, 2), (5, 4)]
    terminal, _, _ = run(["undo", "redo"], table_of([(3, 1)]))
    assert "There is nothing that can be taken back." in terminal.shown
    assert "There is nothing that can be done again." in terminal.shown


def test_automatic_settings() -> None:
    terminal, session, _ = run(
        ["auto", "auto roll on", "a roll", "auto forced maybe", "auto nonsense"], table_at(*START)
    )
    assert "By itself: forced on, roll off, bearoff on.\n" in terminal.shown
    assert "By itself: forced on, roll on, bearoff on.\n" in terminal.shown
    assert "'maybe' is neither on nor off." in terminal.shown
    assert "'nonsense' is no setting: " in terminal.shown
    assert not session.table.settings(0).auto_roll
    terminal, session, _ = run(["auto roll on"], table_at(*START, [(6, 5)], cube=2, owner=1))
    assert terminal.questions == ["Enter rolls > ", "Your play with 6-5 > "]
    terminal, session, _ = run(["auto pause"], table_at(*START))
    assert "; paused." in terminal.shown
    assert session.table.settings(0).paused


def test_the_look_can_be_changed() -> None:
    terminal, _, _ = run(["look", "look fog", "look P", "look leopard"], table_of([(3, 1)]))
    assert "The look is walnut; there are walnut, oat, midnight, pine, clay, fog." in terminal.shown
    assert "The look is fog, but there are no colours here." in terminal.shown
    assert "The look is pine, but there are no colours here." in terminal.shown
    assert "No look is called 'leopard'; there are walnut," in terminal.shown


def test_a_game_is_written_and_loaded_at_any_question(tmp_path: Path) -> None:
    file, mat = tmp_path / "a.json", tmp_path / "a.mat"
    answers = ["8/5 6/5", f"save {file}", f"save {mat}", "save", "", "1", "1", f"load {file}"]
    table = table_of([(3, 1), (6, 2), (5, 4), (4, 3)])
    terminal, session, _ = run(answers, table)
    assert f"Written:\n  {file}\n" in terminal.shown
    assert "Kept nowhere; save FILE writes it." in terminal.shown
    assert session.table is not table
    assert len(session.table.record.events) == 5
    assert "  1) 31: 8/5 6/5" in mat.read_text()
    terminal, session, _ = run([f"load {mat}"], table_of([(3, 1)]))
    assert [seat.name for seat in session.table.seats] == ["You", "Hard"]
    assert "Enter rolls, d doubles > " in terminal.questions
    file.write_text("{")
    (tmp_path / "b.mat").write_text("no match")
    terminal, session, _ = run(
        ["load", f"load {file}", f"load {tmp_path}/none.json", f"load {tmp_path}/b.mat", f"load {tmp_path}"],
        table := table_of([(3, 1)]),
    )
    assert session.table is table
    assert terminal.questions == ["Your play with 3-1 > "] * 6
    assert "Expected the name of a file" in terminal.shown
    assert "is damaged or no saved game" in terminal.shown
    assert terminal.shown.count("annot read ") == 2


def test_a_folder_that_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    keeper = saving.Keeper(tmp_path / "file" / "game.json")
    terminal, _, code = run(["8/5 6/5"], table_of([(3, 1), (6, 2)]), keeper=keeper)
    assert code == 0
    assert terminal.shown.count("This game cannot be kept: ") == 1


# Dice by hand, and the clock -------------------------------------------------------------------------------------


def test_dice_are_typed_in_for_a_real_board() -> None:
    answers = ["13", "x", "33", "1 3", "62", "7 1", "", "5-4", "13/4", "u", "u", "", "13/4"]
    terminal, session, _ = run(answers, table_of(HandDice()), ScriptedBot())
    assert "Opening roll: you 1, Hard 3. Hard begins." in terminal.shown
    opening = "Opening dice, you first, then Hard > "
    assert terminal.questions[:2] == [opening, "Your dice, such as 31, d doubles > "]
    terminal, session, _ = run(["31", "8/5 6/5", "hm", "62", "54", "13/4", "undo 2", "r", "13/4"], table_of(HandDice()))
    assert terminal.questions[2:4] == ["Dice of Hard > "] * 2
    assert "'hm' is no roll: two dice such as 31 or 3 1." in terminal.shown
    assert "Enter rolls as before, or your dice, d doubles > " in terminal.questions
    rolls = [event.dice for event in session.table.record.events if isinstance(event, ev.Rolled)]
    assert rolls[:2] == [(6, 2), (5, 4)]


def rolls_of(session: Session) -> list[Dice]:
    events = session.table.record.events
    return [event.dice for event in events if isinstance(event, ev.Rolled | ev.OpeningRolled)]


def test_a_mistyped_roll_is_typed_again() -> None:
    # the opening roll, one's own and the bot's, which plays again; the settings stay
    answers = [
        "auto bearoff off",
        "6 1",
        "dice 31",
        "8/5 6/5",
        "62",
        "dice 6-3",
        "54",
        "dice",
        "dice 5",
        "dice 65",
        "24/13",
    ]
    table = table_of(HandDice())
    terminal, session, _ = run(answers, table)
    assert rolls_of(session) == [(3, 1), (6, 3), (6, 5)]
    assert terminal.shown.count("Hard plays 6-") == 2
    assert "Expected the roll as it should be, such as dice 52." in terminal.shown
    assert "'5' is no roll" in terminal.shown
    assert not session.table.settings(0).auto_bearoff
    session.table.record.check()
    # after going back, other dice are typed in for those that would come again
    terminal, session, _ = run(["31", "8/5 6/5", "62", "54", "13/4", "undo 2", "53", "8/3 6/3"], table_of(HandDice()))
    assert rolls_of(session) == [(3, 1), (6, 2), (5, 3)]
    terminal, session, _ = run(
        ["31", "8/5 6/5", "62", "54", "13/4", "undo", "dice 53", "8/3 6/3"], table_of(HandDice())
    )
    assert rolls_of(session) == [(3, 1), (6, 2), (5, 3)]


def test_a_roll_that_was_followed_by_a_decision_stands() -> None:
    seats = (Seat("Ann"), Seat("Bob"))
    answers = ["dice 31", "44", "dice 31", "8/5", "dice 62", "6/5", "dice 62", "55", "dice 62", "13/5", "r", "double"]
    terminal, session, _ = run(answers, table_of(HandDice(), seats=seats))
    assert rolls_of(session) == [(3, 1), (6, 2)]
    assert "Nothing has been rolled in this game." in terminal.shown
    assert terminal.shown.count("so it stands") == 2
    terminal, session, _ = run(["dice 62", "di"], table_of([(3, 1)]))
    assert terminal.shown.count("The dice are the computer's; dice is for those that are typed in.") == 2


def test_r_rolls_or_does_nothing() -> None:
    for seats in (None, (Seat("Ann"), Seat("Bob"))):
        table = table_of([(3, 1), (6, 2), (5, 4)], seats=seats)
        terminal, session, _ = run(["r", "8/5", "r", "6/5", "r"], table)
        assert terminal.shown.count("'r' does not fit here: it is for the start of your turn, before the roll.") == 2
        assert "Going back" not in terminal.shown
        assert len([event for event in session.table.record.events if isinstance(event, ev.Rolled)]) >= 1


def test_time_that_is_up_lets_a_bot_play_or_loses_the_game() -> None:
    table = table_of([(3, 1), (6, 2)], clock="fast")
    terminal, _, _ = run([TimeUpError], table)
    assert terminal.questions[0] == "Your play with 3-1 (20 s) > "
    assert "Your time is up: the bot hard plays on.\nYou play 3-1: " in terminal.shown
    table = table_of([(3, 1), (6, 2)], clock="72 hours", on_timeout="forfeit")
    terminal, _, _ = run(["8/5", TimeUpError], table)
    assert terminal.questions[0] == "Your play with 3-1 (72 h) > "
    assert "Your time is up: the game is forfeit.\nHard wins 1 point.\n" in terminal.shown


def test_every_clock_is_named_in_the_help() -> None:
    assert set(CLOCK_NAMES) == set(CLOCKS)


# Resigning and leaving -------------------------------------------------------------------------------------------

RESIGNABLE: Final = ("24x15", "19x10")


@pytest.mark.parametrize(("level", "name"), [(1, "single"), (2, "gammon"), (3, "backgammon")])
@pytest.mark.parametrize("asked", [True, False])
def test_the_bot_accepts_what_it_expects_and_no_less(level: int, name: str, asked: bool) -> None:
    answers = ["resign", name] if asked else [f"resign {name}"]
    for expected in (0.9, 1.001, 1.5, 2.5):
        table = table_at(*RESIGNABLE, cube=2, owner=1)
        terminal, session, _ = run([*answers, "resign", "no"], table, ScriptedBot(nd=-expected))
        if level + 0.01 > expected or level == 3:
            assert session.table.score == (0, 2 * level)
            assert "Hard accepts.\n" in terminal.shown
        else:
            assert session.table.score == (0, 0)
            assert f"You offer to resign a {name}" in terminal.shown
            assert "Hard declines. The game goes on." in terminal.shown
            assert "Resign is not possible: a resignation was declined in this turn." in terminal.shown


def test_before_a_double_only_a_single_game_is_resigned() -> None:
    for answers in (["resign", "1"], ["resign s"], ["resign gammon", "resign", "single"]):
        terminal, session, _ = run([*answers, "no"], table_at(*RESIGNABLE), ScriptedBot(nd=-1))
        assert session.table.score == (0, 1)
    assert "Resign is not possible: under the Jacoby rule only a single game counts" in terminal.shown


def test_nobody_resigns_or_doubles_after_the_roll() -> None:
    terminal, _, _ = run(["resign", "double", "roll"], table_of([(3, 1)]))
    assert terminal.shown.count("does not fit here: it is for the start of your turn, before the roll.") == 3
    assert terminal.questions == ["Your play with 3-1 > "] * 4


def test_a_person_answers_a_resignation() -> None:
    seats = (Seat("Ann"), Seat("Bob"))
    table = table_at(*RESIGNABLE, seats=seats, cube=2, owner=1)
    terminal, session, _ = run(["resign g", "", "foo", "decline", "", "1"], table)
    assert terminal.questions[1] == "Bob: accept a gammon or decline > "
    assert terminal.questions.count("Bob: accept a gammon or decline > ") == 3
    assert "Bob declines. The game goes on." in terminal.shown
    _, session, _ = run(["resign g", "accept", "no"], table_at(*RESIGNABLE, seats=seats, cube=2, owner=1))
    assert session.table.score == (0, 4)


def test_leaving_keeps_the_game_and_says_how_to_go_on(tmp_path: Path) -> None:
    keeper = saving.Keeper(tmp_path / "game.json")
    terminal, session, code = run(["8/5 6/5", "q"], table_of([(3, 1), (6, 2)]), keeper=keeper)
    assert code == 0
    end = "Score: you 0, Hard 0. 0 games played.\nIt is saved; this goes on:\n  {}\n"
    assert terminal.shown.endswith(end.format(saving.going_on(keeper.path)))
    assert saving.read(keeper.path).table == session.table
    keeper = saving.Keeper(tmp_path / "other.json")
    terminal, _, _ = run(["quit"], table_of([(3, 1)]), keeper=keeper)
    assert "It is saved" not in terminal.shown
    assert "Nothing was played, nothing is kept." in terminal.shown
    assert not keeper.path.exists()


def test_another_game_is_played_from_the_file_where_it_was_left(tmp_path: Path) -> None:
    keeper = saving.Keeper(tmp_path / "game.json")
    table = table_of([(3, 1), (6, 2), (5, 4), (4, 4)])
    run(["8/5 6/5", "", "13/"], table, keeper=keeper)
    saved = saving.read(keeper.path)
    terminal, session, _ = run(["13/4"], saved.table, keeper=saving.Keeper(saved.path, None, saved.content))
    assert terminal.questions[0] == "Your play with 5-4 > "
    assert "You play 5-4: 13/8 8/4.\n" in terminal.shown or "You play 5-4: 13/4" in terminal.shown
    assert saving.read(keeper.path).table == session.table


# Every question, with nonsense, the end of the input, and Ctrl-C -------------------------------------------------

QUESTIONS: Final[dict[str, tuple[list[str], dict[str, Any], dict[str, Any], set[str]]]] = {
    # question: answers before it, about the bot, about the table, and what decides it
    "Enter rolls, d doubles > ": (["8/5 6/5"], {}, {}, {"", " "}),
    "Enter rolls > ": (["8/5 6/5", "d"], {}, {}, {"", " "}),
    "Take at 2 or drop and lose 1 > ": (["8/5 6/5"], {"doubles": [True]}, {}, set()),
    "Take at 2, beaver or drop and lose 1 > ": (["8/5 6/5"], {"doubles": [True]}, {"beavers": True}, set()),
    "Your play with 3-1 > ": ([], {}, {}, {"8/5/"}),
    "8/5, and then > ": (["8/5"], {}, {}, set()),
    "Resign a single game: 1 (Enter: no) > ": (["8/5 6/5", "resign"], {}, {}, {"", " ", "1" * 500}),
    "Resign single, gammon or backgammon (Enter: no) > ": (["8/5 6/5", "resign"], {}, {"jacoby": False}, {"", " "}),
    "Score: you 1, Hard 0. Next game (Enter: yes) > ": (["8/5 6/5", "d"], {"takes": False}, {}, {"", " "}),
    "Play again, colours swapped: yes or no > ": (["8/5 6/5", "d"], {"takes": False}, {"session": False}, set()),
}


def at_question(question: str, then: Sequence[Any]) -> tuple[Terminal, Session, int]:
    """Lead a session to a question and go on with these answers."""
    before, bot, options, _ = QUESTIONS[question]
    table = table_of([(3, 1), (6, 2), (5, 3), (6, 2), (6, 2), (2, 1)], **options)
    return run([*before, *then], table, ScriptedBot(**bot))


@pytest.mark.parametrize("question", QUESTIONS)
def test_nonsense_is_refused_and_asked_again(question: str) -> None:
    nonsense = [text for text in GARBAGE if text not in QUESTIONS[question][3]]
    terminal, _, code = at_question(question, nonsense)
    assert code == 0
    asked = [at for at, one in enumerate(terminal.questions) if one == question]
    assert len(asked) == len(nonsense) + 1
    assert asked == list(range(asked[0], len(terminal.questions)))
    told = terminal.shown.split(question)[2:]
    assert all(part.count("\n") >= 2 for part in told[:-1])  # what was typed, and an answer to it
    assert max(map(len, terminal.shown.splitlines())) < 700


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(("end", "code"), [(EOFError, 0), (KeyboardInterrupt, 130)])
def test_the_end_of_the_input_leaves_quietly(question: str, end: type[BaseException], code: int) -> None:
    terminal, session, got = at_question(question, [end])
    assert got == code
    assert terminal.questions[-1] == question
    if not session.table.is_over:
        points = session.table.score[0]
        score = f"Score: you {points}, Hard 0. {points} game{'s' * (not points)} played.\n"
        assert terminal.shown.endswith(f"{question}\n{score}")


@pytest.mark.parametrize("answers", [["undo", "1"], ["load {}"], ["help", "quit"]])
def test_after_all_is_over_one_can_go_back_or_load(answers: list[str], tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    saving.export(file, table_of([(3, 1)]))
    question = "Play again, colours swapped: yes or no > "
    terminal, _, code = at_question(question, [answer.format(file) for answer in answers])
    assert code == 0
    assert terminal.questions.count(question) >= 1


def test_a_misspelt_word_gets_the_one_that_was_meant() -> None:
    terminal, _, _ = run(["duoble", "rol l", "hitn", "bord"], table_at(*START))
    assert "'duoble' is not understood; did you mean double?" in terminal.shown
    assert "'hitn' is not understood; did you mean hint?" in terminal.shown
    assert "'bord' is not understood; did you mean board?" in terminal.shown
    assert "'rol l' is not understood: roll stands alone." in terminal.shown
    assert "did you mean" not in run(["no"], table_of([(3, 1)]))[0].shown


def test_help_has_topics_and_knows_the_words_of_each() -> None:
    every = [*words.TOPICS, *(word for word in words.ALWAYS if word not in ("help", "?"))]
    terminal, _, _ = run([f"help {word}" for word in [*every, "me"]], table_of([(3, 1)]))
    assert "There is no help on 'me'" in terminal.shown
    assert terminal.shown.count("There is no help on") == 1
    assert all(text in terminal.shown for text in words.TOPICS.values())
    assert all(len(text.splitlines()) <= 6 for text in (words.HELP, *words.TOPICS.values()))


def test_ctrl_c_while_the_bot_thinks() -> None:
    def interrupt(*_: object) -> Play:
        raise KeyboardInterrupt

    bot = ScriptedBot()
    bot.choose_play = interrupt  # type: ignore[assignment,method-assign]
    terminal, _, code = run([], table_of([(1, 3)]), bot)
    assert code == 130
    assert terminal.shown.endswith("Score: you 0, Hard 0. 0 games played.\n")


# What is shown ---------------------------------------------------------------------------------------------------


def test_a_fancy_terminal_has_the_board_on_top_and_the_news_under_it() -> None:
    bot = ScriptedBot(plays=["24/18 13/11"])
    terminal, _, _ = run(["8/5 6/5", ""], table_of([(3, 1), (6, 2), (5, 3)]), bot, style=UNICODE)
    *_, before, after = terminal.shown.split("\x1b[2J\x1b[H")
    news = "\nYou play 3-1: 8/5 6/5.\nHard plays 6-2: 24/18 13/11.\n"
    assert f"{news}Enter rolls, d doubles > " in before
    assert f"{news}Your play with 5-3 > " in after
    assert "[5]" in after
    assert "Opening" not in before
    assert "\x1b" not in before.replace("\x1b[1m▶\x1b[0m", "").replace("\x1b[2J\x1b[H", "")  # there are no colours


def test_a_plain_terminal_is_not_shown_the_same_board_twice() -> None:
    terminal, _, _ = run(["8/5 6/5", "", "list"], table_of([(3, 1), (6, 2), (5, 3)]))
    assert terminal.shown.count("+-13--14-") == 2


@pytest.mark.parametrize(
    "size", [Size(columns, lines) for columns in (20, 40, 46, 60, 79, 200) for lines in (8, 16, 24)]
)
def test_every_size_of_terminal_is_filled_and_not_more(size: Size) -> None:
    terminal, _, _ = run(["8/5 6/5", ""], table_of([(3, 1), (6, 2), (5, 3)]), size=size, style=UNICODE)
    boards = [part.partition(" > ")[0] for part in terminal.shown.split("\x1b[2J\x1b[H")[1:]]
    for shown in boards:
        plain = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
        assert "●" in shown
        if size.columns >= 40:
            assert max(len(line) for line in plain[:-1] if "play" not in line and "roll" not in line) <= size.columns
        if size.lines >= 24:
            assert len(plain) <= size.lines


def test_two_persons_see_the_board_from_their_own_side() -> None:
    table = table_of([(3, 1), (6, 2)], seats=(Seat("Ann"), Seat("Bob")), colour="dark")
    terminal, _, _ = run(["8/5 6/5", ""], table)
    assert re.findall(r"> (\w \w+)$", terminal.shown, re.MULTILINE) == ["X Ann", "O Bob"]


def test_bots_are_watched_to_the_end() -> None:
    table = table_of(4, seats=(Seat("One", "easy"), Seat("Two", "easy")), match_length=2, variant="hypergammon")
    terminal, pauses = Terminal([]), []
    Show(table, OneBot(Bot("easy", seed=1, rules=HYPERGAMMON)), terminal, "walnut", lambda: pauses.append(1)).run()  # type: ignore[arg-type]
    assert table.is_over
    assert terminal.shown.count("+-13--14-") == len(table.record.games)
    assert terminal.shown.endswith(f"Score: One {table.score[0]}, Two {table.score[1]}.\n")
    assert len(pauses) > 10
    fancy = Terminal([], style=UNICODE)
    table = table_of(4, seats=(Seat("One", "easy"), Seat("Two", "easy")), session=False, variant="hypergammon")
    Show(table, OneBot(Bot("easy", seed=1, rules=HYPERGAMMON)), fancy, "fog", lambda: None).run()  # type: ignore[arg-type]
    assert fancy.shown.count("\x1b[2J") > 10


# What a player met ------------------------------------------------------------------------------------------------

PERSONS: Final = (Seat("Ann"), Seat("Bob"))


def test_two_persons_take_back_steps_of_an_unfinished_turn_and_no_more(tmp_path: Path) -> None:
    keeper = saving.Keeper(tmp_path / "game.json")
    table = table_of([(3, 1), (6, 2)], seats=PERSONS)
    terminal, session, _ = run(["8/5", "undo", "undo", "13/10", "undo 2", "redo"], table, keeper=keeper)
    assert "8/5, and then > " in terminal.questions[1]
    assert terminal.questions[2] == "Ann: your play with 3-1 > "
    assert "Only 1 step or decision can be taken back." in terminal.shown
    assert terminal.shown.count("Going back is for one person against the computer; two take back steps") == 2
    assert [(step.start, step.end) for step in session.table.steps] == [(13, 10)]
    assert saving.read(keeper.path).table == session.table
    terminal, session, _ = run(["8/5", "6/5", "undo"], table_of([(3, 1), (6, 2)], seats=PERSONS))
    assert "Going back is for one person" in terminal.shown
    assert session.table.turn == 1


def test_a_whole_play_takes_the_place_of_steps_between_two_persons() -> None:
    _, session, _ = run(["8/5", "24/20"], table_of([(3, 1), (6, 2)], seats=PERSONS))
    played = [event.text for event in session.table.record.events if isinstance(event, ev.Played)]
    assert played == ["24/21 21/20"]


def test_the_equity_of_a_beaver_is_called_that() -> None:
    costs = {"no double": 0.0, "double": 6.55, "take": 6.55, "pass": 8.532, "beaver": 0.0}
    bot = ScriptedBot()
    told = CubeDecision(-0.982, -7.532, 1.0, False, True, True, "no double/beaver", costs)
    bot.cube_action = lambda *_: told  # type: ignore[method-assign]
    terminal, _, _ = run(["hint"], table_at(*START, beavers=True), bot)
    equities = "no double -0.982, double/beaver -7.532, double/take -0.982, double/drop +1.000"
    assert f"  Best: no double/beaver. Equities:\n  {equities}\n" in terminal.shown


def test_only_what_is_legal_is_expected() -> None:
    by_hand = table_of(HandDice())
    terminal, _, _ = run(["31", "8/5 6/5", "62", "8"], by_hand)
    assert "'8' is no roll" in terminal.shown
    terminal, _, _ = run(["xyz", "duoble"], table_at(*START, cube=2, owner=1))
    assert "'xyz' is not understood. Expected Enter, roll or resign; ? explains." in terminal.shown
    assert "did you mean double" not in terminal.shown
    terminal, _, _ = run(["resign", "xyz"], table_at(*RESIGNABLE))
    assert "Expected single, 1, no or Enter; ? explains." in terminal.shown
    terminal, _, _ = run(["roll now"], table_at(*START, HandDice()))
    assert "Expected two dice, double or resign; ? explains." in terminal.shown


def test_a_play_before_the_roll_is_told_to_roll_first() -> None:
    assert "Roll first: '24/23 13/9' is a play." in run(["24/23 13/9"], table_at(*START))[0].shown
    assert "Roll first: '24/23 13/9' is no roll" in run(["24/23 13/9"], table_at(*START, HandDice()))[0].shown


def test_a_play_may_be_called_one_and_quit_may_be_shouted() -> None:
    terminal, _, _ = run(["q!", ":q", "play 8/5 6/5"], table_of([(3, 1)]))
    assert terminal.shown.count("did you mean quit?") == 2
    assert "You play 3-1: 8/5 6/5.\n" in terminal.shown


def test_dice_that_are_typed_again_make_no_play() -> None:
    terminal, session, _ = run(["21", "12", "list", "12"], table_of(HandDice()))
    assert "The roll has been typed in; if it was 12: dice 12." in terminal.shown
    assert sum(isinstance(event, ev.Played) for event in session.table.record.events) == 1


def test_a_name_that_was_typed_is_not_changed() -> None:
    terminal, _, _ = run(["save x.txt", "save none/x.mat"], table_of([(3, 1)]))
    assert "x.txt: expected a name that ends in .json or .mat." in terminal.shown
    assert "none/x.mat: the folder none does not exist." in terminal.shown


def test_where_nobody_can_review_that_is_said_at_the_end() -> None:
    for answers in (["review"], ["resign 1", "accept", "no"]):
        terminal = Terminal(answers)
        table = table_at("6x15", "19x15", variant="tavla", seats=PERSONS, session=False)
        with patch("gammon_rl.cli.session.review", lambda *_: Review(())):
            Session(table, Bots(table.options.rules), terminal).run()
        assert "No advice: no model is released for tavla, and none was named." in terminal.shown


def test_a_game_is_thrown_away_once_the_person_is_sure(tmp_path: Path) -> None:
    keeper = saving.Keeper(tmp_path / "game.json")
    terminal, _, _ = run(["8/5 6/5", "delete", "", "q"], table_of([(3, 1), (6, 2)]), keeper=keeper)
    assert keeper.path.exists()
    terminal, _, code = run(["8/5 6/5", "delete", "yes"], table_of([(3, 1), (6, 2)]), keeper=keeper)
    assert (code, list(tmp_path.iterdir())) == (0, [])
    assert "Deleted.\n" in terminal.shown
    assert "It is saved" not in terminal.shown


# The command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which the command keeps games here."""
    monkeypatch.setenv(saving.FOLDER_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def command(*options: str, answers: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command in this process, which is quicker, with pipes for what is typed and shown."""
    typed = io.TextIOWrapper(io.BytesIO(answers.encode()), encoding="utf-8")
    shown, faults = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        patch.object(sys, "argv", ["gammon-rl", *options]),
        patch.object(sys, "stdin", typed),
        redirect_stdout(shown),
        redirect_stderr(faults),
        pytest.raises(SystemExit) as left,
    ):
        main()
    told = []
    for stream in (shown, faults):
        stream.seek(0)
        told.append(stream.read())
    code = left.value.code
    return subprocess.CompletedProcess(options, code if isinstance(code, int) else 0, *told)


def program(*options: str, answers: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "gammon_rl", *options],
        input=answers, capture_output=True, encoding="utf-8", timeout=60,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment}, cwd=Path(__file__).parents[1], check=False,
    )  # fmt: skip


def test_through_a_pipe_everything_is_plain(state: Path) -> None:
    options = ["play", "--level", "easy", "--dice-seed", "1", "--colour", "dark"]
    done = program(*options, answers="\nlist\n1\nfoo é\n")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.replace("é", "").isascii()
    assert "\x1b" not in done.stdout
    assert "> X you" in done.stdout
    assert "> list\n  1. " in done.stdout
    assert done.stdout.endswith(
        "Score: you 0, Easy 0. 0 games played.\nIt is saved; this goes on:\n  gammon-rl play --continue\n"
    )
    assert max(map(len, done.stdout.splitlines())) <= 120
    again = command("play", "--continue", answers="pips\n")
    assert "Going on where you left.\n" in again.stdout
    assert "Going on where you left.\n" in again.stdout
    (first,) = state.glob("*.json")
    told = command(*options, answers="list\n1\nquit\n").stdout
    assert "Unfinished games: 1; play --games lists them.\n" in told
    listed = command("play", "--games").stdout
    assert listed.count("You against Easy, for points, game 1, 0 to 0\n  gammon-rl play --continue --save ") == 2
    assert first.name in listed
    assert "Going on where you left.\n" in command("play", "--continue", "--save", first.name).stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["play", "--model", "no/such.safetensors"], "no/such.safetensors"),
        (["play", "--level", "godlike"], "godlike"),
        (["play", "--level", "easy", "--variant", "chess"], "chess"),
        (["play", "--level", "easy", "--colour", "green"], "green"),
        (["play", "--level", "easy", "--match", "26"], "less than or equal to 25"),
        (["play", "--level", "easy", "--clock", "soon"], "soon"),
        (["play", "--look", "leopard"], "leopard"),
        (["play", "--continue"], "no unfinished game in "),
        (["play", "--continue", "--save", "no/such.json"], "no/such.json"),
        (["play", "--continue", "--match", "5"], "--match: the game goes on as it was begun; leave the option out"),
        (["play", "--continue", "--no-cube"], "--cube: the game goes on as it was begun"),
        (["watch", "normal", "godlike"], "godlike"),
        (["watch", "normal", "--pace", "-1"], "--pace"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_code_2(
    options: list[str], message: str, state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["gammon-rl", *options])
    with pytest.raises(SystemExit) as left:
        main()
    shown = capsys.readouterr()
    assert left.value.code == 2
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 1
    assert message in shown.err
    assert not state.exists()


def test_a_file_that_is_there_is_not_written_over(state: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    options = ["play", "--level", "easy", "--dice-seed", "5", "--save", str(file)]
    assert command(*options, answers="1\n1\n").returncode == 0
    before = file.read_bytes()
    done = command(*options)
    assert done.returncode == 2
    assert f"{file} exists: --continue goes on with it" in done.stderr
    assert file.read_bytes() == before
    done = command("watch", "easy", "easy", "--save", str(file))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{file} exists: name another file" in done.stderr
    assert file.read_bytes() == before


def test_a_copy_is_not_written_over_unasked(tmp_path: Path) -> None:
    file = tmp_path / "mine.mat"
    file.write_text("mine")
    answers = [f"save {file}", "", f"save {file}", "n", f"save {file}", "maybe", "quit"]
    terminal, _, _ = run(answers, table_of([(3, 1)]))
    assert terminal.questions.count(f"{file} exists. Write over it (Enter: no) > ") == 4
    assert terminal.shown.count("Nothing was written.") == 2
    assert file.read_text() == "mine"
    terminal, _, _ = run([f"save {file}", "y", f"save {file}"], table_of([(3, 1)]))  # its own may be written again
    assert terminal.shown.count(f"Written:\n  {file}\n") == 2
    assert len(terminal.questions) == 4


def test_a_place_where_nothing_can_be_written_is_explained(tmp_path: Path) -> None:
    (tmp_path / "d.mat").mkdir()
    (tmp_path / "f").write_text("")
    names = ["d.mat", ".", "none/x.json", "f/x.json", "x", "x.txt", f"{'x' * 300}.mat"]
    answers = [f"save {tmp_path}/{name}" for name in names]
    terminal, _, _ = run(answers, table_of([(3, 1)]))
    shown = terminal.shown
    assert shown.count(" is a folder; expected the name of a file.") == 2
    assert f"the folder {tmp_path}/none does not exist" in shown
    assert f"the folder {tmp_path}/f does not exist" in shown
    assert shown.count("expected a name that ends in .json or .mat") == 2
    assert "File name too long" in shown
    assert "Errno" not in shown
    assert sorted(one.name for one in tmp_path.iterdir()) == ["d.mat", "f"]
    assert command("watch", "easy", "easy", "--save", f"{tmp_path}/none/x.mat").returncode == 2


def test_a_finished_game_that_is_loaded_is_shown(tmp_path: Path) -> None:
    mat = tmp_path / "over.mat"
    run(["8/5 6/5", "d", f"save {mat}"], table_of([(3, 1), (6, 2)], session=False), ScriptedBot(takes=False))
    for style in (PLAIN, UNICODE):
        terminal, _, _ = run([f"load {mat}", "no"], table_of([(4, 2)], session=False), style=style)
        loaded = terminal.shown.partition("Play again")[0].rpartition("\x1b[2J" if style == UNICODE else "load ")[2]
        assert "Loaded:" in loaded
        assert "score" in loaded
        assert loaded.count("1") > 0
        assert re.search(r"score 1", plain(loaded))


def test_watching_through_a_pipe(state: Path, tmp_path: Path) -> None:
    file = tmp_path / "watched.mat"
    done = command("watch", "easy", "easy", "--dice-seed", "2", "--match", "1", "--save", str(file))
    assert done.returncode == 0
    assert "Easy 1 wins the match" in done.stdout or "Easy 2 wins the match" in done.stdout
    assert " 1 point match" in file.read_text()


class Pty:
    """The command in a terminal of its own."""

    def __init__(self, *options: str, size: tuple[int, int] = (24, 80), **environment: str) -> None:
        pty = pytest.importorskip("pty")
        self.terminal, theirs = pty.openpty()
        program = (
            "import fcntl, os, struct, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
            f"fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', *{size}, 0, 0)); "
            "os.execv(sys.executable, [sys.executable, '-m', 'gammon_rl', *sys.argv[1:]])"
        )
        fixed = ("NO_COLOR", "PYTHONIOENCODING", "COLUMNS", "LINES")  # the last two where tests run side by side
        kept = {name: value for name, value in os.environ.items() if name not in fixed}
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *options], stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True, cwd=Path(__file__).parents[1],
            env={**kept, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environment},
        )  # fmt: skip
        os.close(theirs)
        self.shown = ""

    def __enter__(self) -> "Pty":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)

    def ask(self) -> str:
        """Return the question that is on the screen once there is one, or nothing at the end."""
        text, deadline = b"", time.monotonic() + 30
        while not re.search(rb"> (\x1b\[[0-9;?]*\w)*$", text):
            ready, _, _ = select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"nothing more after {text!r}"
            try:
                some = os.read(self.terminal, 65536)
            except OSError:  # how Linux says that the other end was closed
                some = b""
            if not some:
                break
            text += some
        self.shown += text.decode()
        return plain(text.decode()).replace("\r", "").rpartition("\n")[2]

    def type(self, text: str) -> str:
        os.write(self.terminal, text.encode())
        return self.ask()

    def wait_for(self, wanted: Callable[[str], bool]) -> None:
        """Read until the screen is as it should be."""
        deadline = time.monotonic() + 30
        while not wanted(self.screen):
            assert time.monotonic() < deadline, self.screen
            if select.select([self.terminal], [], [], 1)[0]:
                self.shown += os.read(self.terminal, 65536).decode(errors="ignore")
            else:  # a signal in the moment before Python waits is kept for later: a person drags on
                os.kill(self.process.pid, signal.SIGWINCH)

    def resize(self, lines: int, columns: int) -> None:
        fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
        time.sleep(0.3)  # in the moment before it waits, Python keeps signals for later
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        os.kill(self.process.pid, signal.SIGWINCH)

    @property
    def screen(self) -> str:
        """What is on the screen since it was cleared last."""
        return plain(self.shown.rpartition("\x1b[2J\x1b[H")[2]).replace("\r\n", "\n")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*\w", "", text)


def answers_of(terminal: Pty, question: str) -> Iterator[str]:
    """Yield the questions of a game that goes on with the first play of the list, until it is over or left."""
    for _ in range(600):
        if not question or "again" in question or "Next game" in question:
            break
        yield question
        question = terminal.type(f"{always_first(question)}\n")
    yield question


def played_on(terminal: Pty, question: str, most: int) -> str:
    """Go on with the first play of the list, for so many questions or until all is over; return the last question."""
    for _ in range(most):
        if not question or "again" in question:
            break
        question = terminal.type(f"{always_first(question)}\n")
    return question


def test_a_whole_match_in_a_terminal_with_a_kill_in_the_middle(state: Path) -> None:
    options = ("--level", "easy", "--match", "2", "--variant", "hypergammon", "--dice-seed", "4")
    with Pty("play", *options) as terminal:
        question = played_on(terminal, terminal.ask(), 9)
        board = terminal.screen.partition("└")[0]
        os.kill(terminal.process.pid, signal.SIGKILL)
        terminal.process.wait(30)
    (file,) = state.glob("*.json")
    before = saving.read(file).table
    assert len(before.record.events) > 10
    assert not before.is_over
    with Pty("play", "--continue") as terminal:
        assert terminal.ask() == question
        assert terminal.screen.partition("└")[0] == board
        assert "Play again" in played_on(terminal, question, 600)
        assert terminal.type("no\n") == ""
        assert terminal.process.wait(30) == 0
    over = saving.read(file).table
    assert over.is_over
    assert over.record.events[: len(before.record.events)] == before.record.events
    assert all(part in terminal.shown for part in ("●", "\x1b[48;5;", "\x1b[2J", "Easy is thinking ..."))
    shown = plain(terminal.shown)
    assert max(len(part) for line in shown.splitlines() for part in line.split("\r")) <= 80
    winner = "You win" if over.score[0] > over.score[1] else "Easy wins"
    assert f"{winner} the match {max(over.score)} to {min(over.score)}." in shown
    assert "no unfinished game" in command("play", "--continue").stderr


def test_a_match_in_a_terminal_ends_with_the_error_rate(state: Path) -> None:
    with Pty("play", "--level", "normal", "--match", "1", "--dice-seed", "1") as terminal:
        question = terminal.ask()
        assert "Play again" in played_on(terminal, question, 300)
    assert re.search(r"You: \d+ decisions, \d+\.\d milli-points lost a decision, PR \d+\.\d\.", plain(terminal.shown))
    worst = re.findall(r"  Game 1, \d-\d: .*; better .* \(-\d\.\d{3}\)\r?\n    (\S+)", plain(terminal.shown))
    assert len(worst) == 3
    assert all(Position.parse(one) for one in worst)


def test_a_truncated_file_is_refused_and_the_one_before_it_used(state: Path) -> None:
    truncated = 300
    with Pty("play", "--level", "easy", "--dice-seed", "5") as terminal:
        terminal.ask()
        terminal.type("8/3\n")
        terminal.type("6/5\n")
    (file,) = state.glob("*.json")
    content = file.read_bytes()
    good = saving.previous(file).read_bytes()
    file.write_bytes(content[:truncated])
    with Pty("play", "--continue") as terminal:
        terminal.ask()
        shown = " ".join(terminal.screen.split())
        assert "is damaged or no saved game" in shown
        assert "The one before it is used: the last action may be missing." in shown
    assert good in (saving.previous(file).read_bytes(), file.read_bytes())
    file.write_bytes(content[:truncated])
    saving.previous(file).write_bytes(b"{")
    done = command("play", "--continue")
    assert done.returncode == 2
    assert done.stderr.count("is damaged or no saved game") == 2


@pytest.mark.parametrize(
    ("options", "environment"),
    [((), {"TERM": "dumb"}), (("--ascii",), {}), ((), {"LC_ALL": "C"}), ((), {"LC_ALL": "", "LANG": "C"})],
    ids=str,
)
def test_a_plain_terminal_gets_plain_ascii(options: tuple[str, ...], environment: dict[str, str], state: Path) -> None:
    with Pty("play", "--level", "easy", "--dice-seed", "1", *options, **environment) as terminal:
        assert terminal.ask().endswith(" > ")
        terminal.type("list\n")
        assert terminal.type("\x04") == ""
        assert terminal.process.wait(30) == 0
    assert terminal.shown.isascii()
    assert "\x1b" not in terminal.shown
    assert "Score: you 0, Easy 0." in terminal.shown


def test_no_color_takes_away_nothing_but_the_colours(state: Path) -> None:
    with Pty("play", "--level", "easy", "--dice-seed", "1", NO_COLOR="1") as terminal:
        terminal.ask()
    assert "\x1b[2J" in terminal.shown
    assert "○" in terminal.screen
    assert "●" in terminal.screen
    assert not re.search(r"\x1b\[[0-9;]*[34][0-9]", terminal.shown)


@pytest.mark.parametrize(
    ("environment", "unicode"),
    [
        ({}, True),
        ({"LANG": "en_GB.UTF-8"}, True),
        ({"LC_CTYPE": "UTF-8"}, True),  # macOS
        ({"LANG": "C"}, False),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, False),  # Python's own doing
        ({"LC_ALL": "POSIX", "LANG": "en_GB.UTF-8"}, False),
        ({"LC_CTYPE": "de_DE.ISO-8859-1", "LANG": "en_GB.UTF-8"}, False),
        ({"LC_ALL": "C.utf8", "LANG": "C"}, True),
    ],
)
def test_the_locale_says_whether_there_is_unicode(environment: dict[str, str], unicode: bool) -> None:
    with patch.dict(os.environ, environment):
        for name in {"LC_ALL", "LC_CTYPE", "LANG"} - environment.keys():
            os.environ.pop(name, None)
        assert _locale_has_unicode() == unicode


def test_a_terminal_with_16_colours_gets_those(state: Path) -> None:
    with Pty("play", "--level", "easy", "--dice-seed", "1", TERM="xterm", COLORTERM="") as terminal:
        terminal.ask()
    assert "\x1b[1;33m○" in terminal.shown
    assert "48;5" not in terminal.shown


def test_a_resized_terminal_is_drawn_again_and_keeps_what_was_typed(state: Path) -> None:
    with Pty("play", "--level", "easy", "--dice-seed", "5") as terminal:
        assert terminal.ask() == "Your play with 5-1 > "
        assert "● Easy\n" in terminal.screen
        terminal.resize(24, 60)
        terminal.wait_for(lambda screen: "\n   ● Easy  pips 167" in screen and screen.endswith("5-1 > "))
        assert terminal.screen.splitlines()[1].startswith("   ● Easy  pips 167")
        assert max(map(len, terminal.screen.splitlines()[:-1])) <= 60
        os.write(terminal.terminal, b"13/7")
        terminal.wait_for(lambda screen: screen.endswith("13/7"))
        terminal.resize(30, 100)
        terminal.wait_for(lambda screen: "   ● Easy\n" in screen and screen.endswith("13/7"))
        os.write(terminal.terminal, b"\n")
        terminal.wait_for(lambda screen: "You play 5-1: 13/8 8/7." in screen)


def test_ctrl_c_in_a_terminal(state: Path) -> None:
    with Pty("play", "--level", "easy", "--dice-seed", "5") as terminal:
        terminal.ask()
        terminal.type("13/7\n")
        time.sleep(0.3)  # a person is not as quick; in the moment before it waits, Python keeps Ctrl-C for later
        terminal.type("\x03")
        assert terminal.process.wait(30) == 128 + signal.SIGINT
    assert "Score: you 0, Easy 0." in terminal.shown
    assert "It is saved; this goes on:\r\n  gammon-rl play --continue\r\n" in terminal.shown
    assert "Traceback" not in terminal.shown


def test_tab_completes_words_and_plays(state: Path) -> None:
    pytest.importorskip("readline")
    with Pty("play", "--level", "easy", "--dice-seed", "5") as terminal:
        terminal.ask()
        os.write(terminal.terminal, b"pip\t\n")
        terminal.ask()
        assert "Pips: you 167, Easy 167." in plain(terminal.shown)


def test_what_is_typed_while_a_bot_thinks_is_kept_and_not_shown() -> None:
    termios = pytest.importorskip("termios")
    with pty_pair() as (ours, theirs), patch.object(sys, "stdin", theirs):
        before = termios.tcgetattr(theirs)[3] & termios.ECHO
        with _without_echo():
            during = termios.tcgetattr(theirs)[3] & termios.ECHO
            os.write(ours, b"8/5\n")
        assert (bool(before), during) == (True, 0)
        assert termios.tcgetattr(theirs)[3] & termios.ECHO == before
        assert theirs.readline() == "8/5\n"


@contextmanager
def pty_pair() -> Iterator[tuple[int, Any]]:
    """Open a terminal: our end of it, and the file that a program reads."""
    ours, theirs = pytest.importorskip("pty").openpty()
    with open(theirs) as file:
        yield ours, file
    os.close(ours)


def test_time_runs_out_in_a_terminal(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The shortest clock of a table is too long for a test, so that a shorter one is put in its place.
    program = (
        "import gammon_rl.table.options as o, sys; o.CLOCKS['fast'] = 1; "
        "from gammon_rl.cli import main; sys.argv[0] = 'gammon-rl'; main()"
    )
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", program, "play", "--level", "easy", "--dice-seed", "5", "--clock", "fast"],
        stdin=theirs, stdout=theirs, stderr=theirs, cwd=Path(__file__).parents[1],
    )  # fmt: skip
    os.close(theirs)
    text, deadline = b"", time.monotonic() + 30
    while b"time is up" not in text and time.monotonic() < deadline:
        if select.select([ours], [], [], 1)[0]:
            text += os.read(ours, 65536)
    process.kill()
    process.wait()
    os.close(ours)
    assert b"Your time is up: the bot easy plays on." in text


def test_watching_in_a_terminal_at_a_pace(state: Path) -> None:
    with Pty("watch", "easy", "easy", "--dice-seed", "2", "--pace", "0.05", "--look", "pine") as terminal:
        shown, deadline = b"", time.monotonic() + 30
        while shown.count(b"\x1b[2J") < 5 and time.monotonic() < deadline:
            shown += os.read(terminal.terminal, 65536)
        os.write(terminal.terminal, b"\x03")
        assert terminal.ask() == ""
        assert terminal.process.wait(30) == 128 + signal.SIGINT
    assert shown.count(b"\x1b[2J\x1b[H") >= 5
    assert b"\x1b[48;5;22m" in shown
    assert "Traceback" not in terminal.shown


def test_a_game_is_played_in_one_terminal_at_a_time(state: Path) -> None:
    path = state / "game.json"
    done = command("play", "--level", "easy", "--dice-seed", "1", "--save", str(path), answers="\nlist\n1\n")
    assert done.returncode == 0
    with saving.in_use(path) as mine:
        assert mine
        refused = command("play", "--continue", "--save", str(path))
        assert refused.returncode == 2
        assert "this game is being played in another terminal" in refused.stderr
    assert command("play", "--continue", "--save", str(path)).returncode == 0
    assert not list(state.glob(".*.lock"))


def test_games_that_are_open_elsewhere_are_passed_over(state: Path) -> None:
    for name in ("one", "two"):
        command(
            "play", "--level", "easy", "--dice-seed", "1", "--save", str(state / f"{name}.json"), answers="\nlist\n1\n"
        )
    os.utime(state / "one.json", (1, 1))
    with saving.in_use(state / "two.json"):
        assert saving.unfinished() == state / "one.json"
        told = command("play", "--games").stdout
        assert re.findall(r", open in another terminal\n  .* (\S+)\n", told) == ["two.json"]
        assert "Unfinished games: 1; " in command("play", "--level", "easy", "--dice-seed", "5").stdout
        with saving.in_use(state / "one.json"):
            refused = command("play", "--continue").stderr
            assert "that is not open in another terminal" in refused
            assert "Unfinished" not in command("play", "--level", "easy", "--dice-seed", "5").stdout
    assert "Going on where you left." in command("play", "--continue", "--save", "one", answers="q\n").stdout


def test_a_game_is_deleted_by_a_command(state: Path) -> None:
    command("play", "--level", "easy", "--dice-seed", "1", "--save", str(state / "one.json"), answers="\nlist\n1\n")
    for answers, left in (("", 2), ("n\n", 2), ("y\n", 0)):
        done = command("play", "--delete", "one", answers=answers)
        assert (done.returncode, len(list(state.iterdir()))) == (0, left), done
    assert "no such game" in command("play", "--delete", "one").stderr
    other = state.parent / "other.txt"
    other.write_text("mine")
    assert "is no saved game" in command("play", "--delete", str(other)).stderr
    assert other.exists()


def test_the_last_twenty_finished_games_stay(state: Path) -> None:
    state.mkdir()
    over = table_of(1, bot="easy", session=False)
    over.apply(ac.Roll())
    text = saving.as_bytes(over).replace(b'"over":false', b'"over":true')
    names = [f"2026-01-01-0000{at:02}.json" for at in range(25)]
    for at, name in enumerate([*names, "mine.json"]):
        (state / name).write_bytes(text)
        os.utime(state / name, (1000 + at, 1000 + at))
    (state / "2025-01-01-000000.json").write_bytes(saving.as_bytes(over))
    saving.clear_up()
    assert sorted(path.name for path in state.iterdir()) == ["2025-01-01-000000.json", *names[5:], "mine.json"]


def test_only_a_game_begun_here_is_forgotten(state: Path) -> None:
    path = state / "own.json"
    table = gr.Table(gr.TableOptions(match_length=3), (gr.Seat("A"), gr.Seat("B")), dice=3)
    table.apply(ac.Roll())
    path.parent.mkdir(parents=True)
    path.write_text(table.to_json())
    left = command("play", "--continue", "--save", str(path), answers="quit\n")
    assert path.exists()
    assert "  gammon-rl play --continue\n" in left.stdout  # it lies where plain --continue looks
    elsewhere = state.parent / "other.json"
    path.rename(elsewhere)
    left = command("play", "--continue", "--save", str(elsewhere), answers="quit\n")
    assert f"--continue --save {elsewhere}\n" in left.stdout
    undone = command("play", "--level", "easy", "--dice-seed", "4", "--save", str(state / "mine.json"),
                     answers="\nlist\n1\nundo\nundo\nundo\nquit\n")  # fmt: skip
    assert undone.returncode == 0
    if "edo" in undone.stdout:
        assert (state / "mine.json").exists()
    command("play", "--level", "easy", "--dice-seed", "4", "--save", str(state / "none.json"), answers="quit\n")
    assert not (state / "none.json").exists()


def test_a_mat_file_is_not_played_in(state: Path) -> None:
    refused = command("play", "--level", "easy", "--save", "x.mat")
    assert refused.returncode == 2
    assert "the command save writes a .mat of it" in refused.stderr
    path = state / "old.mat"
    path.parent.mkdir(parents=True)
    text = (Path(__file__).parent / "data/own_match.mat").read_text()
    path.write_text(text)
    assert command("play", "--continue", "--save", str(path), answers="quit\n").returncode in (0, 2)
    assert path.read_text() == text


@pytest.mark.parametrize("name", ["/", ".", "..", "~nosuch/x", "a\0b", "x" * 5000])
def test_a_name_that_is_no_file_is_said_and_asked_again(name: str, state: Path) -> None:
    answers = f"\nload {name}\nsave {name}\npips\n"
    if "\0" not in name:
        done = command("play", "--level", "easy", "--dice-seed", "1", answers=answers)
        assert done.returncode == 0
        assert "Traceback" not in done.stderr
    with pytest.raises((gr.TableError, OSError)):
        saving.read(saving.named(name))


def test_a_folder_among_the_games_is_passed_over(state: Path) -> None:
    command("play", "--level", "easy", "--dice-seed", "1", answers="\nlist\n1\nquit\n")
    (state / "zzz.json").mkdir()
    assert "Going on where you left" in command("play", "--continue", answers="quit\n").stdout


def test_there_is_a_place_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", none)
    monkeypatch.delenv(saving.FOLDER_VARIABLE, raising=False)
    assert saving.folder().name == "gammon-rl"
    assert saving.folder().is_absolute()


# What lasts: bots that cannot be had, dice that were decided on, and files --------------------------------------


def session_of(answers: Any, table: Table, keeper: saving.Keeper | None = None) -> tuple[Terminal, Session]:
    """Play with the bots of a terminal, whatever they are here."""
    terminal = Terminal(answers)
    session = Session(table, Bots(table.options.rules), terminal, keeper=keeper)
    session.run()
    return terminal, session


def test_where_no_model_is_released_a_time_out_lets_easy_play() -> None:
    people = (Seat("You"), Seat("Bob"))
    for seats in (people, (people[0], Seat("Easy", bot="easy"))):
        table = table_of(1, seats=seats, variant="tavla", clock="fast")
        terminal, session = session_of([TimeUpError, *([""] * (seats == people)), "quit"], table)
        assert "time is up: the bot easy plays on." in terminal.shown
        assert any(isinstance(event, ev.Played) and event.by == "bot" for event in session.table.record.events)
    assert Bots(VARIANTS["standard"]).first_of("", "normal") == "normal"


def test_a_saved_game_with_a_bot_that_cannot_be_had_goes_on_with_easy(state: Path) -> None:
    path = state / "old.json"
    table = table_of(1, seats=(Seat("You"), Seat("Bob")), variant="tavla", clock="fast")
    table.apply(ac.Roll())
    assert table.to_act is not None
    table.apply(ac.TimeOut(table.to_act, "normal"))
    saving.Keeper(path).keep(table)
    missing = "The bot normal cannot be had (no model is released for tavla"
    for told in (1, 0):  # then its turn is over
        done = command("play", "--continue", "--save", "old", answers="quit\n")
        assert (done.returncode, done.stdout.count(missing)) == (0, told)
    gone = table_of(1, bot="gone.safetensors")
    saving.Keeper(path := state / "gone.json").keep(gone)
    done = command("play", "--continue", "--save", "gone", answers="quit\n")
    assert done.returncode == 0
    assert done.stdout.count("The bot gone.safetensors cannot be had (") == 1
    refused = command("play", "--continue", "--save", "gone", "--model", "none.safetensors")
    assert refused.returncode == 2
    assert path.exists()


def test_nobody_is_told_that_you_is_thinking() -> None:
    notes: list[str] = []
    terminal = Terminal([TimeUpError])
    terminal.busy = lambda note, redraw: notes.append(note) or nullcontext()  # type: ignore[method-assign,func-returns-value]
    Session(table_of([(3, 1), (6, 2)], clock="fast"), OneBot(ScriptedBot()), terminal).run()  # type: ignore[arg-type]
    assert notes[0] == "Thinking ..."
    assert "Hard is thinking ..." in notes


@pytest.mark.parametrize("on_timeout", ["bot", "forfeit"])
@pytest.mark.parametrize("seats", [None, (Seat("Ann"), Seat("Bob"))])
def test_dice_take_back_no_time_out(seats: tuple[Seat, Seat] | None, on_timeout: str) -> None:
    table = table_of(HandDice(), seats=seats, clock="fast", on_timeout=on_timeout)
    terminal, session, _ = run(["31", TimeUpError, "dice 42", "dice 42"], table)
    assert terminal.shown.count("so it stands") == 2
    assert rolls_of(session) == [(3, 1)]
    assert any(isinstance(event, ev.TimedOut) for event in session.table.record.events)


def test_a_loaded_game_is_held_too(state: Path) -> None:
    state.mkdir()
    saving.export(state / "a.json", table_of([(3, 1), (6, 2), (5, 4)]))
    with saving.in_use(state / "own.json"):
        opened: list[tuple[Path, bool]] = []

        def answer(question: str) -> str:
            opened[:] = [(path, saving.is_open(path)) for path in saving.all_unfinished()]
            return "quit" if len(opened) == 3 else f"load {state / 'a.json'}"

        run(answer, table_of([(3, 1)]), keeper=saving.Keeper(state / "own.json"))
    assert sorted(is_open for path, is_open in opened) == [False, True, True]  # what was loaded is only read
    assert not any(saving.is_open(path) for path, _ in opened)


def test_a_link_to_a_game_is_that_game(state: Path) -> None:
    state.mkdir()
    path, link = state / "game.json", state.parent / "link.json"
    link.symlink_to(path)
    begun = command("play", "--level", "easy", "--dice-seed", "1", "--save", str(link), answers="\nlist\n1\n")
    assert begun.returncode == 0
    assert link.is_symlink()
    assert path.is_file()
    with saving.in_use(path):
        assert "in another terminal" in command("play", "--continue", "--save", str(link)).stderr
    assert command("play", "--continue", "--save", str(link), answers="list\n1\n").returncode == 0
    assert link.is_symlink()
    assert not saving.previous(link).exists()


def test_only_what_is_damaged_is_replaced_by_what_was_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of([(3, 1), (6, 2)])
    keeper = saving.Keeper(tmp_path / "game.json")
    keeper.keep(table)
    table.apply(ac.Roll())
    keeper.keep(table)
    good = keeper.path.read_text()
    for newer in (
        good.replace('"version":1', '"version":2', 1),
        good.replace('"gammon_rl table","version":1', '"gammon_rl table","version":2'),
    ):
        assert newer != good
        keeper.path.write_text(newer)
        with pytest.raises(TableError, match="has version 2; version 1 can be read"):
            saving.read(keeper.path)
        done = command("play", "--continue", "--save", str(keeper.path))
        assert done.returncode == 2
        assert keeper.path.read_text() == newer
    keeper.path.write_text(good[:50])
    assert "The one before it is used" in saving.read(keeper.path).remark

    def unreadable(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", unreadable)
    with pytest.raises(TableError, match=r"cannot read .*game\.json: Permission denied$"):
        saving.read(keeper.path)


def test_games_that_begin_in_the_same_second_have_files_of_their_own(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "strftime", lambda *_: "2026-01-02-030405")
    with saving.fresh() as one, saving.fresh() as other:
        assert [path.name for path in (one, other)] == ["2026-01-02-030405.json", "2026-01-02-030405-2.json"]
        assert command("play", "--level", "easy", "--dice-seed", "1", answers="\nlist\n1\n").returncode == 0
    assert sorted(path.name for path in state.iterdir()) == [
        "2026-01-02-030405-3.json",
        "2026-01-02-030405-3.json.previous",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["play", "--level", ""], "no player is called ''"),
        (["watch", "easy", "easy", "--pace", "inf"], "--pace: expected seconds from 0 to 3600, got inf"),
        (["watch", "easy", "easy", "--pace", "nan"], "--pace: expected seconds from 0 to 3600, got nan"),
    ],
)
def test_more_that_cannot_be_is_one_line_and_exit_code_2(options: list[str], message: str, state: Path) -> None:
    done = command(*options)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert message in done.stderr
    assert not state.exists()


def test_without_standard_output_nothing_is_played(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(TableError, match="standard output is closed"):
        RealTerminal()
    monkeypatch.undo()
    monkeypatch.setattr(sys, "stdin", None)
    with RealTerminal().busy("", lambda: None), pytest.raises(EOFError):
        RealTerminal().read("> ", list, lambda: None)


def test_letters_that_no_file_can_have_here_are_said(state: Path) -> None:
    plain_c = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
    done = program("play", "--level", "easy", answers="\nsave é.json\nload é.json\nquit\n", **plain_c)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("there are no such letters in the names of files here") == 2


def refusing(monkeypatch: pytest.MonkeyPatch, name: str, number: int) -> None:
    """Let a function of the system refuse what it is asked."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(name, refuse)


def test_a_folder_that_cannot_be_changed_any_more_keeps_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = saving.Keeper(tmp_path / "game.json")
    refusing(monkeypatch, "pathlib.Path.unlink", errno.EACCES)
    monkeypatch.setattr(saving, "write_whole", lambda path, content: path.write_bytes(content) and None)
    terminal, _, code = run(["quit"], table_of([(3, 1)]), keeper=keeper)
    assert code == 0
    assert "It is saved" in terminal.shown
    assert keeper.path.exists()


def test_in_a_folder_without_permission_one_plays_unkept(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state.mkdir()
    real = os.stat

    def stat(path: Any, *rest: Any, **more: Any) -> os.stat_result:
        if isinstance(path, str | Path) and Path(path).parent == state:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, *rest, **more)

    (state / "there.json").write_text("{}")
    monkeypatch.setattr(os, "stat", stat)
    refusing(monkeypatch, "gammon_rl.cli.saving.write_whole", errno.EACCES)
    refusing(monkeypatch, "gammon_rl.cli.saving.held", errno.EACCES)
    done = command("play", "--level", "easy", "--dice-seed", "1", answers="\nlist\n1\n")
    assert done.returncode == 0
    assert done.stdout.count("This game cannot be kept: Permission denied.") == 1
    assert "The last moves are not kept: Permission denied." in done.stdout
    assert "It is saved" not in done.stdout


@pytest.mark.parametrize("refused", [1, 2])
def test_a_full_disk_is_tried_again(refused: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = saving.Keeper(tmp_path / "game.json")
    times, write = iter([False, *[True] * refused]), write_whole

    def written(path: Path, content: bytes) -> None:
        if next(times, refused == 2):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(path, content)

    monkeypatch.setattr(saving, "write_whole", written)
    table = table_of([(3, 1), (6, 2), (5, 4), (4, 3)])
    terminal, session, _ = run(["8/5 6/5", "", "13/4", "save", "quit"], table, keeper=keeper)
    assert terminal.shown.count("This game cannot be kept: No space left on device.") == 1
    saved = saving.read(keeper.path).table
    if refused == 1:
        assert terminal.shown.count("This game is kept again.") == 1
        assert "It is saved; this goes on:" in terminal.shown
        assert saved == session.table
    else:
        assert terminal.shown.count("The last moves are not kept: No space left on device") == 2
        assert "This goes on from before them:" in terminal.shown
        assert len(saved.record.events) < len(session.table.record.events)
