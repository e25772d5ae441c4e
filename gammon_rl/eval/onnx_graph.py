"""A model as an ONNX graph: from boards to chances, the encoding and all that is known without the net included.

The graph is the same function as `Model.probs` and `Model.equity`, so that a program in another language hands over
the counts of a board and nothing else. It keeps to operators that every runtime has had since opset 13 of 2020.

Legend: N boards.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from gammon_rl import __version__
from gammon_rl.eval.encoder import INPUTS, MOST, PLACE_INPUTS, apart
from gammon_rl.eval.model import Model
from gammon_rl.eval.network import POINTS, Floats, dense_weight, nested
from gammon_rl.eval.onnx_nodes import Nodes
from gammon_rl.eval.onnx_shots import add_shots

OPSET: Final = 13
IR_VERSION: Final = 7  # of the file itself; the one that came with the opset
INPUT: Final = "boards"
PROBS: Final = "probs"
EQUITY: Final = "equity"
CHANCES: Final = ("win", "win gammon or better", "win backgammon", "lose gammon or worse", "lose backgammon")
"""What the columns of `PROBS` are, for the player on roll."""

_ON_PLACES: Final = INPUTS - 2
_IMPOSSIBLE: Final = np.float32(-1e9)  # added to an outcome's number before the softmax leaves it a chance of 0


def onnx_bytes(model: Model, properties: Mapping[str, str]) -> bytes:
    """Return the ONNX file of a model; equal ones make equal bytes.

    Parameters
    ----------
    model : Model
        The evaluator.
    properties : mapping of str to str
        What the file is to say about itself, as metadata properties.

    Returns
    -------
    bytes
        A graph with the input `INPUT`, int8 (N, 26), and the outputs `PROBS`, float32 (N, 5), and `EQUITY`,
        float32 (N,).
    """
    from onnx import TensorProto, helper

    graph = Nodes()
    counts = graph.add("Cast", [INPUT], to=TensorProto.INT32)
    rows = graph.add("Add", [counts, graph.constant("most", np.array(MOST, dtype=np.int32))])
    places = graph.add("Gather", [graph.constant("place_inputs", PLACE_INPUTS), rows], axis=0)
    inputs = graph.add("Reshape", [places, graph.constant("shape", np.array([0, _ON_PLACES], dtype=np.int64))])

    # The net.
    (weight, per_count), bias = apart(model.layers[0][0]), model.layers[0][1]
    layers = [dense_weight(weight, bias, model.rules.checkers), *((w.T, b) for w, b in model.layers[1:])]
    units = inputs
    for number, (weight, bias) in enumerate(layers):
        if number:
            units = graph.add("Relu", [units])
        names = graph.constant(f"weight_{number}", weight), graph.constant(f"bias_{number}", bias)
        units = graph.add("Gemm", [units, *names])
        if number == 0 and per_count is not None:
            shown = graph.add("MatMul", [add_shots(graph, counts), graph.constant("weight_of_shots", per_count.T)])
            units = graph.add("Add", [units, shown])

    # What is known without it.
    measures, least, worth = _standing(model.rules.checkers)
    measured = graph.add("MatMul", [inputs, graph.constant("measures", measures)])
    reached = graph.add("GreaterOrEqual", [measured, graph.constant("least", least)])
    flags = graph.add("Cast", [reached], to=TensorProto.FLOAT)
    # A column and a squeeze: older runtimes cannot multiply no rows at all with a vector.
    column = graph.constant("column", np.array([1], dtype=np.int64))
    standing = graph.add("Squeeze", [graph.add("MatMul", [flags, graph.constant("worth", worth[:, None])]), column])
    row = graph.add("Cast", [standing], to=TensorProto.INT32)
    barred = graph.add("Gather", [graph.constant("impossible", _impossible()), row], axis=0)

    outcomes = graph.add("Softmax", [graph.add("Add", [units, barred])], axis=-1)
    sums = graph.add("MatMul", [outcomes, graph.constant("nesting", nested(np.eye(6, dtype=np.float32)))])
    graph.add("Min", [sums, graph.constant("one", np.array(1, dtype=np.float32))], PROBS)  # as `nested` does
    mean = graph.add("MatMul", [outcomes, graph.constant("points", POINTS[:, None])])
    graph.add("Squeeze", [mean, column], EQUITY)

    put_in = helper.make_tensor_value_info(
        INPUT, TensorProto.INT8, ["N", 26], "checkers on each place, as the player on roll sees the board"
    )
    given = [
        helper.make_tensor_value_info(PROBS, TensorProto.FLOAT, ["N", len(CHANCES)], ", ".join(CHANCES)),
        helper.make_tensor_value_info(EQUITY, TensorProto.FLOAT, ["N"], "cubeless points of the player on roll"),
    ]
    file = helper.make_model(
        helper.make_graph(graph.nodes, model.rules.name, [put_in], given, graph.constants),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="gammon_rl",
        producer_version=__version__,
        doc_string="A backgammon evaluator; the property model_card says how to use it.",
    )
    helper.set_model_props(file, dict(sorted(properties.items())))
    content: bytes = file.SerializeToString(deterministic=True)
    return content


# A side stands in one of four ways: it has no checker left (0), or has borne some off (1), or has all of them on the
# board, none of them where a loser's makes a backgammon (2), or one there (3).
_GONE, _SOME_OFF, _ALL_THERE, _ALL_THERE_AND_FAR = range(4)


def _standing(checkers: int) -> tuple[Floats, Floats, Floats]:
    """Return how to find out in which of four ways each side stands: matrices to multiply the inputs with.

    Returns
    -------
    measures : float32 (208, 6)
        From the inputs of the places to three measures of my side, then of the opponent's.
    least : float32 (6,)
        What each has to reach; the way a side stands is how many of its three do. All are small whole numbers.
    worth : float32 (6,)
        The sum over those that are reached is the row of `_impossible`.
    """
    count = np.array([1, 1, 1, 2], dtype=np.float32)  # the inputs of a place, in checkers
    far = np.arange(26) >= 19  # my places where the winner's home board or my bar is
    measures = np.zeros((26, 2, 4, 2, 3), dtype=np.float32)
    for side, places in ((0, far), (1, far[::-1])):
        measures[:, side, :, side, :2] = count[:, None]
        measures[:, side, :, side, 2] = np.multiply.outer(32 + places, count)  # both in one number: none is over 31
    least = np.array([1, checkers, 32 * checkers + 1], dtype=np.float32)
    return measures.reshape(_ON_PLACES, 6), np.tile(least, 2), np.repeat(np.array([4, 1], dtype=np.float32), 3)


def _impossible() -> Floats:
    """Return what rules outcomes out, float32 (16, 6), by 4 times the way I stand and the one the opponent does."""
    barred = np.zeros((4, 4, 6), dtype=np.float32)
    barred[: _SOME_OFF + 1, :, :2] = _IMPOSSIBLE  # with a checker off I lose no gammon
    barred[:, : _SOME_OFF + 1, 4:] = _IMPOSSIBLE
    for loser, points in ((_SOME_OFF, 1), (_ALL_THERE, 2), (_ALL_THERE_AND_FAR, 3)):
        for row, result in ((barred[_GONE, loser], points), (barred[loser, _GONE], -points)):
            row[:] = np.where(result == POINTS, 0, _IMPOSSIBLE)
    return barred.reshape(16, 6)
