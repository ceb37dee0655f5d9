// SPDX-License-Identifier: Apache-2.0
// Where the elements of an earlier value went: views from the other end.
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_places.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {
namespace {

bool turnBack(const Node& transpose, View& view) {
  const auto order = orderOf(transpose, view.axes.size());
  if (!order) return false;
  const auto before = view.axes;
  for (std::size_t i = 0; i < order->size(); ++i) view.axes[(*order)[i]] = before[i];
  return true;
}

// The same of a value that was cut apart, of whose parts `view` has what joins them all again.
std::optional<View> beforeParts(const Facts& facts, const View& view) {
  const std::optional<View> parts = viewOf(facts, view.base);
  const Integers* dims = parts ? facts.values.dims(parts->base) : nullptr;
  if (!areKnown(dims) || parts->base == view.base) return std::nullopt;
  const std::optional<View> round = turnedRound(*parts, *dims);
  std::optional<View> before = round ? seenThrough(*round, view) : std::nullopt;
  if (!before) return std::nullopt;
  before->base = parts->base;
  before->nodes = view.nodes;
  before->nodes.insert(before->nodes.end(), parts->nodes.begin(), parts->nodes.end());
  return before;
}

}  // namespace

std::optional<View> placesIn(const Facts& facts, const std::string& value) {
  if (!areKnown(facts.values.dims(value))) return std::nullopt;
  View view = denseView(value, *facts.values.dims(value));
  std::size_t steps = 0;
  while (const Node* node = facts.model.producer(view.base)) {
    if (steps++ == kMostViewNodes) return std::nullopt;
    if (isOp(*node, "Concat")) {  // of what was cut apart
      std::optional<View> before = beforeParts(facts, view);
      if (!before) break;
      view = std::move(*before);
      continue;
    }
    const bool turns = isOp(*node, "Transpose");
    if (!turns && !isReshaping(*node) && !isPassing(facts, *node)) break;
    if (node->output(0) != view.base) break;
    const Integers* before = facts.values.dims(node->input(0));
    if (!areKnown(before) || !(turns ? turnBack(*node, view) : view.reshape(*before)))
      return std::nullopt;
    view.nodes.push_back(node);
    view.base = node->input(0);
  }
  return view;
}

std::string behindRowViews(const Facts& facts, const std::string& value,
                           std::vector<const Node*>* nodes) {
  std::string at = value;
  for (std::size_t i = 0; i < kMostViewNodes; ++i) {
    const Node* node = facts.model.producer(at);
    if (node == nullptr || node->input_size() < 1 || node->output(0) != at) break;
    if (!isPassing(facts, *node)) {
      if (!isReshaping(*node)) break;
      const Integers* after = facts.values.dims(at);
      const Integers* before = facts.values.dims(node->input(0));
      if (!areKnown(after) || !areKnown(before) || after->empty() || before->empty() ||
          after->back() != before->back())
        break;
    }
    if (nodes != nullptr) nodes->push_back(node);
    at = node->input(0);
  }
  return at;
}

}  // namespace mpm::onnx
