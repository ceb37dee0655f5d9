# SPDX-License-Identifier: Apache-2.0
"""Further families, like those of families.py: rarer encoders, and models with one inside."""

import torch
import transformers
from torch import nn

import families as basics
from families import DEPTH, HEADS, SIZE, WIDTH, Picked, config, hf, timm_other, timm_vit


def timm_small(name, size=SIZE, **options):
    """One that takes no width or depth of its own."""
    import timm

    return timm.create_model(name, pretrained=False, img_size=size, num_classes=7, **options)


def timm_no_size(name, **options):
    import timm

    return timm.create_model(name, pretrained=False, num_classes=7, **options)


def torchvision_vit():
    from torchvision.models import VisionTransformer

    return VisionTransformer(SIZE, 8, DEPTH, HEADS, WIDTH, 2 * WIDTH, num_classes=7)


def clip_like(model, config_class, *names, **options):
    return hf(model, config_class, *(names or ("last_hidden_state",)), **options)


def samvit(**options):
    made = config(
        transformers.SamVisionConfig,
        output_channels=16,
        window_size=4,
        global_attn_indexes=[1, 3],
        mlp_dim=2 * WIDTH,
        **options,
    )
    return Picked(transformers.SamVisionModel(made), "last_hidden_state")


def vitdet_config(**options):
    return config(
        transformers.VitDetConfig,
        window_size=4,
        window_block_indices=[0, 2],
        out_indices=[DEPTH],
        mlp_ratio=2,
        **options,
    )


