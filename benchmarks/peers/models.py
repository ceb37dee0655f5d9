# SPDX-License-Identifier: Apache-2.0
"""The models of the comparison: Segmenters for PyTorch, and as models/export writes them.

usage: models.py tiny|small|base street-NAME|SEED full|grid FOLDER [open] [own]

A seed: of random weights. street-...: those that the street model has learned. open: how many images
the ONNX file takes at a time stays open, and its name ends so; else it takes one. own: the street model's
classes by their names instead of 150, so that labels can be held against a street's true ones.
"""

import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "models" / "export"))

IMAGE = 512, 512
CLASSES = 150


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


def fill(model, origin):
    import learned
    import random_weights

    if origin.startswith("street"):
        model.load_state_dict(learned.weights_for(model))
        return model.eval()
    return random_weights.randomise(model, int(origin))


def street_classes():
    """The names of the street model's classes, one a line."""
    import onnx
    from environment import STREET_MODEL

    properties = onnx.load(str(STREET_MODEL), load_external_data=False).metadata_props
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
