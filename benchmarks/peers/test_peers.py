#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the PyTorch peers, and of the street model at other sizes: python -m unittest, with PyTorch, in this folder."""

import pathlib
import sys
import unittest

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models" / "export"))
import merging_torch
import models
import random_weights
import segmenter_model

STREET_CLASSES = 12


def tokens(batch, rows, dim, seed):
    return torch.randn(batch, rows, dim, generator=torch.Generator().manual_seed(seed))


def full(*lengths):
    return torch.tensor(lengths)


def one_by_one(x):
    """The paper's algorithm for one image, as its pseudocode reads."""
    unit = x / x.norm(dim=1, keepdim=True)
    similarity = unit @ unit.T
    best = []
    for i in range(len(x)):
        others = [j for j in range(len(x)) if j != i]
        best.append(max(others, key=lambda j: (similarity[i, j].item(), -j)))
    ids, merged, merge_map = {}, [], []
    for i in range(len(x)):
        mutual = best[best[i]] == i
        if mutual and best[i] < i:
            merge_map.append(ids[best[i]])
            continue
        ids[i] = len(merged)
        merge_map.append(ids[i])
        merged.append((x[i] + x[best[i]]) / 2 if mutual else x[i])
    return torch.stack(merged), torch.tensor(merge_map)


def small_model():
    model = segmenter_model.build((64, 48), patch=8, dim=32, depth=4, heads=2, classes=5)
    return random_weights.randomise(model, 3)


class MpmTest(unittest.TestCase):
    def test_as_the_pseudocode(self):
        for rows in (2, 3, 15, 16, 61):
            x = tokens(1, rows, 8, rows)
            merged, lengths, merge_map = merging_torch.merge(x, full(rows))
            expected, expected_map = one_by_one(x[0])
            self.assertEqual(lengths.tolist(), [len(expected)])
            torch.testing.assert_close(merged[0], expected)
            self.assertEqual(merge_map[0].tolist(), expected_map.tolist())

    def test_equal_rows_take_the_lowest(self):
        merged, lengths, merge_map = merging_torch.merge(torch.ones(1, 5, 4), full(5))
        self.assertEqual(lengths.tolist(), [4])
        self.assertEqual(merge_map[0].tolist(), [0, 0, 1, 2, 3])

    def test_padding_takes_no_part(self):
        x = tokens(2, 20, 8, 1)
        x[1, 13:] = x[1, :7]  # would be everybody's best partner
        merged, lengths, merge_map = merging_torch.merge(x, full(20, 13))
        expected, expected_map = one_by_one(x[1, :13])
        self.assertEqual(int(lengths[1]), len(expected))
        torch.testing.assert_close(merged[1, : len(expected)], expected)
        self.assertEqual(merge_map[1, :13].tolist(), expected_map.tolist())

    def test_a_batch_is_its_images(self):
        encoder = merging_torch.MpmEncoder(small_model().encoder, (1, 3))
        images = tokens(3, 3 * 64, 48, 5).reshape(3, 3, 64, 48)
        images[0] = images[0, :, :8, :8].repeat(1, 8, 6)  # merges otherwise than the others
        with torch.no_grad():
            together = encoder(images)
            rows = encoder.rows
            for index, image in enumerate(images):
                torch.testing.assert_close(encoder(image[None])[0], together[index])
                self.assertEqual([step[index] for step in rows], [s[0] for s in encoder.rows])

    def test_no_merge_is_the_model(self):
        model, image = small_model(), tokens(2, 3 * 64, 48, 6).reshape(2, 3, 64, 48)
        with torch.no_grad():
            expected = model(image)
            encoder = model.encoder
            for merging in (
                merging_torch.MpmEncoder(encoder, ()),
                merging_torch.TomeEncoder(encoder, 48),
            ):
                model.encoder = merging
                torch.testing.assert_close(model(image), expected, atol=1e-4, rtol=1e-4)
                model.encoder = encoder
            torch.testing.assert_close(
                merging_torch.use_fused_attention(model)(image), expected, atol=1e-4, rtol=1e-4
            )


