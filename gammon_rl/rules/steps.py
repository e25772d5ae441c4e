"""A play taken apart: the steps that make it up, and the steps a player may take next.

`legal_plays` alone says which whole plays are legal. Here a play is put together from steps, each by one die, so
that it can be written down or made one checker at a time. One board at a time is quickest as a plain list.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gammon_rl.errors import IllegalPlayError
from gammon_rl.rules.board import MY_BAR, OFF, THEIR_BAR, turn
from gammon_rl.rules.dice import checked_dice
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import STANDARD, Boards, Variant

HOME: Final = 6  # the highest point of the home board

_PLAYED: Final = {
    (one, other): (one,) * 4 if one == other else (max(one, other), min(one, other))
    for one in range(1, 7)
    for other in range(1, 7)
}
"""The dice of each roll as they are played."""

Move = tuple[int, int]
"""A checker to be moved: the point it leaves and the die that moves it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One checker moved by one die, in the numbers of the player who moves it.

    Attributes
    ----------
    start, end : int
        Where from and where to: 25 is the bar, 0 is off the board.
    hit : bool
        Whether a checker of the opponent is hit on the way in.
    """

    start: int
    end: int
    hit: bool = False


class Offer(NamedTuple):
    """A step that may be taken now, and the die it uses up."""

    step: Step
    die: int


def dice_to_play(dice: ArrayLike) -> tuple[int, ...]:
    """Return the dice of a roll as they are played: the higher first, four of them for a double.

    Examples
    --------
    >>> dice_to_play((3, 6)), dice_to_play((2, 2))
    ((6, 3), (2, 2, 2, 2))
    """
    if isinstance(dice, tuple) and dice in _PLAYED and all(type(die) is int for die in dice):
        return _PLAYED[dice]  # quick, since most are asked for so
    low, high = sorted(checked_dice(dice, 1)[0].tolist())
    return _PLAYED[high, low]


def step_from(board: Sequence[int], start: int, die: int, forced_bearoff: bool = False) -> Step | None:
    """Return the step of one checker by one die, or None if that checker cannot move so.

    Only the step itself is judged: whether there is a checker, the bar, the landing point, and bearing off. A step
    that no legal play begins with is returned all the same (`next_steps` leaves those out).

    Parameters
    ----------
    board : sequence of int, length 26
        The board as the player on roll sees it; a list is quickest.
    start, die : int
        The point the checker is on (25 is the bar), and the die.
    forced_bearoff : bool
        Whether a die that can bear a checker off may do nothing else (Tavla).
    """
    if board[start] <= 0 or (board[MY_BAR] > 0 and start != MY_BAR):
        return None
    end = start - die
    if end > OFF:
        if board[end] < -1 or (forced_bearoff and _bears_off(board, die)):
            return None
        return Step(start, end, board[end] == -1)
    highest = _highest(board)
    if highest > HOME or (end < OFF and start < highest):
        return None
    return Step(start, OFF)


def _highest(board: Sequence[int]) -> int:
    """Return the highest point with a checker of the player on roll, 25 for the bar, 0 if all are off."""
    return next((point for point in range(MY_BAR, 0, -1) if board[point] > 0), 0)


def _bears_off(board: Sequence[int], die: int) -> bool:
    """Return whether the die can bear some checker off."""
    highest = _highest(board)
    return highest <= HOME and (board[die] > 0 or 0 < highest < die)


def steps_by_die(board: Sequence[int], die: int, forced_bearoff: bool = False) -> list[Step]:
    """Return every step that `step_from` finds for a die, from the highest point down."""
    starts = range(MY_BAR, 0, -1) if board[MY_BAR] <= 0 else (MY_BAR,)
    steps = (step_from(board, start, die, forced_bearoff) for start in starts if board[start] > 0)
    return [step for step in steps if step]


def moved(board: Sequence[int], step: Step) -> list[int]:
    """Return the board after a step that is known to be possible, as a list; `apply_step` asks first."""
    after = list(board)
    after[step.start] -= 1
    if step.end != OFF:
        if after[step.end] < 0:
            after[step.end] = 0
            after[THEIR_BAR] -= 1
        after[step.end] += 1
    return after


def apply_step(board: Boards, step: Step) -> Boards:
    """Return the board after one step, int8 (26,), still as the player who makes it sees it (a copy).

    A blot on the landing point is hit whatever `step.hit` says.

    Raises
    ------
    IllegalPlayError
        If there is no checker to move, or the landing point is blocked.

    Examples
    --------
    >>> apply_step(STANDARD.start(), Step(8, 5))[[8, 5]].tolist()
    [2, 1]
    """
    if not (OFF <= step.end < step.start <= MY_BAR) or board[step.start] <= 0:
        raise IllegalPlayError(f"there is no checker to move from {step.start} to {step.end}")
    if step.end != OFF and board[step.end] < -1:
        raise IllegalPlayError(f"the {step.end} point is blocked by {-int(board[step.end])} checkers")
    return np.array(moved(board.tolist(), step), dtype=np.int8)


def play_steps(board: ArrayLike, dice: ArrayLike, afterstate: ArrayLike, rules: Variant = STANDARD) -> tuple[Step, ...]:
    """Return the steps that make up a play, in the order in which they can be made.

    The bar comes first, then the higher points, and of two steps from one point the shorter one, unless the steps
    are only possible in another order. Where one checker may go either way with the same result it takes the
    higher die first. A play that ends the game has as few steps as will do.

    Parameters
    ----------
    board : array_like of int, shape (26,)
        The board before the play, as the player on roll sees it.
    dice : array_like of int, shape (2,)
        The roll.
    afterstate : array_like of int, shape (26,)
        The result of the play as `legal_plays` gives it, turned. (That it is among the legal results is not asked
        again here.)
    rules : Variant
        The variant played.

    Returns
    -------
    tuple of Step
        Each is possible when its turn comes. Empty if nothing moved (a dance).

    Raises
    ------
    IllegalPlayError
        If no steps by these dice lead to the afterstate.

    Examples
    --------
    >>> start = STANDARD.start()
    >>> after = apply_step(apply_step(start, Step(6, 5)), Step(8, 5))
    >>> play_steps(start, (3, 1), turn(after))
    (Step(start=8, end=5, hit=False), Step(start=6, end=5, hit=False))
    """
    here: list[int] = np.asarray(board).tolist()
    goal: list[int] = np.negative(np.asarray(afterstate)[::-1]).tolist()
    if here == goal:
        return ()
    sets = list(_move_sets(here, goal, dice_to_play(dice)))
    for forced in _ways_to_step(rules):
        for moves in sets:
            for order in permutations(sorted(moves, key=_writing_order)):
                steps = _walked(here, order, goal, forced)
                if steps:
                    return steps
    roll = np.asarray(dice).tolist()
    raise IllegalPlayError(f"no steps with {roll} lead from the board {here} to {goal} (before it is turned)")


def _ways_to_step(rules: Variant) -> tuple[bool, ...]:
    """Return whether a die must bear off: in Tavla yes, unless only a play that does not uses the most dice."""
    return (True, False) if rules.forced_bearoff else (False,)


def _writing_order(move: Move) -> tuple[int, int]:
    start, die = move
    return -start, -max(start - die, OFF)


def _walked(board: list[int], moves: Iterable[Move], goal: list[int], forced_bearoff: bool) -> tuple[Step, ...] | None:
    """Return the steps of the moves in this order, if each is possible and they end at the goal."""
    steps = []
    for start, die in moves:
        step = step_from(board, start, die, forced_bearoff)
        if step is None:
            return None
        steps.append(step)
        board = moved(board, step)
    return tuple(steps) if board == goal else None


def _move_sets(here: list[int], goal: list[int], dice: tuple[int, ...]) -> Iterator[list[Move]]:
    """Yield the sets of moves that take the player's checkers from one board to another; order is not looked at.

    What has left a point on balance follows from the boards. Going down from the bar, that settles the moves of a
    double; of two different dice, every move of the one leaves the other to be read off.
    """
    left = [max(before, 0) - max(after, 0) for before, after in zip(here, goal, strict=True)]
    left[THEIR_BAR] = 0
    if len(dice) == 4:
        die = dice[0]
        moves: list[Move] = []
        arrived = [0] * 26  # by the moves so far
        for point in range(MY_BAR, 0, -1):
            count = left[point] + arrived[point]
            if count < 0 or len(moves) + count > 4:
                return
            moves += [(point, die)] * count
            if point > die:
                arrived[point - die] = count
        yield moves
        return
    high, low = dice
    one_die = [[move] for die in dice for move in _single_move(left, die)]
    two_dice = (
        [(start, high), *rest]
        for start in range(MY_BAR, 0, -1)
        # a checker is there, or the low die has brought it there
        if left[start] > 0 or (start + low <= MY_BAR and left[start + low] > 0)
        for rest in (list(_single_move(_less(left, start, high), low)),)
        if rest
    )
    # A finished game needs no more dice than it took; any other play uses all that it can.
    if any(count > 0 for count in goal):
        yield from two_dice
        yield from one_die
    else:
        yield from one_die
        yield from two_dice


def _less(left: list[int], start: int, die: int) -> list[int]:
    """Return what has left each point apart from one move."""
    rest = left.copy()
    rest[start] -= 1
    if start > die:
        rest[start - die] += 1
    return rest


def _single_move(left: list[int], die: int) -> Iterator[Move]:
    """Yield the one move by this die that accounts for what has left each point, if there is one."""
    changed = [(point, count) for point, count in enumerate(left) if count]
    if changed and changed[-1][1] == 1:
        start = changed[-1][0]
        if changed[:-1] == ([(start - die, -1)] if start > die else []):
            yield start, die


def next_steps(
    board: ArrayLike, dice: ArrayLike, taken: Sequence[Step] = (), rules: Variant = STANDARD
) -> tuple[Offer, ...]:
    """Return the steps that may be taken now: those with which some legal play goes on.

    Parameters
    ----------
    board : array_like of int, shape (26,)
        The board before the turn, as the player on roll sees it.
    dice : array_like of int, shape (2,)
        The roll.
    taken : sequence of Step
        The steps of this turn so far. Only where from and where to is looked at.
    rules : Variant
        The variant played.

    Returns
    -------
    tuple of Offer
        From the highest point down, each step once. Where either die can make the same step (only when bearing off,
        and then it comes to the same) the lower one is named. Empty when the play is complete, or for a dance.

    Raises
    ------
    IllegalPlayError
        If no legal play begins with the steps taken.

    Examples
    --------
    >>> [(offer.step.start, offer.die) for offer in next_steps(STANDARD.start(), (6, 5), [Step(24, 18)])]
    [(18, 5), (13, 5), (8, 5)]
    """
    start = np.asarray(board)
    legal = turn(legal_plays(start[None], dice, rules)[1])
    ends = set(map(tuple, legal.tolist()))
    for forced in _ways_to_step(rules):
        reached = _reached(tuple(start.tolist()), dice_to_play(dice), taken, forced)
        offers = _offers(reached, ends, forced)
        complete = any(place in ends for place, _ in reached)
        if offers or complete:
            return tuple(sorted(offers, key=lambda offer: (-offer.step.start, -offer.step.end)))
    if not ends and not taken:
        return ()
    steps = ", ".join(f"{step.start} to {step.end}" for step in taken)
    raise IllegalPlayError(f"no legal play with {np.asarray(dice).tolist()} begins with the steps: {steps}")


Place = tuple[int, ...]
Reached = tuple[Place, tuple[int, ...]]
"""A board on the way, and the dice still to be played."""


def _reached(start: Place, dice: tuple[int, ...], taken: Sequence[Step], forced_bearoff: bool) -> list[Reached]:
    """Return where the steps taken can have led, once for each choice of dice for them; nowhere if impossible."""
    reached = [(start, dice)]
    for step in taken:
        reached = [
            (tuple(moved(place, made)), _without(left, die))
            for place, left in reached
            for die in sorted(set(left))
            if OFF < step.start <= MY_BAR
            for made in (step_from(place, step.start, die, forced_bearoff),)
            if made and made.end == step.end
        ]
    return reached


def _offers(reached: list[Reached], ends: set[Place], forced_bearoff: bool) -> list[Offer]:
    """Return the steps from which an end can be reached with the dice that are left."""

    def leads_on(place: Place, left: tuple[int, ...]) -> bool:
        return place in ends or any(leads_on(*after) for _, after in follow(place, left))

    def follow(place: Place, left: tuple[int, ...]) -> Iterator[tuple[Offer, Reached]]:
        for die in sorted(set(left)):
            for step in steps_by_die(place, die, forced_bearoff):
                yield Offer(step, die), (tuple(moved(place, step)), _without(left, die))

    offers: dict[Step, Offer] = {}
    for place, left in reached:
        for offer, after in follow(place, left):
            if offer.step not in offers and leads_on(*after):
                offers[offer.step] = offer
    return list(offers.values())


def _without(dice: tuple[int, ...], die: int) -> tuple[int, ...]:
    at = dice.index(die)
    return dice[:at] + dice[at + 1 :]
