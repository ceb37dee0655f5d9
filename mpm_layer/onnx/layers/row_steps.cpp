// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/row_steps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/layers/obstacles.h"
#include "onnx/operators/table.h"
#include "onnx/recognise/linear.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

namespace {

// Returns the number of rows of a part, or of one window's share of it.
std::int64_t rowsOf(const Part& part, const Tokens& tokens) {
  const std::int64_t rows = part.isImage ? tokens.ownImage : part.end - part.begin;
  return tokens.windows.areThere() ? rows / tokens.windows.count() : rows;
}

// Operands of a Concat of rows: parts of one blob, and constant rows.
struct JoinedRows {
  std::vector<Part> parts;  // of the blob's rows, or of the new ones
  std::vector<bool> isNew;  // each part
  std::vector<float> special;
  std::int64_t count = 0, own = 0;  // new special rows, and those of the blob
};

// Returns std::nullopt if rows come from several blobs, or an image row not exactly once.
std::optional<JoinedRows> joinedRows(const AnalysedModel& analysed, TokenValues& tokenValues,
                                     const Node& node, const Tokens& first) {
  JoinedRows joined;
  for (const std::string& input : node.input()) {
    if (const Tokens* part = tokenValues.outside(input)) {
      if (part->blob != first.blob || part->rowsFirst != first.rowsFirst) return std::nullopt;
      for (const Part& each : part->parts) joined.own += each.isImage ? 0 : each.end - each.begin;
      joined.parts.insert(joined.parts.end(), part->parts.begin(), part->parts.end());
      joined.isNew.resize(joined.parts.size(), false);
      continue;
    }
    const Integers* dims = analysed.values.dims(input);
    if (dims == nullptr || dims->size() != 3) return std::nullopt;
    const std::int64_t rows = (*dims)[first.rowsFirst ? 0 : 1];
    const auto constant = constantRows(analysed, input, rows, first.dim, first.rowsFirst);
    if (!constant) return std::nullopt;
    joined.special.insert(joined.special.end(), constant->begin(), constant->end());
    joined.parts.push_back({false, joined.count, joined.count + rows});
    joined.isNew.push_back(true);
    joined.count += rows;
  }
  const auto images = std::count_if(joined.parts.begin(), joined.parts.end(),
                                    [](const Part& part) { return part.isImage; });
  return images == 1 ? std::optional(std::move(joined)) : std::nullopt;
}

}  // namespace

bool RowSteps::follow(const Node& node, const std::string& value) {
  return followMaskHead(value) || followRowWise(value) || followConcat(node, value) ||
         followJoinedFeatures(node, value) || followMean(node, value) ||
         WindowSteps(analysed_, tokenValues_).follow(node, value) || followRows(node, value) ||
         RowFunctions(analysed_, tokenValues_, emit_).follow(node, value) ||
         followAddedRows(node, value);
}

bool RowSteps::followMaskHead(const std::string& value) {
  const std::optional<FoundMaskHead> head = findMaskHead(analysed_, value);
  if (!head) return false;
  const Tokens* patches = tokenValues_.outside(head->patches);
  if (patches == nullptr || !patches->isImageOnly() || patches->isScores ||
      patches->windows.areThere())
    return false;
  const Tokens image = *patches;
  const Tokens* classes = tokenValues_.outside(head->classes);
  const std::vector<Part> special{{false, 0, image.special}};
  if (classes == nullptr || classes->blob != image.blob || classes->parts != special) return false;
  const auto isSquare = [&](const FoundLinear& linear) {
    return inFeatures(analysed_.model, linear) == image.dim &&
           outFeatures(analysed_.model, linear) == image.dim;
  };
  if (image.special < 1 || !isSquare(head->projPatch) || !isSquare(head->projClasses) ||
      !fits(analysed_.model, head->norm, image.special))
    return false;
  tokenValues_.setTokens(value, emit_.maskHead(image, *head));
  return true;
}

