# SPDX-License-Identifier: Apache-2.0
"""timm: convolutional encoders and those of convolutions and attention, as they are or with fewer blocks."""

import timm

from .family import DEPTH, HEADS, WIDTH, other, varied
from .timm_others import model
from .timm_plain import of, vit


def whole(name, size=64, **options):
    """The library's model for pictures of `size`, which its arguments do not tell it."""
    return other(lambda: timm.create_model(name, pretrained=False, num_classes=7, **options), (size, size))


def sized(name, size=64, **options):
    """The same where its arguments do."""
    return other(lambda: model(name, size, **options), (size, size))


def shallow(name, size=64, depth=1, width=16, **options):
    """Four stages of `depth` blocks each."""
    return whole(name, size, depths=(depth,) * 4, dims=(width, 2 * width, 3 * width, 4 * width), **options)


# By what stands in front of the name: the smallest member of each module of the library.
AS_THEY_ARE = (
    "cpubone_b0_bfrobust csatv2 cs3darknet_focus_s dla46_c edgenext_xx_small "
    "efficientnet_lite0 efficientvim_m1 efficientvit_b0 fasternet_t0 ghostnet_050 ghostnetv2_100 hgnetv2_b0 "
    "hrnet_w18_small iformer_t inception_next_atto lambda_resnet26t lcnet_035 lcnetv2_small legacy_seresnet18 lowformer_b0 "
    "mambaout_femto mixnet_s mobilenetv3_small_050 mobilenetv4_conv_small_035 mobilenetv4_hybrid_medium "
    "mobilevitv2_050 nf_regnet_b0 poolformer_s12 pvt_v2_b2_li regnety_002 repghostnet_050 repvit_m0_9 res2net50_48w_2s "
    "resnest14d resnetv2_18 resnet18 rexnet_100 selecsls42 skresnet18 starnet_s050 swiftformer_xs tf_efficientnetv2_b0 "
    "ese_vovnet19b_slim_dw convnextv2_atto test_byobnet"
).split()
NARROW = {"embed_dim": WIDTH, "depth": DEPTH, "num_heads": HEADS}

FAMILIES = {
    **{f"timm_{name}": whole(name) for name in AS_THEY_ARE},
    "timm_botnet": sized("botnet26t_256"),
    "timm_halonet": whole("eca_halonext26ts", 256),
    "timm_efficientformer2": whole("efficientformerv2_s0", 224),
    "timm_efficientvit_m0": whole("efficientvit_m0", 224),
    "timm_shvit": whole("shvit_s1", 128),
    "timm_caformer": whole("caformer_s18"),
    "timm_focalnet": whole("focalnet_tiny_srf"),
    "timm_rdnet": whole("rdnet_tiny"),
    "timm_nextvit": whole("nextvit_small"),
    "timm_convnext_dinov3": shallow("convnext_tiny.dinov3_lvd1689m"),
    "timm_xception": whole("xception41"),
    "timm_densenet": whole("densenet121", block_config=(2, 2, 2, 2)),
    "timm_inception_v4": whole("inception_v4", 128),
    "timm_convmixer": whole("convmixer_768_32"),
    "timm_vitamin": sized("vitamin_small_224"),
    "timm_coatnet": sized("coatnet_nano_rw_224"),
    "timm_gcvit": sized("gcvit_xxtiny", 224),
    "timm_tiny_vit": whole("tiny_vit_5m_224", 224, depths=(1, 1, 1, 1)),
    "timm_nest": sized("nest_tiny", 224),
    "timm_swin_cr": sized("swinv2_cr_tiny_224", 64, embed_dim=24, depths=(1, 1, 1, 1), num_heads=(1, 2, 3, 4)),
    "timm_twins_pcpvt": sized("twins_pcpvt_small", depths=(1, 1, 1, 1)),
    "timm_gmlp": sized("gmlp_ti16_224"),
    "timm_resmlp": sized("resmlp_12_224"),
    "timm_deepseek_vit": varied(lambda: timm.create_model("deepseek_vit_412m_enc", img_size=84, **NARROW), (84, 84)),
    "timm_gemma4_vit": varied(lambda: timm.create_model("gemma4_vit_167m_enc", **NARROW), (96, 96)),
    "timm_qwen3_vit": varied(lambda: timm.create_model("qwen3_vit_88m_enc", **NARROW)),
    "timm_naflex_map": varied(of("naflexvit_base_patch16_map")),
    "timm_naflex_siglip": varied(of("naflexvit_base_patch16_siglip")),
    "timm_naflex_parallel": varied(of("naflexvit_base_patch16_par_gap")),
    "timm_dinov3_qkvb": varied(of("vit_small_patch16_dinov3_qkvb")),
    "timm_rope_reg": varied(of("vit_mediumd_patch16_rope_reg1_gap_256")),
    "timm_hybrid_mci": other(lambda: model("vit_base_mci_224", depth=2)),
}
