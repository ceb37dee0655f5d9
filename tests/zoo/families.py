# SPDX-License-Identifier: Apache-2.0
"""Families of models as their libraries build them, small and with random weights.

Each function gives a torch.nn.Module from an image [B, 3, H, W] to a tensor or a tuple of them.
"""

import torch
import transformers
from torch import nn

SIZE = 64  # of the images, but where a patch of 14 asks for 70
WIDTH, HEADS, DEPTH = 64, 2, 4


def timm_vit(name, size=SIZE, **options):
    import timm

    sizes = {"img_size": size, "embed_dim": WIDTH, "num_heads": HEADS, "depth": DEPTH}
    sizes.update(num_classes=7)
    return timm.create_model(name, pretrained=False, **{**sizes, **options})


def timm_parallel(block, **options):
    import timm.models.vision_transformer as library

    return timm_vit("vit_tiny_patch16_224", patch_size=8, block_fn=getattr(library, block), **options)


def timm_other(name, size=SIZE, **options):
    import timm

    return timm.create_model(name, pretrained=False, img_size=size, num_classes=7, **options)


def timm_tokens(name, size=SIZE, **options):
    model = timm_vit(name, size, **options)

    class Tokens(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, image):
            return self.model.forward_features(image)

    return Tokens()


class Picked(nn.Module):
    """Of a transformers model the named outputs."""

    def __init__(self, model, *names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, image):
        found = self.model(image, return_dict=True)
        return tuple(found[name] for name in self.names)


def config(cls, **options):
    sizes = {
        "hidden_size": WIDTH,
        "num_hidden_layers": DEPTH,
        "num_attention_heads": HEADS,
        "intermediate_size": 2 * WIDTH,
        "image_size": SIZE,
        "patch_size": 8,
    }
    return cls(**{**sizes, **options})


def hf(model, config_class, *names, **options):
    def build():
        kind = getattr(transformers, model)
        made = kind(config(getattr(transformers, config_class), **options))
        return Picked(made, *names)

    return build


def dinov2(**options):
    return config(
        transformers.Dinov2Config, mlp_ratio=2, image_size=70, patch_size=14, apply_layernorm=True, **options
    )


def depth_anything():
    backbone = dinov2(out_indices=[1, 2, 3, 4], reshape_hidden_states=False)
    made = transformers.DepthAnythingConfig(
        backbone_config=backbone,
        reassemble_hidden_size=WIDTH,
        patch_size=14,
        neck_hidden_sizes=[16, 24, 32, 32],
        fusion_hidden_size=16,
        head_hidden_size=8,
    )
    return Picked(transformers.DepthAnythingForDepthEstimation(made), "predicted_depth")


def dpt(**options):
    made = config(
        transformers.DPTConfig,
        backbone_out_indices=[0, 1, 2, 3],
        neck_hidden_sizes=[16, 24, 32, 32],
        fusion_hidden_size=16,
        is_hybrid=False,
        num_labels=5,
        **options,
    )
    return Picked(transformers.DPTForSemanticSegmentation(made), "logits")


def yolos():
    made = config(
        transformers.YolosConfig, image_size=[SIZE, SIZE], num_detection_tokens=10, num_labels=4
    )
    return Picked(transformers.YolosForObjectDetection(made), "logits", "pred_boxes")


def eomt():
    made = config(
        transformers.EomtConfig, mlp_ratio=2, num_blocks=2, num_queries=10, num_labels=5, num_upscale_blocks=1
    )
    return Picked(
        transformers.EomtForUniversalSegmentation(made), "masks_queries_logits", "class_queries_logits"
    )


def eomt_without_masks():
    """As it is used: masks are for training."""
    made = eomt()
    made.model.attn_mask_probs.fill_(0)
    return made


def dinov3():
    made = config(transformers.DINOv3ViTConfig, patch_size=8, num_register_tokens=2)
    return Picked(transformers.DINOv3ViTModel(made), "last_hidden_state")


def siglip():
    made = config(transformers.SiglipVisionConfig)
    return Picked(transformers.SiglipVisionModel(made), "last_hidden_state", "pooler_output")


