# SPDX-License-Identifier: Apache-2.0
"""python -m mpm_dnn is the program mpm."""

import os
import signal
import sys

from . import _mpm


def main(run=_mpm.run_mpm, name=b"mpm") -> int:
    for ends in (signal.SIGINT, signal.SIGPIPE):  # as they end any program; Python keeps them for itself
        signal.signal(ends, signal.SIG_DFL)
    return run([name, *map(os.fsencode, sys.argv[1:])])


if __name__ == "__main__":
    sys.exit(main())
