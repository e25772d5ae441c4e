"""Two players at many tables side by side: games or matches, with the cube or without, in pairs with mirrored dice.

The two tables of a pair have the same dice at the same turn of the same game, and the players have changed seats. So
luck cancels, and a player against itself scores exactly zero. A table goes on by one turn at a time: perhaps a double
and its answer, then the roll and the play. Tables may be at different turns, games, cubes and scores.

Legend: P pairs; N tables, of which the first P have the first player in seat 0; a player is 0 or 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.luck import luck
from gammon_rl.bots.player import CubePlayer, Player
from gammon_rl.errors import PlayerUnavailableError, TableError
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.rules.board import results
from gammon_rl.rules.dice import Dice, opening_roll, roll
from gammon_rl.rules.position import LONGEST_MATCH
from gammon_rl.rules.variants import STANDARD, Boards, Variant
from gammon_rl.stakes.worth import CUBE_LIMIT, Bools, Ints, Stakes

_LEVELS: Final = 3  # single game, gammon, backgammon


@dataclass(frozen=True)
class Terms:
    """What is played for.

    Attributes
    ----------
    match_length : int
        Points a match goes to, 1 to 25, with the Crawford rule; 0 plays single games for money.
    cube : bool
        Whether there is a doubling cube. Without one it is money play in which gammons always count.
    doublers : (bool, bool)
        Whether the first and the second player ever offer a double. One who does not may take, drop and beaver.
    jacoby, beavers : bool
        For money: gammons count only once a double was taken; a doubled player may redouble at once.
    rules : Variant
        The variant played.

    Raises
    ------
    TableError
        If the match has another length, or no cube.
    """

    match_length: int = 0
    cube: bool = True
    doublers: tuple[bool, bool] = (True, True)
    jacoby: bool = True
    beavers: bool = False
    rules: Variant = STANDARD

    def __post_init__(self) -> None:
        if not 0 <= self.match_length <= LONGEST_MATCH:
            raise TableError(f"a match goes to 1 to {LONGEST_MATCH} points (0 is money), got {self.match_length}")
        if self.match_length and not self.cube:
            raise TableError("a match is played with the cube; to leave it alone, let nobody double")

    def stakes(self) -> Stakes:
        """Return what the first game is played for."""
        if self.match_length:
            return Stakes.match(self.match_length, self.match_length)
        return Stakes.money(jacoby=self.jacoby, beavers=self.beavers)


@dataclass(eq=False)
class Played:
    """What came of games at paired tables, counted while they are played; `joined` puts blocks of pairs together.

    Attributes
    ----------
    points : int64 (2, P)
        The points of the first player less those of the second, at both tables of each pair.
    luck : float64 (2, P)
        The luck of the first player less that of the second, in points; 0 without a judge.
    games, plies : int
        Games, and turns with a roll in them, of all tables.
    wins : int64 (2, 3)
        Games won by each player as a single game, gammon, backgammon, as they counted.
    doubles, takes, drops, beavers : int64 (2,)
        By each player, of all games; a beaver is a take as well.
    cubes : int
        Sum over the games of what the cube showed in the end.
    """

    points: Ints
    luck: NDArray[np.float64]
    games: int = 0
    plies: int = 0
    wins: Ints = field(default_factory=lambda: np.zeros((2, _LEVELS), dtype=np.int64))
    doubles: Ints = field(default_factory=lambda: np.zeros(2, dtype=np.int64))
    takes: Ints = field(default_factory=lambda: np.zeros(2, dtype=np.int64))
    drops: Ints = field(default_factory=lambda: np.zeros(2, dtype=np.int64))
    beavers: Ints = field(default_factory=lambda: np.zeros(2, dtype=np.int64))
    cubes: int = 0


def joined(blocks: Sequence[Played]) -> Played:
    """Return several blocks of pairs as one."""
    columns: dict[str, list[Any]] = {one.name: [getattr(block, one.name) for block in blocks] for one in fields(Played)}
    tables: dict[str, Any] = {name: np.concatenate(columns.pop(name), axis=1) for name in ("points", "luck")}
    counts: dict[str, Any] = {name: sum(values) for name, values in columns.items()}
    return Played(**tables, **counts)


class PairedDice:
    """The dice of pairs: the same at both tables of a pair for the same turn of the same game.

    Whatever happened before, in the game or in the match, changes none of them.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where they come from; the first game draws from it, each later one from a child of it.
    pairs : int
        How many pairs.
    """

    def __init__(self, rng: np.random.Generator, pairs: int) -> None:
        self._rng, self._pairs = rng, pairs
        self._games: list[tuple[np.random.Generator, list[Dice]]] = []

    def at(self, pairs: Ints, games: Ints, turns: Ints) -> Dice:
        """Return rolls, int64 (N, 2), for pairs, games and turns (N,), all counted from 0.

        Turn 0 is the opening roll, never a double, the die of seat 0 first.
        """
        rolled = np.empty((len(pairs), 2), dtype=np.int64)
        for game, turn in set(zip(games.tolist(), turns.tolist(), strict=True)):
            here = (games == game) & (turns == turn)
            rolled[here] = self._rolls(game, turn)[pairs[here]]
        return rolled

    def _rolls(self, game: int, turn: int) -> Dice:
        while len(self._games) <= game:
            self._games.append((self._rng.spawn(1)[0] if self._games else self._rng, []))
        rng, rolls = self._games[game]
        while len(rolls) <= turn:
            rolls.append(roll(rng, self._pairs) if rolls else opening_roll(rng, self._pairs))
        return rolls[turn]


def play_pairs(
    first: Player,
    second: Player,
    pairs: int,
    dice: PairedDice,
    terms: Terms,
    *,
    judge: Evaluator | None = None,
    progress: Callable[[int], None] = lambda tables: None,
) -> Played:
    """Play pairs of games, or of matches, to the end.

    Parameters
    ----------
    first, second : Player
        The players.
    pairs : int
        How many pairs.
    dice : PairedDice
        Their dice.
    terms : Terms
        What is played for.
    judge : Evaluator, optional
        What values the luck of each roll, without a cube; see `gammon_rl.bots.luck`.
    progress : callable
        Told after each turn how many tables are done.

    Raises
    ------
    PlayerUnavailableError
        If there is a cube and a player who does not know it.
    """
    doublers = None
    if terms.cube:
        if not (isinstance(first, CubePlayer) and isinstance(second, CubePlayer)):
            raise PlayerUnavailableError(f"{first.name} against {second.name}: not both know the cube")
        doublers = first, second
    tables = _Tables(pairs, dice, terms)
    while not tables.over.all():
        tables.take_turns((first, second), doublers, judge)
        progress(int(tables.over.sum()))
    return tables.tally


class _Tables:
    """The state of all tables; everything of shape (N,) but the boards and the scores."""

    def __init__(self, pairs: int, dice: PairedDice, terms: Terms) -> None:
        tables = 2 * pairs
        self._dice, self._terms = dice, terms
        self._pair, self._seat_of_first = np.arange(tables) % pairs, np.arange(tables) // pairs
        self.over = np.zeros(tables, dtype=np.bool_)
        self._score = np.zeros((tables, 2), dtype=np.int64)  # by player
        self._game = np.full(tables, -1)
        self._after_crawford = np.zeros(tables, dtype=np.bool_)
        self._crawford = np.zeros(tables, dtype=np.bool_)
        self._turn = np.zeros(tables, dtype=np.int64)
        self._mover = np.zeros(tables, dtype=np.int64)  # the player on roll
        self._boards = np.empty((tables, 26), dtype=np.int8)  # the player on roll's view, as is the owner
        self._cube = np.ones(tables, dtype=np.int64)
        self._owner = np.zeros(tables, dtype=np.int64)
        self._begin(np.arange(tables))
        self.tally = Played(np.zeros((2, pairs), dtype=np.int64), np.zeros((2, pairs)))
        self._points, self._luck = self.tally.points.reshape(-1), self.tally.luck.reshape(-1)  # the same memory

    def take_turns(
        self, players: tuple[Player, Player], doublers: tuple[CubePlayer, CubePlayer] | None, judge: Evaluator | None
    ) -> None:
        """Let every table that is not over go on by one turn; `doublers` are the players again, if there is a cube."""
        live = np.flatnonzero(~self.over)
        dice = self._dice.at(self._pair[live], self._game[live], self._turn[live])
        opening = self._turn[live] == 0
        begins = live[opening]
        self._mover[begins] = (dice[opening, 0] < dice[opening, 1]) ^ self._seat_of_first[begins]
        turns = [(live[mine], dice[mine]) for mine in (self._mover[live] == player for player in (0, 1))]
        for player, (rows, rolled) in enumerate(turns):  # a table that has been played at is the other player's
            if doublers:
                keep = self._going_on(player, rows, doublers)
                rows, rolled = rows[keep], rolled[keep]
            if not rows.size:
                continue
            if judge:
                self._count_luck(player, rows, rolled, judge)
            boards = self._boards[rows]
            if doublers:
                made = doublers[player].choose(boards, rolled, self._stakes(player, rows))
            else:
                made = players[player].choose(boards, rolled)
            self._played(player, rows, made)

    def _going_on(self, player: int, rows: Ints, players: tuple[CubePlayer, CubePlayer]) -> Bools:
        """Let the player on roll double and the other one answer; return at which tables the game goes on."""
        keep = np.ones(len(rows), dtype=np.bool_)
        if not self._terms.doublers[player]:
            return keep
        asked = np.flatnonzero((self._turn[rows] > 0) & self._stakes(player, rows).may_double)
        if asked.size:
            at = rows[asked]
            asked = asked[players[player].doubles(self._boards[at], self._stakes(player, at))]
        if asked.size:
            at, tally = rows[asked], self.tally
            taken, beavered = players[1 - player].answers(self._boards[at], self._stakes(player, at))
            may_beaver = self._terms.beavers & (self._terms.match_length == 0) & (4 * self._cube[at] <= CUBE_LIMIT)
            beavered = taken & beavered & may_beaver
            tally.doubles[player] += asked.size
            for count, which in ((tally.takes, taken), (tally.drops, ~taken), (tally.beavers, beavered)):
                count[1 - player] += which.sum()
            self._end(player, at[~taken], np.ones((~taken).sum(), dtype=np.int64))
            self._cube[at[taken]] *= np.where(beavered, 4, 2)[taken]
            self._owner[at[taken]] = -1
            keep[asked[~taken]] = False
        return keep

    def _count_luck(self, player: int, rows: Ints, dice: Dice, judge: Evaluator) -> None:
        """Add up the luck of the rolls; without a cube all tables are at the same turn."""
        lucky = luck(judge, self._boards[rows], dice, opening=bool(self._turn[rows[0]] == 0))
        self._luck[rows] += lucky if player == 0 else -lucky

    def _played(self, player: int, rows: Ints, made: Boards) -> None:
        """Go on after the plays of a player."""
        self._boards[rows] = made
        self._owner[rows] *= -1
        self._mover[rows] = 1 - player
        self._turn[rows] += 1
        self.tally.plies += len(rows)
        level = -results(made, self._terms.rules).astype(np.int64)
        ended = level > 0
        self._end(player, rows[ended], level[ended])

    def _end(self, winner: int, rows: Ints, level: Ints) -> None:
        """End games won at a level, and begin the next ones of matches."""
        terms = self._terms
        if terms.jacoby and terms.cube and not terms.match_length:
            level = np.where(self._owner[rows] == 0, 1, level)
        points = level * self._cube[rows]
        self._score[rows, winner] += points
        self._points[rows] += points if winner == 0 else -points
        self.tally.wins[winner] += np.bincount(level - 1, minlength=_LEVELS)
        self.tally.games += len(rows)
        self.tally.cubes += int(self._cube[rows].sum())
        self._after_crawford[rows] |= self._crawford[rows]
        over = self._score[rows].max(axis=1, initial=0) >= max(1, terms.match_length)
        self.over[rows[over]] = True
        self._begin(rows[~over])

    def _begin(self, rows: Ints) -> None:
        """Set up the next game."""
        length = self._terms.match_length
        self._boards[rows] = self._terms.rules.start()
        self._cube[rows], self._owner[rows], self._turn[rows] = 1, 0, 0
        self._game[rows] += 1
        at_match_point = self._score[rows].max(axis=1, initial=0) == length - 1
        self._crawford[rows] = at_match_point & ~self._after_crawford[rows] & (length > 1)

    def _stakes(self, player: int, rows: Ints) -> Stakes:
        """Return what is played for as a player on roll sees it."""
        terms, cube, owner = self._terms, self._cube[rows], self._owner[rows]
        if not terms.match_length:
            return Stakes.money(cube, owner, jacoby=terms.jacoby, beavers=terms.beavers)
        needs = terms.match_length - self._score[rows]
        return Stakes.match(needs[:, player], needs[:, 1 - player], cube, owner, crawford=self._crawford[rows])
