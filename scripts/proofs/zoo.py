# SPDX-License-Identifier: Apache-2.0
"""What the models of a folder give that tests/zoo/write_zoo.py wrote, by tests/zoo/try_zoo.py."""

import json
import pathlib
import subprocess

from page import Differences, by_change, is_larger_error, table
from product import rounded

TRY_ZOO = pathlib.Path(__file__).resolve().parent.parent.parent / "tests/zoo/try_zoo.py"


def take_zoo(taking):
    """Of each file its verdict, its largest error, whether it merges, and whose layers its net has."""
    product, asked = taking.product, taking.asked
    told = product.scratch / "zoo.json"
    words = [asked.zoo_python, TRY_ZOO, asked.zoo.resolve(), "--mpm", product.mpm, "--json", told]
    done = subprocess.run(list(map(str, words)), env=product.environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    if not told.exists():  # its exit status tells of models that are wrong as well
        last = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
        raise RuntimeError(f"try_zoo.py found nothing with {asked.zoo_python}: {last}")
    zoo = json.loads(told.read_text())
    for found in zoo.values():
        found["error"] = None if found["error"] is None else rounded(found["error"], 2)
        found["said"] = product.portable(found["said"]).replace(str(asked.zoo.resolve()), "ZOO")
    return zoo


def compare_zoo(old, new):
    changes, errors = [], []
    for name in sorted({*old, *new}):
        before, after = old.get(name), new.get(name)
        if before is None or after is None:
            changes.append((name, "file", *(("there", "gone") if after is None else ("not there", "new"))))
            continue
        fields = sorted({*before, *after} - {"error"})
        changes += [(name, field, before.get(field), after.get(field)) for field in fields
                    if before.get(field) != after.get(field)]
        if is_larger_error(before["error"], after["error"]):
            errors.append((name, before["error"], after["error"]))
    text = table(("what", "old", "new", "files"), by_change(changes))
    if errors:
        text += "\nErrors that are more than twice the old one and above 1e-6:\n\n"
        text += table(("file", "old:", "new:"), errors)
    return Differences(len({name for name, *_ in changes + errors}), text)
