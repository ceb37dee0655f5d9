# SPDX-License-Identifier: Apache-2.0
"""Segments an archive of photographs into Parquet files, in this process or by workers of Ray."""

from __future__ import annotations

import argparse
import datetime
import functools
import hashlib
import io
import json
import logging
import os
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from . import _mpm, options
from .models import set_threads
from .segmenter import Segmenter

try:
    import pyarrow as pa
    import pyarrow.fs as fs
    import pyarrow.parquet as pq
    from PIL import Image, ImageOps
except ImportError as missing:
    sys.exit(f"mpm-archive: needs {missing.name}; pip install 'mpm-dnn[archive]' brings it")

ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".ppm")
# As the monitor reads it; in front of it stands the camera's name, where there is one.
DATE = re.compile(r"(\d{4})[-_.]?(\d\d)[-_.]?(\d\d)[-_.T ]?(\d\d)[-_.:]?(\d\d)[-_.:]?(\d\d)(?!\d)")
SETTINGS = "_archive.json"  # who reads the folder as one table leaves out names that begin so


Chunk = dict[str, Any]  # uri, and paths in it: pictures of one Parquet file


class Refused(Exception):
    """One sentence for the user."""


@dataclass
class Job:
    """What all workers do alike. Rows of one folder come from one job."""

    model: str
    sha256: str
    merge_before: list[int] | None = None
    proportional: bool = False
    input_size: list[int] | None = None
    fit: str = "stretch"
    precision: str = ""
    zones: list[tuple[str, list[tuple[float, float]]]] = field(default_factory=list)

    def settings(self) -> dict[str, Any]:
        return {key: value for key, value in json.loads(json.dumps(asdict(self))).items() if key != "model"}


@functools.lru_cache(maxsize=64)
def place(uri: str) -> tuple[fs.FileSystem, str]:
    """The file system of a folder or an address such as s3://bucket/folder, and the path in it."""
    try:
        return fs.FileSystem.from_uri(uri) if "://" in uri else (fs.LocalFileSystem(), os.path.abspath(uri))
    except (pa.ArrowException, OSError) as error:
        raise Refused(f"{uri} cannot be read: {error}") from None


def shown(uri: str, path: str) -> str:
    """How rows name a picture: without a key or an option that the address may have."""
    return f"{uri.split('://')[0]}://{path}" if "://" in uri else path


def pictures_in(uri: str) -> list[str]:
    """The paths of the pictures of a folder and of the folders in it, in order; a picture is itself."""
    files, path = place(uri)
    found = files.get_file_info(path)
    if found.type == fs.FileType.NotFound:
        raise Refused(f"there is no {uri}")
    inside = [found]
    if found.type == fs.FileType.Directory:
        inside = files.get_file_info(fs.FileSelector(path, recursive=True))
    paths = [each.path for each in inside if each.type == fs.FileType.File]
    return sorted(each for each in paths if each.lower().endswith(ENDINGS))


def taken(path: str) -> tuple[str, datetime.datetime | None]:
    """The camera and the time that a path tells: what stands before the date in the name, else the folder."""
    folder, name = os.path.split(path)
    for found in DATE.finditer(name):
        try:
            when = datetime.datetime(*map(int, found.groups()))
        except ValueError:
            continue
        return name[: found.start()].rstrip("-_. ") or os.path.basename(folder), when
    return os.path.basename(folder), None


def read_picture(files: fs.FileSystem, path: str) -> np.ndarray:
    with files.open_input_stream(path) as stream, Image.open(io.BytesIO(stream.read())) as picture:
        return np.ascontiguousarray(np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))[..., ::-1])


