# SPDX-License-Identifier: Apache-2.0
"""What the Python peers share: a process that obeys lines and answers each with a line of JSON.

    load FILE      the input: float32 as it stands in memory
    run            one forward, timed: milliseconds, CPU milliseconds, live rows
    save PREFIX    writes PREFIX.output and, where the peer merges, PREFIX.map; gives their shapes

A peer is an object with version, load(array), forward(), output(), map() and rows().
"""

import json
import os
import sys
import time

import numpy


def first_line(error):
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].strip()


def obey(peer, options, command, argument):
    if command == "load":
        peer.load(numpy.fromfile(argument, numpy.float32).reshape(options["shape"]))
        return {}
    if command == "run":
        cpu, start = time.process_time_ns(), time.perf_counter_ns()
        peer.forward()
        elapsed = time.perf_counter_ns() - start
        cpu = time.process_time_ns() - cpu
        return {"ms": elapsed / 1e6, "cpu_ms": cpu / 1e6, "rows": peer.rows()}
    if command == "save":
        shapes = []
        for name, values in (("output", peer.output()), ("map", peer.map())):
            if values is not None:
                values = numpy.ascontiguousarray(values, numpy.float32)
                values.tofile(f"{argument}.{name}")
                shapes.append(values.shape)
        return {"shapes": shapes}
    raise ValueError(f"there is no command '{command}'")


class Full:
    """A peer that doesn't merge."""

    def rows(self):
        return []

    def map(self):
        return None


def serve(make):
    """Makes the peer of the options in the first argument and obeys standard input until it ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a library prints goes to the log
    try:
        options = json.loads(sys.argv[1])
        peer = make(options)
        print(json.dumps({"version": peer.version}), file=answers)
        for line in sys.stdin:
            command, _, argument = line.strip().partition(" ")
            print(json.dumps(obey(peer, options, command, argument)), file=answers)
    except Exception as error:  # a library raises whatever it likes; all of it is an answer
        print(json.dumps({"failed": first_line(error)}), file=answers)
        sys.exit(1)
