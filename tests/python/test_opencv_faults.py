# SPDX-License-Identifier: Apache-2.0
"""The programs of docs/opencv show their faults with OpenCV 5.0.0, and say so when a later one has mended them."""

import importlib.util
import subprocess
import sys
import unittest

from paths import ROOT

try:
    import cv2
except ImportError:
    cv2 = None

PROGRAMS = sorted((ROOT / "docs/opencv").glob("*.py"))


@unittest.skipIf(cv2 is None or int(cv2.__version__.split(".")[0]) < 5, "there is no cv2 of OpenCV 5")
@unittest.skipIf(importlib.util.find_spec("onnx") is None, "there is no onnx")
class Faults(unittest.TestCase):
    def printed(self, *words):
        return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=60).stdout

    def test_each_program_shows_its_fault(self):
        for program in PROGRAMS:
            if program.name == "form.py":
                continue
            with self.subTest(program.name):
                lines = [line for line in self.printed(program).splitlines() if line.startswith(("wrong:", "right:"))]
                self.assertTrue(lines, "it prints neither wrong nor right")
                shown = any(line.startswith("wrong:") for line in lines)
                if cv2.__version__ == "5.0.0":
                    self.assertTrue(shown, lines)
                elif not shown:
                    print(f"{program.name}: mended in OpenCV {cv2.__version__}", file=sys.stderr)

    def test_each_program_fits_the_form(self):
        for program in [*PROGRAMS, *sorted((ROOT / "docs/opencv").glob("*.cpp"))]:
            if program.name == "form.py":
                continue
            with self.subTest(program.name):
                self.assertLessEqual(len(program.read_text().splitlines()), 40)
                text = self.printed(ROOT / "docs/opencv/form.py", program)
                title, _, rest = text.partition("\n\n### System Information\n\n")
                self.assertRegex(title, "^[A-Z].{20,100}$")
                description = rest.split("### Detailed description\n\n")[1].split("\n\n### Steps")[0]
                self.assertGreater(len(description.split()), 15)


if __name__ == "__main__":
    unittest.main()
