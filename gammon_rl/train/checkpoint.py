"""The state of a run on disk: one safetensors file with everything a run needs to go on as if never stopped.

A new file is written under another name, flushed and renamed, and the one before it is kept, so that a run killed at
any moment has a whole one. Nothing in it is ever executed.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from gammon_rl.errors import RunError
from gammon_rl.eval.encoder import INPUTS, WITH_SHOTS
from gammon_rl.eval.network import OUTCOMES
from gammon_rl.train.config import OF_A_GENERATION, OF_LABELS, OF_THE_CLOCK, TrainConfig, config_from
from gammon_rl.writing import held, write_whole

FORMAT: Final = 1
NAME: Final = "checkpoint.safetensors"
PREVIOUS: Final = "checkpoint.previous.safetensors"
_KEY: Final = "gammon_rl_run"


@dataclass(frozen=True)
class Checkpoint:
    """What a run is at the end of a segment.

    Attributes
    ----------
    tensors : dict of arrays
        Weights, the optimiser's moments, and the boards of every rank.
    about : dict
        Counters, configuration and the states of the generators, as JSON knows them.
    """

    tensors: dict[str, NDArray[Any]]
    about: dict[str, Any]


def has_checkpoint(run: Path) -> bool:
    """Whether a directory holds a run."""
    return os.path.exists(run / NAME) or os.path.exists(run / PREVIOUS)  # False also for names that cannot be


def save_checkpoint(run: Path, checkpoint: Checkpoint) -> None:
    """Write the state of a run, keeping the one before."""
    about = json.dumps({**checkpoint.about, "format": FORMAT}, sort_keys=True)
    tensors = {name: np.ascontiguousarray(tensor) for name, tensor in checkpoint.tensors.items()}
    fresh = run / "checkpoint.new.safetensors"
    write_whole(fresh, save(tensors, {_KEY: about}))
    if (run / NAME).exists():
        os.replace(run / NAME, run / PREVIOUS)
    os.replace(fresh, run / NAME)


def save_seconds(run: Path, seconds: float) -> None:
    """Write how long a run has taken; beside its state, which is to be the same however quick the machine."""
    write_whole(run / "seconds.json", json.dumps(seconds).encode())


def load_seconds(run: Path) -> float:
    """Return how long a run has taken, or 0 if that is not known."""
    try:
        return float(json.loads((run / "seconds.json").read_bytes()))
    except (OSError, ValueError, TypeError):
        return 0.0


@contextmanager
def locked(run: Path) -> Iterator[None]:
    """Keep a run's directory for this process while it trains there.

    Raises
    ------
    RunError
        If another process has it.
    """
    with held(run / "lock") as mine:
        if not mine:
            raise RunError(f"{run}: another process is training there")
        yield


def load_checkpoint(run: Path) -> Checkpoint:
    """Read the newest whole state of a run.

    Raises
    ------
    RunError
        If there is none.
    """
    if not has_checkpoint(run):
        raise RunError(f"{run}: holds no checkpoint")
    faults = []
    for name in (NAME, PREVIOUS):
        path = run / name
        if path.exists():
            try:
                return _read(path)
            except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
                faults.append(f"{path}: not a readable checkpoint ({error!r})")
    raise RunError("; ".join(faults))


def refuse_to_overwrite(run: Path) -> None:
    """Raise RunError if a directory holds a run."""
    if has_checkpoint(run):
        raise RunError(f"{run}: already holds a run; --resume continues it, --run names another place")


def resumed(run: Path, config: TrainConfig) -> Checkpoint:
    """Return the newest state of a run, to go on with a configuration.

    Raises
    ------
    RunError
        If there is no state, or it has another configuration. When to save and to measure and how many generations to
        make may change, between two of them also how they are made, whether shots are shown from then on, and all that
        is about labels while there are none.
    """
    checkpoint = load_checkpoint(run)
    then, now = config_from(checkpoint.about["config"]).as_dict(), config.as_dict()
    free = OF_THE_CLOCK | {"generations", "last_epochs"}
    if not checkpoint.about["generation"] and not any(checkpoint.about["labels"]):
        free |= OF_LABELS
    if checkpoint.about["generation"] and not checkpoint.about["epoch"]:
        free |= OF_A_GENERATION | ({"shots"} if now["shots"] else set())
    changed = [
        f"{name} was {then[name]!r} and is {now[name]!r}"
        for name in now
        if then[name] != now[name] and name not in free
    ]
    if now["generations"] < checkpoint.about["generation"]:
        changed.append(f"{checkpoint.about['generation']} generations are made, generations is {now['generations']}")
    if changed:
        said = "; ".join(changed)
        raise RunError(
            f"{run}: the run has another configuration: {said}; repeat its --set options, or --run names another place"
        )
    return checkpoint


def _read(path: Path) -> Checkpoint:
    with safe_open(path, framework="numpy") as file:
        about = json.loads(file.metadata()[_KEY])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if about["format"] != FORMAT:
        raise ValueError(f"format {about['format']!r}, this version reads {FORMAT}")
    for key in ("config", "games", "segments", "rng", "ended"):
        about[key]  # a KeyError says what is missing
    about = {"generation": 0, "epoch": 0, "held_out": None, "labels": [[] for _ in about["rng"]], **about}
    _check(tensors, about)
    return Checkpoint(tensors, about)


def _check(tensors: Mapping[str, NDArray[Any]], about: Mapping[str, Any]) -> None:
    """Raise ValueError, KeyError or TypeError if a checkpoint does not hold what a run goes on from."""
    for key in ("games", "segments", "generation", "epoch"):
        if type(about[key]) is not int:
            raise ValueError(f"{key} should be a whole number, got {about[key]!r}")
    for key, kind in (("rng", dict), ("labels", list), ("ended", int)):
        if not isinstance(about[key], list) or not all(type(one) is kind for one in about[key]):
            raise ValueError(f"{key} should be {kind.__name__}s, got {about[key]!r}")
        if len(about[key]) != len(about["rng"]):
            raise ValueError(f"{key} should be of {len(about['rng'])} ranks, got {len(about[key])}")
    if not isinstance(about["config"], dict):
        raise ValueError(f"config should be settings by name, got {about['config']!r}")
    config = config_from(about["config"])
    shapes: list[tuple[int, ...]] = []
    for inputs, hidden in ((WITH_SHOTS if config.shots else INPUTS, config.hidden), (INPUTS, config.companion)):
        for before, after in pairwise((inputs, *hidden, len(OUTCOMES)) if hidden else ()):
            shapes += [(after, before), (after,)]
    wanted: dict[str, tuple[int, ...]] = {f"weights.{number}": shape for number, shape in enumerate(shapes)}
    for rank, state in enumerate(about["rng"]):
        np.random.default_rng().bit_generator.state = state
        games = len(tensors[f"boards.{rank}"])
        wanted |= {f"boards.{rank}": (games, 26), f"opening.{rank}": (games,)}
    for name, shape in wanted.items():
        if tensors[name].shape != shape:
            raise ValueError(f"{name} should have the shape {shape}, got {tensors[name].shape}")
