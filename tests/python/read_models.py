# SPDX-License-Identifier: Apache-2.0
"""Reads models with the imported cv2, forwards them and compares with mpm_dnn.Net, to the bit.

usage: read_models.py MODEL...

test_cv2.py runs it as a process of its own: cv2 that throws out of a Python layer hangs.
"""

import pathlib
import sys

import cv2
import numpy as np
from paths import SEED

import mpm_dnn


def inputs_of(net):
    random = np.random.default_rng(SEED)
    for name, shape in net.model.inputs:
        yield name, random.standard_normal([1 if size is None else size for size in shape], np.float32)


def compare(model, **options):
    """What was compared, or why it cannot be."""
    if any(None in shape[1:] for _, shape in mpm_dnn.describe(model).inputs):
        options["input_size"] = (64, 48)
    own = mpm_dnn.Net(model, **options)
    given = dict(inputs_of(own))
    expected = own(**given)
    try:
        net = mpm_dnn.read_net(model, **options)
    except RuntimeError as error:
        return f"refused: {error}"
    for name, values in given.items():
        net.setInput(values, name)
    found = {name: net.forward(name) for name in own.outputs}
    found_together = dict(zip(own.outputs, net.forward(own.outputs)))
    for name, output in expected.items():
        for each in (found, found_together):
            values = np.asarray(each[name])
            assert values.dtype == np.float32, f"{name} is {values.dtype}"
            np.testing.assert_array_equal(values.reshape(output.shape), output.astype(np.float32), name)
    return f"same: {', '.join(f'{name} {output.dtype}' for name, output in expected.items())}"


def main():
    print("cv2", cv2.__version__)
    for model in map(pathlib.Path, sys.argv[1:]):
        for options in ({}, {"merge_before": "none"}):
            print(f"{model.name} {options or 'as it is'}: ", end="", flush=True)
            print(compare(model, **options), flush=True)


if __name__ == "__main__":
    main()
