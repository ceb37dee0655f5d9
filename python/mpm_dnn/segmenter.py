# SPDX-License-Identifier: Apache-2.0
"""A frame in, labels out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import _mpm, options
from .loaded import Loaded
from .options import Blocks, PathLike


class Times(NamedTuple):
    """What one frame took, in milliseconds."""

    prepare: float  #: frame to blob
    network: float
    labels: float  #: scores to labels and confidence


class Step(NamedTuple):
    """A step of the network: embedding, block, merge, restore, decoder, head or rest."""

    kind: str
    block: int | None  #: of a block; of a merge, the block that it comes before
    ms: float


class Stage(NamedTuple):
    """What one merge did, on the grid of image tokens."""

    map: np.ndarray  #: int32: each original place's live row after this merge
    similarity: np.ndarray  #: float32: the cosine similarity to its row's best partner; NaN if there is none


class MemoryReport(NamedTuple):
    """What a SceneMemory did for a frame."""

    rows: int  #: patches of the picture that the net sees
    fresh: int  #: of them, those that were computed for this frame
    age: int  #: frames since the oldest patch shown was computed: 0 for a full frame
    #: of a full frame that would not have had to be: the share of the patches that would have been remembered, and of
    #: whose label it is sure, whose label is the same
    agreement: float | None


class SceneMemory:
    """What a Segmenter remembers of one camera's picture, so that only what changed in a frame is computed.

    >>> memory = SceneMemory()  # one for each camera
    >>> for frame in camera:
    ...     found = segmenter(frame, memory)

    It belongs to the first Segmenter that uses it; another one raises ValueError.
    """

    def __init__(self) -> None:
        self._core = _mpm.SceneMemory()

    def forget(self) -> None:
        """Computes the next frame in full: for a source that was away."""
        self._core.forget()

    def audit(self) -> None:
        """Computes the next frame in full and compares it, as happens now and then anyway."""
        self._core.audit()

    @property
    def bytes(self) -> int:
        """How many bytes it holds; 0 before the first frame."""
        return self._core.bytes()


@dataclass(frozen=True, eq=False)
class Segmentation:
    """What a Segmenter found in a frame. The arrays belong to it."""

    #: uint8 (uint16 if there are more than 256 classes), the frame's size; None if the model gives values
    labels: np.ndarray | None
    values: np.ndarray | None  #: float32, the frame's size: what a model gives each pixel, such as depth
    confidence: np.ndarray | None  #: float32, the frame's size: the label's softmax probability
    #: int32, the grid of image tokens: each one's live row; None if the model cannot merge, and for a frame of which a
    #: memory had a part computed
    merge_map: np.ndarray | None
    rows: list[int]  #: live rows, special ones included: before all merges, then after each
    stages: list[Stage]
    steps: list[Step]  #: where times.network went
    windows: int
    grid_area: tuple[float, float, float, float]  #: x, y, width, height: what the grid covers of the frame
    times: Times
    memory: MemoryReport | None  #: for a frame with a memory
    patch_ages: np.ndarray | None  #: int32, the grid: frames since each patch was computed; None without a memory


class Segmenter(Loaded):
    """A segmentation model with everything around the network.

    >>> segmenter = Segmenter("segmenter.onnx")
    >>> found = segmenter(frame)  # uint8, height x width (x 1, 3 or 4): grey, BGR or BGRA
    >>> found.labels, found.merge_map, found.rows, found.times

    merge_before, restore, proportional, input_size: as in `convert`.
    fit: "stretch" resizes the whole frame to the model's input; "slide" slides windows over a frame whose
        shorter side is short_side pixels, stride pixels apart (0: the input's).
    confidence, stages: whether to compute these.
    values: whether a model that gives one value a pixel, such as depth, is taken too; not with "slide".
    mean, std, channel_order: what the model expects, if neither its metadata nor a .toml next to it says so:
        three numbers from 0 to 1, "rgb" or "bgr".
    device, precision: "cpu" or "cuda"; "fp32", "bf16", "fp16" or "int8".

    FileNotFoundError; RuntimeError if the file is not a segmentation model; ValueError if options do not fit it.
    One Segmenter serves one thread at a time: a call from another thread meanwhile raises RuntimeError. Two in two
    threads run in parallel, since the interpreter is released while they compute.
    """

    _core: _mpm.Segmenter

    def __init__(
        self,
        model: PathLike,
        *,
        merge_before: Blocks | None = None,
        restore: str = "late",
        proportional: bool = False,
        input_size: tuple[int, int] | None = None,
        fit: str = "stretch",
        short_side: int = 0,
        stride: int = 0,
        confidence: bool = True,
        stages: bool = False,
        values: bool = False,
        mean: Any = None,
        std: Any = None,
        channel_order: str | None = None,
        device: str = "",
        precision: str = "",
        check: bool = False,
    ) -> None:
        given = options.reading(merge_before, restore, proportional, input_size, device, precision, check)
        given["fit"] = options.choice(fit, "fit", ("stretch", "slide"))
        given["short_side"] = options.whole(short_side, "short_side")
        given["stride"] = options.whole(stride, "stride")
        given["confidence"], given["stages"], given["values"] = bool(confidence), bool(stages), bool(values)
        given["mean"], given["std"] = options.colour(mean, "mean"), options.colour(std, "std")
        given["channel_order"] = (
            "" if channel_order is None else options.choice(channel_order, "channel_order", ("rgb", "bgr"))
        )
        self._read = (options.model_path(model), given)
        self._core = _mpm.Segmenter(*self._read)

    def __call__(self, frame: Any, memory: SceneMemory | None = None) -> Segmentation:
        """Labels of a frame: a NumPy array, or anything that speaks DLPack or the buffer protocol.

        With a camera's memory, the frame has to be that camera's next; it is computed in full if there is a
        `memory_fault`.
        """
        if memory is not None and not isinstance(memory, SceneMemory):
            raise TypeError(f"memory is a SceneMemory, not {type(memory).__name__}")
        found = self._core.segment(frame, None if memory is None else memory._core)
        if found["memory"] is not None:
            found["memory"] = MemoryReport(*found["memory"])
        found["times"] = Times(*found["times"])
        found["steps"] = [Step(*step) for step in found["steps"]]
        found["stages"] = [Stage(*stage) for stage in found["stages"]]
        return Segmentation(**found)

    @property
    def memory_fault(self) -> str:
        """Why a memory does not help with this model and these options, in one sentence; "" if it does."""
        return self._core.memory_fault()

    @property
    def classes(self) -> list[str]:
        """Names from the model's metadata; "class 0", ... if it has none."""
        return self._core.classes()

    @property
    def palette(self) -> np.ndarray:
        """A colour for each class: uint8, classes x 3, BGR."""
        return self._core.palette()
