"""Says in words what has happened at a table."""

from collections.abc import Iterable, Iterator
from typing import Final

from gammon_rl.stakes.cube import CubeDecision
from gammon_rl.table import events as ev
from gammon_rl.table.options import TableOptions

YOU: Final = "You"
LEVELS: Final = {1: "a single game", 2: "a gammon", 3: "a backgammon"}


class Teller:
    """Puts events into sentences.

    Parameters
    ----------
    names : (str, str)
        Of the seats; ``You`` is spoken to.
    options : TableOptions
        The rules of the table.

    Examples
    --------
    >>> teller = Teller(("You", "Hard"), TableOptions(match_length=3))
    >>> list(teller.tell([ev.OpeningRolled((2, 5)), ev.Doubled(1, 2)]))
    ['Opening roll: you 2, Hard 5. Hard begins.', 'Hard doubles to 2.']
    """

    def __init__(self, names: tuple[str, str], options: TableOptions) -> None:
        self.names = names
        self._options = options
        self._cube = 1

    def does(self, seat: int, verb: str) -> str:
        """Return who does something: ``You take``, ``Hard takes``."""
        return f"{self.names[seat]} {_second_person(verb) if self.names[seat] == YOU else _third_person(verb)}"

    def score(self, score: tuple[int, int]) -> str:
        """Return a score."""
        return ", ".join(f"{self._within(seat)} {points}" for seat, points in enumerate(score))

    def tell(self, notices: Iterable[ev.Notice]) -> Iterator[str]:
        """Yield a sentence for each event that is worth one."""
        for notice in notices:
            text = self._said(notice)
            if text:
                yield text

    def _within(self, seat: int) -> str:
        """Return a name as it stands within a sentence."""
        return "you" if self.names[seat] == YOU else self.names[seat]

    def _said(self, event: ev.Notice) -> str:
        match event:
            case ev.GameStarted(number=number, crawford=crawford):
                self._cube = 1
                special = " This is the Crawford game: no doubling." if crawford else ""
                return f"Game {number}.{special}" if number > 1 or crawford else ""
            case ev.OpeningRolled(dice=dice, cube=cube):
                shown = f"Opening roll: {self.score(dice)}"
                if dice[0] != dice[1]:
                    return f"{shown}. {self.does(int(dice[1] > dice[0]), 'begin')}."
                doubled, self._cube = cube > self._cube, cube
                return f"{shown}, again{f' with the cube at {cube}' * doubled}."
            case ev.Played(seat=seat, dice=dice, steps=steps):
                roll = f"{max(dice)}-{min(dice)}"
                if not steps:
                    return f"{self.does(seat, 'roll')} {roll} and cannot move."
                return f"{self.does(seat, 'play')} {roll}: {event.text}."
            case ev.TurnSkipped(seat=seat, by=by):
                if by != "table":
                    return f"{self.does(seat, 'pass')}."
                return f"{self.does(seat, 'be')} on the bar against a closed board: nothing is rolled."
            case ev.Doubled(seat=seat, cube=cube):
                return f"{self.does(seat, 'double')} to {cube}."
            case ev.Taken(seat=seat, cube=cube):
                self._cube = cube
                return f"{self.does(seat, 'take')} the cube at {cube}."
            case ev.Beavered(seat=seat, cube=cube):
                self._cube = cube
                return f"{self.does(seat, 'beaver')}: {self._within(seat)} {_own(self.names[seat])} the cube at {cube}."
            case ev.Dropped(seat=seat):
                return f"{self.does(seat, 'drop')}."
            case ev.ResignationOffered(seat=seat, level=level):
                return f"{self.does(seat, 'offer')} to resign {LEVELS[level]}."
            case ev.ResignationAccepted(seat=seat):
                return f"{self.does(seat, 'accept')}."
            case ev.ResignationDeclined(seat=seat):
                return f"{self.does(seat, 'decline')}. The game goes on."
            case ev.TimedOut(seat=seat, bot=bot):
                whose = "Your" if self.names[seat] == YOU else f"{self.names[seat]}'s"
                return f"{whose} time is up: {f'the bot {bot} plays on' if bot else 'the game is forfeit'}."
            case ev.GameEnded():
                return self._ended(event)
            case ev.MatchEnded(winner=winner, score=score):
                if self._options.money:
                    return f"The end: {self.score(score)}." if self._options.session else ""
                assert winner is not None
                return f"{self.does(winner, 'win')} the match {score[winner]} to {score[1 - winner]}."
        return ""

    def _ended(self, event: ev.GameEnded) -> str:
        points = f"{event.points} point{'s' * (event.points != 1)}"
        won = self.does(event.winner, "win")
        if event.how in ("drop", "forfeit"):
            return f"{won} {points}."
        counts = ", which counts as a single game before a double" if event.points < event.level else ""
        cube = event.points // event.level
        cubed = f" with the cube at {cube}" if cube > 1 and not counts else ""
        return f"{won} {LEVELS[event.level]}{cubed}{counts}: {points}."


def cube_equities(decision: CubeDecision, again: bool, drop: str = "pass") -> tuple[tuple[str, float], ...]:
    """Return the equities of the choices at the cube, each with its name; `again` is for an owner, who redoubles.

    Where a beaver is possible it has an equity of its own beside that of the take.

    Examples
    --------
    >>> costs = {"take": 6.5, "pass": 8.5, "beaver": 0.0}
    >>> cube_equities(CubeDecision(-1.0, -7.5, 1.0, False, True, True, "no double/beaver", costs), again=False)
    (('no double', -1.0), ('double/beaver', -7.5), ('double/take', -1.0), ('double/pass', 1.0))
    >>> cube_equities(CubeDecision(0.5, 0.25, 1.0, False, True, False, "no redouble/take"), again=True)
    (('no redouble', 0.5), ('redouble/take', 0.25), ('redouble/pass', 1.0))
    """
    verb = "redouble" if again else "double"
    doubled = min(decision.dt, decision.dp)  # with the right answer, which is what costs are held against
    answers = {name: doubled + decision.costs[name] for name in ("beaver", "take") if name in decision.costs}
    return (
        (f"no {verb}", decision.nd),
        *((f"{verb}/{name}", equity) for name, equity in (answers or {"take": decision.dt}).items()),
        (f"{verb}/{drop}", decision.dp),
    )


def _third_person(verb: str) -> str:
    return {"pass": "passes", "be": "is"}.get(verb, f"{verb}s")


def _own(name: str) -> str:
    return "own" if name == YOU else "owns"


def _second_person(verb: str) -> str:
    return "are" if verb == "be" else verb
