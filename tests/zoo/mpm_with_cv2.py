#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What try_zoo.py needs of `mpm` (`info --json`, `run`), computed by the cv2 at hand with the package mpm_dnn.

    PATH=ENVIRONMENT/bin:$PATH PYTHON try_zoo.py FOLDER --mpm tests/zoo/mpm_with_cv2.py

ENVIRONMENT has numpy, mpm_dnn and an opencv-python-headless, as those that scripts/python-test makes. What this tries is the passage
through cv2: the model itself is computed by the OpenCV inside mpm_dnn.
"""

import argparse
import logging
import pathlib
import sys

import cv2
import mpm_dnn
import numpy
from mpm_dnn.__main__ import main as mpm
from outputs import file_name


class LastReason(logging.Handler):
    """Why a forward failed, which cv2's own errors do not tell."""

    text = ""

    def emit(self, record):
        self.text = record.getMessage()


def size_of(inputs, given):
    """An input whose height and width are open is as large as its tensor."""
    for name, shape in inputs:
        if len(shape) == 4 and None in shape[2:]:
            return given[name].shape[3], given[name].shape[2]
    return None


def run(model, given, folder, schedule):
    """`schedule`: the blocks to merge before, "none" for an unmerged run, None for the default."""
    own = mpm_dnn.describe(model)
    if schedule not in (None, "none") and not own.mergeable:
        raise RuntimeError(f"{model} cannot merge: {own.reason}")
    net = mpm_dnn.read_net(
        model,
        merge_before=[] if schedule == "none" else schedule,
        input_size=size_of(own.inputs, given),
    )
    for name, _ in own.inputs:
        net.setInput(given[name], name)
    names = net.getUnconnectedOutLayersNames()
    outputs = net.forward(names)
    folder.mkdir()
    for name, values in zip(names, outputs):
        numpy.save(folder / file_name(name), values)


def main():
    if sys.argv[1:2] != ["run"]:
        sys.exit(mpm())
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("model")
    parser.add_argument("--input", action="append", required=True, metavar="NAME=x.npy")
    parser.add_argument("-o", "--out", dest="output_dir", type=pathlib.Path, required=True)
    parser.add_argument("--merge-before")
    options = parser.parse_args()
    reason = LastReason()
    logging.getLogger("mpm_dnn").addHandler(reason)
    given = {name: numpy.load(file) for name, _, file in (each.rpartition("=") for each in options.input)}
    try:
        run(options.model, given, options.output_dir, options.merge_before)
    except (RuntimeError, ValueError, TypeError, cv2.error) as error:
        sys.exit(f"{reason.text or error}".replace("\n", " "))


if __name__ == "__main__":
    main()
