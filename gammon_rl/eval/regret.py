"""The exact regret of an evaluator: what its plays lose in a solved game, in positions as good play meets them.

A position weighs as much as it is met in a game in which both sides make the best cubeless plays: the visits that the
file of a solved game holds. The opening play weighs one, over the 15 opening rolls.

Legend: P positions, T turns (a position with a roll), E plays, S numbers of positions.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.errors import ConfigError, ModelFileError
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.network import POINTS
from gammon_rl.exact.hypergammon import SolvedGame
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.rules.notation import play_of
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import Boards

Index = NDArray[np.int64]
Progress = Callable[[int], None]
"""Told how many positions are done, of the meter's `size`."""

BEST: Final = 1e-6
"""Points within which a play counts as the best one; the file is exact to less."""

_MAKE: Final = 780  # positions whose plays are made at once: a chunk of `legal_plays`
_BLOCK: Final = 1 << 16  # boards evaluated at once


@dataclass(frozen=True)
class Mistake:
    """A turn and what was lost in it.

    Attributes
    ----------
    xgid : str
        The position with its roll.
    play, best : str
        The play the evaluator chose, and the best one.
    loss : float
        Points lost by it, cubeless.
    visits : float
        How often the turn comes in a game.
    """

    xgid: str
    play: str
    best: str
    loss: float
    visits: float


