"""A position: the board, dice, cube and score as one value, read from and written to the usual texts."""

from dataclasses import dataclass, fields
from operator import index
from typing import Any, Final, get_args

import numpy as np
from numpy.typing import ArrayLike

from gammon_rl.errors import InvalidNotationError, InvalidPositionError
from gammon_rl.rules import ids
from gammon_rl.rules.board import checked_board, pip_counts, turn
from gammon_rl.rules.ids import LARGEST_CUBE, CubeOwner, Situation, other_owner
from gammon_rl.rules.variants import STANDARD, Boards, Variant

LONGEST_MATCH: Final = 25
_OWNERS: Final = get_args(CubeOwner)


@dataclass(frozen=True, eq=False, repr=False)
class Position:
    """What a player who has to act can see; everything is from that player's side.

    That is the player on roll, or the player who must answer a double. Positions are checked when made, compare
    and hash by value, and cannot be changed (`dataclasses.replace` makes a changed copy).

    Attributes
    ----------
    board : int8 (26,)
        The checkers, read-only. Taken from anything `checked_board` accepts.
    dice : (int, int) or None
        The roll to be played; None before it.
    cube_value : int
        A power of two. Our own tables stop at 64; other programs do not, so up to 32,768 can be read and written.
    cube_owner : "centre", "mine" or "theirs"
        Who may turn the cube next. While a double is on offer, value and owner are those before it.
    match_length : int
        From 1 to 25; 0 is money play.
    score : (int, int)
        Points in the match, mine first; (0, 0) in money play.
    crawford : bool
        Whether this is the Crawford game. That a game comes after it is seen from the score.
    jacoby, beavers : bool
        Rules of money play; in a match they are kept and have no effect.
    doubled : bool
        Whether the opponent has doubled and I must answer.
    rules : Variant
        The variant played.

    Raises
    ------
    InvalidPositionError
        If the position cannot occur; the message says everything that is wrong. Whether a cube is dead is not asked:
        other programs let a dead cube be turned.

    Examples
    --------
    >>> position = Position.parse("XGID=-b----E-C---eE---c-e----B-:1:1:1:31:2:4:0:7:10")
    >>> position.dice, position.cube_value, position.cube_owner, position.score
    ((3, 1), 2, 'mine', (2, 4))
    >>> Position(STANDARD.start(), match_length=5, score=(5, 0))
    Traceback (most recent call last):
        ...
    gammon_rl.errors.InvalidPositionError: impossible position: 5 to 0 is no score during a match to 5
    """

    board: Boards
    dice: tuple[int, int] | None = None
    cube_value: int = 1
    cube_owner: CubeOwner = "centre"
    match_length: int = 0
    score: tuple[int, int] = (0, 0)
    crawford: bool = False
    jacoby: bool = False
    beavers: bool = False
    doubled: bool = False
    rules: Variant = STANDARD

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Variant):
            raise InvalidPositionError(f"rules are a Variant, such as gammon_rl.TAVLA, got {self.rules!r}")
        board = checked_board(self.board, self.rules)
        board.setflags(write=False)
        plain = {
            "board": board,
            "dice": None if self.dice is None else _two_numbers(self.dice, "dice"),
            "cube_value": _number(self.cube_value, "cube value"),
            "match_length": _number(self.match_length, "match length"),
            "score": _two_numbers(self.score, "score"),
            **{name: bool(getattr(self, name)) for name in ("crawford", "jacoby", "beavers", "doubled")},
        }
        for name, value in plain.items():
            object.__setattr__(self, name, value)
        faults = [*self._score_faults(), *self._cube_faults()]
        if self.dice is not None and not all(1 <= die <= 6 for die in self.dice):
            faults.append(f"a die shows 1 to 6, got {self.dice[0]} and {self.dice[1]}")
        if faults:
            raise InvalidPositionError("impossible position: " + "; ".join(faults))

    def _score_faults(self) -> list[str]:
        mine, theirs = self.score
        length = self.match_length
        faults = []
        if not 0 <= length <= LONGEST_MATCH:
            faults.append(f"a match goes to 1 to {LONGEST_MATCH} points (0 is money play), got {length}")
        elif length == 0 and (mine or theirs):
            faults.append(f"money play has no score, got {mine} to {theirs}")
        elif length and not (0 <= mine < length and 0 <= theirs < length):
            faults.append(f"{mine} to {theirs} is no score during a match to {length}")
        elif self.crawford and (length < 2 or (mine == length - 1) == (theirs == length - 1)):
            faults.append("in the Crawford game just one player is one point from winning a match of 2 or more")
        return faults

    def _cube_faults(self) -> list[str]:
        value, owner = self.cube_value, self.cube_owner
        largest = LARGEST_CUBE // 2 if self.doubled else LARGEST_CUBE
        faults = []
        if not 1 <= value <= largest or value.bit_count() != 1:
            faults.append(f"a cube{' to be doubled' * self.doubled} is a power of two up to {largest}, got {value}")
        if owner not in _OWNERS:
            faults.append(f"the cube's owner is one of {', '.join(_OWNERS)}, got {owner!r}")
        elif value == 1 and owner != "centre":
            faults.append("a cube at 1 is in the centre")
        elif self.match_length and value > 1 and owner == "centre":
            faults.append(f"in a match a cube at {value} has an owner")
        if self.crawford and value > 1:
            faults.append("there is no doubling in the Crawford game")
        if self.doubled and self.crawford:
            faults.append("nobody can have doubled in the Crawford game")
        if self.doubled and owner == "mine":
            faults.append("the opponent cannot have doubled with my cube")
        if self.doubled and self.dice is not None:
            faults.append("a double comes before the roll, so there are no dice")
        return faults

    @classmethod
    def start(cls, rules: Variant = STANDARD) -> "Position":
        """Return the start of a game for money, nothing rolled."""
        return cls(rules.start(), rules=rules)

    @classmethod
    def parse(cls, source: str | ArrayLike, rules: Variant = STANDARD) -> "Position":
        """Return the position that a text or a board says.

        Parameters
        ----------
        source : str or array_like of int, shape (26,)
            An XGID (its prefix may be missing), a GNU Backgammon position ID, with or without ``:`` and a match ID,
            ``start``, or a board. Where cube and score are not said it is money play without the Jacoby rule, the
            cube in the centre, nothing rolled.
        rules : Variant
            The variant, which no text says.

        Raises
        ------
        InvalidNotationError
            If the text is none of these.
        InvalidPositionError
            If what it says cannot occur.

        Examples
        --------
        >>> Position.parse("4HPwATDgc/ABMA") == Position.parse("start") == Position.start()
        True
        >>> Position.parse("4HPwATDgc/ABMA:cImmAAAAAAAE").xgid
        'XGID=-b----E-C---eE---c-e----B-:0:0:1:51:0:0:0:5:10'
        """
        if not isinstance(source, str):
            return cls(source, rules=rules)  # type: ignore[arg-type]  # checked and converted when made
        text = source.strip()
        if text.lower() == "start":
            return cls.start(rules)
        if text.lower().startswith("xgid=") or text.count(":") > 1:
            board, situation = ids.from_xgid(text, rules)
        elif ":" in text:
            board, situation = ids.from_gnubg_id(text, rules)
        elif len(text) == len("4HPwATDgc/ABMA"):
            board, situation = ids.board_from_position_id(text, rules), Situation()
        else:
            raise InvalidNotationError(
                f"not a position: {source!r}; expected an XGID, a position ID of 14 characters, "
                "a position ID and a match ID with a colon between them, or start"
            )
        return cls(board, **situation._asdict(), rules=rules)

    @property
    def situation(self) -> Situation:
        """Everything but the checkers and the variant."""
        return Situation(*(getattr(self, name) for name in Situation._fields))

    @property
    def position_id(self) -> str:
        """GNU Backgammon's position ID: the board as the player on roll sees it.

        That is the other player's view while a double is on offer, as the program itself has it; so it goes with
        `match_id`, and says nothing of the double without it.
        """
        return self.gnubg_id.partition(":")[0]

    @property
    def match_id(self) -> str:
        """GNU Backgammon's match ID. It cannot say whether beavers are allowed (nor Jacoby in a match)."""
        return ids.match_id(self.situation)

    @property
    def gnubg_id(self) -> str:
        """Position ID and match ID, joined by a colon."""
        return ids.gnubg_id(self.board, self.situation)

    @property
    def xgid(self) -> str:
        """The XGID, the player who has to act at the bottom. It cannot say Jacoby and beavers in a match."""
        return ids.xgid(self.board, self.situation)

    @property
    def pips(self) -> tuple[int, int]:
        """The pips still to go, mine first."""
        mine, theirs = pip_counts(self.board).tolist()
        return mine, theirs

    def turned(self) -> "Position":
        """Return the position as the other player sees it when it is their turn to act: no dice, no double.

        Examples
        --------
        >>> position = Position(STANDARD.start(), cube_value=2, cube_owner="mine", match_length=5, score=(0, 3))
        >>> position.turned().cube_owner, position.turned().score
        ('theirs', (3, 0))
        """
        situation = self.situation._replace(
            dice=None, doubled=False, cube_owner=other_owner(self.cube_owner), score=self.score[::-1]
        )
        return Position(turn(self.board), **situation._asdict(), rules=self.rules)

    def _key(self) -> tuple[Any, ...]:
        return self.board.tobytes(), *(getattr(self, field.name) for field in fields(self)[1:])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Position({self.xgid!r}, {self.rules.name})"


def _number(value: object, what: str) -> int:
    try:
        return index(value)  # type: ignore[arg-type]  # what is not a whole number is refused
    except TypeError:
        raise InvalidPositionError(f"the {what} must be a whole number, got {value!r}") from None


def _two_numbers(values: object, what: str) -> tuple[int, int]:
    try:
        first, second = map(index, values if isinstance(values, tuple) else np.asarray(values).tolist())
    except (TypeError, ValueError):
        raise InvalidPositionError(f"the {what} must be two whole numbers, got {values!r}") from None
    return first, second
