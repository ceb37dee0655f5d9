// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/row_steps.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/layers/obstacles.h"
#include "onnx/layers/row_functions.h"
#include "onnx/operators/shape_call.h"
#include "onnx/recognise/operands.h"
#include "onnx/recognise/rows_of.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {
namespace {

// A whole part of the rows, or what a window has of it.
std::int64_t rowsOf(const Part& part, const Tokens& tokens) {
  const std::int64_t rows = part.isImage ? tokens.ownImage : part.end - part.begin;
  return tokens.windows.areThere() ? rows / tokens.windows.count() : rows;
}

// What a Concat of rows is of: parts of one blob, and constant rows.
struct JoinedRows {
  std::vector<Part> parts;  // of the blob's rows, or of the new ones
  std::vector<bool> isNew;  // each part
  std::vector<float> special;
  std::int64_t count = 0, own = 0;  // new special rows, and those of the blob
};

// Nothing where they are of several blobs, or of its image rows more or less than once.
std::optional<JoinedRows> joinedRows(const Facts& facts, Standing& standing, const Node& node,
                                     const Tokens& first) {
  JoinedRows joined;
  for (const std::string& input : node.input()) {
    if (const Tokens* part = standing.outside(input)) {
      if (part->blob != first.blob || part->rowsFirst != first.rowsFirst) return std::nullopt;
      for (const Part& each : part->parts) joined.own += each.isImage ? 0 : each.end - each.begin;
      joined.parts.insert(joined.parts.end(), part->parts.begin(), part->parts.end());
      joined.isNew.resize(joined.parts.size(), false);
      continue;
    }
    const Integers* dims = facts.values.dims(input);
    if (dims == nullptr || dims->size() != 3) return std::nullopt;
    const std::int64_t rows = (*dims)[first.rowsFirst ? 0 : 1];
    const auto constant = constantRows(facts, input, rows, first.dim, first.rowsFirst);
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
         WindowSteps(facts_, standing_).follow(node, value) || followRows(node, value) ||
         RowFunctions(facts_, standing_, emit_).follow(node, value) || followAddedRows(node, value);
}

bool RowSteps::followMaskHead(const std::string& value) {
  const std::optional<FoundMaskHead> head = findMaskHead(facts_, value);
  if (!head) return false;
  const Tokens* patches = standing_.outside(head->patches);
  if (patches == nullptr || !patches->isImageOnly() || patches->isScores ||
      patches->windows.areThere())
    return false;
  const Tokens image = *patches;
  const Tokens* classes = standing_.outside(head->classes);
  const std::vector<Part> special{{false, 0, image.special}};
  if (classes == nullptr || classes->blob != image.blob || classes->parts != special) return false;
  const auto isSquare = [&](const FoundLinear& linear) {
    return inFeatures(facts_.model, linear) == image.dim &&
           outFeatures(facts_.model, linear) == image.dim;
  };
  if (image.special < 1 || !isSquare(head->projPatch) || !isSquare(head->projClasses) ||
      !fits(facts_.model, head->norm, image.special))
    return false;
  standing_.setTokens(value, emit_.maskHead(image, *head));
  return true;
}

bool RowSteps::followRowWise(const std::string& value) {
  const std::optional<FoundNormalize> norm = findNormalize(facts_.model, value);
  const std::optional<FoundRowLinear> linear = norm ? std::nullopt : findRowLinear(facts_, value);
  if (!norm && !linear) return false;
  const std::string input = norm ? norm->input : linear->linear.input;
  const Integers* dims = facts_.values.dims(input);
  if (dims == nullptr || dims->empty()) return false;
  const std::int64_t dim = dims->back();
  if (norm ? !fits(facts_.model, *norm, dim) : inFeatures(facts_.model, linear->linear) != dim)
    return false;
  const auto emit = [&](const auto& in) {
    return norm ? emit_.normalize(in, *norm) : emit_.linear(in, *linear);
  };
  const std::string rows = behindRowViews(facts_, input);
  if (norm) standing_.tokensToBe(rows);
  const Tokens* before = standing_.outside(rows);
  if (before != nullptr && before->isScores) return false;
  if (before == nullptr && linear && !findLinear(facts_.model, value)) return false;
  if (before == nullptr || before->isSpecialOnly()) return followDense(value, input, emit);
  if (before->dim != dim) return false;
  Tokens after = emit(*before);
  after.inEncoder = before->inEncoder && (before->blocks == 0 || standing_.isInside());
  standing_.setTokens(value, std::move(after));
  return true;
}

// Rows that are no tokens: [B, D], [B, rows, D] or [B, height, width, D].
bool RowSteps::followDense(const std::string& value, const std::string& input,
                           const EmitRows& emit) {
  const Integers* dims = facts_.values.dims(input);
  const Integers* after = facts_.values.dims(value);  // a bias may raise the rank
  if (facts_.model.constant(input) || after == nullptr || after->size() != dims->size())
    return false;
  std::string rows = standing_.whole(input).value_or(input);
  // A width that depends on the number of images, or on another input size, is not written down.
  const std::int64_t batch = std::max<std::int64_t>(batchOf(facts_), 1);
  const bool isPlane = dims->size() == 4 && (*dims)[2] > 0 && (*dims)[0] % batch == 0 &&
                       (batch == 1 || (*dims)[2] != batch) && standing_.hasOwnGrid();
  if (isPlane) {
    rows = emit(reshape(rows, {0, -1, dims->back()}));
    rows = reshape(rows, {0, -1, (*dims)[2], after->back()});
  } else if (dims->size() == 2 || dims->size() == 3) {
    rows = emit(rows);
  } else {
    return false;
  }
  standing_.setDense(value, rows);
  return true;
}

// 0: as many as the blob has there; -1: what is left.
std::string RowSteps::reshape(const std::string& blob, const Integers& dims) {
  return emit_.plain("Reshape", {blob, emit_.integers("dims", dims)});
}

bool RowSteps::followConcat(const Node& node, const std::string& value) {
  if (!isOp(node, "Concat")) return false;
  std::optional<Tokens> after;
  for (const std::string& input : node.input()) {
    if (const Tokens* part = standing_.outside(input); part != nullptr && !after) after = *part;
  }
  if (!after || after->flat || after->isScores || after->dropsRows || after->windows.areThere())
    return false;
  const auto axis = axisOf(intAttribute(node, "axis").value_or(0), 3);
  if (axis != (after->rowsFirst ? 0U : 1U)) return false;
  std::optional<JoinedRows> joined = joinedRows(facts_, standing_, node, *after);
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
  standing_.setTokens(value, std::move(*after));
  return true;
}

// Features of the same rows side by side.
bool RowSteps::followJoinedFeatures(const Node& node, const std::string& value) {
  const Integers* dims = facts_.values.dims(value);
  if (!isOp(node, "Concat") || dims == nullptr) return false;
  const auto axis = axisOf(intAttribute(node, "axis").value_or(0), dims->size());
  if (!axis || *axis + 1 != dims->size()) return false;
  std::optional<Tokens> after;
  std::vector<std::string> inputs;
  for (const std::string& input : node.input()) {
    const Tokens* part = standing_.outside(input);
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
  after->inEncoder = after->inEncoder && standing_.isInside();
  standing_.setTokens(value, std::move(*after));
  return true;
}

bool RowSteps::followMean(const Node& node, const std::string& value) {
  if (!isOp(node, "ReduceMean") || node.input_size() < 1) return false;
  const Tokens* before = standing_.outside(node.input(0));
  if (before == nullptr || before->flat || before->isScores || before->dropsRows ||
      before->windows.areThere())
    return false;
  if (!before->isImageOnly() && !before->hasAll()) return false;
  const auto axes = callOf(facts_, node).list("axes", 1);
  if (!axes || axes->size() != 1) return false;
  if (axisOf((*axes)[0], 3) != (before->rowsFirst ? 0U : 1U)) return false;
  std::string mean = emit_.mean(*before, !before->isImageOnly());
  if (intAttribute(node, "keepdims").value_or(1) != 0) {
    const Integers dims =
        before->rowsFirst ? Integers{1, -1, before->dim} : Integers{-1, 1, before->dim};
    mean = reshape(mean, dims);
  }
  standing_.setDense(value, mean);
  return true;
}

bool RowSteps::followRows(const Node& node, const std::string& value) {
  if (node.input_size() < 1) return false;
  const std::string turned = turnedBack(facts_, value);
  if (!turned.empty() && standing_.tokensToBe(turned) != nullptr) {
    standing_.setTokens(value, Tokens(*standing_.tokensToBe(turned)));
    return true;
  }
  const std::string rows = behindRowViews(facts_, value);
  if (rows != value) {  // the same rows in other dimensions
    const Tokens* same = standing_.tokens(rows);
    if (same == nullptr || same->dropsRows) return false;
    standing_.setTokens(value, *same);
    return true;
  }
  const Tokens* found = standing_.tokens(node.input(0));
  if (found == nullptr || found->flat || found->dropsRows) return false;
  Tokens after = *found;
  const bool inWindows = after.windows.areThere();
  if (swapsRowsAndBatch(node)) {
    if (inWindows) return false;
    after.rowsFirst = !after.rowsFirst;
    standing_.setTokens(value, std::move(after));
    return true;
  }
  const auto range = rowRange(facts_, node, value, found->rowsFirst);
  if (!range) return false;
  after = *standing_.outside(node.input(0));
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
  standing_.setTokens(value, std::move(after));
  return true;
}

// A sum with constant rows, in the encoder: positions that are added behind its begin. A merged
// row has the mean of its tokens' rows, which is not what the restored tokens would have; so it is
// not for what stands behind the encoder.
bool RowSteps::followAddedRows(const Node& node, const std::string& value) {
  if (!isOp(node, "Add") || node.input_size() != 2) return false;
  for (int i = 0; i < 2; ++i) {
    const Tokens* before = standing_.tokens(node.input(i));
    if (before == nullptr || !before->inEncoder || before->flat || !before->hasAll() ||
        before->windows.areThere())
      continue;
    const auto rows =
        constantRows(facts_, node.input(1 - i), before->count(), before->dim, before->rowsFirst);
    if (!rows) continue;
    Tokens after = emit_.addRows(*before, *rows, standing_.embeddingOf(before->encoder));
    standing_.setTokens(value, std::move(after));
    return true;
  }
  return false;
}

}  // namespace mpm::onnx
