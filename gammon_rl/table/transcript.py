"""A match as a file tells it, in games and in cells, and how the rules of a table make a record of it.

A reader of a format takes its text apart into a `Match`; `retold` replays that, so that nothing impossible gets
through, and the same match makes the same record whatever the format.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from typing import Final, Literal, NamedTuple

import numpy as np

from gammon_rl.errors import GammonError, IllegalPlayError, TableError
from gammon_rl.rules.notation import parse_play
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.position import LONGEST_MATCH
from gammon_rl.rules.steps import Step
from gammon_rl.table import events as ev
from gammon_rl.table.options import Seat, TableOptions, clean_name
from gammon_rl.table.record import Record
from gammon_rl.table.state import (
    BACKGAMMON,
    SINGLE,
    Board,
    Phase,
    State,
    advance,
    first_state,
    jacoby_counts,
    next_game,
    objection,
    opening,
    to_act,
    why_no_resignation,
)

VARIATIONS: Final = {
    "standard": "Backgammon",
    "nackgammon": "NackGammon",
    "hypergammon": "HyperGammon (3)",
    "longgammon": "LongGammon",
}
"""The variants that a `.mat` file can name, with their names there: letter for letter as GNU Backgammon wants them."""

UNKNOWN_PLAY: Final = "????"
"""What stands for a play that was not made, or is not known."""

_MOST_TIES: Final = 6  # automatic doubles that take the cube to its limit

Roll = tuple[int, int]
Kind = Literal["play", "double", "beaver", "take", "drop"]


# What a file tells -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FileMatch:
    """One match, session or game out of a file.

    Attributes
    ----------
    record : Record
        What was played; `Table.replay` makes a table of it, to look at or to go on with. Both players are persons.
    headers : mapping of str to str
        What the file says besides, such as the site and the date, by the names that `.mat` files have for it.
    notes : tuple of str
        What the record says differently from the file, since a table knows no such thing. Mostly empty.
    """

    record: Record
    headers: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class LineError(Exception):
    """A line that cannot be what it says."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(line, reason)
        self.line, self.reason = line, reason


class Cell(NamedTuple):
    """What one player does: a roll with its play, or a cube action with its value (0 if it is not said)."""

    line: int
    seat: int
    kind: Kind
    dice: Roll = (0, 0)
    play: str = ""
    value: int = 0

    @property
    def is_dance(self) -> bool:
        """Whether nothing is played."""
        return self.kind == "play" and not any(map(str.isdigit, self.play)) and UNKNOWN_PLAY[0] not in self.play


class Win(NamedTuple):
    """The line that says who has won how much."""

    line: int
    seat: int
    points: int


@dataclass
class Game:
    """What a file tells of a game; `ties` is how many doubled the cube, None where it does not say so."""

    line: int
    names: tuple[str, str] = ("", "")
    score: tuple[int, int] | None = None
    score_line: int = 0
    ties: int | None = None
    cells: list[Cell] = field(default_factory=list)
    win: Win | None = None


@dataclass
class Match:
    """What a file tells of a match to `length` points, 0 for money; each header with its line.

    The rules in the headers hold if they are `sure`; else they are tried first.
    """

    line: int
    length: int
    headers: dict[str, tuple[str, int]]
    sure: bool = True
    games: list[Game] = field(default_factory=list)


