"""The torch net that learns, and its quick folded copy that plays.

The net is a function of the inputs of `gammon_rl.eval.encoder`; the copy has its first layer folded into a table, so
that it takes counts and never makes an input. They are the same function.

Legend: N boards, H units of the first layer.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from gammon_rl.eval import encoder
from gammon_rl.eval.network import OUTCOMES, POINTS, certain
from gammon_rl.rules.board import checkers_off, results
from gammon_rl.rules.variants import Boards, Variant

_BLOCK = 2048  # boards evaluated at once: their first layer fits the cache


class Net(nn.Module):
    """Fully connected layers with rectified units; six logits, one for each of `OUTCOMES`.

    Parameters
    ----------
    hidden : sequence of int
        Units of the hidden layers.
    rules : Variant
        The variant it learns.
    """

    def __init__(self, hidden: Sequence[int], rules: Variant) -> None:
        super().__init__()
        self.rules = rules
        sizes = [encoder.INPUTS, *hidden, len(OUTCOMES)]
        self.layers = nn.ModuleList(nn.Linear(inputs, outputs) for inputs, outputs in pairwise(sizes))
        place = torch.from_numpy(encoder.PLACE_INPUTS)
        self.register_buffer("_place", place, persistent=False)
        counts = torch.from_numpy(np.stack([encoder.MINE, encoder.THEIRS], axis=-1))
        self.register_buffer("_counts", counts, persistent=False)

    def start_at(self, chances: Sequence[float]) -> None:
        """Begin with small weights and with the chances of the six outcomes for every board.

        An output that starts far from its base rate makes every early choice noise.
        """
        with torch.no_grad():
            last = self.layers[-1]
            assert isinstance(last, nn.Linear)
            last.weight.mul_(0.1)
            last.bias.copy_(torch.log(torch.tensor(chances)))

    def inputs(self, boards: Tensor) -> Tensor:
        """Return the inputs of boards int8 (N, 26), float32 (N, 210); as `encoder.encode`."""
        place = boards.int() + encoder.MOST
        shown = functional.embedding(place, self.get_buffer("_place")).flatten(1)
        on_board = functional.embedding(place, self.get_buffer("_counts")).sum(dim=1)
        return torch.cat([shown, 1 - on_board / self.rules.checkers], dim=1)

    def forward(self, boards: Tensor) -> Tensor:
        """Return the logits of the six outcomes, float32 (N, 6), for boards int8 (N, 26)."""
        units = self.inputs(boards)
        for layer in self.layers[:-1]:
            units = torch.relu(layer(units))
        logits: Tensor = self.layers[-1](units)
        return logits

    def arrays(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """Return a copy of the weights and biases, as `gammon_rl.eval.model.Model` takes them."""
        return tuple(
            (layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy())
            for layer in self.layers
            if isinstance(layer, nn.Linear)
        )


def outcomes(net: Net, boards: Boards) -> np.ndarray:
    """Return the chances of the six outcomes by the net with what is known without it, float32 (N, 6).

    The torch counterpart of `gammon_rl.eval.network.Network.outcomes`, written plainly so that one checks the other.
    """
    with torch.no_grad():
        logits = net(torch.from_numpy(np.ascontiguousarray(boards)))
    off = checkers_off(boards, net.rules)
    logits[torch.from_numpy(off[:, 0] > 0), :2] = -torch.inf
    logits[torch.from_numpy(off[:, 1] > 0), 4:] = -torch.inf
    chances: np.ndarray = torch.softmax(logits, dim=1).numpy()
    points = results(boards, net.rules)
    over = points != 0
    chances[over] = certain(points[over])
    return chances


class FoldedNet:
    """The net as it is now, with its first layer as a table; does not learn."""

    def __init__(self, net: Net) -> None:
        (weight, bias), *rest = net.arrays()
        table, whole = encoder.fold(weight, bias, net.rules.checkers)
        table[0] += whole
        self._table = torch.from_numpy(table).flatten(0, 1).contiguous()
        self._rows = (torch.arange(26) * (2 * encoder.MOST + 1) + encoder.MOST).int()
        self._rest = [(torch.from_numpy(w).T.contiguous(), torch.from_numpy(b)) for w, b in rest]
        self._points = torch.from_numpy(POINTS)

    def outcomes(self, boards: Boards) -> Tensor:
        """Return the chances of the six outcomes, float32 (N, 6), for boards int8 (N, 26)."""
        with torch.no_grad():
            parts = [self._chances(part).T for part in torch.from_numpy(boards).split(_BLOCK)]  # type: ignore[no-untyped-call]
        return torch.cat(parts)

    def equity(self, boards: Boards) -> np.ndarray:
        """Return the cubeless equity of the player on roll, float32 (N,), for boards int8 (N, 26)."""
        with torch.no_grad():
            parts = [self._points @ self._chances(part) for part in torch.from_numpy(boards).split(_BLOCK)]  # type: ignore[no-untyped-call]
        equity: np.ndarray = torch.cat(parts).numpy()
        return equity

    def _chances(self, boards: Tensor) -> Tensor:
        """Return the chances in columns, float32 (6, N): six long rows are quick to exponentiate and to add up."""
        units = functional.embedding_bag(boards + self._rows, self._table, mode="sum")
        for weight, bias in self._rest[:-1]:
            units = torch.addmm(bias, units.relu_(), weight)
        weight, bias = self._rest[-1]
        chances = torch.addmm(bias, units.relu_(), weight).T.contiguous()
        chances.sub_(chances.amax(dim=0)).exp_()
        return chances.div_(chances.sum(dim=0))
