"""Games with up to three checkers a side solved exactly, by dynamic programming over all their positions.

First every legal play of every position and roll is made once and kept on disk (Hypergammon: 884 million plays). Then
the value of a position is the mean over the rolls of its best play, a play being worth what the position after it is
worth to the opponent, with the other sign. That is repeated until nothing changes. Two things make it quick:

* Positions are gone through by the pips both sides still have to go, the fewest first, and each uses the newest values
  of the others (Gauss and Seidel). Only a hit leads to more pips, so only hits need repeating.
* A *round* looks at all plays once and keeps the best one of each turn, then repeats with those alone some times
  (modified policy iteration). A stage is settled when looking at all plays changes nothing any more.

What is solved, each stage from those before it:

``cubeless``
    Points a game on average, both sides playing for just that.
``outcomes``
    With those plays, the chances of gammons and backgammons, and how often each position is met.
``cube``
    The cubeful equities of the owner of the cube and of the opponent. Before the roll the owner either keeps the cube,
    or doubles, and the opponent passes or goes on as the owner of a cube of two: ``max(nd, min(1, 2 theirs))``.
``centred``, ``jacoby``
    The same with the cube in the centre, where either may double first; with Jacoby a game that ends so counts 1.

There are no beavers, and no limit to the cube. All arithmetic is in float64.

Legend: N positions, T turns (a position with a roll), E plays, S numbers of positions.
"""

import functools
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.errors import DatabaseFileError, RunError
from gammon_rl.exact.files import read_database, write_database
from gammon_rl.exact.index import PositionIndex
from gammon_rl.rules.board import results
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import Variant
from gammon_rl.writing import write_whole

Values = NDArray[np.float64]
Numbers = NDArray[np.integer[Any]]
Progress = Callable[[str, int, int, str], None]
"""Told what is going on, how far it is, where it ends, and a note."""

TOLERANCE: Final = 1e-10
"""A stage is settled when a whole round changes no value by more."""

_VERSION: Final = 1
_LAYOUT: Final = 1  # of the files of a folder
_PART: Final = 125_000  # positions whose plays are made as one piece of work, and lie in one file
_MAKE: Final = 780  # positions whose plays are made at once: a chunk of `legal_plays`
_BLOCK: Final = 4096  # positions valued at once: their plays and values fit the cache
_REPEATS: Final = 40  # times a round repeats with the best plays alone, at most,
_LEAST_GAIN: Final = 0.003
_MOST_GAIN: Final = 0.1  # or until changes are so much less; the first plays are not worth much work
_FINE: Final = 1e-8  # the last change of chances, and the visits a game that are left uncounted
_DECIMALS: Final = 10
_NO_LOSS: Final = 1e-9  # what two plays of the same value may differ by
_OUTCOMES: Final = 4
_OUTCOME_CHANCES: Final = np.kron(ROLL_CHANCES[:, None], np.eye(_OUTCOMES))  # the mean of 21 rows of 4, as a product


@dataclass(frozen=True, eq=False)
class Solution:
    """What is known of every position, by its number (see `PositionIndex`).

    Numbers that stand for no position hold zeros. All of it is seen by the player on roll, before the roll.

    Attributes
    ----------
    index : PositionIndex
        The positions.
    cubeless : float64 (S,)
        Equity without a cube, in points.
    outcomes : float64 (S, 4)
        Chances under the same plays to win a gammon or better, win a backgammon, lose a gammon or worse, lose a
        backgammon.
    equities : float64 (S, 4)
        Cubeful equities of money play without doubling now: with my own cube, a centred one, a centred one under the
        Jacoby rule, and the opponent's. In units of the cube.
    visits : float64 (S,)
        How often a position is met in a game of best cubeless plays, after the opening play.
    last_change : float
        The largest change of an equity in the last round, and so how far any is from the mean of the best plays.
    """

    index: PositionIndex
    cubeless: Values
    outcomes: Values
    equities: Values
    visits: Values
    last_change: float


