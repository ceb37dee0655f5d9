# SPDX-License-Identifier: Apache-2.0
"""The monitor under test: what it says, and what it takes of the machine."""

import contextlib
import csv
import http.client
import io
import os
import pathlib
import re
import signal
import socket
import sqlite3
import subprocess
import threading
import time
import urllib.request

GOOD = "good=scene:?size=320x240"  # read within the monitor: a fault of another source may not touch it
GOOD_FPS = 10
SLACK = [1.0]  # of every time that is allowed: how much longer a machine may take that has other work


HELD = []  # sockets of ports


def held_port():
    """A port that the system gives to no other program while this one runs. Servers may listen there, since they set
    SO_REUSEADDR."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    HELD.append(held)
    return held.getsockname()[1]


def seconds_allowed(limit):
    """Of a record to lack: on a busy machine no frame comes in some of them."""
    return limit + round(2 * (SLACK[0] - 1))


def until(holds, patience):
    """Seconds until it holds; None: it did not."""
    begun = time.monotonic()
    while time.monotonic() - begun < patience * SLACK[0]:
        if holds():
            return time.monotonic() - begun
        time.sleep(0.05)
    return None


def status_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return ""


def own_megabytes(process):
    """Memory that a process shares with no program's file."""
    return sum(int(kilobytes) for kilobytes in re.findall(r"^Rss(?:Anon|Shmem):\s+(\d+)", status_of(process), re.M)) / 1e3


def lives(process):
    status = status_of(process)
    return bool(status) and "\nState:\tZ" not in status


def children_of(process):
    """Those that live: (id, name)."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and f"\nPPid:\t{process}\n" in (status := status_of(entry.name)):
            if "\nState:\tZ" not in status:
                found.append((int(entry.name), status.split("\n", 1)[0].split("\t")[1]))
    return found


class Peak(threading.Thread):
    """The most memory that a monitor and its readers took together, in MB."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.most, self.ended = process, 0.0, False
        self.start()

    def run(self):
        while not self.ended:
            self.most = max(self.most, own_megabytes(self.process) +
                            sum(own_megabytes(child) for child, _ in children_of(self.process)))
            time.sleep(0.1)


class Monitor:
    """`mpm watch` with a good source, the sources named, a record and HTTP."""

    def __init__(self, mpm, model, folder, sources, options=(), record=None, environment=None):
        self.mpm, self.port = mpm, held_port()
        self.record = pathlib.Path(record or folder / "record.sqlite")
        self.log = folder / "monitor.log"
        named = [f"{name}={address}" for name, address in sources.items()]
        self.process = subprocess.Popen(
            [mpm, "watch", GOOD, *named, "--model", model, "--record", self.record, "--http", str(self.port),
             "--max-fps", "0", *options], stdout=subprocess.DEVNULL, stderr=open(self.log, "ab"),
            env={**os.environ, **(environment or {})})
        self.id = self.process.pid
        for source in ["good", *sources]:
            if until(lambda: self.state(source) == "live", 60) is None:
                self.process.kill()
                raise RuntimeError(f"{source} never came: {self.log.read_text(errors='replace')[-500:]}")
        time.sleep(3)  # what only a beginning takes
        self.before = self.usage()
        self.peak = Peak(self.id)
        self.good_begun = (time.monotonic(), self.value("mpm_frames_read_total", "good"))

    def metrics(self):
        """Empty: it does not listen. One that is too busy to answer is asked again, since no page says nothing of it."""
        for _ in range(10):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=30) as page:
                    return page.read().decode()
            except (OSError, http.client.HTTPException) as fault:
                if isinstance(getattr(fault, "reason", fault), ConnectionRefusedError) or self.process.poll() is not None:
                    return ""
        return ""

    def value(self, name, source=None, **labels):
        if source:
            labels["source"] = source
        for line in self.metrics().splitlines():
            if re.match(name + r"[ {]", line) and all(f'{key}="{value}"' in line for key, value in labels.items()):
                return float(line.rsplit(" ", 1)[1])
        return 0.0

    def state(self, source):
        found = re.search(rf'^mpm_capture_state{{(?=[^}}]*source="{source}")[^}}]*state="(\w+)"[^}}]*}} 1$', self.metrics(), re.M)
        return found.group(1) if found else ""

    def is_healthy(self):
        return self.value("mpm_healthy") == 1

    def readers(self):
        return [child for child, name in children_of(self.id) if name == "mpm-reader"]

    def frames(self, source):
        return self.value("mpm_frames_read_total", source)

    def comes_back(self, source, patience):
        """Seconds until new frames of it come, and not just one that was on its way."""
        seen = self.frames(source) + 2
        return until(lambda: self.state(source) == "live" and self.frames(source) > seen, patience)

    def good_rate(self):
        """Of the good source since the beginning: its share of the frames that it gives, over ten seconds at least."""
        begun, frames = self.good_begun
        time.sleep(max(0, 10 - (time.monotonic() - begun)))
        return (self.frames("good") - frames) / (time.monotonic() - begun) / GOOD_FPS

    def usage(self):
        folder = pathlib.Path(f"/proc/{self.id}")
        return {"MB": own_megabytes(self.id), "threads": len(list((folder / "task").iterdir())),
                "files": len(list((folder / "fd").iterdir()))}

    def events(self):
        asked = subprocess.run([self.mpm, "record", "export", self.record, "--what", "events"], capture_output=True, text=True)
        return list(csv.DictReader(io.StringIO(asked.stdout)))

    def alarms(self, source):
        """How often the record says that a source was lost."""
        told = sorted(self.rows(f"SELECT e.id, e.name FROM event e JOIN run r ON e.run = r.id WHERE e.kind = 'source' "
                                f"AND r.source = '{source}'"))
        states = [name for _, name in told]
        return sum(before == "live" != after for before, after in zip(states, states[1:]))

    def seconds(self, source="good"):
        """How many seconds of a source the record has, and how many it lacks between them."""
        asked = subprocess.run([self.mpm, "record", "export", self.record, "--source", source, "--resolution", "second",
                                "--metrics", "luma"], capture_output=True, text=True)
        times = sorted({int(row["utc_ms"]) // 1000 for row in csv.DictReader(io.StringIO(asked.stdout))})
        return len(times), (times[-1] - times[0] + 1 - len(times)) if times else 0

    def lacks(self, allowed, source="good"):
        """How many seconds it lacks between others, as soon as these are few, or for good."""
        until(lambda: self.seconds(source)[1] <= allowed, 10)
        return self.seconds(source)[1]

    def rows(self, what):
        """Of the record as another program reads it; none while it cannot."""
        try:
            with contextlib.closing(sqlite3.connect(f"file:{self.record}?mode=ro", uri=True, timeout=1)) as database:
                return {tuple(row) for row in database.execute(what)}
        except sqlite3.Error:
            return set()

    def count_seconds(self):
        return len(self.rows("SELECT run, era, start_utc_ms FROM bucket WHERE resolution = 0"))

    def told_of_record(self):
        """Events about the record itself: when, and which."""
        return self.rows("SELECT utc_ms, name FROM event WHERE kind = 'record'")

    def end(self):
        """Its exit status; -9: it had to be killed."""
        self.peak_ended()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(30 * SLACK[0])
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def kill(self):
        self.peak_ended()
        os.kill(self.id, signal.SIGKILL)
        self.process.wait()

    def peak_ended(self):
        if hasattr(self, "peak"):
            self.peak.ended = True
