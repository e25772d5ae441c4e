"""``gammon-rl ubgi``: a bot as an engine of the Universal Backgammon Interface."""

from typing import Annotated

import typer

from gammon_rl.cli import flags


def ubgi(
    level: Annotated[str, typer.Option(help="Level to begin with: easy, normal, hard, hard@3 and such.")] = "hard",
    model: flags.ModelFlag = None,
    variant: flags.VariantFlag = "standard",
    seed: Annotated[int, typer.Option(min=0, help="Of random choices.")] = 1,
) -> None:
    """Be an engine on standard input and output, for programs that speak the Universal Backgammon Interface."""
    import contextlib
    import sys

    from gammon_rl.errors import PlayerUnavailableError
    from gammon_rl.rules.variants import variant as variant_of
    from gammon_rl.serve.ubgi import Engine, talk

    if sys.stdin is None:  # it was closed
        raise PlayerUnavailableError("ubgi reads standard input, which is closed")
    with open(1, "wb", buffering=0, closefd=False) as out:

        def say(line: str) -> None:
            with contextlib.suppress(OSError):  # nobody listens any more, and the input will end as well
                out.write(f"{line}\n".encode())

        talk(Engine(say, level, model, seed, variant_of(variant)), sys.stdin.buffer)
