# SPDX-License-Identifier: Apache-2.0
"""Mutual Pair Merging on arrays of tokens."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _mpm, options


def _array(given: Any) -> Any:
    """What speaks DLPack and nothing else has no axes that Python could count or add."""
    speaks = hasattr(given, "__dlpack__") and not hasattr(given, "ndim")
    return np.from_dlpack(given) if speaks else given


def merge_pairs(
    tokens: Any,
    rows: Any = None,
    map: Any = None,
    *,
    special: int = 0,
    window: int = 0,
    grid: tuple[int, int] = (0, 0),
    regions: Any = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Averages every two rows that are each other's most similar other row, one image at a time.

    tokens: float32 [B, S+M, D]: S = special rows, then M image rows, of which the live ones come first. Also one
        image, [S+M, D]; then no result has B. NumPy's, or anything that speaks DLPack: read in place, or copied
        if its values are not contiguous.
    rows: [B] live rows, special ones included; without it all rows are live.
    map: [B, N] for each original image token its live image row, counted from 0; without it nothing was merged
        yet. To merge again, give what the last merge returned.
    window: pairs only within this many patches; needs grid = (height, width) of the N tokens.
    regions: [B, N] or [1, N]: pairs only within a label.

    Returns tokens of the shape it got, in which rows past the live ones are zero, and int64 rows and map. The
    same as torch.ops.mpm.merge_pairs; torch.from_dlpack takes the results without a copy.
    """
    tokens, rows, map, regions = (_array(each) for each in (tokens, rows, map, regions))
    if is_single := np.ndim(tokens) == 2:
        tokens = np.asarray(tokens)[None]
        rows = None if rows is None else np.atleast_1d(rows)
        map, regions = (None if each is None else np.asarray(each)[None] for each in (map, regions))
    merged, left, merged_map = _mpm.merge_pairs(
        tokens,
        rows,
        map,
        options.whole(special, "special"),
        options.whole(window, "window"),
        options.pair(grid, "grid", "(height, width)"),
        regions,
    )
    return (merged[0], left[0], merged_map[0]) if is_single else (merged, left, merged_map)


def restore(tokens: Any, map: Any, *, special: int = 0) -> np.ndarray:
    """Gives each original token its live row's values: [B, S+N, D] from what merge_pairs returned."""
    tokens, map = _array(tokens), _array(map)
    if is_single := np.ndim(tokens) == 2:
        tokens, map = np.asarray(tokens)[None], np.asarray(map)[None]
    full = _mpm.restore(tokens, map, options.whole(special, "special"))
    return full[0] if is_single else full
