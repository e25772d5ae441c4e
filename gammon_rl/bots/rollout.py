"""Rollouts: what boards are worth by playing on from them many times, with the luck of the dice taken out.

A trial plays a number of plies at 0 plies with random dice. Its estimate is the mean over the 21 rolls of the first
position, and at every further one what its own mean adds to the value of the roll that led there: the result less the
luck of its rolls, cut short by the judge's opinion (see `gammon_rl.bots.luck`). With stakes, both sides turn the cube
as they think right at 0 plies, and a trial ends where a double is passed.

Legend: N boards, T trials, L trials that go on.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.cubeful import cube_ahead, seen_on_roll
from gammon_rl.bots.search import mean_over_rolls, valued_replies
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.network import POINTS
from gammon_rl.processes import in_order
from gammon_rl.rules.board import results
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.rules.variants import Boards
from gammon_rl.stakes.worth import Stakes

Floats = NDArray[np.float32]
Worths = NDArray[np.float64]

ROUND: Final = 36
"""Trials of a round: every first roll comes as often as it should."""

_BLOCK: Final = 128  # positions looked at together: 21 rolls and some 20 plays of each stay small
_LONGEST: Final = 1000  # plies; no game comes near


@dataclass(frozen=True, eq=False)
class Rollout:
    """What boards are worth by rollouts, for the player on roll.

    Attributes
    ----------
    outcomes : float32 (N, 6)
        Mean chances of the six outcomes; where a double was passed, as they were then.
    equity : float32 (N,)
        Mean equity: cubeless points, or with stakes cubeful as `Stakes.equity` has it.
    error : float32 (N,)
        Its standard error; not a number for a single trial.
    equities : float64 (N, T)
        That of every trial. All boards have the same dice in the same trial.
    """

    outcomes: Floats
    equity: Floats
    error: Floats
    equities: Worths

    @classmethod
    def of(cls, outcomes: Floats, equities: Worths) -> "Rollout":
        """Return the rollout that trials make up, from their outcomes (N, T, 6) and equities."""
        mean = equities.mean(axis=1).astype(np.float32)
        return cls(outcomes.mean(axis=1), mean, standard_error(equities), equities)

    @property
    def trials(self) -> int:
        """How many trials each board had."""
        return int(self.equities.shape[1])

    def behind(self, row: int, best: int) -> tuple[float, float]:
        """Return how far a board's equity is above another's, and the standard error of that.

        The same dice came to both, so it is known better than either of them.
        """
        more = self.equities[row] - self.equities[best]
        return float(more.mean()), float(standard_error(more[None])[0])


def standard_error(samples: Worths) -> Floats:
    """Return the standard error of the mean of each row, float32 (N,), from samples (N, T); nan for one sample."""
    count = samples.shape[1]
    if count < 2:
        return np.full(len(samples), np.nan, dtype=np.float32)
    error: Floats = (samples.std(axis=1, ddof=1) / np.sqrt(count)).astype(np.float32)
    return error


def roll_out(
    judge: Evaluator,
    boards: Boards,
    trials: int = 36,
    plies: int | None = 8,
    *,
    stakes: Stakes | None = None,
    rolled_at_once: bool = False,
    seed: int = 1,
    progress: Callable[[int], None] = lambda positions: None,
) -> Rollout:
    """Roll out boards, all with the same dice.

    Parameters
    ----------
    judge : Evaluator
        Who plays both sides, and values the positions.
    boards : int8 (N, 26)
        Boards with the dice not yet rolled.
    trials : int
        Trials of each board; the first rolls are spread evenly over the 36.
    plies : int or None
        Plies of a trial; games may end before. None plays them all to the end.
    stakes : Stakes, optional
        What is played for, as the player on roll sees it: of all boards, or with arrays (N,). Without, nobody doubles
        and points are counted.
    rolled_at_once : bool
        Whether the player on roll does not double before the first roll; it makes the difference between the worth of
        not doubling and that of the position.
    seed : int
        Of the dice.
    progress : callable
        Told the positions looked at so far, of at most N * T * plies.

    Examples
    --------
    >>> from gammon_rl.eval.model import load_model
    >>> from gammon_rl.rules.variants import STANDARD
    >>> start = roll_out(load_model("standard"), STANDARD.start()[None], trials=36, plies=2)
    >>> bool(0.0 < start.equity[0] < 0.2 and start.error[0] < 0.02)
    True
    """
    plies = _LONGEST if plies is None else plies
    trying = _Trials(judge, boards, trials, stakes, rolled_at_once)
    rng = np.random.default_rng(seed)
    rolls = rng.choice(len(ROLL_CHANCES), size=(plies, trials), p=ROLL_CHANCES)
    rolls[:1] = _evenly(trials, rng)
    seen = 0
    for ply, roll in enumerate(rolls):
        came = np.tile(roll, len(boards))  # a board's trials lie side by side, with the same dice as the others'
        for block in trying.blocks():
            trying.play(block, came[block], ply, last=ply == plies - 1)
            seen += len(block)
            progress(seen)
    shape = len(boards), trials
    return Rollout.of(trying.chances.reshape(*shape, 6), trying.equities().reshape(shape))


class _Trials:
    """Trials side by side: where each stands, and what it has come to, as the player who began sees it."""

    def __init__(
        self, judge: Evaluator, boards: Boards, trials: int, stakes: Stakes | None, rolled_at_once: bool
    ) -> None:
        self._judge = judge
        of_board = np.repeat(np.arange(len(boards)), trials)
        self._at = boards[of_board]
        self.chances = judge.outcomes(boards)[of_board]
        self._worth = np.zeros(len(of_board))
        self.live = results(self._at, judge.rules) == 0
        self._first = None if stakes is None else stakes.rows(of_board)
        self._cube = self._owner = np.empty(0, dtype=np.int64)
        if self._first is None:
            self._worth[:] = self.chances @ POINTS
        else:
            stakes = self._first
            self._cube, self._owner = (np.broadcast_to(a, len(of_board)).copy() for a in (stakes.cube, stakes.owner))
            self._worth[:] = seen_on_roll(judge, self._at, stakes, seen=self.chances)[1]
            if not rolled_at_once:
                rows = np.flatnonzero(self.live)
                self._turn_cube(rows, self._stakes(rows, 0), self.chances[rows])
        self.chances[self.live] = 0
        self._worth[self.live] = 0

    def blocks(self) -> Iterator[NDArray[np.int64]]:
        """Yield the trials that go on, some at a time."""
        live = np.flatnonzero(self.live)
        for start in range(0, len(live), _BLOCK):
            yield live[start : start + _BLOCK]

    def equities(self) -> Worths:
        """Return what every trial has come to."""
        return self._worth if self._first is None else self._first.equity(self._worth)

    def play(self, block: NDArray[np.int64], came: NDArray[np.int64], ply: int, *, last: bool) -> None:
        """Play a ply of some trials with the rolls that came, places in `ROLLS`."""
        judge, mine = self._judge, ply % 2 == 0
        stakes = None if self._first is None else self._stakes(block, ply)
        theirs = None if stakes is None else stakes.turned()
        made, seen = valued_replies(judge, self._at[block], POINTS if theirs is None else theirs.of_outcomes)
        taken = np.arange(len(block)), came
        mean, roll = mean_over_rolls(seen), seen[taken][:, ::-1]
        if stakes is None or theirs is None:
            worth_mean, worth_roll = mean @ POINTS, roll @ POINTS
        else:
            each = theirs.rows(np.repeat(np.arange(len(block)), len(ROLLS)))
            worth = seen_on_roll(judge, made.reshape(-1, 26), each, seen=seen.reshape(-1, 6))[1]
            worth = stakes.other_side(worth.reshape(-1, len(ROLLS)))
            worth_mean, worth_roll = worth @ ROLL_CHANCES, worth[taken]
        self._at[block] = made[taken]
        self.live[block] = (results(made[taken], judge.rules) == 0) & (not last)
        if theirs is not None and not last:
            self._owner[block] *= -1
            going_on = self.live[block]
            self._turn_cube(block[going_on], theirs.rows(going_on), seen[taken][going_on])
        # What goes on adds its own mean at the next ply, less this value; what ends stops at its mean.
        goes_on = self.live[block]
        mean -= roll * goes_on[:, None]
        self.chances[block] += mean if mine else mean[:, ::-1]
        if stakes is not None and not mine:
            worth_mean, worth_roll = stakes.other_side(worth_mean), stakes.other_side(worth_roll)
        elif not mine:
            worth_mean, worth_roll = -worth_mean, -worth_roll
        self._worth[block] += worth_mean - worth_roll * goes_on

    def _stakes(self, rows: NDArray[np.int64], ply: int) -> Stakes:
        """Return what is played for now in some trials, as the player on roll sees it."""
        assert self._first is not None
        side = self._first if ply % 2 == 0 else self._first.turned()
        return replace(side, cube=self._cube, owner=self._owner).rows(rows)

    def _turn_cube(self, rows: NDArray[np.int64], stakes: Stakes, seen: Floats) -> None:
        """Let the player on roll double in some trials, and the other answer; a pass ends them."""
        if rows.size:
            cube = cube_ahead(self._judge, self._at[rows], stakes, seen=seen)
            taken = cube.double & cube.take
            self.live[rows[cube.double & ~cube.take]] = False
            self._cube[rows[taken]] *= np.where(cube.beaver, 4, 2)[taken]
            self._owner[rows[taken]] = -1


def _evenly(trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return first rolls, as places in `ROLLS`, that come as often as they should while there are 36 of them."""
    every = np.repeat(np.arange(len(ROLL_CHANCES)), np.rint(36 * ROLL_CHANCES).astype(np.int64))
    rounds = [rng.permutation(every) for _ in range(-(-trials // 36))]
    return np.concatenate(rounds)[:trials]


def roll_out_until(
    judge: Evaluator,
    boards: Boards,
    error: float,
    *,
    trials: int = 36 * ROUND,
    plies: int | None = 8,
    stakes: Stakes | None = None,
    rolled_at_once: bool = False,
    seed: int = 1,
    processes: int = 1,
    progress: Callable[[Rollout], None] = lambda so_far: None,
) -> Rollout:
    """Roll out boards in rounds of 36 trials, until they are known as well as wanted.

    The result depends on the seed and not on the number of processes. An interrupt (Ctrl-C) gives the result of the
    rounds so far, if there is one.

    Parameters
    ----------
    judge, boards, plies, stakes, rolled_at_once, seed
        See `roll_out`.
    error : float
        The standard error of the equity of every board that is good enough; 0 plays all trials.
    trials : int
        The most trials, rounded up to whole rounds.
    processes : int
        How many play rounds at once. More than one needs a main module that can be imported.
    progress : callable
        Told the result so far after each round.
    """
    rounds = -(-trials // ROUND)
    seeds = [int(one.generate_state(1, np.uint64)[0]) for one in np.random.SeedSequence(seed).spawn(rounds)]
    work = partial(_round, judge, boards, plies, stakes, rolled_at_once)
    total: Floats = np.zeros((len(boards), 6), dtype=np.float32)
    equities = np.empty((len(boards), 0))
    found: Rollout | None = None
    try:
        with closing(_results(work, seeds, processes)) as parts:
            for number, part in enumerate(parts, start=1):
                total = total + part.outcomes
                equities = np.concatenate([equities, part.equities], axis=1)
                found = Rollout(
                    (total / np.float32(number)),
                    equities.mean(axis=1).astype(np.float32),
                    standard_error(equities),
                    equities,
                )
                progress(found)
                if found.error.max() <= error:
                    break
    except KeyboardInterrupt:
        if found is None:
            raise
    assert found is not None
    return found


def _round(
    judge: Evaluator, boards: Boards, plies: int | None, stakes: Stakes | None, rolled_at_once: bool, seed: int
) -> Rollout:
    return roll_out(judge, boards, ROUND, plies, stakes=stakes, rolled_at_once=rolled_at_once, seed=seed)


def _results(work: Callable[[int], Rollout], seeds: list[int], processes: int) -> Generator[Rollout]:
    """Yield the rounds in their order; closing the iterator ends the processes."""
    if processes == 1:
        yield from map(work, seeds)
        return
    yield from in_order(_do, seeds, processes, _begin, work)


_do_round: Callable[[int], Rollout]  # of this process, if it is one of several


def _begin(work: Callable[[int], Rollout]) -> None:
    global _do_round  # the one way to keep something in a process of a pool
    _do_round = work


def _do(seed: int) -> Rollout:
    return _do_round(seed)
