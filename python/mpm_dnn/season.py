# SPDX-License-Identifier: Apache-2.0
"""Says when a season starts, peaks and ends, from the greenness of an archive or of a record.

Values of three days become their 90th percentile, as PhenoCam's. A curve through these is the local quadratic
regression (LOESS) that foretells left-out values best. A season starts where the curve has risen by a share of the
amplitude before its peak, and ends where it has fallen as far. Dates and their intervals, which hold 19 times in 20,
come from curves through resampled residuals, so that what smoothing moves is taken back.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import re
import sys
from dataclasses import dataclass

import numpy as np

WIDTHS = (20, 30, 45, 60, 90)  # of the regression, in days to each side
YEAR, APART = 365, 150  # days of a season, and from one peak to the next at least
CURVES, SEED = 200, 1  # of the intervals
BRIGHTNESS = 100, 665  # of red, green and blue together: as values were measured

Series = dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]  # (camera, zone) -> days since 1970 and greenness


class Refused(Exception):
    """One sentence for the user."""


@dataclass
class Windows:
    """What three days have in common; each year begins anew, as PhenoCam's."""

    day: np.ndarray  # the middle one's noon
    values: list[np.ndarray]

    def percentile(self, share: float) -> np.ndarray:
        return np.array([np.percentile(each, share) for each in self.values])


@dataclass
class Season:
    """Days since 1970, each with the first and the last day that it may be."""

    start: tuple[float, float, float]
    peak: tuple[float, float, float]
    end: tuple[float, float, float]
    low: float
    high: float


def date_of(day: float) -> datetime.date:
    return datetime.date(1970, 1, 1) + datetime.timedelta(days=int(np.floor(day)))


def zone_of(column: str) -> str | None:
    """Of a column of greenness, "" for the picture; None for other columns."""
    found = re.fullmatch(r"(?:zone\.(.+)\.)?gcc(?:\.mean)?", column)
    return None if found is None else found[1] or ""


def read_rows(folder: str) -> Series:
    """What mpm-archive wrote."""
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise Refused("rows are read by pyarrow; pip install pyarrow brings it") from None
    try:
        table = pq.read_table(folder)
        columns = {zone: name for name in table.column_names if (zone := zone_of(name)) is not None}
        cameras = np.array(table["camera"].to_pylist())
        days = table["time"].to_numpy().astype("datetime64[ms]").astype(float) / 86400e3
        days[table["time"].is_null().to_numpy()] = np.nan
        found = {zone: table[name].to_numpy().astype(float) for zone, name in columns.items()}
    except (OSError, KeyError, ValueError) as error:
        raise Refused(f"{folder} holds no rows of mpm-archive: {str(error).splitlines()[0]}") from None
    return {
        (str(camera), zone): (days[cameras == camera], values[cameras == camera])
        for camera in np.unique(cameras)
        for zone, values in found.items()
    }


def read_export(path: str) -> Series:
    """What mpm record export wrote, but for nights."""
    camera, series = os.path.splitext(os.path.basename(path))[0], {}
    try:
        with open(path, newline="") as file:
            rows = [row for row in csv.DictReader(file) if row.get("light") not in ("night", "infrared", "no_signal")]
        days = np.array([float(row["utc_ms"]) / 86400e3 for row in rows])
        for column in rows[0] if rows else ():
            if (zone := zone_of(column)) is not None:
                series[camera, zone] = days, np.array([float(row[column] or "nan") for row in rows])
    except (OSError, KeyError, ValueError, UnicodeDecodeError) as error:
        raise Refused(f"{path} is no series that mpm record export wrote: {error}") from None
    return series


def windows_of(days: np.ndarray, values: np.ndarray, hours: tuple[float, float]) -> Windows:
    hour = days % 1 * 24
    used = np.isfinite(days) & np.isfinite(values) & (hour >= hours[0]) & (hour < hours[1])
    days, values = days[used], values[used]
    dates = np.floor(days).astype(int).astype("datetime64[D]")
    first = dates.astype("datetime64[Y]").astype("datetime64[D]")
    middle = first.astype(int) + (dates - first).astype(int) // 3 * 3 + 1
    each = np.unique(middle)
    return Windows(each + 0.5, [values[middle == day] for day in each])


