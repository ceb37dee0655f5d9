"""The new ONNX importer looks for a custom layer without the domain of its operator

`parseCustomLayer` says that "non-default domains are prefixed, matching the old engine", and does not prefix them. `Twice`
of the domain `mine` is looked for as `Twice`, not as `mine.Twice`, and the importer falls back to the classic engine.
"""
import cv2
import numpy as np
from onnx import parser


class Twice:
    def __init__(self, params, blobs):
        pass

    def getMemoryShapes(self, inputs):
        return [inputs[0]]

    def forward(self, inputs):
        return [2 * inputs[0]]


cv2.dnn_registerLayer("mine.Twice", Twice)
model = parser.parse_model(
    '<ir_version: 8, opset_import: ["": 14, "mine": 1]> g (float[1, 4] x) => (float[1, 4] y) { y = mine.Twice(x) }'
)
net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8), cv2.dnn.ENGINE_NEW)
print("wrong: mine.Twice is registered and not found" if net.empty() else "right: it is found")
