"""Players that meet in the arena: what they share, and how one is named on the command line."""

from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.gnubg import GnubgPlayer
from gammon_rl.bots.levels import HARD, LEVELS, Level
from gammon_rl.bots.search import best_plays, chosen, outcomes_ahead
from gammon_rl.errors import InvalidNotationError
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.model import is_model, load_model, released_model
from gammon_rl.eval.network import POINTS
from gammon_rl.eval.strongest import strongest
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import STANDARD, Boards, Variant


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


class RandomPlayer:
    """Plays any legal play, all alike."""

    name = "random"

    def __init__(self, rules: Variant, seed: int | None = None) -> None:
        self.rules = rules
        self._rng = np.random.default_rng(seed)

    def choose(self, boards: Boards, dice: NDArray[np.int64]) -> Boards:
        """Choose; see `Player`."""
        parents, afterstates = legal_plays(boards, dice, self.rules)
        return chosen(boards, parents, afterstates, self._rng.random(len(parents), dtype=np.float32))

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
    """

    def __init__(self, evaluator: Evaluator, level: Level, name: str) -> None:
        self.evaluator = evaluator
        self.level = level
        self._name = name

    @property
    def name(self) -> str:
        """What to call it."""
        return self._name

    def choose(self, boards: Boards, dice: NDArray[np.int64]) -> Boards:
        """Choose; see `Player`."""
        if self.level.ply == 0:
            return best_plays(self.evaluator, boards, dice)
        parents, afterstates = legal_plays(boards, dice, self.evaluator.rules)
        equity = self.evaluator.outcomes(afterstates) @ POINTS
        keep = self.level.candidates_of(parents, equity)
        parents, afterstates = parents[keep], afterstates[keep]
        counts = np.bincount(parents, minlength=len(boards))
        ahead = np.zeros(len(parents), dtype=np.float32)
        doubtful = np.flatnonzero(counts[parents] > 1)  # a single candidate needs no second look
        ahead[doubtful] = outcomes_ahead(self.evaluator, afterstates[doubtful], self.level.ply) @ POINTS
        return chosen(boards, parents, afterstates, ahead)

    def close(self) -> None:
        """Hold nothing."""


def player(text: str, rules: Variant = STANDARD, model: str | Path | None = None, seed: int | None = None) -> Player:
    """Return the player that a text names.

    Parameters
    ----------
    text : str
        ``random``, a level (``easy``, ``normal``, ``hard``), a model file or the name of a released model, or
        ``gnubg``; each of the last three may be followed by ``@`` and a number of plies.
    rules : Variant
        The variant to play.
    model : str or Path, optional
        The model of the levels; the released one of the variant by default, as for `Bot`.
    seed : int, optional
        For the random player.

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
        return GnubgPlayer(ply or 0)
    level = LEVELS.get(base.lower())
    evaluator: Evaluator
    if level and model:
        evaluator = load_model(model, rules)
    elif level:
        evaluator = strongest(rules) if level is HARD else released_model(rules)
    elif is_model(base):
        evaluator = load_model(base, rules)
    else:
        raise InvalidNotationError(
            f"player {text!r}: neither a model file nor one of random, {', '.join(LEVELS)}, gnubg"
        )
    level = level or LEVELS["normal"]
    return SearchPlayer(evaluator, level if ply is None else level.at(ply), text)
