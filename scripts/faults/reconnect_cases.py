# SPDX-License-Identifier: Apache-2.0
"""Each kind of source, lost and opened again, as often as --times says: a test program does it, without a monitor's
waits between two tries."""

import os
import re
import subprocess

import parts
from catalogue import case

SMALL_AND_FAST = "width=64,height=48,framerate=100/1"  # FFmpeg waits for some pictures before it gives the first
TOLD = re.compile(r"^after (\d+) reconnects: MB (\S+) to (\S+), threads (\d+) to (\d+), descriptors (\d+) to (\d+)$", re.M)


def reconnects(bench, to, needs_server):
    program = bench.build / "tests/monitor/source/monitor_separate_reader_tests"
    if not program.exists():
        raise parts.Skip(f"{program} is not built")
    environment = {**os.environ, "MPM_RECONNECTS": str(bench.times), "MPM_RECONNECTS_BESIDE": str(bench.beside),
                   "MPM_RECONNECT_PAUSE": str(bench.pause)}
    if bench.minutes:
        environment["MPM_RECONNECT_MINUTES"] = str(bench.minutes)
    if needs_server:
        server, environment["MPM_RTSP"] = parts.rtsp_server(bench.folder, "jpeg", SMALL_AND_FAST, shared=False)
        bench.parts.append(server)
    asked = [program, f"--gtest_filter=Reconnects.To{to}LeaveNothing"]
    with open(bench.log or bench.folder / "log", "a+") as log:
        begun = log.tell()
        ended = subprocess.run(asked, env=environment, stdout=log, stderr=subprocess.STDOUT)
        log.seek(begun)
        text = log.read()
    told = TOLD.findall(text)
    if not told:
        raise RuntimeError(text[-1000:])
    count, *use = told[-1]
    bench.note(f"{count} times", ended.returncode == 0, " ".join(re.findall(r"Failure\n(.*)", text)) or ended.returncode)
    bench.use = "{} to {} | {} to {} | {} to {}".format(*use)


for name, to, needs_server in (
        ("Motion JPEG over HTTP", "AStream", False), ("rtsp", "AnRtspStream", True), ("gst:rtspsrc", "AnRtspPipeline", True),
        ("gst:videotestsrc", "APipeline", False), ("a video", "AVideo", False), ("a folder", "AFolder", False),
        ("a scene", "AScene", False)):
    case(f"lost and opened again: {name}", quick=False)(
        lambda bench, to=to, needs_server=needs_server: reconnects(bench, to, needs_server))
