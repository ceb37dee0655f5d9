# SPDX-License-Identifier: Apache-2.0
"""A drawn year, whose dates are known, has them again."""

import contextlib
import csv
import datetime
import io
import pathlib
import tempfile
import unittest

import numpy as np
from paths import SEED, SMALL

from mpm_dnn import season

try:
    import pyarrow.parquet as pq
    from PIL import Image
except ImportError:
    pq = None

DAY0 = datetime.date(2024, 1, 1).toordinal() - datetime.date(1970, 1, 1).toordinal()
LOW, HIGH = 0.34, 0.42


def greenness(day, spring=125.0, autumn=285.0, steepness=8.0):
    """A double logistic of the day of the year, and where it crosses a quarter of its amplitude."""
    rise = 1 / (1 + np.exp((spring - day) / steepness))
    fall = 1 / (1 + np.exp((day - autumn) / steepness))
    return LOW + (HIGH - LOW) * (rise + fall - 1)


QUARTER = 8.0 * np.log(3)  # before the middle of the rise, and behind that of the fall
START, END = DAY0 + 125 - QUARTER, DAY0 + 285 + QUARTER


def year(seed, noise, first=0, last=366, step=1 / 24):
    """Days and greenness of a year with clouds, which lower it, and days without a photograph."""
    random = np.random.default_rng([SEED, seed])
    days = DAY0 + np.arange(first, last, step)
    values = greenness(days - DAY0) + random.normal(0, noise, len(days)) - 0.01 * random.exponential(1, len(days))
    gone = np.isin(np.floor(days) % 17, (3, 4))
    return days[~gone], values[~gone]


