# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's transformers: vision towers of language models, of video, of documents, and pictures to pictures."""

import torch
import transformers
from torch import nn
from transformers.models.bridgetower.modeling_bridgetower import BridgeTowerVisionModel
from transformers.models.florence2.modeling_florence2 import Florence2VisionBackbone
from transformers.models.kosmos2 import modeling_kosmos2 as kosmos2
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VisionTransformerPretrainedModel
from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VisionTransformerPretrainedModel

from .family import DEPTH, HEADS, SIZE, WIDTH, Picked, config, hf, other, plain
from .transformers_detection import Prompted, resnet
from .transformers_plain import LAST, POOLED, dinov2

STAGES = {"hidden_sizes": [16, 24, 32, 48], "depths": [1, 1, 1, 1]}


def simple(model, config_class, *names, size=(SIZE, SIZE), **options):
    """A model whose configuration has names of its own for sizes."""
    return other(
        lambda: Picked(getattr(transformers, model)(getattr(transformers, config_class)(**options)), *names), size
    )


class Clip(nn.Module):
    """A model of clips, of which each frame is the picture, shifted a little more."""

    def __init__(self, model, frames, output, key="pixel_values", is_flat=False):
        super().__init__()
        self.model, self.frames, self.output, self.key, self.is_flat = model, frames, output, key, is_flat

    def forward(self, image):
        clip = torch.stack([image.roll(step, 3) for step in range(self.frames)], 1)
        clip = clip.flatten(0, 1) if self.is_flat else clip
        return self.model(**{self.key: clip}, return_dict=True)[self.output]


def clip_of(model, config_class, key="pixel_values", is_flat=False, **options):
    def build():
        made = config(getattr(transformers, config_class), **options)
        frames = options.get("num_frames", options.get("frames_per_clip"))
        return Clip(getattr(transformers, model)(made), frames, LAST, key, is_flat)

    return other(build)


class Grid(nn.Module):
    """Qwen's towers take rows of patches, merged two by two; as people export them, for one grid."""

    def __init__(self, kind, made, patch=8, merge=2, frames=2):
        super().__init__()
        self.tower = kind._from_config(made)
        self.patch, self.merge, self.frames = patch, merge, frames
        side = SIZE // patch
        self.register_buffer("grid", torch.tensor([[1, side, side]]))

    def forward(self, image):
        side = SIZE // self.patch // self.merge
        shape = (1, 3, side, self.merge, self.patch, side, self.merge, self.patch)
        rows = image.reshape(shape).permute(0, 2, 5, 3, 6, 1, 4, 7)
        rows = rows.reshape(-1, 3, 1, self.patch**2).expand(-1, -1, self.frames, -1).reshape(-1, 3 * self.frames * self.patch**2)
        found = self.tower(rows, grid_thw=self.grid)
        return found.pooler_output if hasattr(found, "pooler_output") else found


def qwen2():
    made = transformers.Qwen2VLConfig().vision_config.__class__(
        depth=DEPTH, embed_dim=WIDTH, hidden_size=32, num_heads=HEADS, mlp_ratio=2, patch_size=8
    )
    return Grid(Qwen2VisionTransformerPretrainedModel, made)


def qwen25():
    made = transformers.Qwen2_5_VLConfig().vision_config.__class__(
        depth=DEPTH,
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_heads=HEADS,
        out_hidden_size=32,
        patch_size=8,
        window_size=32,
        fullatt_block_indexes=[1, 3],
    )
    return Grid(Qwen2_5_VisionTransformerPretrainedModel, made)


def qwen3():
    made = transformers.Qwen3VLConfig().vision_config.__class__(
        depth=DEPTH,
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_heads=HEADS,
        out_hidden_size=32,
        patch_size=8,
        num_position_embeddings=64,
        deepstack_visual_indexes=[1],
    )
    return Grid(transformers.Qwen3VLVisionModel, made)


class Projected(nn.Module):
    """LLaVA's and PaliGemma's way: rows of a tower, of the last block or the one before, through a small MLP."""

    def __init__(self, tower, layer, first, is_deep):
        super().__init__()
        self.tower, self.layer, self.first = tower, layer, first
        deep = nn.Sequential(nn.Linear(WIDTH, 48), nn.GELU(), nn.Linear(48, 48))
        self.projector = deep if is_deep else nn.Linear(WIDTH, 48)

    def forward(self, image):
        states = self.tower(image, output_hidden_states=True, return_dict=True).hidden_states
        return self.projector(states[self.layer][:, self.first :])


