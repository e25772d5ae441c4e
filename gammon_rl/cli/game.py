"""One money game as a value: whose turn it is, what that player sees, and what each action makes of it."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from gammon_rl.rules.board import MY_BAR, home_is_closed, results
from gammon_rl.rules.dice import roll
from gammon_rl.rules.notation import Play
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import Variant
from gammon_rl.stakes.cube import may_double

SINGLE: Final = 1
GAMMON: Final = 2
BACKGAMMON: Final = 3


@dataclass(frozen=True)
class Outcome:
    """How a game ended.

    Attributes
    ----------
    winner : int
        0 or 1.
    level : int
        1 single, 2 gammon, 3 backgammon, as the checkers stood or as was resigned; 0 after a drop.
    points : int
        What the winner scores.
    """

    winner: int
    level: int
    points: int


@dataclass(frozen=True)
class Game:
    """A money game at the start of a turn.

    Attributes
    ----------
    position : Position
        What the player on turn sees. It has the value of the cube and who owns it.
    player : int
        Who that is, 0 or 1.
    cube : bool
        Whether there is a cube.
    opening : bool
        Whether it is the first turn, whose dice are rolled already.
    """

    position: Position
    player: int
    cube: bool = True
    opening: bool = False

    @classmethod
    def start(cls, player: int, rules: Variant, *, cube: bool = True, jacoby: bool = True) -> "Game":
        """Return a new game that `player` opens. Without a cube the Jacoby rule has no effect."""
        return cls(Position(rules.start(), jacoby=jacoby and cube, rules=rules), player, cube, opening=True)

    @property
    def other(self) -> int:
        """The player who is not on turn."""
        return 1 - self.player

    @property
    def may_double(self) -> bool:
        """Whether the player on turn may double."""
        return self.cube and not self.opening and may_double(self.position)

    @property
    def shut_out(self) -> bool:
        """Whether the player on turn is on the bar against a closed board, so that nothing is rolled."""
        return bool(self.position.board[MY_BAR] > 0 and home_is_closed(self.position.board))

    @property
    def highest_resignation(self) -> int:
        """The most the player on turn may resign now; 0 if they may not resign at all."""
        if self.opening or self.shut_out:
            return 0
        return SINGLE if self._gammons_are_off else BACKGAMMON

    @property
    def _gammons_are_off(self) -> bool:
        return self.position.jacoby and self.position.cube_owner == "centre"

    def worth(self, level: int) -> int:
        """Return the points for a game won or resigned at a level."""
        return self.position.cube_value * (SINGLE if self._gammons_are_off else level)

    def seen_by(self, player: int) -> Position:
        """Return the position as a player sees it."""
        return self.position if player == self.player else self.position.turned()

    def offered(self) -> Position:
        """Return what the other player sees who must answer a double."""
        return replace(self.position.turned(), doubled=True)

    def taken(self) -> "Game":
        """Return the game after the double was taken: the same player is on turn, the other one owns the cube."""
        return replace(
            self, position=replace(self.position, cube_value=2 * self.position.cube_value, cube_owner="theirs")
        )

    def dropped(self) -> Outcome:
        """Return the outcome if the double is dropped: the value before it."""
        return Outcome(self.player, 0, self.position.cube_value)

    def resigned(self, level: int) -> Outcome:
        """Return the outcome if the player on turn resigns and the other one accepts."""
        return Outcome(self.other, level, self.worth(level))

    def passed(self) -> "Game":
        """Return the game after a turn in which nothing was moved."""
        return replace(self, position=self.position.turned(), player=self.other, opening=False)

    def played(self, play: Play) -> "Game":
        """Return the game after a play; `outcome` says whether that ended it."""
        after = self.passed()
        return replace(after, position=replace(after.position, board=play.afterstate))

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on; only the player who just moved can have borne off."""
        level = -int(results(self.position.board, self.position.rules))
        return Outcome(self.other, level, self.worth(level)) if level else None


def opening_throws(rng: np.random.Generator) -> list[tuple[int, int]]:
    """Return what each player throws with one die to see who begins: ties, and then two different dice."""
    throws = [roll_dice(rng)]
    while throws[-1][0] == throws[-1][1]:
        throws.append(roll_dice(rng))
    return throws


def roll_dice(rng: np.random.Generator) -> tuple[int, int]:
    """Return one roll."""
    first, second = roll(rng, 1)[0].tolist()
    return first, second
