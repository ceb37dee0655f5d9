# SPDX-License-Identifier: Apache-2.0
"""One monitor that lives through all faults, in a random order."""

import contextlib
import os
import random
import signal
import sqlite3
import statistics
import time

import parts
from broker_cases import broker_harms, status_topic
from catalogue import case
from record_cases import HARMS
from source_cases import TEST_PICTURES
from watched import seconds_allowed, until


class Life:
    """A monitor with a source of each kind, a record, rules and a broker; and what can befall it."""

    def __init__(self, bench):
        self.bench, self.chance, jpeg = bench, random.Random(bench.seed), bench.jpeg()
        pictures = parts.PictureServer(lambda: jpeg)
        self.proxy = parts.Proxy(int(pictures.address.split(":")[2].split("/")[0]), bench.seed)
        self.server, address = parts.rtsp_server(bench.folder)
        self.broker = parts.Broker(bench.folder, False)
        way = parts.Proxy(self.broker.port, bench.seed)
        bench.parts += [pictures, self.proxy, self.server, self.broker, way]
        self.rules = bench.folder / "rules.toml"
        self.rules.write_text('[[rule]]\nname = "silent"\nstale = true\ndwell_s = 1\ncommand = ["sh", "-c", "exit 3"]\n')
        self.sources = ["good", "reader", "stream", "pictures"]
        self.monitor = bench.watch(
            {"reader": TEST_PICTURES, "stream": address, "pictures": f"http://127.0.0.1:{self.proxy.port}/video"},
            ["--rules", self.rules, "--mqtt", f"mqtt://localhost:{way.port}/fault"])
        harms = broker_harms(self.broker, way, self.connected)
        self.faults = {"reader killed": lambda: self.readers(signal.SIGKILL), "reader hangs": self.reader_hangs,
                       "server killed": self.server_killed, "server stopped": self.server_stopped,
                       "rules read again": self.reload, "record held": self.record_held}
        for mode in ("cut", "still", "half", "late", "garble"):
            self.faults[f"pictures: {mode}"] = lambda mode=mode: self.pictures_harmed(mode)
        for name, harm in HARMS.items():
            self.faults[f"record: {name}"] = lambda name=name, harm=harm: self.record_harmed(name, harm)
        for harm in harms:
            self.faults[f"broker: {harm.__name__}"] = harm

    def connected(self):
        return self.monitor.value("mpm_mqtt_connected") == 1

    def readers(self, number):
        for reader in self.monitor.readers():
            with contextlib.suppress(ProcessLookupError):
                os.kill(reader, number)

    def reader_hangs(self):
        os.kill(self.chance.choice(self.monitor.readers()), signal.SIGSTOP)
        time.sleep(4)

    def server_killed(self):
        self.server.kill()
        time.sleep(self.chance.uniform(0, 6))
        self.server.start()

    def server_stopped(self):
        self.server.tell(signal.SIGSTOP)
        time.sleep(self.chance.uniform(0, 6))
        self.server.tell(signal.SIGCONT)

    def pictures_harmed(self, mode):
        self.proxy.harm(mode)
        time.sleep(self.chance.uniform(1, 6))
        self.proxy.harm("cut")
        self.proxy.harm("")

    def reload(self):
        good = self.rules.read_text()
        self.rules.write_text(self.chance.choice([good, good.replace("stale", "stael")]))
        os.kill(self.monitor.id, signal.SIGHUP)
        time.sleep(1)
        self.rules.write_text(good)

    def record_harmed(self, name, harm):
        before = self.monitor.told_of_record()
        harm(self.monitor.record, self.chance)
        if until(lambda: self.monitor.told_of_record() - before, 30) is None:
            raise RuntimeError(f"never told of the record: {name}")

    def record_held(self):
        with contextlib.suppress(sqlite3.Error):
            with contextlib.closing(sqlite3.connect(self.monitor.record, isolation_level=None, timeout=5)) as other:
                other.execute("BEGIN IMMEDIATE")
                time.sleep(self.chance.uniform(0, 6))

    def is_well(self):
        """Frames of all sources come, the broker is told so, and the record holds them."""
        return all(self.monitor.state(each) == "live" for each in self.sources) and self.connected()


