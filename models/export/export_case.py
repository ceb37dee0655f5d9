# SPDX-License-Identifier: Apache-2.0
"""What the tests of the exporters share: a folder for the file, and how a script is run. Importing
it ends a test whose packages are not there."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

try:
    import onnx
    import onnxruntime  # noqa: F401  the exporters' own check needs it
    import timm  # noqa: F401
    import torch  # noqa: F401
    import transformers  # noqa: F401
    import yaml  # noqa: F401
except ImportError as error:
    if not pathlib.Path(sys.argv[0]).name.startswith("test_"):
        raise unittest.SkipTest(str(error))
    print(f"skipped: {sys.executable} lacks a package ({error})")
    sys.exit(77)

import command_line  # noqa: E402


class ExportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out.onnx"

    def export(self, script, *arguments):
        """Runs a script's main; its own check against PyTorch has to have run."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self.assertEqual(script.main([str(a) for a in arguments] + ["-o", str(self.out)]), 0)
        self.assertIn("checked: under ONNX Runtime", printed.getvalue())
        return onnx.load(str(self.out))

    def refuse(self, sentence, script, *arguments):
        with self.assertRaises(command_line.Refusal) as caught:
            script.main([str(a) for a in arguments] + ["-o", str(self.out)])
        self.assertRegex(str(caught.exception), sentence)
        self.assertNotIn("\n", str(caught.exception))

    def misuse(self, script, *arguments):
        with self.assertRaises(SystemExit) as caught, contextlib.redirect_stderr(io.StringIO()):
            script.main([str(a) for a in arguments])
        self.assertEqual(caught.exception.code, 2)