class Worker:
    """Segments chunks of pictures, and writes a Parquet file for each."""

    def __init__(self, job: Job, out: str, threads: int) -> None:
        if threads:
            set_threads(threads)
        self.job, (self.files, self.out) = job, place(out)
        size = None if job.input_size is None else (job.input_size[0], job.input_size[1])
        self.segmenter = Segmenter(
            job.model,
            merge_before=job.merge_before,
            proportional=job.proportional,
            input_size=size,
            fit=job.fit,
            precision=job.precision,
        )
        classes = [_mpm.metric_part(each) for each in self.segmenter.classes]
        self.measures = _mpm.ZoneMeasures(job.zones, len(classes))
        parts = ["", *(f"zone.{_mpm.metric_part(name)}." for name, _ in job.zones)]
        self.areas = [f"{part}area.{each}" for part in parts for each in classes]
        self.greens = [f"{part}gcc" for part in parts]
        merges = len(self.segmenter.merge_before) if self.segmenter.model.mergeable else -1
        self.counts = [f"rows.{i}" for i in range(merges + 1)]
        self.schema = pa.schema(
            [
                ("path", pa.string()),
                ("camera", pa.string()),
                ("time", pa.timestamp("ms")),
                ("width", pa.int32()),
                ("height", pa.int32()),
                *((name, pa.float64()) for name in [*self.areas, *self.greens, "confidence"]),
                *((name, pa.int32()) for name in self.counts),
                ("model_sha256", pa.string()),
                ("error", pa.string()),
            ]
        )

    def row(self, uri: str, path: str) -> dict[str, Any]:
        camera, when = taken(path)
        row = {"path": shown(uri, path), "camera": camera, "time": when, "model_sha256": self.job.sha256}
        try:
            frame = read_picture(place(uri)[0], path)
            found = self.segmenter(frame)
        except Image.UnidentifiedImageError:
            return row | {"error": "it is broken, or not a picture"}
        except (OSError, ValueError, RuntimeError, SyntaxError, Image.DecompressionBombError) as error:
            return row | {"error": " ".join(str(error).split()) or type(error).__name__}
        row["height"], row["width"] = frame.shape[:2]
        row |= zip(self.areas, self.measures.areas(found.labels))
        row |= zip(self.greens, self.measures.greenness(frame))
        row |= zip(self.counts, found.rows)
        row["confidence"] = float(np.mean(found.confidence))
        return row

    def __call__(self, chunk: Chunk) -> dict[str, Any]:
        """Writes one file, whole or not at all. Its name follows from the pictures, so done twice it is the same."""
        rows = [self.row(chunk["uri"], path) for path in chunk["paths"]]
        digest = hashlib.sha256("\n".join(row["path"] for row in rows).encode()).hexdigest()
        unfinished = f"{self.out}/_unfinished-{digest[:16]}"
        with self.files.open_output_stream(unfinished) as stream:
            pq.write_table(pa.Table.from_pylist(rows, self.schema), stream, compression="zstd")
        self.files.move(unfinished, f"{self.out}/part-{digest[:16]}.parquet")
        errors = [f"{row['path']}: {row['error']}" for row in rows if "error" in row]
        return {"pictures": len(rows), "errors": len(errors), "first": errors[0] if errors else ""}


def begin(job: Job, out: str) -> set[str]:
    """Makes the folder, or looks that its rows are of the same job. Returns the pictures that have rows."""
    files, path = place(out)
    files.create_dir(path, recursive=True)
    inside = files.get_file_info(fs.FileSelector(path))
    if any(each.base_name == SETTINGS for each in inside):
        with files.open_input_stream(f"{path}/{SETTINGS}") as stream:
            if (was := json.loads(stream.read())) != (now := job.settings()):
                others = ", ".join(key for key in now if was.get(key) != now[key])
                raise Refused(f"the rows in {out} were made otherwise ({others}); choose another folder")
    else:
        with files.open_output_stream(f"{path}/{SETTINGS}") as stream:
            stream.write(json.dumps(job.settings(), indent=1).encode())
    parts = [each.path for each in inside if each.base_name.endswith(".parquet")]
    return {each for part in parts for each in pq.read_table(part, columns=["path"], filesystem=files)["path"].to_pylist()}


def by_ray(chunks: list[Chunk], made_of: tuple[Job, str, int], workers: int) -> Iterator[dict[str, Any]]:
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    try:
        import ray
        import ray.data
    except ImportError:
        raise Refused("--workers needs Ray; pip install 'mpm-dnn[archive]' brings it") from None
    ray.init(ignore_reinit_error=True, log_to_driver=False, logging_level="ERROR")
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    data = ray.data.from_items(chunks, override_num_blocks=len(chunks))
    pool = ray.data.ActorPoolStrategy(size=workers)
    segmented = data.map(Worker, fn_constructor_args=made_of, compute=pool, num_cpus=made_of[2])
    try:
        yield from segmented.iter_rows()
    except ray.exceptions.RayError as error:
        raise Refused(f"the workers failed: {str(error).strip().splitlines()[-1]}") from None


def chunks_of(uris: list[str], done: set[str], size: int) -> tuple[int, list[Chunk]]:
    """How many pictures there are, and those without rows."""
    left = {uri: pictures_in(uri) for uri in dict.fromkeys(uris)}
    count = sum(map(len, left.values()))
    if count == 0:
        raise Refused(f"{uris[0]} holds no picture; {', '.join(ENDINGS)} are read")
    chunks: list[Chunk] = []
    for uri, paths in left.items():
        paths = [path for path in paths if shown(uri, path) not in done]
        done |= {shown(uri, path) for path in paths}
        chunks += [{"uri": uri, "paths": paths[i : i + size]} for i in range(0, len(paths), size)]
    return count, chunks


