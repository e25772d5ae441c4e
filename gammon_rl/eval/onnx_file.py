"""Writing a model as an ONNX file with a card beside it, once onnxruntime has answered as the NumPy evaluator does."""

import functools
import json
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np

from gammon_rl.errors import ModelFileError
from gammon_rl.eval.model import PERSPECTIVE, Model
from gammon_rl.eval.onnx_card import encoder_of, layer_sizes, licence, onnx_card
from gammon_rl.eval.onnx_graph import CHANCES, EQUITY, INPUT, PROBS, onnx_bytes
from gammon_rl.rules.board import results, turn
from gammon_rl.rules.dice import roll
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import Boards, Variant
from gammon_rl.writing import write_whole

CHECKED: Final = 10_000
"""Boards on which the two are compared."""
TOLERANCE: Final = 1e-5
"""The most by which a chance or an equity may differ."""
_GAMES: Final = 100  # side by side, from which those boards come


@dataclass(frozen=True)
class OnnxFile:
    """An ONNX file that was written.

    Attributes
    ----------
    path, card : Path
        The file, and the card beside it.
    size : int
        Of the file, in bytes.
    difference : float
        The most by which onnxruntime and the NumPy evaluator differed in a chance or an equity.
    """

    path: Path
    card: Path
    size: int
    difference: float


def export_onnx(model: Model, path: Path, about: str = "") -> OnnxFile:
    """Write a model as an ONNX file, and its card as a second file that has ``.md`` at the end of its name.

    Parameters
    ----------
    model : Model
        The evaluator.
    path : Path
        The file, whose name ends in ``.onnx``. One that is there already is replaced.
    about : str
        The model's own card, to be added to the one that is written.

    Raises
    ------
    ModelFileError
        If the name does not fit, onnx or onnxruntime is not installed, onnxruntime does not answer as the NumPy
        evaluator does, or the files cannot be written. An ONNX file that was there then stays as it was.
    """
    if path.suffix.casefold() != ".onnx":
        raise ModelFileError(f"{str(path)!r} is no name for an ONNX file; expected one that ends in .onnx")
    if os.path.isdir(path):
        raise ModelFileError(f"{path}: is a directory, expected the name of a file")
    if not (find_spec("onnx") and find_spec("onnxruntime")):
        raise ModelFileError("this needs onnx and onnxruntime, the extra 'onnx': pip install 'gammon-rl[onnx]'")
    card = path.with_name(f"{path.name}.md")
    text = onnx_card(model, path.name, about)
    content = onnx_bytes(model, _properties(model, text))
    difference = _difference(model, content, _boards(model.rules, CHECKED))
    if not difference <= TOLERANCE:
        raise ModelFileError(
            f"{path}: not written, since onnxruntime and NumPy differ by {difference:.2g}; expected at most {TOLERANCE}"
        )
    try:
        write_whole(card, text.encode())
        write_whole(path, content)
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be written ({error.strerror})") from None
    return OnnxFile(path, card, len(content), difference)


def _properties(model: Model, card: str) -> dict[str, str]:
    """Return what the file says about itself."""
    return {
        "checkers": str(model.rules.checkers),
        "encoder": encoder_of(model),
        "info": json.dumps({**model.info, "layers": layer_sizes(model)}, sort_keys=True),
        "licence": licence(model),
        "model_card": card,
        "outputs": ", ".join(CHANCES),
        "perspective": PERSPECTIVE,
        "variant": model.rules.name,
    }


def _difference(model: Model, content: bytes, boards: Boards) -> float:
    """Return the most by which the answers of an ONNX file and of its model differ."""
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = InferenceSession(content, options, providers=["CPUExecutionProvider"])
    given = np.column_stack(session.run([PROBS, EQUITY], {INPUT: boards}))
    return float(np.abs(given - np.column_stack([model.probs(boards), model.equity(boards)])).max())


@functools.cache
def _boards(rules: Variant, count: int) -> Boards:
    """Return boards of games of random plays, int8 (count, 26), finished ones among them."""
    rng = np.random.default_rng(1)
    boards = np.tile(rules.start(), (_GAMES, 1))
    met = [boards]
    while len(met) * _GAMES < count:
        boards = np.where(results(boards, rules)[:, None] != 0, rules.start(), boards)
        parents, afterstates = legal_plays(boards, roll(rng, _GAMES), rules)
        mixed = rng.permutation(len(parents))
        movers, first = np.unique(parents[mixed], return_index=True)
        boards = turn(boards)  # what a dance leaves
        boards[movers] = afterstates[mixed[first]]
        met.append(boards)
    return np.concatenate(met)[:count]