bool RowSteps::followRowWise(const std::string& value) {
  const std::optional<FoundNormalize> norm = findNormalize(analysed_, value);
  const std::optional<FoundRowLinear> linear =
      norm ? std::nullopt : findRowLinear(analysed_, value);
  if (!norm && !linear) return false;
  const std::string input = norm ? norm->input : linear->linear.input;
  const Integers* dims = analysed_.values.dims(input);
  if (dims == nullptr || dims->empty()) return false;
  const std::int64_t dim = dims->back();
  if (norm ? !fits(analysed_.model, *norm, dim)
           : inFeatures(analysed_.model, linear->linear) != dim)
    return false;
  const auto emit = [&](const auto& in) {
    return norm ? emit_.normalize(in, *norm) : emit_.linear(in, *linear);
  };
  const std::string rows = behindRowViews(analysed_, input);
  if (norm) tokenValues_.tokensToBe(rows);
  const Tokens* before = tokenValues_.outside(rows);
  if (before != nullptr && before->isScores) return false;
  if (before == nullptr && linear && !findLinear(analysed_.model, value)) return false;
  if (before == nullptr || before->isSpecialOnly()) return followDense(value, input, emit);
  if (before->dim != dim) return false;
  Tokens after = emit(*before);
  after.inEncoder = before->inEncoder && (before->blocks == 0 || tokenValues_.isInside());
  tokenValues_.setTokens(value, std::move(after));
  return true;
}

// Follows rows that are not tokens: [B, D], [B, rows, D] or [B, height, width, D].
bool RowSteps::followDense(const std::string& value, const std::string& input,
                           const EmitRows& emit) {
  const Integers* dims = analysed_.values.dims(input);
  const Integers* after = analysed_.values.dims(value);  // a bias may raise the rank
  if (analysed_.model.constant(input) || after == nullptr || after->size() != dims->size())
    return false;
  std::string rows = tokenValues_.whole(input).value_or(input);
  // Fixes no width that depends on the number of images or on another input size.
  const std::int64_t batch = std::max<std::int64_t>(batchOf(analysed_), 1);
  const bool isPlane = dims->size() == 4 && (*dims)[2] > 0 && (*dims)[0] % batch == 0 &&
                       (batch == 1 || (*dims)[2] != batch) && tokenValues_.hasOwnGrid();
  if (isPlane) {
    rows = emit(reshape(rows, {0, -1, dims->back()}));
    rows = reshape(rows, {0, -1, (*dims)[2], after->back()});
  } else if (dims->size() == 2 || dims->size() == 3) {
    rows = emit(rows);
  } else {
    return false;
  }
  tokenValues_.setDense(value, rows);
  return true;
}

// In `dims`, 0 keeps a blob's size, and -1 is the rest.
std::string RowSteps::reshape(const std::string& blob, const Integers& dims) {
  return emit_.plain("Reshape", {blob, emit_.integers("dims", dims)});
}

bool RowSteps::followConcat(const Node& node, const std::string& value) {
  if (!isOp(node, "Concat")) return false;
  std::optional<Tokens> after;
  for (const std::string& input : node.input()) {
    if (const Tokens* part = tokenValues_.outside(input); part != nullptr && !after) after = *part;
  }
  if (!after || after->flat || after->isScores || after->dropsRows || after->windows.areThere())
    return false;
  const auto axis = axisOf(intAttribute(node, "axis").value_or(0), 3);
  if (axis != (after->rowsFirst ? 0U : 1U)) return false;
  std::optional<JoinedRows> joined = joinedRows(analysed_, tokenValues_, node, *after);
  if (!joined) return false;
  if (joined->count > 0 && joined->own > 0) {  // its own special rows stay, behind the new ones
    if (!after->hasAll() || joined->own != after->special) return false;
    after = emit_.addSpecial(*after, joined->count, std::move(joined->special));
    for (std::size_t i = 0; i < joined->parts.size(); ++i) {
      Part& part = joined->parts[i];
      if (joined->isNew[i] || part.isImage) continue;
      part.begin += joined->count;
      part.end += joined->count;
    }
  } else if (joined->count > 0) {
    after = emit_.replaceSpecial(*after, joined->count, std::move(joined->special));
  }
  after->parts = std::move(joined->parts);
  after->inEncoder = after->inEncoder && after->blocks == 0;  // a class token behind a norm
  tokenValues_.setTokens(value, std::move(*after));
  return true;
}

