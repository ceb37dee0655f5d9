"""A linear Resize of a side of one place reads memory in front of its input

`resizeBilinear` takes the place as at most 0 - 1e-6, so the first row is -1, with a weight of 1e-6. Mostly nothing shows; where
memory holds a large number or none, values are 1e20 or NaN. The mean of a picture in DeepLab and PSPNet is such a plane.
"""
import cv2
import numpy as np
from onnx import numpy_helper, parser
from onnx.reference import ReferenceEvaluator

random = np.random.default_rng(0)
model = parser.parse_model("""<ir_version: 8, opset_import: ["": 14]>
g (float[1, 3, 8, 8] x) => (float[1, 4, 4, 4] y) <int64[4] sizes = {1, 4, 4, 4}> {
    a = Conv(x, w)
    b = Relu(a)
    y = Resize<mode = "linear">(b, , , sizes)
}""")
model.graph.initializer.append(numpy_helper.from_array(random.standard_normal((4, 3, 8, 8), np.float32), "w"))
worst = 0
for _ in range(20):
    x = random.standard_normal((1, 3, 8, 8), np.float32)
    net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
    net.setInput(x)
    off = np.abs(net.forward() - ReferenceEvaluator(model).run(None, {"x": x})[0]).max()
    worst = max(worst, np.nan_to_num(off, nan=np.inf))
print("right:" if worst < 1e-4 else "wrong:", f"{worst:.2g} off")
