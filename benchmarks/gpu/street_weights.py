#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The street model's weights for mpm-gpu-bench: street_weights.py models/street.onnx > street.weights

For each tensor a line "NAME SIZE ...", then its float32 values.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models" / "training"))
try:
    import exported
except ImportError as error:
    sys.exit(f"street_weights.py: needs torch, numpy and onnx ({error})")

if len(sys.argv) != 2:
    sys.exit(__doc__)
for name, tensor in exported.weights_of(sys.argv[1]).items():
    sizes = " ".join(str(size) for size in tensor.shape)
    sys.stdout.buffer.write(f"{name} {sizes}\n".encode())
    sys.stdout.buffer.write(tensor.float().contiguous().numpy().tobytes())