@dataclass(frozen=True)
class Regret:
    """What an evaluator loses in a solved game by its plays at 0 plies.

    Attributes
    ----------
    loss : float
        Mean points lost a turn, over all turns with their rolls.
    decision_loss : float
        Mean points lost a decision: a turn with more than one play.
    best : float
        The share of decisions in which the best play is chosen, or one within `BEST` of it.
    game_loss : float
        Points lost by both sides together in a game of best plays, if this evaluator chose every one of them.
    error : float
        The root of the mean square error of its cubeless equity before the roll.
    positions : int
        Positions looked at.
    coverage : float
        The share of all positions met that they stand for. A random sample stands for all, with an error of its own.
    interval : float
        Half the width of the 95 % interval of `loss`; 0 if no sample was drawn.
    worst : tuple of Mistake
        Those that cost most, as often as they come: the greatest loss times visits first.
    """

    loss: float
    decision_loss: float
    best: float
    game_loss: float
    error: float
    positions: int
    coverage: float
    interval: float
    worst: tuple[Mistake, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as what JSON can hold."""
        return asdict(self)


class RegretMeter:
    """Measures evaluators on the same positions of a solved game.

    Parameters
    ----------
    game : SolvedGame
        The truth.
    sample : int, optional
        Draw so many positions at random, in proportion to their visits. By default all positions are looked at, but for
        the rarest.
    left_out : float
        The share of all visits that the rarest positions may stand for that are not looked at. A sample is drawn from
        all.
    seed : int
        Of the sample.

    Raises
    ------
    ConfigError
        If the sample is empty, or all is left out.

    Examples
    --------
    Made once, it is called with one evaluator after the other, such as those of a training run::

        meter = RegretMeter(load_solved(), sample=2000)
        writer.add_scalar("exact/loss", meter(model).loss, games)
    """

    def __init__(self, game: SolvedGame, sample: int | None = None, *, left_out: float = 1e-3, seed: int = 0) -> None:
        if not (0 <= left_out < 1 and (sample is None or sample > 0)):
            raise ConfigError(f"sample must be at least 1 and left_out from 0 to 1, got {sample} and {left_out}")
        self.game = game
        visits = game.all_visits.astype(np.float64)
        self._total = float(visits.sum())
        self.numbers: Index
        """The numbers of the positions looked at, beside the start position, int64 (P,)."""
        self._start = int(game.index.numbers(game.rules.start()))
        if sample is None:
            order = np.argsort(-visits, kind="stable")
            kept = int(np.searchsorted(np.cumsum(visits[order]), (1 - left_out) * self._total)) + 1
            self.numbers = np.sort(order[: min(kept, int(np.count_nonzero(visits)))])
            self._weights: NDArray[Any] = visits[self.numbers]
            self.coverage = (1 + float(self._weights.sum())) / (1 + self._total)
        else:
            drawn = np.random.default_rng(seed).choice(len(visits), sample, p=visits / self._total)
            self.numbers, times = np.unique(drawn, return_counts=True)
            self._weights = times * (self._total / sample)
            self.coverage = 1.0
        self._sample = sample

    @property
    def size(self) -> int:
        """How many positions are looked at, the start position not counted."""
        return len(self.numbers)

    def __call__(self, evaluator: Evaluator, *, worst: int = 0, progress: Progress | None = None) -> Regret:
        """Return the exact regret of an evaluator.

        Parameters
        ----------
        evaluator : Evaluator
            For the variant of the solved game. It is asked at most once about each position.
        worst : int
            How many mistakes to list.
        progress : callable, optional
            See `Progress`.

        Raises
        ------
        ModelFileError
            If the evaluator is for another variant.
        """
        rules = self.game.rules
        if (evaluator.rules.name, evaluator.rules.checkers) != (rules.name, rules.checkers):
            asked, solved = (f"{one.name} with {one.checkers} checkers" for one in (evaluator.rules, rules))
            raise ModelFileError(f"the model is made for {asked}, the solved game is {solved}")
        opening = ROLLS[:, 0] != ROLLS[:, 1]
        tally = _Tally(self.game, evaluator, worst)
        tally.add(np.array([self._start]), np.ones(1), opening / opening.sum())
        for at in range(0, len(self.numbers), _MAKE):
            rows = slice(at, at + _MAKE)
            tally.add(self.numbers[rows], self._weights[rows], ROLL_CHANCES)
            if progress:
                progress(min(rows.stop, self.size))
        return tally.regret(self._sample, self._total, self.coverage)


class _Tally:
    """Adds up what an evaluator loses."""

    def __init__(self, game: SolvedGame, evaluator: Evaluator, worst: int) -> None:
        self._game, self._evaluator, self._worst = game, evaluator, worst
        self._equities = np.full(game.index.size, np.nan, dtype=np.float32)  # what it says, where it was asked
        self._weight = self._loss = self._decisions = self._best = self._square = 0.0
        self._positions = 0
        self._position_losses: list[NDArray[np.floating[Any]]] = []
        self._mistakes: list[tuple[float, float, int, int, int, int]] = []  # cost, loss, position, roll, chosen, best

    def add(self, positions: Index, weights: NDArray[Any], chances: NDArray[Any]) -> None:
        """Add turns of positions (P,) met so often, with every roll of a chance above 0."""
        index, rolls = self._game.index, np.flatnonzero(chances)
        boards = np.repeat(index.boards(positions), len(rolls), axis=0)
        parents, afterstates = legal_plays(boards, np.tile(ROLLS[rolls], (len(positions), 1)), self._game.rules)
        plays = index.numbers(afterstates)
        turn_weights = np.outer(weights, chances[rolls]).ravel()

        counts = np.bincount(parents, minlength=len(boards))
        moved = np.flatnonzero(counts)
        starts = (np.cumsum(counts) - counts)[moved]
        exact = self._game.equities_of(plays).astype(np.float64)
        said = self._said(plays, afterstates)
        chosen, best = _least(said, starts, counts[moved]), _least(exact, starts, counts[moved])
        losses: NDArray[Any] = np.zeros(len(boards))
        losses[moved] = exact[chosen] - exact[best]

        decisions = counts > 1
        self._weight += float(weights.sum())
        self._loss += float(losses @ turn_weights)
        self._decisions += float(turn_weights[decisions].sum())
        self._best += float(turn_weights[decisions & (losses <= BEST)].sum())
        off = self._said(positions, index.boards(positions)) - self._game.equities_of(positions)
        self._square += float(np.square(off) @ weights)
        self._positions += len(positions)
        self._position_losses.append(np.stack([weights, losses.reshape(len(positions), -1) @ chances[rolls]]))
        if self._worst:
            costs = losses * turn_weights
            at = np.argsort(-costs[moved], kind="stable")[: self._worst]
            for turn, play, right in zip(moved[at].tolist(), plays[chosen[at]], plays[best[at]], strict=True):
                position, roll = int(positions[turn // len(rolls)]), int(rolls[turn % len(rolls)])
                if losses[turn] > BEST:
                    self._mistakes.append((costs[turn], losses[turn], position, roll, int(play), int(right)))
            self._mistakes = sorted(self._mistakes, reverse=True)[: self._worst]

    def regret(self, sample: int | None, visits: float, coverage: float) -> Regret:
        """Return what was added up, for games in which so many positions are met after the opening."""
        loss = self._loss / self._weight
        interval = 0.0
        if sample:
            weights, losses = np.concatenate(self._position_losses, axis=1)
            spread = float(np.square(losses - loss) @ weights) / self._weight
            interval = 1.96 * float(np.sqrt(spread / sample))
        return Regret(
            loss=loss,
            decision_loss=self._loss / self._decisions,
            best=self._best / self._decisions,
            game_loss=loss * (1 + visits),
            error=float(np.sqrt(self._square / self._weight)),
            positions=self._positions,
            coverage=coverage,
            interval=interval,
            worst=tuple(self._mistake(*one) for one in self._mistakes),
        )

    def _said(self, numbers: Index, boards: Boards) -> NDArray[np.float32]:
        """Return the evaluator's equity of positions, asking it only about those it was not asked about yet."""
        unknown, first = np.unique(numbers[np.isnan(self._equities[numbers])], return_index=True)
        if unknown.size:
            asked = boards[np.flatnonzero(np.isnan(self._equities[numbers]))[first]]
            for at in range(0, len(asked), _BLOCK):
                said = self._evaluator.outcomes(asked[at : at + _BLOCK]) @ POINTS
                self._equities[unknown[at : at + _BLOCK]] = said
        known: NDArray[np.float32] = self._equities[numbers]
        return known

    def _mistake(self, cost: float, loss: float, position: int, roll: int, play: int, best: int) -> Mistake:
        index, rules = self._game.index, self._game.rules
        board, (high, low) = index.boards(np.array(position)), ROLLS[roll].tolist()
        texts = [play_of(board, (high, low), index.boards(np.array(one)), rules).text for one in (play, best)]
        xgid = Position(board, dice=(high, low), rules=rules).xgid
        return Mistake(xgid, texts[0], texts[1], float(loss), float(cost / loss))


def _least(values: NDArray[Any], starts: Index, counts: Index) -> Index:
    """Return the index of the least value of each run, the first of equal ones."""
    least = np.repeat(np.minimum.reduceat(values, starts), counts) if len(starts) else values
    ties = np.flatnonzero(values == least)
    found: Index = ties[np.searchsorted(ties, starts)]
    return found
