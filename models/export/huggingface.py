#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports a Vision Transformer of transformers to ONNX: encoders, classifiers, segmenters, depth."""

import inspect
import pathlib

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
    def __init__(self, config, gives, picture=metadata.IMAGENET, resizes=False, dynamo=False):
        self.config = config
        self.gives = gives  # by --give: a model's class and its outputs
        self.picture = picture  # mean and deviation, where no preprocessor says them
        self.resizes = resizes  # whether it takes other sizes than the one it was made for
        self.dynamo = dynamo  # whether TorchScript's exporter writes it wrongly


def plain(stem, picture=metadata.IMAGENET):
    gives = {
        "features": (f"{stem}Model", BOTH),
        "classes": (f"{stem}ForImageClassification", ("logits",)),
    }
    return Family(f"{stem}Config", gives, picture, resizes=True)


def beit(stem):
    gives = {
        "scores": (f"{stem}ForSemanticSegmentation", ("logits",)),
        "features": (f"{stem}Model", ("last_hidden_state",)),
        "classes": (f"{stem}ForImageClassification", ("logits",)),
    }
    return Family(f"{stem}Config", gives, metadata.HALF)


# By the model_type in a model's config.json. Classes by name: an older transformers may lack some.
FAMILIES = {
    "vit": plain("ViT", metadata.HALF),
    "deit": plain("DeiT"),
    "dinov2": plain("Dinov2"),
    "dinov2_with_registers": plain("Dinov2WithRegisters"),
    "dinov3_vit": Family(
        "DINOv3ViTConfig", {"features": ("DINOv3ViTModel", BOTH)}, resizes=True, dynamo=True
    ),
    "clip_vision_model": Family(
        "CLIPVisionConfig",
        {"features": ("CLIPVisionModelWithProjection", ("image_embeds", "last_hidden_state"))},
        CLIP_NORMALIZATION,
        resizes=True,
    ),
    "siglip_vision_model": Family(
        "SiglipVisionConfig", {"features": ("SiglipVisionModel", BOTH)}, metadata.HALF
    ),
    "beit": beit("Beit"),
    "data2vec-vision": beit("Data2VecVision"),
    "dpt": Family(
        "DPTConfig",
        {
            "depth": ("DPTForDepthEstimation", ("predicted_depth",)),
            "scores": ("DPTForSemanticSegmentation", ("logits",)),
        },
        metadata.HALF,
    ),
    "depth_anything": Family(
        "DepthAnythingConfig",
        {"depth": ("DepthAnythingForDepthEstimation", ("predicted_depth",))},
        resizes=True,
    ),
    "eomt": Family(
        "EomtConfig",
        {
            "queries": (
                "EomtForUniversalSegmentation",
                ("class_queries_logits", "masks_queries_logits"),
            )
        },
    ),
}
SYNONYMS = {
    "clip": "clip_vision_model",
    "depth-anything": "depth_anything",
    "dinov2-with-registers": "dinov2_with_registers",
    "dinov3": "dinov3_vit",
    "siglip": "siglip_vision_model",
    "siglip2": "siglip_vision_model",  # of one size; of any size it takes patches, no picture
}


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
    patch = patch_size(model.config)
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


def encoder_config(config):
    """The part that tells of the encoder."""
    return getattr(config, "backbone_config", None) or config


def own_size(config):
    """(height, width) of the images that a model was made for."""
    size = encoder_config(config).image_size
    return (size, size) if isinstance(size, int) else tuple(size)


def patch_size(config):
    return encoder_config(config).patch_size


def read_config(name):
    try:
        with exporting.quiet():
            return transformers.AutoConfig.from_pretrained(name)
    except Exception as error:  # no such model, no network, a broken file
        raise Refusal(f"transformers cannot read {name}: {exporting.first_line(error)}.")


def make(arguments):
    """The model, its family and its outputs."""
    named = SYNONYMS.get(arguments.name, arguments.name)
    is_folder = pathlib.Path(arguments.name, "config.json").is_file()
    if arguments.random_weights and named in FAMILIES and not is_folder:
        family = FAMILIES[named]
        config = class_of(family.config)(**sizes(arguments, named))
    else:
        config = read_config(arguments.name)
        config = getattr(config, "vision_config", config)
        family = FAMILIES.get(config.model_type)
    if family is None and config.model_type == "siglip2_vision_model":
        raise Refusal(
            f"{arguments.name} takes patches of pictures of any size instead of a picture; use "
            f"one of a fixed size, such as google/siglip2-base-patch16-224."
        )
    if family is None:
        raise Refusal(
            f"{arguments.name} is of the family {config.model_type}; right ones are "
            f"{', '.join(FAMILIES)}."
        )
    if arguments.classes:
        config.num_labels = arguments.classes
    if arguments.attention:
        config._attn_implementation = arguments.attention
    name, outputs = chosen(arguments, family, config)
    return load(arguments, class_of(name), config), family, outputs


