"""A match equity table out of the first turns of a game: what each score is worth, from the short matches up."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from gammon_rl.rules.dice import ROLL_CHANCES
from gammon_rl.stakes.cube import EFFICIENCY, cube_equities, decide
from gammon_rl.stakes.equity import Floats
from gammon_rl.stakes.met import MatchEquityTable
from gammon_rl.stakes.worth import Stakes

OPENINGS: Final = 15
"""The opening rolls: no doubles, and all alike."""


@dataclass(frozen=True)
class GammonRates:
    """How often a win is a gammon, by how much gammons are worth to both: `level + own * mine + other * theirs`.

    Attributes
    ----------
    level, own, other : float
        The share of wins that are gammons if they are worth nothing, and how it grows with their price (see
        `gammon_prices`) to the winner and to the loser.
    """

    level: float
    own: float
    other: float

    def share(self, mine: ArrayLike, theirs: ArrayLike) -> Floats:
        """Return the share of gammons among my wins at these prices to me and to the opponent, float64 (...)."""
        return np.asarray(self.level + self.own * np.clip(mine, 0, 1) + self.other * np.clip(theirs, 0, 1))


def gammon_prices(stakes: Stakes) -> tuple[Floats, Floats]:
    """Return what a gammon adds for me and for the opponent, each float64 (...).

    The unit is the difference between winning and losing a single game, so that it is 0.5 for money. The cube is taken
    to be at 2, where most gammons are won, or at 1 in the Crawford game.

    Examples
    --------
    >>> [float(price) for price in gammon_prices(Stakes.money())]
    [0.5, 0.5]
    >>> [round(float(price), 6) for price in gammon_prices(Stakes.match(2, 1, crawford=True))]
    [1.0, 0.0]
    """
    at = np.where(stakes.crawford, 1, 2)
    played = Stakes(at, np.zeros_like(at), stakes.mine, stakes.theirs, stakes.crawford, table=stakes.table)
    lost, won = played.worth(-1), played.worth(1)
    return (played.worth(2) - won) / (won - lost), (lost - played.worth(-2)) / (won - lost)


def solve_table(
    probs: ArrayLike,
    length: int,
    *,
    name: str,
    gammons: GammonRates | None = None,
    efficiency: ArrayLike = EFFICIENCY,
    about: dict[str, Any] | None = None,
) -> MatchEquityTable:
    """Return the match equity table of players who play and double by these probabilities.

    The worth of a score is that of its game before the opening roll, either player being as likely to begin: the
    opening turn, when nobody may double; the first turn of the other player, who may; then that of the first player,
    who may as well; and from there on the cube model. A game leads only to scores at which fewer points are missing, so
    they are worked out in that order.

    Parameters
    ----------
    probs : float (15, 21, 5)
        Nested probabilities, in money play, of the player who began and is on roll again: after each opening roll, and
        each of `gammon_rl.rules.dice.ROLLS` of the other player.
    length : int
        The longest match.
    gammons : GammonRates, optional
        How many gammons are won at which price; by default as many as the probabilities say.
    efficiency : float
        Of the cube from the third turn on.
    name, about
        See `MatchEquityTable`.
    """
    leaves = np.asarray(probs, dtype=np.float64).reshape(OPENINGS, len(ROLL_CHANCES), 5)
    before, after = np.full((length, length), 0.5), np.full(length, 0.5)

    def worth(stakes: Stakes) -> Floats:
        """Return the worth of the game before it is known who begins."""
        first = game_worth(leaves, stakes, gammons, efficiency)
        return (first + 1 - game_worth(leaves, stakes.turned(), gammons, efficiency)) / 2

    for total in range(3, 2 * length + 1):
        draft = _Draft(name, before, after)
        mine = np.arange(max(1, total - length), min(length, total - 1) + 1)
        theirs = total - mine
        crawford = np.minimum(mine, theirs) == 1
        before[mine - 1, theirs - 1] = worth(Stakes.match(mine, theirs, crawford=crawford, table=draft))
        if total <= length + 1:
            after[total - 2] = worth(Stakes.match(total - 1, 1, table=draft))
    return MatchEquityTable(name, before, after, about or {})


def game_worth(
    leaves: Floats, stakes: Stakes, gammons: GammonRates | None = None, efficiency: ArrayLike = EFFICIENCY
) -> Floats:
    """Return what a game is worth to the player who has the opening roll, float64 (...): points or MWC.

    Parameters
    ----------
    leaves, gammons, efficiency
        See `solve_table`.
    stakes : Stakes
        As that player sees them, the cube at 1 in the centre, of any shape (...).
    """
    shape = stakes.mine.shape
    each, second = stakes.reshaped(*shape, 1, 1), stakes.reshaped(*shape, 1).turned()
    offered = each.turned().raised().turned()  # the other player has doubled, and the cube is mine
    probs = leaves if gammons is None else _with_gammons(leaves, gammons, each)

    def before_roll(worth: Floats) -> Floats:
        """Return the mean over the other player's rolls, as that player sees it."""
        return _turned(worth @ ROLL_CHANCES, stakes)

    nd = before_roll(cube_equities(probs, each, efficiency).worth)
    dt = before_roll(cube_equities(probs, offered, efficiency).worth)
    return _turned(decide(nd, dt, second).worth.mean(axis=-1), stakes)


class _Draft(MatchEquityTable):
    """A table that is not finished, so that its numbers need not make sense yet."""

    def _faults(self) -> list[str]:
        return []


def _turned(worth: Floats, stakes: Stakes) -> Floats:
    return np.asarray(-worth if stakes.table is None else 1 - worth)


def _with_gammons(probs: Floats, gammons: GammonRates, stakes: Stakes) -> Floats:
    """Return the probabilities with as many gammons, on average, as the stakes make players win."""
    mine, theirs = gammon_prices(stakes)
    win = probs[..., 0]
    now = (probs[..., [1, 3]].sum(axis=-1) @ ROLL_CHANCES).mean()
    won, lost = gammons.share(mine, theirs) / now, gammons.share(theirs, mine) / now
    changed = [np.minimum(probs[..., i] * (won if i < 3 else lost), win if i < 3 else 1 - win) for i in (1, 2, 3, 4)]
    return np.stack(np.broadcast_arrays(win, *changed), axis=-1)
