#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python3 test_pairs.py: offline, seconds."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

try:
    import torch
except ImportError as error:
    if __name__ != "__main__":
        raise unittest.SkipTest(str(error))
    print(f"skipped: {sys.executable} lacks a package ({error})")
    sys.exit(77)

import merging  # noqa: E402
import network  # noqa: E402
import pairs  # noqa: E402


class ClassSharesTest(unittest.TestCase):
    def test_count_each_patch(self):
        torch.manual_seed(7)
        labels = torch.randint(0, 5, (2, 12, 12))
        found = pairs.class_shares(labels, 3, 5)
        self.assertEqual(tuple(found.shape), (2, 9, 5))
        for row in range(3):
            for column in range(3):
                patch = labels[1, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
                expected = torch.bincount(patch.flatten(), minlength=5) / 16
                torch.testing.assert_close(found[1, 3 * row + column], expected)


class UnlikeTest(unittest.TestCase):
    A, B = [1.0, 0.0], [0.0, 1.0]

    def unlike(self, rows, shares, sizes):
        sizes = torch.tensor([sizes], dtype=torch.float32)
        return pairs.unlike(torch.tensor([rows]), torch.tensor([shares]), sizes).item()

    def test_nothing_where_each_pairs_with_its_like(self):
        rows = [[3.0, 0.1], [0.1, 2.0], [1.0, 0.0], [0.0, 5.0]]  # lengths say nothing
        self.assertLess(self.unlike(rows, [self.A, self.B, self.A, self.B], [1] * 4), 1e-6)
        self.assertGreater(self.unlike(rows, [self.A, self.A, self.B, self.B], [1] * 4), 1 - 1e-6)

    def test_who_is_not_chosen_back_stays_alone(self):
        rows = [[1.0, 0.0], [1.0, 0.01], [1.0, 1.0]]
        self.assertLess(self.unlike(rows, [self.A, self.A, self.B], [1] * 3), 1e-3)

    def test_what_patches_have_in_common_does_not_count(self):
        rows = [[3.0, 0.1], [1.0, 0.0], [0.1, 2.0], [0.0, 5.0]]
        shares = [[0.75, 0.25], [0.25, 0.75], self.B, self.B]
        self.assertAlmostEqual(self.unlike(rows, shares, [1] * 4), 0.25, places=5)

    def test_rows_count_as_often_as_patches_stand_behind_them(self):
        rows = [[3.0, 0.1], [1.0, 0.0], [0.1, 2.0], [0.0, 5.0], [0.0, 0.0]]
        shares = [self.A, self.B, self.B, self.B, self.A]
        found = self.unlike(rows, shares, [2, 1, 2, 3, 0])  # the last one is padding
        self.assertAlmostEqual(found, 3 / 8, places=5)

    def test_can_be_learned(self):
        torch.manual_seed(8)
        tokens = torch.randn(2, 32, 16, requires_grad=True)
        classes = torch.arange(64).reshape(2, 32) % 3
        shares = torch.nn.functional.one_hot(classes, 3).float()

        def of_other_classes():
            best = merging.match(tokens.detach(), torch.tensor([32, 32]))
            mutual = best.gather(1, best) == torch.arange(32)
            return (mutual & (classes.gather(1, best) != classes)).sum().item()

        before = of_other_classes()
        optimiser = torch.optim.Adam([tokens], lr=0.05)
        for _ in range(100):
            optimiser.zero_grad()
            pairs.unlike_pairs([tokens], shares).backward()
            optimiser.step()
        self.assertGreater(before, 12)
        self.assertLess(of_other_classes(), before / 4)


class UnlikePairsTest(unittest.TestCase):
    def test_the_second_merge_sees_the_means_of_the_first_ones_pairs(self):
        classes = torch.tensor([[0, 0, 1, 1], [0, 1, 0, 1]])
        shares = torch.nn.functional.one_hot(classes, 2).float()
        first = torch.tensor([[1.0, 0], [1, 0.1], [0, 1], [0.1, 1]]).expand(2, 4, 2)
        second = torch.randn(2, 4, 2)  # of two rows each is the other's best
        found = pairs.unlike_pairs([first], shares)
        self.assertAlmostEqual(found.item(), 1 / 2, places=3)  # the other frame's pairs are mixed
        found = pairs.unlike_pairs([first, second], shares)
        self.assertAlmostEqual(found.item(), 1 / 2 + 1 / 2, places=3)  # and now the first one's


class InputsTest(unittest.TestCase):
    def test_are_the_rows_a_block_is_given(self):
        torch.manual_seed(9)
        model = network.build(64, 3).eval()
        given = {}
        for index in (2, 5):
            model.encoder.blocks[index].register_forward_pre_hook(
                lambda block, inputs, index=index: given.__setitem__(index, inputs[0])
            )
        found = {2: None, 5: None}
        network.patch_scores(model, torch.randn(2, 3, 64, 64), torch.zeros(2, 2).long(), (), found)
        for index, rows in found.items():
            self.assertEqual(tuple(rows.shape), (2, 17, network.DIM))
            self.assertTrue(torch.equal(rows, given[index]))


if __name__ == "__main__":
    unittest.main()
