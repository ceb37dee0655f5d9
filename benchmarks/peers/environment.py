# SPDX-License-Identifier: Apache-2.0
"""What the comparison runs in: an environment of Python of its own, our program, a picture, processes.

Nothing but Python's standard library is needed to import this.
"""

import hashlib
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build" / "peers"
PYTHON = WORK / "venv" / "bin" / "python"
STREET_MODEL = ROOT / "models" / "street.onnx"
OPENCV4 = WORK / "opencv4"  # a second OpenCV, beside the environment's
PATIENCE_S = 900


class Refusal(Exception):
    """One sentence that names what was wrong and what would be right."""


def run(command, log, refusal):
    """Runs a command, its words going to a file; a Refusal where it fails."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "a", encoding="utf-8") as file:
        try:
            done = subprocess.run(command, stdout=file, stderr=file, check=False, cwd=ROOT)
        except OSError as error:
            raise Refusal(f"{refusal}: {error.strerror}.")
    if done.returncode != 0:
        raise Refusal(f"{refusal}; {log} has its words.")


def pip(*arguments):
    command = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", *arguments]
    run(command, WORK / "logs" / "install.log", f"pip install {arguments[-1]} failed")


def requirements(name):
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def install():
    """Installs the pinned versions once; what cannot be installed is said and left out."""
    if not PYTHON.exists():
        log = WORK / "logs" / "install.log"
        words = "python3 -m venv failed; on Debian it is in the package python3-venv"
        run([sys.executable, "-m", "venv", PYTHON.parents[1]], log, words)
    wanted = {
        "requirements.txt": [],
        "requirements-opencv4.txt": ["--no-deps", "--target", OPENCV4],
    }
    for name, options in wanted.items():
        stamp = WORK / f"{name}.installed"
        digest = hashlib.sha256((HERE / name).read_bytes()).hexdigest()
        if stamp.exists() and stamp.read_text() == digest:
            continue
        print(f"installing {name} into {WORK}", flush=True)
        try:
            pip("--upgrade", *options, "-r", HERE / name)
            stamp.write_text(digest)
        except Refusal:
            one_by_one(requirements(name), options)


def one_by_one(packages, options):
    for package in packages:
        try:
            pip("--upgrade", *options, package)
        except Refusal as refusal:
            print(f"left out: {refusal}", file=sys.stderr)


def enter(program, arguments):
    """Starts the program again with the environment's Python, unless it is that already."""
    if pathlib.Path(sys.prefix) == PYTHON.parents[1]:
        return
    install()
    os.execv(PYTHON, [str(PYTHON), str(program), *arguments])


def build(folder, *more):
    """Builds our program (and mpm, with mpm-scene, which draws) in a build folder; gives the two."""
    log = WORK / "logs" / "build.log"
    words = "our program was not built; run `make build`, which says what is missing"
    if not (folder / "CMakeCache.txt").exists():
        run(["cmake", "--preset", "release", "-B", folder], log, words)
    run(["cmake", "--build", folder, "--target", "mpm_peer", "mpm", "mpm_scene", *more], log, words)
    ours = folder / "benchmarks" / "peers" / "mpm-peer"
    return ours, folder / "cli" / "mpm"


def street_model():
    """Names the street model as it is now: models made of an earlier one have other names."""
    return "street-" + hashlib.sha256(STREET_MODEL.read_bytes()).hexdigest()[:8]


def street(program):
    """The street of `make demo` at noon, of which the street model has seen nothing."""
    from PIL import Image

    folder = WORK / "street"
    shutil.rmtree(folder, ignore_errors=True)
    options = ["--seed", "7", "--hour", "12", "--size", "512x512", "--out", folder]
    words = "the street was not drawn; --image takes a picture of yours"
    run([program.with_name("mpm-scene"), *options], WORK / "logs" / "street.log", words)
    with Image.open(next((folder / "images").iterdir())) as picture:
        return picture.convert("RGB")


def calibration(program, height, width):
    """A file of [COUNT, 3, height, width]: streets of a day that nobody else sees, for those who
    quantise by pictures."""
    import numpy
    from PIL import Image

    file = WORK / f"calibration-{width}x{height}.npy"
    if file.exists():
        return file
    folder = WORK / "calibration"
    shutil.rmtree(folder, ignore_errors=True)
    options = ["--seed", "11", "--hours", "0..24", "--count", "16", "--size", "512x512"]
    words = "the streets to calibrate on were not drawn"
    run([program.with_name("mpm-scene"), *options, "--out", folder], WORK / "logs" / "street.log", words)
    pictures = []
    for path in sorted((folder / "images").iterdir()):
        with Image.open(path) as picture:
            pictures.append(blob(picture, height, width))
    numpy.save(file, numpy.concatenate(pictures))
    return file


def blob(picture, height, width):
    """A picture as the models want it: [1, 3, height, width], RGB, mean and deviation 0.5."""
    import numpy
    from PIL import Image

    resized = picture.convert("RGB").resize((width, height), Image.Resampling.BILINEAR)
    values = numpy.asarray(resized, numpy.float32) / 127.5 - 1
    return numpy.ascontiguousarray(values.transpose(2, 0, 1)[None])


class Failed(Exception):
    """Why a configuration has no time."""


class Worker:
    """A process for each configuration: it reads a model and sleeps until it is asked for a forward."""

    def __init__(self, name, command, threads, path=None):
        self.log = WORK / "logs" / f"{name}.log"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.buffer = b""
        # The C library keeps freed memory in every process alike: outputs of 150 MB would else be
        # faulted in anew by those who do not keep them.
        settings = {
            "OMP_NUM_THREADS": str(threads),
            "MKL_NUM_THREADS": str(threads),
            "OPENBLAS_NUM_THREADS": str(threads),
            "MALLOC_MMAP_MAX_": "0",
            "MALLOC_TRIM_THRESHOLD_": str(2**40),
        }
        if path:
            settings["PYTHONPATH"] = str(path)
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
                env={**os.environ, **settings},
            )
        self.version = self.answer()["version"]

    def ask(self, line):
        try:
            self.process.stdin.write(f"{line}\n".encode())
        except BrokenPipeError:
            pass  # its last words say why
        return self.answer()

    def answer(self):
        until = time.monotonic() + PATIENCE_S
        while True:
            line, separator, rest = self.buffer.partition(b"\n")
            if separator:
                self.buffer = rest
                if line.startswith(b"{"):
                    answer = json.loads(line)
                    if "failed" in answer:
                        self.end()
                        raise Failed(answer["failed"])
                    return answer
                continue
            ready, _, _ = select.select([self.process.stdout], [], [], until - time.monotonic())
            if not ready:
                self.end()
                raise Failed(f"no answer within {PATIENCE_S} s")
            some = os.read(self.process.stdout.fileno(), 65536)
            if not some:
                self.end()
                raise Failed(f"its process ended with status {self.process.returncode}")
            self.buffer += some

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()
