"""A progress display for long work: a live bar in a terminal, a line now and then elsewhere."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

_SECONDS_BETWEEN_LINES = 15.0


class ProgressDisplay:
    """Shows how far something is, how long it will take, and a note, on standard error.

    Parameters
    ----------
    title : str
        What is going on.
    total : int
        Where it ends.
    done : int
        Where it begins, if it was begun before.
    """

    def __init__(self, title: str, total: int, done: int = 0) -> None:
        console = Console(stderr=True)
        self._title, self._total, self._begun = title, total, done
        self._live = console.is_terminal
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(None), MofNCompleteColumn(), TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(), TextColumn("<"), TimeRemainingColumn(),
            console=console, disable=not self._live, transient=True, expand=True,
        )  # fmt: skip
        self._task = self._bar.add_task(title, total=total, completed=done, note="")
        self._started = self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._bar.stop()

    def update(self, done: int, note: str = "", title: str | None = None, total: int | None = None) -> None:
        """Say how far it is; another title begins another stage with a total of its own."""
        now = time.monotonic()
        if title is not None and title != self._title:
            self._title, self._total, self._begun, self._started = title, total or self._total, 0, now
            self._bar.reset(self._task, total=self._total, description=title)
        done = min(done, self._total)
        self._bar.update(self._task, completed=done, note=note)
        if not self._live and now - self._last_line > _SECONDS_BETWEEN_LINES:
            self._last_line = now
            rate = (done - self._begun) / max(now - self._started, 1e-3)
            left = f", {(self._total - done) / rate / 60:.1f} min left" if rate > 0 else ""
            print(f"{self._title}: {done} of {self._total}{left}  {note}", file=sys.stderr, flush=True)
