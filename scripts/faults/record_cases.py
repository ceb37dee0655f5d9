# SPDX-License-Identifier: Apache-2.0
"""Faults of the record, its disk and the clock; and what others read of a monitor."""

import os
import random
import subprocess
import time

import parts
from catalogue import case
from watched import seconds_allowed, until


@case("record: its disk is full, then not")
def full_disk(bench):
    disk = parts.SmallDisk(bench.folder, 3)
    bench.parts.append(disk)
    monitor = bench.watch({}, record=disk.path / "record.sqlite")
    disk.fill()
    bench.bound("told", until(lambda: monitor.value("mpm_record_fault") == 1, 30), 15)
    time.sleep(3)
    disk.free()
    bench.bound("written again", until(lambda: monitor.value("mpm_record_fault") == 0, 60), 15)
    lacking = monitor.lacks(seconds_allowed(0))
    bench.count("rows lost", round(monitor.value("mpm_record_lost_total")), 0)
    bench.count("seconds lacking", lacking, seconds_allowed(0))


A_MINUTE = 61  # rows of the one source: its seconds, and a minute


def record_harmed(bench, harm):
    monitor = bench.watch({})
    time.sleep(3)
    harm(monitor.record)
    bench.bound("told", until(lambda: monitor.value("mpm_record_fault") == 1, 30), 15)
    until(lambda: monitor.count_seconds() >= 3, 20)
    lacking = monitor.lacks(seconds_allowed(2))
    bench.count("rows lost", round(monitor.value("mpm_record_lost_total")), A_MINUTE)
    bench.count("seconds lacking", lacking, seconds_allowed(2))


def overwrite(record):
    with open(record, "r+b") as file:
        file.write(os.urandom(os.path.getsize(record)))


@case("record: overwritten")
def record_overwritten(bench):
    record_harmed(bench, overwrite)


@case("record: removed", quick=False)
def record_removed(bench):
    record_harmed(bench, lambda record: record.unlink())


@case("record: cut off", quick=False)
def record_cut_off(bench):
    record_harmed(bench, lambda record: os.truncate(record, 4096))


def replace(record):
    other = record.with_name("other")
    other.write_bytes(os.urandom(20000))
    os.replace(other, record)


HARMS = {"garbage": lambda record, chance: overwrite(record), "replaced": lambda record, chance: replace(record),
         "cut off": lambda record, chance: os.truncate(record, chance.randrange(os.path.getsize(record))),
         "removed": lambda record, chance: record.unlink()}


def record_harmed_often(bench, harm, times):
    monitor, chance = bench.watch({}), random.Random(bench.seed)
    noticed, lacking, lost = [], [], []
    for _ in range(times):
        time.sleep(chance.uniform(1.5, 4))
        before, had = monitor.told_of_record(), monitor.value("mpm_record_lost_total")
        harm(monitor.record, chance)
        noticed.append(until(lambda: monitor.told_of_record() - before, 30))
        lacking.append(monitor.lacks(seconds_allowed(2)))
        lost.append(round(monitor.value("mpm_record_lost_total") - had))
    bench.told = f"{times} times"
    bench.bound("noticed, the latest", None if None in noticed else max(noticed), 15)
    bench.count("rows lost at most", max(lost), A_MINUTE)
    bench.count("seconds lacking at most", max(lacking), seconds_allowed(2))


for name, harm in HARMS.items():
    case(f"record again and again: {name}", quick=False)(
        lambda bench, harm=harm: record_harmed_often(bench, harm, min(bench.times, 50)))


@case("metrics: promtool reads them")
def promtool(bench):
    check = parts.need("promtool")
    monitor = bench.watch({})
    told = subprocess.run([check, "check", "metrics"], input=monitor.metrics(), capture_output=True, text=True)
    bench.told = f"{len(monitor.metrics().splitlines())} lines"
    bench.count("what it finds wrong", len((told.stdout + told.stderr).splitlines()), 0)


@case("clock: twenty years on, and back")
def clock_set(bench):
    library = next(parts.pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        raise parts.Skip("libfaketime is not installed")
    clock = bench.folder / "clock"
    clock.write_text("+0")
    monitor = bench.watch({}, environment={
        "LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1"})
    for name, offset in (("on", "+7300d"), ("back", "+0")):
        before, seconds = len(monitor.rows("SELECT id FROM event WHERE kind = 'clock'")), monitor.count_seconds()
        clock.write_text(offset)
        bench.bound(f"told when set {name}", until(
            lambda: len(monitor.rows("SELECT id FROM event WHERE kind = 'clock'")) > before, 30), 10)
        until(lambda: monitor.count_seconds() - seconds >= 3, 20)
        written = monitor.count_seconds() - seconds
        bench.note(f"seconds written since it was set {name}: {written}", written >= 3, ">= 3")
    bench.count("rows lost", round(monitor.value("mpm_record_lost_total")), 0)
    bench.note("healthy", monitor.is_healthy(), "healthy")
