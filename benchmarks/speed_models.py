# SPDX-License-Identifier: Apache-2.0
"""Writes a model or a picture that benchmarks/speed measures with.

usage: speed_models.py FILE MPM

FILE is named for what is in it: a model below, or picture-SIDE.f32, which the program MPM draws.
"""

import inspect
import json
import os
import pathlib
import sys
import tempfile

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "peers"), str(HERE.parent / "models" / "export")]

import environment  # noqa: E402

SEGMENTERS = {"segmenter-t": "tiny", "segmenter-s": "small", "segmenter-b": "base"}
# timm's name, the side of the picture, and whether tokens are given instead of scores of classes.
NETWORKS = {
    "dinov3-b": ("vit_base_patch16_dinov3", 512, True),
    "beit-b": ("beit_base_patch16_224", 512, True),
    "resnet-18": ("resnet18", 512, False),
}
# Depth Anything V2 Small, as its published configuration has it.
DEPTH = {
    "model_type": "depth_anything", "patch_size": 14, "neck_hidden_sizes": [48, 96, 192, 384],
    "backbone_config": {
        "model_type": "dinov2", "hidden_size": 384, "num_attention_heads": 6, "image_size": 518,
        "patch_size": 14, "out_indices": [3, 6, 9, 12], "reshape_hidden_states": False,
    },
}  # fmt: skip


def write_segmenter(size, file):
    """A Segmenter with the street model's weights, which merge as learned ones do."""
    import models

    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        what = size, environment.street_model(), "full"
        models.make(pathlib.Path(folder), *what)
        os.replace(models.files(folder, *what)[0], file)


def write_network(name, side, gives_tokens, file):
    import exporting
    import random_weights
    import timm
    import timm_model

    options = {"img_size": side, "num_classes": 0} if gives_tokens else {}
    model = random_weights.randomise(timm.create_model(name, **options), 1)
    model = timm_model.Tokens(model) if gives_tokens else model
    exporting.export(model, torch.zeros(1, 3, side, side), file)


def write_depth(file):
    import huggingface

    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "config.json").write_text(json.dumps(DEPTH), encoding="utf-8")
        huggingface.main([folder, "--random-weights", "--seed", "1", "-o", str(file)])


def main(target, program):
    name, partial = pathlib.Path(target).stem, pathlib.Path(f"{target}.partial")
    export = torch.onnx.export
    if "dynamo" not in inspect.signature(export).parameters:  # it has the older exporter alone
        torch.onnx.export = lambda *arguments, dynamo, **options: export(*arguments, **options)
    if name in SEGMENTERS:
        write_segmenter(SEGMENTERS[name], partial)
    elif name in NETWORKS:
        write_network(*NETWORKS[name], partial)
    elif name == "depth-anything-s":
        write_depth(partial)
    else:
        side = int(name.partition("-")[2])
        environment.blob(environment.street(program), side, side).tofile(partial)
    os.replace(partial, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
