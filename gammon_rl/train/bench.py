"""Benchmark of learning: games played and learned a CPU-second by one process."""

import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import torch

from gammon_rl.bots.bench import BenchmarkError, Rate, random_positions
from gammon_rl.train.config import TrainConfig
from gammon_rl.train.network import FoldedNet, outcomes
from gammon_rl.train.trainer import Status, Trainer


class _TimeOverError(Exception):
    """Ends the run when its time is over."""


def time_learning(units: int = 80, seed: int = 1, seconds: float = 30.0) -> Rate:
    """Time self-play and learning together with one hidden layer.

    Raises
    ------
    BenchmarkError
        If the net that plays differs from the net that learns by 1e-5.
    """
    torch.set_num_threads(1)
    config = TrainConfig(games=2**40, hidden=(units,), seed=seed)
    with tempfile.TemporaryDirectory() as directory:
        trainer = Trainer(config, Path(directory))
        boards = random_positions(2000, seed)[0]
        boards = boards[np.abs(boards).sum(axis=1) == 30]
        worst = float(np.abs(outcomes(trainer.net, boards) - FoldedNet(trainer.net).outcomes(boards).numpy()).max())
        if not worst < 1e-5:
            raise BenchmarkError(f"the net that plays differs from the net that learns by {worst}")
        end = time.monotonic() + seconds

        def note(status: Status) -> None:
            if time.monotonic() > end:
                raise _TimeOverError

        started = time.process_time()
        with suppress(_TimeOverError):
            trainer.run(note)
        rate = trainer.games / (time.process_time() - started)
    return Rate(f"learning, {units} units", "games", rate, rate, 1)
