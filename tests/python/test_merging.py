# SPDX-License-Identifier: Apache-2.0
import unittest

import numpy as np
from paths import SEED

import mpm_dnn

try:
    import torch
except ImportError:
    torch = None


def merged_plainly(tokens):
    """One image's rows [N, D], merged as the paper says it."""
    unit = tokens / np.linalg.norm(tokens, axis=1, keepdims=True)
    similar = unit @ unit.T
    np.fill_diagonal(similar, -np.inf)
    best = similar.argmax(axis=1)
    rows, place = [], np.full(len(tokens), -1)
    for i, j in enumerate(best):
        if place[i] >= 0:
            continue
        place[i] = len(rows)
        if best[j] == i:
            place[j] = len(rows)
            rows.append((tokens[i] + tokens[j]) / 2)
        else:
            rows.append(tokens[i])
    return np.array(rows), place


class Merging(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(SEED)

    def tokens(self, *shape):
        return self.random.standard_normal(shape, np.float32)

    def test_merges_as_the_paper_says(self):
        tokens = self.tokens(2, 3 + 50, 24)
        merged, rows, places = mpm_dnn.merge_pairs(tokens, special=3)
        for image in range(2):
            expected, place = merged_plainly(tokens[image, 3:])
            self.assertEqual(rows[image], 3 + len(expected))
            np.testing.assert_array_equal(places[image], place)
            np.testing.assert_array_equal(merged[image, :3], tokens[image, :3])
            np.testing.assert_allclose(merged[image, 3 : rows[image]], expected, rtol=1e-6, atol=1e-6)
            self.assertFalse(merged[image, rows[image] :].any())

    def test_a_second_merge_composes_and_restore_follows_the_map(self):
        first = mpm_dnn.merge_pairs(self.tokens(40, 16))
        merged, rows, places = mpm_dnn.merge_pairs(*first)
        self.assertLess(rows, first[1])
        restored = mpm_dnn.restore(merged, places)
        np.testing.assert_array_equal(restored, merged[places])
        self.assertEqual(places.max() + 1, rows)

    def test_reads_strides_as_they_are(self):
        tokens = self.tokens(60, 32)
        expected = mpm_dnn.merge_pairs(tokens)
        wide = np.zeros((120, 33), np.float32)
        wide[::2, 1:] = tokens
        for view in (np.asfortranarray(tokens), wide[::2, 1:], tokens[::-1][::-1]):
            for got, wanted in zip(mpm_dnn.merge_pairs(view), expected):
                np.testing.assert_array_equal(got, wanted)

    def test_takes_what_speaks_dlpack(self):
        class Foreign:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        tokens = self.tokens(1, 30, 8)
        for given in (tokens, tokens[0]):
            expected = mpm_dnn.merge_pairs(given)
            found = mpm_dnn.merge_pairs(Foreign(given))
            for got, wanted in zip(found, expected):
                np.testing.assert_array_equal(got, wanted)
            np.testing.assert_array_equal(np.from_dlpack(found[0]), expected[0])
            restored = mpm_dnn.restore(Foreign(found[0]), Foreign(found[2]))
            np.testing.assert_array_equal(restored, mpm_dnn.restore(*expected[::2]))

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_takes_tensors_of_pytorch_and_gives_what_it_reads_without_a_copy(self):
        tokens = torch.randn(2, 30, 8, generator=torch.Generator().manual_seed(SEED))
        for given in (tokens, tokens[0], tokens[:, ::2], tokens.transpose(1, 2).contiguous().transpose(1, 2)):
            found, expected = mpm_dnn.merge_pairs(given), mpm_dnn.merge_pairs(given.numpy().copy())
            for got, wanted in zip(found, expected):
                np.testing.assert_array_equal(got, wanted)
            self.assertEqual(torch.from_dlpack(found[0]).data_ptr(), found[0].ctypes.data)
        merged, rows, places = map(torch.from_dlpack, mpm_dnn.merge_pairs(tokens))
        again = mpm_dnn.merge_pairs(merged, rows, places)
        self.assertTrue((again[1] < rows.numpy()).all())
        np.testing.assert_array_equal(mpm_dnn.restore(merged, places)[1], merged[1][places[1]])
        with self.assertRaisesRegex(TypeError, "float32, got bfloat16"):
            mpm_dnn.merge_pairs(tokens.bfloat16())
        with self.assertRaisesRegex(ValueError, "please pass its detach"):
            mpm_dnn.merge_pairs(tokens.requires_grad_())

    def test_refuses_in_a_sentence(self):
        tokens = self.tokens(1, 9, 4)
        merged, rows, places = mpm_dnn.merge_pairs(tokens)
        for kind, sentence, call in (
            (TypeError, "float32, got float64", lambda: mpm_dnn.merge_pairs(tokens.astype(float))),
            (TypeError, "got list", lambda: mpm_dnn.merge_pairs([[[1.0]]])),
            (TypeError, "of >f4", lambda: mpm_dnn.merge_pairs(tokens.astype(">f4"))),
            (TypeError, "special: expected a whole number", lambda: mpm_dnn.merge_pairs(tokens, special=1.5)),
            (ValueError, "special = 10; expected 0 to 9", lambda: mpm_dnn.merge_pairs(tokens, special=10)),
            (ValueError, "expected rows x features", lambda: mpm_dnn.merge_pairs(tokens[0, 0])),
            (ValueError, "expected values", lambda: mpm_dnn.merge_pairs(tokens[:0])),
            (ValueError, "window = 2 needs a grid", lambda: mpm_dnn.merge_pairs(tokens, window=2)),
            (ValueError, "rows\\[0\\] = 10; expected 0 to 9", lambda: mpm_dnn.merge_pairs(tokens, np.array([10]))),
            (ValueError, "or a map", lambda: mpm_dnn.merge_pairs(tokens, np.array([8]))),
            (ValueError, "rows: it is 2; expected 1", lambda: mpm_dnn.merge_pairs(tokens, np.array([9, 9]))),
            (ValueError, "regions: it has labels for 3", lambda: mpm_dnn.merge_pairs(tokens, regions=places[:, :3])),
            (ValueError, "map\\[0, 8\\] = ", lambda: mpm_dnn.restore(merged, places + 9 * (np.arange(9) == 8))),
            (TypeError, "map: expected an array", lambda: mpm_dnn.restore(merged, None)),
        ):
            with self.subTest(sentence), self.assertRaisesRegex(kind, sentence):
                call()


if __name__ == "__main__":
    unittest.main()
