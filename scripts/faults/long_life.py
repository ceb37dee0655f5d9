# SPDX-License-Identifier: Apache-2.0
"""One monitor that lives through all faults, in a random order."""

import contextlib
import os
import random
import signal
import sqlite3
import time

import parts
from broker_cases import broker_harms, status_topic
from catalogue import case
from record_cases import HARMS
from source_cases import TEST_PICTURES
from watched import until


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
            self.faults[f"record: {name}"] = lambda harm=harm: self.record_harmed(harm)
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

    def record_harmed(self, harm):
        before = self.monitor.told_of_record()
        harm(self.monitor.record, self.chance)
        if until(lambda: self.monitor.told_of_record() - before, 30) is None:
            raise RuntimeError("what was done to the record was never told")

    def record_held(self):
        with contextlib.suppress(sqlite3.Error):
            with contextlib.closing(sqlite3.connect(self.monitor.record, isolation_level=None, timeout=5)) as other:
                other.execute("BEGIN IMMEDIATE")
                time.sleep(self.chance.uniform(0, 6))

    def is_well(self):
        """Frames of all sources come, the broker is told so, and the record holds them."""
        return all(self.monitor.state(each) == "live" for each in self.sources) and self.connected()


@case("one monitor, all faults in a random order", quick=False)
def long_life(bench):
    life = Life(bench)
    monitor, slowest, by = life.monitor, 0.0, ""
    until(life.is_well, 20)
    names = list(life.faults)
    order = [name for _ in range(bench.times // len(names) + 1) for name in life.chance.sample(names, len(names))]
    for turn, name in enumerate(order[:max(bench.times, 1)]):
        if turn == len(names):  # memory is compared with what it was after each fault had been once
            monitor.before = monitor.usage()
        with open(monitor.log, "a") as log:  # beside what the monitor says of it
            print(f"--- {name}", file=log)
        life.faults[name]()
        taken = until(life.is_well, 60)
        if taken is None:
            bench.note(f"never well again after: {name}", False, "60 s")
            return
        seen = {each: monitor.frames(each) for each in life.sources}
        more = until(lambda: all(monitor.frames(each) > seen[each] + 2 for each in life.sources), 20)
        if taken + (more or 20) > slowest:
            slowest, by = taken + (more or 20), name
    bench.told = f"{bench.times} faults"
    bench.bound(f"well again, the slowest ({by})", slowest, 40)
    bench.bound("its topic says online", until(lambda: status_topic(life.broker, "fault") == "online", 20), 10)
    bench.count("events lost", round(monitor.value("mpm_mqtt_events_lost_total")), 0)
    bench.count("seconds lacking", monitor.seconds()[1], 2)
    bench.count("rows told as written beyond those that can be read", monitor.unreadable(), 0)
    bench.bound("the good source's share of frames", monitor.good_rate(), 0.95, least=True)
