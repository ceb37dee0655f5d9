"""Net::forward(outputs, names) refuses fewer names than the graph has outputs

OpenCV 4 computes what is asked for. The new engine asserts that all outputs of the graph are named, so a program that
wants one of two outputs has to compute and copy both.
"""
import cv2
import numpy as np
from onnx import parser

model = parser.parse_model(
    '<ir_version: 8, opset_import: ["": 14]> g (float[1, 4] x) => (float[1, 4] y, float[1, 4] z) { y = Neg(x) z = Exp(x) }'
)
net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8), cv2.dnn.ENGINE_NEW)
net.setInput(np.float32([[1, 2, 3, 4]]))
try:
    print("right: one of two outputs is", net.forward(["y"]))
except cv2.error as error:
    print("wrong:", error.err)
