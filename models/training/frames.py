# SPDX-License-Identifier: Apache-2.0
"""Drawn streets with their labels, from `mpm-scene`, one after the other without end."""

import pathlib
import queue
import subprocess
import tempfile
import threading

import numpy as np

# Nobody else draws from these: the demo's street has seed 7, tests have small ones.
HOURS_PER_STREET = 2
TRAINING_SEEDS = 1_000_000
STREETS_PER_SEED = 100_000  # each training seed, 0 to 9, has streets of its own
VALIDATION_SEEDS = 2_000_000


class NoFrames(RuntimeError):
    pass


def scene_program(mpm):
    """mpm-scene, which is built next to `mpm`."""
    return pathlib.Path(mpm).with_name("mpm-scene")


def read_classes(program):
    """Names of the street's classes, and their colours as #rrggbb."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(scene_program(program)), "--size", "64x64", "--out", folder]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise NoFrames(f"mpm-scene stopped: {done.stderr.strip() or 'without a word'}")
        lines = (pathlib.Path(folder) / "classes.txt").read_text(encoding="utf-8").splitlines()
    names, colours = zip(*(line.split("\t") for line in lines))
    return names, colours


class Frames:
    """Iterates over (picture [S, S, 3] BGR, labels [S, S]), uint8. Streets have seeds from
    `first_seed` on, `per_seed` hours each; the same arguments give the same frames. `skip` leaves
    out whole streets at the start. Drawn ahead, in a process of its own that gives way to training:
    a step whose two threads wait for each other takes 6% longer beside one that does not."""

    def __init__(self, program, first_seed, size, per_seed=HOURS_PER_STREET, skip=0, ahead=48):
        command = ["nice", "-n", "19", str(scene_program(program)), "--raw", "-"]
        command += ["--seeds", f"{first_seed + skip}..", "--size", f"{size}x{size}", "--hours", "0..24", "--per-seed", str(per_seed)]
        self.size = size
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=1 << 20
        )
        self.queue = queue.Queue(ahead)
        self.closed = False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        pixels = self.size * self.size
        while not self.closed:
            data = self.process.stdout.read(4 * pixels)
            if len(data) < 4 * pixels:
                self.queue.put(None)
                return
            frame = np.frombuffer(data, np.uint8)
            picture = frame[: 3 * pixels].reshape(self.size, self.size, 3)
            self.queue.put((picture, frame[3 * pixels :].reshape(self.size, self.size)))

    def __iter__(self):
        return self

    def __next__(self):
        frame = self.queue.get()
        if frame is None:
            said = self.process.stderr.read().decode(errors="replace").strip()
            raise NoFrames(f"mpm-scene stopped: {said or 'without a word'}")
        return frame

    def close(self):
        self.closed = True
        self.process.kill()
        while self.reader.is_alive():  # it may wait for room
            while not self.queue.empty():
                self.queue.get_nowait()
            self.reader.join(0.01)
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
