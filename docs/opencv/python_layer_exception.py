"""An exception in a Python layer's forward hangs or ends the process

The interpreter stays locked when `forward` of a Python layer raises. The program below does not come back; a child process
runs it here, and is given ten seconds.
"""
import subprocess
import sys

import cv2
import numpy as np
from onnx import parser


class Raises:
    def __init__(self, params, blobs):
        pass

    def getMemoryShapes(self, inputs):
        return [inputs[0]]

    def forward(self, inputs):
        raise ValueError("no")


if len(sys.argv) == 1:
    try:
        status = subprocess.run([sys.executable, __file__, "child"], timeout=10).returncode
        print("right: the caller is told" if status == 0 else f"wrong: the process ended with {status}")
    except subprocess.TimeoutExpired:
        print("wrong: the process hangs")
else:
    cv2.dnn_registerLayer("mine.Raises", Raises)
    model = parser.parse_model('<ir_version: 8, opset_import: ["": 14]> g (float[1, 4] x) => (float[1, 4] y) { y = Neg(x) }')
    model.graph.node[0].op_type = "mine.Raises"
    net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8), cv2.dnn.ENGINE_NEW)
    net.setInput(np.float32([[1, 2, 3, 4]]))
    try:
        net.forward()
    except (cv2.error, ValueError):
        pass