def vitpose():
    backbone = transformers.VitPoseBackboneConfig(
        image_size=[64, 48],
        patch_size=[8, 8],
        hidden_size=WIDTH,
        num_hidden_layers=DEPTH,
        num_attention_heads=HEADS,
        mlp_ratio=2,
        out_indices=[DEPTH],
    )
    made = transformers.VitPoseConfig(backbone_config=backbone, num_labels=5)
    return Picked(transformers.VitPoseForPoseEstimation(made), "heatmaps")


def beit_segmentation():
    made = config(
        transformers.BeitConfig,
        num_labels=5,
        out_indices=[1, 2, 3, 4],
        use_relative_position_bias=True,
        use_auxiliary_head=False,
        pool_scales=[1, 2],
    )
    return Picked(transformers.BeitForSemanticSegmentation(made), "logits")


def segformer():
    made = transformers.SegformerConfig(
        hidden_sizes=[16, 32, 64, 64],
        depths=[1, 1, 1, 1],
        num_attention_heads=[1, 2, 4, 4],
        decoder_hidden_size=32,
        num_labels=5,
    )
    return Picked(transformers.SegformerForSemanticSegmentation(made), "logits")


def open_clip():
    import open_clip

    tower = open_clip.model.VisionTransformer(
        image_size=SIZE,
        patch_size=8,
        width=WIDTH,
        layers=DEPTH,
        heads=HEADS,
        mlp_ratio=2.0,
        output_dim=32,
        attentional_pool=True,
        attn_pooler_queries=4,
        attn_pooler_heads=2,
    )
    return tower


def smp_dpt():
    import segmentation_models_pytorch as smp

    return smp.DPT(
        "tu-vit_tiny_patch16_224", encoder_weights=None, classes=5, dynamic_img_size=True
    )


def sam():
    made = config(
        transformers.SamVisionConfig,
        output_channels=16,
        window_size=4,
        global_attn_indexes=[1, 3],
        mlp_dim=2 * WIDTH,
    )
    return Picked(transformers.SamVisionModel(made), "last_hidden_state")


def vitdet():
    made = config(
        transformers.VitDetConfig,
        window_size=4,
        window_block_indices=[0, 2],
        out_indices=[DEPTH],
        mlp_ratio=2,
    )
    model = transformers.VitDetBackbone(made)

    class LastMap(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, image):
            return self.model(image).feature_maps[-1]

    return LastMap()


class Beside(nn.Module):
    """Two attentions and an MLP of one norm, each added after the other."""

    def __init__(self):
        super().__init__()
        from timm.models.vision_transformer import Attention, Mlp

        self.vit = timm_vit("vit_tiny_patch16_224", patch_size=8)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(DEPTH))
        self.left = nn.ModuleList(Attention(WIDTH, HEADS, qkv_bias=True) for _ in range(DEPTH))
        self.right = nn.ModuleList(Attention(WIDTH, HEADS) for _ in range(DEPTH))
        self.mlps = nn.ModuleList(Mlp(WIDTH, 2 * WIDTH) for _ in range(DEPTH))

    def forward(self, image):
        x = self.vit._pos_embed(self.vit.patch_embed(image))
        for norm, left, right, mlp in zip(self.norms, self.left, self.right, self.mlps):
            y = norm(x)
            x = x + left(y) + right(y) + mlp(y)
        return self.vit.forward_head(self.vit.norm(x))


