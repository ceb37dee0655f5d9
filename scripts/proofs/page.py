# SPDX-License-Identifier: Apache-2.0
"""The parts of the page that a comparison prints: tables, diffs, and what two values differ in."""

import collections
import difflib
import json
import os

MOST_ROWS, MOST_LINES, MOST_NAMES, MOST_CHARACTERS = 60, 60, 8, 160
MOST_SAME = 60  # characters that two long texts begin with alike
GONE = "(not there)"

# How many things differ, and the Markdown that shows them.
Differences = collections.namedtuple("Differences", "count text")
SAME = Differences(0, "")


def text_of(value):
    """A value on one line, cut where it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    text = " ".join(text.split())
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 3] + "..."


def pair_of(old, new):
    """Two values so that their difference shows: words in quotes beside others, long texts from where they part."""
    if isinstance(old, str) != isinstance(new, str) and GONE not in (old, new):
        return json.dumps(old, ensure_ascii=False, sort_keys=True), json.dumps(new, ensure_ascii=False, sort_keys=True)
    if isinstance(old, str) and isinstance(new, str) and max(len(old), len(new)) > MOST_CHARACTERS:
        same = len(os.path.commonprefix([old, new]))
        if same > MOST_SAME:
            return tuple("..." + each[same - MOST_SAME // 2:] for each in (old, new))
    return old, new


def names_text(names):
    names = sorted(set(names))
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def table(head, rows):
    """A Markdown table, its columns aligned to the right where the head's word ends with a colon."""
    rows = list(rows)
    if not rows:
        return ""
    lines = ["| " + " | ".join(word.rstrip(":") for word in head) + " |",
             "| " + " | ".join("---:" if word.endswith(":") else "---" for word in head) + " |"]
    lines += ["| " + " | ".join(text_of(cell).replace("|", "\\|") for cell in row) + " |" for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        lines.append(f"\n... and {len(rows) - MOST_ROWS} rows more")
    return "\n".join(lines) + "\n"


def diff(old, new):
    """A unified diff of two lists of lines as a block of Markdown."""
    lines = list(difflib.unified_diff(old, new, "old", "new", n=2, lineterm=""))[2:]
    more = [f"... and {len(lines) - MOST_LINES} lines more"] if len(lines) > MOST_LINES else []
    return "```diff\n" + "\n".join(line[:400] for line in lines[:MOST_LINES] + more) + "\n```\n"


def of_diffs(old, new):
    """The differences of two dicts of texts, each shown as a diff under its name."""
    parts = []
    for name in sorted({*old, *new}):
        before, after = old.get(name), new.get(name)
        if before == after:
            continue
        if before is None or after is None:
            lines = len((after if before is None else before).splitlines())
            parts.append(f"**{name}** is {'new' if before is None else 'gone'} ({lines} lines)\n")
        else:
            parts.append(f"**{name}**\n\n{diff(before.splitlines(), after.splitlines())}")
    return Differences(len(parts), "\n".join(parts))


def changed_paths(old, new, path=""):
    """(path, old, new) of each place where two values of JSON differ; a list's places have [n]."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from changed_paths(old.get(key, GONE), new.get(key, GONE), f"{path}.{key}" if path else key)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (before, after) in enumerate(zip(old, new)):
            yield from changed_paths(before, after, f"{path}[{i}]")
    elif isinstance(old, list) and isinstance(new, list):
        yield path, f"{len(old)} items", f"{len(new)} items"
    elif old != new or type(old) is not type(new):
        yield path, old, new


def by_change(changes):
    """Of (name, what, old, new) one row for each change, with all names that it befell."""
    names = collections.defaultdict(list)
    for name, *change in changes:
        names[tuple(map(text_of, (*change[:-2], *pair_of(*change[-2:]))))].append(name)
    return [(*change, names_text(of)) for change, of in sorted(names.items(), key=lambda each: -len(each[1]))]


def is_larger_error(old, new):
    """Whether an error grew by so much that rounding does not explain it, or is a word that changed."""
    if isinstance(old, (int, float)) and isinstance(new, (int, float)):
        return new > 2 * old and new > 1e-6
    return old != new
