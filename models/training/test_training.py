#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python3 test_training.py: offline, about a minute. Streets come from a stand-in for mpm."""

import contextlib
import io
import json
import pathlib
import shutil
import stat
import sys
import tempfile
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

try:
    import numpy as np
    import onnx  # noqa: F401
    import torch
    import tqdm  # noqa: F401
    import yaml  # noqa: F401
except ImportError as error:
    if __name__ != "__main__":
        raise unittest.SkipTest(str(error))
    print(f"skipped: {sys.executable} lacks a package ({error})")
    sys.exit(77)

import exported  # noqa: E402
import network  # noqa: E402
import options  # noqa: E402
import phases  # noqa: E402
import quality  # noqa: E402
import train  # noqa: E402
from frames import Frames, NoFrames, read_classes  # noqa: E402
from windows import Windows  # noqa: E402

FAKE_SCENE = """#!{python}
import sys
import numpy as np

def option(name):
    return sys.argv[sys.argv.index(name) + 1]

if "--out" in sys.argv:
    with open(option("--out") + "/classes.txt", "w") as file:
        file.writelines(f"class {{k}}\\t#0000{{k:02x}}\\n" for k in range(12))
    sys.exit(0)
side = int(option("--size").split("x")[0])
for street in range(int(option("--seeds").rstrip(".")), 10**9):
    random = np.random.default_rng(street)
    for hour in range(int(option("--per-seed"))):
        labels = np.zeros((side, side), np.uint8)
        labels[side // 2 :] = random.integers(1, 12)
        picture = np.repeat(20 * labels[..., None], 3, axis=2)
        picture[..., 0] = street % 251
        try:
            sys.stdout.buffer.write(picture.tobytes() + labels.tobytes())
        except BrokenPipeError:
            sys.exit(0)
"""


