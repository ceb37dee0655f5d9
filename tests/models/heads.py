# SPDX-License-Identifier: Apache-2.0
"""Fixtures whose heads take tokens out, sum over them, or look at them with learned queries."""

import functools

import torch
import torch.nn.functional as F
import transformers
from torch import nn

import families
from fixture import CLASSES, DIM, HEADS, HIDDEN, SQUARE, Fixture, LinearSegmenter

SHALLOW = 2


class Pooled(nn.Module):
    """One token, a sum and GeM over all, a plane of a map, the map from right to left, the class token
    beside each patch."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.head = nn.Linear(DIM, CLASSES)

    def forward(self, image):
        tokens = self.model.forward_features(image)
        scores = self.head(tokens)
        gem = tokens.clamp(min=1e-3).pow(3.0).mean(1).pow(1 / 3)
        maps = scores[:, 1:].transpose(1, 2).reshape(image.shape[0], CLASSES, 6, 8)
        joined = self.head(tokens[:, 1:] + tokens[:, :1])
        return scores[:, 5], scores.sum(1) * 0.1, gem, maps[:, 3], maps.flip(3), joined


class QueryDecoder(nn.Module):
    """A decoder as DETR's: learned queries look at each other and at the tokens."""

    def __init__(self, model):
        super().__init__()
        # The fused kernel has no ONNX operator.
        torch.backends.mha.set_fastpath_enabled(False)
        self.model = model
        self.queries = nn.Parameter(torch.zeros(4, DIM))
        self.positions = nn.Parameter(torch.zeros(48, DIM))
        layer = nn.TransformerDecoderLayer(DIM, HEADS, HIDDEN, batch_first=True)
        self.decoder = nn.TransformerDecoder(layer, 2)
        self.head = nn.Linear(DIM, CLASSES)

    def forward(self, image):
        tokens = self.model.forward_features(image)[:, 1:] + self.positions
        queries = self.queries.unsqueeze(0).expand(image.shape[0], -1, -1)
        return self.head(self.decoder(queries, tokens))


class Resized(LinearSegmenter):
    """Scores resized to a size that is no multiple of theirs."""

    def forward(self, image):
        tokens = self.head(self.model.forward_features(image)[:, self.special :])
        scores = tokens.transpose(1, 2).reshape(image.shape[0], CLASSES, *self.grid)
        return F.interpolate(scores, size=(29, 45), mode="bilinear")


class Labels(LinearSegmenter):
    """Each pixel's most probable class."""

    def forward(self, image):
        return super().forward(image).softmax(1).argmax(1)


class Smoothed(LinearSegmenter):
    """Scores beside their means over the places around them, without the padding and with it."""

    def forward(self, image):
        tokens = self.head(self.model.forward_features(image)[:, self.special :])
        scores = tokens.transpose(1, 2).reshape(image.shape[0], CLASSES, *self.grid)
        means = F.avg_pool2d(scores, 3, stride=1, padding=1, count_include_pad=False)
        return torch.cat((scores, means, F.avg_pool2d(scores, 3, stride=1, padding=1)), 1)


class Taps(nn.Module):
    """The maps that a head of DINOv2's kind reads, of a picture that the graph normalises."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.register_buffer("mean", torch.tensor([0.2, 0.1, -0.1]).view(1, 3, 1, 1))
        self.register_buffer("std", torch.tensor([0.9, 1.1, 1.2]).view(1, 3, 1, 1))

    def forward(self, image):
        image = (image - self.mean) / self.std
        return tuple(self.model.get_intermediate_layers(image, 2, reshape=True, norm=True))


class Coordinates(Taps):
    """The same beside where each place is, which is for one size alone."""

    def forward(self, image):
        last = super().forward(image)[1]
        rows, columns = last.shape[2:]
        places = torch.meshgrid(torch.linspace(-1, 1, rows), torch.linspace(-1, 1, columns), indexing="ij")
        return torch.cat((last, torch.stack(places).expand(image.shape[0], -1, -1, -1)), 1)


class ChannelsLast(nn.Module):
    """A model as frameworks that keep colours beside each other write it."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        return self.model(image.permute(0, 3, 1, 2))


class Padded(LinearSegmenter):
    """Pictures of 48 x 64 are no whole patches of 14, so they are padded."""

    def forward(self, image):
        return super().forward(F.pad(image, (0, 6, 0, 8)))


class Mirrored(nn.Module):
    """One encoder that sees each picture from left to right and from right to left."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        here, there = self.model(torch.cat((image, image.flip(3)))).chunk(2)
        return here + there


class TwoEncoders(nn.Module):
    """Two ViTs of different depth, width and patch, the second of which sees the picture from right
    to left."""

    def __init__(self):
        super().__init__()
        self.left = vit(depth=3, num_classes=0)
        self.right = vit(embed_dim=24, patch_size=16, num_classes=0)
        self.head = nn.Linear(DIM + 24, CLASSES)

    def forward(self, image):
        left = self.left.forward_features(image)
        right = self.right.forward_features(image.flip(3))
        return left, right, self.head(torch.cat((left[:, 1:].mean(1), right[:, 0]), 1))


def vit(**options):
    return families.timm_vit(**{"depth": SHALLOW, **options})


def bare(wrap, **options):
    """timm's ViT without a head of its own, under another one."""
    return wrap(vit(num_classes=0, global_pool="", **options))


