// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/operators/values.h"

namespace mpm::onnx {

// Steps through memory: `size` of them, `stride` elements apart.
struct Run {
  std::int64_t size = 1, stride = 0;

  bool operator==(const Run&) const = default;
};

// Runs as one, where each continues the one inside it.
std::optional<Run> joined(const std::vector<Run>& runs);

// A value whose elements are those of another one, arranged otherwise: each axis walks through the
// base in runs, the last the fastest, starting at `offset`. Runs of no stride repeat elements.
// Elements are `factor` times the base's.
struct View {
  std::string base;
  std::vector<std::vector<Run>> axes;  // runs of one step are left out
  std::int64_t offset = 0;
  float factor = 1;
  std::vector<const Node*> nodes;  // from the value back to the base

  Integers dims() const;
  // Elements from one index of each axis to the next, 0 for an axis of one; nothing where that
  // differs from place to place.
  std::optional<Integers> strides() const;
  // The same elements in the same order with other dims; nothing happens where no runs say that.
  bool reshape(const Integers& dims);
};

// What `outer` shows of a dense tensor whose elements stand where `inner` says: the same of inner's
// base. Nothing where a step of `outer` leaves a run of `inner`.
std::optional<View> seenThrough(const View& outer, const View& inner);

// Where each element of a base of these dims stands in a dense tensor that a view of it fills;
// nothing where one is not there, or twice.
std::optional<View> turnedRound(const View& view, const Integers& dims);

// All elements of a tensor as they lie in memory.
View denseView(const std::string& base, const Integers& dims);

// Runs that meet these places one after the other; nothing where none do, or where places go
// backwards.
std::optional<std::vector<Run>> runsThrough(Integers places);

// Two or more views of one base, side by side along an axis; nothing where no runs say that.
std::optional<View> sideBySide(const std::vector<View>& parts, std::size_t axis);

// How many nodes may stand between a value and its base; exporters write about six.
inline constexpr std::size_t kMostViewNodes = 32;

// Dims that are all known and hold something; a product that overflows is none.
bool areKnown(const Integers* dims);

// Reshape, Squeeze, Unsqueeze, Flatten.
bool isReshaping(const Node& node);

// Through Reshape, Transpose, Squeeze, Slice, Split, Gather, Expand, ..., products with a scalar,
// and a Concat of what was cut out of one value, back to the first value that something computes.
// Dims have to be known.
std::optional<View> viewOf(const AnalysedModel& analysed, const std::string& value);

// The same, and through convolutions that take patches apart: whose filters are one element each.
std::optional<View> viewThroughPatches(const AnalysedModel& analysed, const std::string& value);

// One node alone: where the elements of `output` stand in the node's first input.
std::optional<View> viewThrough(const AnalysedModel& analysed, const Node& node,
                                const std::string& output);

// Identity, Dropout, a Cast between floating types: the values stay what they are.
bool isPassing(const AnalysedModel& analysed, const Node& node);

// The same seen from the other end: where the elements of some earlier value went in `value`. The
// walk ends at the first value that something else makes, which becomes the result's `base`; axes
// are that value's, in elements of `value`. Only through nodes that keep every element, a Concat of
// all that was cut out of one value among them.
std::optional<View> placesIn(const AnalysedModel& analysed, const std::string& value);

// Through nodes that leave the last dimension and the order of the rows as they are, back to the
// value whose rows these are: Reshape, Squeeze, Dropout, ...
std::string behindRowViews(const AnalysedModel& analysed, const std::string& value,
                           std::vector<const Node*>* nodes = nullptr);

// Where q, k and v by heads [B, H, N, d] stand in the rows that a linear layer or a norm made: the
// steps of each axis. Heads that share features have several runs.
struct Heads {
  Run images, rows, features;
  std::vector<Run> heads;
  std::int64_t offset = 0;
};

// The same for each of so many matrices as a product has, where there was one.
bool spread(View& view, const Integers& lead);

// The four or three axes that a product of matrices has as these four, `turned`: [.., d, N]. Heads
// stand behind images, or in front of them.
std::optional<View> asHeads(View view, std::int64_t batch, std::int64_t heads, bool turned,
                            bool headsFirst);

// Nothing where images, rows or features do not lie in equal steps.
std::optional<Heads> byHeads(const View& view);

// Whether (b, n) are rows of `width` elements in a dense [B, N, width] or [N, B, width].
bool areRows(const Heads& view, std::int64_t width, std::optional<bool>& rowsFirst);

// The features of all heads, head by head, in rows of `width`; nothing where one is outside.
std::optional<Integers> featuresOf(const Heads& view, std::int64_t width);

}  // namespace mpm::onnx
