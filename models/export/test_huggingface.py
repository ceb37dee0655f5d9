# SPDX-License-Identifier: Apache-2.0
"""The exporter of transformers' models, with random weights: python3 test_huggingface.py"""

import unittest

from export_case import ExportTest  # ends here where a package is missing

import huggingface
import transformers


class HuggingfaceTest(ExportTest):
    SMALL = ("--random-weights", "--dim", 32, "--heads", 2, "--depth", 2, "--patch", 8)

    def test_families(self):
        for family in ("vit", "deit", "dinov2", "dinov2-with-registers", "clip"):
            for size in ("32x32", "48x32"):
                with self.subTest(family=family, size=size):
                    self.export(huggingface, family, *self.SMALL, "--input-size", size)

    def test_classifiers(self):
        for family in ("vit", "dinov2"):
            arguments = ("--give", "classes", "--classes", 7, "--attention", "eager")
            model = self.export(huggingface, family, *self.SMALL, *arguments)
            self.assertEqual(model.graph.output[0].type.tensor_type.shape.dim[1].dim_value, 7)

    def test_a_folder_is_loaded_and_its_positions_resized(self):
        config = transformers.ViTConfig(
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            image_size=32,
            patch_size=8,
        )
        transformers.ViTModel(config).save_pretrained(self.folder / "vit")
        self.export(huggingface, self.folder / "vit", "--input-size", "64x32")

    def test_refusals(self):
        self.refuse("cannot read", huggingface, self.folder)
        self.refuse("multiples of 8", huggingface, "vit", *self.SMALL, "--input-size", "30x32")
        self.refuse("no classifier", huggingface, "clip", *self.SMALL, "--give", "classes")
        transformers.BertConfig().save_pretrained(self.folder / "bert")
        self.refuse("of the family bert", huggingface, self.folder / "bert")


if __name__ == "__main__":
    unittest.main()
