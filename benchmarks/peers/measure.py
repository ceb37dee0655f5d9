# SPDX-License-Identifier: Apache-2.0
"""One model: starts every configuration, checks what it gives, then times them in turn."""

import random
import statistics
import sys
import time

import agreement
import environment
import numpy
from configurations import REFERENCE
from workers import Failed


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
            row.update(agreement.full(configuration.precision, output, self.outputs["full"]))
        elif configuration.merging == "tome":
            row.update(agreement.sane(output, merge_map, row["rows"], self.outputs["full"]))
        elif "mpm" not in self.outputs:
            self.outputs["mpm"] = output, merge_map, row["rows"]
            torch = configuration.program == "torch"
            row.update(right=True, words="the reference of MPM" if torch else "MPM unchecked")
        else:
            other, full = self.outputs["mpm"], self.outputs["full"]
            row.update(
                agreement.merged(
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
