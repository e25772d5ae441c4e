"""The bear-off databases together: what a board is worth once both sides have all their checkers home.

Where both sides have at most 6 checkers the two-sided database has the exact values of best play. Otherwise the chances
are put together from the one-sided distributions, as if each side only wanted to be quick: the arithmetic is exact (to
`one_sided.ERROR`), the choice of plays is not quite, for a player who is behind may do better by a bolder play.

Legend: N boards, R rolls.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.errors import DatabaseFileError, InvalidPositionError
from gammon_rl.exact import one_sided, two_sided
from gammon_rl.exact.files import database_path, read_database, write_database
from gammon_rl.exact.homes import MOST, POINTS, Index, home_count, home_numbers, my_homes, their_homes
from gammon_rl.exact.one_sided import STEPS, Steps
from gammon_rl.exact.two_sided import CENTRE_ND, CHECKERS, CUBELESS, MINE_ND, THEIRS, money_values
from gammon_rl.rules.ids import CubeOwner
from gammon_rl.rules.variants import STANDARD, Boards, Variant

Floats = NDArray[np.float32]
_Told = Callable[[int], None] | None

BUILT_BY: Final = "gammon-rl bearoff --rebuild"
_SMALL: Final = home_count(CHECKERS)  # homes below this number are in the two-sided database
_FULL: Final = home_count(MOST - 1)  # homes from this number on have all 15 checkers


@dataclass(frozen=True, eq=False)
class Bearoff:
    """Both databases of one kind of bear-off, as values of boards.

    Attributes
    ----------
    all_off, first_off : uint16 (54264, R)
        What `one_sided.solve_one_sided` returns.
    pairs : float32 (924, 924, 4)
        What `two_sided.solve_two_sided` returns.
    """

    all_off: Steps
    first_off: Steps
    pairs: Floats

    def knows(self, boards: Boards) -> NDArray[np.bool_]:
        """Return whether all checkers of both sides are home, bool (...), for boards int8 (..., 26).

        A side may also be off altogether: the game is over then, and its result is known.
        """
        return _all_home(boards)

    def knows_cube(self, boards: Boards) -> NDArray[np.bool_]:
        """Return whether besides no side has more than 6 checkers, bool (...): then the cube is known as well."""
        known = _all_home(boards)
        few = boards[known]
        known[known] = (np.maximum(few, 0).sum(axis=-1) <= CHECKERS) & (np.minimum(few, 0).sum(axis=-1) >= -CHECKERS)
        return known

    def race_probs(self, boards: Boards) -> Floats:
        """Return the nested chances of the player on roll, who has not rolled.

        Parameters
        ----------
        boards : int8 (..., 26)
            Boards that are known (`knows`).

        Returns
        -------
        float32 (..., 5)
            Win, win gammon, win backgammon (never), lose gammon, lose backgammon (never).

        Raises
        ------
        InvalidPositionError
            If a board is not known.
        """
        mine, theirs = _numbers(boards, self.knows(boards))
        probs = np.zeros((mine.size, 5), dtype=np.float32)
        small = (mine < _SMALL) & (theirs < _SMALL)
        probs[small, 0] = (1 + self.pairs[mine[small], theirs[small], CUBELESS]) / 2
        if not small.all():
            probs[~small] = self._alone(mine[~small], theirs[~small])
        return probs.reshape(*boards.shape[:-1], 5)

    def _alone(self, mine: Index, theirs: Index) -> Floats:
        """Return the chances float32 (N, 5) of sides that each play as if they were alone."""
        probs = np.zeros((mine.size, 5), dtype=np.float32)
        my_rises, their_done = _rises(self.all_off[mine]), _chances(self.all_off[theirs])
        win = probs[:, 0] = np.minimum(_first(my_rises, _before(their_done)), 1)  # a sum may be a hair above
        full = np.flatnonzero(theirs >= _FULL)
        if full.size:
            saved = _chances(self.first_off[theirs[full]])
            probs[full, 1] = np.minimum(_first(my_rises[full], _before(saved)), win[full])
        full = np.flatnonzero(mine >= _FULL)
        if full.size:
            saved = _chances(self.first_off[mine[full]])
            probs[full, 3] = np.minimum(_first(_rises(self.all_off[theirs[full]]), saved), 1 - win[full])
        return probs

    def money_equities(self, boards: Boards) -> Floats:
        """Return the equities of the player on roll in money play, with the best use of the cube by both.

        Parameters
        ----------
        boards : int8 (..., 26)
            Boards whose cube is known (`knows_cube`), the dice not yet rolled.

        Returns
        -------
        float32 (..., 4)
            Cubeless, and cubeful with a cube that is the mover's, centred, and the opponent's, in units of the cube.
            The mover may double at once. Jacoby and beavers change nothing here (`two_sided`), and the cube has no
            limit.

        Raises
        ------
        InvalidPositionError
            If the cube of a board is not known.
        """
        values = self._values(boards)
        owned, centred = money_values(values)
        return np.stack([values[..., CUBELESS], owned, centred, values[..., THEIRS]], axis=-1)

    def money_cube(self, boards: Boards, owner: CubeOwner) -> tuple[Floats, Floats]:
        """Return the equities of no double and of double and take, float32 (...) each; a pass costs 1.

        Parameters
        ----------
        boards : int8 (..., 26)
            Boards whose cube is known (`knows_cube`).
        owner : "centre", "mine" or "theirs"
            Whose cube it is, from the side of the player on roll. With the opponent's there is no double; the second
            is then what one would be worth all the same.

        Raises
        ------
        InvalidPositionError
            If the cube of a board is not known, or there is no such owner.
        """
        columns: dict[str, int] = {"mine": MINE_ND, "centre": CENTRE_ND, "theirs": THEIRS}
        if owner not in columns:
            raise InvalidPositionError(f"the cube's owner is one of {', '.join(columns)}, got {owner!r}")
        values = self._values(boards)
        no_double: Floats = values[..., columns[owner]]
        return no_double, 2 * values[..., THEIRS]

    def cube_equities(self, boards: Boards, owner: NDArray[np.int64], jacoby: NDArray[np.bool_]) -> Floats:
        """Return the money equity of no double, float32 (N,), for boards int8 (N, 26) whose cube is known.

        `owner`, int (N,), is 1 for a cube of mine, 0 in the centre and -1 for the opponent's. The Jacoby rule makes no
        difference: there are no gammons any more.
        """
        columns = np.array([CENTRE_ND, MINE_ND, THEIRS])  # by owner: 0, 1, -1
        values: Floats = self._values(boards)[np.arange(len(boards)), columns[owner]]
        return values

    def mean_rolls(self, boards: Boards) -> NDArray[np.float64]:
        """Return the mean number of rolls each side needs alone, float64 (..., 2): the player on roll first."""
        numbers = np.stack(_numbers(boards, self.knows(boards)), axis=-1)
        return one_sided.mean_rolls(self.all_off[numbers]).reshape(*boards.shape[:-1], 2)

    def _values(self, boards: Boards) -> Floats:
        mine, theirs = _numbers(boards, self.knows_cube(boards))
        return self.pairs[mine, theirs].reshape(*boards.shape[:-1], 4)


def load_bearoff(rules: Variant = STANDARD, *, build: bool = True) -> Bearoff:
    """Open the databases of a variant; they are shared by all who ask.

    Parameters
    ----------
    rules : Variant
        A variant of 15 checkers. Only forced bear-offs make a difference: standard backgammon, Nackgammon and
        Longgammon have the same databases, Tavla has its own.
    build : bool
        Whether to build what is missing, which takes some 4 CPU-seconds for each of the two files.

    Raises
    ------
    DatabaseFileError
        If a file is missing (and not to be built), damaged, or cannot be written; or if there is no bear-off
        database for the variant.
    """
    one, two = database_files(rules)
    for file in (one, two):
        if build and not file.path.exists():
            file.build()
    return _opened(one.path, two.path, rules)


@dataclass(frozen=True)
class DatabaseFile:
    """One of the files that a bear-off is made of.

    Attributes
    ----------
    kind, version : str, int
        What `read_database` insists on.
    path : Path
        Where it lies. The version is in the name, so that a new one is built beside the old one.
    positions : int
        How many are solved.
    megabytes, seconds : float
        About how large it is, and how long building takes.
    """

    kind: str
    version: int
    path: Path
    positions: int
    megabytes: float
    seconds: float
    solve: Callable[[_Told], Mapping[str, NDArray[Any]]]

    def build(self, told: _Told = None) -> None:
        """Solve and write it; `told` is called now and then with the number of positions done."""
        write_database(self.path, self.kind, self.version, self.solve(told))

    def read(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays, mapped into memory, after a look at the checksum."""
        return read_database(self.path, self.kind, self.version, built_by=BUILT_BY).arrays


