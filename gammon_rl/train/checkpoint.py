"""The state of a run on disk: one safetensors file with everything a run needs to go on as if never stopped.

A new file is written under another name, flushed and renamed, and the one before it is kept, so that a run killed at
any moment has a whole one. Nothing in it is ever executed.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from gammon_rl.errors import RunError
from gammon_rl.eval.model import write_whole

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
    return (run / NAME).exists() or (run / PREVIOUS).exists()


def save_checkpoint(run: Path, checkpoint: Checkpoint) -> None:
    """Write the state of a run, keeping the one before."""
    about = json.dumps({**checkpoint.about, "format": FORMAT}, sort_keys=True)
    tensors = {name: np.ascontiguousarray(tensor) for name, tensor in checkpoint.tensors.items()}
    fresh = run / "checkpoint.new.safetensors"
    write_whole(fresh, save(tensors, {_KEY: about}))
    if (run / NAME).exists():
        os.replace(run / NAME, run / PREVIOUS)
    os.replace(fresh, run / NAME)


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
            except (SafetensorError, OSError, ValueError, KeyError) as error:
                faults.append(f"{path}: not a readable checkpoint ({error})")
    raise RunError("; ".join(faults))


def _read(path: Path) -> Checkpoint:
    with safe_open(path, framework="numpy") as file:
        about = json.loads(file.metadata()[_KEY])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if about["format"] != FORMAT:
        raise ValueError(f"format {about['format']!r}, this version reads {FORMAT}")
    return Checkpoint(tensors, about)
