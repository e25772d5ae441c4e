"""The targets of learning: lambda-returns of a segment of self-play.

Values are chances of the six outcomes, from the worst to the best for the player on roll. The other player sees them
in reverse order, so turning a value is reversing it, and it happens at every ply.

Legend: T plies, N games.
"""

import numpy as np
from numpy.typing import NDArray

from gammon_rl.eval.network import certain

Floats = NDArray[np.float32]


def lambda_returns(next_values: Floats, points: NDArray[np.int8], explored: NDArray[np.bool_], trace: float) -> Floats:
    """Return the lambda-return of every position of a segment.

    For a position whose best play ends the game, its result. For another one, ``(1 - trace)`` times the value of the
    next position and ``trace`` times the return of the next position, turned. After a random play what follows says
    nothing about the best one, so the value alone counts; at the end of the segment as well. This is the forward view
    of TD(lambda) (Sutton and Barto 2018, section 12.1), cut to segments.

    Parameters
    ----------
    next_values : float32 (T, N, 6)
        Value of the position after the best play, for the player then on roll.
    points : int8 (T, N)
        What the best play won, or 0 while the game goes on.
    explored : bool (T, N)
        Whether another play was made.
    trace : float
        Lambda, 0 to 1.

    Returns
    -------
    float32 (T, N, 6)
        For the player on roll.
    """
    targets = np.empty_like(next_values)
    over = points > 0
    won = certain(points)
    following = next_values[-1]
    for ply in range(len(points) - 1, -1, -1):
        goes_on = (over[ply] | explored[ply])[:, None]
        mixed = next_values[ply] + trace * np.where(goes_on, 0, following - next_values[ply])
        targets[ply] = np.where(over[ply][:, None], won[ply], mixed[:, ::-1])
        following = targets[ply]
    return targets
