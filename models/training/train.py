#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the street model: Segmenter ViT-T/16 with a mask decoder, from scratch, on drawn streets.

Goes on where it was stopped. When it ends, OUT has checkpoint.pth and variant.yml, which
models/export/segmenter.py makes an ONNX file of.
"""

import ctypes
import json
import sys
import time

import checkpoint
import network
import numpy as np
import options
import pairs
import phases
import quality
import torch
import yaml
from frames import (
    HOURS_PER_STREET,
    STREETS_PER_SEED,
    TRAINING_SEEDS,
    VALIDATION_SEEDS,
    Frames,
    NoFrames,
    read_classes,
)
from torch.nn import functional
from tqdm import tqdm
from windows import PER_FRAME, Windows, to_input


def keep_memory():
    """Steps take and give back gigabytes. Where the C library hands them to the system in between,
    that clears and maps them anew each time, which takes up to a fifth of a step on a processor."""
    mmap_max, trim_threshold, top_pad = -4, -1, -2  # glibc's numbers; others have no mallopt
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        mallopt(mmap_max, 0)
        mallopt(trim_threshold, 2**31 - 1)
        mallopt(top_pad, 2**28)


class Trainer:
    def __init__(self, arguments):
        self.arguments = arguments
        torch.manual_seed(arguments.seed)
        torch.set_num_threads(arguments.threads)
        self.device = torch.device(arguments.device)
        self.classes, self.colours = read_classes(arguments.mpm)
        self.model = network.build(arguments.size, len(self.classes)).to(self.device)
        if arguments.start_from:
            checkpoint.begin_with(self.model, arguments.start_from)
        self.mean = checkpoint.RunningMean(self.model)
        self.optimiser = checkpoint.Optimiser(self.model)
        self.weights = quality.ClassWeights(len(self.classes), arguments.rare)
        self.overlap = quality.Overlap(len(self.classes))
        self.step = 0
        self.frames_used = 0
        self.losses = []
        self.unlikes = []
        self.log = None
        checkpoint.restore(self, arguments.out)

    def autocast(self):
        bf16 = self.arguments.precision == "bf16"
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=bf16)

    def merges_of_step(self):
        share = self.arguments.merge_share
        merges = int((self.step + 1) * share) > int(self.step * share)
        return self.arguments.merge_before if merges else ()

    def train_step(self, batch, rate):
        images, labels, first = batch
        self.weights.see(labels)
        row, column = self.step % 2, self.step // 2 % 2
        images, labels = images.to(self.device), labels[:, row::2, column::2].to(self.device)
        merges = self.merges_of_step()
        before = {} if merges or not self.arguments.pairs else dict.fromkeys(self.arguments.merge_before)
        with self.autocast():
            grid = network.patch_scores(self.model, images, first, merges, before)
        scores = network.some_pixels(grid, (row, column), 2)
        weights = self.weights.weights().to(self.device)
        loss = functional.cross_entropy(scores, labels, weights)
        loss = loss + self.overlap.loss(scores, labels)
        if before:
            shares = pairs.class_shares(labels, grid.shape[-1], len(self.classes))
            unlike = pairs.unlike_pairs([rows[:, 1:] for rows in before.values()], shares)
            self.unlikes.append(unlike.item())
            loss = loss + self.arguments.pairs * unlike
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step(rate)
        self.mean.follow(self.model, self.step)
        self.step += 1
        self.losses.append(loss.item())

    @torch.no_grad()
    def validate(self, merge_before=()):
        """Mean IoU of the running mean of the weights, on streets that training never draws."""
        confusion = quality.Confusion(len(self.classes))
        frames = Frames(self.arguments.mpm, VALIDATION_SEEDS, self.arguments.size, per_seed=1)
        first = torch.zeros(1, 2).long()
        try:
            for _ in range(self.arguments.validate_on):
                picture, labels = next(frames)
                image = to_input(torch.from_numpy(picture.copy())[None]).to(self.device)
                with self.autocast():
                    scores = network.scores(self.mean.model, image, first, merge_before)
                confusion.add(labels, scores[0].argmax(0).cpu().numpy())
        finally:
            frames.close()
        return confusion

    def record(self, **entry):
        with open(self.arguments.out / "log.jsonl", "a", encoding="utf-8") as log:
            log.write(json.dumps({"step": self.step, **entry}) + "\n")

    def run_phase(self, phase, end, bar, deadline):
        skip = -(-self.frames_used // HOURS_PER_STREET)
        first = TRAINING_SEEDS + self.arguments.seed * STREETS_PER_SEED
        frames = Frames(self.arguments.mpm, first, self.arguments.size, skip=skip)
        windows = Windows(frames, phase.window, network.PATCH, [self.arguments.seed, self.step])
        per_frame = PER_FRAME if phase.window < self.arguments.size else 1
        try:
            while self.step < end and time.monotonic() < deadline:
                rate = phases.rate(self.arguments.phases, self.step, self.arguments.rate)
                self.train_step(windows.batch(phase.batch), rate)
                self.frames_used += -(-phase.batch // per_frame)
                bar.update()
                bar.set_postfix(loss=f"{np.mean(self.losses[-50:]):.3f}", refresh=False)
                self.after_step(rate, bar)
        finally:
            frames.close()

    def after_step(self, rate, bar):
        if self.step % self.arguments.validate_every == 0:
            confusion = self.validate()
            ious = [None if np.isnan(iou) else round(float(iou), 4) for iou in confusion.ious()]
            loss = float(np.mean(self.losses))
            entry = {"loss": round(loss, 4), "rate": rate, "miou": round(confusion.mean(), 4)}
            if self.arguments.merge_before:
                merged = self.validate(self.arguments.merge_before)
                entry["miou_merged"] = round(merged.mean(), 4)
            if self.unlikes:
                entry["unlike"] = round(float(np.mean(self.unlikes)), 4)
            self.record(**entry, ious=ious)
            bar.write(f"step {self.step}: loss {loss:.3f}, mIoU {confusion.mean():.4f}")
            self.losses.clear()
            self.unlikes.clear()
        if self.step % self.arguments.save_every == 0:
            checkpoint.save(self, self.arguments.out)

    def run(self):
        steps = phases.total(self.arguments.phases)
        minutes = self.arguments.stop_after
        deadline = float("inf") if minutes is None else time.monotonic() + 60 * minutes
        with tqdm(total=steps, initial=self.step, unit="step", smoothing=0.05) as bar:
            end = 0
            for phase in self.arguments.phases:
                end += phase.steps
                if self.step < end:
                    self.run_phase(phase, end, bar, deadline)
        checkpoint.save(self, self.arguments.out)
        return self.step >= steps


def main(argv=None):
    arguments = options.parse(__doc__, argv)
    keep_memory()
    arguments.out.mkdir(parents=True, exist_ok=True)
    try:
        trainer = Trainer(arguments)
        finished = trainer.run()
    except (NoFrames, checkpoint.Unfit, OSError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("train.py: interrupted; the same command goes on.", file=sys.stderr)
        return 1
    if not finished:
        print(f"stopped at step {trainer.step}; the same command goes on.")
        return 0
    for name, lines in (("classes", trainer.classes), ("palette", trainer.colours)):
        (arguments.out / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    variant = network.variant(arguments.size, len(trainer.classes))
    (arguments.out / "variant.yml").write_text(yaml.safe_dump(variant), encoding="utf-8")
    checkpoint.export(trainer, arguments.out)
    print(f"{arguments.out / 'checkpoint.pth'} is ready for models/export/segmenter.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
