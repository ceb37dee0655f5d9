# SPDX-License-Identifier: Apache-2.0
"""Patches that overlap, are no squares, or leave a rest of the picture; operators that ONNX has for blocks since opset
23; what the optimiser for transformers in ONNX Runtime makes of an encoder."""

import functools

import onnx
import torch
import torch.nn.functional as F
import transformers
from onnxruntime.transformers import optimizer
from torch import nn

import families
from fixture import DEPTH, DIM, HEADS, HIDDEN, PATCH, SQUARE, Fixture, Outputs


def with_patches(kernel, stride):
    """timm's ViT as those change it who want features in more places: the same weights, in smaller steps."""
    model = families.timm_vit()
    projection = nn.Conv2d(3, DIM, kernel, stride)
    rows, columns = ((size - k) // s + 1 for size, k, s in zip((48, 64), kernel, stride))
    model.patch_embed.proj = projection
    model.pos_embed = nn.Parameter(torch.zeros(1, 1 + rows * columns, DIM))
    return model


class RotaryAttention(nn.Module):
    """Attention and positions by ONNX's own operators."""

    def __init__(self, interleaved, in_rows, turned):
        super().__init__()
        self.qkv, self.proj = nn.Linear(DIM, 3 * DIM), nn.Linear(DIM, DIM)
        self.interleaved, self.in_rows, self.turned = interleaved, in_rows, turned

    def forward(self, x, cosines, sines):
        batch, rows, _ = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        options = {"interleaved": self.interleaved, "rotary_embedding_dim": self.turned}
        heads = {"q_num_heads": HEADS, "kv_num_heads": HEADS}
        cosines, sines = cosines.expand(batch, -1, -1), sines.expand(batch, -1, -1)
        if self.in_rows:
            options["num_heads"] = HEADS
        else:
            q, k, v = (each.reshape(batch, rows, HEADS, -1).transpose(1, 2) for each in (q, k, v))
            heads = {}
        q, k = (torch.onnx.ops.rotary_embedding(each, cosines, sines, **options) for each in (q, k))
        mixed = torch.onnx.ops.attention(q, k, v, **heads)[0]
        if not self.in_rows:
            mixed = mixed.transpose(1, 2).reshape(batch, rows, DIM)
        return self.proj(mixed)


class OnnxBlock(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(DIM, eps=1e-6), nn.RMSNorm(DIM, eps=1e-6)
        self.attn = RotaryAttention(**options)
        self.fc1, self.fc2 = nn.Linear(DIM, HIDDEN), nn.Linear(HIDDEN, DIM)

    def forward(self, x, cosines, sines):
        x = x + self.attn(self.norm1(x), cosines, sines)
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))


class OnnxVit(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.vit = families.timm_vit(depth=0)
        self.blocks = nn.ModuleList(OnnxBlock(**options) for _ in range(DEPTH))
        half = options["turned"] // 2 or DIM // HEADS // 2
        y, x = torch.meshgrid(torch.arange(6.0), torch.arange(8.0), indexing="ij")
        steps = 0.5 ** torch.arange(half // 2)
        angles = torch.cat([y.reshape(-1, 1) * steps, x.reshape(-1, 1) * steps], 1)
        angles = torch.cat([torch.zeros(1, angles.shape[1]), angles])[None]
        self.register_buffer("cosines", angles.cos())
        self.register_buffer("sines", angles.sin())

    def forward(self, image):
        x = self.vit._pos_embed(self.vit.patch_embed(image))
        for block in self.blocks:
            x = block(x, self.cosines, self.sines)
        return self.vit.forward_head(x)


def optimise(kind, path):
    """As people call it: Attention, SkipLayerNormalization, BiasGelu and others in place of what they stand for."""
    options = {"num_heads": HEADS, "hidden_size": DIM, "use_gpu": False, "opt_level": 0}
    model = optimizer.optimize_model(str(path), model_type=kind, **options)
    onnx.save(model.model, str(path))


def fixtures():
    made = []
    own = {"keeps_size": True}

    def patches(name, variant, kernel, stride, grid):
        build = functools.partial(with_patches, kernel, stride)
        facts = {**own, "patch": 1, "grid": grid}
        made.append(Fixture(name, "timm", variant, build, ("logits",), facts=facts))

    patches("timm_overlapping", "ViT whose patches overlap", (PATCH, PATCH), (4, 4), [11, 15])
    patches("timm_oblong", "ViT whose patches are twice as high as wide", (16, 8), (16, 8), [3, 8])

    def hf(name, model, config, variant, **options):
        settings = {key: options.pop(key) for key in list(options) if key in families.FIXTURE_OPTIONS}
        outputs = ("last_hidden_state",)
        made.append(
            Fixture(
                name,
                "loose" if settings["facts"]["qkv"] == "loose" else "transformers",
                variant,
                functools.partial(families.huggingface, config, model, **options),
                outputs,
                wrap=lambda inner: Outputs(inner, outputs),
                input_name="pixel_values",
                **settings,
            )
        )

    t = transformers
    rest = {"blocks": 2, "qkv": "separate", "layer_scale": True, "patch": 14, "grid": [3, 4], **own}
    hf("hf_dinov2_rest", t.Dinov2Model, t.Dinov2Config, "Dinov2Model, a picture of no whole number of patches", patch_size=14, image_size=56, facts=rest)
    plain = {"blocks": 2, "qkv": "separate", "norm_eps": 1e-12}
    tool = {"tool": "ONNX Runtime's for transformers", "after": functools.partial(optimise, "vit")}
    hf("hf_vit_ort_transformers", t.ViTModel, t.ViTConfig, "ViTModel, optimised for transformers", attn_implementation="eager", facts=plain, **tool)
    loose = {"gelu": "", "qkv": "loose", "special": 0, "blocks": 2}
    tool = {**tool, "after": functools.partial(optimise, "bert")}
    hf("hf_aimv2_ort_transformers", t.Aimv2VisionModel, t.Aimv2VisionConfig, "Aimv2VisionModel, optimised for transformers", input=SQUARE, image_size=64, facts=loose, **tool)

    loose = {"gelu": "erf", "qkv": "loose"}
    for name, options in (
        ("onnx_rotary", {"interleaved": False, "in_rows": False, "turned": 0}),
        ("onnx_rotary_rows", {"interleaved": True, "in_rows": True, "turned": 0}),
        ("onnx_rotary_part", {"interleaved": False, "in_rows": False, "turned": 4}),
    ):
        build = functools.partial(OnnxVit, **options)
        made.append(Fixture(name, "loose", "ViT of ONNX's own operators", build, ("logits",), exporter="dynamo", opset=23, facts={**loose, **own}))
    return made
