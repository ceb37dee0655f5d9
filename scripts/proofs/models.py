# SPDX-License-Identifier: Apache-2.0
"""What is recognised in the models of tests/models, how exact their outputs are, and which rows they merge."""

import hashlib
import json

import numpy

from page import GONE, SAME, Differences, by_change, changed_paths, is_larger_error, table
from product import rounded

OTHER_SIZE = "96x96"  # of an input, for models that can be read for another one
MOST_METADATA = 200  # characters that are kept of a value: exporters tell of every node
STREET = "models/street.onnx"
STREETS = {"noon": ("7", "12"), "midnight": ("8", "0")}  # seed and hour


class Fixture:
    """An entry of models.json as the tests read it."""

    def __init__(self, product, entry):
        self.product, self.entry, self.name = product, entry, entry["name"]
        self.folder = product.source / "tests/models"
        self.model = self.folder / f"{self.name}.onnx"
        self.has_open_size = "height and width open" in entry["variant"]

    def images(self, key="input"):
        images = numpy.load(self.folder / self.entry[key]).astype(numpy.float32)
        images = images if self.entry["batch"] == "dynamic" else images[:1]
        return images.transpose(0, 2, 3, 1) if self.entry.get("channels_last") else images

    def stored(self, images=None):
        """The outputs that ONNX Runtime gave, of the other input's images where these are given."""
        size = "" if images is None else f".{images.shape[2]}x{images.shape[3]}"
        return {name: numpy.load(self.folder / f"{self.name}.{name}{size}.npy") for name in self.entry["outputs"]}

    def size_of(self, images):
        return "--input-size", f"{images.shape[3]}x{images.shape[2]}"

    def run(self, schedule, images=None):
        size = self.size_of(images) if images is not None else self.size_of(self.images()) if self.has_open_size else ()
        images = self.images() if images is None else images
        return self.product.run_model(self.model, images, "--merge-before", schedule, *size)


def fixtures_of(product):
    """Those of models.json, and the models beside it that tests name."""
    folder = product.source / "tests/models"
    entries = json.loads((folder / "models.json").read_text())
    listed = {entry["name"] for entry in entries}
    entries += [unlisted(product, model) for model in sorted(folder.glob("*.onnx")) if model.stem not in listed]
    return [Fixture(product, entry) for entry in entries]


def unlisted(product, model):
    """An entry for a model of which only its stored outputs and what the program says are known."""
    own = described(product, model)
    own = {} if isinstance(own, str) else own
    shape = own.get("inputs", [{"shape": []}])[0]["shape"]
    outputs = [file.name.split(".")[1] for file in sorted(model.parent.glob(f"{model.stem}.*.npy"))]
    return {"name": model.stem, "variant": "", "input": "images_48x64.npy", "batch": "dynamic", "outputs": outputs,
            "mergeable": own.get("mergeable", False), "blocks": own.get("blocks", 0), "channels_last": shape[3:] == [3]}


def described(product, model, *more):
    """What `mpm info --json` says, without the path; a sentence where it is refused."""
    status, text, said = product.run("info", "--json", model, *more)
    if status != 0:
        return f"refused: {said}"
    description = json.loads(text)
    description.pop("model", None)
    metadata = description.get("metadata", {})
    description["metadata"] = {key: text[:MOST_METADATA] for key, text in metadata.items()}
    return description


def error_of(found, right):
    """The largest error as tests/zoo/try_zoo.py has it: relative to how far an output is from that of the batch's
    other picture, and at least to a thousandth of its largest value; to that value where there is one picture."""
    if found is None:
        return "missing"
    if found.shape != right.shape:
        return f"SHAPE {list(found.shape)} for {list(right.shape)}"
    if not numpy.isfinite(found).all():
        return "NOT FINITE"
    right = right.astype(numpy.float64)
    scale = abs(right).max()
    if len(right) == 2:
        scale = max(scale / 1000, abs(right[0] - right[1]).max())
    return rounded(abs(found - right).max() / (scale or 1), 2)


def errors_of(outputs, stored):
    return {name: error_of(outputs.get(name), right) for name, right in stored.items()}


def take_fixture(fixture):
    product, entry = fixture.product, fixture.entry
    size = fixture.size_of(fixture.images()) if fixture.has_open_size else ()
    taken = {"info": described(product, fixture.model, *size)}
    if size:
        taken["info, size left open"] = described(product, fixture.model)
    outputs, said = fixture.run("none")
    taken["errors"] = errors_of(outputs, fixture.stored()) if outputs else "refused"
    if said:
        taken["said"] = said
    if not entry["mergeable"]:
        taken["said to merging"] = fixture.run("1")[1]
        return taken
    other = described(product, fixture.model, "--input-size", OTHER_SIZE)
    taken[f"grid at {OTHER_SIZE}"] = other if isinstance(other, str) else other.get("grid", other.get("reason"))
    if entry.get("other_input"):
        images = fixture.images("other_input")
        outputs, said = fixture.run("none", images)
        taken["errors at another size"] = errors_of(outputs, fixture.stored(images)) if outputs else said
    return taken


def take_fixtures(taking):
    # Sentences name the model; without its name those of several are the same, and are compared as one.
    return {fixture.name: json.loads(json.dumps(take_fixture(fixture)).replace(f"MODELS/{fixture.name}.onnx", "MODEL"))
            for fixture in fixtures_of(taking.product)}


def counts_text(counts):
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"


