# SPDX-License-Identifier: Apache-2.0
"""timm: encoders of plain ViT blocks."""

import timm
from torch import nn

from .family import DEPTH, HEADS, SIZE, WIDTH, plain


def vit(name, size=SIZE, **options):
    sizes = {"img_size": size, "embed_dim": WIDTH, "num_heads": HEADS, "depth": DEPTH}
    sizes.update(num_classes=7)
    return timm.create_model(name, pretrained=False, **{**sizes, **options})


class Features(nn.Module):
    """The tokens of a model, or what `part` of it gives for a picture."""

    def __init__(self, model, part="forward_features"):
        super().__init__()
        self.model, self.part = model, part

    def forward(self, image):
        return getattr(self.model, self.part)(image)


class Taps(nn.Module):
    """Maps behind several blocks, as timm gives them to heads."""

    def __init__(self, model, **options):
        super().__init__()
        self.model, self.options = model, options

    def forward(self, image):
        return tuple(self.model.forward_intermediates(image, intermediates_only=True, **self.options))


TINY = "vit_tiny_patch16_224"


def tiny(**options):
    return lambda: vit(TINY, patch_size=8, **options)


def of(name, **options):
    return lambda: vit(name, patch_size=8, **options)


FAMILIES = {
    "timm_vit": plain(tiny()),
    "timm_vit_gap": plain(tiny(global_pool="avg", class_token=False)),
    "timm_vit_max": plain(tiny(global_pool="max")),
    "timm_vit_map": plain(of("vit_so150m_patch16_reg4_map_256")),
    "timm_vit_no_embed_class": plain(tiny(no_embed_class=True, reg_tokens=4)),
    "timm_vit_fc_norm": plain(tiny(global_pool="avg", fc_norm=True)),
    "timm_vit_no_bias": plain(tiny(qkv_bias=False, proj_bias=False)),
    "timm_vit_pre_norm": plain(tiny(pre_norm=True, final_norm=False)),
    "timm_vit_layer_scale": plain(tiny(init_values=0.1)),
    "timm_vit_wide": plain(lambda: vit(TINY, (64, 96), patch_size=8), (64, 96)),
    "timm_vit_36x1": plain(of("vit_small_patch16_36x1_224")),
    "timm_vit_miil": plain(of("vit_base_patch16_224_miil")),
    "timm_vit_reg_gap": plain(of("vit_medium_patch16_reg4_gap_256")),
    "timm_so150m2": plain(of("vit_so150m2_patch16_reg1_gap_256")),
    "timm_test_vit4": plain(lambda: vit("test_vit4", patch_size=8)),
    "timm_tokens": plain(lambda: Features(vit(TINY, patch_size=8))),
    "timm_taps": plain(lambda: Taps(vit(TINY, patch_size=8), indices=[1, 3])),
    "timm_taps_normed": plain(lambda: Taps(vit(TINY, patch_size=8), indices=[0, 2, 3], norm=True)),
    "timm_dynamic": plain(tiny(dynamic_img_size=True)),
    "timm_dynamic_pad": plain(tiny(dynamic_img_size=True, dynamic_img_pad=True), (60, 64)),
    "timm_deit": plain(of("deit_tiny_patch16_224")),
    "timm_deit_distilled": plain(of("deit_tiny_distilled_patch16_224")),
    "timm_deit3": plain(of("deit3_small_patch16_224")),
    "timm_dinov2": plain(lambda: vit("vit_small_patch14_dinov2", 70), (70, 70)),
    "timm_dinov2_reg": plain(lambda: vit("vit_small_patch14_reg4_dinov2", 70), (70, 70)),
    "timm_clip": plain(of("vit_base_patch16_clip_224")),
    "timm_clip_quick": plain(of("vit_base_patch32_clip_quickgelu_224")),
    "timm_siglip": plain(of("vit_base_patch16_siglip_224")),
    "timm_siglip_gap": plain(of("vit_base_patch16_siglip_gap_224")),
    "timm_tipsv2": plain(of("vit_base_patch14_reg1_tipsv2")),
    "timm_mae": plain(of("vit_base_patch16_224.mae")),
    "timm_intern": plain(of("vit_intern300m_patch14_448")),
    "timm_flexivit": plain(of("flexivit_small")),
    "timm_real_table": plain(lambda: vit("vit_tiny_patch16_224", 224), (224, 224)),
    "timm_eva_large": plain(lambda: vit("eva_large_patch14_196", 70), (70, 70)),
}
