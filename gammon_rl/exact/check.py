"""Positions of a solved game held against their own equation, with their plays made anew.

It shares nothing with the solver but the rules: a value has to be the mean, over the 21 rolls, of the best of what
the plays lead to, as the file has it.

Legend: N positions, T turns (a position with a roll), E plays.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.exact.hypergammon import SolvedGame
from gammon_rl.exact.index import Index
from gammon_rl.rules.board import results, turn
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import Boards

VALUES: Final = ("cubeless", "mine", "centre", "centre, Jacoby", "theirs")
"""The values of a position in the order of `residuals`."""

_BLOCK: Final = 4096  # positions looked at at once

Values = NDArray[np.float64]


def residuals(game: SolvedGame, numbers: Index, progress: Callable[[int], None] = lambda done: None) -> Values:
    """Return by how much the values of positions miss the mean over the rolls of their best plays.

    Parameters
    ----------
    game : SolvedGame
        The game.
    numbers : int64 (N,)
        Numbers of positions in which both sides have checkers left.
    progress : callable
        Told how many are done.

    Returns
    -------
    float64 (N, 5)
        What the file says less what it should, in points and in units of the cube; in the order of `VALUES`.
    """
    missed = np.empty((len(numbers), len(VALUES)))
    for at in range(0, len(numbers), _BLOCK):
        some = numbers[at : at + _BLOCK]
        boards = game.index.boards(some)
        missed[at : at + _BLOCK] = _values(game, boards) - _means(game, boards)
        progress(at + len(some))
    return missed


def random_positions(game: SolvedGame, count: int, seed: int) -> Index:
    """Return the numbers of `count` different positions of the game, or of all if it has no more, int64 (N,)."""
    playable = np.flatnonzero(game.index.playable)
    return np.random.default_rng(seed).choice(playable, min(count, len(playable)), replace=False)


def _values(game: SolvedGame, boards: Boards) -> Values:
    """Return what the file says of boards, (N, 5)."""
    return np.column_stack([game.equity(boards), game.money_equities(boards)]).astype(np.float64)


def _before_the_cube_action(values: Values) -> Values:
    """Return what positions are worth to the player on roll, who may double first where the cube allows it, (N, 5)."""
    doubled = np.minimum(1, 2 * values[:, 4:])
    worth = values.copy()
    worth[:, 1:4] = np.maximum(values[:, 1:4], doubled)
    return worth


def _means(game: SolvedGame, boards: Boards) -> Values:
    """Return the mean over the rolls of the best play's worth, (N, 5)."""
    rolled = np.repeat(boards, len(ROLLS), axis=0)
    parents, afterstates = legal_plays(rolled, np.tile(ROLLS, (len(boards), 1)), game.rules)
    dances = np.setdiff1d(np.arange(len(rolled)), parents)
    turns = np.concatenate([parents, dances])
    after = np.concatenate([afterstates, turn(rolled[dances])])

    theirs = _before_the_cube_action(_values(game, after))
    points = results(after, game.rules).astype(np.float64)
    over = np.flatnonzero(points)
    theirs[over] = points[over, None]
    theirs[over, 3] = np.sign(points[over])  # Jacoby: without a double a game counts once
    # My cube is theirs to look at across the table, and theirs is mine.
    mine = -theirs[:, [0, 4, 2, 3, 1]]
    order = np.argsort(turns, kind="stable")  # every turn has a play, or is a dance
    first = np.flatnonzero(np.diff(turns[order], prepend=-1))
    best: NDArray[Any] = np.maximum.reduceat(mine[order], first)
    means: Values = np.einsum("nrv,r->nv", best.reshape(len(boards), len(ROLLS), -1), ROLL_CHANCES)
    return means
