#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports a ViT, DeiT, DINOv2 or CLIP image encoder of transformers to ONNX."""

import inspect

import command_line
import exporting
import metadata
import random_weights
import torch
import transformers
from command_line import Refusal
from torch import nn

BOTH = ("last_hidden_state", "pooler_output")
CLIP_NORMALIZATION = ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711))


class Family:
    def __init__(self, config, model, outputs, classifier, picture):
        self.config = config
        self.model = model
        self.outputs = outputs
        self.classifier = classifier
        self.picture = picture  # mean and deviation, where no preprocessor says them


# By the model_type in a model's config.json. Classes by name: an older transformers may lack some.
FAMILIES = {
    "vit": Family("ViTConfig", "ViTModel", BOTH, "ViTForImageClassification", metadata.HALF),
    "deit": Family(
        "DeiTConfig", "DeiTModel", BOTH, "DeiTForImageClassification", metadata.IMAGENET
    ),
    "dinov2": Family(
        "Dinov2Config", "Dinov2Model", BOTH, "Dinov2ForImageClassification", metadata.IMAGENET
    ),
    "dinov2_with_registers": Family(
        "Dinov2WithRegistersConfig",
        "Dinov2WithRegistersModel",
        BOTH,
        "Dinov2WithRegistersForImageClassification",
        metadata.IMAGENET,
    ),
    "clip_vision_model": Family(
        "CLIPVisionConfig",
        "CLIPVisionModelWithProjection",
        ("image_embeds", "last_hidden_state"),
        None,
        CLIP_NORMALIZATION,
    ),
}
SYNONYMS = {"clip": "clip_vision_model", "dinov2-with-registers": "dinov2_with_registers"}


class Outputs(nn.Module):
    """The named outputs of a model, in this order."""

    def __init__(self, model, names, **arguments):
        super().__init__()
        self.model = model
        self.names = names
        self.arguments = arguments

    def forward(self, pixel_values):
        result = self.model(pixel_values, return_dict=True, **self.arguments)
        return tuple(getattr(result, name) for name in self.names)


def fix_positions(model, image_size):
    """Resizes the position embeddings once, so that the graph holds them as a constant.

    As they stand, some models resize in every run, or with an operator that ONNX lacks. Gives the
    arguments that the model's forward needs from now on.
    """
    patch = model.config.patch_size
    grid = image_size[0] // patch, image_size[1] // patch
    for module in model.modules():
        if hasattr(module, "interpolate_pos_encoding"):
            rows = positions_for(module, grid, image_size, own_size(model.config))
            module.register_buffer("fixed_positions", rows, persistent=False)
            module.interpolate_pos_encoding = lambda *_, of=module: of.fixed_positions
    takes = "interpolate_pos_encoding" in inspect.signature(model.forward).parameters
    return {"interpolate_pos_encoding": True} if takes else {}


def positions_for(module, grid, image_size, own):
    """The position embeddings [1, special + patches, dim] of images of this size."""
    if hasattr(module, "position_embeddings"):
        positions = module.position_embeddings
    else:
        positions = module.position_embedding.weight[None]
    if tuple(image_size) == own:
        return positions.detach().clone()
    if own[0] != own[1]:
        raise Refusal(
            f"transformers resizes the positions of square images only, not of {own[1]}x{own[0]}."
        )
    special = 2 if hasattr(module, "distillation_token") else 1
    with torch.no_grad():
        embeddings = torch.zeros(1, special + grid[0] * grid[1], positions.shape[-1])
        return module.interpolate_pos_encoding(embeddings, *image_size).clone()


def own_size(config):
    """(height, width) of the images that a model was made for."""
    size = config.image_size
    return (size, size) if isinstance(size, int) else tuple(size)


def read_config(name):
    try:
        with exporting.quiet():
            return transformers.AutoConfig.from_pretrained(name)
    except Exception as error:  # no such model, no network, a broken file
        raise Refusal(f"transformers cannot read {name}: {exporting.first_line(error)}.")


