"""The terminal game: games driven through its two functions, and once through a real terminal."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from gammon_rl.bots.bot import Bot, Candidate
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
from gammon_rl.rules.variants import HYPERGAMMON, STANDARD, TAVLA, VARIANTS, Variant
from gammon_rl.stakes.cube import CubeDecision
from tests.positions import position

Dice = tuple[int, int]

GARBAGE: Final = (
    "", " ", "x", "??", "8/5/", "99", "-1", "0", "1.5", "roll now", "double it", "take that", "drop dead", "bar", "off",
    "8/5 8/5 8/5 8/5 8/5", "25/0", "24/14", "6/4(9)", "1" * 500, "a" * 500, "8/5" * 200, "\x00", "\x1b[A", "ä½♟", "٣", "²",
    "None", "resign resign", "list 99", "%s %d {0}", "\\", "'", '"', "y", "undo",
)  # fmt: skip


class Dicer:
    """Stands for a generator: single dice and rolls in a given order, none left over unnoticed."""

    def __init__(self, *rolls: Dice) -> None:
        self.left = list(rolls)

    def integers(self, low: int, high: int, size: tuple[int, int]) -> np.ndarray:
        assert (low, high, size) == (1, 7, (1, 2))
        return np.array([self.left.pop(0)])


class ScriptedBot:
    """Plays the first legal play, or what it is told; doubles and answers as it is told."""

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
        if question.startswith("Another game"):
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
    board, mover = STANDARD.start(), "You" if first[0] > first[1] else "Hard"
    for (who, high, low, text), dice in zip(told, [first, *others], strict=True):
        assert who == mover
        assert (int(high), int(low)) == (max(dice), min(dice))
        board = parse_play(text, board, dice).afterstate
        mover = "Hard" if who == "You" else "You"
    if "drop" not in terminal.shown.splitlines()[-1]:
        assert f"{len(told)}"
    if "double" not in terminal.shown.lower().split("another game")[0].rpartition("plays")[2]:
        assert (board <= 0).all() or (board >= 0).all()