def chosen(arguments, family, config):
    """The class of the model and its outputs: as asked for, or as its checkpoint was stored."""
    if arguments.give:
        if arguments.give not in family.gives:
            raise Refusal(
                f"{arguments.name} gives no {arguments.give}; use --give "
                f"{' or '.join(family.gives)}."
            )
        return family.gives[arguments.give]
    first = next(iter(family.gives))
    stored = getattr(config, "architectures", None) or ()
    found = [given for given in family.gives.values() if given[0] in stored]
    return found[0] if found and first != "features" else family.gives[first]


def load(arguments, kind, config):
    if arguments.random_weights:
        try:
            model = kind(config)
        except Exception as error:  # what does not fit together differs from family to family
            raise Refusal(
                f"transformers cannot make {kind.__name__} of the sizes that "
                f"{arguments.name} has: {exporting.first_line(error)}."
            )
        random_weights.randomise(model, arguments.seed)
        if hasattr(model, "attn_mask_probs"):
            model.attn_mask_probs.fill_(0)  # EoMT's masks are for training
        return model
    try:
        with exporting.quiet():
            return kind.from_pretrained(arguments.name, attn_implementation=arguments.attention)
    except Exception as error:
        raise Refusal(f"transformers cannot load {arguments.name}: {exporting.first_line(error)}.")


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
    given = {key: value for key, value in given.items() if value}
    if given and family in ("dpt", "depth_anything"):
        raise Refusal(f"sizes of {family} stand in its configuration; give a folder that has one.")
    if arguments.dim and family == "eomt":
        del given["intermediate_size"]
    return given


def class_names(config):
    """Those that are more than a number."""
    names = [str(name) for _, name in sorted((getattr(config, "id2label", None) or {}).items())]
    said = any(name != f"LABEL_{i}" for i, name in enumerate(names))
    return "\n".join(name.replace("\n", " ") for name in names) if said else ""


def make_parser():
    parser = command_line.make_parser(
        __doc__, "python3 huggingface.py facebook/dinov2-small --input-size 518x518 -o dinov2.onnx"
    )
    parser.add_argument(
        "name",
        metavar="NAME",
        help="a model's name or folder; with --random-weights also a family: vit, deit, dinov2, "
        "dinov2-with-registers, dinov3, clip, siglip, siglip2, beit, data2vec-vision, dpt, "
        "depth-anything, eomt",
    )
    parser.add_argument(
        "--give",
        choices=("features", "classes", "scores", "depth", "queries"),
        help="the plain model's outputs, a classifier's logits, scores of each place's classes, "
        "depth, or queries' classes and masks (default: what the model is stored for; features of "
        "a family that is mostly used for them)",
    )
    parser.add_argument(
        "--input-size",
        type=command_line.size,
        metavar="WxH",
        help="of the image; positions are resized (default: the model's own)",
    )
    parser.add_argument(
        "--attention",
        choices=("sdpa", "eager"),
        help="how the model computes it (default: sdpa where the model has that)",
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


def check_size(image_size, config, family, name):
    patch = patch_size(config)
    if image_size[0] % patch or image_size[1] % patch:
        raise Refusal(
            f"an image of {image_size[1]}x{image_size[0]} is not made of whole patches; both sides "
            f"have to be multiples of {patch}."
        )
    own = own_size(config)
    if tuple(image_size) != own and not family.resizes:
        raise Refusal(f"{name} takes images of {own[1]}x{own[0]} alone.")


def main(argv=None):
    arguments = make_parser().parse_args(argv)
    model, family, names = make(arguments)
    arguments.dynamo = arguments.dynamo or family.dynamo
    image_size = arguments.input_size or own_size(model.config)
    check_size(image_size, model.config, family, arguments.name)
    forward = fix_positions(model, image_size) if family.resizes else {}
    properties = metadata.picture(*normalization(arguments, family))
    properties["mpm.patch"] = str(patch_size(model.config))
    labels = class_names(model.config)
    has_classes = any("logits" in name for name in names)
    if labels and has_classes:
        properties["mpm.classes"] = labels
    wrapped = Outputs(model, names, **forward)
    classes = model.config.num_labels if has_classes else None
    return exporting.write(
        wrapped, arguments, image_size, "pixel_values", names, properties, classes
    )


if __name__ == "__main__":
    command_line.run(main)
