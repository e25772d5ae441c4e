"""The doubling cube in money play: cubeful equities out of outcome probabilities, and the right action.

The model is Rick Janowski's ("Take-Points in Money Games", 1993). A dead cube will never be turned again. A live cube
is always turned at the very moment when taking and passing are worth the same, as in a game whose chances move without
jumps. Both can be reckoned exactly; a real cube lies between, and its equity is taken as a mean of theirs in which the
live one has the weight x, the cube efficiency.

Let p be the chance to win, W and L the mean points of a win and of a loss, from 1 to 3, and the value of the cube the
unit of equity.

1. Dead cube: E = p (W + L) - L. It is the cubeless equity.
2. Live cube: E runs in straight lines from -L at p = 0 over -1 at the take point T, where the opponent doubles me
   out, and 1 at the cash point C, where I double the opponent out, to W at p = 1. Only who may double bends it: with
   the opponent's cube the corner at C is missing, with my own the one at T.
3. T = (L - 1/2) / (W + L + 1/2) and C = (L + 1) / (W + L + 1/2). There the doubled cube is worth -1/2 or 1/2 of its
   value, by 2; the 1/2 in the denominators is its owner's right to double again. Without that right (the cube is then
   at its limit) T = (L - 1/2) / (W + L) and C = (L + 1/2) / (W + L).
4. Any cube: E = (1 - x) E_dead + x E_live. Between the corners this is p (W + L + x/2) - L with my own cube, and x/2
   less with the opponent's.
5. So a double is rightly taken from p = (L - 1/2) / (W + L + x/2) up: `take_point`.

Under the Jacoby rule gammons count only once the cube has been turned. With the cube in the centre, 1 becomes
E = 2 p - 1, and 2 runs from -1 to 1 only: beyond T and C the game ends with a pass. W and L stay in T and C, for a
take brings the gammons back.

`CubeEquities` knows nothing of money play; a match is a matter of other equities for the same three choices.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gammon_rl.errors import InvalidPositionError
from gammon_rl.rules.ids import CubeOwner
from gammon_rl.rules.position import Position
from gammon_rl.stakes.equity import Equities

CUBE_LIMIT: Final = 64
EFFICIENCY: Final = 0.68
"""What GNU Backgammon 1.07 takes in a game with contact; it has 0.6 to 0.7 in races and 0.6 in bear-offs."""

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CubeDecision:
    """What to do with the cube in one position, before the roll, and what the right answer would be.

    Attributes
    ----------
    nd, dt, dp : float
        Equity of the player on roll without a double, after double and take (or beaver), and after double and pass.
        The unit is the cube before any double: points at a cube of 1.
    double : bool
        Whether to double.
    take : bool
        Whether the opponent would rightly take; a beaver is a take.
    beaver : bool
        Whether the opponent would rightly beaver.
    action : str
        Both in words, such as ``double/take``, ``no double/beaver``, ``redouble/pass`` or ``too good/pass``;
        ``not available`` if the player may not double. The equities are then those of a double all the same.
    """

    nd: float
    dt: float
    dp: float
    double: bool
    take: bool
    beaver: bool
    action: str


@dataclass(frozen=True)
class CubeEquities:
    """The equities of the player on roll before the roll, for each choice there is with the cube.

    Attributes
    ----------
    nd, dt, dp : float32 (...)
        No double; double and take, or beaver where that is the better answer; double and pass.
    beaver : bool (...)
        Whether the answer `dt` stands for is a beaver.
    owner : "centre", "mine" or "theirs"
        Whose cube it is.
    available : bool
        Whether the player may double. Where not, `dt` and `dp` are those of a double all the same.
    """

    nd: Equities
    dt: Equities
    dp: Equities
    beaver: NDArray[np.bool_]
    owner: CubeOwner
    available: bool

    @property
    def doubled(self) -> Equities:
        """What a double is worth against the right answer, float32 (...)."""
        return np.minimum(self.dt, self.dp)

    @property
    def double(self) -> NDArray[np.bool_]:
        """Whether to double, bool (...)."""
        return np.asarray(self.available & (self.doubled >= self.nd))

    @property
    def take(self) -> NDArray[np.bool_]:
        """Whether a double is rightly taken, bool (...)."""
        return np.asarray(self.dt <= self.dp)

    @property
    def best(self) -> Equities:
        """The equity if both players act rightly now, float32 (...)."""
        return np.where(self.double, self.doubled, self.nd)

    def decision(self) -> CubeDecision:
        """Return the decision of a single position, whose arrays have no axes."""
        double, take, beaver = bool(self.double), bool(self.take), bool(self.beaver)
        answer = "beaver" if beaver else "take" if take else "pass"
        verb = "redouble" if self.owner == "mine" else "double"
        if not self.available:
            action = "not available"
        elif double:
            action = f"{verb}/{answer}"
        elif self.nd > self.dp:
            action = f"too good/{answer}"
        else:
            action = f"no {verb}/{answer}"
        return CubeDecision(float(self.nd), float(self.dt), float(self.dp), double, take, beaver, action)


def money_decision(position: Position, probs: ArrayLike, *, efficiency: float = EFFICIENCY) -> CubeDecision:
    """Return the cube decision of the player on roll, by the equities of money play.

    In a match the player's right to double is that of the match, while the equities are still those of money play
    without Jacoby and beavers.

    Parameters
    ----------
    position : Position
        The position before the roll, not yet doubled.
    probs : float (5,)
        Nested probabilities of the player on roll.
    efficiency : float
        See `money_cube`.

    Examples
    --------
    >>> money_decision(Position.start(), [0.52, 0.15, 0.01, 0.13, 0.01]).action
    'no double/take'
    """
    money = not position.match_length
    equities = money_cube(
        probs,
        position.cube_owner,
        cube_value=position.cube_value,
        jacoby=money and position.jacoby,
        beavers=money and position.beavers,
        efficiency=efficiency,
    )
    return replace(equities, available=may_double(position)).decision()


def may_double(position: Position) -> bool:
    """Return whether the player on roll may turn the cube: it is not the opponent's, not at its limit and not dead.

    A cube is dead for a player whom its present value brings to the end of the match, and in the Crawford game. That
    there is no doubling on the opening turn is for the table to know.
    """
    value, length = position.cube_value, position.match_length
    dead = bool(length) and (position.crawford or position.score[0] + value >= length)
    return position.cube_owner != "theirs" and 2 * value <= CUBE_LIMIT and not dead


def money_cube(
    probs: ArrayLike,
    owner: CubeOwner,
    *,
    cube_value: int = 1,
    jacoby: bool = False,
    beavers: bool = False,
    efficiency: ArrayLike = EFFICIENCY,
) -> CubeEquities:
    """Return the equities of doubling and of not doubling in money play.

    Parameters
    ----------
    probs : float (..., 5)
        For the player on roll before the roll, nested: win, win gammon or better, win backgammon, lose gammon or
        worse, lose backgammon.
    owner : "centre", "mine" or "theirs"
        Whose cube it is, from the same side.
    cube_value : int
        What it shows; it tells how often it can still be turned before it is at 64.
    jacoby, beavers : bool
        Whether these rules are in force. A beaver, which makes the cube four times what it was, is the answer where
        its owner is ahead; there is none that would go beyond 64.
    efficiency : float, or an array that fits (...)
        From 0 (a dead cube) to 1 (a live one).

    Returns
    -------
    CubeEquities
        In units of the present cube, with the shape (...).

    Raises
    ------
    InvalidPositionError
        If there is no such owner or cube.

    Examples
    --------
    >>> equities = money_cube([[0.65, 0, 0, 0, 0], [0.85, 0, 0, 0, 0]], "centre")
    >>> print(equities.nd.round(2), equities.dt.round(2), equities.double, equities.take)
    [0.44 0.9 ] [0.36 1.3 ] [False  True] [ True False]
    """
    nd = cubeful_equity(probs, owner, cube_value=cube_value, jacoby=jacoby, efficiency=efficiency)
    taken = 2 * cubeful_equity(probs, "theirs", cube_value=2 * cube_value, efficiency=efficiency)
    beavered = 4 * cubeful_equity(probs, "theirs", cube_value=4 * cube_value, efficiency=efficiency)
    beaver = np.asarray((beavered < taken) & (beavers and 4 * cube_value <= CUBE_LIMIT))
    return CubeEquities(
        nd=nd,
        dt=np.where(beaver, beavered, taken),
        dp=np.ones_like(nd),
        beaver=beaver,
        owner=owner,
        available=owner != "theirs" and 2 * cube_value <= CUBE_LIMIT,
    )


def cubeful_equity(
    probs: ArrayLike,
    owner: CubeOwner,
    *,
    cube_value: int = 1,
    jacoby: bool = False,
    efficiency: ArrayLike = EFFICIENCY,
) -> Equities:
    """Return the equity of the game with the cube where it is, float32 (...), in units of that cube.

    Parameters and errors are those of `money_cube`. It is what `nd` is there: both players may still double later,
    but the player on roll does not do so now.
    """
    if owner not in get_args(CubeOwner):
        raise InvalidPositionError(f"the cube's owner is one of {', '.join(get_args(CubeOwner))}, got {owner!r}")
    if cube_value < 1 or cube_value.bit_count() != 1:
        raise InvalidPositionError(f"a cube shows a power of two, got {cube_value}")
    p = np.asarray(probs, dtype=np.float64)[..., 0]
    win, loss = mean_values(probs)
    again = float(4 * cube_value <= CUBE_LIMIT)  # whether the next owner may double once more
    take, cash = take_point(win, loss, again), 1 - take_point(loss, win, again)
    if jacoby and owner == "centre":
        win, loss = np.ones_like(win), np.ones_like(loss)

    dead = p * (win + loss) - loss
    if 2 * cube_value > CUBE_LIMIT:
        return np.asarray(dead, dtype=np.float32)
    corners: list[tuple[_Floats | float, _Floats | float]] = [(0.0, -loss)]
    if owner != "mine":
        corners.append((take, -1.0))
    if owner != "theirs":
        corners.append((cash, 1.0))
    corners.append((1.0, win))
    live = dead
    for (from_p, from_e), (to_p, to_e) in pairwise(corners):
        live = np.where(p >= from_p, from_e + (p - from_p) / (to_p - from_p) * (to_e - from_e), live)
    # written so, it is exact where the two agree, as in a game that is won
    return np.asarray(dead + np.asarray(efficiency) * (live - dead), dtype=np.float32)


def take_point(win: ArrayLike, loss: ArrayLike, efficiency: ArrayLike = EFFICIENCY) -> _Floats:
    """Return the chance to win from which a double is rightly taken, float64 (...): equation 5 of this module.

    The doubler's cash point is one less that of the opponent, `1 - take_point(loss, win)`.

    Parameters
    ----------
    win, loss : float (...)
        What the taker's wins and losses are worth on average (`mean_values`).
    efficiency : float (...)
        Of the cube that the taker comes to own; 0 if it cannot be turned any more.

    Examples
    --------
    >>> float(take_point(1, 1, efficiency=0)), float(take_point(1, 1, efficiency=1))
    (0.25, 0.2)
    """
    won, lost = np.asarray(win, dtype=np.float64), np.asarray(loss, dtype=np.float64)
    return np.asarray((lost - 0.5) / (won + lost + 0.5 * np.asarray(efficiency)))


def mean_values(probs: ArrayLike) -> tuple[_Floats, _Floats]:
    """Return the mean points of a win and of a loss at a stake of one, each float64 (...), from 1 to 3.

    What never happens counts 1, and probabilities that are not quite nested are taken for the nearest that are.

    Examples
    --------
    >>> [value.item() for value in mean_values([0.5, 0.25, 0, 0.125, 0.125])]
    [1.5, 1.5]
    """
    win, *gammons = np.moveaxis(np.asarray(probs, dtype=np.float64), -1, 0)
    won, lost = gammons[0] + gammons[1], gammons[2] + gammons[3]
    return 1 + _share(won, win), 1 + _share(lost, 1 - win)


def _share(part: _Floats, whole: _Floats) -> _Floats:
    """Return part / whole between 0 and 2, and 0 for nothing of nothing."""
    return np.clip(part / np.where(whole > 0, whole, np.inf), 0, 2)
