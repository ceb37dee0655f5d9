# SPDX-License-Identifier: Apache-2.0
"""The models of the comparison: Segmenters for PyTorch, and as models/export writes them.

usage: models.py tiny|small|base street-NAME|SEED full|grid FOLDER [open] [own]

A seed: of random weights. street-...: those that the street model has learned. open: how many images
the ONNX file takes at a time stays open, and its name ends so; else it takes one. own: the street model's
classes by their names instead of 150, so that labels can be held against a street's true ones.

How many tokens merge depends on what a network has learned, and random weights merge little. What a product costs
does not depend on its values: so at other sizes features, heads and classes are the street model's over and over, each
weight divided by how often its input occurs, and every layer computes the same, wider.
"""

import os
import pathlib
import sys

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
sys.path += [str(MODELS / "export"), str(MODELS / "training")]

IMAGE = 512, 512
CLASSES = 150
COPY_SHIFT = -2  # of a class's copies, in deviations of the scores: no two are the first together
BARE_MATRICES = ("decoder.proj_patch", "decoder.proj_classes")  # [in x out]


def files(folder, size, origin, output, images="", classes=""):
    """(ONNX file, PyTorch file) of a model."""
    name = f"{size}-{origin}{classes and '-' + classes}"
    end = f"-{images}" if images else ""
    return pathlib.Path(folder, f"{name}-{output}{end}.onnx"), pathlib.Path(folder, f"{name}.pth")


def load(weights, upsample):
    """The model in PyTorch; without upsampling its output is the grid of patches."""
    import segmenter_model
    import torch

    saved = torch.load(weights, weights_only=True)
    model = segmenter_model.build(IMAGE, upsample=upsample, **saved["sizes"])
    model.load_state_dict(saved["weights"])
    return model.eval()


def places(narrow, wide):
    """Index i of the wide is i % narrow of the narrow."""
    import torch

    return torch.arange(wide) % narrow


def repeated(tensor, axis, wide):
    return tensor.index_select(axis, places(tensor.shape[axis], wide))


def shared(tensor, axis, wide):
    """Along inputs, whose sum has to stay what it was."""
    narrow = tensor.shape[axis]
    shape = [1] * tensor.dim()
    shape[axis] = narrow
    times = places(narrow, wide).bincount(minlength=narrow)
    return repeated(tensor / times.reshape(shape), axis, wide)


def widened(name, tensor, shape):
    """A parameter of the street model as one of `shape`."""
    import torch

    if name.startswith("decoder.mask_norm."):
        wide = repeated(tensor, 0, shape[0])
        if name.endswith("bias"):
            wide[tensor.shape[0] :] += COPY_SHIFT
        return wide
    if name in BARE_MATRICES:
        return repeated(shared(tensor, 0, shape[0]), 1, shape[1])
    if ".qkv." in name:  # three matrices above each other
        third = (shape[0] // 3, *shape[1:])
        parts = [spread(part, third) for part in tensor.chunk(3, 0)]
        return torch.cat(parts, 0)
    return spread(tensor, shape)


def spread(tensor, shape):
    """A Linear's matrix [out x in] along both; whatever has no inputs to sum, along each axis."""
    if tensor.dim() == 2:
        tensor = shared(tensor, 1, shape[1])
    for axis, wide in enumerate(shape):
        if tensor.shape[axis] != wide:
            tensor = repeated(tensor, axis, wide)
    return tensor


def street_weights(model):
    """A state dict for a Segmenter as deep as the street model, and with as many positions."""
    import exported

    street = exported.weights_of(MODELS / "street.onnx")
    return {
        name: widened(name, street[name].float(), tuple(parameter.shape))
        for name, parameter in model.state_dict().items()
    }


def fill(model, origin):
    import random_weights

    if origin.startswith("street"):
        model.load_state_dict(street_weights(model))
        return model.eval()
    return random_weights.randomise(model, int(origin))


def street_classes():
    """The names of the street model's classes, one a line."""
    import onnx

    properties = onnx.load(str(MODELS / "street.onnx"), load_external_data=False).metadata_props
    return next(each.value for each in properties if each.key == "mpm.classes")


def make(folder, size, origin, output, images="", classes=""):
    """Writes what is not there yet of a model's two files."""
    import exporting
    import metadata
    import segmenter
    import segmenter_model
    import torch

    onnx_file, weights = files(folder, size, origin, output, images, classes)
    names = street_classes() if classes else ""
    if not weights.exists():
        net = segmenter.from_backbone(f"vit_{size}_patch16_384")
        net = {**net, "n_cls": names.count("\n") + 1 if names else CLASSES, "decoder": {"name": "mask_transformer"}}
        sizes, _ = segmenter.sizes_of(net)
        model = fill(segmenter_model.build(IMAGE, **sizes), origin)
        partial = weights.with_suffix(".partial")
        torch.save({"sizes": sizes, "weights": model.state_dict()}, partial)
        os.replace(partial, weights)
    if not onnx_file.exists():
        model = load(weights, output == "full")
        image = torch.rand(1, 3, *IMAGE, generator=torch.Generator().manual_seed(0)) * 2 - 1
        partial = onnx_file.with_suffix(".partial")
        dynamic = (0,) if images == "open" else ()
        exporting.export(model, image, partial, output_names=("masks",), dynamic=dynamic)
        words = {"mpm.classes": names} if names else {}
        metadata.write(partial, {**metadata.picture(*metadata.HALF), **words})
        exporting.check(model, image, partial)
        os.replace(partial, onnx_file)


if __name__ == "__main__":
    words = sys.argv[5:]
    make(pathlib.Path(sys.argv[4]), *sys.argv[1:4], *(w if w in words else "" for w in ("open", "own")))
