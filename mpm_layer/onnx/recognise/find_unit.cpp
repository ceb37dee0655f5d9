// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <optional>

#include "onnx/graph/attribute.h"
#include "onnx/operators/shape_call.h"
#include "onnx/recognise/find.h"
#include "onnx/recognise/operands.h"

namespace mpm::onnx {
namespace {

// A lower bound that no length of a row that holds something reaches.
bool isGuard(const Facts& facts, const Node& node) {
  constexpr float kTiny = 1e-6F;
  const auto isTiny = [&](std::optional<float> bound) { return bound && *bound <= kTiny; };
  if (isOp(node, "Max"))
    return node.input_size() == 2 && isTiny(scalarConstant(facts.model, node.input(1)));
  if (!isOp(node, "Clip")) return false;
  if (hasInput(node, 2)) return false;
  if (floatAttribute(node, "max").value_or(std::numeric_limits<float>::max()) <
      std::numeric_limits<float>::max())
    return false;
  if (node.input_size() > 1) return isTiny(scalarConstant(facts.model, node.input(1)));
  return isTiny(floatAttribute(node, "min"));
}

// Behind what keeps a length from being zero, and what spreads it over a row.
std::string behindGuards(const Facts& facts, const std::string& value,
                         std::vector<const Node*>& nodes) {
  constexpr int kMost = 4;
  std::string at = value;
  for (int i = 0; i < kMost; ++i) {
    const Node* node = facts.model.producer(at);
    if (node == nullptr || node->input_size() < 1) break;
    if (!isOp(*node, "Expand") && !isGuard(facts, *node)) break;
    nodes.push_back(node);
    at = node->input(0);
  }
  return at;
}

bool isAlongRows(const Facts& facts, const Node& node) {
  if (intAttribute(node, "keepdims").value_or(1) != 1) return false;
  const auto axes = callOf(facts, node).list("axes", 1);
  const Integers* dims = facts.values.dims(node.input(0));
  return axes && axes->size() == 1 && dims != nullptr &&
         axisOf((*axes)[0], dims->size()) == dims->size() - 1;
}

// sqrt(sum(x x)), written out.
const Node* squaresBehind(const Facts& facts, const std::string& value, const std::string& row,
                          std::vector<const Node*>& nodes) {
  const Node* root = madeBy(facts.model, value, "Sqrt", 1);
  const Node* sum = root != nullptr ? facts.model.producer(root->input(0)) : nullptr;
  if (sum == nullptr || !isOp(*sum, "ReduceSum") || !isAlongRows(facts, *sum)) return nullptr;
  const Node* square = facts.model.producer(sum->input(0));
  if (square == nullptr || square->input_size() != 2 || square->input(0) != row) return nullptr;
  const bool isSquare =
      (isOp(*square, "Mul") && square->input(1) == row) ||
      (isOp(*square, "Pow") && scalarConstant(facts.model, square->input(1)) == 2.0F);
  if (!isSquare) return nullptr;
  nodes.insert(nodes.end(), {root, sum, square});
  return root;
}

// The length of each row where both were turned alike: ONNX Runtime moves transpositions behind
// what reduces an axis. Null where it is nothing of the kind.
const Node* lengthBehindTurn(const Facts& facts, const std::string& value, const std::string& row,
                             std::vector<const Node*>& nodes) {
  const Node *turn = madeBy(facts.model, value, "Transpose", 1),
             *rowTurn = madeBy(facts.model, row, "Transpose", 1);
  const Node* norm = turn != nullptr ? facts.model.producer(turn->input(0)) : nullptr;
  if (rowTurn == nullptr || norm == nullptr || !isOp(*norm, "ReduceL2") ||
      norm->input(0) != rowTurn->input(0) || intAttribute(*norm, "keepdims").value_or(1) != 1)
    return nullptr;
  const auto order = intsAttribute(*turn, "perm");
  const auto axes = callOf(facts, *norm).list("axes", 1);
  if (!order || order->empty() || order != intsAttribute(*rowTurn, "perm") || !axes ||
      axes->size() != 1)
    return nullptr;
  const auto axis = axisOf((*axes)[0], order->size());
  if (!axis || static_cast<std::int64_t>(*axis) != order->back()) return nullptr;
  nodes.insert(nodes.end(), {turn, norm});
  return norm;
}

}  // namespace

std::optional<FoundUnit> findUnit(const Facts& facts, const std::string& value) {
  FoundUnit found;
  if (const Node* whole = madeBy(facts.model, value, "LpNormalization", 1)) {
    const Integers* dims = facts.values.dims(value);
    const auto axis = axisOf(intAttribute(*whole, "axis").value_or(-1), dims ? dims->size() : 0);
    if (!axis || *axis + 1 != dims->size() || intAttribute(*whole, "p").value_or(2) != 2) return {};
    return FoundUnit{whole->input(0), {whole}};
  }
  const Node* quotient = madeBy(facts.model, value, "Div", 2);
  if (quotient == nullptr) return {};
  found.input = quotient->input(0);
  found.nodes.push_back(quotient);
  const std::string length = behindGuards(facts, quotient->input(1), found.nodes);
  const Node* norm = facts.model.producer(length);
  if (norm != nullptr && isOp(*norm, "ReduceL2")) {
    if (norm->input(0) != found.input || !isAlongRows(facts, *norm)) return {};
    found.nodes.push_back(norm);
  } else if (squaresBehind(facts, length, found.input, found.nodes) == nullptr &&
             lengthBehindTurn(facts, length, found.input, found.nodes) == nullptr) {
    return {};
  }
  return found;
}

}  // namespace mpm::onnx
