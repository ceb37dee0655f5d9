# SPDX-License-Identifier: Apache-2.0
"""A model that is held until it is closed."""

from __future__ import annotations

from typing import TypeVar

from . import _mpm, options
from .models import Description
from .options import Blocks

_Self = TypeVar("_Self", bound="Loaded")


class Loaded:
    """What a Net and a Segmenter have in common."""

    _core: _mpm.Net | _mpm.Segmenter

    @property
    def model(self) -> Description:
        return Description(**self._core.model())

    @property
    def merge_before(self) -> list[int]:
        """The blocks that it merges before; may be set between two forwards or frames."""
        return self._core.merge_before()

    @merge_before.setter
    def merge_before(self, blocks: Blocks) -> None:
        self._core.set_merge_before(options.blocks(blocks))

    @property
    def closed(self) -> bool:
        return self._core.is_closed()

    def close(self) -> None:
        """Releases the model; afterwards everything else raises RuntimeError."""
        self._core.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
