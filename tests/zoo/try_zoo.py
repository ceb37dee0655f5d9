#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every model of a folder with `mpm run` and with ONNX Runtime, and prints a table.

    python3 try_zoo.py FOLDER --mpm build/release/cli/mpm [--only TEXT] [--every N] [--json FILE]

Without merging every output has to have ONNX Runtime's shape and lie within 1e-4 of it, relative to
how far two images lie apart (or a thousandth of its largest value), for one image and, where the batch is open, for two.
What lies further off is told apart: `ROUNDING` where ONNX Runtime's own output moves by a quarter as much when it is rounded or
each pixel of the image is, as nets of random weights do that hardly tell images apart, and `OFF` elsewhere. A model that is refused has
to be refused in a sentence. With merging outputs have to be finite and of the same shapes. Files of whole numbers (ways `int8...`) and of
float16 (`half`) are computed here as the floats that these stand for, and may lie twice as far off as ONNX Runtime's own outputs lie from
those of the file that they were made of (`INT8`, `HALF`). Ends
with 1 where a model crashes, gives another shape or lies further off than by ROUNDING, and where too few
plain ViTs merge. The share of varied ones (families/family.py says what these are), and that of both, are printed below it. Each line
says of which kind a file's family is, and ends with how many layers of the net are
this library's, and how many OpenCV's.

Other OpenCVs: `--mpm tests/zoo/mpm_of_debian13` is 4.10 as scripts/debian13-test built it, and `--mpm tests/zoo/mpm_with_cv2.py`
the cv2 of pip.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnxruntime
from outputs import file_name

LARGEST_ERROR = 1e-4
MOST_OF_FEW_BITS = 2
FEW_BITS = ("int8", "half")  # how the ways begin that write numbers with fewer bits, to be computed in them
LEAST_MERGED = 0.85  # of few files, which all have other exporters; of all it is 0.97
REFUSED = "int4"  # the way whose files are not read
MOST_SECONDS = 1200  # of a run; what takes longer hangs. On a machine with much else to do seconds become minutes
ROUNDINGS = 4  # by how many of a pixel's roundings an output may be moved


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    # Its optimiser makes something else of BatchNormalization in training mode, as BiT's weights have it.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run(mpm, path, inputs, *more):
    """The outputs by name, or a word for what happened instead and a sentence."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        command = [mpm, "run", path, "--out", folder / "out", *more]
        for i, (name, values) in enumerate(inputs.items()):
            numpy.save(folder / f"{i}.npy", values.astype(numpy.float32))
            command += ["--input", f"{name}={folder / f'{i}.npy'}"]
        try:
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            return "hangs", ""
        said = done.stderr.strip().splitlines()
        if done.returncode < 0:
            return "CRASH", f"signal {-done.returncode}"
        if done.returncode != 0:
            return "refused", said[-1] if said else ""
        return {found.name: numpy.load(found) for found in (folder / "out").glob("*.npy")}, ""


def compare(expected, outputs, others=None):
    """The largest error, relative to how far an output is from that of another image and at least a
    thousandth of its largest value, or what is wrong."""
    worst = 0.0
    for name, right in expected.items():
        if file_name(name) not in outputs:
            return f"lacks {name}"
        found = outputs[file_name(name)]
        # A Mat has two axes at least.
        if found.shape != right.shape and not (right.ndim < 2 and found.size == right.size):
            return f"SHAPE {list(found.shape)} for {list(right.shape)}"
        if not numpy.isfinite(found).all():
            return "NOT FINITE"
        right = right.astype(numpy.float64)
        scale = abs(right).max() if right.size else 1
        if others is not None and others[name].shape == right.shape:
            scale = max(scale / 1000, abs(right - others[name]).max())
        worst = max(worst, float(abs(found.reshape(right.shape) - right).max(initial=0) / (scale or 1)))
    return worst


def moved_by_rounding(session, inputs, expected, others):
    """By how much ONNX Runtime's own outputs move, measured as `compare` does: when they are rounded themselves, and
    at most of three tries when the image is."""
    chance = numpy.random.default_rng(2)
    moved = [
        [numpy.nextafter(right, numpy.inf) if right.dtype.kind == "f" else right for right in expected.values()]
    ]
    for _ in range(3):
        rounded = {
            name: (values * (1 + chance.choice([-1, 1], values.shape) * 2.0**-23)).astype(values.dtype)
            for name, values in inputs.items()
        }
        moved.append(session.run(list(expected), rounded))
    return max(compare(expected, dict(zip(map(file_name, expected), found)), others) for found in moved)


def moved_by_few_bits(path, inputs, expected, others):
    """How far ONNX Runtime's outputs lie from those of the file in floats; 0 where this one is in floats itself."""
    name, way = path.name.split(".")[:2]
    beside = (path.with_name(f"{name}.ts17.onnx"), path.parent / "floats" / f"{name}.ts17.onnx")
    source = next((each for each in beside if each.exists()), beside[0])
    if not way.startswith(FEW_BITS) or not source.exists():
        return 0.0
    floats = session_of(source).run(list(expected), inputs)
    return compare(expected, dict(zip(map(file_name, expected), floats)), others)


