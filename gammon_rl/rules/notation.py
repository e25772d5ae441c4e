"""Plays as text: written in one way, read in many.

A step is written from/to in the mover's own numbers, `bar` and `off` for the ends and `*` after a hit: `8/5 6/5`,
`bar/22 24/18*`, `6/off`. A checker moved by both dice is two steps. Reading also takes merged runs (`24/14`,
`24/18/14`), repeat counts (`6/4(2)`), 25 and 0 for the ends, any letter case, any order, commas, and no stars.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gammon_rl.errors import IllegalPlayError, InvalidNotationError
from gammon_rl.rules.board import MY_BAR, OFF, THEIR_BAR, turn
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.steps import HOME, Move, Step, dice_to_play, moved, play_steps, step_from, steps_by_die
from gammon_rl.rules.variants import STANDARD, Boards, Variant

DANCE: Final = "dance"
"""What is written for a turn in which nothing can be played."""

_DANCES: Final = {"", DANCE, "dances", "pass", "cannot move", "can't move", "no move", "no play"}
_POINT: Final = r"(?:\d{1,2}|bar|off)"
_RUN: Final = re.compile(rf"({_POINT}(?:/{_POINT}\*?)+)(?:\(([1-4])\)(\*?))?", re.ASCII)
_SHOWN: Final = 4  # how many legal plays an error lists


@dataclass(frozen=True, eq=False)
class Play:
    """A whole turn. Two plays with the same result are the same play.

    Attributes
    ----------
    afterstate : int8 (26,)
        The board after the play, turned: the other side is on roll. Read-only.
    steps : tuple of Step
        The steps in an order in which they can be made; none for a dance.
    text : str
        The steps as text, or ``dance``.
    """

    afterstate: Boards
    steps: tuple[Step, ...]
    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Play) and bool(np.array_equal(self.afterstate, other.afterstate))

    def __hash__(self) -> int:
        return hash(self.afterstate.tobytes())

    def __str__(self) -> str:
        return self.text


def play_of(board: ArrayLike, dice: ArrayLike, afterstate: ArrayLike, rules: Variant = STANDARD) -> Play:
    """Return the play that leads from a board to one of its legal results, with its steps and its text.

    Parameters and errors are those of `play_steps`; a result equal to the turned board is a dance.

    Examples
    --------
    >>> _, afterstates = legal_plays(STANDARD.start()[None], (6, 5))
    >>> sorted(play_of(STANDARD.start(), (6, 5), afterstate).text for afterstate in afterstates)[-2:]
    ['24/18 8/3', '8/3 8/2']
    """
    steps = play_steps(board, dice, afterstate, rules)
    result = np.array(afterstate, dtype=np.int8)
    result.setflags(write=False)
    return Play(result, steps, format_play(steps))


def format_play(steps: Iterable[Step]) -> str:
    """Return the text of steps: the highest point first, of two steps from one point the shorter one first.

    Examples
    --------
    >>> format_play([Step(24, 18, hit=True), Step(25, 22)])
    'bar/22 24/18*'
    >>> format_play([])
    'dance'
    """
    ordered = sorted(steps, key=lambda step: (-step.start, -step.end))
    return " ".join(map(_step_text, ordered)) or DANCE


def _step_text(step: Step) -> str:
    return _leg_text(step.start, step.end) + "*" * step.hit


def _leg_text(start: int, end: int) -> str:
    return f"{'bar' if start == MY_BAR else start}/{'off' if end == OFF else end}"


def parse_play(text: str, board: ArrayLike, dice: ArrayLike, rules: Variant = STANDARD) -> Play:
    """Return the legal play that a text means.

    A text means the plays whose result it describes, however they could be made: `4/off` is understood where two
    steps take that checker off. A run that leaves the way open (`24/14` with 6-4) goes by the stop that hits less,
    unless a star asks for a hit; a star needs a hit at its stop, or on the way there if the stops on it are not
    named. Where that still leaves two plays (either stop hits another checker) the text is refused.

    Parameters
    ----------
    text : str
        The play. Empty, ``dance``, ``pass`` or ``cannot move`` say that nothing can be played.
    board : array_like of int, shape (26,)
        The board as the player on roll sees it.
    dice : array_like of int, shape (2,)
        The roll.
    rules : Variant
        The variant played.

    Raises
    ------
    InvalidNotationError
        If the text is not a play, or two different ones.
    IllegalPlayError
        If it is understood but not allowed; the message says why, and names the legal plays nearest to it.

    Examples
    --------
    >>> parse_play("24/14", STANDARD.start(), (6, 4)).text
    '24/18 18/14'
    >>> parse_play("6/5, 8/5", STANDARD.start(), (3, 1)).text
    '8/5 6/5'
    >>> parse_play("8/5", STANDARD.start(), (3, 1))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gammon_rl.errors.IllegalPlayError: '8/5' is not legal with 3-1: both dice must be played; near to it: ...
    """
    here: list[int] = np.asarray(board).tolist()
    legal = turn(legal_plays(np.asarray(board)[None], dice, rules)[1])
    legs = _legs(text)
    if not legs and not len(legal):
        return play_of(here, dice, turn(np.asarray(board)), rules)

    ends = set(map(tuple, legal.tolist()))
    readings = [reading for reading in _readings(here, legs, dice_to_play(dice)) if reading.result in ends]
    meant = [reading for reading in readings if reading.has_every_star]
    if not meant:
        roll = dice_to_play(dice)
        reason = "a star stands where nothing is hit" if readings else _reason(here, legs, roll, legal, rules)
        near = [play_of(here, dice, turn(result), rules).text for result in _nearest(here, legs, legal)]
        raise IllegalPlayError(
            f"{text!r} is not legal with {roll[0]}-{roll[1]}: {reason}; near to it: {', '.join(near) or DANCE}"
        )
    fewest = min(len(reading.hits) for reading in meant)
    results = {reading.result for reading in meant if len(reading.hits) == fewest}
    plays = [play_of(here, dice, turn(np.array(result)), rules) for result in sorted(results)]
    if len(plays) > 1:
        both = " or ".join(play.text for play in plays)
        raise InvalidNotationError(f"{text!r} can mean {both}; name the points on the way")
    return plays[0]


class _Leg(NamedTuple):
    """A part of a run between two named points, made by one die or more."""

    start: int
    end: int
    starred: bool


class _Reading(NamedTuple):
    """One choice of dice for a text: the board it leads to (not turned), and the points where it hits."""

    result: tuple[int, ...]
    hits: frozenset[int]
    has_every_star: bool


def _legs(text: str) -> list[_Leg]:
    """Return the legs a text names, none for a dance, or say why it is not a play."""
    plain = " ".join(text.casefold().replace(",", " ").split())
    if plain in _DANCES:
        return []
    legs = []
    for word in re.sub(r" ?/ ?| (?=[(*])", lambda space: space[0].strip(), plain).split():
        match = _RUN.fullmatch(word)
        if not match:
            raise InvalidNotationError(
                f"{text!r} is not a play: {word!r} should be like 8/5, bar/22*, 24/18/14, 6/4(2) or 6/off"
            )
        run, repeats, last_star = match.groups()
        names = [name.rstrip("*") for name in run.split("/")]
        stars = [name.endswith("*") for name in run.split("/")]
        stars[-1] |= bool(last_star)
        start, *stops = (MY_BAR if name == "bar" else OFF if name == "off" else int(name) for name in names)
        if not (OFF < start <= MY_BAR and all(OFF <= stop < MY_BAR for stop in stops) and OFF not in stops[:-1]):
            raise InvalidNotationError(
                f"{text!r} is not a play: {word!r} should begin on the bar (25) or a point from 24 to 1, "
                "and end on a point or off (0)"
            )
        one = [_Leg(*ends, star) for ends, star in zip(pairwise([start, *stops]), stars[1:], strict=True)]
        legs += one * int(repeats or 1)
    return legs


def _ways(legs: tuple[_Leg, ...], dice: tuple[int, ...]) -> Iterator[tuple[tuple[Move, ...], ...]]:
    """Yield every choice of moves for the legs, one tuple of moves a leg, that no die is used twice in."""
    if not legs:
        yield ()
        return
    leg, others = legs[0], legs[1:]
    for die in sorted(set(dice), reverse=True):
        at = dice.index(die)
        left = dice[:at] + dice[at + 1 :]
        move, landing = (leg.start, die), leg.start - die
        if landing == leg.end or (leg.end == OFF and landing < OFF):
            for way in _ways(others, left):
                yield ((move,), *way)
        elif landing > leg.end:
            for way in _ways((leg._replace(start=landing), *others), left):
                yield ((move, *way[0]), *way[1:])


def _readings(board: list[int], legs: list[_Leg], dice: tuple[int, ...]) -> Iterator[_Reading]:
    """Yield what the legs lead to for every choice of dice, the landing points being open.

    The order of the moves is not looked at: it changes neither where the checkers end nor which are hit.
    """
    for way in _ways(tuple(legs), dice):
        mine = [max(count, 0) for count in board]
        theirs = [min(count, 0) for count in board]
        hits, blocked = set(), False
        for start, die in (move for moves in way for move in moves):
            mine[start] -= 1
            if start > die:
                end = start - die
                mine[end] += 1
                blocked |= theirs[end] < -1
                if theirs[end] == -1:
                    theirs[end] = 0
                    theirs[THEIR_BAR] -= 1
                    hits.add(end)
        if blocked or min(mine) < 0:
            continue
        starred = all(
            not leg.starred or any(start - die in hits for start, die in moves)
            for leg, moves in zip(legs, way, strict=True)
        )
        result = tuple(own + other for own, other in zip(mine, theirs, strict=True))
        yield _Reading(result, frozenset(hits), starred)


def _reason(board: list[int], legs: list[_Leg], dice: tuple[int, ...], legal: Boards, rules: Variant) -> str:
    """Say why no reading of the legs is a legal play: the first thing that stands against it."""
    if not len(legal):
        return "no checker can move"
    if not legs:
        return "a checker can move"
    here, left = board, dice
    for leg in sorted(legs, key=lambda leg: -leg.start):
        if leg.end >= leg.start:
            return f"a checker moves to a lower point, not from {leg.start} to {leg.end}"
        if here[MY_BAR] > 0 and leg.start != MY_BAR:
            return "a checker on the bar must enter first"
        if here[leg.start] <= 0:
            return f"there is no checker on the {'bar' if leg.start == MY_BAR else f'{leg.start} point'}"
        fault = (
            f"{_leg_text(leg.start, leg.end)} does not fit the dice{' left' * (left != dice)}"
            if left
            else "there are more steps than dice"
        )
        for (moves,) in _ways((leg,), left):
            after, fault = _tried(here, moves)
            if not fault:
                here, left = after, _without(left, moves)
                break
        if fault:
            return fault
    most = len(play_steps(board, dice[:2], turn(legal[0]), rules))
    if len(dice) - len(left) < most or any(steps_by_die(here, die) for die in left):
        return "both dice must be played" if len(dice) == 2 else "as many dice as possible must be played"
    if most == 1:
        return f"only one die can be played, and it has to be the {dice[0]}"
    return "a die that can bear a checker off must do so" if rules.forced_bearoff else "no legal play has these steps"


def _tried(board: list[int], moves: Iterable[Move]) -> tuple[list[int], str]:
    """Return the board after the moves, and what is wrong with the first one that is not possible, if any."""
    for start, die in moves:
        step = step_from(board, start, die)
        if step:
            board = moved(board, step)
        elif start > die:
            return board, f"the {start - die} point is blocked"
        elif any(count > 0 for count in board[HOME + 1 :]):
            return board, "no checker is borne off before all are home"
        else:
            return board, f"a {die} bears off from the {start} point only when no checker is on a higher one"
    return board, ""


def _without(dice: tuple[int, ...], moves: Iterable[Move]) -> tuple[int, ...]:
    left = list(dice)
    for _, die in moves:
        left.remove(die)
    return tuple(left)


def _nearest(board: list[int], legs: list[_Leg], legal: Boards) -> Boards:
    """Return the results, not turned, that have most checkers where the legs would put them."""
    wished = np.maximum(board, 0)
    for leg in legs:
        wished[leg.start] -= 1
        wished[leg.end] += leg.end != OFF
    distance = np.abs(np.maximum(legal, 0) - wished).sum(axis=1)
    nearest: Boards = legal[np.argsort(distance, kind="stable")[:_SHOWN]]
    return nearest
