"""The one seam between those who judge boards and those who play by it."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gammon_rl.rules.variants import Boards, Variant


class Evaluator(Protocol):
    """Anything that knows the chances of a board: a model, an exact table, or a mixture of them."""

    @property
    def rules(self) -> Variant:
        """The variant it knows."""
        ...

    def outcomes(self, boards: Boards) -> NDArray[np.float32]:
        """Return the chances of the six outcomes of the player on roll, float32 (..., 6), for boards int8 (..., 26).

        The dice are not yet rolled. From lose backgammon to win backgammon; a finished game has its result.
        """
        ...
