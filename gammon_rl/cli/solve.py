"""``gammon-rl solve``: exact values of a whole game."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gammon_rl.exact.hypergammon import SolvedGame


def solve(
    variant: Annotated[str, typer.Argument(metavar="VARIANT", help="What to solve: hypergammon.")] = "hypergammon",
    out: Annotated[
        Path | None,
        typer.Option(help="File to write.", show_default="hypergammon.db in $GAMMON_RL_DATA or your cache folder"),
    ] = None,
    checkers: Annotated[int, typer.Option(min=1, max=3, help="Checkers a side; fewer than 3 make small games.")] = 3,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the folder with all plays and unrounded values.")] = False,
    check: Annotated[
        int, typer.Option(min=0, metavar="N", help="Then hold N random positions against their own equation.")
    ] = 0,
    force: Annotated[bool, typer.Option("--force", help="Solve again, from nothing.")] = False,
) -> None:
    """Solve Hypergammon by dynamic programming and write the values of all its positions to a file.

    Bots of level hard play Hypergammon by the file from then on. A run that was stopped goes on where it was.
    """
    from gammon_rl.cli.progress import ProgressDisplay
    from gammon_rl.errors import DatabaseFileError, InvalidNotationError
    from gammon_rl.exact.hypergammon import build, few_checkers, load_solved, solved_path
    from gammon_rl.exact.solver import size
    from gammon_rl.rules.variants import HYPERGAMMON, variant as variant_of

    if variant_of(variant) is not HYPERGAMMON:
        raise InvalidNotationError(f"variant {variant!r}: only hypergammon can be solved")
    rules = few_checkers(checkers)
    path = out or solved_path(rules)
    if path.exists() and not force:
        try:
            game = load_solved(rules, path, check=True)
        except DatabaseFileError as error:
            raise DatabaseFileError(f"{error}; --force writes over it") from None
        typer.echo(f"{path}  was there, checksum right; --force solves it again")
        _check(game, check)
        return
    ahead = size(rules)
    typer.echo(
        f"{ahead.positions:,} positions: about {ahead.cpu_seconds / min(workers, 2) / 60:.1f} minutes on free cores, "
        f"{ahead.memory_bytes / 1e6:.0f} MB of memory a process, {ahead.work_bytes / 1e6:.0f} MB on disk meanwhile, "
        f"and a file of {ahead.file_bytes / 1e6:.0f} MB",
        err=True,
    )
    started = time.monotonic()
    with ProgressDisplay("solving", 1) as display:
        about = build(
            rules, path, workers=workers, keep=keep, fresh=force,
            progress=lambda title, done, total, note: display.update(done, note, title, total),
        )  # fmt: skip
    game = load_solved(rules, path, check=True)
    cpu = sum(os.times()[:4])  # of this process and of the others
    typer.echo(f"{path}  {path.stat().st_size / 1e6:.0f} MB, {time.monotonic() - started:.0f} s, {cpu:.0f} CPU-seconds")
    typer.echo(f"largest change in the last round {about['last_change']:.1e} points")
    typer.echo(
        f"plays chosen by the file lose {about['largest_loss']:.1e} points at most, "
        f"and nothing in all but {about['turns_with_a_loss']:,} of {about['turns']:,} turns"
    )
    _check(game, check)


def _check(game: "SolvedGame", count: int) -> None:
    """Hold random positions against their own equation, and tell how far they are from it."""
    if not count:
        return
    import numpy as np

    from gammon_rl.cli.progress import ProgressDisplay
    from gammon_rl.exact.check import VALUES, random_positions, residuals

    numbers = random_positions(game, count, seed=0)
    with ProgressDisplay("checking positions", len(numbers)) as display:
        missed = np.abs(residuals(game, numbers, display.update))
    largest = ", ".join(f"{name} {value:.1e}" for name, value in zip(VALUES, missed.max(axis=0), strict=True))
    typer.echo(f"{len(numbers):,} positions miss the mean of their best plays by at most: {largest}")
