"""A session of money games between a person and the bot: the questions, the answers, and what is shown.

All input and output goes through the two functions that are handed in.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from gammon_rl.cli.draw import PLAIN, UNICODE, Style, draw, paint
from gammon_rl.cli.game import BACKGAMMON, GAMMON, SINGLE, Game, Outcome, opening_throws, roll_dice
from gammon_rl.errors import GammonError
from gammon_rl.rules.board import checkers_off, turn
from gammon_rl.rules.notation import Play, parse_play, play_of
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import STANDARD, Variant

if TYPE_CHECKING:
    from gammon_rl.bots.bot import Bot

YOU, BOT = 0, 1

_LISTED: Final = 60  # plays shown at once
_HINTS: Final = 5
_LONGEST: Final = 60  # letters of an answer that are worth reading
_NEWS: Final = 6  # lines kept under the board
_CLEAR: Final = "\033[2J\033[H"
_LEVELS: Final = {SINGLE: "a single game", GAMMON: "a gammon", BACKGAMMON: "a backgammon"}

# The words that a question understands, each with what it means. Beginnings of a word will do, the first one that
# fits; "" is an empty line, and so what Enter does.
_BEFORE_ROLL: Final = {"": "roll", "roll": "roll", "double": "double", "hint": "hint", "resign": "resign"}
_DOUBLE_OR_PASS: Final = {"double": "double", "pass": "pass", "hint": "hint"}
_ANSWERS: Final = {"take": "take", "drop": "drop", "pass": "drop", "hint": "hint"}
_PLAYING: Final = {"list": "list", "hint": "hint"}
_BETWEEN_GAMES: Final = {"help": "help", "?": "help", "quit": "quit", "exit": "quit"}
_ANY_TIME: Final = {"board": "board", "pips": "pips", **_BETWEEN_GAMES}
_RESIGNATIONS: Final = {"single": "single", "gammon": "gammon", "backgammon": "backgammon", "no": "no", "": "no"}
_SINGLE_ONLY: Final = {"yes": "single", "single": "single", "no": "no", "": "no"}
_WORDS: Final = {**_BEFORE_ROLL, **_ANSWERS, **_PLAYING, **_ANY_TIME}

_HELP: Final = """\
  Before the roll  roll (or Enter), double, resign, hint
  A double         take, drop, hint
  A play           8/5 6/5, 24/14, bar/22 13/7*, 6/4(2), 6/off
                   list: all legal plays; list 13: those from the 13 point
                   hint: the best plays and their equities
                   a number: the play of that number
  At any time      board, pips, help, quit
  Words may be shortened: r, d, t, p (drop), l, h, b, q. You move from 24 to 1.
  Plays are in the numbers of who makes them; your 24 is the other's 1."""


class _LeaveError(Exception):
    """The person wants to leave."""


