# SPDX-License-Identifier: Apache-2.0
"""A monitor's record, made by SQL so that it is the same each time, and what `mpm record export` makes of it.

A record that a monitor wrote has the times of this machine in it; here every value is chosen, so every column of an
export is compared. The tables are those of monitor/record/database.h, in all versions that were ever written, and rows
are as it lays them out: programs to come have to read both.
"""

import json
import sqlite3
import struct

from page import of_diffs

APPLICATION, NEWEST = 0x4D504D72, 3
NOON = 1793534400000  # 2026-11-01T12:00:00Z
SECOND, MINUTE, HOUR, DAY = 1000, 60000, 3600000, 86400000
RESOLUTIONS = {SECOND: 0, MINUTE: 1, HOUR: 2, DAY: 3}
LIGHTS = ("day", "dusk", "night", "infrared", "no_signal", "transition")

SCHEMAS = {
    1: """
CREATE TABLE run(
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL, address TEXT NOT NULL, model TEXT NOT NULL, model_hash TEXT NOT NULL,
  settings TEXT NOT NULL, version TEXT NOT NULL, metrics TEXT NOT NULL,
  begun_utc_ms INTEGER NOT NULL, begun_steady_ms INTEGER NOT NULL, begun_era INTEGER NOT NULL);
CREATE TABLE bucket(
  run INTEGER NOT NULL, resolution INTEGER NOT NULL, era INTEGER NOT NULL,
  start_utc_ms INTEGER NOT NULL, frames BLOB NOT NULL, tallies BLOB NOT NULL);
CREATE UNIQUE INDEX bucket_series ON bucket(run, resolution, era, start_utc_ms);
CREATE INDEX bucket_age ON bucket(resolution, start_utc_ms, run);
CREATE TABLE event(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL,
  utc_ms INTEGER NOT NULL, steady_ms INTEGER NOT NULL, era INTEGER NOT NULL,
  kind TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, value REAL);
CREATE INDEX event_run ON event(run, utc_ms);
CREATE INDEX event_age ON event(utc_ms);
CREATE TABLE snapshot(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL,
  utc_ms INTEGER NOT NULL, steady_ms INTEGER NOT NULL, era INTEGER NOT NULL,
  reason TEXT NOT NULL, stem TEXT NOT NULL UNIQUE, labels INTEGER NOT NULL,
  overlay INTEGER NOT NULL, bytes INTEGER NOT NULL, facts TEXT NOT NULL);
CREATE INDEX snapshot_run ON snapshot(run, utc_ms);
CREATE INDEX snapshot_age ON snapshot(utc_ms);
""",
    2: """
ALTER TABLE run ADD COLUMN begun_synchronised INTEGER NOT NULL DEFAULT 1;
ALTER TABLE event ADD COLUMN synchronised INTEGER NOT NULL DEFAULT 1;
ALTER TABLE snapshot ADD COLUMN synchronised INTEGER NOT NULL DEFAULT 1;
""",
    3: """
ALTER TABLE snapshot ADD COLUMN picture INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshot ADD COLUMN merge_map INTEGER NOT NULL DEFAULT 0;
""",
}

# Of one camera an old run, whose figures began in another way, one of three days, and one of a taught model after the
# camera was put up anew; of another camera one run.
RUNS = [
    {"id": 1, "source": "gate", "begun": NOON - 9 * DAY, "version": "0.1.0", "model": "street.onnx", "hash": "5ca1ab1e",
     "metrics": ["luma", "live_rows"], "settings": {"merge_before": "2, 5"}},
    {"id": 2, "source": "gate", "begun": NOON, "version": "0.2.0", "model": "street.onnx", "hash": "5ca1ab1e",
     "metrics": ["luma", "live_rows", "area.car", "zone.lawn.gcc", "ms.network", "fresh_share"],
     "settings": {"merge_before": [2, 5], "precision": "fp32", "max_fps": 10.0, "light": "day=0.34,night=0.29",
                  "camera_watch": True, "memory": True, "replay": False,
                  "zones": [{"name": "lawn", "corners": [[0.1, 0.6], [0.5, 0.6], [0.5, 0.9]]}]}},
    {"id": 3, "source": "gate", "begun": NOON + 4 * DAY, "version": "0.2.0", "model": "yard, \"taught\".onnx",
     "hash": "0ddba11", "metrics": ["luma", "live_rows", "area.puddle"],
     "settings": {"merge_before": [3], "precision": "bf16", "device": "a GPU", "memory": False, "new_view": True,
                  "taught": "5 frames, mIoU 61.0% on held-out frames", "follow_camera": True, "zones": []}},
    {"id": 4, "source": "yard", "begun": NOON, "version": "0.2.0", "model": "street.onnx", "hash": "5ca1ab1e",
     "metrics": ["luma"], "settings": {"merge_before": []}},
]

