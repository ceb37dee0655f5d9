#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mpm run` for try_operators.py, with the nodes that stay OpenCV's computed by the cv2 at hand.

    PATH=ENVIRONMENT/bin:$PATH PYTHON try_operators.py --mpm tests/zoo/mpm_then_cv2.py

It shows what an OpenCV 4 that `mpm` was not built with makes of the nodes that this library hands over: those are the same
for each OpenCV 4. ENVIRONMENT has numpy, onnx and an opencv-python-headless. MPM_PROGRAM is the `mpm`
(build/ci/cli/mpm), and MPM_HANDED_OVER_LIBRARY what keeps a model (build/ci/tests/zoo/libmpm_handed_over.so). What this library's layers
compute, or is made of that, is left as `mpm` gave it.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy
import onnx

PROGRAM = os.environ.get("MPM_PROGRAM", "build/ci/cli/mpm")
LIBRARY = os.path.abspath(os.environ.get("MPM_HANDED_OVER_LIBRARY", "build/ci/tests/zoo/libmpm_handed_over.so"))


def drop_ours(graph):
    """The outputs that OpenCV's nodes make alone; the others and their nodes are removed."""
    ours = set()
    for node in list(graph.node):
        if node.op_type.startswith("mpm.") or node.domain == "mpm" or ours & set(node.input):
            ours |= set(node.output)
            graph.node.remove(node)
    for output in [each for each in graph.output if each.name in ours]:
        graph.output.remove(output)
    return [output.name for output in graph.output]


def computed_by_cv2(handed_over, inputs):
    model = onnx.load(str(handed_over))
    names = drop_ours(model.graph)
    if not names:
        return {}
    net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8))
    for name, file in inputs:
        net.setInput(numpy.load(file), name)
    return dict(zip(names, net.forward(names)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["run"])
    parser.add_argument("model")
    parser.add_argument("--input", action="append", required=True, metavar="NAME=x.npy")
    parser.add_argument("-o", "--out", dest="output_dir", type=pathlib.Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        handed_over = pathlib.Path(folder, "m.onnx")
        kept = {"LD_PRELOAD": LIBRARY, "MPM_HANDED_OVER": str(handed_over)}
        status = subprocess.run([PROGRAM, *sys.argv[1:]], env={**os.environ, **kept}).returncode
        if status != 0:
            sys.exit(status)
        try:
            found = computed_by_cv2(handed_over, [each.rpartition("=")[::2] for each in options.input])
        except cv2.error as error:
            sys.exit(f"OpenCV {cv2.__version__}: {error}".replace("\n", " "))
        for name, values in found.items():
            numpy.save(options.output_dir / f"{name}.npy", values)


if __name__ == "__main__":
    main()
