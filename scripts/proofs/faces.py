# SPDX-License-Identifier: Apache-2.0
"""What the commands show: their help, and the JSON of each that has some, on small inputs."""

import collections
import json
import re

from page import GONE, Differences, changed_paths, diff, pair_of, table
from product import json_text, rounded
from record import make_record

# Keys whose values are measured or are facts of the machine: numbers and words under them are replaced by their type,
# however deep they lie. By command; those of "" hold for all.
MEASURED = {
    "": {"ms", "fps", "ratio", "median_ms", "p95_ms", "mean_ms", "network_ms", "full_ms", "unmerged_ms", "merged_ms", "steps_ms",
         "times_ms", "gemm_peak_gflops", "machine", "machines", "threads", "worst", "memory_bytes"},
    # A schedule is judged on as many frames as there was time for.
    "tune": {"runs", "close", "front", "pays", "helps", "agreement", "rows"},
}
BY_TIME = {"tune"}  # commands that sort their schedules by time
FAILED = "failed"
DIGITS = 3  # of other numbers that are not whole

# One command line. `masked`: all its numbers depend on how fast the machine is. `only`: the keys that do not depend on
# what was found fastest. `is_prepared`: it writes files for others and shows no JSON. `was`: the same until 0.1, under
# which its JSON is compared.
Run = collections.namedtuple("Run", "words was masked only is_prepared", defaults=("", False, (), False))

SMALL = "--input-size 128x128"
STREET = "scene:?seed=7&hour=12&size=128x128"
FAST = "--target-fps 0.001"
RUNS = [
    Run("mpm-scene --seed 7 --hours 0..24 --count 4 --size 128x128 --out day --json",
        "mpm scene --seed 7 --hours 0..24 --count 4 --size 128x128 --out day --json"),
    Run("mpm-scene --seed 7 --hour 9 --weather rain --overlay --jpeg --size 64x64 --out rain --json",
        "mpm scene --seed 7 --hour 9 --weather rain --puddles --overlay --jpeg --size 64x64 --out rain --json"),
    Run("mpm convert street.onnx -o converted.onnx --merge-before 2,5", is_prepared=True),
    Run("mpm teach --backbone vit.onnx --frames day/images --labels day/labels --classes day/classes.txt --restart "
        "-o taught.onnx",
        "mpm teach --backbone vit.onnx --frames day/images --labels day/labels --classes day/classes.txt --anew "
        "-o taught.onnx", is_prepared=True),
    Run("mpm info street.onnx --json"),
    Run("mpm info converted.onnx --json"),
    Run("mpm info taught.onnx --json"),
    Run("mpm info refused.onnx --json"),
    Run(f"mpm segment street.onnx day/images/seed7_h1200.png --out labelled {SMALL} --json"),
    Run(f"mpm segment street.onnx day/images --out remembered --memory on {SMALL} --json",
        f"mpm segment street.onnx day/images --out remembered --memory {SMALL} --json"),
    Run(f"mpm segment street.onnx day/images/seed7_h1200.png --out windows --fit slide --short-side 160 --stride 128 "
        f"{SMALL} --json",
        f"mpm segment street.onnx day/images/seed7_h1200.png --out windows --fit slide --short-side 160 {SMALL} --json"),
    Run("mpm segment depth.onnx day/images/seed7_h1200.png --out depth --json"),
    Run(f"mpm bench street.onnx {SMALL} --count 2 --merge-before 2,5 --precision fp32 --precision int8 --json",
        f"mpm bench street.onnx {SMALL} --runs 2 --merge-before 2,5 --precision fp32 --precision int8 --json -"),
    Run(f"mpm bench street.onnx {SMALL} --count 3 --frames {STREET} --precision fp32 --json",
        f"mpm bench street.onnx {SMALL} --runs 3 --frames {STREET} --precision fp32 --json -"),
    Run(f"mpm tune street.onnx day/images {SMALL} --count 2 --merges 1,2 {FAST} --precision fp32 --json",
        f"mpm tune street.onnx day/images {SMALL} --frames 2 --merges 1,2 {FAST} --precision fp32 --json -"),
    Run(f"mpm tune street.onnx day/images {SMALL} --count 4 --merges 1 {FAST} --precision int8 --json",
        f"mpm tune street.onnx day/images {SMALL} --frames 4 --merges 1 {FAST} --precision int8 --json -"),
    Run(f"mpm tune street.onnx day/images {SMALL} --count 2 --merges 1 {FAST} --precision auto --json",
        f"mpm tune street.onnx day/images {SMALL} --frames 2 --merges 1 {FAST} --precision auto --json -",
        only=("precisions",)),
    Run(f"mpm eval street.onnx day --format folder {SMALL} --json",
        f"mpm eval street.onnx day --format folder --small person,lamp --locality 1 {SMALL} --json"),
    Run("mpm-demo --count 2 --out demo --json", "mpm demo --frames 2 --out demo --json"),
    Run(f"mpm watch street=day/images --replay {SMALL} --json",
        f"mpm monitor street=day/images --replay {SMALL} --json"),
    Run(f"mpm watch {STREET}&clock=600x --for 1.5 {SMALL} --json",
        f"mpm monitor {STREET}&clock=600x --for 1.5 {SMALL} --json", masked=True),
] + [
    Run(f"mpm record export record.sqlite --source gate --what {what} --json",
        f"mpm export record.sqlite --source gate --what {what} --json")
    for what in ("series --resolution day", "day-night --to 2026-11-05", "events", "snapshots", "runs")
]
MODELS = {"street.onnx": "models/street.onnx", "vit.onnx": "tests/models/timm_vit.onnx",
          "depth.onnx": "tests/models/hf_depth_anything.onnx", "refused.onnx": "tests/models/refused_cnn.onnx"}


