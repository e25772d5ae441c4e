"""What a game is played for: the cube, the score and the rules, and what winning or losing points is worth there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gammon_rl.errors import InvalidPositionError
from gammon_rl.rules.ids import CubeOwner
from gammon_rl.rules.position import Position
from gammon_rl.stakes.equity import Floats, emg_to_mwc, mwc_to_emg
from gammon_rl.stakes.met import MatchEquityTable, own_table

CUBE_LIMIT: Final = 64
OWNERS: Final[dict[CubeOwner, int]] = {"mine": 1, "centre": 0, "theirs": -1}
"""Owners as numbers, for arrays."""

_OUTCOMES: Final = np.array([-3, -2, -1, 1, 2, 3])  # a backgammon lost to one won

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Stakes:
    """The stakes of one game, or of a batch of games, as the player sees them whose probabilities go with them.

    Make one with `money`, `match` or `of`. A batch is all money play or all match play; its entries may differ in
    everything else and are broadcast against the rows of probabilities. The worth of something is a number of points in
    money play and a chance of winning the match (MWC) in a match; `equity` puts either on the scale of one game at the
    present cube.

    Attributes
    ----------
    cube : int64 (...)
        What the cube shows.
    owner : int64 (...)
        1 my cube, 0 in the centre, -1 theirs.
    mine, theirs : int64 (...)
        The points that I and the opponent need to win the match; 0 in money play.
    crawford : bool (...)
        Whether this is the Crawford game.
    jacoby, beavers : bool
        Rules of money play.
    table : MatchEquityTable or None
        None in money play.
    """

    cube: Ints
    owner: Ints
    mine: Ints = field(default_factory=lambda: np.asarray(0))
    theirs: Ints = field(default_factory=lambda: np.asarray(0))
    crawford: Bools = field(default_factory=lambda: np.asarray(False))
    jacoby: bool = False
    beavers: bool = False
    table: MatchEquityTable | None = None

    @classmethod
    def money(
        cls,
        cube: ArrayLike = 1,
        owner: CubeOwner | ArrayLike = "centre",
        *,
        jacoby: bool = False,
        beavers: bool = False,
    ) -> "Stakes":
        """Return stakes in money play; see the class for the arguments (an owner may be a word).

        Raises
        ------
        InvalidPositionError
            If there is no such cube or owner.

        Examples
        --------
        >>> float(Stakes.money(2, "mine").worth(3))
        6.0
        """
        return cls(_cubes(cube), _owners(owner), jacoby=jacoby, beavers=beavers)

    @classmethod
    def match(
        cls,
        mine: ArrayLike,
        theirs: ArrayLike,
        cube: ArrayLike = 1,
        owner: CubeOwner | ArrayLike = "centre",
        *,
        crawford: ArrayLike = False,
        table: MatchEquityTable | None = None,
    ) -> "Stakes":
        """Return stakes in a match, by the points that both players still need.

        Raises
        ------
        InvalidPositionError
            If there is no such score, cube or owner; if a score is beyond the table; if it cannot be that of a
            Crawford game; or if the cube of a Crawford game is not at 1 in the centre.

        Examples
        --------
        >>> stakes = Stakes.match(2, 2)
        >>> float(stakes.equity(stakes.worth(1))), float(stakes.worth(2))
        (1.0, 1.0)
        """
        table = table or own_table()
        cubes, owners, first, second = _cubes(cube), _owners(owner), _whole(mine, "score"), _whole(theirs, "score")
        special = np.asarray(crawford, dtype=np.bool_)
        for needs in (first, second):
            _refuse(
                needs,
                (needs < 1) | (needs > table.length),
                f"during a match a player needs 1 to {table.length} points by {table.name!r}",
            )
        both = np.stack(np.broadcast_arrays(first, second), axis=-1)
        lone = (both == 1).sum(axis=-1) == 1
        _refuse(both, (special & ~lone)[..., None], "in the Crawford game just one player needs one point")
        _refuse(cubes, special & ((cubes > 1) | (owners != 0)), "the Crawford game has a cube at 1 in the centre")
        return cls(cubes, owners, first, second, special, table=table)

    @classmethod
    def of(cls, position: Position, table: MatchEquityTable | None = None) -> "Stakes":
        """Return the stakes of a position, from the side of the player who has to act."""
        cube, owner, length = position.cube_value, position.cube_owner, position.match_length
        if not length:
            return cls.money(cube, owner, jacoby=position.jacoby, beavers=position.beavers)
        mine, theirs = (length - points for points in position.score)
        return cls.match(mine, theirs, cube, owner, crawford=position.crawford, table=table)

    @classmethod
    def of_all(cls, positions: Sequence[Position], table: MatchEquityTable | None = None) -> "Stakes":
        """Return the stakes of several positions, with arrays (N,).

        All of them are money play by the same rules, or all are match play.
        """
        first = positions[0]
        cubes = [position.cube_value for position in positions]
        owners = [OWNERS[position.cube_owner] for position in positions]
        if not first.match_length:
            return cls.money(cubes, owners, jacoby=first.jacoby, beavers=first.beavers)
        needs = np.array([[one.match_length - points for points in one.score] for one in positions])
        crawford = [position.crawford for position in positions]
        return cls.match(needs[:, 0], needs[:, 1], cubes, owners, crawford=crawford, table=table)

    def worth(self, games: ArrayLike) -> Floats:
        """Return what it is worth to win `games` times the cube (to lose it, if negative), float64 (...)."""
        points = np.asarray(games) * self.cube
        if self.table is None:
            return np.asarray(points, dtype=np.float64)
        won, lost = np.maximum(points, 0), np.maximum(-points, 0)
        return self.table.mwc(self.mine - won, self.theirs - lost, self.crawford | self.after_crawford)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its arrays put together, () for one game."""
        return np.broadcast_shapes(*(array.shape for array in self._arrays()))

    @property
    def of_outcomes(self) -> Floats:
        """The worth of each of the six outcomes with the cube as it is, float64 (..., 6), worst first."""
        single = self.jacoby & (self.owner == 0)
        games = np.where(single[..., None], np.sign(_OUTCOMES), _OUTCOMES)
        return self.reshaped(*self.shape, 1).worth(games)

    def other_side(self, worth: ArrayLike) -> Floats:
        """Return what my worth is for the opponent, float64 (...), or the other way round."""
        value = np.asarray(worth, dtype=np.float64)
        return -value if self.table is None else 1 - value

    @property
    def after_crawford(self) -> Bools:
        """Whether the Crawford game has been played, bool (...)."""
        return np.asarray(~self.crawford & (np.minimum(self.mine, self.theirs) == 1))

    @property
    def dead(self) -> Bools:
        """Whether a double could win me nothing, since the cube as it is brings me to the end of the match."""
        return np.asarray((self.mine <= self.cube) & (self.table is not None))

    @property
    def may_double(self) -> Bools:
        """Whether I may double, bool (...): not with their cube, a dead one, one at 64, or in the Crawford game."""
        return np.asarray((self.owner >= 0) & (2 * self.cube <= CUBE_LIMIT) & ~self.dead & ~self.crawford)

    def turned(self) -> "Stakes":
        """Return the same stakes as the opponent sees them."""
        return replace(self, owner=-self.owner, mine=self.theirs, theirs=self.mine)

    def raised(self, times: int = 2) -> "Stakes":
        """Return the stakes after I doubled and the opponent took; `times` 4 for a beaver."""
        return replace(self, cube=times * self.cube, owner=np.full_like(self.owner, -1))

    def reshaped(self, *shape: int) -> "Stakes":
        """Return the same stakes with their arrays in another shape, so that they meet other axes of probabilities."""
        return self._with(array.reshape(shape) for array in np.broadcast_arrays(*self._arrays()))

    def rows(self, index: Any) -> "Stakes":
        """Return the stakes of some games of a batch; those of a single game are of all."""
        return self._with(array[index] for array in np.broadcast_arrays(*self._arrays())) if self.shape else self

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self.cube, self.owner, self.mine, self.theirs, self.crawford

    def _with(self, arrays: Iterable[NDArray[Any]]) -> "Stakes":
        cube, owner, mine, theirs, crawford = arrays
        return replace(self, cube=cube, owner=owner, mine=mine, theirs=theirs, crawford=crawford)

    def equity(self, worth: ArrayLike) -> Floats:
        """Return a worth as equity, float64 (...): points by the present cube, or EMG in a match."""
        if self.table is None:
            return np.asarray(np.asarray(worth, dtype=np.float64) / self.cube)
        return mwc_to_emg(worth, self.worth(-1), self.worth(1))

    def worth_of(self, equity: ArrayLike) -> Floats:
        """Return the worth of an equity, float64 (...): the inverse of `equity`."""
        if self.table is None:
            return np.asarray(np.asarray(equity, dtype=np.float64) * self.cube)
        return emg_to_mwc(equity, self.worth(-1), self.worth(1))


