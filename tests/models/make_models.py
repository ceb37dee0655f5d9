#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the models beside this script, with their expected outputs and models.json.

    python3 make_models.py [--check] [NAME ...]

Small ViTs with seeded random weights, made with the packages that users export with, of the versions
in ../../models/export/requirements.txt. The expected outputs are ONNX Runtime's on the CPU, float32.
Without names everything is written; with names only these, and models.json is brought up to date.
Every model is checked: ONNX Runtime with and without its optimisations, and PyTorch, agree; outputs
are finite, depend on the image and don't saturate. With --check nothing is written: the files that
are there are run and compared with the expected outputs.
"""

import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "models" / "export")]

import command_line  # noqa: E402
import exporting  # noqa: E402
import families  # noqa: E402
import heads  # noqa: E402
import loose_blocks  # noqa: E402
import numpy  # noqa: E402
import onnxruntime  # noqa: E402
import patches  # noqa: E402
import pictures  # noqa: E402
import quantised  # noqa: E402
import random_weights  # noqa: E402
import refused  # noqa: E402
import segmentation  # noqa: E402
import spellings  # noqa: E402
import torch  # noqa: E402
import variants  # noqa: E402
import windows  # noqa: E402

SIZES = ((48, 64), (64, 64))


def all_fixtures():
    modules = (families, segmentation, heads, variants, spellings, loose_blocks, windows, patches, quantised, refused)
    return [fixture for module in modules for fixture in module.fixtures()]


def run(path, image, optimised=True):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    if not optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    model = path if isinstance(path, bytes) else str(path)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    node = session.get_inputs()[0]
    kind = numpy.float16 if node.type == "tensor(float16)" else numpy.float32
    return (
        node.name,
        [out.name for out in session.get_outputs()],
        session.run(None, {node.name: image.astype(kind)}),
    )


def difference(left, right):
    left, right = left.astype(numpy.float64), right.astype(numpy.float64)
    return float(abs(left - right).max() / abs(right).max())


def require(holds, fixture, sentence):
    if not holds:
        raise command_line.Refusal(f"{fixture.name}: {sentence}")


def images_of(fixture, file=None):
    images = numpy.load(HERE / (file or fixture.input))
    images = images if 0 in fixture.dynamic else images[:1]
    return numpy.ascontiguousarray(images.transpose(0, 2, 3, 1)) if fixture.channels_last else images


def export(fixture, build, image, path):
    torch.manual_seed(0)
    model = random_weights.randomise(build(), fixture.seed)
    model = fixture.wrap(model).eval() if fixture.wrap else model
    exporting.export(
        model,
        torch.from_numpy(image),
        path,
        opset=fixture.opset,
        dynamo=fixture.exporter == "dynamo",
        input_name=fixture.input_name,
        output_names=fixture.outputs,
        dynamic=fixture.dynamic,
    )
    return model


def make_other(fixture):
    """Writes what the same weights make of images of another size, exported for that."""
    image = images_of(fixture, fixture.other_input)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "other.onnx"
        model = export(fixture, fixture.build_other or fixture.build, image, path)
        results = run(path, image, optimised=False)[2]
    with torch.no_grad():
        expected = model(torch.from_numpy(image))
    expected = expected if isinstance(expected, tuple) else (expected,)
    size = fixture.other_input.removeprefix("images_").removesuffix(".npy")
    for name, ours, torchs in zip(fixture.outputs, results, expected):
        check(fixture, ours, ours, torchs.numpy())
        numpy.save(HERE / f"{fixture.name}.{name}.{size}.npy", ours.astype(numpy.float32))


def make(fixture):
    """Writes one model and its outputs; gives the line of the report."""
    path = HERE / f"{fixture.name}.onnx"
    image = images_of(fixture)
    model = export(fixture, fixture.build, image, path)
    if fixture.after:
        fixture.after(path)
    with torch.no_grad():
        expected = model(torch.from_numpy(image))
    expected = expected if isinstance(expected, tuple) else (expected,)
    model = fixture.stands_for(path) if fixture.stands_for else path
    input_name, names, plain = run(model, image, optimised=False)
    optimised = run(path, image)[2]
    require(input_name == fixture.input_name, fixture, f"the input is called {input_name}.")
    require(names == list(fixture.outputs), fixture, f"the outputs are called {names}.")
    spread = []
    for name, ours, theirs, torchs in zip(names, plain, optimised, expected):
        check(fixture, ours, theirs, torchs.numpy())
        numpy.save(HERE / f"{fixture.name}.{name}.npy", ours.astype(numpy.float32))
        spread.append(f"{name}{list(ours.shape)} std {ours.std():.2f}")
    if fixture.other_input:
        make_other(fixture)
    size = sum(file.stat().st_size for file in HERE.glob(f"{fixture.name}.onnx*"))
    worst = max(difference(a, b.numpy()) for a, b in zip(plain, expected))
    return f"{fixture.name:32} {size / 1000:6.0f} kB  {worst:.0e}  {', '.join(spread)}"


def check(fixture, plain, optimised, expected):
    require(numpy.isfinite(plain).all(), fixture, "an output is not finite.")
    apart = difference(plain, expected)
    require(apart <= fixture.tolerance, fixture, f"{apart:.1e} from PyTorch.")
    apart = difference(optimised, plain)
    require(apart <= fixture.tolerance, fixture, f"{apart:.1e} from ONNX Runtime's own optimised.")
    require(0.3 < abs(plain).max() < 30, fixture, f"largest output {abs(plain).max():.1e}.")
    require(plain.std() > 0.1, fixture, "an output hardly varies.")
    if len(plain) > 1:
        apart = float(abs(plain[0].astype(float) - plain[1]).mean())
        require(apart > 0.05 * plain.std(), fixture, "an output hardly depends on the image.")


def compare(fixture):
    """Runs the file that is there; gives the line of the report."""
    image = images_of(fixture)
    _, names, results = run(HERE / f"{fixture.name}.onnx", image)
    worst = 0.0
    for name, ours in zip(names, results):
        expected = numpy.load(HERE / f"{fixture.name}.{name}.npy")
        require(ours.shape == expected.shape, fixture, f"{name} is {list(ours.shape)}.")
        worst = max(worst, difference(ours, expected))
    require(worst <= fixture.tolerance, fixture, f"{worst:.1e} from the expected output.")
    return f"{fixture.name:32} {worst:.0e}"


def main():
    wanted = [argument for argument in sys.argv[1:] if argument != "--check"]
    only_check = len(wanted) < len(sys.argv) - 1
    found = all_fixtures()
    unknown = set(wanted) - {fixture.name for fixture in found}
    if unknown:
        raise command_line.Refusal(f"there is no fixture called {', '.join(sorted(unknown))}.")
    for height, width in () if only_check else SIZES:
        numpy.save(HERE / f"images_{height}x{width}.npy", pictures.images(height, width))
    failed = []
    for fixture in found:
        if wanted and fixture.name not in wanted:
            continue
        try:
            print(compare(fixture) if only_check else make(fixture), flush=True)
        except command_line.Refusal as refusal:
            failed.append(str(refusal))
            print(f"FAILED {refusal}", flush=True)
    if not only_check:
        listed = [f for f in found if f.listed and (HERE / f"{f.name}.onnx").exists()]
        entries = [f.describe() for f in listed]
        (HERE / "models.json").write_text(json.dumps(entries, indent=1) + "\n")
    if failed:
        raise command_line.Refusal(f"{len(failed)} of the models failed.")
    return 0


if __name__ == "__main__":
    command_line.run(main)
