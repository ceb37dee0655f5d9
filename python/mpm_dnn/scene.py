# SPDX-License-Identifier: Apache-2.0
"""python -m mpm_dnn.scene is the program mpm-scene."""

import sys

from . import _mpm
from .__main__ import main

if __name__ == "__main__":
    sys.exit(main(_mpm.run_scene, b"mpm-scene"))
