# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's transformers: what its newer releases have, on encoders of today."""

import torch
import transformers
from torch import nn
from transformers.models.idefics2.modeling_idefics2 import Idefics2VisionTransformer
from transformers.models.janus.modeling_janus import JanusVisionModel

from .family import Picked, config, plain, varied
from .transformers_detection import MASKS, real_time
from .transformers_plain import LAST


def dinov3(**options):
    sizes = {"num_register_tokens": 2, "apply_layernorm": True, "reshape_hidden_states": True}
    return config(transformers.DINOv3ViTConfig, **{**sizes, **options})


def canopies(**options):
    """Heights of trees, of which each place's is a mean of bins."""
    made = transformers.CHMv2Config(
        backbone_config=dinov3(out_indices=[1, 2, 3, 4], return_class_token=True, key_bias=True),
        patch_size=8,
        post_process_channels=[16, 24, 32, 32],
        fusion_hidden_size=16,
        head_hidden_size=8,
        number_output_channels=16,
        **options,
    )
    return Picked(transformers.CHMv2ForDepthEstimation(made), "predicted_depth")


def tips(kind, *names):
    backbone = config(
        transformers.Tipsv2VisionConfig, mlp_ratio=2, out_indices=[1, 2, 3, 4], apply_layernorm=True, reshape_hidden_states=False
    )
    made = transformers.Tipsv2DptConfig(
        backbone_config=backbone, neck_hidden_sizes=[16, 24, 32, 32], fusion_hidden_size=16, num_depth_bins=16, num_labels=5
    )
    return Picked(getattr(transformers, f"Tipsv2DptFor{kind}")(made), *names)


class Frames(nn.Module):
    """VidEoMT on two frames, the second of which is the first, shifted; its queries go on from those of the first."""

    def __init__(self):
        super().__init__()
        made = config(
            transformers.VideomtConfig,
            mlp_ratio=2,
            num_blocks=2,
            num_queries=6,
            num_register_tokens=2,
            num_upscale_blocks=1,
            num_labels=5,
        )
        self.model = transformers.VideomtForUniversalSegmentation(made)

    def forward(self, image):
        found = self.model(torch.stack((image, image.roll(3, 3)), 1), return_dict=True)
        return tuple(found[name] for name in MASKS)


def deim():
    return dinov3(patch_size=16, num_register_tokens=0, out_indices=[2, 3, 4])


def tower(kind, **options):
    return lambda: Picked(kind._from_config(config(kind.config_class, **options)), LAST)


FAMILIES = {
    "hf_chmv2": varied(canopies),
    "hf_chmv2_linear": varied(lambda: canopies(bins_strategy="linear", norm_strategy="softmax", readout_type="ignore")),
    "hf_tipsv2_depth": plain(lambda: tips("DepthEstimation", "predicted_depth")),
    "hf_tipsv2_normals": plain(lambda: tips("NormalEstimation", "normals")),
    "hf_tipsv2_classes": plain(lambda: tips("SemanticSegmentation", "logits")),
    "hf_tipsv2_all": plain(lambda: tips("DensePrediction", "predicted_depth", "normals", "segmentation_logits")),
    "hf_videomt": varied(Frames),
    "hf_deimv2": varied(real_time("Deimv2", lqe_hidden_dim=16, backbone_config=deim, spatial_tuning_adapter_inplanes=8).build),
    "hf_idefics2": plain(tower(Idefics2VisionTransformer)),
    "hf_janus": plain(tower(JanusVisionModel, mlp_ratio=2.0)),
}
