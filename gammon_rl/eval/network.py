"""The NumPy evaluator: from boards to the chances of the six outcomes, with no torch.

The net ends in six numbers, one for each outcome from the worst to the best for the player on roll; a softmax makes
them chances. Two things are known without the net and are put in here: a game that is over has its result, and a
side that has borne a checker off can no longer lose a gammon.

Legend: N boards, H units of the first layer.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.eval.encoder import MOST, PLACE_INPUTS, apart, fold
from gammon_rl.eval.shots import shots
from gammon_rl.rules.board import results
from gammon_rl.rules.variants import Boards, Variant

Floats = NDArray[np.float32]

OUTCOMES: Final = ("lose backgammon", "lose gammon", "lose single", "win single", "win gammon", "win backgammon")
POINTS: Final[Floats] = np.array([-3, -2, -1, 1, 2, 3], dtype=np.float32)
"""The points each outcome is worth to the player on roll at a cube of 1."""

_BLOCK: Final = 1024  # boards evaluated at once: their first layer fits the cache
_FOLD_UP_TO: Final = 200  # units up to which adding table rows beats the matrix product (measured with AVX-512)


def certain(points: NDArray[np.int8]) -> Floats:
    """Return the chances of the six `OUTCOMES` of finished games, float32 (..., 6).

    Parameters
    ----------
    points : int8 (...)
        What the player on roll has won, -3 to 3; for 0, a game that goes on, the chances mean nothing.

    Examples
    --------
    >>> certain(np.array([-3, 2], dtype=np.int8)).tolist()
    [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]]
    """
    return np.eye(6, dtype=np.float32)[points.astype(np.int64) + 3 - (points > 0)]


def nested(outcomes: Floats) -> Floats:
    """Turn chances of the six outcomes (..., 6) into probs (..., 5).

    Examples
    --------
    >>> nested(np.array([0.0, 0.125, 0.25, 0.25, 0.25, 0.125], dtype=np.float32)).tolist()
    [0.625, 0.375, 0.125, 0.125, 0.0]
    """
    lose_bg, lose_g, _, win_s, win_g, win_bg = np.moveaxis(outcomes, -1, 0)
    gammon = win_g + win_bg
    chances: Floats = np.stack([win_s + gammon, gammon, win_bg, lose_g + lose_bg, lose_bg], axis=-1)
    np.minimum(chances, 1, out=chances)  # a sum of rounded numbers may be a hair above
    return chances


class Network:
    """A net of fully connected layers with rectified units, and the exact knowledge around it.

    Parameters
    ----------
    layers : sequence of (float32 (out, in), float32 (out,))
        Weights and biases, the first over the inputs of one of `encoder.ENCODERS`, the last with six outputs.
    rules : Variant
        The variant it plays.
    """

    def __init__(self, layers: Sequence[tuple[Floats, Floats]], rules: Variant) -> None:
        self.rules = rules
        (weight, per_count), bias = apart(layers[0][0]), layers[0][1]
        self._shots = None if per_count is None else np.ascontiguousarray(per_count.T)
        self._rest = [(np.ascontiguousarray(w.T), b) for w, b in layers[1:]]
        self._folded = len(bias) <= _FOLD_UP_TO
        if self._folded:
            table, whole = fold(weight, bias, rules.checkers)
            table[0] += whole  # every board has one row of each place
            self._pairs = _pair_table(table)
        else:
            self._dense, self._bias = dense_weight(weight, bias, rules.checkers)

    def outcomes(self, boards: Boards) -> Floats:
        """Return the chances of the six `OUTCOMES`, float32 (N, 6), for boards int8 (N, 26)."""
        out = np.empty((len(boards), 6), dtype=np.float32)
        for at in range(0, len(boards), _BLOCK):
            self._block(boards[at : at + _BLOCK], out[at : at + _BLOCK])
        return out

    def _block(self, boards: Boards, out: Floats) -> None:
        neighbours = np.ascontiguousarray(boards).view(np.uint16).T  # two counts at a time, (13, N)
        hidden = self._first_folded(neighbours) if self._folded else self._first_dense(boards)
        if self._shots is not None:
            hidden += shots(boards).astype(np.float32) @ self._shots
        np.maximum(hidden, 0, out=hidden)
        for weight, bias in self._rest[:-1]:
            hidden = hidden @ weight
            hidden += bias
            np.maximum(hidden, 0, out=hidden)
        # From here on boards are columns: six long rows are quick to exponentiate and to add up.
        weight, bias = self._rest[-1]
        chance = weight.T @ hidden.T
        chance += bias[:, None]
        chance -= chance.max(axis=0)
        np.exp(chance, out=chance)
        on_board = np.take(_PAIR_CHECKERS, neighbours, mode="clip").sum(axis=0, dtype=np.uint16)
        mine, theirs = on_board & 255, on_board >> 8
        chance[:2, mine < self.rules.checkers] = 0
        chance[4:, theirs < self.rules.checkers] = 0
        chance /= chance.sum(axis=0)
        over = np.flatnonzero((mine == 0) | (theirs == 0))
        if over.size:
            chance[:, over] = certain(results(boards[over], self.rules)).T
        out[:] = chance.T

    def _first_folded(self, neighbours: NDArray[np.uint16]) -> Floats:
        """Return the first layer before its rectifier, float32 (N, H)."""
        pairs = np.take(_PAIR_ROWS, neighbours, mode="clip")
        total: Floats = np.take(self._pairs[0], pairs[0], axis=0, mode="clip")
        row = np.empty_like(total)
        for table, pair in zip(self._pairs[1:], pairs[1:], strict=True):
            np.take(table, pair, axis=0, out=row, mode="clip")
            total += row
        return total

    def _first_dense(self, boards: Boards) -> Floats:
        inputs = np.take(PLACE_INPUTS, boards.astype(np.intp) + MOST, axis=0, mode="clip")
        total: Floats = inputs.reshape(len(boards), 26 * 8) @ self._dense
        total += self._bias
        return total


def _pair_lookups() -> tuple[NDArray[np.intp], NDArray[np.uint16]]:
    """Map the two bytes of neighbouring counts, read as one number, to what is wanted of them.

    The first gives their row in a pair table, the second their checkers: mine in the low byte, theirs in the high one.
    """
    counts = np.arange(-MOST, MOST + 1, dtype=np.int8)
    pairs = np.stack(np.meshgrid(counts, counts, indexing="ij"), axis=-1).reshape(-1, 2)
    numbers = np.ascontiguousarray(pairs).view(np.uint16).ravel()
    rows = np.zeros(1 << 16, dtype=np.intp)
    rows[numbers] = np.arange(len(pairs))
    checkers = np.zeros(1 << 16, dtype=np.uint16)
    checkers[numbers] = np.maximum(pairs, 0).sum(axis=1) + 256 * np.maximum(-pairs, 0).sum(axis=1)
    return rows, checkers


_PAIR_ROWS, _PAIR_CHECKERS = _pair_lookups()


def _pair_table(table: Floats) -> Floats:
    """Add up the rows of neighbouring places, so that 13 rows make a first layer: float32 (13, 961, H)."""
    pairs = np.ascontiguousarray(table[0::2, :, None, :] + table[1::2, None, :, :])
    return pairs.reshape(13, (2 * MOST + 1) ** 2, -1)


def dense_weight(weight: Floats, bias: Floats, checkers: int) -> tuple[Floats, Floats]:
    """Return the first layer as a matrix over the inputs of the places alone, float32 (208, H), and its bias.

    How many checkers a place has is itself a weighted sum of its inputs, so the checkers off need none of their own.
    """
    places = weight[:, :-2].T.astype(np.float64)
    for side, column in ((slice(0, 4), weight[:, -2]), (slice(4, 8), weight[:, -1])):
        count = np.zeros(8)
        count[side] = (1, 1, 1, 2)
        places -= np.outer(np.tile(count, 26) / checkers, column)
    return places.astype(np.float32), (bias + weight[:, -2] + weight[:, -1]).astype(np.float32)
