# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's transformers: depth, matting, masks of points, pictures to pictures, small encoders."""

import torch
import transformers
from torch import nn

from .family import DEPTH, SIZE, WIDTH, Picked, config, other, plain, varied
from .transformers_detection import resnet
from .transformers_plain import LAST, POOLED, dinov2
from .transformers_towers import simple

DECODER = {"hidden_size": 16, "num_attention_heads": 2, "mlp_dim": 32, "iou_head_hidden_dim": 16}

STAGES = {"hidden_sizes": [16, 24, 32, 48], "depths": [1, 1, 1, 1]}


def depth_pro():
    part = dinov2().to_dict() | {"image_size": 32, "patch_size": 8}
    made = transformers.DepthProConfig(
        patch_size=32,
        fusion_hidden_size=16,
        intermediate_hook_ids=[3, 1],
        intermediate_feature_dims=[16, 16],
        scaled_images_feature_dims=[32, 32, 16],
        image_model_config=part,
        patch_model_config=part,
        fov_model_config=part,
        use_fov_model=False,
        merge_padding_value=1,
    )
    return Picked(transformers.DepthProForDepthEstimation(made), "predicted_depth")


class WithDepth(nn.Module):
    """PromptDepthAnything with what a sensor measured as a constant."""

    def __init__(self):
        super().__init__()
        backbone = dinov2(out_indices=[1, 2, 3, 4], reshape_hidden_states=False)
        made = transformers.PromptDepthAnythingConfig(
            backbone_config=backbone,
            reassemble_hidden_size=WIDTH,
            neck_hidden_sizes=[16, 24, 32, 32],
            fusion_hidden_size=16,
            head_hidden_size=8,
        )
        self.model = transformers.PromptDepthAnythingForDepthEstimation(made)
        self.register_buffer("depth", torch.rand(1, 1, 16, 16) + 1)

    def forward(self, image):
        depth = self.depth.expand(image.shape[0], -1, -1, -1)
        return self.model(pixel_values=image, prompt_depth=depth).predicted_depth


def dpt_hybrid():
    backbone = transformers.BitConfig(
        embedding_size=16,
        layer_type="bottleneck",
        global_padding="same",
        embedding_dynamic_padding=True,
        out_features=["stage1", "stage2", "stage3"],
        hidden_sizes=[16, 32, 64, 64],
        depths=[1, 1, 1],
        num_groups=4,
    )
    made = config(
        transformers.DPTConfig,
        is_hybrid=True,
        backbone_config=backbone,
        patch_size=16,
        backbone_featmap_shape=[1, 64, 4, 4],
        neck_ignore_stages=[0, 1],
        backbone_out_indices=[0, 1, 2, 3],
        neck_hidden_sizes=[16, 32, 32, 32],
        fusion_hidden_size=16,
        readout_type="project",
    )
    return Picked(transformers.DPTForDepthEstimation(made), "predicted_depth")


class Matting(nn.Module):
    """ViTMatte's fourth plane, the sketch of what is in front, is a constant."""

    def __init__(self):
        super().__init__()
        backbone = config(
            transformers.VitDetConfig,
            num_channels=4,
            window_size=4,
            window_block_indices=[0, 2],
            residual_block_indices=[1],
            use_relative_position_embeddings=True,
            out_indices=[DEPTH],
            mlp_ratio=2,
            patch_size=16,
        )
        made = transformers.VitMatteConfig(
            backbone_config=backbone,
            hidden_size=WIDTH,
            convstream_hidden_sizes=[8, 12, 16],
            fusion_hidden_sizes=[32, 16, 16, 8],
        )
        self.model = transformers.VitMatteForImageMatting(made)
        self.register_buffer("sketch", torch.rand(1, 1, SIZE, SIZE))

    def forward(self, image):
        sketch = self.sketch.expand(image.shape[0], -1, -1, -1)
        return self.model(torch.cat([image, sketch], 1)).alphas


