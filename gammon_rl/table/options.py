"""What a host chooses when setting up a table, who sits at it, and each player's own settings."""

from dataclasses import dataclass, fields
from typing import Any, Final, Literal, get_args, get_type_hints

from gammon_rl.errors import TableError
from gammon_rl.rules.position import LONGEST_MATCH
from gammon_rl.rules.variants import VARIANTS, Variant
from gammon_rl.table.data import Checked, short

OFFERED_MATCHES: Final = (3, 5, 7, 11)
"""The lengths a host is offered; the table itself plays any from 1 to 25."""

CLOCKS: Final[dict[str, int | None]] = {
    "none": None,
    "fast": 20,
    "30 seconds": 30,
    "normal": 40,
    "relaxed": 60,
    "60 seconds": 60,
    "12 hours": 12 * 3600,
    "24 hours": 24 * 3600,
    "72 hours": 72 * 3600,
}
"""The clocks by name, with the seconds they give: those in seconds for each move, those in hours for each turn."""

LONGEST_NAME: Final = 40
"""The letters that the name of a player may have."""

Colour = Literal["light", "dark", "random"]
OnRematch = Literal["swap", "keep"]
OnTimeOut = Literal["bot", "forfeit"]


@dataclass(frozen=True)
class TableOptions:
    """The rules a table is played by. The defaults are the standard rules: a single game with cube and Jacoby rule.

    An option that has no effect, such as the Crawford rule in a single game, is kept as set and does nothing.

    Attributes
    ----------
    variant : str
        Name of the variant, one of `gammon_rl.VARIANTS`.
    match_length : int
        Points a match goes to, from 1 to 25; 0 is play for money.
    session : bool
        For money: games one after another until the session is ended, instead of a single game.
    cube : bool
        Whether there is a doubling cube. Without one, gammons and backgammons always count.
    crawford : bool
        In a match: no doubling in the first game after a player has come within a point of winning.
    jacoby : bool
        For money: gammons and backgammons count only once a double was taken.
    beavers : bool
        For money: a player who is doubled may double again at once and keep the cube.
    automatic_doubles : int
        For money: how many ties in the opening roll double the starting value; 0 is none.
    colour : "light", "dark" or "random"
        The checkers of seat 0, the host's. Random is drawn once, when the table is made.
    on_rematch : "swap" or "keep"
        What becomes of the colours at a rematch.
    clock : str
        One of `CLOCKS`. The table says whose time runs and how long it is; the host measures it.
    on_timeout : "bot" or "forfeit"
        Whether a bot plays the turn of a player whose time is up, or the player loses the game.
    watching : bool
        Whether spectators may follow.

    Raises
    ------
    TableError
        If an option has an impossible value; the message says every one.

    Examples
    --------
    >>> TableOptions(match_length=5).money
    False
    >>> TableOptions(match_length=30)
    Traceback (most recent call last):
        ...
    gammon_rl.errors.TableError: impossible options: match_length goes from 0 (money) to 25, got 30
    """

    variant: str = "standard"
    match_length: int = 0
    session: bool = False
    cube: bool = True
    crawford: bool = True
    jacoby: bool = True
    beavers: bool = False
    automatic_doubles: int = 0
    colour: Colour = "light"
    on_rematch: OnRematch = "swap"
    clock: str = "none"
    on_timeout: OnTimeOut = "bot"
    watching: bool = True

    def __post_init__(self) -> None:
        known: dict[str, tuple[Any, ...]] = {
            "variant": tuple(VARIANTS),
            "clock": tuple(CLOCKS),
            **{name: get_args(hint) for name, hint in get_type_hints(type(self)).items() if get_args(hint)},
        }
        faults = []
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in known and value not in known[field.name]:
                faults.append(f"{field.name} is one of {', '.join(known[field.name])}, got {short(value)}")
            elif type(value) is not type(field.default):
                faults.append(f"{field.name} is a value like {field.default!r}, got {short(value)}")
        if not faults and not 0 <= self.match_length <= LONGEST_MATCH:
            faults.append(f"match_length goes from 0 (money) to {LONGEST_MATCH}, got {self.match_length}")
        if not faults and self.automatic_doubles < 0:
            faults.append(f"automatic_doubles is 0 or more, got {self.automatic_doubles}")
        if faults:
            raise TableError("impossible options: " + "; ".join(faults))

    @property
    def rules(self) -> Variant:
        """The variant itself."""
        return VARIANTS[self.variant]

    @property
    def money(self) -> bool:
        """Whether it is play for money: a single game or a session."""
        return self.match_length == 0

    @property
    def seconds(self) -> int | None:
        """The seconds the clock gives for a move or a turn; None without a clock."""
        return CLOCKS[self.clock]


@dataclass(frozen=True)
class Seat(Checked):
    """Who sits at one side of the table.

    Attributes
    ----------
    name : str
        What to call the player: 1 to 40 printable characters, not only spaces.
    bot : str
        The level of a bot, such as ``hard``; empty for a person. What levels there are is the host's business.

    Raises
    ------
    TableError
        If the name is another, or a field no text.

    Examples
    --------
    >>> Seat("Ann").is_person, Seat("Robot", bot="hard").is_person
    (True, False)
    >>> Seat("")
    Traceback (most recent call last):
        ...
    gammon_rl.errors.TableError: a name has 1 to 40 printable characters, got ''
    """

    name: str
    bot: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.name.isprintable() and self.name.strip() and len(self.name) <= LONGEST_NAME):
            shown = self.name if len(self.name) <= LONGEST_NAME else self.name[:LONGEST_NAME] + "..."
            raise TableError(f"a name has 1 to {LONGEST_NAME} printable characters, got {shown!r}")

    @property
    def is_person(self) -> bool:
        """Whether a person has this seat."""
        return not self.bot


def clean_name(name: str, otherwise: str) -> str:
    r"""Return a name from elsewhere as a `Seat` takes it: spaces for what is not printable, and the end cut off.

    Parameters
    ----------
    name : str
        Any text.
    otherwise : str
        What to call the player if nothing is left.

    Examples
    --------
    >>> clean_name("Ann\x1b[2J", "Player 1"), clean_name("\n", "Player 1")
    ('Ann [2J', 'Player 1')
    """
    printable = "".join(letter if letter.isprintable() else " " for letter in name)
    cut = printable if len(printable) <= LONGEST_NAME else printable.strip()[:LONGEST_NAME]
    return cut if cut.strip() else otherwise


@dataclass(frozen=True)
class Settings(Checked):
    """A person's own settings, which are no rules of the table and are seen by nobody else.

    Attributes
    ----------
    auto_bearoff : bool
        While all of one's checkers are home, roll and play turns that leave no choice. It stops where the player may
        double, and at a roll with more than one result.
    auto_forced : bool
        After the roll, make a play that is the only one, a dance included.
    auto_roll : bool
        Roll at once for a player who may not double.
    paused : bool
        Whether all of this rests until it is resumed or the game ends.
    """

    auto_bearoff: bool = True
    auto_forced: bool = True
    auto_roll: bool = False
    paused: bool = False
