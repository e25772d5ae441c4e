"""``gammon-rl serve``: bots and tables over HTTP."""

import os
from pathlib import Path
from typing import Annotated, Final

import typer

from gammon_rl.errors import GammonError, PlayerUnavailableError

TOKEN: Final = "GAMMON_RL_TOKEN"
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen at; 0.0.0.0 is every one of this machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0 takes one that is free.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes that answer, each on one core.")] = 1,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]FILE", help="A model that can be asked by name, beside the released ones; repeatable."
        ),
    ] = None,
    time_limit: Annotated[float, typer.Option(min=0.01, max=3600, help="Seconds a request may take.")] = 5.0,
    queue: Annotated[int, typer.Option(min=1, help="Requests that may wait in a worker; more are sent away.")] = 256,
    max_body: Annotated[int, typer.Option(min=1024, help="Bytes of a request's body.")] = 1 << 18,
    token_file: Annotated[
        Path | None,
        typer.Option(help=f"File with the bearer token that requests need; else the environment's {TOKEN}, if set."),
    ] = None,
) -> None:
    """Serve bots and tables as JSON over HTTP; docs/serving.md has the requests, GET /openapi.json all of it.

    Ctrl-C or SIGTERM ends it when the requests that were begun are answered. A worker that dies is replaced.
    """
    _require_libraries()
    import logging

    from gammon_rl.serve import workers as ws
    from gammon_rl.serve.app import Limits, make_app, new_counts
    from gammon_rl.serve.roster import Roster

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    if workers > 1 and not ws.CAN_FORK:
        raise PlayerUnavailableError("--workers: this system cannot fork processes; start several servers instead")
    token = _token(token_file)
    sock = ws.listen(host, port)
    roster = Roster(model or ())
    roster.warm_up()
    counts = new_counts(workers)
    app = make_app(roster, Limits(time_limit, max_body, queue, token), counts)
    at = f"{f'[{host}]' if ':' in host else host}:{sock.getsockname()[1]}"
    if not token and host not in _LOOPBACK:
        typer.echo(f"anyone who reaches {at} can use this server: there is no token", err=True)

    def ready() -> None:
        typer.echo(f"http://{at} with {workers} worker{'s' * (workers > 1)}; Ctrl-C ends it")

    if ws.CAN_FORK:
        ws.Workers(app, sock, counts, workers, time_limit).run(ready)
    else:
        ws.answer(ws.server_config(app, time_limit), sock, counts, ready)


def _require_libraries() -> None:
    from importlib.util import find_spec

    missing = [name for name in ("pydantic", "starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise PlayerUnavailableError(f"serve needs {', '.join(missing)}: pip install 'gammon-rl[serve]'")


def _token(file: Path | None) -> str:
    """Return the token of a file, or of the environment; empty if neither is given.

    Raises
    ------
    GammonError
        If what is given is no token: a slip must not open a server, or close it to everybody.
    """
    if file is None and TOKEN not in os.environ:
        return ""
    where = str(file) if file else TOKEN
    try:
        token = (file.read_text(encoding="utf-8-sig") if file else os.environ[TOKEN]).strip()
    except UnicodeDecodeError:
        raise GammonError(f"{where}: expected a token in UTF-8") from None
    if not token or not all("!" <= letter <= "~" for letter in token):
        raise GammonError(f"{where}: expected a token of visible ASCII letters on one line, got {len(token)} others")
    return token