class TomeTest(unittest.TestCase):
    def test_the_most_similar_pairs_go(self):
        metric = torch.tensor([[[9.0, 9], [1, 0], [1, 0.1], [0, 1], [-1, 0.2], [-1, 0]]])
        going, staying, target = merging_torch.match(metric, 1, special=1)
        # Evens are rows 1, 3, 5 of the metric, odds 2 and 4: the closest are 1 and 2.
        self.assertEqual(
            (going.tolist(), staying.tolist(), target.tolist()), ([[0]], [[1, 2]], [[0]])
        )

    def test_means_weigh_by_size_and_map_agrees(self):
        for rows in (7, 12):
            x, special = tokens(2, rows + 1, 4, rows), 1
            sizes = torch.randint(1, 5, (2, rows + 1, 1)).float()
            pairs = merging_torch.match(x, 3, special)
            merged, merged_sizes = merging_torch.merge_weighted(x, sizes, pairs, special)
            where = merging_torch.step_map(pairs, rows)
            self.assertEqual(merged.shape[1], rows + 1 - 3)
            for image in range(2):
                for row in range(rows - 3):
                    members = (where[image] == row).nonzero()[:, 0] + special
                    weights = sizes[image, members]
                    mean = (x[image, members] * weights).sum(0) / weights.sum()
                    torch.testing.assert_close(merged[image, row + special], mean)
                    torch.testing.assert_close(merged_sizes[image, row + special], weights.sum(0))

    def test_sizes_in_attention_count_as_copies(self):
        model = small_model()
        attention, x = model.encoder.blocks[0].attn, tokens(1, 6, 32, 9)
        sizes = torch.tensor([1.0, 2, 1, 3, 1, 1])
        copies = torch.repeat_interleave(x, sizes.long(), dim=1)
        with torch.no_grad():
            ours, _ = merging_torch.attend_in_proportion(attention, x, sizes[None, :, None])
            theirs = torch.repeat_interleave(ours, sizes.long(), dim=1)
            torch.testing.assert_close(theirs, attention(copies), atol=1e-5, rtol=1e-5)

    def test_the_end_is_reached(self):
        for end in (48, 40, 17):
            encoder = merging_torch.TomeEncoder(small_model().encoder, end)
            with torch.no_grad():
                encoder(tokens(1, 3 * 64, 48, 6).reshape(1, 3, 64, 48))
            self.assertEqual(encoder.rows[-1], [end + 1])
            self.assertEqual(len(encoder.map.unique()), end)


def street(**sizes):
    model = segmenter_model.build(models.IMAGE, upsample=False, **sizes)
    model.load_state_dict(models.street_weights(model))
    return model.eval()


class LearnedTest(unittest.TestCase):
    def setUp(self):
        generator = torch.Generator().manual_seed(5)
        coarse = torch.rand(1, 3, 16, 16, generator=generator) * 2 - 1
        self.image = torch.nn.functional.interpolate(coarse, models.IMAGE, mode="bilinear")

    def test_a_wider_network_computes_the_same(self):
        with torch.inference_mode():
            narrow = street(dim=192, heads=3, classes=STREET_CLASSES)(self.image)
            for dim, heads in ((384, 6), (768, 12)):
                wide = street(dim=dim, heads=heads, classes=STREET_CLASSES)(self.image)
                self.assertGreater(narrow.std(), 0.1)
                torch.testing.assert_close(wide, narrow, rtol=0, atol=1e-3)

    def test_no_copy_of_a_class_is_a_places_first(self):
        with torch.inference_mode():
            scores = street(dim=192, heads=3, classes=150)(self.image)
        self.assertEqual(scores.shape[1], 150)
        self.assertLess(scores.argmax(dim=1).max().item(), STREET_CLASSES)


if __name__ == "__main__":
    unittest.main()
