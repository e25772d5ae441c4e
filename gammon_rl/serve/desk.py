"""Where the questions of a worker wait for the threads that compute, so that its event loop never does.

Plays at 0 plies take a millisecond alone and a fraction of that together, so those that come in while a thread is
choosing, and in a moment after it, are chosen together. All else, such as a search, has a few threads that take turns
on the one core, so that a short question does not have to wait for a long one.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

from gammon_rl.bots.bot import Bot
from gammon_rl.bots.clock import Stop
from gammon_rl.errors import GammonError
from gammon_rl.rules.notation import Play
from gammon_rl.rules.position import Position

TOGETHER: Final = 64
"""The most plays that are chosen at once, which takes some 20 ms."""

PAUSE: Final = 0.001
"""Seconds between such plays and the next: the answers go out, and whoever got one and asks again comes along."""

THREADS: Final = 4
"""Threads for everything else."""

_LEAST: Final = 0.001  # seconds a bot is given at least: an answer at 0 plies is always made
_KEPT: Final = 0.25  # seconds of the limit that are kept for what no bot bounds, such as writing the answer; of a short
_SHARE: Final = 0.1  # limit this share

_T = TypeVar("_T")


class BusyError(Exception):
    """The queue is full."""


@dataclass(frozen=True)
class _Wanted:
    """A play that is waited for."""

    bot: Bot
    position: Position
    dice: tuple[int, int]
    answer: "asyncio.Future[Play]"


class Desk:
    """The queue and the threads of one worker. All methods are called from its event loop.

    Parameters
    ----------
    most : int
        How many questions may wait or be worked on.
    tell : callable
        Told how many there are, whenever that changes.
    """

    def __init__(self, most: int, tell: Callable[[int], None] = lambda waiting: None) -> None:
        self._most, self._tell = most, tell
        self._waiting = 0
        self._wanted: list[_Wanted] = []
        self._choosing = False
        self._chooser = ThreadPoolExecutor(1, "choose")
        self._others = ThreadPoolExecutor(THREADS, "answer")

    async def choose(self, bot: Bot, position: Position, dice: tuple[int, int]) -> Play:
        """Return the play of a bot that does not look ahead.

        Raises
        ------
        BusyError
            If the queue is full.
        GammonError
            As `Bot.choose_play`.
        """
        with self._place():
            wanted = _Wanted(bot, position, dice, asyncio.get_running_loop().create_future())
            self._wanted.append(wanted)
            if not self._choosing:
                self._choose_some()
            return await wanted.answer

    async def answer(self, work: Callable[[float, Stop], _T], time_limit: float) -> _T:
        """Return what some work returns that is told the seconds it has left, and by what it is stopped.

        Waiting in the queue counts. If the caller is cancelled, the work is stopped.

        Raises
        ------
        BusyError
            If the queue is full.
        """
        end = time.monotonic() + time_limit - min(_KEPT, _SHARE * time_limit)
        stop = threading.Event()
        with self._place():
            try:
                return await asyncio.get_running_loop().run_in_executor(
                    self._others, lambda: work(max(end - time.monotonic(), _LEAST), stop)
                )
            except asyncio.CancelledError:
                stop.set()
                raise

    def close(self) -> None:
        """Let the threads end when they are done."""
        self._chooser.shutdown(wait=False)
        self._others.shutdown(wait=False, cancel_futures=True)

    @contextmanager
    def _place(self) -> Iterator[None]:
        if self._waiting >= self._most:
            raise BusyError
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, more: int) -> None:
        self._waiting += more
        self._tell(self._waiting)

    def _choose_some(self) -> None:
        some, self._wanted = self._wanted[:TOGETHER], self._wanted[TOGETHER:]
        self._choosing = bool(some)
        if some:
            done = asyncio.get_running_loop().run_in_executor(self._chooser, _chosen, some)
            done.add_done_callback(lambda found: self._hand_out(some, found))

    def _hand_out(self, some: Sequence[_Wanted], found: "asyncio.Future[list[Play | GammonError]]") -> None:
        asyncio.get_running_loop().call_later(PAUSE, self._choose_some)
        fault = found.exception()
        for wanted, made in zip(some, [fault] * len(some) if fault else found.result(), strict=True):
            if wanted.answer.done():  # whoever asked has gone
                continue
            if isinstance(made, BaseException):
                wanted.answer.set_exception(made)
            else:
                wanted.answer.set_result(made)


def _chosen(some: Sequence[_Wanted]) -> list[Play | GammonError]:
    """Return the plays, those of one bot together; for one that is wrong its error."""
    of_bots: dict[int, list[int]] = {}
    for number, wanted in enumerate(some):
        of_bots.setdefault(id(wanted.bot), []).append(number)
    found: dict[int, Play | GammonError] = {}
    for numbers in of_bots.values():
        group = [some[number] for number in numbers]
        try:
            plays: Sequence[Play | GammonError] = group[0].bot.choose_plays(
                [one.position for one in group], [one.dice for one in group]
            )
        except GammonError:
            plays = [_alone(one) for one in group]
        found.update(zip(numbers, plays, strict=True))
    return [found[number] for number in range(len(some))]


def _alone(wanted: _Wanted) -> Play | GammonError:
    try:
        return wanted.bot.choose_play(wanted.position, wanted.dice)
    except GammonError as error:
        return error
