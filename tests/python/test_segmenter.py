# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

import numpy as np
from paths import MODELS, PROGRAM, REFUSED, SMALL, STREET, picture

import mpm_dnn

DEPTH = MODELS / "hf_depth_anything.onnx"

try:
    import cv2
except ImportError:
    cv2 = None


class Segmenting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.segmenter = mpm_dnn.Segmenter(STREET)
        cls.frame = picture(300, 400)
        cls.found = cls.segmenter(cls.frame)

    def test_finds_labels_and_says_how(self):
        found = self.found
        self.assertEqual((found.labels.shape, found.labels.dtype), ((300, 400), np.uint8))
        self.assertEqual((found.confidence.shape, found.confidence.dtype), ((300, 400), np.float32))
        self.assertEqual((found.merge_map.shape, found.merge_map.dtype), ((32, 32), np.int32))
        self.assertEqual([found.rows[0], found.windows, found.stages], [1025, 1, []])
        self.assertEqual(found.merge_map.max() + 1, found.rows[-1] - 1)
        self.assertGreater(found.rows[0], found.rows[-1])
        self.assertGreater(found.times.network, 0)
        self.assertAlmostEqual(sum(step.ms for step in found.steps), found.times.network, places=6)
        self.assertLessEqual({2, 5}, {step.block for step in found.steps if step.kind == "merge"})

    def test_reads_any_layout_of_a_frame(self):
        wide = np.zeros((300, 500, 3), np.uint8)
        wide[:, 50:450] = self.frame
        readonly = self.frame.copy()
        readonly.flags.writeable = False
        layouts = {
            "Fortran's": np.asfortranarray(self.frame),
            "gaps between rows": wide[:, 50:450],
            "upside down, twice": self.frame[::-1].copy()[::-1],
            "read only": readonly,
            "planes": np.ascontiguousarray(self.frame.transpose(2, 0, 1)).transpose(1, 2, 0),
            "bytes": memoryview(self.frame),
        }
        for name, frame in layouts.items():
            with self.subTest(name):
                np.testing.assert_array_equal(self.segmenter(frame).labels, self.found.labels)

    def test_takes_grey_and_bgra(self):
        grey = self.frame[..., :1]
        three = self.segmenter(np.repeat(grey, 3, axis=2)).labels
        four = np.dstack([self.frame, np.zeros((300, 400), np.uint8)])
        np.testing.assert_array_equal(self.segmenter(grey).labels, three)
        np.testing.assert_array_equal(self.segmenter(grey[..., 0]).labels, three)
        np.testing.assert_array_equal(self.segmenter(four).labels, self.found.labels)

    def test_what_it_found_is_its_own(self):
        first = self.found.labels.copy()
        self.segmenter(picture(300, 400, seed=99))
        np.testing.assert_array_equal(self.found.labels, first)
        self.found.labels[0, 0] ^= 1  # writable
        self.found.labels[0, 0] ^= 1

    def test_the_schedule_of_a_living_net(self):
        with mpm_dnn.Segmenter(STREET, merge_before=[], confidence=False) as segmenter:
            self.assertEqual(segmenter.merge_before, [])
            self.assertIsNone(segmenter(self.frame).confidence)
            segmenter.merge_before = "5 2"
            self.assertEqual(segmenter.merge_before, [2, 5])
            np.testing.assert_array_equal(segmenter(self.frame).labels, self.found.labels)
            with self.assertRaisesRegex(ValueError, "the encoder has 12 blocks"):
                segmenter.merge_before = [12]

    def test_stages_and_windows(self):
        with mpm_dnn.Segmenter(STREET, stages=True, fit="slide", short_side=512) as segmenter:
            found = segmenter(picture(512, 700))
        self.assertEqual(found.windows, 2)
        self.assertEqual([stage.map.shape for stage in found.stages], [(32, 32)] * 2)
        self.assertEqual(found.stages[0].similarity.dtype, np.float32)

    def test_gives_the_values_of_a_depth_model(self):
        options = {"merge_before": [], "mean": (0, 0, 0), "std": (1, 1, 1)}
        segmenter = mpm_dnn.Segmenter(DEPTH, values=True, **options)
        width, height = segmenter.model.input_size
        frame = picture(height, width)
        found = segmenter(frame)
        blob = np.ascontiguousarray(frame[..., ::-1].transpose(2, 0, 1)[None], np.float32) / 255
        expected = mpm_dnn.Net(DEPTH, merge_before=[])(blob)["predicted_depth"][0]
        self.assertEqual((found.labels, segmenter.classes, found.values.dtype), (None, [], np.float32))
        np.testing.assert_allclose(found.values, expected, rtol=1e-5)
        self.assertEqual(segmenter(picture(50, 90)).values.shape, (50, 90))
        with self.assertRaises(RuntimeError):
            mpm_dnn.Segmenter(DEPTH, **options)

    def test_knows_its_model(self):
        self.assertEqual(len(self.segmenter.classes), 12)
        self.assertEqual(self.segmenter.classes[0], "sky")
        self.assertEqual((self.segmenter.palette.shape, self.segmenter.palette.dtype), ((12, 3), np.uint8))
        self.assertEqual(list(self.segmenter.palette[0]), [0xEB, 0xB2, 0x5C])
        self.assertEqual(self.segmenter.model.input_size, (512, 512))

    def test_refuses_frames_in_a_sentence(self):
        for kind, sentence, frame in (
            (TypeError, "got NoneType", None),
            (TypeError, "got list", [[1]]),
            (TypeError, "got float32", self.frame.astype(np.float32)),
            (ValueError, "got 3 x 300 x 400", self.frame.transpose(2, 0, 1)),
            (ValueError, "got 300 x 400 x 2", self.frame[..., :2]),
            (ValueError, "got 0 x 400", self.frame[:0]),
            (ValueError, "got 5", np.zeros(5, np.uint8)),
        ):
            with self.subTest(sentence), self.assertRaisesRegex(kind, f"^frame: expected .*{sentence}"):
                self.segmenter(frame)

    def test_refuses_models_and_options_in_a_sentence(self):
        for kind, sentence, call in (
            (FileNotFoundError, "no such file", lambda: mpm_dnn.Segmenter("nowhere.onnx")),
            (IsADirectoryError, "a folder", lambda: mpm_dnn.Segmenter(STREET.parent)),
            (RuntimeError, "text, not ONNX", lambda: mpm_dnn.Segmenter(__file__)),
            (TypeError, "not int", lambda: mpm_dnn.Segmenter(5)),
            (ValueError, "fit: expected one of", lambda: mpm_dnn.Segmenter(STREET, fit="crop")),
            (ValueError, "restore: expected one of", lambda: mpm_dnn.Segmenter(STREET, restore="never")),
            (ValueError, "mean: expected three", lambda: mpm_dnn.Segmenter(STREET, mean=0.5)),
            (ValueError, "divide those for 0 to 255 by 255", lambda: mpm_dnn.Segmenter(STREET, mean=[123.7, 116.3, 103.5])),
            (ValueError, "0 x 0 is no size", lambda: mpm_dnn.Segmenter(STREET, input_size=(0, 0))),
            (ValueError, "at most 67108864 pixels", lambda: mpm_dnn.Segmenter(STREET, input_size=(10**6, 10**6))),
            (ValueError, "null character", lambda: mpm_dnn.Segmenter("street\0.onnx")),
            (ValueError, "not UTF-8", lambda: mpm_dnn.Segmenter(b"street\xff.onnx")),
            (FileNotFoundError, "'': there is no such file", lambda: mpm_dnn.Segmenter("")),
            (ValueError, "std: expected three numbers above 0", lambda: mpm_dnn.Segmenter(STREET, std=[1, 0, 1])),
            (TypeError, "input_size: expected", lambda: mpm_dnn.Segmenter(STREET, input_size=512)),
            (RuntimeError, "multiples of the patch", lambda: mpm_dnn.Segmenter(STREET, input_size=(500, 512))),
            (ValueError, "stride 600", lambda: mpm_dnn.Segmenter(STREET, fit="slide", stride=600)),
            (ValueError, "only go with sliding windows", lambda: mpm_dnn.Segmenter(STREET, stride=5)),
            (ValueError, "precision", lambda: mpm_dnn.Segmenter(STREET, precision="fp8")),
            (TypeError, "device: expected a string", lambda: mpm_dnn.Segmenter(STREET, device=0)),
            (ValueError, "merge before 12", lambda: mpm_dnn.Segmenter(STREET, merge_before=[12])),
            (ValueError, "-1 is not a block", lambda: mpm_dnn.Segmenter(STREET, merge_before=[-1])),
            (TypeError, "expected blocks", lambda: mpm_dnn.Segmenter(STREET, merge_before=[True])),
        ):
            with self.subTest(sentence), self.assertRaisesRegex(kind, sentence):
                call()

    def test_a_closed_one_says_so(self):
        segmenter = mpm_dnn.Segmenter(SMALL)
        self.assertFalse(segmenter.closed)
        segmenter.close()
        segmenter.close()
        self.assertTrue(segmenter.closed)
        for call in (lambda: segmenter(self.frame), lambda: segmenter.model, lambda: segmenter.classes,
                     lambda: segmenter.palette, lambda: segmenter.merge_before):
            with self.assertRaisesRegex(RuntimeError, "this Segmenter is closed"):
                call()

    def test_one_serves_one_thread_and_two_run_side_by_side(self):
        refusals, answers = [], []
        first, second = mpm_dnn.Segmenter(SMALL), mpm_dnn.Segmenter(SMALL)
        expected = first(self.frame).labels

        def use(segmenter):
            for _ in range(30):
                try:
                    answers.append(segmenter(self.frame).labels)
                except RuntimeError as error:
                    refusals.append(str(error))

        for segmenters in ([first, first], [first, second]):
            refusals.clear()
            threads = [threading.Thread(target=use, args=(each,)) for each in segmenters]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertLessEqual(set(refusals), {
                "another thread is using this Segmenter; please make one for each thread"})
            for labels in answers:
                np.testing.assert_array_equal(labels, expected)
        self.assertEqual(refusals, [])

    @unittest.skipIf(cv2 is None, "there is no cv2 to read the program's labels")
    @unittest.skipUnless(os.path.exists(PROGRAM), f"there is no program {PROGRAM} (MPM_PROGRAM)")
    def test_gives_what_the_program_gives(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            cv2.imwrite(str(folder / "frame.png"), self.frame)
            for words, options in (([], {}), (["--merge-before", "none"], {"merge_before": "none"}),
                                   (["--fit", "slide", "--short-side", "512"], {"fit": "slide", "short_side": 512})):
                with self.subTest(words):
                    subprocess.run([PROGRAM, "segment", STREET, folder / "frame.png", "--out", folder / "out", *words],
                                   check=True, capture_output=True)
                    found = mpm_dnn.Segmenter(STREET, **options)(self.frame)
                    labels = cv2.imread(str(folder / "out" / "frame_labels.png"), cv2.IMREAD_UNCHANGED)
                    np.testing.assert_array_equal(found.labels, labels)
                    self.assertEqual(found.rows, json.loads((folder / "out" / "frames.jsonl").read_text())["rows"])

    def test_the_interpreter_is_free_while_it_computes(self):
        counted, stop = 0, threading.Event()

        def count():
            nonlocal counted
            while not stop.wait(0.001):
                counted += 1

        counter = threading.Thread(target=count)
        counter.start()
        most = 0  # in one call; on a busy machine in one of some
        for _ in range(100):
            before = counted
            self.segmenter(self.frame)
            most = max(most, counted - before)
            if most > 3:
                break
        stop.set()
        counter.join()
        self.assertGreater(most, 3)


class Remembering(unittest.TestCase):
    def test_computes_what_changes_and_says_so(self):
        with mpm_dnn.Segmenter(STREET) as segmenter, mpm_dnn.Segmenter(STREET) as plain:
            self.assertEqual(segmenter.memory_fault, "")
            memory, frame = mpm_dnn.SceneMemory(), picture(512, 512)
            self.assertEqual(memory.bytes, 0)
            first = segmenter(frame, memory)
            np.testing.assert_array_equal(first.labels, plain(frame).labels)
            self.assertEqual(first.memory, (1024, 1024, 0, None))
            second = segmenter(frame, memory)
            self.assertLess(second.memory.fresh, 256)
            self.assertEqual(second.patch_ages.shape, (32, 32))
            self.assertEqual(second.patch_ages.max(), second.memory.age)
            self.assertEqual((second.patch_ages == 0).sum(), second.memory.fresh)
            self.assertGreater(memory.bytes, 10**6)
            memory.forget()
            self.assertEqual(segmenter(frame, memory).memory.fresh, 1024)
            memory.audit()
            audited = segmenter(frame, memory).memory
            self.assertEqual(audited.fresh, 1024)
            if audited.agreement is not None:  # None: it is sure of no patch
                self.assertGreater(audited.agreement, 0.9)
            found = plain(frame)
            self.assertEqual((found.memory, found.patch_ages), (None, None))

    def test_refuses_what_is_no_memory_of_its_own(self):
        with mpm_dnn.Segmenter(STREET) as segmenter, mpm_dnn.Segmenter(STREET) as other:
            memory, frame = mpm_dnn.SceneMemory(), picture(64, 64)
            segmenter(frame, memory)
            with self.assertRaisesRegex(ValueError, "another Segmenter"):
                other(frame, memory)
            for wrong in (1, "memory", object()):
                with self.assertRaisesRegex(TypeError, "memory is a SceneMemory"):
                    segmenter(frame, wrong)


class Refused(unittest.TestCase):
    def test_what_is_no_segmentation_model(self):
        self.assertFalse(mpm_dnn.describe(REFUSED).mergeable)
        self.assertIn(" ", mpm_dnn.describe(REFUSED).reason)


if __name__ == "__main__":
    unittest.main()
