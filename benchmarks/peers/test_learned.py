#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the street model at other sizes: python -m unittest, with PyTorch, in this folder."""

import pathlib
import sys
import unittest

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models" / "export"))
import learned
import segmenter_model

IMAGE = 512, 512
CLASSES = 12  # of the street model


def street(**sizes):
    model = segmenter_model.build(IMAGE, upsample=False, **sizes)
    model.load_state_dict(learned.weights_for(model))
    return model.eval()


class LearnedTest(unittest.TestCase):
    def setUp(self):
        generator = torch.Generator().manual_seed(5)
        coarse = torch.rand(1, 3, 16, 16, generator=generator) * 2 - 1
        self.image = torch.nn.functional.interpolate(coarse, IMAGE, mode="bilinear")

    def test_a_wider_network_computes_the_same(self):
        with torch.inference_mode():
            narrow = street(dim=192, heads=3, classes=CLASSES)(self.image)
            for dim, heads in ((384, 6), (768, 12)):
                wide = street(dim=dim, heads=heads, classes=CLASSES)(self.image)
                self.assertGreater(narrow.std(), 0.1)
                torch.testing.assert_close(wide, narrow, rtol=0, atol=1e-3)

    def test_no_copy_of_a_class_is_a_places_first(self):
        with torch.inference_mode():
            scores = street(dim=192, heads=3, classes=150)(self.image)
        self.assertEqual(scores.shape[1], 150)
        self.assertLess(scores.argmax(dim=1).max().item(), CLASSES)


if __name__ == "__main__":
    unittest.main()
