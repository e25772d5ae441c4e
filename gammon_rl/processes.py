"""Processes that work for this one, and leave a Ctrl-C to it."""

import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Start processes that never hear a Ctrl-C, not even while they begin; this one hears it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # which would clear the mask when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def in_order(
    work: Callable[[Task], Result], tasks: Sequence[Task], processes: int, begin: Callable[..., None], *given: Any
) -> Generator[Result]:
    """Yield the results of tasks in their order from some processes; closing the iterator ends them.

    Parameters
    ----------
    work : callable
        What is done with a task, by its name in its module.
    tasks : sequence
        What to do.
    processes : int
        How many. Their main module has to be one that can be imported.
    begin : callable
        Called once in each process with what is `given`, before its first task.
    """
    context = multiprocessing.get_context("spawn")
    with deaf_to_interrupts():
        pool = context.Pool(min(processes, len(tasks)), begin, given)
    with pool:
        yield from pool.imap(work, tasks)
