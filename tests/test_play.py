"""The terminal game: games driven through its two functions, and once through a real terminal."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from gammon_rl.bots.bot import Bot, Candidate
from gammon_rl.bots.levels import NORMAL
from gammon_rl.cli.draw import UNICODE
from gammon_rl.cli.game import BACKGAMMON, GAMMON, SINGLE, Game, Outcome, opening_throws, roll_dice
from gammon_rl.cli.session import BOT, YOU, Session
from gammon_rl.eval.encoder import INPUTS
from gammon_rl.eval.model import Model
from gammon_rl.eval.network import OUTCOMES
from gammon_rl.rules.board import turn
from gammon_rl.rules.notation import Play, parse_play, play_of
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import HYPERGAMMON, STANDARD, VARIANTS, Variant
from gammon_rl.stakes.cube import CubeDecision
from tests.positions import position

Dice = tuple[int, int]

GARBAGE: Final = (
    "", " ", "x", "??", "8/5/", "99", "-1", "0", "1.5", "roll now", "double it", "take that", "drop dead", "bar", "off",
    "8/5 8/5 8/5 8/5 8/5", "25/0", "24/14", "6/4(9)", "1" * 500, "a" * 500, "8/5" * 200,
    "\x00", "\x1b[A", "ä½♟", "²",
    "None", "list 99", "%s %d {0}", "\\", "'", '"', "y", "undo",
)  # fmt: skip


class Dicer:
    """Stands for a generator: rolls in a given order, and then the end of the input."""

    def __init__(self, *rolls: Dice) -> None:
        self.left = list(rolls)

    def integers(self, low: int, high: int, size: tuple[int, int]) -> np.ndarray:
        assert (low, high, size) == (1, 7, (1, 2))
        if not self.left:
            raise EOFError
        return np.array([self.left.pop(0)])


class ScriptedBot:
    """Plays the first legal play, or what it is told; doubles and answers as it is told."""

    level = NORMAL
    has_opinions = True

    def __init__(
        self, doubles: Iterable[bool] = (), takes: bool = True, nd: float = 0.25, plays: Iterable[str] = ()
    ) -> None:
        self.doubles, self.takes, self.nd, self.plays = iter(doubles), takes, nd, iter(plays)
        self.asked: list[Position] = []

    def choose_play(self, seen: Position, dice: Dice, time_limit: float | None = None) -> Play:
        self.asked.append(seen)
        told = next(self.plays, None)
        if told:
            return parse_play(told, seen.board, dice, seen.rules)
        _, afterstates = legal_plays(seen.board[None], dice, seen.rules)
        return play_of(seen.board, dice, afterstates[0] if len(afterstates) else turn(seen.board), seen.rules)

    def cube_action(self, seen: Position) -> CubeDecision:
        self.asked.append(seen)
        doubles = not seen.doubled and seen.dice is None and next(self.doubles, False)
        return CubeDecision(self.nd, 0.125, 1.0, doubles, self.takes, False, "")

    def analyse(self, seen: Position, dice: Dice, time_limit: float | None = None) -> list[Candidate]:
        self.asked.append(seen)
        _, afterstates = legal_plays(seen.board[None], dice, seen.rules)
        plays = [play_of(seen.board, dice, afterstate, seen.rules) for afterstate in afterstates[::-1]]
        return [Candidate(play, (0.5, 0.1, 0, 0.1, 0), -0.1 * at, 0.1 * at, 0) for at, play in enumerate(plays)]


class Terminal:
    """Answers questions from a script or by a function, and keeps all that is shown.

    An answer that is an exception is raised; after the last one there is an end of file.
    """

    def __init__(self, answers: Iterable[str | type[BaseException]] | Callable[[str], str]) -> None:
        self.answer = answers if callable(answers) else None
        self.script = iter(()) if callable(answers) else iter(answers)
        self.shown = ""
        self.questions: list[str] = []

    def read(self, question: str) -> str:
        assert len(self.questions) < 3000, "the game does not end"
        self.questions.append(question)
        self.shown += question
        answer = self.answer(question) if self.answer else next(self.script, EOFError)
        if not isinstance(answer, str):
            raise answer
        self.shown += f"{answer}\n"
        return answer

    def write(self, text: str) -> None:
        self.shown += text


def session(terminal: Terminal, bot: Any = None, dice: Any = None, **options: Any) -> Session:
    return Session(
        bot or ScriptedBot(), dice or np.random.default_rng(1), terminal.read, terminal.write, name="Hard", **options
    )


def finish(answers: Any, game: Game, *, bot: Any = None, dice: Any = None, rolled: Dice | None = None, **options: Any):
    """Play a game on, and return how it ended (None if it was left) and the terminal."""
    terminal = Terminal(answers)
    try:
        outcome = session(terminal, bot, dice, **options).finish(game, rolled)
    except EOFError:
        outcome = None
    return outcome, terminal


def game_of(mine: str, theirs: str, player: int = YOU, *, cube: bool = True, **situation: Any) -> Game:
    return Game(Position(position(mine, theirs), jacoby=cube, **situation), player, cube)


def always_first(question: str) -> str:
    """Answer any question so that the game goes on: roll, take, and the first play of the list."""
    if question.startswith("Take"):
        return "take"
    return "1" if question.startswith("Your play") else ""


def random_answers(seed: int) -> Callable[[str], str]:
    """Return a person who plays the numbers of the list at random, and doubles, takes and drops at random."""
    rng = np.random.default_rng(seed)

    def answer(question: str) -> str:
        if "Another game" in question:
            return "no"
        if question.startswith("Take"):
            return rng.choice(["t", "TAKE", "p", "drop"])
        if question.startswith("Your play"):
            return str(rng.integers(1, 4))
        if question.startswith("You cannot enter"):
            return rng.choice(["double", "pass"])
        return rng.choice(["", "r", "roll", "double"]) if question.startswith("Enter rolls") else ""

    return answer


# The game as a value ---------------------------------------------------------------------------------------------


def test_opening_throws_are_repeated_until_they_differ() -> None:
    assert opening_throws(Dicer((3, 3), (6, 6), (2, 5))) == [(3, 3), (6, 6), (2, 5)]  # type: ignore[arg-type]
    first = [opening_throws(np.random.default_rng(seed)) for seed in range(300)]
    assert all(a == b for throws in first for a, b in throws[:-1])
    assert len({throws[-1] for throws in first}) == 30
    assert {len(throws) for throws in first} >= {1, 2}


def test_dice_are_fair_and_come_from_the_generator() -> None:
    rolls = [roll_dice(np.random.default_rng(9)) for _ in range(2)]
    assert rolls[0] == rolls[1]
    rng = np.random.default_rng(10)
    counts = np.bincount([6 * a + b - 7 for a, b in (roll_dice(rng) for _ in range(7200))], minlength=36)
    assert ((counts - 200) ** 2 / 200).sum() < 67  # chi-square of 35, one in a thousand


def test_who_may_double() -> None:
    start = Game.start(YOU, STANDARD)
    assert not start.may_double
    later = start.passed()
    assert later.player == BOT
    assert later.may_double
    assert not replace(later, cube=False).may_double
    taken = later.taken()
    assert (taken.player, taken.position.cube_value, taken.position.cube_owner) == (BOT, 2, "theirs")
    assert not taken.may_double
    mine = taken.passed()
    assert (mine.player, mine.position.cube_owner) == (YOU, "mine")
    assert mine.may_double
    assert replace(mine, position=replace(mine.position, cube_value=32)).may_double
    assert not replace(mine, position=replace(mine.position, cube_value=64)).may_double


def test_an_offer_is_seen_by_the_player_who_answers() -> None:
    game = game_of("24x2 6x5", "1x5", cube_value=4, cube_owner="mine")
    offered = game.offered()
    assert offered.doubled
    assert (offered.cube_value, offered.cube_owner) == (4, "theirs")
    assert offered.board.tolist() == turn(game.position.board).tolist()


@pytest.mark.parametrize(
    ("theirs", "level"),
    [("24x14", SINGLE), ("18x15", GAMMON), ("24x15", GAMMON), ("18x14 6", BACKGAMMON), ("18x14 bar", BACKGAMMON)],
)
@pytest.mark.parametrize(("value", "owner"), [(1, "centre"), (4, "mine"), (4, "theirs")])
def test_results_and_the_jacoby_rule(theirs: str, level: int, value: int, owner: Any) -> None:
    game = game_of("1", theirs, player=BOT, cube_value=value, cube_owner=owner)
    play = parse_play("1/off", game.position.board, (6, 5))
    points = 1 if owner == "centre" else level * value
    assert game.played(play).outcome == Outcome(BOT, level, points)
    without = replace(game, position=replace(game.position, jacoby=False))
    assert without.played(play).outcome == Outcome(BOT, level, level * value)
    assert game.dropped() == Outcome(BOT, 0, value)
    assert game.resigned(level) == Outcome(YOU, level, points)


def test_without_a_cube_gammons_count() -> None:
    assert not Game.start(YOU, STANDARD, cube=False, jacoby=True).position.jacoby
    assert Game.start(YOU, STANDARD, jacoby=True).position.jacoby
    assert not Game.start(YOU, STANDARD, jacoby=False).position.jacoby


def test_what_may_be_resigned() -> None:
    assert Game.start(YOU, STANDARD).highest_resignation == 0
    assert Game.start(YOU, STANDARD).passed().highest_resignation == SINGLE
    assert Game.start(YOU, STANDARD, jacoby=False).passed().highest_resignation == BACKGAMMON
    assert Game.start(YOU, STANDARD).passed().taken().highest_resignation == BACKGAMMON
    assert game_of("bar", CLOSED).highest_resignation == 0


# Whole games -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=lambda rules: rules.name)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_game_against_easy_with_random_answers(rules: Variant, seed: int) -> None:
    terminal = Terminal(random_answers(seed))
    bot = Bot("easy", seed=seed, rules=rules)
    played = session(terminal, bot, np.random.default_rng(seed), rules=rules)
    assert played.run() == 0
    assert sorted(played.score)[0] == 0
    winner = YOU if played.score[YOU] else BOT
    points = played.score[winner]
    assert f"{('You win', 'Hard wins')[winner]}" in terminal.shown
    assert f"{points} point" in terminal.shown
    assert f"Score: you {played.score[YOU]}, Hard {played.score[BOT]}. 1 game played." in terminal.shown
    assert max(map(len, terminal.shown.splitlines())) < 100


@pytest.mark.parametrize("seed", range(4))
def test_every_turn_of_a_game_is_legal_and_with_the_dice_that_were_rolled(seed: int) -> None:
    terminal = Terminal(random_answers(seed))
    played = session(terminal, Bot("easy", seed=seed), np.random.default_rng(seed))
    assert played.run() == 0
    told = re.findall(r"(You|Hard) (?:plays?|rolls?) (\d)-(\d)(?:: (.*)\.| and cannot move)", terminal.shown)
    first, *others = (
        opening_throws(rng := np.random.default_rng(seed))[-1],
        *(roll_dice(rng) for _ in range(len(told) - 1)),
    )
    assert "closed board" not in terminal.shown  # a skipped turn would not be among those told
    board, mover = STANDARD.start(), "You" if first[0] > first[1] else "Hard"
    for (who, high, low, text), dice in zip(told, [first, *others], strict=True):
        assert who == mover
        assert (int(high), int(low)) == (max(dice), min(dice))
        board = parse_play(text, board, dice).afterstate
        mover = "Hard" if who == "You" else "You"
    assert "drop" in terminal.shown or (board <= 0).all() or (board >= 0).all()


def test_the_same_seed_gives_the_same_session() -> None:
    shown = []
    for _ in range(2):
        terminal = Terminal(random_answers(5))
        session(terminal, Bot("easy", seed=3), np.random.default_rng(3)).run()
        shown.append(terminal.shown)
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
        if "Another game" in question:
            return "no"
        return always_first(question) if hinted else "hint"

    terminal = Terminal(answer)
    played = session(terminal, Bot(level, Model(layers, HYPERGAMMON), rules=HYPERGAMMON), rules=HYPERGAMMON)
    assert played.run() == 0
    assert max(played.score) >= 1
    assert re.search(r"^  1\. \S.*  [+-]\d\.\d{3}  .*\d-ply$", terminal.shown, re.MULTILINE)
    assert re.search(r"^  (Double|Do not double): no double [+-]\d\.\d{3}, ", terminal.shown, re.MULTILINE)
    assert max(map(len, terminal.shown.splitlines())) <= 80


def test_games_follow_one_another_and_the_score_is_kept() -> None:
    # In each game the person makes the first play and then doubles; the bot drops.
    terminal = Terminal(["8/5 6/5", "d", "", "24/18 18/13", "d", "n"])
    dice = Dicer((6, 6), (3, 1), (6, 2), (6, 5), (4, 2))
    played = session(terminal, ScriptedBot(takes=False), dice)
    assert played.run() == 0
    assert played.score == [2, 0]
    assert not dice.left
    assert "Opening roll: you 6, Hard 6, again you 3, Hard 1. You begin.\n" in terminal.shown
    assert terminal.shown.endswith("Score: you 2, Hard 0. 2 games played.\n")
    double, play = "Enter rolls, d doubles > ", "Your play with"
    another = [f"Score: you {points}, Hard 0. Another game (Enter: yes) > " for points in (1, 2)]
    assert terminal.questions == [f"{play} 3-1 > ", double, another[0], f"{play} 6-5 > ", double, another[1]]


def test_the_bot_begins_with_the_higher_die() -> None:
    bot = ScriptedBot(doubles=[True])  # would double if it were asked before its first play
    terminal = Terminal([])
    assert session(terminal, bot, Dicer((1, 3))).run() == 0
    assert "Opening roll: you 1, Hard 3. Hard begins.\nHard plays 3-1: " in terminal.shown
    assert "doubles from" not in terminal.shown
    assert terminal.questions == ["Enter rolls, d doubles > "]


# The cube --------------------------------------------------------------------------------------------------------


def test_my_double_is_taken_or_dropped() -> None:
    game = game_of("24x2 13x5 8x3 6x5", "1x2 12x5 17x3 19x5")
    outcome, _ = finish(["DOUBLE"], game, bot=ScriptedBot(takes=False))
    assert outcome == Outcome(YOU, 0, 1)
    bot = ScriptedBot()
    outcome, terminal = finish(["d", "8/5 6/5", "d"], game, bot=bot, dice=Dicer((3, 1), (6, 5)))
    assert outcome is None
    assert "You double from 1 to 2.\nHard takes the cube at 2." in terminal.shown
    assert bot.asked[0] == game.offered()
    assert terminal.questions[-2:] == ["Enter rolls > "] * 2
    assert "Hard owns the cube, so you cannot double." in terminal.shown


def test_an_empty_line_never_answers_a_double() -> None:
    game = game_of("24x2 13x5 8x3 6x5", "1x2 12x5 17x3 19x5", player=BOT)
    answers = ["", "  ", "\t", "", "foo", "ta"]
    outcome, terminal = finish(answers, game, bot=ScriptedBot([True]), dice=Dicer((6, 2)))
    assert outcome is None
    assert terminal.questions[:6] == ["Take at 2 or drop and lose 1 > "] * 6
    assert terminal.shown.count("Expected take, drop, pass or hint; ? explains.") == 5
    assert "You take the cube at 2." in terminal.shown
    assert terminal.questions[-1] == "Enter rolls, d doubles > "


@pytest.mark.parametrize("answer", ["drop", "P", "pass", "d"])
@pytest.mark.parametrize("value", [1, 8])
def test_a_drop_costs_the_value_before_the_double(answer: str, value: int) -> None:
    game = game_of("6x15", "19x15", player=BOT, cube_value=value, cube_owner="mine" if value > 1 else "centre")
    outcome, terminal = finish([answer], game, bot=ScriptedBot([True]))
    assert outcome == Outcome(BOT, 0, value)
    assert terminal.shown.endswith(f"You drop. Hard wins {value} point{'s' * (value > 1)}.\n")


def test_the_cube_goes_to_and_fro_and_stops_at_64() -> None:
    def answer(question: str) -> str:
        return "double" if "d doubles" in question else always_first(question)

    game = Game.start(YOU, STANDARD).passed().passed()
    outcome, terminal = finish(answer, game, bot=ScriptedBot([True] * 99), dice=np.random.default_rng(1))
    assert outcome is not None
    doubles = re.findall(r"(You double|Hard doubles) from (\d+) to (\d+)\.", terminal.shown)
    assert [(who.split()[0], int(a), int(b)) for who, a, b in doubles] == [
        (("You", "Hard")[at % 2], 2**at, 2 ** (at + 1)) for at in range(6)
    ]
    assert outcome.points == 64 * outcome.level
    _, terminal = finish(["double"], game_of("6", "19", cube_value=64, cube_owner="mine"))
    assert "The cube is at 64 and goes no higher." in terminal.shown
    assert terminal.questions == ["Enter rolls > "] * 2


def test_without_a_cube_nobody_doubles() -> None:
    bot = ScriptedBot([True] * 99)
    game = game_of("2x2", "20x2", cube=False)
    outcome, terminal = finish(["d", "", "1"], game, bot=bot, dice=Dicer((2, 1), (1, 1)), cube=False)
    assert "There is no cube in this session." in terminal.shown
    assert "cube  " not in terminal.shown
    assert not any("doubles from" in line for line in terminal.shown.splitlines())
    assert outcome is None


# Turns -----------------------------------------------------------------------------------------------------------

CLOSED = "19x2 20x2 21x2 22x2 23x2 24x2"
SHUT_OUT = "bar 6x5 5x5 4x4"


def test_a_closed_board_is_not_rolled_against() -> None:
    game = game_of(SHUT_OUT, CLOSED + " 13x3", cube_value=2, cube_owner="theirs")
    dice = Dicer((2, 1))
    outcome, terminal = finish([], game, bot=ScriptedBot(plays=["12/10 12/11"]), dice=dice)
    assert outcome is None
    assert terminal.shown.startswith(
        "You are on the bar against a closed board: nothing is rolled.\nHard plays 2-1: 12/11 12/10.\n"
        "You are on the bar"
    )


def test_against_a_closed_board_the_choice_is_double_or_pass() -> None:
    game = game_of(SHUT_OUT, CLOSED + " 13x3")
    answers = ["", "roll", "resign", "r", "hint", "8/5", "pass"]
    outcome, terminal = finish(answers, game, bot=ScriptedBot(plays=["12/10 12/11"]), dice=Dicer((2, 1)))
    assert outcome is None
    assert set(terminal.questions) == {"You cannot enter. Double or pass > "}
    assert len(terminal.questions) == len(answers) + 1
    assert "You play" not in terminal.shown
    assert "resigned" not in terminal.shown

    dice = Dicer((2, 1))
    bot = ScriptedBot(plays=["12/10 12/11"])
    outcome, terminal = finish(["double"], game, bot=bot, dice=dice)
    assert "Hard takes the cube at 2.\nYou are on the bar against a closed board: nothing is rolled." in terminal.shown
    assert not dice.left
    outcome, _ = finish(["double"], game, bot=ScriptedBot(takes=False))
    assert outcome == Outcome(YOU, 0, 1)


def test_the_bot_doubles_or_passes_against_a_closed_board() -> None:
    shut_out = game_of(SHUT_OUT, CLOSED + " 13x3", player=BOT)
    for doubles, answers in (([], []), ([True], ["take"])):
        outcome, terminal = finish(answers, shut_out, bot=ScriptedBot(doubles), dice=Dicer())
        assert outcome is None
        assert ("You take the cube at 2." in terminal.shown) == bool(doubles)
        assert "Hard is on the bar against a closed board: nothing is rolled.\n" in terminal.shown
        assert terminal.questions[-1].startswith("Enter rolls")


def test_a_dance_is_shown_and_passed() -> None:
    game = game_of("bar 6x5", "19x2 20x2 21x2 22x2 23x2 13x3")
    outcome, terminal = finish([""], game, bot=ScriptedBot(plays=["12/10 12/11"]), dice=Dicer((6, 2), (2, 1)))
    assert outcome is None
    assert "You roll 6-2 and cannot move.\nHard plays 2-1: 12/11 12/10.\n" in terminal.shown
    bots = replace(game, player=BOT)
    _, terminal = finish([], bots, dice=Dicer((3, 3)))
    assert "Hard rolls 3-3 and cannot move.\n" in terminal.shown


@pytest.mark.parametrize("text", ["8/5 6/5", "6/5, 8/5", "8-5 6-5", "  8 / 5   6/5 ", "8/5,6-5"])
def test_plays_are_read_in_many_ways(text: str) -> None:
    _, terminal = finish([text], Game.start(YOU, STANDARD), rolled=(3, 1), dice=Dicer((6, 2)))
    assert "You play 3-1: 8/5 6/5.\n" in terminal.shown


@pytest.mark.parametrize(
    ("text", "dice", "play"),
    [
        ("24-14", (6, 4), "24/18 18/14"),
        ("6/4(2) 8/6(2)", (2, 2), "8/6 8/6 6/4 6/4"),
        ("24-18-13", (5, 6), "24/18 18/13"),
    ],
)
def test_runs_and_repeats_are_read(text: str, dice: Dice, play: str) -> None:
    _, terminal = finish([text], Game.start(YOU, STANDARD), rolled=dice, dice=Dicer((6, 2)))
    assert f"You play {max(dice)}-{min(dice)}: {play}.\n" in terminal.shown


def test_bar_hits_and_bearing_off_are_read() -> None:
    game = game_of("bar 6x2", "22 5x3 1x2")
    _, terminal = finish(["", "BAR/22* 6/4"], game, dice=Dicer((3, 2), (6, 2)))
    assert "You play 3-2: bar/22* 6/4.\n" in terminal.shown
    outcome, terminal = finish(["", "1/OFF"], game_of("1", "19 24x13"), dice=Dicer((3, 2)))
    assert outcome == Outcome(YOU, SINGLE, 1)
    assert "You play 3-2: 1/off.\n" in terminal.shown


def test_a_wrong_play_is_explained_in_one_line_with_plays_near_to_it() -> None:
    _, terminal = finish(["8/5"], Game.start(YOU, STANDARD), rolled=(3, 1))
    line = terminal.shown.splitlines()[-2]
    assert line.startswith("'8/5' is not legal with 3-1: both dice must be played; near to it: ")
    assert "8/5 6/5" in line
    assert terminal.questions == ["Your play with 3-1 > "] * 2


def test_a_forced_play_is_shown_and_made_by_enter() -> None:
    game = game_of("24", "13x2")
    for answer in ("", "1", "24/18", "list", "hint"):
        _, terminal = finish(["", answer, "1"], game, dice=Dicer((6, 5), (2, 1)))
        assert terminal.questions[1] == "Your only play is 24/18: Enter makes it > "
        assert "You play 6-5: 24/18.\n" in terminal.shown


def test_enter_makes_no_play_that_is_not_forced() -> None:
    _, terminal = finish(["", ""], Game.start(YOU, STANDARD), rolled=(3, 1))
    assert terminal.questions == ["Your play with 3-1 > "] * 3
    assert "You play" not in terminal.shown


def test_numbers_pick_from_the_list_that_was_shown_last() -> None:
    start = Game.start(YOU, STANDARD)
    _, terminal = finish(["list", "0", "17", "list 6", "1"], start, rolled=(3, 1), dice=Dicer((6, 2)))
    assert len(re.findall(r"\d+\. \d+/", terminal.shown)) == 16 + 7
    assert "There is no play 0; the numbers go from 1 to 16." in terminal.shown
    assert "There is no play 17; the numbers go from 1 to 16." in terminal.shown
    first = re.findall(r" 1\. (\S+ \S+)", terminal.shown)
    assert "6/" not in first[0]
    assert "6/" in first[1]
    assert f"You play 3-1: {first[1]}.\n" in terminal.shown


def test_a_number_shows_the_list_first() -> None:
    _, terminal = finish(["2", "2"], Game.start(YOU, STANDARD), rolled=(3, 1), dice=Dicer((6, 2)))
    second = re.findall(r" 2\. (\S+ \S+)", terminal.shown)
    assert len(second) == 1
    assert f"You play 3-1: {second[0]}.\n" in terminal.shown


def test_a_long_list_is_cut_and_can_be_narrowed() -> None:
    game = game_of("1 3 4 7 8 10 12x2 13 14x2 16 17 20 23", "5 11 15 19")
    _, terminal = finish(["list", "list 23"], game, rolled=(1, 1))
    assert "... and 1057 more; list 13 shows those with a step from the 13 point." in terminal.shown
    assert "  1. 23/22" in terminal.shown.rpartition("list 23")[2]
    assert max(map(len, terminal.shown.splitlines())) <= 80


def test_hints_are_numbered_and_can_be_picked() -> None:
    _, terminal = finish(["h", "2"], Game.start(YOU, STANDARD), rolled=(3, 1), dice=Dicer((6, 2)))
    assert re.search(r"  1\. \S+ \S+ +-0.000 ", terminal.shown)
    second = re.search(r"  2\. (\S+ \S+) +-0.100  -0.100  wins  50 %, gammons 10 %  0-ply", terminal.shown)
    assert second
    assert f"You play 3-1: {second[1]}.\n" in terminal.shown
    assert "  6. " not in terminal.shown


def test_hints_on_the_cube() -> None:
    mine = game_of("6x15", "19x15")
    _, terminal = finish(["hint"], mine)
    line = "no double +0.250, double/take +0.125, double/drop +1.000"
    assert f"  Do not double: {line}.\n" in terminal.shown
    _, terminal = finish(["hint"], mine, bot=ScriptedBot([True]))
    assert f"  Double: {line}.\n" in terminal.shown
    _, terminal = finish(["hint"], replace(mine, player=BOT), bot=ScriptedBot([True]))
    assert f"  Take: for Hard {line}.\n" in terminal.shown
    _, terminal = finish(["hint"], mine, bot=Bot("easy"))
    assert "No hint: Hard plays at random" in terminal.shown
    _, terminal = finish(["hint"], game_of("6x15", "19x15", cube_value=2, cube_owner="theirs"))
    assert "No hint: you cannot double" in terminal.shown
    _, terminal = finish(["hint"], Game.start(YOU, STANDARD), rolled=(3, 1), bot=Bot("easy"))
    assert "No hint: Hard plays at random" in terminal.shown


def test_board_pips_and_help_at_any_time() -> None:
    game = Game.start(YOU, STANDARD)
    for rolled, state in (((3, 1), game), (None, game.passed().passed()), (None, game.passed())):
        bot = ScriptedBot([True])
        _, terminal = finish(["b", "pips", "?", "help"], state, rolled=rolled, bot=bot)
        assert terminal.shown.count("+-13--14-") == 2
        assert "Pips: you 167, Hard 167." in terminal.shown
        assert terminal.shown.count("Before the roll  roll (or Enter)") == 2
        assert len(set(terminal.questions)) == 1
        assert max(map(len, terminal.shown.splitlines())) <= 80


# Resigning and leaving -------------------------------------------------------------------------------------------

RESIGNABLE: Final = game_of("24x15", "19x10", cube_value=2, cube_owner="theirs")


@pytest.mark.parametrize(("level", "name"), [(1, "single"), (2, "gammon"), (3, "backgammon")])
@pytest.mark.parametrize("asked", [True, False])
def test_the_bot_accepts_what_it_expects_and_no_less(level: int, name: str, asked: bool) -> None:
    game = RESIGNABLE
    answers = ["resign", name] if asked else [f"resign {name}"]
    for expected in (0.9, 1.001, 1.5, 2.5):
        outcome, terminal = finish([*answers, "resign"], game, bot=ScriptedBot(nd=-expected))
        if level + 0.01 > expected:
            assert outcome == Outcome(BOT, level, 2 * level)
            assert "Hard accepts.\n" in terminal.shown
        else:
            assert outcome is None
            assert "Hard declines a" in terminal.shown
            assert "Hard has declined; you can offer again in your next turn." in terminal.shown


def test_before_a_double_only_a_single_game_is_resigned() -> None:
    game = game_of("24x15", "19x10")
    for answers in (["resign", "yes"], ["resign gammon", "y"], ["resign backgammon", "no", "resign", "s"]):
        outcome, terminal = finish(answers, game, bot=ScriptedBot(nd=-1))
        assert outcome == Outcome(BOT, SINGLE, 1)
        assert any(question.startswith("Only a single game counts") for question in terminal.questions)


def test_easy_lets_nobody_off_whom_it_is_about_to_gammon() -> None:
    without = {"cube_value": 2, "cube_owner": "theirs"}
    outcome, _ = finish(["resign single"], game_of("24x15", "19x14", **without), bot=Bot("easy"))
    assert outcome is None
    outcome, _ = finish(["resign gammon"], game_of("24x15", "19x14", **without), bot=Bot("easy"))
    assert outcome == Outcome(BOT, GAMMON, 4)
    outcome, _ = finish(["resign single"], game_of("24x14", "19x14", **without), bot=Bot("easy"))
    assert outcome == Outcome(BOT, SINGLE, 2)


def test_nobody_resigns_or_doubles_after_the_roll() -> None:
    _, terminal = finish(["resign", "double", "r"], Game.start(YOU, STANDARD), rolled=(3, 1))
    assert terminal.shown.count("is for the start of your turn, before the roll. Expected a play") == 3
    assert terminal.questions == ["Your play with 3-1 > "] * 4


def test_leaving_a_game_is_asked_once() -> None:
    terminal = Terminal(["quit", "no", "q", "", "maybe", "y"])
    assert session(terminal, dice=Dicer((3, 1))).run() == 0
    asked = "This game will not count. Leave it: yes or no > "
    play = "Your play with 3-1 > "
    assert terminal.questions == [play, asked, play, asked, asked, asked]
    assert terminal.shown.endswith("Score: you 0, Hard 0. 0 games played.\n")
    terminal = Terminal(["8/5 6/5", "d", "quit"])
    assert session(terminal, ScriptedBot(takes=False), Dicer((3, 1), (6, 2))).run() == 0
    assert terminal.shown.endswith("Score: you 1, Hard 0. 1 game played.\n")


# Every question, with nonsense, the end of the input, and Ctrl-C -------------------------------------------------

QUESTIONS: Final = {
    "Enter rolls, d doubles > ": (["8/5 6/5"], {}, {"", " "}),
    "Enter rolls > ": (["8/5 6/5", "d", "24/16"], {}, {"", " "}),
    "Take at 2 or drop and lose 1 > ": (["8/5 6/5"], {"doubles": [True]}, set[str]()),
    "Your play with 3-1 > ": ([], {}, set[str]()),
    "Only a single game counts before a double. Resign it: yes or no > ": (["8/5 6/5", "resign"], {}, {"", " ", "y"}),
    "This game will not count. Leave it: yes or no > ": (["quit"], {}, {"y"}),
    "Score: you 1, Hard 0. Another game (Enter: yes) > ": (["8/5 6/5", "d"], {"takes": False}, {"", " ", "y"}),
}


def at_question(question: str, then: Sequence[Any]) -> tuple[Terminal, Session, int]:
    """Lead a session to a question and go on with these answers; return the exit code too."""
    before, bot, _ = QUESTIONS[question]
    terminal = Terminal([*before, *then])
    played = session(terminal, ScriptedBot(**bot), Dicer((3, 1), (6, 2), (5, 3), (6, 2), (6, 2), (2, 1)))
    code = played.run()
    return terminal, played, code


@pytest.mark.parametrize("question", QUESTIONS)
def test_nonsense_is_refused_in_a_line_and_asked_again(question: str) -> None:
    decides = QUESTIONS[question][2]
    nonsense = [text for text in GARBAGE if text not in decides]
    terminal, _, code = at_question(question, nonsense)
    assert code == 0
    asked = [at for at, one in enumerate(terminal.questions) if one == question]
    assert len(asked) == len(nonsense) + 1
    assert asked == list(range(asked[0], len(terminal.questions)))
    told = terminal.shown.split(question)[2:]
    lists = 1 if question.startswith("Your play") else 0  # the first number shows the list
    assert sum(len(part.split("\n")) != 3 for part in told[:-1]) == lists, told  # what was typed, the answer, no more


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(("end", "code"), [(EOFError, 0), (KeyboardInterrupt, 130)])
def test_the_end_of_the_input_leaves_quietly(question: str, end: type[BaseException], code: int) -> None:
    terminal, played, got = at_question(question, [end])
    assert got == code
    assert terminal.questions[-1] == question
    score = f"Score: you {played.score[YOU]}, Hard 0. {played.score[YOU]} game{'s' * (not played.score[YOU])} played.\n"
    assert terminal.shown.endswith(f"{question}\n{score}")


@pytest.mark.parametrize("end", [EOFError, KeyboardInterrupt])
@pytest.mark.parametrize(
    ("question", "game", "before"),
    [
        ("Your only play is 24/18: Enter makes it > ", game_of("24", "13x2"), [""]),
        ("You cannot enter. Double or pass > ", game_of(SHUT_OUT, CLOSED), []),
        ("Resign single, gammon or backgammon (Enter: no) > ", RESIGNABLE, ["resign"]),
    ],
)
def test_nonsense_and_the_end_of_the_input_at_the_rarer_questions(
    question: str, game: Game, before: list[str], end: type[BaseException]
) -> None:
    nonsense = [text for text in GARBAGE if text.strip() or "Enter" not in question]
    terminal = Terminal([*before, *nonsense, end])
    with pytest.raises(end):
        session(terminal, dice=Dicer((6, 5))).finish(game)
    assert terminal.questions[len(before) :] == [question] * (len(nonsense) + 1)


def test_ctrl_c_while_the_bot_thinks() -> None:
    def interrupt(*_: object) -> Play:
        raise KeyboardInterrupt

    bot, terminal = ScriptedBot(), Terminal([])
    bot.choose_play = interrupt  # type: ignore[assignment,method-assign]
    assert session(terminal, bot, Dicer((1, 3)), live=True).run() == 130
    assert terminal.shown.endswith("\r\nScore: you 0, Hard 0. 0 games played.\n")


# What is shown ---------------------------------------------------------------------------------------------------


def test_a_terminal_sees_that_the_bot_is_thinking() -> None:
    note = "Hard is thinking ..."
    for live in (True, False):
        terminal = Terminal([])
        bot, seen = ScriptedBot(), []
        choose = bot.choose_play

        def watched(*asked: Any, choose: Any = choose, seen: Any = seen, terminal: Any = terminal) -> Play:
            seen.append(terminal.shown.endswith(note))
            return choose(*asked)

        bot.choose_play = watched  # type: ignore[method-assign]
        session(terminal, bot, Dicer((1, 3)), live=live).run()
        assert seen == [live]
        assert (f"{note}\r{' ' * len(note)}\rHard plays" in terminal.shown) == live


def test_a_fancy_terminal_has_the_board_on_top_and_the_news_under_it() -> None:
    terminal = Terminal(["8/5 6/5", ""])
    session(terminal, ScriptedBot(plays=["24/18 13/11"]), Dicer((3, 1), (6, 2), (5, 3)), style=UNICODE).run()
    *_, before, after = terminal.shown.split("\x1b[2J\x1b[H")
    news = "\nYou play 3-1: 8/5 6/5.\nHard plays 6-2: 24/18 13/11.\n"
    assert f"{news}Enter rolls, d doubles > " in before
    assert f"{news}Your play with 5-3 > " in after
    assert "[5]" in after
    assert "Opening" not in before
    assert "\x1b[1;33m○\x1b[0m" in before


def test_the_colour_and_the_score_are_on_the_board() -> None:
    terminal = Terminal(["8/5 6/5", "d", "", "24/18 13/11"])
    session(terminal, ScriptedBot(takes=False), Dicer((3, 1), (6, 2), (6, 2), (3, 1)), light=False).run()
    boards = [line for line in terminal.shown.splitlines() if line.endswith("X you")]
    assert boards
    assert "score 1" in terminal.shown


# The command -----------------------------------------------------------------------------------------------------


def run(*options: str, answers: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gammon_rl", "play", *options],
        input=answers, capture_output=True, encoding="utf-8", timeout=60,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment}, cwd=Path(__file__).parents[1], check=False,
    )  # fmt: skip


def test_through_a_pipe_everything_is_plain() -> None:
    done = run("--level", "easy", "--seed", "1", "--colour", "dark", answers="\nlist\n1\nfoo é\n")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.replace("é", "").isascii()
    assert "\x1b" not in done.stdout
    assert "> X you" in done.stdout
    assert "> list\n  1. " in done.stdout
    assert done.stdout.endswith("Score: you 0, Easy 0. 0 games played.\n")
    assert max(map(len, done.stdout.splitlines())) <= 120


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "no/such.safetensors"], "no/such.safetensors"),
        (["--level", "godlike"], "godlike"),
        (["--level", "easy", "--variant", "chess"], "chess"),
        (["--level", "easy", "--colour", "green"], "green"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_code_2(options: list[str], message: str) -> None:
    done = run(*options)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert message in done.stderr


class Pty:
    """The command in a terminal of its own."""

    def __init__(self, *options: str, **environment: str) -> None:
        pty = pytest.importorskip("pty")
        self.terminal, theirs = pty.openpty()
        program = (
            "import fcntl, os, struct, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
            "fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0)); "
            "os.execv(sys.executable, [sys.executable, '-m', 'gammon_rl', 'play', *sys.argv[1:]])"
        )
        kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "PYTHONIOENCODING")}
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
        return re.sub(r"\x1b\[[0-9;?]*\w", "", text.decode()).replace("\r", "").rpartition("\n")[2]

    def type(self, text: str) -> str:
        os.write(self.terminal, text.encode())
        return self.ask()


def test_a_whole_game_in_a_terminal() -> None:
    with Pty("--level", "easy", "--seed", "1") as terminal:
        question = terminal.ask()
        for _ in range(400):
            if question.startswith("Score"):
                break
            question = terminal.type("1\n" if question.startswith("Your play") else "\n")
        assert "Another game" in question
        assert terminal.type("no\n") == ""
        assert terminal.process.wait(30) == 0
    assert "Easy is thinking ..." in terminal.shown
    assert all(part in terminal.shown for part in ("○", "●", "\x1b[1;33m", "\x1b[2J"))
    plain = re.sub(r"\x1b\[[0-9;?]*\w", "", terminal.shown)
    assert max(len(part) for line in plain.splitlines() for part in line.split("\r")) <= 80
    score = re.search(r"Score: you (\d+), Easy (\d+)\. 1 game played\.", plain)
    assert score
    assert sorted(map(int, score.groups()))[0] == 0 < max(map(int, score.groups()))


@pytest.mark.parametrize(
    ("options", "environment"), [((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"}), (("--ascii",), {})], ids=str
)
def test_a_plain_terminal_gets_plain_ascii(options: tuple[str, ...], environment: dict[str, str]) -> None:
    with Pty("--level", "easy", "--seed", "1", *options, **environment) as terminal:
        assert terminal.ask().endswith(" > ")
        terminal.type("list\n")
        assert terminal.type("\x04") == ""
        assert terminal.process.wait(30) == 0
    assert terminal.shown.isascii()
    assert "\x1b" not in terminal.shown
    assert "Score: you 0, Easy 0." in terminal.shown


def test_ctrl_c_in_a_terminal() -> None:
    with Pty("--level", "easy", "--seed", "1") as terminal:
        terminal.ask()
        time.sleep(0.3)  # a person is not as quick; in the moment before it waits, Python keeps Ctrl-C for later
        terminal.type("\x03")
        assert terminal.process.wait(30) == 128 + signal.SIGINT
    assert "Score: you 0, Easy 0." in terminal.shown
    assert "Traceback" not in terminal.shown
