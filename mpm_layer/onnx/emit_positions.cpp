// SPDX-License-Identifier: Apache-2.0
// Layers that know which places of the model's grid a row stands for.
#include <cstddef>
#include <utility>

#include "onnx/attribute.h"
#include "onnx/emit.h"

namespace mpm::onnx {
namespace {

// For each row of a token blob that has all of a value's rows, its place among these.
std::vector<std::size_t> placesOf(const Tokens& tokens) {
  std::vector<std::size_t> places(static_cast<std::size_t>(tokens.special + tokens.image));
  std::size_t place = 0;
  for (const Part& part : tokens.parts) {
    const std::int64_t begin = part.isImage ? tokens.special : part.begin;
    const std::int64_t end = part.isImage ? tokens.special + tokens.image : part.end;
    for (std::int64_t row = begin; row < end; ++row)
      places[static_cast<std::size_t>(row)] = place++;
  }
  return places;
}

// Rows of `width` floats, in the order of the blob.
std::vector<float> inOrder(const std::vector<float>& rows, std::size_t width,
                           const std::vector<std::size_t>& places) {
  std::vector<float> result;
  result.reserve(places.size() * width);
  for (const std::size_t place : places) {
    const auto from = rows.begin() + static_cast<std::ptrdiff_t>(place * width);
    result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(width));
  }
  return result;
}

// [heads * rows, rows] in the order of the blob, of a constant that heads may share.
Weight biasWeight(const FoundAttention& found, std::vector<std::size_t> places) {
  const auto rows = static_cast<std::int64_t>(places.size());
  return {"bias",
          {found.heads * rows, rows},
          [constant = found.bias, factor = found.biasScale, heads = found.heads,
           places = std::move(places)](const Model& from, float* out) {
            const Tensor tensor = *from.constant(constant);
            const Floats values = tensor.floats();
            const std::size_t count = places.size(), plane = count * count;
            for (std::int64_t head = 0; head < heads; ++head) {
              const float* const table =
                  values.data() + (tensor.count() == static_cast<std::int64_t>(plane)
                                       ? 0
                                       : static_cast<std::size_t>(head) * plane);
              for (const std::size_t query : places) {
                for (const std::size_t key : places) *out++ = table[query * count + key] * factor;
              }
            }
          }};
}

// A head's norm, its constants in the order of the head's features.
void addHeadNorm(const Model& model, const FoundProjection& projection, const std::string& name,
                 std::vector<Weight>& weights) {
  for (const auto& [input, constant] : {std::pair{name + "_scale", projection.norm->scale},
                                        std::pair{name + "_shift", projection.norm->shift}}) {
    if (constant.empty()) continue;
    const Tensor tensor = *model.constant(constant);
    const Floats values = tensor.floats();
    std::vector<float> ordered(values.begin(), values.end());
    for (std::size_t i = 0; projection.rotary && i < ordered.size(); ++i)
      ordered[i] = values[static_cast<std::size_t>(projection.rotary->pair[i])];
    weights.push_back(ownedWeight(input, {tensor.count()}, std::move(ordered)));
  }
}

}  // namespace

Tokens Emitter::attention(const Tokens& tokens, const FoundAttention& found, bool isBeside) {
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
    addHeadNorm(model_, found.q, "q_norm", weights);
    addHeadNorm(model_, found.k, "k_norm", weights);
  }
  const std::vector<std::size_t> places = placesOf(tokens);
  if (found.q.rotary) {
    const auto count = static_cast<std::int64_t>(places.size());
    const auto d = static_cast<std::size_t>(found.headDim);
    const FoundRotary& rotary = *found.q.rotary;
    weights.push_back(
        ownedWeight("rotary_own", {count, found.headDim}, inOrder(rotary.own, d, places)));
    weights.push_back(
        ownedWeight("rotary_other", {count, found.headDim}, inOrder(rotary.other, d, places)));
  }
  if (!found.bias.empty()) weights.push_back(biasWeight(found, places));
  Plan::NewNode& node = add(LayerKind::attention, after.blob,
                            {{"tokens", qkv}, {"rows", tokens.rows}, {"map", tokens.map}},
                            std::move(weights), {after.blob});
  setAttribute(node.node, "heads", found.heads);
  setAttribute(node.node, "scale", found.scale);
  setAttribute(node.node, "special", tokens.special);
  if (found.q.norm) {
    setAttribute(node.node, "norm", std::string(found.q.norm->isCentred ? "layer" : "rms"));
    setAttribute(node.node, "eps", found.q.norm->eps);
  }
  if (isBeside) setAttribute(node.node, "beside", std::int64_t{1});
  if (!tokens.inEncoder) setAttribute(node.node, "counts", std::int64_t{1});
  return after;
}

Tokens Emitter::addRows(const Tokens& tokens, const std::vector<float>& rows,
                        const Embedding& embedding) {
  Tokens after = tokens;
  after.blob = unused("add_rows");
  Tokens own = tokens;
  own.image = tokens.ownImage;
  std::vector<float> ordered = inOrder(rows, static_cast<std::size_t>(tokens.dim), placesOf(own));
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
