#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs models of one node each with `mpm run` and with ONNX Runtime, and prints a table by operator.

    python3 try_operators.py --mpm build/release/cli/mpm [--only OPERATOR ...] [--behind [OPERATOR ...]] [--together N] [--jobs N]

What the OpenCV that mpm was built with reads rightly, as this library hands it over: each node with one image, and with one
and two where their number is open. Needs numpy, onnx and onnxruntime. A node that ONNX Runtime does not run is left out. Ends with
1 where one crashes, has another shape, or lies further than 1e-4 of the largest element off; one that is refused in a
sentence is counted. With `--together` up to N nodes stand side by side in a file, which is quicker.
With `--behind` there are two nodes each, one of `operators.fronts` first: all of them, or of those operators.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import pathlib
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from operators import Case, cases, fronts
from try_zoo import LARGEST_ERROR, compare, run


def outputs_of(bytes_of_model, image):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(bytes_of_model, options, providers=["CPUExecutionProvider"])
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, {"x": image})))


@dataclasses.dataclass
class Try:
    case: Case
    images: int
    is_open: bool  # the model takes any number
    model: onnx.ModelProto
    word: str = ""  # what became of it
    said: str = ""

    def names(self):
        return [output.name for output in self.model.graph.output]


def image_of(attempt):
    chance = numpy.random.default_rng(2)
    return chance.standard_normal((attempt.images, *attempt.case.shape)).astype(numpy.float32)


def groups_of(cases, size):
    """Each case with one image, and with one and two of any number; in groups that one file can hold."""
    groups = collections.defaultdict(list)
    for place, case in enumerate(cases):
        for batch, numbers in ((1, (1,)), ("N", (1, 2))):
            if case.closed and batch == "N":
                continue
            model = case.model(batch, f"p{place}_")
            for images in numbers:
                key = case.shape, case.opset, batch, images
                groups[key].append(Try(case, images, batch == "N", model))
    for attempts in groups.values():
        for begin in range(0, len(attempts), size):
            yield attempts[begin : begin + size]


def joined(models):
    """One model of several with the same input."""
    all_in_one = onnx.ModelProto()
    all_in_one.CopyFrom(models[0])
    for model in models[1:]:
        for part in ("node", "initializer", "output", "value_info"):
            getattr(all_in_one.graph, part).extend(getattr(model.graph, part))
    return all_in_one


def judge(attempt, expected, outputs):
    expected = {name: expected[name].astype(numpy.float32) for name in attempt.names()}
    error = compare(expected, outputs)
    if isinstance(error, str):
        attempt.word, attempt.said = error.split()[0], error
    else:
        attempt.word, attempt.said = ("right", "") if error <= LARGEST_ERROR else ("WRONG", f"{error:.1e}")


def try_together(mpm, attempts):
    """Sets what became of each. Those that are not right beside others are tried in smaller files, and at last alone."""
    model = joined([attempt.model for attempt in attempts]).SerializeToString()
    image = image_of(attempts[0])
    try:
        expected = outputs_of(model, image)
    except Exception as error:  # noqa: BLE001 - whatever it is that it does not run
        outputs, said = "not run", str(error).splitlines()[0]
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "m.onnx")
            path.write_bytes(model)
            outputs, said = run(mpm, path, {"x": image})
    for attempt in attempts:
        if isinstance(outputs, str):
            attempt.word, attempt.said = outputs, said
        else:
            judge(attempt, expected, outputs)
    again = [attempt for attempt in attempts if attempt.word != "right"]
    if again and len(attempts) > 1:
        half = (len(again) + 1) // 2
        for part in filter(None, (again[:half], again[half:])):
            try_together(mpm, part)
    return attempts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpm", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--behind", nargs="*", metavar="OPERATOR")
    parser.add_argument("--together", type=int, default=1, metavar="N")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = [case for case in cases() if not options.only or case.kind in options.only]
    if options.behind is not None:
        before = [each for each in fronts() if not options.behind or each.kind in options.behind]
        chosen = [dataclasses.replace(case, front=front) for front in before for case in chosen if case.shape == front.shape]
    table = collections.defaultdict(collections.Counter)
    groups = list(groups_of(chosen, options.together))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for tried in pool.map(lambda attempts: try_together(options.mpm, attempts), groups):
            for attempt in tried:
                table[attempt.case.kind][attempt.word] += attempt.word != "not run"
                if attempt.word not in ("right", "not run"):
                    number = f"{attempt.images} of any number" if attempt.is_open else "one"
                    print(f"{attempt.word}: {attempt.case.words()}, {number}: {attempt.said[-150:]}", flush=True)
    total = sum(table.values(), collections.Counter())
    for kind, states in [*sorted(table.items()), ("all", total)]:
        print(f"{kind:28} " + ", ".join(f"{count} {word}" for word, count in states.items() if count))
    sys.exit(1 if set(+total) - {"right", "refused"} else 0)


if __name__ == "__main__":
    main()
