#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""timm's models that mpm_dnn.torch patched give what `mpm run` gives of their ONNX files: rows, map, tokens.

    python3 test_patch.py [MPM]
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest

import numpy as np
import timm
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "models/training"))
import merging  # noqa: E402

MPM = ROOT / "build/ci/cli/mpm"
SEED = 20261130
MODELS = {
    "vit_tiny_patch16_224": {"img_size": 128},
    "deit_tiny_distilled_patch16_224": {"img_size": 128},
    "vit_small_patch14_reg4_dinov2": {"img_size": 126, "depth": 8},
}


def images():
    """Two pictures of different detail, so that one of the batch merges more than the other."""
    torch.manual_seed(SEED)
    coarse = torch.nn.functional.interpolate(torch.randn(1, 3, 5, 5), size=(128, 128), mode="bilinear")
    fine = torch.nn.functional.interpolate(torch.randn(1, 3, 40, 40), size=(128, 128), mode="bilinear")
    return torch.cat([coarse + 0.05 * torch.randn(1, 3, 128, 128), fine])


class Patched(unittest.TestCase):
    def model(self, name):
        torch.manual_seed(SEED)
        timm.layers.set_fused_attn(False)
        model = timm.create_model(name, **MODELS[name]).eval()
        model.forward = model.forward_features
        return model

    def by_mpm(self, model, x, schedule, folder):
        """What `mpm run` gives of the model's file."""
        torch.onnx.export(model, x, folder / "vit.onnx", input_names=["x"], output_names=["y"], opset_version=17, dynamo=False)
        np.save(folder / "x.npy", x.numpy())
        words = [MPM, "run", folder / "vit.onnx", "--input", folder / "x.npy", "-o", folder / "out", "--merge-before", schedule]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return {name: np.load(folder / f"out/{name}.npy") for name in ("y", "mpm_map", "mpm_rows")}

    def test_gives_what_the_library_gives(self):
        for name, settings in MODELS.items():
            for schedule in ((2, 5), (0, 1, 4, 7)):
                with self.subTest(name, schedule=schedule), tempfile.TemporaryDirectory() as folder, torch.no_grad():
                    model, x = self.model(name), images()[..., : settings["img_size"], : settings["img_size"]].contiguous()
                    expected = self.by_mpm(model, x, ",".join(map(str, schedule)), pathlib.Path(folder))
                    found = merging.patch(model, schedule)(x)
                    self.assertEqual(model.merging.rows.shape, (len(schedule) + 1, 2))
                    left = model.merging.rows[-1].numpy() + model.num_prefix_tokens
                    np.testing.assert_array_equal(left, expected["mpm_rows"].reshape(2))
                    np.testing.assert_array_equal(model.merging.map.numpy(), expected["mpm_map"].reshape(2, -1))
                    np.testing.assert_allclose(found.numpy(), expected["y"], atol=2e-4)

    def test_can_be_patched_again(self):
        model, x = self.model("vit_tiny_patch16_224"), images()
        with torch.no_grad():
            unmerged = model(x)
            self.assertFalse(torch.equal(merging.patch(model)(x), unmerged))
            self.assertTrue(torch.equal(merging.patch(model, ())(x), unmerged))

    def test_lines_of_the_page_run(self):
        (lines,) = re.findall(r"\n```python\n(import timm.*?)```", (ROOT / "docs/python.md").read_text(), re.DOTALL)
        sys.modules["mpm_dnn"] = package = types.ModuleType("mpm_dnn")
        sys.modules["mpm_dnn.torch"] = package.torch = merging
        names = {}
        exec(compile(lines.replace("pretrained=True", "pretrained=False"), "docs/python.md", "exec"), names)
        self.assertEqual(names["tokens"].shape, (1, 37 * 37 + 1, 384))
        self.assertLess(int(names["model"].merging.rows[-1]), 37 * 37)

    def test_refuses_what_it_cannot_patch(self):
        with self.assertRaisesRegex(TypeError, "not a VisionTransformer"):
            merging.patch(torch.nn.Linear(2, 2))
        model = self.model("vit_tiny_patch16_224")
        with self.assertRaisesRegex(ValueError, "merge_before has 12; the model has blocks 0 to 11"):
            merging.patch(model, (2, 12))
        with self.assertRaisesRegex(NotImplementedError, "merged"):
            merging.patch(model).forward_intermediates(images())
        with self.assertRaisesRegex(NotImplementedError, "a mask"):
            model.forward_features(images(), attn_mask=torch.ones(1, 1, 65, 65, dtype=torch.bool))
        with torch.no_grad():
            self.assertEqual(len(merging.patch(model, ()).forward_intermediates(images(), intermediates_only=True)), 12)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        MPM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
