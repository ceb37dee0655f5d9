# SPDX-License-Identifier: Apache-2.0
"""Encoders that deal their tokens out to windows in front of the first block, of which some blocks look at one
window and some at all of them."""

import transformers
from torch import nn

from fixture import DEPTH, DIM, HEADS, HIDDEN, PATCH, SQUARE, Fixture

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


def fixtures():
    def make(name, variant, build, special, **options):
        facts = {"blocks": DEPTH + 1, "special": special, "qkv": "separate", "layer_scale": True, "keeps_size": True}
        return Fixture(
            name, "windows", f"{variant}, transformers", build, ("early", "last"), wrap=Maps, input=SQUARE, facts=facts, **options
        )

    dynamo = {"exporter": "dynamo", "opset": 18}
    return [
        make("hf_rf_detr", "RF-DETR's DINOv2 with windows", rf_detr, 4, **dynamo),
        make("hf_lw_detr", "LW-DETR's ViT with windows", lw_detr, 0),
        make("hf_lw_detr_dynamo", "LW-DETR's ViT with windows", lw_detr, 0, **dynamo),
    ]
