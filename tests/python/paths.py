# SPDX-License-Identifier: Apache-2.0
"""Where the tests' files lie, and pictures that are the same each time."""

import os
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
STREET = ROOT / "models" / "street.onnx"
MODELS = ROOT / "tests" / "models"
SMALL = MODELS / "segmenter_dynamo18.onnx"
REFUSED = MODELS / "refused_cnn.onnx"
PROGRAM = os.environ.get("MPM_PROGRAM", str(ROOT / "build" / "ci" / "cli" / "mpm"))  # C++'s, to compare with
SEED = int(os.environ.get("SEED", "1"))


def picture(height, width, channels=3, seed=SEED):
    """Soft blobs, so that neighbouring patches are alike."""
    random = np.random.default_rng(seed)
    coarse = random.integers(0, 256, (height // 32 + 2, width // 32 + 2, channels), np.uint8)
    return np.ascontiguousarray(np.kron(coarse, np.ones((32, 32, 1), np.uint8))[:height, :width])
