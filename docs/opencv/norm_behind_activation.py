"""A BatchNormalization is folded into a convolution across the function between them

Conv, then Sigmoid, Tanh, Elu, HardSwish, Swish or GELU, then BatchNormalization: `Conv2Layer::fuseBatchNorm` checks `activ` and
`fastActivation` and not `activationFunc`, so the norm is moved in front of the function, and values are silently wrong.
Relu and Clip are right. XCiT has such norms.
"""
import cv2
import numpy as np
from onnx import numpy_helper, parser
from onnx.reference import ReferenceEvaluator

random = np.random.default_rng(0)
x = random.standard_normal((1, 3, 8, 8), np.float32)
constants = {"w": random.standard_normal((3, 3, 1, 1), np.float32), "s": [1, 2, 3], "b": [0, 1, 2], "m": [0, 1, 2], "v": [1, 2, 3]}
for function in ("Relu", "Sigmoid", "Tanh", "Elu", "HardSwish"):
    model = parser.parse_model(f"""<ir_version: 8, opset_import: ["": 14]> g (float[1, 3, 8, 8] x) => (float[1, 3, 8, 8] y) {{
        c = Conv(x, w)
        f = {function}(c)
        y = BatchNormalization(f, s, b, m, v)
    }}""")
    model.graph.initializer.extend(numpy_helper.from_array(np.float32(v), k) for k, v in constants.items())
    net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
    net.setInput(x)
    off = np.abs(net.forward() - ReferenceEvaluator(model).run(None, {"x": x})[0]).max()
    print("right:" if off < 1e-4 else "wrong:", function, f"is {off:.2g} off")
