# SPDX-License-Identifier: Apache-2.0
"""Is what a configuration gives right? Said before it is timed."""

import numpy

TOLERANCE = 1e-3  # of float32 scores, relative to the largest
SAME_MAP = 0.995  # of positions; where two neighbours are nearly as close, float32 sums decide
SAME_LABELS = 0.9  # of bfloat16: random weights leave small margins between classes


def difference(ours, theirs):
    """The largest difference, relative to the largest value of theirs."""
    if ours.shape != theirs.shape:
        raise ValueError(f"wrong: its output is {list(ours.shape)}, not {list(theirs.shape)}")
    if not numpy.isfinite(ours).all():
        raise ValueError("wrong: its output is not finite")
    return float(numpy.abs(ours - theirs).max() / numpy.abs(theirs).max())


def same_labels(ours, theirs):
    return float((ours.argmax(1) == theirs.argmax(1)).mean())


def lowest_members(merge_map):
    """Of each position the first one with the same live row: clusters, whatever their numbers."""
    _, first, which = numpy.unique(merge_map.ravel(), return_index=True, return_inverse=True)
    return first[which]


def same_map(ours, theirs):
    return float((lowest_members(ours) == lowest_members(theirs)).mean())


def full(precision, output, reference):
    """A dictionary with right and a sentence; output against that of ONNX Runtime."""
    try:
        off = difference(output, reference)
    except ValueError as error:
        return {"right": False, "words": str(error)}
    if precision == "fp32":
        right = off <= TOLERANCE
        words = f"within {off:.0e}" if right else f"wrong: differs by {off:.2g}"
        return {"right": right, "words": words, "difference": off}
    labels = same_labels(output, reference)
    right = labels >= SAME_LABELS
    words = f"{100 * labels:.1f}% of labels" if right else f"wrong: {100 * labels:.1f}% of labels"
    return {"right": right, "words": words, "difference": off, "labels": labels}


def merged(precision, output, merge_map, rows, other, full_output):
    """MPM against MPM: other is (output, map, rows) of the other implementation in float32."""
    try:
        off = difference(output, other[0])
    except ValueError as error:
        return {"right": False, "words": str(error)}
    result = {"difference": off, "map": same_map(merge_map, other[1])}
    result["rows_equal"] = rows == other[2]
    result["labels"] = same_labels(output, other[0])
    result["labels_of_full"] = same_labels(output, full_output)
    if precision == "fp32":
        exact = result["map"] == 1
        near = result["map"] >= SAME_MAP and result["labels"] >= SAME_LABELS
        result["right"] = off <= TOLERANCE if exact else near
        places = "same map" if exact else f"map {100 * result['map']:.1f}% the same"
        result["words"] = f"{places}, within {off:.0e}"
    else:
        result["right"] = result["labels"] >= SAME_LABELS
        result["words"] = f"{100 * result['labels']:.1f}% of labels"
    if not result["right"]:
        result["words"] = f"wrong: {result['words']}"
    return result


def sane(output, merge_map, rows, reference):
    """Of ToMe: nothing computes the same, so that its output is whole is all that is checked."""
    try:
        off = difference(output, reference)
    except ValueError as error:
        return {"right": False, "words": str(error)}
    left = len(numpy.unique(merge_map))
    right = left == rows[-1][0] - 1
    words = "finite, every position restored" if right else f"wrong: its map has {left} live rows"
    labels = same_labels(output, reference)
    return {"right": right, "words": words, "difference": off, "labels_of_full": labels}
