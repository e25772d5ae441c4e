"""The luck of a roll, and how to take it out of a result.

The luck of a roll is what it made of the position, less the mean over all rolls, both after the plays that a judge
thinks best. Whoever plays, and however wrong the judge is, its mean is zero, so a result less the luck of all its rolls
has the same mean as the result and a fraction of its spread: a control variate.

Legend: N boards.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.search import best_replies
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.network import POINTS
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS, Dice
from gammon_rl.rules.variants import Boards

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
    high, low = np.sort(dice, axis=1)[:, ::-1].T
    came = high * (high - 1) // 2 + low - 1  # the roll's place in `ROLLS`
    chances = _OPENING_CHANCES if opening else ROLL_CHANCES.astype(np.float32)
    adjusted: Floats = values[np.arange(len(boards)), came] - values @ chances
    return adjusted
