# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's transformers: encoders with heads for segmentation, depth, detection, poses."""

import torch
import transformers
from torch import nn

from .family import DEPTH, HEADS, SIZE, WIDTH, Picked, config, other, plain, varied
from .transformers_plain import dinov2

MASKS = ("masks_queries_logits", "class_queries_logits")
NECK = {"neck_hidden_sizes": [16, 24, 32, 32], "fusion_hidden_size": 16}


def depth_anything(**options):
    backbone = dinov2(out_indices=[1, 2, 3, 4], reshape_hidden_states=False)
    made = transformers.DepthAnythingConfig(
        backbone_config=backbone,
        reassemble_hidden_size=WIDTH,
        patch_size=14,
        head_hidden_size=8,
        **NECK,
        **options,
    )
    return Picked(transformers.DepthAnythingForDepthEstimation(made), "predicted_depth")


def dpt(model, output, **options):
    made = config(
        transformers.DPTConfig,
        backbone_out_indices=[0, 1, 2, 3],
        is_hybrid=False,
        num_labels=5,
        **NECK,
        **options,
    )
    return Picked(getattr(transformers, model)(made), output)


def dpt_dinov2():
    backbone = dinov2(out_indices=[1, 2, 3, 4], reshape_hidden_states=False)
    made = transformers.DPTConfig(backbone_config=backbone, use_bias_in_fusion_residual=True, **NECK)
    return Picked(transformers.DPTForDepthEstimation(made), "predicted_depth")


def zoe_depth():
    backbone = config(
        transformers.BeitConfig,
        out_indices=[1, 2, 3, 4],
        use_relative_position_bias=True,
        reshape_hidden_states=False,
    )
    made = transformers.ZoeDepthConfig(
        backbone_config=backbone,
        backbone_hidden_size=WIDTH,
        bottleneck_features=16,
        bin_embedding_dim=8,
        num_relative_features=8,
        num_attractors=[4, 2, 2, 1],
        bin_configurations=[{"n_bins": 4, "min_depth": 0.01, "max_depth": 10.0, "name": "nyu"}],
        **NECK,
    )
    return Picked(transformers.ZoeDepthForDepthEstimation(made), "predicted_depth")


def yolos(**options):
    made = config(
        transformers.YolosConfig, image_size=[SIZE, SIZE], num_detection_tokens=10, num_labels=4, **options
    )
    return Picked(transformers.YolosForObjectDetection(made), "logits", "pred_boxes")


def eomt(is_masked=False, **options):
    """Masks of attention are for training; unless `is_masked` they are off, as it is used."""
    sizes = {"mlp_ratio": 2, "num_blocks": 2, "num_queries": 10, "num_labels": 5, "num_upscale_blocks": 1}
    made = Picked(
        transformers.EomtForUniversalSegmentation(config(transformers.EomtConfig, **{**sizes, **options})), *MASKS
    )
    if not is_masked:
        made.model.attn_mask_probs.fill_(0)
    return made


class OneMap(nn.Module):
    """EoMT's semantic scores: its queries' masks weighed by their classes."""

    def __init__(self):
        super().__init__()
        self.inner = eomt()

    def forward(self, image):
        masks, classes = self.inner(image)
        weights = classes.softmax(-1)[..., :-1]
        masks = nn.functional.interpolate(masks, size=image.shape[-2:], mode="bilinear")
        return (weights.transpose(1, 2) @ masks.sigmoid().flatten(2)).unflatten(2, masks.shape[-2:])


def eomt_dinov3():
    made = config(
        transformers.EomtDinov3Config, num_blocks=2, num_queries=10, num_labels=5, num_upscale_blocks=1
    )
    model = Picked(transformers.EomtDinov3ForUniversalSegmentation(made), *MASKS)
    model.model.attn_mask_probs.fill_(0)
    return model


def vitpose(experts=1, **options):
    backbone = transformers.VitPoseBackboneConfig(
        image_size=[64, 48],
        patch_size=[8, 8],
        hidden_size=WIDTH,
        num_hidden_layers=DEPTH,
        num_attention_heads=HEADS,
        mlp_ratio=2,
        out_indices=[DEPTH],
        num_experts=experts,
        part_features=WIDTH // 4,
    )
    made = transformers.VitPoseConfig(backbone_config=backbone, num_labels=5, **options)
    return Picked(transformers.VitPoseForPoseEstimation(made), "heatmaps")


