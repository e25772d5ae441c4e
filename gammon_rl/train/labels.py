"""Luck-adjusted labels: what positions of self-play are worth, with the luck of the dice taken out.

Where TD(lambda) learns from the roll that came, a label also looks at the rolls that did not. For a position let `Q`
be the mean over the 21 rolls of the value after the best play of each, and `V` the value after the best play of the
roll that came. The return is

    G = Q + lambda (G_next - V),

all seen by the player on roll, `G_next` being the return of the next position. In the mean over the rolls `V` is `Q`,
so the difference takes the luck of the roll out of the return and leaves its mean alone: a control variate (for the
general form see De Asis and Sutton, "Per-decision multi-step temporal difference learning with control variates",
2018). At lambda 0 a label is the exact expectation one roll ahead; near 1 it is the luck-adjusted result of the game.

Legend: T plies, N games, M afterstates.
"""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from gammon_rl.errors import RunError
from gammon_rl.eval.network import certain
from gammon_rl.rules.board import results
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import Boards
from gammon_rl.train.network import Judge
from gammon_rl.train.selfplay import SelfPlay
from gammon_rl.writing import write_whole

Floats = NDArray[np.float32]


def label(play: SelfPlay, judge: Judge, plies: int, trace: float) -> tuple[Boards, Floats]:
    """Play some plies of every game and label the positions met.

    Parameters
    ----------
    play : SelfPlay
        The games; they go on from where they are.
    judge : Judge
        What chooses and values the plays.
    plies : int
        Plies to play; towards the last of them labels look less far.
    trace : float
        Lambda, 0 to 1.

    Returns
    -------
    boards : int8 (T * N, 26)
        The positions, the player on roll's view.
    targets : float32 (T * N, 6)
        Their returns: chances of the six outcomes that sum to one, single ones a little below 0 or above 1 at times.
    """
    games = len(play.boards)
    every = np.arange(games)
    boards = np.empty((plies, games, 26), dtype=np.int8)
    means = np.empty((plies, games, 6), dtype=np.float32)
    values = np.empty_like(means)
    over = np.empty((plies, games), dtype=np.bool_)
    for ply in range(plies):
        boards[ply] = play.boards
        made, worth = _best_of_every_roll(play, judge)
        means[ply] = (worth * ROLL_CHANCES.astype(np.float32)[:, None]).sum(axis=1)
        high, low = np.sort(play.roll(), axis=1)[:, ::-1].T
        came = high * (high - 1) // 2 + low - 1  # the roll's place in `ROLLS`
        values[ply] = worth[every, came]
        over[ply] = play.advance(made[every, came]) > 0
    targets = means.copy()
    for ply in range(plies - 2, -1, -1):
        correction = trace * (targets[ply + 1][:, ::-1] - values[ply])
        targets[ply] += np.where(over[ply][:, None], 0, correction)
    return boards.reshape(-1, 26), targets.reshape(-1, 6)


def _best_of_every_roll(play: SelfPlay, judge: Judge) -> tuple[Boards, Floats]:
    """Return the best afterstate of each game and roll, int8 (N, 21, 26), and its value for the player who moves."""
    games = len(play.boards)
    rolled = np.repeat(play.boards, len(ROLLS), axis=0)
    parents, afterstates = legal_plays(rolled, np.tile(ROLLS, (games, 1)), play.rules)
    made = play.best(judge, rolled, parents, afterstates)
    worth = judge.outcomes(made)
    points = results(made, play.rules)
    over = points != 0
    worth[over] = certain(points[over])
    return made.reshape(games, len(ROLLS), 26), worth.reshape(games, len(ROLLS), 6)[..., ::-1]


@dataclass(frozen=True)
class Chunk:
    """Labels of whole segments of one generation, and the file that holds them, once there is one.

    Targets are held in half precision: what that loses is small beside their noise.
    """

    generation: int
    boards: Boards
    targets: NDArray[np.float16]
    file: str | None = None


@dataclass
class Replay:
    """The labels of the last few generations, in the order they were made."""

    chunks: list[Chunk] = field(default_factory=list)

    def add(self, generation: int, boards: Boards, targets: Floats) -> None:
        """Put in the labels of a segment."""
        self.chunks.append(Chunk(generation, boards, targets.astype(np.float16)))

    def size(self, generation: int) -> int:
        """Return how many labels a generation has."""
        return sum(len(chunk.boards) for chunk in self.chunks if chunk.generation == generation)

    def keep_from(self, generation: int) -> None:
        """Drop the labels of older generations."""
        self.chunks = [chunk for chunk in self.chunks if chunk.generation >= generation]

    def write_anew(self) -> None:
        """Have the next `save` write one file a generation, whatever files there were on the way."""
        self.chunks = [replace(chunk, file=None) for chunk in self.chunks]

    def arrays(self) -> tuple[Boards, Floats]:
        """Return all boards int8 (K, 26) and targets float32 (K, 6)."""
        boards = np.concatenate([chunk.boards for chunk in self.chunks])
        targets = np.concatenate([chunk.targets for chunk in self.chunks])
        return boards, targets.astype(np.float32)

    def save(self, directory: Path, name: str) -> list[str]:
        """Write what is in no file yet into new ones whose names begin with `name`; return all files, in order."""
        held: list[Chunk] = []
        for (generation, file), group in groupby(self.chunks, key=lambda chunk: (chunk.generation, chunk.file)):
            chunks = list(group)
            if file is None:
                file = f"{name}-{generation}.safetensors"
                boards = np.concatenate([chunk.boards for chunk in chunks])
                targets = np.concatenate([chunk.targets for chunk in chunks])
                write_whole(directory / file, save({"boards": boards, "targets": targets}))
                chunks = [Chunk(generation, boards, targets, file)]
            held += chunks
        self.chunks = held
        return [str(chunk.file) for chunk in held]

    @classmethod
    def load(cls, directory: Path, files: list[str]) -> "Replay":
        """Return what `save` wrote.

        Raises
        ------
        RunError
            If a file is missing or damaged.
        """
        chunks = []
        for file in files:
            try:
                held = load_file(directory / file)
            except (OSError, SafetensorError) as error:
                raise RunError(f"{directory / file}: labels of the run that cannot be read ({error})") from None
            generation = int(Path(file).stem.rpartition("-")[2])
            chunks.append(Chunk(generation, held["boards"], held["targets"], file))
        return cls(chunks)


def remove_labels(directory: Path, generation: int, but: Collection[str] | None = None) -> None:
    """Remove the files of generations before this one, or all but some."""
    for file in directory.glob("labels-*.safetensors"):
        if int(file.stem.rpartition("-")[2]) < generation if but is None else file.name not in but:
            file.unlink(missing_ok=True)
