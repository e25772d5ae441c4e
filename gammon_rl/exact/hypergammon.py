"""Hypergammon solved: the file of exact values, and an evaluator over it.

With three checkers a side the game has 7,953,353 positions in which both sides have checkers left. The file has a row
for each number of `PositionIndex`: five nested chances under best cubeless play and four cubeful equities, 24 bits
each, and how often the position is met. It is mapped into memory, so only the rows that are asked for are read.
`solver` says how they are found.

A chance is stored as a whole number from 0 to 2**24 - 1, a cubeful equity from -3 to 3 as well. So a chance is off by
6e-8 at most, an equity of either kind by 3e-7, and a play chosen by the file loses less than 1e-6 points against the
best one. What it really loses is looked at for every turn when the file is made, and stands in the file's description.

Legend: N boards, S numbers of positions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.errors import DatabaseFileError, InvalidNotationError
from gammon_rl.exact.files import database_path, read_database, write_database
from gammon_rl.exact.index import MOST, Index, PositionIndex
from gammon_rl.exact.solver import Progress, Solution, forget, nothing, solve, worst_loss
from gammon_rl.rules.board import results
from gammon_rl.rules.variants import HYPERGAMMON, Boards, Variant
from gammon_rl.writing import held

Floats = NDArray[np.float32]

EQUITIES: Final = ("mine", "centre", "centre, Jacoby", "theirs")
"""Where the cube is, in the order of the cubeful equities."""

_VERSION: Final = 1
_STEPS: Final = (1 << 24) - 1
_LIMIT: Final = 3.0  # equities lie between -3 and 3
_BYTES: Final = np.array([1, 1 << 8, 1 << 16], dtype=np.int32)
_BLOCK: Final = 1 << 18  # rows packed at once


@dataclass(frozen=True, eq=False)
class SolvedGame:
    """A solved game: an exact evaluator that knows the cube as well.

    Made by `load_solved`. Boards are of that game; all values are those of the player on roll before the roll.

    Attributes
    ----------
    rules : Variant
        The game.
    about : mapping
        How it was solved: the largest change in the last round and the largest loss of a play chosen by the file.
    index : PositionIndex
        The numbers of its positions.
    all_visits : float32 (S,)
        How often each is met after the opening play in a game of best cubeless plays.
    """

    rules: Variant
    about: Mapping[str, Any]
    index: PositionIndex
    all_visits: Floats
    _chances: NDArray[np.uint8]  # (S, 5, 3)
    _equities: NDArray[np.uint8]  # (S, 4, 3)

    def outcomes(self, boards: Boards) -> Floats:
        """Return the chances of the six outcomes under best cubeless play, float32 (..., 6).

        From lose backgammon to win backgammon, for boards int8 (..., 26); a finished game has its result.

        Raises
        ------
        InvalidPositionError
            If a board has too many checkers for the game.
        """
        win, win_g, win_bg, lose_g, lose_bg = np.moveaxis(self._steps(boards), -1, 0)
        singles = (_STEPS - win - lose_g, win - win_g)
        six = np.stack([lose_bg, lose_g - lose_bg, *singles, win_g - win_bg, win_bg], axis=-1)
        return six.astype(np.float32) / np.float32(_STEPS)

    def probs(self, boards: Boards) -> Floats:
        """Return the nested chances under best cubeless play, float32 (..., 5), for boards int8 (..., 26).

        Win, win gammon or better, win backgammon, lose gammon or worse, lose backgammon.
        """
        return self._steps(boards).astype(np.float32) / np.float32(_STEPS)

    def equity(self, boards: Boards) -> Floats:
        """Return the cubeless equity in points, float32 (...), for boards int8 (..., 26)."""
        return self.equities_of(self.index.numbers(boards))

    def money_equities(self, boards: Boards) -> Floats:
        """Return the cubeful equities of money play, float32 (..., 4), for boards int8 (..., 26).

        They are those of not doubling now, in units of the cube, where it is as `EQUITIES` says: mine, in the centre,
        in the centre under the Jacoby rule, theirs. Doubling is worth 1 if it is passed and twice the last of them if
        it is taken; so the first three, before the cube action, are worth ``max(nd, min(1, 2 theirs))``.
        """
        return _read_equities(self._equities[self.index.numbers(boards)])

    def knows_cube(self, boards: Boards) -> NDArray[np.bool_]:
        """Return whether there is a cube to be known, bool (...): in every game that is not over."""
        known: NDArray[np.bool_] = results(boards, self.rules) == 0
        return known

    def cube_equities(self, boards: Boards, owner: NDArray[np.int64], jacoby: NDArray[np.bool_]) -> Floats:
        """Return the money equity of no double, float32 (N,), for boards int8 (N, 26) of games that are not over.

        `owner`, int (N,), is 1 for a cube of mine, 0 in the centre and -1 for the opponent's; `jacoby`, bool (N,),
        matters in the centre.
        """
        columns = np.where((owner == 0) & jacoby, 2, np.array([1, 0, 3])[owner])  # of `EQUITIES`
        values: Floats = self.money_equities(boards)[np.arange(len(boards)), columns]
        return values

    def visits(self, boards: Boards) -> Floats:
        """Return how often each position is met after the opening play in a game of best plays, float32 (...)."""
        visits: Floats = self.all_visits[self.index.numbers(boards)]
        return visits

    def equities_of(self, numbers: Index) -> Floats:
        """Return the cubeless equities of numbers of positions, float32 (...)."""
        return _cubeless(_read(self._chances[numbers]))

    def _steps(self, boards: Boards) -> NDArray[np.int32]:
        """Return the five chances in steps, int32 (..., 5)."""
        return _read(self._chances[self.index.numbers(boards)])


def few_checkers(checkers: int) -> Variant:
    """Return Hypergammon with one, two or three checkers a side.

    Raises
    ------
    InvalidNotationError
        If it is none of them.

    Examples
    --------
    >>> few_checkers(2).start().tolist()[22:]
    [0, 1, 1, 0]
    """
    if not 1 <= checkers <= MOST:
        raise InvalidNotationError(f"Hypergammon is solved with 1 to {MOST} checkers a side, got {checkers}")
    if checkers == HYPERGAMMON.checkers:
        return HYPERGAMMON
    return replace(HYPERGAMMON, checkers=checkers, layout=HYPERGAMMON.layout[:checkers])


def solved_path(rules: Variant = HYPERGAMMON) -> Path:
    """Return where the file lies by default: ``hypergammon.db`` in the data folder."""
    few = "" if rules.checkers == HYPERGAMMON.checkers else f"-{rules.checkers}"
    return database_path(f"{rules.name}{few}")


def load_solved(rules: Variant = HYPERGAMMON, path: Path | None = None, *, check: bool = False) -> SolvedGame:
    """Open the file of a solved game.

    Parameters
    ----------
    rules : Variant
        Hypergammon, or what `few_checkers` makes of it.
    path : Path, optional
        The file; by default that of `solved_path`.
    check : bool
        Whether to compare the checksum, which reads the whole file.

    Raises
    ------
    DatabaseFileError
        If there is none, or it is damaged or for another game.
    """
    path = path or solved_path(rules)
    database = read_database(path, "solved game", _VERSION, built_by="gammon-rl solve hypergammon", check=check)
    game = {"variant": database.about.get("variant"), "checkers": database.about.get("checkers")}
    if game != {"variant": rules.name, "checkers": rules.checkers}:
        raise DatabaseFileError(f"{path}: of {game}, expected {rules.name} with {rules.checkers} checkers a side")
    index = PositionIndex(rules)
    arrays = database.arrays
    shapes = {"chances": (index.size, 5, 3), "equities": (index.size, 4, 3), "visits": (index.size,)}
    if {name: one.shape for name, one in arrays.items()} != shapes:
        raise DatabaseFileError(f"{path}: its arrays do not have the shapes of {rules.name}")
    return SolvedGame(rules, database.about, index, arrays["visits"], arrays["chances"], arrays["equities"])


def build(
    rules: Variant,
    path: Path,
    *,
    workers: int = 2,
    keep: bool = False,
    fresh: bool = False,
    progress: Progress = nothing,
) -> Mapping[str, Any]:
    """Solve a game and write its file; return what the file says about itself.

    Parameters
    ----------
    rules : Variant
        Hypergammon, or what `few_checkers` makes of it.
    path : Path
        The file to write. Beside it lies a folder of the same name and ``.work`` until all is done; a run that was
        killed goes on from there.
    workers : int
        Processes.
    keep : bool
        Whether to keep that folder.
    fresh : bool
        Whether to begin from nothing, whatever that folder holds.
    progress : callable
        See `solver.Progress`.

    Raises
    ------
    DatabaseFileError
        If something cannot be written, or another process solves the game there.
    """
    if path.exists() and not path.is_file():
        raise DatabaseFileError(f"{path}: is no file, and is not replaced by one")
    folder, lock = (path.with_name(path.name + end) for end in (".work", ".lock"))
    with held(lock) as mine:
        if not mine:
            raise DatabaseFileError(f"{path}: another process is solving there")
        if fresh and folder.exists():
            forget(folder)
        try:
            return _built(rules, path, folder, workers, keep, progress)
        finally:
            lock.unlink(missing_ok=True)


def _built(rules: Variant, path: Path, folder: Path, workers: int, keep: bool, progress: Progress) -> Mapping[str, Any]:
    """Do what `build` says, in this folder."""
    solution = solve(rules, folder, workers=workers, progress=progress)
    chances = _pack_chances(solution)
    arrays: dict[str, NDArray[Any]] = {
        "chances": chances,
        "equities": _pack_equities(solution),
        "visits": solution.visits.astype(np.float32),
    }
    progress("checking every play", 0, 1, "")
    loss = worst_loss(rules, folder, _cubeless_by_number(chances))
    about = {
        "variant": rules.name,
        "checkers": rules.checkers,
        "last_change": solution.last_change,
        "largest_loss": loss.largest,
        "turns": loss.turns,
        "turns_with_a_loss": loss.with_loss,
    }
    write_database(path, "solved game", _VERSION, arrays, about)
    progress("checking every play", 1, 1, "")
    if not keep:
        forget(folder)
    return about


def _read(packed: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return numbers of 24 bits, int32 (...), for bytes (..., 3)."""
    steps: NDArray[np.int32] = packed @ _BYTES
    return steps


