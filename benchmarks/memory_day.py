#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time and mIoU over a drawn day: full tokens, merging, a scene memory, and both (docs/memory.md).

usage: memory_day.py MPM MODEL JSON [--seeds A..B] [--runs N] [--draw PICTURE]

Each hour is `MPM bench MODEL --frames scene:?seed=A..B&hour=H`, whose figures are kept in JSON: hours that are there
already are not measured again. --draw needs matplotlib.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

# By their place among the ways of `mpm bench --frames`.
WAYS = [("full tokens", "#9aa5b1", "-"), ("merging", "#4a6fa5", "-"),
        ("memory and merging", "#c8553d", "-"), ("memory", "#c8553d", "--")]  # fmt: skip
INK, FAINT = "#222b35", "#d5dbe1"


def measure(asked, hour):
    street = f"scene:?seed={asked.seeds}&hour={hour}&size=512x512&weather=fair"
    with tempfile.NamedTemporaryFile(suffix=".json") as into:
        subprocess.run(
            [asked.mpm, "bench", asked.model, "--frames", street, "--precision", "fp32"]
            + ["--count", str(asked.runs), "--out", into.name],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        ways = json.loads(pathlib.Path(into.name).read_text())["ways"]
    return [{key: way[key] for key in ("ratio", "mean_iou", "fresh_share")} for way in ways]


def draw(hours, picture):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (times, quality) = pyplot.subplots(2, 1, sharex=True, figsize=(9, 5.6), layout="constrained")
    at = sorted(hours, key=int)
    for place, (name, colour, style) in enumerate(WAYS):
        for axes, key, scale in ((times, "ratio", 1), (quality, "mean_iou", 100)):
            values = [scale * hours[hour][place][key] for hour in at]
            axes.plot([int(h) for h in at], values, style, color=colour, label=name, linewidth=2)
    times.set_ylabel("time, of full tokens'")
    times.set_ylim(0, 1.08)
    times.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False, labelcolor=INK)
    quality.set_ylabel("mIoU, points")
    quality.set_xlabel("hour of the drawn day")
    quality.set_xticks(range(0, 24, 3))
    for axes in (times, quality):
        axes.grid(axis="y", color=FAINT)
        axes.set_axisbelow(True)
        axes.margins(x=0.01)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.savefig(picture, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpm")
    parser.add_argument("model")
    parser.add_argument("json", type=pathlib.Path)
    parser.add_argument("--seeds", default="3000001..3000003")
    parser.add_argument("--runs", type=int, default=16)
    parser.add_argument("--draw", metavar="PICTURE")
    asked = parser.parse_args()
    hours = json.loads(asked.json.read_text()) if asked.json.exists() else {}
    for hour in range(24):
        if str(hour) not in hours:
            hours[str(hour)] = measure(asked, hour)
            asked.json.write_text(json.dumps(hours, indent=1))
    if asked.draw:
        draw(hours, asked.draw)


main()
