# SPDX-License-Identifier: Apache-2.0
"""python -m mpm_dnn.demo is the program mpm-demo."""

import sys

from .__main__ import demo

if __name__ == "__main__":
    sys.exit(demo())
