#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scene memory beside ONNX Runtime: full tokens, merging and a memory, of its full tokens' time (docs/memory.md).

Each round is a forward of ONNX Runtime in float32 behind one that is not timed, and the next frame of a drawn street
from frame to labels. Ratios are of sums over the rounds, since frames with a memory differ in what they compute.
"""

import argparse
import pathlib
import sys
import time

import environment
from configurations import ALL, REFERENCE, Case

STREET = "scene:?seed=3000001&hour=12&size=512x512&weather=fair"


def compare(asked, model, precision):
    reference = next(each for each in ALL if each.name == REFERENCE)
    case = Case(model.stem, "full", str(model))
    started = []
    try:
        started.append(reference.start(None, case, asked.threads, (1, 3, 512, 512), None))
        started.append(environment.Worker(
            f"{model.stem}-memory-{precision}", [asked.program, model, precision, asked.threads, asked.scene],
            asked.threads))  # fmt: skip
        runtime, ours = started
        runtime.ask(f"load {asked.picture}")
        ours.ask("run")  # computed in full
        rounds = []
        for _ in range(asked.rounds):
            runtime.ask("run")
            reference = runtime.ask("run")["ms"]
            time.sleep(asked.pause / 1000)  # its threads wait for more by going round
            rounds.append({"reference": reference, **ours.ask("run")})
    finally:
        for each in started:
            each.end()
    sums = {key: sum(each[key] for each in rounds) for key in rounds[0]}
    shares = " | ".join(f"{sums[key] / sums['reference']:.3f}" for key in ("full_ms", "merged_ms", "ms"))
    print(f"| {model.stem} | {precision} | {sums['reference'] / len(rounds):.1f} ms | {shares} | "
          f"{100 * sums['fresh'] / len(rounds):.1f}% |", flush=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=pathlib.Path, default=[environment.STREET_MODEL],
                        help="ONNX files for pictures of 512 x 512 (default: the street model; models.py makes others)")
    parser.add_argument("--precisions", default="fp32,bf16,int8")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--pause", type=int, default=100, metavar="MS", help="between the two (default: %(default)s)")
    parser.add_argument("--scene", default=STREET, help="the camera (default: %(default)s)")
    parser.add_argument("--build", type=pathlib.Path, default=environment.ROOT / "build" / "release")
    asked = parser.parse_args()  # fmt: skip
    environment.enter(__file__, sys.argv[1:])
    import numpy

    asked.program = environment.build(asked.build.resolve(), "mpm_memory_peer")[0].with_name("mpm-memory-peer")
    asked.picture = environment.WORK / "memory-picture"
    environment.blob(environment.street(asked.build / "cli" / "mpm"), 512, 512).astype(numpy.float32).tofile(asked.picture)
    print("| model | precision | ONNX Runtime | full tokens | merging | memory | patches computed |\n"
          "| --- | --- | ---: | ---: | ---: | ---: | ---: |")  # fmt: skip
    for model in asked.models:
        for precision in asked.precisions.split(","):
            compare(asked, model, precision)


if __name__ == "__main__":
    try:
        main()
    except (environment.Refusal, environment.Failed) as refusal:
        sys.exit(str(refusal))
