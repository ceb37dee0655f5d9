"""A layer of the new engine cannot tell which of its inputs are constants

OpenCV 4 hands a custom layer the constants of its node as `blobs`, so it can pack weights once. In the new engine `blobs` is
empty and constants are ordinary inputs; the layer has its net as a `void*`, and `Layer::dump`, a text for people, is the
only place that says `<Const>`.
"""
import cv2
import numpy as np
from onnx import parser


class Counts:
    def __init__(self, params, blobs):
        print("right:" if blobs else "wrong:", len(blobs), "constants are handed over; the node has 1")

    def getMemoryShapes(self, inputs):
        return [inputs[0]]

    def forward(self, inputs):
        return [inputs[0]]


cv2.dnn_registerLayer("mine.Counts", Counts)
model = parser.parse_model("""<ir_version: 8, opset_import: ["": 14]>
g (float[1, 4] x) => (float[1, 4] y) <float[4] w = {1, 2, 3, 4}> { y = Mul(x, w) }""")
model.graph.node[0].op_type = "mine.Counts"
cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8), cv2.dnn.ENGINE_NEW)