class VitposePlus(nn.Module):
    """ViTPose++, whose experts are chosen by the data set that a picture is from."""

    def __init__(self):
        super().__init__()
        self.model = vitpose(experts=3).model

    def forward(self, image):
        return self.model(image, dataset_index=torch.ones(image.shape[0], dtype=torch.long)).heatmaps


def beit(model, config_class, **options):
    made = config(
        getattr(transformers, config_class),
        num_labels=5,
        out_indices=[1, 2, 3, 4],
        use_relative_position_bias=True,
        use_auxiliary_head=False,
        pool_scales=[1, 2],
        **options,
    )
    return Picked(getattr(transformers, model)(made), "logits")


def upernet(backbone):
    made = transformers.UperNetConfig(
        backbone_config=backbone, hidden_size=32, num_labels=5, use_auxiliary_head=False, pool_scales=[1, 2]
    )
    return Picked(transformers.UperNetForSemanticSegmentation(made), "logits")


def clipseg():
    """With the text's embedding as a constant, as it is exported for one class."""
    vision = config(transformers.CLIPSegVisionConfig).to_dict()
    text = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    made = transformers.CLIPSegConfig(
        vision_config=vision,
        text_config=text,
        projection_dim=16,
        extract_layers=[1, 2, 3],
        reduce_dim=16,
        decoder_num_attention_heads=2,
        decoder_intermediate_size=32,
    )

    class OneClass(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = transformers.CLIPSegForImageSegmentation(made)
            self.text = nn.Parameter(torch.randn(1, 16))

        def forward(self, image):
            text = self.text.expand(image.shape[0], -1)
            return self.model(pixel_values=image, conditional_embeddings=text).logits

    return OneClass()


def segformer():
    made = transformers.SegformerConfig(
        hidden_sizes=[16, 32, 64, 64],
        depths=[1, 1, 1, 1],
        num_attention_heads=[1, 2, 4, 4],
        decoder_hidden_size=32,
        num_labels=5,
    )
    return Picked(transformers.SegformerForSemanticSegmentation(made), "logits")


FAMILIES = {
    "hf_dpt": plain(lambda: dpt("DPTForSemanticSegmentation", "logits")),
    "hf_dpt_depth": plain(lambda: dpt("DPTForDepthEstimation", "predicted_depth")),
    "hf_dpt_dinov2": plain(dpt_dinov2, (70, 70)),
    "hf_depth_anything": plain(depth_anything, (70, 70)),
    "hf_depth_anything_metric": plain(
        lambda: depth_anything(depth_estimation_type="metric", max_depth=20), (70, 70)
    ),
    "hf_zoe_depth": varied(zoe_depth),
    "hf_yolos": varied(yolos),
    "hf_yolos_mid": varied(lambda: yolos(use_mid_position_embeddings=False)),
    "hf_eomt": varied(eomt),
    "hf_eomt_registers": varied(lambda: eomt(num_register_tokens=3, num_blocks=1)),
    "hf_eomt_semantic": varied(OneMap),
    "hf_eomt_masked": varied(lambda: eomt(True)),
    "hf_eomt_dinov3": varied(eomt_dinov3),
    "hf_vitpose": varied(vitpose, (64, 48)),
    "hf_vitpose_simple": varied(lambda: vitpose(use_simple_decoder=True), (64, 48)),
    "hf_vitpose_plus": varied(VitposePlus, (64, 48)),
    "hf_beit_segmentation": varied(lambda: beit("BeitForSemanticSegmentation", "BeitConfig")),
    "hf_data2vec_segmentation": varied(lambda: beit("Data2VecVisionForSemanticSegmentation", "Data2VecVisionConfig")),
    "hf_upernet_dinov2": plain(lambda: upernet(dinov2(out_indices=[1, 2, 3, 4])), (70, 70)),
    "hf_upernet_beit": varied(
        lambda: upernet(config(transformers.BeitConfig, out_indices=[1, 2, 3, 4], use_relative_position_bias=True))
    ),
    "hf_clipseg": varied(clipseg),
    "hf_segformer": other(segformer),
}