def llava():
    return Projected(transformers.CLIPVisionModel(config(transformers.CLIPVisionConfig)), -2, 1, True)


def paligemma():
    made = config(transformers.SiglipVisionConfig, vision_use_head=False)
    return Projected(transformers.SiglipVisionModel(made), -1, 0, False)


class Shuffled(nn.Module):
    """SmolVLM's tower and connector: four places become one token of four times the features."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.projector = nn.Linear(4 * WIDTH, 32, bias=False)

    def forward(self, image):
        rows = self.model(image, return_dict=True).last_hidden_state
        batch, count, width = rows.shape
        side = int(count**0.5)
        rows = rows.view(batch, side, side // 2, 2 * width).permute(0, 2, 1, 3)
        rows = rows.reshape(batch, side // 2, side // 2, 4 * width).permute(0, 2, 1, 3)
        return self.projector(rows.reshape(batch, count // 4, 4 * width))


def smol(name):
    made = config(getattr(transformers, f"{name}VisionConfig"))
    return Shuffled(getattr(transformers, f"{name}VisionTransformer")._from_config(made))


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


DECODER = {"hidden_size": 16, "num_attention_heads": 2, "mlp_dim": 32, "iou_head_hidden_dim": 16}


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


class Part(nn.Module):
    """What one part of a model gives for a picture."""

    def __init__(self, part, name=None):
        super().__init__()
        self.part, self.name = part, name

    def forward(self, image):
        found = self.part(image)
        return found if self.name is None else getattr(found, self.name)


def florence2():
    made = transformers.Florence2Config().vision_config.__class__(
        depths=[1, 1, 1, 1],
        embed_dim=[16, 32, 48, 64],
        num_heads=[2, 2, 2, 2],
        num_groups=[2, 2, 2, 2],
        window_size=4,
        projection_dim=32,
    )
    return Part(Florence2VisionBackbone(made), LAST)


def imagegpt():
    """Of pixels already made tokens it needs whole numbers; here of a picture's rows as they are."""
    made = transformers.ImageGPTConfig(vocab_size=33, n_positions=64, n_embd=WIDTH, n_layer=DEPTH, n_head=HEADS)

    class Nearest(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = transformers.ImageGPTModel(made)
            self.colours = nn.Parameter(torch.randn(32, 3))

        def forward(self, image):
            small = nn.functional.avg_pool2d(image, 8).flatten(2).transpose(1, 2)
            far = (small[:, :, None] - self.colours).pow(2).sum(-1)
            return self.model(far.argmin(-1)).last_hidden_state

    return Nearest()


def layoutlmv3():
    made = config(
        transformers.LayoutLMv3Config,
        input_size=SIZE,
        text_embed=False,
        has_relative_attention_bias=False,
        has_spatial_attention_bias=False,
        coordinate_size=8,
        shape_size=8,
    )
    return Prompted(transformers.LayoutLMv3Model(made), (LAST,))


def bridgetower():
    made = config(transformers.BridgeTowerConfig().vision_config.__class__)
    return Part(BridgeTowerVisionModel(made))


class Asked(nn.Module):
    """ViLT with a question of constant words."""

    def __init__(self):
        super().__init__()
        made = config(transformers.ViltConfig, vocab_size=50, num_labels=7, max_position_embeddings=8)
        self.model = transformers.ViltForQuestionAnswering(made)
        self.register_buffer("words", torch.tensor([[3, 8, 12, 4]]))
        self.register_buffer("seen", torch.ones(1, SIZE, SIZE, dtype=torch.long))

    def forward(self, image):
        batch = image.shape[0]
        return self.model(
            pixel_values=image, input_ids=self.words.expand(batch, -1), pixel_mask=self.seen.expand(batch, -1, -1)
        ).logits


class SuperPoint(nn.Module):
    """Scores of keypoints and their descriptors, in front of the choice that depends on the picture."""

    def __init__(self):
        super().__init__()
        self.model = transformers.SuperPointForKeypointDetection(transformers.SuperPointConfig())

    def forward(self, image):
        features = self.model.encoder(image[:, :1]).last_hidden_state
        scores = self.model.keypoint_decoder._get_pixel_scores(features)
        decoder = self.model.descriptor_decoder
        descriptors = decoder.conv_descriptor_b(torch.relu(decoder.conv_descriptor_a(features)))
        return scores, nn.functional.normalize(descriptors, dim=1)


VIDEO = {"num_frames": 4, "tubelet_size": 2}

FAMILIES = {
    "hf_llava": plain(llava),
    "hf_paligemma": plain(paligemma),
    "hf_idefics3": plain(lambda: smol("Idefics3")),
    "hf_smolvlm": plain(lambda: smol("SmolVLM")),
    "hf_kosmos2": plain(lambda: Part(kosmos2.Kosmos2VisionModel(config(kosmos2.Kosmos2VisionConfig)), LAST)),
    "hf_tipsv2": plain(hf("Tipsv2VisionModel", "Tipsv2VisionConfig", LAST, POOLED, mlp_ratio=2)),
    "hf_owlv2": plain(hf("Owlv2VisionModel", "Owlv2VisionConfig", LAST)),
    "hf_bridgetower": other(bridgetower),
    "hf_layoutlmv3": other(layoutlmv3),
    "hf_vilt": other(Asked),
    "hf_radio": other(hf("RadioModel", "RadioConfig", LAST, mlp_ratio=2.0, max_img_size=128)),
    "hf_qwen2_vl": other(qwen2),
    "hf_qwen25_vl": other(qwen25),
    "hf_qwen3_vl": other(qwen3),
    "hf_florence2": other(florence2),
    "hf_mgp_str": other(
        hf(
            "MgpstrForSceneTextRecognition",
            "MgpstrConfig",
            "logits",
            image_size=[32, 128],
            max_token_length=5,
            num_bpe_labels=20,
            num_wordpiece_labels=20,
            mlp_ratio=2,
        ),
        (32, 128),
    ),
    "hf_donut": simple(
        "DonutSwinModel", "DonutSwinConfig", LAST, image_size=56, patch_size=2, embed_dim=24, depths=[1, 1], num_heads=[1, 2], size=(56, 56)
    ),
    "hf_imagegpt": other(imagegpt),
    "hf_videomae": clip_of("VideoMAEModel", "VideoMAEConfig", **VIDEO),
    "hf_timesformer": clip_of("TimesformerModel", "TimesformerConfig", num_frames=4),
    "hf_vivit": clip_of("VivitModel", "VivitConfig", num_frames=4, tubelet_size=[2, 8, 8]),
    "hf_vjepa2": clip_of(
        "VJEPA2Model",
        "VJEPA2Config",
        key="pixel_values_videos",
        crop_size=SIZE,
        frames_per_clip=4,
        mlp_ratio=2,
        pred_hidden_size=32,
        pred_num_attention_heads=2,
        pred_num_hidden_layers=1,
        num_pooler_layers=1,
    ),
    "hf_x_clip": clip_of("XCLIPVisionModel", "XCLIPVisionConfig", is_flat=True, num_frames=4, mit_hidden_size=WIDTH),
    "hf_dpt_hybrid": other(dpt_hybrid),
    "hf_depth_pro": other(depth_pro, (128, 128)),
    "hf_prompt_depth_anything": plain(WithDepth, (70, 70)),
    "hf_glpn": simple(
        "GLPNForDepthEstimation", "GLPNConfig", "predicted_depth", **STAGES, num_attention_heads=[1, 2, 2, 2], decoder_hidden_size=16
    ),
    "hf_vitmatte": other(Matting),
    "hf_sam_masks": other(sam),
    "hf_sam2_masks": other(sam2),
    "hf_seggpt": other(Painted),
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
    "hf_sapiens2": other(
        hf(
            "Sapiens2Model",
            "Sapiens2Config",
            LAST,
            num_key_value_attention_heads=1,
            num_first_full_attention_layers=1,
            num_last_full_attention_layers=1,
            num_register_tokens=2,
        )
    ),
}
