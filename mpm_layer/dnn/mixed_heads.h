// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "dnn/layer_inputs.h"
#include "dnn/token_blobs.h"
#include "vit/attention.h"

namespace mpm::dnn {

/// Heads of an mpm.Attention that are mixed with each other: their scores in front of the softmax,
/// their weights behind it, and what is added to each head's weights for all keys.
class MixedHeads {
 public:
  explicit MixedHeads(const LayerIdentity& layer) : layer_(layer) {}

  /// Whether heads are mixed.
  bool readWeights(const LayerInputs& inputs, std::size_t heads);
  void packWeights();
  /// The same, once weights are packed.
  bool isThere() const { return !packedScores_.empty() || !packedWeights_.empty(); }

  /// All rows attend to all keys. `attention` is that of heads that are not mixed, without a bias.
  void attend(ConstRows q, ConstRows k, ConstRows v, const vit::Attention& attention,
              vit::Precision precision, Rows out);

 private:
  void addToAllWeights(ConstRows v, Rows out);

  LayerIdentity layer_;
  std::size_t heads_ = 0;
  ConstRows scores_, weights_;  // [heads, heads]
  const float* added_ = nullptr;

  std::vector<float> packedScores_, packedWeights_, packedAdded_;

  // Nothing in these outlives a forward.
  vit::AttentionOperands operands_;
  std::vector<float> queries_, ofHead_, sums_;
};

}  // namespace mpm::dnn
