# SPDX-License-Identifier: Apache-2.0
"""Models that are not to be merged, each with part of the sentence that says why."""

import contextlib

import timm.layers
import transformers
from timm.models.swin_transformer import SwinTransformer
from timm.models.xcit import Xcit
from torch import nn

import families
from fixture import CLASSES, DIM, HEADS, PATCH, SQUARE, Fixture, Outputs

DEPTH = 2


def swin():
    return SwinTransformer(
        img_size=64,
        patch_size=4,
        embed_dim=DIM,
        depths=(2,),
        num_heads=(2,),
        window_size=4,
        mlp_ratio=2,
        num_classes=CLASSES,
    )


def segformer():
    return transformers.SegformerForSemanticSegmentation(
        transformers.SegformerConfig(
            num_encoder_blocks=2,
            depths=[1, 1],
            sr_ratios=[4, 2],
            hidden_sizes=[8, DIM],
            patch_sizes=[7, 3],
            strides=[4, 2],
            num_attention_heads=[1, HEADS],
            mlp_ratios=[2, 2],
            decoder_hidden_size=8,
            num_labels=CLASSES,
        )
    )


def xcit():
    return Xcit(
        img_size=64,
        patch_size=PATCH,
        embed_dim=DIM,
        depth=DEPTH,
        num_heads=HEADS,
        mlp_ratio=2,
        cls_attn_layers=1,
        eta=1.0,
        tokens_norm=True,
        num_classes=CLASSES,
    )


def convolutions():
    layers = []
    for inputs, outputs, stride in ((3, 8, 2), (8, 16, 2), (16, 16, 2), (16, 16, 1)):
        layers += [
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(),
        ]
    head = [nn.Conv2d(16, CLASSES, 1)]
    return nn.Sequential(*layers, *head)


def plain(cls, **options):
    # Written out: TorchScript cannot trace the attention operator as these two call it.
    with unfused():
        return make_plain(cls, **options)


@contextlib.contextmanager
def unfused():
    timm.layers.set_fused_attn(False)
    try:
        yield
    finally:
        timm.layers.set_fused_attn(True)


def make_plain(cls, depth, img_size=(48, 64), **options):
    return cls(
        img_size=img_size,
        patch_size=PATCH,
        embed_dim=DIM,
        depth=depth,
        num_heads=HEADS,
        mlp_ratio=2,
        num_classes=CLASSES,
        **options,
    )


class WithAttention(nn.Module):
    """A ViT that also gives what its first block attends to."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pixel_values):
        found = self.model(pixel_values, output_attentions=True, return_dict=True)
        return found.last_hidden_state, found.attentions[0] * 49


def looked_into():
    return families.huggingface(
        transformers.ViTConfig, transformers.ViTModel, attn_implementation="eager"
    )


def masked(model):
    return Outputs(model, ("logits",))


def fixtures():
    def make(name, variant, build, reason, outputs=("logits",), **options):
        return Fixture(
            f"refused_{name}",
            "refused",
            variant,
            build,
            outputs,
            dynamic=(),
            mergeable=False,
            reason=reason,
            **options,
        )

    hf = {"input_name": "pixel_values"}
    bias = ("bias of its similarities",)
    last = ("last_hidden_state",)
    return [
        make("swin", "Swin, timm", swin, "windows", also=bias, input=SQUARE),
        make("segformer", "SegFormer, transformers", segformer, "fewer keys", wrap=masked, **hf),
        make(
            "weights",
            "ViTModel with its attention as an output, transformers",
            looked_into,
            "is used outside of it",
            ("last_hidden_state", "weights"),
            wrap=WithAttention,
            **hf,
        ),
        make("xcit", "XCiT, timm", xcit, "attention of features to features", input=SQUARE),
        make("cnn", "convolutions only", convolutions, "no transformer block", ("masks",)),
    ]
