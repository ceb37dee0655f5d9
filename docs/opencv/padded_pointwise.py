"""A 1 x 1 convolution with padding reads memory outside the image

Conv with a kernel of 1 x 1 and `pads` gives values of 1e20 and more, other ones each time. 4.6 is right; 4.10 and 4.14 read
outside with a group for each channel and 3 x 3 taps where the image is one place high or wide, where more is padded
behind than in front, and where taps are dilated.
"""
import cv2
import numpy as np
from onnx import numpy_helper, parser
from onnx.reference import ReferenceEvaluator

random = np.random.default_rng(0)
x = random.standard_normal((1, 3, 8, 8), np.float32)
model = parser.parse_model("""<ir_version: 8, opset_import: ["": 14]>
g (float[1, 3, 8, 8] x) => (float[1, 3, 10, 10] y) { y = Conv<pads = [1, 1, 1, 1]>(x, w) }""")
model.graph.initializer.append(numpy_helper.from_array(random.standard_normal((3, 3, 1, 1), np.float32), "w"))
net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
net.setInput(x)
off = np.abs(net.forward() - ReferenceEvaluator(model).run(None, {"x": x})[0]).max()
print("right:" if off < 1e-4 else "wrong:", f"{off:.2g} off")
