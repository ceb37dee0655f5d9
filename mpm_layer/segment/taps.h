// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace mpm::segment {

/// Between which two of `size` places, and how far from the first to the second, a position lies.
/// Before the first place and behind the last one it is that place, twice, and weight 0.
struct Tap {
  std::int32_t first = 0, second = 0;
  float weight = 0;
};
Tap tapAt(double position, int size);

/// Bilinear resizing along an axis, half-pixel centres, edges clamped, as cv::resize's
/// INTER_LINEAR and PyTorch's align_corners=False: output i is in[first] + weight (in[second] -
/// in[first]). Of `out` outputs those in [begin, end).
struct Taps {
  std::vector<std::int32_t> first, second;
  std::vector<float> weight;

  void assign(int in, int out, int begin, int end);
};

}  // namespace mpm::segment