class Dates(unittest.TestCase):
    def found(self, days, values, share=0.25):
        return season.seasons(season.windows_of(days, values, (9, 15)), share)

    def test_they_are_known_to_three_days(self):
        held = 0
        for seed in range(8):
            for noise in (0.002, 0.004):
                (one,) = self.found(*year(seed, noise))
                for (day, low, high), true in ((one.start, START), (one.end, END)):
                    self.assertLess(abs(day - true), 3, (seed, noise))
                    held += low <= true <= high
                self.assertTrue(DAY0 + 150 < one.peak[0] < DAY0 + 265, (seed, noise))
                self.assertTrue(0.7 * (HIGH - LOW) < one.high - one.low < 1.3 * (HIGH - LOW))
        self.assertGreater(held, 26)  # of 32, each 19 times in 20

    def test_shares_say_what_counts_as_its_beginning(self):
        days, values = year(1, 0.002)
        starts = [self.found(days, values, share)[0].start[0] for share in (0.1, 0.25, 0.5)]
        self.assertEqual(starts, sorted(starts))
        self.assertLess(abs(starts[2] - DAY0 - 125), 3)

    def test_two_years_are_two_seasons_and_noise_is_none(self):
        days, values = year(1, 0.003)
        both = self.found(np.concatenate([days, days + 366]), np.tile(values, 2))
        self.assertEqual([round((one.start[0] - START) / 366) for one in both], [0, 1])
        random = np.random.default_rng(SEED)
        self.assertEqual(self.found(days, 0.36 + random.normal(0, 0.01, len(days))), [])
        self.assertEqual(self.found(days[:20], values[:20]), [])
        self.assertEqual(self.found(days, np.full(len(days), np.nan)), [])
        self.assertEqual(self.found(*year(1, 0.003, last=150)), [])  # its end has not been seen

    def test_windows_begin_with_the_year_and_count_its_hours(self):
        days = DAY0 + np.array([0.5, 2.5, 3.5, 0.1, 365.5, 366.5])  # the last: 1 January 2025
        windows = season.windows_of(days, np.arange(6.0), (9, 15))
        self.assertEqual(windows.day.tolist(), [DAY0 + 1.5, DAY0 + 4.5, DAY0 + 364.5, DAY0 + 367.5])
        self.assertEqual([each.tolist() for each in windows.values], [[0, 1], [2], [4], [5]])


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def says(self, *words, status=0):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            self.assertEqual(season.main([*map(str, words)]), status, err.getvalue())
        return out.getvalue() + err.getvalue()

    def export(self, name="gate.csv"):
        days, values = year(3, 0.003)
        with open(self.folder / name, "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["time", "utc_ms", "era", "light", "gcc.mean", "zone.bed.gcc.mean", "luma.mean"])
            for day, value in zip(days, values):
                light = "day" if 7 <= day % 1 * 24 < 18 else "night"
                table.writerow(["", int(day * 86400000), 0, light, "", f"{value:.5f}", 0.5])
        return self.folder / name

    def test_a_record_has_its_season_and_phenocams_file(self):
        told = self.says(self.export(), "--zone", "bed", "--out", self.folder / "out")
        self.assertRegex(told, r"gate +bed +2024-04-2\d \+-\d")
        lines = (self.folder / "out" / "gate_XX_0001_3day.csv").read_text().splitlines()
        header = [line for line in lines if line.startswith("#")]
        self.assertIn("3-day", header[1])
        self.assertIn("# Site: gate", header)
        rows = list(csv.DictReader(lines[len(header) :]))
        self.assertEqual(list(rows[0]), season.COLUMNS)
        self.assertEqual([rows[0][each] for each in ("date", "year", "doy", "r_mean")], ["2024-01-02", "2024", "2", "NA"])
        for row in rows:
            self.assertTrue(0.3 < float(row["gcc_50"]) <= float(row["gcc_90"]) < 0.45)
            self.assertGreater(int(row["image_count"]), 0)

    def test_what_is_wrong_is_told_in_a_line(self):
        (self.folder / "other.csv").write_text("a,b\n1,2\n")
        for words in (
            [self.folder / "other.csv"],
            [self.folder / "nowhere.csv"],
            [self.folder / "nowhere"],
            [self.export(), "--zone", "lawn"],
            [self.export(), "--hours", "noon"],
            [self.export(), "--share", "25"],
        ):
            told = self.says(*words, status=1)
            self.assertEqual((told[:12], told.count("\n")), ("mpm-season: ", 1), told)

    @unittest.skipIf(pq is None, "there is no pyarrow or no Pillow")
    def test_an_archive_of_a_drawn_year_has_its_season(self):
        from mpm_dnn import archive

        random, pictures = np.random.default_rng(SEED), self.folder / "pictures"
        pictures.mkdir()
        for day in range(0, 366, 2):
            for hour in (10, 14):
                green = greenness(day + hour / 24)
                light = random.uniform(0.7, 1)
                frame = np.full((48, 64, 3), (140, 140, 140), np.uint8)
                level = light * 420 * np.array([(1 - green) * 0.55, green, (1 - green) * 0.45])
                frame[24:] = np.clip(level + random.normal(0, 6, (24, 64, 3)), 0, 255)
                when = datetime.datetime(2024, 1, 1, hour) + datetime.timedelta(days=day)
                Image.fromarray(frame).save(pictures / f"pine_{when:%Y_%m_%d_%H%M%S}.png")
        (self.folder / "zones.toml").write_text('[[zone]]\nname = "bed"\ncorners = [[0, 0.5], [1, 0.5], [1, 1], [0, 1]]\n')
        rows = self.folder / "rows"
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            ended = archive.main([str(SMALL), str(pictures), "--out", str(rows), "--zones", str(self.folder / "zones.toml")])
        self.assertEqual(ended, 0)
        days, values = season.read_rows(str(rows))["pine", "bed"]
        (one,) = season.seasons(season.windows_of(days, values, (9, 15)), 0.25)
        self.assertLess(abs(one.start[0] - START), 3)
        self.assertLess(abs(one.end[0] - END), 3)
        self.assertIn("pine                 bed", self.says(rows))


if __name__ == "__main__":
    unittest.main()
