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

// Joins runs into one if each continues the one after it.
std::optional<Run> joined(const std::vector<Run>& runs);

// A rearrangement of another value's elements. Each axis walks through the base in runs, the last
// one fastest, from `offset` on. Runs of stride 0 repeat elements. Elements are `factor` times the
// base's.
struct View {
  std::string base;
  std::vector<std::vector<Run>> axes;  // runs of one step are left out
  std::int64_t offset = 0;
  float factor = 1;
  std::vector<const Node*> nodes;  // from the value back to the base

  Integers dims() const;
  // Returns each axis's stride in elements, 0 for an axis of one; std::nullopt if it varies.
  std::optional<Integers> strides() const;
  // Changes the dims, but not the order of elements; does nothing if runs cannot express them.
  bool reshape(const Integers& dims);
};

// Returns `outer` as a view of inner's base, where `outer` is one of a dense tensor that `inner`
// describes. Returns std::nullopt if a step of `outer` leaves a run of `inner`.
std::optional<View> seenThrough(const View& outer, const View& inner);

// Inverts a view of a base with these dims: returns the place of each element in a dense tensor
// that the view fills. Returns std::nullopt if an element is missing or occurs twice.
std::optional<View> turnedRound(const View& view, const Integers& dims);

// Returns all elements of a tensor in memory order.
View denseView(const std::string& base, const Integers& dims);

// Returns runs that visit these places in sequence; std::nullopt if none do, or places go
// backwards.
std::optional<std::vector<Run>> runsThrough(Integers places);

// Concatenates two or more views of one base along an axis; std::nullopt if runs cannot express it.
std::optional<View> sideBySide(const std::vector<View>& parts, std::size_t axis);

// Limits the nodes between a value and its base; exporters write about six.
inline constexpr std::size_t kMostViewNodes = 32;

// Tells whether dims are all known and not empty, and their product does not overflow.
bool areKnown(const Integers* dims);

// Matches Reshape, Squeeze, Unsqueeze, Flatten.
bool isReshaping(const Node& node);

// Walks back through Reshape, Transpose, Squeeze, Slice, Split, Gather, Expand, ..., products with
// a scalar, and a Concat of parts of one value. Stops at the first value that another node
// computes. Dims have to be known.
std::optional<View> viewOf(const AnalysedModel& analysed, const std::string& value);

// Also walks back through convolutions that take patches apart, with filters of one element each.
std::optional<View> viewThroughPatches(const AnalysedModel& analysed, const std::string& value);

// Views one node's `output` as the elements of its first input.
std::optional<View> viewThrough(const AnalysedModel& analysed, const Node& node,
                                const std::string& output);

// Matches Identity, Dropout, and a Cast between floating types, which keep the values.
bool isPassing(const AnalysedModel& analysed, const Node& node);

// Returns the places in `value` of the elements of an earlier value, which becomes the result's
// `base`. The axes are that value's, in elements of `value`. Walks back only through nodes that
// keep every element, with a Concat of all parts of one value among them.
std::optional<View> placesIn(const AnalysedModel& analysed, const std::string& value);

// Walks back to the value with these rows through nodes that keep the last dimension and the order
// of the rows: Reshape, Squeeze, Dropout, ...
std::string behindRowViews(const AnalysedModel& analysed, const std::string& value,
                           std::vector<const Node*>* nodes = nullptr);

// Layout of q, k and v by heads [B, H, N, d] in the rows of a linear layer or a norm: the steps of
// each axis. Heads that share features have several runs.
struct Heads {
  Run images, rows, features;
  std::vector<Run> heads;
  std::int64_t offset = 0;
};

// Broadcasts a view to a product's leading sizes; false if it does not fit.
bool spread(View& view, const Integers& lead);

// Turns the three or four axes of a matrix product's operand into these four, from [.., d, N] if
// `turned`. Heads come after images, or before them with headsFirst.
std::optional<View> asHeads(View view, std::int64_t batch, std::int64_t heads, bool turned,
                            bool headsFirst);

// Returns std::nullopt if images, rows or features do not have equal steps.
std::optional<Heads> byHeads(const View& view);

// Tells whether (b, n) are rows of `width` elements in a dense [B, N, width] or [N, B, width].
bool areRows(const Heads& view, std::int64_t width, std::optional<bool>& rowsFirst);

// Returns the features of all heads in rows of `width`; std::nullopt if one is outside.
std::optional<Integers> featuresOf(const Heads& view, std::int64_t width);

}  // namespace mpm::onnx
