"""Players that meet in the arena: what they share, and how one is named on the command line.

Legend: N boards.
"""

from dataclasses import replace
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.cubeful import cube_ahead, worth_on_roll
from gammon_rl.bots.gnubg import GnubgPlayer
from gammon_rl.bots.levels import HARD, LEVELS, Level, easy_takes
from gammon_rl.bots.search import best_plays, chosen, outcomes_ahead
from gammon_rl.errors import InvalidNotationError
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.exactly import to_the_end
from gammon_rl.eval.model import is_model, load_model, released_model
from gammon_rl.eval.network import POINTS
from gammon_rl.eval.strongest import companion, strongest
from gammon_rl.rules.board import pip_counts
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import STANDARD, Boards, Variant
from gammon_rl.stakes.cube import CubeEquities
from gammon_rl.stakes.worth import Bools, Stakes


class Player(Protocol):
    """Someone who plays many cubeless money games at once."""

    @property
    def name(self) -> str:
        """What to call it."""
        ...

    def choose(self, boards: Boards, dice: NDArray[np.int64]) -> Boards:
        """Return the afterstate of each chosen play, int8 (N, 26), for boards (N, 26) and rolls (N, 2).

        A dance is the turned board.
        """
        ...

    def close(self) -> None:
        """Give back what it holds, such as another process."""
        ...


@runtime_checkable
class CubePlayer(Player, Protocol):
    """A player who knows the cube and the score, for games and matches with doubling.

    Stakes are those of each board, with arrays (N,), as the player on roll sees them.
    """

    def choose(self, boards: Boards, dice: NDArray[np.int64], stakes: Stakes | None = None) -> Boards:
        """Return the afterstates, as `Player` does; without stakes it is cubeless money play."""
        ...

    def doubles(self, boards: Boards, stakes: Stakes) -> Bools:
        """Return whether the player doubles before rolling, bool (N,), on boards (N, 26) where that is allowed."""
        ...

    def answers(self, boards: Boards, stakes: Stakes) -> tuple[Bools, Bools]:
        """Return whether the player takes, and whether they beaver, when the opponent doubles, each bool (N,).

        A beaver is a take as well, and just that where none is allowed. Boards and stakes are as the opponent sees
        them, who is on roll, with the cube as it was before the double.
        """
        ...


class RandomPlayer:
    """Plays any legal play, all alike; never doubles, and takes unless it is more than a fifth behind in pips."""

    name = "random"

    def __init__(self, rules: Variant, seed: int | None = None) -> None:
        self.rules = rules
        self._rng = np.random.default_rng(seed)

    def choose(self, boards: Boards, dice: NDArray[np.int64], stakes: Stakes | None = None) -> Boards:
        """Choose; see `CubePlayer`."""
        parents, afterstates = legal_plays(boards, dice, self.rules)
        return chosen(boards, parents, afterstates, self._rng.random(len(parents), dtype=np.float32))

    def doubles(self, boards: Boards, stakes: Stakes) -> Bools:
        """Never double; see `CubePlayer`."""
        return np.zeros(len(boards), dtype=np.bool_)

    def answers(self, boards: Boards, stakes: Stakes) -> tuple[Bools, Bools]:
        """Answer a double; see `CubePlayer`."""
        pips = pip_counts(boards)
        return easy_takes(pips[:, 0], pips[:, 1]), np.zeros(len(boards), dtype=np.bool_)

    def close(self) -> None:
        """Hold nothing."""


