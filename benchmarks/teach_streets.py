#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `mpm teach` reaches on drawn streets: a row for each way of painting (docs/teach.md).

usage: teach_streets.py MPM BACKBONE FOLDER [--seeds 3600001,...] [--rows 10,5,3,...]

Draws the frames of each street into FOLDER, paints them, teaches, checks on frames of other hours, and prints a line
for each street and row. What is there already is not drawn or taught again; delete FOLDER to begin anew. Needs NumPy
and OpenCV's Python. Processor time is that of teaching, features included, in one thread.
"""

import argparse
import pathlib
import resource
import shutil
import subprocess

import cv2
import numpy

CLASSES = "sky skyline building road pavement grass hedge tree lamp car person cyclist".split()
PAVEMENT, GRASS = CLASSES.index("pavement"), CLASSES.index("grass")
UNPAINTED = 255
LATER = ["--hours", "0.7..23.9", "--count", "16"]
DAY = ["--hours", "0..24", "--count"]


def scene_program(asked):
    return pathlib.Path(asked.mpm).with_name("mpm-scene")


class Street:
    """Frames and taught models of one seed."""

    def __init__(self, asked, seed):
        self.asked, self.seed, self.root = asked, seed, asked.folder / str(seed)

    def drawn(self, name, *words):
        folder = self.root / name
        if not folder.exists():
            part = folder.with_name(name + ".part")
            shutil.rmtree(part, ignore_errors=True)
            street = ["--seed", str(self.seed), "--size", "512x512", "--out", str(part)]
            subprocess.run([scene_program(self.asked), *street, *words], check=True, stdout=subprocess.DEVNULL)
            part.rename(folder)
        return folder

    def teach(self, name, folder):
        """The taught model, and the seconds of processor time that it took: 0 where it was there already."""
        model = self.root / f"{name}.onnx"
        if model.exists():
            return model, 0
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        words = ["--backbone", self.asked.backbone, "--frames", str(folder / "images")]
        words += ["--labels", str(folder / "labels"), "-o", str(model), "--restart", "--threads", "1"]
        table = subprocess.run([self.asked.mpm, "teach", *words], check=True, stdout=subprocess.PIPE, text=True).stdout
        model.with_suffix(".txt").write_text(table)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return model, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def check(self, model, folder, name="mean"):
        """IoU in percent with full tokens, and with merging."""
        words = ["--check", str(model), "--frames", str(folder / "images"), "--labels", str(folder / "labels")]
        table = subprocess.run([self.asked.mpm, "teach", *words], check=True, stdout=subprocess.PIPE, text=True).stdout
        (self.root / f"{model.stem}.{folder.name}.txt").write_text(table)
        row = next(line.split() for line in table.splitlines() if line.startswith(name + " "))
        return float(row[-2]), float(row[-1])


def painted(street, name, folders, paint, classes):
    """Frames of several drawn folders in one, each painted by paint(folder's place, labels, label file)."""
    folder = street.root / name
    if folder.exists():
        return folder
    part = folder.with_name(name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    (part / "images").mkdir(parents=True)
    (part / "labels").mkdir()
    (part / "classes.txt").write_text("".join(f"{one}\n" for one in classes))
    for place, drawn in enumerate(folders):
        for file in sorted((drawn / "labels").glob("*.png")):
            painting = paint(place, cv2.imread(str(file), cv2.IMREAD_UNCHANGED), file)
            shutil.copy(drawn / "images" / file.name, part / "images" / f"{place}_{file.name}")
            cv2.imwrite(str(part / "labels" / f"{place}_{file.name}"), painting)
    part.rename(folder)
    return folder


def strokes(labels, share, chance):
    """A careful hand with a brush of five pixels: strokes in things and along their edges, none across an edge.

    Each class has paint by the square root of its size.
    """
    painting = numpy.full_like(labels, UNPAINTED)
    there, sizes = numpy.unique(labels, return_counts=True)
    paint = numpy.sqrt(sizes) / numpy.sqrt(sizes).sum() * share * labels.size
    for one, budget, size in zip(there, paint, sizes):
        own = labels == one
        middle = cv2.distanceTransform(own.astype(numpy.uint8), cv2.DIST_L2, 3)
        inner = numpy.argwhere(own & (middle >= numpy.quantile(middle[own], 0.5)))
        edge = numpy.argwhere(own & (middle <= 3))
        for turn in range(10000):
            if (painting == one).sum() >= min(budget, 0.9 * size):
                break
            y, x = chance.choice(inner if turn % 3 else edge)
            angle, length = chance.uniform(0, 2 * numpy.pi), chance.uniform(10, 40)
            brush = numpy.zeros_like(labels)
            end = int(x + length * numpy.cos(angle)), int(y + length * numpy.sin(angle))
            cv2.line(brush, (int(x), int(y)), end, 1, 5)
            painting[own & (brush > 0)] = one
    return painting


def twelve(count):
    def row(street):
        model, seconds = street.teach(f"day{count}", street.drawn(f"frames{count}", *DAY, str(count)))
        return *street.check(model, street.drawn("later", *LATER)), seconds

    return row


def stroked(street):
    chance = numpy.random.default_rng(street.seed)
    day = street.drawn("frames10", *DAY, "10")
    folder = painted(street, "stroked", [day], lambda _, labels, __: strokes(labels, 0.02, chance), CLASSES)
    model, seconds = street.teach("strokes", folder)
    return *street.check(model, street.drawn("later", *LATER)), seconds


def weathers(street):
    kinds = ("rain", "snow", "fog")
    days = [street.drawn(kind, "--hours", "0.7..23.9", "--count", "8", "--weather", kind) for kind in kinds]
    return painted(street, "weathers", days, lambda _, labels, __: labels, CLASSES)


def weather(street):
    model, seconds = street.teach("day10", street.drawn("frames10", *DAY, "10"))
    return *street.check(model, weathers(street)), seconds


def own(street):
    return *street.check(pathlib.Path(street.asked.backbone), street.drawn("later", *LATER)), 0


def snow(count):
    """Of so many frames of a snowy day, and of a fair one."""

    def paint(place, labels, _):
        ground = (labels == PAVEMENT) | (labels == GRASS)
        return numpy.where(ground, place, 2).astype(numpy.uint8)

    def days(street, name, *words):
        kinds = [street.drawn(f"{name}_{kind}", *words, "--weather", kind) for kind in ("snow", "fair")]
        return painted(street, name, kinds, paint, ["snow", "bare", "other"])

    def row(street):
        model, seconds = street.teach(f"snow{count}", days(street, f"snowy{count}", *DAY, str(count)))
        return *street.check(model, days(street, "snowy_later", *LATER[:3], "8"), "snow"), seconds

    return row


ROWS = {
    "10": twelve(10),
    "5": twelve(5),
    "3": twelve(3),
    "strokes": stroked,
    "own": own,
    "weather": weather,
    "snow": snow(5),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpm")
    parser.add_argument("backbone")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seeds", default="3600001,3600002,3600003")
    parser.add_argument("--rows", default=",".join(ROWS))
    asked = parser.parse_args()
    for name in asked.rows.split(","):
        if name not in ROWS:
            parser.error(f"there is no row {name}; rows are {', '.join(ROWS)}")
    for seed in asked.seeds.split(","):
        for name in asked.rows.split(","):
            street = Street(asked, int(seed))
            full, merged, seconds = ROWS[name](street)
            print(f"{seed} {name:8} {full:5.1f} ({merged:.1f}) {seconds:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
