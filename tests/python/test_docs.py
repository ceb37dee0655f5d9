# SPDX-License-Identifier: Apache-2.0
"""The lines of Python that pages show run as they stand there."""

import os
import re
import tempfile
import unittest

import numpy as np
from paths import MODELS, ROOT, SEED, SMALL, STREET, picture

try:
    import cv2
except ImportError:
    cv2 = None


class Pages(unittest.TestCase):
    def run_lines(self, page):
        blocks = re.findall(r"\n```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
        frame, random = picture(300, 400), np.random.default_rng(SEED)
        names = {
            "frame": frame,
            "camera": [frame, frame],
            "frames": [frame],
            "annotated": [(picture(300, 400, seed=seed), picture(300, 400, 1, seed)[..., 0] // 128) for seed in range(2)],
            "blob": random.standard_normal((1, 3, 512, 512), np.float32),
            "tokens": random.standard_normal((1, 50, 16), np.float32),
        }
        with tempfile.TemporaryDirectory() as folder:
            self.addCleanup(os.chdir, os.getcwd())
            os.chdir(folder)
            os.symlink(STREET, "vit.onnx")
            os.symlink(SMALL, "segmenter.onnx")
            os.symlink(MODELS / "segmenter_mask.onnx", "backbone.onnx")
            os.symlink(MODELS / "hf_depth_anything.onnx", "depth.onnx")
            for block in blocks:
                if "timm" in block:  # tests/zoo/test_patch.py runs it, where timm is
                    continue
                if cv2 or "read_net" not in block:
                    exec(compile(block, page, "exec"), names)
        self.assertEqual(names["found"].labels.shape, frame.shape[:2])
        return names

    @unittest.skipIf(cv2 is None, "there is no cv2")
    def test_lines_of_the_readme_run(self):
        self.assertIsInstance(self.run_lines("README.md")["net"], cv2.dnn.Net)

    def test_lines_of_the_page_on_python_run(self):
        names = self.run_lines("docs/python.md")
        self.assertEqual(names["merged"].shape, names["tokens"].shape)
        if cv2:
            self.assertEqual(names["masks"].shape, (1, 12, 512, 512))


if __name__ == "__main__":
    unittest.main()
