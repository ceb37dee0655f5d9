# SPDX-License-Identifier: Apache-2.0
"""libmpm_torch as a Python program meets it: operators_test.py path/to/libmpm_torch.so"""

import sys
import unittest

try:
    import torch
except ImportError as error:
    print(f"skipped: {sys.executable} has no PyTorch ({error})")
    sys.exit(77)

SPECIAL = 2


def merge_image(x):
    """The paper's steps on x [N, D], N >= 2: merged rows and map."""
    unit = torch.nn.functional.normalize(x.double(), dim=1)
    best = (unit @ unit.t()).fill_diagonal_(-torch.inf).argmax(1)
    index = torch.arange(len(x), device=x.device)
    second = (best[best] == index) & (best < index)
    number = torch.cumsum(~second, 0) - 1
    clusters = number[torch.where(second, best, index)]
    sums = torch.zeros(int(number[-1]) + 1, x.shape[1], dtype=torch.double, device=x.device)
    sums.index_add_(0, clusters, x.double())
    return (sums / torch.bincount(clusters)[:, None]).float(), clusters


class OperatorsTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.tokens = torch.randn(3, SPECIAL + 50, 16)

    def merge_twice(self, tokens):
        merged, rows, token_map = torch.ops.mpm.merge_pairs(tokens, special=SPECIAL)
        merged = merged[:, : int(rows.max())]
        return torch.ops.mpm.merge_pairs(merged, rows, token_map, special=SPECIAL)

    def test_merges_as_the_paper_does(self):
        merged, rows, token_map = self.merge_twice(self.tokens)
        restored = torch.ops.mpm.restore(merged, token_map, special=SPECIAL)
        self.assertEqual(restored.shape, self.tokens.shape)
        for image in range(len(self.tokens)):
            first, first_map = merge_image(self.tokens[image, SPECIAL:])
            second, second_map = merge_image(first)
            live = SPECIAL + len(second)
            self.assertEqual(int(rows[image]), live)
            self.assertTrue(torch.equal(token_map[image], second_map[first_map]))
            torch.testing.assert_close(merged[image, SPECIAL:live], second)
            self.assertEqual(int(merged[image, live:].count_nonzero()), 0)
            torch.testing.assert_close(restored[image, SPECIAL:], second[second_map[first_map]])
            self.assertTrue(torch.equal(restored[image, :SPECIAL], self.tokens[image, :SPECIAL]))

    def test_a_traced_function_merges_other_values(self):
        def merge_and_restore(tokens):
            merged, _, token_map = torch.ops.mpm.merge_pairs(tokens, special=SPECIAL)
            return torch.ops.mpm.restore(merged, token_map, special=SPECIAL)

        traced = torch.jit.trace(merge_and_restore, self.tokens)
        other = torch.randn_like(self.tokens)
        self.assertTrue(torch.equal(traced(other), merge_and_restore(other)))

    def test_a_backward_pass_throws(self):
        tokens = self.tokens.requires_grad_()
        merged, _, token_map = torch.ops.mpm.merge_pairs(tokens, special=SPECIAL)
        restored = torch.ops.mpm.restore(merged, token_map, special=SPECIAL)
        with self.assertRaisesRegex(RuntimeError, "mpm::restore"):
            restored.sum().backward()
        with self.assertRaisesRegex(RuntimeError, "mpm::merge_pairs"):
            merged.sum().backward()

    def test_an_error_says_what_was_expected(self):
        with self.assertRaisesRegex(RuntimeError, "tokens are Half; expected Float"):
            torch.ops.mpm.merge_pairs(self.tokens.half())


class CudaTest(OperatorsTest):
    """The same on a GPU."""

    def setUp(self):
        if not torch.cuda.is_available():
            self.skipTest("PyTorch finds no GPU on this machine")
        if not torch._C._dispatch_has_kernel_for_dispatch_key("mpm::merge_pairs", "CUDA"):
            self.skipTest("libmpm_torch was built without CUDA")
        super().setUp()
        self.tokens = self.tokens.cuda()

    def test_nothing_waits_for_the_device(self):
        self.merge_once()  # what is set up once may wait
        torch.cuda.set_sync_debug_mode("error")
        try:
            self.merge_once()
        finally:
            torch.cuda.set_sync_debug_mode("default")

    def merge_once(self):
        merged, rows, token_map = torch.ops.mpm.merge_pairs(self.tokens, special=SPECIAL)
        merged, _, token_map = torch.ops.mpm.merge_pairs(
            merged, rows, token_map, special=SPECIAL)
        return torch.ops.mpm.restore(merged, token_map, special=SPECIAL)


if __name__ == "__main__":
    torch.ops.load_library(sys.argv.pop())
    unittest.main(verbosity=2)
