# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's transformers: encoders with other blocks, windows and hierarchies."""

import transformers
from torch import nn

from .family import DEPTH, HEADS, SIZE, WIDTH, Picked, config, hf, other, varied
from .transformers_plain import LAST, POOLED, dinov2


class LastMap(nn.Module):
    """The last map of a backbone."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        return self.model(image).feature_maps[-1]


def sam(**options):
    made = config(
        transformers.SamVisionConfig,
        output_channels=16,
        window_size=4,
        global_attn_indexes=[1, 3],
        mlp_dim=2 * WIDTH,
        **options,
    )
    return Picked(transformers.SamVisionModel(made), LAST)


def sam_hq():
    made = config(
        transformers.SamHQVisionConfig,
        output_channels=16,
        window_size=4,
        global_attn_indexes=[1, 3],
        mlp_dim=2 * WIDTH,
    )
    return Picked(transformers.SamHQVisionModel(made), LAST)


def vitdet(**options):
    made = config(
        transformers.VitDetConfig,
        window_size=4,
        window_block_indices=[0, 2],
        out_indices=[DEPTH],
        mlp_ratio=2,
        **options,
    )
    return LastMap(transformers.VitDetBackbone(made))


def rf_detr_backbone():
    """DINOv2 whose blocks look at windows but for a few."""
    made = config(
        transformers.RfDetrDinov2Config,
        mlp_ratio=2,
        num_windows=2,
        window_block_indexes=[0, 2],
        out_indices=[2, DEPTH],
        num_register_tokens=0,
    )
    return LastMap(transformers.RfDetrDinov2Backbone(made))


def lw_detr_backbone():
    made = config(
        transformers.LwDetrViTConfig,
        mlp_ratio=2,
        num_windows=4,
        window_block_indices=[0, 2],
        out_indices=[2, DEPTH],
    )
    return LastMap(transformers.LwDetrViTBackbone(made))


def hiera():
    made = transformers.HieraConfig(
        image_size=[SIZE, SIZE], embed_dim=24, depths=[1, 1, 2, 1], num_heads=[1, 2, 4, 8]
    )
    return Picked(transformers.HieraModel(made), LAST)


def swin(model, made):
    sizes = {"image_size": 56, "patch_size": 2, "embed_dim": 24, "depths": [1, 1], "num_heads": [1, 2]}
    return lambda: Picked(getattr(transformers, model)(getattr(transformers, made)(window_size=7, **sizes)), LAST)


def pvt():
    made = transformers.PvtV2Config(
        image_size=SIZE, hidden_sizes=[16, 32, 64, 64], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 4, 4]
    )
    return Picked(transformers.PvtV2Model(made), LAST)


def dinov3(**options):
    return hf("DINOv3ViTModel", "DINOv3ViTConfig", LAST, POOLED, num_register_tokens=2, **options)


RELATIVE = {"use_relative_position_bias": True}

FAMILIES = {
    "hf_beit": varied(hf("BeitForImageClassification", "BeitConfig", "logits", num_labels=7, **RELATIVE)),
    "hf_beit_absolute": varied(
        hf("BeitModel", "BeitConfig", LAST, POOLED, use_absolute_position_embeddings=True, use_mean_pooling=False)
    ),
    "hf_data2vec": varied(
        hf("Data2VecVisionForImageClassification", "Data2VecVisionConfig", "logits", num_labels=7)
    ),
    "hf_data2vec_relative": varied(hf("Data2VecVisionModel", "Data2VecVisionConfig", LAST, **RELATIVE)),
    "hf_dinov2_swiglu": varied(
        lambda: Picked(transformers.Dinov2Model(dinov2(use_swiglu_ffn=True)), LAST), (70, 70)
    ),
    "hf_dinov3": varied(dinov3()),
    "hf_dinov3_gated": varied(dinov3(use_gated_mlp=True, hidden_act="silu")),
    "hf_aimv2": varied(hf("Aimv2VisionModel", "Aimv2VisionConfig", LAST)),
    "hf_pixio": varied(hf("PixioModel", "PixioConfig", LAST)),
    "hf_internvl": varied(hf("InternVLVisionModel", "InternVLVisionConfig", LAST, image_size=[SIZE, SIZE], patch_size=[8, 8])),
    "hf_intern_qk_norm": varied(
        hf("InternVLVisionModel", "InternVLVisionConfig", LAST, image_size=[SIZE, SIZE], patch_size=[8, 8], use_qk_norm=True)
    ),
    "hf_instructblip": varied(hf("InstructBlipVisionModel", "InstructBlipVisionConfig", LAST)),
    "hf_blip2": varied(hf("Blip2VisionModel", "Blip2VisionConfig", LAST)),
    "hf_flava": varied(hf("FlavaImageModel", "FlavaImageConfig", LAST)),
    "hf_sam": varied(sam),
    "hf_sam_absolute": varied(lambda: sam(use_rel_pos=False)),
    "hf_sam_hq": varied(sam_hq),
    "hf_vitdet": varied(vitdet),
    "hf_vitdet_relative": varied(lambda: vitdet(use_relative_position_embeddings=True)),
    "hf_rf_detr_backbone": varied(rf_detr_backbone),
    "hf_lw_detr_backbone": varied(lw_detr_backbone),
    "hf_hiera": other(hiera),
    "hf_swin": other(swin("SwinModel", "SwinConfig"), (56, 56)),
    "hf_swin2": other(swin("Swinv2Model", "Swinv2Config"), (56, 56)),
    "hf_pvt2": other(pvt),
    "hf_levit": other(lambda: Picked(transformers.LevitModel(transformers.LevitConfig(image_size=SIZE)), LAST)),
    "hf_cvt": other(lambda: Picked(transformers.CvtModel(transformers.CvtConfig()), LAST)),
    "hf_mobilevit": other(lambda: Picked(transformers.MobileViTModel(transformers.MobileViTConfig(image_size=SIZE)), LAST)),
    "hf_focalnet": other(lambda: Picked(transformers.FocalNetModel(transformers.FocalNetConfig(image_size=SIZE, embed_dim=24, depths=[1, 1, 1, 1])), LAST)),
}
