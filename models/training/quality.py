# SPDX-License-Identifier: Apache-2.0
"""The loss, and mean intersection over union."""

import numpy as np
import torch
from torch.nn import functional


class ClassWeights:
    """Weights of cross-entropy by the shares seen so far: common classes count less than the median
    one, rare ones more, but none more than `largest` times as much."""

    POWER = 0.4

    def __init__(self, classes, largest):
        self.shares = torch.full((classes,), 1.0 / classes)
        self.largest = largest

    def see(self, labels):
        found = torch.bincount(labels.flatten(), minlength=len(self.shares)).float()
        self.shares.lerp_(found / found.sum(), 0.01)

    def weights(self):
        weights = (self.shares.median() / self.shares.clamp(min=1e-5)) ** self.POWER
        return weights.clamp(max=self.largest)


class Overlap:
    """1 - mean soft intersection over union of all frames seen lately, to the first order in what a
    batch adds to it. The batch's own would count a far person as much as a near one, and a person
    found in frames that have none not at all; what is judged in the end counts pixels of all frames.

    Of a class, with I the intersection, P what is predicted, T the truth and U = P + T - I:
    d(I/U) = ((1 + I/U) dI - I/U dP) / U, since the truth stays."""

    MEMORY = 0.98
    SMALLEST = 1 / 2000  # share of a batch's pixels that a union is taken for at least

    def __init__(self, classes):
        self.sums = torch.zeros(3, classes)  # running means over batches of I, P and T

    def loss(self, scores, labels):
        shares = scores.softmax(dim=1)
        truth = functional.one_hot(labels, scores.shape[1]).permute(0, 3, 1, 2)
        both, found, there = (part.sum(dim=(0, 2, 3)) for part in (shares * truth, shares, truth))
        batch = torch.stack([both.detach(), found.detach(), there]).cpu()
        self.sums.lerp_(batch, 1 - self.MEMORY if self.sums.any() else 1)
        both_seen, found_seen, there_seen = self.sums.to(scores.device)
        union = (found_seen + there_seen - both_seen).clamp(min=self.SMALLEST * labels.numel())
        ratio = both_seen / union
        change = ((1 + ratio) * (both - both_seen) - ratio * (found - found_seen)) / union
        return 1 - (ratio + change).mean()


class Confusion:
    def __init__(self, classes):
        self.counts = np.zeros((classes, classes), np.int64)

    def add(self, truth, found):
        index = truth.astype(np.int64) * len(self.counts) + found
        self.counts += np.bincount(index.ravel(), minlength=self.counts.size).reshape(
            self.counts.shape
        )

    def ious(self):
        """Of each class; NaN where neither truth nor prediction has it."""
        both = np.diag(self.counts)
        union = self.counts.sum(0) + self.counts.sum(1) - both
        with np.errstate(invalid="ignore"):
            return both / np.where(union, union, np.nan)

    def mean(self):
        return float(np.nanmean(self.ious()))
