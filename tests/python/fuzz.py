# SPDX-License-Identifier: Apache-2.0
"""Calls everything with arguments that were made up: each call gives a result or one sentence.

usage: fuzz.py SECONDS     SEED: where it starts; it is printed
"""

import os
import random
import sys
import time
import warnings

import numpy as np
from paths import REFUSED, SMALL, picture

import mpm_dnn

ALLOWED = (TypeError, ValueError, RuntimeError, OSError)


def array(choose):
    kinds = (np.uint8, np.float32, np.float32, np.float64, np.int64, np.int32, bool, np.complex64, ">f4", "U3", object)
    shape = [choose.choice((0, 1, 1, 2, 3, 4, 7, 33)) for _ in range(choose.randrange(5))]
    made = np.full(shape, choose.choice((0, 1, 3, 200))).astype(choose.choice(kinds))
    if made.dtype == np.float32 and choose.random() < 0.7:
        made = np.random.default_rng(choose.randrange(1 << 30)).standard_normal(shape, np.float32)
    for _ in range(choose.randrange(3)):
        turn = choose.randrange(5)
        if turn == 0:
            made = made.T
        elif turn == 1 and made.ndim:
            made = made[:: choose.choice((-1, 2, -2))]
        elif turn == 2 and made.ndim:
            made = made[..., choose.randrange(2) :]
        elif turn == 3:
            made = np.broadcast_to(made, (2, *made.shape))
        elif turn == 4 and made.flags.owndata:
            made.flags.writeable = False
    return made


def value(choose):
    plain = (None, True, 0, 1, -1, 2, 3, 10**12, 1.5, float("nan"), "", "2,5", "none", "x", b"", [], [1], [2, 5], (4, 4))
    return array(choose) if choose.random() < 0.6 else choose.choice(plain)


def calls(choose):
    segmenter, net = mpm_dnn.Segmenter(SMALL), mpm_dnn.Net(SMALL)
    frame, memory = picture(40, 50), mpm_dnn.SceneMemory()
    expected = segmenter(frame).labels
    model = SMALL.read_bytes()

    def broken():
        start = choose.randrange(len(model))
        return model[:start] + bytes(choose.randrange(256) for _ in range(4)) + model[start + 4 :]

    def pick(**options):
        return {name: make for name, make in options.items() if choose.random() < 0.4}

    def options():
        return pick(merge_before=value(choose), restore=value(choose), input_size=value(choose),
                    precision=value(choose), device=value(choose))

    def merge():
        tokens = array(choose) if choose.random() < 0.4 else np.ones((2, 9, 4), np.float32)
        given = pick(rows=value(choose), map=value(choose), special=value(choose), window=value(choose),
                     grid=value(choose), regions=value(choose))
        return mpm_dnn.restore(*mpm_dnn.merge_pairs(tokens, **given)[::2], special=given.get("special", 0))

    def schedule():
        segmenter.merge_before = value(choose)
        segmenter.merge_before = mpm_dnn.describe(SMALL).merge_before

    def still_right():
        np.testing.assert_array_equal(segmenter(frame).labels, expected)

    return [
        lambda: segmenter(value(choose)),
        lambda: segmenter(array(choose).astype(np.uint8)),
        lambda: segmenter(frame, choose.choice((memory, value(choose)))),
        lambda: net(value(choose)),
        lambda: net(**{choose.choice(("image", "x")): value(choose)}),
        merge, merge, merge,
        schedule,
        still_right,
        lambda: mpm_dnn.restore(value(choose), value(choose)),
        lambda: mpm_dnn.describe(broken()),
        lambda: mpm_dnn.describe(value(choose)),
        lambda: mpm_dnn.Segmenter(choose.choice((SMALL, REFUSED)), **options()),
        lambda: mpm_dnn.Segmenter(SMALL, **pick(fit=value(choose), short_side=value(choose), stride=value(choose),
                                                mean=value(choose), std=value(choose))),
        lambda: mpm_dnn.Net(SMALL, **options()),
        lambda: mpm_dnn.set_threads(choose.choice((0, 1, 2, -1, 1.5, "x"))),
    ]


def main():
    seconds, seed = float(sys.argv[1]), int(os.environ.get("SEED", time.time_ns() % 10**6))
    print(f"fuzz: seed {seed}", flush=True)
    warnings.simplefilter("ignore")  # of NumPy, on complex numbers
    choose = random.Random(seed)
    chosen, done, refused = calls(choose), 0, 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done += 1
        try:
            choose.choice(chosen)()
        except ALLOWED as error:
            refused += 1
            assert str(error) and "\n" not in str(error), repr(error)
    print(f"fuzz: {done} calls, {refused} refused")
    assert 0 < refused < done


if __name__ == "__main__":
    main()