class Head(nn.Module):
    """A backbone's tokens behind one head or another, as people write them."""

    def __init__(self, head):
        super().__init__()
        self.backbone = timm_tokens("vit_tiny_patch16_224", patch_size=8)
        self.head = head
        self.linear = nn.Linear(WIDTH, 7)
        self.query = nn.Parameter(torch.randn(1, 5, WIDTH))
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, image):
        tokens = self.backbone(image)
        rows = tokens[:, 1:]
        batch = tokens.shape[0]
        planes = rows.transpose(1, 2).reshape(batch, WIDTH, 8, 8)
        return getattr(self, self.head)(tokens, rows, planes)

    def one_token(self, tokens, rows, planes):
        return self.linear(tokens)[:, 5]

    def token_sum(self, tokens, rows, planes):
        return self.linear(tokens).sum(1)

    def gem(self, tokens, rows, planes):
        return self.linear(rows.clamp(min=1e-6).pow(3).mean(1).pow(1 / 3))

    def maximum(self, tokens, rows, planes):
        return self.linear(rows.amax(1))

    def normalised(self, tokens, rows, planes):
        return nn.functional.normalize(rows, dim=-1)

    def queries(self, tokens, rows, planes):
        query = self.query.expand(rows.shape[0], -1, -1)
        return self.attention(query, rows, rows, need_weights=False)[0]

    def einsum(self, tokens, rows, planes):
        query = self.norm(self.query).expand(rows.shape[0], -1, -1)
        return torch.einsum("bqc,bchw->bqhw", query, planes)

    def norm_2d(self, tokens, rows, planes):
        mean = planes.mean(1, keepdim=True)
        variance = (planes - mean).pow(2).mean(1, keepdim=True)
        return (planes - mean) / torch.sqrt(variance + 1e-6)

    def channels_last(self, tokens, rows, planes):
        return self.norm(planes.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)

    def shuffled(self, tokens, rows, planes):
        return nn.functional.pixel_shuffle(planes, 2)

    def flipped(self, tokens, rows, planes):
        return torch.flip(planes, [3]) + planes

    def resized(self, tokens, rows, planes):
        size = (64, 96)
        return nn.functional.interpolate(planes, size=size, mode="bilinear", align_corners=False)

    def argmax(self, tokens, rows, planes):
        return self.linear(rows).argmax(-1).float()

    def gated(self, tokens, rows, planes):
        return planes * torch.sigmoid(planes.mean((2, 3), keepdim=True))


HEADS_OF_OURS = (
    "one_token token_sum gem maximum normalised queries einsum norm_2d channels_last shuffled "
    "flipped resized argmax gated"
).split()

OF_PATCH_14 = ("dinov2", "eva02", "eva_giant", "depth_anything", "aimv2_large", "timm_aimv2")

# Plain ViT encoders: at least nineteen of twenty of their files have to merge.
PLAIN = {
    "timm_vit": lambda: timm_vit("vit_tiny_patch16_224", patch_size=8),
    "timm_vit_gap": lambda: timm_vit("vit_tiny_patch16_224", patch_size=8, global_pool="avg", class_token=False),
    "timm_tokens": lambda: timm_tokens("vit_tiny_patch16_224", patch_size=8),
    "timm_dynamic": lambda: timm_vit("vit_tiny_patch16_224", patch_size=8, dynamic_img_size=True),
    "timm_deit": lambda: timm_vit("deit_tiny_patch16_224", patch_size=8),
    "timm_deit_distilled": lambda: timm_vit("deit_tiny_distilled_patch16_224", patch_size=8),
    "timm_deit3": lambda: timm_vit("deit3_small_patch16_224", patch_size=8),
    "timm_dinov2": lambda: timm_vit("vit_small_patch14_dinov2", 70),
    "timm_dinov2_reg": lambda: timm_vit("vit_small_patch14_reg4_dinov2", 70),
    "timm_clip": lambda: timm_vit("vit_base_patch16_clip_224", patch_size=8),
    "timm_siglip": lambda: timm_vit("vit_base_patch16_siglip_224", patch_size=8),
    "timm_siglip_gap": lambda: timm_vit("vit_base_patch16_siglip_gap_224", patch_size=8),
    "timm_mae": lambda: timm_vit("vit_base_patch16_224.mae", patch_size=8),
    "timm_flexivit": lambda: timm_vit("flexivit_small", patch_size=8),
    "hf_vit": hf("ViTForImageClassification", "ViTConfig", "logits", num_labels=7),
    "hf_vit_model": hf("ViTModel", "ViTConfig", "last_hidden_state", "pooler_output"),
    "hf_deit": hf("DeiTForImageClassification", "DeiTConfig", "logits", num_labels=7),
    "hf_dinov2": lambda: Picked(transformers.Dinov2Model(dinov2()), "last_hidden_state"),
    "hf_dinov2_class": lambda: Picked(
        transformers.Dinov2ForImageClassification(dinov2(num_labels=7)), "logits"
    ),
    "hf_dinov2_reg": lambda: Picked(
        transformers.Dinov2WithRegistersModel(
            config(transformers.Dinov2WithRegistersConfig, mlp_ratio=2, image_size=70, patch_size=14)
        ),
        "last_hidden_state",
    ),
    "hf_clip": hf("CLIPVisionModel", "CLIPVisionConfig", "last_hidden_state", "pooler_output"),
    "hf_siglip": siglip,
    "hf_dpt": dpt,
    "hf_depth_anything": depth_anything,
    "open_clip": open_clip,
    **{f"head_{name}": (lambda name=name: Head(name)) for name in HEADS_OF_OURS},
}

