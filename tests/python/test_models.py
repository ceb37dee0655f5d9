# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

import numpy as np
from paths import MODELS, PROGRAM, REFUSED, SEED, SMALL, STREET

import mpm_dnn


class Describing(unittest.TestCase):
    def test_says_what_was_recognised(self):
        model = mpm_dnn.describe(STREET)
        self.assertTrue(model.mergeable)
        self.assertEqual((model.depth, model.embed_dim, model.num_heads, model.patch_size, model.grid_size), (12, 192, 3, 16, (32, 32)))
        self.assertEqual((model.merge_before, model.inputs), ((2, 5), [("image", (1, 3, 512, 512))]))
        self.assertTrue(model.metadata["mpm.classes"].startswith("sky\n"))
        for model_bytes in (STREET.read_bytes(), bytearray(STREET.read_bytes()), memoryview(STREET.read_bytes())):
            self.assertEqual(mpm_dnn.describe(model_bytes), model)
        self.assertEqual(mpm_dnn.describe(str(STREET), merge_before=[1]).merge_before, (1,))

    def test_says_up_to_which_block_merges_pair_within_windows(self):
        self.assertEqual(mpm_dnn.describe(MODELS / "hf_sam.onnx").last_in_windows, 2)
        self.assertIsNone(mpm_dnn.describe(STREET).last_in_windows)

    def test_says_that_a_file_leaves_its_size_open(self):
        model = mpm_dnn.describe(MODELS / "hf_vit_open_size.onnx")
        self.assertEqual((model.is_input_open, model.input_size), (True, (64, 64)))
        self.assertFalse(mpm_dnn.describe(STREET).is_input_open)

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
            with self.assertRaisesRegex(ValueError, "the model is read from this file"):
                mpm_dnn.convert(to, to)
            with self.assertRaisesRegex(RuntimeError, "cannot merge"):
                mpm_dnn.convert(REFUSED, pathlib.Path(folder) / "refused.onnx")
            self.assertEqual(os.listdir(folder), ["merged.onnx"])

    def test_writes_the_ranges_of_blobs(self):
        with tempfile.TemporaryDirectory() as folder:
            plain, calibrated = pathlib.Path(folder) / "plain.onnx", pathlib.Path(folder) / "calibrated.onnx"
            shape = [size or 1 for size in mpm_dnn.describe(SMALL).inputs[0][1]]
            blobs = [np.random.default_rng(seed).standard_normal(shape, np.float32) for seed in range(2)]
            mpm_dnn.convert(SMALL, plain, precision="int8")
            mpm_dnn.convert(SMALL, calibrated, precision="int8", calibration=blobs)
            self.assertNotEqual(plain.read_bytes(), calibrated.read_bytes())
            unmoved, ranged = (mpm_dnn.Net(each, precision="int8")(blobs[0]) for each in (plain, calibrated))
            for name, output in unmoved.items():
                self.assertEqual((ranged[name].shape, np.isfinite(ranged[name]).all()), (output.shape, True))
            for wrong, error in ((blobs[0][:, :2], ValueError), (blobs[0].astype(int), TypeError)):
                with self.assertRaises(error):
                    mpm_dnn.convert(SMALL, calibrated, precision="int8", calibration=[wrong])


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

    def test_proportional_attention_is_another_model_where_tokens_merged(self):
        for blocks, differs in ([2, 5], True), ([], False):
            net = mpm_dnn.Net(STREET, merge_before=blocks, proportional=True)
            plain = mpm_dnn.Net(STREET, merge_before=blocks)
            self.assertEqual(not np.array_equal(net(self.blob)["masks"], plain(self.blob)["masks"]), differs)

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
            (TypeError, "float32 or whole numbers, got float64", lambda: self.net(self.blob.astype(float))),
            (ValueError, "image: it is 1 x 3 x 512 x 256; expected", lambda: self.net(np.zeros((1, 3, 512, 256), int))),
            (ValueError, "image: it is 0 x 3; expected values", lambda: self.net(np.zeros((0, 3), int))),
            (ValueError, "image: it has 33 axes; expected at most", lambda: self.net(np.zeros((1,) * 33, np.float32))),
            (ValueError, "a number of 2\\^63 or more", lambda: self.net(np.full((1, 3, 512, 512), 2**63, np.uint64))),
            (ValueError, "image: it is 1 x 3 x 256 x 512; expected", lambda: self.net(self.blob[:, :, :256])),
        ):
            with self.subTest(sentence), self.assertRaisesRegex(kind, sentence):
                call()
        np.testing.assert_array_equal(self.net(self.blob)["masks"], self.outputs["masks"])

    def test_whole_numbers_are_computed_as_float32(self):
        numbers = np.random.default_rng(SEED).integers(0, 256, (1, 3, 512, 512))
        expected = self.net(numbers.astype(np.float32))
        for kind in (np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
            for name, output in self.net(numbers.astype(kind)).items():
                np.testing.assert_array_equal(output, expected[name])
        turned = np.ascontiguousarray(numbers[..., ::-1])[..., ::-1]
        np.testing.assert_array_equal(self.net(turned)["masks"], expected["masks"])
        for given in ((numbers - 128).astype(np.int8), numbers > 128):
            np.testing.assert_array_equal(self.net(given)["masks"], self.net(given.astype(np.float32))["masks"])

    def test_threads_take_turns(self):
        net = mpm_dnn.Net(SMALL)
        height, width = net.model.input_size[::-1]
        blobs = [self.blob[..., :height, :width], -self.blob[..., :height, :width]]
        expected = [net(blob)["masks"] for blob in blobs]
        self.assertFalse(np.array_equal(*expected))
        found = [[], []]

        def use(which):
            for _ in range(30):
                found[which].append(net(blobs[which])["masks"])

        threads = [threading.Thread(target=use, args=(which,)) for which in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for which in range(2):
            self.assertEqual(len(found[which]), 30)
            for masks in found[which]:
                np.testing.assert_array_equal(masks, expected[which])

    def test_a_closed_one_says_so(self):
        with mpm_dnn.Net(SMALL) as net:
            self.assertFalse(net.closed)
        net.close()
        self.assertTrue(net.closed)
        for call in (lambda: net(self.blob), lambda: net.model, lambda: net.outputs, lambda: net.merge_before,
                     lambda: setattr(net, "merge_before", [])):
            with self.assertRaisesRegex(RuntimeError, "this Net is closed"):
                call()

    @unittest.skipUnless(os.path.exists(PROGRAM), f"there is no program {PROGRAM} (MPM_PROGRAM)")
    def test_gives_what_the_program_gives(self):
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/x.npy", self.blob)
            subprocess.run([PROGRAM, "run", str(STREET), "--input", f"{folder}/x.npy", "--out", folder],
                           check=True, capture_output=True)
            for name, output in self.outputs.items():
                np.testing.assert_array_equal(output, np.load(f"{folder}/{name}.npy"))


@unittest.skipUnless(os.path.exists(PROGRAM), f"there is no program {PROGRAM} (MPM_PROGRAM)")
class EveryModel(unittest.TestCase):
    """The program is built with the system's OpenCV, 4 or 5; here OpenCV 5 is inside."""

    def test_merges_as_in_the_program(self):
        models = [each for each in json.loads((MODELS / "models.json").read_text()) if each["mergeable"]]
        self.assertGreater(len(models), 100)
        for model in models:
            with self.subTest(model["name"]):
                images = np.load(MODELS / model["input"])
                self.compare(MODELS / f"{model['name']}.onnx", images if model["batch"] == "dynamic" else images[:1])

    def compare(self, model, images):
        size = images.shape[:1:-1]
        net = mpm_dnn.Net(model, merge_before=[0, 1], input_size=size)
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/x.npy", images)
            subprocess.run([PROGRAM, "run", model, "--input", f"{folder}/x.npy", "--out", folder,
                            "--merge-before", "0,1", "--input-size", "{}x{}".format(*size)],
                           check=True, capture_output=True)
            for name, output in net(images).items():
                expected = np.load(f"{folder}/{name}.npy")
                if name.startswith("mpm_"):
                    np.testing.assert_array_equal(output, expected)
                else:
                    np.testing.assert_allclose(output, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


if __name__ == "__main__":
    unittest.main()
