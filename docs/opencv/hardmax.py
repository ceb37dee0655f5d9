"""Hardmax of a file before opset 13 goes over one axis instead of that one and all behind it

Before opset 13 Hardmax, like Softmax, looks at its input as a matrix: axis 1 of [1, 3, 4] means one row of 12, with a single 1.
"""
import cv2
import numpy as np
from onnx import parser

model = parser.parse_model(
    '<ir_version: 8, opset_import: ["": 11]> g (float[1, 3, 4] x) => (float[1, 3, 4] y) { y = Hardmax<axis = 1>(x) }'
)
net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
net.setInput(np.random.default_rng(0).standard_normal((1, 3, 4), np.float32))
ones = net.forward().sum()
print("right:" if ones == 1 else "wrong:", f"{ones:g} ones where 1 is expected")
