"""A table in a terminal: the questions, the answers, and what is shown.

The table is the judge of everything; here answers become actions, and events become sentences. All input and output
goes through a `Screen`, and after every action the table is kept.
"""

import re
import textwrap
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from gammon_rl.bots.acting import bot_action
from gammon_rl.bots.bot import Bot
from gammon_rl.cli import saving, words
from gammon_rl.cli.draw import UNICODE, Size, draw, paint
from gammon_rl.cli.entry import going_on, read_play
from gammon_rl.cli.looks import LOOKS, look, palette
from gammon_rl.cli.players import Bots
from gammon_rl.cli.review import Known, Review, reconsidered, review
from gammon_rl.cli.telling import LEVELS, YOU, Teller, cube_equities
from gammon_rl.cli.terminal import Screen, TimeUpError
from gammon_rl.errors import GammonError, IllegalActionError, TableError
from gammon_rl.rules.board import pip_counts
from gammon_rl.rules.notation import Play
from gammon_rl.rules.position import Position
from gammon_rl.rules.steps import Step
from gammon_rl.table import actions as ac, events as ev
from gammon_rl.table.dice import HandDice
from gammon_rl.table.state import Phase
from gammon_rl.table.table import Table

_LISTED: Final = 60  # plays shown at once
_HINTS: Final = 5
_QUICK: Final = 2  # plies that take no longer than a second
_LONGEST: Final = 60  # letters of an answer that are worth reading
_NEWS: Final = 6  # lines kept under the board
_SWITCHES: Final = {"forced": "auto_forced", "roll": "auto_roll", "bearoff": "auto_bearoff"}


class LeaveError(Exception):
    """The person wants to leave."""


class Question(NamedTuple):
    """What a person is asked.

    Attributes
    ----------
    text : str
        The question.
    words : tuple of mappings
        The words that answer it.
    free : str
        What else answers it, in words.
    unfit : collection of str
        What the words mean that would be refused now; they are understood, but nobody is told to type them.
    """

    text: str
    words: Mapping[str, str]
    free: str = ""
    unfit: Collection[str] = ()


