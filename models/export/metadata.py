#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a program has to know of a model into the ONNX file itself, as metadata_props.

mpm.mean, mpm.std      of red, green, blue in 0..1, three numbers with commas
mpm.channel_order      RGB or BGR
mpm.classes            names of the classes, one a line
mpm.palette            their colours, #rrggbb, one a line
mpm.patch              side of a patch, in pixels
mpm.licence            of the weights
mpm.data               what it was trained on, in a few words
mpm.confidence         the mean confidence that nearly all pictures of its own data reach, as 0.95
"""

import os
import pathlib
import re
import shutil
import tempfile

import command_line
from command_line import Refusal

HALF = ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
KEYS = (
    "mpm.mean",
    "mpm.std",
    "mpm.channel_order",
    "mpm.classes",
    "mpm.palette",
    "mpm.patch",
    "mpm.licence",
    "mpm.data",
    "mpm.confidence",
)


def picture(mean, std):
    """The entries that say how a picture becomes the input."""
    return {
        "mpm.mean": ",".join(f"{value:g}" for value in mean),
        "mpm.std": ",".join(f"{value:g}" for value in std),
        "mpm.channel_order": "RGB",
    }


CLASSES = pathlib.Path(__file__).resolve().parent.parent / "classes"


def class_names(word):
    """The names of a public data set's classes, as ade20k, or the lines of a file."""
    return listed(CLASSES, word)


def palette(word):
    """A public data set's colours of its classes, as cityscapes, or the lines of a file."""
    return listed(CLASSES / "palettes", word)


def listed(folder, word):
    known = {path.stem: path for path in folder.glob("*.txt")}
    return read_lines(known.get(word, word))


def read_lines(path):
    """A file's lines, without the empty ones at its end."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8").rstrip().replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"{path} cannot be read as text: {error}.")


def check(properties):
    """Refuses what a reader would not understand."""
    for key, value in properties.items():
        if key not in KEYS:
            raise Refusal(f"there is no key {key}; there are {', '.join(KEYS)}.")
        if key in ("mpm.mean", "mpm.std") and not is_triple(value, key == "mpm.std"):
            raise Refusal(f"{key} is '{value}'; give three numbers, such as 0.5,0.5,0.5.")
        if key == "mpm.channel_order" and value not in ("RGB", "BGR"):
            raise Refusal(f"{key} is '{value}'; write RGB or BGR.")
        if key == "mpm.patch" and not (value.isdigit() and int(value) > 0):
            raise Refusal(f"{key} is '{value}'; give a number of pixels, such as 16.")
        if key == "mpm.confidence" and not is_share(value):
            raise Refusal(f"mpm.confidence is '{value}'; give a share, such as 0.95.")
        if key == "mpm.palette":
            for colour in value.split("\n"):
                if not re.fullmatch("#[0-9a-fA-F]{6}", colour):
                    raise Refusal(f"mpm.palette holds '{colour}'; write #rrggbb.")
    classes, palette = properties.get("mpm.classes"), properties.get("mpm.palette")
    if classes and palette and classes.count("\n") != palette.count("\n"):
        raise Refusal(
            f"there are {classes.count(chr(10)) + 1} classes and {palette.count(chr(10)) + 1} "
            f"colours; give as many."
        )


def is_triple(text, positive):
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        return False
    low = 0 if positive else -1e9
    return len(values) == 3 and all(low < value < 1e9 for value in values)


def is_share(text):
    try:
        return 0 < float(text) < 1
    except ValueError:
        return False


def read(path):
    """The metadata of a file: {key: value}."""
    return {entry.key: entry.value for entry in load(path).metadata_props}


def load(path):
    import onnx
    from google.protobuf.message import DecodeError

    try:
        return onnx.load(str(path), load_external_data=False)
    except OSError as error:
        raise Refusal(f"{path} cannot be read: {error.strerror}.")
    except DecodeError:
        raise Refusal(f"{path} is not an ONNX file.")


def write(path, properties):
    """Sets these entries; others stay."""
    model = load(path)
    present = {entry.key: entry.value for entry in model.metadata_props}
    present.update(properties)
    check({key: value for key, value in present.items() if key.startswith("mpm.")})
    del model.metadata_props[:]
    for key, value in present.items():
        model.metadata_props.add(key=key, value=value)
    save(model, path)


def save(model, path):
    """Writes the file whole or not at all: on a full disk the one that was there stays."""
    import onnx

    path = pathlib.Path(path).resolve()
    try:
        with tempfile.TemporaryDirectory(prefix=".mpm-", dir=path.parent) as folder:
            whole = pathlib.Path(folder) / path.name
            onnx.save(model, str(whole))
            if path.exists():
                shutil.copymode(path, whole)
            os.replace(whole, path)
    except OSError as error:
        raise Refusal(f"{path} cannot be written: {error.strerror}.")


def make_parser():
    parser = command_line.make_parser(
        __doc__, "python3 metadata.py segmenter.onnx --set licence=MIT --class-names ade20k"
    )
    parser.add_argument("model", metavar="MODEL", help="ONNX file, changed in place")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="with or without mpm. before the key; \\n in a value is a new line",
    )
    parser.add_argument(
        "--class-names",
        metavar="FILE",
        help="for mpm.classes, one a line; or ade20k, cityscapes, pascal-context",
    )
    parser.add_argument(
        "--palette", metavar="FILE", help="for mpm.palette, #rrggbb a line; or ade20k, cityscapes"
    )
    return parser


def main(argv=None):
    parser = make_parser()
    arguments = parser.parse_args(argv)
    properties = {}
    for entry in arguments.set:
        key, equals, value = entry.partition("=")
        if not equals:
            parser.error(f"--set {entry} has no value; write --set KEY=VALUE")
        key = key if key.startswith("mpm.") else f"mpm.{key}"
        properties[key] = value.replace("\\n", "\n")
    if arguments.class_names:
        properties["mpm.classes"] = class_names(arguments.class_names)
    if arguments.palette:
        properties["mpm.palette"] = palette(arguments.palette)
    if properties:
        write(arguments.model, properties)
    for key, value in read(arguments.model).items():
        lines = value.split("\n")
        print(f"{key}: {lines[0]}" + (f" ... ({len(lines)} lines)" if len(lines) > 1 else ""))
    return 0


if __name__ == "__main__":
    command_line.run(main)
