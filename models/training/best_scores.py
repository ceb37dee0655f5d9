#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What no model with patches of 16 gets past: scores of 32 x 32 places are fitted to the truth
itself, upsampled as a model's are, and judged as a model is."""

import argparse
import pathlib

import network
import numpy as np
import quality
import torch
from frames import VALIDATION_SEEDS, Frames, read_classes
from options import ROOT
from torch.nn import functional

SIDE = 512


def fit(labels, classes, steps):
    """Scores [1, K, 32, 32] of labels [S, S], by descent on the loss of training."""
    truth = torch.from_numpy(labels.astype(np.int64))[None]
    shares = functional.one_hot(truth, classes).permute(0, 3, 1, 2).float()
    scores = (6 * functional.avg_pool2d(shares, network.PATCH)).requires_grad_(True)
    optimiser = torch.optim.Adam([scores], lr=0.3)
    for _ in range(steps):
        optimiser.zero_grad()
        pixels = functional.interpolate(scores, size=labels.shape, mode="bilinear")
        overlap = quality.Overlap(classes).loss(pixels, truth)
        loss = 2 * functional.cross_entropy(pixels, truth) + overlap
        loss.backward()
        optimiser.step()
    return scores.detach()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpm", type=pathlib.Path, default=ROOT / "build/release/cli/mpm")
    parser.add_argument("--frames", type=int, default=48)
    parser.add_argument("--steps", type=int, default=150)
    arguments = parser.parse_args()
    names, _ = read_classes(arguments.mpm)
    confusion = quality.Confusion(len(names))
    frames = Frames(arguments.mpm, VALIDATION_SEEDS, SIDE, per_seed=1)
    try:
        for _ in range(arguments.frames):
            labels = next(frames)[1]
            scores = fit(labels, len(names), arguments.steps)
            pixels = functional.interpolate(scores, size=labels.shape, mode="bilinear")
            confusion.add(labels, pixels[0].argmax(0).numpy())
    finally:
        frames.close()
    for name, iou in zip(names, confusion.ious()):
        print(f"{name:12} {iou:.3f}")
    print(f"{'mIoU':12} {confusion.mean():.3f}")


if __name__ == "__main__":
    main()