class SearchPlayer:
    """Plays by an evaluator, looking ahead from its best candidates.

    Parameters
    ----------
    evaluator : Evaluator
        What it believes.
    level : Level
        How far it looks and how many candidates it looks from.
    name : str
        What to call it.
    seed : int, optional
        Of the errors of a level that errs.
    quick : Evaluator, optional
        A faster one, which leaves only the best few replies inside the search for the other to look at.
    """

    def __init__(
        self, evaluator: Evaluator, level: Level, name: str, seed: int | None = None, quick: Evaluator | None = None
    ) -> None:
        self._rng = np.random.default_rng(seed)
        self.evaluator, self._quick = evaluator, quick
        self.level = level
        self._name = name

    @property
    def name(self) -> str:
        """What to call it."""
        return self._name

    def choose(self, boards: Boards, dice: NDArray[np.int64], stakes: Stakes | None = None) -> Boards:
        """Choose, with stakes by cubeful equity; see `CubePlayer`."""
        if self.level.ply == 0 and not self.level.noise and stakes is None:
            return best_plays(self.evaluator, boards, dice)
        parents, afterstates = legal_plays(boards, dice, self.evaluator.rules)
        equity = self._equity(parents, afterstates, stakes, 0)
        for ply in range(1, self.level.ply + 1):
            keep = self.level.candidates_of(parents, equity, ply - 1)
            parents, afterstates, equity = parents[keep], afterstates[keep], equity[keep]
            counts = np.bincount(parents, minlength=len(boards))
            doubtful = np.flatnonzero(counts[parents] > 1)  # a single candidate needs no second look
            equity[doubtful] = self._equity(parents[doubtful], afterstates[doubtful], stakes, ply)
        return chosen(boards, parents, afterstates, equity + self._error(len(equity)))

    def _error(self, count: int) -> NDArray[np.float32]:
        """Return what the level misjudges equities by, float32 (count,)."""
        if not self.level.noise:
            return np.zeros(count, dtype=np.float32)
        return self._rng.normal(0, self.level.noise, count).astype(np.float32)

    def _equity(
        self, parents: NDArray[np.int64], afterstates: Boards, stakes: Stakes | None, plies: int
    ) -> NDArray[np.float32]:
        """Return the equity of afterstates for the player on roll there, float32 (M,), in units of the cube."""
        if stakes is None:
            return outcomes_ahead(self.evaluator, afterstates, plies, self._quick) @ POINTS
        theirs = stakes.rows(parents).turned()
        worth = worth_on_roll(self.evaluator, afterstates, theirs, plies, self._quick)
        return theirs.equity(worth).astype(np.float32)

    def doubles(self, boards: Boards, stakes: Stakes) -> Bools:
        """Double by the cube decision at the level's depth; see `CubePlayer`."""
        return self._cube(boards, stakes).double

    def answers(self, boards: Boards, stakes: Stakes) -> tuple[Bools, Bools]:
        """Answer by the cube decision at the level's depth; see `CubePlayer`."""
        cube = self._cube(boards, stakes)
        return cube.take, cube.beaver

    def _cube(self, boards: Boards, stakes: Stakes) -> CubeEquities:
        cube = cube_ahead(self.evaluator, boards, stakes, self.level.ply, self._quick)
        if not self.level.noise:
            return cube
        error = self._error(len(boards))  # of both answers, as they are to the same cube
        return replace(
            cube, nd=cube.nd + self._error(len(boards)), taken=cube.taken + error, beavered=cube.beavered + error
        )

    def close(self) -> None:
        """Hold nothing."""


def player(
    text: str,
    rules: Variant = STANDARD,
    model: str | Path | None = None,
    seed: int | None = None,
    stakes: Stakes | None = None,
) -> CubePlayer:
    """Return the player that a text names.

    Parameters
    ----------
    text : str
        ``random``, a level (``easy``, ``normal``, ``hard``), a model file or the name of a released model, or
        ``gnubg``; each of the last three may be followed by ``@`` and a number of plies. A level plays as `Bot`
        does, by the bear-off databases where they are at hand; a model plays by itself.
    rules : Variant
        The variant to play.
    model : str or Path, optional
        The model of the levels; the released one of the variant by default, as for `Bot`.
    seed : int, optional
        For the random player, and the levels that err.
    stakes : Stakes, optional
        Those at the start, if the player is to know the cube: GNU Backgammon has to be told before.

    Raises
    ------
    InvalidNotationError
        If the plies are not a number from 0 to 3, or the player cannot be given any.
    ModelFileError
        If it names no usable model file.
    PlayerUnavailableError
        If it is not installed here.
    """
    base, at, plies = text.rpartition("@")
    if not at or Path(text).is_file():
        base, at, plies = text, "", ""
    if at and plies not in ("0", "1", "2", "3"):
        raise InvalidNotationError(f"player {text!r}: plies after @ are 0, 1, 2 or 3, got {plies!r}")
    ply = int(plies) if at else None
    if base.lower() in ("random", "easy"):
        if ply is not None:
            raise InvalidNotationError(f"player {text!r}: {base} does not look ahead, drop @{plies}")
        return RandomPlayer(rules, seed)
    if base.lower() == "gnubg":
        if rules is not STANDARD:
            raise InvalidNotationError(f"player {text!r}: GNU Backgammon meets us at standard only, not {rules.name}")
        return GnubgPlayer(ply or 0, stakes=stakes)
    level = LEVELS.get(base.lower())
    evaluator: Evaluator
    quick = None
    if level and model:
        evaluator = to_the_end(load_model(model, rules))
    elif level:
        best = strongest(rules) if level is HARD else released_model(rules)
        evaluator, quick = to_the_end(best), companion(best)
    elif is_model(base):
        evaluator = load_model(base, rules)
    else:
        raise InvalidNotationError(
            f"player {text!r}: neither a model file nor one of random, {', '.join(LEVELS)}, gnubg"
        )
    level = level or LEVELS["normal"]
    return SearchPlayer(evaluator, level if ply is None else level.at(ply), text, seed, quick)
