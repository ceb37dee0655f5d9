# SPDX-License-Identifier: Apache-2.0
"""All faults that can be tried: each is injected beside a good source, and has bounds for when it is told and mended."""

import contextlib
import os
import random
import re
import signal
import sqlite3
import subprocess
import time

import parts
from watched import SLACK, children_of, lives, seconds_allowed, until

CASES = {}  # name: (function, whether it is one of the quick choice)


def case(name, quick=True):
    def add(function):
        CASES[name] = (function, quick)
        return function
    return add


# Sources.


def pipeline(text):
    return f"gst:{text} ! videoconvert ! video/x-raw,format=BGR ! appsink drop=true max-buffers=1"


TEST_PICTURES = pipeline("videotestsrc is-live=true ! video/x-raw,width=640,height=480,framerate=10/1")


def one_alarm(bench, source="bad"):
    """Of one loss, also when frames have come for longer than it takes to tell a silence. A busy machine may be silent
    itself."""
    until(lambda: bench.monitor.alarms(source) > 0, 10)
    time.sleep(4)
    alarms = bench.monitor.alarms(source)
    bench.note(f"alarms: {alarms}", 1 <= alarms <= SLACK[0], f"1 to {SLACK[0]:g}")


def lost_and_back(bench, inject, mend, told_within, back_within, source="bad"):
    """A source that is lost, for two seconds longer than it takes to be told."""
    monitor = bench.monitor
    inject()
    bench.bound("told", until(lambda: monitor.state(source) not in ("live", ""), 3 * told_within), told_within)
    time.sleep(2)
    mend()
    bench.bound("back", monitor.comes_back(source, 3 * back_within), back_within)


@case("rtsp: server killed, started again")
def rtsp_killed(bench):
    server, address = parts.rtsp_server(bench.folder)
    bench.parts.append(server)
    bench.watch({"bad": address})
    lost_and_back(bench, server.kill, server.start, 6, 10)


@case("rtsp, H.264: server stopped (SIGSTOP) for a while")
def rtsp_stopped(bench):
    server, address = parts.rtsp_server(bench.folder, "h264")
    bench.parts.append(server)
    bench.watch({"bad": address})
    lost_and_back(bench, lambda: server.tell(signal.SIGSTOP), lambda: server.tell(signal.SIGCONT), 6, 15)
    one_alarm(bench)


@case("gst:rtspsrc: server killed, started again", quick=False)
def pipeline_killed(bench):
    server, address = parts.rtsp_server(bench.folder)
    bench.parts.append(server)
    bench.watch({"bad": pipeline(f"rtspsrc location={address} latency=0 ! rtpjpegdepay ! jpegdec")})
    lost_and_back(bench, server.kill, server.start, 6, 15)


def harmed(bench, mode, told_within, back_within):
    """Motion JPEG through a proxy that harms it, then does not."""
    jpeg = bench.jpeg()
    server = parts.PictureServer(lambda: jpeg)
    proxy = parts.Proxy(int(server.address.split(":")[2].split("/")[0]), bench.seed)
    bench.parts += [server, proxy]
    bench.watch({"bad": f"http://127.0.0.1:{proxy.port}/video"})
    if told_within:
        lost_and_back(bench, lambda: proxy.harm(mode), lambda: proxy.harm(""), told_within, back_within)
        return
    proxy.harm(mode)
    time.sleep(8)
    bench.told = f"for 8 s, {bench.monitor.value('mpm_reconnects_total', 'bad'):.0f} reconnects"
    proxy.harm("")
    bench.bound("back", bench.monitor.comes_back("bad", 30), back_within)


for mode, told_within, back_within, quick in (("cut", 6, 10, True), ("still", 6, 15, True), ("half", 6, 10, False),
                                              ("late", 0, 10, False), ("garble", 0, 15, False)):
    case(f"proxy: {mode}", quick)(lambda bench, m=mode, t=told_within, b=back_within: harmed(bench, m, t, b))


