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

}  // namespace mpm::vit
