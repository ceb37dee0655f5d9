# SPDX-License-Identifier: Apache-2.0
"""The street model: a small Segmenter that was trained on drawn streets. On photographs it finds nothing right."""

import pathlib

MODEL = pathlib.Path(__file__).with_name("street.onnx")