def make(arguments):
    """The model, its family and its size: (height, width)."""
    named = SYNONYMS.get(arguments.name, arguments.name)
    if arguments.random_weights and named in FAMILIES:
        family = FAMILIES[named]
        config = class_of(family.config)(**sizes(arguments, named))
    else:
        config = read_config(arguments.name)
        config = getattr(config, "vision_config", config)
        family = FAMILIES.get(config.model_type)
    if family is None:
        raise Refusal(
            f"{arguments.name} is of the family {config.model_type}; right ones are "
            f"{', '.join(FAMILIES)}."
        )
    if arguments.give == "classes" and not family.classifier:
        raise Refusal(f"{arguments.name} has no classifier; use --give features.")
    if arguments.classes:
        config.num_labels = arguments.classes
    config._attn_implementation = arguments.attention
    kind = class_of(family.classifier if arguments.give == "classes" else family.model)
    if arguments.random_weights:
        return kind(config), family
    try:
        with exporting.quiet():
            model = kind.from_pretrained(arguments.name, attn_implementation=arguments.attention)
    except Exception as error:
        raise Refusal(f"transformers cannot load {arguments.name}: {exporting.first_line(error)}.")
    return model, family


def class_of(name):
    if not hasattr(transformers, name):
        raise Refusal(f"transformers {transformers.__version__} has no {name}; a later one has.")
    return getattr(transformers, name)


def sizes(arguments, family):
    """Options of the config for --random-weights: those that were given."""
    given = {
        "hidden_size": arguments.dim,
        "num_hidden_layers": arguments.depth,
        "num_attention_heads": arguments.heads,
        "patch_size": arguments.patch,
    }
    if arguments.input_size and arguments.input_size[0] == arguments.input_size[1]:
        given["image_size"] = arguments.input_size[0]
    if arguments.dim and not family.startswith("dinov2"):
        given["intermediate_size"] = 4 * arguments.dim
    return {key: value for key, value in given.items() if value}


def make_parser():
    parser = command_line.make_parser(
        __doc__, "python3 huggingface.py facebook/dinov2-small --input-size 518x518 -o dinov2.onnx"
    )
    parser.add_argument(
        "name",
        metavar="NAME",
        help="a model's name or folder; with --random-weights also a family: vit, deit, dinov2, "
        "dinov2-with-registers, clip",
    )
    parser.add_argument(
        "--give",
        choices=("features", "classes"),
        default="features",
        help="what the plain model gives, or its classifier's logits (default features)",
    )
    parser.add_argument(
        "--input-size",
        type=command_line.size,
        metavar="WxH",
        help="of the image; positions are resized (default: the model's own)",
    )
    parser.add_argument(
        "--attention", choices=("sdpa", "eager"), default="sdpa", help="(default sdpa)"
    )
    group = parser.add_argument_group("with --random-weights and a family")
    for option in ("--dim", "--depth", "--heads", "--patch", "--classes"):
        group.add_argument(option, type=command_line.positive, metavar="N")
    exporting.add_arguments(parser)
    return parser


def normalization(arguments, family):
    """What the model's preprocessor says, or its family's."""
    if not arguments.random_weights:
        try:
            processor = transformers.AutoImageProcessor.from_pretrained(arguments.name)
            return tuple(processor.image_mean), tuple(processor.image_std)
        except Exception:  # many models are stored without one
            pass
    return family.picture


def main(argv=None):
    arguments = make_parser().parse_args(argv)
    model, family = make(arguments)
    if arguments.random_weights:
        random_weights.randomise(model, arguments.seed)
    image_size = arguments.input_size or own_size(model.config)
    patch = model.config.patch_size
    if image_size[0] % patch or image_size[1] % patch:
        raise Refusal(
            f"an image of {image_size[1]}x{image_size[0]} is not made of whole patches; both sides "
            f"have to be multiples of {patch}."
        )
    names = ("logits",) if arguments.give == "classes" else family.outputs
    wrapped = Outputs(model, names, **fix_positions(model, image_size))
    properties = metadata.picture(*normalization(arguments, family))
    properties["mpm.patch"] = str(patch)
    return exporting.write(wrapped, arguments, image_size, "pixel_values", names, properties)


if __name__ == "__main__":
    command_line.run(main)
