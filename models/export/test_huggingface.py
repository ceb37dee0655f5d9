# SPDX-License-Identifier: Apache-2.0
"""The exporter of transformers' models, with random weights: python3 test_huggingface.py"""

import contextlib
import unittest

from export_case import ExportTest  # ends here where a package is missing

import huggingface
import transformers


NAMES = ["road", "wall", "sky"]
SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "image_size": 32,
    "patch_size": 8,
}


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

    def test_a_folder_that_is_called_as_a_family_is_a_folder(self):
        transformers.ViTConfig(**SIZES).save_pretrained(self.folder / "vit")
        with contextlib.chdir(self.folder):
            model = self.export(huggingface, "vit", "--random-weights")
        shape = model.graph.input[0].type.tensor_type.shape
        self.assertEqual([dim.dim_value for dim in shape.dim], [1, 3, 32, 32])

    def stored(self, model):
        """A folder with a model, whose classes have names."""
        model.save_pretrained(self.folder / "model")
        return self.folder / "model"

    def named(self, *arguments):
        """The outputs' shapes, and the metadata."""
        model = self.export(huggingface, *arguments)
        shapes = [[d.dim_value for d in o.type.tensor_type.shape.dim] for o in model.graph.output]
        return shapes, {entry.key: entry.value for entry in model.metadata_props}

    def test_encoders_of_today(self):
        for family in ("dinov3", "siglip", "siglip2"):
            with self.subTest(family=family):
                self.export(huggingface, family, *self.SMALL, "--input-size", "32x32")

    def test_depth(self):
        backbone = transformers.Dinov2Config(
            **SIZES, out_features=["stage1", "stage2"], reshape_hidden_states=False
        )
        config = transformers.DepthAnythingConfig(
            backbone_config=backbone,
            patch_size=8,
            reassemble_hidden_size=16,
            reassemble_factors=[1, 0.5],
            neck_hidden_sizes=[8, 8],
            fusion_hidden_size=8,
            head_hidden_size=4,
        )
        folder = self.stored(transformers.DepthAnythingForDepthEstimation(config))
        shapes, facts = self.named(folder, "--input-size", "48x32")
        self.assertEqual(shapes, [[1, 32, 48]])
        self.assertEqual(facts["mpm.mean"], "0.485,0.456,0.406")
        self.assertNotIn("mpm.classes", facts)

    def test_heads_as_stored(self):
        dpt = transformers.DPTConfig(
            **{**SIZES, "num_hidden_layers": 4},
            is_hybrid=False,
            num_labels=3,
            id2label=dict(enumerate(NAMES)),
            backbone_out_indices=[0, 1, 2, 3],
            neck_hidden_sizes=[8, 8, 8, 8],
            fusion_hidden_size=8,
        )
        folder = self.stored(transformers.DPTForSemanticSegmentation(dpt))
        shapes, facts = self.named(folder)
        self.assertEqual(shapes[0][1], 3)
        self.assertEqual(facts["mpm.classes"].split("\n"), NAMES)
        shapes, _ = self.named(folder, "--give", "depth", "--random-weights")
        self.assertEqual(len(shapes[0]), 3)

    def test_queries(self):
        config = transformers.EomtConfig(
            **SIZES,
            num_blocks=1,
            num_queries=4,
            num_upscale_blocks=1,
            id2label=dict(enumerate(NAMES)),
        )
        model = transformers.EomtForUniversalSegmentation(config)
        model.attn_mask_probs.fill_(0)
        folder = self.stored(model)
        shapes, facts = self.named(folder)
        self.assertEqual(shapes[0], [1, 4, 4])
        self.assertEqual(facts["mpm.classes"].split("\n"), NAMES)
        named = ("--class-names", "cityscapes")
        self.refuse("19 names of classes and the model has 3", huggingface, folder, *named)

    def test_upernet(self):
        config = transformers.BeitConfig(
            **{**SIZES, "num_hidden_layers": 4},
            out_indices=[1, 2, 3, 4],
            pool_scales=[1, 2, 3, 6],  # of a grid of 4 x 4: even, and not
            id2label=dict(enumerate(NAMES)),
            use_relative_position_bias=True,
        )
        shapes, facts = self.named(
            self.stored(transformers.BeitForSemanticSegmentation(config))
        )
        self.assertEqual(shapes[0][1], 3)
        self.assertEqual(facts["mpm.mean"], "0.5,0.5,0.5")

    def test_refusals(self):
        self.refuse("cannot read", huggingface, self.folder)
        self.refuse("multiples of 8", huggingface, "vit", *self.SMALL, "--input-size", "30x32")
        self.refuse("gives no classes", huggingface, "clip", *self.SMALL, "--give", "classes")
        size = ("--input-size", "48x32")
        self.refuse("224x224 alone", huggingface, "siglip", *self.SMALL, *size)
        self.refuse("cannot make BeitForSemantic", huggingface, "beit", *self.SMALL)
        transformers.BertConfig().save_pretrained(self.folder / "bert")
        self.refuse("of the family bert", huggingface, self.folder / "bert")


if __name__ == "__main__":
    unittest.main()
