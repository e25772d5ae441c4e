"""An ONNX graph as it is put together."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto


class Nodes:
    """Nodes and constants as they are added; a node has the name of what it gives."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def add(self, operator: str, inputs: list[str], output: str = "", **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        from onnx import helper

        output = output or f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        """Add a constant and return its name."""
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name
