// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <optional>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower_rules.h"

namespace mpm::onnx {
namespace {

// The one axis of a node that has it as an attribute or as an input, as it is written.
std::optional<std::int64_t> onlyAxis(const Spelling& spelling, const Node& node) {
  const std::optional<Integers> axes =
      hasInput(node, 1) ? spelling.integersIn(node.input(1)) : intsAttribute(node, "axes");
  return axes && axes->size() == 1 ? std::optional(axes->front()) : std::nullopt;
}

}  // namespace

// torch.stack(...).sum(...): values of the same dims, each with an axis of one in front, joined and
// summed along it.
bool lowerStackedSum(Spelling& spelling) {
  const Node& node = spelling.node();
  const Node* stack = hasInput(node, 0) ? spelling.model().producer(node.input(0)) : nullptr;
  const std::optional<std::int64_t> axis = onlyAxis(spelling, node);
  if (stack == nullptr || !isOp(*stack, "Concat") || stack->input_size() < 2 || !axis ||
      intAttribute(*stack, "axis") != axis || intAttribute(node, "keepdims").value_or(1) != 0)
    return false;
  std::vector<std::string> terms;
  for (const std::string& input : stack->input()) {
    const Node* raised = spelling.model().producer(input);
    if (raised == nullptr || !isOp(*raised, "Unsqueeze") || onlyAxis(spelling, *raised) != axis)
      return false;
    terms.push_back(raised->input(0));
  }
  std::string sum = terms.front();
  for (std::size_t i = 1; i < terms.size(); ++i) {
    const bool isLast = i + 1 == terms.size();
    sum = spelling.add("Add", {sum, terms[i]}, isLast ? node.output(0) : "");
  }
  return true;
}

}  // namespace mpm::onnx
