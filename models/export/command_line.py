# SPDX-License-Identifier: Apache-2.0
"""What every program of this folder has: sentences for what is wrong, and options."""

import argparse
import pathlib
import sys


class Refusal(Exception):
    """One sentence that names what was wrong and what would be right."""


def run(main):
    """Ends the program with main's exit status; a Refusal is a sentence and status 1."""
    try:
        sys.exit(main())
    except Refusal as refusal:
        print(f"{pathlib.Path(sys.argv[0]).name}: {refusal}", file=sys.stderr)
        sys.exit(1)


def size(text):
    """An argparse type: 512x384 is width x height; gives (height, width)."""
    try:
        width, height = (int(part) for part in text.lower().split("x"))
        if width > 0 and height > 0:
            return height, width
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"'{text}' is not a size; WIDTHxHEIGHT is, as 512x384")


def positive(text):
    """An argparse type: a whole number above 0."""
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


def make_parser(description, example):
    return argparse.ArgumentParser(
        description=description,
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
