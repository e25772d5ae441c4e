"""The doubling cube, for money and at match scores: cubeful values out of outcome probabilities, and the right action.

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

In a match the same holds with chances of winning the match (MWC) in the place of points; they are not proportional to
the points, so 3 has no closed form. The lines at each level of the cube are drawn with its corners, and the corners of
one level are found on the lines of the next:

6. C is where the line of the doubled cube, which is then the opponent's, reaches the MWC of winning at the present
   cube; T where the line of the doubled cube that I would own reaches that of losing at it. A cube that is dead, or at
   64, has no corners, and there the recursion begins (Janowski, section on match play; also in the manual of GNU
   Backgammon, "Cubeful equities").
7. A player who loses the match with the game doubles for free, at the first opportunity. So against such a player on
   the other side, whose turn is the next, a dead cube is worth no more than the answer to that double, take or pass.

Decisions are `CubeEquities`, on the scale of one game at the present cube for both kinds of play.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from gammon_rl.errors import InvalidPositionError
from gammon_rl.rules.ids import CubeOwner
from gammon_rl.rules.position import Position
from gammon_rl.stakes.efficiency import CONTACT, cube_efficiency
from gammon_rl.stakes.equity import Floats, outcome_shares
from gammon_rl.stakes.met import MatchEquityTable
from gammon_rl.stakes.worth import CUBE_LIMIT, Bools, Stakes

EFFICIENCY: Final = CONTACT

_WINS: Final = (1, 2, 3)


@dataclass(frozen=True)
class CubeDecision:
    """What to do with the cube in one position, before the roll, and what the right answer would be.

    Attributes
    ----------
    nd, dt, dp : float
        Equity of the player on roll without a double, after double and take (or beaver), and after double and pass.
        The unit is the cube before any double: points at a cube of 1, and EMG in a match, where `dp` is 1 as well.
    double : bool
        Whether to double.
    take : bool
        Whether the opponent would rightly take; a beaver is a take.
    beaver : bool
        Whether the opponent would rightly beaver.
    action : str
        Both in words, such as ``double/take``, ``no double/beaver``, ``redouble/pass`` or ``too good/pass``;
        ``dead cube`` if the player could win nothing by a double, and ``not available`` if the player may not double
        for another reason. The equities are then those of a double all the same.
    costs : dict
        What each choice gives away, in the unit of `nd`, 0 for the right ones: ``no double`` and ``double`` for the
        player on roll where there is that choice; ``take``, ``pass`` and, where it is allowed, ``beaver`` for the
        opponent.
    mwc : (float, float, float) or None
        `nd`, `dt` and `dp` as chances of winning the match; None in money play.
    """

    nd: float
    dt: float
    dp: float
    double: bool
    take: bool
    beaver: bool
    action: str
    costs: Mapping[str, float] = field(default_factory=dict)
    mwc: tuple[float, float, float] | None = None


@dataclass(frozen=True, eq=False)
class CubeEquities:
    """The equities of the player on roll before the roll, for each choice there is with the cube.

    Attributes
    ----------
    nd, taken, beavered, dp : float64 (...)
        No double; double and take; double and beaver (as `taken` where there are no beavers); double and pass. In
        units of the present cube, EMG in a match (`Stakes.equity`).
    may_beaver : bool (...)
        Whether a beaver is allowed.
    stakes : Stakes
        What is played for.
    """

    nd: Floats
    taken: Floats
    beavered: Floats
    dp: Floats
    may_beaver: Bools
    stakes: Stakes

    @property
    def beaver(self) -> Bools:
        """Whether a double is rightly beavered, bool (...)."""
        return np.asarray(self.may_beaver & (self.beavered < self.taken))

    @property
    def dt(self) -> Floats:
        """Double and take, or beaver where that is the better answer, float64 (...)."""
        return np.where(self.beaver, self.beavered, self.taken)

    @property
    def doubled(self) -> Floats:
        """What a double is worth against the right answer, float64 (...)."""
        return np.minimum(self.dt, self.dp)

    @property
    def available(self) -> Bools:
        """Whether the player may double, bool (...). Where not, the equities are those of a double all the same."""
        return self.stakes.may_double

    @property
    def double(self) -> Bools:
        """Whether to double, bool (...)."""
        return np.asarray(self.available & (self.doubled >= self.nd))

    @property
    def take(self) -> Bools:
        """Whether a double is rightly taken, bool (...)."""
        return np.asarray(self.dt <= self.dp)

    @property
    def best(self) -> Floats:
        """The equity if both players act rightly now, float64 (...)."""
        return np.where(self.double, self.doubled, self.nd)

    @property
    def worth(self) -> Floats:
        """`best` as points or MWC, float64 (...): what a search hands on to the node above."""
        return self.stakes.worth_of(self.best)

    def decision(self) -> CubeDecision:
        """Return the decision of a single position, whose arrays have no axes."""
        double, take, beaver = bool(self.double), bool(self.take), bool(self.beaver)
        answer = "beaver" if beaver else "take" if take else "pass"
        verb = "redouble" if self.stakes.owner > 0 else "double"
        costs: dict[str, Floats] = {}
        if self.available:
            costs |= {"no double": self.best - self.nd, "double": self.best - self.doubled}
        costs |= {"take": self.taken - self.doubled, "pass": self.dp - self.doubled}
        if self.may_beaver:
            costs["beaver"] = self.beavered - self.doubled
        if not self.available:
            action = "dead cube" if self.stakes.dead and self.stakes.owner >= 0 else "not available"
        elif double:
            action = f"{verb}/{answer}"
        elif self.nd > self.dp:
            action = f"too good/{answer}"
        else:
            action = f"no {verb}/{answer}"
        equities = (self.nd, self.dt, self.dp)
        nd, dt, dp = (float(equity) for equity in equities)
        mwc = None
        if self.stakes.table is not None:
            chances = [float(self.stakes.worth_of(equity)) for equity in equities]
            mwc = (chances[0], chances[1], chances[2])
        return CubeDecision(
            nd, dt, dp, double, take, beaver, action, {choice: float(cost) for choice, cost in costs.items()}, mwc
        )


def decision(
    position: Position,
    probs: ArrayLike,
    *,
    efficiency: float | None = None,
    table: MatchEquityTable | None = None,
) -> CubeDecision:
    """Return the cube decision of the player on roll, in money play or at a match score.

    Parameters
    ----------
    position : Position
        The position before the roll, not yet doubled.
    probs : float (5,)
        Nested probabilities of the player on roll.
    efficiency : float, optional
        Of the cube, from 0 (dead) to 1 (live); by default that of the board (`cube_efficiency`).
    table : MatchEquityTable, optional
        By default the one that comes with the package.

    Raises
    ------
    InvalidPositionError
        If a double is on offer already, or the probabilities are none.

    Examples
    --------
    >>> at_2_away = Position(Position.start().board, match_length=5, score=(3, 3))
    >>> decision(at_2_away, [0.72, 0.2, 0, 0.05, 0]).action
    'double/pass'
    >>> decision(Position(at_2_away.board, match_length=5, score=(4, 2)), [0.72, 0.2, 0, 0.05, 0]).action
    'dead cube'
    """
    if position.doubled:
        raise InvalidPositionError("a double is on offer: the decision is the doubler's, that of position.turned()")
    chances = np.asarray(probs, dtype=np.float64)
    if chances.shape != (5,) or not ((chances >= 0) & (chances <= 1)).all():
        raise InvalidPositionError(f"probs are five chances from 0 to 1, got {probs!r}")
    x = cube_efficiency(position.board, position.rules) if efficiency is None else efficiency
    return cube_equities(chances, Stakes.of(position, table), x).decision()


def cube_equities(probs: ArrayLike, stakes: Stakes, efficiency: ArrayLike = EFFICIENCY) -> CubeEquities:
    """Return the equities of doubling and of not doubling, without looking ahead.

    Parameters
    ----------
    probs : float (..., 5)
        Nested probabilities of the player on roll before the roll.
    stakes : Stakes
        What is played for, from the same side.
    efficiency : float, or an array that fits (...)
        From 0 (a dead cube) to 1 (a live one).

    Examples
    --------
    >>> cube = cube_equities([[0.65, 0, 0, 0, 0], [0.85, 0, 0, 0, 0]], Stakes.match(7, 7))
    >>> print(cube.double, cube.take)
    [False  True] [ True False]
    """
    nd = cubeful(probs, stakes, efficiency)
    taken = cubeful(probs, stakes.raised(), efficiency)
    beavered = cubeful(probs, stakes.raised(4), efficiency) if stakes.beavers else None
    return decide(nd, taken, stakes, beavered)


def decide(nd: ArrayLike, taken: ArrayLike, stakes: Stakes, beavered: ArrayLike | None = None) -> CubeEquities:
    """Return the cube decision at a node whose choices have been valued, by a search or by `cubeful`.

    Parameters
    ----------
    nd : float (...)
        The worth to the player on roll, in points or MWC, of going on at `stakes`.
    taken, beavered : float (...)
        That of going on at `stakes.raised()` and at `stakes.raised(4)`; the latter only where beavers are in force.
    stakes : Stakes
        What is played for, as the player on roll sees it.

    Returns
    -------
    CubeEquities
        Its `worth` is the value of the node.
    """
    may_beaver = np.asarray((4 * stakes.cube <= CUBE_LIMIT) & (stakes.beavers and beavered is not None))
    values = [stakes.equity(value) for value in (nd, taken, taken if beavered is None else beavered, stakes.worth(1))]
    no_double, take, beaver, drop = (np.asarray(value) for value in np.broadcast_arrays(*values))
    return CubeEquities(no_double, take, beaver, drop, may_beaver, stakes)


def cubeful(probs: ArrayLike, stakes: Stakes, efficiency: ArrayLike = EFFICIENCY) -> Floats:
    """Return what the game is worth with the cube where it is, float64 (...): points, or MWC in a match.

    Both players may still double later, but the player on roll does not do so now. It is what a search takes at its
    leaves, once for each state of the cube it carries. Equations 1 to 4, 6 and 7 of this module.

    Parameters
    ----------
    probs, stakes, efficiency
        See `cube_equities`; an efficiency of 0 means that nobody will ever double.

    Examples
    --------
    >>> cubeful([[0.5, 0, 0, 0, 0], [0.8, 0, 0, 0, 0]], Stakes.money(2, "mine"), 1).tolist()
    [0.5, 2.0]
    """
    p = np.asarray(probs, dtype=np.float64)[..., 0]
    shares = outcome_shares(probs)
    low, high = _ends(stakes, *shares)
    lost, won = stakes.worth(-1), stakes.worth(1)
    take, cash = (_money_corners if stakes.table is None else _match_corners)(stakes, *shares)
    if stakes.jacoby and stakes.table is None:
        low, high = np.where(stakes.owner == 0, lost, low), np.where(stakes.owner == 0, won, high)
    x = np.asarray(efficiency, dtype=np.float64)
    i_may, they_may = stakes.may_double, stakes.turned().may_double

    dead = _line(p, 0, low, 1, high)
    left, at_left = np.where(they_may, take, 0), np.where(they_may, lost, low)
    right, at_right = np.where(i_may, cash, 1), np.where(i_may, won, high)
    under, over = _line(p, 0, low, left, at_left), _line(p, right, at_right, 1, high)
    live = np.where(p < left, under, np.where(p > right, over, _line(p, left, at_left, right, at_right)))
    if stakes.table is not None:
        # gammons may be worth so much that a player does better by never doubling
        least = np.where(p < left, under, _line(p, left, at_left, 1, high))
        most = np.where(p > right, over, _line(p, 0, low, right, at_right))
        live = np.clip(live, np.minimum(dead, least), np.maximum(dead, most))
        after, best = _ends(stakes.raised(), *shares)
        free = they_may & (stakes.mine <= stakes.cube) & (x > 0)
        dead = np.where(free, np.minimum(dead, np.maximum(_line(p, 0, after, 1, best), lost)), dead)
    # written so, it is exact where the two agree, as in a game that is won
    return np.asarray(dead + x * (live - dead))


def _ends(stakes: Stakes, wins: Floats, losses: Floats) -> tuple[Floats, Floats]:
    """Return the mean worth of a game that is lost and of one that is won, each float64 (...)."""
    low = sum(losses[..., n - 1] * stakes.worth(-n) for n in _WINS)
    high = sum(wins[..., n - 1] * stakes.worth(n) for n in _WINS)
    return np.asarray(low), np.asarray(high)


def _line(p: Floats, from_p: Floats | float, from_e: Floats, to_p: Floats | float, to_e: Floats) -> Floats:
    """Return the straight line through two points at p, float64 (...); one without length is at its end."""
    length = np.asarray(to_p - from_p)
    part = np.where(length > 0, (p - from_p) / np.where(length > 0, length, 1), 1)
    return np.asarray(from_e + part * (to_e - from_e))


def _money_corners(stakes: Stakes, wins: Floats, losses: Floats) -> tuple[Floats, Floats]:
    """Return the take and the cash point of a live cube, each float64 (...): equation 3."""
    again = 4 * stakes.cube <= CUBE_LIMIT  # whether the next owner may double once more
    win, loss = wins @ _WINS, losses @ _WINS
    return take_point(win, loss, again), 1 - take_point(loss, win, again)


def _match_corners(stakes: Stakes, wins: Floats, losses: Floats) -> tuple[Floats, Floats]:
    """Return the take and the cash point of a live cube at a score, each float64 (...): equation 6.

    Where a player may not double, the corner is of no use.
    """
    after = replace(stakes, cube=2 * stakes.cube)
    low, high = _ends(after, wins, losses)
    turnable = 2 * after.cube <= CUBE_LIMIT
    i_may, they_may = turnable & (after.mine > after.cube), turnable & (after.theirs > after.cube)
    take, cash = _match_corners(after, wins, losses) if (i_may | they_may).any() else (low, high)
    lost, won = stakes.worth(-1), stakes.worth(1)
    # the doubled cube is theirs: from their next corner, if they will have one, up to the won game
    left, at_left = np.where(they_may, take, 0), np.where(they_may, after.worth(-1), low)
    next_cash = left + (1 - left) * (won - at_left) / (high - at_left)
    # the doubled cube is mine: from the lost game up to my next corner
    right, at_right = np.where(i_may, cash, 1), np.where(i_may, after.worth(1), high)
    next_take = right * (lost - low) / (at_right - low)
    # a corner is never on the wrong side of the straight line from the lost to the won game
    return np.minimum(next_take, (lost - low) / (high - low)), np.maximum(next_cash, (won - low) / (high - low))


def money_decision(position: Position, probs: ArrayLike, *, efficiency: float = EFFICIENCY) -> CubeDecision:
    """Return the cube decision of the player on roll by the equities of money play, whatever the score.

    In a match the player's right to double is that of the match, while the equities are still those of money play
    without Jacoby and beavers. `decision` knows the score.

    Parameters
    ----------
    position, probs
        See `decision`.
    efficiency : float
        See `cube_equities`.

    Examples
    --------
    >>> money_decision(Position.start(), [0.52, 0.15, 0.01, 0.13, 0.01]).action
    'no double/take'
    """
    money = not position.match_length
    cube = money_cube(
        probs,
        position.cube_owner,
        cube_value=position.cube_value,
        jacoby=money and position.jacoby,
        beavers=money and position.beavers,
        efficiency=efficiency,
    )
    if may_double(position) or money:
        return cube.decision()
    return replace(cube.decision(), double=False, action="not available")


def may_double(position: Position) -> bool:
    """Return whether the player on roll may turn the cube: it is not the opponent's, not at its limit and not dead.

    A cube is dead for a player whom its present value brings to the end of the match, and in the Crawford game. That
    there is no doubling on the opening turn is for the table to know.
    """
    return bool(Stakes.of(position).may_double)


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
    [0.45 0.92] [0.34 1.29] [False  True] [ True False]
    """
    return cube_equities(probs, Stakes.money(cube_value, owner, jacoby=jacoby, beavers=beavers), efficiency)