# run, milliseconds behind noon, era, synchronised, kind, name, text, value
EVENTS = [
    (1, -9 * DAY, 0, 1, "light", "day", "the light is day", None),
    (2, 0, 0, 1, "camera", "frames", "frames come", None),
    (2, 6 * HOUR, 0, 1, "light", "night", "the light is night", 0.21),
    (2, 7 * HOUR, 0, 1, "rule", "cars, \"many\"", "area.car is above 0.25,\nfor 5 minutes", 0.3125),
    (2, 30 * HOUR, 0, 1, "memory", "off", "computing every frame in full", None),
    (2, 32 * HOUR, 0, 1, "memory", "on", "remembering what does not change", None),
    (2, 50 * HOUR, 0, 1, "view", "view 2", "the camera was moved", 12.5),
    (2, 54 * HOUR, 0, 1, "view", "first", "the camera is back", None),
    (2, 71 * HOUR, 1, 0, "clock", "", "the clock was set back by 1800 s", -1800.0),
    (3, 4 * DAY + HOUR, 0, 1, "schedule", "none", "merging nothing: f\u00fcr den Vergleich", None),
    (4, HOUR, 0, 1, "light", "transition", "the light is transition", None),
]

# run, milliseconds behind noon, reason, stem, labels, overlay, picture, merge_map, facts
SNAPSHOTS = [
    (1, -9 * DAY, "by hand", "gate-old", 1, 1, 0, 0, '{"snapshot": {"reason": "by hand"}}'),
    (2, HOUR, "rule cars", "gate-cars", 1, 1, 1, 1, '{"light": "day", "metrics": {"luma": 0.5}}'),
    (2, 2 * HOUR, "every hour", "gate-picture", 0, 0, 1, 0, '{"light": "day"}'),
    (2, 7 * HOUR, "rule cars", "gate-clip", 0, 0, 0, 0, "no JSON"),
    (4, HOUR, "by hand", "yard-one", 1, 0, 0, 0, "{}"),
]


def tally(values):
    """What is kept of some values of one metric, to the bit."""
    if not values:
        return b"\0"
    count, smallest, largest = len(values), min(values), max(values)
    total, squares = 0.0, 0.0
    for value in values:
        total += value
        squares += value * value
    if smallest == largest and total == count * smallest and squares == count * (smallest * smallest):
        return struct.pack("<BId", 1, count, smallest)
    return struct.pack("<BIdddd", 2, count, total, squares, smallest, largest)


def frames_of(light, count, others=0):
    """Frames by light: of one state, and some of the one behind it."""
    counts = [0] * len(LIGHTS)
    counts[LIGHTS.index(light)] = count
    counts[(LIGHTS.index(light) + 1) % len(LIGHTS)] = others
    return struct.pack(f"<{len(LIGHTS)}I", *counts)


def light_at(hour):
    return "infrared" if hour // 12 % 2 else "day"


def figures(metrics, step, is_night):
    """Values of three frames; a metric that is known at times only has none on each fifth step."""
    base = {"luma": 0.125 if is_night else 0.5, "live_rows": 380 if is_night else 410, "area.car": 0.0625,
            "area.puddle": 0.1, "zone.lawn.gcc": 0.34, "ms.network": 41.5, "fresh_share": 0.25}
    blobs = []
    for place, name in enumerate(metrics):
        value = base[name] * (1 + (step * (place + 3) % 7) / 16)
        known = [value] * 3 if step % 3 == 0 else [value, value / 3, value]
        blobs.append(tally([] if name == "fresh_share" and step % 5 == 0 else known))
    return b"".join(blobs)


