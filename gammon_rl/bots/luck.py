"""The luck of a roll, and how to take it out of a result.

The luck of a roll is what it made of the position, less the mean over all rolls, both after the plays that a judge
thinks best. Whoever plays, and however wrong the judge is, its mean is zero, so a result less the luck of all its rolls
has the same mean as the result and a fraction of its spread: a control variate.

Legend: N boards.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.cubeful import seen_on_roll
from gammon_rl.bots.search import best_replies, valued_replies
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.network import POINTS
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS, Dice
from gammon_rl.rules.variants import Boards
from gammon_rl.stakes.worth import Stakes

Floats = NDArray[np.float32]

_BLOCK: Final = 128  # boards looked at together: 21 rolls and some 20 plays of each stay small
_OPENING_CHANCES: Final = np.where(ROLLS[:, 0] == ROLLS[:, 1], 0, 1 / 15).astype(np.float32)


def luck(judge: Evaluator, boards: Boards, dice: Dice, *, opening: bool = False) -> Floats:
    """Return what each roll was worth to the player who made it, cubeless points, float32 (N,).

    Parameters
    ----------
    judge : Evaluator
        What values the positions.
    boards : int8 (N, 26)
        Boards before the roll.
    dice : int (N, 2)
        The rolls that came.
    opening : bool
        Whether they open a game, and so are never doubles.

    Examples
    --------
    >>> from gammon_rl.eval.model import load_model
    >>> from gammon_rl.rules.variants import STANDARD
    >>> start = STANDARD.start()[None]
    >>> lucky, unlucky = (luck(load_model("standard"), start, np.array([dice]))[0] for dice in ((3, 3), (4, 1)))
    >>> bool(lucky > 0.1 > 0 > unlucky)
    True
    """
    values = np.empty((len(boards), len(ROLLS)), dtype=np.float32)
    for at in range(0, len(boards), _BLOCK):
        made = best_replies(judge, boards[at : at + _BLOCK])
        values[at : at + len(made)] = -(judge.outcomes(made.reshape(-1, 26)) @ POINTS).reshape(made.shape[:2])
    chances = _OPENING_CHANCES if opening else ROLL_CHANCES.astype(np.float32)
    adjusted: Floats = values[np.arange(len(boards)), _places(dice)] - values @ chances
    return adjusted


def luck_at_stakes(
    judge: Evaluator, board: Boards, dice: tuple[int, int], stakes: Stakes, *, opening: bool = False
) -> float:
    """Return what a roll was worth to the player who made it, with the cube and at the score: points, or MWC.

    Parameters
    ----------
    judge : Evaluator
        What values the positions, 0 plies ahead.
    board : int8 (26,)
        The board before the roll.
    dice : (int, int)
        The roll that came.
    stakes : Stakes
        What is played for, as the player who rolled sees it.
    opening : bool
        Whether it opens a game. Then it is compared with all 30 ways in which a game can open: the 15 rolls that are
        no doubles, for either player.

    Examples
    --------
    >>> from gammon_rl.eval.model import load_model
    >>> from gammon_rl.rules.variants import STANDARD
    >>> model, money = load_model("standard"), Stakes.money()
    >>> all_rolls = [luck_at_stakes(model, STANDARD.start(), (a, b), money) for a in range(1, 7) for b in range(1, 7)]
    >>> abs(sum(all_rolls)) < 1e-4
    True
    """
    worth = _worth_of_rolls(judge, board, stakes)
    if opening:
        theirs = _worth_of_rolls(judge, board, stakes.turned()) @ _OPENING_CHANCES
        mean = (worth @ _OPENING_CHANCES + stakes.other_side(theirs)) / 2
    else:
        mean = worth @ ROLL_CHANCES
    return float(worth[_places(np.array([dice]))[0]] - mean)


def _worth_of_rolls(judge: Evaluator, board: Boards, stakes: Stakes) -> NDArray[np.float64]:
    """Return what each of `ROLLS` is worth to the player on roll after its best play, float64 (21,)."""
    theirs = stakes.turned()
    replies, seen = valued_replies(judge, board[None], theirs.of_outcomes)
    worth = seen_on_roll(judge, replies[0], theirs, seen=seen[0])[1]
    return stakes.other_side(worth)


def _places(dice: Dice) -> NDArray[np.int64]:
    """Return the places of rolls (N, 2) in `ROLLS`, int64 (N,)."""
    high, low = np.sort(dice, axis=1)[:, ::-1].T
    places: NDArray[np.int64] = high * (high - 1) // 2 + low - 1
    return places
