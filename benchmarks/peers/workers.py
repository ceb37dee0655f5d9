# SPDX-License-Identifier: Apache-2.0
"""A process for each configuration: it reads a model and sleeps until it is asked for a forward."""

import json
import os
import select
import subprocess
import time

import environment

PATIENCE_S = 900


class Failed(Exception):
    """Why a configuration has no time."""


class Worker:
    def __init__(self, name, command, threads, path=None):
        self.log = environment.WORK / "logs" / f"{name}.log"
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
