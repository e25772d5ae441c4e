"""The counts of shots of a board in an ONNX graph: as `gammon_rl.eval.shots`, with places as zeros and ones.

Operators on bits came with later opsets. Here a set of places is a column of 26 zeros and ones, and moving all checkers
by a die is taking the numbers of other places. Columns of all rolls of a kind lie below each other, and boards side by
side, so that what is taken are long rows.

Legend: N boards, R rolls.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.eval.onnx_nodes import Nodes
from gammon_rl.eval.shots import TWO_DICE

_BAR: Final = 25
_DOUBLES: Final = tuple(range(1, 7))
_FLOAT: Final = 1  # TensorProto.FLOAT


def add_shots(graph: Nodes, counts: str) -> str:
    """Add what counts shots.

    Parameters
    ----------
    graph : Nodes
        The graph.
    counts : str
        What gives boards, int32 (N, 26).

    Returns
    -------
    str
        What gives the counts of `gammon_rl.eval.shots.shots`, float32 (N, 50).
    """
    columns = graph.add("Transpose", [counts], perm=[1, 0])
    reverse = graph.constant("reverse", np.arange(26)[::-1])
    turned = graph.add("Neg", [graph.add("Gather", [columns, reverse], axis=0)])
    both = graph.add("Concat", [_Side(graph, board).counts() for board in (columns, turned)], axis=0)
    return graph.add("Transpose", [both], perm=[1, 0])


class _Side:
    """The shots of the player on roll, node by node; all nodes give float32."""

    def __init__(self, graph: Nodes, board: str) -> None:
        self._graph = graph
        here = graph.add("Cast", [board], to=_FLOAT)
        mine = self._flag("Greater", here, 0)
        self._blots = self._times(self._flag("Equal", here, -1), self._constant(_only(*range(1, 25))[:, None]))
        self._free = self._minus_from_one(self._flag("Less", here, -1))
        self._bar = graph.add("Gather", [here, self._constant(np.array([_BAR]))], axis=0)
        self._nowhere = self._times(self._bar, self._constant(np.float32(0)))
        self._barred, self._single = self._flag("Greater", self._bar, 0), self._flag("Equal", self._bar, 1)
        self._at_large = self._minus_from_one(self._barred)
        self._ready = self._times(mine, self._at_large)  # what may move at once
        self._waiting = self._times(
            mine, self._barred, self._constant(1 - _only(_BAR)[:, None])
        )  # what may once all are in

    def counts(self) -> str:
        """Return what gives the counts, float32 (25, N)."""
        parts = []
        for hit, rolls, ways in ((self._by_two_dice(), len(TWO_DICE), 2), (self._by_doubles(), len(_DOUBLES), 1)):
            total = np.tile(np.eye(26, dtype=np.float32)[1:25], rolls) * np.float32(ways)
            each = self._graph.add("MatMul", [self._constant(total), hit])
            of_any = np.full((1, rolls), ways, dtype=np.float32)
            some = self._graph.add("MatMul", [self._constant(of_any), self._any(hit, rolls)])
            parts.append(self._graph.add("Concat", [each, some], axis=0))
        return self._plus(*parts)

    def _by_two_dice(self) -> str:
        """Return what gives whether each place is hit with each roll of two different dice, (15 * 26, N)."""
        rolls = len(TWO_DICE)
        ready, waiting, free = (self._spread(row, rolls) for row in (self._ready, self._waiting, self._free))
        reached = []
        first, second = zip(*TWO_DICE, strict=True)
        for die, other in ((first, second), (second, first)):
            one = self._plus(self._moved(ready, die), self._entering(die))
            landed = self._times(one, free)
            # With one checker on the bar the other die is free for any, once that one is in.
            gate = self._plus(self._times(self._any(landed, rolls), self._single), self._at_large)
            two = self._moved(self._graph.add("Max", [landed, waiting]), other)
            reached += [one, self._times(two, self._each(gate, rolls))]
        return self._times(self._graph.add("Max", reached), self._spread(self._blots, rolls))

    def _by_doubles(self) -> str:
        """Return what gives whether each place is hit with each double, (6 * 26, N)."""
        rolls = len(_DOUBLES)
        ready, waiting, free = (self._spread(row, rolls) for row in (self._ready, self._waiting, self._free))
        entering = self._entering(_DOUBLES)
        landed = self._times(entering, free)
        inside = self._times(self._each(self._any(landed, rolls), rolls), self._graph.add("Max", [landed, waiting]))
        at, reached = self._plus(ready, inside), [entering]
        for step in range(4):
            at = self._moved(at, _DOUBLES)
            reached.append(self._times(at, self._flag("Less", self._bar, 4 - step)))
            at = self._times(at, free)
        return self._times(self._graph.add("Max", reached), self._spread(self._blots, rolls))

    def _spread(self, places: str, rolls: int) -> str:
        """Give each roll the same places: (26, N) to (R * 26, N)."""
        return self._graph.add("Gather", [places, self._constant(np.tile(np.arange(26), rolls))], axis=0)

    def _each(self, gate: str, rolls: int) -> str:
        """Give each place of a roll the roll's number: (R, N) to (R * 26, N)."""
        return self._graph.add("Gather", [gate, self._constant(np.repeat(np.arange(rolls), 26))], axis=0)

    def _any(self, places: str, rolls: int) -> str:
        """Return what gives whether a roll has any place: (R * 26, N) to (R, N)."""
        sums = np.repeat(np.eye(rolls, dtype=np.float32), 26, axis=1)
        number = self._graph.add("MatMul", [self._constant(sums), places])
        return self._graph.add("Min", [number, self._constant(np.float32(1))])

    def _moved(self, places: str, dice: Sequence[int]) -> str:
        """Move all checkers by the die of their roll; what would leave the board is gone."""
        source = np.arange(26) + np.array(dice)[:, None]
        within = source <= _BAR
        source = np.where(within, source + 26 * np.arange(len(dice))[:, None], 26 * len(dice))
        longer = self._graph.add("Concat", [places, self._nowhere], axis=0)
        return self._graph.add("Gather", [longer, self._constant(source.reshape(-1))], axis=0)

    def _entering(self, dice: Sequence[int]) -> str:
        """Return what gives the places where checkers from the bar would come in, (R * 26, N)."""
        places = np.concatenate([_only(_BAR - die) for die in dice])
        return self._times(self._constant(places[:, None]), self._barred)

    def _flag(self, operator: str, value: str, than: float) -> str:
        compared = self._graph.add(operator, [value, self._constant(np.float32(than))])
        return self._graph.add("Cast", [compared], to=_FLOAT)

    def _times(self, *factors: str) -> str:
        product, *rest = factors
        for factor in rest:
            product = self._graph.add("Mul", [product, factor])
        return product

    def _plus(self, one: str, other: str) -> str:
        return self._graph.add("Add", [one, other])

    def _minus_from_one(self, flag: str) -> str:
        return self._graph.add("Sub", [self._constant(np.float32(1)), flag])

    def _constant(self, value: NDArray[np.generic] | np.float32) -> str:
        return self._graph.constant(f"shots_{len(self._graph.constants)}", np.asarray(value))


def _only(*places: int) -> NDArray[np.float32]:
    """Return a row with a one at some places, float32 (26,)."""
    row = np.zeros(26, dtype=np.float32)
    row[list(places)] = 1
    return row
