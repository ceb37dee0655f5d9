"""What the constructor of a custom layer throws is lost while a net is read

The exception goes to the log at level INFO. The importer says that it tries the older parser, without a reason, and what
a program gets is an empty net (C++), or an error that names the Python call and not the layer.
"""
import cv2
import numpy as np
from onnx import parser


class Refuses:
    def __init__(self, params, blobs):
        raise ValueError("size = 0; expected 1 or more")


cv2.dnn_registerLayer("mine.Refuses", Refuses)
model = parser.parse_model(
    '<ir_version: 8, opset_import: ["": 14]> g (float[1, 4] x) => (float[1, 4] y) { y = Identity(x) }'
)
model.graph.node[0].op_type = "mine.Refuses"
try:
    cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8), cv2.dnn.ENGINE_NEW)
    print("wrong: nothing is said")
except (cv2.error, SystemError, ValueError) as error:
    print("right:" if "expected 1 or more" in str(error) else "wrong:", "the program is told", repr(str(error)))