def database_files(rules: Variant = STANDARD) -> tuple[DatabaseFile, DatabaseFile]:
    """Return the two files of a variant's bear-off, the one-sided first.

    Raises
    ------
    DatabaseFileError
        If there is no bear-off database for the variant.
    """
    if rules.checkers != MOST:
        raise DatabaseFileError(
            f"no bear-off database for {rules.name}: expected a variant of {MOST} checkers a side, got {rules.checkers}"
        )
    forced = "-forced" if rules.forced_bearoff else ""
    return (
        DatabaseFile(
            kind=one_sided.KIND,
            version=one_sided.VERSION,
            path=database_path(f"bearoff-one-sided{forced}-{one_sided.VERSION}"),
            positions=home_count(MOST),
            megabytes=2.8,
            seconds=4,
            solve=lambda told: one_sided.solve_one_sided(rules, told),
        ),
        DatabaseFile(
            kind=two_sided.KIND,
            version=two_sided.VERSION,
            path=database_path(f"bearoff-two-sided{forced}-{two_sided.VERSION}"),
            positions=(_SMALL - 1) ** 2,
            megabytes=13.7,
            seconds=4,
            solve=lambda told: {"pairs": two_sided.solve_two_sided(rules, told=told)},
        ),
    )


@cache
def _opened(one: Path, two: Path, rules: Variant) -> Bearoff:
    """Open the files at these places, which name the folder: another one has databases of its own."""
    first, second = (file.read() for file in database_files(rules))
    return Bearoff(first["all_off"], first["first_off"], second["pairs"])


