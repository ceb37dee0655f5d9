# SPDX-License-Identifier: Apache-2.0
"""What is written into a model's file beside its graph: python3 test_metadata.py"""

import contextlib
import io
import unittest
import unittest.mock

from export_case import ExportTest  # ends here where a package is missing

import command_line
import metadata
import onnx


class MetadataTest(ExportTest):
    def setUp(self):
        super().setUp()
        graph = onnx.helper.make_graph([], "empty", [], [])
        onnx.save(onnx.helper.make_model(graph), str(self.out))

    def call(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()):
            return metadata.main([str(self.out), *arguments])

    def test_entries_are_added_and_replaced(self):
        self.call("--set", "mean=0,0,0", "--set", "classes=sky\\nroad")
        self.call("--set", "mpm.mean=0.5,0.5,0.5", "--set", "palette=#000000\\n#00ff00")
        self.assertEqual(
            metadata.read(self.out),
            {
                "mpm.mean": "0.5,0.5,0.5",
                "mpm.classes": "sky\nroad",
                "mpm.palette": "#000000\n#00ff00",
            },
        )

    def test_what_a_reader_would_not_understand_is_refused(self):
        for entry, sentence in {
            "mean=1,2": "three numbers",
            "std=1,0,1": "three numbers",
            "std=1,nan,1": "three numbers",
            "channel_order=GBR": "RGB or BGR",
            "patch=x": "number of pixels",
            "palette=black": "#rrggbb",
            "colour=red": "there is no key mpm.colour",
        }.items():
            with self.subTest(entry=entry):
                with self.assertRaisesRegex(command_line.Refusal, sentence):
                    self.call("--set", entry)
        with self.assertRaisesRegex(command_line.Refusal, "2 classes and 1 colours"):
            self.call("--set", "classes=a\\nb", "--set", "palette=#000000")
        self.assertEqual(metadata.read(self.out), {})

    def test_classes_of_a_public_data_set(self):
        self.call("--class-names", "cityscapes")
        names = metadata.read(self.out)["mpm.classes"].split("\n")
        self.assertEqual((len(names), names[0], names[-1]), (19, "road", "bicycle"))

    def test_colours_of_a_public_data_set(self):
        self.call("--class-names", "cityscapes", "--palette", "cityscapes")
        colours = metadata.read(self.out)["mpm.palette"].split("\n")
        self.assertEqual((len(colours), colours[0], colours[-1]), (19, "#804080", "#770b20"))
        self.call("--class-names", "ade20k", "--palette", "ade20k")
        colours = dict(zip(*(metadata.read(self.out)[f"mpm.{key}"].split("\n") for key in ("classes", "palette"))))
        self.assertEqual((len(colours), colours["wall"], colours["sky"]), (150, "#787878", "#06e6e6"))

    def test_a_disk_that_is_full_leaves_the_model_as_it_was(self):
        def tear(model, path):
            with open(path, "wb") as file:
                file.write(b"half")
            raise OSError(28, "No space left on device")

        self.call("--set", "licence=MIT")
        before = self.out.read_bytes()
        with unittest.mock.patch("onnx.save", tear):
            with self.assertRaisesRegex(command_line.Refusal, "cannot be written: No space left"):
                self.call("--set", "licence=none")
        self.assertEqual(self.out.read_bytes(), before)
        self.assertEqual(list(self.out.parent.iterdir()), [self.out])

    def test_a_link_and_what_others_may_do_stay(self):
        link = self.out.parent / "link.onnx"
        link.symlink_to(self.out.name)
        self.out.chmod(0o600)
        with contextlib.redirect_stdout(io.StringIO()):
            metadata.main([str(link), "--set", "licence=MIT"])
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.out.stat().st_mode & 0o777, 0o600)
        self.assertEqual(metadata.read(self.out), {"mpm.licence": "MIT"})

    def test_files_that_are_no_models(self):
        self.out.write_text("no model")
        with self.assertRaisesRegex(command_line.Refusal, "is not an ONNX file"):
            self.call()
        self.out.unlink()
        with self.assertRaisesRegex(command_line.Refusal, "cannot be read"):
            self.call()


if __name__ == "__main__":
    unittest.main()
