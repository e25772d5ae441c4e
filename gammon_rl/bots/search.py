"""Search over an evaluator: the best plays of a batch, and the value of boards some plies ahead.

Plies are counted as GNU Backgammon does: at 0 plies a play is judged by the evaluator's value of its afterstate; each
ply more is a mean over the 21 rolls, the reply to each being the best one at 0 plies. Values of different depth are
never compared.

Legend: N boards, M afterstates.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.network import POINTS
from gammon_rl.rules.board import results, turn
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import Boards

Floats = NDArray[np.float32]

_BLOCK: Final = 128  # boards looked ahead from at once: 21 rolls and some 20 replies of each stay small


def chosen(boards: Boards, parents: NDArray[np.int64], afterstates: Boards, equity: Floats) -> Boards:
    """Return for each board the afterstate that is worst for the player then on roll, or the dance.

    Parameters
    ----------
    boards : int8 (N, 26)
        Boards before the play.
    parents, afterstates : int64 (M,), int8 (M, 26)
        Their legal plays, as `legal_plays` returns them.
    equity : float32 (M,)
        Equity of each afterstate for the player on roll there. Of equal ones the first is chosen.

    Returns
    -------
    int8 (N, 26)
        The chosen afterstates; a board without a play is only turned.
    """
    made = turn(boards)
    if len(parents):
        first = np.flatnonzero(np.diff(parents, prepend=-1))
        least = np.minimum.reduceat(equity, first)
        ties = np.flatnonzero(equity == np.repeat(least, np.diff(first, append=len(parents))))[::-1]
        best = np.empty(len(boards), dtype=np.int64)
        best[parents[ties]] = ties  # of equal ones the last written, and so the first, stays
        movers = parents[first]
        made[movers] = afterstates[best[movers]]
    return made


def best_plays(
    evaluator: Evaluator, boards: Boards, dice: NDArray[np.int64], points: NDArray[np.floating[Any]] = POINTS
) -> Boards:
    """Return the afterstate of the best play of each board at 0 plies, int8 (N, 26); a dance is the turned board.

    Parameters
    ----------
    evaluator : Evaluator
        What judges the afterstates.
    boards : int8 (N, 26)
        Boards before the play.
    dice : int64 (N, 2)
        Their rolls.
    points : float (6,) or (N, 6)
        What the six outcomes are worth to the player who does not move.
    """
    parents, afterstates = legal_plays(boards, dice, evaluator.rules)
    outcomes = evaluator.outcomes(afterstates)
    equity = outcomes @ points if points.ndim == 1 else np.einsum("mk,mk->m", outcomes, points[parents])
    return chosen(boards, parents, afterstates, equity.astype(np.float32, copy=False))


def best_replies(evaluator: Evaluator, boards: Boards, points: NDArray[np.floating[Any]] = POINTS) -> Boards:
    """Return the best play of each board with each of `ROLLS` at 0 plies, int8 (N, 21, 26); see `best_plays`."""
    rolled = np.repeat(boards, len(ROLLS), axis=0)
    each = points if points.ndim == 1 else np.repeat(points, len(ROLLS), axis=0)
    replies = best_plays(evaluator, rolled, np.tile(ROLLS, (len(boards), 1)), each)
    return replies.reshape(len(boards), len(ROLLS), 26)


def outcomes_ahead(evaluator: Evaluator, boards: Boards, plies: int) -> Floats:
    """Return the chances of the six outcomes by looking ahead, float32 (N, 6).

    Parameters
    ----------
    evaluator : Evaluator
        What judges the boards at the end.
    boards : int8 (N, 26)
        Boards with the dice not yet rolled.
    plies : int
        How far to look; 0 asks the evaluator itself.
    """
    if plies == 0:
        return evaluator.outcomes(boards)
    chances = evaluator.outcomes(boards)
    live = np.flatnonzero(results(boards, evaluator.rules) == 0)
    weights = ROLL_CHANCES.astype(np.float32)[:, None]
    for at in range(0, len(live), _BLOCK):
        block = live[at : at + _BLOCK]
        replies = best_replies(evaluator, boards[block]).reshape(-1, 26)
        ahead = outcomes_ahead(evaluator, replies, plies - 1)[:, ::-1]
        chances[block] = (ahead.reshape(len(block), len(ROLLS), 6) * weights).sum(axis=1)
    return chances
