"""The arena: two players over many cubeless money games on mirrored dice.

Games come in pairs with the same dice, once with either player moving first, so that luck cancels: a player against
itself scores exactly zero.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.luck import luck
from gammon_rl.bots.player import Player
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.rules.board import results
from gammon_rl.rules.dice import opening_roll, roll
from gammon_rl.rules.variants import STANDARD, Variant

_PAIRS_AT_ONCE: Final = 512
_FEWEST_AT_ONCE: Final = 16


@dataclass(frozen=True)
class ArenaResult:
    """What a meeting came to, from the first player's side.

    Attributes
    ----------
    first, second : str
        The players.
    games : int
        Games played, two for each roll sequence.
    points : float
        Mean points a game.
    interval : float or None
        Half the width of the 95 % interval of `points`, from the spread of the pairs; None for a single pair.
    wins, gammons, backgammons : float
        Shares of games won by the first player: at all, with a gammon or better, with a backgammon.
    losses, lost_gammons, lost_backgammons : float
        The same for the second.
    plies : float
        Mean plies a game.
    adjusted, adjusted_interval : float or None
        Mean points a game less the luck of the dice, and half the width of its 95 % interval; None where the luck was
        not asked for.
    """

    first: str
    second: str
    games: int
    points: float
    interval: float | None
    wins: float
    gammons: float
    backgammons: float
    losses: float
    lost_gammons: float
    lost_backgammons: float
    plies: float
    adjusted: float | None = None
    adjusted_interval: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        return asdict(self)


def meet(
    first: Player,
    second: Player,
    games: int,
    *,
    seed: int = 1,
    rules: Variant = STANDARD,
    judge: Evaluator | None = None,
    progress: Callable[[int], None] = lambda games: None,
) -> ArenaResult:
    """Let two players meet.

    Parameters
    ----------
    first, second : Player
        The players; they stay open.
    games : int
        How many games; an odd number is rounded up, since they come in pairs.
    seed : int
        Of the dice.
    rules : Variant
        The variant played.
    judge : Evaluator, optional
        What values the luck of each roll, to be taken out of the result (see `gammon_rl.bots.luck`): a narrower
        interval for some twenty times the evaluations.
    progress : callable
        Told the games finished so far, now and then.

    Returns
    -------
    ArenaResult
        Of all games, or after Ctrl-C of those finished by then (of none, the interrupt goes on).
    """
    rng = np.random.default_rng(seed)
    points: list[NDArray[np.int8]] = []
    lucks: list[NDArray[np.float64]] = []
    pairs, done, plies = (games + 1) // 2, 0, 0
    try:
        while done < pairs:
            # An interrupt loses the pairs under way, so they are a tenth of all at most.
            at_once = min(_PAIRS_AT_ONCE, max(_FEWEST_AT_ONCE, pairs // 10))
            count = min(at_once, pairs - done)
            won, lucky, played = _pairs(first, second, count, rng, rules, judge, partial(_add, progress, 2 * done))
            points.append(won)
            lucks.append(lucky)
            done += count
            plies += played
    except KeyboardInterrupt:
        if not points:
            raise
    scores = np.concatenate(points, axis=1).astype(np.float64)
    mean, interval = _mean_of_pairs(scores)
    adjusted, adjusted_interval = _mean_of_pairs(scores - np.concatenate(lucks, axis=1)) if judge else (None, None)
    wins, gammons, backgammons = (float((scores >= least).mean()) for least in (1, 2, 3))
    losses, lost_gammons, lost_backgammons = (float((scores <= -least).mean()) for least in (1, 2, 3))
    return ArenaResult(
        first.name,
        second.name,
        scores.size,
        mean,
        interval,
        wins,
        gammons,
        backgammons,
        losses,
        lost_gammons,
        lost_backgammons,
        plies / scores.size,
        adjusted,
        adjusted_interval,
    )


def _mean_of_pairs(scores: NDArray[np.float64]) -> tuple[float, float | None]:
    """Return the mean of scores (2, pairs) and half the width of its 95 % interval, None for a single pair."""
    means = scores.mean(axis=0)
    return float(means.mean()), float(1.96 * means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else None


def _add(progress: Callable[[int], None], before: int, ended: int) -> None:
    progress(before + ended)


def _pairs(
    first: Player,
    second: Player,
    pairs: int,
    rng: np.random.Generator,
    rules: Variant,
    judge: Evaluator | None,
    progress: Callable[[int], None],
) -> tuple[NDArray[np.int8], NDArray[np.float64], int]:
    """Play pairs of games to the end: the first player's points and luck, both (2, pairs), and plies in all.

    In the first row the first player begins, in the second row the other one; a column has the same dice.
    """
    boards = np.tile(rules.start(), (2, pairs, 1))
    points = np.zeros((2, pairs), dtype=np.int8)
    lucky = np.zeros((2, pairs))
    plies = played = 0
    while not points.all():
        dice = opening_roll(rng, pairs) if plies == 0 else roll(rng, pairs)
        to_move = (first, second) if plies % 2 == 0 else (second, first)
        for row, mover in enumerate(to_move):  # one player on both sides still has two rows of its own
            live = np.flatnonzero(points[row] == 0)
            if live.size:
                played += live.size
                side = 1 if row == plies % 2 else -1
                if judge:
                    lucky[row, live] += side * luck(judge, boards[row, live], dice[live], opening=plies == 0)
                boards[row, live] = made = mover.choose(boards[row, live], dice[live])
                points[row, live] = -side * results(made, rules)
        plies += 1
        progress(int((points != 0).sum()))
    return points, lucky, played
