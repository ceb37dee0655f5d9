# SPDX-License-Identifier: Apache-2.0
"""How long which size is trained, and how fast."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Phase:
    window: int
    batch: int
    steps: int

    def __str__(self):
        return f"{self.window}x{self.batch}:{self.steps}"


WARM_UP = 300  # steps
DECAY = 0.72  # the last share of all steps, in which the rate falls to nothing


def parse(text, size, patch):
    """'256x16:20000,512x8:3000' to phases. ValueError with what is wrong."""
    phases = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)x(\d+):(\d+)", part)
        if not match:
            raise ValueError(f"'{part}' is not a phase; write WINDOWxBATCH:STEPS, such as 256x16:20000")
        phase = Phase(*map(int, match.groups()))
        if phase.window > size or phase.window % patch or not phase.window:
            raise ValueError(f"a window of {phase.window} does not fit: multiples of {patch} to {size}")
        if not phase.batch or not phase.steps:
            raise ValueError(f"'{part}' trains nothing")
        phases.append(phase)
    return phases


def total(phases):
    return sum(phase.steps for phase in phases)


def rate(phases, step, peak):
    """Warm-up, a plateau, a straight fall to nothing: a plateau can be prolonged afterwards."""
    steps = total(phases)
    left = (steps - step) / max(1, DECAY * steps)
    return peak * min(1.0, (step + 1) / WARM_UP, left)
