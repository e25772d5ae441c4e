"""FIBS board lines in GNU Backgammon's dialect, read into positions.

A line is ``board`` and 52 fields after colons, as the First Internet Backgammon Server (FIBS) sends them to its
clients. GNU Backgammon speaks it with external players, and differs in one thing: which score comes first.

Sources: the FIBS help page "rawboard", the FIBS Client Protocol Detailed Specification, and what GNU Backgammon 1.07
was seen to send and to answer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from gammon_rl.errors import InvalidNotationError
from gammon_rl.rules.board import MY_BAR, THEIR_BAR, turn
from gammon_rl.rules.ids import CubeOwner
from gammon_rl.rules.position import LONGEST_MATCH, Position
from gammon_rl.rules.variants import STANDARD, Variant

_FIELDS: Final = 53  # with the word "board"
_UNLIMITED: Final = 9999  # FIBS's match length of money play
_LARGEST: Final = 1 << 31


@dataclass(frozen=True)
class FibsBoard:
    """A FIBS board line. The player is the one named first, whose colour it gives; the opponent the other.

    Attributes
    ----------
    names : (str, str)
        The player's and the opponent's.
    match_length : int
        0 or 9999 for money play.
    scores : (int, int)
        Points so far, in the order they stand in; whose they are, `score_of` knows.
    points : tuple of 26 int
        Positive counts are those of colour 1. The bars are at both ends.
    turn : int
        Colour of the player on roll, 1 or -1. While a double is on offer, of the one who rolls after it.
    dice : (int, int)
        The roll; zeros before it.
    cube : int
        What the cube shows, before a double that is on offer.
    may_double : (bool, bool)
        Whether the player, and the opponent, have access to the cube.
    doubled : bool
        Whether a double is on offer.
    colour : int
        The player's, 1 or -1.
    direction : int
        -1 if the player moves from point 24 down to 1, and 1 for the other way.
    no_crawford : bool
        Whether at match point this is known not to be the Crawford game.

    Examples
    --------
    >>> line = (
    ...     "board:You:Bob:5:4:2:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ...     ":1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
    ... )
    >>> FibsBoard.parse(line).position().xgid
    'XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:4:0:5:10'
    """

    names: tuple[str, str]
    match_length: int
    scores: tuple[int, int]
    points: tuple[int, ...]
    turn: int
    dice: tuple[int, int]
    cube: int
    may_double: tuple[bool, bool]
    doubled: bool
    colour: int
    direction: int
    no_crawford: bool

    @classmethod
    def parse(cls, text: str) -> "FibsBoard":
        """Return what a line says.

        Raises
        ------
        InvalidNotationError
            If it is no such line; whether the position can occur is asked by `position`.
        """
        word, *fields = text.strip().split(":")
        if word != "board" or len(fields) != _FIELDS - 1:
            raise InvalidNotationError(
                f"a FIBS board is the word board and {_FIELDS - 1} fields after colons, got {len(fields)} in {text!r}"
            )
        numbers = _numbers(fields[2:])
        length, first, second = (next(numbers) for _ in range(3))
        points = tuple(next(numbers) for _ in range(26))
        on_roll = next(numbers)
        dice = next(numbers), next(numbers)
        their_dice = next(numbers), next(numbers)
        cube = next(numbers)
        may_double = bool(next(numbers)), bool(next(numbers))
        doubled = bool(next(numbers))
        colour, direction = next(numbers), next(numbers)
        *_, no_crawford, after_crawford = numbers
        for name, value in (("turn", on_roll), ("colour", colour), ("direction", direction)):
            if value not in (1, -1):
                ended = "; the game is over" if name == "turn" and value == 0 else ""
                raise InvalidNotationError(f"the {name} of a FIBS board is 1 or -1, got {value}{ended}")
        return cls(
            names=(fields[0], fields[1]),
            match_length=0 if length == _UNLIMITED else length,
            scores=(first, second),
            points=points,
            turn=on_roll,
            dice=dice if any(dice) else their_dice,
            cube=cube,
            may_double=may_double,
            # FIBS itself takes the cube from both while a double is on offer
            doubled=doubled or not any(may_double),
            colour=colour,
            direction=direction,
            no_crawford=bool(no_crawford or after_crawford),
        )

    @property
    def owner(self) -> int:
        """Colour of the player who owns the cube, 0 in the centre."""
        player, opponent = self.may_double
        if self.cube == 1 or (player and opponent):
            return 0
        if player == opponent:  # nobody may double while a double is on offer: it was the doubler's
            return self.turn
        return self.colour if player else -self.colour

    @property
    def beavered(self) -> bool:
        """Whether the double on offer is a beaver: the cube has gone to the other player, who turned it again."""
        return self.doubled and self.owner == -self.turn

    @property
    def actor(self) -> int:
        """Colour of the player who has to act."""
        return -self.turn if self.doubled and not self.beavered else self.turn

    def score_of(self, colour: int) -> int:
        """Return the points of a colour.

        The first score is the opponent's, as a rule, and the player's while a double is on offer: so GNU Backgammon
        writes it, and so it reads it. (FIBS has the player's first throughout.)
        """
        first = self.colour if self.doubled and not self.beavered else -self.colour
        return self.scores[colour != first]

    def position(
        self, *, jacoby: bool = False, beavers: bool = False, crawford_rule: bool = True, rules: Variant = STANDARD
    ) -> Position:
        """Return the position, seen by the player who has to act.

        A match longer than 25 points becomes one of 25 in which each player needs as many points, or 25. After a
        beaver the position is that of the doubler, with the cube as it is before the beaver.

        Parameters
        ----------
        jacoby, beavers : bool
            Rules of money play, which no line says.
        crawford_rule : bool
            Whether a match has a Crawford game. It is the one at match point unless the line says otherwise.
        rules : Variant
            The variant played.

        Raises
        ------
        InvalidPositionError
            If it cannot occur.
        """
        me = self.actor
        board = self.colour * np.array(self.points)
        for bar, sign in ((THEIR_BAR, self.direction), (MY_BAR, -self.direction)):
            board[bar] = sign * abs(board[bar])
        if self.direction > 0:
            board = board[::-1]
        if me != self.colour:
            board = turn(board)
        owner: CubeOwner = "centre" if not self.owner else "mine" if self.owner == me else "theirs"
        length, score = 0, (0, 0)
        if self.match_length:
            length = min(self.match_length, LONGEST_MATCH)
            mine, theirs = (length - min(self.match_length - self.score_of(who), LONGEST_MATCH) for who in (me, -me))
            score = mine, theirs
        one_at_match_point = sum(points == length - 1 for points in score) == 1
        return Position(
            board,
            dice=self.dice if any(self.dice) and not self.doubled else None,
            cube_value=self.cube,
            cube_owner=owner,
            match_length=length,
            score=score,
            crawford=bool(
                crawford_rule
                and length > 1
                and one_at_match_point
                and not (self.no_crawford or self.doubled or self.cube > 1)
            ),
            jacoby=jacoby and not length,
            beavers=beavers and not length,
            doubled=self.actor != self.turn,
            rules=rules,
        )


def _numbers(fields: list[str]) -> Iterator[int]:
    """Yield fields as numbers, or say which one is none."""
    for field in fields:
        try:
            number = int(field.encode("ascii"))  # `int` also reads the digits of other scripts
        except ValueError:
            raise InvalidNotationError(f"a field of a FIBS board should be a whole number, got {field!r}") from None
        if abs(number) >= _LARGEST:
            raise InvalidNotationError(f"a number of a FIBS board is too large: {field}")
        yield number
