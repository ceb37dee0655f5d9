# SPDX-License-Identifier: Apache-2.0
"""The exporter of Segmenters, on small checkpoints: python3 test_segmenter.py"""

import functools
import unittest

from export_case import ExportTest  # ends here where a package is missing

import metadata
import onnx
import onnxruntime
import random_weights
import segmenter
import segmenter_model
import torch

VARIANT = """\
algorithm_kwargs:
  batch_size: 8
net_kwargs:
  backbone: vit_tiny_patch16_384
  d_ff: 32
  d_model: 16
  decoder:
    drop_path_rate: 0.0
    dropout: 0.1
    n_cls: 5
    n_heads: 2
    n_layers: 1
    name: {decoder}
  distilled: {distilled}
  image_size: !!python/tuple
  - 32
  - 48
  n_cls: 5
  n_heads: 2
  n_layers: 2
  normalization: {normalization}
  patch_size: 8
"""
SIZES = {"patch": 8, "dim": 16, "depth": 2, "heads": 2, "mlp_ratio": 2, "classes": 5}


class Program:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (self.path, "w"))


class SegmenterTest(ExportTest):
    def write_checkpoint(self, decoder="mask_transformer", distilled=False, extra=None, **changes):
        """A checkpoint as Segmenter writes it; gives its path and the model."""
        options = {"decoder_depth": 1, "decoder_heads": 2, **SIZES}
        model = segmenter_model.build((32, 48), decoder=decoder, distilled=distilled, **options)
        random_weights.randomise(model, 4)
        state = {**model.state_dict(), "encoder.head.weight": torch.zeros(3, 16)}
        state["encoder.head.bias"] = torch.zeros(3)
        state.update(changes)
        path = self.folder / "checkpoint.pth"
        torch.save({"model": state, "n_iter": 7, **(extra or {})}, path)
        text = VARIANT.format(
            decoder=decoder,
            distilled=str(distilled).lower(),
            normalization="deit" if distilled else "vit",
        )
        (self.folder / "variant.yml").write_text(text)
        return path, model

    def run_image(self, image):
        session = onnxruntime.InferenceSession(str(self.out), providers=["CPUExecutionProvider"])
        return torch.from_numpy(session.run(None, {"image": image.numpy()})[0])

    def test_a_checkpoint_gives_its_model(self):
        for decoder in segmenter.DECODERS:
            for distilled in (False, True):
                with self.subTest(decoder=decoder, distilled=distilled):
                    path, model = self.write_checkpoint(decoder, distilled)
                    self.export(segmenter, path)
                    image = torch.randn(1, 3, 32, 48)
                    with torch.no_grad():
                        apart = (model(image) - self.run_image(image)).abs().max()
                    self.assertLess(float(apart), 1e-4)

    def test_names_are_those_of_segmenters_checkpoints(self):
        names = set(segmenter_model.build((32, 48), distilled=True, **SIZES).state_dict())
        for name in (
            "encoder.cls_token",
            "encoder.dist_token",
            "encoder.pos_embed",
            "encoder.patch_embed.proj.weight",
            "encoder.blocks.1.norm1.bias",
            "encoder.blocks.1.attn.qkv.weight",
            "encoder.blocks.1.attn.proj.bias",
            "encoder.blocks.1.mlp.fc1.weight",
            "encoder.norm.weight",
            "decoder.cls_emb",
            "decoder.proj_dec.weight",
            "decoder.proj_patch",
            "decoder.proj_classes",
            "decoder.blocks.0.mlp.fc2.bias",
            "decoder.decoder_norm.weight",
            "decoder.mask_norm.bias",
        ):
            self.assertIn(name, names)

    def test_the_encoder_is_timms_with_another_epsilon(self):
        from timm.models.vision_transformer import VisionTransformer

        encoder = segmenter_model.build((32, 48), **SIZES).encoder
        random_weights.randomise(encoder, 6)
        options = {"embed_dim": 16, "depth": 2, "num_heads": 2, "mlp_ratio": 2, "num_classes": 0}
        norm = functools.partial(torch.nn.LayerNorm, eps=1e-5)
        theirs = VisionTransformer(img_size=(32, 48), patch_size=8, norm_layer=norm, **options)
        theirs.load_state_dict(encoder.state_dict())
        image = torch.randn(1, 3, 32, 48)
        with torch.no_grad():
            apart = (encoder(image) - theirs.eval().forward_features(image)[:, 1:]).abs().max()
        self.assertLess(float(apart), 1e-5)

    def test_another_input_size_resizes_the_positions(self):
        path, model = self.write_checkpoint()
        onnx_model = self.export(segmenter, path, "--input-size", "64x40")
        shape = onnx_model.graph.input[0].type.tensor_type.shape
        self.assertEqual([d.dim_value for d in shape.dim], [1, 3, 40, 64])

    def test_resized_positions_keep_special_rows_and_a_linear_ramp(self):
        ramp = torch.arange(4.0).repeat(4, 1).reshape(1, 16, 1)
        positions = torch.cat([torch.full((1, 2, 1), 9.0), ramp], dim=1)
        resized = segmenter_model.resize_positions(positions, 2, (4, 4), (4, 8))
        self.assertEqual(resized[0, :2, 0].tolist(), [9.0, 9.0])
        # Bilinear without aligned corners: samples at (i + 1/2) / 2 - 1/2, kept inside.
        row = [0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3]
        self.assertEqual(resized[0, 2:10, 0].tolist(), row)

    def test_metadata_says_how_a_picture_becomes_the_input(self):
        path, _ = self.write_checkpoint(distilled=True)
        (self.folder / "names.txt").write_text("wall\nsky\ntree\nroad\ncar\n")
        (self.folder / "colours.txt").write_text("#787878\n#06e6e6\n#04c803\n#8c8c8c\n#0066c8\n")
        beside = ("--class-names", self.folder / "names.txt")
        self.export(segmenter, path, *beside, "--palette", self.folder / "colours.txt")
        properties = metadata.read(self.out)
        self.assertEqual(properties["mpm.palette"].split("\n")[4], "#0066c8")
        self.assertEqual(properties["mpm.mean"], "0.485,0.456,0.406")
        self.assertEqual(properties["mpm.patch"], "8")
        self.assertEqual(properties["mpm.channel_order"], "RGB")
        self.assertEqual(properties["mpm.classes"], "wall\nsky\ntree\nroad\ncar")

    def test_names_and_colours_are_as_many_as_the_classes(self):
        path, _ = self.write_checkpoint()
        listed = self.folder / "listed.txt"
        for count in (4, 6):
            listed.write_text("#787878\n" * count)
            self.refuse(
                f"there are {count} names of classes and the model has 5", segmenter, path, "--class-names", listed
            )
            self.refuse(f"there are {count} colours and the model has 5", segmenter, path, "--palette", listed)
        self.assertFalse(self.out.exists())

    def test_random_weights_need_no_file(self):
        (self.folder / "v.yml").write_text(
            VARIANT.format(decoder="linear", distilled="false", normalization="vit")
        )
        self.export(segmenter, "--random-weights", "--variant", self.folder / "v.yml")
        self.export(segmenter, "--random-weights", "--variant", self.folder / "v.yml", "--dynamo")

    def test_half_weights_are_all_large_ones_and_compute_nearly_the_same(self):
        options = ("--random-weights", "--backbone", "vit_tiny_patch16_32", "--classes", 5)
        image = torch.randn(1, 3, 32, 32)
        self.export(segmenter, *options)
        expected = self.run_image(image)
        size = self.out.stat().st_size
        stored = self.export(segmenter, *options, "--half-weights").graph.initializer
        self.assertLess(self.out.stat().st_size, 0.55 * size)
        large = [tensor for tensor in stored if onnx.numpy_helper.to_array(tensor).size >= 1024]
        self.assertGreater(len(large), 50)
        self.assertEqual({tensor.data_type for tensor in large}, {onnx.TensorProto.FLOAT16})
        apart = (self.run_image(image) - expected).abs().max() / expected.abs().max()
        self.assertLess(float(apart), 0.01)

    def test_the_seed_makes_the_weights(self):
        (self.folder / "v.yml").write_text(
            VARIANT.format(decoder="linear", distilled="false", normalization="vit")
        )
        written = []
        for seed in (1, 1, 2):
            self.export(
                segmenter, "--random-weights", "--variant", self.folder / "v.yml", "--seed", seed
            )
            written.append(self.out.read_bytes())
        self.assertEqual(written[0], written[1])
        self.assertNotEqual(written[0], written[2])

    def test_values_beside_the_tensors_are_read(self):
        import argparse

        import numpy

        extra = {"args": argparse.Namespace(lr=0.1), "miou": numpy.float64(0.4)}
        path, _ = self.write_checkpoint(extra=extra)
        self.export(segmenter, path)

    def test_a_program_in_a_checkpoint_is_not_run(self):
        marker = self.folder / "ran"
        path, _ = self.write_checkpoint(extra={"program": Program(str(marker))})
        self.refuse("is not a checkpoint of plain tensors", segmenter, path)
        self.assertFalse(marker.exists())

    def test_a_program_in_a_variant_is_not_run(self):
        path, _ = self.write_checkpoint()
        marker = self.folder / "ran"
        text = f"net_kwargs: !!python/object/apply:os.system ['touch {marker}']\n"
        (self.folder / "variant.yml").write_text(text)
        self.refuse("is not YAML that a Segmenter writes", segmenter, path)
        self.assertFalse(marker.exists())

    def test_refusals(self):
        path, _ = self.write_checkpoint()
        self.refuse("multiples of 8", segmenter, path, "--input-size", "50x40")
        self.refuse("writes opset 18 and later", segmenter, path, "--dynamo", "--opset", 17)
        self.refuse("cannot be read", segmenter, self.folder / "no.pth")
        self.refuse("variant.yml cannot be read", segmenter, self.folder / "no" / "no.pth")
        self.refuse("no backbone", segmenter, "--random-weights", "--backbone", "resnet50")
        self.write_checkpoint(**{"decoder.more": torch.zeros(1)})
        self.refuse("has no place for decoder.more", segmenter, path)
        self.write_checkpoint(**{"encoder.pos_embed": torch.zeros(1, 9, 16)})
        self.refuse("9 positions", segmenter, path)
        self.write_checkpoint(**{"encoder.norm.bias": torch.zeros(8)})
        self.refuse(r"encoder.norm.bias is \[8\], not \[16\]", segmenter, path)
        (self.folder / "variant.yml").write_text("net_kwargs: {d_model: 16}\n")
        self.refuse("has no net_kwargs.decoder", segmenter, path)
        (self.folder / "variant.yml").write_text("[1, 2]\n")
        self.refuse("has no net_kwargs", segmenter, path)
        torch.save({"weights": torch.zeros(1)}, path)
        self.write_variant_back()
        self.refuse("is not a Segmenter's", segmenter, path)

    def write_variant_back(self):
        text = VARIANT.format(decoder="linear", distilled="false", normalization="vit")
        (self.folder / "variant.yml").write_text(text)

    def test_a_file_that_is_read_is_not_written_over(self):
        path, _ = self.write_checkpoint()
        names = self.folder / "names.txt"
        names.write_text("sky\nroad\n")
        self.out.symlink_to(names)
        self.refuse("is read by this command", segmenter, path, "--class-names", names)
        self.assertEqual(names.read_text(), "sky\nroad\n")

    def test_wrong_use(self):
        self.misuse(segmenter, "-o", self.out)
        self.misuse(segmenter, "a.pth", "--random-weights", "-o", self.out)
        self.misuse(segmenter, "a.pth")
        self.misuse(segmenter, "a.pth", "-o", self.out, "--input-size", "12")


if __name__ == "__main__":
    unittest.main()
