# SPDX-License-Identifier: Apache-2.0
"""The exporter of timm's models, with random weights: python3 test_timm_model.py"""

import unittest

from export_case import ExportTest  # ends here where a package is missing

import timm
import timm_model
import torch


class TimmTest(ExportTest):
    NAME = "test_vit"  # timm's own model for tests: 6 blocks of 64 features

    def test_heads(self):
        self.export(timm_model, self.NAME, "--random-weights")
        self.export(timm_model, self.NAME, "--random-weights", "--head", "none")
        model = self.export(
            timm_model,
            *(self.NAME, "--random-weights", "--head", "linear", "--classes", "5"),
            *("--input-size", "96x64"),
        )
        shape = model.graph.output[0].type.tensor_type.shape
        self.assertEqual([d.dim_value for d in shape.dim], [1, 5, 64, 96])

    def test_old_opsets_and_dynamo(self):
        self.export(timm_model, self.NAME, "--random-weights", "--opset", "13")
        model = self.export(timm_model, self.NAME, "--random-weights", "--dynamo")
        self.assertFalse(any(node.metadata_props for node in model.graph.node))

    def test_the_number_of_images_may_stay_open(self):
        for more in ((), ("--dynamo",)):
            model = self.export(timm_model, self.NAME, "--random-weights", "--dynamic-batch", *more)
            self.assertTrue(model.graph.input[0].type.tensor_type.shape.dim[0].dim_param)

    def test_a_checkpoint_is_loaded(self):
        model = timm.create_model(self.NAME, num_classes=5)
        torch.save({"state_dict": model.state_dict()}, self.folder / "w.pth")
        options = ("--checkpoint", self.folder / "w.pth", "--classes")
        self.export(timm_model, self.NAME, *options, 5)
        self.refuse("is not of this model", timm_model, self.NAME, *options, 6)

    def test_names_are_as_many_as_the_classes(self):
        (self.folder / "names.txt").write_text("road\nsky\n")
        named = (self.NAME, "--random-weights", "--class-names", self.folder / "names.txt")
        self.refuse("2 names of classes and the model has 1000", timm_model, *named)
        self.refuse("2 names of classes and the model has 3", timm_model, *named, "--head", "linear", "--classes", 3)
        self.export(timm_model, *named, "--head", "linear", "--classes", 2)

    def test_refusals(self):
        self.refuse("Unknown model", timm_model, "vit_of_nobody", "--random-weights")
        self.refuse("is a ResNet", timm_model, "test_resnet", "--random-weights")
        self.misuse(timm_model, self.NAME, "--head", "linear", "-o", self.out)


if __name__ == "__main__":
    unittest.main()
