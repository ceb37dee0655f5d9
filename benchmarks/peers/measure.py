# SPDX-License-Identifier: Apache-2.0
"""One model: starts every configuration, checks what it gives, then times them in turn."""

import random
import statistics
import sys
import time

import environment
import numpy
from configurations import REFERENCE
from environment import Failed

TOLERANCE = 1e-3  # of float32 scores, relative to the largest
SAME_MAP = 0.995  # of positions; where two neighbours are nearly as close, float32 sums decide
SAME_LABELS = 0.9  # of bfloat16: random weights leave small margins between classes


def difference(ours, theirs):
    """The largest difference, relative to the largest value of theirs."""
    if ours.shape != theirs.shape:
        raise ValueError(f"wrong: its output is {list(ours.shape)}, not {list(theirs.shape)}")
    if not numpy.isfinite(ours).all():
        raise ValueError("wrong: its output is not finite")
    return float(numpy.abs(ours - theirs).max() / numpy.abs(theirs).max())


def same_labels(ours, theirs):
    return float((ours.argmax(1) == theirs.argmax(1)).mean())


def lowest_members(merge_map):
    """Of each position the first one with the same live row: clusters, whatever their numbers."""
    _, first, which = numpy.unique(merge_map.ravel(), return_index=True, return_inverse=True)
    return first[which]


def same_map(ours, theirs):
    return float((lowest_members(ours) == lowest_members(theirs)).mean())


def check_full(precision, output, reference):
    """A dictionary with right and a sentence; output against that of ONNX Runtime."""
    try:
        off = difference(output, reference)
    except ValueError as error:
        return {"right": False, "words": str(error)}
    if precision == "fp32":
        right = off <= TOLERANCE
        words = f"within {off:.0e}" if right else f"wrong: differs by {off:.2g}"
        return {"right": right, "words": words, "difference": off}
    labels = same_labels(output, reference)
    right = labels >= SAME_LABELS
    words = f"{100 * labels:.1f}% of labels" if right else f"wrong: {100 * labels:.1f}% of labels"
    return {"right": right, "words": words, "difference": off, "labels": labels}


def check_merged(precision, output, merge_map, rows, other, full_output):
    """MPM against MPM: other is (output, map, rows) of the other implementation in float32."""
    try:
        off = difference(output, other[0])
    except ValueError as error:
        return {"right": False, "words": str(error)}
    result = {"difference": off, "map": same_map(merge_map, other[1])}
    result["rows_equal"] = rows == other[2]
    result["labels"] = same_labels(output, other[0])
    result["labels_of_full"] = same_labels(output, full_output)
    if precision == "fp32":
        exact = result["map"] == 1
        near = result["map"] >= SAME_MAP and result["labels"] >= SAME_LABELS
        result["right"] = off <= TOLERANCE if exact else near
        places = "same map" if exact else f"map {100 * result['map']:.1f}% the same"
        result["words"] = f"{places}, within {off:.0e}"
    else:
        result["right"] = result["labels"] >= SAME_LABELS
        result["words"] = f"{100 * result['labels']:.1f}% of labels"
    if not result["right"]:
        result["words"] = f"wrong: {result['words']}"
    return result


def check_sane(output, merge_map, rows, reference):
    """Of ToMe: nothing computes the same, so that its output is whole is all that is checked."""
    try:
        off = difference(output, reference)
    except ValueError as error:
        return {"right": False, "words": str(error)}
    left = len(numpy.unique(merge_map))
    right = left == rows[-1][0] - 1
    words = "finite, every position restored" if right else f"wrong: its map has {left} live rows"
    labels = same_labels(output, reference)
    return {"right": right, "words": words, "difference": off, "labels_of_full": labels}


