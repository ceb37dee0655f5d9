// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower_rules.h"
#include "onnx/recognise/operands.h"

namespace mpm::onnx {
namespace {

// Whether `made` is `before` with an axis of one behind. Where one size of it is not known, it is
// the same since there are as many elements.
bool addsLastAxis(const Integers& before, const Integers& made) {
  return made.size() == before.size() + 1 && made.back() == 1 &&
         std::equal(before.begin(), before.end(), made.begin()) &&
         std::count_if(before.begin(), before.end(), [](auto size) { return size < 0; }) < 2;
}

// A sum, mean or such along the last axis of a value of this rank, which goes.
bool dropsLastAxis(const Spelling& spelling, const Node& node, std::size_t rank) {
  if (!isAny(node, {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2",
                    "ReduceSumSquare"}) ||
      !hasInput(node, 0) || intAttribute(node, "keepdims").value_or(1) != 0)
    return false;
  const Integers* dims = spelling.dims(node.input(0));
  const auto axes =
      hasInput(node, 1) ? spelling.integersIn(node.input(1)) : intsAttribute(node, "axes");
  return dims != nullptr && dims->size() == rank && axes && axes->size() == 1 &&
         (axes->front() == -1 || axes->front() + 1 == static_cast<std::int64_t>(rank));
}

// The one input of a function of single elements that is no number; -1 for other nodes.
int functionOf(const Spelling& spelling, const Node& node) {
  if (!isElementWise(node) || node.output_size() != 1) return -1;
  int found = -1;
  for (int i = 0; i < node.input_size(); ++i) {
    const auto number = spelling.model().constant(node.input(i));
    if (node.input(i).empty() || (number && number->count() == 1 && number->dims().size() < 2))
      continue;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}

}  // namespace

// A number for each row, whose axis goes and comes back, perhaps behind functions of it: the axis
// stays.
bool lowerKeptAxis(Spelling& spelling) {
  constexpr std::size_t kMost = 6;
  const Node& node = spelling.node();
  const Integers* before = hasInput(node, 0) ? spelling.dims(node.input(0)) : nullptr;
  const Integers* made = spelling.dims(node.output(0));
  if (before == nullptr || made == nullptr || !addsLastAxis(*before, *made)) return false;
  std::vector<const Node*> nodes;  // from here to the reduction
  for (std::string value = node.input(0);;) {
    const Node* producer = spelling.model().producer(value);
    if (producer == nullptr || nodes.size() == kMost) return false;
    nodes.push_back(producer);
    if (dropsLastAxis(spelling, *producer, made->size())) break;
    const int input = functionOf(spelling, *producer);
    if (input < 0) return false;
    value = producer->input(input);
  }
  std::string last = nodes.back()->input(0);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node& each = *nodes[i];
    const bool isReduction = i + 1 == nodes.size();
    std::vector<std::string> inputs(each.input().begin(), each.input().end());
    inputs[static_cast<std::size_t>(isReduction ? 0 : functionOf(spelling, each))] = last;
    last = spelling.add(each.op_type().c_str(), inputs, i == 0 ? node.output(0) : std::string());
    *spelling.last().mutable_attribute() = each.attribute();
    if (isReduction) setAttribute(spelling.last(), "keepdims", std::int64_t{1});
  }
  return true;
}

}  // namespace mpm::onnx
