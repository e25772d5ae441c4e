"""What can be done at a table: by the player who has to act, by a person with a seat, and by the host.

An action with a field of another type than it says is refused with a `TableError` when it is made.
"""

from dataclasses import dataclass

from gammon_rl.errors import TableError
from gammon_rl.table.data import Checked, Data, from_data, to_data
from gammon_rl.table.options import Settings

# By the player who has to act ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Roll(Checked):
    """Roll the dice; at the start of a game the opening roll, which either player may ask for.

    Attributes
    ----------
    dice : (int, int) or None
        What was thrown, at a table whose dice are entered by hand; in an opening roll seat 0's die first. None at any
        other table.
    """

    dice: tuple[int, int] | None = None


@dataclass(frozen=True)
class Play(Checked):
    """Play the whole turn at once, said in one of two ways. `Table.apply` also takes a bot's `Play` as it is.

    Attributes
    ----------
    text : str or None
        The play as text, such as ``8/5 6/5``; ``dance`` where nothing can be played.
    afterstate : tuple of 26 int, or None
        The board after it, turned: the way `legal_actions` gives it.

    Examples
    --------
    >>> Play("8/5 6/5").text
    '8/5 6/5'
    """

    text: str | None = None
    afterstate: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.text is None) == (self.afterstate is None):
            raise TableError("a play is said by its text or by its afterstate, one of the two")


@dataclass(frozen=True)
class TakeStep(Checked):
    """Move one checker by one die, as a part of the turn. It counts when the turn is ended.

    Attributes
    ----------
    start, end : int
        Where from and where to, in the mover's own numbers: 25 is the bar, 0 is off.
    """

    start: int
    end: int


@dataclass(frozen=True)
class EndTurn(Checked):
    """End a turn put together from steps; the same as playing it at once."""


@dataclass(frozen=True)
class Double(Checked):
    """Offer a double."""


@dataclass(frozen=True)
class Take(Checked):
    """Take the double."""


@dataclass(frozen=True)
class Drop(Checked):
    """Drop the double and lose the game at its value before it."""


@dataclass(frozen=True)
class Beaver(Checked):
    """Take the double, and at once double again while keeping the cube."""


@dataclass(frozen=True)
class PassTurn(Checked):
    """On the bar against a closed board: let the turn pass instead of doubling."""


@dataclass(frozen=True)
class Resign(Checked):
    """Offer to resign.

    Attributes
    ----------
    level : int
        1 a single game, 2 a gammon, 3 a backgammon.
    """

    level: int = 1


@dataclass(frozen=True)
class AcceptResignation(Checked):
    """Accept the resignation that is offered."""


@dataclass(frozen=True)
class DeclineResignation(Checked):
    """Decline it; the game goes on."""


@dataclass(frozen=True)
class NextGame(Checked):
    """Start the next game, when one is over and the match or session is not. Either player may."""


@dataclass(frozen=True)
class EndSession(Checked):
    """End a session for money between two games. Either player may."""


# By a person with a seat, at any time ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Undo(Checked):
    """Go back: by a step of an unfinished turn, else to before a decision of the person who plays the computer.

    Attributes
    ----------
    count : int
        How many steps or decisions to go back; `Table.undoable` says how many there are.
    """

    count: int = 1


@dataclass(frozen=True)
class Redo(Checked):
    """Do again what was undone, as long as nothing else was done since.

    Attributes
    ----------
    count : int
        How many times; `Table.redoable` says how many there are.
    """

    count: int = 1


@dataclass(frozen=True)
class ChangeSettings(Checked):
    """Change a person's own settings.

    Attributes
    ----------
    seat : int
        Whose.
    settings : Settings
        The new ones, all of them.
    """

    seat: int
    settings: Settings


@dataclass(frozen=True)
class Pause(Checked):
    """Stop all automatic play for a seat until it is resumed or the game ends."""

    seat: int


@dataclass(frozen=True)
class Resume(Checked):
    """Let automatic play go on."""

    seat: int


# By the host -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TimeOut(Checked):
    """Say that the time of the player who has to act is up; the options say what follows.

    Attributes
    ----------
    seat : int
        Whose time it was.
    bot : str
        The level of the bot that finishes the turn, where a bot does.
    """

    seat: int
    bot: str = "normal"


@dataclass(frozen=True)
class TakeOver(Checked):
    """Let a bot play for a person who has gone.

    Attributes
    ----------
    seat : int
        The person's seat.
    bot : str
        The level of the bot.
    """

    seat: int
    bot: str = "normal"


@dataclass(frozen=True)
class GiveBack(Checked):
    """Give a seat back to its person.

    Attributes
    ----------
    seat : int
        The person's seat.
    """

    seat: int


TurnAction = (
    Roll
    | Play
    | TakeStep
    | EndTurn
    | Double
    | Take
    | Drop
    | Beaver
    | PassTurn
    | Resign
    | AcceptResignation
    | DeclineResignation
    | NextGame
    | EndSession
)
SeatAction = Undo | Redo | ChangeSettings | Pause | Resume
HostAction = TimeOut | TakeOver | GiveBack
Action = TurnAction | SeatAction | HostAction


def action_to_data(action: Action) -> Data:
    """Return an action as plain data for JSON.

    Examples
    --------
    >>> action_to_data(Play("8/5 6/5"))
    {'type': 'play', 'text': '8/5 6/5'}
    >>> action_to_data(Double())
    {'type': 'double'}
    """
    return to_data(action)


def action_from_data(data: object) -> Action:
    """Return the action that plain data says.

    Raises
    ------
    TableError
        If it says none; the message has what is wrong.

    Examples
    --------
    >>> action_from_data({"type": "resign", "level": 2})
    Resign(level=2)
    >>> action_from_data({"type": "resign", "level": "2"})
    Traceback (most recent call last):
        ...
    gammon_rl.errors.TableError: resign: level should be int, got '2'
    """
    action: Action = from_data(Action, data, "action")
    return action