class Street(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.mpm = self.folder / "mpm"
        self.scene = self.folder / "mpm-scene"
        self.scene.write_text(FAKE_SCENE.format(python=sys.executable), encoding="utf-8")
        self.scene.chmod(self.scene.stat().st_mode | stat.S_IXUSR)

    def frames(self, *arguments, **options):
        frames = Frames(self.mpm, *arguments, **options)
        self.addCleanup(frames.close)
        return frames

    def train(self, *options):
        words = ["--mpm", str(self.mpm), "--out", str(self.folder / "out"), "--size", "64"]
        words += ["--device", "cpu", "--precision", "fp32", "--threads", "1"]
        words += ["--phases", "32x4:6,64x2:3", "--validate-every", "3", "--validate-on", "2"]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return train.main([*words, "--save-every", "3", *options])


class FramesTest(Street):
    def test_streets_follow_each_other_and_can_be_skipped(self):
        frames = self.frames(100, 32, per_seed=2)
        firsts = [next(frames)[0][0, 0, 0] for _ in range(6)]
        self.assertEqual(firsts, [100, 100, 101, 101, 102, 102])
        self.assertEqual(next(self.frames(100, 32, skip=2))[0][0, 0, 0], 102)

    def test_classes_are_the_programs(self):
        names, colours = read_classes(self.mpm)
        self.assertEqual(names[:2] + colours[10:], ("class 0", "class 1", "#00000a", "#00000b"))

    def test_a_program_that_fails_is_quoted(self):
        self.scene.write_text("#!/bin/sh\necho no such option >&2\nexit 2\n", encoding="utf-8")
        with self.assertRaisesRegex(NoFrames, "no such option"):
            read_classes(self.mpm)
        with self.assertRaisesRegex(NoFrames, "no such option"):
            next(self.frames(100, 32))


class WindowsTest(Street):
    def test_windows_keep_picture_labels_and_place_together(self):
        windows = Windows(self.frames(100, 64), 32, 16, 1)
        images, labels, first = windows.batch(8)
        self.assertEqual(tuple(images.shape), (8, 3, 32, 32))
        # Red is 20 times the label; sky only where the window begins in the upper half.
        red = ((images[:, 0] + 1) * 127.5).round().long()
        self.assertTrue(torch.equal(red, 20 * labels))
        for image in range(8):
            sky = (labels[image] == 0).sum(0)[0].item()
            self.assertEqual(sky, max(0, 32 - 16 * first[image, 0].item()))

    def test_a_whole_frame(self):
        images, _, first = Windows(self.frames(100, 64), 64, 16, 1).batch(2)
        self.assertEqual(tuple(images.shape), (2, 3, 64, 64))
        self.assertEqual(first.tolist(), [[0, 0], [0, 0]])


class NetworkTest(unittest.TestCase):
    def test_is_the_exported_network(self):
        torch.manual_seed(3)
        model = network.build(64, 12).eval()
        image = torch.randn(1, 3, 64, 64)
        ours = network.scores(model, image, torch.zeros(1, 2).long())
        for module in model.modules():
            if type(module) is network.TrainedAttention:
                module.__class__ = network.segmenter_model.Attention
        self.assertLess((model(image) - ours).abs().max(), 1e-4)

    def test_some_pixels_are_those_of_all_scores(self):
        torch.manual_seed(4)
        model = network.build(64, 3).eval()
        image, first = torch.randn(2, 3, 64, 64), torch.zeros(2, 2).long()
        every = network.scores(model, image, first)
        grid = network.patch_scores(model, image, first)
        for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
            some = network.some_pixels(grid, (row, column), 2)
            self.assertLess((some - every[:, :, row::2, column::2]).abs().max(), 1e-5)

    def test_positions_of_a_window(self):
        model = network.build(64, 3)
        found = network.window_positions(model, torch.tensor([[1, 2], [0, 0]]), 2)
        all_positions = model.encoder.pos_embed[0]
        grid = all_positions[1:].reshape(4, 4, -1)
        self.assertTrue(torch.equal(found[0, 1:].reshape(2, 2, -1), grid[1:3, 2:4]))
        self.assertTrue(torch.equal(found[1, 0], all_positions[0]))


class MergingTest(unittest.TestCase):
    def test_every_position_gets_the_mean_of_its_pair(self):
        x = torch.tensor([[[9.0, 9.0], [1, 0], [0, 1], [3, 0.1], [0.1, 2], [-1, -1]]])
        seen = []

        def block(rows):
            seen.append(rows.shape[1])
            return rows

        found = network.merging_blocks([block, block], x, [1])
        self.assertEqual(seen, [6, 4])
        first, second = (x[0, 1] + x[0, 3]) / 2, (x[0, 2] + x[0, 4]) / 2
        expected = torch.stack([x[0, 0], first, second, first, second, x[0, 5]])
        torch.testing.assert_close(found[0], expected)

    def test_frames_merge_each_by_itself_and_teach(self):
        torch.manual_seed(5)
        model = network.build(64, 3)
        images, first = torch.randn(2, 3, 64, 64), torch.zeros(2, 2).long()
        both = network.patch_scores(model, images, first, (2, 5))
        for image in range(2):
            one = network.patch_scores(model, images[image, None], first[:1], (2, 5))
            self.assertLess((both[image] - one[0]).abs().max(), 1e-5)
        self.assertGreater((both - network.patch_scores(model, images, first)).abs().max(), 1e-4)
        both.square().sum().backward()
        self.assertGreater(model.encoder.patch_embed.proj.weight.grad.abs().max(), 0)

    def test_the_share_of_steps_that_merge(self):
        arguments = types.SimpleNamespace(merge_before=(2, 5), merge_share=0.25)
        steps = [types.SimpleNamespace(step=step, arguments=arguments) for step in range(100)]
        merging = [train.Trainer.merges_of_step(step) for step in steps]
        self.assertEqual(merging.count((2, 5)), 25)
        self.assertEqual(merging.count(()), 75)


class PhasesTest(unittest.TestCase):
    def test_reads_and_refuses(self):
        self.assertEqual(str(phases.parse("256x16:20", 512, 16)[0]), "256x16:20")
        for wrong in ("256", "256x16", "20x2:5", "1024x2:5", "256x0:5", "256x2:0", ""):
            with self.assertRaises(ValueError):
                phases.parse(wrong, 512, 16)

    def test_the_rate_rises_stays_and_ends_at_nothing(self):
        plan = phases.parse("256x4:6000,512x4:4000", 512, 16)
        rates = [phases.rate(plan, step, 1.0) for step in range(10000)]
        self.assertLess(rates[0], 0.01)
        self.assertEqual(set(rates[phases.WARM_UP : 2800]), {1.0})
        self.assertLess(rates[-1], 0.001)
        self.assertTrue(all(a >= b for a, b in zip(rates[2800:], rates[2801:])))


class QualityTest(unittest.TestCase):
    def test_mean_iou(self):
        confusion = quality.Confusion(4)
        confusion.add(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
        self.assertAlmostEqual(confusion.mean(), (1 / 2 + 2 / 3) / 2)  # classes 2, 3 don't occur

    def test_overlap_of_a_right_answer_is_nothing_lost(self):
        labels = torch.arange(128).reshape(2, 8, 8) % 5
        right = 50.0 * torch.nn.functional.one_hot(labels, 5).permute(0, 3, 1, 2).float()
        self.assertLess(quality.Overlap(5).loss(right, labels), 1e-3)
        self.assertGreater(quality.Overlap(5).loss(-right, labels), 0.9)

    def test_overlap_descends_as_the_intersection_over_union_of_all_frames(self):
        torch.manual_seed(3)
        scores = [torch.randn(2, 5, 8, 8, requires_grad=True) for _ in range(3)]
        labels = [torch.randint(0, 5, (2, 8, 8)) for _ in range(3)]
        shares = torch.cat(scores).softmax(dim=1)
        truth = torch.nn.functional.one_hot(torch.cat(labels), 5).permute(0, 3, 1, 2)
        both = (shares * truth).sum(dim=(0, 2, 3))
        exact = 1 - (both / (shares + truth - shares * truth).sum(dim=(0, 2, 3))).mean()
        exact.backward()
        overlap = quality.Overlap(5)
        for _ in range(1000):  # until the running means are those of the three batches
            for one, there in zip(scores, labels):
                overlap.loss(one.detach(), there)
        loss = overlap.loss(scores[0], labels[0])
        self.assertAlmostEqual(loss.item(), exact.item(), delta=0.02)
        expected = 3 * scores[0].grad  # a batch of three has a third of the pixels
        scores[0].grad = None
        loss.backward()
        error = (scores[0].grad - expected).norm() / expected.norm()
        self.assertLess(error, 0.03)

    def test_overlap_counts_what_is_found_where_none_is(self):
        overlap = quality.Overlap(3)  # class 2 never was there, so there is nothing of it to spoil
        overlap.loss(torch.zeros(1, 3, 8, 8), torch.arange(64).reshape(1, 8, 8) % 2)
        scores = torch.zeros(1, 3, 8, 8, requires_grad=True)
        overlap.loss(scores, torch.zeros(1, 8, 8, dtype=torch.int64)).backward()
        self.assertTrue((scores.grad[:, 1] > scores.grad[:, 2] + 1e-4).all())

    def test_rare_classes_count_more(self):
        weights = quality.ClassWeights(3, largest=4)
        for _ in range(500):
            weights.see(torch.tensor([0] * 90 + [1] * 9 + [2]))
        found = weights.weights()
        self.assertLess(found[0], found[1])
        self.assertLess(found[1], found[2])
        self.assertLess(found[2], 4)
        weights.largest = 1
        self.assertEqual(weights.weights()[2], 1)


class TrainTest(Street):
    def weights(self):
        return torch.load(self.folder / "out" / "checkpoint.pth", weights_only=True)["model"]

    def test_trains_and_leaves_what_the_exporter_reads(self):
        self.assertEqual(self.train(), 0)
        lines = (self.folder / "out" / "log.jsonl").read_text(encoding="utf-8").splitlines()
        steps = [json.loads(line)["step"] for line in lines]
        self.assertEqual(steps, [3, 6, 9])
        sys.path.insert(0, str(pathlib.Path(network.__file__).parent.parent / "export"))
        import segmenter

        out = str(self.folder / "street.onnx")
        with contextlib.redirect_stdout(io.StringIO()):
            segmenter.main([str(self.folder / "out" / "checkpoint.pth"), "-o", out])
        found, expected = exported.weights_of(out), self.weights()
        self.assertEqual(set(found), set(expected))
        for name, value in found.items():
            self.assertTrue(torch.equal(value, expected[name]), name)
        half = [str(self.folder / "out" / "checkpoint.pth"), "-o", out, "--half-weights"]
        with contextlib.redirect_stdout(io.StringIO()):
            segmenter.main(half)
        shutil.rmtree(self.folder / "out")
        self.assertEqual(self.train("--start-from", out, "--stop-after", "0"), 0)
        state = torch.load(self.folder / "out" / "state.pth", weights_only=True)
        for name, value in state["model"].items():
            self.assertTrue(torch.allclose(value, expected[name], atol=2e-4), name)

    def test_refuses_to_start_from_what_does_not_fit(self):
        (self.folder / "text.onnx").write_text("no model", encoding="utf-8")
        self.assertEqual(self.train("--start-from", str(self.folder / "text.onnx")), 1)
        self.assertEqual(self.train("--start-from", str(self.folder / "absent.onnx")), 1)

    def test_goes_on_where_it_stopped(self):
        self.assertEqual(self.train("--stop-after", "0.0001"), 0)
        self.assertFalse((self.folder / "out" / "checkpoint.pth").exists())
        self.assertEqual(self.train(), 0)
        self.assertEqual(self.train(), 0)  # nothing left to do
        self.assertIn("encoder.pos_embed", self.weights())

    def test_merges_and_says_how_well(self):
        self.assertEqual(self.train("--merge-before", "2,5", "--merge-share", "0.5"), 0)
        lines = (self.folder / "out" / "log.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertTrue(all("miou_merged" in json.loads(line) for line in lines))
        for wrong in (("--merge-before", "12"), ("--merge-before", "a"), ("--merge-share", "2")):
            with self.assertRaises(SystemExit):
                self.train(*wrong)

    def test_teaches_pairs_where_no_step_merges(self):
        merging = ("--merge-before", "2,5", "--merge-share")
        self.assertEqual(self.train(*merging, "0", "--pairs", "1"), 0)
        lines = (self.folder / "out" / "log.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertTrue(all(0 < json.loads(line)["unlike"] < 1 for line in lines))
        shutil.rmtree(self.folder / "out")
        self.assertEqual(self.train(*merging, "1", "--pairs", "1"), 0)
        lines = (self.folder / "out" / "log.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertTrue(all("unlike" not in json.loads(line) for line in lines))
        self.assertEqual(options.blocks("5,2,2"), (2, 5))  # the order in which merges follow
        for wrong in (("--pairs", "1"), (*merging, "0", "--pairs", "-1"), ("--pairs", "nan")):
            with self.assertRaises(SystemExit):
                self.train(*wrong)

    def test_refuses_to_go_on_with_another_seed(self):
        self.assertEqual(self.train(), 0)
        self.assertEqual(self.train("--seed", "5"), 1)


if __name__ == "__main__":
    unittest.main()
