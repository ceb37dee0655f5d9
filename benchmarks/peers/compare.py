#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times this library beside its peers: the same model, picture and threads, checked first."""

import argparse
import json
import os
import pathlib
import platform
import sys

import environment
from environment import Refusal

EXAMPLE = """example:
  benchmarks/peers/compare.py --models T,S,B --out docs
"""


def whole(least):
    def read(text):
        if text.isdigit() and int(text) >= least:
            return int(text)
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {least} on")

    return read


def models_named(text):
    names = text.upper().split(",")
    if set(names) <= set("TSB"):
        return names
    raise argparse.ArgumentTypeError(f"'{text}' does not name models; T, S and B do, as T,S,B")


def parse(argv):
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--models",
        type=models_named,
        default="T,S,B",
        metavar="T,S,B",
        help="Segmenters ViT-T/16, S, B, 150 classes, 512x512 (default: all)",
    )
    parser.add_argument(
        "--model",
        type=pathlib.Path,
        metavar="FILE",
        help="an ONNX file of yours in their place; it goes without PyTorch",
    )
    parser.add_argument(
        "--weights",
        choices=("street", "random"),
        default="street",
        help="what the street model has learned, over and over; or random, which merge little "
        "(default street)",
    )
    parser.add_argument(
        "--image", type=pathlib.Path, metavar="FILE", help="a picture (default: a drawn street)"
    )
    parser.add_argument(
        "--output",
        choices=("full", "grid", "both"),
        help="scores at the image's size, of the patches, or a table for each "
        "(default: both, of B full alone)",
    )
    parser.add_argument(
        "--threads",
        type=whole(1),
        default=cores,
        metavar="N",
        help=f"of every peer (default: the cores, {cores})",
    )
    parser.add_argument("--rounds", type=whole(2), default=15, metavar="N", help="(default 15)")
    parser.add_argument(
        "--pause",
        type=whole(0),
        default=30,
        metavar="MS",
        help="in front of each configuration, so that threads fall asleep " "(default 30)",
    )
    parser.add_argument(
        "--seed",
        type=whole(0),
        default=0,
        metavar="N",
        help="of random weights and of the order in a round (default 0)",
    )
    parser.add_argument("--only", metavar="NAME,...", help="these configurations, by name")
    parser.add_argument(
        "--resume", action="store_true", help="keep what a run with the same options has measured"
    )
    parser.add_argument(
        "--build",
        type=pathlib.Path,
        metavar="DIR",
        default=environment.ROOT / "build" / "release",
        help="where our program is built (default build/release)",
    )
    parser.add_argument(
        "--json",
        type=pathlib.Path,
        metavar="FILE",
        default=environment.WORK / "results.json",
        help="every figure (default build/peers/results.json)",
    )
    parser.add_argument(
        "--out",
        type=pathlib.Path,
        metavar="DIR",
        help="a folder whose benchmarks.md gets the tables",
    )
    arguments = parser.parse_args(argv)
    if isinstance(arguments.models, str):
        arguments.models = models_named(arguments.models)
    return arguments


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def cases(arguments):
    """Each model with each of its outputs, its files made where they are not there."""
    import configurations

    if arguments.model:
        if not arguments.model.is_file():
            raise Refusal(f"{arguments.model} is not a file; name an ONNX model.")
        yield configurations.Case(arguments.model.stem, "full", arguments.model.resolve())
        return
    random = arguments.weights == "random"
    origin = str(arguments.seed) if random else environment.street_model()
    for name in arguments.models:
        outputs = ("full",) if name == "B" else ("full", "grid")
        if arguments.output:
            outputs = ("full", "grid") if arguments.output == "both" else (arguments.output,)
        for output in outputs:
            case = configurations.case(name, output, origin)
            case.file.parent.mkdir(parents=True, exist_ok=True)
            size = configurations.SIZES[name]
            program = environment.HERE / "models.py"
            command = [environment.PYTHON, program, size, origin, output, case.file.parent]
            log = environment.WORK / "logs" / "models.log"
            if not (case.file.exists() and case.weights.exists()):
                print(f"making ViT-{name}, {output}", flush=True)
                environment.run([str(part) for part in command], log, f"ViT-{name} was not made")
            yield case


def input_of(case, picture):
    """(shape, file) of the model's input, made of a picture."""
    import onnx

    try:
        model = onnx.load(str(case.file), load_external_data=False)
        sides = model.graph.input[0].type.tensor_type.shape.dim
        height, width = sides[2].dim_value, sides[3].dim_value
    except Exception as error:  # whatever is no model of images
        raise Refusal(f"{case.file} is not an ONNX model of an image: {str(error).splitlines()[0]}.")
    if not height or not width:
        raise Refusal(f"{case.file} has an open size; export it for one, as 512x512.")
    file = environment.WORK / "input"
    environment.blob(picture, height, width).tofile(file)
    return [1, 3, height, width], file


def picture_of(arguments, draw):
    from PIL import Image

    if not arguments.image:
        return environment.street(draw)
    try:
        with Image.open(arguments.image) as picture:
            return picture.convert("RGB")
    except OSError:
        raise Refusal(f"{arguments.image} is not a picture that can be read.")


def run(arguments):
    import configurations
    import measure
    import report

    chosen = [c for c in configurations.ALL]
    if arguments.only:
        names = set(arguments.only.split(",")) | {configurations.REFERENCE}
        chosen = [c for c in chosen if c.name in names]
        if len(chosen) < len(names):
            raise Refusal("--only knows " + ", ".join(c.name for c in configurations.ALL) + ".")
    ours, draw = environment.build(arguments.build.resolve())
    picture = picture_of(arguments, draw)
    settings = {
        key: str(value)
        for key, value in vars(arguments).items()
        if key in ("weights", "image", "threads", "rounds", "pause", "seed", "only")
    }
    results = {"processor": processor(), "settings": settings, "cases": []}
    results["weights"] = None if arguments.model else arguments.weights
    results["threads"], results["rounds"] = arguments.threads, arguments.rounds
    if arguments.resume and arguments.json.is_file():
        before = json.loads(arguments.json.read_text(encoding="utf-8"))
        results["cases"] = before["cases"] if before["settings"] == settings else []
    for case in cases(arguments):
        if any((c["model"], c["output"]) == (case.name, case.output) for c in results["cases"]):
            continue
        print(f"{case.name}, {case.output}:", flush=True)
        shape, file = input_of(case, picture)
        calibration = environment.calibration(draw, *shape[2:])
        results["cases"].append(
            measure.compare(case, shape, file, calibration, ours, arguments, chosen)
        )
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    report.write(results, arguments.out)
    return 0


def main():
    arguments = parse(sys.argv[1:])
    try:
        environment.enter(pathlib.Path(__file__).resolve(), sys.argv[1:])
        return run(arguments)
    except Refusal as refusal:
        print(f"compare.py: {refusal}", file=sys.stderr)
    except KeyboardInterrupt:
        print("compare.py: interrupted; --resume goes on from here.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
