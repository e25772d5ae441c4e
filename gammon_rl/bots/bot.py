"""The bot: one position in, one play or cube decision out, with its reasons."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.clock import QUICK_BLOCK, Clock, OutOfTime, Stop, Timed
from gammon_rl.bots.cubeful import cube_ahead, seen_on_roll
from gammon_rl.bots.levels import HARD, LEVELS, NORMAL, Level, easy_takes
from gammon_rl.bots.search import chosen, outcomes_ahead
from gammon_rl.bots.surely import points_surely_lost
from gammon_rl.errors import (
    ConfigError,
    IllegalPlayError,
    InvalidNotationError,
    InvalidPositionError,
    ModelFileError,
)
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.exactly import WithBearoff, to_the_end
from gammon_rl.eval.model import load_model, released_model
from gammon_rl.eval.network import Floats as Outcomes, nested
from gammon_rl.eval.strongest import companion, strongest
from gammon_rl.rules.board import checkers_off, turn
from gammon_rl.rules.dice import checked_dice
from gammon_rl.rules.notation import Play, play_of
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import STANDARD, Boards, Variant, variant
from gammon_rl.stakes.cube import CubeDecision, CubeEquities
from gammon_rl.stakes.equity import turned_probs
from gammon_rl.stakes.worth import Stakes

_DOUBT: Final = 0.005  # an estimate, so a certain single game may look a little better than it is
_T = TypeVar("_T")


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
    """A player with a level, safe to ask from several threads at once.

    Every call that decides takes a `time_limit` in seconds and a `stop`. It looks 0 plies ahead first, then 1, and so
    on up to the level's depth, and answers by the last depth that it could finish. The clock is asked all through the
    search; only the first look, some 2 ms, is always made.

    Parameters
    ----------
    level : str or Level
        ``easy`` plays at random; ``novice`` and ``casual`` play by the model with errors, ``normal`` without;
        ``hard`` looks ahead. A depth may follow the last two, as in ``hard@3``.
    model : Evaluator, str or Path, optional
        A model, its file, or the name of a released one; by default the one released for the variant, and for
        ``hard`` the solved game instead where its file is at hand (Hypergammon).
    seed : int, optional
        Of its random choices.
    rules : Variant or str
        The variant it plays, or its name, such as ``nackgammon``.
    bearoff : bool, optional
        Whether to take the end of the race from the bear-off databases. By default they are used if they are there and
        sound, and nothing is ever built; True builds what is missing first; False does without.
    quick : Evaluator, optional
        A faster evaluator, which leaves only the best few replies inside the search for the model to look at; by
        default the companion of the released model, if that is what it plays by.

    Raises
    ------
    InvalidNotationError
        If there is no such level or variant.
    ConfigError
        If the seed is none.
    ModelFileError
        If the model cannot be used.
    DatabaseFileError
        If `bearoff` is True and there are none, and they cannot be built.
    """

    def __init__(
        self,
        level: str | Level = "hard",
        model: Evaluator | str | Path | None = None,
        seed: int | None = None,
        rules: Variant | str = STANDARD,
        *,
        bearoff: bool | None = None,
        quick: Evaluator | None = None,
    ) -> None:
        self.level = level if isinstance(level, Level) else _level(level)
        self.rules = rules = rules if isinstance(rules, Variant) else variant(rules)
        self._rng = _generator(seed)
        self._one_at_a_time = threading.Lock()  # for the generator; all else never changes
        self._evaluator: Evaluator | None = None
        if self.level.ply >= 0:
            if model is None:
                model = strongest(rules) if self.level.name == HARD.name else released_model(rules)
                if self.level.ply and quick is None:
                    quick = companion(model)
            evaluator = load_model(model, rules) if isinstance(model, (str, Path)) else model
            for made in filter(None, (evaluator, quick)):
                if (made.rules.name, made.rules.checkers) != (rules.name, rules.checkers):
                    raise ModelFileError(f"the model is made for {made.rules.name}, not for {rules.name}")
            self._evaluator = evaluator if bearoff is False else to_the_end(evaluator, build=bearoff is True)
        self._quick = quick

    def __repr__(self) -> str:
        return f"Bot({self.level.name!r}, ply={self.level.ply}, rules={self.rules.name})"

    @property
    def has_opinions(self) -> bool:
        """Whether it judges by an evaluator, so that it can analyse; Easy has none."""
        return self._evaluator is not None

    @property
    def evaluator(self) -> Evaluator:
        """What it judges by, bear-off databases included.

        Raises
        ------
        IllegalPlayError
            If it has none (Easy).
        """
        return self._judge("positions")

    @property
    def has_bearoff(self) -> bool:
        """Whether the end of the race comes from the bear-off databases."""
        return isinstance(self._evaluator, WithBearoff)

    def choose_play(
        self, position: Position, dice: tuple[int, int], time_limit: float | None = None, stop: Stop | None = None
    ) -> Play:
        """Return the play the bot makes.

        Parameters
        ----------
        position : Position
            The position of the player on roll.
        dice : (int, int)
            The roll.
        time_limit : float, optional
            Seconds it may take; 0 or less is as little as it can.
        stop : Stop, optional
            Such as a `threading.Event`: once it is set, from another thread, the call ends with what it knows by then.

        Returns
        -------
        Play
            A dance has no steps.

        Raises
        ------
        InvalidPositionError
            If the dice are none, the game is over, a double waits for its answer, or the position is of another
            variant.
        ConfigError
            If the time limit is no number of seconds.
        """
        clock = Clock.of(time_limit, stop)
        parents, afterstates = self._legal(position, dice)
        if not len(parents):
            best = turn(position.board)
        elif self._evaluator is None:
            best = afterstates[self._drawn(lambda rng: rng.integers(len(afterstates)))]
        elif len(parents) == 1:
            best = afterstates[0]
        else:
            ranked = self._ranked(self._evaluator, afterstates, Stakes.of(position), clock)
            best = afterstates[self._picked(ranked).index]
        return play_of(position.board, dice, best, self.rules)

    def choose_plays(self, positions: Sequence[Position], dice: Sequence[tuple[int, int]]) -> list[Play]:
        """Return the play the bot makes in each of several positions, as `choose_play` does without a limit.

        A level of 0 plies looks at all of them together, which takes a fraction of the time: the way to serve many
        tables at once. The others take one after the other.

        Parameters
        ----------
        positions : sequence of Position
            Positions of the players on roll. They may differ in cube, score and rules of the stakes.
        dice : sequence of (int, int)
            The roll of each.

        Raises
        ------
        InvalidPositionError
            As `choose_play`, if any of them is wrong, or there are not as many rolls as positions.
        """
        if len(positions) != len(dice):
            raise InvalidPositionError(f"every position has its roll, got {len(positions)} and {len(dice)}")
        if self._evaluator is None or self.level.ply:
            return [self.choose_play(position, roll) for position, roll in zip(positions, dice, strict=True)]
        for position in positions:
            self._check_turn(position)
        made = self._chosen(self._evaluator, positions, dice) if positions else ()
        return [
            play_of(position.board, roll, best, self.rules)
            for position, roll, best in zip(positions, dice, made, strict=True)
        ]

    def analyse(
        self, position: Position, dice: tuple[int, int], time_limit: float | None = None, stop: Stop | None = None
    ) -> list[Candidate]:
        """Return all legal plays, best first; those looked at deeper come before the others.

        A level that errs on purpose does so in its own play only, not here. The parameters are those of `choose_play`;
        writing all plays down takes its part of the time.

        Raises
        ------
        InvalidPositionError
            As `choose_play`.
        IllegalPlayError
            If the bot has no evaluator to judge by (Easy).
        """
        evaluator = self._judge("plays")
        clock = Clock.of(time_limit, stop)
        _, afterstates = self._legal(position, dice)
        plays = [play_of(position.board, dice, afterstate, self.rules) for afterstate in afterstates]
        candidates = []
        for one in self._ranked(evaluator, afterstates, Stakes.of(position), clock):
            probs = tuple(float(chance) for chance in nested(one.chances[::-1]))
            candidates.append(Candidate(plays[one.index], probs, one.equity, one.loss, one.ply))
        return candidates

    def cube_action(
        self, position: Position, time_limit: float | None = None, stop: Stop | None = None
    ) -> CubeDecision:
        """Return the cube decision of a position, before the roll.

        For the player on roll it says whether to double, and what the right answer would be. If the position is that
        of a player who has been doubled, it is the doubler's decision, and `take` is the answer to give.

        Easy never doubles, and takes unless it is more than a fifth behind in pips; it has no equities. A level that
        errs on purpose decides by equities with its error in them. A roll in the position is not looked at: the
        decision is the one before it. `time_limit` and `stop` are as in `choose_play`.
        """
        self._check(position)
        asked = position.turned() if position.doubled else position
        if self._evaluator is None:
            return _easy_cube(asked)
        cube = self._cube(self._evaluator, asked, Clock.of(time_limit, stop))
        if self.level.noise:
            # Two choices differ in one question: what a double changes.
            error = self._drawn(lambda rng: rng.normal(0, self.level.noise, 2))
            cube = replace(cube, nd=cube.nd + error[0], taken=cube.taken + error[1], beavered=cube.beavered + error[1])
        return cube.decision()

    def resignation(self, position: Position) -> int:
        """Return what the player on roll surely loses: 0 if anything can still happen, else 1, 2 or 3.

        It is what a player may offer to resign without giving anything away, before the roll: a single game, a gammon
        or a backgammon that no dice can avert any more. Under the Jacoby rule with the cube in the centre a lost game
        is a single one. A roll in the position is not looked at.

        Raises
        ------
        InvalidPositionError
            If a double waits for its answer, the game is over, or the position is of another variant.
        """
        self._check(position)
        self._refuse_doubled(position)
        single = position.jacoby and not position.match_length and position.cube_owner == "centre"
        lost = points_surely_lost(position.board, self.rules)
        return min(lost, 1) if single else lost

    def accepts(
        self, position: Position, level: int, time_limit: float | None = None, stop: Stop | None = None
    ) -> bool:
        """Return whether the bot accepts a resignation: unless playing on promises it more.

        Parameters
        ----------
        position : Position
            As the bot sees it; the other player, who would resign, is on roll.
        level : int
            What is offered: 1 a single game, 2 a gammon, 3 a backgammon.
        time_limit, stop
            As in `choose_play`.

        Raises
        ------
        InvalidPositionError
            If the level is none of these, or as `choose_play`.
        """
        self._check(position)
        self._refuse_doubled(position)
        if level not in (1, 2, 3):
            raise InvalidPositionError(f"a resignation is 1, 2 or 3 games, got {level!r}")
        mine, theirs = checkers_off(position.board, self.rules).tolist()
        if level == 3 or theirs:  # nothing more can be won
            return True
        if self._evaluator is None:
            return level == 2 or mine == 0  # Easy lets nobody off who has all checkers left while it bears off
        stakes = Stakes.of(position)
        cube = self._cube(self._evaluator, position.turned(), Clock.of(time_limit, stop))
        playing_on = float(stakes.equity(stakes.other_side(cube.worth)))
        return float(stakes.equity(stakes.worth(level))) >= playing_on - _DOUBT

    def probs(
        self, position: Position, time_limit: float | None = None, stop: Stop | None = None
    ) -> NDArray[np.float32]:
        """Return the nested chances of the player on roll before rolling, float32 (5,), at the level's depth.

        `time_limit` and `stop` are as in `choose_play`.
        """
        evaluator = self._judge("positions")
        self._check(position)
        asked = position.turned() if position.doubled else position
        clock, board = Clock.of(time_limit, stop), asked.board[None]
        chances = self._deepening(evaluator, clock, lambda judge, quick, ply: outcomes_ahead(judge, board, ply, quick))
        probs: NDArray[np.float32] = nested(chances)[0]
        return turned_probs(probs) if position.doubled else probs

    def _cube(self, evaluator: Evaluator, position: Position, clock: Clock) -> CubeEquities:
        """Return the equities of the player on roll, as deep as the level and the clock allow."""
        board, stakes = position.board, Stakes.of(position)
        return self._deepening(evaluator, clock, lambda judge, quick, ply: cube_ahead(judge, board, stakes, ply, quick))

    def _deepening(
        self, evaluator: Evaluator, clock: Clock, look: Callable[[Evaluator, Evaluator | None, int], _T]
    ) -> _T:
        """Return what is seen at the level's depth, or at the last one before the time was up."""
        ply = self.level.ply
        if clock.end is None and clock.stop is None:
            return look(evaluator, self._quick, ply)
        found = look(evaluator, None, 0)
        watched, quick = self._watched(evaluator, clock)
        try:
            for depth in range(1, ply + 1):
                found = look(watched, quick, depth)
        except OutOfTime:
            pass
        return found

    def _watched(self, evaluator: Evaluator, clock: Clock) -> tuple[Evaluator, Evaluator | None]:
        """Return the evaluator and its quick companion, if there is one, as they mind a clock."""
        return Timed(evaluator, clock), self._quick and Timed(self._quick, clock, QUICK_BLOCK)

    def _ranked(self, evaluator: Evaluator, afterstates: Boards, stakes: Stakes, clock: Clock) -> list["_Ranked"]:
        """Return afterstates, best first; those looked at deeper come before the others."""
        if not len(afterstates):
            return []
        stakes = stakes.turned()  # the other player is on roll there
        layers = [_seen(evaluator, None, afterstates, np.arange(len(afterstates)), stakes, 0)]
        watched, quick = self._watched(evaluator, clock)
        for ply in range(1, self.level.ply + 1):
            found = layers[-1]
            behind = np.array([-one.equity for one in found], dtype=np.float32)
            kept = self.level.candidates_of(np.zeros(len(found), dtype=np.int64), behind, ply - 1)
            if len(kept) < 2:
                break
            numbers = np.array([found[at].index for at in kept])
            try:
                layers.append(_seen(watched, quick, afterstates[numbers], numbers, stakes, ply))
            except OutOfTime:
                break  # values of different depth are not compared: all candidates count, or none
        return _in_order(layers)

    def _chosen(self, evaluator: Evaluator, positions: Sequence[Position], dice: Sequence[tuple[int, int]]) -> Boards:
        """Return the afterstates chosen at 0 plies, int8 (N, 26)."""
        boards = np.stack([position.board for position in positions])
        parents, afterstates = legal_plays(boards, checked_dice(dice, len(boards)), self.rules)
        seen = evaluator.outcomes(afterstates)
        alike: dict[tuple[bool, ...], list[int]] = {}
        for number, position in enumerate(positions):
            alike.setdefault(_kind_of_stakes(position), []).append(number)
        equity = np.empty(len(parents), dtype=np.float32)
        for numbers in alike.values():
            place = np.full(len(boards), -1)
            place[numbers] = np.arange(len(numbers))
            rows = np.flatnonzero(place[parents] >= 0)
            theirs = Stakes.of_all([positions[at] for at in numbers]).rows(place[parents[rows]]).turned()
            worth = seen_on_roll(evaluator, afterstates[rows], theirs, seen=seen[rows])[1]
            equity[rows] = theirs.equity(worth)
        if self.level.noise:
            equity += self._drawn(lambda rng: rng.normal(0, self.level.noise, len(equity)))
        return chosen(boards, parents, afterstates, equity)

    def _picked(self, ranked: list["_Ranked"]) -> "_Ranked":
        """Return the best of the deepest, as the level sees it with its error."""
        if not self.level.noise:
            return ranked[0]
        deepest = [one for one in ranked if one.ply == ranked[0].ply]
        error = self._drawn(lambda rng: rng.normal(0, self.level.noise, len(deepest)))
        return deepest[int(np.argmax([one.equity for one in deepest] + error))]

    def _drawn(self, draw: Callable[[np.random.Generator], _T]) -> _T:
        with self._one_at_a_time:
            return draw(self._rng)

    def _judge(self, what: str) -> Evaluator:
        if self._evaluator is None:
            raise IllegalPlayError(f"the easy bot has no opinion on {what}; normal and hard have one")
        return self._evaluator

    def _legal(self, position: Position, dice: tuple[int, int]) -> tuple[np.ndarray, Boards]:
        self._check_turn(position)
        return legal_plays(position.board[None], checked_dice(dice, 1), self.rules)

    def _check_turn(self, position: Position) -> None:
        self._check(position)
        self._refuse_doubled(position)

    def _refuse_doubled(self, position: Position) -> None:
        if position.doubled:
            raise InvalidPositionError("a double is on offer: it is answered (cube_action) before anything else")

    def _check(self, position: Position) -> None:
        if not isinstance(position, Position):
            raise InvalidPositionError(f"expected a Position, got {position!r}; Position.parse reads texts")
        if position.rules.name != self.rules.name:
            raise InvalidPositionError(f"the bot plays {self.rules.name}, the position is of {position.rules.name}")
        counts = position.board.tolist()  # for one board its numbers are quicker than arrays
        if not min(counts) < 0 < max(counts):
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
    evaluator: Evaluator,
    quick: Evaluator | None,
    afterstates: Boards,
    numbers: NDArray[np.int64],
    stakes: Stakes,
    ply: int,
) -> list[_Ranked]:
    """Return afterstates as they look at a depth, best first; the stakes are the other player's."""
    chances, worth = seen_on_roll(evaluator, afterstates, stakes, ply, quick)
    mine = stakes.turned()
    equity = mine.equity(mine.other_side(worth))
    order = np.argsort(-equity, kind="stable")
    return [
        _Ranked(int(numbers[at]), chances[at], float(equity[at]), float(equity[order[0]] - equity[at]), ply)
        for at in order
    ]


