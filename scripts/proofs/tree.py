# SPDX-License-Identifier: Apache-2.0
"""What is read of the source tree and of its build: public headers, lines, coverage, and compilers' time."""

import collections
import json
import re

from page import Differences, SAME, of_diffs, table

# By ending; a file without one is taken by its first line.
LANGUAGES = {".h": "C++", ".cpp": "C++", ".cu": "C++", ".cuh": "C++", ".py": "Python", ".md": "Markdown"}
FIRST_LINES = {"python": "Python", "bash": "shell", "sh": "shell"}
PARTED = ("mpm_layer", "monitor", "gui")  # folders each of whose folders is a room
PRODUCT = ("mpm_layer", "monitor", "gui", "cli", "models", "python")
LOST_POINTS = 1.0  # of coverage: what a room may lose without its being told
MORE_TIME, MORE_SECONDS = 0.1, 1.0  # of compiling: what one build may differ from the next by chance


def room_of(path):
    """mpm_layer/onnx, monitor/record, cli, models/scenes, docs, ...; of tests the same behind tests/."""
    parts = path.split("/")[:-1]
    begin, rest = (parts[:1], parts[1:]) if parts[:1] == ["tests"] else ([], parts)
    is_parted = rest[:1] and (rest[0] in PARTED or rest[:2] == ["models", "scenes"])
    return "/".join(begin + rest[: 2 if is_parted else 1]) or "."


def without_comments(text):
    """C++ without comments, strings left as they are, and without blank lines."""
    string_or_comment = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
    text = string_or_comment.sub(lambda found: found.group(1) or "", text)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def take_headers(taking):
    """The lines of each public header, by the name that programs include it by."""
    product, headers = taking.product, {}
    for path in product.tracked():
        if found := re.search(r"(?:^|/)include/(mpm/[^/]+\.h)$", path):
            if not path.startswith("tests/"):
                headers[found.group(1)] = without_comments((product.source / path).read_text())
    return headers


def compare_headers(old, new):
    return of_diffs(*({name: "\n".join(lines) for name, lines in each.items()} for each in (old, new)))


def language_of(path, text):
    ending = re.search(r"\.[^./]+$", path)
    if ending:
        return LANGUAGES.get(ending.group(0))
    first = re.match(r"#!\S*?(?:env )?([a-z]+)[0-9.]*\s", text)
    return FIRST_LINES.get(first.group(1)) if first else None


def take_lines(taking):
    """{room: {language: [files, lines]}}, and the sums of the product, the tests and all."""
    product = taking.product
    rooms = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for path in product.tracked():
        text = (product.source / path).read_bytes().decode(errors="replace")
        if not (language := language_of(path, text)):
            continue
        top = path.split("/", 1)[0]
        sums = ["all"] + (["all tests"] if top == "tests" else ["all of the product"] if top in PRODUCT else [])
        for room in [room_of(path), *sums]:
            rooms[room][language][0] += 1
            rooms[room][language][1] += text.count("\n")
    return {room: dict(of) for room, of in rooms.items()}


def ratio(old, new):
    return f"{new / old:.2f}" if old else "-"


def compare_lines(old, new):
    rows = []
    for room in sorted({*old, *new}):
        before, after = old.get(room, {}), new.get(room, {})
        for language in sorted({*before, *after}):
            (files, lines), (files_now, lines_now) = before.get(language, (0, 0)), after.get(language, (0, 0))
            if (files, lines) != (files_now, lines_now):
                rows.append((room, language, files, files_now, lines, lines_now, ratio(lines, lines_now)))
    rows.sort(key=lambda row: not row[0].startswith("all"))
    head = ("room", "language", "old files:", "new files:", "old lines:", "new lines:", "ratio:")
    return Differences(len(rows), table(head, rows))


def take_coverage(taking):
    """[lines, lines that tests ran] of each room, of a summary that gcovr wrote."""
    rooms = collections.defaultdict(lambda: [0, 0])
    for file in json.loads(taking.asked.coverage.read_text())["files"]:
        path = file["filename"].removeprefix(f"{taking.product.source}/")
        for room in (room_of(path), "all"):
            rooms[room][0] += file["line_total"]
            rooms[room][1] += file["line_covered"]
    return dict(rooms)


def compare_coverage(old, new):
    rows, lost = [], 0
    for room in sorted({*old, *new}, key=lambda room: (room != "all", room)):
        before, after = ((100 * of[room][1] / of[room][0]) if room in of and of[room][0] else None for of in (old, new))
        if old.get(room) == new.get(room):
            continue
        points = after - before if before is not None and after is not None else None
        is_lost = points is not None and points < -LOST_POINTS
        lost += is_lost
        rows.append((room, *("-" if each is None else f"{each:.1f}%" for each in (before, after)),
                     "-" if points is None else f"{points:+.1f}", f"lost more than {LOST_POINTS:g}" if is_lost else ""))
    return Differences(lost, table(("room", "old:", "new:", "points:", ""), rows))


def take_compile(taking):
    """Processor seconds by target, the slowest sources, and the sum; of an object that was compiled again the last."""
    seconds = {}
    for line in taking.asked.compile_log.read_text(errors="replace").splitlines():
        times = re.match(r"([0-9.]+) ([0-9.]+) ", line)
        into = re.search(r" -o (\S*CMakeFiles/([^/ ]+)\.dir/(\S+))", line)
        if times and into:
            seconds[into.group(1)] = (into.group(2), into.group(3), float(times.group(1)) + float(times.group(2)))
    targets = collections.Counter()
    for target, _, taken in seconds.values():
        targets[target] += taken
    slowest = sorted(((taken, f"{target}: {name}") for target, name, taken in seconds.values()), reverse=True)[:5]
    return {"targets": {target: round(taken, 1) for target, taken in targets.items()}, "objects": len(seconds),
            "slowest": [[name, round(taken, 1)] for taken, name in slowest], "sum": round(sum(targets.values()), 1)}


def compare_compile(old, new):
    """Differences are what is more than a tenth and a second apart: two builds of the same differ by less."""
    targets = [dict(of["targets"]) | {"all": of["sum"]} for of in (old, new)]
    rows = []
    for target in {*targets[0], *targets[1]}:
        was, now = (of.get(target, 0) for of in targets)
        if abs(now - was) > max(MORE_SECONDS, MORE_TIME * was):
            rows.append((target, was, now, ratio(was, now)))
    if not rows:
        return SAME
    rows.sort(key=lambda row: (row[0] != "all", -max(row[1:3])))
    slowest = [(*before, *after) for before, after in zip(old["slowest"], new["slowest"])]
    text = table(("target", "old s:", "new s:", "ratio:"), rows)
    text += f"\n{old['objects']} objects, now {new['objects']}; the slowest:\n\n"
    return Differences(len(rows), text + table(("old", "s:", "new", "s:"), slowest))
