"""The bot: one position in, one play or cube decision out, with its reasons."""

import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.cubeful import cube_ahead, worth_on_roll
from gammon_rl.bots.levels import HARD, LEVELS, Level
from gammon_rl.bots.search import outcomes_ahead
from gammon_rl.errors import IllegalPlayError, InvalidNotationError, InvalidPositionError, ModelFileError
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.model import load_model, released_model
from gammon_rl.eval.network import Floats as Outcomes, nested
from gammon_rl.eval.strongest import strongest
from gammon_rl.rules.board import checkers_off, turn
from gammon_rl.rules.dice import checked_dice
from gammon_rl.rules.notation import Play, play_of
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import STANDARD, Boards, Variant
from gammon_rl.stakes.cube import CubeDecision
from gammon_rl.stakes.equity import turned_probs
from gammon_rl.stakes.worth import Stakes


@dataclass(frozen=True)
class Candidate:
    """A legal play and what the bot thinks of it.

    Attributes
    ----------
    play : Play
        The play.
    probs : tuple of five floats
        Nested chances of the player who makes it.
    equity : float
        Equity after it for the player who makes it, with the cube and at the score: points in units of the present
        cube, or EMG in a match.
    loss : float
        How far it is behind the best play, in the same unit, both seen at this candidate's depth.
    ply : int
        How deep it was looked at.
    """

    play: Play
    probs: tuple[float, ...]
    equity: float
    loss: float
    ply: int


class Bot:
    """A player with a level.

    Parameters
    ----------
    level : str or Level
        ``easy`` plays at random; ``normal`` and ``hard`` play by the model, ``hard`` looks ahead. A depth may
        follow, as in ``hard@2``.
    model : Evaluator, str or Path, optional
        A model, its file, or the name of a released one; by default the one released for the variant, and for
        ``hard`` the solved game instead where its file is at hand (Hypergammon).
    seed : int, optional
        Of its random choices.
    rules : Variant
        The variant it plays.

    Raises
    ------
    InvalidNotationError
        If there is no such level.
    ModelFileError
        If the model cannot be used.
    """

    def __init__(
        self,
        level: str | Level = "hard",
        model: Evaluator | str | Path | None = None,
        seed: int | None = None,
        rules: Variant = STANDARD,
    ) -> None:
        self.level = level if isinstance(level, Level) else _level(level)
        self.rules = rules
        self._rng = np.random.default_rng(seed)
        self._evaluator: Evaluator | None = None
        if self.level.ply >= 0:
            if model is None:
                model = strongest(rules) if self.level.name == HARD.name else released_model(rules)
            self._evaluator = load_model(model, rules) if isinstance(model, (str, Path)) else model
            if self._evaluator.rules.name != rules.name:
                raise ModelFileError(f"the model is made for {self._evaluator.rules.name}, not for {rules.name}")

    def __repr__(self) -> str:
        return f"Bot({self.level.name!r}, ply={self.level.ply}, rules={self.rules.name})"

    @property
    def has_opinions(self) -> bool:
        """Whether it judges by an evaluator, so that it can analyse; Easy has none."""
        return self._evaluator is not None

    def choose_play(self, position: Position, dice: tuple[int, int], time_limit: float | None = None) -> Play:
        """Return the play the bot makes.

        Parameters
        ----------
        position : Position
            The position of the player on roll.
        dice : (int, int)
            The roll.
        time_limit : float, optional
            Seconds after which no further candidate is looked at; the play chosen without looking ahead is the answer
            then. It is asked between candidates, so that one of them may take it past the limit.

        Returns
        -------
        Play
            A dance has no steps.

        Raises
        ------
        InvalidPositionError
            If the dice are none, the game is over, a double waits for its answer, or the position is of another
            variant.
        """
        parents, afterstates = self._legal(position, dice)
        if not len(parents):
            best = turn(position.board)
        elif self._evaluator is None:
            best = afterstates[self._rng.integers(len(afterstates))]
        elif len(parents) == 1:
            best = afterstates[0]
        else:
            best = afterstates[self._ranked(self._evaluator, afterstates, Stakes.of(position), time_limit)[0].index]
        return play_of(position.board, dice, best, self.rules)

    def analyse(self, position: Position, dice: tuple[int, int], time_limit: float | None = None) -> list[Candidate]:
        """Return all legal plays, best first; those looked at deeper come before the others.

        Raises
        ------
        InvalidPositionError
            As `choose_play`.
        IllegalPlayError
            If the bot has no evaluator to judge by (Easy).
        """
        if self._evaluator is None:
            raise IllegalPlayError("the easy bot has no opinion on plays; normal and hard have one")
        _, afterstates = self._legal(position, dice)
        candidates = []
        for one in self._ranked(self._evaluator, afterstates, Stakes.of(position), time_limit):
            play = play_of(position.board, dice, afterstates[one.index], self.rules)
            probs = tuple(float(chance) for chance in nested(one.chances[::-1]))
            candidates.append(Candidate(play, probs, one.equity, one.loss, one.ply))
        return candidates

    def cube_action(self, position: Position) -> CubeDecision:
        """Return the cube decision of a position, before the roll.

        For the player on roll it says whether to double, and what the right answer would be. If the position is that
        of a player who has been doubled, it is the doubler's decision, and `take` is the answer to give.

        Easy never doubles, and takes unless it is more than a fifth behind in pips; it has no equities.
        """
        self._check(position)
        asked = position.turned() if position.doubled else position
        if self._evaluator is None:
            return _easy_cube(asked)
        return cube_ahead(self._evaluator, asked.board, Stakes.of(asked), self.level.ply).decision()

    def probs(self, position: Position) -> NDArray[np.float32]:
        """Return the nested chances of the player on roll before rolling, float32 (5,), at the level's depth."""
        self._check(position)
        if self._evaluator is None:
            raise IllegalPlayError("the easy bot has no opinion on positions; normal and hard have one")
        asked = position.turned() if position.doubled else position
        probs = self._before_roll(self._evaluator, asked)
        return turned_probs(probs) if position.doubled else probs

    def _before_roll(self, evaluator: Evaluator, position: Position) -> NDArray[np.float32]:
        """Return the nested chances of the player on roll, float32 (5,), at the level's depth."""
        probs: NDArray[np.float32] = nested(outcomes_ahead(evaluator, position.board[None], self.level.ply))[0]
        return probs

    def _ranked(
        self, evaluator: Evaluator, afterstates: Boards, stakes: Stakes, time_limit: float | None
    ) -> list["_Ranked"]:
        """Return afterstates, best first; those looked at deeper come before the others."""
        deadline = None if time_limit is None else time.monotonic() + time_limit
        shallow = _seen(evaluator, afterstates, np.arange(len(afterstates)), stakes, 0)
        behind = np.array([-one.equity for one in shallow], dtype=np.float32)
        keep = [shallow[at].index for at in self.level.candidates_of(np.zeros(len(shallow), dtype=np.int64), behind)]
        if self.level.ply == 0 or len(keep) < 2:
            return shallow
        deep: list[_Ranked] = []
        for index in keep:
            if deadline is not None and time.monotonic() >= deadline:
                return shallow  # values of different depth are not compared: all candidates count, or none
            deep += _seen(evaluator, afterstates[[index]], np.array([index]), stakes, self.level.ply)
        deep.sort(key=lambda one: -one.equity)
        deep = [replace(one, loss=deep[0].equity - one.equity) for one in deep]
        base = next(one.equity for one in shallow if one.index == deep[0].index)
        return [*deep, *(replace(one, loss=base - one.equity) for one in shallow if one.index not in keep)]

    def _legal(self, position: Position, dice: tuple[int, int]) -> tuple[np.ndarray, Boards]:
        self._check(position)
        if position.doubled:
            raise InvalidPositionError("a double is on offer: it is answered (cube_action) before anything is played")
        return legal_plays(position.board[None], checked_dice(dice, 1), self.rules)

    def _check(self, position: Position) -> None:
        if position.rules.name != self.rules.name:
            raise InvalidPositionError(f"the bot plays {self.rules.name}, the position is of {position.rules.name}")
        if (checkers_off(position.board, self.rules) == self.rules.checkers).any():
            raise InvalidPositionError("the game is over: a player has all checkers off")


