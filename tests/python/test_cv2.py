# SPDX-License-Identifier: Apache-2.0
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np
from paths import ROOT, SEED, SMALL, STREET

import mpm_dnn

try:
    import cv2
except ImportError:
    cv2 = None


def places_of_what_is_not_one():
    """An ONNX model: x [1, 4] -> y [2, any], the indices of the values of x - [1, -1, -1, -1] that are not 0."""
    from mpm_dnn.cv2_layers import _bytes, _number, _value

    def node(kind, given, made, *attributes):
        return _bytes(1, *(_bytes(1, each) for each in given), _bytes(2, made), _bytes(4, kind), *attributes)

    shift = _bytes(5, _number(1, 4), _number(2, 1), _bytes(8, "c"), _bytes(9, np.float32([1, -1, -1, -1]).tobytes()))
    to_float = _bytes(5, _bytes(1, "to"), _number(3, 1), _number(20, 2))
    nodes = node("Sub", "xc", "a") + node("NonZero", "a", "b") + node("Cast", "b", "y", to_float)
    graph = nodes + _bytes(2, "places") + shift + _bytes(11, _value("x", [1, 4])) + _bytes(12, _value("y", [2, None]))
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, ""), _number(2, 13))


@unittest.skipIf(cv2 is None, "there is no cv2")
class NetOfCv2(unittest.TestCase):
    def blob(self, height, width):
        return np.random.default_rng(SEED).standard_normal((1, 3, height, width), np.float32)

    def test_gives_what_the_own_net_gives(self):
        for model in (STREET, SMALL):
            with self.subTest(model.name):
                own = mpm_dnn.Net(model)
                blob = self.blob(*own.model.input_size[::-1])
                expected = own(blob)
                net = mpm_dnn.read_net(model)
                self.assertIsInstance(net, cv2.dnn.Net)
                net.setInput(blob)
                for name, output in expected.items():
                    np.testing.assert_array_equal(np.asarray(net.forward(name)).reshape(output.shape), output)
                for output, name in zip(net.forward(own.outputs), own.outputs):
                    np.testing.assert_array_equal(np.asarray(output).reshape(expected[name].shape), expected[name])

    def test_another_input_gives_something_else(self):
        net = mpm_dnn.read_net(STREET, merge_before=[3])
        own = mpm_dnn.Net(STREET, merge_before=[3])
        for scale in (1, -1, 1):
            net.setInput(scale * self.blob(512, 512))
            np.testing.assert_array_equal(net.forward("masks"), own(scale * self.blob(512, 512))["masks"])

    def test_nets_that_are_read_at_once_stay_apart(self):
        from mpm_dnn import cv2_layers

        other, blob = ROOT / "tests" / "models" / "hf_beit.onnx", self.blob(64, 64)
        nets = {}
        asked = cv2_layers._Shared.output_shapes

        def ask(shared, shapes):  # where OpenCV 5 has a model computed, another thread may go on
            cv2_layers._Shared.output_shapes = asked
            nets[SMALL] = mpm_dnn.read_net(SMALL)
            return asked(shared, shapes)

        cv2_layers._Shared.output_shapes = ask
        self.addCleanup(setattr, cv2_layers._Shared, "output_shapes", asked)
        net = mpm_dnn.read_net(other)
        net.setInput(blob)
        np.testing.assert_array_equal(net.forward("logits"), mpm_dnn.Net(other)(blob)["logits"])

    def test_what_cannot_be_read_is_not_kept(self):
        from mpm_dnn import cv2_layers

        kept = len(cv2_layers._shared)
        cut = mock.patch.object(cv2_layers, "_onnx_model", lambda *_: b"no model")
        with cut, self.assertRaisesRegex(RuntimeError, "cannot read it"):
            mpm_dnn.read_net(SMALL)
        self.assertEqual(len(cv2_layers._shared), kept)

    def test_a_size_that_depends_on_values_is_refused_in_a_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "places.onnx"
            model.write_bytes(places_of_what_is_not_one())
            net, own = mpm_dnn.read_net(model), mpm_dnn.Net(model)
        for values, columns in (([1, 1, 1, 1], 3), ([0, 0, 0, 0], 4)):
            x = np.float32([values])
            self.assertEqual(own(x)["y"].shape, (2, columns))
            net.setInput(x)
            if columns == 4:
                np.testing.assert_array_equal(net.forward("y"), own(x)["y"])
                continue
            with self.assertLogs("mpm_dnn", "ERROR") as told, self.assertRaises(cv2.error):
                net.forward("y")
            self.assertIn("y: it is 2 x 3 here and 2 x 4 for zeros: its size depends on the input's values", told.output[0])

    def test_a_wrong_size_is_refused_and_the_net_lives_on(self):
        net = mpm_dnn.read_net(STREET)
        net.setInput(self.blob(256, 512))
        with self.assertLogs("mpm_dnn", "ERROR") as told, self.assertRaises(cv2.error):
            net.forward("masks")
        self.assertIn("it is 1 x 3 x 256 x 512; expected 1 x 3 x 512 x 512", told.output[0])
        net.setInput(self.blob(512, 512))
        self.assertEqual(net.forward("masks").shape, (1, 12, 512, 512))

    # OpenCV 4 alone asks the layer for shapes.
    def test_a_batch_is_taken_or_refused_in_a_sentence(self):
        model = ROOT / "tests" / "models" / "hf_beit.onnx"
        net, blob = mpm_dnn.read_net(model), np.concatenate([self.blob(64, 64), -self.blob(64, 64)])
        net.setInput(blob)
        if cv2.__version__.startswith("4."):
            np.testing.assert_array_equal(net.forward("logits"), mpm_dnn.Net(model)(blob)["logits"])
        else:
            with self.assertLogs("mpm_dnn", "ERROR") as told, self.assertRaises(cv2.error):
                net.forward("logits")
            self.assertIn("logits: it is 2 x 5 here, and OpenCV 5", told.output[0])
        net.setInput(blob[:1])
        np.testing.assert_array_equal(net.forward("logits"), mpm_dnn.Net(model)(blob[:1])["logits"])

    def test_any_size_is_taken_or_refused_in_a_sentence(self):
        model = ROOT / "tests" / "models" / "timm_vit_open_size.onnx"
        if cv2.__version__.startswith("4."):
            net = mpm_dnn.read_net(model)
            net.setInput(self.blob(48, 64))
            np.testing.assert_array_equal(net.forward("logits"), mpm_dnn.Net(model)(self.blob(48, 64))["logits"])
        else:
            with self.assertRaisesRegex(ValueError, "it takes any size, and OpenCV 5.* please give input_size"):
                mpm_dnn.read_net(model)

    # Values of another type than float32, of which labels.onnx has some, once made cv2 wait for itself for ever; so this
    # is a process of its own, which is ended after much longer than it takes.
    def test_every_model_gives_what_the_own_net_gives(self):
        models = sorted((ROOT / "tests" / "models").glob("*.onnx"))
        done = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name("read_models.py"), *models],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            told, _ = done.communicate(timeout=900)
        except subprocess.TimeoutExpired:
            done.kill()
            told, _ = done.communicate()
        self.assertEqual(done.returncode, 0, told[-2000:])
        self.assertIn("same: labels int64", told)
        compared = [line for line in told.splitlines() if ": same: " in line]
        refused = [line for line in told.splitlines() if ": refused: " in line]
        self.assertEqual(len(compared) + len(refused), 2 * len(models), told[-2000:])
        self.assertTrue(all("three axes" in line for line in refused), refused)


if __name__ == "__main__":
    unittest.main()
