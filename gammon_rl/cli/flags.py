"""The options of a table as flags of the commands that set one up."""

from enum import StrEnum
from typing import Annotated

import typer

from gammon_rl.cli.looks import LOOKS

# As in `gammon_rl.table.options`, which brings NumPy along.
CLOCK_NAMES = ("none", "fast", "30 seconds", "normal", "relaxed", "60 seconds", "12 hours", "24 hours", "72 hours")


class Colour(StrEnum):
    """The colour of the checkers."""

    LIGHT = "light"
    DARK = "dark"
    RANDOM = "random"


class OnRematch(StrEnum):
    """What becomes of the colours."""

    SWAP = "swap"
    KEEP = "keep"


class OnTimeOut(StrEnum):
    """What follows when the time is up."""

    BOT = "bot"
    FORFEIT = "forfeit"


class DiceKind(StrEnum):
    """Where the dice come from."""

    COMPUTER = "computer"
    MANUAL = "manual"


VariantFlag = Annotated[str, typer.Option(metavar="NAME", help="Variant to play.")]
MatchFlag = Annotated[int, typer.Option(metavar="N", min=0, max=25, help="Points a match goes to; 0 plays for points.")]
CubeFlag = Annotated[bool, typer.Option("--cube/--no-cube", help="Whether there is a doubling cube.")]
CrawfordFlag = Annotated[bool, typer.Option(help="In a match: one game without doubling at match point.")]
JacobyFlag = Annotated[bool, typer.Option(help="For points: gammons count only once the cube is turned.")]
BeaversFlag = Annotated[bool, typer.Option(help="For points: a doubled player may redouble at once.")]
AutomaticFlag = Annotated[
    int,
    typer.Option(
        "--automatic-doubles", metavar="N", min=0, help="For points: so many ties in the opening roll double."
    ),
]
ModelFlag = Annotated[
    str | None, typer.Option(metavar="FILE", help="Model of the bots.", show_default="the released one")
]
SeedFlag = Annotated[
    int | None,
    typer.Option("--dice-seed", "--seed", metavar="N", min=0, help="Seed of the dice.", show_default="new every time"),
]
LookFlag = Annotated[str, typer.Option(metavar="NAME", help=f"Look of the board: {', '.join(LOOKS)}.")]
PlainFlag = Annotated[bool, typer.Option("--ascii", help="Draw with plain characters and no colours.")]
ClockFlag = Annotated[str, typer.Option(metavar="NAME", help=f"Time for each move: {', '.join(CLOCK_NAMES)}.")]
