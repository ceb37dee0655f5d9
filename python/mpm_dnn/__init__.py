# SPDX-License-Identifier: Apache-2.0
"""Vision Transformers that merge similar tokens as they run: Mutual Pair Merging for OpenCV's dnn.

>>> import mpm_dnn
>>> segmenter = mpm_dnn.Segmenter("segmenter.onnx")
>>> found = segmenter(frame)
"""

from . import _processor  # noqa: F401  (says what is missing before the extension is loaded)
from ._mpm import version as __version__
from .merging import merge_pairs, restore
from .models import Description, convert, describe, set_threads, threads
from .net import Net, read_net
from .segmenter import MemoryReport, SceneMemory, Segmentation, Segmenter, Stage, Step, Times

__all__ = [
    "__version__",
    "Description",
    "MemoryReport",
    "Net",
    "SceneMemory",
    "Segmentation",
    "Segmenter",
    "Stage",
    "Step",
    "Times",
    "convert",
    "describe",
    "merge_pairs",
    "read_net",
    "restore",
    "set_threads",
    "threads",
]
