#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures as bytes, RGB, one after the other: frames_to_bytes.py frames/*.jpg > frames.rgb

The pictures in frames/ are streets of `mpm-scene --seeds 4000000..4000007 --size 512x512 --jpeg`.
"""

import sys

try:
    from PIL import Image
except ImportError:
    sys.exit("frames_to_bytes.py: needs Pillow, which comes with torchvision")

if len(sys.argv) < 2:
    sys.exit(__doc__)
for name in sys.argv[1:]:
    sys.stdout.buffer.write(Image.open(name).convert("RGB").tobytes())
