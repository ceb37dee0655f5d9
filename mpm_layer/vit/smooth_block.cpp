// SPDX-License-Identifier: Apache-2.0
#include "vit/smooth_block.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace mpm::vit {

namespace {

// Deviations that values of a norm or a linear layer seldom exceed.
constexpr float kReach = 3;

// Powers of two within which features stay: rounding their weights costs as much.
constexpr int kLeftAlone = 1;

std::vector<float> copyOf(ConstRows rows) {
  std::vector<float> values;
  for (std::size_t i = 0; i < rows.count; ++i)
    values.insert(values.end(), rows.row(i), rows.row(i) + rows.dim);
  return values;
}

// Returns each column's largest value, relative to the largest of its row, which sets the rounding.
std::vector<float> largestOfColumns(ConstRows rows) {
  std::vector<float> largest(rows.dim, 0.0F);
  for (std::size_t i = 0; i < rows.count; ++i) {
    float ofRow = 0;
    for (std::size_t k = 0; k < rows.dim; ++k) ofRow = std::max(ofRow, std::abs(rows.row(i)[k]));
    for (std::size_t k = 0; k < rows.dim && ofRow > 0; ++k)
      largest[k] = std::max(largest[k], std::abs(rows.row(i)[k]) / ofRow);
  }
  return largest;
}

// Returns each feature's power of two halfway between its size and that of its weights, relative to
// most features.
std::vector<float> factorsOf(const std::vector<float>& features,
                             const std::vector<float>& weights) {
  std::vector<int> powers(features.size(), 0), known;
  for (std::size_t k = 0; k < features.size(); ++k) {
    const float apart = features[k] / weights[k];
    if (!(apart > 0) || !std::isfinite(apart)) continue;
    powers[k] = static_cast<int>(std::lround(std::log2(apart) / 2));
    known.push_back(powers[k]);
  }
  std::vector<float> factors(features.size(), 1.0F);
  if (known.empty()) return factors;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::nth_element(known.begin(), middle, known.end());
  for (std::size_t k = 0; k < features.size(); ++k) {
    const float apart = features[k] / weights[k];
    const int power = powers[k] - *middle;
    if (apart > 0 && std::isfinite(apart) && std::abs(power) > kLeftAlone)
      factors[k] = std::ldexp(1.0F, power);
  }
  return factors;
}

void multiplyColumns(std::vector<float>& matrix, const std::vector<float>& factors) {
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] *= factors[i % factors.size()];
}

// Returns how far each feature of a norm is from its mean, or from zero if that is unknown.
std::vector<float> reachOf(const NormWeights& norm, const NormRanges& ranges, std::size_t dim) {
  if (ranges.reach != nullptr) return {ranges.reach, ranges.reach + dim};
  std::vector<float> reach(dim);
  for (std::size_t k = 0; k < dim; ++k) {
    reach[k] = kReach * std::abs(norm.scale == nullptr ? 1 : norm.scale[k]) +
               std::abs(norm.shift == nullptr ? 0 : norm.shift[k]);
  }
  return reach;
}

// Returns the same for the outputs of a linear layer after the norm.
std::vector<float> reachOf(ConstRows weight, const float* bias, const NormWeights& norm,
                           const NormRanges& ranges) {
  std::vector<float> reach(weight.count);
  if (ranges.deviation != nullptr) {
    for (std::size_t i = 0; i < weight.count; ++i) {
      double squares = 0;
      for (std::size_t k = 0; k < weight.dim; ++k) {
        const double w = weight.row(i)[k] * static_cast<double>(ranges.deviation[k]);
        squares += w * w;
      }
      reach[i] = static_cast<float>(kReach * std::sqrt(squares));
    }
    return reach;
  }
  for (std::size_t i = 0; i < weight.count; ++i) {
    double squares = 0, mean = bias == nullptr ? 0 : bias[i];
    for (std::size_t k = 0; k < weight.dim; ++k) {
      const double w = weight.row(i)[k] * (norm.scale == nullptr ? 1 : norm.scale[k]);
      squares += w * w;
      if (norm.shift != nullptr) mean += static_cast<double>(weight.row(i)[k]) * norm.shift[k];
    }
    reach[i] = static_cast<float>(kReach * std::sqrt(squares) + std::abs(mean));
  }
  return reach;
}

void smoothNorm(NormWeights& norm, const NormRanges& ranges, OwnedNorm& owned,
                std::vector<float>& matrix, LinearWeights& linear) {
  const std::size_t dim = linear.weight.dim;
  const std::vector<float> factors =
      factorsOf(reachOf(norm, ranges, dim), largestOfColumns(linear.weight));
  owned = OwnedNorm(norm, dim);
  if (owned.scale.empty()) owned.scale.assign(dim, 1.0F);
  if (ranges.mean != nullptr) {
    owned.shift.resize(dim, 0.0F);
    for (std::size_t k = 0; k < dim; ++k) owned.shift[k] -= ranges.mean[k];
  }
  for (std::size_t k = 0; k < dim; ++k) owned.scale[k] /= factors[k];
  for (std::size_t k = 0; k < owned.shift.size(); ++k) owned.shift[k] /= factors[k];
  norm = owned.view();
  matrix = copyOf(linear.weight);
  multiplyColumns(matrix, factors);
  linear.weight = ConstRows(matrix.data(), linear.weight.count, dim);
}