@dataclass(frozen=True)
class Loss:
    """What plays chosen by other values lose, over every turn there is.

    Attributes
    ----------
    largest : float
        Points lost by the worst play.
    turns, with_loss : int
        All turns, and those with a loss above 1e-9.
    """

    largest: float
    turns: int
    with_loss: int


@dataclass(frozen=True)
class Size:
    """How large a game is, before it is solved.

    Attributes
    ----------
    positions : int
        In which both sides have checkers left.
    work_bytes : int
        Disk space needed while solving, roughly.
    memory_bytes : int
        Memory needed by each process, roughly.
    file_bytes : int
        Size of the file with what is found.
    cpu_seconds : float
        Processor time needed, very roughly.
    """

    positions: int
    work_bytes: int
    memory_bytes: int
    file_bytes: int
    cpu_seconds: float


def size(rules: Variant) -> Size:
    """Return how large a game is. The figures are those of Hypergammon, in proportion to the positions."""
    index = PositionIndex(rules)
    positions = int(np.count_nonzero(index.playable))
    return Size(positions, 600 * positions, 250 * positions, 31 * index.size, 2.5e-4 * positions)


@dataclass(frozen=True)
class _Block:
    """Positions that are valued at once, and their plays."""

    where: slice  # among all positions in order
    positions: NDArray[np.int32]  # (N,)
    plays: NDArray[np.int32]  # (E,) the numbers of the positions played to, in the order of `_by_count`
    counts: NDArray[np.uint8]  # (N * 21,) plays of each turn, at least one: a dance leads to the turned position


@dataclass(frozen=True)
class _Stage:
    """How a stage gets from values of the next positions to those of a position.

    Mean k is that over the rolls of the best plays by table `source[k]`, the value there times `sign`. `settle` makes
    the new values of all tables from the means. A table that is no source is a result only.
    """

    tables: list[Values]  # each (S,) or (S, 4)
    source: tuple[int, ...]
    settle: Callable[[list[Values], NDArray[np.int32]], list[Values]]
    sign: float = -1.0


