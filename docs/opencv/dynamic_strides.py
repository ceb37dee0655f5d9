"""A layer is laid out for the first frame only: values are wrong once an inner value changes its length

`finalize` runs at the first forward and when an input of the net changes shape, not when a layer's own input does. The Mul
behind a NonZero goes on with the strides of the first frame as soon as fewer values are not 0.
"""
import cv2
import numpy as np
from onnx import parser

model = parser.parse_model("""<ir_version: 8, opset_import: ["": 14]>
g (float[1, 6] x) => (float[2, n] y) <float[2, 1] c = {10, 100}> {
    a = NonZero(x)
    b = Cast<to = 1>(a)
    y = Mul(b, c)
}""")
net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8), cv2.dnn.ENGINE_NEW)
for frame in ([1, 0, 2, 3, 0, 4], [1, 0, 2, 0, 0, 0]):
    x = np.float32([frame])
    net.setInput(x)
    found, expected = net.forward(), np.float32(np.nonzero(x)) * [[10], [100]]
    right = found.shape == expected.shape and np.array_equal(found, expected)
    print("right:" if right else "wrong:", found.tolist(), "instead of", expected.tolist())
