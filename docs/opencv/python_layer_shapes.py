"""A Python layer cannot state the shapes of its outputs

`pycvLayer` no longer asks `getMemoryShapes`, as OpenCV 4 does. So an output has the first input's shape, there are as many
outputs as inputs, and a layer that gives anything else fails an assertion.
"""
import cv2
import numpy as np
from onnx import parser


class Doubled:
    def __init__(self, params, blobs):
        pass

    def getMemoryShapes(self, inputs):
        return [[1, 8]]

    def forward(self, inputs):
        return [np.concatenate([inputs[0], inputs[0]], 1)]


cv2.dnn_registerLayer("mine.Doubled", Doubled)
model = parser.parse_model(
    '<ir_version: 8, opset_import: ["": 14]> g (float[1, 4] x) => (float[1, 8] y) { y = Identity(x) }'
)
model.graph.node[0].op_type = "mine.Doubled"
net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8), cv2.dnn.ENGINE_NEW)
net.setInput(np.float32([[1, 2, 3, 4]]))
try:
    print("right: an output of", net.forward().shape)
except cv2.error as error:
    print("wrong:", error.err)
