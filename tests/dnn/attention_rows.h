// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dnn/ragged_batch.h"
#include "vit/positions.h"

namespace mpm::test {

// RaggedBatch has twelve rows of 24 features: two heads of four for each of q, k and v.
constexpr int kHeads = 2, kWidth = 4, kSum = kHeads * kWidth;
static_assert(kDim == 3 * kSum && kCapacity == 12);

/// The part of an image's rows that is q, k or v, as i is 0, 1 or 2.
inline ConstRows partOf(const cv::Mat& tokens, int image, int i, std::size_t live = kCapacity) {
  return {tokens.ptr<float>(image) + i * kSum, live, kSum, 3 * kSum};
}

/// The tokens of an image's live rows; the map is of all that are not special.
inline vit::Members membersOf(const RaggedBatch& batch, const cv::Mat& map, int image) {
  const float* const first = map.ptr<float>(image);
  const std::vector<std::int32_t> entries(first, first + map.size[1]);
  vit::Members members;
  members.set(entries.data(), entries.size(), static_cast<std::size_t>(kCapacity - map.size[1]),
              static_cast<std::size_t>(batch.live[image]));
  return members;
}

}  // namespace mpm::test
