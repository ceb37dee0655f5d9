# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's transformers: detectors, and masks of queries, on small convolutional or plain encoders."""

import torch
import transformers
from torch import nn

from .family import DEPTH, HEADS, SIZE, WIDTH, Picked, config, other, varied

BOXES = ("logits", "pred_boxes")
MASKS = ("masks_queries_logits", "class_queries_logits")
LAYERS = {
    "encoder_layers": 1,
    "decoder_layers": 2,
    "encoder_attention_heads": HEADS,
    "decoder_attention_heads": HEADS,
    "encoder_ffn_dim": 2 * WIDTH,
    "decoder_ffn_dim": 2 * WIDTH,
    "num_queries": 10,
    "num_labels": 4,
}
CHANNELS = [16, 24, 32, 48]


def resnet(*stages, kind="ResNetConfig"):
    return getattr(transformers, kind)(
        embedding_size=16,
        hidden_sizes=CHANNELS,
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_features=[f"stage{stage}" for stage in stages],
    )


def swin(*stages):
    return transformers.SwinConfig(
        image_size=SIZE,
        patch_size=4,
        embed_dim=16,
        depths=[1, 1, 1, 1],
        num_heads=[1, 2, 2, 2],
        window_size=2,
        out_features=[f"stage{stage}" for stage in stages],
    )


def made(model, config_class, *names, **options):
    def build():
        options_of_backbone = {name: value() if callable(value) else value for name, value in options.items()}
        return Picked(getattr(transformers, model)(getattr(transformers, config_class)(**options_of_backbone)), *names)

    return build


def detr(name, size=(SIZE, SIZE), **options):
    """A detector with the backbone's last map alone."""
    sizes = {"d_model": WIDTH, "backbone_config": lambda: resnet(4), **LAYERS, **options}
    return other(made(f"{name}ForObjectDetection", f"{name}Config", *BOXES, **sizes), size)


def real_time(name, **options):
    """RT-DETR and what came of it: three maps, one layer of attention, queries that are picked by score."""
    sizes = {
        "d_model": WIDTH,
        "encoder_hidden_dim": WIDTH,
        "encoder_in_channels": CHANNELS[1:],
        "decoder_in_channels": [WIDTH] * 3,
        "backbone_config": lambda: resnet(2, 3, 4, kind="RTDetrResNetConfig"),
        "hidden_expansion": 0.5,
        **LAYERS,
        **options,
    }
    return other(made(f"{name}ForObjectDetection", f"{name}Config", *BOXES, **sizes))


def of_windows(name, backbone, **options):
    """LW-DETR and RF-DETR: a ViT with windows, and groups of queries of which one is used."""
    sizes = {
        "d_model": WIDTH,
        "decoder_layers": 2,
        "decoder_self_attention_heads": HEADS,
        "decoder_cross_attention_heads": HEADS,
        "decoder_ffn_dim": 2 * WIDTH,
        "num_queries": 10,
        "num_labels": 4,
        "group_detr": 2,
        "backbone_config": backbone,
        **options,
    }
    return made(f"{name}ForObjectDetection", f"{name}Config", *BOXES, **sizes)


def lw_detr_backbone():
    return config(
        transformers.LwDetrViTConfig,
        mlp_ratio=2,
        num_windows=4,
        window_block_indices=[0, 2],
        out_indices=[2, DEPTH],
    )


def rf_detr_backbone():
    return config(transformers.RfDetrDinov2Config, mlp_ratio=2, num_windows=2, out_indices=[2, DEPTH])


def masks(name, **options):
    sizes = {"num_labels": 5, "backbone_config": lambda: swin(1, 2, 3, 4), **options}
    return other(made(f"{name}ForUniversalSegmentation", f"{name}Config", *MASKS, **sizes))


def maskformer():
    decoder = transformers.MaskFormerDetrConfig(d_model=WIDTH, **LAYERS)
    sizes = transformers.MaskFormerConfig(
        backbone_config=swin(1, 2, 3, 4),
        decoder_config=decoder,
        fpn_feature_size=WIDTH,
        mask_feature_size=32,
        num_labels=5,
    )
    return Picked(transformers.MaskFormerForInstanceSegmentation(sizes), *MASKS)


QUERIES = {
    "hidden_dim": WIDTH,
    "mask_feature_size": 32,
    "feature_size": WIDTH,
    "encoder_feedforward_dim": 2 * WIDTH,
    "dim_feedforward": 2 * WIDTH,
    "encoder_layers": 1,
    "decoder_layers": 3,
    "num_attention_heads": HEADS,
    "num_queries": 10,
}


