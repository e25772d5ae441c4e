"""What a net is shown of a board: 8 numbers for each of the 26 places, how many checkers each side has off, and shots.

For a place with n checkers of one side: n >= 1, n >= 2, n >= 3, and (n - 3) / 2 where n > 3, first for the player on
roll and then for the opponent (the usual inputs since Tesauro 1992). The last two inputs are the share of checkers
borne off by the player on roll and by the opponent. Each place's inputs depend on its count alone, and the checkers
off are a sum over places, so a first layer over these inputs is a sum of table rows (`fold`).

Some nets are shown the share of rolls that hit each blot as well (`gammon_rl.eval.shots`), after all these. Which ones
shows in how many inputs their first layer has.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.eval.shots import COUNTS, ROLLS, shots
from gammon_rl.rules.variants import Boards

Floats = NDArray[np.float32]

INPUTS: Final = 26 * 8 + 2
"""Inputs of a net without shots."""
WITH_SHOTS: Final = INPUTS + COUNTS
"""Inputs of a net with them."""
ENCODERS: Final = {
    INPUTS: {"name": "thermometer", "version": 1},
    WITH_SHOTS: {"name": "thermometer and shots", "version": 1},
}
"""What a model file says of its encoder, by the inputs of its first layer."""
MOST: Final = 15  # the largest count that is told apart

_ON_PLACES: Final = 26 * 8


def _place_inputs() -> Floats:
    table = np.zeros((2 * MOST + 1, 8), dtype=np.float32)
    for count in range(-MOST, MOST + 1):
        n = abs(count)
        side = 0 if count > 0 else 4
        table[count + MOST, side : side + 4] = (n >= 1, n >= 2, n >= 3, max(n - 3, 0) / 2)
    return table


PLACE_INPUTS: Final = _place_inputs()
"""The 8 inputs of a place by its count, float32 (31, 8); row 15 is the empty place."""

_COUNTS: Final = np.arange(-MOST, MOST + 1)
MINE: Final[Floats] = np.maximum(_COUNTS, 0).astype(np.float32)
"""Checkers of the player on roll on a place by its count, float32 (31,)."""
THEIRS: Final[Floats] = np.maximum(-_COUNTS, 0).astype(np.float32)
"""Checkers of the opponent on a place by its count, float32 (31,)."""


def encode(boards: Boards, checkers: int, inputs: int = INPUTS) -> Floats:
    """Return the inputs of boards, float32 (N, 210), or (N, 260) with shots.

    Parameters
    ----------
    boards : int8 (N, 26)
        Boards of the player on roll, counts from -15 to 15.
    checkers : int
        Checkers a side in the variant played.
    inputs : int
        How many, a key of `ENCODERS`.
    """
    place = boards.astype(np.intp) + MOST
    shown = np.empty((len(boards), inputs), dtype=np.float32)
    shown[:, :_ON_PLACES] = np.take(PLACE_INPUTS, place, axis=0).reshape(len(boards), _ON_PLACES)
    shown[:, _ON_PLACES] = 1 - np.take(MINE, place).sum(axis=1) / checkers
    shown[:, _ON_PLACES + 1] = 1 - np.take(THEIRS, place).sum(axis=1) / checkers
    if inputs == WITH_SHOTS:
        shown[:, INPUTS:] = shots(boards) / np.float32(ROLLS)
    return shown


def apart(weight: Floats) -> tuple[Floats, Floats | None]:
    """Return a first layer's weights over the first 210 inputs, (H, 210), and over counts of shots, (H, 50) or None."""
    per_count = np.ascontiguousarray(weight[:, INPUTS:] / np.float32(ROLLS)) if weight.shape[1] > INPUTS else None
    return weight[:, :INPUTS], per_count


def fold(weight: Floats, bias: Floats, checkers: int) -> tuple[Floats, Floats]:
    """Turn a first layer over the inputs into a table of rows to add up.

    Parameters
    ----------
    weight : float32 (H, 210)
        Weights over the inputs.
    bias : float32 (H,)
        Their bias.
    checkers : int
        Checkers a side in the variant played.

    Returns
    -------
    table : float32 (26, 31, H)
        For each place and count + 15 the row to add.
    bias : float32 (H,)
        What to add once a board.

    Examples
    --------
    >>> from gammon_rl.rules.variants import STANDARD
    >>> rng = np.random.default_rng(1)
    >>> weight, bias = rng.normal(size=(4, 210)).astype(np.float32), np.zeros(4, dtype=np.float32)
    >>> table, rest = fold(weight, bias, 15)
    >>> board = STANDARD.start()
    >>> folded = table[np.arange(26), board + 15].sum(axis=0) + rest
    >>> bool(np.allclose(folded, encode(board[None], 15)[0] @ weight.T, atol=1e-5))
    True
    """
    exact = weight.astype(np.float64)
    places = exact[:, :_ON_PLACES].reshape(len(weight), 26, 8)
    table = np.einsum("ci,hpi->pch", PLACE_INPUTS.astype(np.float64), places)
    for counts, column in ((MINE, exact[:, -2]), (THEIRS, exact[:, -1])):
        table -= np.multiply.outer(counts / checkers, column)
    whole = bias + exact[:, -2] + exact[:, -1]
    return table.astype(np.float32), whole.astype(np.float32)