class Session:
    """A table in a terminal, for one person against a bot, or two.

    Parameters
    ----------
    table : Table
        The table; persons have their seats here, and bots the others.
    bots : Bots
        Where bots come from. They never see dice before they are rolled.
    screen : Screen
        What the person sees and types on.
    look_name : str
        The look of the board.
    keeper : Keeper, optional
        Where the table is kept after every action.
    """

    def __init__(
        self,
        table: Table,
        bots: Bots,
        screen: Screen,
        *,
        look_name: str = "walnut",
        keeper: saving.Keeper | None = None,
    ) -> None:
        self.table = table
        self._bots, self._screen, self._keeper = bots, screen, keeper
        self._look = look_name
        self._news = deque[str](maxlen=_NEWS)
        self._numbered: list[Play] = []  # what was listed last, to be picked by number
        self._deadline: tuple[int, float] | None = None  # for how many events, until when
        self._known: Known = {}  # verdicts on decisions
        self._again: Known = {}  # and those of an opponent who looks further
        self._written = set[Path]()  # copies that may be written over
        self._missed = set[str]()  # bots that cannot be had, and were spoken of
        self._held = ExitStack()  # the file of another game that is played now
        self._unkept = ""  # why the last actions are not in the file
        self._shown = ""  # the board that was shown last, without its dice
        self._viewer = next((seat for seat in (0, 1) if table.seats[seat].is_person), 0)
        self._sit()

    def run(self) -> int:
        """Play until all is over or the person has had enough, and return the exit code: 130 after Ctrl-C, else 0."""
        code = 0
        with self._held:
            try:
                self._keep()
                while self._go():
                    pass
            except LeaveError:
                pass
            except (EOFError, KeyboardInterrupt) as error:
                code = 130 if isinstance(error, KeyboardInterrupt) else 0
                self._say()  # the question stands there without an answer
            self._part()
        return code

    def say_first(self, *lines: str) -> None:
        """Say something before the first question, and keep it in view."""
        for line in lines:
            self._tell(line)

    # What happens ------------------------------------------------------------------------------------------------

    def _go(self) -> bool:
        """Let one thing happen, and return whether anything can follow."""
        table = self.table
        if table.is_over:
            return self._after_all()
        if table.phase is Phase.GAME_OVER:
            self._person(None)
        elif table.phase is Phase.OPENING:
            self._opening()
        else:
            seat = table.to_act
            assert seat is not None
            if table.bot_at(seat):
                self._bot(seat)
            else:
                self._person(seat)
        return True

    def _do(self, action: ac.Action | Play, seat: int | None = None) -> None:
        """Apply an action, say what followed, and keep the table.

        Raises
        ------
        IllegalActionError
            If it is not allowed now.
        """
        notices = self.table.apply(action, seat)
        by_me = any(self._by_person(one) for one in notices)
        if by_me and any(isinstance(one, ev.Played | ev.TurnSkipped) for one in notices):
            self._news.clear()
        self._numbered = []
        self._keep()
        for line in self._teller.tell(notices):
            self._tell(line)
        if any(isinstance(one, ev.GameEnded) for one in notices):
            self._show(None)
            if not self.table.is_over:
                self._review(tell=False)  # a game at a time, so that nobody has to wait for it in the end

    def _opening(self) -> None:
        """Roll to see who begins."""
        if ac.Roll() in self.table.legal_actions():
            self._do(ac.Roll())
            return
        one, other = self._names
        self._roll_by_hand(f"Opening dice, {self._within(one)} first, then {self._within(other)}")

    def _bot(self, seat: int) -> None:
        """Let a bot act."""
        bot = self._bot_called(self.table.bot_at(seat))
        with self._thinking(seat):
            action = bot_action(self.table, bot)
        if isinstance(action, ac.Roll) and action not in self.table.legal_actions():
            self._show(seat)
            self._roll_by_hand(f"Dice of {self._names[seat]}")
        else:
            self._do(action)

    def _bot_called(self, name: str) -> Bot:
        """Return the bot of a name; where a saved game names one that cannot be had here, Easy in its place."""
        try:
            return self._bots.of(name)
        except GammonError as error:
            if name not in self._missed:
                self._missed.add(name)
                self._tell(f"The bot {name} cannot be had ({error}): easy plays in its place.")
            return self._bots.of("easy")

    def _roll_by_hand(self, question: str) -> None:
        """Ask for the dice that were thrown, and roll them."""
        asked = Question(question, {}, "two dice such as 31")
        before = self._mark()
        while self._mark() == before:
            command, text = self._ask(asked)
            if command:
                self._general(command, text)
            else:
                self._enter_dice(text)

    def _enter_dice(self, text: str) -> None:
        roll = _dice_in(text)
        if roll is None:
            first = "Roll first: " if "/" in text else ""
            self._say(f"{first}{text!r} is no roll: two dice such as 31 or 3 1.")
            return
        table = self.table
        if ac.Roll() in table.legal_actions():  # the one that was undone would come again
            self._rewind(len(table.record.events))
        try:
            self._do(ac.Roll(roll))
        except IllegalActionError as error:
            self._say(_short(error))

    def _correct_dice(self, text: str) -> None:
        """Put other dice in the place of the last roll, which was typed in and has led to no decision."""
        events = self.table.record.events
        last = next(
            (at for at in reversed(range(len(events))) if isinstance(events[at], ev.Rolled | ev.OpeningRolled)), None
        )
        since = events[last + 1 :] if last is not None else ()
        if not saving.by_hand(self.table):
            self._say("The dice are the computer's; dice is for those that are typed in.")
        elif last is None or any(isinstance(one, ev.GameStarted) for one in since):
            self._say("Nothing has been rolled in this game.")
        elif self.table.steps or any(self._for_person(one) for one in since):
            self._say("Something was decided after the last roll, so it stands (against the computer, undo goes back).")
        elif not text:
            self._say("Expected the roll as it should be, such as dice 52.")
        elif _dice_in(text) is None:
            self._say(f"{text!r} is no roll: two dice such as 31 or 3 1.")
        else:
            self._news.clear()
            self._rewind(last)
            self._enter_dice(text)

    def _rewind(self, length: int) -> None:
        """Go back to where the record had so many events, with dice that are typed in; what was undone is forgotten."""
        before = self.table
        self.table = Table.replay(before.record, length, HandDice())
        for seat in (0, 1):
            if self._is_person(seat):
                self.table.apply(ac.ChangeSettings(seat, before.settings(seat)))

    def _by_person(self, event: ev.Notice) -> bool:
        """Return whether a person has decided it."""
        return getattr(event, "by", "") == "player" and self._is_person(getattr(event, "seat", -1))

    def _for_person(self, event: ev.Notice) -> bool:
        """Return whether a person has decided it, or a bot for one, or their time was up."""
        decided = getattr(event, "by", "table") != "table" and self._is_person(getattr(event, "seat", -1))
        return decided or isinstance(event, ev.TimedOut)

    def _after_all(self) -> bool:
        """Show how it went, and play again if the person likes; return whether anything follows."""
        self._show(None)  # what was loaded may be over
        self._review()
        if self.table.options.session:
            return False
        again = "Play again, colours swapped" if self.table.options.on_rematch == "swap" else "Play again"
        while True:
            command, text = self._ask(Question(f"{again}: yes or no", words.YES_OR_NO))
            if command == "yes":
                self._replace(self.table.rematch(HandDice() if saving.by_hand(self.table) else None))
                return True
            if command == "no":
                return False
            before = self._mark()
            self._general(command, text)
            if self._mark() != before:
                return True

    # A person ----------------------------------------------------------------------------------------------------

    def _person(self, seat: int | None) -> None:
        """Ask a person until something happens at the table."""
        before = self._mark()
        self._show(seat)
        while self._mark() == before:
            try:
                command, text = self._ask(self._question(seat))
                self._answer(command, text, seat)
            except TimeUpError:
                assert seat is not None
                self._say()
                self._do(ac.TimeOut(seat, self._bots.first_of(self._opponent, "normal")))
            except IllegalActionError as error:
                self._say(_short(error))

    def _question(self, seat: int | None) -> Question:
        table = self.table
        match table.phase:
            case Phase.TO_ROLL:
                ready, by_hand = ac.Roll() in table.legal_actions(), saving.by_hand(table)
                again = " as before, or your dice" if by_hand else ""
                rolls = f"Enter rolls{again}" if ready else "Your dice, such as 31"
                doubles = ", d doubles" if table.may_double else ""
                own = {**words.ROLL, **words.BEFORE_ROLL} if ready else words.BEFORE_ROLL
                legal = {type(action) for action in table.legal_actions()}
                unfit = {name for name, kind in (("double", ac.Double), ("resign", ac.Resign)) if kind not in legal}
                unfit |= set() if ready else {"roll"}
                return Question(self._called(seat, rolls + doubles), own, "two dice" if by_hand else "", unfit)
            case Phase.CLOSED_BOARD:
                return Question(self._called(seat, "You cannot enter: Enter passes, d doubles"), words.CLOSED)
            case Phase.DOUBLED:
                beaver = ac.Beaver() in table.legal_actions()
                text = f"Take at {2 * table.cube}{', beaver' * beaver} or drop and lose {table.cube}"
                own = {**words.DOUBLED, **words.BEAVER} if beaver else words.DOUBLED
                return Question(self._called(seat, text), own)
            case Phase.RESIGNING:
                return Question(self._called(seat, f"Accept {LEVELS[table.resignation]} or decline"), words.RESIGNED)
            case Phase.GAME_OVER:
                text = f"Score: {self._teller.score(table.score)}."
                return Question(f"{text} Next game (Enter: yes)", words.GAME_OVER)
            case _:
                return self._question_play(seat)

    def _question_play(self, seat: int | None) -> Question:
        table = self.table
        assert table.dice is not None
        free = "a play such as 8/5 6/5"
        if table.steps:
            taken = " ".join(f"{_point(step.start)}/{_point(step.end)}{'*' * step.hit}" for step in table.steps)
            return Question(self._called(seat, f"{taken}, and then"), words.PLAYING, free)
        plays = table.legal_actions()
        if len(plays) == 1:
            text = f"Your only play is {table.plays[0]}: Enter makes it"
            return Question(self._called(seat, text), {**words.ENTER_PLAYS, **words.PLAYING}, free)
        return Question(self._called(seat, f"Your play with {_roll(table.dice)}"), words.PLAYING, free)

    def _called(self, seat: int | None, text: str) -> str:
        """Return a question with the name of whom it is for, where two persons play."""
        if seat is None or self._names[seat] == YOU:
            return text
        return f"{self._names[seat]}: {text[0].lower()}{text[1:]}"

    def _answer(self, command: str, text: str, seat: int | None) -> None:
        """Do what an answer says.

        Raises
        ------
        IllegalActionError
            If that is not allowed now.
        """
        simple: dict[str, ac.Action] = {
            "roll": ac.Roll(),
            "double": ac.Double(),
            "pass": ac.PassTurn(),
            "take": ac.Take(),
            "drop": ac.Drop(),
            "beaver": ac.Beaver(),
            "accept": ac.AcceptResignation(),
            "decline": ac.DeclineResignation(),
            "next": ac.NextGame(),
        }
        if command in simple:
            self._do(simple[command], seat)
        elif command == "stop":
            self._stop()
        elif command == "resign":
            self._resign(text, seat)
        elif command == "end":
            self._do(self.table.plays[0], seat)
        elif command == "list":
            self._list(text)
        elif command:
            self._general(command, text)
        elif self.table.phase is Phase.TO_ROLL:
            self._enter_dice(text)
        else:
            self._play(text, seat)

    def _stop(self) -> None:
        """Play no further game: a session is over, a match can go on later."""
        if ac.EndSession() in self.table.legal_actions():
            self._do(ac.EndSession())
        else:
            raise LeaveError

    def _resign(self, text: str, seat: int | None) -> None:
        """Offer to resign, once the person has said how much."""
        levels = [action.level for action in self.table.legal_actions() if isinstance(action, ac.Resign)]
        if not levels:
            self._do(ac.Resign(1), seat)  # is refused, with the reason
        level = words.meaning(text, words.LEVELS) if text else ""
        if not level:
            names = "single, gammon or backgammon" if len(levels) > 1 else "a single game: 1"
            unfit = {"1", "2", "3"} - {str(one) for one in levels}
            asked = Question(f"Resign {names} (Enter: no)", words.LEVELS, unfit=unfit)
            level = self._ask(asked, general=False)[0]
        if level:
            self._do(ac.Resign(int(level)), seat)

    def _play(self, text: str, seat: int | None) -> None:
        """Make the play, or the steps, that a text means."""
        table = self.table
        if text.isdecimal() and text.isascii():
            self._pick(text, seat)
            return
        try:
            meant = read_play(re.sub("^(play|move) ", "", text, flags=re.IGNORECASE), table)
        except GammonError as error:
            self._say(f"{error}.")
            return
        if isinstance(meant, Play):
            self._make(meant, seat)
            return
        self._take(meant, seat)

    def _pick(self, text: str, seat: int | None) -> None:
        """Make the play of a number on the list that was shown last; if none was, show it instead."""
        number, plays = int(text), self._numbered or self._listed()
        seen = bool(self._numbered) or len(plays) == 1  # the only one is in the question
        if _dice_in(text) and saving.by_hand(self.table) and not (seen and number <= len(plays)):
            self._say(f"The roll has been typed in; if it was {text}: dice {text}. list shows the plays by number.")
        elif not 1 <= number <= len(plays):
            self._say(f"There is no play {text}; the numbers go from 1 to {len(plays)}.")
        elif seen:
            self._make(plays[number - 1], seat)
        else:
            self._list("")
            self._say("A number makes one of these.")

    def _take(self, steps: Sequence[Step], seat: int | None) -> None:
        """Take steps, and end the turn if it is complete."""
        for step in steps:
            self._do(ac.TakeStep(step.start, step.end), seat)
        if ac.EndTurn() in self.table.legal_actions(stepwise=True):
            self._do(ac.EndTurn(), seat)

    def _make(self, play: Play, seat: int | None) -> None:
        """Make a whole play; steps that were taken and are none of it are taken back."""
        if self.table.steps:
            rest = going_on(self.table).get(play)
            if rest is not None:
                self._take(rest, seat)
                return
            self._take_back(len(self.table.steps))
        self._do(play, seat)

    def _take_back(self, steps: int) -> None:
        """Take back steps of the unfinished turn.

        Between two people a table takes nothing back, and steps are the client's own: it is set up again without them.
        """
        if self.table.undoable:
            self._do(ac.Undo(steps))
            return
        data = self.table.to_data()
        left = str(data["steps"]).split()[:-steps]
        self.table = Table.from_data({**data, "steps": " ".join(left)})
        self._numbered = []
        self._keep()

    def _listed(self) -> list[Play]:
        """Return the plays that can be made, in the order of the list."""
        plays = going_on(self.table) if self.table.steps else self.table.plays
        return sorted(plays, key=lambda play: sorted((-step.start, -step.end) for step in play.steps))

    def _list(self, start: str) -> None:
        """Show plays, all or those with a step from a point, and number them."""
        found = [
            play for play in self._listed() if any(step.startswith(start.casefold()) for step in play.text.split())
        ]
        if not found:
            self._say(f"No legal play has a step that begins with {start!r}.")
            return
        shown = found[:_LISTED]
        width = max((len(play.text) for play in shown), default=0) + 7
        columns = max(1, (self._screen.size().columns - 1) // width)
        for row in range(0, len(shown), columns):
            cells = (
                f"{row + at:>3}. {play.text:<{width - 5}}" for at, play in enumerate(shown[row:][:columns], start=1)
            )
            self._say("".join(cells).rstrip())
        if len(found) > len(shown):
            self._say(f"  ... and {len(found) - len(shown)} more; list 13 shows those with a step from the 13 point.")
        self._numbered = shown

    # What can be asked for at any time ---------------------------------------------------------------------------

    def _general(self, command: str, text: str) -> None:
        """Do what a word says that fits every question."""
        commands: dict[str, Callable[[str], None]] = {
            "help": lambda text: self._say(words.helped(text)),
            "board": lambda _: self._show(self.table.to_act, wanted=True),
            "pips": lambda _: self._pips(),
            "hint": lambda _: self._hint(),
            "eval": lambda _: self._evaluate(),
            "review": lambda _: self._review(),
            "undo": lambda text: self._go_back(text, ac.Undo, self.table.undoable, "taken back"),
            "redo": lambda text: self._go_back(text, ac.Redo, self.table.redoable, "done again"),
            "dice": self._correct_dice,
            "auto": self._auto,
            "look": self._change_look,
            "save": self._save,
            "load": self._load,
            "delete": self._delete,
            "quit": self._quit,
        }
        try:
            commands[command](text)
        except (GammonError, OSError) as error:
            self._say(_short(error, text))

    def _quit(self, _: str) -> None:
        raise LeaveError

    def _pips(self) -> None:
        mine, theirs = pip_counts(np.array(self.table.board(self._viewer), dtype=np.int8)).tolist()
        pips = (mine, theirs) if self._viewer == 0 else (theirs, mine)
        self._say(f"Pips: {self._teller.score(pips)}.")

    def _go_back(self, text: str, kind: Callable[[int], ac.Action], most: int, what: str) -> None:
        alone = sum(seat.is_person for seat in self.table.seats) == 1
        if not alone:
            most = len(self.table.steps) if kind is ac.Undo else 0
        if not alone and not most:
            self._say("Going back is for one person against the computer; two take back steps of an unfinished turn.")
        elif not most:
            self._say(f"There is nothing that can be {what}.")
        elif text and not (text.isdecimal() and text.isascii() and int(text[:9])):
            self._say(f"{text!r} is no number of steps and decisions; without any, one is {what}.")
        elif text and int(text[:9]) > most:
            self._say(f"Only {most} step{'s' * (most > 1)} or decision{'s' * (most > 1)} can be {what}.")
        elif alone:
            self._news.clear()
            self._do(kind(int(text or 1)))
        else:
            self._take_back(int(text or 1))

    def _auto(self, text: str) -> None:
        """Show or change what the table does by itself."""
        seat = self._person_at_hand()
        settings = self.table.settings(seat)
        name, _, value = text.casefold().partition(" ")
        switch = words.meaning(name, _SWITCHES, {"pause": "pause", "resume": "resume"}) if name else ""
        if switch in ("pause", "resume"):
            self._do(ac.Pause(seat) if switch == "pause" else ac.Resume(seat))
        elif switch:
            now = getattr(settings, switch)
            if value not in ("", "on", "off"):
                self._say(f"{value!r} is neither on nor off.")
                return
            wanted = value == "on" if value else not now
            self._do(ac.ChangeSettings(seat, replace(settings, **{switch: wanted})))
        elif name:
            self._say(f"{text!r} is no setting: forced, roll, bearoff (with on or off), pause or resume.")
            return
        settings = self.table.settings(seat)
        shown = ", ".join(f"{key} {'on' if getattr(settings, field) else 'off'}" for key, field in _SWITCHES.items())
        self._say(f"By itself: {shown}{'; paused' * settings.paused}.")

    def _change_look(self, text: str) -> None:
        if not text:
            self._say(f"The look is {self._look}; there are {', '.join(LOOKS)}.")
            return
        name = words.meaning(text, {name: name for name in LOOKS}) or text
        look(name)
        self._look = name
        self._show(self.table.to_act)
        if not self._screen.colours:
            self._say(f"The look is {name}, but there are no colours here.")

    def _save(self, text: str) -> None:
        """Say where the table is kept, or write a copy."""
        if not text:
            if self._unkept:
                self._say(f"The last moves are not kept: {self._unkept}; save FILE writes them.")
            elif self._keeper:
                self._say_whole("Kept after every action:", self._keeper.path)
            else:
                self._say("Kept nowhere; save FILE writes it.")
            return
        path = saving.place(text)
        if path.exists() and path not in self._written:
            asked = Question(f"{path} exists. Write over it (Enter: no)", {**words.YES_OR_NO, "": "no"})
            if self._ask(asked, general=False)[0] != "yes":
                self._say("Nothing was written.")
                return
        saving.export(path, self.table, self._bots.model)
        self._written.add(path)
        self._say_whole("Written:", path)

    def _load(self, text: str) -> None:
        """Go on with another table."""
        if not text:
            self._say("Expected the name of a file: load FILE.")
            return
        saved = saving.read(saving.kept(text), seats=self.table.seats)
        if saved.table.options.variant != self.table.options.variant:
            raise TableError(f"that is a game of {saved.table.options.variant}, and the bots here play another variant")
        for seat in saved.table.seats:
            if seat.bot:
                self._bots.of(seat.bot)
        self._replace(saved.table)
        if saved.remark:
            self._tell(saved.remark)
        self._tell(f"Loaded: {text}.")

    def _delete(self, _: str) -> None:
        """Throw the game away and leave, if the person is sure."""
        if not self._keeper:
            self._say("This game is kept nowhere.")
            return
        asked = Question("Throw this game away (Enter: no)", {**words.YES_OR_NO, "": "no"})
        if self._ask(asked, general=False)[0] == "yes":
            saving.delete(self._keeper.path)
            self._keeper = None
            self._say("Deleted.")
            raise LeaveError

    # Advice ------------------------------------------------------------------------------------------------------

    def _adviser(self) -> Bot | None:
        """Return who gives hints, or say that nobody can."""
        adviser = self._bots.adviser(self._opponent)
        if adviser is None:
            self._say_no_advice()
        return adviser

    def _say_no_advice(self) -> None:
        self._say(f"No advice: no model is released for {self.table.options.variant}, and none was named.")

    def _hint(self) -> None:
        """Show what a bot thinks of what is to be decided."""
        table = self.table
        if table.to_act is None:
            self._say("No hint: there is nothing to decide now.")
        elif table.phase is Phase.TO_ROLL and not table.may_double:
            self._say("No hint: you cannot double, so there is nothing to decide before the roll.")
        elif table.phase is Phase.RESIGNING:
            self._say("No hint on resignations; eval shows the chances.")
        elif bot := self._adviser():
            if table.phase is Phase.TO_PLAY:
                self._hint_plays(bot)
            else:
                self._hint_cube(bot)

    def _hint_plays(self, bot: Bot) -> None:
        assert self.table.dice is not None
        with self._thinking():
            best = bot.analyse(self.table.position, self.table.dice)[:_HINTS]
        if not best:
            self._say("No hint: no checker can move.")
            return
        width = max(len(one.play.text) for one in best)
        rows = [
            f"{number:>3}. {one.play.text:<{width}} {one.equity:+.3f} {f'{-one.loss:+.3f}' if number > 1 else '':6} "
            f"{100 * one.probs[0]:3.0f}% {100 * one.probs[1]:6.0f}% {one.ply}-ply"
            for number, one in enumerate(best, start=1)
        ]
        self._advise([f"     {'':<{width}} equity   loss  win  gammon depth", *rows])
        self._numbered = [one.play for one in best]

    def _hint_cube(self, bot: Bot) -> None:
        position = self.table.position
        with self._thinking():
            decision = bot.cube_action(position)
        if position.doubled:
            best = "beaver" if decision.beaver else "take" if decision.take else "drop"
            whose = " for the doubler"
        else:
            best, whose = decision.action.replace("/pass", "/drop"), ""
        again = position.cube_owner == ("theirs" if position.doubled else "mine")
        equities = ", ".join(f"{name} {equity:+.3f}" for name, equity in cube_equities(decision, again, "drop"))
        self._advise([f"  Best: {best}. Equities{whose}:", f"  {equities}"])

    def _advise(self, lines: Iterable[str]) -> None:
        """Say something under the board, where there is room for both."""
        if self._screen.style == UNICODE:
            self._show(self.table.to_act, under=list(lines))
            return
        for line in lines:
            self._say(line)

    def _evaluate(self) -> None:
        """Show the chances, and the position as others write it."""
        table = self.table
        if table.to_act is None:
            self._say("Nothing to evaluate: nobody is to act.")
            return
        position = table.position
        bot = self._adviser()
        if bot:
            with self._thinking():
                if table.dice is None:
                    win, gammon, backgammon, lost, lost_twice = bot.probs(position).tolist()
                    if table.phase is Phase.RESIGNING:
                        raise TableError("the other player is on roll: accept or decline first")
                elif candidates := bot.analyse(position, table.dice):
                    win, gammon, backgammon, lost, lost_twice = candidates[0].probs
                else:
                    raise TableError("no checker can move")
            after = " after the best play" if table.dice else ""
            self._say(f"  Win {100 * win:.1f} % (gammon {100 * gammon:.1f}, backgammon {100 * backgammon:.1f}){after}")
            self._say(f"  Lose {100 - 100 * win:.1f} % (gammon {100 * lost:.1f}, backgammon {100 * lost_twice:.1f})")
        self._say(f"  {position.xgid}")
        self._say(f"  {position.gnubg_id}")

    def _review(self, tell: bool = True) -> None:
        """Show how well the persons have decided so far, or only find it out."""
        bot = self._bots.adviser()
        if bot is None:
            if tell:
                self._say_no_advice()
            return
        for seat, who in enumerate(self.table.seats):
            if who.is_person:
                with self._thinking(note="Looking over the game ..."):
                    found = review(self.table.record, seat, bot, self._known)
                if tell:
                    self._say_review(found, self._names[seat], bot)

    def _say_review(self, found: Review, who: str, bot: Bot) -> None:
        """Say how well somebody has decided; an opponent who looks further, but not for long, says it of the worst."""
        other = self._bots.adviser(self._opponent)
        if other is None or not bot.level.ply < other.level.ply <= _QUICK:
            lines = found.lines(who)
        else:
            with self._thinking(note="Looking again at the worst ..."):
                second = reconsidered(found, self.table.options, other, self._known, self._again)
            lines = found.lines(who, other.level.name.capitalize(), second)
        for line in lines:
            self._say(line)

    # Questions ---------------------------------------------------------------------------------------------------

    def _ask(self, question: Question, general: bool = True) -> tuple[str, str]:
        """Ask until there is an answer, and return the command it means and what stands behind it.

        Where anything else is welcome too, it is returned with an empty command.
        """
        always = words.ALWAYS if general else {name: words.ALWAYS[name] for name in ("help", "?", "quit", "exit")}
        places = (question.words, always)
        while True:
            answer = " ".join(self._read(question, places).split())
            first, _, rest = answer.partition(" ")
            command = words.meaning(first, *places)
            known = bool(command) or first in question.words
            if rest and command not in words.WITH_MORE:
                command, known = "", False
            if not general and command in ("help", "quit"):
                self._general(command, "")
            elif known:
                return command, rest
            elif question.free and answer and len(answer) <= _LONGEST and not words.is_a_word(first):
                return "", answer
            else:
                self._say(words.complaint(answer, places, question.free, question.unfit))

    def _read(self, question: Question, places: Sequence[Mapping[str, str]]) -> str:
        seconds = self._seconds_left()
        clock = f" ({_duration(seconds)})" if seconds is not None else ""
        return self._screen.read(
            f"{question.text}{clock} > ",
            lambda: self._completions(places),
            lambda: self._show(self.table.to_act),
            seconds,
        )

    def _completions(self, places: Sequence[Mapping[str, str]]) -> list[str]:
        """Return what Tab can complete."""
        plays = [play.text for play in self.table.plays] if self.table.phase is Phase.TO_PLAY else []
        return [*plays, *(word for place in places for word in place if len(word) > 1)]

    def _seconds_left(self) -> float | None:
        """Return how long the person has still to act; every new event gives the whole time."""
        running = self.table.running_time
        if running is None:
            self._deadline = None
            return None
        events = len(self.table.record.events)
        if self._deadline is None or self._deadline[0] != events:
            self._deadline = (events, time.monotonic() + running.seconds)
        return max(0.0, self._deadline[1] - time.monotonic())

    # The table behind it -----------------------------------------------------------------------------------------

    def _sit(self) -> None:
        """Learn the names of a new table."""
        one, other = self.table.seats
        self._names = (one.name, other.name)
        self._teller = Teller(self._names, self.table.options)
        self._deadline = None
        if self._opponent:
            self._bot_called(self._opponent)  # one that cannot be had is told of at once

    def _replace(self, table: Table) -> None:
        """Go on with another table, in a file of its own."""
        if self._keeper:
            self._held.close()
            self._unkept = ""
            self._keeper = saving.Keeper(self._held.enter_context(saving.fresh()), self._bots.model)
        self.table = table
        self._viewer = next((seat for seat in (0, 1) if table.seats[seat].is_person), 0)
        self._news.clear()
        self._numbered = []
        self._sit()
        self._keep()

    def _keep(self) -> None:
        """Write the table to its file; where that cannot be done, say so once, and play on and try again."""
        if not self._keeper:
            return
        before = self._unkept
        try:
            self._keeper.keep(self.table)
            self._unkept = ""
        except OSError as error:
            self._unkept = error.strerror or str(error)
        if self._unkept and not before:
            self._tell(f"This game cannot be kept: {self._unkept}. It goes on, but may be lost when you leave.")
        elif before and not self._unkept:
            self._tell("This game is kept again.")

    def _part(self) -> None:
        """Say how things stand, and how to go on."""
        table = self.table
        self._keep()
        if not table.is_over:
            games = sum(game.result is not None for game in table.record.games)
            count = f"{games} game{'s' * (games != 1)} played"
            self._say(f"Score: {self._teller.score(table.score)}. {count}.")
        if not self._keeper:
            return
        played = any(isinstance(event, ev.Played) for event in table.record.events) or table.steps or table.redoable
        gone = not played and self._keeper.forget()
        if gone:
            self._say("Nothing was played, nothing is kept.")
        elif self._unkept:
            self._say(f"The last moves are not kept: {self._unkept}.")
            if self._keeper.holds_something:
                self._say_whole("This goes on from before them:", self._keeper.command)
        elif not table.is_over:
            self._say_whole("It is saved; this goes on:", self._keeper.command)

    def _mark(self) -> tuple[int, int, int]:
        """Return what differs once something has happened at the table."""
        return id(self.table), len(self.table.record.events), len(self.table.steps) + 100 * self.table.redoable

    @property
    def _opponent(self) -> str:
        """The level of the bot that has a seat; empty between two persons."""
        return next((seat.bot for seat in self.table.seats if seat.bot), "")

    def _is_person(self, seat: int) -> bool:
        return seat in (0, 1) and self.table.seats[seat].is_person

    def _person_at_hand(self) -> int:
        """Return the person who is asked now."""
        seat = self.table.to_act
        return seat if seat is not None and self._is_person(seat) else self._viewer

    # What is shown -----------------------------------------------------------------------------------------------

    def _say(self, text: str = "") -> None:
        for line in text.split("\n"):
            self._screen.write("".join(f"{part}\n" for part in self._fitted(line)))

    def _fitted(self, line: str) -> list[str]:
        """Return a line in parts that fit the terminal."""
        width = max(20, self._screen.size().columns - 1)
        if len(line) <= width or not self._screen.live:
            return [line]
        indent = " " * (len(line) - len(line.lstrip()))
        return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)

    def _say_whole(self, text: str, what: object) -> None:
        """Say something about a path or a command, which stands in a line of its own, to be copied."""
        self._say(text)
        self._screen.write(f"  {what}\n")

    def _tell(self, text: str) -> None:
        """Say what has happened, and keep it in view."""
        self._news.append(text)
        self._say(text)

    def _show(self, seat: int | None, wanted: bool = False, under: Iterable[str] | None = None) -> None:
        """Show the board from the side of the person who acts, or of the one who plays a bot.

        Where lines only follow one another it is shown again if more than the dice have changed, or if it is wanted.
        Where it stays on top, what has happened lately stands under it, or other lines.
        """
        if seat is not None and self.table.seats[seat].is_person:
            self._viewer = seat
        size = self._screen.size()
        drawing = picture(self.table, self._viewer, seat, self._screen, size)
        if self._screen.style == UNICODE:
            self._screen.clear()
            lines = [part for line in (self._news if under is None else under) for part in self._fitted(line)]
            news = lines[-max(1, size.lines - len(drawing.splitlines()) - 1) :]
            painted = paint(drawing, palette(look(self._look), self._screen.colours))
            self._screen.write(f"{painted}\n" + "".join(f"{line}\n" for line in news))
            return
        without_dice = picture(self.table, self._viewer, seat, self._screen, size, dice=False)
        if wanted or without_dice != self._shown:
            self._screen.write(f"\n{drawing}\n\n")
            self._shown = without_dice

    def _thinking(self, seat: int | None = None, note: str = "Thinking ...") -> AbstractContextManager[None]:
        """Show on a terminal that the bot is at work."""
        if seat is not None and not self._is_person(seat):
            note = f"{self._names[seat]} is thinking ..."
        return self._screen.busy(note, lambda: self._show(self.table.to_act))

    @staticmethod
    def _within(name: str) -> str:
        return "you" if name == YOU else name


