# SPDX-License-Identifier: Apache-2.0
"""Faults of what rules run, of the net, and of a record that another program holds while the monitor ends."""

import contextlib
import sqlite3
import time

import parts
from catalogue import case
from watched import children_of, seconds_allowed, until

AT_ONCE, WAITING = 4, 64  # commands that run, and that wait for it


def rules(folder, commands):
    """A file of rules that all begin with the first frame: (name, command)."""
    path = folder / "rules.toml"
    path.write_text("".join(f'[[rule]]\nname = "{name}"\nmetric = "luma"\nabove = 0.0\ncommand = {command}\n'
                            for name, command in commands))
    return path


def failures(monitor):
    """What the record tells of commands, by rule."""
    return dict(monitor.rows("SELECT name, text FROM event WHERE kind = 'command'"))


@case("commands: one is missing, one ends with 3")
def commands_fail(bench):
    monitor = bench.watch({}, ["--rules", rules(bench.folder, [
        ("missing", ["/nowhere/program"]), ("three", ["sh", "-c", "exit 3"]), ("good", ["true"])])])
    bench.bound("told", until(lambda: set(failures(monitor)) == {"missing", "three"}, 20), 5)
    told = failures(monitor)
    bench.note("with its status", "3" in told.get("three", ""), told)
    bench.note("with its name", "/nowhere/program" in told.get("missing", ""), told)
    bench.count("commands that failed", round(monitor.value("mpm_commands_failed_total")), 2)
    time.sleep(3)
    bench.bound("the good source's share of frames", monitor.good_rate(), 0.95, least=True)


@case("commands: more at once than may wait")
def commands_too_many(bench):
    count, go = AT_ONCE + WAITING + 20, bench.folder / "go"
    waits = ["sh", "-c", f"while [ ! -e {go} ]; do sleep 0.05; done"]
    monitor = bench.watch({}, ["--rules", rules(bench.folder, [(f"r{i}", waits) for i in range(count)])])
    until(lambda: monitor.value("mpm_commands_refused_total") >= 20, 20)
    go.touch()  # none ends before
    ended = lambda: monitor.value("mpm_commands_started_total") + monitor.value("mpm_commands_refused_total") == count
    bench.bound("all run or refused", until(ended, 30), 10)
    refused = round(monitor.value("mpm_commands_refused_total"))
    bench.note(f"refused: {refused}", refused == 20, "20")
    until(lambda: len(failures(monitor)) == refused, 10)  # the record is written once a second
    bench.note(f"told: {len(failures(monitor))}", len(failures(monitor)) == refused, str(refused))
    bench.bound("none left", until(lambda: not children_of(monitor.id), 10), 2)
    bench.bound("the good source's share of frames", monitor.good_rate(), 0.95, least=True)


@case("commands: one that never ends", quick=False)
def command_hangs(bench):
    monitor = bench.watch({}, ["--rules", rules(bench.folder, [
        ("hangs", ["sh", "-c", "trap '' TERM; sleep 600 & while :; do sleep 1; done"])])])
    bench.bound("told", until(lambda: "hangs" in failures(monitor), 60), 35)
    bench.bound("none left", until(lambda: not children_of(monitor.id), 10), 2)


@case("net: it fails on frames, then does not")
def net_fails(bench):
    runner = next(bench.build.glob("tests/dnn/*host_runner.so"), None)
    if runner is None:
        raise parts.Skip("this build has no stand-in for a device (host_runner)")
    fails = bench.folder / "fails"
    monitor = bench.watch({}, ["--device", "cuda"], environment={"MPM_RUNNER": str(runner),
                                                                 "HOST_RUNNER_FAILS_WHILE": str(fails)})
    labelled = lambda: monitor.value("mpm_frames_total", "good")
    fails.touch()
    bench.bound("told", until(lambda: monitor.value("mpm_model_fault", "good") == 1, 20), 3)
    bench.note("unhealthy", not monitor.is_healthy(), "unhealthy")
    time.sleep(2)
    before = labelled()
    fails.unlink()
    bench.bound("labelled again", until(lambda: labelled() > before + 5, 20), 3)
    bench.bound("told", until(lambda: monitor.value("mpm_model_fault", "good") == 0, 20), 3)
    bench.note("healthy", until(monitor.is_healthy, 10) is not None, "healthy")


@case("record: held by another program while the monitor is told to end (SIGTERM)")
def blocked_end(bench):
    monitor = bench.watch({})
    with contextlib.closing(sqlite3.connect(monitor.record, isolation_level=None, timeout=10)) as other:
        other.execute("BEGIN IMMEDIATE")
        until(lambda: monitor.value("mpm_record_waiting") >= 3, 60)
        begun = time.monotonic()
        status = monitor.end()
        bench.bound("ended", time.monotonic() - begun, 10)
        other.execute("ROLLBACK")
    bench.note(f"with {status}", status == 1, "1")
    lacks = [line for line in monitor.log.read_text(errors="replace").splitlines() if "the record lacks" in line]
    bench.note("says what is lacking", len(lacks) == 1, "one sentence")
    bench.count("seconds lacking between others", monitor.seconds()[1], seconds_allowed(0))
