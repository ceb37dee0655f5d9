#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the models of the fuzzer's corpus that hold a whole encoder: corpus/vit_*.

As small as they get, and with short names for values, because a fuzzer changes bytes at random. Made
with the versions in ../../models/export/requirements.txt.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "models" / "export")]

import onnx  # noqa: E402
import random_weights  # noqa: E402
import segmenter_model  # noqa: E402
import torch  # noqa: E402

SIZE = (8, 8)
VARIANTS = {
    "vit_mask": dict(decoder="mask_transformer", opset=17, batch=False),
    "vit_mask_batch": dict(decoder="mask_transformer", opset=17, batch=True),
    "vit_linear_decomposed": dict(decoder="linear", opset=13, batch=False),
}


def write(name, decoder, opset, batch):
    net = segmenter_model.build(
        SIZE, patch=4, dim=4, depth=2, heads=1, mlp_ratio=1, decoder=decoder, classes=2,
        decoder_depth=1, decoder_heads=1)
    random_weights.randomise(net, 0)
    path = HERE / "corpus" / name
    torch.onnx.export(
        net.eval(), torch.zeros(1, 3, *SIZE), str(path), dynamo=False, opset_version=opset,
        input_names=["image"], output_names=["masks"],
        dynamic_axes={"image": {0: "b"}} if batch else None)
    model = onnx.load(str(path))
    shorten(model.graph)
    path.write_bytes(model.SerializeToString())
    print(name, path.stat().st_size)


def shorten(graph):
    """Gives everything but inputs and outputs a short name, and nodes none."""
    kept = {value.name for value in list(graph.input) + list(graph.output)}
    names = {}

    def short(name):
        return name if not name or name in kept else names.setdefault(name, f"v{len(names)}")

    for tensor in graph.initializer:
        tensor.name = short(tensor.name)
    for node in graph.node:
        node.ClearField("name")
        node.input[:] = [short(name) for name in node.input]
        node.output[:] = [short(name) for name in node.output]
    del graph.value_info[:]


if __name__ == "__main__":
    for each, options in VARIANTS.items():
        write(each, **options)
