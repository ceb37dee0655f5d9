// SPDX-License-Identifier: Apache-2.0
#include "dnn/mixed_heads.h"

#include <algorithm>

namespace mpm::dnn {

bool MixedHeads::readWeights(const LayerInputs& inputs, std::size_t heads) {
  heads_ = heads;
  const int count = static_cast<int>(heads);
  const auto matrix = [&](const char* name) {
    return inputs.find(name) == nullptr ? ConstRows() : inputs.matrix(name, count, count);
  };
  scores_ = matrix("mix_scores");
  weights_ = matrix("mix_weights");
  added_ = inputs.vector("mix_bias", count);
  if (added_ != nullptr && weights_.data == nullptr)
    refuseLayer(layer_, "has mix_bias but no mix_weights; expected both, or neither");
  return scores_.data != nullptr || weights_.data != nullptr;
}

void MixedHeads::packWeights() {
  const auto copy = [](ConstRows from) {
    return std::vector<float>(from.data, from.data + from.count * from.dim);
  };
  packedScores_ = copy(scores_);
  packedWeights_ = copy(weights_);
  packedAdded_.assign(added_, added_ == nullptr ? nullptr : added_ + heads_);
}

// Head h's mixed scores are one product of all features, q's times what each head counts for. Its
// weights go to the values of every head, as much as each of these takes of them.
void MixedHeads::attend(ConstRows q, ConstRows k, ConstRows v, const vit::Attention& attention,
                        vit::Precision precision, Rows out) {
  const std::size_t d = out.dim / heads_;
  const auto entry = [&](const std::vector<float>& matrix, std::size_t row, std::size_t column) {
    if (matrix.empty()) return row == column ? 1.0F : 0.0F;
    return matrix[row * heads_ + column];
  };
  vit::Attention ofAll = attention;
  ofAll.heads = 1;
  queries_.resize(out.count * out.dim);
  ofHead_.resize(out.count * out.dim);
  const Rows queries(queries_.data(), out.count, out.dim);
  const Rows ofHead(ofHead_.data(), out.count, out.dim);
  std::fill_n(out.data, out.count * out.dim, 0.0F);
  for (std::size_t head = 0; head < heads_; ++head) {
    const auto forEachOther = [&](const auto& visit) {
      for (std::size_t row = 0; row < out.count; ++row) {
        for (std::size_t other = 0; other < heads_; ++other) visit(row, other, other * d);
      }
    };
    forEachOther([&](std::size_t row, std::size_t other, std::size_t first) {
      const float factor = entry(packedScores_, head, other);
      for (std::size_t i = first; i < first + d; ++i) queries.row(row)[i] = factor * q.row(row)[i];
    });
    vit::attentionCpu(queries, k, v, ofAll, precision, operands_, ofHead);
    forEachOther([&](std::size_t row, std::size_t other, std::size_t first) {
      const float factor = entry(packedWeights_, other, head);
      for (std::size_t i = first; i < first + d; ++i)
        out.row(row)[i] += factor * ofHead.row(row)[i];
    });
  }
  if (!packedAdded_.empty()) addToAllWeights(v, out);
}

// What each head adds to the weights of all keys: so much of the sum of its values.
void MixedHeads::addToAllWeights(ConstRows v, Rows out) {
  sums_.assign(out.dim, 0);
  for (std::size_t row = 0; row < v.count; ++row) {
    for (std::size_t i = 0; i < out.dim; ++i) sums_[i] += v.row(row)[i];
  }
  const std::size_t d = out.dim / heads_;
  for (std::size_t row = 0; row < out.count; ++row) {
    for (std::size_t i = 0; i < out.dim; ++i) out.row(row)[i] += packedAdded_[i / d] * sums_[i];
  }
}

}  // namespace mpm::dnn