class Comparison:
    """rows: for each configuration by name what is known of it."""

    def __init__(self, case, shape, input_file, calibration, ours, settings, chosen):
        self.case, self.shape, self.input_file = case, shape, input_file
        self.calibration = calibration
        self.ours, self.settings = ours, settings
        self.chosen = chosen
        self.workers, self.rows, self.outputs = {}, {}, {}

    def start(self, configuration, end=None):
        """Starts a process, feeds it and runs it twice; what fails becomes the row's reason."""
        row = {"label": configuration.unversioned(), "precision": configuration.precision}
        row["merging"] = configuration.merging
        self.rows[configuration.name] = row
        try:
            worker = configuration.start(
                self.ours, self.case, self.settings.threads, self.shape, self.calibration, end
            )
            row["label"] = configuration.label.format(worker.version)
            row["version"] = worker.version
            self.workers[configuration.name] = worker
            worker.ask(f"load {self.input_file}")
            for _ in range(2):  # the first one may compile
                row["rows"] = worker.ask("run")["rows"]
        except Failed as failure:
            self.drop(configuration.name, failure)

    def drop(self, name, failure):
        self.workers.pop(name, None)
        row = self.rows[name]
        row.update(failed=str(failure), right=False, words=f"failed: {failure}")

    def output(self, name):
        """(output, map or None) of a configuration."""
        prefix = environment.WORK / "output"
        shapes = self.workers[name].ask(f"save {prefix}")["shapes"]
        values = []
        for part, shape in zip(("output", "map"), shapes):
            file = prefix.with_suffix(f".{part}")
            values.append(numpy.fromfile(file, numpy.float32).reshape(shape))
            file.unlink()
        return values[0], (values[1].astype(numpy.int64) if len(values) > 1 else None)

    def prepare(self):
        """Starts and checks everything; the reference first, ToMe behind the MPM it is like."""
        for configuration in self.chosen:
            end = None
            if configuration.merging == "tome":
                rows = next(
                    (
                        r["rows"]
                        for r in self.rows.values()
                        if r["merging"] == "mpm" and r.get("rows")
                    ),
                    None,
                )
                end = rows[-1][0] - 1 if rows else self.shape[2] * self.shape[3] // 512
            self.start(configuration, end)
            if configuration.name in self.workers:
                try:
                    self.check(configuration)
                except Failed as failure:
                    self.drop(configuration.name, failure)
            elif configuration.name == REFERENCE:
                words = self.rows[REFERENCE]["failed"]
                raise environment.Refusal(f"without ONNX Runtime nothing is compared: {words}.")
            print(
                f"  {self.rows[configuration.name]['label']}, {configuration.precision}: "
                f"{self.rows[configuration.name]['words']}",
                flush=True,
            )

    def check(self, configuration):
        name, row = configuration.name, self.rows[configuration.name]
        output, merge_map = self.output(name)
        if name == REFERENCE:
            self.outputs["full"] = output
            row.update(right=True, words="the reference")
        elif configuration.merging == "none":
            row.update(check_full(configuration.precision, output, self.outputs["full"]))
        elif configuration.merging == "tome":
            row.update(check_sane(output, merge_map, row["rows"], self.outputs["full"]))
        elif "mpm" not in self.outputs:
            self.outputs["mpm"] = output, merge_map, row["rows"]
            torch = configuration.program == "torch"
            row.update(right=True, words="the reference of MPM" if torch else "MPM unchecked")
        else:
            other, full = self.outputs["mpm"], self.outputs["full"]
            row.update(
                check_merged(
                    configuration.precision, output, merge_map, row["rows"], other, full
                )
            )

    def time(self):
        """Rounds: every configuration once in random order, each behind a forward that is not timed."""
        times = {name: [] for name in self.workers}
        cores = {name: [] for name in self.workers}
        order = random.Random(self.settings.seed)
        for number in range(self.settings.rounds):
            names = sorted(self.workers)
            order.shuffle(names)
            for name in names:
                time.sleep(self.settings.pause / 1e3)
                try:
                    self.workers[name].ask("run")
                    answer = self.workers[name].ask("run")
                except Failed as failure:
                    self.drop(name, failure)
                    if name == REFERENCE:
                        raise environment.Refusal(f"ONNX Runtime failed: {failure}.")
                    continue
                times[name].append(answer["ms"])
                cores[name].append(answer["cpu_ms"] / answer["ms"])
            if sys.stderr.isatty():
                print(f"\r  round {number + 1} of {self.settings.rounds} ", end="", file=sys.stderr)
        if sys.stderr.isatty():
            print(file=sys.stderr)
        for name in self.workers:
            ratios = [mine / its for mine, its in zip(times[name], times[REFERENCE])]
            low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
            self.rows[name].update(
                ms=statistics.median(times[name]),
                ratio=statistics.median(ratios),
                ratio_quartiles=[low, high],
                cores=statistics.median(cores[name]),
                times_ms=times[name],
            )
            if self.rows[name]["cores"] > self.settings.threads + 0.3:
                print(
                    f"  {name} kept {self.rows[name]['cores']:.1f} cores busy, "
                    f"not {self.settings.threads}"
                )

    def end(self):
        for worker in self.workers.values():
            worker.end()


def compare(case, shape, input_file, calibration, ours, settings, chosen):
    """What there is to say of a model, as it goes to the JSON file."""
    comparison = Comparison(case, shape, input_file, calibration, ours, settings, chosen)
    try:
        comparison.prepare()
        comparison.time()
    finally:
        comparison.end()
    rows = {c.name: comparison.rows[c.name] for c in chosen if c.name in comparison.rows}
    shape = list(comparison.outputs["full"].shape)
    return {"model": case.name, "output": case.output, "shape": shape, "rows": rows}
