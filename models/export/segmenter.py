#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports a Segmenter checkpoint (checkpoint.pth with variant.yml) to ONNX."""

import pathlib

import command_line
import exporting
import metadata
import random_weights
import segmenter_model
import yaml
from command_line import Refusal

# Features, blocks and heads.
BACKBONES = {
    "tiny": (192, 12, 3),
    "small": (384, 12, 6),
    "base": (768, 12, 12),
    "large": (1024, 24, 16),
}
DECODERS = ("mask_transformer", "linear")
# In variant.yml: mean and standard deviation of what the encoder was trained with.
NORMALIZATION = {"vit": metadata.HALF, "deit": metadata.IMAGENET}


class VariantLoader(yaml.SafeLoader):
    """Safe YAML that also knows Python's tuples, which Segmenter writes."""


VariantLoader.add_constructor(
    "tag:yaml.org,2002:python/tuple",
    lambda loader, node: tuple(loader.construct_sequence(node)),
)


def read_variant(path):
    """The net_kwargs of a variant.yml."""
    try:
        with open(path, encoding="utf-8") as file:
            variant = yaml.load(file, Loader=VariantLoader)
    except OSError as error:
        raise Refusal(f"{path} cannot be read: {error.strerror}.")
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise Refusal(f"{path} is not YAML that a Segmenter writes: {exporting.first_line(error)}.")
    if not isinstance(variant, dict) or not isinstance(variant.get("net_kwargs"), dict):
        raise Refusal(f"{path} has no net_kwargs; a Segmenter's variant.yml has.")
    return variant["net_kwargs"]


def read_checkpoint(path):
    """The state dict of a checkpoint: below "model", or the file itself."""
    data = exporting.read_tensors(path)
    state = data.get("model", data) if isinstance(data, dict) else None
    if not isinstance(state, dict) or "encoder.pos_embed" not in state:
        raise Refusal(f"{path} is not a Segmenter's: it has no encoder.pos_embed.")
    return state


def from_backbone(name):
    """net_kwargs for a name like vit_tiny_patch16_384."""
    parts = name.split("_")
    size = next((part for part in parts if part in BACKBONES), None)
    patch = next((part[5:] for part in parts if part.startswith("patch")), "")
    if size is None or not patch.isdigit() or not parts[-1].isdigit():
        raise Refusal(
            f"there is no backbone {name}; name one such as vit_tiny_patch16_384, with "
            f"{', '.join(BACKBONES)} for the size."
        )
    dim, depth, heads = BACKBONES[size]
    side = int(parts[-1])
    return {
        "backbone": name,
        "d_model": dim,
        "n_layers": depth,
        "n_heads": heads,
        "patch_size": int(patch),
        "image_size": (side, side),
        "distilled": "distilled" in parts,
        "normalization": "deit" if parts[0] == "deit" else "vit",
    }


def sizes_of(net):
    """What segmenter_model.build wants, from net_kwargs; and the size it was trained for."""
    try:
        decoder = dict(net["decoder"])
        name = "linear" if "linear" in decoder["name"] else decoder["name"]
        if name not in DECODERS:
            raise Refusal(f"the decoder {name} is not known; {' and '.join(DECODERS)} are.")
        size = net["image_size"]
        size = (size, size) if isinstance(size, int) else tuple(size)
        sizes = {
            "patch": net["patch_size"],
            "dim": net["d_model"],
            "depth": net["n_layers"],
            "heads": net["n_heads"],
            "distilled": bool(net.get("distilled", False)),
            "decoder": name,
            "classes": net["n_cls"],
            "decoder_depth": decoder.get("n_layers", 2),
            "decoder_heads": decoder.get("n_heads"),
        }
        # Segmenter's own is always 4; d_ff is written by those who changed it.
        sizes["mlp_ratio"] = net["d_ff"] // net["d_model"] if "d_ff" in net else 4
    except KeyError as error:
        raise Refusal(f"variant.yml has no net_kwargs.{error.args[0]}.")
    return sizes, size


