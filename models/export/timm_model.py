#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports a Vision Transformer of timm to ONNX: a classifier, or a linear segmenter."""

import command_line
import exporting
import metadata
import random_weights
import timm
import timm.layers
from command_line import Refusal
from timm.models.vision_transformer import VisionTransformer
from torch import nn

ATTENTION_OPSET = 14  # the first in which TorchScript knows PyTorch's attention operator


class LinearSegmenter(nn.Module):
    """A linear layer on the image tokens, its scores upsampled to the image."""

    def __init__(self, backbone, classes, image_size):
        super().__init__()
        self.backbone = backbone
        self.image_size = tuple(image_size)
        self.grid = tuple(backbone.patch_embed.grid_size)
        self.head = nn.Linear(backbone.embed_dim, classes)

    def forward(self, image):
        tokens = self.backbone.forward_features(image)[:, self.backbone.num_prefix_tokens :]
        scores = self.head(tokens).transpose(1, 2).reshape(image.shape[0], -1, *self.grid)
        return nn.functional.interpolate(
            scores, size=self.image_size, mode="bilinear", align_corners=False
        )


class Tokens(nn.Module):
    """All tokens, the special ones first."""

    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone

    def forward(self, image):
        return self.backbone.forward_features(image)


def make(arguments):
    """The model of the arguments; weights are those of timm, or none where others are given."""
    options = {"img_size": arguments.input_size} if arguments.input_size else {}
    if arguments.head == "linear" or arguments.head == "none":
        options["num_classes"] = 0
    elif arguments.classes:
        options["num_classes"] = arguments.classes
    pretrained = not arguments.random_weights and not arguments.checkpoint
    if arguments.dynamo is False and (arguments.opset or ATTENTION_OPSET) < ATTENTION_OPSET:
        timm.layers.set_fused_attn(False)
    try:
        with exporting.quiet():
            model = timm.create_model(arguments.name, pretrained=pretrained, **options)
    except Exception as error:  # an unknown name, an option it lacks, no network
        raise Refusal(f"timm cannot make {arguments.name}: {exporting.first_line(error)}.")
    if not isinstance(model, VisionTransformer):
        raise Refusal(
            f"{arguments.name} is a {type(model).__name__}; this exports timm's VisionTransformer, "
            f"as vit_*, deit_* and deit3_* are."
        )
    return model


def load(model, path):
    """A state dict of the whole model: a .pth file, below "model" or "state_dict" or by itself."""
    data = exporting.read_tensors(path)
    for key in ("model", "state_dict"):
        if isinstance(data, dict) and isinstance(data.get(key), dict):
            data = data[key]
    try:
        model.load_state_dict(data)
    except (RuntimeError, TypeError, AttributeError) as error:
        lines = [line.strip() for line in str(error).splitlines()]
        raise Refusal(f"{path} is not of this model: {' '.join(lines[:2])[:200]}.")


def make_parser():
    parser = command_line.make_parser(
        __doc__, "python3 timm_model.py vit_tiny_patch16_384 -o vit.onnx"
    )
    parser.add_argument("name", metavar="NAME", help="as in timm.list_models('vit_*')")
    parser.add_argument(
        "--head",
        choices=("classifier", "linear", "none"),
        default="classifier",
        help="its own classifier; a linear segmentation head; or all tokens",
    )
    parser.add_argument("--classes", type=command_line.positive, metavar="K")
    parser.add_argument(
        "--checkpoint", metavar="FILE", help="weights (default: timm's pretrained ones)"
    )
    parser.add_argument(
        "--input-size", type=command_line.size, metavar="WxH", help="(default: the model's own)"
    )
    exporting.add_arguments(parser)
    return parser


def main(argv=None):
    parser = make_parser()
    arguments = parser.parse_args(argv)
    if arguments.checkpoint and arguments.random_weights:
        parser.error("--checkpoint and --random-weights exclude each other")
    if arguments.head == "linear" and not arguments.classes:
        parser.error("--head linear needs --classes K")
    backbone = make(arguments)
    image_size = backbone.patch_embed.img_size
    model, output, classes = backbone, "logits", backbone.num_classes
    if arguments.head == "linear":
        classes = arguments.classes
        model, output = LinearSegmenter(backbone, classes, image_size), "masks"
    elif arguments.head == "none":
        model, output, classes = Tokens(backbone), "tokens", None
    if arguments.checkpoint:
        load(model, arguments.checkpoint)
    elif arguments.random_weights:
        random_weights.randomise(model, arguments.seed)
    config = backbone.pretrained_cfg
    mean, std = metadata.HALF
    properties = metadata.picture(config.get("mean", mean), config.get("std", std))
    properties["mpm.patch"] = str(backbone.patch_embed.patch_size[0])
    if config.get("license") and not arguments.random_weights and not arguments.checkpoint:
        properties["mpm.licence"] = config["license"]
    return exporting.write(model, arguments, image_size, "image", (output,), properties, classes)


if __name__ == "__main__":
    command_line.run(main)
