# SPDX-License-Identifier: Apache-2.0
"""The program that a proof is taken of, the tree that it was built from, and how a proof's JSON is written."""

import json
import os
import pathlib
import re
import subprocess

import numpy

MOST_SECONDS = 600  # of one run; what takes longer hangs


class Product:
    """A built `mpm`, its source tree, and a folder of its own to run it in."""

    def __init__(self, source, build, scratch):
        self.source = pathlib.Path(source).resolve()
        self.build = (self.source / build).resolve()
        self.scratch = pathlib.Path(scratch).resolve()
        self.mpm = self.build / "cli/mpm"
        self.scene = self.build / "cli/mpm-scene"
        self.is_old = not self.scene.exists()  # until 0.1 it was `mpm scene`
        self.export = ("export",) if self.is_old else ("record", "export")
        # What a user's shell says of precisions, devices and instruction sets is no part of the product.
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("MPM_")}
        self.environment.update(LC_ALL="C.UTF-8", TZ="UTC")

    def run(self, *words, program=None):
        """The exit status, the standard output, and what was said about a fault, or a word for what happened."""
        command = [str(program or self.mpm), *map(str, words)]
        try:
            done = subprocess.run(command, cwd=self.scratch, env=self.environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace", timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            return 1, "", f"hangs for more than {MOST_SECONDS} s"
        if done.returncode < 0:
            return done.returncode, "", f"CRASH by signal {-done.returncode}"
        lines = done.stderr.splitlines()
        said = [line.split(": ", 1)[1] for line in lines if re.match("mpm[a-z-]*: ", line)]
        if done.returncode != 0 and not said:
            said = lines[-1:] or ["nothing was said"]
        return done.returncode, self.portable(done.stdout), self.portable("\n".join(said))

    def named(self, program):
        return self.mpm.with_name(program)

    def drawn(self, *words):
        """The bytes of a street's frame, BGR, and of its labels."""
        program = (self.mpm, "scene") if self.is_old else (self.scene,)
        return subprocess.run([*program, *words, "--raw", "-"], cwd=self.scratch, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, timeout=MOST_SECONDS).stdout

    def portable(self, text):
        """Text in which no path depends on where the trees are."""
        for folder, word in ((self.scratch, "SCRATCH"), (self.build, "BUILD"), (self.source / "tests/models", "MODELS"),
                             (self.source, "SOURCE")):
            text = text.replace(str(folder), word)
        return text

    def run_model(self, model, inputs, *more):
        """The outputs by name as `mpm run` writes them, and what was said; no outputs where it is refused."""
        out = self.scratch / "outputs"
        out.mkdir(exist_ok=True)
        for old in out.iterdir():
            old.unlink()
        numpy.save(self.scratch / "input.npy", inputs.astype(numpy.float32))
        _, _, said = self.run("run", model, "--input", "input.npy", "--output-dir" if self.is_old else "--out", out, "--precision", "fp32", *more)
        return {found.stem: numpy.load(found) for found in sorted(out.glob("*.npy"))}, said

    def git(self, *words):
        done = subprocess.run(["git", "-C", str(self.source), *words], capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else ""

    def tracked(self):
        """The files of the tree that git tracks and that are there."""
        names = self.git("ls-files", "-z").split("\0")
        return [name for name in names if name and (self.source / name).is_file()]


def rounded(number, digits):
    """A number with so many significant digits."""
    return float(f"{number:.{digits}g}")


def opencv_of(version):
    found = re.search(r"OpenCV ([0-9.]+)", version)
    return found.group(1) if found else "unknown"


def json_text(value, width=116):
    """JSON with sorted keys; whatever fits on a line stays on one, so that a change shows as few lines."""
    return _laid_out(value, width, 0) + "\n"


def _laid_out(value, width, depth):
    flat = json.dumps(value, sort_keys=True, ensure_ascii=False)
    if depth > 0 and (len(flat) + depth <= width or not isinstance(value, (dict, list)) or not value):
        return flat
    space = " " * (depth + 1)
    if isinstance(value, dict):
        lines = [f"{json.dumps(str(key), ensure_ascii=False)}: {_laid_out(value[key], width, depth + 1)}"
                 for key in sorted(value)]
    else:
        lines = [_laid_out(item, width, depth + 1) for item in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return begin + "\n" + ",\n".join(space + line for line in lines) + "\n" + " " * depth + end