def smoother(day: np.ndarray, at: np.ndarray, width: float) -> np.ndarray:
    """The matrix that makes values at `at` of those of `day`: wider where they are sparse."""
    rows = []
    for place in at:
        apart = day - place
        reach = max(width, np.sort(np.abs(apart))[min(5, len(day) - 1)] * 1.01)
        weight = np.clip(1 - np.abs(apart / reach) ** 3, 0, None) ** 1.5  # the root of tricube
        terms = np.stack([np.ones_like(apart), apart / reach, (apart / reach) ** 2], 1) * weight[:, None]
        rows.append(np.linalg.pinv(terms)[0] * weight)
    return np.array(rows)


def best_width(day: np.ndarray, values: np.ndarray) -> float:
    def missed(width: float) -> float:
        matrix = smoother(day, day, width)
        return float(np.mean(((values - matrix @ values) / np.maximum(1 - np.diag(matrix), 1e-3)) ** 2))

    return min(WIDTHS, key=missed)


def crossing(curve: np.ndarray, at: int, step: int, share: float) -> float | None:
    """Where the curve falls to a share of its amplitude on one side of its peak; None if it does not."""
    side = curve[at::step][: YEAR * 2 // 3]
    low = side.min()
    level = low + share * (curve[at] - low)
    below = np.flatnonzero(side < level)
    if len(below) == 0 or low == curve[at]:
        return None
    i = below[0]
    return at + step * (i - (level - side[i]) / (side[i - 1] - side[i]))


def dates_in(curve: np.ndarray, at: int, share: float) -> tuple[float, float, float] | None:
    start, end = crossing(curve, at, -1, share), crossing(curve, at, 1, share)
    return None if start is None or end is None else (start, float(at), end)


def seasons(windows: Windows, share: float) -> list[Season]:
    """Those of which a rise and a fall are seen."""
    day, values = windows.day, windows.percentile(90)
    if len(day) < 30:
        return []
    width = best_width(day, values)
    at = np.arange(day[0], day[-1] + 1)
    to_curve, to_fit = smoother(day, at, width), smoother(day, day, width)
    curve, rest = to_curve @ values, values - to_fit @ values
    # As scattered as the values, of which the fit has taken a part.
    rest *= np.sqrt(len(rest) / max(len(rest) - np.trace(to_fit), 1))
    random = np.random.default_rng(SEED)
    others = [to_curve @ (to_fit @ values + random.choice(rest, len(rest))) for _ in range(CURVES)]
    found = []
    for peak in range(1, len(curve) - 1):
        near = slice(max(0, peak - APART), peak + APART + 1)
        dates = dates_in(curve, peak, share) if curve[peak] == curve[near].max() else None
        if dates is None or curve[peak] - curve[near].min() < 4 * rest.std():
            continue
        begin = max(0, peak - 60)
        moved = [dates_in(other, begin + int(other[begin : peak + 61].argmax()), share) for other in others]
        # What smoothing moves the fit's dates by, it has moved the fit's own by, too.
        low, middle, high = 2 * np.array(dates) - np.percentile([dates, *filter(None, moved)], [97.5, 50, 2.5], axis=0)
        three = [tuple(day[0] + each for each in row) for row in zip(middle, low, high)]
        found.append(Season(*three, float(curve[near].min()), float(curve[peak])))
    return found


# The columns of PhenoCam's summary products, as vegindex writes them and phenocamr reads them.
COLUMNS = (
    "date,year,doy,image_count,midday_filename,midday_r,midday_g,midday_b,midday_gcc,midday_rcc,r_mean,r_std,g_mean,"
    "g_std,b_mean,b_std,gcc_mean,gcc_std,gcc_50,gcc_75,gcc_90,rcc_mean,rcc_std,rcc_50,rcc_75,rcc_90,max_solar_elev,"
    "snow_flag,outlierflag_gcc_mean,outlierflag_gcc_50,outlierflag_gcc_75,outlierflag_gcc_90"
).split(",")


def write_phenocam(path: str, camera: str, number: int, windows: Windows, hours: tuple[float, float]) -> None:
    """The three-day summary of a zone. What an archive does not have is NA."""
    times = [f"{int(hour):02}:{int(hour % 1 * 60):02}:00" for hour in (hours[0], min(hours[1], 23.99))]
    facts = {
        "Site": camera,
        "Veg Type": "XX",
        "ROI ID Number": f"{number:04}",
        "Lat": "NA",
        "Lon": "NA",
        "Elev": "NA",
        "UTC Offset": "NA",
        "Image Count Threshold": 1,
        "Aggregation Period": 3,
        "Solar Elevation Min": "-90.0",
        "Time of Day Min": times[0],
        "Time of Day Max": times[1],
        "ROI Brightness Min": BRIGHTNESS[0],
        "ROI Brightness Max": BRIGHTNESS[1],
    }
    with open(path, "w", newline="") as file:
        file.write(f"#\n# 3-day summary product time series for {camera}\n#\n")
        file.writelines(f"# {name}: {value}\n" for name, value in facts.items())
        file.write("#\n")
        table = csv.DictWriter(file, COLUMNS, restval="NA", lineterminator="\n")
        table.writeheader()
        for day, values in zip(windows.day, windows.values):
            date = date_of(day)
            row = {"date": date, "year": date.year, "doy": date.timetuple().tm_yday, "image_count": len(values)}
            row |= {"midday_filename": "None", "gcc_mean": f"{values.mean():.5f}", "gcc_std": f"{values.std():.5f}"}
            row |= {f"gcc_{share}": f"{np.percentile(values, share):.5f}" for share in (50, 75, 90)}
            table.writerow(row)


def words_of(season: Season) -> list[str]:
    """Each date with the larger half of its interval."""
    return [
        f"{date_of(day)} +-{max(1, day - low, high - day):.0f}" for day, low, high in (season.start, season.peak, season.end)
    ]


def run(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="mpm-season", description=__doc__, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", metavar="ROWS", nargs="+", help="folders of mpm-archive, or CSVs of mpm record export")
    parser.add_argument("--zone", help="this one alone; '' is the whole picture")
    parser.add_argument("--share", type=float, default=0.25, help="of the amplitude, where it starts and ends (0.25)")
    parser.add_argument("--hours", default="9..15", help="of the day that count, as the times say them (9..15)")
    parser.add_argument("-o", "--out", metavar="DIR", help="for three-day summaries that phenocamr and vegindex read")
    asked = parser.parse_args(words)
    if not (found := re.fullmatch(r"([\d.]+)\.\.([\d.]+)", asked.hours)) or not 0 < asked.share < 1:
        raise Refused("--hours is such as 9..15, and --share lies between 0 and 1")
    hours = float(found[1]), float(found[2])
    series: Series = {}
    for each in asked.rows:
        series |= read_export(each) if each.endswith(".csv") else read_rows(each)
    series = {key: each for key, each in series.items() if asked.zone in (None, key[1]) and np.isfinite(each[1]).any()}
    if not series:
        raise Refused(f"{asked.rows[0]} has no greenness{f' of a zone {asked.zone}' if asked.zone else ''}")
    if asked.out:
        os.makedirs(asked.out, exist_ok=True)
    print(f"{'camera':20} {'zone':16} {'start':16} {'peak':16} {'end':16} greenness")
    zones = sorted({zone for _, zone in series})
    for (camera, zone), (days, values) in sorted(series.items()):
        windows = windows_of(days, values, hours)
        number = zones.index(zone) + 1
        if asked.out:
            write_phenocam(os.path.join(asked.out, f"{camera}_XX_{number:04}_3day.csv"), camera, number, windows, hours)
        told = [" ".join(f"{each:16}" for each in words_of(s)) + f" {s.low:.3f} to {s.high:.3f}" for s in seasons(windows, asked.share)]
        for line in told or [f"no season: {len(windows.day)} windows of three days, or no more change than noise"]:
            print(f"{camera:20} {zone or '(picture)':16} {line}")
    return 0


def main(words: list[str] | None = None) -> int:
    try:
        return run(sys.argv[1:] if words is None else words)
    except (Refused, OSError) as error:
        print(f"mpm-season: {' '.join(str(error).split())}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