def _in_order(layers: list[list[_Ranked]]) -> list[_Ranked]:
    """Return all afterstates, each as it was seen deepest, from their layers by depth, the deepest one first.

    What was left behind at a depth loses what it is behind the best one there.
    """
    ranked = list(layers[-1])
    for deeper, layer in pairwise(reversed(layers)):
        kept = {one.index for one in deeper}
        best = next(one.equity for one in layer if one.index == ranked[0].index)
        ranked += [replace(one, loss=best - one.equity) for one in layer if one.index not in kept]
    return ranked


def _kind_of_stakes(position: Position) -> tuple[bool, ...]:
    """Return what the stakes of positions have to share that are looked at together (see `Stakes`)."""
    money = not position.match_length
    return money, money and position.jacoby, money and position.beavers


def _easy_cube(position: Position) -> CubeDecision:
    """Never double, and take by the pips."""
    doubler, answerer = position.pips
    take = bool(easy_takes(doubler, answerer))
    return CubeDecision(0.0, 0.0, 1.0, False, take, False, f"no double/{'take' if take else 'pass'}")


def _generator(seed: int | None) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ConfigError(f"seed must be a whole number from 0 on, or None, got {seed!r}") from None


def _level(text: str) -> Level:
    if not isinstance(text, str):
        raise InvalidNotationError(f"level {text!r}: expected its name")
    base, at, plies = text.lower().partition("@")
    deep = (NORMAL.name, HARD.name)
    if base not in LEVELS or (at and (plies not in ("0", "1", "2", "3") or base not in deep)):
        raise InvalidNotationError(
            f"level {text!r}: expected {', '.join(LEVELS)}, the last two with @0 to @3 if you like"
        )
    return LEVELS[base].at(int(plies)) if at else LEVELS[base]
