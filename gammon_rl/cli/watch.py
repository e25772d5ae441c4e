"""``gammon-rl watch``: two bots play, and a person looks on."""

import sys
import time
from pathlib import Path
from typing import Annotated, Final

import typer

from gammon_rl.cli import flags
from gammon_rl.errors import TableError

_SLOWEST: Final = 3600


def watch(
    first: Annotated[str, typer.Argument(help="A level (easy, normal, hard, hard@2) or a model file.")] = "normal",
    second: Annotated[str, typer.Argument(help="The other one.")] = "hard",
    match: flags.MatchFlag = 0,
    variant: flags.VariantFlag = "standard",
    cube: flags.CubeFlag = True,
    crawford: flags.CrawfordFlag = True,
    jacoby: flags.JacobyFlag = True,
    beavers: flags.BeaversFlag = False,
    automatic_doubles: flags.AutomaticFlag = 0,
    dice_seed: flags.SeedFlag = None,
    pace: Annotated[
        float | None,
        typer.Option(metavar="S", help="Seconds between two actions.", show_default="1 on a terminal, else 0"),
    ] = None,
    model: flags.ModelFlag = None,
    look: flags.LookFlag = "walnut",
    plain: flags.PlainFlag = False,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it in the end: .json, or .mat.")
    ] = None,
) -> int:
    """Watch two bots play a single game, or a match. Ctrl-C ends it."""
    from gammon_rl.cli import saving
    from gammon_rl.cli.looks import look as look_of
    from gammon_rl.cli.players import Bots
    from gammon_rl.cli.show import Show
    from gammon_rl.cli.terminal import Terminal
    from gammon_rl.table.options import Seat, TableOptions, clean_name
    from gammon_rl.table.table import Table

    look_of(look)
    if pace is not None and not 0 <= pace <= _SLOWEST:
        raise TableError(f"--pace: expected seconds from 0 to {_SLOWEST}, got {pace}")
    if save is not None:
        save = saving.place(str(save))
        if save.exists():
            raise TableError(f"{save} exists: name another file")
    options = TableOptions(
        variant=variant,
        match_length=match,
        cube=cube,
        crawford=crawford,
        jacoby=jacoby,
        beavers=beavers,
        automatic_doubles=automatic_doubles,
    )
    names = [clean_name(Path(one).stem.capitalize(), "Bot") for one in (first, second)]
    if names[0] == names[1]:
        names = [f"{name[:-2] if len(name) > 38 else name} {number}" for number, name in enumerate(names, start=1)]
    seats = [Seat(name, bot=level) for name, level in zip(names, (first, second), strict=True)]
    table = Table(options, seats, dice_seed)
    bots = Bots(options.rules, model, dice_seed)
    for seat in seats:
        bots.of(seat.bot)
    screen = Terminal(plain)
    wait = pace if pace is not None else 1.0 if sys.stdout.isatty() else 0.0
    show = Show(table, bots, screen, look.casefold(), lambda: time.sleep(wait))
    code = 0
    try:
        show.run()
    except KeyboardInterrupt:
        screen.write("\n")
        code = 130
    if save is not None:
        saving.export(save, table)
        screen.write(f"Written: {save}.\n")
    return code
