# SPDX-License-Identifier: Apache-2.0
"""Turns callers' arguments into what the extension takes. What does not fit is refused here, in one sentence."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from typing import Any

PathLike = str | os.PathLike[str]
Blocks = str | Iterable[int]


def shown(value: Any) -> str:
    """What was given, on one line."""
    line = " ".join(repr(value).split())
    return line if len(line) <= 60 else line[:57] + "..."


def path_text(path: PathLike) -> str:
    """A path as the extension takes it."""
    text = os.fsdecode(os.fspath(path))
    if "\0" in text:
        raise ValueError(f"{shown(text)}: a path has no null character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{shown(text)}: its name is not UTF-8; please rename it") from None
    return text


def model_path(model: PathLike) -> str:
    """The path of a file that is there."""
    path = path_text(model)
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path or repr(path)}: there is no such file")
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path}: it is a folder; expected an ONNX file")
    return path


def whole(value: Any, name: str) -> int:
    """A whole number; a bool is not one."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name}: expected a whole number, got {type(value).__name__}")
    if not -(2**31) <= number < 2**31:
        raise ValueError(f"{name}: {number} is too large")
    return number


def pair(value: Any, name: str, meaning: str) -> tuple[int, int]:
    try:
        first, second = value
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected {meaning}, got {shown(value)}") from None
    return whole(first, name), whole(second, name)


def size(value: Any) -> tuple[int, int]:
    width, height = pair(value, "input_size", "(width, height)")
    if width < 1 or height < 1:
        raise ValueError(f"input_size: {width} x {height} is no size; None is the model's own")
    return width, height


def blocks(value: Blocks) -> list[int]:
    """[2, 5], "2,5" or "none"."""
    if isinstance(value, str):
        words = [] if value.strip() == "none" else value.replace(",", " ").split()
        if not all(word.isdecimal() for word in words) or (not words and value.strip() != "none"):
            raise ValueError(f"merge_before: {shown(value)} is not a list of blocks; give [2, 5], '2,5', or 'none'")
        return sorted({whole(int(word), "merge_before") for word in words})
    try:
        numbers = [whole(each, "merge_before") for each in value]
    except TypeError:
        raise TypeError(f"merge_before: expected blocks, such as [2, 5], got {shown(value)}") from None
    if any(number < 0 for number in numbers):
        raise ValueError(f"merge_before: {min(numbers)} is not a block; they are counted from 0")
    return sorted(set(numbers))


def choice(value: Any, name: str, allowed: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}: expected one of {', '.join(map(repr, allowed))}, got {shown(value)}")
    return value


def text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a string, got {type(value).__name__}")
    return value


def colour(value: Any, name: str) -> list[float] | None:
    if value is None:
        return None
    try:
        numbers = [float(each) for each in value]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 3:
        raise ValueError(f"{name}: expected three numbers for colours from 0 to 1, got {shown(value)}")
    return numbers


def palette(value: Any) -> list[list[int]] | None:
    if value is None:
        return None
    colours = [[whole(number, "palette") for number in colour] for colour in value]
    if any(len(colour) != 3 or not all(0 <= number <= 255 for number in colour) for colour in colours):
        raise ValueError("palette: expected three numbers from 0 to 255 for each class: blue, green, red")
    return colours


def reading(
    merge_before: Blocks | None,
    restore: str,
    proportional: bool,
    input_size: tuple[int, int] | None,
    device: str = "",
    precision: str = "",
    check: bool = False,
) -> dict[str, Any]:
    """The options of mpm::ReadOptions."""
    return {
        "merge_before": None if merge_before is None else blocks(merge_before),
        "restore": choice(restore, "restore", ("late", "early")),
        "proportional": bool(proportional),
        "input_size": None if input_size is None else size(input_size),
        "device": text(device, "device"),
        "precision": text(precision, "precision"),
        "check": bool(check),
    }
