"""A GELU in another order than the importer's is a segmentation fault, or loses a factor

`GeluSubGraph` takes inputs in any order, does not check whether both `x` are the same value, and reads the second input of Div,
Add and the last Mul as a constant. `x * (0.5 * (1 + erf(x / sqrt(2))))`, as PyTorch's newer exporter writes it, ends the
process in `extractConstant`; `0.5 * (3 * x * (1 + erf(x / sqrt(2))))` loses its 3 (4.10 to 5.0).
"""
import math
import subprocess
import sys

import cv2
import numpy as np
from onnx import parser

HEAD = """<ir_version: 8, opset_import: ["": 14]> g (float[1, 4] x) => (float[1, 4] y)
<float root = {1.41421356}, float one = {1}, float half = {0.5}, float three = {3}>
{ a = Div(x, root) b = Erf(a) c = Add(b, one) """
BODIES = {"ends": "d = Mul(half, c) y = Mul(x, d) }", "loses": "d = Mul(x, three) e = Mul(d, c) y = Mul(e, half) }"}
x = np.float32([[1, 2, 3, 4]])
gelu = np.float32([[v * 0.5 * (1 + math.erf(v / 2**0.5)) for v in x[0]]])
if len(sys.argv) == 1:
    for body in BODIES:
        if subprocess.run([sys.executable, __file__, body]).returncode:
            print("wrong: the process ended")
else:
    body = sys.argv[1]
    net = cv2.dnn.readNetFromONNX(np.frombuffer(parser.parse_model(HEAD + BODIES[body]).SerializeToString(), np.uint8))
    net.setInput(x)
    found, expected = net.forward(), gelu * (3 if body == "loses" else 1)
    print("right:" if np.allclose(found, expected, 1e-4) else "wrong:", found, "instead of", expected)
