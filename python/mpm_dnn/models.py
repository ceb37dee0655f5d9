# SPDX-License-Identifier: Apache-2.0
"""What a model is, and a model with its merges in the file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from . import _mpm, options
from .options import Blocks, PathLike

MOST_THREADS = 1024


@dataclass(frozen=True)
class Description:
    """What was recognised in a model."""

    mergeable: bool
    reason: str  #: one sentence: why not; empty if it is
    depth: int  #: blocks of the encoder
    embed_dim: int
    num_heads: int
    num_prefix_tokens: int  #: rows before the image tokens: class, distillation, registers
    patch_size: int  #: side of a patch in pixels
    grid_size: tuple[int, int]  #: image tokens, width and height
    input_size: tuple[int, int]  #: of the model's image input, width and height
    is_input_open: bool  #: the file leaves that open: it is what was asked for, or what positions stand for
    gelu: str  #: erf, tanh, quick; empty if its blocks have none
    head: str  #: what follows the encoder: "mask decoder, 2 blocks, 150 classes", ...
    merge_before: tuple[int, ...]  #: the schedule
    last_in_windows: int | None  #: the last block in front of which merges pair only within windows; None: none
    inputs: list[tuple[str, tuple[int | None, ...]]]  #: names and shapes; None: any size
    outputs: list[tuple[str, tuple[int | None, ...]]]
    metadata: dict[str, str]  #: in the file: mpm.mean, mpm.classes, ...


def describe(
    model: PathLike | bytes | bytearray | memoryview,
    *,
    merge_before: Blocks | None = None,
    input_size: tuple[int, int] | None = None,
    check: bool = False,
) -> Description:
    """What is recognised in an ONNX model, a file or its bytes.

    With `check` the model is also run on noise, and one that does not run cannot merge. FileNotFoundError;
    RuntimeError if the file is not a valid model, ValueError if options do not fit it.
    """
    given = options.reading(merge_before, "late", False, input_size, check=check)
    if isinstance(model, (bytes, bytearray, memoryview)):
        return Description(**_mpm.describe_bytes(bytes(model), given))
    return Description(**_mpm.describe(options.model_path(model), given))


def convert(
    model: PathLike,
    to: PathLike,
    *,
    merge_before: Blocks | None = None,
    restore: str = "late",
    proportional: bool = False,
    input_size: tuple[int, int] | None = None,
    precision: str = "",
    calibration: Iterable[Any] = (),
    check: bool = False,
) -> None:
    """Writes a model with its merges to a file, as `mpm convert` does.

    merge_before: the blocks to merge before, counted from 0: [2, 5] (the default, as far as the encoder has
        them), "2,5", or [] for an unmerged run.
    restore: "late", or "early": after the encoder, as in the paper.
    proportional: in the encoder, too, a merged token's key counts once for each patch that it stands for.
    precision, calibration: "int8", and inputs of the model such as blobs of a few frames: their ranges go into the
        file, so that int8 loses less where features have outliers.
    The file is written whole or not at all. RuntimeError if the model cannot merge, ValueError if `to` is one of
    the files that it is read from.
    """
    given = options.reading(merge_before, restore, proportional, input_size, precision=precision, check=check)
    _mpm.convert(options.model_path(model), options.path_text(to), given, list(calibration))


def set_threads(count: int) -> None:
    """How many threads compute, the caller's included; 0: one for each core. Results do not depend on it."""
    count = options.whole(count, "count")
    if not 0 <= count <= MOST_THREADS:
        raise ValueError(f"count: {count} is not from 0 to {MOST_THREADS}; 0 is one thread for each core")
    _mpm.set_threads(count)


def threads() -> int:
    """How many threads compute now."""
    return _mpm.threads()