def buckets():
    """run, resolution, era, start, frames, tallies of all runs."""
    for run in RUNS:
        stretch = {1: (3, 2, 3), 2: (72, 4, 5), 3: (3, 2, 0), 4: (1, 1, 1)}[run["id"]]
        for length, count in zip((HOUR, MINUTE, SECOND), stretch):
            for step in range(count):
                start = run["begun"] + step * length
                light = light_at(step * length // HOUR)
                yield (run["id"], RESOLUTIONS[length], 0, start, frames_of(light, 3, step % 2),
                       figures(run["metrics"], step, light != "day"))
        for day in range(-(-stretch[0] // 24)):
            start = (run["begun"] // DAY + day) * DAY
            yield run["id"], RESOLUTIONS[DAY], 0, start, frames_of("day", 30, 28), figures(run["metrics"], day, False)
    # The clock was set back: the same hour once more, in another era.
    yield 2, RESOLUTIONS[HOUR], 1, NOON + 71 * HOUR, frames_of("transition", 2), figures(RUNS[1]["metrics"], 71, True)


def make_record(path, version=NEWEST):
    """Writes the record as a program of this version of the schema left it."""
    database = sqlite3.connect(path)
    database.executescript("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL;")
    for number in range(1, version + 1):
        database.executescript(SCHEMAS[number])
    has_synchronised, has_pictures = version >= 2, version >= 3

    def insert(name, *values):
        database.execute(f"INSERT INTO {name} VALUES({', '.join('?' * len(values))})", values)

    for run in RUNS:
        insert("run", run["id"], run["source"], f"rtsp://{run['source']}.example/1", run["model"], run["hash"],
               json.dumps(run["settings"]), run["version"], json.dumps(run["metrics"]), run["begun"], 5, 0,
               *((1,) if has_synchronised else ()))
    for bucket in buckets():
        insert("bucket", *bucket)
    for number, (run, behind, era, synchronised, *told) in enumerate(EVENTS, 1):
        insert("event", number, run, NOON + behind, 5 + number, era, *told,
               *((synchronised,) if has_synchronised else ()))
    for number, (run, behind, reason, stem, labels, overlay, picture, merge_map, facts) in enumerate(SNAPSHOTS, 1):
        insert("snapshot", number, run, NOON + behind, 5, 0, reason, stem, labels, overlay, 1000, facts,
               *((1,) if has_synchronised else ()), *((picture, merge_map) if has_pictures else ()))
    database.executescript(f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {version};")
    database.commit()
    database.close()


# What is exported of the newest record, and of older ones.
EXPORTS = {
    "series-second": "--what series --resolution second", "series-minute": "--what series --resolution minute",
    "series-hour": "--what series --resolution hour", "series-day": "--what series --resolution day",
    "series-chosen": "--what series --resolution hour --metrics live_rows,area.car --from 2026-11-01T18:00 "
                     "--to 2026-11-02",
    "day-night": "--what day-night --to 2026-11-05", "events": "--what events", "snapshots": "--what snapshots",
    "runs": "--what runs",
}
OF_OLDER = ("series-minute", "events", "snapshots", "runs")


def take_export(taking):
    product, tables = taking.product, {}
    for version in SCHEMAS:
        record = f"schema{version}.sqlite"
        make_record(product.scratch / record, version)
        for name in EXPORTS if version == NEWEST else OF_OLDER:
            status, text, said = product.run(*product.export, record, "--source", "gate", *EXPORTS[name].split())
            file = f"{name}.csv" if version == NEWEST else f"schema{version}-{name}.csv"
            tables[file] = text if status == 0 else f"status {status}: {said}\n"
    return tables


def compare_export(old, new):
    return of_diffs(old, new)
