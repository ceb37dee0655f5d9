// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "mpm/rows.h"
#include "vit/transformer_block.h"

namespace mpm::vit {

/// Where the values of each feature lay, over all rows that were added.
class FeatureRanges {
 public:
  void add(ConstRows rows);

  std::size_t rows() const { return rows_; }
  /// [3 x D]: each feature's mean, its deviation, and the furthest that it was from its mean; as
  /// `NormRanges` wants them. Empty if there were no rows.
  std::vector<float> values() const;

 private:
  std::size_t rows_ = 0;
  std::vector<double> sum_, squares_;
  std::vector<float> least_, largest_;
};

/// Of what a block's two norms give.
struct BlockRanges {
  FeatureRanges norm1, norm2;
};

/// The block without its linear layers behind the second norm, in float32: it gives what that norm
/// reads.
PackedBlock packedUpToNorm2(const BlockWeights& block);

/// A block that computes the same as `given`, with the features evened out that int8 would lose the
/// others for: where some of a row are many times larger, the row's scale is theirs. Each feature
/// that the linear layers behind a norm read is divided by a power of two in the norm's weights and
/// multiplied in theirs, and so are the values between v and the projection; nothing is rounded.
/// How large a feature becomes is taken from the weights in front of it, or from its measured
/// range. Then its mean is taken off, too, and goes into the biases behind it, since a feature that
/// is far from zero in all rows leaves as little for the others as one that varies much. Hidden
/// features stay as they are, as a GELU stands between. What all keys share is taken off them: it
/// adds the same to all logits of a query, and would leave less of a key's int8 for the others.
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