class Pointed(nn.Module):
    """SAM as a whole: a picture's masks for two points that are constants."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.register_buffer("points", torch.tensor([[[[20.0, 30.0], [41.0, 12.0]]]]))
        self.register_buffer("labels", torch.tensor([[[1, 0]]]))

    def forward(self, image):
        batch = image.shape[0]
        found = self.model(
            pixel_values=image,
            input_points=self.points.expand(batch, -1, -1, -1),
            input_labels=self.labels.expand(batch, -1, -1),
            multimask_output=True,
        )
        return found.pred_masks, found.iou_scores


def sam():
    vision = config(
        transformers.SamVisionConfig, output_channels=16, window_size=4, global_attn_indexes=[1, 3], mlp_dim=2 * WIDTH, num_pos_feats=8
    )
    prompt = {"hidden_size": 16, "image_size": SIZE, "patch_size": 8, "image_embedding_size": 8}
    made = transformers.SamConfig(
        vision_config=vision.to_dict(), prompt_encoder_config=prompt, mask_decoder_config=DECODER
    )
    return Pointed(transformers.SamModel(made))


def sam2():
    backbone = transformers.Sam2HieraDetConfig(
        hidden_size=16,
        image_size=[SIZE, SIZE],
        blocks_per_stage=[1, 1, 2, 1],
        embed_dim_per_stage=[16, 32, 64, 128],
        num_attention_heads_per_stage=[1, 2, 2, 2],
        window_size_per_stage=[4, 2, 2, 2],
        window_positional_embedding_background_size=[4, 4],
        global_attention_blocks=[3],
    )
    vision = transformers.Sam2VisionConfig(
        backbone_config=backbone.to_dict(),
        backbone_channel_list=[128, 64, 32, 16],
        backbone_feature_sizes=[[16, 16], [8, 8], [4, 4]],
        fpn_hidden_size=32,
    )
    made = transformers.Sam2Config(
        vision_config=vision.to_dict(),
        prompt_encoder_config={"hidden_size": 32, "image_size": SIZE, "patch_size": 16},
        mask_decoder_config={**DECODER, "hidden_size": 32},
    )
    return Pointed(transformers.Sam2Model(made))


class Painted(nn.Module):
    """SegGPT with a painted example as constants."""

    def __init__(self):
        super().__init__()
        made = config(
            transformers.SegGptConfig,
            image_size=[2 * SIZE, SIZE],
            pretrain_image_size=SIZE,
            intermediate_hidden_state_indices=[0, 1, 2, 3],
            merge_index=0,
            decoder_hidden_size=16,
            mlp_dim=2 * WIDTH,
        )
        self.model = transformers.SegGptForImageSegmentation(made)
        self.register_buffer("example", torch.randn(1, 3, SIZE, SIZE))
        self.register_buffer("paint", torch.randn(1, 3, SIZE, SIZE))

    def forward(self, image):
        batch = image.shape[0]
        example, paint = (one.expand(batch, -1, -1, -1) for one in (self.example, self.paint))
        return self.model(pixel_values=image, prompt_pixel_values=example, prompt_masks=paint).pred_masks


class SuperPoint(nn.Module):
    """Scores of keypoints and their descriptors, in front of the choice of the best."""

    def __init__(self):
        super().__init__()
        self.model = transformers.SuperPointForKeypointDetection(transformers.SuperPointConfig())

    def forward(self, image):
        features = self.model.encoder(image[:, :1]).last_hidden_state
        decoder = self.model.keypoint_decoder
        scores = decoder.conv_score_b(torch.relu(decoder.conv_score_a(features))).softmax(1)
        scores = nn.functional.pixel_shuffle(scores[:, :-1], 8)
        decoder = self.model.descriptor_decoder
        descriptors = decoder.conv_descriptor_b(torch.relu(decoder.conv_descriptor_a(features)))
        return scores, nn.functional.normalize(descriptors, dim=1)


FAMILIES = {
    "hf_dpt_hybrid": other(dpt_hybrid),
    "hf_depth_pro": varied(depth_pro, (128, 128)),
    "hf_prompt_depth_anything": plain(WithDepth, (70, 70)),
    "hf_glpn": simple(
        "GLPNForDepthEstimation", "GLPNConfig", "predicted_depth", **STAGES, num_attention_heads=[1, 2, 2, 2], decoder_hidden_size=16
    ),
    "hf_vitmatte": varied(Matting),
    "hf_sam_masks": varied(sam),
    "hf_sam2_masks": other(sam2),
    "hf_seggpt": varied(Painted),
    "hf_swin2sr": simple(
        "Swin2SRForImageSuperResolution", "Swin2SRConfig", "reconstruction", embed_dim=24, depths=[2], num_heads=[2], window_size=4, size=(32, 32)
    ),
    "hf_swin2sr_light": simple(
        "Swin2SRForImageSuperResolution",
        "Swin2SRConfig",
        "reconstruction",
        embed_dim=24,
        depths=[2],
        num_heads=[2],
        window_size=4,
        upsampler="pixelshuffledirect",
        size=(32, 32),
    ),
    "hf_superpoint": other(SuperPoint),
    "hf_pvt": simple("PvtForImageClassification", "PvtConfig", "logits", image_size=SIZE, **STAGES, num_attention_heads=[1, 2, 2, 2], num_labels=7),
    "hf_poolformer": simple("PoolFormerForImageClassification", "PoolFormerConfig", "logits", **STAGES, num_labels=7),
    "hf_swiftformer": simple("SwiftFormerForImageClassification", "SwiftFormerConfig", "logits", image_size=SIZE, num_labels=7),
    "hf_levit_class": simple("LevitForImageClassificationWithTeacher", "LevitConfig", "logits", image_size=SIZE, num_labels=7),
    "hf_mobilevit_segmentation": simple(
        "MobileViTForSemanticSegmentation", "MobileViTConfig", "logits", image_size=SIZE, num_labels=5
    ),
    "hf_mobilevit2": simple("MobileViTV2ForSemanticSegmentation", "MobileViTV2Config", "logits", image_size=SIZE, num_labels=5),
    "hf_mobilenet1": simple("MobileNetV1ForImageClassification", "MobileNetV1Config", "logits", image_size=SIZE, num_labels=7),
    "hf_mobilenet2": simple("MobileNetV2ForSemanticSegmentation", "MobileNetV2Config", "logits", image_size=SIZE, num_labels=5),
    "hf_efficientnet": simple(
        "EfficientNetForImageClassification", "EfficientNetConfig", "logits", image_size=SIZE, width_coefficient=0.5, depth_coefficient=0.5, hidden_dim=640, num_labels=7
    ),
    "hf_bit": simple("BitForImageClassification", "BitConfig", "logits", embedding_size=32, hidden_sizes=[128, 128, 256, 256], depths=[1, 1, 1, 1], num_labels=7),
    "hf_convnext": simple("ConvNextForImageClassification", "ConvNextConfig", "logits", **STAGES, num_labels=7),
    "hf_convnext2": simple("ConvNextV2ForImageClassification", "ConvNextV2Config", "logits", **STAGES, num_labels=7),
    "hf_convnext_dinov3": simple("DINOv3ConvNextModel", "DINOv3ConvNextConfig", LAST, POOLED, **STAGES),
    "hf_regnet": simple(
        "RegNetForImageClassification", "RegNetConfig", "logits", embedding_size=16, **STAGES, groups_width=8, num_labels=7
    ),
    "hf_resnet": other(lambda: Picked(transformers.ResNetForImageClassification(resnet(4)), "logits")),
    "hf_hgnet": simple("HGNetV2ForImageClassification", "HGNetV2Config", "logits", num_labels=7),
    "hf_textnet": simple("TextNetForImageClassification", "TextNetConfig", "logits", num_labels=7),
}