class _Game:
    """The positions of a game in the order they are valued in, and the files of their plays."""

    def __init__(self, rules: Variant, folder: Path) -> None:
        self.rules = rules
        self.index = PositionIndex(rules)
        self.folder = folder
        positions = self.index.turned(np.flatnonzero(self.index.playable))  # by my layout, then by theirs
        pips = self.index.total_pips[positions]
        by_pips = np.argsort(pips, kind="stable")
        self.order = positions[by_pips].astype(np.int32)
        # Blocks end where the pips rise, so that a play that does not hit always leads to an earlier block.
        steps = np.flatnonzero(np.diff(pips[by_pips])) + 1
        self._cuts = np.union1d(np.concatenate([steps, [0, len(positions)]]), np.arange(0, len(positions), _PART))

    @property
    def parts(self) -> int:
        """How many pieces the plays come in."""
        return -(-len(self.order) // _PART)

    def path(self, part: int) -> Path:
        """Return the file of the plays of one part."""
        return self.folder / f"plays-{part:03}.db"

    def make_plays(self, part: int) -> None:
        """Make all plays of a part of the positions with every roll, and write them to its file."""
        first, last = part * _PART, min((part + 1) * _PART, len(self.order))
        positions = self.order[first:last]
        plays, counts = [], []
        for at in range(0, len(positions), _MAKE):
            numbers = positions[at : at + _MAKE]
            boards = np.repeat(self.index.boards(numbers), len(ROLLS), axis=0)
            parents, afterstates = legal_plays(boards, np.tile(ROLLS, (len(numbers), 1)), self.rules)
            count = np.bincount(parents, minlength=len(boards))
            dances = np.flatnonzero(count == 0)
            turned = self.index.turned(numbers[dances // len(ROLLS)])
            plays.append(np.insert(self.index.numbers(afterstates), np.cumsum(count)[dances], turned).astype(np.int32))
            counts.append(np.maximum(count, 1).astype(np.uint8))
        all_plays, all_counts = np.concatenate(plays), np.concatenate(counts)
        ends = _ends(all_counts)
        for where in self.wheres(first, last):
            turns = _turns(where, first)
            block = slice(ends[turns.start], ends[turns.stop])
            all_plays[block] = _by_count(all_plays[block], all_counts[turns])
        write_database(self.path(part), "plays", _VERSION, {"plays": all_plays, "counts": all_counts})

    def blocks(self) -> Iterator[_Block]:
        """Yield all positions in order."""
        for part in range(self.parts):
            arrays = read_database(self.path(part), "plays", _VERSION, built_by="gammon-rl solve", check=False).arrays
            first, last = part * _PART, min((part + 1) * _PART, len(self.order))
            ends = _ends(arrays["counts"])
            for where in self.wheres(first, last):
                turns = _turns(where, first)
                plays = arrays["plays"][ends[turns.start] : ends[turns.stop]]
                yield _Block(where, self.order[where], plays, arrays["counts"][turns])

    def wheres(self, first: int = 0, last: int | None = None) -> Iterator[slice]:
        """Yield where the blocks are, in order, without their plays; a part has whole blocks."""
        cuts = self._cuts[(self._cuts >= first) & (self._cuts <= (len(self.order) if last is None else last))]
        for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            for at in range(begin, end, _BLOCK):
                yield slice(at, min(at + _BLOCK, end))

    def finished(self) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """Return the numbers of finished games and the points they are won by, for the player on roll."""
        layouts = np.arange(1, self.index.layouts)
        numbers = np.concatenate([layouts, layouts * self.index.layouts])  # theirs all off, mine all off
        return numbers, results(self.index.boards(numbers), self.rules)

    def table(self, of_points: Callable[[NDArray[np.int8]], Values]) -> Values:
        """Return a table of zeros, with the values of finished games by their points."""
        table = np.zeros(self.index.size)
        numbers, points = self.finished()
        table[numbers] = of_points(points)
        return table


def _ends(counts: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return where the plays of each turn begin, and where those of the last one end, int64 (T + 1,)."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _turns(where: slice, first: int = 0) -> slice:
    """Return where the turns of a block are, counted from the position `first`."""
    return slice((where.start - first) * len(ROLLS), (where.stop - first) * len(ROLLS))


def _by_count(plays: NDArray[np.int32], counts: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Put the plays of a block, turn by turn until then, into the order in which they are compared.

    Turns with equally many plays stand together; of those first comes the first play of each, then the second. So the
    best plays of many turns are found by a few operations on long arrays (`_best`).
    """
    order = np.argsort(counts, kind="stable")
    starts = (np.cumsum(counts, dtype=np.int64) - counts)[order]
    parts, turn = [], 0
    for count, turns in enumerate(np.bincount(counts).tolist()):
        parts.append((starts[turn : turn + turns] + np.arange(count)[:, None]).ravel())
        turn += turns
    return plays[np.concatenate(parts)]


def _best(table: NDArray[np.floating[Any]], block: _Block) -> NDArray[np.int32]:
    """Return for each turn of a block the play of the least value, the first of equal ones, int32 (T,)."""
    all_values = np.take(table, block.plays, mode="clip")
    found, begin = [], 0
    for count, turns in enumerate(np.bincount(block.counts).tolist()):
        values = all_values[begin : begin + count * turns].reshape(count, turns)
        first = np.arange(begin, begin + turns)
        if count > 1:
            least = values.min(axis=0)
            before = np.ones(turns, dtype=np.bool_)  # whether the best play is still to come
            skipped = np.zeros(turns, dtype=np.uint8)
            for one in values[:-1]:
                before &= one != least
                skipped += before
            first += skipped.astype(np.int64) * turns
        found.append(first)
        begin += count * turns
    best = np.empty(len(block.counts), dtype=np.int32)
    best[np.argsort(block.counts, kind="stable")] = block.plays[np.concatenate(found)]
    return best


def _mean(table: Values, best: NDArray[np.int32]) -> Values:
    """Return the mean over the rolls of a table's values at the best plays, (N,) or (N, 4) for (N * 21,)."""
    weights = ROLL_CHANCES if table.ndim == 1 else _OUTCOME_CHANCES
    values: Values = np.take(table, best, axis=0, mode="clip").reshape(-1, len(weights)) @ weights
    return values


def _choose(game: _Game, stage: _Stage) -> tuple[list[NDArray[np.int32]], float]:
    """Value every position once by all its plays; return the best plays by each source, and the largest change."""
    sources = sorted(set(stage.source))
    best = {source: np.empty(len(game.order) * len(ROLLS), dtype=np.int32) for source in sources}
    change = 0.0
    for block in game.blocks():
        turns = _turns(block.where)
        for source in sources:
            best[source][turns] = _best(stage.tables[source], block)
        change = max(change, _update(stage, [best[source][turns] for source in stage.source], block.positions))
    return [best[source] for source in stage.source], change


def _repeat(game: _Game, stage: _Stage, best: list[NDArray[np.int32]]) -> float:
    """Value every position once by the plays that were best; return the largest change."""
    change = 0.0
    for where in game.wheres():
        turns = _turns(where)
        change = max(change, _update(stage, [one[turns] for one in best], game.order[where]))
    return change


def _update(stage: _Stage, best: list[NDArray[np.int32]], positions: NDArray[np.int32]) -> float:
    means = [stage.sign * _mean(stage.tables[source], one) for source, one in zip(stage.source, best, strict=True)]
    change = 0.0
    for table, new in zip(stage.tables, stage.settle(means, positions), strict=True):
        change = max(change, float(np.abs(new - table[positions]).max()))
        table[positions] = new
    return change


def _as_they_are(means: list[Values], positions: NDArray[np.int32]) -> list[Values]:
    return means


def _doubled(no_double: Values, theirs: Values) -> Values:
    """Return the equity of a player who may double, from those of not doubling and of the opponent's cube."""
    return np.maximum(no_double, np.minimum(1.0, 2.0 * theirs))


def _of_the_other_side(means: list[Values], positions: NDArray[np.int32]) -> list[Values]:
    return [means[0][:, [2, 3, 0, 1]]]


def _owned_and_theirs(means: list[Values], positions: NDArray[np.int32]) -> list[Values]:
    owned, theirs = means
    return [_doubled(owned, theirs), theirs, owned]


def _points(points: NDArray[np.int8]) -> Values:
    return points.astype(np.float64)


def _signs(points: NDArray[np.int8]) -> Values:
    return np.sign(points).astype(np.float64)


@functools.lru_cache(maxsize=1)
def _game(rules: Variant, folder: Path) -> _Game:
    return _Game(rules, folder)


def _make_plays(rules: Variant, folder: Path, part: int) -> None:
    _game(rules, folder).make_plays(part)


def _values_path(folder: Path, name: str) -> Path:
    return folder / f"values-{name}.db"


def _read_values(folder: Path, name: str) -> tuple[dict[str, Values], float]:
    """Return the values of a stage as far as they are, and the largest change of its last round."""
    path = _values_path(folder, name)
    if not path.exists():
        return {}, np.inf
    database = read_database(path, name, _VERSION, built_by="gammon-rl solve", check=False)
    return dict(database.arrays), float(database.about["change"])


def _stage(game: _Game, name: str) -> _Stage:
    """Return an equity stage with the values it has got to, or those it begins with."""
    known = {key: np.array(table) for key, table in _read_values(game.folder, name)[0].items()}
    start = game.table(_points)
    if name == "cubeless":
        return _Stage([known.get("cubeless", start)], (0,), _as_they_are)
    if name == "cube":
        tables = [known.get(key, start.copy()) for key in _TABLES["cube"]]
        return _Stage(tables, (1, 0), _owned_and_theirs)
    theirs = _read_values(game.folder, "cube")[0]["theirs"]
    start = start if name == "centred" else game.table(_signs)
    tables = [known.get(key, start.copy()) for key in _TABLES[name]]
    return _Stage(tables, (0,), lambda means, at: [_doubled(means[0], theirs[at]), means[0]])


# Values before the cube action, and for a player who may double those of not doubling now as well.
_TABLES: Final = {
    "cubeless": ("cubeless",),
    "cube": ("owned", "theirs", "owned_nd"),
    "centred": ("centred", "centred_nd"),
    "jacoby": ("jacoby", "jacoby_nd"),
}
_EQUITIES: Final = ("owned_nd", "centred_nd", "jacoby_nd", "theirs")


def _round(rules: Variant, folder: Path, name: str) -> float:
    """Do one round of an equity stage and write its values; return the largest change."""
    game = _game(rules, folder)
    stage = _stage(game, name)
    best, change = _choose(game, stage)
    if change > TOLERANCE:
        enough = max(TOLERANCE, change * min(max(change, _LEAST_GAIN), _MOST_GAIN))
        for _ in range(_REPEATS):
            if _repeat(game, stage, best) < enough:
                break
    arrays = dict(zip(_TABLES[name], stage.tables, strict=True))
    write_database(_values_path(folder, name), name, _VERSION, arrays, {"change": change})
    return change


def _outcomes(rules: Variant, folder: Path) -> float:
    """Value gammons and backgammons under the best cubeless plays, and count how often positions are met."""
    game = _game(rules, folder)
    best = _choose(game, _stage(game, "cubeless"))[0][0]
    numbers, points = game.finished()
    table = np.zeros((game.index.size, _OUTCOMES))
    table[numbers] = np.stack([points >= 2, points >= 3, points <= -2, points <= -3], axis=-1)
    stage = _Stage([table], (0,), _of_the_other_side, 1.0)
    while _repeat(game, stage, [best]) > _FINE:
        pass
    arrays = {"outcomes": table, "visits": _visits(game, best)}
    write_database(_values_path(folder, "outcomes"), "outcomes", _VERSION, arrays, {"change": 0.0})
    return 0.0


def _visits(game: _Game, best: NDArray[np.int32]) -> Values:
    """Return how often each position is met after the opening play, (S,), if both sides make those plays."""
    where = np.zeros(game.index.size, dtype=np.int32)
    where[game.order] = np.arange(len(game.order))
    waiting, visits = np.zeros(game.index.size), np.zeros(game.index.size)
    start = int(where[game.index.numbers(game.rules.start())])
    opening = np.flatnonzero(ROLLS[:, 0] != ROLLS[:, 1])
    np.add.at(waiting, best[start * len(ROLLS) + opening], 1 / len(opening))
    over = game.finished()[0]
    wheres = list(game.wheres())[::-1]
    while True:
        waiting[over] = 0
        if waiting.sum() < _FINE:
            return visits
        for at in wheres:
            positions = game.order[at]
            met = waiting[positions]
            some = np.flatnonzero(met)
            if some.size:
                positions, met = positions[some], met[some]
                waiting[positions] = 0
                visits[positions] += met
                turns = (at.start + some)[:, None] * len(ROLLS) + np.arange(len(ROLLS))
                np.add.at(waiting, best[turns].ravel(), np.outer(met, ROLL_CHANCES).ravel())


def _end_with(parent: int) -> None:
    """Have this process end when its parent is gone, killed or not."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class _ThisProcess(Executor):
    """An executor of one process, this one."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def _pool(workers: int) -> Executor:
    if workers == 1:
        return _ThisProcess()
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_end_with, initargs=(os.getpid(),))


def nothing(title: str, done: int, total: int, note: str) -> None:
    """Show no progress."""


def solve(rules: Variant, folder: Path, *, workers: int = 2, progress: Progress = nothing) -> Solution:
    """Solve a game; what a killed run has left in the folder is used.

    Parameters
    ----------
    rules : Variant
        The game, with up to three checkers a side.
    folder : Path
        Where plays and values are kept meanwhile; it can be removed afterwards (`forget`).
    workers : int
        Processes; more than two do not help after the plays are made.
    progress : callable
        See `Progress`.

    Raises
    ------
    InvalidPositionError
        If the game has too many checkers.
    DatabaseFileError
        If the folder cannot be written, or holds something else.
    RunError
        If one of the processes was killed.
    """
    game = _Game(rules, folder)
    _claim(folder, rules)
    with _pool(workers) as pool:
        try:
            _make_all_plays(pool, game, progress)
            for names in (("cubeless", "cube"), ("outcomes", "centred", "jacoby")):
                _settle_all(pool, game, names, progress)
        except BrokenExecutor:
            raise RunError("a process ended before its work was done; the same command goes on from there") from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    values, change = {}, 0.0
    for name in ("cubeless", "outcomes", "cube", "centred", "jacoby"):
        arrays, last = _read_values(folder, name)
        values.update(arrays)
        change = max(change, last)
    return Solution(
        index=game.index,
        cubeless=values["cubeless"],
        outcomes=values["outcomes"],
        equities=np.stack([values[name] for name in _EQUITIES], axis=-1),
        visits=values["visits"],
        last_change=change,
    )


def _claim(folder: Path, rules: Variant) -> None:
    """Say in a folder which game it is for, or refuse one that is for another."""
    sign, said = folder / "game.txt", f"{rules.name} {rules.checkers} {_LAYOUT}\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not any(folder.iterdir()):
            write_whole(sign, said.encode())
        there = sign.read_text(encoding="utf-8") if sign.exists() else "something else"
    except OSError as error:
        raise DatabaseFileError(f"{folder}: cannot be used ({error.strerror or error})") from None
    if there != said:
        raise DatabaseFileError(f"{folder}: holds {there.strip()!r}, expected {said.strip()!r}; it may be removed")


def worst_loss(rules: Variant, folder: Path, equities: NDArray[np.float32]) -> Loss:
    """Return what is lost by choosing plays by other cubeless equities, float32 (S,), in any turn of the game.

    The folder is that of a solved game.
    """
    game = _game(rules, folder)
    exact = _read_values(folder, "cubeless")[0]["cubeless"]
    largest, with_loss = 0.0, 0
    for block in game.blocks():
        loss = exact[_best(equities, block)] - exact[_best(exact, block)]
        largest = max(largest, float(loss.max()))
        with_loss += int(np.count_nonzero(loss > _NO_LOSS))
    return Loss(largest, len(game.order) * len(ROLLS), with_loss)


def forget(folder: Path) -> None:
    """Remove the folder of a finished run."""
    shutil.rmtree(folder)


def _make_all_plays(pool: Executor, game: _Game, progress: Progress) -> None:
    missing = [part for part in range(game.parts) if not game.path(part).exists()]
    waiting = {pool.submit(_make_plays, game.rules, game.folder, part) for part in missing}
    while waiting:
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for one in done:
            one.result()
        progress("making plays", game.parts - len(waiting), game.parts, "")


def _settle_all(pool: Executor, game: _Game, names: tuple[str, ...], progress: Progress) -> None:
    """Do rounds of some stages side by side until all are settled; progress is in decimals that stand."""
    title = "valuing " + ", ".join(names)
    decimals = dict.fromkeys(names, 0)
    running: dict[Future[float], str] = {}

    def go_on(name: str) -> None:
        if _read_values(game.folder, name)[1] <= TOLERANCE:
            decimals[name] = _DECIMALS
        elif name == "outcomes":
            running[pool.submit(_outcomes, game.rules, game.folder)] = name
        else:
            running[pool.submit(_round, game.rules, game.folder, name)] = name

    for name in names:
        go_on(name)
    while running:
        note = "largest change " + ", ".join(f"{name} 1e-{digits}" for name, digits in decimals.items())
        progress(title, sum(decimals.values()), _DECIMALS * len(names), note)
        for one in wait(running, return_when=FIRST_COMPLETED).done:
            name = running.pop(one)
            change = one.result()
            decimals[name] = int(np.clip(-np.log10(max(change, TOLERANCE)), 0, _DECIMALS))
            go_on(name)
    progress(title, _DECIMALS * len(names), _DECIMALS * len(names), "")
