# SPDX-License-Identifier: Apache-2.0
"""timm: encoders with other blocks, hierarchies and hybrids."""

import timm
import timm.models.vision_transformer as library

from .family import DEPTH, HEADS, SIZE, WIDTH, other, varied
from .timm_plain import TINY, Taps, of, tiny, vit


def model(name, size=SIZE, **options):
    return timm.create_model(name, pretrained=False, img_size=size, num_classes=7, **options)


def block(name, **options):
    return lambda: vit(TINY, patch_size=8, block_fn=getattr(library, name), **options)


def of14(name, **options):
    return varied(lambda: vit(name, 70, **options), (70, 70))


SWIN = {"embed_dim": 24, "depths": (1, 1, 1, 1), "num_heads": (1, 2, 3, 4)}
HYBRID = {"embed_dim": WIDTH, "depth": 2, "num_heads": HEADS}
NARROW = {"embed_dim": WIDTH, "num_heads": HEADS}

FAMILIES = {
    "timm_beit": varied(of("beit_base_patch16_224")),
    "timm_beit3": varied(of("beit3_base_patch16_224")),
    "timm_eva02": of14("eva02_tiny_patch14_224"),
    "timm_eva02_base": of14("eva02_base_patch14_224"),
    "timm_eva02_clip": varied(of("eva02_base_patch16_clip_224")),
    "timm_eva_giant": of14("eva_giant_patch14_224"),
    "timm_dinov3": varied(of("vit_small_patch16_dinov3")),
    "timm_dinov3_plus": varied(of("vit_small_plus_patch16_dinov3")),
    "timm_dinov3_taps": varied(lambda: Taps(vit("vit_small_patch16_dinov3", patch_size=8), indices=[1, 3])),
    "timm_pe_core": varied(of("vit_pe_core_tiny_patch16_384")),
    "timm_pe_spatial": varied(of("vit_pe_spatial_tiny_patch16_512")),
    "timm_pe_lang": of14("vit_pe_lang_large_patch14_448"),
    "timm_rope": varied(of("vit_betwixt_patch16_rope_reg4_gap_256")),
    "timm_rope_ape": varied(of("vit_small_patch16_rope_ape_224")),
    "timm_rope_mixed": varied(of("vit_small_patch16_rope_mixed_224")),
    "timm_lingbot": varied(of("vit_small_patch16_lingbot")),
    "timm_sapiens2": varied(of("vit_base_patch16_sapiens2", num_kv_heads=1)),
    "timm_radio": varied(of("vit_base_patch16_radio_v3")),
    "timm_aimv2": of14("aimv2_large_patch14_224"),
    "timm_giant_dinov2": of14("vit_giant_patch14_dinov2", mlp_ratio=4.0),
    "timm_relpos": varied(of("vit_relpos_small_patch16_224")),
    "timm_relpos_class": varied(of("vit_relpos_base_patch16_cls_224")),
    "timm_relpos_post": varied(of("vit_relpos_small_patch16_rpn_224")),
    "timm_srelpos": varied(of("vit_srelpos_small_patch16_224")),
    "timm_post_norm": varied(block("ResPostBlock", init_values=0.1)),
    "timm_parallel": varied(block("ParallelScalingBlock")),
    "timm_parallel_things": varied(block("ParallelThingsBlock")),
    "timm_diff_attention": varied(block("DiffParallelScalingBlock")),
    "timm_18x2": varied(of("vit_small_patch16_18x2_224")),
    "timm_xp": varied(of("vit_base_patch16_xp_224")),
    "timm_qk_norm": varied(tiny(qk_norm=True)),
    "timm_relu": varied(tiny(act_layer="relu")),
    "timm_silu": varied(tiny(act_layer="silu")),
    "timm_rms": varied(tiny(norm_layer="rmsnorm")),
    "timm_attention_norm": varied(tiny(scale_attn_norm=True)),
    "timm_naflex": varied(of("naflexvit_base_patch16_gap")),
    "timm_samvit": varied(
        lambda: vit("samvit_base_patch16", patch_size=8, window_size=4, global_attn_indexes=(1, 3))
    ),
    "timm_hybrid": other(lambda: model("vit_tiny_r_s16_p8_224", **HYBRID)),
    "timm_hybrid_resnet": other(lambda: model("vit_small_resnet26d_224", **HYBRID)),
    "timm_swin": other(lambda: model("swin_tiny_patch4_window7_224", 56, **SWIN), (56, 56)),
    "timm_swin2": other(lambda: model("swinv2_tiny_window8_256", 64, **SWIN)),
    "timm_hiera": other(lambda: model("hiera_tiny_224", embed_dim=24, num_heads=1, stages=(1, 1, 2, 1))),
    "timm_sam2": other(lambda: timm.create_model("sam2_hiera_tiny", embed_dim=24, num_heads=1, stages=(1, 1, 2, 1), num_classes=7)),
    "timm_xcit": other(lambda: model("xcit_nano_12_p8_224", embed_dim=WIDTH, depth=DEPTH, num_heads=HEADS)),
    "timm_cait": varied(lambda: model("cait_xxs24_224", patch_size=8, depth=DEPTH, **NARROW)),
    "timm_levit": other(lambda: model("levit_128s")),
    "timm_pit": other(lambda: model("pit_ti_224", 64)),
    "timm_crossvit": other(lambda: model("crossvit_tiny_240", 240), (240, 240)),
    "timm_convit": varied(lambda: model("convit_tiny", patch_size=8, depth=DEPTH, local_up_to_layer=2)),
    "timm_volo": other(lambda: model("volo_d1_224")),
    "timm_tnt": other(lambda: model("tnt_s_legacy_patch16_224", depth=2)),
    "timm_coat": other(lambda: model("coat_tiny")),
    "timm_maxvit": other(lambda: model("maxvit_rmlp_pico_rw_256", 64)),
    "timm_mvit": other(lambda: model("mvitv2_tiny")),
    "timm_twins": other(lambda: model("twins_svt_small")),
    "timm_davit": other(lambda: timm.create_model("davit_tiny", num_classes=7)),
    "timm_mixer": other(lambda: model("mixer_s16_224")),
    "timm_fastvit": other(lambda: timm.create_model("fastvit_t8", num_classes=7)),
    "timm_mobilevit": other(lambda: timm.create_model("mobilevit_xxs", num_classes=7)),
    "timm_efficientformer": other(lambda: timm.create_model("efficientformer_l1", num_classes=7), (224, 224)),
    "timm_visformer": other(lambda: model("visformer_tiny", 64)),
    "timm_pvt": other(lambda: timm.create_model("pvt_v2_b0", num_classes=7)),
    "timm_convnext": other(lambda: timm.create_model("convnext_atto", num_classes=7)),
    "timm_sequencer": other(lambda: model("sequencer2d_s", 64)),
}
