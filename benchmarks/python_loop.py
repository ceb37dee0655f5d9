#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a loop over frames costs in Python beside the same loop in C++, in turn (docs/python.md).

usage: python_loop.py PROGRAM [MODEL] [--rounds N] [--frames N] [--size WIDTHxHEIGHT] [--then PYTHON]

PROGRAM is build/release/benchmarks/mpm-segment-loop; the Python that runs this has mpm_dnn. A round is so many frames of
each, and the ratio is the median of the rounds' ratios. --then: a Python with another mpm_dnn, in the same rounds.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]


class Other:
    """A process that answers a number of frames by milliseconds a frame."""

    def __init__(self, *words):
        words = [os.fspath(word) for word in words]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, frames):
        self.process.stdin.write(f"{frames}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("python_loop.py: a program beside this one has ended; its words stand above")
        return float(answer)


def loop_of(model, pixels, width, height):
    import mpm_dnn

    segmenter = mpm_dnn.Segmenter(model)
    frame = np.fromfile(pixels, np.uint8).reshape(height, width, 3)

    def loop(frames):
        begin = time.perf_counter()
        for _ in range(frames):
            segmenter(frame)
        return 1e3 * (time.perf_counter() - begin) / frames

    return loop


def serve(model, pixels, width, height):
    loop = loop_of(model, pixels, int(width), int(height))
    for line in sys.stdin:
        print(loop(int(line)), flush=True)


def soft_picture(width, height):
    """Soft blobs, so that neighbouring patches are alike."""
    coarse = np.random.default_rng(1).integers(0, 256, (height // 32 + 1, width // 32 + 1, 3), np.uint8)
    return np.kron(coarse, np.ones((32, 32, 1), np.uint8))[:height, :width]


def measure(asked):
    width, height = map(int, asked.size.split("x"))
    with tempfile.NamedTemporaryFile(suffix=".bgr") as pixels:
        pixels.write(soft_picture(width, height).tobytes())
        pixels.flush()
        given = (asked.model, pixels.name, width, height)
        ways = {"C++": Other(asked.program, *map(str, given)), "Python": loop_of(*given)}
        if asked.then:
            ways["the other Python"] = Other(asked.then, __file__, "--serve", *map(str, given))
        for way in ways.values():
            way(3)
        took = {name: [] for name in ways}
        for _ in range(asked.rounds):
            for name, way in ways.items():
                took[name].append(way(asked.frames))
    base = took["C++"]
    for name, each in took.items():
        ratio = statistics.median(mine / other for mine, other in zip(each, base))
        print(f"{name}: {statistics.median(each):.2f} ms a frame, {ratio:.3f} of C++")


def main():
    if sys.argv[1:2] == ["--serve"]:
        return serve(*sys.argv[2:])
    words = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    words.add_argument("program")
    words.add_argument("model", nargs="?", default=ROOT / "models" / "street.onnx")
    words.add_argument("--rounds", type=int, default=40)
    words.add_argument("--frames", type=int, default=5)
    words.add_argument("--size", default="640x384")
    words.add_argument("--then")
    measure(words.parse_args())


if __name__ == "__main__":
    main()