@case("reader killed, again and again")
def reader_killed(bench):
    monitor = bench.watch({"bad": TEST_PICTURES})
    chance, times = random.Random(bench.seed), []
    for _ in range(6 if bench.quick else 100):
        time.sleep(1.2 + chance.random())  # longer than it waits for a try: it is no stream that always crashes
        os.kill(monitor.readers()[0], signal.SIGKILL)
        times.append(monitor.comes_back("bad", 20))
    missed = times.count(None)
    bench.bound("frames again, the slowest", None if missed else max(times), 2)
    bench.told = f"{len(times)} times"
    lacking = monitor.lacks(seconds_allowed(0))  # the record is written once a second
    bench.count("rows lost", round(monitor.value("mpm_record_lost_total")), 0)
    bench.count("seconds lacking", lacking, seconds_allowed(0))
    bench.count("seconds lacking of its source", monitor.seconds("bad")[1], round(2 * len(times) * SLACK[0]))


@case("reader hangs (SIGSTOP)")
def reader_hangs(bench):
    monitor = bench.watch({"bad": TEST_PICTURES})
    hung = monitor.readers()[0]
    os.kill(hung, signal.SIGSTOP)
    bench.bound("told", until(lambda: monitor.state("bad") != "live", 20), 5)
    bench.bound("replaced", until(lambda: monitor.value("mpm_readers_abandoned_total", "bad") > 0, 40), 18)
    bench.bound("back", monitor.comes_back("bad", 20), 5)
    bench.count("readers that stayed", monitor.readers().count(hung), 0)


@case("monitor killed (SIGKILL), its readers and record")
def monitor_killed(bench):
    monitor = bench.watch({"bad": TEST_PICTURES})
    readers = monitor.readers()
    monitor.kill()
    bench.bound("readers gone", until(lambda: not any(lives(each) for each in readers), 20), 5)
    bench.count("seconds lacking between others", monitor.seconds()[1], seconds_allowed(0))


def said(width, height, jpeg):
    """The same JPEG, whose header says another size."""
    at = jpeg.index(b"\xff\xc0") if b"\xff\xc0" in jpeg else jpeg.index(b"\xff\xc2")
    return jpeg[:at + 5] + height.to_bytes(2, "big") + width.to_bytes(2, "big") + jpeg[at + 9:]


@case("pictures of 16000x16000, 1x1 and 100 corrupt ones")
def hostile_pictures(bench):
    chance, turn, jpeg = random.Random(bench.seed), [0], bench.jpeg()
    corrupt = bytearray(jpeg)

    def next_picture():
        turn[0] += 1
        step = turn[0] % 160
        if step < 20:
            return jpeg
        if step < 120:
            for _ in range(40):
                corrupt[chance.randrange(300, len(corrupt))] = chance.randrange(256)
            return bytes(corrupt)
        return said(16000, 16000, jpeg) if step < 140 else said(1, 1, jpeg)

    server = parts.PictureServer(next_picture, 0.05)
    bench.parts.append(server)
    monitor = bench.watch({"bad": server.address})
    time.sleep(15 if bench.quick else 60)
    bench.told = f"{turn[0]} pictures, {monitor.value('mpm_reconnects_total', 'bad'):.0f} reconnects"
    bench.bound("the good source's share of frames", monitor.good_rate(), 0.95, least=True)
    bench.count("most memory of all, MB", round(monitor.peak.most), 500)


# The record, its disk and the clock; what others read of a monitor.


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


def replace(record):
    other = record.with_name("other")
    other.write_bytes(os.urandom(20000))
    os.replace(other, record)


for name, harm, quick in (("overwritten", overwrite, True), ("replaced", replace, False),
                          ("removed", lambda record: record.unlink(), False),
                          ("cut off", lambda record: os.truncate(record, 4096), False)):
    case(f"record: {name}", quick)(lambda bench, harm=harm: record_harmed(bench, harm))


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


# Brokers.


def status_topic(broker, prefix):
    hear = parts.need("mosquitto_sub")
    port, more = broker.port, []
    if broker.options:
        more = ["--cafile", broker.options[1]]
    heard = subprocess.run([hear, "-h", "localhost", "-p", str(port), *more, "-t", prefix + "/status", "-C", "1", "-W", "10"],
                           capture_output=True, text=True)
    return heard.stdout.strip()