class Row:
    def __init__(self, path):
        self.path = path
        self.errors = {}
        self.rounding = 0.0
        self.of_few_bits = 0.0  # how far they take ONNX Runtime's outputs
        self.said = ""
        self.merges = "-"
        self.layers = ""

    def found(self, kind):
        """What the table shows, for programs."""
        word = next((error for error in self.errors.values() if isinstance(error, str)), self.state().split()[0])
        worst = max((error for error in self.errors.values() if isinstance(error, float)), default=None)
        return {"verdict": word, "error": worst, "kind": kind, "merges": self.merges, "layers": self.layers, "said": self.said}

    def state(self):
        texts = [text for text in self.errors.values() if isinstance(text, str)]
        if texts:
            return texts[0]
        worst = max(self.errors.values(), default=0.0)
        if worst <= LARGEST_ERROR:
            return "right"
        if worst <= MOST_OF_FEW_BITS * self.of_few_bits:
            return f"{self.path.name.split('.')[1][:4].upper()} {worst:.1e}"
        return f"{'ROUNDING' if worst <= ROUNDINGS * self.rounding else 'OFF'} {worst:.1e}"


TYPES = {"tensor(float)": "f4", "tensor(float16)": "f2", "tensor(uint8)": "u1", "tensor(int64)": "i8", "tensor(bool)": "?"}


def noise(chance, source, batch, fallback):
    """For an input: numbers around zero, or those of a picture."""
    fallback = (fallback * 2)[: len(source.shape)]
    sizes = [size if isinstance(size, int) else other for size, other in zip(source.shape, fallback)]
    if sizes and not isinstance(source.shape[0], int):
        sizes[0] = batch
    kind = numpy.dtype(TYPES[source.type])
    if kind.kind == "f":
        return chance.standard_normal(sizes, dtype=numpy.float32).astype(kind)
    return chance.integers(0, 256 if kind.kind == "u" else 2, sizes).astype(kind)


def turned(values):
    """Another picture of the same values."""
    return values[..., ::-1].copy() if values.ndim > 1 else values


