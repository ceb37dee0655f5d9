# SPDX-License-Identifier: Apache-2.0
import unittest

import numpy as np
from paths import REFUSED, SMALL, picture

import mpm_dnn


class Tuning(unittest.TestCase):
    def setUp(self):
        self.frames = [picture(64, 96, seed=seed) for seed in range(3)]
        self.segmenter = mpm_dnn.Segmenter(SMALL)

    def test_every_schedule_is_measured_on_the_frames(self):
        shares, own = [], self.segmenter.merge_before
        tuning = mpm_dnn.tune_schedules(self.segmenter, self.frames, merges=[1], progress=shares.append)
        self.assertEqual(self.segmenter.merge_before, own)
        self.assertEqual((shares, shares[-1]), (sorted(shares), 1))
        blocks = self.segmenter.model.depth
        tried = {each.merge_before: each for each in tuning.schedules}
        self.assertLessEqual({(block,) for block in range(1, blocks)}, set(tried))
        self.assertEqual((tuning.full.merge_before, tuning.full.ratio, tuning.full.agreement), ((), 1, 1))
        self.assertEqual([each.ratio for each in tuning.schedules], sorted(each.ratio for each in tuning.schedules))
        for schedule, each in tried.items():
            self.segmenter.merge_before = schedule
            rows = np.mean([self.segmenter(frame).rows for frame in self.frames], 0)
            if each.runs >= len(self.frames):
                np.testing.assert_allclose(each.rows, rows, err_msg=str(schedule))
            self.assertTrue(0 < each.ratio < each.ratio_high and each.ms > 0 and 0 <= each.agreement <= 1, each)

    def test_what_is_chosen_is_as_fast_or_as_good_as_asked_for(self):
        tuning = mpm_dnn.tune_schedules(self.segmenter, self.frames)
        everything = [tuning.full, *(each for each in tuning.schedules if each.close)]
        for agreement in (0, 0.9, None, 1):
            least = tuning.floor if agreement is None else agreement
            chosen = tuning.fastest_that_agrees(agreement)
            self.assertTrue(chosen.agreement >= least or chosen == tuning.full, (agreement, chosen))
        for rate in (0.001, 1000 / tuning.full.ms):
            best = tuning.best_that_reaches(rate)
            if best is not None:
                self.assertLessEqual(best.ms, 1000 / rate * 1.0001)
        self.assertIn(tuning.best_that_reaches(0.001), everything)
        self.assertIsNone(tuning.best_that_reaches(1e9))

    def test_it_can_be_stopped(self):
        class Enough(Exception):
            pass

        def stop(share):
            raise Enough

        with self.assertRaises(Enough):
            mpm_dnn.tune_schedules(self.segmenter, self.frames, progress=stop)
        self.segmenter(self.frames[0])

    def test_precisions_are_compared_with_float32(self):
        tried = mpm_dnn.tune_precisions(self.segmenter, self.frames)
        self.assertEqual((tried[0].precision, tried[0].ratio, tried[0].agreement), ("fp32", 1, 1))
        self.assertIn("int8", [each.precision for each in tried])
        self.assertEqual(mpm_dnn.fastest_precision(tried[:1]), tried[0])
        made_up = [tried[0], tried[0]._replace(precision="int8", ratio=0.5, ms=tried[0].ms / 2, agreement=0.9)]
        self.assertEqual([mpm_dnn.fastest_precision(made_up, least).precision for least in (0.8, 0.95)], ["int8", "fp32"])

    def test_what_cannot_be_tuned_is_said(self):
        grey = [np.full((64, 96, 3), 100, np.uint8)]
        for frames, error in ((grey, ValueError), ([], ValueError), ([np.zeros(3)], (TypeError, ValueError))):
            with self.assertRaises(error) as said:
                mpm_dnn.tune_schedules(self.segmenter, frames)
            self.assertNotIn("\n", str(said.exception))
        with self.assertRaises(ValueError):
            mpm_dnn.fastest_precision([])


if __name__ == "__main__":
    unittest.main()
