"""Search over an evaluator: the best plays of a batch, and the value of boards some plies ahead.

Plies are counted as GNU Backgammon does: at 0 plies a play is judged by the evaluator's value of its afterstate; each
ply more is a mean over the 21 rolls, the reply to each being the best one at 0 plies. Values of different depth are
never compared. Boards that are met several times in one call, by other ways to the same place, are looked at once.

Legend: N boards, M afterstates, K of them that are kept.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.network import POINTS, certain
from gammon_rl.rules.board import results, turn
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import Boards

Floats = NDArray[np.float32]
Index = NDArray[np.int64]
Worths = NDArray[np.floating[Any]]

BLOCK: Final = 32  # boards looked ahead from at once: 21 rolls and some 20 replies of each stay small, and quick
QUICK_REPLIES: Final = 6
"""The most replies that a quick evaluator leaves for the main one to look at."""
QUICK_WITHIN: Final = 0.2
"""How far such a reply may be behind the quick evaluator's best, in the unit of the worths; in points by default."""

_MIX: Final = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)


def chosen(boards: Boards, parents: Index, afterstates: Boards, equity: Floats) -> Boards:
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
    movers, best = _least(parents, equity)
    made[movers] = afterstates[best]
    return made


def _least(parents: Index, equity: Worths) -> tuple[Index, Index]:
    """Return the boards that have plays, and for each the first row with the least equity."""
    first = np.flatnonzero(np.diff(parents, prepend=-1))
    if not len(first):
        return first, first
    least = np.minimum.reduceat(equity, first)
    # where a judge says what is no number, nothing is greater than it, and the first play is as good as any
    ties = np.flatnonzero(~(equity > np.repeat(least, np.diff(first, append=len(parents)))))
    return parents[first], ties[np.diff(parents[ties], prepend=-1) > 0]


def nearest(parents: Index, equity: Worths, most: int, within: float) -> Index:
    """Return which afterstates are among the best of their board and near to it, int64 (K,), by board, best first.

    Parameters
    ----------
    parents : int64 (M,)
        Boards of the afterstates, not falling.
    equity : float (M,)
        Equity of each for the player then on roll: the lower, the better the play.
    most : int
        The most that are kept of a board.
    within : float
        How far they may be behind the best.
    """
    if not len(parents):
        return np.empty(0, dtype=np.int64)
    order = np.lexsort((equity, parents))
    first = np.flatnonzero(np.diff(parents, prepend=-1))
    counts = np.diff(first, append=len(parents))
    rank = np.arange(len(parents)) - np.repeat(first, counts)
    behind = equity[order] - np.repeat(equity[order[first]], counts)
    return order[(rank < most) & (behind <= within)]


def distinct(boards: Boards) -> tuple[Index, Index]:
    """Return where each different board stands first, int64 (K,), and the place of every board among those, (N,).

    Boards are told apart by a 64-bit hash, which mistakes one pair of a hundred thousand boards once in some billion
    calls.

    Examples
    --------
    >>> boards = np.array([[2] + 25 * [0], [1] + 25 * [0], [2] + 25 * [0]], dtype=np.int8)
    >>> first, number = distinct(boards)
    >>> sorted(first.tolist()), (first[number]).tolist()
    ([0, 1], [0, 1, 0])
    """
    padded = np.zeros((len(boards), 32), dtype=np.int8)
    padded[:, :26] = boards
    key = np.zeros(len(boards), dtype=np.uint64)
    for word, factor in zip(padded.view(np.uint64).T, _MIX, strict=True):
        key ^= word
        key *= np.uint64(factor)
        key ^= key >> np.uint64(29)
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return first, number


def _worth(outcomes: Floats, points: Worths, parents: Index) -> Worths:
    """Return what outcomes (M, 6) are worth by the points of all, or of each board."""
    worth: Worths = outcomes @ points if points.ndim == 1 else np.einsum("mk,mk->m", outcomes, points[parents])
    return worth.astype(np.float32, copy=False)


