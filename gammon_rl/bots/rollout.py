"""Rollouts: what boards are worth by playing on from them many times, with the luck of the dice taken out.

A trial plays a number of plies at 0 plies with random dice. Its estimate is the mean over the 21 rolls of the first
position, and at every further one what its own mean adds to the value of the roll that led there: the result less the
luck of its rolls, cut short by the judge's opinion (see `gammon_rl.bots.luck`).

Legend: N boards, T trials.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.search import best_replies
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.network import POINTS
from gammon_rl.rules.board import results
from gammon_rl.rules.dice import ROLL_CHANCES
from gammon_rl.rules.variants import Boards

Floats = NDArray[np.float32]

_BLOCK: Final = 128  # positions looked at together: 21 rolls and some 20 plays of each stay small


@dataclass(frozen=True)
class Rollout:
    """What boards are worth by rollouts, for the player on roll.

    Attributes
    ----------
    outcomes : float32 (N, 6)
        Mean chances of the six outcomes.
    equity : float32 (N,)
        Mean cubeless equity.
    error : float32 (N,)
        Its standard error.
    """

    outcomes: Floats
    equity: Floats
    error: Floats


def roll_out(
    judge: Evaluator,
    boards: Boards,
    trials: int = 36,
    plies: int = 8,
    *,
    seed: int = 1,
    progress: Callable[[int], None] = lambda positions: None,
) -> Rollout:
    """Roll out boards, all with the same dice.

    Parameters
    ----------
    judge : Evaluator
        Who plays both sides, and values the positions.
    boards : int8 (N, 26)
        Boards with the dice not yet rolled.
    trials : int
        Trials of each board; the first rolls are spread evenly over the 36.
    plies : int
        Plies of a trial; games may end before.
    seed : int
        Of the dice.
    progress : callable
        Told the positions looked at so far, of at most N * T * plies.

    Examples
    --------
    >>> from gammon_rl.eval.model import load_model
    >>> from gammon_rl.rules.variants import STANDARD
    >>> start = roll_out(load_model("standard"), STANDARD.start()[None], trials=36, plies=2)
    >>> bool(0.0 < start.equity[0] < 0.2 and start.error[0] < 0.02)
    True
    """
    rng = np.random.default_rng(seed)
    rolls = rng.choice(len(ROLL_CHANCES), size=(plies, trials), p=ROLL_CHANCES)
    rolls[0] = _evenly(trials, rng)
    came = np.tile(rolls, (1, len(boards)))  # (plies, N * T), a board's trials side by side
    at = np.repeat(boards, trials, axis=0)
    total = judge.outcomes(at)
    live = np.flatnonzero(results(at, judge.rules) == 0)
    total[live] = 0
    seen = 0
    for ply in range(plies):
        for start in range(0, len(live), _BLOCK):
            block = live[start : start + _BLOCK]
            made = best_replies(judge, at[block])
            worth = judge.outcomes(made.reshape(-1, 26)).reshape(len(block), -1, 6)[..., ::-1]
            mean = np.einsum("nrk,r->nk", worth, ROLL_CHANCES.astype(np.float32))
            taken = np.arange(len(block)), came[ply, block]
            # What the next ply adds is its own mean less this value; the last ply stops at its mean.
            change = mean - worth[taken] if ply < plies - 1 else mean
            over = results(made[taken], judge.rules) != 0
            change[over] = mean[over]
            total[block] += change if ply % 2 == 0 else change[:, ::-1]
            at[block] = made[taken]
            seen += len(block)
            progress(seen)
        live = live[results(at[live], judge.rules) == 0]
    chances = total.reshape(len(boards), trials, 6)
    equity = chances @ POINTS
    error = equity.std(axis=1, ddof=1) / np.sqrt(trials) if trials > 1 else np.full(len(boards), np.nan)
    return Rollout(chances.mean(axis=1), equity.mean(axis=1), error.astype(np.float32))


def _evenly(trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return first rolls, as places in `ROLLS`, that come as often as they should while there are 36 of them."""
    every = np.repeat(np.arange(len(ROLL_CHANCES)), np.rint(36 * ROLL_CHANCES).astype(np.int64))
    rounds = [rng.permutation(every) for _ in range(-(-trials // 36))]
    return np.concatenate(rounds)[:trials]
