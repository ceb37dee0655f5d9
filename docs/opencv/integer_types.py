"""Layer::getTypes refuses int32 and bool, so a custom layer cannot read them

The base class asserts `CV_32F || CV_64F || CV_8S || CV_8U || CV_64S`. A C++ layer can override `getTypes`; a Python layer
cannot, and each layer that reads token ids or a mask of truth values has to.
"""
import cv2
import numpy as np
from onnx import parser


class Same:
    def __init__(self, params, blobs):
        pass

    def getMemoryShapes(self, inputs):
        return [inputs[0]]

    def forward(self, inputs):
        return [inputs[0]]


cv2.dnn_registerLayer("mine.Same", Same)
model = parser.parse_model("""<ir_version: 8, opset_import: ["": 14]> g (float[1, 4] x) => (int32[1, 4] y) {
    i = Cast<to = 6>(x)
    y = Identity(i)
}""")
model.graph.node[1].op_type = "mine.Same"
net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8), cv2.dnn.ENGINE_NEW)
net.setInput(np.float32([[1, 2, 3, 4]]))
try:
    print("right: int32 passes:", net.forward())
except cv2.error as error:
    print("wrong:", error.err)
