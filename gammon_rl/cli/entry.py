"""Reads a play that a person types: a whole one, one that is settled by its beginning, or some steps of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from gammon_rl.errors import GammonError, IllegalPlayError, InvalidNotationError
from gammon_rl.rules.board import MY_BAR, OFF
from gammon_rl.rules.notation import Play, format_play, parse_play, play_of
from gammon_rl.rules.steps import Step, moved, next_steps
from gammon_rl.rules.variants import Variant
from gammon_rl.table.table import Table

_NAMES: Final = {"bar": MY_BAR, "b": MY_BAR, "off": OFF, "o": OFF}
_POINT: Final = r"(?:\d{1,2}|bar|off|b|o)"
_RUN: Final = re.compile(rf"({_POINT}(?:/{_POINT}\*?)*)/?(?:\(([1-4])\)\*?)?", re.ASCII)
_SHOWN: Final = 4


@dataclass(frozen=True)
class Leg:
    """A part of what was typed: a checker that leaves a point for another, or for one that is not named.

    Attributes
    ----------
    start : int
        25 is the bar.
    end : int or None
        0 is off.
    """

    start: int
    end: int | None


def read_play(text: str, table: Table) -> Play | tuple[Step, ...]:
    """Return what a text means at a table that waits for a play.

    A dash may stand for the slash, ``b`` and ``o`` for bar and off. What is typed may be a whole play, or any steps
    with which a legal play goes on. If they leave one play only, it is the answer.

    Parameters
    ----------
    text : str
        What was typed.
    table : Table
        The table; steps of an unfinished turn count as made.

    Returns
    -------
    Play or tuple of Step
        The whole turn, or the steps to take now: where a turn has begun with steps, those that are still missing.

    Raises
    ------
    GammonError
        If it means no legal play, or leaves open which step is meant; the message names some near to it.

    Examples
    --------
    >>> from gammon_rl.table.actions import Roll, TakeStep
    >>> from gammon_rl.table.dice import RecordedDice
    >>> table = Table(dice=RecordedDice([(3, 1)]))
    >>> _ = table.apply(Roll())
    >>> read_play("8-5, 6-5", table).text, read_play("8/5", table), read_play("24/20", table).text
    ('8/5 6/5', (Step(start=8, end=5, hit=False),), '24/21 21/20')
    >>> _ = table.apply(TakeStep(8, 5))
    >>> read_play("6/5", table)
    (Step(start=6, end=5, hit=False),)
    """
    plain = re.sub(r"(?<=[\w*])\s*-\s*(?=\w)", "/", text)
    spelled = re.sub(r"\bo\b", "off", re.sub(r"\bb\b", "bar", plain.casefold()))
    board, dice, rules = _start(table)
    fault = ""
    play = None
    try:
        play = parse_play(spelled, board, dice, rules)
    except GammonError as error:
        fault = str(error).replace(repr(spelled), repr(text))
    if play and not table.steps:
        return play
    legs = _legs(plain)
    ways = list(_ways(table, table.steps, legs)) if legs else []
    if not ways:
        if play:
            return play
        if legs and table.steps:
            offered = " ".join(format_play([step]) for step in table.next_steps())
            raise IllegalPlayError(f"{text!r} does not go on from {format_play(table.steps)}; steps now: {offered}")
        if legs and any(leg.end is None for leg in legs):
            raise IllegalPlayError(f"{text!r} begins no legal play with {max(dice)}-{min(dice)}; list shows them all")
        raise IllegalPlayError(fault)
    whole = _whole_turns(table, ways)
    if len(whole) == 1:
        ((settled, steps),) = whole.items()
        return steps[len(table.steps) :] if table.steps else settled
    if len({format_play(way) for way in ways}) == 1 or all(leg.end is not None for leg in legs or ()):
        fewest = min(ways, key=lambda way: sum(step.hit for step in way))
        return fewest[len(table.steps) :]
    some = [play.text for play in whole]
    more = " and more" if len(some) > _SHOWN else ""
    raise InvalidNotationError(f"{text!r} can be {', '.join(some[:_SHOWN])}{more}; say where to")


def _start(table: Table) -> tuple[tuple[int, ...], tuple[int, int], Variant]:
    """Return the board at the start of the turn, the roll, and the rules."""
    assert table.turn is not None
    assert table.dice is not None
    return table.board(table.turn, steps=False), table.dice, table.options.rules


def _legs(text: str) -> list[Leg] | None:
    """Return the legs of a text, the last point of each run may be missing; None if it is no play."""
    legs: list[Leg] = []
    for word in re.sub(r"\s*/\s*", "/", text.casefold().replace(",", " ")).split():
        match = _RUN.fullmatch(word)
        if not match:
            return None
        points = [_NAMES[name] if name in _NAMES else int(name) for name in re.sub(r"\*", "", match[1]).split("/")]
        one = [Leg(*ends) for ends in pairwise(points)] if len(points) > 1 else [Leg(points[0], None)]
        legs += one * int(match[2] or 1)
    return legs if legs and len(legs) <= 4 and all(OFF < leg.start <= MY_BAR for leg in legs) else None


def _ways(table: Table, taken: tuple[Step, ...], legs: Sequence[Leg]) -> Iterator[tuple[Step, ...]]:
    """Yield the steps with which some legal play begins and that make up the legs, in any order."""
    if not legs:
        yield taken
        return
    board, dice, rules = _start(table)
    offers = next_steps(board, dice, taken, rules)
    for at, leg in enumerate(legs):
        if leg in legs[:at]:
            continue
        for step, _ in offers:
            if step.start == leg.start and (leg.end is None or step.end >= leg.end):
                rest = [] if leg.end is None or step.end == leg.end else [Leg(step.end, leg.end)]
                yield from _ways(table, (*taken, step), [*legs[:at], *rest, *legs[at + 1 :]])


def going_on(table: Table) -> dict[Play, tuple[Step, ...]]:
    """Return the legal plays that go on from the unfinished turn, each with the steps that are still missing."""
    taken = len(table.steps)
    whole = _whole_turns(table, [table.steps], most=10_000)
    return {play: steps[taken:] for play, steps in whole.items()}


def _whole_turns(table: Table, ways: Sequence[tuple[Step, ...]], most: int = _SHOWN) -> dict[Play, tuple[Step, ...]]:
    """Return the legal plays that go on from these beginnings, one more than `most` at most.

    Each comes with its steps in an order that goes on from a beginning.
    """
    board, dice, rules = _start(table)
    plays: dict[Play, tuple[Step, ...]] = {}
    seen: set[str] = set()
    waiting = list(ways)
    while waiting and len(plays) <= most:
        taken = waiting.pop()
        name = format_play(taken)
        if name in seen:
            continue
        seen.add(name)
        offers = next_steps(board, dice, taken, rules)
        waiting += [(*taken, offer.step) for offer in offers]
        if not offers:
            after = list(board)
            for step in taken:
                after = moved(after, step)
            plays.setdefault(play_of(board, dice, [-count for count in reversed(after)], rules), taken)
    return plays