def best_plays(
    evaluator: Evaluator,
    boards: Boards,
    dice: NDArray[np.int64],
    points: Worths = POINTS,
    quick: Evaluator | None = None,
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
    quick : Evaluator, optional
        A faster one, which leaves only its best few for the other to look at.
    """
    parents, afterstates = _considered(evaluator, boards, dice, points, quick)
    return chosen(boards, parents, afterstates, _worth(evaluator.outcomes(afterstates), points, parents))


def _considered(
    evaluator: Evaluator, boards: Boards, dice: NDArray[np.int64], points: Worths, quick: Evaluator | None
) -> tuple[Index, Boards]:
    """Return the legal plays, or those of them that a quick evaluator leaves."""
    parents, afterstates = legal_plays(boards, dice, evaluator.rules)
    if quick is not None:
        keep = worth_a_look(quick, parents, afterstates, points)
        parents, afterstates = parents[keep], afterstates[keep]
    return parents, afterstates


def worth_a_look(quick: Evaluator, parents: Index, afterstates: Boards, points: Worths = POINTS) -> Index:
    """Return which plays a quick evaluator leaves for a better one, int64 (K,), by board, best first.

    Parameters
    ----------
    quick : Evaluator
        The quick one.
    parents, afterstates : int64 (M,), int8 (M, 26)
        Legal plays, as `legal_plays` returns them.
    points : float (6,) or (N, 6)
        What the six outcomes are worth to the player who does not move.
    """
    return nearest(parents, _worth(quick.outcomes(afterstates), points, parents), QUICK_REPLIES, QUICK_WITHIN)


def best_replies(
    evaluator: Evaluator, boards: Boards, points: Worths = POINTS, quick: Evaluator | None = None
) -> Boards:
    """Return the best play of each board with each of `ROLLS` at 0 plies, int8 (N, 21, 26); see `best_plays`."""
    return valued_replies(evaluator, boards, points, quick)[0]


def valued_replies(
    evaluator: Evaluator, boards: Boards, points: Worths = POINTS, quick: Evaluator | None = None
) -> tuple[Boards, Floats]:
    """Return what `best_replies` does, and the outcomes of each of them, float32 (N, 21, 6), which it has seen."""
    if points.ndim == 2 and len(points) and (points == points[0]).all():
        points = points[0]
    first = number = np.arange(len(boards))
    if points.ndim == 1:
        first, number = distinct(boards)
    replies = np.empty((len(first), len(ROLLS), 26), dtype=np.int8)
    outcomes = np.empty((len(first), len(ROLLS), 6), dtype=np.float32)
    for at in range(0, len(first), BLOCK):
        rows = first[at : at + BLOCK]
        each = points if points.ndim == 1 else np.repeat(points[rows], len(ROLLS), axis=0)
        made, seen = _valued_plays(evaluator, np.repeat(boards[rows], len(ROLLS), axis=0), each, quick)
        replies[at : at + BLOCK] = made.reshape(-1, len(ROLLS), 26)
        outcomes[at : at + BLOCK] = seen.reshape(-1, len(ROLLS), 6)
    return replies[number], outcomes[number]


def _valued_plays(
    evaluator: Evaluator, rolled: Boards, points: Worths, quick: Evaluator | None
) -> tuple[Boards, Floats]:
    """Return the best plays of boards that come in groups, one for each of `ROLLS`, and their outcomes."""
    dice = np.tile(ROLLS, (len(rolled) // len(ROLLS), 1))
    parents, afterstates = _considered(evaluator, rolled, dice, points, quick)
    made = turn(rolled)
    dances = np.ones(len(rolled), dtype=np.bool_)
    dances[parents] = False
    met = np.concatenate([afterstates, made[dances]])
    first, number = distinct(met)
    seen = evaluator.outcomes(met[first])[number]
    movers, best = _least(parents, _worth(seen[: len(parents)], points, parents))
    made[movers] = afterstates[best]
    outcomes = np.empty((len(rolled), 6), dtype=np.float32)
    outcomes[movers] = seen[best]
    outcomes[dances] = seen[len(parents) :]
    return made, outcomes


def outcomes_ahead(evaluator: Evaluator, boards: Boards, plies: int, quick: Evaluator | None = None) -> Floats:
    """Return the chances of the six outcomes by looking ahead, float32 (N, 6).

    Parameters
    ----------
    evaluator : Evaluator
        What judges the boards at the end.
    boards : int8 (N, 26)
        Boards with the dice not yet rolled.
    plies : int
        How far to look; 0 asks the evaluator itself.
    quick : Evaluator, optional
        A faster one, which leaves only its best few replies for the other to look at.
    """
    if plies == 0:
        return evaluator.outcomes(boards)
    ended = results(boards, evaluator.rules)
    chances = certain(ended)
    live = np.flatnonzero(ended == 0)
    for at in range(0, len(live), 4 * BLOCK):
        block = live[at : at + 4 * BLOCK]
        replies, ahead = valued_replies(evaluator, boards[block], POINTS, quick)
        if plies > 1:
            ahead = outcomes_ahead(evaluator, replies.reshape(-1, 26), plies - 1, quick).reshape(ahead.shape)
        chances[block] = mean_over_rolls(ahead)
    return chances


def mean_over_rolls(ahead: Floats) -> Floats:
    """Return the mean of outcomes (N, 21, 6) after a roll and a play, as the player who rolled sees them: (N, 6)."""
    mean: Floats = (ahead[..., ::-1] * ROLL_CHANCES.astype(np.float32)[:, None]).sum(axis=1)
    return mean
