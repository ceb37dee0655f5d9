# SPDX-License-Identifier: Apache-2.0
"""Which schedule and which precision pay on this machine, measured on frames of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import _mpm, options
from .segmenter import Segmenter


@dataclass(frozen=True)
class TunedSchedule:
    """What one schedule costs and keeps."""

    merge_before: tuple[int, ...]  #: () is unmerged
    ratio: float  #: a frame's time divided by the unmerged time: the median over neighbouring runs
    ratio_high: float  #: the ratio is lower than this, 19 times in 20
    ms: float  #: of a frame, image to labels
    agreement: float  #: share of the pixels that are labelled as unmerged: the mean over the frames
    rows: tuple[float, ...]  #: live rows before all merges and after each: means over the frames
    runs: int  #: how many runs were timed
    close: bool  #: measured closely; if not, only looked at, since others did better
    on_front: bool  #: measured closely, and none is as fast and agrees better, or the other way round


class Tuning:
    """What tune_schedules found."""

    def __init__(self, core: _mpm.Tuning) -> None:
        self._core = core
        self.full = TunedSchedule(**core.full())  #: unmerged
        #: the label agreement of unmerged frames that were moved by a pixel: changes up to here are the model's own noise
        self.floor: float = core.floor()
        self.schedules = [TunedSchedule(**each) for each in core.schedules()]  #: every one that was run, fastest first
        self.pays: bool = core.pays()  #: whether any schedule is surely faster by more than 3 %

    def fastest_that_agrees(self, agreement: float | None = None) -> TunedSchedule:
        """The fastest schedule with at least this label agreement, or unmerged. None: as much as `floor`."""
        return TunedSchedule(**self._core.fastest_that_agrees(self.floor if agreement is None else float(agreement)))

    def best_that_reaches(self, frames_per_second: float) -> TunedSchedule | None:
        """The schedule that agrees best of those that are as fast as this; None if there is none."""
        found = self._core.best_that_reaches(float(frames_per_second))
        return None if found is None else TunedSchedule(**found)


def tune_schedules(
    segmenter: Segmenter,
    frames: Iterable[Any],
    *,
    merges: Iterable[int] = (),
    progress: Callable[[float], object] | None = None,
) -> Tuning:
    """Runs every schedule on the frames, and those that do well again more closely, as `mpm tune` does.

    merges: numbers of merges that schedules have, such as (1, 2), which is the default in encoders of fewer than 24
        blocks. Deeper ones also try 3.
    progress: called with the share that is done, from 0 to 1. An exception that it raises ends the tuning, as does
        Ctrl-C.
    ValueError if no frame is left that has more than one colour; RuntimeError if the model cannot merge. The
    segmenter's own schedule is set again afterwards.
    """
    counts = [options.whole(each, "merges") for each in merges]
    return Tuning(segmenter._core.tune(list(frames), counts, progress))


class TunedPrecision(NamedTuple):
    """What one precision costs and keeps."""

    precision: str
    ratio: float  #: a frame's time divided by float32's: the median over neighbouring runs
    ms: float  #: of a frame, image to labels
    agreement: float  #: share of the pixels that are labelled as with float32: the mean over the frames


def tune_precisions(segmenter: Segmenter, frames: Iterable[Any]) -> list[TunedPrecision]:
    """Measures every precision that this processor computes in, float32 first, with the segmenter's own options.

    Its model is read again for each precision.
    """
    return [TunedPrecision(*each) for each in _mpm.tune_precisions(*segmenter._read, list(frames))]


def fastest_precision(precisions: Iterable[TunedPrecision], agreement: float = 0.995) -> TunedPrecision:
    """The fastest of those that agree with float32 on at least this share of the pixels, or float32."""
    tried = list(precisions)
    if not tried:
        raise ValueError("precisions: expected what tune_precisions returned, got nothing")
    return tried[_mpm.fastest_precision(tried, float(agreement))]
