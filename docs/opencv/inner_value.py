"""Net::forward(name) of an inner value gives what another layer left in its buffer

The value is read at the end of the forward. By then its buffer has been used again, so the numbers are silently those of
another layer: 2 12 36 80 instead of 1 4 9 16 for the squares of 1 to 4.
"""
import cv2
import numpy as np
from onnx import parser

model = parser.parse_model("""<ir_version: 8, opset_import: ["": 14]> g (float[1, 4] x) => (float[1, 4] d) {
    a = Mul(x, x)
    b = Add(a, x)
    c = Mul(b, x)
    d = Add(c, x)
}""")
net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8), cv2.dnn.ENGINE_NEW)
net.setInput(np.float32([[1, 2, 3, 4]]))
try:
    found = net.forward("a").ravel()
    print("right:" if np.array_equal(found, [1, 4, 9, 16]) else "wrong:", "a = x * x is given as", found)
except cv2.error as error:
    print("right: it is refused:", error.err)
