// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/lower_rules.h"

namespace mpm::onnx {
namespace {

// Whether these dims say what lies where: one of them at most is not known.
bool areKnown(const Integers* dims) {
  return dims != nullptr &&
         std::count_if(dims->begin(), dims->end(), [](std::int64_t dim) { return dim < 0; }) <= 1;
}

// What an axis of one was put into, along `axis` of what it gives; empty where that is not so.
std::string withoutAxis(const Spelling& spelling, const std::string& raised, std::size_t axis) {
  const Node* node = spelling.model().producer(raised);
  if (node == nullptr || !isAny(*node, {"Unsqueeze", "Reshape"})) return {};
  const Integers *dims = spelling.dims(raised), *before = spelling.dims(node->input(0));
  if (!areKnown(dims) || before == nullptr || dims->size() <= axis || (*dims)[axis] != 1) return {};
  Integers others = *dims;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(axis));
  return others == *before ? node->input(0) : std::string();
}

}  // namespace

// torch.stack(heads, i), turned so that heads lie beside features and joined with these by a
// Reshape, becomes a Concat of the heads' features. Dims have to be known.
bool lowerStackedHeads(Spelling& spelling) {
  const Node& node = spelling.node();
  const Model& model = spelling.model();
  const Node* stack = hasInput(node, 0) ? model.producer(node.input(0)) : nullptr;
  Integers order;
  if (stack != nullptr && isOp(*stack, "Transpose")) {
    order = intsAttribute(*stack, "perm").value_or(Integers{});
    stack = model.producer(stack->input(0));
  }
  if (stack == nullptr || !isOp(*stack, "Concat") || stack->input_size() < 2) return false;
  const Integers* stacked = spelling.dims(stack->output(0));
  const Integers* made = spelling.dims(node.output(0));
  if (stacked == nullptr || stacked->size() < 3 || made == nullptr) return false;
  const auto axis = axisOf(intAttribute(*stack, "axis").value_or(0), stacked->size());
  // The others keep their order, with this one in front of the last.
  Integers wanted;
  for (std::size_t i = 0; axis && i < stacked->size(); ++i) {
    if (i != *axis) wanted.push_back(static_cast<std::int64_t>(i));
  }
  if (!axis || *axis + 1 == stacked->size()) return false;
  wanted.insert(wanted.end() - 1, static_cast<std::int64_t>(*axis));
  if (order.empty() ? *axis + 2 != stacked->size() : order != wanted) return false;
  std::vector<std::string> heads;
  std::int64_t width = 0;
  Integers rows;
  for (const std::string& input : stack->input()) {
    const std::string head = withoutAxis(spelling, input, *axis);
    if (head.empty()) return false;
    rows = *spelling.dims(head);
    width += rows.back();
    heads.push_back(head);
  }
  rows.back() = width;
  if (rows != *made) return false;
  spelling.add("Concat", heads, node.output(0));
  setAttribute(spelling.last(), "axis", static_cast<std::int64_t>(rows.size()) - 1);
  return true;
}

}  // namespace mpm::onnx