// Follows features of the same rows that a node concatenates.
bool RowSteps::followJoinedFeatures(const Node& node, const std::string& value) {
  const Integers* dims = analysed_.values.dims(value);
  if (!isOp(node, "Concat") || dims == nullptr) return false;
  const auto axis = axisOf(intAttribute(node, "axis").value_or(0), dims->size());
  if (!axis || *axis + 1 != dims->size()) return false;
  std::optional<Tokens> after;
  std::vector<std::string> inputs;
  for (const std::string& input : node.input()) {
    const Tokens* part = tokenValues_.outside(input);
    if (part == nullptr || part->flat || part->isScores || part->dropsRows ||
        part->isSpecialOnly() || (after && !hasSameRows(*after, *part)))
      return false;
    inputs.push_back(part->blob);
    const std::int64_t before = after ? after->dim : 0;
    const int blocks = after ? after->blocks : 0;
    after = *part;
    after->dim += before;
    after->blocks = std::max(after->blocks, blocks);
  }
  if (!after) return false;
  after->blob = emit_.plain("Concat", inputs);
  setAttribute(emit_.last().node, "axis", std::int64_t{2});
  after->inEncoder = after->inEncoder && tokenValues_.isInside();
  tokenValues_.setTokens(value, std::move(*after));
  return true;
}

bool RowSteps::followMean(const Node& node, const std::string& value) {
  if (!isOp(node, "ReduceMean") || node.input_size() < 1) return false;
  const Tokens* before = tokenValues_.outside(node.input(0));
  if (before == nullptr || before->flat || before->isScores || before->dropsRows ||
      before->windows.areThere())
    return false;
  if (!before->isImageOnly() && !before->hasAll()) return false;
  const auto axes = callOf(analysed_, node).list("axes", 1);
  if (!axes || axes->size() != 1) return false;
  if (axisOf((*axes)[0], 3) != (before->rowsFirst ? 0U : 1U)) return false;
  std::string mean = emit_.mean(*before, !before->isImageOnly());
  if (intAttribute(node, "keepdims").value_or(1) != 0) {
    const Integers dims =
        before->rowsFirst ? Integers{1, -1, before->dim} : Integers{-1, 1, before->dim};
    mean = reshape(mean, dims);
  }
  tokenValues_.setDense(value, mean);
  return true;
}

bool RowSteps::followRows(const Node& node, const std::string& value) {
  if (node.input_size() < 1) return false;
  const std::string turned = turnedBack(analysed_, value);
  if (!turned.empty() && tokenValues_.tokensToBe(turned) != nullptr) {
    tokenValues_.setTokens(value, Tokens(*tokenValues_.tokensToBe(turned)));
    return true;
  }
  const std::string rows = behindRowViews(analysed_, value);
  if (rows != value) {  // the same rows in other dimensions
    const Tokens* same = tokenValues_.tokens(rows);
    if (same == nullptr || same->dropsRows) return false;
    tokenValues_.setTokens(value, *same);
    return true;
  }
  const Tokens* found = tokenValues_.tokens(node.input(0));
  if (found == nullptr || found->flat || found->dropsRows) return false;
  Tokens after = *found;
  const bool inWindows = after.windows.areThere();
  if (swapsRowsAndBatch(node)) {
    if (inWindows) return false;
    after.rowsFirst = !after.rowsFirst;
    tokenValues_.setTokens(value, std::move(after));
    return true;
  }
  const auto range = rowRange(analysed_, node, value, found->rowsFirst);
  if (!range) return false;
  after = *tokenValues_.outside(node.input(0));
  const std::vector<Part> parts = after.parts;
  after.parts.clear();
  std::int64_t first = 0;
  for (const Part& part : parts) {
    const std::int64_t count = rowsOf(part, after);
    const std::int64_t begin = std::max(range->begin, first) - first;
    const std::int64_t end = std::min(range->end, first + count) - first;
    first += count;
    if (begin >= end) continue;
    const bool isPart = begin != 0 || end != count;
    if (isPart && (part.isImage || inWindows)) return false;
    after.parts.push_back(isPart ? Part{false, part.begin + begin, part.begin + end} : part);
  }
  if (after.parts.empty() || (range->dropsAxis && (inWindows || !after.isSpecialOnly())))
    return false;
  after.inEncoder = false;
  after.dropsRows = range->dropsAxis;
  tokenValues_.setTokens(value, std::move(after));
  return true;
}

