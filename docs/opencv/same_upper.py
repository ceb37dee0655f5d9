"""SAME_UPPER puts uneven padding at the start

With strides of 2 and an even size one more place has to be padded at the end. Conv, MaxPool and AveragePool pad it at the start,
and values are silently wrong. 4.6 has the same fault with SAME_LOWER.
"""
import cv2
import numpy as np
from onnx import numpy_helper, parser
from onnx.reference import ReferenceEvaluator

random = np.random.default_rng(0)
x = random.standard_normal((1, 3, 8, 8), np.float32)
for call in ("Conv<{}>(x, w)", "MaxPool<{}>(x)", "AveragePool<{}>(x)"):
    call = call.format('kernel_shape = [3, 3], strides = [2, 2], auto_pad = "SAME_UPPER"')
    model = parser.parse_model(
        f'<ir_version: 8, opset_import: ["": 14]> g (float[1, 3, 8, 8] x) => (float[1, n, 4, 4] y) {{ y = {call} }}'
    )
    model.graph.initializer.append(numpy_helper.from_array(random.standard_normal((2, 3, 3, 3), np.float32), "w"))
    net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
    net.setInput(x)
    off = np.abs(net.forward() - ReferenceEvaluator(model).run(None, {"x": x})[0]).max()
    print("right:" if off < 1e-4 else "wrong:", call.split("<")[0], f"is {off:.2g} off")
