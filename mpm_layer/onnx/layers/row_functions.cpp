// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/row_functions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/operators/shape_call.h"
#include "onnx/recognise/operands.h"

namespace mpm::onnx {
namespace {

bool isSum(const Node& node) {
  return isAny(node, {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2",
                      "ReduceSumSquare"});
}

// Whether a node works along the last of three axes, and keeps it.
bool isAlongRows(const Facts& facts, const Node& node) {
  if (isAny(node, {"Softmax", "LogSoftmax", "LpNormalization"})) {
    const std::int64_t otherwise =
        isOp(node, "LpNormalization") || facts.model.opset() >= 13 ? -1 : 1;
    return axisOf(intAttribute(node, "axis").value_or(otherwise), 3) == 2U;
  }
  if (!isSum(node) || intAttribute(node, "keepdims").value_or(1) != 1) return false;
  const auto axes = callOf(facts, node).list("axes", 1);
  return axes && axes->size() == 1 && axisOf(axes->front(), 3) == 2U;
}

// Whether a vector stands beside what a node computes from. Of its size nothing is said then:
// OpenCV would be told to reshape it to all of its rows, and fewer are live.
bool hasVectorBeside(const Facts& facts, const Node* node) {
  if (node == nullptr || !isElementWiseOfTwo(*node)) return false;
  return std::any_of(node->input().begin(), node->input().end(), [&](const std::string& input) {
    return isLastAxisVector(facts.model, input) && facts.model.constant(input)->count() > 1;
  });
}

}  // namespace

bool hasSameRows(const Tokens& a, const Tokens& b) {
  return a.rows == b.rows && a.map == b.map && a.special == b.special && a.parts == b.parts &&
         a.rowsFirst == b.rowsFirst && a.windows == b.windows && a.paddedHeight == b.paddedHeight &&
         a.paddedWidth == b.paddedWidth;
}

bool RowFunctions::follow(const Node& node, const std::string& value) {
  if (node.input_size() < 1) return false;
  if (node.output_size() != 1) return followFeatures(node, value);
  return followElementWise(node, value) || followReduction(node, value) ||
         followSpread(node, value) || followFeatures(node, value);
}

// A number, or a vector along the rows.
bool RowFunctions::addConstant(const std::string& input, bool isFlat, Operands& operands) const {
  const std::optional<Tensor> constant = facts_.model.constant(input);
  if (!constant || constant->dims().size() > 3) return false;
  const bool isNumber = scalarConstant(facts_.model, input).has_value();
  if (!isNumber && (isFlat || !isLastAxisVector(facts_.model, input))) return false;
  const std::int64_t count = constant->count();
  const std::int64_t dim = operands.rows->dim;
  if (count != 1 && dim != count) return false;
  operands.hasVector = operands.hasVector || count != 1;
  operands.blobs.push_back(input);
  return true;
}

bool RowFunctions::addRows(const std::string& input, const std::string& value, Operands& operands) {
  const Tokens* before = standing_.outside(input);
  const Integers *dims = facts_.values.dims(input), *made = facts_.values.dims(value);
  const bool isLike = dims != nullptr && made != nullptr && *dims == *made;
  if (before == nullptr || (before->flat && !isLike) || before->isSpecialOnly()) return false;
  operands.blobs.push_back(before->blob);
  if (isAlike(input, *before) && !hasVectorBeside(facts_, emit_.producer(before->blob)))
    operands.alike.emplace_back(before->blob, input);
  if (!operands.rows) {
    operands.rows = *before;
    return true;
  }
  Tokens& rows = *operands.rows;
  if (!hasSameRows(rows, *before) || before->inEncoder != rows.inEncoder) return false;
  if (rows.dim != before->dim && (rows.flat || before->flat || rows.isScores || before->isScores ||
                                  (rows.dim != 1 && before->dim != 1)))
    return false;
  operands.isSpread = operands.isSpread || rows.dim != before->dim;
  rows.dim = std::max(rows.dim, before->dim);
  rows.blocks = std::max(rows.blocks, before->blocks);
  return true;
}

bool RowFunctions::isOfImage(const std::string& input, const std::string& value) const {
  const Integers *dims = facts_.values.dims(input), *made = facts_.values.dims(value);
  return dims != nullptr && made != nullptr && dims->size() == 3 && made->size() == 3 &&
         (*dims)[0] == (*made)[0] && (*dims)[1] == 1 && (*made)[1] != 1 &&
         ((*dims)[2] == 1 || (*dims)[2] == (*made)[2]) && !facts_.model.constant(input);
}

bool RowFunctions::addOfImage(const std::string& input, const std::string& value,
                              Operands& operands) {
  if (!isOfImage(input, value)) return false;
  operands.blobs.push_back(standing_.whole(input).value_or(input));
  operands.alike.emplace_back(operands.blobs.back(), input);
  operands.isSpread = true;
  return true;
}

bool RowFunctions::followElementWise(const Node& node, const std::string& value) {
  const bool isOne = isElementWiseOfOne(node);
  if (!isOne && !isElementWiseOfTwo(node)) return false;
  for (int i = 0; !isOne && i < 2; ++i) {  // a condition that is added to patches
    if (isOfImage(node.input(i), value)) standing_.tokensToBe(node.input(1 - i));
  }
  Operands operands;
  // Rows first: which constants fit is told by them.
  for (const std::string& input : node.input()) {
    if (input.empty() || facts_.model.constant(input)) continue;
    const Tokens* tokens = standing_.outside(input);
    const bool isRows = tokens != nullptr && !tokens->isSpecialOnly();
    if (isRows ? !addRows(input, value, operands) : !addOfImage(input, value, operands))
      return false;
  }
  if (!operands.rows || (isOne && facts_.model.constant(node.input(0)))) return false;
  std::size_t next = 0;
  const std::vector<std::string> rows = std::exchange(operands.blobs, {});
  for (const std::string& input : node.input()) {
    if (input.empty()) {
      operands.blobs.emplace_back();
    } else if (!facts_.model.constant(input)) {
      operands.blobs.push_back(rows[next++]);
    } else if (!addConstant(input, operands.rows->flat || operands.rows->dropsRows, operands)) {
      return false;
    }
  }
  return plan(node, value, std::move(operands));
}

// Along the features, of which one is left, or as many.
bool RowFunctions::followReduction(const Node& node, const std::string& value) {
  const Integers *dims = facts_.values.dims(node.input(0)), *made = facts_.values.dims(value);
  if (dims == nullptr || made == nullptr || dims->size() != 3) return false;
  if (!isAlongRows(facts_, node)) return false;
  Operands operands;
  if (!addRows(node.input(0), value, operands)) return false;
  Tokens& rows = *operands.rows;
  if (rows.flat || rows.dropsRows || rows.isScores) return false;
  if (isSum(node)) rows.dim = 1;
  for (int i = 1; i < node.input_size(); ++i) operands.blobs.push_back(node.input(i));
  return plan(node, value, std::move(operands));
}

// One number of each row, as many times as others have features.
bool RowFunctions::followSpread(const Node& node, const std::string& value) {
  const Integers *dims = facts_.values.dims(node.input(0)), *made = facts_.values.dims(value);
  if (!isOp(node, "Expand") || dims == nullptr || made == nullptr || dims->size() != 3 ||
      dims->back() != 1)
    return false;
  Integers before = *made;
  before.back() = 1;
  Operands operands;
  if (before != *dims || !addRows(node.input(0), value, operands)) return false;
  Tokens& rows = *operands.rows;
  if (rows.flat || rows.dropsRows || rows.isScores || rows.dim != 1) return false;
  rows.dim = made->back();
  operands.blobs.push_back(emit_.integers("dims", {1, 1, rows.dim}));
  return plan(node, value, std::move(operands));
}

// Some of each row's features.
bool RowFunctions::followFeatures(const Node& node, const std::string& value) {
  const Integers *dims = facts_.values.dims(node.input(0)), *made = facts_.values.dims(value);
  if (dims == nullptr || made == nullptr || dims->size() != 3 || made->size() != 3 ||
      (*made)[0] != (*dims)[0] || (*made)[1] != (*dims)[1])
    return false;
  const std::vector<std::string> bounds = boundsOfFeatures(node, value);
  Operands operands;
  if (bounds.empty() || !addRows(node.input(0), value, operands)) return false;
  Tokens& rows = *operands.rows;
  if (rows.flat || rows.dropsRows || rows.isScores || rows.dim != dims->back()) return false;
  rows.dim = made->back();
  operands.blobs.insert(operands.blobs.end(), bounds.begin(), bounds.end());
  Node slice;
  slice.set_op_type("Slice");
  return plan(slice, value, std::move(operands));
}

// What a Slice along the features has behind its data, to give what a node gives; empty where that
// is something else.
std::vector<std::string> RowFunctions::boundsOfFeatures(const Node& node,
                                                        const std::string& value) {
  const auto isLast = [](std::int64_t axis) { return axisOf(axis, 3) == 2U; };
  if (isOp(node, "Split") && isLast(intAttribute(node, "axis").value_or(0))) {
    std::int64_t begin = 0;
    for (const std::string& part : node.output()) {
      const Integers* dims = facts_.values.dims(part);
      if (dims == nullptr || dims->empty() || dims->back() < 0) break;
      if (part == value)
        return {emit_.integers("begin", {begin}), emit_.integers("end", {begin + dims->back()}),
                emit_.integers("axis", {2})};
      begin += dims->back();
    }
    return {};
  }
  constexpr int kAxes = 3;
  const auto axes = callOf(facts_, node).list("axes", kAxes);
  if (!isOp(node, "Slice") || node.input_size() <= kAxes || !axes || axes->size() != 1 ||
      !isLast(axes->front()))
    return {};
  const std::vector<std::string> bounds(node.input().begin() + 1, node.input().end());
  const bool areKnown = std::all_of(bounds.begin(), bounds.end(), [&](const std::string& bound) {
    return facts_.model.constant(bound).has_value();
  });
  return areKnown ? bounds : std::vector<std::string>{};
}

bool RowFunctions::isAlike(const std::string& value, const Tokens& rows) const {
  const Integers* dims = facts_.values.dims(value);
  return dims != nullptr && dims->size() == 3 && !rows.rowsFirst && !rows.windows.areThere() &&
         (*dims)[1] == rows.special + rows.ownImage && (*dims)[2] == rows.dim;
}

bool RowFunctions::plan(const Node& node, const std::string& value, Operands operands) {
  Tokens after = std::move(*operands.rows);
  const bool isTold = isAlike(value, after);
  const auto known = static_cast<std::size_t>(
      std::count_if(operands.blobs.begin(), operands.blobs.end(), [&](const std::string& blob) {
        return std::any_of(operands.alike.begin(), operands.alike.end(),
                           [&](const auto& each) { return each.first == blob; });
      }));
  if (operands.isSpread && (!isTold || known != operands.blobs.size())) return false;
  after.blob = emit_.plain(node.op_type().c_str(), operands.blobs);
  *emit_.last().node.mutable_attribute() = node.attribute();
  for (const auto& [blob, like] : operands.alike) emit_.noteAlike(blob, like);
  if (isTold && !operands.hasVector) emit_.noteAlike(after.blob, value);
  after.inEncoder = after.inEncoder && (after.blocks == 0 || standing_.isInside());
  standing_.setTokens(value, std::move(after));
  return true;
}

}  // namespace mpm::onnx
