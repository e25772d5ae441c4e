"""What the workers have done, counted in memory they share, as text for Prometheus.

The memory is mapped before the workers are forked. Each has a row that it alone writes, and its successor goes on with
that row, so nothing is lost when one dies, and any of them can tell for all.
"""

import mmap
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

SECONDS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""The upper bounds of the histogram of answering times; one without a bound follows."""

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class Counts:
    """The counts of all workers.

    Parameters
    ----------
    doors : sequence of str
        The paths that are counted.
    statuses : sequence of int
        The statuses that they answer with.
    workers : int
        How many there are.
    """

    def __init__(self, doors: Sequence[str], statuses: Sequence[int], workers: int = 1) -> None:
        self._doors, self._statuses, self._workers = tuple(doors), tuple(statuses), workers
        self._by_status = {pair: at for at, pair in enumerate((d, s) for d in doors for s in statuses)}
        width = len(SECONDS) + 2  # buckets, one without a bound, the sum
        first = len(self._by_status)
        self._times = {door: first + number * width for number, door in enumerate(doors)}
        self._waiting = first + len(doors) * width
        self._deaths = self._waiting + 1
        self._beats = self._deaths + 1
        self._size = self._beats + 1
        self._cells = memoryview(mmap.mmap(-1, 8 * self._size * workers)).cast("d")
        self._row = 0

    def of_worker(self, number: int) -> None:
        """Count in the row of this worker from now on."""
        self._row = number * self._size
        self._cells[self._row + self._waiting] = 0

    def answered(self, door: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._cells[self._row + self._by_status[door, status]] += 1
        at = self._row + self._times[door]
        self._cells[at + bisect_left(SECONDS, seconds)] += 1
        self._cells[at + len(SECONDS) + 1] += seconds

    def waiting(self, questions: int) -> None:
        """Say how many questions this worker has in its queue."""
        self._cells[self._row + self._waiting] = questions

    def beat(self) -> None:
        """Say that this worker goes on."""
        self._cells[self._row + self._beats] += 1

    def beats(self, number: int) -> float:
        """Return how often a worker has said that it goes on."""
        return self._cells[number * self._size + self._beats]

    def died(self, number: int) -> None:
        """Count that a worker had to be replaced; for the parent alone."""
        self._cells[number * self._size + self._deaths] += 1

    def text(self) -> str:
        """Return all counts in the text format of Prometheus, version 0.0.4."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _head("gammon_rl_requests_total", "counter", "Requests answered.")
        for (door, status), at in self._by_status.items():
            count = self._sum(at)
            if count:
                yield f'gammon_rl_requests_total{{path="{door}",status="{status}"}} {count:.0f}'
        name = "gammon_rl_request_seconds"
        yield from _head(name, "histogram", "Seconds from the head of a request to its answer.")
        for door, at in self._times.items():
            total = 0.0
            for number, bound in enumerate((*map(str, SECONDS), "+Inf")):
                total += self._sum(at + number)
                yield f'{name}_bucket{{path="{door}",le="{bound}"}} {total:.0f}'
            yield f'{name}_sum{{path="{door}"}} {self._sum(at + len(SECONDS) + 1):.6f}'
            yield f'{name}_count{{path="{door}"}} {total:.0f}'
        yield from _head("gammon_rl_waiting", "gauge", "Questions that wait or are worked on.")
        yield f"gammon_rl_waiting {self._sum(self._waiting):.0f}"
        yield from _head("gammon_rl_workers", "gauge", "Workers.")
        yield f"gammon_rl_workers {self._workers}"
        yield from _head("gammon_rl_worker_deaths_total", "counter", "Workers that ended and were replaced.")
        yield f"gammon_rl_worker_deaths_total {self._sum(self._deaths):.0f}"

    def _sum(self, at: int) -> float:
        return sum(self._cells[at :: self._size])


def _head(name: str, kind: str, about: str) -> tuple[str, str]:
    return f"# HELP {name} {about}", f"# TYPE {name} {kind}"
