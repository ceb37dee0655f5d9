# SPDX-License-Identifier: Apache-2.0
"""The cells of docs/tutorial.ipynb, one after the other. With --draw its picture is written to docs/pictures."""

import ast
import json
import os
import sys
import unittest

from paths import ROOT

DOCS = ROOT / "docs"
PICTURE = DOCS / "pictures" / "tutorial.png"


def run(cell, names):
    """Gives what the cell shows: the value of its last line, where that is one."""
    lines = ast.parse(cell).body
    last = ast.Expression(lines.pop().value) if isinstance(lines[-1], ast.Expr) else None
    exec(compile(ast.Module(lines, []), "cell", "exec"), names)
    return eval(compile(last, "cell", "eval"), names) if last else None


class Tutorial(unittest.TestCase):
    def test_runs_and_shows_what_it_says(self):
        cells = json.loads((DOCS / "tutorial.ipynb").read_text())["cells"]
        cells = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        self.assertEqual(len(cells), 10)
        names, pictures = {}, []
        folder = os.getcwd()
        os.chdir(DOCS)
        try:
            for number, cell in enumerate(cells, 1):
                with self.subTest(cell=number):
                    shown = run(cell, names)
                    self.assertIsNotNone(shown)
                    if hasattr(shown, "_repr_png_"):
                        pictures.append(shown._repr_png_())
        finally:
            os.chdir(folder)
        if "--draw" in sys.argv:
            PICTURE.write_bytes(pictures[2])
        header = slice(0, 24)  # its size, included
        self.assertEqual(pictures[2][header], PICTURE.read_bytes()[header])
        self.assertTrue(names["model"].mergeable)
        self.assertEqual(names["found"].rows, sorted(names["found"].rows, reverse=True))
        self.assertGreater(names["agreement"], 0.97)
        self.assertGreater(min(names["accuracy"]), 0.9)
        self.assertEqual((int(names["left"]), list(names["where"])), (4, [0, 0, 1, 2, 2, 3]))


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--draw"])
