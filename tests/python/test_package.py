# SPDX-License-Identifier: Apache-2.0
import ast
import importlib.metadata
import pathlib
import unittest

import mpm_dnn
from mpm_dnn import _mpm


class Package(unittest.TestCase):
    def test_carries_the_licenses_of_what_is_in_it(self):
        folder = pathlib.Path(mpm_dnn.__file__).parent / "licenses"
        for name, words in {
            "opencv-LICENSE": "Apache License",
            "opencv-COPYRIGHT": "Intel Corporation",
            "mlas-LICENSE": "Microsoft Corporation",
            "protobuf-LICENSE": "Google Inc.",
            "libpng-LICENSE": "PNG Reference Library",
            "libjpeg-turbo-LICENSE.md": "BSD-style",
            "nanobind-LICENSE": "Wenzel Jakob",
            "robin-map-LICENSE": "Goetghebuer-Planchon",
            "libhwy-dev-copyright": "Google",
            "nlohmann-json3-dev-copyright": "Niels Lohmann",
            "libcli11-dev-copyright": "University of Cincinnati",
            "libtomlplusplus-dev-copyright": "Mark Gillard",
        }.items():
            with self.subTest(name):
                self.assertIn(words, (folder / name).read_text())

    def test_an_index_can_show_what_it_is(self):
        told = importlib.metadata.metadata("mpm-dnn")
        self.assertTrue(told["Version"].startswith(mpm_dnn.__version__.removesuffix("-dev")), mpm_dnn.__version__)
        self.assertEqual((told["License-Expression"], told["License-File"]), ("Apache-2.0", "LICENSE"))
        self.assertIn("Mutual Pair Merging", told["Summary"])
        self.assertIn("import mpm_dnn", told.get_payload() or told["Description"])
        mine = [file for file in importlib.metadata.files("mpm-dnn") if file.name == "LICENSE" and "dist-info" in str(file)]
        self.assertIn("Apache License", mine[0].read_text())

    def test_the_stubs_name_what_the_extension_has(self):
        def names(of):
            return {name for name in dir(of) if not name.startswith("_")}

        stubs = pathlib.Path(mpm_dnn.__file__).with_name("_mpm.pyi").read_text()
        told = {each.name: each for each in ast.parse(stubs).body if isinstance(each, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(set(told), names(_mpm) - {"opencv_version", "version"})
        for name, each in told.items():
            if isinstance(each, ast.ClassDef):
                methods = {method.name for method in each.body} - {"__init__"}
                self.assertEqual(methods, names(getattr(_mpm, name)), name)


if __name__ == "__main__":
    unittest.main()