def depth_anything():
    backbone = transformers.Dinov2Config(
        hidden_size=DIM,
        num_hidden_layers=SHALLOW,
        num_attention_heads=HEADS,
        mlp_ratio=2,
        image_size=64,
        patch_size=8,
        out_features=["stage1", "stage2"],
        reshape_hidden_states=False,
    )
    config = transformers.DepthAnythingConfig(
        backbone_config=backbone,
        reassemble_hidden_size=DIM,
        patch_size=8,
        reassemble_factors=[1, 0.5],
        neck_hidden_sizes=[8, 8],
        fusion_hidden_size=8,
        head_hidden_size=4,
        depth_estimation_type="metric",
        max_depth=20,
    )
    return transformers.DepthAnythingForDepthEstimation(config)


def fixtures():
    facts = {"blocks": SHALLOW}

    def timm_fixture(name, variant, build, outputs, **options):
        return Fixture(
            name,
            "heads",
            variant,
            build,
            outputs,
            seed=options.pop("seed", 3),
            facts={**facts, **options.pop("facts", {})},
            **options,
        )

    def transformers_fixture(name, config, build, output, own, **options):
        return Fixture(
            name,
            "heads",
            config,
            build,
            (output,),
            seed=3,
            wrap=lambda model: families.Outputs(model, (output,)),
            input=SQUARE,
            input_name="pixel_values",
            facts={**facts, "qkv": "separate", **own},
            **options,
        )

    siglip = functools.partial(
        families.huggingface,
        transformers.SiglipVisionConfig,
        transformers.SiglipVisionModel,
        image_size=64,
    )
    return [
        timm_fixture(
            "pooled_tokens",
            "one token, a sum, GeM, a plane, from right to left, beside the class token",
            functools.partial(bare, Pooled),
            ("one", "sum", "gem", "plane", "flipped", "joined"),
        ),
        timm_fixture(
            "timm_taps",
            "maps of two blocks, of a picture that is normalised in the graph",
            functools.partial(bare, Taps, pos_embed="none"),
            ("early", "last"),
            other_input=SQUARE,
            build_other=functools.partial(bare, Taps, pos_embed="none", img_size=64),
        ),
        timm_fixture(
            "timm_coordinates",
            "a map beside the coordinates of its places",
            functools.partial(bare, Coordinates, pos_embed="none"),
            ("map",),
            facts={"keeps_size": True},
        ),
        timm_fixture(
            "timm_vit_map",
            "vit_*, global_pool=map: a learned query",
            functools.partial(vit, global_pool="map"),
            ("logits",),
        ),
        timm_fixture(
            "query_decoder_dynamo",
            "two layers of DETR's decoder, dynamo, 18",
            functools.partial(bare, QueryDecoder),
            ("logits",),
            exporter="dynamo",
            opset=18,
        ),
        timm_fixture(
            "resized_dynamo",
            "scores resized to a size, dynamo, 18",
            lambda: Resized(vit(num_classes=0), (6, 8), 1),
            ("masks",),
            exporter="dynamo",
            opset=18,
        ),
        timm_fixture(
            "smoothed",
            "means of scores around each place, with padding and without",
            lambda: Smoothed(vit(num_classes=0), (6, 8), 1),
            ("masks",),
        ),
        timm_fixture(
            "labels",
            "softmax and argmax of scores",
            lambda: Labels(vit(num_classes=0), (6, 8), 1),
            ("labels",),
            listed=False,
        ),
        timm_fixture(
            "channels_last",
            "timm_vit_linear_head behind an input [B, H, W, C]",
            lambda: LinearSegmenter(families.timm_vit(num_classes=0), (6, 8), 1),
            ("masks",),
            seed=1,
            wrap=ChannelsLast,
            channels_last=True,
            listed=False,
        ),
        timm_fixture(
            "padded",
            "patches of 14, pictures padded to whole ones",
            lambda: Padded(vit(num_classes=0, img_size=(56, 70), patch_size=14), (4, 5), 1),
            ("masks",),
            listed=False,
        ),
        timm_fixture(
            "mirrored",
            "a picture beside itself from right to left",
            lambda: Mirrored(vit()),
            ("logits",),
            listed=False,
        ),
        timm_fixture(
            "two_encoders",
            "two ViTs in one file",
            TwoEncoders,
            ("left", "right", "joined"),
            facts={"blocks": 3},
            listed=False,
        ),
        transformers_fixture(
            "hf_siglip",
            "SiglipVisionModel, its pooling head",
            siglip,
            "pooler_output",
            {"gelu": "tanh", "special": 0},
        ),
        transformers_fixture(
            "hf_depth_anything",
            "DepthAnythingForDepthEstimation",
            depth_anything,
            "predicted_depth",
            {"layer_scale": True},
            tolerance=5e-5,  # resized four times
        ),
    ]