def broker_killed(bench, tls):
    broker = parts.Broker(bench.folder, tls)
    bench.parts.append(broker)
    monitor = bench.watch({}, ["--mqtt", f"{broker.scheme}://localhost:{broker.port}/fault", *broker.options])
    connected = lambda: monitor.value("mpm_mqtt_connected") == 1
    if until(connected, 60) is None:
        raise RuntimeError("the monitor never reached the broker")
    broker.kill()
    bench.bound("told", until(lambda: not connected(), 30), 10)
    time.sleep(2)
    broker.start()
    bench.bound("back", until(connected, 60), 10)
    try:
        bench.bound("its topic says online", until(lambda: status_topic(broker, "fault") == "online", 20), 10)
    except parts.Skip as why:
        bench.notes.append(f"its status topic was not heard: {why}")
    bench.count("events lost", round(monitor.value("mpm_mqtt_events_lost_total")), 0)


@case("broker killed, started again")
def broker_plain(bench):
    broker_killed(bench, False)


@case("broker with TLS killed, started again")
def broker_tls(bench):
    broker_killed(bench, True)


def connections(broker):
    """How often a client of the monitor's name has connected."""
    return len(re.findall(r" as mpm-\w+ ", broker.log.read_text(errors="replace")))


def broker_harms(broker, proxy, connected):
    """Each ends the monitor's connection, and gives how many of its name come then."""
    hear = parts.need("mosquitto_sub")

    def near_side_closed():
        proxy.drop()
        return 1

    def black_hole():
        proxy.harm("still")
        if until(lambda: not connected(), 240) is None:
            raise RuntimeError("a connection through which nothing passes was never told")
        proxy.harm("cut")
        proxy.harm("")
        return 1

    def restart():
        broker.kill()
        broker.start()
        return 1

    def clash():
        name = re.findall(r" as (mpm-\w+) ", broker.log.read_text())[-1]
        subprocess.run([hear, "-p", str(broker.port), "-i", name, "-t", "x", "-W", "1"], capture_output=True)
        return 2

    return [near_side_closed, black_hole, restart, clash]


@case("broker again and again: one side closed, a black hole, restarted, another client of the same name", quick=False)
def broker_often(bench):
    broker = parts.Broker(bench.folder, False)
    proxy = parts.Proxy(broker.port, bench.seed)
    bench.parts += [broker, proxy]
    monitor = bench.watch({}, ["--mqtt", f"mqtt://localhost:{proxy.port}/fault"])
    connected = lambda: monitor.value("mpm_mqtt_connected") == 1
    if until(connected, 30) is None:
        raise RuntimeError("the monitor never reached the broker")
    harms, chance, times, untrue = broker_harms(broker, proxy, connected), random.Random(bench.seed), [], 0
    is_true = lambda: connected() and status_topic(broker, "fault") == "online"
    for _ in range(bench.times):
        before = connections(broker)
        more = chance.choice(harms)()  # each ends a connection; what was true before it says nothing
        times.append(until(lambda: connections(broker) >= before + more and is_true(), 30))
        time.sleep(chance.uniform(0.5, 2))  # what the broker tells of the connection that is gone comes later
        untrue += not is_true()
    bench.told = f"{len(times)} times"
    bench.bound("its topic is true, the latest", None if None in times else max(times), 10)
    bench.count("times that it was untrue later", untrue, 0)
    bench.count("events lost", round(monitor.value("mpm_mqtt_events_lost_total")), 0)


@case("broker: half-open connection", quick=False)
def broker_half_open(bench):
    broker = parts.Broker(bench.folder, False)
    proxy = parts.Proxy(broker.port, bench.seed)
    bench.parts += [broker, proxy]
    monitor = bench.watch({}, ["--mqtt", f"mqtt://localhost:{proxy.port}/fault"])
    until(lambda: monitor.value("mpm_mqtt_connected") == 1, 60)
    proxy.harm("still")
    bench.bound("told", until(lambda: monitor.value("mpm_mqtt_connected") == 0, 240), 120)
    proxy.harm("cut")
    proxy.harm("")
    bench.bound("back", until(lambda: monitor.value("mpm_mqtt_connected") == 1, 90), 60)


# What rules run, the net, and a record that another program holds.


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
