"""The Universal Backgammon Interface (UBGI), draft 0.1: an engine that is told positions and answers decisions.

It is to backgammon what UCI is to chess: lines of text on standard input and output, the other program in charge.

Source: "UBGI v0.1 Draft Spec", docs/ubgi-v0.1-spec.md of https://github.com/bungogood/bgci, which goes back to
https://github.com/oysteijo/Universal-Backgammon-Interface (draft 0.01). `docs/protocols.md` has what is spoken here,
where the drafts differ, and what was chosen.
"""

import threading
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from gammon_rl import __version__
from gammon_rl.bots.bot import Bot
from gammon_rl.bots.levels import LEVELS, Level
from gammon_rl.errors import GammonError
from gammon_rl.rules.board import MY_BAR, OFF
from gammon_rl.rules.ids import LARGEST_CUBE, CubeOwner, board_from_position_id, position_id
from gammon_rl.rules.notation import Play
from gammon_rl.rules.position import LONGEST_MATCH, Position
from gammon_rl.rules.steps import Step
from gammon_rl.rules.variants import STANDARD, VARIANTS, Boards, Variant
from gammon_rl.serve.lines import ByteLines, one_line, read_lines
from gammon_rl.stakes.cube import CubeDecision

DEEPEST: Final = 8
"""The most plies of a `go`; each costs some twenty times more, so `movetime` or `stop` will end the deep ones."""
GRACE: Final = 5.0
"""Seconds that a search may still take when the input has ended."""

_PLAYERS: Final = {"p0": 0, "p1": 1}
_SWITCH: Final = {"on": True, "off": False}
_CHECK: Final = ("true", "false")
_ROLES: Final = ("chequer", "cube", "take", "turn")
_VARIANTS: Final = {"backgammon" if rules == STANDARD else name: rules for name, rules in VARIANTS.items()}
_LARGEST_SEED: Final = 2**64 - 1


