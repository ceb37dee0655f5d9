# SPDX-License-Identifier: Apache-2.0
"""Faults of brokers."""

import random
import re
import subprocess
import time

import parts
from catalogue import case
from watched import until


def status_topic(broker, prefix):
    hear = parts.need("mosquitto_sub")
    port, more = broker.port, []
    if broker.options:
        more = ["--cafile", broker.options[1]]
    heard = subprocess.run([hear, "-h", "localhost", "-p", str(port), *more, "-t", prefix + "/status", "-C", "1", "-W", "2"],
                           capture_output=True, text=True)
    return heard.stdout.strip()


def broker_killed(bench, tls):
    broker = parts.Broker(bench.folder, tls)
    bench.parts.append(broker)
    monitor = bench.watch({}, ["--mqtt", f"{broker.scheme}://localhost:{broker.port}/fault", *broker.options])
    connected = lambda: monitor.value("mpm_mqtt_connected") == 1
    if until(connected, 15) is None:
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


@case("broker again and again: half-open, restarted, another client of the same name", quick=False)
def broker_often(bench):
    broker = parts.Broker(bench.folder, False)
    proxy = parts.Proxy(broker.port, bench.seed)
    bench.parts += [broker, proxy]
    monitor = bench.watch({}, ["--mqtt", f"mqtt://localhost:{proxy.port}/fault"])
    chance, times = random.Random(bench.seed), []
    hear = parts.need("mosquitto_sub")

    def restart():
        broker.kill()
        broker.start()

    def clash():
        name = re.findall(r" as (mpm-\w+) ", broker.log.read_text())[-1]
        subprocess.run([hear, "-p", str(broker.port), "-i", name, "-t", "x", "-W", "1"], capture_output=True)

    for _ in range(bench.times):
        if until(lambda: monitor.value("mpm_mqtt_connected") == 1, 30) is None:
            raise RuntimeError("the monitor never reached the broker")
        chance.choice([proxy.drop, restart, clash])()
        times.append(until(lambda: status_topic(broker, "fault") == "online" and
                           monitor.value("mpm_mqtt_connected") == 1, 30))
    bench.told = f"{len(times)} times"
    bench.bound("its topic is true, the latest", None if None in times else max(times), 10)
    bench.count("events lost", round(monitor.value("mpm_mqtt_events_lost_total")), 0)


@case("broker: half-open connection", quick=False)
def broker_half_open(bench):
    broker = parts.Broker(bench.folder, False)
    proxy = parts.Proxy(broker.port, bench.seed)
    bench.parts += [broker, proxy]
    monitor = bench.watch({}, ["--mqtt", f"mqtt://localhost:{proxy.port}/fault"])
    until(lambda: monitor.value("mpm_mqtt_connected") == 1, 15)
    proxy.harm("still")
    bench.bound("told", until(lambda: monitor.value("mpm_mqtt_connected") == 0, 240), 120)
    proxy.harm("cut")
    proxy.harm("")
    bench.bound("back", until(lambda: monitor.value("mpm_mqtt_connected") == 1, 90), 60)
