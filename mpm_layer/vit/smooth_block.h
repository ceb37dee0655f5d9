// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "mpm/rows.h"
#include "vit/transformer_block.h"

namespace mpm::vit {

/// Range of each feature over all rows that were added.
class FeatureRanges {
 public:
  void add(ConstRows rows);

  std::size_t rows() const { return rows_; }
  /// Returns [3 x D]: each feature's mean, deviation, and largest distance from its mean, as
  /// `NormRanges` wants them. Empty if there were no rows.
  std::vector<float> values() const;

 private:
  std::size_t rows_ = 0;
  std::vector<double> sum_, squares_;
  std::vector<float> least_, largest_;
};

/// Ranges of the results of a block's two norms.
struct BlockRanges {
  FeatureRanges norm1, norm2;
};

/// Returns the block without its linear layers after the second norm, in float32: it computes the
/// input of that norm.
PackedBlock packedUpToNorm2(const BlockWeights& block);

/// A block that computes the same as `given`, with features balanced for int8. A row's scale is set
/// by its largest features, and int8 would lose the others. Each feature between a norm and its
/// linear layers is divided by a power of two in the norm's weights and multiplied in theirs.
/// Values between v and the projection are treated alike; nothing is rounded. A feature's size
/// comes from the weights before it, or from its measured range. A measured mean is subtracted too
/// and moves into later biases: a feature far from zero costs the others as much as one that
/// varies. Hidden features stay, as a GELU comes between. What all keys share is subtracted from
/// them: it adds the same to all logits of a query, and would leave less of a key's int8 for the
/// rest.
class SmoothBlock {
 public:
  explicit SmoothBlock(const BlockWeights& given);
  SmoothBlock(const SmoothBlock&) = delete;
  SmoothBlock& operator=(const SmoothBlock&) = delete;

  const BlockWeights& weights() const { return weights_; }

 private:
  void moveMeans(const BlockWeights& given);
  void takeOffWhatKeysShare(std::size_t inner, std::size_t dim);

  BlockWeights weights_;
  OwnedNorm norm1_, norm2_;
  std::vector<float> qkv_, qkvBias_, proj_, projBias_, fc1_, fc1Bias_;
};

}  // namespace mpm::vit
