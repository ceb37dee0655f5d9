# SPDX-License-Identifier: Apache-2.0
import unittest

import numpy as np
from paths import SEED, SMALL, STREET

import mpm_dnn

try:
    import cv2
except ImportError:
    cv2 = None


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

    def test_a_wrong_size_is_refused_and_the_net_lives_on(self):
        net = mpm_dnn.read_net(STREET)
        net.setInput(self.blob(256, 512))
        with self.assertLogs("mpm_dnn", "ERROR") as told, self.assertRaises(cv2.error):
            net.forward("masks")
        self.assertIn("it is 1 x 3 x 256 x 512; expected 1 x 3 x 512 x 512", told.output[0])
        net.setInput(self.blob(512, 512))
        self.assertEqual(net.forward("masks").shape, (1, 12, 512, 512))


if __name__ == "__main__":
    unittest.main()
