// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "vit/smooth_block.h"
#include "vit/transformer_block.h"

namespace mpm::vit {
namespace {

struct Matrix {
  std::vector<float> values, bias;
  std::size_t outputs = 0, inputs = 0;

  Matrix(std::size_t outputs_, std::size_t inputs_)
      : values(outputs_ * inputs_, 0.0F), outputs(outputs_), inputs(inputs_) {}

  float* row(std::size_t i) { return values.data() + i * inputs; }
  PackedLinear pack(Precision precision) const {
    return {{ConstRows(values.data(), outputs, inputs), bias.empty() ? nullptr : bias.data()},
            precision};
  }
};

// Rows [first, first + heads d) of a weight, times `factor`, each head's followed by rows of zeros.
PackedLinear packHeads(const LinearWeights& linear, std::size_t first, const PackedBlock& block,
                       float factor) {
  const std::size_t d = block.headDim, wide = padded(d);
  Matrix matrix(block.heads * wide, linear.weight.dim);
  if (linear.bias != nullptr) matrix.bias.resize(matrix.outputs, 0.0F);
  for (std::size_t i = 0; i < block.heads * d; ++i) {
    const std::size_t at = i / d * wide + i % d;
    const float* const row = linear.weight.row(first + i);
    std::transform(row, row + matrix.inputs, matrix.row(at), [&](float w) { return w * factor; });
    if (linear.bias != nullptr) matrix.bias[at] = linear.bias[first + i] * factor;
  }
  return matrix.pack(block.precision);
}

// Columns in the order of padded heads; rows and bias times the layer scale.
PackedLinear packScaled(const LinearWeights& linear, const float* layerScale, std::size_t heads,
                        bool isHeads, Precision precision) {
  const std::size_t d = linear.weight.dim / heads, wide = isHeads ? padded(d) : d;
  if (layerScale == nullptr && d == wide) return {linear, precision};
  Matrix matrix(linear.weight.count, heads * wide);
  if (linear.bias != nullptr) matrix.bias.assign(linear.bias, linear.bias + matrix.outputs);
  for (std::size_t i = 0; i < matrix.outputs; ++i) {
    const float scale = layerScale == nullptr ? 1 : layerScale[i];
    const float* const row = linear.weight.row(i);
    for (std::size_t j = 0; j < linear.weight.dim; ++j) {
      matrix.row(i)[j / d * wide + j % d] = row[j] * scale;
    }
    if (linear.bias != nullptr) matrix.bias[i] *= scale;
  }
  return matrix.pack(precision);
}

}  // namespace

PackedBlock::PackedBlock(const BlockWeights& given, Precision precision_)
    : heads(given.heads),
      headDim(given.proj.weight.dim / given.heads),
      gelu(given.gelu),
      precision(precision_) {
  std::optional<SmoothBlock> smooth;
  if (precision == Precision::int8) smooth.emplace(given);
  const BlockWeights& weights = smooth ? smooth->weights() : given;
  norm1 = {weights.norm1, weights.qkv.weight.dim};
  norm2 = {weights.norm2, weights.qkv.weight.dim};
  const std::size_t inner = weights.proj.weight.dim;
  q = packHeads(weights.qkv, 0, *this, queryScale(weights.scale));
  k = packHeads(weights.qkv, inner, *this, 1);
  v = packHeads(weights.qkv, 2 * inner, *this, 1);
  proj = packScaled(weights.proj, weights.layerScale1, heads, true, precision);
  fc1 = {weights.fc1, precision};
  fc2 = packScaled(weights.fc2, weights.layerScale2, 1, false, precision);
}

}  // namespace mpm::vit