def picture(table: Table, viewer: int, acting: int | None, screen: Screen, size: Size, dice: bool = True) -> str:
    """Return the drawing of a table from the side of one seat."""
    owner = table.cube_owner
    position = Position(
        np.array(table.board(viewer), dtype=np.int8),
        cube_value=table.cube,
        cube_owner="centre" if owner is None else "mine" if owner == viewer else "theirs",
        doubled=table.phase is Phase.DOUBLED and owner != viewer,
        rules=table.options.rules,
    )
    order = (0, 1) if viewer == 0 else (1, 0)
    return draw(
        position,
        names=(_small(table.seats[order[0]].name), _small(table.seats[order[1]].name)),
        score=(table.score[order[0]], table.score[order[1]]),
        light=table.light == viewer,
        acting=None if acting is None else acting == viewer,
        cube=table.options.cube,
        dice=_dice_left(table) if dice else (),
        title=title(table),
        style=screen.style,
        size=size,
    )


def title(table: Table) -> str:
    """Return what is played: the match and its length, the number of the game, and what is special about it.

    Examples
    --------
    >>> from gammon_rl.table.options import TableOptions
    >>> title(Table(TableOptions(match_length=5, variant="tavla")))
    'Tavla, match to 5, game 1'
    """
    options = table.options
    name = options.variant.capitalize() if options.variant != "standard" else "Backgammon"
    parts = [f"{name}, {f'match to {options.match_length}' if options.match_length else 'for points'}"]
    if options.match_length or options.session:
        parts.append(f"game {table.game}")
    if table.crawford:
        parts.append("Crawford game")
    if options.money and options.cube and options.jacoby:
        parts.append("Jacoby rule")
    if options.money and options.cube and options.beavers:
        parts.append("beavers")
    return ", ".join(parts)


