"""``gammon-rl regret``: what an evaluator loses in a solved game, exactly."""

import json
from pathlib import Path
from typing import Annotated

import typer


def regret(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model file or released name.")],
    variant: Annotated[str, typer.Option(help="Variant that is solved.")] = "hypergammon",
    solved: Annotated[
        Path | None, typer.Option(help="File of the solved game.", show_default="where solve puts it")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="Positions to draw instead of looking at all.", show_default="all but the rarest"),
    ] = None,
    left_out: Annotated[
        float, typer.Option(min=0, max=0.5, help="Share of all visits that the rarest, left out, may stand for.")
    ] = 1e-3,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the sample.")] = 0,
    worst: Annotated[int, typer.Option(min=0, help="Mistakes to list, those that cost most.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Measure what a model loses by its plays at 0 plies, against the solved game.

    Every position weighs as much as it is met in a game of best plays.
    """
    from gammon_rl.cli.progress import ProgressDisplay
    from gammon_rl.errors import InvalidNotationError
    from gammon_rl.eval.model import load_model
    from gammon_rl.eval.regret import RegretMeter
    from gammon_rl.exact.hypergammon import load_solved
    from gammon_rl.rules.variants import HYPERGAMMON, variant as variant_of

    rules = variant_of(variant)
    if rules is not HYPERGAMMON:
        raise InvalidNotationError(f"variant {variant!r}: only hypergammon is solved")
    evaluator = load_model(model, rules)
    meter = RegretMeter(load_solved(rules, solved, check=True), sample, left_out=left_out, seed=seed)
    with ProgressDisplay(f"regret of {Path(model).name}", meter.size) as display:
        found = meter(evaluator, worst=worst, progress=display.update)
    if as_json:
        typer.echo(json.dumps({"model": model, "variant": rules.name, **found.as_dict()}))
        return
    interval = f" ± {1000 * found.interval:.3f}" if sample else ""
    turn, decision = 1000 * found.loss, 1000 * found.decision_loss
    typer.echo(f"{turn:.3f}{interval} milli-points lost a turn, {decision:.3f} a decision")
    typer.echo(f"{1000 * found.game_loss:.2f} milli-points lost in a game of best plays")
    typer.echo(f"{100 * found.best:.2f} % of decisions right; error of the equity {found.error:.5f} points")
    typer.echo(f"{found.positions:,} positions, {100 * found.coverage:.3f} % of those met")
    for one in found.worst:
        cost = 1000 * one.loss * one.visits
        typer.echo(f"{one.xgid}  {one.play} for {one.best}: {one.loss:.4f}, {cost:.4f} milli-points a game")
