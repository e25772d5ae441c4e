"""What has happened at a table. The record is a list of these, and the state follows from it.

Seats are 0 and 1; steps are in the numbers of the player who makes them. `by` says who decided: the ``player`` of the
seat (a person, or the bot that has it), the ``table`` for a person who lets it, or a ``bot`` in a person's place.
"""

from dataclasses import dataclass, replace
from typing import Literal

from gammon_rl.rules.notation import format_play
from gammon_rl.rules.steps import Step
from gammon_rl.table.data import Checked, Data, from_data, to_data

By = Literal["player", "table", "bot"]
How = Literal["bear-off", "drop", "resignation", "forfeit"]
Pair = tuple[int, int]


@dataclass(frozen=True)
class GameStarted(Checked):
    """A game begins: the checkers are set up, and the opening roll comes next.

    Attributes
    ----------
    number : int
        Of the game, from 1.
    score : (int, int)
        Before the game, seat 0 first.
    crawford : bool
        Whether it is the Crawford game.
    """

    number: int
    score: Pair
    crawford: bool = False


@dataclass(frozen=True)
class OpeningRolled(Checked):
    """Each player has rolled one die; the higher one begins with both. A tie is rolled again.

    Attributes
    ----------
    dice : (int, int)
        Seat 0's die first.
    cube : int
        The value of the cube now; more than 1 only with automatic doubles.
    """

    dice: Pair
    cube: int = 1


@dataclass(frozen=True)
class Rolled(Checked):
    """A player has rolled."""

    seat: int
    dice: Pair
    by: By = "player"


@dataclass(frozen=True)
class Played(Checked):
    """A player has played a turn.

    Attributes
    ----------
    dice : (int, int)
        The roll it was played with.
    steps : tuple of Step
        In an order in which they can be made; none for a dance. However the turn was put together, the same play has
        the same steps.
    """

    seat: int
    dice: Pair
    steps: tuple[Step, ...]
    by: By = "player"

    @property
    def text(self) -> str:
        """The play as text, ``dance`` if nothing could be played."""
        return format_play(self.steps)


@dataclass(frozen=True)
class TurnSkipped(Checked):
    """A turn has passed without a roll, because the player is on the bar against a closed board.

    `by` is ``table`` unless the player might have doubled and let the turn pass.
    """

    seat: int
    reason: Literal["closed board"] = "closed board"
    by: By = "table"


@dataclass(frozen=True)
class Doubled(Checked):
    """A player offers a double; `cube` is the value it would have."""

    seat: int
    cube: int
    by: By = "player"


@dataclass(frozen=True)
class Taken(Checked):
    """The other player has taken it, and owns the cube at its new value."""

    seat: int
    cube: int
    by: By = "player"


@dataclass(frozen=True)
class Beavered(Checked):
    """The other player has taken it and doubled again, and owns the cube at its new value."""

    seat: int
    cube: int
    by: By = "player"


@dataclass(frozen=True)
class Dropped(Checked):
    """The other player has dropped it."""

    seat: int
    by: By = "player"


@dataclass(frozen=True)
class ResignationOffered(Checked):
    """A player offers to resign: 1 a single game, 2 a gammon, 3 a backgammon."""

    seat: int
    level: int
    by: By = "player"


@dataclass(frozen=True)
class ResignationAccepted(Checked):
    """The other player has accepted."""

    seat: int
    by: By = "player"


@dataclass(frozen=True)
class ResignationDeclined(Checked):
    """The other player has declined."""

    seat: int
    by: By = "player"


@dataclass(frozen=True)
class TimedOut(Checked):
    """The time of a player is up.

    Attributes
    ----------
    bot : str
        The level of the bot that finishes the turn or gives the answer; empty where the player forfeits the game.
    """

    seat: int
    bot: str = ""


@dataclass(frozen=True)
class SeatTakenOver(Checked):
    """A bot of this level plays for a person from now on."""

    seat: int
    bot: str


@dataclass(frozen=True)
class SeatGivenBack(Checked):
    """The person has the seat again."""

    seat: int


@dataclass(frozen=True)
class GameEnded(Checked):
    """A game is over.

    Attributes
    ----------
    winner : int
        The seat.
    how : "bear-off", "drop", "resignation" or "forfeit"
        What ended it.
    level : int
        1 single, 2 gammon, 3 backgammon, as the checkers stood or as was resigned; 1 after a drop or forfeit.
    points : int
        What the winner scores; a level that the Jacoby rule does not count is not in it.
    score : (int, int)
        After the game, seat 0 first.
    """

    winner: int
    how: How
    level: int
    points: int
    score: Pair


@dataclass(frozen=True)
class MatchEnded(Checked):
    """The match, session or single game is over.

    Attributes
    ----------
    winner : int or None
        The seat with more points; None where a session ends level.
    score : (int, int)
        The final one, seat 0 first.
    """

    winner: int | None
    score: Pair


# These are told and not recorded: nothing of a turn counts until it is ended, and what was undone has not happened.


@dataclass(frozen=True)
class StepTaken(Checked):
    """A step of an unfinished turn was taken."""

    seat: int
    step: Step


@dataclass(frozen=True)
class StepTakenBack(Checked):
    """The last step of an unfinished turn was taken back."""

    seat: int
    step: Step


@dataclass(frozen=True)
class Undone(Checked):
    """The table has gone back; `events` is how many the record has left."""

    events: int


@dataclass(frozen=True)
class Redone(Checked):
    """The table has gone forward again; `events` is how many the record has now."""

    events: int


Decision = (
    Rolled
    | Played
    | TurnSkipped
    | Doubled
    | Taken
    | Beavered
    | Dropped
    | ResignationOffered
    | ResignationAccepted
    | ResignationDeclined
)
Event = Decision | GameStarted | OpeningRolled | TimedOut | SeatTakenOver | SeatGivenBack | GameEnded | MatchEnded
Notice = Event | StepTaken | StepTakenBack | Undone | Redone
"""Whatever `Table.apply` returns."""


def seen_by(event: Event, seat: int | None) -> Event:
    """Return an event as it may be told to a seat, or to a spectator (None).

    That the table decided for a person is that person's business, since it shows their settings.

    Examples
    --------
    >>> seen_by(Rolled(0, (6, 5), "table"), 1)
    Rolled(seat=0, dice=(6, 5), by='player')
    """
    if isinstance(event, Rolled | Played) and event.by == "table" and event.seat != seat:
        return replace(event, by="player")
    return event


def event_to_data(event: Notice) -> Data:
    """Return an event as plain data for JSON.

    Examples
    --------
    >>> event_to_data(Played(0, (3, 1), (Step(8, 5), Step(6, 5))))
    {'type': 'played', 'seat': 0, 'dice': [3, 1], 'steps': '8/5 6/5'}
    """
    return to_data(event)


def event_from_data(data: object) -> Event:
    """Return the recorded event that plain data says.

    Raises
    ------
    TableError
        If it says none; the message has what is wrong.

    Examples
    --------
    >>> event_from_data({"type": "rolled", "seat": 1, "dice": [6, 6]})
    Rolled(seat=1, dice=(6, 6), by='player')
    """
    event: Event = from_data(Event, data, "event")
    return event