def _dice_left(table: Table) -> tuple[int, ...]:
    """Return the dice that are still to be played."""
    if table.dice is None:
        return ()
    left = [*table.dice, *table.dice] if table.dice[0] == table.dice[1] else list(table.dice)
    for step in table.steps:
        need = step.start - step.end
        left.remove(need if need in left else min((die for die in left if die > need), default=left[0]))
    return tuple(left)


def _small(name: str) -> str:
    return "you" if name == YOU else name


def _dice_in(text: str) -> tuple[int, int] | None:
    """Return the roll that a text means, None if none."""
    digits = [letter for letter in text if letter not in " -,"]
    if len(digits) != 2 or any(letter not in "123456" for letter in digits):
        return None
    return int(digits[0]), int(digits[1])


def _short(error: Exception, typed: str = "") -> str:
    """Return an error in one line, without the list of all that is legal; a name that was typed stays as it is."""
    text = str(error).partition("; legal are:")[0]
    text = text.replace(" is not legal now: ", " is not possible: ")
    first = text[:1] if typed and text.startswith(typed) else text[:1].upper()
    return f"{first}{text[1:]}."


def _roll(dice: tuple[int, int]) -> str:
    return f"{max(dice)}-{min(dice)}"


def _point(number: int) -> str:
    return {25: "bar", 0: "off"}.get(number, str(number))


def _duration(seconds: float) -> str:
    if seconds >= 3600:
        return f"{seconds / 3600:.0f} h"
    return f"{seconds:.0f} s"