@dataclass(frozen=True)
class _Ranked:
    """An afterstate by its number, the opponent's chances there, and what `Candidate` says of it."""

    index: int
    chances: Outcomes
    equity: float
    loss: float
    ply: int


def _seen(
    evaluator: Evaluator, afterstates: Boards, numbers: NDArray[np.int64], stakes: Stakes, ply: int
) -> list[_Ranked]:
    """Return afterstates as they look at a depth, best first."""
    chances = outcomes_ahead(evaluator, afterstates, ply)
    equity = stakes.equity(stakes.other_side(worth_on_roll(evaluator, afterstates, stakes.turned(), ply)))
    order = np.argsort(-equity, kind="stable")
    best = equity[order[0]] if len(order) else 0.0
    return [_Ranked(int(numbers[at]), chances[at], float(equity[at]), float(best - equity[at]), ply) for at in order]


def _easy_cube(position: Position) -> CubeDecision:
    """Never double; take unless the doubled player is more than a fifth behind in pips."""
    doubler, answerer = position.pips
    take = 5 * answerer <= 6 * doubler
    return CubeDecision(0.0, 0.0, 1.0, False, take, False, f"no double/{'take' if take else 'pass'}")


def _level(text: str) -> Level:
    base, at, plies = text.lower().partition("@")
    if base not in LEVELS or (at and (plies not in ("0", "1", "2", "3") or base == "easy")):
        raise InvalidNotationError(
            f"level {text!r}: expected {', '.join(LEVELS)}, the last two with @0 to @3 if you like"
        )
    return LEVELS[base].at(int(plies)) if at else LEVELS[base]
