"""Two Reshapes in a row: zeros of the second mean dims of what the first one reads

The first Reshape is left out, and a 0 in the shape of the second then copies a dim of the wrong tensor. [2, 8, 3] reshaped to
[8, 2, 3], and that by [0, 0, 3, 1], is [2, 8, 3, 1] instead of [8, 2, 3, 1].
"""
import cv2
import numpy as np
from onnx import parser

model = parser.parse_model("""<ir_version: 8, opset_import: ["": 14]>
g (float[2, 8, 3] x) => (float[8, 2, 3, 1] y) <int64[3] first = {8, 2, 3}, int64[4] second = {0, 0, 3, 1}> {
    a = Reshape(x, first)
    y = Reshape(a, second)
}""")
net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
net.setInput(np.zeros((2, 8, 3), np.float32))
shape = net.forward().shape
print("right:" if shape == (8, 2, 3, 1) else "wrong:", "the shape is", shape)
