"""Benchmarks of the rules and the evaluator: each checks its answer first, then times it in CPU seconds."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from gammon_rl.bots.search import chosen
from gammon_rl.errors import GammonError
from gammon_rl.eval.encoder import INPUTS, encode
from gammon_rl.eval.model import Model
from gammon_rl.rules.board import results
from gammon_rl.rules.dice import ROLLS, Dice, roll
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import STANDARD, Boards

_PERFT: Final = (447, 202_782)  # afterstates of the start over all 21 rolls, and of each of those


class BenchmarkError(GammonError):
    """A benchmark whose answer is wrong: its time would mean nothing."""


@dataclass(frozen=True)
class Rate:
    """How fast something is.

    Attributes
    ----------
    name : str
        What was timed.
    unit : str
        What is counted.
    best, typical : float
        Units a CPU-second: of the fastest repetition and of the median one.
    repetitions : int
        How often it was timed.
    """

    name: str
    unit: str
    best: float
    typical: float
    repetitions: int


def random_positions(count: int, seed: int, plies: int = 200) -> tuple[Boards, Dice]:
    """Return boards met in games of random plays, int8 (count, 26), each with a roll to play, int64 (count, 2)."""
    rng = np.random.default_rng(seed)
    start = STANDARD.start()
    boards = np.tile(start, (count, 1))
    for _ in range(plies):
        parents, afterstates = legal_plays(boards, roll(rng, count))
        boards = chosen(boards, parents, afterstates, rng.random(len(parents), dtype=np.float32))
        boards[results(boards) != 0] = start
    return boards, roll(rng, count)


def time_plays(batch: int = 16_384, seed: int = 1, seconds: float = 5.0) -> Rate:
    """Time legal plays: positions of random games, with all their afterstates.

    Raises
    ------
    BenchmarkError
        If the counts from the start position are wrong.
    """
    boards, counts = STANDARD.start()[None], []
    for _ in _PERFT:
        every_roll = np.tile(ROLLS, (len(boards), 1))
        boards = legal_plays(np.repeat(boards, len(ROLLS), axis=0), every_roll)[1]
        counts.append(len(boards))
    if tuple(counts) != _PERFT:
        raise BenchmarkError(f"legal plays from the start: {counts} afterstates, expected {list(_PERFT)}")
    boards, dice = random_positions(batch, seed)
    return _timed("legal plays", "positions", batch, seconds, lambda: legal_plays(boards, dice))


def time_evaluation(units: int = 128, batch: int = 65_536, seed: int = 1, seconds: float = 5.0) -> Rate:
    """Time the NumPy evaluator on raw boards with one hidden layer.

    Raises
    ------
    BenchmarkError
        If it differs from the plain computation by 1e-5.
    """
    rng = np.random.default_rng(seed)
    first = (rng.normal(0, 0.1, (units, INPUTS)).astype(np.float32), rng.normal(0, 0.1, units).astype(np.float32))
    last = (rng.normal(0, 0.3, (6, units)).astype(np.float32), np.zeros(6, dtype=np.float32))
    model = Model((first, last), STANDARD)
    boards = legal_plays(*random_positions(batch // 8, seed))[1][:batch]
    sample = boards[results(boards) == 0][:2000]
    sample = sample[(np.abs(sample).sum(axis=1) == 30)]  # nobody has a checker off: nothing is known beside the net
    logits = np.maximum(encode(sample, 15) @ first[0].T + first[1], 0) @ last[0].T + last[1]
    plain = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    worst = float(np.abs(model.outcomes(sample) - plain).max())
    if not worst < 1e-5:
        raise BenchmarkError(f"evaluation differs from the plain computation by {worst}")
    return _timed(f"evaluation, {units} units", "boards", len(boards), seconds, lambda: model.outcomes(boards))


def _timed(name: str, unit: str, count: int, seconds: float, work: Callable[[], object]) -> Rate:
    work()
    times: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(times) < 3:
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return Rate(name, unit, count / min(times), count / float(np.median(times)), len(times))
