"""A fixed set of decisions with plays rolled out: how much an evaluator loses by its choices.

``scripts/decisions FILE --model MODEL`` makes the set anew from a model's own play and rollouts, so that the measure
grows with the models it measures.

Legend: D decisions, M candidates of all of them.
"""

import argparse
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.rollout import roll_out
from gammon_rl.bots.search import best_plays
from gammon_rl.errors import ModelFileError
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.model import load_model
from gammon_rl.eval.network import POINTS
from gammon_rl.rules.board import results
from gammon_rl.rules.dice import opening_roll, roll
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import STANDARD, Boards, Variant
from gammon_rl.writing import write_whole

Floats = NDArray[np.float32]

_WITHIN: Final = 0.12  # points of the best play at 0 plies: a play further away is not rolled out
_MOST: Final = 6  # plays rolled out of one decision
_PLIES: Final = 70  # of a game, from which decisions are taken


@dataclass(frozen=True)
class Decisions:
    """Decisions whose serious candidates were rolled out.

    Attributes
    ----------
    parents : int32 (M,)
        The decision of each candidate, in order.
    afterstates : int8 (M, 26)
        The candidates.
    equity : float32 (M,)
        Cubeless equity of each by rollout, for the player who moves.
    error : float32 (M,)
        Its standard error.
    """

    parents: NDArray[np.int32]
    afterstates: Boards
    equity: Floats
    error: Floats

    def regret(self, evaluator: Evaluator) -> Floats:
        """Return the points that an evaluator's choice among the candidates loses in each decision, float32 (D,)."""
        first = np.flatnonzero(np.diff(self.parents, prepend=-1))
        opinion = evaluator.outcomes(self.afterstates) @ POINTS  # of the other player, and so the least is chosen
        order = np.lexsort((opinion, self.parents))
        lost: Floats = np.maximum.reduceat(self.equity, first) - self.equity[order[first]]
        return lost

    def save(self, file: Path) -> None:
        """Write the set as a file of NumPy's (.npz)."""
        content = io.BytesIO()
        np.savez_compressed(content, **vars(self))
        write_whole(file, content.getvalue())


def load_decisions(rules: Variant = STANDARD, file: Path | None = None) -> Decisions | None:
    """Return the set of a variant that comes with the package, or None if there is none; or the one in a file.

    Raises
    ------
    ModelFileError
        If the file is no such set.
    """
    path = file or Path(__file__).parent / f"decisions_{rules.name}.npz"
    if not file and not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return Decisions(**arrays)
    except (OSError, ValueError, TypeError, BadZipFile) as error:
        raise ModelFileError(f"{path}: not a set of decisions ({error})") from None


def make_decisions(
    judge: Evaluator,
    count: int = 500,
    trials: int = 144,
    plies: int = 8,
    *,
    seed: int = 1,
    progress: Callable[[int], None] = lambda decisions: None,
) -> Decisions:
    """Take decisions from a judge's own play and roll out their candidates.

    Parameters
    ----------
    judge : Evaluator
        Who plays, and rolls out.
    count : int
        Decisions wanted: those with two candidates or more.
    trials, plies : int
        Of the rollouts (see `roll_out`); all plays of a decision have the same dice.
    seed : int
        Of the dice.
    progress : callable
        Told the decisions done.
    """
    rng = np.random.default_rng(seed)
    parts: list[tuple[Boards, Floats, Floats]] = []
    while len(parts) < count:
        boards, dice = _positions(judge, 2 * count, rng)
        parents, afterstates = legal_plays(boards, dice, judge.rules)
        opinion = judge.outcomes(afterstates) @ POINTS
        for number in rng.permutation(len(boards)):
            plays = np.flatnonzero(parents == number)
            if not plays.size or len(parts) == count:
                continue
            plays = plays[np.argsort(opinion[plays])][:_MOST]
            plays = plays[opinion[plays] <= opinion[plays[0]] + _WITHIN]
            if len(plays) > 1:
                found = roll_out(judge, afterstates[plays], trials, plies, seed=int(rng.integers(2**62)))
                parts.append((afterstates[plays], -found.equity, found.error))
                progress(len(parts))
    afterstates, equity, error = (np.concatenate(column) for column in zip(*parts, strict=True))
    numbers = np.repeat(np.arange(count, dtype=np.int32), [len(part[0]) for part in parts])
    return Decisions(numbers, afterstates, equity, error)


def _positions(judge: Evaluator, games: int, rng: np.random.Generator) -> tuple[Boards, NDArray[np.int64]]:
    """Return boards with rolls from any ply of the judge's games."""
    boards = np.tile(judge.rules.start(), (games, 1))
    chosen_ply = rng.integers(_PLIES, size=games)
    taken = []
    for ply in range(_PLIES):
        dice = opening_roll(rng, len(boards)) if ply == 0 else roll(rng, len(boards))
        now = chosen_ply == ply
        taken.append((boards[now], dice[now]))
        made = best_plays(judge, boards[~now], dice[~now])
        going = results(made, judge.rules) == 0
        boards, chosen_ply = made[going], chosen_ply[~now][going]
    return np.concatenate([board for board, _ in taken]), np.concatenate([dice for _, dice in taken])


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", default="standard")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--trials", type=int, default=144)
    parser.add_argument("--plies", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    judge = load_model(asked.model)

    def show(done: int) -> None:
        print(f"{done} of {asked.count} decisions", flush=True)

    made = make_decisions(judge, asked.count, asked.trials, asked.plies, seed=asked.seed, progress=show)
    made.save(asked.file)


if __name__ == "__main__":
    _main()
