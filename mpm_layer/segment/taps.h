// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mpm::segment {

/// Position between two of `size` places, with its weight from the first to the second. Before the
/// first place and after the last one, both are that place and the weight is 0.
struct Tap {
  std::int32_t first = 0, second = 0;
  float weight = 0;
};
inline Tap tapAt(double position, int size) {
  if (!(position > 0)) return {};
  const double floor = std::floor(position);
  if (floor >= size - 1) return {size - 1, size - 1, 0};
  const auto first = static_cast<std::int32_t>(floor);
  return {first, first + 1, static_cast<float>(position - floor)};
}

/// Bilinear resizing along an axis, as cv::resize's INTER_LINEAR and PyTorch's align_corners=False:
/// half-pixel centres, clamped edges. Output i is in[first] + weight (in[second] - in[first]); of
/// `out` outputs those in [begin, end) are kept.
struct Taps {
  std::vector<std::int32_t> first, second;
  std::vector<float> weight;

  void assign(int in, int out, int begin, int end) {
    const auto count = static_cast<std::size_t>(end - begin);
    first.resize(count), second.resize(count), weight.resize(count);
    const double scale = static_cast<double>(in) / out;
    for (std::size_t i = 0; i < count; ++i) {
      const Tap tap = tapAt((begin + static_cast<double>(i) + 0.5) * scale - 0.5, in);
      first[i] = tap.first, second[i] = tap.second, weight[i] = tap.weight;
    }
  }
};

}  // namespace mpm::segment
