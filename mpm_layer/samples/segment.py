#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Segments a picture with OpenCV's Python and a model that `mpm convert` wrote."""

import argparse
import colorsys
import ctypes
import sys

import cv2
import numpy


class Failure(Exception):
    """One sentence that says what was wrong and what was expected."""


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="example:\n  mpm convert vit.onnx -o merged.onnx\n"
        "  segment.py merged.onnx photo.jpg --out overlay.png",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", help="an ONNX file that mpm convert wrote")
    parser.add_argument("picture")
    parser.add_argument("--out", default="overlay.png", help="default: overlay.png")
    parser.add_argument(
        "--library", dest="layers", default="libmpm_layer.so", help="where the layers are"
    )
    parser.add_argument("--size", default="512x512", help="of the model's input (512x512)")
    parser.add_argument("--mean", default="0.5,0.5,0.5", help="red, green, blue, from 0 to 1")
    parser.add_argument("--std", default="0.5,0.5,0.5", help="the same")
    return parser.parse_args()


def register_layers(library):
    """Makes the layers known to cv2, which uses the same libopencv_dnn as the library."""
    try:
        status = ctypes.CDLL(library).mpm_register_layers()
    except (OSError, AttributeError) as error:
        raise Failure(f"cannot load the layers: {error}; --library says where they are") from None
    if status != 0:
        raise Failure(f"{library} could not register its layers")


def read_blob(path, size, mean, std):
    try:
        picture = cv2.imdecode(numpy.fromfile(path, numpy.uint8), cv2.IMREAD_COLOR)
    except (OSError, cv2.error):
        picture = None
    if picture is None:
        raise Failure(f"cannot read a picture from {path}")
    width, height = (int(part) for part in size.split("x"))
    blob = cv2.dnn.blobFromImage(picture, 1 / 255, (width, height), swapRB=True)
    mean, std = (numpy.float32(text.split(",")).reshape(1, 3, 1, 1) for text in (mean, std))
    return picture, (blob - mean) / std


def paint(picture, scores):
    """The picture, coloured by each pixel's best class; scores [1, K, h, w]."""
    if scores.ndim != 4:
        raise Failure(f"the model gives {list(scores.shape)}; expected [1, classes, height, width]")
    height, width = picture.shape[:2]
    best_scores = numpy.full((height, width), -numpy.inf, numpy.float32)
    labels = numpy.zeros((height, width), numpy.int64)
    for index, plane in enumerate(scores[0]):
        plane = cv2.resize(plane, (width, height))
        better = plane > best_scores
        best_scores[better], labels[better] = plane[better], index
    wheel = [colorsys.hsv_to_rgb(index * 0.618 % 1, 0.8, 0.9) for index in range(len(scores[0]))]
    colours = (numpy.array(wheel) * 255).astype(numpy.uint8)
    return cv2.addWeighted(picture, 0.45, colours[labels], 0.55, 0), labels


def main():
    arguments = parse_arguments()
    register_layers(arguments.layers)
    picture, blob = read_blob(arguments.picture, arguments.size, arguments.mean, arguments.std)
    # OpenCV 4's importer warns about each node that it knows only from the layers registered above.
    cv2.setLogLevel(2)  # errors
    net = cv2.dnn.readNetFromONNX(arguments.model)
    net.setInput(blob)
    names = [name for name in net.getUnconnectedOutLayersNames() if not name.startswith("mpm_")]
    scores, rows = net.forward([names[0], "mpm_rows"])  # mpm_rows: how many rows live
    overlay, labels = paint(picture, scores)
    if not cv2.imwrite(arguments.out, overlay):
        raise Failure(f"cannot write {arguments.out}")
    print(f"{arguments.out}: {len(numpy.unique(labels))} classes, {int(rows[0, 0])} rows live")


if __name__ == "__main__":
    try:
        main()
    except (Failure, ValueError, cv2.error) as failure:
        sys.exit(f"segment.py: {failure}")
