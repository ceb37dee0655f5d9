// SPDX-License-Identifier: Apache-2.0
// Layers that know which places of the model's grid a row stands for.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/layers/attention_positions.h"
#include "onnx/layers/emit.h"

namespace mpm::onnx {
namespace {

// The norm of heads, its constants in the order of the heads' features: for one head, or for each
// where they differ, or the norm is one of all heads together.
void addHeadNorm(const Model& model, const FoundProjection& projection, std::size_t d,
                 const std::string& name, std::vector<Weight>& weights) {
  const std::vector<float>& scale = projection.scale;
  const Integers& joint = projection.joint;
  const auto add = [&](const std::string& input, const std::string& constant) {
    std::vector<float> values(std::max(d, joint.size()), 1);
    if (!constant.empty()) {
      const Tensor tensor = *model.constant(constant);
      const Floats own = tensor.floats();
      values.assign(own.begin(), own.end());
    }
    std::vector<float> ordered(std::max({d, joint.size(), scale.size()}));
    for (std::size_t at = 0; at < ordered.size(); ++at) {
      std::size_t i = at % d;
      if (projection.rotary) i = static_cast<std::size_t>(projection.rotary->pair[i]);
      ordered[at] = values[joint.empty() ? i : static_cast<std::size_t>(joint[at])] *
                    (scale.empty() ? 1 : scale[at / d * d + i]);
    }
    const auto count = static_cast<std::int64_t>(ordered.size());
    weights.push_back(ownedWeight(input, {count}, std::move(ordered)));
  };
  const FoundNormalize& norm = *projection.norm;
  if (!norm.scale.empty() || !scale.empty()) add(name + "_scale", norm.scale);
  if (!norm.shift.empty()) add(name + "_shift", norm.shift);
}

// [2 places - 1, d]
Weight distanceWeight(const std::string& input, const std::vector<float>& table, std::int64_t d) {
  return ownedWeight(input, {static_cast<std::int64_t>(table.size()) / d, d}, table);
}

}  // namespace

void Emitter::addGrid(const Tokens& tokens, const FoundAttention& found,
                      std::vector<Weight>& weights) {
  if (found.distances) {
    weights.push_back(distanceWeight("distance_down", found.distances->down.table, found.headDim));
    weights.push_back(
        distanceWeight("distance_across", found.distances->across.table, found.headDim));
  }
  if (!tokens.windows.areThere()) return;
  if (tokens.windows.count() > 1) mergeWithin(tokens);
  const std::vector<LinearRows> rows{rowsOf(found.q), rowsOf(found.k), rowsOf(found.v)};
  // Zeros as the linear layer has them.
  if (!tokens.isPadded() || addBias(model_, "outside", rows, weights)) return;
  const std::int64_t width = 3 * found.heads * found.headDim;
  weights.push_back(
      ownedWeight("outside", {width}, std::vector<float>(static_cast<std::size_t>(width), 0.0F)));
}

Tokens Emitter::attention(const Tokens& tokens, const FoundAttention& found,
                          std::vector<Weight> positions, bool isBeside) {
  const std::string qkv = unused("qkv");
  const std::vector<LinearRows> rows{rowsOf(found.q), rowsOf(found.k), rowsOf(found.v)};
  std::vector<Weight> projections{matrixWeight(model_, "weight", rows)};
  addBias(model_, "bias", rows, projections);
  add(LayerKind::linear, qkv, {{"tokens", tokens.blob}, {"rows", tokens.rows}},
      std::move(projections), {qkv});

  Tokens after = tokens;
  after.blob = unused("attention");
  after.dim = found.heads * found.headDim;
  std::vector<Weight> weights;
  if (found.q.norm) {
    const auto d = static_cast<std::size_t>(found.headDim);
    addHeadNorm(model_, found.q, d, "q_norm", weights);
    addHeadNorm(model_, found.k, d, "k_norm", weights);
  }
  std::move(positions.begin(), positions.end(), std::back_inserter(weights));
  const bool hasGrid = found.distances || found.windows > 0;
  if (hasGrid) addGrid(tokens, found, weights);
  Plan::NewNode& node = add(LayerKind::attention, after.blob,
                            {{"tokens", qkv}, {"rows", tokens.rows}, {"map", tokens.map}},
                            std::move(weights), {after.blob});
  setAttribute(node.node, "heads", found.heads);
  setAttribute(node.node, "scale", found.scale);
  setAttribute(node.node, "special", tokens.special);
  if (found.q.norm) {
    setAttribute(node.node, "norm", std::string(found.q.norm->isCentred ? "layer" : "rms"));
    setAttribute(node.node, "eps", found.q.norm->eps);
    if (!found.q.joint.empty()) setAttribute(node.node, "joint", std::int64_t{1});
  }
  if (hasGrid) setAttribute(node.node, "grid", Integers{tokens.gridHeight, tokens.gridWidth});
  if (found.windows > 0)
    setAttribute(node.node, "window", Integers{tokens.windows.height, tokens.windows.width});
  if (isBeside) setAttribute(node.node, "beside", std::int64_t{1});
  if (!tokens.inEncoder) setAttribute(node.node, "counts", std::int64_t{1});
  return after;
}

Tokens Emitter::addRows(const Tokens& tokens, const std::vector<float>& rows,
                        const Embedding& embedding) {
  Tokens after = tokens;
  after.blob = unused("add_rows");
  std::vector<float> ordered = inOrder(rows, static_cast<std::size_t>(tokens.dim), tokens);
  if (!tokens.hasOwnGrid) {
    const auto image = ordered.begin() + static_cast<std::ptrdiff_t>(tokens.special * tokens.dim);
    const std::vector<float> resized =
        resizePositions({image, ordered.end()}, tokens.dim, embedding.gridHeight,
                        embedding.gridWidth, tokens.gridHeight, tokens.gridWidth);
    ordered.erase(image, ordered.end());
    ordered.insert(ordered.end(), resized.begin(), resized.end());
  }
  Plan::NewNode& node =
      add(LayerKind::addRows, after.blob,
          {{"tokens", tokens.blob}, {"rows", tokens.rows}, {"map", tokens.map}},
          {ownedWeight("added", {tokens.special + tokens.image, tokens.dim}, std::move(ordered))},
          {after.blob});
  setAttribute(node.node, "special", tokens.special);
  return after;
}

}  // namespace mpm::onnx
