"""An evaluator that looks into the bear-off databases where they know a board, and asks another one elsewhere."""

import functools
import logging
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammon_rl.errors import DatabaseFileError
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.network import Floats
from gammon_rl.exact.bearoff import Bearoff, database_files, load_bearoff
from gammon_rl.rules.variants import STANDARD, Boards, Variant


@dataclass(frozen=True, eq=False)
class WithBearoff:
    """Another evaluator, but for the end of the race.

    Attributes
    ----------
    evaluator : Evaluator
        Who answers where the databases do not.
    bearoff : Bearoff
        The databases of its variant.
    """

    evaluator: Evaluator
    bearoff: Bearoff

    @property
    def rules(self) -> Variant:
        """The variant it knows."""
        return self.evaluator.rules

    def outcomes(self, boards: Boards) -> Floats:
        """Return the chances of the six outcomes, float32 (..., 6), from lose backgammon to win backgammon."""
        known, exact = exact_outcomes(self.bearoff, boards)
        if not len(exact):
            return self.evaluator.outcomes(boards)
        outcomes = np.empty((*boards.shape[:-1], 6), dtype=np.float32)
        outcomes[known] = exact
        if len(exact) < known.size:
            outcomes[~known] = self.evaluator.outcomes(boards[~known])
        return outcomes


def with_bearoff(evaluator: Evaluator, *, build: bool = True) -> WithBearoff:
    """Put the bear-off databases of its variant before an evaluator.

    Parameters
    ----------
    evaluator : Evaluator
        Of a variant with 15 checkers a side.
    build : bool
        Whether to build databases that are missing.

    Raises
    ------
    DatabaseFileError
        As `load_bearoff` does.
    """
    return WithBearoff(evaluator, load_bearoff(evaluator.rules, build=build))


def to_the_end(evaluator: Evaluator, *, build: bool = False) -> Evaluator:
    """Put bear-off databases before an evaluator, if its variant has them and they are at hand.

    Parameters
    ----------
    evaluator : Evaluator
        Of any variant; one that has them already is returned as it is.
    build : bool
        Whether to build what is missing.

    Raises
    ------
    DatabaseFileError
        If they are to be built and cannot be.
    """
    if evaluator.rules.checkers != STANDARD.checkers or isinstance(evaluator, WithBearoff):
        return evaluator
    try:
        return with_bearoff(evaluator, build=build)
    except DatabaseFileError as error:
        if build:
            raise
        if all(file.path.exists() for file in database_files(evaluator.rules)):
            warn_once(f"{error}; the end of the race is played without the databases")
        return evaluator


@functools.cache
def warn_once(text: str) -> None:
    """Log a warning, unless it was logged before."""
    logging.getLogger(__name__).warning(text)


def exact_outcomes(bearoff: Bearoff, boards: Boards) -> tuple[NDArray[np.bool_], Floats]:
    """Look up the boards that the databases know.

    Parameters
    ----------
    bearoff : Bearoff
        The databases.
    boards : int8 (..., 26)
        Boards with the dice not yet rolled.

    Returns
    -------
    known : bool (...)
        Which of them it knows.
    outcomes : float32 (K, 6)
        For those, in their order, the chances of `network.OUTCOMES`.
    """
    known = bearoff.knows(boards)
    if not known.any():  # nearly always in the middle of a game
        return known, np.empty((0, 6), dtype=np.float32)
    win, win_gammon, _, lose_gammon, _ = bearoff.race_probs(boards[known]).T
    never = np.zeros_like(win)
    return known, np.stack([never, lose_gammon, 1 - win - lose_gammon, win - win_gammon, win_gammon, never], axis=-1)