// Multiplies row i of the weight by what every row of features contains.
double shareOf(ConstRows weight, std::size_t i, const float* features) {
  double share = 0;
  for (std::size_t k = 0; k < weight.dim; ++k)
    share += static_cast<double>(weight.row(i)[k]) * features[k];
  return share;
}

std::vector<float> copyOf(const float* bias, std::size_t count) {
  return bias == nullptr ? std::vector<float>(count, 0.0F) : std::vector<float>(bias, bias + count);
}

}  // namespace

SmoothBlock::SmoothBlock(const BlockWeights& given) : weights_(given) {
  const std::size_t inner = given.proj.weight.dim, first = 2 * inner, dim = given.qkv.weight.dim;
  const ConstRows v(given.qkv.weight.row(first), inner, dim, given.qkv.weight.stride);
  const float* const bias = given.qkv.bias == nullptr ? nullptr : given.qkv.bias + first;
  const std::vector<float> ofValues =
      factorsOf(reachOf(v, bias, given.norm1, given.ranges1), largestOfColumns(given.proj.weight));
  smoothNorm(weights_.norm1, given.ranges1, norm1_, qkv_, weights_.qkv);
  smoothNorm(weights_.norm2, given.ranges2, norm2_, fc1_, weights_.fc1);

  if (given.qkv.bias != nullptr) qkvBias_ = copyOf(given.qkv.bias, 3 * inner);
  moveMeans(given);
  for (std::size_t i = 0; i < inner * dim; ++i) qkv_[first * dim + i] /= ofValues[i / dim];
  for (std::size_t i = 0; i < inner && !qkvBias_.empty(); ++i) qkvBias_[first + i] /= ofValues[i];
  if (given.ranges1.mean == nullptr) takeOffWhatKeysShare(inner, dim);
  if (!qkvBias_.empty()) weights_.qkv.bias = qkvBias_.data();
  proj_ = copyOf(given.proj.weight);
  multiplyColumns(proj_, ofValues);
  weights_.proj.weight = ConstRows(proj_.data(), given.proj.weight.count, inner);
}

// Moves measured means into biases of the linear layers after them. Queries and hidden features use
// their own bias. Values use the projection's, as attention's weights add up to one. Keys, which
// would share theirs, have none.
void SmoothBlock::moveMeans(const BlockWeights& given) {
  if (const float* const mean = given.ranges1.mean; mean != nullptr) {
    const std::size_t inner = given.proj.weight.dim, outputs = given.proj.weight.count;
    qkvBias_ = copyOf(given.qkv.bias, 3 * inner);
    for (std::size_t i = 0; i < 3 * inner; ++i)
      qkvBias_[i] += static_cast<float>(shareOf(given.qkv.weight, i, mean));
    const std::vector<float> values(qkvBias_.begin() + static_cast<std::ptrdiff_t>(2 * inner),
                                    qkvBias_.end());
    std::fill(qkvBias_.begin() + static_cast<std::ptrdiff_t>(inner), qkvBias_.end(), 0.0F);
    projBias_ = copyOf(given.proj.bias, outputs);
    for (std::size_t i = 0; i < outputs; ++i)
      projBias_[i] += static_cast<float>(shareOf(given.proj.weight, i, values.data()));
    weights_.proj.bias = projBias_.data();
  }
  if (const float* const mean = given.ranges2.mean; mean != nullptr) {
    fc1Bias_ = copyOf(given.fc1.bias, given.fc1.weight.count);
    for (std::size_t i = 0; i < fc1Bias_.size(); ++i)
      fc1Bias_[i] += static_cast<float>(shareOf(given.fc1.weight, i, mean));
    weights_.fc1.bias = fc1Bias_.data();
  }
}

// Removes the bias of keys, and the norm's shift from them.
void SmoothBlock::takeOffWhatKeysShare(std::size_t inner, std::size_t dim) {
  const float* const shift = weights_.norm1.shift;
  if (shift != nullptr) qkvBias_.resize(3 * inner, 0.0F);
  if (qkvBias_.empty()) return;
  for (std::size_t i = inner; i < 2 * inner; ++i) {
    const double shared =
        shift == nullptr ? 0 : shareOf(ConstRows(qkv_.data(), 3 * inner, dim), i, shift);
    qkvBias_[i] = static_cast<float>(-shared);
  }
}

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
