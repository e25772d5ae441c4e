"""The arena: two players over many games or matches, on mirrored dice, and what it says of their strength.

Games come in pairs with the same dice, once with either player moving first, so that luck cancels: a player against
itself scores exactly zero.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.bots.pairs import PairedDice, Played, Terms, joined, play_pairs
from gammon_rl.bots.player import CubePlayer, Player
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.rules.variants import STANDARD, Variant

_PAIRS_AT_ONCE: Final = 512
_FEWEST_AT_ONCE: Final = 16


@dataclass(frozen=True)
class ArenaResult:
    """What a meeting came to, from the first player's side.

    Attributes
    ----------
    first, second : str
        The players.
    games : int
        Games played, two for each roll sequence.
    points : float
        Mean points a game.
    interval : float or None
        Half the width of the 95 % interval of `points`, from the spread of the pairs; None for a single pair.
    wins, gammons, backgammons : float
        Shares of games won by the first player: at all, with a gammon or better, with a backgammon.
    losses, lost_gammons, lost_backgammons : float
        The same for the second.
    plies : float
        Mean plies a game.
    adjusted, adjusted_interval : float or None
        Mean points a game less the luck of the dice, and half the width of its 95 % interval; None where the luck was
        not asked for.
    """

    first: str
    second: str
    games: int
    points: float
    interval: float | None
    wins: float
    gammons: float
    backgammons: float
    losses: float
    lost_gammons: float
    lost_backgammons: float
    plies: float
    adjusted: float | None = None
    adjusted_interval: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class CubeUse:
    """What a player did with the cube, each a number a game.

    Attributes
    ----------
    doubles, takes, drops : float
        Doubles, first ones and redoubles; doubles of the other player taken, and dropped.
    beavers : float
        Takes that were beavers.
    """

    doubles: float
    takes: float
    drops: float
    beavers: float


@dataclass(frozen=True)
class CubefulResult:
    """What a meeting with the cube came to, from the first player's side.

    Attributes
    ----------
    first, second : str
        The players.
    match_length : int
        Points a match went to; 0 for money games.
    games, matches : int
        Games and matches played to the end, two for each sequence of dice; no matches in play for money.
    points : float
        Mean points a game.
    matches_won : float or None
        The share of matches won by the first player; None in play for money.
    interval : float or None
        Half the width of the 95 % interval, from the spread of the pairs, of `matches_won`, or of `points` in play for
        money; None for a single pair.
    wins, gammons, backgammons : float
        Shares of games won by the first player: at all (by a drop as well), with a gammon or better, with a
        backgammon. A gammon that does not count, by the Jacoby rule, is none.
    losses, lost_gammons, lost_backgammons : float
        The same for the second.
    plies : float
        Mean plies a game.
    mean_cube : float
        What the cube showed at the end of a game, on average.
    first_cube, second_cube : CubeUse
        What either player did with it.
    """

    first: str
    second: str
    match_length: int
    games: int
    matches: int
    points: float
    matches_won: float | None
    interval: float | None
    wins: float
    gammons: float
    backgammons: float
    losses: float
    lost_gammons: float
    lost_backgammons: float
    plies: float
    mean_cube: float
    first_cube: CubeUse
    second_cube: CubeUse

    def as_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        return asdict(self)


def meet(
    first: Player,
    second: Player,
    games: int,
    *,
    seed: int = 1,
    rules: Variant = STANDARD,
    judge: Evaluator | None = None,
    progress: Callable[[int], None] = lambda games: None,
) -> ArenaResult:
    """Let two players meet over cubeless money games.

    Parameters
    ----------
    first, second : Player
        The players; they stay open.
    games : int
        How many games; an odd number is rounded up, since they come in pairs.
    seed : int
        Of the dice.
    rules : Variant
        The variant played.
    judge : Evaluator, optional
        What values the luck of each roll, to be taken out of the result (see `gammon_rl.bots.luck`): a narrower
        interval for some twenty times the evaluations.
    progress : callable
        Told the games finished so far, now and then.

    Returns
    -------
    ArenaResult
        Of all games, or after Ctrl-C of those finished by then (of none, the interrupt goes on).
    """
    played = _play(first, second, games, Terms(cube=False, rules=rules), seed, judge, progress)
    points, interval = _mean_of_pairs(played.points)
    adjusted, adjusted_interval = _mean_of_pairs(played.points - played.luck) if judge else (None, None)
    return ArenaResult(
        first.name,
        second.name,
        played.games,
        points,
        interval,
        *_shares(played),
        played.plies / played.games,
        adjusted,
        adjusted_interval,
    )


def meet_cubeful(
    first: CubePlayer,
    second: CubePlayer,
    count: int,
    terms: Terms | None = None,
    *,
    seed: int = 1,
    progress: Callable[[int], None] = lambda count: None,
) -> CubefulResult:
    """Let two players meet over games for money with the cube, or over matches.

    Parameters
    ----------
    first, second : CubePlayer
        The players; they stay open.
    count : int
        How many games, or matches; an odd number is rounded up, since they come in pairs.
    terms : Terms, optional
        What is played for: by default money, with the Jacoby rule and without beavers.
    seed : int
        Of the dice.
    progress : callable
        Told the games or matches finished so far, now and then.

    Returns
    -------
    CubefulResult
        Of all games or matches, or after Ctrl-C of those finished by then (of none, the interrupt goes on).

    Examples
    --------
    >>> from gammon_rl.bots.player import RandomPlayer
    >>> terms = Terms(match_length=3)
    >>> result = meet_cubeful(RandomPlayer(STANDARD, 1), RandomPlayer(STANDARD, 2), 10, terms)
    >>> result.matches, result.mean_cube, result.first_cube.doubles
    (10, 1.0, 0.0)
    """
    terms = terms or Terms()
    played = _play(first, second, count, terms, seed, None, progress)
    length = terms.match_length
    matches_won, interval = _mean_of_pairs(played.points > 0) if length else (None, _mean_of_pairs(played.points)[1])
    counts = np.stack([played.doubles, played.takes, played.drops, played.beavers], axis=1) / played.games
    first_cube, second_cube = (CubeUse(*use) for use in counts.tolist())
    return CubefulResult(
        first.name,
        second.name,
        length,
        played.games,
        played.points.size if length else 0,
        float(played.points.sum()) / played.games,
        matches_won,
        interval,
        *_shares(played),
        played.plies / played.games,
        played.cubes / played.games,
        first_cube,
        second_cube,
    )


def _play(
    first: Player,
    second: Player,
    count: int,
    terms: Terms,
    seed: int,
    judge: Evaluator | None,
    progress: Callable[[int], None],
) -> Played:
    """Play `count` games or matches, in blocks of pairs."""
    rng = np.random.default_rng(seed)
    blocks: list[Played] = []
    pairs, done = (count + 1) // 2, 0
    try:
        while done < pairs:
            # An interrupt loses the pairs under way, so they are a tenth of all at most.
            at_once = min(_PAIRS_AT_ONCE, max(_FEWEST_AT_ONCE, pairs // 10), pairs - done)

            def told(ended: int, before: int = 2 * done) -> None:
                progress(before + ended)

            dice = PairedDice(rng, at_once)
            blocks.append(play_pairs(first, second, at_once, dice, terms, judge=judge, progress=told))
            done += at_once
    except KeyboardInterrupt:
        if not blocks:
            raise
    return joined(blocks)


def _mean_of_pairs(scores: NDArray[Any]) -> tuple[float, float | None]:
    """Return the mean of scores (2, pairs) and half the width of its 95 % interval, None for a single pair."""
    means = scores.astype(np.float64).mean(axis=0)
    return float(means.mean()), float(1.96 * means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else None


def _shares(played: Played) -> tuple[float, float, float, float, float, float]:
    """Return the shares of games won by the first player, with gammons or better, with backgammons; then lost."""
    at_least = played.wins[:, ::-1].cumsum(axis=1)[:, ::-1] / played.games
    wins, gammons, backgammons, losses, lost_gammons, lost_backgammons = at_least.reshape(-1).tolist()
    return wins, gammons, backgammons, losses, lost_gammons, lost_backgammons
