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