def _whole(values: ArrayLike, what: str) -> Ints:
    array = np.asarray(values)
    if not np.issubdtype(array.dtype, np.integer):
        raise InvalidPositionError(f"the {what} must be whole numbers, got {values!r}")
    return array.astype(np.int64)


def _cubes(cube: ArrayLike) -> Ints:
    cubes = _whole(cube, "cube")
    _refuse(cubes, (cubes < 1) | (cubes & (cubes - 1) != 0), "a cube shows a power of two")
    return cubes


def _owners(owner: CubeOwner | ArrayLike) -> Ints:
    if isinstance(owner, str):
        if owner not in get_args(CubeOwner):
            raise InvalidPositionError(f"the cube's owner is one of {', '.join(get_args(CubeOwner))}, got {owner!r}")
        return np.asarray(OWNERS[cast(CubeOwner, owner)])
    owners = _whole(owner, "cube's owner")
    _refuse(owners, np.abs(owners) > 1, "the cube's owner is 1 (mine), 0 (centre) or -1 (theirs)")
    return owners


def _refuse(values: Any, wrong: Bools, expected: str) -> None:
    if wrong.any():
        shown, where = np.broadcast_arrays(values, wrong)
        raise InvalidPositionError(f"{expected}, got {shown[where][0]}")