class Session:
    """Money games, one after another, between the person at the terminal (player 0) and the bot (player 1).

    Parameters
    ----------
    bot : Bot
        The opponent. It is asked for plays, cube actions and hints, and never sees the dice before they are rolled.
    dice : np.random.Generator
        Where the dice come from.
    read : callable
        Shows a question and returns the line that was typed; raises EOFError where there is none.
    write : callable
        Shows text, which has its own line ends.
    name : str
        What to call the bot.
    rules : Variant
        The variant played.
    cube, jacoby : bool
        Whether there is a cube, and whether gammons count as single games until it is turned.
    light : bool
        Whether the person has the light checkers.
    style : Style
        How the board is drawn. `UNICODE` stands for a terminal that knows ANSI escapes: there the board is in colours
        and always at the top of a fresh screen, with what has happened since the person's last play under it.
    live : bool
        Whether a line that was begun can be taken back, as on any terminal.
    """

    def __init__(
        self,
        bot: "Bot",
        dice: np.random.Generator,
        read: Callable[[str], str],
        write: Callable[[str], None],
        *,
        name: str = "Bot",
        rules: Variant = STANDARD,
        cube: bool = True,
        jacoby: bool = True,
        light: bool = True,
        style: Style = PLAIN,
        live: bool = False,
    ) -> None:
        self.score = [0, 0]
        self._bot, self._dice, self._read, self._write = bot, dice, read, write
        self._names = ("You", name)
        self._rules, self._cube, self._jacoby = rules, cube, jacoby
        self._light, self._style, self._live = light, style, live
        self._news = deque[str](maxlen=_NEWS)

    def run(self) -> int:
        """Play until the person has had enough, and return the exit code: 130 after Ctrl-C, else 0."""
        games = code = 0
        self._tell(f"{self._rules.name.capitalize()} for money against {self._names[BOT]}. ? explains the commands.")
        try:
            while True:
                self._play_game()
                games += 1
                if not self._agrees(f"{self._standing()} Another game (Enter: yes)", enter="yes"):
                    break
        except _LeaveError:
            pass
        except (EOFError, KeyboardInterrupt) as error:
            code = 130 if isinstance(error, KeyboardInterrupt) else 0
            self._say()  # the question stands there without an answer
        self._say(f"{self._standing()} {games} game{'s' * (games != 1)} played.")
        return code

    # A game ----------------------------------------------------------------------------------------------------

    def _play_game(self) -> None:
        """Play one game and count it."""
        throws = opening_throws(self._dice)
        shown = ", again ".join(f"you {yours}, {self._names[BOT]} {its}" for yours, its in throws)
        first = YOU if throws[-1][YOU] > throws[-1][BOT] else BOT
        self._tell(f"Opening roll: {shown}. {self._does(first, 'begin')}.")
        outcome = self.finish(Game.start(first, self._rules, cube=self._cube, jacoby=self._jacoby), throws[-1])
        self.score[outcome.winner] += outcome.points
        self._news.clear()

    def finish(self, game: Game, dice: tuple[int, int] | None = None) -> Outcome:
        """Play a game on to its end, and return how it ended; it is not counted here.

        Parameters
        ----------
        game : Game
            The game at the start of a turn.
        dice : (int, int), optional
            The roll of this turn if it is rolled already, as it is in the first turn.
        """
        state: Game | Outcome = game
        while isinstance(state, Game):
            state, dice = self._turn(state, dice), None
        return state

    def _turn(self, game: Game, dice: tuple[int, int] | None) -> Game | Outcome:
        """Play one turn, with dice that are rolled already or not."""
        if dice is None:
            state = self._before_roll(game)
            if isinstance(state, Outcome):
                return state
            game = state
            if game.shut_out:
                has = "You are" if game.player == YOU else f"{self._names[BOT]} is"
                self._tell(f"{has} on the bar against a closed board: nothing is rolled.")
                return game.passed()
            dice = roll_dice(self._dice)
        plays = self._person_plays if game.player == YOU else self._bot_plays
        game = game.played(plays(game.position, dice))
        if outcome := game.outcome:
            self._show(game.seen_by(YOU), acting=None)
            self._say_won(game, outcome)
        return outcome or game

    def _before_roll(self, game: Game) -> Game | Outcome:
        """Return the game when it is time to roll, the cube turned or not; or how it ended."""
        if game.player == YOU and not (game.shut_out and not game.may_double):
            return self._person_before_roll(game)
        if game.player == BOT and game.may_double:
            with self._thinking():
                doubles = self._bot.cube_action(game.position).double
            return self._double(game) if doubles else game
        return game

    def _double(self, game: Game) -> Game | Outcome:
        """Let the player on turn double, and the other one answer."""
        offered, value = game.offered(), game.position.cube_value
        self._tell(f"{self._does(game.player, 'double')} from {value} to {2 * value}.")
        if game.player == YOU:
            with self._thinking():
                takes = self._bot.cube_action(offered).take
        else:
            takes = self._person_takes(offered)
        if takes:
            self._tell(f"{self._does(game.other, 'take')} the cube at {2 * value}.")
            return game.taken()
        outcome = game.dropped()
        self._tell(f"{self._does(game.other, 'drop')}. {self._does(game.player, 'win')} {_points(outcome.points)}.")
        return outcome

    # The bot ---------------------------------------------------------------------------------------------------

    def _bot_plays(self, position: Position, dice: tuple[int, int]) -> Play:
        with self._thinking():
            play = self._bot.choose_play(position, dice)
        self._tell(self._has_played(BOT, dice, play))
        return play

    def _bot_accepts(self, game: Game, level: int) -> bool:
        """Return whether the bot accepts that the person resigns: unless playing on promises it more."""
        if self._bot_judges:
            with self._thinking():
                expected = -self._bot.cube_action(game.position).nd
            return level >= expected - 0.005  # an estimate, so a certain single game may look a little better
        # Without an opinion it lets nobody off who has all checkers left while it is bearing off itself.
        mine, its = checkers_off(game.position.board, self._rules).tolist()
        return bool(level > SINGLE or mine > 0 or its == 0)

    @property
    def _bot_judges(self) -> bool:
        return self._bot.has_opinions

    # The person ------------------------------------------------------------------------------------------------

    def _person_before_roll(self, game: Game) -> Game | Outcome:
        self._show(game.position)
        if game.shut_out:
            question, words = "You cannot enter. Double or pass", _DOUBLE_OR_PASS
        else:
            question, words = "Enter rolls, d doubles" if game.may_double else "Enter rolls", _BEFORE_ROLL
        declined = False
        while True:
            command, text = self._ask(question, words, game.position)
            if command == "double" and game.may_double:
                return self._double(game)
            if command == "double":
                self._say(self._why_no_double(game))
            elif command == "hint":
                self._hint_cube(game.position, game.may_double)
            elif command == "resign" and declined:
                self._say(f"{self._names[BOT]} has declined; you can offer again in your next turn.")
            elif command == "resign":
                level = self._resignation(game, text)
                if level and self._bot_accepts(game, level):
                    outcome = game.resigned(level)
                    self._tell(f"{self._names[BOT]} accepts.")
                    self._say_won(game, outcome)
                    return outcome
                if level:
                    self._say(f"{self._names[BOT]} declines {_LEVELS[level]}. The game goes on.")
                    declined = True
            else:
                return game

    def _why_no_double(self, game: Game) -> str:
        if not self._cube:
            return "There is no cube in this session."
        if game.position.cube_owner == "theirs":
            return f"{self._names[BOT]} owns the cube, so you cannot double."
        return f"The cube is at {game.position.cube_value} and goes no higher."

    def _resignation(self, game: Game, text: str) -> int:
        """Return the level at which the person resigns, 0 if they think better of it."""
        question, words = "Resign single, gammon or backgammon (Enter: no)", _RESIGNATIONS
        if game.highest_resignation == SINGLE:
            question, words = "Only a single game counts before a double. Resign it: yes or no", _SINGLE_ONLY
        level = (text and _meaning(text, words)) or self._ask(question, words, game.position)[0]
        return {"single": SINGLE, "gammon": GAMMON, "backgammon": BACKGAMMON}.get(level, 0)

    def _person_takes(self, offered: Position) -> bool:
        """Return whether the person takes a double."""
        self._show(offered)
        value = offered.cube_value
        while True:
            command, _ = self._ask(f"Take at {2 * value} or drop and lose {value}", _ANSWERS, offered)
            if command != "hint":
                return command == "take"
            self._hint_cube(offered, True)

    def _person_plays(self, position: Position, dice: tuple[int, int]) -> Play:
        plays = _sorted_plays(position, dice)
        if plays:
            play = self._choice(replace(position, dice=dice), dice, plays)
        else:
            play = play_of(position.board, dice, turn(position.board), self._rules)
        self._news.clear()
        self._tell(self._has_played(YOU, dice, play))
        return play

    def _choice(self, position: Position, dice: tuple[int, int], plays: list[Play]) -> Play:
        """Return the play the person chooses among the legal ones."""
        self._show(position)
        question, words, numbered = f"Your play with {_roll(dice)}", _PLAYING, list[Play]()
        if len(plays) == 1:
            question, words, numbered = f"Your only play is {plays[0]}: Enter makes it", {"": "make", **words}, plays
        while True:
            command, text = self._ask(question, words, position, free="a play such as 8/5 6/5")
            if command == "make":
                return plays[0]
            if command == "list":
                numbered = self._list(plays, text) or numbered
            elif command == "hint":
                numbered = self._hint_plays(position, dice) or numbered
            elif not text.isdecimal():
                try:
                    return parse_play(re.sub(r"(?<=[\w*])-(?=\w)", "/", text), position.board, dice, self._rules)
                except GammonError as error:
                    self._say(f"{error}.")
            elif not numbered:
                numbered = self._list(plays, "")
            elif 1 <= int(text) <= len(numbered):
                return numbered[int(text) - 1]
            else:
                self._say(f"There is no play {text}; the numbers go from 1 to {len(numbered)}.")

    def _list(self, plays: Sequence[Play], start: str) -> list[Play]:
        """Show plays, all or those with a step from a point, and return them in the order of their numbers."""
        found = [play for play in plays if any(step.startswith(start.casefold()) for step in play.text.split())]
        if not found:
            self._say(f"No legal play has a step that begins with {start!r}.")
        shown = found[:_LISTED]
        width = max((len(play.text) for play in shown), default=0) + 7
        columns = max(1, 79 // width)
        for row in range(0, len(shown), columns):
            cells = (
                f"{row + at:>3}. {play.text:<{width - 5}}" for at, play in enumerate(shown[row:][:columns], start=1)
            )
            self._say("".join(cells).rstrip())
        if len(found) > len(shown):
            self._say(f"  ... and {len(found) - len(shown)} more; list 13 shows those with a step from the 13 point.")
        return shown

    def _hint_plays(self, position: Position, dice: tuple[int, int]) -> list[Play]:
        """Show what the bot thinks the best plays are, and return them in the order of their numbers."""
        if not self._bot_judges:
            self._say(self._no_hint())
            return []
        with self._thinking():
            best = self._bot.analyse(position, dice)[:_HINTS]
        width = max(len(one.play.text) for one in best)
        for number, one in enumerate(best, start=1):
            loss = f"{-one.loss:+.3f}" if number > 1 else "      "
            self._say(
                f"{number:>3}. {one.play.text:<{width}}  {one.equity:+.3f}  {loss}  "
                f"wins {100 * one.probs[0]:3.0f} %, gammons {100 * one.probs[1]:2.0f} %  {one.ply}-ply"
            )
        return [one.play for one in best]

    def _hint_cube(self, position: Position, possible: bool) -> None:
        """Show what the bot thinks of doubling, or of taking."""
        if not possible:
            self._say("No hint: you cannot double, so there is nothing to decide before the roll.")
            return
        if not self._bot_judges:
            self._say(self._no_hint())
            return
        with self._thinking():
            decision = self._bot.cube_action(position)
        if position.doubled:
            advice = f"{'Take' if decision.take else 'Drop'}: for {self._names[BOT]}"
        else:
            advice = "Double:" if decision.double else "Do not double:"
        self._say(
            f"  {advice} no double {decision.nd:+.3f}, double/take {decision.dt:+.3f}, double/drop {decision.dp:+.3f}."
        )

    def _no_hint(self) -> str:
        return f"No hint: {self._names[BOT]} plays at random; normal and hard have an opinion."

    # Questions -------------------------------------------------------------------------------------------------

    def _ask(
        self, question: str, words: Mapping[str, str], position: Position | None = None, free: str = ""
    ) -> tuple[str, str]:
        """Ask until there is an answer, and return the command it means and what stands behind it.

        Commands that are always there are answered here. Where anything else is welcome too, which `free` then
        describes, it is returned with an empty command.
        """
        general = _ANY_TIME if position else _BETWEEN_GAMES
        while True:
            answer = " ".join(self._read(f"{question} > ").split())
            first, _, rest = answer.partition(" ")
            command = _meaning(first, words) or _meaning(first, general)
            if rest and command not in ("list", "resign"):
                command = ""
            if command == "help":
                self._say(_HELP)
            elif command == "board" and position:
                self._show(position)
            elif command == "pips" and position:
                mine, its = position.pips
                self._say(f"Pips: you {mine}, {self._names[BOT]} {its}.")
            elif command == "quit":
                if not position or self._agrees("This game will not count. Leave it: yes or no"):
                    raise _LeaveError
            elif command:
                return command, rest
            elif free and answer and len(answer) <= _LONGEST and not _meaning(first, _WORDS):
                return "", answer
            else:
                self._say(_complaint(answer, words, free))

    def _agrees(self, question: str, enter: str = "") -> bool:
        """Return whether the person says yes; `enter` is what an empty line means."""
        return self._ask(question, {"yes": "yes", "no": "no"} | ({"": enter} if enter else {}))[0] == "yes"

    # What is shown ---------------------------------------------------------------------------------------------

    def _say(self, text: str = "") -> None:
        self._write(f"{text}\n")

    def _tell(self, text: str) -> None:
        """Say what has happened, and keep it in view."""
        self._news.append(text)
        self._say(text)

    def _show(self, position: Position, acting: bool | None = True) -> None:
        """Show the board."""
        drawing = draw(
            position,
            names=("you", self._names[BOT]),
            score=(self.score[YOU], self.score[BOT]),
            light=self._light,
            acting=acting,
            cube=self._cube,
            style=self._style,
        )
        if self._style == UNICODE:
            self._write(f"{_CLEAR}{paint(drawing)}\n" + "".join(f"{line}\n" for line in self._news))
        else:
            self._write(f"\n{drawing}\n\n")

    def _say_won(self, game: Game, outcome: Outcome) -> None:
        value = game.position.cube_value
        how = _LEVELS[outcome.level]
        if value > 1:
            how += f" with the cube at {value}"
        if outcome.points < value * outcome.level:
            how += ", which counts as a single game before a double"
        self._tell(f"{self._does(outcome.winner, 'win')} {how}: {_points(outcome.points)}.")

    def _has_played(self, player: int, dice: tuple[int, int], play: Play) -> str:
        if not play.steps:
            return f"{self._does(player, 'roll')} {_roll(dice)} and cannot move."
        return f"{self._does(player, 'play')} {_roll(dice)}: {play}."

    def _standing(self) -> str:
        return f"Score: you {self.score[YOU]}, {self._names[BOT]} {self.score[BOT]}."

    def _does(self, player: int, verb: str) -> str:
        return f"{self._names[player]} {verb}{'s' * (player == BOT)}"

    @contextmanager
    def _thinking(self) -> Iterator[None]:
        """Show on a terminal that the bot is at work."""
        note = f"{self._names[BOT]} is thinking ..." if self._live else ""
        self._write(note)
        try:
            yield
        finally:
            self._write(f"\r{' ' * len(note)}\r" if note else "")


def _meaning(word: str, words: Mapping[str, str]) -> str:
    """Return what a word or its beginning means among some words; empty if it is none of them."""
    word = word.casefold()
    if word in words:
        return words[word]
    return next((means for known, means in words.items() if word and known.startswith(word)), "")


def _complaint(answer: str, words: Mapping[str, str], free: str) -> str:
    """Return what is wrong with an answer, and what was expected."""
    meant = _meaning(answer.partition(" ")[0], _WORDS)
    if not answer:
        fault = ""
    elif len(answer) > _LONGEST:
        fault = "That is too long. "
    elif free and meant in ("roll", "double", "resign"):
        fault = f"{answer!r} is for the start of your turn, before the roll. "
    else:
        fault = f"{answer!r} {'does not fit here' if meant else 'is not understood'}. "
    expected = [*([free] if free else []), *(word or "Enter" for word in words)]
    return f"{fault}Expected {', '.join(expected[:-1])} or {expected[-1]}; ? explains."


def _sorted_plays(position: Position, dice: tuple[int, int]) -> list[Play]:
    """Return the legal plays, those that move from the highest points first."""
    board, rules = position.board, position.rules
    plays = [play_of(board, dice, afterstate, rules) for afterstate in legal_plays(board[None], dice, rules)[1]]
    return sorted(plays, key=lambda play: sorted((-step.start, -step.end) for step in play.steps))


def _roll(dice: tuple[int, int]) -> str:
    return f"{max(dice)}-{min(dice)}"


def _points(points: int) -> str:
    return f"{points} point{'s' * (points != 1)}"
