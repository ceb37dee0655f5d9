# SPDX-License-Identifier: Apache-2.0
"""The weights of a model that ../export/segmenter.py wrote, by the names they had there."""

import numpy as np
import onnx
import torch
from onnx import numpy_helper


def weights_of(path):
    """A state dict. Parameters keep their names in the file; a Linear's matrix loses its own, and
    lies transposed before the sum with the bias that has kept it."""
    graph = onnx.load(str(path)).graph
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    made_by = {name: node for node in graph.node for name in node.output}
    for node in graph.node:
        if node.op_type == "Cast" and node.input[0] in values:  # stored as float16
            values[node.output[0]] = values.pop(node.input[0]).astype(np.float32)
    state = {name: value for name, value in values.items() if is_named(name)}
    for node in graph.node:
        bias = next((name for name in node.input if name.endswith(".bias") and name in state), None)
        products = [made_by[name] for name in node.input if name in made_by]
        products = [product for product in products if product.op_type == "MatMul"]
        if node.op_type == "Add" and bias and products:
            name = bias[: -len("bias")] + "weight"
            state[name] = values[products[0].input[1]].T
    return {name: torch.from_numpy(np.array(value)) for name, value in state.items()}


def is_named(name):
    return name.startswith(("encoder.", "decoder."))