def decoded(text: str | bytes) -> str:
    """Return the contents of a file as text: bytes are UTF-8, or Windows' western code page if they are none."""
    whole = text if isinstance(text, str) else _of_bytes(text)
    return whole.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _of_bytes(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def shortened(line: str) -> str:
    """Return a part of a file as a message shows it."""
    text = repr(" ".join(line.split()))
    return text if len(text) <= 60 else f"{text[:56]}...'"


# From there to a record ------------------------------------------------------------------------------------------


def retold(match: Match) -> FileMatch:
    """Return the match by the first rules that all of it is possible by.

    Raises
    ------
    LineError
        If there are none; it says what is wrong by those under which the match goes furthest.
    """
    return _Replay(match).best()


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


class _Rules(NamedTuple):
    """Options to try a match by, and whether its games may have begun with automatic doubles."""

    options: TableOptions
    ties: bool


class _Replay:
    """A match being replayed by the rules: the events so far, and the state after them."""

    def __init__(self, match: Match) -> None:
        self.match = match
        headers = {name.casefold(): content for name, content in match.headers.items()}
        shown = match.games[0].names if match.games else ("", "")
        one, other = (headers.get(f"player {number}", (shown[number - 1], 0))[0] for number in (1, 2))
        self.seats = Seat(clean_name(one, "Player 1")), Seat(clean_name(other, "Player 2"))
        self.headers = headers
        self.known: dict[tuple[str, Board, Roll], tuple[Step, ...]] = {}  # plays that were understood

    def best(self) -> FileMatch:
        """Return the match by the first rules that it fits, or refuse it by those under which it goes furthest."""
        refusals = []
        for rules in self.candidates():
            try:
                return self.by(rules)
            except LineError as refusal:
                refusals.append(refusal)
        raise max(refusals, key=lambda refusal: refusal.line)  # of equals the first

    def candidates(self) -> Iterator[_Rules]:
        """Yield the rules to try, the likeliest first: what the headers say, and else the usual."""
        match = self.match
        if match.length > LONGEST_MATCH:
            raise LineError(match.line, f"a match goes to {LONGEST_MATCH} points at most, this one to {match.length}")
        money = match.length == 0
        options = TableOptions(
            variant=self.variant(),
            match_length=match.length,
            session=money and len(match.games) != 1,
            cube=self.headers.get("cubelimit", ("", 0))[0] != "1",
            beavers=self.says("beaver") or (money and self.has_beavers()),
            automatic_doubles=_MOST_TIES if money else 0,
            clock="72 hours",
            on_timeout="forfeit",
        )
        said = "jacoby" if money else "crawford"
        first = self.says(said) if said in self.headers else True
        choices = [first] if said in self.headers and match.sure else [first, not first]
        for ties, choice in product([False, True] if money and options.cube else [False], choices):
            chosen = replace(options, jacoby=choice) if money else replace(options, crawford=choice)
            yield _Rules(chosen, ties)

    def variant(self) -> str:
        name, line = self.headers.get("variation", ("Backgammon", 0))
        for variant, written in VARIATIONS.items():
            if _plain(name) in (_plain(written), variant):
                return variant
        raise LineError(line, f"the variation {name!r} is not known; known are {', '.join(VARIATIONS.values())}")

    def says(self, header: str) -> bool:
        return self.headers.get(header, ("", 0))[0].strip().casefold() in ("on", "yes", "true", "1")

    def has_beavers(self) -> bool:
        cells = [cell for game in self.match.games for cell in game.cells]
        answers = pairwise(cells)
        return any(cell.kind == "beaver" for cell in cells) or any(
            one.kind == other.kind == "double" and one.seat != other.seat for one, other in answers
        )

    def by(self, rules: _Rules) -> FileMatch:
        """Return the match replayed by these rules."""
        self.options = rules.options
        self.state = first_state(self.options, self.seats)
        self.events: list[ev.Event] = []
        self.notes: list[str] = []
        self.offset = self.first_score()
        most_ties = 0
        for game in self.match.games:
            most_ties = max(most_ties, self.play_with_ties(game, rules.ties))
        self.note_other_rule()
        options = replace(self.options, automatic_doubles=most_ties)
        if not any(isinstance(event, ev.TimedOut) for event in self.events):
            usual = TableOptions()
            options = replace(options, clock=usual.clock, on_timeout=usual.on_timeout)
        headers = {name: value for name, (value, _) in self.match.headers.items()}
        return FileMatch(Record(options, self.seats, 0, tuple(self.events)), headers, tuple(self.notes))

    def note_other_rule(self) -> None:
        """Say if the match is told by another rule than its file names."""
        said, followed = ("jacoby", self.options.jacoby) if self.options.money else ("crawford", self.options.crawford)
        if said in self.headers and self.says(said) != followed:
            is_said, fits = ("off", "on") if followed else ("on", "off")
            rule = f"the {said.capitalize()} rule is said to be {is_said}"
            self.note(self.headers[said][1], f"{rule}; what was won fits only if it is {fits}")

    def first_score(self) -> tuple[int, int]:
        """Return the score that a session begins with in the file; a record begins with none."""
        score = self.match.games[0].score if self.match.games else None
        if score is None or score == (0, 0):
            return 0, 0
        line = self.match.games[0].score_line
        if self.match.length:
            raise LineError(line, f"the match begins at {score[0]}-{score[1]}; a record begins with its first game")
        self.note(line, f"the session begins at {score[0]}-{score[1]}, its record at 0-0")
        return score

    def play_with_ties(self, game: Game, ties: bool) -> int:
        """Play a game after as few automatic doubles as it can be played with, and return how many."""
        kept = self.state, len(self.events), len(self.notes)
        refusals = []
        known = (game.ties,) if game.ties is not None else (0,)
        for count in range(_MOST_TIES + 1) if ties and game.ties is None else known:
            try:
                self.play(game, count)
            except LineError as refusal:
                refusals.append(refusal)
                self.state = kept[0]
                del self.events[kept[1] :], self.notes[kept[2] :]
            else:
                if count:
                    self.note(game.line, f"the cube was doubled by ties; there are {count} for it, said to be 1-1")
                return count
        raise max(refusals, key=lambda refusal: refusal.line)

    def play(self, game: Game, ties: int) -> None:
        """Play one game."""
        if self.state.phase is Phase.MATCH_OVER:
            raise LineError(game.line, "a game begins after the match is over")
        if self.state.phase is not Phase.GAME_OVER:
            raise LineError(game.line, "a game begins before the one before it is over")
        self.add(self.state.due or next_game(self.state, self.options), game.line)
        mine, theirs = self.state.score
        score = mine + self.offset[0], theirs + self.offset[1]
        if game.score not in (None, score):
            raise LineError(game.score_line, f"the score is {score[0]}-{score[1]} by the games before")
        for _ in range(ties):
            self.add(opening(self.state, (1, 1), self.options), game.line)
        self.history = [(len(self.events), self.state)]
        self.last = game.cells[-1] if game.cells else None
        for cell in game.cells:
            self.take(cell)
        if isinstance(self.state.due, ev.TurnSkipped):
            self.add(self.state.due, game.line)
        if game.win:
            self.end(game.win)

    def add(self, event: ev.Event, line: int) -> None:
        """Add an event, and the end of the game if that follows."""
        reason = objection(self.state, event, self.options)
        if reason:
            raise LineError(line, re.sub(r"\bseat ([01])\b", lambda seat: self.name(int(seat[1])), reason))
        try:
            self.state = advance(self.state, event, self.options)
        except TableError as error:
            raise LineError(line, str(error)) from None
        self.events.append(event)
        if isinstance(self.state.due, ev.GameEnded | ev.MatchEnded):
            self.add(self.state.due, line)

    def note(self, line: int, text: str) -> None:
        self.notes.append(f"line {line}: {text}")

    def name(self, seat: int) -> str:
        return self.seats[seat].name

    def take(self, cell: Cell) -> None:
        """Do what a cell says."""
        self.history.append((len(self.events), self.state))
        if self.is_shut_out and self.skip(cell):
            return
        state, seat = self.state, cell.seat
        if state.phase in (Phase.GAME_OVER, Phase.MATCH_OVER):
            raise LineError(cell.line, "the game is over before this line")
        after_beaver = isinstance(self.events[-1], ev.Beavered) and seat == state.turn
        match cell.kind:
            case "play":
                self.roll(cell)
                if UNKNOWN_PLAY[0] not in cell.play and not self.is_unplayed(cell):
                    self.add(ev.Played(seat, cell.dice, self.steps(cell)), cell.line)
            case "double" if state.phase is not Phase.DOUBLED:
                self.add(ev.Doubled(seat, cell.value or 2 * state.cube), cell.line)
            case "double" | "beaver":
                if after_beaver:
                    raise LineError(cell.line, "there is no doubling again after a beaver")
                self.add(ev.Beavered(seat, cell.value or 4 * state.cube), cell.line)
            case "take" if after_beaver:
                pass
            case "take":
                self.add(ev.Taken(seat, 2 * state.cube), cell.line)
            case "drop" if after_beaver:
                raise LineError(cell.line, "a beaver cannot be dropped")
            case "drop":
                self.add(ev.Dropped(seat), cell.line)

    @property
    def is_shut_out(self) -> bool:
        return isinstance(self.state.due, ev.TurnSkipped) or self.state.phase is Phase.CLOSED_BOARD

    def skip(self, cell: Cell) -> bool:
        """Let a turn against a closed board pass, unless it doubles; return whether the cell was about that alone."""
        seat = self.state.turn
        about_it = cell.seat == seat and cell.is_dance
        if about_it or cell.seat != seat or self.state.due is not None:
            self.add(self.state.due or ev.TurnSkipped(seat, by="player"), cell.line)
        return about_it

    def roll(self, cell: Cell) -> None:
        seat, dice, phase = cell.seat, cell.dice, self.state.phase
        if not dice[0]:
            raise LineError(cell.line, f"{self.name(seat)} has not rolled")
        if phase is Phase.OPENING:
            if dice[0] == dice[1]:
                raise LineError(cell.line, f"a game does not begin with a tie, got {dice[0]}{dice[1]}")
            self.add(ev.OpeningRolled(dice if seat == 0 else dice[::-1], self.state.cube), cell.line)
        elif phase is Phase.TO_PLAY:
            raise LineError(cell.line, "the play before this line is not known")
        else:
            self.add(ev.Rolled(seat, dice), cell.line)

    def is_unplayed(self, cell: Cell) -> bool:
        """Return whether a roll at the end of a game has no play although there is one: nobody has made it yet."""
        if cell is not self.last or cell.play:
            return False
        return len(legal_plays(np.array([self.state.board], dtype=np.int8), cell.dice, self.options.rules)[0]) > 0

    def steps(self, cell: Cell) -> tuple[Step, ...]:
        """Return the steps of a play; stars that stand where nothing is hit are passed over."""
        board, rules = self.state.board, self.options.rules
        key = cell.play, board, cell.dice
        if key not in self.known:
            try:
                try:
                    play = parse_play(cell.play, board, cell.dice, rules)
                except IllegalPlayError as error:
                    if "*" not in cell.play:
                        raise
                    try:
                        play = parse_play(cell.play.replace("*", ""), board, cell.dice, rules)
                    except GammonError:
                        raise error from None
            except GammonError as error:
                raise LineError(cell.line, str(error)) from None
            self.known[key] = play.steps
        return self.known[key]

    # Wins --------------------------------------------------------------------------------------------------------

    def end(self, win: Win) -> None:
        """Hold what the file says was won against how the game ended, or find how it was given up."""
        if self.state.phase not in (Phase.GAME_OVER, Phase.MATCH_OVER):
            self.give_up(win)
        result = self.state.result
        assert result is not None
        before = result.score[result.winner] - result.points
        if not self.fits(win.points, result.points, before):
            raise LineError(
                win.line, f"{self.name(result.winner)} has won {result.points} by the rules, not {win.points}"
            )

    def fits(self, said: int, points: int, score: int) -> bool:
        """Return whether points are what a file says; at the end of a match it may say only what was needed."""
        return said == points or (self.match.length > 0 and said == self.match.length - score < points)

    def give_up(self, win: Win) -> None:
        """End a game that was not played to its end: by a resignation if it can be one, else by a drop or on time."""
        if self.state.phase is Phase.CLOSED_BOARD and self.state.turn == win.seat:
            self.add(ev.TurnSkipped(win.seat, by="player"), win.line)
        loser, state = 1 - win.seat, self.state
        if state.phase is Phase.DOUBLED and to_act(state) == loser:
            self.add(ev.Dropped(loser), win.line)
            return
        if self.resigns(win, state):
            return
        if to_act(state) == loser and self.fits(win.points, state.cube, state.score[win.seat]):
            self.add(ev.TimedOut(loser), win.line)
            self.notes.append(
                f"line {win.line}: {self.name(loser)} gives up where nobody can resign; it is lost on time"
            )
            return
        for length, earlier in reversed(self.history):
            same_cube = (earlier.cube, earlier.owner) == (state.cube, state.owner)
            if same_cube and earlier.turn == loser and self.can_resign(win, earlier):
                del self.events[length:]
                self.state = earlier
                self.resigns(win, earlier)
                said = f"{self.name(loser)} resigns where nobody can"
                self.note(win.line, f"{said}; it is done at the last chance, and what follows that is left out")
                return
        if not self.leaves_unanswered(win, state):
            raise LineError(win.line, f"{self.name(win.seat)} cannot win {win.points} here: the game is not over")

    def leaves_unanswered(self, win: Win, state: State) -> bool:
        """Let the loser run out of time for the answer to a resignation of the winner, if that is possible."""
        may_offer = state.phase is Phase.TO_ROLL and state.due is None and state.turn == win.seat
        if not may_offer or not self.fits(win.points, state.cube, state.score[win.seat]):
            return False
        self.add(ev.ResignationOffered(win.seat, SINGLE), win.line)
        self.add(ev.TimedOut(1 - win.seat), win.line)
        said = f"{self.name(1 - win.seat)} gives up where nobody can resign"
        self.note(win.line, f"{said}; it is lost on time for the answer to a resignation of {self.name(win.seat)}")
        return True

    def can_resign(self, win: Win, state: State) -> int:
        """Return the level at which the loser can resign so that the other wins that much, 0 if at none."""
        if state.phase is not Phase.TO_ROLL or state.due is not None or state.turn == win.seat:
            return 0
        for level in range(SINGLE, BACKGAMMON + 1):
            points = state.cube * (SINGLE if jacoby_counts(state, self.options) else level)
            allowed = not why_no_resignation(state, self.options, level)
            if allowed and self.fits(win.points, points, state.score[win.seat]):
                return level
        return 0

    def resigns(self, win: Win, state: State) -> bool:
        level = self.can_resign(win, state)
        if level:
            self.add(ev.ResignationOffered(1 - win.seat, level), win.line)
            self.add(ev.ResignationAccepted(win.seat), win.line)
        return bool(level)
