# SPDX-License-Identifier: Apache-2.0
"""An archive of photographs becomes the same rows by one process and by workers, whatever ends in between."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
from paths import SMALL, picture

try:
    import pyarrow.parquet as pq
    from PIL import Image
except ImportError:
    pq = None
try:
    import ray
except ImportError:
    ray = None

import mpm_dnn

ZONES = '[[zone]]\nname = "the road"\ncorners = [[0, 0.5], [1, 0.5], [1, 1], [0, 1]]\n'
BROKEN = "broken_2024_06_12_120000.jpg"


@unittest.skipIf(pq is None, "there is no pyarrow or no Pillow")
class Archive(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.pictures = self.folder / "pictures"
        (self.pictures / "yard").mkdir(parents=True)
        (self.folder / "zones.toml").write_text(ZONES)

    def draw(self, count, first=0):
        for i in range(first, first + count):
            name = f"yard/pine_2024_06_{i // 24 + 1:02}_{i % 24:02}3000.png"
            Image.fromarray(picture(60, 80, seed=i)[..., ::-1]).save(self.pictures / name)

    def command(self, out, *more):
        words = [SMALL, self.pictures, "--out", self.folder / out, "--zones", self.folder / "zones.toml", "--chunk", "4"]
        return [sys.executable, "-m", "mpm_dnn", "archive", *map(os.fspath, words), *more]

    def run_well(self, out, *more):
        ended = subprocess.run(self.command(out, *more), capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def rows(self, out):
        table = pq.read_table(self.folder / out).sort_by("path")
        return {row["path"]: row for row in table.to_pylist()}, table.num_rows

    def test_a_row_says_what_a_segmenter_and_the_picture_say(self):
        self.draw(1)
        self.run_well("out")
        (row,) = self.rows("out")[0].values()
        frame = picture(60, 80, seed=0)
        segmenter = mpm_dnn.Segmenter(SMALL)
        found = segmenter(frame)
        for name, labels, part in (("", found.labels, frame), ("zone.the_road.", found.labels[30:], frame[30:])):
            for each, label in enumerate(segmenter.classes):
                key = f"{name}area.{label.replace(' ', '_')}"
                self.assertAlmostEqual(row[key], np.mean(labels == each), places=9, msg=key)
            blue, green, red = part.reshape(-1, 3).mean(0)
            self.assertAlmostEqual(row[f"{name}gcc"], green / (blue + green + red), places=9)
        self.assertEqual([row[f"rows.{i}"] for i in range(len(found.rows))], found.rows)
        self.assertAlmostEqual(row["confidence"], found.confidence.mean(), places=5)
        self.assertEqual((row["camera"], f"{row['time']}"), ("pine", "2024-06-01 00:30:00"))
        self.assertEqual((row["width"], row["height"], row["error"]), (80, 60, None))

    def test_a_name_tells_camera_and_time(self):
        from mpm_dnn.archive import taken

        for path, camera, when in (
            ("site/2024/harvard_2024_06_12_152855.jpg", "harvard", "2024-06-12 15:28:55"),
            ("gate/20240612T152855Z.jpg", "gate", "2024-06-12 15:28:55"),
            ("gate/2024-06-12_15-28-55.png", "gate", "2024-06-12 15:28:55"),
            ("gate/20249912T152855Z.jpg", "gate", "None"),
            ("gate/img 7.jpg", "gate", "None"),
            ("cam 1-20240612152855-1.jpg", "cam 1", "2024-06-12 15:28:55"),
        ):
            self.assertEqual((camera, when), (taken(path)[0], str(taken(path)[1])), path)

    def test_it_goes_on_where_it_stopped(self):
        self.draw(9)
        (self.pictures / "yard" / BROKEN).write_text("nothing")
        self.assertIn("10 pictures in", self.run_well("out"))
        self.draw(3, first=9)
        lost = min((self.folder / "out").glob("*.parquet"))
        kept = 10 - pq.read_table(lost).num_rows
        lost.unlink()
        self.assertIn(f"13 pictures, {kept} of them have rows already", self.run_well("out"))
        rows, count = self.rows("out")
        self.assertEqual((len(rows), count), (13, 13))
        (broken,) = (row for row in rows.values() if row["error"])
        self.assertEqual((pathlib.Path(broken["path"]).name, broken["gcc"]), (BROKEN, None))
        self.assertIn("13 of them have rows already", self.run_well("out"))

    def test_what_is_wrong_is_told_in_a_line(self):
        self.draw(1)
        self.run_well("out")
        (self.folder / "others.toml").write_text(ZONES.replace("0.5", "0.6"))
        (self.folder / "wrong.toml").write_text(ZONES.replace("[0, 0.5], ", "[0, 5], "))
        for words, said in (
            (["--zones", "others.toml"], "zones"),
            (["--zones", "wrong.toml"], "the road"),
            (["--zones", "nowhere.toml"], "nowhere.toml"),
            (["--merge-before", "none"], "merge_before"),
            (["--input-size", "big"], "--input-size"),
            (["--precision", "fp7"], "fp7"),
        ):
            ended = subprocess.run(self.command("out", *words), capture_output=True, text=True, cwd=self.folder)
            self.assertEqual((ended.returncode, ended.stderr.count("\n")), (1, 1), ended.stderr)
            self.assertIn(said, ended.stderr)

    @unittest.skipIf(ray is None, "there is no Ray")
    def test_two_workers_make_the_rows_of_one_process_though_one_is_killed(self):
        self.draw(160)
        self.run_well("alone")
        with subprocess.Popen(self.command("shared", "--workers", "2"), stdout=subprocess.DEVNULL) as running:
            os.kill(self.worker_at_work("shared"), signal.SIGKILL)
            self.assertEqual(running.wait(timeout=300), 0)
        self.assertEqual(self.rows("shared"), self.rows("alone"))

    @unittest.skipIf(ray is None, "there is no Ray")
    def test_a_run_that_was_killed_goes_on(self):
        self.draw(160)
        with subprocess.Popen(self.command("out", "--workers", "2"), stdout=subprocess.DEVNULL) as running:
            self.worker_at_work("out")
            running.kill()
        before = len(list((self.folder / "out").glob("*.parquet")))
        self.run_well("out")
        rows, count = self.rows("out")
        self.assertEqual((len(rows), count, 0 < before < 40), (160, 160, True))

    def worker_at_work(self, out):
        """A worker's process, as soon as rows are written and before the last of them are."""
        until = time.monotonic() + 120
        while time.monotonic() < until:
            if list((self.folder / out).glob("*.parquet")):
                for process in pathlib.Path("/proc").glob("[0-9]*"):
                    try:
                        if b"ray::MapWorker" in (process / "cmdline").read_bytes():
                            return int(process.name)
                    except OSError:
                        continue
            time.sleep(0.01)
        self.fail("no worker has begun")


if __name__ == "__main__":
    unittest.main()
