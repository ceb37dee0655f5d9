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
from .teaching import UNPAINTED, Lesson, TaughtClass, Teacher
from .tuning import TunedPrecision, TunedSchedule, Tuning, fastest_precision, tune_precisions, tune_schedules

__all__ = [
    "__version__",
    "Description",
    "Lesson",
    "MemoryReport",
    "Net",
    "SceneMemory",
    "Segmentation",
    "Segmenter",
    "Stage",
    "Step",
    "TaughtClass",
    "Teacher",
    "Times",
    "TunedPrecision",
    "TunedSchedule",
    "Tuning",
    "UNPAINTED",
    "convert",
    "describe",
    "fastest_precision",
    "merge_pairs",
    "read_net",
    "restore",
    "set_threads",
    "threads",
    "tune_precisions",
    "tune_schedules",
]
