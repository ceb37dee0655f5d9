# SPDX-License-Identifier: Apache-2.0
"""What train.py can be told."""

import argparse
import os
import pathlib

import network
import phases
import torch

EXAMPLE = """example:
  python3 models/training/train.py --mpm build/release/cli/mpm --out build/street
"""
PHASES = "256x16:24000,512x8:4000"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def blocks(text):
    parts = text.split(",")
    if not all(part.isdecimal() and int(part) < network.DEPTH for part in parts):
        raise argparse.ArgumentTypeError(
            f"'{text}' names no blocks; numbers from 0 to {network.DEPTH - 1} do, as 2,5"
        )
    return tuple(sorted(set(map(int, parts))))


def share(text):
    try:
        if 0 <= float(text) <= 1:
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"'{text}' is not a share; give a number from 0 to 1, such as 0.25")


def parse(description, argv):
    parser = argparse.ArgumentParser(
        description=description, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--mpm", type=pathlib.Path, default=ROOT / "build/release/cli/mpm", metavar="PROGRAM",
        help="draws the streets (default build/release/cli/mpm)")  # fmt: skip
    add("--out", type=pathlib.Path, required=True, metavar="DIR", help="checkpoints and log")
    add("--start-from", type=pathlib.Path, metavar="MODEL.onnx",
        help="weights to begin with, of a street model; without it they are random")  # fmt: skip
    add("--phases", default=PHASES, metavar="WxB:STEPS,...",
        help=f"windows' side, how many at once, for how many steps (default {PHASES})")  # fmt: skip
    add("--rate", type=float, default=1e-3, help="peak learning rate (default 0.001)")
    add("--rare", type=float, default=4, metavar="TIMES",
        help="how often a rare class counts in cross-entropy, at most, to the median one (default 4)")  # fmt: skip
    add("--merge-before", default=(), metavar="N,N", type=blocks,
        help="blocks that --merge-share and --pairs are about, as 2,5 (default none)")  # fmt: skip
    add("--merge-share", type=share, default=0.25, metavar="SHARE",
        help="of the steps that merge tokens before those blocks (default 0.25)")  # fmt: skip
    add("--pairs", default=0, type=float, metavar="WEIGHT",
        help="in the loss, of pairs before those blocks that mix classes (default 0)")  # fmt: skip
    add("--seed", type=int, default=0, choices=range(10), metavar="0..9",
        help="of weights, windows and streets (default 0)")  # fmt: skip
    add("--size", type=int, default=512, help="side of the model's input (default 512)")
    add("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    add("--precision", choices=("bf16", "fp32"), default="bf16", help="(default bf16)")
    add("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    add("--validate-every", type=int, default=1000, metavar="STEPS")
    add("--validate-on", type=int, default=64, metavar="FRAMES")
    add("--save-every", type=int, default=250, metavar="STEPS")
    add("--stop-after", type=float, metavar="MINUTES", help="stop early; call again to go on")
    arguments = parser.parse_args(argv)
    try:
        arguments.phases = phases.parse(arguments.phases, arguments.size, network.PATCH)
    except ValueError as error:
        parser.error(str(error))
    if arguments.pairs and not arguments.merge_before:
        parser.error("--pairs needs the blocks before which tokens choose; --merge-before 2,5 names two")
    if not 0 <= arguments.pairs < float("inf"):
        parser.error(f"--pairs {arguments.pairs} is not a weight; give a number from 0 on, such as 1")
    return arguments
