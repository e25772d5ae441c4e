"""From a run to a model file."""

from pathlib import Path

from gammon_rl import __version__
from gammon_rl.errors import RunError
from gammon_rl.eval.model import Model, load_model
from gammon_rl.rules.variants import variant
from gammon_rl.train.checkpoint import load_checkpoint


def export_run(run: Path, file: Path) -> Model:
    """Write the evaluator of a run's newest checkpoint as a model file, and return it as loaded again.

    Raises
    ------
    RunError
        If the directory holds no checkpoint, or the file cannot be written.
    """
    if not file.name:
        raise RunError(f"{str(file)!r} is no name for a model file")
    checkpoint = load_checkpoint(run)
    config, tensors = checkpoint.about["config"], checkpoint.tensors
    layers = tuple(
        (tensors[f"weights.{2 * number}"], tensors[f"weights.{2 * number + 1}"])
        for number in range(len(config["hidden"]) + 1)
    )
    info = {
        "config": config,
        "games": checkpoint.about["games"],
        "licence": "MIT",
        "made_by": f"gammon_rl {__version__}",
    }
    try:
        Model(layers, variant(config["variant"]), info).save(file)
    except OSError as error:
        raise RunError(f"{file}: cannot be written ({error.strerror})") from None
    return load_model(file)
