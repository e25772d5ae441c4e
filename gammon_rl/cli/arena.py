"""``gammon-rl arena``: two players over many games."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer

PLAYERS = "random, easy, normal, hard, a model file, or gnubg; @PLY sets how far it looks, as in hard@0 or gnubg@2"


def arena(
    first: Annotated[str, typer.Argument(metavar="A", help=f"First player: {PLAYERS}.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Second player.")],
    games: Annotated[int, typer.Option(min=1, help="Games to play; they come in pairs.")] = 2000,
    model: Annotated[str | None, typer.Option(help="Model of the levels.", show_default="the released one")] = None,
    variant: Annotated[str, typer.Option(help="Variant to play.")] = "standard",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the dice and of random players.")] = 1,
    less_luck: Annotated[
        bool,
        typer.Option(
            "--less-luck", help="Take the luck of the dice out, by the model of the levels: slower, narrower."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Let two players meet over cubeless money games on mirrored dice.

    Each roll sequence is played twice, once with either player moving first. Ctrl-C gives the result so far.
    """
    from gammon_rl.bots.arena import ArenaResult, meet
    from gammon_rl.bots.player import player
    from gammon_rl.cli.progress import ProgressDisplay
    from gammon_rl.eval.model import load_model, released_model
    from gammon_rl.rules.variants import variant as variant_of

    rules = variant_of(variant)
    judge = None if not less_luck else load_model(model, rules) if model else released_model(rules)
    one = player(first, rules, model=model and Path(model), seed=seed)
    try:
        other = player(second, rules, model=model and Path(model), seed=seed + 1)
        try:
            started = time.monotonic()
            with ProgressDisplay(f"{first} - {second}", games) as display:
                result: ArenaResult = meet(
                    one, other, games, seed=seed, rules=rules, judge=judge, progress=display.update
                )
            seconds = time.monotonic() - started
        finally:
            other.close()
    finally:
        one.close()
    if as_json:
        about = {**result.as_dict(), "variant": rules.name, "seed": seed, "seconds": round(seconds, 2)}
        typer.echo(json.dumps(about))
        return
    interval = "too few for an interval" if result.interval is None else f"95 % interval ±{result.interval:.4f}"
    typer.echo(f"{result.points:+.4f} points a game for {first} against {second}, {interval}")
    if result.adjusted is not None:
        known = "" if result.adjusted_interval is None else f", 95 % interval ±{result.adjusted_interval:.4f}"
        typer.echo(f"{result.adjusted:+.4f} points a game less the luck of the dice{known}")
    typer.echo(f"{result.games:,} games of {rules.name}, {result.plies:.1f} plies each, in {seconds:.1f} s")
    names = [Path(name).name[-30:] for name in (first, second)]
    width = max(map(len, names))
    typer.echo(f"{'':{width}}     wins   gammons  backgammons")
    for name, shares in (
        (names[0], (result.wins, result.gammons, result.backgammons)),
        (names[1], (result.losses, result.lost_gammons, result.lost_backgammons)),
    ):
        typer.echo(f"{name:{width}} " + "  ".join(f"{100 * share:6.2f} %" for share in shares))
