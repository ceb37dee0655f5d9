# SPDX-License-Identifier: Apache-2.0
"""The real parts around a monitor: cameras' servers, a proxy that harms, a broker, a small disk."""

import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from watched import held_port, until

RTSP = """
import sys, gi
gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer
Gst.init(None)
server = GstRtspServer.RTSPServer(address="127.0.0.1", service=sys.argv[1])
factory = GstRtspServer.RTSPMediaFactory()
pictures = "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=10/1"
factory.set_launch("( " + pictures + " ! " + sys.argv[2] + " )")
factory.set_shared(True)
server.get_mount_points().add_factory("/street", factory)
server.attach(None)
GLib.MainLoop().run()
"""
RTSP_CODECS = {"jpeg": "jpegenc ! rtpjpegpay name=pay0", "h264": "openh264enc gop-size=10 ! rtph264pay name=pay0 config-interval=1"}


class Skip(Exception):
    """A part that this machine lacks."""


def need(program):
    path = shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if not path:
        raise Skip(f"{program} is not installed")
    return path


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Part:
    """A program that can be killed, stopped and started again."""

    def __init__(self, command, folder, port):
        self.command, self.port, self.log = command, port, folder / f"part-{port}.log"
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=open(self.log, "ab"),
                                        stderr=subprocess.STDOUT)
        if self.port and until(lambda: is_listening(self.port) or self.process.poll() is not None, 60) is None:
            raise RuntimeError(f"{self.command[0]} does not listen")
        if self.process.poll() is not None:
            raise Skip(f"{self.command[0]} does not run here: {self.log.read_text(errors='replace')[-200:]}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def tell(self, number):
        self.process.send_signal(number)

    def end(self):
        if self.process.poll() is None:
            self.tell(signal.SIGCONT)
            self.kill()


def rtsp_server(folder, codec="jpeg"):
    python = next((each for each in ("/usr/bin/python3", sys.executable) if subprocess.run(
        [each, "-c", "import gi; gi.require_version('GstRtspServer', '1.0')"], capture_output=True).returncode == 0), None)
    if python is None:
        raise Skip("GStreamer's RTSP server is not installed (gir1.2-gst-rtsp-server-1.0, python3-gi)")
    port = held_port()
    part = Part([python, "-c", RTSP, str(port), RTSP_CODECS[codec]], folder, port)
    return part, f"rtsp://127.0.0.1:{port}/street"


def boundary(jpeg):
    return b"--next\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n" % (len(jpeg), jpeg)


class PictureServer:
    """A camera of Motion JPEG that gives what it is told to: `pictures` is asked for each next one."""

    def __init__(self, pictures, every=0.1):
        self.pictures, self.every = pictures, every
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}/video"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.give, args=(connection,), daemon=True).start()

    def give(self, connection):
        try:
            connection.recv(4096)
            connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=next\r\n\r\n")
            while True:
                connection.sendall(boundary(self.pictures()))
                time.sleep(self.every)
        except OSError:
            connection.close()

    def end(self):
        self.socket.close()


class Proxy:
    """Hands bytes on between a monitor and a server, and harms them as `mode` says: "", "cut" (every connection is
    closed), "still" (nothing passes, all stays open), "half" (the server's side is closed alone), "late" (a second
    later), "garble" (bytes are changed)."""

    def __init__(self, port, seed):
        self.to, self.mode, self.chance = port, "", random.Random(seed)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.open, self.held = [], []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                near, _ = self.socket.accept()
            except OSError:
                return
            if self.mode in ("cut", "half"):
                near.close()
                continue
            far = socket.socket()
            if far.connect_ex(("127.0.0.1", self.to)) != 0:
                near.close()
                continue
            self.open += [near, far]
            for one, other, back in ((near, far, False), (far, near, True)):
                threading.Thread(target=self.pass_on, args=(one, other, back), daemon=True).start()

    def pass_on(self, one, other, back):
        try:
            while data := one.recv(65536):
                while self.mode == "still":
                    time.sleep(0.05)
                if self.mode == "late":
                    time.sleep(1)
                if back and self.mode == "garble":
                    data = bytearray(data)
                    for _ in range(max(1, len(data) // 500)):
                        data[self.chance.randrange(len(data))] = self.chance.randrange(256)
                other.sendall(data)
        except OSError:
            pass
        for each in (one, other):
            if each not in self.held:
                each.close()

    def drop(self):
        """The near sides are closed; the far ones hear nothing of it."""
        connections, self.open = self.open, []
        self.held += connections[1::2]
        for each in connections[::2]:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def harm(self, mode):
        self.mode = mode
        connections, self.open = self.open, [] if mode in ("cut", "half") else self.open
        if mode in ("cut", "half"):
            for each in connections:
                try:
                    each.shutdown(socket.SHUT_RDWR if mode == "cut" else socket.SHUT_WR)
                except OSError:
                    pass

    def end(self):
        self.harm("cut")
        for each in self.held:
            each.close()
        self.socket.close()


class Broker(Part):
    def __init__(self, folder, tls):
        mosquitto, port = need("mosquitto"), held_port()
        lines = ["user root", f"listener {port} 127.0.0.1", "allow_anonymous true"]
        self.options = []
        if tls:
            make_certificates(folder)
            lines += [f"{key} {folder / name}" for key, name in
                      (("cafile", "ca.crt"), ("certfile", "server.crt"), ("keyfile", "server.key"))]
            self.options = ["--mqtt-ca", folder / "ca.crt"]
        self.scheme = "mqtts" if tls else "mqtt"
        (folder / "mosquitto.conf").write_text("\n".join(lines) + "\n")
        super().__init__([mosquitto, "-c", folder / "mosquitto.conf"], folder, port)


def make_certificates(folder):
    openssl = need("openssl")
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for command in (
            ["req", "-x509", *key, "-days", "2", "-subj", "/CN=fault test", "-keyout", "ca.key", "-out", "ca.crt"],
            ["req", *key, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr"],
            ["x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
             "-extfile", "names", "-out", "server.crt"]):
        subprocess.run([openssl, *command], cwd=folder, check=True, capture_output=True)


class SmallDisk:
    """A file system of its own that is soon full."""

    def __init__(self, folder, megabytes):
        self.path = pathlib.Path(folder / "disk")
        self.path.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", self.path], capture_output=True)
        if mounted.returncode != 0:
            raise Skip("this user may not mount a small file system (tmpfs)")

    def fill(self):
        with open(self.path / "full", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def free(self):
        (self.path / "full").unlink()

    def end(self):
        subprocess.run(["umount", "-l", self.path], capture_output=True)