def described(mpm, path):
    """What `mpm info` says of a file, nothing where it is refused; and a word for what happened instead."""
    try:
        done = subprocess.run([str(mpm), "info", "--json", str(path)], capture_output=True, text=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return {}, "hangs"
    if done.returncode < 0:
        return {}, f"CRASH by signal {-done.returncode}"
    return (json.loads(done.stdout) if done.returncode == 0 else {}), ""


def layers_of(description):
    """Whose layers the net is made of: "12 ours (1 Subgraph), 8 OpenCV's"."""
    layers = description.get("layers") or {}
    ours = sum(count for kind, count in layers.items() if kind.startswith("mpm."))
    graphs = layers.get("mpm.Subgraph", 0)
    note = f" ({graphs} Subgraph)" if graphs else ""
    return f"{ours} ours{note}, {sum(layers.values()) - ours} OpenCV's" if layers else ""


def is_too_short(said):
    """Whether a schedule names blocks that the encoder does not have, or that it does not merge before."""
    return "the encoder has" in said or "the net can only merge before" in said


def family_of(path):
    from families import FAMILIES  # which need PyTorch and more; try_operators.py does not

    return FAMILIES[path.name.split(".")[0]]


def kind_of(row):
    return family_of(row.path).kind


def try_model(mpm, path):
    row = Row(path)
    try:
        session = session_of(path)
    except Exception as error:  # noqa: BLE001
        row.errors["ort"] = "not run by ONNX Runtime"
        row.said = str(error).splitlines()[0][:150]
        return row
    sources = session.get_inputs()
    fallback = [1, 3, *family_of(path).size]
    is_open = any(source.shape and not isinstance(source.shape[0], int) for source in sources)
    names = [output.name for output in session.get_outputs()]
    chance = numpy.random.default_rng(1)
    description, wrong = described(mpm, path)
    row.layers = layers_of(description)
    if wrong:
        row.errors["info"] = wrong
    not_run = {}  # by batch; two may be built in, so one that runs is enough
    for batch in [1, 2] if is_open else [sources[0].shape[0]]:
        x = {source.name: noise(chance, source, batch, fallback) for source in sources}
        try:
            expected = dict(zip(names, session.run(None, x)))
            others = dict(zip(names, session.run(None, {name: turned(values) for name, values in x.items()})))
        except Exception as error:  # noqa: BLE001
            not_run[batch] = str(error).splitlines()[0][:150]
            continue
        outputs, said = run(mpm, path, x, "--merge-before", "none")
        if isinstance(outputs, str) and "cannot merge" in said:
            outputs, said = run(mpm, path, x)
        if isinstance(outputs, str):
            row.errors[batch] = outputs
            row.said = said
            continue
        row.errors[batch] = compare(expected, outputs, others)
        if isinstance(row.errors[batch], float) and row.errors[batch] > LARGEST_ERROR:
            row.of_few_bits = max(row.of_few_bits, moved_by_few_bits(path, x, expected, others))
            row.rounding = max(row.rounding, moved_by_rounding(session, x, expected, others))
        for blocks in ("1,2", "1", "0"):  # as many as it has; behind two, queries may join
            merged, said = run(mpm, path, x, "--merge-before", blocks)
            if not isinstance(merged, str) or not is_too_short(said):
                break
        if isinstance(merged, str):
            cannot = "cannot merge" in said or is_too_short(said)
            row.merges = "no" if cannot else merged
            if not cannot:
                row.errors[f"{batch} merged"] = merged
            row.said = row.said or said
        else:
            row.merges = "yes" if "mpm_rows.npy" in merged else "no"
            if row.merges == "yes":
                found = compare({name: expected[name] for name in names}, merged)
                if isinstance(found, str):
                    row.errors[f"{batch} merged"] = found
    if not_run and not row.errors:
        row.errors["ort"], row.said = "not run by ONNX Runtime", next(iter(not_run.values()))
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--mpm", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one file of N")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes what was found of each file")
    options = parser.parse_args()
    rows = []
    chosen = [path for path in sorted(options.folder.glob("*.onnx")) if options.only in path.name]
    for path in chosen[:: options.every]:
        row = try_model(options.mpm, path)
        rows.append(row)
        said = row.said[-170:] if row.state() != "right" or row.merges == "no" else ""
        worst = max((e for e in row.errors.values() if isinstance(e, float)), default=-1)
        print(f"{path.name:44} {row.state():24} {worst:8.1e} {kind_of(row):7} merges: {row.merges:8} {row.layers}  {said}", flush=True)
    if options.json:
        options.json.write_text(json.dumps({row.path.name: row.found(kind_of(row)) for row in rows}, indent=1) + "\n")
    states = collections.Counter(row.state().split()[0] for row in rows)
    print(f"{len(rows)} files: " + ", ".join(f"{count} {state}" for state, count in states.items()))
    read = [row for row in rows if row.path.name.split(".")[1] != REFUSED]
    of_kind = {kind: [row for row in read if kind_of(row) == kind] for kind in ("plain", "varied")}
    merged = {kind: sum(row.merges == "yes" for row in chosen) for kind, chosen in of_kind.items()}
    for kind, chosen in of_kind.items():
        print(f"{merged[kind]} of {len(chosen)} files of {kind} ViT encoders merge")
    print(f"{sum(merged.values())} of {sum(map(len, of_kind.values()))} files of ViT encoders merge")
    bad = [row for row in rows if row.state().split()[0] in ("CRASH", "SHAPE", "NOT", "OFF", "hangs", "lacks")]
    sys.exit(1 if bad or merged["plain"] < LEAST_MERGED * len(of_kind["plain"]) else 0)


if __name__ == "__main__":
    main()
