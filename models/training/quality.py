# SPDX-License-Identifier: Apache-2.0
"""The loss, and mean intersection over union."""

import numpy as np
import torch
from torch.nn import functional


class ClassWeights:
    """Weights of the loss: rare classes count more, by the shares seen so far."""

    POWER, LARGEST = 0.4, 4.0

    def __init__(self, classes):
        self.shares = torch.full((classes,), 1.0 / classes)

    def see(self, labels):
        found = torch.bincount(labels.flatten(), minlength=len(self.shares)).float()
        self.shares.lerp_(found / found.sum(), 0.01)

    def weights(self):
        weights = (self.shares.median() / self.shares.clamp(min=1e-5)) ** self.POWER
        return weights.clamp(max=self.LARGEST)


def overlap_loss(scores, labels):
    """1 - soft intersection over union, mean over the classes that the batch has: what is judged in
    the end, which cross-entropy alone leaves small classes out of."""
    shares = scores.softmax(dim=1)
    truth = functional.one_hot(labels, scores.shape[1]).permute(0, 3, 1, 2)
    both = (shares * truth).sum(dim=(0, 2, 3))
    area = truth.sum(dim=(0, 2, 3))
    union = shares.sum(dim=(0, 2, 3)) + area - both
    return (1 - both / union.clamp(min=1))[area > 0].mean()


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