def check_size(size, patch):
    if size[0] % patch or size[1] % patch:
        raise Refusal(
            f"an image of {size[1]}x{size[0]} is not made of whole patches; both sides have to be "
            f"multiples of {patch}."
        )
    return size


def load(model, state, trained, image_size, patch):
    """Puts a checkpoint's state dict into model, with its positions resized where needed."""
    # The encoder's classifier is trained along with nothing and used by nothing.
    unused = ("encoder.head.", "encoder.head_dist.", "encoder.pre_logits.")
    state = {name: value for name, value in state.items() if not name.startswith(unused)}
    special = len(model.encoder.special())
    positions = state["encoder.pos_embed"]
    old_grid = segmenter_model.grid_of(trained, patch)
    if positions.shape[1] != special + old_grid[0] * old_grid[1]:
        raise Refusal(
            f"the checkpoint has {positions.shape[1]} positions; variant.yml speaks of "
            f"{special} special tokens and {old_grid[0]} times {old_grid[1]} patches."
        )
    state["encoder.pos_embed"] = segmenter_model.resize_positions(
        positions, special, old_grid, segmenter_model.grid_of(image_size, patch)
    )
    own = model.state_dict()
    for name in sorted(set(own) ^ set(state)):
        where = "the checkpoint lacks" if name in own else "variant.yml has no place for"
        raise Refusal(f"checkpoint and variant.yml are not of one model: {where} {name}.")
    for name, value in own.items():
        if value.shape != state[name].shape:
            raise Refusal(
                f"checkpoint and variant.yml are not of one model: {name} is "
                f"{list(state[name].shape)}, not {list(value.shape)}."
            )
    model.load_state_dict(state)


def make_parser():
    parser = command_line.make_parser(
        __doc__, "python3 segmenter.py seg_tiny_mask/checkpoint.pth -o segmenter.onnx"
    )
    parser.add_argument("checkpoint", nargs="?", metavar="CHECKPOINT", help="checkpoint.pth")
    parser.add_argument(
        "--variant", metavar="FILE", help="variant.yml (default: the one beside the checkpoint)"
    )
    parser.add_argument(
        "--input-size",
        type=command_line.size,
        metavar="WxH",
        help="of the image; positions are resized (default: the size it was trained for)",
    )
    group = parser.add_argument_group("with --random-weights and no variant")
    group.add_argument("--backbone", default="vit_tiny_patch16_384", metavar="NAME")
    group.add_argument("--classes", type=command_line.positive, default=150, metavar="K")
    group.add_argument("--decoder", choices=DECODERS, default="mask_transformer")
    exporting.add_arguments(parser)
    return parser


def net_kwargs(arguments):
    if arguments.variant:
        return read_variant(arguments.variant)
    if arguments.checkpoint:
        return read_variant(pathlib.Path(arguments.checkpoint).parent / "variant.yml")
    net = from_backbone(arguments.backbone)
    return {**net, "n_cls": arguments.classes, "decoder": {"name": arguments.decoder}}


def main(argv=None):
    parser = make_parser()
    arguments = parser.parse_args(argv)
    if bool(arguments.checkpoint) == arguments.random_weights:
        parser.error("either a CHECKPOINT or --random-weights is needed")
    net = net_kwargs(arguments)
    sizes, trained = sizes_of(net)
    image_size = check_size(arguments.input_size or trained, sizes["patch"])
    model = segmenter_model.build(image_size, **sizes)
    if arguments.checkpoint:
        load(model, read_checkpoint(arguments.checkpoint), trained, image_size, sizes["patch"])
    else:
        random_weights.randomise(model, arguments.seed)
    mean, std = NORMALIZATION.get(net.get("normalization", "vit"), metadata.HALF)
    properties = {**metadata.picture(mean, std), "mpm.patch": str(sizes["patch"])}
    return exporting.write(
        model, arguments, image_size, "image", ("masks",), properties, sizes["classes"]
    )


if __name__ == "__main__":
    command_line.run(main)
