// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/linear.h"
#include "onnx/recognise/parts.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

namespace {

void append(std::vector<const Node*>& to, const std::vector<const Node*>& nodes) {
  to.insert(to.end(), nodes.begin(), nodes.end());
}

// Behind a swap of rows and images, if there is one: attention may want its rows first.
std::string behindSwap(const Facts& facts, const std::string& value, std::int64_t batch,
                       bool& swaps, std::vector<const Node*>& nodes) {
  const Node* node = facts.model.producer(value);
  const Integers* dims = facts.values.dims(value);
  swaps = node != nullptr && swapsRowsAndBatch(*node) && dims != nullptr && dims->size() == 3 &&
          ((*dims)[0] == batch || (*dims)[1] == batch);
  if (!swaps) return value;
  nodes.push_back(node);
  return behindRowViews(facts, node->input(0), &nodes);
}

// branch = layerScale * last(...), with layerScale or without; rows may be swapped before or after.
bool findBranchEnd(const Facts& facts, const std::string& branch, std::int64_t batch, bool& swaps,
                   FoundHalf& half) {
  std::string value = behindRowViews(facts, branch, &half.nodes);
  value = behindSwap(facts, value, batch, swaps, half.nodes);
  const std::optional<Operands> scaled = constantOperand(facts.model, value, "Mul");
  if (scaled && isLastAxisVector(facts.model, scaled->constant)) {
    half.layerScale = scaled->constant;
    half.nodes.push_back(facts.model.producer(value));
    value = behindRowViews(facts, scaled->value, &half.nodes);
    if (!swaps) value = behindSwap(facts, value, batch, swaps, half.nodes);
  }
  const std::optional<FoundLinear> last = findLinear(facts.model, value);
  if (!last) return false;
  half.last = *last;
  append(half.nodes, last->nodes);
  half.last.input = behindRowViews(facts, last->input, &half.nodes);
  return true;
}

// The norm in front of a half, which has to read what is added at its end.
bool findNorm(const Facts& facts, const std::string& value, const std::string& stream,
              FoundHalf& half) {
  const std::optional<FoundNormalize> norm = findNormalize(facts.model, value);
  if (!norm || !norm->isCentred ||
      behindRowViews(facts, norm->input, &half.nodes) != behindRowViews(facts, stream))
    return false;
  half.input = stream;
  half.norm = *norm;
  append(half.nodes, norm->nodes);
  return true;
}

Finding<FoundAttentionHalf> attentionBehind(const Facts& facts, const std::string& stream,
                                            const std::string& branch, std::int64_t batch) {
  FoundAttentionHalf half;
  bool swapsBack = false, swaps = false;
  if (!findBranchEnd(facts, branch, batch, swapsBack, half)) return {};
  Finding<FoundAttention> attention = findAttention(facts, half.last.input, batch);
  if (!attention.found) return {std::nullopt, attention.obstacle, attention.where};
  half.attention = std::move(*attention.found);
  append(half.nodes, half.attention.nodes);
  if (!half.attention.isPlain()) return {};
  const std::string input = behindSwap(facts, half.attention.input, batch, swaps, half.nodes);
  if ((swaps != swapsBack) != half.attention.swapsResult) return {};
  if (swaps && half.attention.rowsFirst) half.attention.rowsFirst = !*half.attention.rowsFirst;
  if (!findNorm(facts, input, stream, half))
    return Finding<FoundAttentionHalf>::blocked("no norm before its attention",
                                                half.attention.nodes.back());
  return {half, {}, nullptr};
}

Finding<FoundMlpHalf> mlpBehind(const Facts& facts, const std::string& stream,
                                const std::string& branch) {
  FoundMlpHalf half;
  bool swaps = false;
  if (!findBranchEnd(facts, branch, 0, swaps, half) || swaps) return {};
  const std::optional<FoundGelu> gelu = findGelu(facts.model, half.last.input);
  if (!gelu) return {};
  half.gelu = *gelu;
  append(half.nodes, gelu->nodes);
  const std::optional<FoundLinear> fc1 =
      findLinear(facts.model, behindRowViews(facts, gelu->input, &half.nodes));
  if (!fc1) return {};
  half.fc1 = *fc1;
  append(half.nodes, fc1->nodes);
  half.fc1.input = behindRowViews(facts, fc1->input, &half.nodes);
  if (!findNorm(facts, half.fc1.input, stream, half)) return {};
  return {half, {}, nullptr};
}

// Tries both operands of the sum that makes `value` as the residual stream.
template <class Found, class Try>
Finding<Found> findHalf(const Facts& facts, const std::string& value, const Try& tryBranch) {
  const Node* sum = madeBy(facts.model, value, "Add", 2);
  if (sum == nullptr || facts.model.constant(sum->input(0)) || facts.model.constant(sum->input(1)))
    return {};
  Finding<Found> result = tryBranch(sum->input(0), sum->input(1));
  if (!result.found) {
    Finding<Found> other = tryBranch(sum->input(1), sum->input(0));
    if (other.found || result.obstacle.empty()) result = std::move(other);
  }
  if (result.found) result.found->nodes.push_back(sum);
  return result;
}

bool fits(const Model& model, const FoundHalf& half, std::int64_t dim) {
  return fits(model, half.norm, dim) &&
         (half.layerScale.empty() || model.constant(half.layerScale)->count() == dim) &&
         outFeatures(model, half.last) == dim;
}

bool fits(const Model& model, const FoundProjection& projection, std::int64_t dim) {
  const std::int64_t out = outFeatures(model, projection.linear);
  return inFeatures(model, projection.linear) == dim &&
         std::all_of(projection.features.begin(), projection.features.end(),
                     [&](std::int64_t feature) { return feature < out; });
}

}  // namespace

Finding<FoundAttentionHalf> findAttentionHalf(const Facts& facts, const std::string& value,
                                              std::int64_t batch) {
  return findHalf<FoundAttentionHalf>(facts, value,
                                      [&](const std::string& stream, const std::string& branch) {
                                        return attentionBehind(facts, stream, branch, batch);
                                      });
}

Finding<FoundMlpHalf> findMlpHalf(const Facts& facts, const std::string& value) {
  return findHalf<FoundMlpHalf>(facts, value,
                                [&](const std::string& stream, const std::string& branch) {
                                  return mlpBehind(facts, stream, branch);
                                });
}

bool fits(const Model& model, const FoundAttentionHalf& half, std::int64_t dim) {
  const FoundAttention& core = half.attention;
  return fits(model, static_cast<const FoundHalf&>(half), dim) && fits(model, core.q, dim) &&
         fits(model, core.k, dim) && fits(model, core.v, dim) &&
         inFeatures(model, half.last) == core.heads * core.headDim;
}

bool fits(const Model& model, const FoundMlpHalf& half, std::int64_t dim) {
  return fits(model, static_cast<const FoundHalf&>(half), dim) &&
         inFeatures(model, half.fc1) == dim &&
         outFeatures(model, half.fc1) == inFeatures(model, half.last);
}

}  // namespace mpm::onnx