def cubeful_equity(
    probs: ArrayLike,
    owner: CubeOwner,
    *,
    cube_value: int = 1,
    jacoby: bool = False,
    efficiency: ArrayLike = EFFICIENCY,
) -> Floats:
    """Return the equity of the game in money play with the cube where it is, float64 (...), in units of that cube.

    Parameters and errors are those of `money_cube`. It is what `nd` is there: both players may still double later,
    but the player on roll does not do so now.
    """
    stakes = Stakes.money(cube_value, owner, jacoby=jacoby)
    return stakes.equity(cubeful(probs, stakes, efficiency))


def take_point(win: ArrayLike, loss: ArrayLike, efficiency: ArrayLike = EFFICIENCY) -> Floats:
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


def mean_values(probs: ArrayLike) -> tuple[Floats, Floats]:
    """Return the mean points of a win and of a loss at a stake of one, each float64 (...), from 1 to 3.

    What never happens counts 1, and probabilities that are not quite nested are taken for the nearest that are.

    Examples
    --------
    >>> [value.item() for value in mean_values([0.5, 0.25, 0, 0.125, 0.125])]
    [1.5, 1.5]
    """
    wins, losses = outcome_shares(probs)
    return np.asarray(wins @ _WINS), np.asarray(losses @ _WINS)
