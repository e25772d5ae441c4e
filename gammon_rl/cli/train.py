"""``gammon-rl train`` and ``gammon-rl export``: from a configuration to a model file."""

import functools
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gammon_rl.errors import RunError

if TYPE_CHECKING:
    from gammon_rl.train.config import TrainConfig
    from gammon_rl.train.ranks import Ranks


def train(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="TOML file that describes the run.")],
    run: Annotated[
        Path | None, typer.Option(help="Directory of the run.", show_default="runs/ and the name of CONFIG")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run from its last checkpoint.")] = False,
    change: Annotated[
        list[str] | None, typer.Option("--set", help="key=value put over the config; repeatable.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes on this machine, put over the config.")] = None,
) -> None:
    """Train an evaluator by self-play and TD(lambda).

    Ctrl-C stops after the present segment with a checkpoint; --resume goes on from there. TensorBoard shows
    the run: tensorboard --logdir runs.
    """
    require_torch()
    from gammon_rl.train.checkpoint import has_checkpoint, refuse_to_overwrite, resumed
    from gammon_rl.train.config import load_config

    changes = [*(change or []), *([] if workers is None else [f"workers={workers}"])]
    settings = load_config(config, changes)
    directory = run or Path("runs") / config.stem
    # torchrun starts its processes again when one has failed, with the command they had.
    resume |= os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") != "0" and has_checkpoint(directory)
    if resume:
        resumed(directory, settings)  # what is wrong with it is said before processes are started
    else:
        refuse_to_overwrite(directory)
    typer.echo(f"Starting {settings.workers} process{'es' if settings.workers > 1 else ''} ...", err=True)
    from gammon_rl.train.ranks import launch

    if not launch(settings.workers, functools.partial(_train_rank, settings, directory, resume)):
        raise typer.Exit(130)  # as a command that Ctrl-C has ended


def _train_rank(config: "TrainConfig", directory: Path, resume: bool, ranks: "Ranks") -> bool:
    """Train as one of the processes; the first one shows how far it is."""
    from gammon_rl.train.trainer import Status, Trainer

    trainer = Trainer(config, directory, ranks, resume=resume)
    if not ranks.first:
        return trainer.run()

    from gammon_rl.cli.progress import ProgressDisplay

    with ProgressDisplay("self-play", config.games, trainer.games) as display:

        def show(status: Status) -> None:
            games = f"{status.scalars['speed/games_per_second']:,.0f}/s " if status.stage == "self-play" else ""
            loss = "" if status.loss is None else f"loss {status.loss:.4f}"
            display.update(status.done, games + loss, status.stage, status.wanted)

        finished = trainer.run(show)
    if finished:
        typer.echo(f"Done. gammon-rl export {directory} FILE writes the model.")
    else:
        typer.echo("Stopped with a checkpoint; the same command with --resume goes on.")
    return finished


def export(
    source: Annotated[
        str,
        typer.Argument(metavar="RUN_OR_MODEL", help="Directory of a run; for ONNX also a model file or released name."),
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write: .safetensors, or .onnx.")],
    onnx: Annotated[
        bool, typer.Option("--onnx", help="Write ONNX; so does a FILE that ends in .onnx.", show_default=False)
    ] = False,
    companion: Annotated[
        bool, typer.Option("--companion", help="Write the run's companion instead.", show_default=False)
    ] = False,
) -> None:
    """Write the evaluator of a run as one model file that needs no torch, or as an ONNX file for other languages.

    An ONNX file is written once onnxruntime agrees with NumPy on 10,000 boards. Beside it comes a card, FILE.md,
    that says how a position becomes its input.
    """
    if onnx or file.suffix.casefold() == ".onnx":
        if companion:
            raise RunError("--companion is written as a model file first; that is written as ONNX")
        from gammon_rl.eval.onnx_card import card_beside
        from gammon_rl.eval.onnx_file import CHECKED, export_onnx
        from gammon_rl.train.export import evaluator_of

        evaluator = evaluator_of(source)
        written = export_onnx(evaluator, file, card_beside(source))
        typer.echo(
            f"{file}: {evaluator.rules.name}, {written.size / 1e6:.2f} MB; at most {written.difference:.1e} from NumPy "
            f"on {CHECKED:,} boards; {written.card} says how to use it"
        )
        return
    from gammon_rl.train.export import export_run

    model = export_run(Path(source), file, companion=companion)
    typer.echo(f"{file}: {model.rules.name}, layers {model.info['layers']}, {model.info['games']:,} games")


def torch_is_there() -> bool:
    """Whether what training needs is installed."""
    return bool(find_spec("torch") and find_spec("tensorboard"))


def require_torch() -> None:
    """Say in one line what is missing if it is not."""
    if not torch_is_there():
        raise RunError("this needs torch and tensorboard, the extra 'train': pip install 'gammon-rl[train]'")
