# SPDX-License-Identifier: Apache-2.0
"""The exporters on small models with random weights: python3 test_export.py"""

import contextlib
import functools
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

try:
    import onnx
    import onnxruntime  # noqa: F401  the exporters' own check needs it
    import timm  # noqa: F401
    import torch
    import transformers  # noqa: F401
    import yaml  # noqa: F401
except ImportError as error:
    if __name__ != "__main__":
        raise unittest.SkipTest(str(error))
    print(f"skipped: {sys.executable} lacks a package ({error})")
    sys.exit(77)

import exporting  # noqa: E402
import huggingface  # noqa: E402
import metadata  # noqa: E402
import random_weights  # noqa: E402
import segmenter  # noqa: E402
import segmenter_model  # noqa: E402
import timm_model  # noqa: E402

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


class ExportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out.onnx"

    def export(self, script, *arguments):
        """Runs a script's main; its own check against PyTorch has to have run."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self.assertEqual(script.main([str(a) for a in arguments] + ["-o", str(self.out)]), 0)
        self.assertIn("checked: under ONNX Runtime", printed.getvalue())
        return onnx.load(str(self.out))

    def refuse(self, sentence, script, *arguments):
        with self.assertRaises(exporting.Refusal) as caught:
            script.main([str(a) for a in arguments] + ["-o", str(self.out)])
        self.assertRegex(str(caught.exception), sentence)
        self.assertNotIn("\n", str(caught.exception))

    def misuse(self, script, *arguments):
        with self.assertRaises(SystemExit) as caught, contextlib.redirect_stderr(io.StringIO()):
            script.main([str(a) for a in arguments])
        self.assertEqual(caught.exception.code, 2)

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


class SegmenterTest(ExportTest):
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

    def test_wrong_use(self):
        self.misuse(segmenter, "-o", self.out)
        self.misuse(segmenter, "a.pth", "--random-weights", "-o", self.out)
        self.misuse(segmenter, "a.pth")
        self.misuse(segmenter, "a.pth", "-o", self.out, "--input-size", "12")


class Program:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (self.path, "w"))


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

    def test_refusals(self):
        self.refuse("Unknown model", timm_model, "vit_of_nobody", "--random-weights")
        self.refuse("is a ResNet", timm_model, "test_resnet", "--random-weights")
        self.misuse(timm_model, self.NAME, "--head", "linear", "-o", self.out)


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


class MetadataTest(ExportTest):
    def setUp(self):
        super().setUp()
        graph = onnx.helper.make_graph([], "empty", [], [])
        onnx.save(onnx.helper.make_model(graph), str(self.out))

    def call(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()):
            return metadata.main([str(self.out), *arguments])

    def test_entries_are_added_and_replaced(self):
        self.call("--set", "mean=0,0,0", "--set", "classes=sky\\nroad")
        self.call("--set", "mpm.mean=0.5,0.5,0.5", "--set", "palette=#000000\\n#00ff00")
        self.assertEqual(
            metadata.read(self.out),
            {
                "mpm.mean": "0.5,0.5,0.5",
                "mpm.classes": "sky\nroad",
                "mpm.palette": "#000000\n#00ff00",
            },
        )

    def test_what_a_reader_would_not_understand_is_refused(self):
        for entry, sentence in {
            "mean=1,2": "three numbers",
            "std=1,0,1": "three numbers",
            "std=1,nan,1": "three numbers",
            "channel_order=GBR": "RGB and BGR",
            "patch=x": "number of pixels",
            "palette=black": "#rrggbb",
            "colour=red": "there is no key mpm.colour",
        }.items():
            with self.subTest(entry=entry):
                with self.assertRaisesRegex(exporting.Refusal, sentence):
                    self.call("--set", entry)
        with self.assertRaisesRegex(exporting.Refusal, "2 classes and 1 colours"):
            self.call("--set", "classes=a\\nb", "--set", "palette=#000000")
        self.assertEqual(metadata.read(self.out), {})

    def test_files_that_are_no_models(self):
        self.out.write_text("no model")
        with self.assertRaisesRegex(exporting.Refusal, "is not an ONNX file"):
            self.call()
        self.out.unlink()
        with self.assertRaisesRegex(exporting.Refusal, "cannot be read"):
            self.call()


if __name__ == "__main__":
    unittest.main()
