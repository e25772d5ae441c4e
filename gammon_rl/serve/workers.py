"""The processes of a server: one that listens and looks after the others, and workers that answer.

Everything is loaded before the workers are forked, so that they share it, and one that has died is replaced within a
moment. They all accept from one socket: what a dead one had not yet accepted goes to the others. Each says all the time
that it goes on; one that has not for longer than a request may take hangs, and is killed.
"""

import gc
import logging
import math
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, NoReturn

import uvicorn
from starlette.types import ASGIApp

from gammon_rl.serve.counts import Counts

CAN_FORK: Final = hasattr(os, "fork")

_SIGNALS: Final = ("SIGINT", "SIGTERM")
_GRACE: Final = 5.0  # seconds that a worker has to end, or to say that it goes on, beyond those of its requests
_LOOK: Final = 0.5  # seconds between two looks at the workers
_SHORT: Final = 1.0  # seconds: a worker that lives less is not replaced at once, so that nothing spins

_log = logging.getLogger(__name__)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes any that is free.

    Raises
    ------
    OSError
        If the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise OSError(f"cannot listen at {host} port {port}: {error.strerror}") from None


def answer(
    config: uvicorn.Config, sock: socket.socket, counts: Counts, ready: Callable[[], None] = lambda: None
) -> None:
    """Answer in this process until it is told to end, by Ctrl-C or SIGTERM; what was begun is finished first.

    `ready` is called as soon as it may be told.
    """
    server = _Server(config, counts)
    for name in _SIGNALS:
        # The server has its own handlers while it runs, and raises the signal again after it.
        signal.signal(getattr(signal, name), server.handle_exit)
    ready()
    server.run(sockets=[sock])


class _Server(uvicorn.Server):
    """A server that says in the counts that it goes on."""

    def __init__(self, config: uvicorn.Config, counts: Counts) -> None:
        super().__init__(config)
        self._counts = counts

    async def on_tick(self, counter: int) -> bool:
        """Say so; it is called ten times a second."""
        self._counts.beat()
        return await super().on_tick(counter)


def server_config(app: ASGIApp, seconds: float) -> uvicorn.Config:
    """Return the settings of a server whose requests take so many seconds at most, with everything loaded."""
    config = uvicorn.Config(
        app,
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=math.ceil(seconds) + 1,
    )
    config.load()
    return config


class Workers:
    """Workers that are replaced when they die or hang, where processes can be forked.

    Parameters
    ----------
    app : ASGI application
        What answers.
    sock : socket
        Where they listen.
    counts : Counts
        Those of the application, with a row for each.
    number : int
        How many.
    seconds : float
        How long a request may take.
    """

    def __init__(self, app: ASGIApp, sock: socket.socket, counts: Counts, number: int, seconds: float) -> None:
        self._config, self._sock = server_config(app, seconds), sock
        self._counts, self._number, self._seconds = counts, number, seconds
        self._alive: dict[int, tuple[int, float]] = {}  # by process: the row, and since when
        # By process: its beats when last looked at, and how often they were so.
        self._silent: dict[int, tuple[float, int]] = {}
        self._until: float | None = None  # when those are killed that have not ended, once they are told to
        self._lifeline, self._held = os.pipe()  # the end that is held closes with this process, however it ends

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serve until this process is told to end, by Ctrl-C or SIGTERM; what was begun is finished first.

        `ready` is called as soon as it may be told and there are workers.
        """
        gc.collect()
        gc.freeze()  # what is shared stays shared: nobody counts in its headers
        for name in _SIGNALS:
            signal.signal(getattr(signal, name), self._end)
        signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, _LOOK, _LOOK)
        for row in range(self._number):
            self._start(row)
        ready()
        while self._alive:
            pid, status = os.waitpid(-1, 0)
            row, since = self._alive.pop(pid, (-1, 0.0))
            self._silent.pop(pid, None)
            if row < 0 or self._until is not None:
                continue
            _log.warning("worker %d ended (%s) and is replaced", pid, _how(status))
            self._counts.died(row)
            if time.monotonic() - since < _SHORT:
                time.sleep(_SHORT)
            self._start(row)
        signal.setitimer(signal.ITIMER_REAL, 0)  # while Python ends, nothing answers it, and it would kill

    def _start(self, row: int) -> None:
        signals = [getattr(signal, name) for name in (*_SIGNALS, "SIGALRM")]
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # none comes between a fork and knowing of it
        if self._until is None:
            pid = os.fork()
            if not pid:
                self._work(row, signals)
            self._alive[pid] = row, time.monotonic()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)

    def _work(self, row: int, signals: Sequence[signal.Signals]) -> NoReturn:
        """Be a worker."""
        code = 1
        try:
            os.close(self._held)
            for number in signals:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
            threading.Thread(target=self._end_with_parent, daemon=True).start()
            self._counts.of_worker(row)
            answer(self._config, self._sock, self._counts)
            code = 0
        except BaseException:
            _log.exception("a worker failed")
        finally:
            os._exit(code)  # what else there is belongs to the parent

    def _end_with_parent(self) -> None:
        os.read(self._lifeline, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    def _end(self, number: int, frame: Any) -> None:
        if self._until is None:
            self._until = time.monotonic() + self._seconds + _GRACE
        self._tell(signal.SIGTERM, self._alive)

    def _look(self, number: int, frame: Any) -> None:
        """Kill those that hang; looks are counted, not seconds, as all may have been stopped together."""
        if self._until is not None:
            if time.monotonic() > self._until:
                self._tell(signal.SIGKILL, self._alive)
            return
        for pid, (row, _) in self._alive.items():
            beats, (before, looks) = self._counts.beats(row), self._silent.get(pid, (-1.0, 0))
            self._silent[pid] = beats, looks + 1 if beats == before else 0
        hanging = [pid for pid, (_, looks) in self._silent.items() if looks * _LOOK > self._seconds + _GRACE]
        for pid in hanging:
            _log.warning("worker %d hangs", pid)
        self._tell(signal.SIGKILL, hanging)

    def _tell(self, what: signal.Signals, workers: Iterable[int]) -> None:
        for pid in workers:
            with suppress(ProcessLookupError):  # it has ended, and is about to be known
                os.kill(pid, what)


def _how(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code}" if code >= 0 else f"signal {-code}"