WARM_MINUTES = 17


class Diary:
    """What befell a monitor, a line each, and each minute what it takes of the machine."""

    def __init__(self, path, monitor):
        self.file = open(path, "w") if path else None
        self.begun, self.monitor, self.minutes, self.faults = time.monotonic(), monitor, [], {}

    def say(self, text):
        if self.file:
            print(f"{time.monotonic() - self.begun:8.1f} {text}", file=self.file, flush=True)

    def note_fault(self, name, seconds):
        self.faults.setdefault(name, []).append(seconds)
        self.say(f"{name}: well again after {seconds:.2f} s")
        if time.monotonic() - self.begun >= 60 * len(self.minutes):
            use = self.monitor.usage()
            self.minutes.append(use)
            self.say("= {MB:.1f} MB, {threads} threads, {files} descriptors".format(**use))

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        if not self.file:
            return
        print("\n| fault | times | well again, median | slowest |\n| --- | ---: | ---: | ---: |", file=self.file)
        for name, taken in sorted(self.faults.items()):
            print(f"| {name} | {len(taken)} | {statistics.median(taken):.2f} s | {max(taken):.2f} s |", file=self.file)
        print("\n| minute | MB | threads | descriptors |\n| ---: | ---: | ---: | ---: |", file=self.file)
        for minute in range(0, len(self.minutes), max(1, len(self.minutes) // 15)):
            print("| {} | {MB:.1f} | {threads} | {files} |".format(minute, **self.minutes[minute]), file=self.file)
        self.file.close()


def order_of(life, times, minutes):
    """Names of faults: each once in a random order, then again; so many, or for so long."""
    begun, count = time.monotonic(), 0
    while True:
        for name in life.chance.sample(list(life.faults), len(life.faults)):
            if time.monotonic() - begun > minutes * 60 if minutes else count >= max(times, 1):
                return
            yield name
            count += 1


def suffer(life, name):
    """Seconds until all is well again and new frames of all come; None: they never did."""
    monitor = life.monitor
    with open(monitor.log, "a") as log:  # beside what the monitor says of it
        print(f"--- {name}", file=log)
    life.faults[name]()
    taken = until(life.is_well, 60)
    if taken is None:
        return None
    seen = {each: monitor.frames(each) for each in life.sources}
    more = until(lambda: all(monitor.frames(each) > seen[each] + 2 for each in life.sources), 20)
    return taken + (more or 20)


@case("one monitor, all faults in a random order", quick=False)
def long_life(bench):
    life = Life(bench)
    monitor, all_taken, is_warm, begun = life.monitor, [], False, time.monotonic()
    # Memory is compared with what it was after each fault had been once, and of a long life when all seconds that are
    # kept in memory had come.
    is_due = lambda count: count >= len(life.faults) and (
        bench.minutes <= WARM_MINUTES or time.monotonic() - begun >= 60 * WARM_MINUTES)
    until(life.is_well, 20)
    with Diary(bench.log, monitor) as diary:
        for name in order_of(life, bench.times, bench.minutes):
            if not is_warm and is_due(len(all_taken)):
                is_warm, monitor.before = True, monitor.usage()
            taken = suffer(life, name)
            if taken is None:
                diary.say(f"{name}: never well again")
                bench.note(f"never well again after: {name}", False, "60 s")
                return
            diary.note_fault(name, taken)
            all_taken.append((taken, name))
    slowest, by = max(all_taken)
    bench.told = f"{len(all_taken)} faults, rows lost: {monitor.value('mpm_record_lost_total'):.0f}"
    # A hang is noticed after 15 s, and a source that is lost again and again is tried every half minute.
    bench.bound(f"well again, the slowest ({by})", slowest, 50)
    bench.bound("its topic says online", until(lambda: status_topic(life.broker, "fault") == "online", 20), 10)
    bench.count("events lost", round(monitor.value("mpm_mqtt_events_lost_total")), 0)
    bench.count("seconds lacking", monitor.lacks(seconds_allowed(2)), seconds_allowed(2))
    bench.bound("the good source's share of frames", monitor.good_rate(), 0.95, least=True)
