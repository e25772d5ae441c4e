"""Where a table's dice come from: a seeded generator, the system, a list, or a person who enters them."""

import re
import secrets
from collections.abc import Iterable
from copy import copy
from typing import Any, Final, Protocol, Self, TypeGuard

import numpy as np

from gammon_rl.errors import TableError
from gammon_rl.table.data import Data, short

Roll = tuple[int, int]

_NUMBER: Final = re.compile("[0-9]{1,39}")
_ANY_SEED = np.random.SeedSequence(0)  # of a generator that gets its state from another


class DiceSource(Protocol):
    """Gives the next roll when it is asked for, and not before."""

    @property
    def ready(self) -> bool:
        """Whether there is a next roll to be had."""
        ...

    def roll(self) -> Roll:
        """Return the next two dice."""
        ...

    def to_data(self) -> Data:
        """Return what is needed to go on in the same way, as plain data for JSON."""
        ...


class CopiedDice(DiceSource, Protocol):
    """A source that can be copied: a table draws from a copy, and keeps that only if all of the action is done.

    The rolls of a source that cannot be copied are drawn for good: if an action fails after one, it comes again.
    """

    def copy(self) -> Self:
        """Return a source that gives the same rolls from here on and is changed by itself alone."""
        ...


class SeededDice:
    """Dice from a generator: the same seed gives the same dice, also when stored in between.

    Parameters
    ----------
    seed : int, optional
        Any whole number from 0; by default one that nobody knows.

    Examples
    --------
    >>> SeededDice(7).roll() == SeededDice(7).roll()
    True
    """

    ready = True

    def __init__(self, seed: int | None = None) -> None:
        if seed is not None and (type(seed) is not int or seed < 0):
            raise TableError(f"a seed is a whole number from 0, got {seed!r}")
        self._generator = np.random.PCG64(seed)
        self._rng = np.random.Generator(self._generator)

    def roll(self) -> Roll:
        """Return the next two dice."""
        both = int(self._rng.integers(36))
        return both // 6 + 1, both % 6 + 1

    def copy(self) -> Self:
        """Return a generator in the same state."""
        twin = copy(self)
        twin._generator = np.random.PCG64(_ANY_SEED)
        twin._generator.state = self._generator.state
        twin._rng = np.random.Generator(twin._generator)
        return twin

    def to_data(self) -> Data:
        """Return the state of the generator; its numbers are too large for JSON and are written as text."""
        state: Any = self._generator.state
        return {
            "type": "seeded",
            "state": str(state["state"]["state"]),
            "inc": str(state["state"]["inc"]),
            "has_uint32": state["has_uint32"],
            "uinteger": state["uinteger"],
        }

    @classmethod
    def from_data(cls, data: Any) -> "SeededDice":
        """Return the source as it was when `to_data` was called."""
        match data:
            case {"state": str(state), "inc": str(inc), "has_uint32": int(has_uint32), "uinteger": int(uinteger)} if (
                _NUMBER.fullmatch(state)
                and _NUMBER.fullmatch(inc)
                and max(int(state), int(inc)) < 2**128
                and int(inc) % 2 == 1
                and type(has_uint32) is type(uinteger) is int
                and has_uint32 in (0, 1)
                and 0 <= uinteger < 2**32
            ):
                dice = cls(0)
                dice._generator.state = {
                    "bit_generator": "PCG64",
                    "state": {"state": int(state), "inc": int(inc)},
                    "has_uint32": has_uint32,
                    "uinteger": uinteger,
                }
                return dice
        raise TableError(
            "the state of the dice is damaged: state and inc are texts of digits, inc odd; has_uint32 is 0 or 1, "
            f"uinteger a whole number; got {short(data)}"
        )


class SystemDice:
    """Dice from the operating system's source for secrets: nothing is stored, and no roll is known before it comes."""

    ready = True

    def roll(self) -> Roll:
        """Return the next two dice."""
        return secrets.randbelow(6) + 1, secrets.randbelow(6) + 1

    def copy(self) -> Self:
        """Return this source: there is nothing to copy."""
        return self

    def to_data(self) -> Data:
        """Return the type; there is nothing else."""
        return {"type": "system"}


class RecordedDice:
    """Dice from a list, one after the other.

    Parameters
    ----------
    rolls : iterable of (int, int)
        The rolls; in an opening roll seat 0's die comes first.

    Examples
    --------
    >>> RecordedDice([(3, 1), (6, 6)]).roll()
    (3, 1)
    """

    def __init__(self, rolls: Iterable[Iterable[int]]) -> None:
        self._rolls = tuple(checked_roll(roll) for roll in rolls)

    @property
    def ready(self) -> bool:
        """Whether there are rolls left."""
        return bool(self._rolls)

    def roll(self) -> Roll:
        """Return the next two dice.

        Raises
        ------
        TableError
            If there are none left.
        """
        if not self._rolls:
            raise TableError("the recorded dice are used up")
        roll, *rest = self._rolls
        self._rolls = tuple(rest)
        return roll

    def copy(self) -> Self:
        """Return a source with the same rolls left."""
        return copy(self)

    def to_data(self) -> Data:
        """Return the rolls that are left."""
        return {"type": "recorded", "rolls": [list(roll) for roll in self._rolls]}


class HandDice:
    """Dice thrown on a real board: the table waits for `actions.Roll` with what was thrown."""

    ready = False

    def roll(self) -> Roll:
        """Refuse; the dice are entered."""
        raise TableError("the dice of this table are entered by hand")

    def to_data(self) -> Data:
        """Return the type; there is nothing else."""
        return {"type": "hand"}


def can_be_copied(dice: DiceSource) -> TypeGuard[CopiedDice]:
    """Return whether a source can be copied."""
    return hasattr(dice, "copy")


def light_seat(dice: DiceSource) -> int:
    """Return the seat that gets the light checkers by lot. It changes no roll, and follows from a seed."""
    if isinstance(dice, SeededDice):
        state: Any = dice._generator.state
        return int(state["state"]["state"]).bit_count() % 2
    return secrets.randbelow(2)


def checked_roll(roll: object) -> Roll:
    """Return a roll from outside as a pair, or say what is wrong with it."""
    if isinstance(roll, Iterable):
        dice = tuple(roll)
        if len(dice) == 2 and all(_is_whole(die) and 1 <= die <= 6 for die in dice):
            return int(dice[0]), int(dice[1])
    raise TableError(f"a roll is two whole numbers from 1 to 6, got {short(roll)}")


def _is_whole(number: object) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def dice_from_data(data: Any) -> DiceSource:
    """Return the source that plain data says.

    Raises
    ------
    TableError
        If it says none, or is damaged.
    """
    match data:
        case {"type": "seeded"}:
            return SeededDice.from_data(data)
        case {"type": "system"}:
            return SystemDice()
        case {"type": "recorded", "rolls": list(rolls)}:
            return RecordedDice(rolls)
        case {"type": "hand"}:
            return HandDice()
    raise TableError(f"not a source of dice: {short(data)}; its type should be seeded, system, recorded or hand")