def _steps(values: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return numbers from 0 to 1 in steps, int32 (...)."""
    steps: NDArray[np.int32] = np.rint(np.clip(values, 0, 1) * _STEPS).astype(np.int32)
    return steps


def _pack(steps: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return the three bytes of each number, uint8 (..., 3)."""
    return steps.astype("<i4")[..., None].view(np.uint8)[..., :3]


def _cubeless(steps: NDArray[np.int32]) -> Floats:
    """Return the cubeless equities, float32 (...), for chances in steps (..., 5). Each is rounded once."""
    win, win_g, win_bg, lose_g, lose_bg = np.moveaxis(steps, -1, 0)
    points = 2 * win - _STEPS + win_g + win_bg - lose_g - lose_bg
    return np.asarray(points / _STEPS, dtype=np.float32)


def _read_equities(packed: NDArray[np.uint8]) -> Floats:
    equities = _read(packed) * (2 * _LIMIT / _STEPS) - _LIMIT
    return np.asarray(equities, dtype=np.float32)


def _cubeless_by_number(chances: NDArray[np.uint8]) -> Floats:
    equities = np.empty(len(chances), dtype=np.float32)
    for at in range(0, len(chances), _BLOCK):
        equities[at : at + _BLOCK] = _cubeless(_read(chances[at : at + _BLOCK]))
    return equities


def _pack_chances(solution: Solution) -> NDArray[np.uint8]:
    """Return the five chances packed, uint8 (S, 5, 3). The chance to win is what the equity says it is."""
    packed = np.empty((solution.index.size, 5, 3), dtype=np.uint8)
    for at in range(0, solution.index.size, _BLOCK):
        rows = slice(at, at + _BLOCK)
        chances = solution.outcomes[rows]
        signs = np.array([-1.0, -1.0, 1.0, 1.0])  # of what the equity counts beside the wins and losses
        win = _steps((solution.cubeless[rows] + 1 + chances @ signs) / 2)
        win_g, win_bg, lose_g, lose_bg = _steps(chances.T)
        win_g, lose_g = np.minimum(win_g, win), np.minimum(lose_g, _STEPS - win)  # they may be rounded beyond
        win_bg, lose_bg = np.minimum(win_bg, win_g), np.minimum(lose_bg, lose_g)
        packed[rows] = _pack(np.stack([win, win_g, win_bg, lose_g, lose_bg], axis=-1))
    return packed


def _pack_equities(solution: Solution) -> NDArray[np.uint8]:
    """Return the four cubeful equities packed, uint8 (S, 4, 3)."""
    packed = np.empty((solution.index.size, 4, 3), dtype=np.uint8)
    for at in range(0, solution.index.size, _BLOCK):
        rows = slice(at, at + _BLOCK)
        packed[rows] = _pack(_steps((solution.equities[rows] + _LIMIT) / (2 * _LIMIT)))
    return packed
