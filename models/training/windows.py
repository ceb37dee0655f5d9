# SPDX-License-Identifier: Apache-2.0
"""Windows of frames: what a step of training sees."""

import numpy as np
import torch

# Of how many windows, drawn at random, the one with the most classes is taken: persons and
# cyclists are rare.
CANDIDATES = 2
PER_FRAME = 2  # windows from one frame, where they are smaller than it: frames cost time to draw


class Windows:
    """Batches of square windows [B, 3, w, w] in -1..1 (RGB), labels [B, w, w] int64 and each
    window's first patch (row, column) [B, 2]. Windows start at whole patches, so that a patch keeps
    its position, and half of them are mirrored: the frame, not the window."""

    def __init__(self, frames, window, patch, seed):
        self.frames = frames
        self.window = window
        self.patch = patch
        self.random = np.random.default_rng(seed)
        self.waiting = []

    def one(self):
        if not self.waiting:
            picture, labels = next(self.frames)
            if self.random.random() < 0.5:
                picture, labels = picture[:, ::-1], labels[:, ::-1]
            count = PER_FRAME if self.window < labels.shape[0] else 1
            self.waiting = [self.cut(picture, labels) for _ in range(count)]
        return self.waiting.pop()

    def cut(self, picture, labels):
        places = (labels.shape[0] - self.window) // self.patch + 1
        best = None
        for row, column in self.random.integers(places, size=(CANDIDATES, 2)):
            top, left = row * self.patch, column * self.patch
            part = labels[top : top + self.window, left : left + self.window]
            found = np.count_nonzero(np.bincount(part[::4, ::4].ravel()))
            if best is None or found > best[0]:
                best = (found, top, left, row, column)
        _, top, left, row, column = best
        area = (slice(top, top + self.window), slice(left, left + self.window))
        return picture[area], labels[area], (row, column)

    def batch(self, count):
        parts = [self.one() for _ in range(count)]
        pictures = torch.from_numpy(np.stack([part[0] for part in parts]))
        labels = torch.from_numpy(np.stack([part[1] for part in parts])).long()
        return to_input(pictures), labels, torch.tensor([part[2] for part in parts])


def to_input(pictures):
    """uint8 BGR [B, H, W, 3] to float RGB [B, 3, H, W], mean 0.5 and deviation 0.5 taken out."""
    return pictures.flip(-1).permute(0, 3, 1, 2).contiguous().float().mul_(2 / 255).sub_(1)