def fixture_changes(name, old, new):
    """(name, field, old, new) of what differs, errors apart; of counts of layers those that changed alone."""
    for field in sorted({*old, *new} - {"info"} - {key for key in {*old, *new} if key.startswith("errors")}):
        yield from ((name, *change) for change in changed_paths(old.get(field, GONE), new.get(field, GONE), field))
    before, after = old["info"], new["info"]
    if isinstance(before, str) or isinstance(after, str):
        if before != after:
            yield name, "info", *(each if isinstance(each, str) else "it is described" for each in (before, after))
        return
    for field in sorted({*before, *after}):
        was, now = before.get(field, GONE), after.get(field, GONE)
        if was == now:
            continue
        if field in ("layers", "computed") and GONE not in (was, now):
            changed = {each for each in {*was, *now} if was.get(each, 0) != now.get(each, 0)}
            yield name, field, *(counts_text({each: of.get(each, 0) for each in changed}) for of in (was, now))
        else:
            yield from ((name, *change) for change in changed_paths(was, now, field))


def error_changes(name, old, new):
    for field in sorted(key for key in {*old, *new} if key.startswith("errors")):
        before, after = old.get(field, {}), new.get(field, {})
        if isinstance(before, str) or isinstance(after, str):
            if before != after:
                yield name, field, before, after
            continue
        for output in sorted({*before, *after}):
            was, now = before.get(output), after.get(output)
            if is_larger_error(was, now):
                yield name, f"{output}{field[len('errors'):]}", was, now


def compare_fixtures(old, new):
    changes, errors = [], []
    for name in sorted({*old, *new}):
        if name not in old or name not in new:
            changes.append((name, "fixture", *(("there", "gone") if name in old else ("not there", "new"))))
            continue
        changes += fixture_changes(name, old[name], new[name])
        errors += error_changes(name, old[name], new[name])
    if not changes and not errors:
        return SAME
    text = table(("what", "old", "new", "fixtures"), by_change(changes))
    if errors:
        text += "\nErrors that are more than twice the old one and above 1e-6, or that cannot be told:\n\n"
        text += table(("fixture", "output", "old:", "new:"), errors)
    return Differences(len({name for name, *_ in changes + errors}), text)


def schedules_of(blocks):
    """None, 2 and 5, and all blocks from 1 on, of those that an encoder of so many blocks has."""
    wanted = ["none"]
    for some in ((2, 5), range(1, blocks)):
        text = ",".join(str(block) for block in some if block < blocks)
        if text and text not in wanted:
            wanted.append(text)
    return wanted


def digest_of(values):
    return hashlib.sha256(f"{values.dtype.str}{values.shape}".encode() + values.tobytes()).hexdigest()[:16]


def merged(outputs, said):
    """The live rows of each picture, and digests of all maps and numbers of rows."""
    if "mpm_rows" not in outputs:
        return f"no rows: {said}"
    taken = {name: digest_of(values) for name, values in outputs.items() if name.startswith(("mpm_map", "mpm_rows"))}
    return {"rows": [int(row) for row in outputs["mpm_rows"].reshape(-1)], **taken}


def street_input(product, seed, hour, description):
    """A drawn street as the model wants it, drawn in its size, so that nothing is resized; and its digest."""
    width, height = description["input"]["width"], description["input"]["height"]
    drawn = product.drawn("--seed", seed, "--hour", hour, "--size", f"{width}x{height}")
    frame = numpy.frombuffer(drawn, numpy.uint8, width * height * 3).reshape(height, width, 3)
    facts = description["metadata"]
    mean, std = ([float(each) for each in facts.get(key, "0.5,0.5,0.5").split(",")] for key in ("mpm.mean", "mpm.std"))
    ordered = frame if facts.get("mpm.channel_order") == "BGR" else frame[:, :, ::-1]
    planes = (ordered.astype(numpy.float32) / numpy.float32(255) - numpy.float32(mean)) / numpy.float32(std)
    return planes.transpose(2, 0, 1)[None].astype(numpy.float32), digest_of(frame)


def take_maps(taking):
    product, maps = taking.product, {}
    for fixture in fixtures_of(product):
        if fixture.entry["mergeable"]:
            maps[fixture.name] = {schedule: merged(*fixture.run(schedule))
                                  for schedule in schedules_of(fixture.entry["blocks"])}
    model = product.source / STREET
    description = described(product, model)
    for name, (seed, hour) in STREETS.items():
        image, digest = street_input(product, seed, hour, description)
        maps[f"street at {name}"] = {"picture": digest} | {
            schedule: merged(*product.run_model(model, image, "--merge-before", schedule))
            for schedule in schedules_of(description["blocks"])}
    return maps


def compare_maps(old, new):
    rows = []
    for name in sorted({*old, *new}):
        before, after = old.get(name, {}), new.get(name, {})
        for schedule in sorted({*before, *after}):
            was, now = before.get(schedule, GONE), after.get(schedule, GONE)
            if was == now:
                continue
            if isinstance(was, dict) and isinstance(now, dict):
                what = ", ".join(each for each in sorted({*was, *now}) if was.get(each) != now.get(each))
                was, now = was["rows"], now["rows"]
            else:
                what = "picture" if schedule == "picture" else "all"
                was, now = (each["rows"] if isinstance(each, dict) else each for each in (was, now))
            rows.append((name, schedule, what, was, now))
    return Differences(len(rows), table(("model", "merge before", "what differs", "old rows", "new rows"), rows))
