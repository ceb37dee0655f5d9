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
PAVEMENT, GRASS, CAR = (CLASSES.index(name) for name in ("pavement", "grass", "car"))
PASSING = [CLASSES.index(name) for name in ("car", "person", "cyclist")]
UNPAINTED = 255
LATER = ["--hours", "0.7..23.9", "--count", "16"]
NEXT = ["--hours", "24.7..47.9", "--count", "16"]
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

    def teach(self, name, folder, labels="labels"):
        """The taught model, and the seconds of processor time that it took: 0 where it was there already."""
        model = self.root / f"{name}.onnx"
        if model.exists():
            return model, 0
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        words = ["--backbone", self.asked.backbone, "--frames", str(folder / "images")]
        words += ["--labels", str(folder / labels), "-o", str(model), "--restart", "--threads", "1"]
        table = subprocess.run([self.asked.mpm, "teach", *words], check=True, stdout=subprocess.PIPE, text=True).stdout
        model.with_suffix(".txt").write_text(table)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return model, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def check(self, model, folder, name="mean", labels="labels"):
        """IoU in percent with full tokens, and with merging."""
        words = ["--check", str(model), "--frames", str(folder / "images"), "--labels", str(folder / labels)]
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


def next_day(street):
    model, seconds = street.teach("day10", street.drawn("frames10", *DAY, "10"))
    return *street.check(model, street.drawn("next", *NEXT)), seconds


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


def own_next(street):
    return *street.check(pathlib.Path(street.asked.backbone), street.drawn("next", *NEXT)), 0


def own_weather(street):
    return *street.check(pathlib.Path(street.asked.backbone), weathers(street)), 0


def snow(snowy, fair, judged):
    """Of so many frames of a snowy and a fair day; `judged`: which frames of such days."""

    def paint(place, labels, _):
        ground = (labels == PAVEMENT) | (labels == GRASS)
        return numpy.where(ground, place, 2).astype(numpy.uint8)

    def days(street, name, *frames):
        both = zip(("snow", "fair"), frames)
        kinds = [street.drawn(f"{name}_{kind}", *words, "--weather", kind) for kind, words in both]
        return painted(street, name, kinds, paint, ["snow", "bare", "other"])

    def row(street):
        name = f"snowy{snowy}_{fair}"
        model, seconds = street.teach(name, days(street, name, [*DAY, str(snowy)], [*DAY, str(fair)]))
        folder, words = judged
        return *street.check(model, days(street, folder, words, words), "snow"), seconds

    return row


SNOW_LATER = "snowy_later", ["--hours", "0.7..23.9", "--count", "8"]
SNOW_NEXT = "snowy_next", ["--hours", "24.7..47.9", "--count", "8"]


def puddles(count, near):
    """Of `count` frames; `near`: of what the lower half of the picture shows, at twice its height."""

    def row(street):
        rain = ["--weather", "rain", "--puddles"]
        days = street.drawn(f"wet{count}", *DAY, str(count), *rain), street.drawn("wet_later", *LATER, *rain)
        if near:
            days = [lower_half(day) for day in days]
        model, seconds = street.teach(f"puddles{count}{'near' if near else ''}", days[0], "puddles")
        return *street.check(model, days[1], "puddle", "puddles"), seconds

    return row


def lower_half(drawn):
    folder = drawn.with_name(drawn.name + "_near")
    if not folder.exists():
        part = folder.with_name(folder.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        for kind in ("images", "puddles"):
            (part / kind).mkdir(parents=True)
            for file in (drawn / kind).glob("*.png"):
                picture = cv2.imread(str(file), cv2.IMREAD_UNCHANGED)
                cv2.imwrite(str(part / kind / file.name), picture[picture.shape[0] // 2 :])
        shutil.copy(drawn / "puddles" / "classes.txt", part / "puddles")
        part.rename(folder)
    return folder


def place(zone):
    """Whether places to park are taken; `zone`: judged at these places alone, as a zone of the monitor does."""

    def row(street):
        paint = place_painter(street)

        def days(name, drawn, paint):
            return painted(street, name, [drawn], paint, ["taken", "free", "other"])

        def zone_paint(*frame):
            painting = paint(*frame)
            return numpy.where(painting == 2, UNPAINTED, painting).astype(numpy.uint8)

        model, seconds = street.teach("place", days("places", street.drawn("frames5", *DAY, "5"), paint))
        later = street.drawn("later", *LATER)
        judged = days("places_zone", later, zone_paint) if zone else days("places_later", later, paint)
        return *street.check(model, judged, "taken"), seconds

    return row


def place_painter(street):
    bays, stays = bays_of(street)

    def paint(_, labels, file):
        painting = numpy.full_like(labels, 2)
        parked = stays(file.stem)
        for bay in bays:
            taken = parked[bay].mean() > 0.5
            painting[bay] = 0 if taken else 1
            passing = labels != CAR if taken else numpy.isin(labels, PASSING)
            painting[bay & passing] = UNPAINTED
        rim = cv2.dilate(numpy.any(bays, axis=0).astype(numpy.uint8), numpy.ones((17, 17)))
        painting[(rim > 0) & (painting == 2)] = UNPAINTED
        return painting

    return paint


def bays_of(street):
    """A mask for each place where cars are parked over a day; and what of a frame is a parked car, by its name: what is
    one still twenty seconds and a minute later."""

    def cars(*words):
        street_words = ["--seed", str(street.seed), "--size", "512x512", "--ideal", "--raw", "-"]
        command = [scene_program(street.asked), *street_words, *words]
        raw = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        frames = numpy.frombuffer(raw, numpy.uint8).reshape(-1, 4, 512, 512)  # three parts of colours, one of labels
        return frames[:, 3] == CAR

    def stays(name):
        digits = name.split("_h")[1].ljust(6, "0")
        begin = int(digits[:2]) * 3600 + int(digits[2:4]) * 60 + int(digits[4:])
        return numpy.all([cars("--hour", repr((begin + later) / 3600))[0] for later in (0, 20, 60)], axis=0)

    often = numpy.mean(cars(*DAY, "48"), axis=0)
    count, regions = cv2.connectedComponents((often >= max(0.25, 0.7 * often.max())).astype(numpy.uint8))
    bays = [regions == one for one in range(1, count) if (regions == one).sum() >= 2000]
    if not bays:
        raise SystemExit(f"no car is parked on street {street.seed}; choose another one for this row")
    return bays, stays


ROWS = {
    "10": twelve(10),
    "5": twelve(5),
    "3": twelve(3),
    "strokes": stroked,
    "own": own,
    "next": next_day,
    "own-next": own_next,
    "weather": weather,
    "own-weather": own_weather,
    "snow": snow(5, 5, SNOW_LATER),
    "snow5": snow(3, 2, SNOW_LATER),
    "snow5-next": snow(3, 2, SNOW_NEXT),
    "puddles": puddles(5, False),
    "puddles10": puddles(10, False),
    "puddles-near": puddles(5, True),
    "puddles10-near": puddles(10, True),
    "place": place(False),
    "place-zone": place(True),
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
