# SPDX-License-Identifier: Apache-2.0
"""Classes of one's own, from a few annotated frames of a fixed camera."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import _mpm, options
from .options import PathLike

UNPAINTED = 255  #: the label of a pixel that is not annotated


class TaughtClass(NamedTuple):
    """What was taught about a class."""

    name: str
    frames: int  #: in which it is painted
    share: float  #: of the painted pixels
    iou: float | None  #: on held-out frames; None if it cannot be judged


@dataclass(frozen=True)
class Lesson:
    """What was learned, and how well it does on frames that it did not learn from."""

    classes: list[TaughtClass]
    frames: int
    kept: int  #: how many of them were computed before: Teacher's `keep`
    mean_iou: float | None  #: of the classes that have one
    pixel_accuracy: float | None  #: share of the painted pixels that get the right class
    decay: float  #: the weight decay and
    balance: float  #: the balance of classes that were chosen
    depths: int  #: of the backbone, of which the head takes tokens
    knows_places: bool  #: the place in the picture counts, so what was taught holds for this view alone
    advice: list[str]  #: what would make it better, a sentence each


class Teacher:
    """Learns a linear head on a backbone's patch tokens.

    >>> teacher = Teacher("backbone.onnx", ["lawn", "path"])
    >>> teacher.add(frame, labels)  # as often as there are frames
    >>> print(teacher.teach().mean_iou)
    >>> teacher.write("own.onnx")

    classes: their names, 2 to 255. palette: a BGR colour for each.
    depths: 1: the head takes the last block's tokens; up to 4: also those of blocks before it. 0: whatever does
        better on held-out frames.
    keep: a folder for the frames' features, so that teaching again computes only new frames.
    input_size, device, precision: as in `convert` and Segmenter.

    RuntimeError if no patch tokens are recognised in the model. One Teacher serves one thread at a time.
    """

    def __init__(
        self,
        backbone: PathLike,
        classes: Iterable[str],
        *,
        palette: Any = None,
        input_size: tuple[int, int] | None = None,
        depths: int = 0,
        keep: PathLike = "",
        device: str = "",
        precision: str = "",
        check: bool = False,
    ) -> None:
        given = options.reading(None, "late", False, input_size, device, precision, check)
        given["depths"] = options.whole(depths, "depths")
        given["keep"] = options.path_text(keep)
        given["palette"] = options.palette(palette)
        names = [options.text(each, "classes") for each in classes]
        self._core = _mpm.Teacher(options.model_path(backbone), names, given)

    def add(self, frame: Any, labels: Any) -> None:
        """Adds a frame and its annotation, whole numbers of the same height and width: a class or UNPAINTED."""
        self._core.add(frame, labels)

    def teach(self, progress: Callable[[float], object] | None = None) -> Lesson:
        """Learns, once, from everything that was added; `progress` as in tune_schedules.

        RuntimeError if fewer than two classes are annotated.
        """
        fields = self._core.teach(progress)
        fields["classes"] = [TaughtClass(*each) for each in fields["classes"]]
        return Lesson(**fields)

    def doubt(self, frame: Any) -> float:
        """How unsure it is of a frame, from 0 to 1: the frame to annotate next is the one with the most doubt."""
        return self._core.doubt(frame)

    def labels(self, frame: Any, least: float = 0) -> np.ndarray:
        """Labels of a frame, UNPAINTED where the likeliest class has a probability below `least`."""
        return self._core.labels(frame, float(least))

    def write(self, path: PathLike) -> None:
        """Writes backbone and head: a model that Segmenter reads. The file is written whole or not at all."""
        self._core.write(options.path_text(path))
