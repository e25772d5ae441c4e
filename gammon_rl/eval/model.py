"""The model file: one safetensors file that says what it is, loaded with a path and nothing else.

The file holds the layers as ``layers.0.weight``, ``layers.0.bias`` and so on, and one metadata entry, ``gammon_rl``,
with sorted JSON. Nothing in it is ever executed.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from gammon_rl.errors import InvalidPositionError, ModelFileError
from gammon_rl.eval import encoder
from gammon_rl.eval.encoder import MOST
from gammon_rl.eval.network import OUTCOMES, POINTS, Floats, Network, nested
from gammon_rl.rules.variants import VARIANTS, Boards, Variant
from gammon_rl.writing import write_whole

FORMAT: Final = 1
_LARGEST_WEIGHT: Final = 1e6  # far beyond any that is learned, and no sum of products of such overflows
METADATA_KEY: Final = "gammon_rl"
PERSPECTIVE: Final = "player on roll, dice not rolled"
# Released models lie in the installed package, or beside it in a checkout.
_RELEASED: Final = (Path(__file__).parents[1] / "checkpoints", Path(__file__).parents[2] / "checkpoints")


@dataclass(frozen=True, eq=False)
class Model:
    """A trained evaluator: the one thing bots, arena and tables ask about a board.

    Attributes
    ----------
    layers : tuple of (float32 (out, in), float32 (out,))
        Weights and biases.
    rules : Variant
        The variant it was trained for.
    info : mapping
        The rest of the metadata: training configuration, games, measured strength, licence.
    name : str
        Where it came from, for messages.
    """

    layers: tuple[tuple[Floats, Floats], ...]
    rules: Variant
    info: Mapping[str, Any] = field(default_factory=dict)
    name: str = "model"

    def __post_init__(self) -> None:
        object.__setattr__(self, "_network", Network(self.layers, self.rules))

    def outcomes(self, boards: Boards) -> Floats:
        """Return the chances of the six outcomes, float32 (..., 6), from lose backgammon to win backgammon."""
        network: Network = self.__dict__["_network"]
        boards = _countable(boards)
        return network.outcomes(boards.reshape(-1, 26)).reshape(*boards.shape[:-1], 6)

    def probs(self, boards: Boards) -> Floats:
        """Return the nested chances of the player on roll.

        Parameters
        ----------
        boards : int8 (..., 26)
            Boards with the dice not yet rolled, such as afterstates.

        Returns
        -------
        float32 (..., 5)
            Win, win gammon or better, win backgammon, lose gammon or worse, lose backgammon. A finished game has its
            result, and a side with a checker off loses no gammon.
        """
        return nested(self.outcomes(boards))

    def equity(self, boards: Boards) -> Floats:
        """Return the cubeless equity of the player on roll in points, float32 (...), for boards int8 (..., 26)."""
        equity: Floats = self.outcomes(boards) @ POINTS
        return equity

    def save(self, path: str | Path) -> None:
        """Write the model file, whole or not at all; equal models make equal bytes."""
        tensors: dict[str, NDArray[Any]] = {}
        for number, (weight, bias) in enumerate(self.layers):
            tensors[f"layers.{number}.weight"] = np.ascontiguousarray(weight, dtype=np.float32)
            tensors[f"layers.{number}.bias"] = np.ascontiguousarray(bias, dtype=np.float32)
        about = {
            **self.info,
            "format": FORMAT,
            "encoder": encoder.ENCODERS[self.layers[0][0].shape[1]],
            "layers": [int(self.layers[0][0].shape[1]), *(len(bias) for _, bias in self.layers)],
            "activation": "relu",
            "outputs": list(OUTCOMES),
            "perspective": PERSPECTIVE,
            "variant": self.rules.name,
        }
        write_whole(Path(path), save(tensors, {METADATA_KEY: json.dumps(about, sort_keys=True)}))


def _countable(boards: Boards) -> Boards:
    """Return boards as int8, or refuse what are none: other shapes, fractions, more checkers than there are."""
    values = np.asarray(boards)
    if values.shape[-1:] != (26,) or not np.issubdtype(values.dtype, np.integer):
        raise InvalidPositionError(
            f"boards must be whole numbers of shape (..., 26), got shape {values.shape} of {values.dtype}"
        )
    if values.size and (values.min() < -MOST or values.max() > MOST):
        raise InvalidPositionError(f"boards must have at most {MOST} checkers on a place")
    return values.astype(np.int8, copy=False)


def load_model(source: str | Path, rules: Variant | None = None) -> Model:
    """Load a model file.

    Parameters
    ----------
    source : str or Path
        A path, or the name of a released model such as ``standard``.
    rules : Variant, optional
        The variant it will play. A model for another one is refused, unless only the start position is another, as
        in Nackgammon and Longgammon.

    Raises
    ------
    ModelFileError
        If there is no such file, or it is damaged, too new, not a model, or for another variant.
    """
    path = find_model(source)
    about, tensors = _read(path)
    if about.get("format") != FORMAT:
        raise ModelFileError(f"{path}: model format {about.get('format')!r}, this version reads {FORMAT}")
    if about.get("encoder") not in encoder.ENCODERS.values():
        known = " and ".join(map(str, encoder.ENCODERS.values()))
        raise ModelFileError(f"{path}: made for encoder {about.get('encoder')!r}, this version has {known}")
    if about.get("activation") != "relu" or about.get("outputs") != list(OUTCOMES):
        raise ModelFileError(f"{path}: activation or outputs differ from what this version evaluates")
    variant = about.get("variant")
    if not isinstance(variant, str) or variant not in VARIANTS:
        raise ModelFileError(f"{path}: made for an unknown variant {variant!r}; known are {', '.join(VARIANTS)}")
    made_for = VARIANTS[variant]
    if rules is not None and not made_for.same_but_for_the_start(rules):
        raise ModelFileError(f"{path}: made for {variant}, not for {rules.name}")
    return Model(_layers(path, about, tensors), rules or made_for, about, str(source))


def released_model(rules: Variant) -> Model:
    """Load the model released for a variant, or for one that differs from it by the start position alone.

    Raises
    ------
    ModelFileError
        If there is none.
    """
    model = _released_for(rules)
    if model is None:
        raise ModelFileError(
            f"no model is released for {rules.name}: name a model file trained for it, or play at level easy"
        )
    return model


def quick_companion(rules: Variant) -> Model | None:
    """Load the small and quick companion of the model released for a variant, if there is one."""
    return _released_for(rules, "-quick")


def _released_for(rules: Variant, kind: str = "") -> Model | None:
    alike = [other.name for other in VARIANTS.values() if other.same_but_for_the_start(rules)]
    names = (f"{name}{kind}" for name in sorted(alike, key=lambda name: name != rules.name))
    return next((load_model(name, rules) for name in names if _released(name)), None)


def _released(name: str) -> Path | None:
    """Return the file of a released model, if there is one of that name."""
    files = (folder / f"{name}.safetensors" for folder in _RELEASED)
    return next((file for file in files if file.is_file()), None)


def is_model(source: str) -> bool:
    """Whether a text names a file or a released model, or at least looks like a model file."""
    try:
        return Path(source).suffix == ".safetensors" or find_model(source).exists()
    except ModelFileError:
        return False


def find_model(source: str | Path) -> Path:
    """Return the path of a model file given by path or released name."""
    path = Path(source)
    try:
        if path.is_file():
            return path
        released = _released(str(source)) if path.name == str(source) else None
        if released:
            return released
        if path.is_dir():
            raise ModelFileError(f"{path}: is a directory, expected a model file")
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{str(source)[:60]!r}: no name for a model file ({error})") from None
    names = ", ".join(sorted({found.stem for folder in _RELEASED for found in folder.glob("*.safetensors")})) or "none"
    raise ModelFileError(f"{source}: no such model file; released models here: {names}")


def _read(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, TypeError, AttributeError) as error:
        raise ModelFileError(f"{path}: not a readable model file ({error})") from None
    if METADATA_KEY not in metadata:
        raise ModelFileError(f"{path}: a safetensors file, but without the {METADATA_KEY!r} description of a model")
    try:
        about = json.loads(metadata[METADATA_KEY])
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{path}: its description is not JSON ({error})") from None
    if not isinstance(about, dict):
        raise ModelFileError(f"{path}: its description is not a JSON object")
    return about, tensors


def _layers(
    path: Path, about: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]
) -> tuple[tuple[Floats, Floats], ...]:
    sizes: Any = about.get("layers")
    sane = isinstance(sizes, list) and len(sizes) >= 3 and all(isinstance(size, int) and size > 0 for size in sizes)
    wanted = next(inputs for inputs, said in encoder.ENCODERS.items() if said == about["encoder"])
    if not sane or sizes[0] != wanted or sizes[-1] != len(OUTCOMES):
        raise ModelFileError(f"{path}: layer sizes {sizes!r}, expected [{wanted}, ..., {len(OUTCOMES)}]")
    expected: dict[str, tuple[int, ...]] = {}
    for number, (inputs, outputs) in enumerate(pairwise(sizes)):
        expected[f"layers.{number}.weight"] = (outputs, inputs)
        expected[f"layers.{number}.bias"] = (outputs,)
    if {name: tensor.shape for name, tensor in tensors.items()} != expected:
        raise ModelFileError(f"{path}: its tensors do not have the shapes of layers {sizes}")
    for name, tensor in tensors.items():
        if tensor.dtype != np.float32 or not (np.abs(tensor) <= _LARGEST_WEIGHT).all():
            raise ModelFileError(f"{path}: tensor {name} is not float32 of sensible size")
    return tuple(
        (tensors[f"layers.{number}.weight"], tensors[f"layers.{number}.bias"]) for number in range(len(sizes) - 1)
    )
