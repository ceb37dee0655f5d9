# SPDX-License-Identifier: Apache-2.0
"""python -m mpm_dnn is the program mpm; pip installs it as mpm, beside mpm-scene and mpm-demo."""

import os
import signal
import sys

from . import _mpm


def program(name: bytes, run, *more) -> int:
    for ends in (signal.SIGINT, signal.SIGPIPE):  # as they end any program; Python keeps them for itself
        signal.signal(ends, signal.SIG_DFL)
    return run([name, *map(os.fsencode, sys.argv[1:])], *more)


def main() -> int:
    if sys.argv[1:2] == ["archive"]:
        from . import archive

        return archive.main(sys.argv[2:])
    return program(b"mpm", _mpm.run_mpm)


def scene() -> int:
    return program(b"mpm-scene", _mpm.run_scene)


def demo() -> int:
    try:
        from mpm_dnn_street import MODEL
    except ImportError:
        MODEL = ""
    return program(b"mpm-demo", _mpm.run_demo, str(MODEL))


if __name__ == "__main__":
    sys.exit(main())
