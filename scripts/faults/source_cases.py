# SPDX-License-Identifier: Apache-2.0
"""Faults of sources."""

import os
import random
import signal
import time

import parts
from catalogue import case
from watched import SLACK, lives, seconds_allowed, until


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


@case("http: ffmpeg killed, started again", quick=False)
def http_killed(bench):
    server = parts.FFmpegServer(bench.folder)
    bench.parts.append(server)
    bench.watch({"bad": server.address})
    lost_and_back(bench, server.kill, server.start, 6, 10)


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
