# SPDX-License-Identifier: Apache-2.0
"""Processes that are forked off, as multiprocessing does by itself before Python 3.14, and that end as they compute."""

import os
import signal
import subprocess
import sys
import unittest
import warnings

import numpy as np
from paths import SMALL, picture

import mpm_dnn


class Forked(unittest.TestCase):
    def test_segments_as_its_parent_does(self):
        mpm_dnn.set_threads(2)
        self.addCleanup(mpm_dnn.set_threads, 0)
        segmenter, frame = mpm_dnn.Segmenter(SMALL), picture(300, 400)
        expected = segmenter(frame).labels
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of threads, of which Python knows none of these
            child = os.fork()
        if child == 0:
            signal.alarm(300)  # ends one that waits for ever
            mpm_dnn.set_threads(4)  # more than there were: the pool waits for them
            found = [segmenter(frame).labels for _ in range(5)]
            os._exit(0 if all(np.array_equal(each, expected) for each in found) else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


LOOP = """
import threading
from paths import SMALL, picture
import mpm_dnn

segmenter, frame, began = mpm_dnn.Segmenter(SMALL), picture(720, 1280), threading.Event()

def watch():
    while True:
        segmenter(frame)
        began.set()

threading.Thread(target=watch, daemon=True).start()
began.wait()
"""


class Ending(unittest.TestCase):
    # Most of its time the thread computes, and asks for the interpreter when that is gone.
    def test_a_program_ends_well_while_a_daemon_computes(self):
        for _ in range(3):
            ended = subprocess.run([sys.executable, "-c", LOOP], cwd=os.path.dirname(__file__), capture_output=True, timeout=300)
            self.assertEqual((ended.returncode, ended.stderr), (0, b""))


if __name__ == "__main__":
    unittest.main()
