#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What mpm-gpu-bench reads, to standard output.

usage: inputs.py frames PICTURE... > frames.rgb      bytes, RGB, one picture after the other
       inputs.py weights MODEL > street.weights      for each tensor a line "NAME SIZE ...", then its float32 values

The pictures in frames/ are streets of `mpm-scene --seeds 4000000..4000007 --size 512x512 --jpeg`.
"""

import pathlib
import sys


def write_frames(names):
    from PIL import Image

    for name in names:
        sys.stdout.buffer.write(Image.open(name).convert("RGB").tobytes())


def write_weights(model):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models" / "training"))
    import exported

    for name, tensor in exported.weights_of(model).items():
        sizes = " ".join(str(size) for size in tensor.shape)
        sys.stdout.buffer.write(f"{name} {sizes}\n".encode())
        sys.stdout.buffer.write(tensor.float().contiguous().numpy().tobytes())


if __name__ == "__main__":
    what, given = sys.argv[1:2], sys.argv[2:]
    if not given or what not in (["frames"], ["weights"]):
        sys.exit(__doc__)
    try:
        write_frames(given) if what == ["frames"] else write_weights(given[0])
    except ImportError as error:
        sys.exit(f"inputs.py: needs Pillow for frames, and torch, numpy and onnx for weights ({error})")
