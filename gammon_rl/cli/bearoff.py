"""``gammon-rl bearoff``: build and check the bear-off databases."""

import time
from typing import Annotated

import typer


def bearoff(
    variant: Annotated[str, typer.Option(help="Variant; only Tavla's bear-off differs.")] = "standard",
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build files that are there already, too.")] = False,
) -> None:
    """Build the bear-off databases that are missing, and check those that are there.

    They lie in $GAMMON_RL_DATA, or else in gammon-rl in your cache folder.
    """
    from gammon_rl.cli.progress import ProgressDisplay
    from gammon_rl.exact.bearoff import database_files
    from gammon_rl.rules.variants import variant as variant_of

    for file in database_files(variant_of(variant)):
        if rebuild or not file.path.exists():
            typer.echo(f"Building {file.kind}: {file.megabytes} MB, about {file.seconds} seconds ...", err=True)
            started = time.process_time()
            with ProgressDisplay(file.kind, file.positions) as progress:
                file.build(progress.update)
            took = f"built in {time.process_time() - started:.1f} CPU-seconds"
        else:
            took = "was there"
        file.read()
        typer.echo(f"{file.path}  {file.path.stat().st_size / 1e6:.1f} MB, {took}, checksum right")
