"""``gammon-rl external``: a bot as the external player of GNU Backgammon."""

from pathlib import Path
from typing import Annotated

import typer

from gammon_rl.cli import flags


def external(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int | None, typer.Option(min=0, max=65_535, help="TCP port; 0 takes a free one.")] = None,
    path: Annotated[Path | None, typer.Option("--socket", help="Unix domain socket instead of a port.")] = None,
    level: Annotated[
        str, typer.Option(help="Who plays: easy, normal, hard, hard@3 and such, or a model file.")
    ] = "hard",
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Seconds for a decision.", show_default="none")
    ] = None,
    jacoby: flags.JacobyFlag = True,
    beavers: flags.BeaversFlag = False,
    variant: flags.VariantFlag = "standard",
    model: flags.ModelFlag = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of random choices.", show_default="new every time")] = None,
    log: Annotated[Path | None, typer.Option(help="File to add every request and answer to.")] = None,
) -> None:
    """Play for GNU Backgammon, over its external-player protocol, until Ctrl-C.

    There: set player 0 external localhost:PORT. Jacoby and beavers must be as they are set there, since it does not
    say so.
    """
    import contextlib
    import threading

    from gammon_rl.cli.players import Bots
    from gammon_rl.rules.variants import variant as variant_of
    from gammon_rl.serve.external import Conditions, Session, listen, listen_at, serve

    if (port is None) == (path is None):
        raise typer.BadParameter("give either --port or --socket", param_hint="--port")
    bot = Bots(variant_of(variant), model, seed).of(level)
    conditions = Conditions(jacoby=jacoby, beavers=beavers)
    file = log.open("a", encoding="utf-8") if log else None
    one_at_a_time = threading.Lock()

    def note(request: str, answer: str) -> None:
        with one_at_a_time, contextlib.suppress(OSError):  # a full disk must not end a game
            print(f"> {request}\n< {answer}", file=file, flush=True)

    with listen(host, port or 0) if path is None else listen_at(path) as listener:
        try:
            where = str(path) if path else "{}:{}".format(*listener.getsockname()[:2])
            print(f"listening on {where}", flush=True)
            serve(listener, lambda: Session(bot, conditions, time_limit), note if file else None)
        finally:
            if path:
                path.unlink(missing_ok=True)
