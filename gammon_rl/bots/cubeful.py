"""Cubeful search: what boards are worth with a cube in play, some plies ahead, in money play or at a match score.

Every state of the cube that can come about is carried through the tree, and at each node the player on roll doubles or
not and the other answers, as is best for them at that depth. The replies inside the tree are chosen by the chances of
the six outcomes, weighed as the score weighs them with the cube as it is at the root.

Legend: N boards, ... the rolls between the root and a node.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from gammon_rl.bots.search import best_replies
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.network import certain, nested
from gammon_rl.rules.board import results
from gammon_rl.rules.dice import ROLL_CHANCES
from gammon_rl.rules.variants import Boards
from gammon_rl.stakes.cube import CubeEquities, cubeful, decide
from gammon_rl.stakes.efficiency import cube_efficiency
from gammon_rl.stakes.equity import Floats
from gammon_rl.stakes.worth import Stakes

_Worths = Callable[[Evaluator, Boards, Sequence[Stakes], int], list[Floats]]

_BLOCK: Final = 128  # boards looked ahead from at once: 21 rolls and some 20 replies of each stay small


def cube_ahead(evaluator: Evaluator, boards: Boards, stakes: Stakes, plies: int = 0) -> CubeEquities:
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
    """
    choices = [stakes, stakes.raised(), *([stakes.raised(4)] if stakes.beavers else [])]
    nd, taken, *beavered = _in_blocks(_going_on, evaluator, boards, choices, plies)
    return decide(nd, taken, stakes, *beavered)


def worth_on_roll(evaluator: Evaluator, boards: Boards, stakes: Stakes, plies: int = 0) -> Floats:
    """Return what boards are worth to the player on roll, who may double first, float64 (N,): points, or MWC.

    Parameters
    ----------
    evaluator, boards, stakes, plies
        See `cube_ahead`.
    """
    return _in_blocks(_on_roll, evaluator, boards, [stakes], plies)[0]


def _in_blocks(worths: _Worths, evaluator: Evaluator, boards: Boards, stakes: list[Stakes], plies: int) -> list[Floats]:
    if plies == 0 or boards.ndim == 1:
        return worths(evaluator, boards, stakes, plies)
    parts = []
    for at in range(0, max(1, len(boards)), _BLOCK):
        rows = slice(at, at + _BLOCK)
        parts.append(worths(evaluator, boards[rows], [one.rows(rows) for one in stakes], plies))
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def _on_roll(evaluator: Evaluator, boards: Boards, stakes: Sequence[Stakes], plies: int) -> list[Floats]:
    """Return what boards (..., 26) are worth to the player on roll at each of the stakes, who may double first."""
    choices: list[Stakes] = []
    for one in stakes:
        choices.append(one)
        if one.may_double.any():
            choices += [one.raised(), *([one.raised(4)] if one.beavers else [])]
    worths = iter(_going_on(evaluator, boards, choices, plies))
    found = []
    for one in stakes:
        nd = next(worths)
        if one.may_double.any():
            nd = decide(nd, next(worths), one, *([next(worths)] if one.beavers else [])).worth
        found.append(nd)
    return found


def _going_on(evaluator: Evaluator, boards: Boards, stakes: Sequence[Stakes], plies: int) -> list[Floats]:
    """Return what boards (..., 26) are worth to the player on roll at each of the stakes, who rolls at once."""
    if plies == 0:
        probs, efficiency = nested(evaluator.outcomes(boards)), cube_efficiency(boards, evaluator.rules)
        return [cubeful(probs, one, efficiency) for one in stakes]
    shape = boards.shape[:-1]
    points = np.broadcast_to(stakes[0].turned().of_outcomes, (*shape, 6)).reshape(-1, 6)
    replies = best_replies(evaluator, boards.reshape(-1, 26), points).reshape(*shape, -1, 26)
    theirs = [one.reshaped(*one.shape, 1).turned() for one in stakes]
    worths = _on_roll(evaluator, replies, theirs, plies - 1)
    mine = [one.other_side(worth @ ROLL_CHANCES) for one, worth in zip(stakes, worths, strict=True)]
    ended = results(boards, evaluator.rules)
    if ended.any():
        probs = nested(certain(ended))
        mine = [np.where(ended != 0, cubeful(probs, one), worth) for one, worth in zip(stakes, mine, strict=True)]
    return mine