class Maps(nn.Module):
    """The last map of a backbone."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        return self.model(image).feature_maps[-1]


def vitdet():
    return Maps(transformers.VitDetBackbone(vitdet_config()))


def vitmatte():
    backbone = vitdet_config(num_channels=4, use_relative_position_embeddings=True)
    made = transformers.VitMatteConfig(
        backbone_config=backbone, hidden_size=WIDTH, convstream_hidden_sizes=[8, 16, 24], fusion_hidden_sizes=[32, 24, 16, 8]
    )
    model = Picked(transformers.VitMatteForImageMatting(made), "alphas")

    class Trimap(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, image):
            return self.model(torch.cat([image, image[:, :1]], 1))

    return Trimap()


def zoedepth():
    backbone = config(
        transformers.BeitConfig,
        out_indices=[1, 2, 3, 4],
        reshape_hidden_states=False,
        use_relative_position_bias=True,
    )
    made = transformers.ZoeDepthConfig(
        backbone_config=backbone,
        backbone_hidden_size=WIDTH,
        neck_hidden_sizes=[16, 24, 32, 32],
        fusion_hidden_size=16,
        bottleneck_features=16,
        num_relative_features=8,
        bin_embedding_dim=16,
        num_attractors=[4, 2, 2, 1],
    )
    return Picked(transformers.ZoeDepthForDepthEstimation(made), "predicted_depth")


def dpt_of(backbone, **options):
    made = config(
        transformers.DPTConfig,
        backbone_config=backbone,
        neck_hidden_sizes=[16, 24, 32, 32],
        fusion_hidden_size=16,
        is_hybrid=False,
        num_labels=5,
        **options,
    )
    return Picked(transformers.DPTForDepthEstimation(made), "predicted_depth")


def dpt_dinov2():
    return dpt_of(basics.dinov2(out_indices=[1, 2, 3, 4], reshape_hidden_states=False), patch_size=14)


def prompt_depth():
    backbone = basics.dinov2(out_indices=[1, 2, 3, 4], reshape_hidden_states=False)
    made = transformers.PromptDepthAnythingConfig(
        backbone_config=backbone,
        reassemble_hidden_size=WIDTH,
        patch_size=14,
        neck_hidden_sizes=[16, 24, 32, 32],
        fusion_hidden_size=16,
        head_hidden_size=8,
    )
    return Picked(transformers.PromptDepthAnythingForDepthEstimation(made), "predicted_depth")


def seggpt():
    made = config(transformers.SegGptConfig, image_size=[2 * SIZE, SIZE], decoder_hidden_size=16, intermediate_hidden_state_indices=[0, 1, 2, 3], merge_index=1, pretrain_image_size=64)
    model = transformers.SegGptForImageSegmentation(made)

    class Prompted(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, image):
            return self.model(image, image.flip(3), image.flip(2)).pred_masks

    return Prompted()


def owlvit_vision(model, config_class):
    def build():
        made = config(getattr(transformers, config_class))
        return Picked(getattr(transformers, model)(made), "last_hidden_state")

    return build


def siglip2():
    made = config(transformers.Siglip2VisionConfig, num_patches=64)
    model = transformers.Siglip2VisionModel(made)

    class Patched(nn.Module):
        """Cut into patches as its processor does it."""

        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, image):
            batch = image.shape[0]
            cut = image.reshape(batch, 3, 8, 8, 8, 8).permute(0, 2, 4, 3, 5, 1).reshape(batch, 64, 192)
            mask = torch.ones(batch, 64, dtype=torch.int64)
            shapes = torch.tensor([[8, 8]]).expand(batch, 2)
            return self.model(cut, mask, shapes).last_hidden_state

    return Patched()


def pixtral():
    made = config(transformers.PixtralVisionConfig)
    model = transformers.PixtralVisionModel(made)

    class Whole(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, image):
            sizes = torch.tensor([[SIZE, SIZE]])
            return self.model(image, sizes).last_hidden_state

    return Whole()


def internvl():
    made = config(transformers.InternVLVisionConfig, image_size=[SIZE, SIZE], patch_size=[8, 8], use_qk_norm=True)
    return Picked(transformers.InternVLVisionModel(made), "last_hidden_state")


def qwen2_vl():
    from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLVisionConfig
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VisionTransformerPretrainedModel

    made = Qwen2VLVisionConfig(depth=DEPTH, embed_dim=WIDTH, hidden_size=32, num_heads=HEADS, patch_size=8, mlp_ratio=2, temporal_patch_size=2)
    made._attn_implementation = "eager"
    model = Qwen2VisionTransformerPretrainedModel(made)

    class Patched(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, image):
            cut = image.reshape(3, 1, 4, 2, 8, 4, 2, 8).permute(2, 5, 3, 6, 0, 1, 4, 7)
            cut = cut.reshape(64, 3, 1, 64).expand(64, 3, 2, 64).reshape(64, 384)
            return self.model(cut, grid_thw=torch.tensor([[1, 8, 8]])).last_hidden_state

    return Patched()


def rf_detr_like():
    """DINOv2 whose patches stand in windows, but for every second block."""
    made = basics.dinov2(image_size=112)
    model = transformers.Dinov2Model(made)

    class Windowed(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.layers, self.norm = model.embeddings, model.encoder.layer, model.layernorm

        def forward(self, image):
            batch = image.shape[0]
            x = self.embed(image)
            special, rows = x[:, :1], x[:, 1:]
            rows = rows.reshape(batch, 2, 4, 2, 4, WIDTH).permute(0, 1, 3, 2, 4, 5).reshape(batch * 4, 16, WIDTH)
            x = torch.cat([special.repeat_interleave(4, 0), rows], 1)
            for i, layer in enumerate(self.layers):
                if i % 2 == 1:
                    x = x.reshape(batch, 68, WIDTH)
                found = layer(x)
                x = found[0] if isinstance(found, tuple) else found
                if i % 2 == 1:
                    x = x.reshape(batch * 4, 17, WIDTH)
            return self.norm(x.reshape(batch, 68, WIDTH))

    return Windowed()


def detr():
    made = transformers.DetrConfig(
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone_config=transformers.ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1], layer_type="basic", out_features=["stage2"]),
        backbone=None,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        num_queries=10,
        num_labels=4,
    )
    return Picked(transformers.DetrForObjectDetection(made), "logits", "pred_boxes")


def mask2former():
    backbone = transformers.SwinConfig(image_size=64, embed_dim=16, depths=[1, 1, 1, 1], num_heads=[1, 2, 2, 4], window_size=4, out_features=["stage1", "stage2", "stage3", "stage4"])
    made = transformers.Mask2FormerConfig(backbone_config=backbone, feature_size=32, mask_feature_size=32, hidden_dim=32, encoder_feedforward_dim=64, encoder_layers=1, decoder_layers=2, num_attention_heads=2, dim_feedforward=64, num_queries=8, num_labels=4)
    return Picked(transformers.Mask2FormerForUniversalSegmentation(made), "masks_queries_logits", "class_queries_logits")


def clipseg():
    text = transformers.CLIPSegTextConfig(hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, vocab_size=50, eos_token_id=2)
    vision = config(transformers.CLIPSegVisionConfig)
    made = transformers.CLIPSegConfig(text_config=text.to_dict(), vision_config=vision.to_dict(), projection_dim=16, extract_layers=[1, 2, 3], reduce_dim=16, decoder_num_attention_heads=2, decoder_intermediate_size=32, conditional_layer=0)
    model = transformers.CLIPSegForImageSegmentation(made)
    condition = torch.randn(1, 16)

    class Conditioned(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model
            self.condition = nn.Parameter(condition)

        def forward(self, image):
            return self.model(pixel_values=image, conditional_embeddings=self.condition.expand(image.shape[0], -1)).logits

    return Conditioned()


def groupvit():
    made = transformers.GroupViTVisionConfig(hidden_size=WIDTH, intermediate_size=2 * WIDTH, depths=[2, 1, 1], num_group_tokens=[8, 4, 0], num_output_groups=[8, 4, 0], num_attention_heads=2, image_size=64, patch_size=8)
    return Picked(transformers.GroupViTVisionModel(made), "last_hidden_state")


def eomt_dinov3():
    made = config(transformers.EomtDinov3Config, mlp_ratio=2, num_blocks=2, num_queries=10, num_labels=5, num_upscale_blocks=1, num_register_tokens=2)
    model = Picked(transformers.EomtDinov3ForUniversalSegmentation(made), "masks_queries_logits", "class_queries_logits")
    model.model.attn_mask_probs.fill_(0)
    return model


def upernet(backbone):
    made = transformers.UperNetConfig(backbone_config=backbone, hidden_size=16, pool_scales=[1, 2], use_auxiliary_head=False, num_labels=5)
    return Picked(transformers.UperNetForSemanticSegmentation(made), "logits")


def upernet_vit():
    return upernet(basics.dinov2(out_indices=[1, 2, 3, 4]))


def open_clip_eva():
    import open_clip

    return open_clip.model.CLIP(
        32,
        open_clip.model.CLIPVisionCfg(layers=DEPTH, width=WIDTH, head_width=32, patch_size=8, image_size=SIZE),
        open_clip.model.CLIPTextCfg(layers=1, width=32, heads=2, vocab_size=40, context_length=8),
    ).visual


class Multi(nn.Module):
    """Chained parallel attention: x + a1 + a2 + mlp, as in ViT-22B with two attentions."""

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


PLAIN = {
    "torchvision_vit": torchvision_vit,
    "timm_36x1": lambda: timm_vit("vit_small_patch16_36x1_224", patch_size=8),
    "timm_xp": lambda: timm_vit("vit_base_patch16_xp_224", patch_size=8),
    "timm_so150m": lambda: timm_vit("vit_so150m_patch16_reg4_map_256", patch_size=8),
    "timm_mediumd": lambda: timm_vit("vit_mediumd_patch16_reg4_gap_256", patch_size=8),
    "timm_quickgelu": lambda: timm_vit("vit_base_patch16_clip_quickgelu_224", patch_size=8),
    "timm_gap_reg": lambda: timm_vit("vit_little_patch16_reg4_gap_256", patch_size=8, reg_tokens=4),
    "timm_no_bias": lambda: timm_vit("vit_tiny_patch16_224", patch_size=8, qkv_bias=False),
    "timm_overlap": lambda: timm_vit("vit_tiny_patch16_224", patch_size=8, pos_embed="none"),
    "hf_msn": hf("ViTMSNModel", "ViTMSNConfig", "last_hidden_state"),
    "hf_msn_class": hf("ViTMSNForImageClassification", "ViTMSNConfig", "logits", num_labels=7),
    "hf_chinese_clip": hf("ChineseCLIPVisionModel", "ChineseCLIPVisionConfig", "last_hidden_state"),
    "hf_altclip": hf("AltCLIPVisionModel", "AltCLIPVisionConfig", "last_hidden_state"),
    "hf_metaclip2": hf("MetaClip2VisionModel", "MetaClip2VisionConfig", "last_hidden_state"),
    "hf_blip": hf("BlipVisionModel", "BlipVisionConfig", "last_hidden_state"),
    "hf_blip2": hf("Blip2VisionModel", "Blip2VisionConfig", "last_hidden_state"),
    "hf_git": hf("GitVisionModel", "GitVisionConfig", "last_hidden_state"),
    "hf_kosmos2": hf("CLIPVisionModelWithProjection", "CLIPVisionConfig", "image_embeds", projection_dim=32),
    "hf_siglip_class": lambda: Picked(transformers.SiglipForImageClassification(transformers.SiglipConfig(vision_config=config(transformers.SiglipVisionConfig).to_dict(), num_labels=7)), "logits"),
    "hf_vit_mim": lambda: Picked(transformers.ViTForMaskedImageModeling(config(transformers.ViTConfig, encoder_stride=8)), "reconstruction"),
    "hf_dinov2_upernet": upernet_vit,
    "hf_dpt_dinov2": dpt_dinov2,
    "hf_prompt_depth": prompt_depth,
    "hf_dinov2_reg_class": lambda: Picked(transformers.Dinov2WithRegistersForImageClassification(config(transformers.Dinov2WithRegistersConfig, mlp_ratio=2, image_size=70, patch_size=14, num_labels=7)), "logits"),
    "hf_owlvit": owlvit_vision("OwlViTVisionModel", "OwlViTVisionConfig"),
    "hf_owlv2": owlvit_vision("Owlv2VisionModel", "Owlv2VisionConfig"),
    "hf_clipseg_vision": owlvit_vision("CLIPSegVisionModel", "CLIPSegVisionConfig"),
    "hf_clipseg": clipseg,
    "open_clip_plain": open_clip_eva,
}

OTHERS = {
    "timm_18x2": lambda: timm_vit("vit_small_patch16_18x2_224", patch_size=8),
    "timm_wee": lambda: timm_vit("vit_wee_patch16_reg1_gap_256", patch_size=8),
    "timm_pwee": lambda: timm_vit("vit_pwee_patch16_reg1_gap_256", patch_size=8),
    "timm_dwee": lambda: timm_vit("vit_dwee_patch16_reg1_gap_256", patch_size=8),
    "timm_dlittle": lambda: timm_vit("vit_dlittle_patch16_reg1_gap_256", patch_size=8),
    "timm_rope_ape": lambda: timm_vit("vit_small_patch16_rope_ape_224", patch_size=8),
    "timm_rope_mixed": lambda: timm_vit("vit_small_patch16_rope_mixed_224", patch_size=8),
    "timm_naflex": lambda: timm_no_size("naflexvit_base_patch16_gap", embed_dim=WIDTH, num_heads=HEADS, depth=DEPTH, patch_size=8),
    "timm_cait": lambda: timm_vit("cait_xxs24_224", patch_size=8),
    "timm_xcit": lambda: timm_vit("xcit_nano_12_p8_224"),
    "timm_levit": lambda: timm_small("levit_128s", 64),
    "timm_convit": lambda: timm_vit("convit_tiny", patch_size=8),
    "timm_beitv2": lambda: timm_vit("beitv2_base_patch16_224", patch_size=8),
    "timm_beit3": lambda: timm_vit("beit3_base_patch16_224", patch_size=8),
    "timm_samvit": lambda: timm_vit("samvit_base_patch16", patch_size=8, window_size=4, global_attn_indexes=(1, 3)),
    "timm_vitamin": lambda: timm_small("vitamin_small_224", 64),
    "timm_deit_dist_rope": lambda: timm_vit("vit_base_patch16_rope_reg1_gap_256", patch_size=8),
    "timm_swinv2": lambda: timm_other("swinv2_tiny_window8_256", 64, embed_dim=24, depths=(1, 1, 1, 1), num_heads=(1, 2, 3, 4)),
    "timm_pvt": lambda: timm_no_size("pvt_v2_b0"),
    "timm_hiera": lambda: timm_small("hiera_tiny_224", 64, embed_dim=24, stages=(1, 1, 2, 1)),
    "timm_pit": lambda: timm_small("pit_ti_224", 64),
    "timm_mvit": lambda: timm_small("mvitv2_tiny", 64, depths=(1, 1, 1, 1)),
    "timm_volo": lambda: timm_small("volo_d1_224", 64, layers=(1, 1, 1, 1)),
    "timm_tnt": lambda: timm_small("tnt_s_patch16_224", 64, depth=2),
    "timm_twins": lambda: timm_small("twins_svt_small", 64),
    "timm_crossvit": lambda: timm_small("crossvit_tiny_240", 240),
    "timm_mobilevit": lambda: timm_no_size("mobilevit_xxs"),
    "timm_tiny_vit": lambda: timm_small("tiny_vit_5m_224", 64),
    "timm_maxvit": lambda: timm_small("maxvit_rmlp_pico_rw_256", 64),
    "timm_visformer": lambda: timm_small("visformer_tiny", 64),
    "hf_sam": samvit,
    "hf_vitdet": vitdet,
    "hf_vitmatte": vitmatte,
    "hf_zoedepth": zoedepth,
    "hf_seggpt": seggpt,
    "hf_siglip2": siglip2,
    "hf_pixtral": pixtral,
    "hf_internvl": internvl,
    "hf_qwen2_vl": qwen2_vl,
    "hf_detr": detr,
    "hf_mask2former": mask2former,
    "hf_groupvit": groupvit,
    "hf_eomt_dinov3": eomt_dinov3,
    "hf_rf_detr_like": rf_detr_like,
    "parallel_chain": Multi,
    "hf_swinv2": lambda: Picked(transformers.Swinv2ForImageClassification(transformers.Swinv2Config(image_size=64, embed_dim=16, depths=[1, 1], num_heads=[1, 2], window_size=4, num_labels=7)), "logits"),
    "hf_levit": lambda: Picked(transformers.LevitForImageClassification(transformers.LevitConfig(image_size=64, num_labels=7)), "logits"),
    "hf_cvt": lambda: Picked(transformers.CvtForImageClassification(transformers.CvtConfig(embed_dim=[16, 32, 48], num_heads=[1, 2, 3], depth=[1, 1, 2], num_labels=7)), "logits"),
    "hf_pvt": lambda: Picked(transformers.PvtForImageClassification(transformers.PvtConfig(image_size=64, hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 3, 4], num_labels=7)), "logits"),
    "hf_mobilevit": lambda: Picked(transformers.MobileViTForImageClassification(transformers.MobileViTConfig(image_size=64, num_labels=7)), "logits"),
    "hf_glpn": lambda: Picked(transformers.GLPNForDepthEstimation(transformers.GLPNConfig(hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 3, 4], decoder_hidden_size=16)), "predicted_depth"),
    "hf_idefics3": hf("Idefics3VisionTransformer", "Idefics3VisionConfig", "last_hidden_state"),
    "hf_smolvlm": hf("SmolVLMVisionTransformer", "SmolVLMVisionConfig", "last_hidden_state"),
    "hf_ast": lambda: None,
}
OTHERS.pop("hf_ast")
