"""The bot: one position in, one play or cube decision out, with its reasons."""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.levels import LEVELS, Level
from gammon_rl.bots.search import outcomes_ahead
from gammon_rl.errors import IllegalPlayError, InvalidNotationError, InvalidPositionError, ModelFileError
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.model import load_model, released_model
from gammon_rl.eval.network import POINTS, nested
from gammon_rl.rules.board import checkers_off, turn
from gammon_rl.rules.dice import checked_dice
from gammon_rl.rules.notation import Play, play_of
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import STANDARD, Boards, Variant
from gammon_rl.stakes.cube import CubeDecision, money_decision
from gammon_rl.stakes.equity import turned_probs


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
        Cubeless equity in points after it, for the player who makes it.
    loss : float
        How many points it is behind the best play, both seen at this candidate's depth.
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
        A model, its file, or the name of a released one; by default the one released for the variant.
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
                model = released_model(rules)
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
            best = afterstates[self._ranked(self._evaluator, afterstates, time_limit)[0][0]]
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
        for index, chances, loss, ply in self._ranked(self._evaluator, afterstates, time_limit):
            mine = chances[::-1]
            play = play_of(position.board, dice, afterstates[index], self.rules)
            probs = tuple(float(chance) for chance in nested(mine))
            candidates.append(Candidate(play, probs, float(mine @ POINTS), loss, ply))
        return candidates

    def cube_action(self, position: Position) -> CubeDecision:
        """Return the cube decision of a position, before the roll.

        For the player on roll it says whether to double, and what the right answer would be. If the position is that
        of a player who has been doubled, it is the doubler's decision, and `take` is the answer to give. In a match
        the equities are those of money play (a match equity table is not used yet), but a cube that cannot be turned
        is "not available".

        Easy never doubles, and takes unless it is more than a fifth behind in pips; it has no equities.
        """
        self._check(position)
        asked = position.turned() if position.doubled else position
        if self._evaluator is None:
            return _easy_cube(asked)
        return money_decision(asked, self._before_roll(self._evaluator, asked))

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
        self, evaluator: Evaluator, afterstates: Boards, time_limit: float | None
    ) -> list[tuple[int, np.ndarray, float, int]]:
        """Return (index, chances of the other player, loss, ply) of afterstates, best first."""
        deadline = None if time_limit is None else time.monotonic() + time_limit
        chances = evaluator.outcomes(afterstates)
        equity = chances @ POINTS
        order = np.argsort(equity, kind="stable")
        shallow = [(int(index), chances[index], float(equity[index] - equity[order[0]]), 0) for index in order]
        keep = self.level.candidates_of(np.zeros(len(afterstates), dtype=np.int64), equity)
        if self.level.ply == 0 or len(keep) < 2:
            return shallow
        ahead = []
        for index in keep:
            if deadline is not None and time.monotonic() >= deadline:
                return shallow  # values of different depth are not compared: all candidates count, or none
            ahead.append(outcomes_ahead(evaluator, afterstates[index : index + 1], self.level.ply)[0])
        deep_equity = np.array(ahead) @ POINTS
        best = int(np.argmin(deep_equity))
        deep = sorted(
            (int(index), ahead[at], float(deep_equity[at] - deep_equity[best]), self.level.ply)
            for at, index in enumerate(keep)
        )
        deep.sort(key=lambda one: one[2])
        looked_at = set(map(int, keep))
        base = equity[keep[best]]
        rest = [(i, c, float(equity[i] - base), 0) for i, c, _, _ in shallow if i not in looked_at]
        return [*deep, *rest]

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
