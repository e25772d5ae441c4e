"""The torch net that learns, and its quick copies that play.

The net is a function of the inputs of `gammon_rl.eval.encoder`. `FoldedNet` has its first layer folded into a table, so
that it takes counts and never makes an input: the same function, for values that are learned from. `HalfNet` has its
hidden layers in bfloat16: nearly the same function, two to four times as quick on processors with matrix units for it,
for choosing plays. `Judge` is the pair that plays a run's games.

Legend: N boards, H units of the first layer.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from gammon_rl.errors import ConfigError
from gammon_rl.eval import encoder
from gammon_rl.eval.exactly import exact_outcomes
from gammon_rl.eval.network import OUTCOMES, POINTS, certain
from gammon_rl.eval.shots import COUNTS, ROLLS, shots
from gammon_rl.exact.bearoff import Bearoff
from gammon_rl.rules.board import checkers_off, results
from gammon_rl.rules.variants import Boards, Variant

Layers = Sequence[tuple[np.ndarray, np.ndarray]]

_BLOCK = 2048  # boards evaluated at once: their first layer fits the cache


class Net(nn.Module):
    """Fully connected layers with rectified units; six logits, one for each of `OUTCOMES`.

    Parameters
    ----------
    hidden : sequence of int
        Units of the hidden layers.
    rules : Variant
        The variant it learns.
    with_shots : bool
        Whether it is shown how many rolls hit each blot.
    """

    def __init__(self, hidden: Sequence[int], rules: Variant, *, with_shots: bool = False) -> None:
        super().__init__()
        self.rules = rules
        self.with_shots = with_shots
        sizes = [encoder.WITH_SHOTS if with_shots else encoder.INPUTS, *hidden, len(OUTCOMES)]
        self.layers = nn.ModuleList(nn.Linear(inputs, outputs) for inputs, outputs in pairwise(sizes))
        place = torch.from_numpy(encoder.PLACE_INPUTS)
        self.register_buffer("_place", place, persistent=False)

    def start_at(self, chances: Sequence[float]) -> None:
        """Begin with small weights and with the chances of the six outcomes for every board.

        An output that starts far from its base rate makes every early choice noise.
        """
        with torch.no_grad():
            last = self._linear()[-1]
            last.weight.mul_(0.1)
            last.bias.copy_(torch.log(torch.tensor(chances)))

    def inputs(self, boards: Tensor) -> Tensor:
        """Return the inputs of boards int8 (N, 26), float32 (N, 210) or with shots (N, 260); as `encoder.encode`."""
        shown = functional.embedding(boards.int() + encoder.MOST, self.get_buffer("_place")).flatten(1)
        counts = boards.float()
        on_board = torch.stack([counts.clamp_min(0).sum(dim=1), (-counts).clamp_min(0).sum(dim=1)], dim=1)
        parts = [shown, 1 - on_board / self.rules.checkers]
        if self.with_shots:
            parts.append(_counts_of_shots(boards) / ROLLS)
        return torch.cat(parts, dim=1)

    def forward(self, boards: Tensor, precision: torch.dtype = torch.float32) -> Tensor:
        """Return the logits of the six outcomes, float32 (N, 6), for boards int8 (N, 26).

        Hidden layers are computed in the given precision, the last one always in float32.
        """
        units = self.inputs(boards).to(precision)
        for layer in self._linear()[:-1]:
            units = torch.relu(functional.linear(units, layer.weight.to(precision), layer.bias.to(precision)))
        logits: Tensor = self.layers[-1](units.float())
        return logits

    def grow_from(self, layers: Layers) -> None:
        """Become the function of a smaller net, with the other units ready to learn.

        Every layer of the smaller one goes into one at least as wide, in order, the first into the first. New units
        see what they like but nothing looks at them yet. A layer between two of the old ones hands on what it gets.

        Parameters
        ----------
        layers : sequence of (float32 (outputs, inputs), float32 (outputs,))
            Weights and biases of the smaller net, first to last.

        Raises
        ------
        ConfigError
            If they do not fit in.
        """
        old, new = [len(bias) for _, bias in layers[:-1]], [layer.out_features for layer in self._linear()[:-1]]
        places = _places(old, new)
        if places is None:
            raise ConfigError(f"a net with hidden layers {old} cannot grow into {new}")
        if layers[0][0].shape[1] > self._linear()[0].in_features:
            raise ConfigError("a net that is shown shots cannot grow into one that is not")
        source = dict(zip([*places, len(new)], layers, strict=True))
        width = layers[0][0].shape[1]  # of the old net, before the layer
        with torch.no_grad():
            for place, layer in enumerate(self._linear()):
                weight, bias = source.get(place, (np.eye(width, dtype=np.float32), np.zeros(width, np.float32)))
                outputs = len(bias)
                layer.weight[:outputs, :width] = torch.from_numpy(weight)
                layer.weight[:outputs, width:] = 0
                layer.bias[:outputs] = torch.from_numpy(bias)
                width = outputs

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self._linear()[0].weight.device

    def _linear(self) -> list[nn.Linear]:
        return [layer for layer in self.layers if isinstance(layer, nn.Linear)]

    def arrays(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """Return a copy of the weights and biases, as `gammon_rl.eval.model.Model` takes them."""
        return tuple(
            (layer.weight.detach().cpu().numpy().copy(), layer.bias.detach().cpu().numpy().copy())
            for layer in self._linear()
        )


def _places(old: Sequence[int], new: Sequence[int]) -> tuple[int, ...] | None:
    """Return the layer of the new net for each of the old one; None if there is no room."""
    for places in combinations(range(len(new)), len(old)):
        holds = np.array([old[bisect_right(places, at) - 1] for at in range(len(new))])
        if places[0] == 0 and (holds <= new).all():
            return places
    return None


def precision(name: str, device: torch.device) -> torch.dtype:
    """Return the arithmetic that a configuration names; ``auto`` is the quicker one on the device."""
    if name != "auto":
        kind: torch.dtype = getattr(torch, name)
        return kind
    if device.type != "cpu":
        return torch.bfloat16
    units = (getattr(torch.cpu, f"_is_{unit}_supported", lambda: False)() for unit in ("amx_tile", "avx512_bf16"))
    return torch.bfloat16 if any(units) else torch.float32


def outcomes(net: Net, boards: Boards) -> np.ndarray:
    """Return the chances of the six outcomes by the net with what is known without it, float32 (N, 6).

    The torch counterpart of `gammon_rl.eval.network.Network.outcomes`, written plainly so that one checks the other.
    """
    with torch.no_grad():
        logits = net(torch.from_numpy(np.ascontiguousarray(boards)).to(net.device)).cpu()
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
        weight, per_count = encoder.apart(weight)
        table, whole = encoder.fold(weight, bias, net.rules.checkers)
        table[0] += whole
        device = net.device
        self._per_count = None if per_count is None else torch.from_numpy(per_count).T.contiguous().to(device)
        self._table = torch.from_numpy(table).flatten(0, 1).contiguous().to(device)
        self._rows = (torch.arange(26) * (2 * encoder.MOST + 1) + encoder.MOST).int().to(device)
        self._rest = [(torch.from_numpy(w).T.contiguous().to(device), torch.from_numpy(b).to(device)) for w, b in rest]
        self._points = _POINTS.to(device)

    def outcomes(self, boards: Boards) -> Tensor:
        """Return the chances of the six outcomes, float32 (N, 6), for boards int8 (N, 26)."""
        with torch.no_grad():
            parts = [self._chances(part).T for part in self._parts(boards)]
        return torch.cat(parts).cpu()

    def equity(self, boards: Boards) -> np.ndarray:
        """Return the cubeless equity of the player on roll, float32 (N,), for boards int8 (N, 26)."""
        with torch.no_grad():
            parts = [self._points @ self._chances(part) for part in self._parts(boards)]
        equity: np.ndarray = torch.cat(parts).cpu().numpy()
        return equity

    def _parts(self, boards: Boards) -> Sequence[Tensor]:
        whole = torch.from_numpy(boards).to(self._table.device)
        parts: Sequence[Tensor] = whole.split(_BLOCK if whole.device.type == "cpu" else max(1, len(whole)))  # type: ignore[no-untyped-call]
        return parts

    def _chances(self, boards: Tensor) -> Tensor:
        units = functional.embedding_bag(boards + self._rows, self._table, mode="sum")
        if self._per_count is not None:
            units.addmm_(_counts_of_shots(boards).float(), self._per_count)
        for weight, bias in self._rest[:-1]:
            units = torch.addmm(bias, units.relu_(), weight)
        weight, bias = self._rest[-1]
        return _softmax(torch.addmm(bias, units.relu_(), weight))


class HalfNet:
    """The net as it is now, with its hidden layers in bfloat16; does not learn.

    The first layer is a matrix product over the inputs of the places. Those of a place are 8 numbers of 2 bytes, so
    that the inputs of a board are 26 look-ups of 16 bytes; checkers borne off are a sum over places, folded into the
    weights. Counts of shots are whole numbers that bfloat16 knows exactly.
    """

    def __init__(self, net: Net) -> None:
        (weight, bias), *hidden, (last, last_bias) = net.arrays()
        weight, per_count = encoder.apart(weight)
        table, whole = encoder.fold(weight, bias, net.rules.checkers)
        # The 8 inputs of a place determine its count, so rows by count are weights by input once more.
        back = np.linalg.pinv(encoder.PLACE_INPUTS.astype(np.float64))
        first = np.einsum("ic,pch->pih", back, table).reshape(-1, table.shape[-1])
        self._with_shots = per_count is not None
        if per_count is not None:
            first = np.concatenate([first, per_count.T])
        self._layers = [
            (torch.from_numpy(w).bfloat16().contiguous(), torch.from_numpy(b).bfloat16())
            for w, b in [(first, whole), *((w.T, b) for w, b in hidden)]
        ]
        self._last = torch.from_numpy(last).T.contiguous(), torch.from_numpy(last_bias)
        inputs = torch.from_numpy(encoder.PLACE_INPUTS).bfloat16().view(torch.int16).numpy()
        self._inputs = inputs.view(np.complex128)[:, 0].copy()  # complex128 only for being 16 bytes

    def equity(self, boards: Boards) -> np.ndarray:
        """Return about the cubeless equity of the player on roll, float32 (N,), for boards int8 (N, 26)."""
        with torch.no_grad():
            parts = [_POINTS @ self._chances(boards[at : at + _BLOCK]) for at in range(0, len(boards), _BLOCK)]
        equity: np.ndarray = torch.cat(parts).numpy() if parts else np.empty(0, np.float32)
        return equity

    def _chances(self, boards: Boards) -> Tensor:
        # The product is compiled anew for every number of rows it has not met, so there is only one number.
        places = np.zeros((_BLOCK, 26), dtype=np.uint8)
        np.add(boards.view(np.uint8), np.uint8(encoder.MOST), out=places[: len(boards)])
        units = torch.from_numpy(self._inputs.take(places).view(np.int16)).view(torch.bfloat16)
        if self._with_shots:
            counts = np.zeros((_BLOCK, COUNTS), dtype=np.uint8)
            counts[: len(boards)] = shots(boards)
            units = torch.cat([units, torch.from_numpy(counts).bfloat16()], dim=1)
        for weight, bias in self._layers:
            units = torch.addmm(bias, units, weight)
            units.view(torch.int16).clamp_min_(0)  # rectified: the sign is the same bit, and whole numbers are quicker
        weight, bias = self._last
        return _softmax(torch.addmm(bias, units[: len(boards)].float(), weight))


class Judge:
    """The net as it is now, as it plays and values the games of a run.

    Parameters
    ----------
    net : Net
        The net.
    precision : torch.dtype
        bfloat16 for choosing plays nearly as well and more quickly on a CPU; values are float32 in any case.
    bearoff : Bearoff, optional
        Databases that answer for the boards they know.
    """

    def __init__(self, net: Net, precision: torch.dtype = torch.float32, bearoff: Bearoff | None = None) -> None:
        self.rules = net.rules
        self._exact = FoldedNet(net)
        half = precision != torch.float32 and net.device.type == "cpu"
        self._quick = HalfNet(net) if half else self._exact
        self._bearoff = bearoff

    def outcomes(self, boards: Boards) -> np.ndarray:
        """Return the chances of the six outcomes, float32 (N, 6), for boards int8 (N, 26)."""
        chances: np.ndarray = self._exact.outcomes(boards).numpy()
        if self._bearoff:
            known, exact = exact_outcomes(self._bearoff, boards)
            chances[known] = exact
        return chances

    def equity(self, boards: Boards) -> np.ndarray:
        """Return about the cubeless equity of the player on roll, float32 (N,), for boards int8 (N, 26)."""
        equity = self._quick.equity(boards)
        if self._bearoff:
            known, exact = exact_outcomes(self._bearoff, boards)
            equity[known] = exact @ POINTS
        return equity


def _counts_of_shots(boards: Tensor) -> Tensor:
    """Return `shots` of boards int8 (N, 26), uint8 (N, 50); they are counted on the CPU."""
    return torch.from_numpy(shots(boards.cpu().numpy())).to(boards.device)


def _softmax(logits: Tensor) -> Tensor:
    """Return the chances in columns, float32 (6, N): six long rows are quick to exponentiate and to add up."""
    chances = logits.T.contiguous()
    chances.sub_(chances.amax(dim=0)).exp_()
    return chances.div_(chances.sum(dim=0))


_POINTS = torch.from_numpy(POINTS)
