"""Self-play: many games side by side, a segment of plies at a time.

Legend: N games side by side, T plies of a segment, M afterstates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.search import chosen, worth_a_look
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.rules.board import results
from gammon_rl.rules.dice import Dice, opening_roll, roll
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import Boards, Variant

Floats = NDArray[np.float32]

_OF_ANOTHER_START: Final = 0.1  # of all games, for each start that is not the variant's own


class Judge(Protocol):
    """Whatever chooses the plays."""

    def equity(self, boards: Boards) -> Floats:
        """Return the equity of the player on roll, float32 (M,), for boards int8 (M, 26)."""
        ...


@dataclass(frozen=True)
class Segment:
    """A stretch of N games: what was on the board, and what the best play made of it.

    Attributes
    ----------
    boards : int8 (T, N, 26)
        The boards before each roll, the player on roll's view.
    next_boards : int8 (T, N, 26)
        The afterstate of the best play: the board before the next roll, as the other player sees it. Where a random
        play was made instead, the next of `boards` is another one.
    points : int8 (T, N)
        What the best play won, 1 to 3, or 0 while the game goes on.
    explored : bool (T, N)
        Whether a random play was made instead of the best one.
    results : int8 (G,)
        Points of the games that ended in this segment, in order.
    """

    boards: Boards
    next_boards: Boards
    points: NDArray[np.int8]
    explored: NDArray[np.bool_]
    results: NDArray[np.int8]


class SelfPlay:
    """N games side by side, each started again when it ends.

    Parameters
    ----------
    rules : Variant
        The variant played.
    games : int
        How many at once.
    rng : numpy.random.Generator
        The dice, and the random plays.
    quick : Evaluator, optional
        What leaves only the best few plays for the judge to look at.
    other_starts : sequence of int8 (26,)
        Boards at which a game begins as well, each with a chance of one in ten.

    Attributes
    ----------
    quick : Evaluator or None
        As given; another may take its place between segments.
    ended : int
        Games that have ended so far.
    """

    def __init__(
        self,
        rules: Variant,
        games: int,
        rng: np.random.Generator,
        quick: Evaluator | None = None,
        other_starts: Sequence[Boards] = (),
    ) -> None:
        self.rules = rules
        self.quick = quick
        self.rng = rng
        self._starts = np.stack([rules.start(), *other_starts])
        self.boards: Boards = self._begun(games)
        self.opening = np.ones(games, dtype=np.bool_)  # whether the roll to come opens a game
        self.ended = 0

    def play(self, judge: Judge, plies: int, exploration: float = 0.0) -> Segment:
        """Play some plies of every game by what the judge thinks best."""
        games = len(self.boards)
        boards = np.empty((plies, games, 26), dtype=np.int8)
        next_boards = np.empty_like(boards)
        points = np.empty((plies, games), dtype=np.int8)
        explored = np.zeros((plies, games), dtype=np.bool_)
        finished = []
        for ply in range(plies):
            boards[ply] = self.boards
            parents, afterstates = legal_plays(self.boards, self.roll(), self.rules)
            best = self.best(judge, self.boards, parents, afterstates)
            next_boards[ply] = made = best
            points[ply] = -results(best, self.rules)
            if exploration > 0:
                explored[ply] = self.rng.random(games) < exploration
                random = chosen(self.boards, parents, afterstates, self.rng.random(len(afterstates), np.float32))
                made = np.where(explored[ply][:, None], random, best)
            won = self.advance(made)
            finished.append(won[won > 0])
        return Segment(boards, next_boards, points, explored, np.concatenate(finished))

    def best(self, judge: Judge, boards: Boards, parents: NDArray[np.int64], afterstates: Boards) -> Boards:
        """Return the best afterstate of each board by the judge, int8 (N, 26), of its legal plays."""
        if self.quick is not None:
            keep = worth_a_look(self.quick, parents, afterstates)
            parents, afterstates = parents[keep], afterstates[keep]
        equity = judge.equity(afterstates)
        settle(boards, parents, afterstates, equity, self.rules)
        return chosen(boards, parents, afterstates, equity)

    def roll(self) -> Dice:
        """Return the next roll of every game, int64 (N, 2); a game's first one is no double."""
        dice = roll(self.rng, len(self.boards))
        dice[self.opening] = opening_roll(self.rng, int(self.opening.sum()))
        return dice

    def advance(self, afterstates: Boards) -> NDArray[np.int8]:
        """Go on to the afterstates, or to a new game; return the points that a play has won, int8 (N,), or 0."""
        won = -results(afterstates, self.rules)
        self.opening = won > 0
        ended = int(np.count_nonzero(won))
        self.ended += ended
        self.boards = afterstates.copy()
        self.boards[self.opening] = self._begun(ended)
        return won

    def _begun(self, games: int) -> Boards:
        """Return the boards of new games, int8 (games, 26)."""
        if len(self._starts) == 1:
            return np.repeat(self._starts, games, axis=0)
        others = len(self._starts) - 1
        weights = [1 - _OF_ANOTHER_START * others, *[_OF_ANOTHER_START] * others]
        begun: Boards = self._starts[self.rng.choice(len(weights), games, p=weights)]
        return begun


def settle(boards: Boards, parents: NDArray[np.int64], afterstates: Boards, equity: Floats, rules: Variant) -> None:
    """Put the result in the place of the judge's opinion, in place, where a play ends the game.

    Only a player with at most four checkers left can end it, so few afterstates are looked at.
    """
    few = np.maximum(boards, 0).sum(axis=-1) <= 4
    near = np.flatnonzero(few[parents])
    points = results(afterstates[near], rules)
    over = points != 0
    equity[near[over]] = points[over]
