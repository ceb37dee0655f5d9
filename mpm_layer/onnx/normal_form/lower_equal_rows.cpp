// SPDX-License-Identifier: Apache-2.0
// Means and differences from them as JAX and its exporter write them.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower_rules.h"
#include "onnx/recognise/operands.h"

namespace mpm::onnx {
namespace {

// Over which axes of x a node of this type makes `value`; nothing where it does not, or they go.
std::optional<Integers> axesOf(const Spelling& spelling, const std::string& value, const char* type,
                               const std::string& x) {
  const Node* node = spelling.model().producer(value);
  if (node == nullptr || !isOp(*node, type) || !hasInput(*node, 0) || node->input(0) != x ||
      intAttribute(*node, "keepdims").value_or(1) != 1)
    return std::nullopt;
  return hasInput(*node, 1) ? spelling.integersIn(node->input(1)) : intsAttribute(*node, "axes");
}

// Whether a condition holds only where all elements of x along these axes are equal.
bool saysThatAllAreEqual(const Spelling& spelling, const std::string& condition,
                         const std::string& x, const Integers& axes, int depth = 0) {
  constexpr int kDeepest = 3;
  const Model& model = spelling.model();
  if (const Node* both = depth < kDeepest ? madeBy(model, condition, "And", 2) : nullptr)
    return saysThatAllAreEqual(spelling, both->input(0), x, axes, depth + 1) ||
           saysThatAllAreEqual(spelling, both->input(1), x, axes, depth + 1);
  const Node* equal = madeBy(model, condition, "Equal", 2);
  if (equal == nullptr) return false;
  for (const int least : {0, 1}) {
    if (axesOf(spelling, equal->input(least), "ReduceMin", x) == axes &&
        axesOf(spelling, equal->input(1 - least), "ReduceMax", x) == axes)
      return true;
  }
  return false;
}

}  // namespace

// x - mean(x), but 0 where all of x are equal, as jax2onnx writes a norm: there the difference is
// what rounding leaves of 0.
bool lowerEqualRows(Spelling& spelling) {
  const Node& node = spelling.node();
  const Model& model = spelling.model();
  if (node.input_size() != 3 || scalarConstant(model, node.input(1)) != 0.0F) return false;
  const Node* less = madeBy(model, node.input(2), "Sub", 2);
  const auto axes = less != nullptr ? axesOf(spelling, less->input(1), "ReduceMean", less->input(0))
                                    : std::nullopt;
  if (!axes || !saysThatAllAreEqual(spelling, node.input(0), less->input(0), *axes)) return false;
  spelling.add("Identity", {node.input(2)}, node.output(0));
  return true;
}

// A choice that is the same everywhere, whatever the frame.
bool lowerSettledChoice(Spelling& spelling) {
  const Node& node = spelling.node();
  const auto condition =
      node.input_size() == 3 ? spelling.model().constant(node.input(0)) : std::nullopt;
  if (!condition || condition->count() != 1) return false;
  const std::string& chosen = node.input(condition->integers()[0] != 0 ? 1 : 2);
  const Integers *dims = spelling.dims(chosen), *made = spelling.dims(node.output(0));
  if (dims == nullptr || made == nullptr || *dims != *made) return false;
  if (std::count(dims->begin(), dims->end(), -1) > 1) return false;
  spelling.add("Identity", {chosen}, node.output(0));
  return true;
}

// A sum over so many elements, divided by their number: their mean. JAX writes means so.
bool lowerDividedSum(Spelling& spelling) {
  const Node& node = spelling.node();
  const Model& model = spelling.model();
  const auto number = node.input_size() == 2 ? scalarConstant(model, node.input(1)) : std::nullopt;
  const Node* sum = number ? model.producer(node.input(0)) : nullptr;
  if (sum == nullptr || !isAny(*sum, {"ReduceSum", "ReduceSumSquare"}) || !hasInput(*sum, 0) ||
      model.constant(node.input(1))->dims().size() > 1)
    return false;
  const std::string& x = sum->input(0);
  const Integers* dims = spelling.dims(x);
  auto axes = axesOf(spelling, node.input(0), sum->op_type().c_str(), x);
  if (dims == nullptr || !axes || axes->empty()) return false;
  std::int64_t count = 1;
  for (std::int64_t& axis : *axes) {
    const auto place = axisOf(axis, dims->size());
    if (!place || (*dims)[*place] < 1 || __builtin_mul_overflow(count, (*dims)[*place], &count))
      return false;
    axis = static_cast<std::int64_t>(*place) - static_cast<std::int64_t>(dims->size());
  }
  if (static_cast<float>(count) != *number) return false;
  const bool isOfSquares = isOp(*sum, "ReduceSumSquare");
  const std::string each = isOfSquares ? spelling.add("Mul", {x, x}) : x;
  spelling.add("ReduceMean", {each}, node.output(0));
  setAttribute(spelling.last(), "axes", *axes);
  return true;
}

}  // namespace mpm::onnx