// Follows a sum with constant rows in the encoder: positions that are added after its start. A
// merged row gets the mean of its tokens' rows. Restored tokens would have other values, so this is
// not for rows after the encoder.
bool RowSteps::followAddedRows(const Node& node, const std::string& value) {
  if (!isOp(node, "Add") || node.input_size() != 2) return false;
  for (int i = 0; i < 2; ++i) {
    const Tokens* before = tokenValues_.tokens(node.input(i));
    if (before == nullptr || !before->inEncoder || before->flat || !before->hasAll() ||
        before->windows.areThere())
      continue;
    const auto rows =
        constantRows(analysed_, node.input(1 - i), before->count(), before->dim, before->rowsFirst);
    if (!rows) continue;
    Tokens after = emit_.addRows(*before, *rows, tokenValues_.embeddingOf(before->encoder));
    tokenValues_.setTokens(value, std::move(after));
    return true;
  }
  return false;
}

namespace {

bool isSum(const Node& node) {
  return isAny(node, {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2",
                      "ReduceSumSquare"});
}

// Tells whether a node works along the last of three axes, and keeps it.
bool isAlongRows(const AnalysedModel& analysed, const Node& node) {
  if (isAny(node, {"Softmax", "LogSoftmax", "LpNormalization"})) {
    const std::int64_t otherwise =
        isOp(node, "LpNormalization") || analysed.model.opset() >= 13 ? -1 : 1;
    return axisOf(intAttribute(node, "axis").value_or(otherwise), 3) == 2U;
  }
  if (!isSum(node) || intAttribute(node, "keepdims").value_or(1) != 1) return false;
  const auto axes = callOf(analysed, node).list("axes", 1);
  return axes && axes->size() == 1 && axisOf(axes->front(), 3) == 2U;
}

// Tells whether a node also reads a vector. Its result's size is then not noted: OpenCV would
// reshape it to all rows, and fewer are live.
bool hasVectorBeside(const AnalysedModel& analysed, const Node* node) {
  if (node == nullptr || !isElementWiseOfTwo(*node)) return false;
  return std::any_of(node->input().begin(), node->input().end(), [&](const std::string& input) {
    return isLastAxisVector(analysed.model, input) && analysed.model.constant(input)->count() > 1;
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

// Adds a number, or a vector along the rows.
bool RowFunctions::addConstant(const std::string& input, bool isFlat, Operands& operands) const {
  const std::optional<Tensor> constant = analysed_.model.constant(input);
  if (!constant || constant->dims().size() > 3) return false;
  const bool isNumber = scalarConstant(analysed_.model, input).has_value();
  if (!isNumber && (isFlat || !isLastAxisVector(analysed_.model, input))) return false;
  const std::int64_t count = constant->count();
  const std::int64_t dim = operands.rows->dim;
  if (count != 1 && dim != count) return false;
  operands.hasVector = operands.hasVector || count != 1;
  operands.blobs.push_back(input);
  return true;
}

bool RowFunctions::addRows(const std::string& input, const std::string& value, Operands& operands) {
  const Tokens* before = tokenValues_.outside(input);
  const Integers *dims = analysed_.values.dims(input), *made = analysed_.values.dims(value);
  const bool isLike = dims != nullptr && made != nullptr && *dims == *made;
  if (before == nullptr || (before->flat && !isLike) || before->isSpecialOnly()) return false;
  operands.blobs.push_back(before->blob);
  if (isAlike(input, *before) && !hasVectorBeside(analysed_, emit_.producer(before->blob)))
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
  const Integers *dims = analysed_.values.dims(input), *made = analysed_.values.dims(value);
  return dims != nullptr && made != nullptr && dims->size() == 3 && made->size() == 3 &&
         (*dims)[0] == (*made)[0] && (*dims)[1] == 1 && (*made)[1] != 1 &&
         ((*dims)[2] == 1 || (*dims)[2] == (*made)[2]) && !analysed_.model.constant(input);
}

bool RowFunctions::addOfImage(const std::string& input, const std::string& value,
                              Operands& operands) {
  if (!isOfImage(input, value)) return false;
  operands.blobs.push_back(tokenValues_.whole(input).value_or(input));
  operands.alike.emplace_back(operands.blobs.back(), input);
  operands.isSpread = true;
  return true;
}

bool RowFunctions::followElementWise(const Node& node, const std::string& value) {
  const bool isOne = isElementWiseOfOne(node);
  if (!isOne && !isElementWiseOfTwo(node)) return false;
  for (int i = 0; !isOne && i < 2; ++i) {  // a condition that is added to patches
    if (isOfImage(node.input(i), value)) tokenValues_.tokensToBe(node.input(1 - i));
  }
  Operands operands;
  // Rows come first, since they decide which constants fit.
  for (const std::string& input : node.input()) {
    if (input.empty() || analysed_.model.constant(input)) continue;
    const Tokens* tokens = tokenValues_.outside(input);
    const bool isRows = tokens != nullptr && !tokens->isSpecialOnly();
    if (isRows ? !addRows(input, value, operands) : !addOfImage(input, value, operands))
      return false;
  }
  if (!operands.rows || (isOne && analysed_.model.constant(node.input(0)))) return false;
  std::size_t next = 0;
  const std::vector<std::string> rows = std::exchange(operands.blobs, {});
  for (const std::string& input : node.input()) {
    if (input.empty()) {
      operands.blobs.emplace_back();
    } else if (!analysed_.model.constant(input)) {
      operands.blobs.push_back(rows[next++]);
    } else if (!addConstant(input, operands.rows->flat || operands.rows->dropsRows, operands)) {
      return false;
    }
  }
  return plan(node, value, std::move(operands));
}

// Follows a node along the features, which leaves one of them or all.
bool RowFunctions::followReduction(const Node& node, const std::string& value) {
  const Integers *dims = analysed_.values.dims(node.input(0)), *made = analysed_.values.dims(value);
  if (dims == nullptr || made == nullptr || dims->size() != 3) return false;
  if (!isAlongRows(analysed_, node)) return false;
  Operands operands;
  if (!addRows(node.input(0), value, operands)) return false;
  Tokens& rows = *operands.rows;
  if (rows.flat || rows.dropsRows || rows.isScores) return false;
  if (isSum(node)) rows.dim = 1;
  for (int i = 1; i < node.input_size(); ++i) operands.blobs.push_back(node.input(i));
  return plan(node, value, std::move(operands));
}

// Follows an Expand of one number for each row to as many features as other rows have.
bool RowFunctions::followSpread(const Node& node, const std::string& value) {
  const Integers *dims = analysed_.values.dims(node.input(0)), *made = analysed_.values.dims(value);
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

// Follows a node that takes some of each row's features.
bool RowFunctions::followFeatures(const Node& node, const std::string& value) {
  const Integers *dims = analysed_.values.dims(node.input(0)), *made = analysed_.values.dims(value);
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

// Returns a Slice's inputs after its data so that it gives the node's output along the features;
// empty if no Slice does.
std::vector<std::string> RowFunctions::boundsOfFeatures(const Node& node,
                                                        const std::string& value) {
  const auto isLast = [](std::int64_t axis) { return axisOf(axis, 3) == 2U; };
  if (isOp(node, "Split") && isLast(intAttribute(node, "axis").value_or(0))) {
    std::int64_t begin = 0;
    for (const std::string& part : node.output()) {
      const Integers* dims = analysed_.values.dims(part);
      if (dims == nullptr || dims->empty() || dims->back() < 0) break;
      if (part == value)
        return {emit_.integers("begin", {begin}), emit_.integers("end", {begin + dims->back()}),
                emit_.integers("axis", {2})};
      begin += dims->back();
    }
    return {};
  }
  constexpr int kAxes = 3;
  const auto axes = callOf(analysed_, node).list("axes", kAxes);
  if (!isOp(node, "Slice") || node.input_size() <= kAxes || !axes || axes->size() != 1 ||
      !isLast(axes->front()))
    return {};
  const std::vector<std::string> bounds(node.input().begin() + 1, node.input().end());
  const bool areKnown = std::all_of(bounds.begin(), bounds.end(), [&](const std::string& bound) {
    return analysed_.model.constant(bound).has_value();
  });
  return areKnown ? bounds : std::vector<std::string>{};
}

bool RowFunctions::isAlike(const std::string& value, const Tokens& rows) const {
  const Integers* dims = analysed_.values.dims(value);
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
  after.inEncoder = after.inEncoder && (after.blocks == 0 || tokenValues_.isInside());
  tokenValues_.setTokens(value, std::move(after));
  return true;
}

}  // namespace mpm::onnx