class Prompted(nn.Module):
    """A model whose other inputs are constants: texts, points, a second picture."""

    def __init__(self, model, names, **constants):
        super().__init__()
        self.model, self.names, self.keys = model, names, list(constants)
        for key, value in constants.items():
            self.register_buffer("constant_" + key, value)

    def forward(self, image):
        constants = {key: getattr(self, "constant_" + key) for key in self.keys}
        constants = {key: value.expand(image.shape[0], *value.shape[1:]) for key, value in constants.items()}
        found = self.model(pixel_values=image, return_dict=True, **constants)
        return tuple(found[name] for name in self.names)


def oneformer():
    sizes = {key: value for key, value in QUERIES.items() if key not in ("mask_feature_size", "feature_size")}
    model = transformers.OneFormerForUniversalSegmentation(
        transformers.OneFormerConfig(
            backbone_config=swin(1, 2, 3, 4),
            conv_dim=WIDTH,
            mask_dim=WIDTH,
            task_seq_len=8,
            query_dec_layers=1,
            num_labels=5,
            text_encoder_width=32,
            text_encoder_num_layers=1,
            **sizes,
        )
    )
    return Prompted(model, MASKS, task_inputs=torch.arange(8)[None])


TEXT = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}


def owl(name):
    parts = {
        "vision_config": config(getattr(transformers, f"{name}VisionConfig"), hidden_size=WIDTH).to_dict(),
        "text_config": TEXT,
    }
    model = getattr(transformers, f"{name}ForObjectDetection")(
        getattr(transformers, f"{name}Config")(projection_dim=32, **parts)
    )
    model.text_embeds = nn.Parameter(torch.randn(3, 32))
    return OfQueries(model)


class OfQueries(nn.Module):
    """OWL's boxes and scores for texts whose embeddings are constants, as it is exported for a list of classes."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        features = self.model.image_embedder(pixel_values=image)[0]
        batch, height, width, channels = features.shape
        rows = features.reshape(batch, height * width, channels)
        texts = self.model.text_embeds[None].expand(batch, -1, -1)
        scores = self.model.class_predictor(rows, texts)[0]
        return scores, self.model.box_predictor(rows, features)


def hgnet(*stages):
    return transformers.HGNetV2Config(
        stem_channels=[3, 8, 16],
        hidden_sizes=CHANNELS,
        depths=[1, 1, 1, 1],
        stage_in_channels=[16, 16, 24, 32],
        stage_mid_channels=[8, 8, 8, 8],
        stage_out_channels=CHANNELS,
        stage_num_blocks=[1, 1, 1, 1],
        stage_numb_of_layers=[2, 2, 2, 2],
        out_features=[f"stage{stage}" for stage in stages],
    )


# As large as it takes for a last map of more than one place: for one, the exporter divides by nothing.
DEFORMABLE = {"size": (128, 128), "encoder_n_points": 2, "decoder_n_points": 2, "disable_custom_kernels": True}

FAMILIES = {
    "hf_detr": detr("Detr"),
    "hf_detr_learned": detr("Detr", position_embedding_type="learned"),
    "hf_detr_masks": other(
        made(
            "DetrForSegmentation",
            "DetrConfig",
            *BOXES,
            "pred_masks",
            d_model=WIDTH,
            backbone_config=lambda: resnet(1, 2, 3, 4),
            **{**LAYERS, "encoder_attention_heads": 8, "decoder_attention_heads": 8},
        )
    ),
    "hf_conditional_detr": detr("ConditionalDetr"),
    "hf_table_transformer": detr("TableTransformer"),
    "hf_dab_detr": other(
        made("DabDetrForObjectDetection", "DabDetrConfig", *BOXES, hidden_size=WIDTH, backbone_config=lambda: resnet(4), **LAYERS)
    ),
    "hf_deformable_detr": detr("DeformableDetr", backbone_config=lambda: resnet(2, 3, 4), **DEFORMABLE),
    "hf_deformable_detr_two_stage": detr(
        "DeformableDetr",
        backbone_config=lambda: resnet(2, 3, 4),
        two_stage=True,
        with_box_refine=True,
        two_stage_num_proposals=10,
        **DEFORMABLE,
    ),
    "hf_rt_detr": real_time("RTDetr"),
    "hf_rt_detr_anchors": real_time("RTDetr", anchor_image_size=[SIZE, SIZE]),
    "hf_rt_detr2": real_time("RTDetrV2"),
    "hf_d_fine": real_time("DFine", backbone_config=lambda: hgnet(2, 3, 4), lqe_hidden_dim=16),
    "hf_lw_detr": varied(of_windows("LwDetr", lw_detr_backbone, projector_scale_factors=[1.0])),
    "hf_rf_detr": varied(of_windows("RfDetr", rf_detr_backbone)),
    "hf_mask2former": masks("Mask2Former", **QUERIES),
    "hf_maskformer": other(maskformer),
    "hf_oneformer": other(oneformer),
    "hf_owlvit_boxes": varied(lambda: owl("OwlViT")),
    "hf_owlv2_boxes": varied(lambda: owl("Owlv2")),
}
