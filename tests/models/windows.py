# SPDX-License-Identifier: Apache-2.0
"""Encoders that deal their tokens out to windows, of which some blocks look at one window and some at all of them:
in front of the first block, or anew in each."""

import timm
import transformers
from torch import nn

from fixture import CLASSES, DEPTH, DIM, HEADS, HIDDEN, PATCH, SQUARE, Fixture, Outputs

SIZES = {
    "hidden_size": DIM,
    "num_hidden_layers": DEPTH + 1,
    "num_attention_heads": HEADS,
    "patch_size": PATCH,
    "image_size": 64,
    "mlp_ratio": HIDDEN // DIM,
    "out_indices": [2, DEPTH + 1],
}


class Maps(nn.Module):
    """What a detector reads: the map behind a block midway, and the last one."""

    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone

    def forward(self, image):
        return tuple(self.backbone(image).feature_maps)


def rf_detr():
    """Each window has a class token of its own; the last block looks at all windows."""
    config = transformers.RfDetrDinov2Config(**SIZES, num_windows=2, window_block_indexes=[0, 2])
    return transformers.RfDetrDinov2Backbone(config)


def lw_detr():
    """No class tokens; the last block looks at windows."""
    config = transformers.LwDetrViTConfig(**SIZES, num_windows=4, window_block_indices=[0, 3])
    return transformers.LwDetrViTBackbone(config)


# Windows of 3 on a grid of 8 reach over its edges; blocks 0 and 2 look at them.
ANEW = {
    "hidden_size": DIM,
    "num_hidden_layers": DEPTH + 1,
    "num_attention_heads": HEADS,
    "patch_size": PATCH,
    "image_size": 64,
    "window_size": 3,
}


def sam():
    config = transformers.SamVisionConfig(**ANEW, mlp_dim=HIDDEN, output_channels=8, global_attn_indexes=[1, 3])
    return transformers.SamVisionModel(config)


def sam3():
    """Rotary positions: of a window's own places, and of the grid where a block looks at all of it."""
    config = transformers.Sam3ViTConfig(
        hidden_size=DIM,
        num_hidden_layers=DEPTH + 1,
        num_attention_heads=HEADS,
        intermediate_size=HIDDEN,
        patch_size=PATCH,
        image_size=64,
        pretrain_image_size=32,
        window_size=4,
        global_attn_indexes=[1, 3],
    )
    return transformers.Sam3ViTModel(config)


def vitdet():
    config = transformers.VitDetConfig(
        **ANEW,
        mlp_ratio=HIDDEN // DIM,
        window_block_indices=[0, 2],
        use_relative_position_embeddings=True,
        out_indices=[2, DEPTH + 1],
    )
    return transformers.VitDetBackbone(config)


def samvit():
    """Windows that lie within the grid."""
    return timm.create_model(
        "samvit_base_patch16",
        img_size=64,
        patch_size=PATCH,
        embed_dim=DIM,
        depth=DEPTH + 1,
        num_heads=HEADS,
        mlp_ratio=HIDDEN / DIM,
        window_size=4,
        global_attn_indexes=(1,),
        neck_chans=HEADS * 4,
        num_classes=CLASSES,
    )


def fixtures():
    def make(name, variant, build, special, adapts=False, **options):
        facts = {"blocks": DEPTH + 1, "special": special, "qkv": "separate", "layer_scale": True, "keeps_size": True}
        facts.update({"adapts": True} if adapts else {})
        return Fixture(
            name, "windows", f"{variant}, transformers", build, ("early", "last"), wrap=Maps, input=SQUARE, facts=facts, **options
        )

    def anew(name, variant, build, outputs, wrap, eps=1e-6, rotary=False, **options):
        facts = {"blocks": DEPTH + 1, "special": 0, "keeps_size": True, "norm_eps": eps}
        facts.update({"qkv": "loose"} if rotary else {})
        return Fixture(name, "windows anew", variant, build, outputs, wrap=wrap, input=SQUARE, facts=facts, **options)

    last = ("last_hidden_state",)
    dynamo = {"exporter": "dynamo", "opset": 18}
    return [
        anew("hf_sam", "SAM's image encoder, transformers", sam, last, lambda model: Outputs(model, last)),
        anew("hf_vitdet", "ViTDet with relative positions, transformers", vitdet, ("early", "last"), Maps, **dynamo),
        anew("hf_sam3", "SAM 3's image encoder, transformers", sam3, last, lambda model: Outputs(model, last), rotary=True),
        anew("timm_samvit", "SAM's image encoder, timm", samvit, ("logits",), None, 1e-5),
        make("hf_rf_detr", "RF-DETR's DINOv2 with windows", rf_detr, 4, **dynamo),
        make("hf_lw_detr", "LW-DETR's ViT with windows", lw_detr, 0, adapts=True),
        make("hf_lw_detr_dynamo", "LW-DETR's ViT with windows", lw_detr, 0, **dynamo),
    ]
