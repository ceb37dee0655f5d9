// SPDX-License-Identifier: Apache-2.0
// A softmax that people write out, as the node that it is.
#include <optional>
#include <string>

#include "onnx/attribute.h"
#include "onnx/lower_rules.h"

namespace mpm::onnx {
namespace {

const Node* producerOf(const Spelling& spelling, const std::string& value, const char* type,
                       int inputs) {
  const Node* node = spelling.model().producer(value);
  return node != nullptr && isOp(*node, type) && node->input_size() == inputs ? node : nullptr;
}

// Whether a node works along the last axis of a value of this rank.
bool isAlongRows(const Node& node, std::int64_t otherwise, std::size_t rank) {
  const std::int64_t axis = intAttribute(node, "axis").value_or(otherwise);
  return axis == -1 || axis + 1 == static_cast<std::int64_t>(rank);
}

// What a softmax along the last axis was given less its largest, which is one number for each row
// (or for more of them) and not noticed; else the value itself.
std::string behindShift(const Spelling& spelling, const std::string& value) {
  const Node* less = producerOf(spelling, value, "Sub", 2);
  const Node* largest = less != nullptr ? spelling.model().producer(less->input(1)) : nullptr;
  if (largest == nullptr || !isAny(*largest, {"ReduceMax", "ReduceMean"}) ||
      !hasInput(*largest, 0) || largest->input(0) != less->input(0))
    return value;
  const Integers *dims = spelling.dims(less->input(0)), *shift = spelling.dims(less->input(1));
  const bool isByRow = dims != nullptr && shift != nullptr && dims->size() == shift->size() &&
                       !shift->empty() && shift->back() == 1;
  return isByRow ? less->input(0) : value;
}

// Whether `value` is the sum of `terms` over their last axis, which stays as 1.
bool isRowSum(const Spelling& spelling, const std::string& value, const std::string& terms,
              std::size_t rank) {
  const Node* sum = spelling.model().producer(value);
  if (sum == nullptr || !isOp(*sum, "ReduceSum") || !hasInput(*sum, 0) || sum->input(0) != terms ||
      intAttribute(*sum, "keepdims").value_or(1) != 1)
    return false;
  const auto axes =
      hasInput(*sum, 1) ? spelling.integersIn(sum->input(1)) : intsAttribute(*sum, "axes");
  return axes && axes->size() == 1 &&
         (axes->front() == -1 || axes->front() + 1 == static_cast<std::int64_t>(rank));
}

void spellSoftmax(Spelling& spelling, const std::string& value, std::size_t rank) {
  spelling.add("Softmax", {behindShift(spelling, value)}, spelling.node().output(0));
  setAttribute(spelling.last(), "axis", static_cast<std::int64_t>(rank) - 1);
}

}  // namespace

// exp(x) / sum(exp(x)), of x less its largest or not.
bool lowerExponentials(Spelling& spelling) {
  const Node& node = spelling.node();
  const Node* powers =
      node.input_size() == 2 ? producerOf(spelling, node.input(0), "Exp", 1) : nullptr;
  const Integers* dims = powers != nullptr ? spelling.dims(powers->input(0)) : nullptr;
  if (dims == nullptr || dims->size() < 3 ||
      !isRowSum(spelling, node.input(1), node.input(0), dims->size()))
    return false;
  spellSoftmax(spelling, powers->input(0), dims->size());
  return true;
}

// softmax(x - max(x))
bool lowerShiftedSoftmax(Spelling& spelling) {
  const Node& node = spelling.node();
  const Integers* dims = hasInput(node, 0) ? spelling.dims(node.input(0)) : nullptr;
  const std::int64_t otherwise = spelling.model().opset() < 13 ? 1 : -1;
  if (dims == nullptr || dims->size() < 3 || !isAlongRows(node, otherwise, dims->size()) ||
      behindShift(spelling, node.input(0)) == node.input(0))
    return false;
  spellSoftmax(spelling, node.input(0), dims->size());
  return true;
}

// exp(log_softmax(x))
bool lowerLogSoftmax(Spelling& spelling) {
  const Node& node = spelling.node();
  const Node* logs =
      hasInput(node, 0) ? producerOf(spelling, node.input(0), "LogSoftmax", 1) : nullptr;
  const Integers* dims = logs != nullptr ? spelling.dims(logs->input(0)) : nullptr;
  const std::int64_t otherwise = spelling.model().opset() < 13 ? 1 : -1;
  if (dims == nullptr || dims->size() < 3 || !isAlongRows(*logs, otherwise, dims->size()))
    return false;
  spellSoftmax(spelling, logs->input(0), dims->size());
  return true;
}

namespace {

// Whether a node swaps the last two axes of a value of this rank, and no others.
bool turnsLast(const Node& node, std::size_t rank) {
  const auto order = intsAttribute(node, "perm");
  if (!order || order->size() != rank || rank < 3) return false;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t from = i + 2 < rank ? i : i + 2 == rank ? rank - 1 : rank - 2;
    if ((*order)[i] != static_cast<std::int64_t>(from)) return false;
  }
  return true;
}

}  // namespace

// v of columns times the weights of rows, turned: the weights times v, turned.
bool lowerTurnedMix(Spelling& spelling) {
  const Node& node = spelling.node();
  const Node* turn =
      node.input_size() == 2 ? producerOf(spelling, node.input(1), "Transpose", 1) : nullptr;
  const Node* softmax =
      turn != nullptr ? producerOf(spelling, turn->input(0), "Softmax", 1) : nullptr;
  const Integers* dims = softmax != nullptr ? spelling.dims(turn->input(0)) : nullptr;
  const Integers* values = dims != nullptr ? spelling.dims(node.input(0)) : nullptr;
  const std::int64_t otherwise = spelling.model().opset() < 13 ? 1 : -1;
  if (values == nullptr || values->size() != dims->size() || !turnsLast(*turn, dims->size()) ||
      !isAlongRows(*softmax, otherwise, dims->size()))
    return false;
  const std::string rows = spellTurned(spelling, node.input(0), values->size());
  const std::string mixed = spelling.add("MatMul", {turn->input(0), rows});
  spellTurned(spelling, mixed, values->size(), node.output(0));
  return true;
}

}  // namespace mpm::onnx
