# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's transformers: encoders of plain ViT blocks, and vision towers of two-tower models."""

import torch
import transformers
from torch import nn

from .family import DEPTH, Picked, config, hf, plain

LAST = "last_hidden_state"
POOLED = "pooler_output"


def dinov2(**options):
    return config(
        transformers.Dinov2Config, mlp_ratio=2, image_size=70, patch_size=14, apply_layernorm=True, **options
    )


def of14(build):
    return plain(build, (70, 70))


class Classified(nn.Module):
    """Scores of a picture beside constant rows of texts, as CLIP's zero-shot exports have them."""

    def __init__(self, model, texts):
        super().__init__()
        self.model = model
        self.texts = nn.Parameter(nn.functional.normalize(texts, dim=-1))

    def forward(self, image):
        seen = self.model(image, return_dict=True).image_embeds
        return 100 * nn.functional.normalize(seen, dim=-1) @ self.texts.t()


def clip_zero_shot():
    made = config(transformers.CLIPVisionConfig, projection_dim=32)
    return Classified(transformers.CLIPVisionModelWithProjection(made), torch.randn(6, 32))


def siglip2():
    """Its NaFlex tower takes patches; as a fixed picture it is SigLIP's."""
    made = config(transformers.SiglipVisionConfig, hidden_act="gelu_pytorch_tanh")
    return Picked(transformers.SiglipVisionModel(made), POOLED)


def mae():
    made = config(
        transformers.ViTMAEConfig,
        mask_ratio=0.0,
        decoder_hidden_size=32,
        decoder_num_hidden_layers=1,
        decoder_num_attention_heads=2,
        decoder_intermediate_size=64,
    )
    return Picked(transformers.ViTMAEModel(made), LAST)


def blip():
    return Picked(transformers.BlipVisionModel(config(transformers.BlipVisionConfig)), LAST, POOLED)


def vit_backbone():
    made = config(transformers.VitDetConfig, window_block_indices=[], out_indices=[DEPTH], mlp_ratio=2)
    return Picked(transformers.VitDetBackbone(made), "feature_maps")


def dinov2_backbone():
    made = dinov2(out_indices=[2, 4], reshape_hidden_states=True)
    return Picked(transformers.Dinov2Backbone(made), "feature_maps")


REGISTERS = {"mlp_ratio": 2, "image_size": 70, "patch_size": 14}

FAMILIES = {
    "hf_vit": plain(hf("ViTForImageClassification", "ViTConfig", "logits", num_labels=7)),
    "hf_vit_model": plain(hf("ViTModel", "ViTConfig", LAST, POOLED)),
    "hf_vit_wide": plain(hf("ViTModel", "ViTConfig", LAST, image_size=(64, 96)), (64, 96)),
    "hf_vit_no_bias": plain(hf("ViTModel", "ViTConfig", LAST, qkv_bias=False)),
    "hf_vit_restored": plain(hf("ViTForMaskedImageModeling", "ViTConfig", "reconstruction", encoder_stride=8)),
    "hf_vit_msn": plain(hf("ViTMSNModel", "ViTMSNConfig", LAST)),
    "hf_vit_mae": plain(mae),
    "hf_deit": plain(hf("DeiTForImageClassification", "DeiTConfig", "logits", num_labels=7)),
    "hf_deit_teacher": plain(
        hf("DeiTForImageClassificationWithTeacher", "DeiTConfig", "logits", "cls_logits", num_labels=7)
    ),
    "hf_dinov2": of14(lambda: Picked(transformers.Dinov2Model(dinov2()), LAST)),
    "hf_dinov2_class": of14(lambda: Picked(transformers.Dinov2ForImageClassification(dinov2(num_labels=7)), "logits")),
    "hf_dinov2_backbone": of14(dinov2_backbone),
    "hf_dinov2_reg": of14(hf("Dinov2WithRegistersModel", "Dinov2WithRegistersConfig", LAST, **REGISTERS)),
    "hf_dinov2_reg_class": of14(
        hf("Dinov2WithRegistersForImageClassification", "Dinov2WithRegistersConfig", "logits", num_labels=7, **REGISTERS)
    ),
    "hf_clip": plain(hf("CLIPVisionModel", "CLIPVisionConfig", LAST, POOLED)),
    "hf_clip_embeds": plain(hf("CLIPVisionModelWithProjection", "CLIPVisionConfig", "image_embeds", projection_dim=32)),
    "hf_clip_class": plain(
        lambda: Picked(
            transformers.CLIPForImageClassification(
                transformers.CLIPConfig(vision_config=config(transformers.CLIPVisionConfig).to_dict(), num_labels=7)
            ),
            "logits",
        )
    ),
    "hf_clip_zero_shot": plain(clip_zero_shot),
    "hf_metaclip2": plain(hf("MetaClip2VisionModel", "MetaClip2VisionConfig", LAST, POOLED)),
    "hf_chinese_clip": plain(hf("ChineseCLIPVisionModel", "ChineseCLIPVisionConfig", LAST)),
    "hf_altclip": plain(hf("AltCLIPVisionModel", "AltCLIPVisionConfig", LAST)),
    "hf_owlvit": plain(hf("OwlViTVisionModel", "OwlViTVisionConfig", LAST)),
    "hf_blip": plain(blip),
    "hf_git": plain(hf("GitVisionModel", "GitVisionConfig", LAST)),
    "hf_siglip": plain(hf("SiglipVisionModel", "SiglipVisionConfig", LAST, POOLED)),
    "hf_siglip2": plain(siglip2),
    "hf_siglip_class": plain(
        lambda: Picked(
            transformers.SiglipForImageClassification(
                transformers.SiglipConfig(vision_config=config(transformers.SiglipVisionConfig).to_dict(), num_labels=7)
            ),
            "logits",
        )
    ),
    "hf_ijepa": plain(hf("IJepaModel", "IJepaConfig", LAST)),
    "hf_vitdet_global": plain(vit_backbone),
}
