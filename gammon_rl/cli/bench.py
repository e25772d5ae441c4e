"""``gammon-rl bench``: how fast the engine is on this machine."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

PARTS = ("plays", "eval", "learn")


def bench(
    parts: Annotated[
        list[str] | None, typer.Argument(metavar="[PARTS]...", help=f"Which of {', '.join(PARTS)}.", show_default="all")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each of plays and eval.")] = 5.0,
    learn_seconds: Annotated[float, typer.Option(min=1, help="Seconds for learn.")] = 30.0,
    units: Annotated[int, typer.Option(min=1, max=65_536, help="Hidden units of eval.")] = 128,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the positions.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Time legal plays, evaluation and learning on one core, in CPU seconds; the answers are checked first.

    Machines are shared and noisy: compare ratios of one run, and look at the best and the typical.
    """
    from gammon_rl.bots.bench import Rate, time_evaluation, time_plays

    for part in parts or ():
        if part not in PARTS:
            raise typer.BadParameter(f"{part!r} is not one of {', '.join(PARTS)}", param_hint="PARTS")
    wanted = parts or PARTS
    if "learn" in wanted:
        from gammon_rl.cli.train import require_torch, torch_is_there

        if parts:
            require_torch()
        elif not torch_is_there():
            typer.echo("learn is left out: it needs torch and tensorboard", err=True)
            wanted = [part for part in wanted if part != "learn"]
    typer.echo("Checking answers and timing, a minute or so ...", err=True)
    rates: list[Rate] = []
    if "plays" in wanted:
        rates.append(time_plays(seed=seed, seconds=seconds))
    if "eval" in wanted:
        rates.append(time_evaluation(units, seed=seed, seconds=seconds))
    if "learn" in wanted:
        from gammon_rl.train.bench import time_learning

        rates.append(time_learning(seed=seed, seconds=learn_seconds))
    if as_json:
        typer.echo(json.dumps([asdict(rate) for rate in rates]))
        return
    typer.echo(f"{'a CPU-second, one core':26} {'best':>12} {'typical':>12}")
    for rate in rates:
        typer.echo(f"{rate.name:26} {rate.best:12,.0f} {rate.typical:12,.0f}  {rate.unit}")
