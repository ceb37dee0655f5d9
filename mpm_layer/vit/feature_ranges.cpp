// SPDX-License-Identifier: Apache-2.0
#include "vit/smooth_block.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mpm::vit {

void FeatureRanges::add(ConstRows rows) {
  if (rows_ == 0) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    sum_.assign(rows.dim, 0);
    squares_.assign(rows.dim, 0);
    least_.assign(rows.dim, kInfinity);
    largest_.assign(rows.dim, -kInfinity);
  }
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t k = 0; k < rows.dim; ++k) {
      const float x = rows.row(i)[k];
      sum_[k] += x;
      squares_[k] += static_cast<double>(x) * x;
      least_[k] = std::min(least_[k], x);
      largest_[k] = std::max(largest_[k], x);
    }
  }
  rows_ += rows.count;
}

std::vector<float> FeatureRanges::values() const {
  if (rows_ == 0) return {};
  const std::size_t dim = sum_.size();
  const auto count = static_cast<double>(rows_);
  std::vector<float> values(3 * dim);
  for (std::size_t k = 0; k < dim; ++k) {
    const double mean = sum_[k] / count;
    values[k] = static_cast<float>(mean);
    values[dim + k] =
        static_cast<float>(std::sqrt(std::max(squares_[k] / count - mean * mean, 0.0)));
    values[2 * dim + k] = static_cast<float>(std::max(largest_[k] - mean, mean - least_[k]));
  }
  return values;
}

PackedBlock packedUpToNorm2(const BlockWeights& block) {
  BlockWeights weights = block;
  const std::vector<float> zeros(block.fc2.weight.count * block.fc2.weight.dim, 0.0F);
  weights.fc2 = {ConstRows(zeros.data(), block.fc2.weight.count, block.fc2.weight.dim), nullptr};
  weights.layerScale2 = nullptr;
  return {weights, Precision::fp32};
}

}  // namespace mpm::vit