# Others: they run, or are refused for a reason that is true.
OTHERS = {
    "timm_beit": lambda: timm_vit("beit_base_patch16_224", patch_size=8),
    "timm_eva02": lambda: timm_vit("eva02_tiny_patch14_224", 70),
    "timm_eva02_base": lambda: timm_vit("eva02_base_patch14_224", 70),
    "timm_eva_giant": lambda: timm_vit("eva_giant_patch14_224", 70),
    "timm_dinov3": lambda: timm_vit("vit_small_patch16_dinov3", patch_size=8),
    "timm_dinov3_plus": lambda: timm_vit("vit_small_plus_patch16_dinov3", patch_size=8),
    "timm_pe_core": lambda: timm_vit("vit_pe_core_tiny_patch16_384", patch_size=8),
    "timm_pe_spatial": lambda: timm_vit("vit_pe_spatial_tiny_patch16_512", patch_size=8),
    "timm_rope": lambda: timm_vit("vit_betwixt_patch16_rope_reg4_gap_256", patch_size=8),
    "timm_aimv2": lambda: timm_vit("aimv2_large_patch14_224", 70),
    "timm_giant_dinov2": lambda: timm_vit("vit_giant_patch14_dinov2", 70),
    "timm_relpos": lambda: timm_vit("vit_relpos_small_patch16_224", patch_size=8),
    "timm_relpos_post": lambda: timm_vit("vit_relpos_small_patch16_rpn_224", patch_size=8),
    "timm_srelpos": lambda: timm_vit("vit_srelpos_small_patch16_224", patch_size=8),
    "timm_parallel": lambda: timm_parallel("ParallelScalingBlock"),
    "timm_parallel_things": lambda: timm_parallel("ParallelThingsBlock"),
    "timm_18x2": lambda: timm_vit("vit_small_patch16_18x2_224", patch_size=8),
    "attentions_beside": Beside,
    "timm_samvit": lambda: timm_vit(
        "samvit_base_patch16", patch_size=8, window_size=4, global_attn_indexes=(1, 3)
    ),
    "hf_sam": sam,
    "hf_vitdet": vitdet,
    "timm_post_norm": lambda: timm_parallel("ResPostBlock", init_values=0.1),
    "timm_qk_norm": lambda: timm_vit("vit_tiny_patch16_224", patch_size=8, qk_norm=True),
    "timm_relu": lambda: timm_vit("vit_tiny_patch16_224", patch_size=8, act_layer="relu"),
    "timm_silu": lambda: timm_vit("vit_tiny_patch16_224", patch_size=8, act_layer="silu"),
    "hf_dinov2_swiglu": lambda: Picked(
        transformers.Dinov2Model(dinov2(use_swiglu_ffn=True)), "last_hidden_state"
    ),
    "hf_aimv2": hf("Aimv2VisionModel", "Aimv2VisionConfig", "last_hidden_state"),
    "hf_ijepa": hf("IJepaModel", "IJepaConfig", "last_hidden_state"),
    "timm_swin": lambda: timm_other("swin_tiny_patch4_window7_224", 56, embed_dim=24, depths=(1, 1, 1, 1), num_heads=(1, 2, 3, 4)),
    "timm_hybrid": lambda: timm_other("vit_tiny_r_s16_p8_224", 64, embed_dim=WIDTH, depth=2, num_heads=HEADS),
    "hf_beit": hf("BeitForImageClassification", "BeitConfig", "logits", num_labels=7, use_relative_position_bias=True),
    "hf_beit_segmentation": beit_segmentation,
    "hf_data2vec": hf("Data2VecVisionForImageClassification", "Data2VecVisionConfig", "logits", num_labels=7),
    "hf_dinov3": dinov3,
    "hf_eomt": eomt_without_masks,
    "hf_eomt_masked": eomt,
    "hf_yolos": yolos,
    "hf_vitpose": vitpose,
    "hf_segformer": segformer,
    "smp_dpt": smp_dpt,
}
