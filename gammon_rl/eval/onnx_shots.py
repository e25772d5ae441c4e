"""The counts of shots of a board in an ONNX graph: as `gammon_rl.eval.shots`, with places as zeros and ones.

Operators on bits came with later opsets. Here a set of places is a row of 26 zeros and ones, and moving all checkers by
a die is taking the numbers of other places. Rows of all rolls of a kind lie side by side.

Legend: N boards, R rolls.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.eval.onnx_nodes import Nodes

_BAR: Final = 25
_TWO_DICE: Final = tuple((a, b) for a in range(2, 7) for b in range(1, a))
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
    reverse = graph.constant("reverse", np.arange(26)[::-1])
    turned = graph.add("Neg", [graph.add("Gather", [counts, reverse], axis=1)])
    return graph.add("Concat", [_Side(graph, board).counts() for board in (counts, turned)], axis=1)


class _Side:
    """The shots of the player on roll, node by node; all nodes give float32."""

    def __init__(self, graph: Nodes, board: str) -> None:
        self._graph = graph
        here = graph.add("Cast", [board], to=_FLOAT)
        mine = self._flag("Greater", here, 0)
        self._blots = self._times(self._flag("Equal", here, -1), self._constant(_only(*range(1, 25))))
        self._free = self._minus_from_one(self._flag("Less", here, -1))
        self._bar = graph.add("Gather", [here, self._constant(np.array([_BAR]))], axis=1)
        self._nowhere = self._times(self._bar, self._constant(np.float32(0)))
        self._barred, self._single = self._flag("Greater", self._bar, 0), self._flag("Equal", self._bar, 1)
        self._at_large = self._minus_from_one(self._barred)
        self._ready = self._times(mine, self._at_large)  # what may move at once
        self._waiting = self._times(mine, self._barred, self._constant(1 - _only(_BAR)))  # what may once all are in

    def counts(self) -> str:
        """Return what gives the counts, float32 (N, 25)."""
        parts = []
        for hit, rolls, ways in ((self._by_two_dice(), len(_TWO_DICE), 2), (self._by_doubles(), len(_DOUBLES), 1)):
            total = np.tile(np.eye(26, dtype=np.float32)[:, 1:25], (rolls, 1)) * np.float32(ways)
            each = self._graph.add("MatMul", [hit, self._constant(total)])
            of_any = np.full((rolls, 1), ways, dtype=np.float32)
            some = self._graph.add("MatMul", [self._any(hit, rolls), self._constant(of_any)])
            parts.append(self._graph.add("Concat", [each, some], axis=1))
        return self._plus(*parts)

    def _by_two_dice(self) -> str:
        """Return what gives whether each place is hit with each roll of two different dice, (N, 15 * 26)."""
        rolls = len(_TWO_DICE)
        ready, waiting, free = (self._spread(row, rolls) for row in (self._ready, self._waiting, self._free))
        reached = []
        first, second = zip(*_TWO_DICE, strict=True)
        for die, other in ((first, second), (second, first)):
            one = self._plus(self._moved(ready, die), self._entering(die))
            landed = self._times(one, free)
            # With one checker on the bar the other die is free for any, once that one is in.
            gate = self._plus(self._times(self._any(landed, rolls), self._single), self._at_large)
            two = self._moved(self._graph.add("Max", [landed, waiting]), other)
            reached += [one, self._times(two, self._each(gate, rolls))]
        return self._times(self._graph.add("Max", reached), self._spread(self._blots, rolls))

    def _by_doubles(self) -> str:
        """Return what gives whether each place is hit with each double, (N, 6 * 26)."""
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

    def _spread(self, row: str, rolls: int) -> str:
        """Give each roll the same row: (N, 26) to (N, R * 26)."""
        return self._graph.add("Gather", [row, self._constant(np.tile(np.arange(26), rolls))], axis=1)

    def _each(self, gate: str, rolls: int) -> str:
        """Give each place of a roll the roll's number: (N, R) to (N, R * 26)."""
        return self._graph.add("Gather", [gate, self._constant(np.repeat(np.arange(rolls), 26))], axis=1)

    def _any(self, rows: str, rolls: int) -> str:
        """Return what gives whether a roll has any place: (N, R * 26) to (N, R)."""
        apart = self._graph.add("Reshape", [rows, self._constant(np.array([0, rolls, 26]))])
        return self._graph.add("ReduceMax", [apart], axes=[2], keepdims=0)

    def _moved(self, rows: str, dice: Sequence[int]) -> str:
        """Move all checkers by the die of their roll; what would leave the board is gone."""
        places = np.arange(26) + np.array(dice)[:, None]
        within = places <= _BAR
        source = np.where(within, places + 26 * np.arange(len(dice))[:, None], 26 * len(dice))
        wide = self._graph.add("Concat", [rows, self._nowhere], axis=1)
        return self._graph.add("Gather", [wide, self._constant(source.reshape(-1))], axis=1)

    def _entering(self, dice: Sequence[int]) -> str:
        """Return what gives the places where checkers from the bar would come in, (N, R * 26)."""
        places = np.concatenate([_only(_BAR - die) for die in dice])
        return self._times(self._constant(places[None]), self._barred)

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
