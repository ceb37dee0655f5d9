// SPDX-License-Identifier: Apache-2.0
// A softmax that people write out, or take of keys in front of queries, as the node that it is.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/rules.h"
#include "onnx/recognise/linear.h"

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

// Whether `value` is the sum of `terms` over their last axis, which stays as 1; or what `type` says
// instead of a sum.
bool isRowSum(const Spelling& spelling, const std::string& value, const std::string& terms,
              std::size_t rank, const char* type = "ReduceSum") {
  const Node* sum = spelling.model().producer(value);
  if (sum == nullptr || !isOp(*sum, type) || !hasInput(*sum, 0) || sum->input(0) != terms ||
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

// exp(x - log(sum(exp(x))))
bool lowerLogSumExp(Spelling& spelling) {
  const Node& node = spelling.node();
  const Node* less = hasInput(node, 0) ? producerOf(spelling, node.input(0), "Sub", 2) : nullptr;
  const Integers* dims = less != nullptr ? spelling.dims(less->input(0)) : nullptr;
  if (dims == nullptr || dims->size() < 3 ||
      !isRowSum(spelling, less->input(1), less->input(0), dims->size(), "ReduceLogSumExp"))
    return false;
  spellSoftmax(spelling, less->input(0), dims->size());
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

// A product of two values, times numbers: from the last one on.
struct ScaledProduct {
  const Node* product = nullptr;
  std::vector<const Node*> scales;
};

// The operand of a product or quotient with a number; -1 for other nodes.
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

// Through scales, and at most one Transpose of the last two axes, which `isTurned` tells.
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

// softmax(k qT) over the keys, which are its rows: softmax(q kT), turned.
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

// Means and differences from them as JAX and its exporter write them.

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

// A norm over groups of features of which each row has one: a LayerNorm, as exporters spell it.

namespace {

// What makes `value` rows again, behind an InstanceNormalization of [rows, 1, features] that has
// neither scale nor shift, and what makes those groups.
struct GroupNorm {
  const Node *cut = nullptr, *norm = nullptr, *back = nullptr;
};

std::optional<GroupNorm> groupNormOf(const Spelling& spelling, const std::string& value) {
  const Model& model = spelling.model();
  GroupNorm found;
  found.back = madeBy(model, value, "Reshape", 2);
  if (found.back == nullptr) return std::nullopt;
  found.norm = madeBy(model, found.back->input(0), "InstanceNormalization", 3);
  if (found.norm == nullptr || scalarConstant(model, found.norm->input(1)) != 1.0F ||
      scalarConstant(model, found.norm->input(2)) != 0.0F)
    return std::nullopt;
  found.cut = madeBy(model, found.norm->input(0), "Reshape", 2);
  const Integers *groups = spelling.dims(found.norm->input(0)), *made = spelling.dims(value);
  const bool isOfRows = groups != nullptr && made != nullptr && groups->size() == 3 &&
                        (*groups)[1] == 1 && !made->empty() && groups->back() == made->back() &&
                        made->back() > 0;
  return found.cut != nullptr && isOfRows ? std::optional(found) : std::nullopt;
}

// Whether what is cut into groups has the dims of the rows that are made of them.
bool keepsDims(const Spelling& spelling, const GroupNorm& norm) {
  const Integers *rows = spelling.dims(norm.cut->input(0)),
                 *made = spelling.dims(norm.back->output(0));
  return rows != nullptr && *rows == *made && std::count(rows->begin(), rows->end(), -1) < 2;
}

// Whether the dims of the rows are told without those of the groups.
bool tellsDims(const Spelling& spelling, const GroupNorm& norm) {
  const auto target = spelling.integersIn(norm.back->input(1));
  return target && std::count(target->begin(), target->end(), 0) == 0;
}

// One number for each of so many features, as a constant of them; nothing where it is no such.
std::optional<std::string> vectorOf(Spelling& spelling, const std::string& constant,
                                    std::int64_t features) {
  const auto numbers = spelling.floatsIn(constant);
  if (!numbers || !isLastAxisVector(spelling.model(), constant) ||
      static_cast<std::int64_t>(numbers->size()) != features)
    return std::nullopt;
  return spelling.floats({features}, *numbers);
}

}  // namespace

// (one norm of each group) scale + shift, where Reshapes make rows groups and groups rows.
bool lowerGroupedRows(Spelling& spelling) {
  const Model& model = spelling.model();
  const std::string& output = spelling.node().output(0);
  const std::optional<Operands> sum = constantOperand(model, output, "Add");
  const auto product = sum ? constantOperand(model, sum->value, "Mul") : std::nullopt;
  const auto norm = product ? groupNormOf(spelling, product->value) : std::nullopt;
  if (!norm) return false;
  const Integers *rows = spelling.dims(product->value), *made = spelling.dims(output);
  const bool keeps = keepsDims(spelling, *norm);
  if (made == nullptr || *made != *rows || (!keeps && !tellsDims(spelling, *norm))) return false;
  const auto scale = vectorOf(spelling, product->constant, rows->back());
  const auto shift = scale ? vectorOf(spelling, sum->constant, rows->back()) : std::nullopt;
  if (!shift) return false;
  std::string input = norm->cut->input(0);
  if (!keeps) input = spelling.add("Reshape", {input, norm->back->input(1)});
  spelling.add("LayerNormalization", {input, *scale, *shift}, output);
  setAttribute(spelling.last(), "axis", std::int64_t{-1});
  setAttribute(spelling.last(), "epsilon", floatAttribute(*norm->norm, "epsilon").value_or(1e-5F));
  return true;
}

// The same as one node, which is for rows [rows, features].
bool lowerGroupNorm(Spelling& spelling) {
  constexpr std::int64_t kOfFeatures = 21;  // the opset from which each has a scale of its own
  const Node& node = spelling.node();
  const Integers* dims = hasInput(node, 0) ? spelling.dims(node.input(0)) : nullptr;
  if (spelling.model().opset() < kOfFeatures || dims == nullptr || dims->size() != 2 ||
      dims->back() < 1 || intAttribute(node, "num_groups") != 1 || !hasInput(node, 1) ||
      !hasInput(node, 2))
    return false;
  const auto scale = vectorOf(spelling, node.input(1), dims->back());
  const auto shift = scale ? vectorOf(spelling, node.input(2), dims->back()) : std::nullopt;
  if (!shift) return false;
  spelling.add("LayerNormalization", {node.input(0), *scale, *shift}, node.output(0));
  setAttribute(spelling.last(), "axis", std::int64_t{-1});
  setAttribute(spelling.last(), "epsilon", floatAttribute(node, "epsilon").value_or(1e-5F));
  return true;
}

}  // namespace mpm::onnx
