# SPDX-License-Identifier: Apache-2.0
"""python -m mpm_dnn."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import sysconfig
import tempfile
import unittest

import numpy as np
from paths import REFUSED, SEED, SMALL, STREET

import mpm_dnn


def mpm(*words, module="mpm_dnn"):
    return subprocess.run([sys.executable, "-m", module, *map(os.fspath, words)], capture_output=True)


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ends_well(self, *words, **which):
        ended = mpm(*words, **which)
        self.assertEqual((ended.returncode, ended.stderr), (0, b""), words)
        return ended.stdout.decode()

    def test_run_gives_what_a_net_gives(self):
        blob = np.random.default_rng(SEED).standard_normal((1, 3, 512, 512), np.float32)
        np.save(self.folder / "x.npy", blob)
        self.ends_well("run", STREET, "--input", self.folder / "x.npy", "--out", self.folder)
        for name, output in mpm_dnn.Net(STREET)(blob).items():
            np.testing.assert_array_equal(np.load(self.folder / f"{name}.npy"), output)

    def test_frames_are_drawn_labelled_judged(self):
        drawn = self.folder / "drawn"
        self.ends_well("--out", drawn, "--size", "192x128", "--hours", "9..15", "--count", "2", module="mpm_dnn.scene")
        self.ends_well("segment", SMALL, drawn / "images", "--out", self.folder / "labelled")
        self.assertEqual(len(list((self.folder / "labelled").glob("*_labels.png"))), 2)
        judged = json.loads(self.ends_well("eval", STREET, drawn, "--format", "folder", "--json"))
        self.assertEqual([len(each["schedule"]) for each in judged["schedules"]], [0, 2])
        self.ends_well("tune", SMALL, drawn / "images", "--count", "1", "--out", self.folder / "tuned")
        self.assertEqual(json.loads((self.folder / "tuned" / "tune.json").read_text())["frames"], 1)

    def test_models_are_described_converted_timed(self):
        self.assertTrue(json.loads(self.ends_well("info", STREET, "--json"))["mergeable"])
        self.ends_well("convert", STREET, "-o", self.folder / "merged.onnx", "--merge-before", "1,4")
        self.assertEqual(mpm_dnn.describe(self.folder / "merged.onnx").merge_before, (1, 4))
        # OpenCV's own importer ends its process with this one.
        self.ends_well("bench", SMALL, "--count", "1", "--precision", "fp32", "--out", self.folder / "bench.json")
        self.assertIn("fp32", (self.folder / "bench.json").read_text())

    def test_the_demo_runs_the_street_model(self):
        told = self.ends_well("--count", "2", "--out", self.folder / "demo", module="mpm_dnn.demo")
        self.assertIn("night", told)
        day = json.loads((self.folder / "demo" / "demo.json").read_text())
        self.assertEqual(len(day["frames"]), 2)
        self.assertTrue((self.folder / "demo" / "noon.png").exists())

    def test_pip_installs_them_by_their_names(self):
        for name in ("mpm", "mpm-scene", "mpm-demo"):
            program = pathlib.Path(sysconfig.get_path("scripts")) / name
            ended = subprocess.run([program, "--help"], capture_output=True, text=True)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertIn(f"{name} [OPTIONS]", ended.stdout)

    def test_says_in_one_line_what_is_wrong(self):
        for status, words in (
            (1, ("info", "nowhere.onnx")),
            (1, ("info", b"\xff.onnx")),
            (1, ("convert", REFUSED, "-o", self.folder / "refused.onnx")),
            (1, ("segment", SMALL, __file__, "--out", self.folder)),
            (2, ("nonsense",)),
            (2, ("info",)),
            (2, ("watch", "--port", "8080")),
            (2, ("record", "export", "--help")),
            (2, ("monitor",)),
            (2, ("scene",)),
        ):
            with self.subTest(words[0]):
                ended = mpm(*words)
                self.assertEqual((ended.returncode, ended.stdout, ended.stderr.count(b"\n")), (status, b"", 1))
                self.assertTrue(ended.stderr.startswith(b"mpm: "), ended.stderr)

    def test_is_interrupted(self):
        endless = [sys.executable, "-m", "mpm_dnn.scene", "--seeds", "0..", "--size", "64x64", "--raw", "-"]
        with subprocess.Popen(endless, stdout=subprocess.PIPE) as running:
            self.assertEqual(len(running.stdout.read(64)), 64)
            running.send_signal(signal.SIGINT)
            running.stdout.read()
            self.assertEqual(running.wait(timeout=300), -signal.SIGINT)


if __name__ == "__main__":
    unittest.main()
