# SPDX-License-Identifier: Apache-2.0
"""Results as a table in Markdown.

usage: report.py RESULTS.json DIR        once more, of what compare.py has measured
"""

import json
import pathlib
import sys
import textwrap

from configurations import REFERENCE

WIDTH = 118  # of a line of text
DISTURBED = 0.7  # of the cores that the threads could have kept busy
BEGIN, END = "<!-- peers:begin -->", "<!-- peers:end -->"
WEIGHTS = {
    "street": "Weights: the street model's, at each size.",
    "random": "Weights: random, which merge little.",
}
OUTPUTS = {
    "full": "Scores of every pixel, {shape}: the models as they are exported",
    "grid": "Scores of every patch, {shape}: the models without the last upsampling",
}


def groups(results):
    """The cases of each output, in order."""
    return {
        output: [case for case in results["cases"] if case["output"] == output]
        for output in OUTPUTS
        if any(case["output"] == output for case in results["cases"])
    }


def names_of(cases):
    names = {}
    for case in cases:
        names.update(dict.fromkeys(case["rows"]))
    return list(names)


def first_row(cases, name):
    """Of a configuration the row that knows its label: a failed one may lack the version."""
    rows = [case["rows"][name] for case in cases if name in case["rows"]]
    return next((row for row in rows if "version" in row), rows[0])


def milliseconds(row):
    return f"{row['ms']:.{1 if row['ms'] < 100 else 0}f}"


def cell(case, name):
    """Returns the ratio, of the reference its time; in brackets where what is computed is wrong."""
    row = case["rows"].get(name, {})
    if "ms" not in row:
        return "-"
    word = f"{milliseconds(row)} ms" if name == REFERENCE else f"{row['ratio']:.2f}"
    return word if row["right"] else f"({word})"


def checked(cases, name):
    """The worst of what was found, in words; reasons stand below the table."""
    rows = [case["rows"][name] for case in cases if name in case["rows"]]
    wrong = next((row for row in rows if not row["right"]), None)
    if wrong:
        return "see below"
    worst = max(
        rows,
        key=lambda row: (
            -row.get("map", 1),
            -row.get("labels", 1) if row["precision"] != "fp32" else 0,
            row.get("difference", 0),
        ),
    )
    return worst["words"]


def reasons(cases):
    for name in names_of(cases):
        row = first_row(cases, name)
        words = {}
        for case in cases:
            row_of_case = case["rows"].get(name, {"right": True})
            if not row_of_case["right"]:
                words.setdefault(row_of_case["words"], []).append(case["model"])
        for sentence, models in words.items():
            yield f"{row['label']}, {row['precision']} ({', '.join(models)}): {sentence}"


def tokens_left(cases):
    """Yields how many tokens each merging method left, in a phrase for the models that agree."""
    models = {}
    for case in cases:
        words = []
        for methods, what in ((("torch-mpm", "ours-mpm"), "MPM"), (("torch-tome",), "ToMe")):
            steps = next(filter(None, (case["rows"].get(n, {}).get("rows") for n in methods)), None)
            if steps:
                left = [step[0] for step in steps]
                few = left if len(left) < 5 else [left[0], "...", left[-1]]
                words.append(f"{what} leaves {', '.join(map(str, few))}")
        if words:
            models.setdefault(" and ".join(words), []).append(case["model"])
    for phrase, names in models.items():
        yield f"in {', '.join(names)} {phrase}"


def table_of(cases):
    """Yields the lines of one output's table, and of the paragraph below it."""
    models = [case["model"] for case in cases]
    yield "| " + " | ".join(["what", "precision", *models, "checked"]) + " |"
    yield "| --- | --- |" + " ---: |" * len(models) + " --- |"
    for name in names_of(cases):
        row = first_row(cases, name)
        values = [cell(case, name) for case in cases]
        words = [row["label"], row["precision"], *values, checked(cases, name)]
        yield "| " + " | ".join(words) + " |"
    below = {
        "In brackets or left out: ": "; ".join(reasons(cases)),
        "Tokens after each merge, the class token included: ": "; ".join(tokens_left(cases)),
    }
    text = " ".join(f"{what}{words}." for what, words in below.items() if words)
    if text:
        yield from ["", *textwrap.wrap(text, WIDTH, break_on_hyphens=False)]


def table(results):
    lines = []
    outputs = groups(results)
    for output, cases in outputs.items():
        if len(outputs) > 1:
            shape = " x ".join(map(str, cases[0]["shape"]))
            lines += [f"### {OUTPUTS[output].format(shape=f'[{shape}]')}", ""]
        lines += [*table_of(cases), ""]
    busy = min(case["rows"][REFERENCE]["cores"] for case in results["cases"])
    if busy < DISTURBED * results["threads"]:
        lines += [
            f"**Disturbed:** other programs left ONNX Runtime {busy:.1f} of {results['threads']} "
            f"cores; measure again on a machine that is idle.",
            "",
        ]
    weights = WEIGHTS.get(results.get("weights"), "")
    lines.append(
        f"{results['processor']}, {results['threads']} threads, the median of "
        f"{results['rounds']} rounds. {weights}".rstrip()
    )
    return "\n".join(lines)


def put(text, file):
    """Replaces what stands between the markers of a file; without markers a file of its own."""
    page = file.read_text(encoding="utf-8") if file.is_file() else ""
    if BEGIN not in page or END not in page:
        file = file.with_name("peers.md")
        page = f"{BEGIN}\n{END}\n"
    before, after = page.split(BEGIN)[0], page.split(END, 1)[1]
    file.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    return file


def write(results, folder):
    text = table(results)
    print(f"\n{text}")
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    print(f"\nwrote {put(text, folder / 'benchmarks.md')}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(
        json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), pathlib.Path(sys.argv[2])
    )
