"""From a run to a model file."""

import os
from pathlib import Path

from gammon_rl import __version__
from gammon_rl.errors import RunError
from gammon_rl.eval.model import Model, is_model, load_model
from gammon_rl.rules.variants import variant
from gammon_rl.train.checkpoint import has_checkpoint, load_checkpoint
from gammon_rl.train.config import config_from


def export_run(run: Path, file: Path, *, companion: bool = False) -> Model:
    """Write the evaluator of a run's newest checkpoint, or its companion, as a model file; return it as loaded again.

    Raises
    ------
    RunError
        If the directory holds no checkpoint, the run has no companion, or the file cannot be written.
    """
    if not file.name:
        raise RunError(f"{str(file)!r} is no name for a model file")
    if not has_checkpoint(run) and is_model(str(run)):
        raise RunError(f"{run}: is a model already; a file name that ends in .onnx writes it as ONNX")
    model = _evaluator(run, companion)
    try:
        model.save(file)
    except OSError as error:
        raise RunError(f"{file}: cannot be written ({error.strerror})") from None
    return load_model(file)


def evaluator_of(source: str) -> Model:
    """Return the evaluator of a run, by its directory, or of a model, by its file or released name.

    Raises
    ------
    GammonError
        If there is none.
    """
    if os.path.isdir(source) and not is_model(source):
        return _evaluator(Path(source))
    return load_model(source)


def _evaluator(run: Path, companion: bool = False) -> Model:
    """Return the evaluator of a run's newest checkpoint, or its companion, whose weights come after."""
    checkpoint = load_checkpoint(run)
    config, tensors = config_from(checkpoint.about["config"]).as_dict(), checkpoint.tensors
    if companion and not config["companion"]:
        raise RunError(f"{run}: the run has no companion; its configuration names none")
    first = len(config["hidden"]) + 1 if companion else 0
    layers = tuple(
        (tensors[f"weights.{2 * number}"], tensors[f"weights.{2 * number + 1}"])
        for number in range(first, first + len(config["companion" if companion else "hidden"]) + 1)
    )
    info = {
        "config": config,
        "games": checkpoint.about["games"],
        "licence": "MIT",
        "made_by": f"gammon_rl {__version__}",
    }
    return Model(layers, variant(config["variant"]), info, str(run))