def helps(product):
    """The help of each program and command by its command line."""
    found = {}

    def add(*words):
        program, *commands = words
        told = found[" ".join(words) + " --help"] = product.run(*commands, "--help", program=product.named(program))[1]
        listed = re.search(r"^Subcommands:\n((?:  .*\n)*)", told, re.MULTILINE)
        for name in re.findall(r"^  (\S+)", listed.group(1) if listed else "", re.MULTILINE):
            add(*words, name)

    for program in ("mpm", "mpm-scene", "mpm-demo"):
        if product.named(program).exists():
            add(program)
    return found


def mask(value):
    """The type of a value instead of it; of lists that of their items once."""
    if isinstance(value, dict):
        return {key: mask(each) for key, each in value.items()}
    if isinstance(value, list):
        masks = [mask(each) for each in value]
        return [each for i, each in enumerate(masks) if each not in masks[:i]]
    if isinstance(value, bool):
        return "<bool>"
    return "<number>" if isinstance(value, (int, float)) else "<text>" if isinstance(value, str) else value


def settled(value, command, masked):
    """A value of which what is measured has only its type, and other numbers few digits."""
    if isinstance(value, dict):
        measured = MEASURED[""] | MEASURED.get(command, set())
        return {key: mask(each) if key in measured else settled(each, command, masked) for key, each in value.items()}
    if isinstance(value, list):
        items = [settled(each, command, masked) for each in value]
        have_schedules = all(isinstance(each, dict) and "schedule" in each for each in items)
        is_by_time = command in BY_TIME and have_schedules
        return sorted(items, key=lambda each: each["schedule"]) if is_by_time else items
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return "<number>" if masked else rounded(value, DIGITS) if isinstance(value, float) else value


def parsed(text):
    """A document, or the documents of lines."""
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]


def shown_by(product, run):
    program, *words = (run.was if product.is_old and run.was else run.words).split()
    status, text, said = product.run(*words, program=product.named(program))
    try:
        value = settled(parsed(text), run.words.split()[1], run.masked) if text and not run.is_prepared else None
    except ValueError:
        value = "no JSON"
    if isinstance(value, dict) and run.only:
        value = {key: value[key] for key in run.only if key in value}
    return value if status == 0 else {FAILED: f"status {status}: {said}", "shown": value}


def take_faces(taking):
    product = taking.product
    for name, model in MODELS.items():
        (product.scratch / name).symlink_to(product.source / model)
    make_record(product.scratch / "record.sqlite")
    shown = {}
    for run in RUNS:
        if (value := shown_by(product, run)) is not None:
            shown[run.was or run.words] = value
    told = helps(product)
    tried = [words for run in RUNS if not run.is_prepared for words in (run.words, run.was)]
    for line, text in told.items():
        command = line.removesuffix("--help")
        if re.search(r"^ +--json\b", text, re.MULTILINE) and not any(words.startswith(command) for words in tried):
            shown[command.strip()] = "has --json, and scripts/proofs/faces.py has no command line for it"
    text = "".join(f"$ {line}\n{text.rstrip()}\n\n" for line, text in told.items())
    return {"help.txt": text, "json.json": json_text(shown)}


def help_parts(text):
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    return {part.split("\n", 1)[0]: part.split("\n", 1)[1] for part in parts if part}


def json_changes(old, new):
    """By command line the paths that changed: those that differ by a list's place alone are told once."""
    for line in sorted({*old, *new}):
        failed = [isinstance(each.get(line), dict) and FAILED in each[line] for each in (old, new)]
        if failed[0] != failed[1]:
            yield line, "all", *(each[line][FAILED] if fails else "it succeeds" if line in each else GONE
                                 for each, fails in zip((old, new), failed))
            continue
        places = collections.defaultdict(list)
        for path, was, now in changed_paths(*({"": each[line]} if line in each else {} for each in (old, new))):
            places[re.sub(r"\[\d+\]", "[]", path).lstrip(".") or "all"].append((was, now))
        for path, pairs in places.items():
            yield line, path if len(pairs) == 1 else f"{path} ({len(pairs)} times)", *pair_of(*pairs[0])


def compare_faces(old, new):
    before, after = (help_parts(each.get("help.txt", "")) for each in (old, new))
    parts = []
    for line in sorted({*before, *after}):
        if before.get(line) != after.get(line):
            parts.append(f"**{line}**\n\n" + diff(before.get(line, "").splitlines(), after.get(line, "").splitlines()))
    changes = list(json_changes(*(json.loads(each.get("json.json", "{}")) for each in (old, new))))
    if changes:
        parts.append("JSON:\n\n" + table(("command", "key", "old", "new"), changes))
    return Differences(len(parts) - bool(changes) + len(changes), "\n".join(parts))
