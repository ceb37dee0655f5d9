# SPDX-License-Identifier: Apache-2.0
"""What compare.py has measured, as tables and pictures look at it."""

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
