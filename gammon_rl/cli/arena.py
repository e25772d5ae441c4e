"""``gammon-rl arena``: two players over many games or matches."""

import json
import time
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gammon_rl.cli import flags

if TYPE_CHECKING:
    from gammon_rl.bots.arena import ArenaResult, CubefulResult

PLAYERS = "random, a level such as normal, a model file, or gnubg; @PLY sets how far it looks, as in hard@0 or gnubg@2"


class Doublers(StrEnum):
    """Who may offer a double."""

    BOTH = "both"
    A = "a"
    B = "b"
    NEITHER = "neither"


def arena(
    first: Annotated[str, typer.Argument(metavar="A", help=f"First player: {PLAYERS}.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Second player.")],
    games: Annotated[int, typer.Option(min=1, help="Games or matches to play; they come in pairs.")] = 2000,
    cube: Annotated[bool, typer.Option("--cube", help="Play for money with the doubling cube.")] = False,
    match: Annotated[
        int, typer.Option(min=0, max=25, help="Points a match goes to, with cube and Crawford rule; 0 plays for money.")
    ] = 0,
    jacoby: flags.JacobyFlag = True,
    beavers: flags.BeaversFlag = False,
    doublers: Annotated[Doublers, typer.Option(help="Who ever doubles; the others may take or drop.")] = Doublers.BOTH,
    model: Annotated[str | None, typer.Option(help="Model of the levels.", show_default="the released one")] = None,
    variant: Annotated[str, typer.Option(help="Variant to play.")] = "standard",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the dice and of random players.")] = 1,
    less_luck: Annotated[
        bool,
        typer.Option(
            "--less-luck",
            help="Without a cube: take the luck of the dice out, by the model of the levels: slower, narrower.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Let two players meet on mirrored dice: over cubeless money games, money games with the cube, or matches.

    Each roll sequence is played twice, with seats swapped. Ctrl-C gives the result so far.
    """
    from gammon_rl.bots.arena import meet, meet_cubeful
    from gammon_rl.bots.pairs import Terms
    from gammon_rl.bots.player import player
    from gammon_rl.cli.progress import ProgressDisplay
    from gammon_rl.errors import TableError
    from gammon_rl.eval.model import load_model, released_model
    from gammon_rl.rules.variants import variant as variant_of

    rules = variant_of(variant)
    with_cube = cube or match > 0
    if less_luck and with_cube:
        raise TableError("--less-luck is for cubeless games: without --cube and --match")
    if doublers is not Doublers.BOTH and not with_cube:
        raise TableError(f"--doublers {doublers} is for games with the cube: with --cube or --match")
    terms = Terms(
        match_length=match,
        cube=with_cube,
        doublers=(doublers in (Doublers.BOTH, Doublers.A), doublers in (Doublers.BOTH, Doublers.B)),
        jacoby=jacoby,
        beavers=beavers,
        rules=rules,
    )
    judge = None if not less_luck else load_model(model, rules) if model else released_model(rules)
    path, stakes = model and Path(model), terms.stakes() if with_cube else None
    result: ArenaResult | CubefulResult
    one = player(first, rules, path, seed, stakes)
    try:
        other = player(second, rules, path, seed + 1, stakes)
        try:
            started = time.monotonic()
            with ProgressDisplay(f"{first} - {second}", games) as display:
                if with_cube:
                    result = meet_cubeful(one, other, games, terms, seed=seed, progress=display.update)
                else:
                    result = meet(one, other, games, seed=seed, rules=rules, judge=judge, progress=display.update)
            seconds = time.monotonic() - started
        finally:
            other.close()
    finally:
        one.close()
    if as_json:
        about = {"variant": rules.name, "seed": seed, "seconds": round(seconds, 2)}
        rest = {"jacoby": jacoby, "beavers": beavers, "doublers": str(doublers)} if with_cube else {}
        typer.echo(json.dumps({**result.as_dict(), **rest, **about}))
        return
    for line in _told(result, first, second, f"of {rules.name}", seconds):
        typer.echo(line)


def _told(result: "ArenaResult | CubefulResult", first: str, second: str, of: str, seconds: float) -> Iterator[str]:
    """Yield the lines that tell a person the result."""
    from gammon_rl.bots.arena import ArenaResult

    interval = "too few for an interval" if result.interval is None else "95 % interval ±"
    points = f"{result.points:+.4f} points a game for {first} against {second}"
    if isinstance(result, ArenaResult) or result.matches_won is None:
        yield f"{points}, {interval}{'' if result.interval is None else f'{result.interval:.4f}'}"
    else:
        half = "" if result.interval is None else f"{100 * result.interval:.2f} %"
        share = f"{100 * result.matches_won:.2f} % of {result.matches:,} matches to {result.match_length}"
        yield f"{share} won by {first} against {second}, {interval}{half}"
        yield points
    if isinstance(result, ArenaResult) and result.adjusted is not None:
        known = "" if result.adjusted_interval is None else f", 95 % interval ±{result.adjusted_interval:.4f}"
        yield f"{result.adjusted:+.4f} points a game less the luck of the dice{known}"
    yield f"{result.games:,} games {of}, {result.plies:.1f} plies each, in {seconds:.1f} s"
    names = [Path(name).name[-30:] for name in (first, second)]
    width = max(map(len, names))
    won = (result.wins, result.gammons, result.backgammons)
    lost = (result.losses, result.lost_gammons, result.lost_backgammons)
    yield f"{'':{width}}     wins   gammons  backgammons"
    for name, shares in zip(names, (won, lost), strict=True):
        yield f"{name:{width}} " + "  ".join(f"{100 * share:6.2f} %" for share in shares)
    if not isinstance(result, ArenaResult):
        yield f"{'a game':{width}}  doubles    takes    drops  beavers     the cube at the end {result.mean_cube:.2f}"
        for name, use in zip(names, (result.first_cube, result.second_cube), strict=True):
            counts = (use.doubles, use.takes, use.drops, use.beavers)
            yield f"{name:{width}} " + "".join(f"{count:8.3f} " for count in counts).rstrip()
