# SPDX-License-Identifier: Apache-2.0
"""Arrays in, arrays out; and the same as a cv2.dnn.Net."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _mpm, options
from .loaded import Loaded
from .options import Blocks, PathLike

if TYPE_CHECKING:
    import cv2


class Net(Loaded):
    """A model with the outputs that `mpm run` writes. It needs no cv2.

    >>> net = Net("vit.onnx", merge_before=[2, 5])
    >>> outputs = net(blob)  # inputs in the model's order, or by name: net(image=blob)
    >>> outputs["masks"], outputs["mpm_rows"], outputs["mpm_map"]

    Inputs are float32, or whole numbers and truth values, which are computed as float32. Options as in `convert` and `Segmenter`.
    Any thread may call it; others wait meanwhile.
    """

    _core: _mpm.Net

    def __init__(
        self,
        model: PathLike,
        *,
        merge_before: Blocks | None = None,
        restore: str = "late",
        proportional: bool = False,
        input_size: tuple[int, int] | None = None,
        device: str = "",
        precision: str = "",
        check: bool = False,
    ) -> None:
        given = options.reading(merge_before, restore, proportional, input_size, device, precision, check)
        self._core = _mpm.Net(options.model_path(model), given)
        self._inputs = [name for name, _ in self.model.inputs]

    def __call__(self, /, *values: Any, **named: Any) -> dict[str, np.ndarray]:
        """All outputs by name. TypeError or ValueError if inputs do not fit."""
        given = dict(zip(self._inputs, values)) | named
        if len(values) + len(named) != len(given) or set(given) != set(self._inputs):
            raise TypeError(f"expected the inputs {', '.join(self._inputs)}, each once")
        return dict(zip(self._core.outputs(), self._core.forward([given[name] for name in self._inputs])))

    @property
    def outputs(self) -> list[str]:
        """The model's own, and mpm_map and mpm_rows if it can merge."""
        return self._core.outputs()


def read_net(
    model: PathLike,
    *,
    merge_before: Blocks | None = None,
    restore: str = "late",
    proportional: bool = False,
    input_size: tuple[int, int] | None = None,
    device: str = "",
    precision: str = "",
    check: bool = False,
) -> cv2.dnn.Net:
    """A cv2.dnn.Net of your own cv2, with OpenCV 4 or 5, that computes the model with merging.

    >>> net = read_net("vit.onnx")
    >>> net.setInput(blob)
    >>> masks, rows = net.forward("masks"), net.forward("mpm_rows")  # of one computation

    Its inputs and outputs are the model's, and mpm_map and mpm_rows if it can merge; all outputs are float32. It has
    one layer (in OpenCV 5 one for each output), which is registered with cv2 and asks a Net, computed once for each input. What cv2 read
    stays until the process ends, since cv2 never frees a Python layer. If a forward fails, cv2 raises cv2.error,
    and the reason goes to the logger "mpm_dnn". OpenCV 5 cannot ask such a layer for
    shapes: there the sizes are those of the model or `input_size` (ValueError if it has none and they are open), with
    one picture if their number is open.
    """
    from . import cv2_layers

    net = Net(
        model,
        merge_before=merge_before,
        restore=restore,
        proportional=proportional,
        input_size=input_size,
        device=device,
        precision=precision,
        check=check,
    )
    return cv2_layers.read(net, str(model))
