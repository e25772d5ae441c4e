"""Cubeful search: what boards are worth with a cube in play, some plies ahead, in money play or at a match score.

Every state of the cube that can come about is carried through the tree, and at each node the player on roll doubles or
not and the other answers, as is best for them at that depth. The replies inside the tree are chosen by the chances of
the six outcomes, weighed as the score weighs them with the cube as it is at the root. Where the evaluator holds
bear-off databases, or is a solved game, the worth of a position for money comes from them: it is exact with the cube,
and nothing is looked ahead from it, unless the cube is so high that its limit of 64 matters.

Legend: N boards.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.clock import Timed
from gammon_rl.bots.search import BLOCK, mean_over_rolls, valued_replies
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.exactly import WithBearoff
from gammon_rl.eval.network import Floats as Outcomes, nested
from gammon_rl.exact.hypergammon import SolvedGame
from gammon_rl.rules.board import results
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.rules.variants import Boards
from gammon_rl.stakes.cube import CubeEquities, cubeful, decide
from gammon_rl.stakes.efficiency import cube_efficiency
from gammon_rl.stakes.equity import Floats
from gammon_rl.stakes.worth import CUBE_LIMIT, Stakes

_Seen = tuple[Outcomes, list[Floats]]  # the chances of the six outcomes, and the worth at each of the stakes


def cube_ahead(
    evaluator: Evaluator,
    boards: Boards,
    stakes: Stakes,
    plies: int = 0,
    quick: Evaluator | None = None,
    seen: Outcomes | None = None,
) -> CubeEquities:
    """Return the equities of doubling and of not doubling before the roll.

    Parameters
    ----------
    evaluator : Evaluator
        What judges the boards at the end.
    boards : int8 (26,) or (N, 26)
        Boards with the dice not yet rolled.
    stakes : Stakes
        What is played for, as the player on roll sees it: of all boards, or with arrays (N,).
    plies : int
        How far to look; 0 asks the evaluator itself.
    quick : Evaluator, optional
        A faster one, which leaves only its best few replies for the other to look at.
    seen : float32 (N, 6), optional
        The evaluator's outcomes of the boards, where they are known already; used at 0 plies.
    """
    choices = [stakes, stakes.raised(), *([stakes.raised(4)] if stakes.beavers else [])]
    flat = boards.reshape(-1, 26)
    nd, taken, *beavered = _Search(evaluator, quick).going_on(flat, choices, plies, seen)[1]
    if boards.ndim == 1:
        nd, taken, beavered = nd[0], taken[0], [one[0] for one in beavered]
    return decide(nd, taken, stakes, *beavered)


def worth_on_roll(
    evaluator: Evaluator, boards: Boards, stakes: Stakes, plies: int = 0, quick: Evaluator | None = None
) -> Floats:
    """Return what boards are worth to the player on roll, who may double first, float64 (N,): points, or MWC.

    Parameters
    ----------
    evaluator, boards, stakes, plies, quick
        See `cube_ahead`.
    """
    return seen_on_roll(evaluator, boards, stakes, plies, quick)[1]


def seen_on_roll(
    evaluator: Evaluator,
    boards: Boards,
    stakes: Stakes,
    plies: int = 0,
    quick: Evaluator | None = None,
    seen: Outcomes | None = None,
) -> tuple[Outcomes, Floats]:
    """Return the chances of the six outcomes, float32 (N, 6), and `worth_on_roll`, of one and the same search."""
    outcomes, worths = _Search(evaluator, quick).on_roll(boards, [stakes], plies, seen)
    return outcomes, worths[0]


class _Search:
    """One evaluator, its quick companion, and its databases if it has any."""

    def __init__(self, evaluator: Evaluator, quick: Evaluator | None) -> None:
        self._evaluator, self._quick = evaluator, quick
        self._exact = _exact_cube_of(evaluator)

    def on_roll(self, boards: Boards, stakes: Sequence[Stakes], plies: int, seen: Outcomes | None = None) -> _Seen:
        """Return what boards (N, 26) are worth to the player on roll at each of the stakes, who may double first."""
        choices: list[Stakes] = []
        for one in stakes:
            choices.append(one)
            if one.may_double.any():
                choices += [one.raised(), *([one.raised(4)] if one.beavers else [])]
        outcomes, worths = self.going_on(boards, choices, plies, seen)
        rest = iter(worths)
        found = []
        for one in stakes:
            nd = next(rest)
            if one.may_double.any():
                nd = decide(nd, next(rest), one, *([next(rest)] if one.beavers else [])).worth
            found.append(nd)
        return outcomes, found

    def going_on(self, boards: Boards, stakes: Sequence[Stakes], plies: int, seen: Outcomes | None = None) -> _Seen:
        """Return what boards (N, 26) are worth to the player on roll at each of the stakes, who rolls at once."""
        if plies == 0:
            return self._leaf(boards, stakes, seen)
        known = self._settled(boards, stakes)
        outcomes = np.empty((len(boards), 6), dtype=np.float32)
        worths = [np.empty(len(boards)) for _ in stakes]
        blocks = [(np.flatnonzero(known), 0)] if known.any() else []
        live = np.flatnonzero(~known)
        size = 4 * BLOCK
        blocks += [(live[at : at + size], plies) for at in range(0, len(live), size)]
        for rows, depth in blocks:
            some = [one.rows(rows) for one in stakes]
            chances, found = self._node(boards[rows], some, depth) if depth else self._leaf(boards[rows], some)
            outcomes[rows] = chances
            for worth, part in zip(worths, found, strict=True):
                worth[rows] = part
        return outcomes, worths

    def _node(self, boards: Boards, stakes: Sequence[Stakes], plies: int) -> _Seen:
        """Return the mean over the rolls of what the other side does best."""
        theirs = [one.turned() for one in stakes]
        replies, seen = valued_replies(self._evaluator, boards, theirs[0].of_outcomes, self._quick)
        each = np.repeat(np.arange(len(boards)), len(ROLLS))
        after = [one.rows(each) for one in theirs]
        ahead, worths = self.on_roll(replies.reshape(-1, 26), after, plies - 1, seen.reshape(-1, 6))
        mine = [
            one.other_side(worth.reshape(-1, len(ROLLS)) @ ROLL_CHANCES)
            for one, worth in zip(stakes, worths, strict=True)
        ]
        return mean_over_rolls(ahead.reshape(-1, len(ROLLS), 6)), mine

    def _settled(self, boards: Boards, stakes: Sequence[Stakes]) -> NDArray[np.bool_]:
        """Return which boards need no look ahead: of games that are over, and exact ones."""
        over: NDArray[np.bool_] = results(boards, self._evaluator.rules) != 0
        if self._exact is not None and stakes[0].table is None:
            known = self._exact.knows_cube(boards)
            for one in stakes:  # what is worth a look ahead at one cube is looked at for all of them
                known = known & (_has_room(one.cube) | (2 * one.cube > CUBE_LIMIT))
            over |= known
        return over

    def _leaf(self, boards: Boards, stakes: Sequence[Stakes], seen: Outcomes | None = None) -> _Seen:
        outcomes = self._evaluator.outcomes(boards) if seen is None else seen
        probs, efficiency = nested(outcomes), cube_efficiency(boards, self._evaluator.rules)
        worths = list(np.broadcast_to(cubeful(probs, _side_by_side(stakes), efficiency), (len(stakes), len(boards))))
        if self._exact is not None and stakes[0].table is None:
            known = np.flatnonzero(self._exact.knows_cube(boards))
            if known.size:
                worths = [
                    _exactly(self._exact, boards, known, one, worth) for one, worth in zip(stakes, worths, strict=True)
                ]
        return outcomes, worths


def _side_by_side(stakes: Sequence[Stakes]) -> Stakes:
    """Return stakes that differ by their cubes only as one, whose first axis tells them apart: they are quicker so."""
    shape = stakes[0].shape or (1,)
    cubes, owners = (
        np.stack([np.broadcast_to(array, shape) for array in arrays])
        for arrays in ([one.cube for one in stakes], [one.owner for one in stakes])
    )
    return replace(stakes[0], cube=cubes, owner=owners)


class _ExactCube(Protocol):
    """Whatever knows the money equities of some boards with the cube: bear-off databases, a solved game."""

    def knows_cube(self, boards: Boards) -> NDArray[np.bool_]: ...

    def cube_equities(self, boards: Boards, owner: NDArray[np.int64], jacoby: NDArray[np.bool_]) -> Outcomes: ...


def _exactly(exact: _ExactCube, boards: Boards, known: NDArray[np.int64], stakes: Stakes, worth: Floats) -> Floats:
    """Put in the exact worth of those boards that are known with the cube.

    They know a cube without a limit, so one that could be turned just once more is left to the model, and to a search;
    one that cannot be turned at all is exact there.
    """
    owner, cube, jacoby = (
        np.broadcast_to(array, len(boards))[known] for array in (stakes.owner, stakes.cube, stakes.jacoby)
    )
    equities = exact.cube_equities(boards[known], owner, jacoby).astype(np.float64)
    mixed = worth.copy()
    mixed[known] = np.where(_has_room(cube), equities * cube, worth[known])
    return mixed


def _has_room(cube: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return where a cube can be turned twice more, as if it had no limit."""
    room: NDArray[np.bool_] = 4 * cube <= CUBE_LIMIT
    return room


def _exact_cube_of(evaluator: Evaluator) -> _ExactCube | None:
    if isinstance(evaluator, Timed):
        return _exact_cube_of(evaluator.evaluator)
    if isinstance(evaluator, WithBearoff):
        return evaluator.bearoff
    return evaluator if isinstance(evaluator, SolvedGame) else None