def _all_home(boards: Boards) -> NDArray[np.bool_]:
    """Return whether both sides have 15 checkers or fewer, all of them home: bool (...)."""
    flat = boards.reshape(-1, 26)
    known = np.zeros(len(flat), dtype=np.bool_)
    # Nearly every board of a game has a checker between the home boards: look there first.
    near = np.flatnonzero(~flat[:, POINTS + 1 : 25 - POINTS].any(axis=1))
    if not near.size:
        return known.reshape(boards.shape[:-1])
    seen = flat[near]
    mine, theirs = my_homes(seen), their_homes(seen)
    known[near] = (
        (mine >= 0).all(axis=1)
        & (theirs >= 0).all(axis=1)
        & ((seen[:, 0] == 0) & (seen[:, 25] == 0))
        & (mine.sum(axis=1) <= MOST)
        & (theirs.sum(axis=1) <= MOST)
    )
    return known.reshape(boards.shape[:-1])


def _numbers(boards: Boards, known: NDArray[np.bool_]) -> tuple[Index, Index]:
    """Return the numbers of both sides' homes, int64 (N,) each, of boards that have to be known."""
    if not known.all():
        wrong = boards.reshape(-1, 26)[~known.reshape(-1)][0]
        raise InvalidPositionError(f"board {wrong.tolist()} is not in the bear-off database; ask first what it knows")
    flat = boards.reshape(-1, 26)
    return home_numbers(my_homes(flat)), home_numbers(their_homes(flat))


def _chances(stored: Steps) -> Floats:
    """Return the chances to be done after 0, 1, 2, ... rolls, float32 (N, R)."""
    return stored.astype(np.float32) / np.float32(STEPS)


def _rises(stored: Steps) -> Floats:
    """Return the chances to be done with exactly 0, 1, 2, ... rolls, float32 (N, R)."""
    return np.diff(_chances(stored), axis=1, prepend=np.float32(0))


def _before(chances: Floats) -> Floats:
    """Return the chances one roll earlier: the side that rolls second has had one less."""
    return np.concatenate([np.zeros((len(chances), 1), dtype=np.float32), chances[:, :-1]], axis=1)


def _first(rises: Floats, other: Floats) -> Floats:
    """Return the chance that a side is done while the other is not, float32 (N,).

    `rises` are the chances that it is done just then, (N, R), `other` that the other is by then, (N, Q); after their
    last roll both are done.
    """
    rolls = min(rises.shape[1], other.shape[1])
    chance: Floats = np.einsum("nr,nr->n", rises[:, :rolls], 1 - other[:, :rolls])
    return chance
