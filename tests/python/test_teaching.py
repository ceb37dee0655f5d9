# SPDX-License-Identifier: Apache-2.0
import pathlib
import tempfile
import threading
import unittest

import numpy as np
from paths import MODELS, REFUSED, SEED

import mpm_dnn

BACKBONE = MODELS / "segmenter_mask.onnx"


def yard(seed):
    """A dark path across a green lawn, and where they are; a strip between them is not annotated."""
    random = np.random.default_rng([SEED, seed])
    frame = random.integers(0, 30, (128, 128, 3), np.uint8) + np.array([40, 140, 60], np.uint8)
    labels = np.zeros((128, 128), np.uint8)
    left = 16 * int(random.integers(1, 5))
    frame[:, left : left + 48] = random.integers(20, 60, (128, 48, 1), np.uint8)
    labels[:, left : left + 48] = 1
    labels[:, left - 4 : left] = mpm_dnn.UNPAINTED
    return frame, labels


class Teaching(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def teacher(self, **options):
        teacher = mpm_dnn.Teacher(BACKBONE, ["lawn", "path"], depths=1, **options)
        for seed in range(4):
            teacher.add(*yard(seed))
        return teacher

    def test_classes_are_learned_and_written(self):
        teacher, shares = self.teacher(palette=[(0, 200, 0), (90, 90, 90)]), []
        lesson = teacher.teach(shares.append)
        self.assertEqual((shares, shares[-1]), (sorted(shares), 1))
        self.assertEqual(([each.name for each in lesson.classes], lesson.frames), (["lawn", "path"], 4))
        self.assertGreater(lesson.mean_iou, 0.8)
        self.assertEqual(lesson.advice, [each for each in lesson.advice if isinstance(each, str)])
        frame, truth = yard(9)
        labels = teacher.labels(frame)
        self.assertGreater(np.mean(labels[truth != 255] == truth[truth != 255]), 0.9)
        self.assertTrue(0 <= teacher.doubt(frame) <= 1)
        self.assertTrue(np.isin(teacher.labels(frame, least=1), (0, 1, mpm_dnn.UNPAINTED)).all())

        teacher.write(self.folder / "own.onnx")
        segmenter = mpm_dnn.Segmenter(self.folder / "own.onnx", merge_before=[])
        self.assertEqual((segmenter.classes, segmenter.palette.tolist()), (["lawn", "path"], [[0, 200, 0], [90, 90, 90]]))
        np.testing.assert_array_equal(segmenter(frame).labels, labels)

    def test_features_are_kept(self):
        keep = self.folder / "kept"
        first, second = (self.teacher(keep=keep).teach() for _ in range(2))
        self.assertEqual((first.kept, second.kept, first.mean_iou), (0, 4, second.mean_iou))

    def test_it_can_be_stopped(self):
        def stop(share):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.teacher().teach(stop)

    def test_it_serves_one_thread(self):
        teacher, told = self.teacher(), []

        def other(share):
            if not told:
                told.append("")
                thread = threading.Thread(target=lambda: told.append(self.sentence(teacher.doubt, yard(0)[0])))
                thread.start()
                thread.join()

        teacher.teach(other)
        self.assertIn("another thread", told[1])

    def sentence(self, call, *given, error=RuntimeError):
        try:
            call(*given)
        except error as said:
            return str(said)
        return "nothing"

    def test_what_cannot_be_taught_is_said(self):
        frame, labels = yard(0)
        teacher = mpm_dnn.Teacher(BACKBONE, ["lawn", "path"])
        for given, error in (
            ((frame, labels[1:]), ValueError),
            ((frame, labels.astype(np.float32)), TypeError),
            ((frame, labels.astype(int) - 1), ValueError),
            ((frame, np.full_like(labels, 7)), ValueError),
            ((labels[None], labels), ValueError),
        ):
            said = self.sentence(teacher.add, *given, error=error)
            self.assertNotIn("\n", said)
            self.assertNotEqual(said, "nothing")
        self.assertNotEqual(self.sentence(teacher.teach), "nothing")
        for options, error in (
            ({"classes": ["one"]}, ValueError),
            ({"classes": ["a", "b"], "palette": [(1, 2)]}, ValueError),
            ({"classes": ["a", 3]}, TypeError),
            ({"classes": ["a", "b"], "depths": 9}, ValueError),
        ):
            with self.assertRaises(error):
                mpm_dnn.Teacher(BACKBONE, **options)
        with self.assertRaises(RuntimeError):
            mpm_dnn.Teacher(REFUSED, ["a", "b"])


if __name__ == "__main__":
    unittest.main()
