# SPDX-License-Identifier: Apache-2.0
"""python -m mpm_dnn.scene is the program mpm-scene."""

import sys

from .__main__ import scene

if __name__ == "__main__":
    sys.exit(scene())
