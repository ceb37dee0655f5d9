# SPDX-License-Identifier: Apache-2.0
"""A Net as layers of the caller's own cv2.

cv2 reads a small ONNX model that is written here: in OpenCV 4 one node, since it asks a Python layer for the shapes of
what it gives. OpenCV 5.0 does not, and takes as many outputs as there are inputs, of the first one's shape: there are
nodes for each output, all of which ask one Net, a constant of the output's shape stands in front, and the output has
copies that nobody reads.
"""

from __future__ import annotations

import itertools
import logging
import math
from collections.abc import Iterable, Sequence
from typing import Any

import cv2
import numpy as np

from .net import Net

TYPE = "mpm_dnn.Net"

Shape = tuple[int, ...]


class _Shared:
    """A Net and its outputs for the inputs that it saw last, as cv2 takes them: float32, whatever they are."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.shapes: dict[tuple[Shape, ...], list[Shape]] = {}
        self.fixed: tuple[Shape, ...] | None = None  # of the inputs, where cv2 takes no others
        self._inputs: list[np.ndarray] = []
        self._outputs: list[np.ndarray] = []

    def outputs(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        if not _are_same(inputs, self._inputs):
            self._inputs = []  # until there is what belongs to them
            self._outputs = self._checked(inputs)
            self._inputs = [each.copy() for each in inputs]
        return self._outputs

    def output_shapes(self, inputs: Iterable[Iterable[int]]) -> list[Shape]:
        """For inputs of these shapes, as they are for zeros."""
        key = tuple(tuple(shape) for shape in inputs)
        if key not in self.shapes:
            self.shapes[key] = [each.shape for each in self._made([np.zeros(shape, np.float32) for shape in key])]
        return self.shapes[key]

    def _checked(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        """Outputs of the shapes that cv2 was told of, as it takes no others."""
        given = tuple(each.shape for each in inputs)
        outputs, shapes = self._made(inputs), self.output_shapes(self.fixed or given)
        for name, output, shape in zip(self.net.outputs, outputs, shapes):
            if output.shape == shape:
                continue
            if given == (self.fixed or given):
                raise ValueError(
                    f"{name}: it is {_text(output.shape)} here and {_text(shape)} for zeros: its size depends on the "
                    "input's values, which cv2 cannot take; mpm_dnn.Net can"
                )
            raise ValueError(
                f"{name}: it is {_text(output.shape)} here, and OpenCV {cv2.__version__} takes only what it was "
                f"when the model was read, {_text(shape)}: one picture at a time"
            )
        return outputs

    def _made(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        made = self.net(*inputs)
        for name, output in made.items():
            if output is None:
                raise RuntimeError(f"{name}: it has no values, which cv2 cannot take; mpm_dnn.Net can")
        return [np.asarray(each, np.float32) for each in made.values()]


def _text(shape: Shape) -> str:
    return " x ".join(map(str, shape)) or "a single value"


def _are_same(some: list[np.ndarray], others: list[np.ndarray]) -> bool:
    """To the bit: NaN is itself, and -0 not 0."""
    return len(some) == len(others) and all(
        a.shape == b.shape and np.array_equal(a.view(np.uint32), b.view(np.uint32)) for a, b in zip(some, others)
    )


_shared: dict[int, _Shared] = {}
_numbers = itertools.count()


# Of a plain array with three axes cv2 takes the last one for channels. Debian 12's has no Mat.
_mat = getattr(cv2, "Mat", np.asarray)


class _Layer:
    """Outputs of a Net, as cv2 knows layers."""

    def __init__(self, params: dict[str, Any], blobs: Sequence[np.ndarray]) -> None:
        self.shared = _shared[int(params["net"])]
        first = int(params["first"])
        self.outputs = slice(first, first + int(params["outputs"]))
        self.inputs = len(self.shared.net.model.inputs)
        self.copies = int(params["copies"])

    # cv2 does not survive what these two throw, nor values of another type than float32: it throws with the interpreter
    # to itself then, and the process hangs. What does not fit its assertions it tells properly.

    def getMemoryShapes(self, inputs: Sequence[Sequence[int]]) -> list[list[int]]:
        try:
            return [list(shape) for shape in self.shared.output_shapes(inputs[-self.inputs :])[self.outputs]]
        except BaseException:  # the forward that follows says it
            return [[1, 1]] * (self.outputs.stop - self.outputs.start)

    def forward(self, inputs: Sequence[np.ndarray]) -> list[Any]:
        try:
            given = [np.ascontiguousarray(each, np.float32) for each in inputs[-self.inputs :]]
            return [_mat(each) for each in self.shared.outputs(given)[self.outputs]] * self.copies
        except BaseException as error:
            logging.getLogger("mpm_dnn").error("%s", error or type(error).__name__)
            return []


cv2.dnn_registerLayer(TYPE, _Layer)


def read(net: Net, name: str) -> cv2.dnn.Net:
    axes = {len(shape) for _, shape in net.model.outputs}
    if _mat is np.asarray and 3 in axes:
        raise RuntimeError(
            f"{name}: an output has three axes, which cv2 {cv2.__version__} cannot take from Python; mpm_dnn.Net can"
        )
    major = int(cv2.__version__.split(".")[0])
    if major >= 5 and any(None in shape[1:] for _, shape in net.model.inputs):
        raise ValueError(f"{name}: it takes any size, and OpenCV {cv2.__version__} one; please give input_size")
    shared = _Shared(net)
    shapes: list[Shape] = []
    if major >= 5:
        shared.fixed = tuple(tuple(1 if size is None else size for size in shape) for _, shape in net.model.inputs)
        shapes = shared.output_shapes(shared.fixed)
    index = next(_numbers)  # threads may read at once
    _shared[index] = shared
    try:
        return cv2.dnn.readNetFromONNX(np.frombuffer(_onnx_model(index, net, shapes), np.uint8))
    except cv2.error as error:
        del _shared[index]
        raise RuntimeError(f"{name}: OpenCV {cv2.__version__} cannot read it: {error.err}") from None


# ONNX is protobuf, of which this needs little: fields of numbers, and fields of bytes.


def _varint(number: int) -> bytes:
    number &= 2**64 - 1
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes(parts + bytes([number]))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, *values: bytes | str) -> bytes:
    value = b"".join(each.encode() if isinstance(each, str) else each for each in values)
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _attribute(name: str, value: int) -> bytes:
    return _bytes(5, _bytes(1, name), _number(3, value), _number(20, 2))


def _value(name: str, shape: Iterable[int | None]) -> bytes:
    dims = (_bytes(1, _bytes(2, "batch") if size is None else _number(1, size)) for size in shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, 1), _bytes(2, *dims)))


def _zeros(name: str, shape: Shape) -> bytes:
    dims = (_number(1, size) for size in shape)
    return _bytes(5, *dims, _number(2, 1), _bytes(8, name), _bytes(9, bytes(4 * math.prod(shape))))


def _onnx_model(index: int, net: Net, shapes: list[Shape]) -> bytes:
    """A node for all outputs of `net`, or, with the `shapes` of constants in front, for each."""
    inputs = [name for name, _ in net.model.inputs]
    graph = b""
    for first, names in enumerate([[name] for name in net.outputs] if shapes else [net.outputs]):
        front = [f"{names[0]}.shape"] if shapes else []
        spare = [f"{names[0]}.{each}" for each in inputs] if shapes else []
        graph += _bytes(
            1,
            *(_bytes(1, each) for each in front + inputs),
            *(_bytes(2, each) for each in names + spare),
            _bytes(3, names[0] if shapes else "mpm_dnn"),
            _bytes(4, TYPE),
            _attribute("net", index),
            _attribute("first", first),
            _attribute("outputs", len(names)),
            _attribute("copies", 1 + len(spare)),
        )
        if front:
            graph += _zeros(front[0], shapes[first])
    graph += _bytes(2, "mpm_dnn")
    for name, shape in net.model.inputs:
        graph += _bytes(11, _value(name, shape))
    for output, name in enumerate(net.outputs):
        graph += _bytes(12, _value(name, shapes[output] if shapes else [None]))
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, ""), _number(2, 13))