def report(results: Iterator[dict[str, Any]], pictures: int) -> int:
    """Tells how far it is, every few seconds. Returns the exit status: 1 if no picture could be segmented."""
    begun = told = time.monotonic()
    done = errors = 0
    for each in results:
        done, errors = done + int(each["pictures"]), errors + int(each["errors"])
        if each["first"] and errors == each["errors"]:
            print(f"mpm-archive: {each['first']}", file=sys.stderr)
        if (now := time.monotonic()) - told > 5:
            left = datetime.timedelta(seconds=round((now - begun) / done * (pictures - done)))
            print(f"{done:,} of {pictures:,} pictures, {done / (now - begun):.1f} a second, {left} left", file=sys.stderr)
            told = now
    seconds = time.monotonic() - begun
    print(f"{done:,} pictures in {seconds:.0f} s, {errors:,} of them not read")
    return 1 if done and errors == done else 0


def zones_of(path: str) -> list[tuple[str, list[tuple[float, float]]]]:
    """The zones of a rules file."""
    try:
        import tomllib
    except ImportError:
        raise Refused("--zones needs Python 3.11 or later") from None
    try:
        with open(path, "rb") as file:
            tables = tomllib.load(file).get("zone", [])
        zones = [(str(each["name"]), [(float(x), float(y)) for x, y in each["corners"]]) for each in tables]
        _mpm.ZoneMeasures(zones, 1)
        return zones
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise Refused(f"{path}: {error}") from None


def arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mpm-archive", description=__doc__, allow_abbrev=False)
    parser.add_argument("model", metavar="MODEL", help="segmentation model; each worker reads it from this path")
    parser.add_argument("pictures", metavar="PICTURES", nargs="+", help="folders, or addresses such as s3://bucket/folder")
    parser.add_argument("-o", "--out", metavar="DIR", required=True, help="for the Parquet files; goes on where it stopped")
    parser.add_argument("--zones", metavar="FILE", help="a rules file, whose zones are measured, too")
    parser.add_argument("--merge-before", metavar="BLOCKS", type=options.blocks, help="such as 2,5 (default), or none")
    parser.add_argument("--proportional", action="store_true", help="merged keys count once for each patch")
    parser.add_argument("--input-size", metavar="WxH", help="of the model, where its file leaves it open")
    parser.add_argument("--fit", choices=("stretch", "slide"), default="stretch", help="how pictures fit the model's input")
    parser.add_argument("--precision", default="", help="fp32 (default), bf16, fp16 or int8")
    parser.add_argument("--workers", metavar="N", type=int, default=0, help="of Ray; without it, this process does it all")
    parser.add_argument("--threads", metavar="N", type=int, default=0, help="of each worker (1); of this process (all cores)")
    parser.add_argument("--chunk", metavar="N", type=int, default=64, help="pictures of a Parquet file (64)")
    return parser.parse_args(words)


def run(words: list[str]) -> int:
    asked = arguments(words)
    size = None
    if asked.input_size:
        if not (found := re.fullmatch(r"(\d+)x(\d+)", asked.input_size)):
            raise Refused(f"--input-size: {asked.input_size} is not WIDTHxHEIGHT")
        size = [int(each) for each in found.groups()]
    if min(asked.workers, asked.threads) < 0 or asked.chunk < 1:
        raise Refused("--workers, --threads and --chunk are counts")
    model = os.path.abspath(options.model_path(asked.model))
    with open(model, "rb") as file:
        sha256 = hashlib.sha256(file.read()).hexdigest()
    zones = zones_of(asked.zones) if asked.zones else []
    job = Job(model, sha256, asked.merge_before, asked.proportional, size, asked.fit, asked.precision, zones)
    out = asked.out if "://" in asked.out else os.path.abspath(asked.out)
    local = Worker(job, out, asked.threads)  # says at once what is wrong with the model
    count, chunks = chunks_of(asked.pictures, begin(job, out), asked.chunk)
    left = sum(len(chunk["paths"]) for chunk in chunks)
    print(f"{count:,} pictures, {count - left:,} of them have rows already", flush=True)
    if not chunks:
        return 0
    if not asked.workers:
        return report(map(local, chunks), left)
    return report(by_ray(chunks, (job, out, asked.threads or 1), asked.workers), left)


def main(words: list[str] | None = None) -> int:
    try:
        return run(sys.argv[1:] if words is None else words)
    except KeyboardInterrupt:
        print("mpm-archive: stopped; the same command goes on from here", file=sys.stderr)
        return 130
    except (Refused, OSError, ValueError, RuntimeError) as error:
        print(f"mpm-archive: {' '.join(str(error).split())}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
