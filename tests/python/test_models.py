# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
from paths import REFUSED, ROOT, SEED, STREET

import mpm_dnn


class Describing(unittest.TestCase):
    def test_says_what_was_recognised(self):
        model = mpm_dnn.describe(STREET)
        self.assertTrue(model.mergeable)
        self.assertEqual((model.blocks, model.dim, model.heads, model.patch, model.grid), (12, 192, 3, 16, (32, 32)))
        self.assertEqual((model.merge_before, model.inputs), ((2, 5), [("image", (1, 3, 512, 512))]))
        self.assertTrue(model.metadata["mpm.classes"].startswith("sky\n"))
        for model_bytes in (STREET.read_bytes(), bytearray(STREET.read_bytes()), memoryview(STREET.read_bytes())):
            self.assertEqual(mpm_dnn.describe(model_bytes), model)
        self.assertEqual(mpm_dnn.describe(str(STREET), merge_before=[1]).merge_before, (1,))

    def test_refuses(self):
        for kind, call in ((FileNotFoundError, lambda: mpm_dnn.describe("nowhere.onnx")),
                           (RuntimeError, lambda: mpm_dnn.describe(b"")),
                           (RuntimeError, lambda: mpm_dnn.describe(STREET.read_bytes()[:5000])),
                           (TypeError, lambda: mpm_dnn.describe(None))):
            with self.assertRaises(kind):
                call()


class Converting(unittest.TestCase):
    def test_writes_what_then_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            to = pathlib.Path(folder) / "merged.onnx"
            mpm_dnn.convert(STREET, to, merge_before=[1, 4])
            self.assertEqual(mpm_dnn.describe(to).merge_before, (1, 4))
            with self.assertRaisesRegex(RuntimeError, "already converted"):
                mpm_dnn.convert(to, pathlib.Path(folder) / "again.onnx")
            with self.assertRaisesRegex(ValueError, "the model itself"):
                mpm_dnn.convert(to, to)
            with self.assertRaisesRegex(RuntimeError, "cannot merge"):
                mpm_dnn.convert(REFUSED, pathlib.Path(folder) / "refused.onnx")
            self.assertEqual(os.listdir(folder), ["merged.onnx"])


class Running(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.net = mpm_dnn.Net(STREET, merge_before=[2, 5])
        cls.blob = np.random.default_rng(SEED).standard_normal((1, 3, 512, 512), np.float32)
        cls.outputs = cls.net(cls.blob)

    def test_gives_all_outputs(self):
        shapes = {name: output.shape for name, output in self.outputs.items()}
        self.assertEqual(shapes, {"masks": (1, 12, 512, 512), "mpm_map": (1, 1024), "mpm_rows": (1, 1)})

    def test_what_it_gave_is_the_callers(self):
        kept = self.outputs["masks"].copy()
        self.net(image=-self.blob)
        np.testing.assert_array_equal(self.outputs["masks"], kept)

    def test_without_merging_it_is_another_model(self):
        self.net.merge_before = "none"
        try:
            self.assertEqual(self.net(self.blob)["mpm_rows"], 1025)
        finally:
            self.net.merge_before = [2, 5]
        np.testing.assert_array_equal(self.net(self.blob)["masks"], self.outputs["masks"])

    def test_refuses(self):
        for kind, sentence, call in (
            (TypeError, "expected the inputs image", lambda: self.net()),
            (TypeError, "expected the inputs image", lambda: self.net(self.blob, self.blob)),
            (ValueError, "image: it is 1 x 2 x 512 x 512; expected 1 x 3 x 512 x 512", lambda: self.net(self.blob[:, :2])),
            (ValueError, "image: it is 3 x 512 x 512; expected", lambda: self.net(self.blob[0])),
            (TypeError, "expected the inputs image", lambda: self.net(picture=self.blob)),
            (TypeError, "float32, got float64", lambda: self.net(self.blob.astype(float))),
            (ValueError, "image: it is 1 x 3 x 256 x 512; expected", lambda: self.net(self.blob[:, :, :256])),
        ):
            with self.subTest(sentence), self.assertRaisesRegex(kind, sentence):
                call()
        np.testing.assert_array_equal(self.net(self.blob)["masks"], self.outputs["masks"])

    def test_gives_what_the_program_gives(self):
        program = os.environ.get("MPM_PROGRAM", str(ROOT / "build" / "ci" / "cli" / "mpm"))
        if not os.path.exists(program):
            self.skipTest(f"there is no program {program} (MPM_PROGRAM)")
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/x.npy", self.blob)
            subprocess.run([program, "run", str(STREET), "--input", f"{folder}/x.npy", "--output-dir", folder],
                           check=True, capture_output=True)
            for name, output in self.outputs.items():
                np.testing.assert_array_equal(output, np.load(f"{folder}/{name}.npy"))


if __name__ == "__main__":
    unittest.main()
