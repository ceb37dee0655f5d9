#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs models of one node each with `mpm run` and with ONNX Runtime, and prints a table by operator.

    python3 try_operators.py --mpm build/release/cli/mpm [--only OPERATOR ...] [--jobs N]

What the OpenCV that mpm was built with reads rightly, as this library hands it over: each node with one image, and with one
and two where their number is open. Needs numpy, onnx and onnxruntime. A node that ONNX Runtime does not run is left out. Ends with
1 where one crashes, has another shape, or lies further than 1e-4 of the largest element off; one that is refused in a
sentence is counted.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import sys
import tempfile

import numpy
import onnxruntime
from operators import cases
from try_zoo import LARGEST_ERROR, compare, run


def outputs_of(bytes_of_model, image):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(bytes_of_model, options, providers=["CPUExecutionProvider"])
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, {"x": image})))


def state_of(mpm, path, model, image):
    """A word, and what was said."""
    try:
        expected = outputs_of(model, image)
    except Exception as error:  # noqa: BLE001 - whatever it is that it does not run
        return "not run", str(error).splitlines()[0]
    path.write_bytes(model)
    outputs, said = run(mpm, path, {"x": image})
    if isinstance(outputs, str):
        return outputs, said
    expected = {name: value.astype(numpy.float32) for name, value in expected.items()}
    error = compare(expected, outputs)
    if isinstance(error, str):
        return error.split()[0], error
    return ("right", "") if error <= LARGEST_ERROR else ("WRONG", f"{error:.1e}")


def try_case(mpm, case):
    """(case, how many images, their number is open, word, sentence) for each way to run it."""
    found = []
    chance = numpy.random.default_rng(2)
    with tempfile.TemporaryDirectory() as folder:
        for batch, images in ((1, 1), ("N", 1), ("N", 2)):
            if case.closed and batch == "N":
                continue
            image = chance.standard_normal((images, *case.shape)).astype(numpy.float32)
            model = case.model(batch).SerializeToString()
            found.append((case, images, batch == "N", *state_of(mpm, pathlib.Path(folder, "m.onnx"), model, image)))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpm", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = [case for case in cases() if not options.only or case.kind in options.only]
    table = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(lambda case: try_case(options.mpm, case), chosen):
            for case, images, is_open, word, said in found:
                table[case.kind][word] += word != "not run"
                if word not in ("right", "not run"):
                    number = f"{images} of any number" if is_open else "one"
                    print(f"{word}: {case.words()}, {number}: {said[-150:]}", flush=True)
    total = sum(table.values(), collections.Counter())
    for kind, states in [*sorted(table.items()), ("all", total)]:
        print(f"{kind:28} " + ", ".join(f"{count} {word}" for word, count in states.items() if count))
    sys.exit(1 if set(+total) - {"right", "refused"} else 0)


if __name__ == "__main__":
    main()