class _Refused(Exception):  # noqa: N818  # it becomes an answer
    """A command that cannot be carried out: the code and the message of the answer."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Settings:
    """The options of an engine.

    Attributes
    ----------
    level : Level
        How well it plays.
    seed : int
        Of the levels that play, or err, at random.
    rules : Variant
        The variant.
    beavers : bool
        Whether a double for money may be beavered.
    move_id : bool
        Whether to give the position after a play as well.
    info : bool
        Whether to say what the bot thinks of a play or a double.
    """

    level: Level
    seed: int = 1
    rules: Variant = STANDARD
    beavers: bool = False
    move_id: bool = False
    info: bool = False

    @property
    def player(self) -> tuple[Level, int, Variant]:
        """What makes another bot of it."""
        return self.level, self.seed, self.rules

    def told(self) -> dict[str, str]:
        """Return the options by name: type, present value, and what else there is."""
        return {
            "Level": _combo(self.level.name, LEVELS),
            "Ply": f"spin default {max(self.level.ply, 0)} min 0 max {DEEPEST}",
            "Seed": f"spin default {self.seed} min 0 max {_LARGEST_SEED}",
            "Variant": _combo(_variant_name(self.rules), _VARIANTS),
            "Beavers": _check(self.beavers),
            "BestMoveId": _check(self.move_id),
            "Info": _check(self.info),
        }

    def having(self, name: str, value: str) -> "Settings":
        """Return the same with another value of an option; the letter case of its name does not matter."""
        match name.lower():
            case "level":
                return replace(self, level=LEVELS[_one_of(name, value, LEVELS)])
            case "ply":
                if not _looks_ahead(self.level):
                    raise _Refused("bad_argument", f"level {self.level.name} has no depth")
                return replace(self, level=self.level.at(_count(name, value, DEEPEST)))
            case "seed":
                return replace(self, seed=_count(name, value, _LARGEST_SEED))
            case "variant":
                return replace(self, rules=_VARIANTS[_one_of(name, value, _VARIANTS)])
            case "beavers":
                return replace(self, beavers=_one_of(name, value, _CHECK) == "true")
            case "bestmoveid":
                return replace(self, move_id=_one_of(name, value, _CHECK) == "true")
            case "info":
                return replace(self, info=_one_of(name, value, _CHECK) == "true")
        raise _Refused("unsupported_feature", f"there is no option {name!r}; known are {', '.join(self.told())}")


@dataclass(frozen=True)
class Match:
    """What is played for, as the session commands have said; player 0 first.

    Attributes
    ----------
    length : int
        Points of the match, 0 for money.
    jacoby, crawford_rule : bool
        The rules.
    score : (int, int)
        Points so far.
    crawford_score : (int, int) or None
        The first score of the session at which a player was one point from the match: that of the Crawford game.
    """

    length: int = 0
    jacoby: bool = False
    crawford_rule: bool = True
    score: tuple[int, int] = (0, 0)
    crawford_score: tuple[int, int] | None = None

    def at(self, score: tuple[int, int]) -> "Match":
        """Return the same match at another score."""
        at_match_point = sum(points == self.length - 1 for points in score) == 1
        first = score if at_match_point and self.length > 1 else None
        return replace(self, score=score, crawford_score=self.crawford_score or first)

    @property
    def crawford(self) -> bool:
        """Whether this is the Crawford game."""
        return self.crawford_rule and self.score == self.crawford_score


@dataclass(frozen=True)
class Game:
    """A position as it has been told.

    Attributes
    ----------
    place : Boards, Position or None
        The board seen by the player on roll, or a position that says everything else as well; None before any.
    dice : (int, int) or None
        The roll.
    cube, owner : int, int
        What the cube shows; player 0 or 1, or -1 in the centre.
    on_roll : int
        Player 0 or 1.
    retold : bool
        Whether the session, the score, the cube or the turn was told after the position.
    """

    place: Boards | Position | None = None
    dice: tuple[int, int] | None = None
    cube: int = 1
    owner: int = -1
    on_roll: int = 0
    retold: bool = False

    def position(self, match: Match, settings: Settings) -> Position:
        """Return the position before the roll, as the player on roll (or the one who was doubled) sees it."""
        if isinstance(self.place, Position):
            if self.retold:
                raise _Refused("missing_context", "position: the last one has a score, cube and turn of its own")
            return replace(self.place, dice=None, beavers=self.place.beavers or settings.beavers)
        if self.place is None:
            raise _Refused("missing_context", "position")
        owner: CubeOwner = "centre" if self.owner < 0 else "mine" if self.owner == self.on_roll else "theirs"
        return Position(
            self.place,
            cube_value=self.cube,
            cube_owner=owner,
            match_length=match.length,
            score=match.score if self.on_roll == 0 else match.score[::-1],
            crawford=match.crawford,
            jacoby=match.jacoby,
            beavers=settings.beavers,
            rules=settings.rules,
        )


class Engine:
    """A UBGI engine: takes a line at a time, and searches beside it.

    Parameters
    ----------
    say : callable
        Takes a line of output, without its end. It is called from two threads, never at the same time.
    level : str
        The level to begin with; ``hard@3`` and such as well.
    model : str or Path, optional
        The model; by default the one released for the variant.
    seed : int
        Of the levels that play, or err, at random.
    rules : Variant
        The variant to begin with.

    Attributes
    ----------
    is_over : bool
        Whether it was told to quit.

    Raises
    ------
    GammonError
        If there is no such level, or the model cannot be used.

    Examples
    --------
    >>> said = []
    >>> engine = Engine(said.append)
    >>> for line in ("newgame", "position gnubgid 4HPwATDgc/ABMA", "dice 3 1", "go role chequer"):
    ...     engine.take(line)
    >>> engine.finish()
    >>> said
    ['bestmove 8/5 6/5']
    """

    def __init__(
        self,
        say: Callable[[str], None],
        level: str = "hard",
        model: str | Path | None = None,
        seed: int = 1,
        rules: Variant = STANDARD,
    ) -> None:
        self.is_over = False
        self._say, self._model = say, model
        self._bot = Bot(level, model, seed, rules)
        self._settings = Settings(self._bot.level, seed, rules)
        self._match, self._game = Match(), Game()
        self._one_at_a_time = threading.Lock()  # for the output
        self._stop = threading.Event()
        self._search: threading.Thread | None = None
        self._searching = False
        self._commands: Mapping[str, Callable[[list[str]], None]] = {
            "ubgi": self._ubgi,
            "isready": lambda _: self._out("readyok"),
            "stop": lambda _: self._stop.set(),
            "quit": self._quit,
            "setoption": self._setoption,
            "set": self._set,
            "newgame": self._newgame,
            "newsession": self._newsession,
            "setscore": self._setscore,
            "setcube": self._setcube,
            "setturn": self._setturn,
            "position": self._position,
            "dice": self._dice,
            "go": self._go,
        }

    def take(self, line: str) -> None:
        """Carry out a command. What is wrong with it is said in an answer; nothing is raised.

        The answer to ``go`` comes when it is found, from another thread.
        """
        command, *words = line.split() or [""]
        if not command:
            return
        try:
            if command not in self._commands:
                raise _Refused("unknown_command", f"{command!r}; known are {', '.join(self._commands)}")
            if self._searching and command not in ("isready", "stop", "quit"):
                raise _Refused("search_in_progress", f"{command!r} has to wait for the answer; stop brings it")
            self._commands[command](words)
        except Exception as error:
            self._out(_excuse(error))

    def finish(self, grace: float | None = None) -> None:
        """Wait until a search has been answered; when so many seconds are over it is stopped."""
        if self._search:
            self._search.join(grace)
            self._stop.set()
            self._search.join()

    def _out(self, *lines: str) -> None:
        with self._one_at_a_time:
            for line in lines:
                self._say(line)

    # the engine itself ------------------------------------------------------------------------------------------

    def _ubgi(self, _: list[str]) -> None:
        options = (f"option name {name} type {kind}" for name, kind in self._settings.told().items())
        author = "id author the gammon_rl authors"
        self._out("id name gammon_rl", author, f"id version {__version__}", *options, "ubgiok")

    def _quit(self, _: list[str]) -> None:
        self.is_over = True
        self._stop.set()

    def _setoption(self, words: list[str]) -> None:
        match words:
            case ["name", name, "value", value]:
                self._set_option(name, value)
            case _:
                raise _Refused("bad_argument", "expected: setoption name <Name> value <Value>")

    def _set(self, words: list[str]) -> None:
        match words:
            case [key, value]:
                self._set_option(key.rpartition(".")[2], value)
            case _:
                raise _Refused("bad_argument", "expected: set <key> <value>")

    def _set_option(self, name: str, value: str) -> None:
        now, asked = self._settings, self._settings.having(name, value)
        if asked.player != now.player or name.lower() == "seed":  # a seed told again begins again
            try:
                self._bot = Bot(asked.level, self._model, asked.seed, asked.rules)
            except GammonError as error:
                raise _Refused("unsupported_feature", str(error)) from error
        if asked.rules != now.rules:
            self._game = Game()
        self._settings = asked

    # what is played ---------------------------------------------------------------------------------------------

    def _newgame(self, _: list[str]) -> None:
        self._game = Game()

    def _newsession(self, words: list[str]) -> None:
        said = _pairs(words, ("type", "length", "jacoby", "crawford"))
        length = 0
        if _one_of("type", said.get("type", ""), ("money", "match")) == "match":
            length = _count("length", said.get("length", ""), LONGEST_MATCH, least=1)
        jacoby, crawford = (
            _SWITCH[_one_of(name, said.get(name, usual), _SWITCH)]
            for name, usual in (("jacoby", "off"), ("crawford", "on"))
        )
        self._match = Match(length, jacoby, crawford)
        self._game = replace(self._game, retold=True)

    def _setscore(self, words: list[str]) -> None:
        match words:
            case [first, second]:
                self._match = self._match.at((_count("a score", first, 999), _count("a score", second, 999)))
                self._game = replace(self._game, retold=True)
            case _:
                raise _Refused("bad_argument", "expected: setscore <p0> <p1>")

    def _setcube(self, words: list[str]) -> None:
        said = _pairs(words, ("value", "owner"))
        owners = {"center": -1, "centre": -1, **_PLAYERS}
        owner = owners[_one_of("owner", said.get("owner", ""), owners)]
        value = _count("value", said.get("value", ""), LARGEST_CUBE)
        self._game = replace(self._game, cube=value, owner=owner, retold=True)

    def _setturn(self, words: list[str]) -> None:
        on_roll = _PLAYERS[_one_of("turn", " ".join(words), _PLAYERS)]
        self._game = replace(self._game, on_roll=on_roll, retold=True)

    def _position(self, words: list[str]) -> None:
        rules = self._settings.rules
        match words:
            case ["gnubgid", text] if ":" not in text:
                place = board_from_position_id(text, rules)
                self._game = replace(self._game, place=place, dice=None, retold=False)
            case ["gnubgid" | "xgid", text]:
                whole = Position.parse(text, rules)
                self._game = replace(self._game, place=whole, dice=whole.dice, retold=False)
            case _:
                raise _Refused("bad_argument", "expected: position gnubgid <id>, or position xgid <xgid>")

    def _dice(self, words: list[str]) -> None:
        match words:
            case [first, second]:
                dice = _count("a die", first, 6, least=1), _count("a die", second, 6, least=1)
                self._game = replace(self._game, dice=dice)
            case _:
                raise _Refused("bad_argument", "expected: dice <d1> <d2>")

    # deciding ---------------------------------------------------------------------------------------------------

    def _go(self, words: list[str]) -> None:
        if words and words[0] in _ROLES:  # as draft 0.2 has it
            words = ["role", *words]
        said = _pairs(words, ("role", "movetime", "depth", "nodes", "trials"))
        for name in ("nodes", "trials"):
            if name in said:
                raise _Refused("unsupported_feature", f"a search is bounded by movetime or depth, not by {name}")
        role = _one_of("role", said.get("role", "chequer"), _ROLES)
        limit = _count("movetime", said["movetime"], 1 << 31) / 1000 if "movetime" in said else None
        bot = self._bot
        if "depth" in said:
            depth = _count("depth", said["depth"], DEEPEST)
            if _looks_ahead(bot.level):
                bot = Bot(bot.level.at(depth), bot.evaluator, rules=bot.rules)
        position, dice = self._game.position(self._match, self._settings), self._game.dice
        if role in ("chequer", "turn"):
            if position.doubled:
                raise _Refused("bad_argument", "a double has to be answered first: go role take")
            if dice is None:
                raise _Refused("missing_context", "dice")
        self._stop = threading.Event()
        question = _Question(bot, position, dice, self._settings, limit, self._stop)
        self._searching = True
        self._search = threading.Thread(target=self._answer, args=(question, role), daemon=True)
        self._search.start()

    def _answer(self, question: "_Question", role: str) -> None:
        """Decide and say so, in the thread of the search."""
        try:
            lines = list(question.answer(role))
        except Exception as error:
            lines = [_excuse(error)]
        with self._one_at_a_time:
            self._searching = False  # before the answer is out, for the next command may follow at once
            if not self.is_over:
                for line in lines:
                    self._say(line)


@dataclass(frozen=True)
class _Question:
    """What a search has to decide, and what it may use for it."""

    bot: Bot
    position: Position
    dice: tuple[int, int] | None
    settings: Settings
    limit: float | None
    stop: threading.Event

    def answer(self, role: str) -> Iterator[str]:
        """Yield the lines of the answer."""
        match role:
            case "chequer":
                play, info = self._play(self.limit)
                yield from info
                if self.settings.move_id:
                    yield f"bestmoveid {position_id(play.afterstate)}"
                yield f"bestmove {_payload(play.steps)}"
            case "turn":
                half = None if self.limit is None else self.limit / 2
                cube, info = self._cube(half)
                play, more = self._play(half)
                yield from (*info, *more)
                yield f"bestturn cube={_verb(cube)} moveid={position_id(play.afterstate)}"
            case _:
                cube, info = self._cube(self.limit)
                yield from info
                answers = role == "take" or self.position.doubled
                answer = "beaver" if cube.beaver else "take" if cube.take else "drop"
                yield f"bestcube {answer if answers else _verb(cube)}"

    def _play(self, limit: float | None) -> tuple[Play, list[str]]:
        """Return the play, and what the bot thinks of it if that is asked for."""
        assert self.dice is not None  # or it would not have been asked
        if self.settings.info and _looks_ahead(self.bot.level):
            candidates = self.bot.analyse(self.position, self.dice, limit, self.stop)
            if candidates:
                best = candidates[0]
                win, gammon, backgammon, *_ = best.probs
                chances = f"pwin {win:.4f} pgammon {gammon:.4f} pbg {backgammon:.4f}"
                return best.play, [f"info role chequer depth {best.ply} eq {best.equity:.4f} {chances}"]
        return self.bot.choose_play(self.position, self.dice, limit, self.stop), []

    def _cube(self, limit: float | None) -> tuple[CubeDecision, list[str]]:
        """Return the cube decision, and what the bot thinks if that is asked for."""
        cube = self.bot.cube_action(self.position, limit, self.stop)
        if not (self.settings.info and self.bot.has_opinions):
            return cube, []
        mwc = f" mwc {cube.mwc[0]:.4f}" if cube.mwc else ""
        return cube, [f"info role cube eq {cube.nd:.4f} nd {cube.nd:.4f} dt {cube.dt:.4f} dp {cube.dp:.4f}{mwc}"]


def talk(engine: Engine, source: ByteLines) -> None:
    """Hand an engine the lines of a stream, until ``quit`` or its end."""
    for line in read_lines(source):
        engine.take(line)
        if engine.is_over:
            return
    engine.finish(GRACE)


def _excuse(error: Exception) -> str:
    """Return the answer that says why a command was not carried out."""
    if isinstance(error, _Refused):
        return f"error {error.code} {one_line(error)}"
    if isinstance(error, GammonError):
        return f"error bad_argument {one_line(error)}"
    traceback.print_exception(error)  # a fault of ours, which must not end the conversation
    return f"error internal {one_line(repr(error))}"


def _payload(steps: tuple[Step, ...]) -> str:
    """Return a play as UBGI writes it: every step on its own, no stars, ``pass`` for none.

    Examples
    --------
    >>> _payload((Step(25, 20), Step(20, 15, hit=True))), _payload((Step(2, 0),)), _payload(())
    ('bar/20 20/15', '2/off', 'pass')
    """
    names = {MY_BAR: "bar", OFF: "off"}
    return " ".join(f"{names.get(step.start, step.start)}/{names.get(step.end, step.end)}" for step in steps) or "pass"


def _verb(cube: CubeDecision) -> str:
    return "double" if cube.double else "nodouble"


def _looks_ahead(level: Level) -> bool:
    """Return whether a level can be given a depth: it judges, and does not err on purpose."""
    return level.ply >= 0 and not level.noise


def _variant_name(rules: Variant) -> str:
    return next(name for name, one in _VARIANTS.items() if one == rules)


def _combo(value: str, values: Collection[str]) -> str:
    return " ".join([f"combo default {value}", *(f"var {one}" for one in values)])


def _check(value: bool) -> str:
    return f"check default {str(value).lower()}"


def _pairs(words: list[str], names: Collection[str]) -> dict[str, str]:
    """Return names and the values that follow them, each once at most."""
    said = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) != 2 * len(said) or not said.keys() <= set(names):
        raise _Refused(
            "bad_argument", f"expected some of {', '.join(names)}, each with a value, got {' '.join(words)!r}"
        )
    return said


def _one_of(what: str, value: str, expected: Collection[str]) -> str:
    if value not in expected:
        raise _Refused("bad_argument", f"{what} is one of {', '.join(expected)}, got {value!r}")
    return value


def _count(what: str, value: str, most: int, least: int = 0) -> int:
    number = int(value) if value.isascii() and value.isdecimal() and len(value) < 30 else -1
    if not least <= number <= most:
        raise _Refused("bad_argument", f"{what} is a whole number from {least} to {most}, got {value!r}")
    return number
