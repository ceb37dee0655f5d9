// SPDX-License-Identifier: Apache-2.0
// Rewrites a softmax in many nodes, or over keys before queries, as one Softmax.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/rules.h"
#include "onnx/recognise/parts.h"

namespace mpm::onnx {

namespace {

const Node* producerOf(const Spelling& spelling, const std::string& value, const char* type,
                       int inputs) {
  const Node* node = spelling.model().producer(value);
  return node != nullptr && isOp(*node, type) && node->input_size() == inputs ? node : nullptr;
}

// Tells whether a node works along the last axis of a value of this rank.
bool isAlongRows(const Node& node, std::int64_t otherwise, std::size_t rank) {
  const std::int64_t axis = intAttribute(node, "axis").value_or(otherwise);
  return axis == -1 || axis + 1 == static_cast<std::int64_t>(rank);
}

}  // namespace

int spellSoftmaxes(Model& model, const Values& values) {
  const auto& nodes = model.nodes();
  if (std::none_of(nodes.begin(), nodes.end(), [](const Node* node) { return isOp(*node, "Exp"); }))
    return 0;
  const AnalysedModel analysed{model, values};
  const DimsOf dimsOf = [&](const std::string& value) { return values.dims(value); };
  Spelling spelling(model, dimsOf);
  for (const Node* node : nodes) {
    if (!isAny(*node, {"Div", "Exp", "Mul"}) || node->output_size() != 1) continue;
    const auto found = findSoftmax(analysed, node->output(0));
    if (!found) continue;
    spelling.begin(*node);
    spelling.add("Softmax", {found->input}, node->output(0));
    setAttribute(spelling.last(), "axis",
                 static_cast<std::int64_t>(values.dims(node->output(0))->size()) - 1);
    spelling.replaceNode();
  }
  return applySpelled(model, spelling);
}

namespace {

// Tells whether a node only swaps the last two axes of a value of this rank.
bool turnsLast(const Node& node, std::size_t rank) {
  const auto order = intsAttribute(node, "perm");
  if (!order || order->size() != rank || rank < 3) return false;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t from = i + 2 < rank ? i : i + 2 == rank ? rank - 1 : rank - 2;
    if ((*order)[i] != static_cast<std::int64_t>(from)) return false;
  }
  return true;
}

// A product of two values, and the scales after it, the last one first.
struct ScaledProduct {
  const Node* product = nullptr;
  std::vector<const Node*> scales;
};

// Returns the operand that is multiplied or divided by a number; -1 for other nodes.
int scaledOperand(const Spelling& spelling, const Node& node) {
  if (!isAny(node, {"Mul", "Div"}) || node.input_size() != 2) return -1;
  for (const int operand : {0, 1}) {
    if (operand == 1 && isOp(node, "Div")) continue;
    const auto number = spelling.model().constant(node.input(1 - operand));
    if (number && number->isFloating() && number->count() == 1 && number->dims().size() < 2)
      return operand;
  }
  return -1;
}

// Walks back through scales, and at most one Transpose of the last two axes, which sets `isTurned`.
ScaledProduct scaledProduct(const Spelling& spelling, std::string value, std::size_t rank,
                            bool& isTurned) {
  constexpr std::size_t kMost = 4;
  ScaledProduct found;
  while (const Node* node = spelling.model().producer(value)) {
    const int operand = scaledOperand(spelling, *node);
    const bool turns = isOp(*node, "Transpose") && turnsLast(*node, rank);
    if (isOp(*node, "MatMul") && node->input_size() == 2) found.product = node;
    if ((operand < 0 && !turns) || (turns && isTurned) || found.scales.size() == kMost) break;
    isTurned = isTurned || turns;
    if (!turns) found.scales.push_back(node);
    value = node->input(turns ? 0 : operand);
  }
  return found;
}

}  // namespace

// Rewrites softmax(k qT) over the keys, which are its rows, as softmax(q kT), transposed.
bool lowerTurnedSoftmax(Spelling& spelling) {
  const Node& node = spelling.node();
  const Integers* dims = hasInput(node, 0) ? spelling.dims(node.input(0)) : nullptr;
  if (dims == nullptr || dims->size() < 3) return false;
  const std::size_t rank = dims->size();
  const std::int64_t otherwise = spelling.model().opset() < 13 ? 1 : -1;
  const std::int64_t axis = intAttribute(node, "axis").value_or(otherwise);
  const bool isOfColumns =
      spelling.model().opset() >= 13 && (axis == -2 || axis + 2 == static_cast<std::int64_t>(rank));
  if (!isOfColumns && !isAlongRows(node, otherwise, rank)) return false;
  bool isTurned = false;
  const ScaledProduct found = scaledProduct(spelling, node.input(0), rank, isTurned);
  if (found.product == nullptr || isTurned == isOfColumns) return false;
  const Integers* a = spelling.dims(found.product->input(0));
  const Integers* b = spelling.dims(found.product->input(1));
  if (a == nullptr || b == nullptr || a->size() != rank || b->size() != rank) return false;
  std::string made = spelling.add("MatMul", {spellTurned(spelling, found.product->input(1), rank),
                                             spellTurned(spelling, found.product->input(0), rank)});
  for (auto scale = found.scales.rbegin(); scale != found.scales.rend(); ++scale) {
    const std::string number = (*scale)->input(1 - scaledOperand(spelling, **scale));
    made = spelling.add((*scale)->op_type().c_str(), {made, number});
  }
  const std::string weights =
      spelling.add("Softmax", {made}, isOfColumns ? std::string() : node.output(0));
  setAttribute(spelling.last(), "axis", static_cast<std::int64_t>(rank) - 1);
  if (isOfColumns) spellTurned(spelling, weights, rank, node.output(0));
  return true;
}

// Rewrites v of columns times the transposed weights of rows as the weights times v, transposed.
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
