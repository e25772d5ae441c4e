"""``gammon-rl play``: money games against the bot in the terminal."""

import contextlib
import io
import os
import sys
from enum import StrEnum
from typing import Annotated

import typer


class Colour(StrEnum):
    """The colour of the checkers."""

    LIGHT = "light"
    DARK = "dark"


def play(
    level: Annotated[str, typer.Option(help="How well the bot plays: easy, normal or hard.")] = "hard",
    model: Annotated[str | None, typer.Option(help="Model of the bot, by default the released one.")] = None,
    variant: Annotated[str, typer.Option(help="Variant to play.")] = "standard",
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the dice, by default new every time.")] = None,
    colour: Annotated[Colour, typer.Option("--colour", "--color", help="Your checkers.")] = Colour.LIGHT,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Draw with plain characters.")] = False,
    cube: Annotated[bool, typer.Option("--cube/--no-cube", help="Whether there is a doubling cube.")] = True,
    jacoby: Annotated[
        bool, typer.Option(help="Whether gammons count as single games until the cube is turned.")
    ] = True,
) -> int:
    """Play money games against the bot.

    A play is typed as 8/5 6/5, or picked by its number from the list; ? shows all commands. Everything is plain
    ASCII where the terminal cannot show colours and Unicode, or NO_COLOR is set.
    """
    import numpy as np

    from gammon_rl.bots.bot import Bot
    from gammon_rl.cli.draw import PLAIN, UNICODE
    from gammon_rl.cli.session import Session
    from gammon_rl.rules.variants import variant as variant_of

    rules = variant_of(variant)
    for_dice, for_bot = np.random.SeedSequence(seed).spawn(2)  # the bot must not share the dice
    bot = Bot(level, model=model, seed=int(for_bot.generate_state(1)[0]), rules=rules)
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)  # whatever is typed is an answer, and can be shown
    live = sys.stdout.isatty()
    fancy = live and not ascii_only and _can_show("".join(vars(UNICODE).values()))
    if live and sys.stdin.isatty():
        _edit_lines()
    session = Session(
        bot,
        np.random.default_rng(for_dice),
        read=_read,
        write=_write,
        name=level.capitalize(),
        rules=rules,
        cube=cube,
        jacoby=jacoby,
        light=colour == Colour.LIGHT,
        style=UNICODE if fancy else PLAIN,
        live=live,
    )
    return session.run()


def _can_show(characters: str) -> bool:
    """Return whether the terminal shows colours and these characters."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    try:
        characters.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True


def _edit_lines() -> None:
    """Let `input` edit lines and remember them, where that is to be had."""
    with contextlib.suppress(ImportError):
        import readline

        readline.parse_and_bind("set enable-bracketed-paste off")  # it would write escapes to plain terminals


def _read(prompt: str) -> str:
    """Return a line that was typed; one that comes from a file or a pipe is shown, so that a transcript is whole."""
    try:
        line = input(prompt)
    except RuntimeError:  # standard input was closed before we were started
        raise EOFError from None
    if not sys.stdin.isatty():
        _write(f"{line}\n")
    return line


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
