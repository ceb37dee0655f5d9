# SPDX-License-Identifier: Apache-2.0
"""Calls everything with arguments that were made up: each call gives a result or one sentence.

usage: fuzz.py SECONDS     SEED: where it starts; it is printed

With a cv2 that is there a model is read with it, too. Ends itself with a trace when it hangs.
"""

import faulthandler
import logging
import os
import random
import sys
import tempfile
import threading
import time
import warnings

import numpy as np
from paths import REFUSED, SMALL, picture

import mpm_dnn

try:
    import cv2
except ImportError:
    cv2 = None

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


FAULTS = []  # of threads


def attempt(call):
    """In a thread nothing else tells what is no sentence."""
    try:
        call()
    except ALLOWED as error:
        if not str(error) or "\n" in str(error):
            FAULTS.append(error)
    except BaseException as error:
        FAULTS.append(error)


def calls(choose):
    def choose_one(*made):
        return lambda *given: choose.choice(made)(*given)

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

    def convert():
        mpm_dnn.convert(choose.choice((SMALL, REFUSED, value(choose))), choose.choice(("made.onnx", value(choose))),
                        **pick(merge_before=value(choose), restore=value(choose), input_size=value(choose),
                               precision=value(choose), calibration=choose.choice(([blob], [value(choose)], value(choose)))))

    def teach():
        teacher = mpm_dnn.Teacher(SMALL, choose.choice((["a", "b"], ["a", "b"], value(choose))),
                                  **pick(palette=value(choose), depths=value(choose), keep=value(choose)))
        for _ in range(choose.randrange(3)):
            attempt(lambda: teacher.add(*choose.choice(((frame, expected % 2), (value(choose), value(choose))))))
        attempt(lambda: teacher.labels(value(choose), choose.choice((0, 0.5, value(choose)))))
        teacher.teach(choose.choice((None, None, value(choose))))
        attempt(lambda: teacher.doubt(choose.choice((frame, value(choose)))))
        teacher.write(choose.choice(("taught.onnx", value(choose))))

    def tune():
        frames = choose.choice(([frame], [value(choose)], value(choose)))
        attempt(lambda: mpm_dnn.fastest_precision(mpm_dnn.tune_precisions(segmenter, frames), value(choose)))
        tuning = mpm_dnn.tune_schedules(segmenter, frames, **pick(merges=value(choose), progress=value(choose)))
        choose_one(tuning.fastest_that_agrees, tuning.best_that_reaches)(value(choose))

    def closed():
        """One that is closed at any moment, of which the other thread is told."""
        with choose.choice((mpm_dnn.Net, mpm_dnn.Segmenter))(SMALL) as made:
            other = threading.Thread(target=attempt, args=(choose.choice((made.close, lambda: made(blob))),))
            other.start()
            for _ in range(choose.randrange(4)):
                attempt(lambda: made(choose.choice((blob, frame, value(choose)))))
            if choose.random() < 0.5:
                made.close()
            other.join()
        made(blob)

    def together():
        """The same Net and Segmenter in two threads."""
        arguments = [[choose.choice((blob, value(choose))) for _ in range(4)] for _ in range(2)]
        found = []

        def use(given):
            for each in given:
                attempt(lambda: net(each))
                attempt(lambda: segmenter(each, memory))
                attempt(lambda: found.append(net(blob)["masks"]))

        threads = [threading.Thread(target=use, args=(each,)) for each in arguments]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 8
        for masks in found:
            np.testing.assert_array_equal(masks, masks_of_blob)

    # What cv2 has read stays, and an array without values is cv2's own affair.
    def of_cv2():
        given = array(choose)
        if not given.size or given.dtype.kind not in "fiu":
            return
        try:
            read.setInput(given.astype(choose.choice((np.float32, np.float32, np.uint8, np.int32))))
            read.forward(choose.choice(("masks", "mpm_rows", "nothing")))
        except cv2.error:
            pass
        read.setInput(blob)
        np.testing.assert_array_equal(read.forward("masks"), masks_of_blob)

    blob = np.random.default_rng(1).standard_normal((1, 3, *net.model.input_size[::-1]), np.float32)
    masks_of_blob = net(blob)["masks"]
    read = mpm_dnn.read_net(SMALL) if cv2 else None

    return [
        lambda: segmenter(value(choose)),
        lambda: segmenter(array(choose).astype(np.uint8)),
        lambda: segmenter(frame, choose.choice((memory, value(choose)))),
        lambda: net(value(choose)),
        lambda: net(array(choose)),
        lambda: net(**{choose.choice(("image", "x")): value(choose)}),
        merge, merge, merge, convert, closed, together, teach, tune,
        *([of_cv2, of_cv2] if cv2 else []),
        choose_one(memory.forget, memory.audit, lambda: memory.bytes),
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
    logging.getLogger("mpm_dnn").setLevel(logging.CRITICAL)
    faulthandler.dump_traceback_later(seconds + 600, exit=True)
    choose = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # where names that were made up are written to
        run(choose, seconds)
        os.chdir("/")


def run(choose, seconds):
    chosen, done, refused = calls(choose), 0, 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done += 1
        try:
            choose.choice(chosen)()
        except ALLOWED as error:
            refused += 1
            assert str(error) and "\n" not in str(error), repr(error)
        assert not FAULTS, FAULTS
    print(f"fuzz: {done} calls, {refused} refused")
    assert 0 < refused < done


if __name__ == "__main__":
    main()
