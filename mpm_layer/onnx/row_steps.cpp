// SPDX-License-Identifier: Apache-2.0
#include "onnx/row_steps.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/operands.h"
#include "onnx/rows_of.h"
#include "onnx/view.h"

namespace mpm::onnx {

bool RowSteps::follow(const Node& node, const std::string& value) {
  return followMaskHead(value) || followRowWise(value) || followConcat(node, value) ||
         followMean(node, value) || followRows(node, value) || followElementWise(node, value);
}

bool RowSteps::followMaskHead(const std::string& value) {
  const std::optional<FoundMaskHead> head = findMaskHead(facts_, value);
  if (!head) return false;
  const Tokens* patches = standing_.outside(head->patches);
  if (patches == nullptr || !patches->isImageOnly() || patches->isScores) return false;
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
  const std::optional<FoundLinear> linear = norm ? std::nullopt : findLinear(facts_.model, value);
  if (!norm && !linear) return false;
  const std::string input = norm ? norm->input : linear->input;
  const Integers* dims = facts_.values.dims(input);
  if (dims == nullptr || dims->empty()) return false;
  const std::int64_t dim = dims->back();
  if (norm ? !fits(facts_.model, *norm, dim) : inFeatures(facts_.model, *linear) != dim)
    return false;
  const auto emit = [&](const auto& in) {
    return norm ? emit_.normalize(in, *norm) : emit_.linear(in, *linear);
  };
  const std::string rows = behindRowViews(facts_, input);
  if (norm) standing_.tokensToBe(rows);
  const Tokens* before = standing_.outside(rows);
  if (before != nullptr && before->isScores) return false;
  if (before == nullptr || before->isSpecialOnly()) {
    const Integers* after = facts_.values.dims(value);  // a bias may raise the rank
    if ((dims->size() != 2 && dims->size() != 3) || after == nullptr ||
        after->size() != dims->size() || facts_.model.constant(input))
      return false;
    standing_.setDense(value, emit(standing_.whole(input).value_or(input)));
    return true;
  }
  if (before->dim != dim) return false;
  Tokens after = emit(*before);
  after.inEncoder = before->inEncoder && before->blocks == 0;
  standing_.setTokens(value, std::move(after));
  return true;
}

bool RowSteps::followConcat(const Node& node, const std::string& value) {
  if (!isOp(node, "Concat")) return false;
  std::optional<Tokens> after;
  for (const std::string& input : node.input()) {
    if (const Tokens* part = standing_.outside(input); part != nullptr && !after) after = *part;
  }
  if (!after || after->flat || after->isScores || after->dropsRows) return false;
  const auto axis = axisOf(intAttribute(node, "axis").value_or(0), 3);
  if (axis != (after->rowsFirst ? 0U : 1U)) return false;
  after->parts.clear();
  std::vector<float> special;
  std::int64_t count = 0;
  for (const std::string& input : node.input()) {
    if (const Tokens* part = standing_.outside(input)) {
      if (part->blob != after->blob || part->rowsFirst != after->rowsFirst) return false;
      after->parts.insert(after->parts.end(), part->parts.begin(), part->parts.end());
      continue;
    }
    const Integers* dims = facts_.values.dims(input);
    if (dims == nullptr || dims->size() != 3) return false;
    const std::int64_t rows = (*dims)[*axis];
    const auto constant = constantRows(facts_, input, rows, after->dim, after->rowsFirst);
    if (!constant) return false;
    special.insert(special.end(), constant->begin(), constant->end());
    after->parts.push_back({false, count, count + rows});
    count += rows;
  }
  const auto images = std::count_if(after->parts.begin(), after->parts.end(),
                                    [](const Part& part) { return part.isImage; });
  if (images != 1) return false;
  if (count > 0) {  // its own special rows then have to be gone
    const std::vector<Part> parts = after->parts;
    std::int64_t others = 0;
    for (const Part& part : parts) others += part.isImage ? 0 : part.end - part.begin;
    if (others != count) return false;
    after = emit_.replaceSpecial(*after, count, std::move(special));
    after->parts = parts;
  }
  after->inEncoder = false;
  standing_.setTokens(value, std::move(*after));
  return true;
}

bool RowSteps::followMean(const Node& node, const std::string& value) {
  if (!isOp(node, "ReduceMean") || node.input_size() < 1) return false;
  const Tokens* before = standing_.outside(node.input(0));
  if (before == nullptr || before->flat || before->isScores || before->dropsRows) return false;
  if (!before->isImageOnly() && !before->hasAll()) return false;
  Integers axes = intsAttribute(node, "axes").value_or(Integers{});
  if (node.input_size() == 2) {
    const Known* known = facts_.values.content(node.input(1));
    if (known == nullptr || known->isFloat() || !known->isSure()) return false;
    axes = known->integers;
  }
  if (axes.size() != 1 || axisOf(axes[0], 3) != (before->rowsFirst ? 0U : 1U)) return false;
  std::string mean = emit_.mean(*before, !before->isImageOnly());
  if (intAttribute(node, "keepdims").value_or(1) != 0) {
    const Integers dims =
        before->rowsFirst ? Integers{1, -1, before->dim} : Integers{-1, 1, before->dim};
    mean = emit_.plain("Reshape", {mean, emit_.integers("dims", dims)});
  }
  standing_.setDense(value, mean);
  return true;
}

bool RowSteps::followRows(const Node& node, const std::string& value) {
  if (node.input_size() < 1) return false;
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
  if (swapsRowsAndBatch(node)) {
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
    const std::int64_t count = part.isImage ? after.ownImage : part.end - part.begin;
    const std::int64_t begin = std::max(range->begin, first) - first;
    const std::int64_t end = std::min(range->end, first + count) - first;
    first += count;
    if (begin >= end) continue;
    if (part.isImage && (begin != 0 || end != count)) return false;
    after.parts.push_back(part.isImage ? part : Part{false, part.begin + begin, part.begin + end});
  }
  if (after.parts.empty() || (range->dropsAxis && !after.isSpecialOnly())) return false;
  after.inEncoder = false;
  after.dropsRows = range->dropsAxis;
  standing_.setTokens(value, std::move(after));
  return true;
}

// Functions of single elements: on live rows they give live rows.
bool RowSteps::followElementWise(const Node& node, const std::string& value) {
  const bool unary = isAny(node, {"Relu", "Tanh", "Sigmoid", "Erf", "Exp", "Abs", "Neg", "Sqrt",
                                  "LeakyRelu", "Elu", "HardSigmoid", "HardSwish", "Softplus"});
  const bool binary = isAny(node, {"Add", "Sub", "Mul", "Div"}) && node.input_size() == 2;
  if ((!unary && !binary) || node.output_size() != 1) return false;
  std::optional<Tokens> after;
  std::vector<std::string> inputs;
  for (const std::string& input : node.input()) {
    const Tokens* before = standing_.outside(input);
    if (before == nullptr) {
      if (!scalarConstant(facts_.model, input) || !binary) return false;
      inputs.push_back(input);
      continue;
    }
    if (before->flat || before->isSpecialOnly()) return false;
    if (after && (after->rows != before->rows || after->map != before->map ||
                  after->special != before->special || after->parts != before->parts ||
                  after->rowsFirst != before->rowsFirst || after->dim != before->dim))
      return false;
    inputs.push_back(before->blob);
    after = *before;
  }
  if (!after) return false;
  after->blob = emit_.plain(node.op_type().c_str(), inputs);
  *emit_.last().node.mutable_attribute() = node.attribute();
  after->inEncoder = false;
  standing_.setTokens(value, std::move(*after));
  return true;
}

}  // namespace mpm::onnx
