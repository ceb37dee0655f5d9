// SPDX-License-Identifier: Apache-2.0
#include "segment/windows.h"

#include <algorithm>
#include <cmath>

namespace mpm::segment {

Resized resizedTo(int shortSide, int frameWidth, int frameHeight) {
  const double ratio = static_cast<double>(shortSide) / std::min(frameWidth, frameHeight);
  const auto side = [&](int length) {
    return std::max(1, static_cast<int>(std::lround(length * ratio)));
  };
  return {side(frameWidth), side(frameHeight)};
}

std::vector<int> windowStarts(int length, int size, int stride) {
  std::vector<int> starts;
  for (int start = 0; start < length - size; start += stride) starts.push_back(start);
  starts.push_back(std::max(length - size, 0));
  return starts;
}

std::vector<Span> windowSpans(const std::vector<int>& starts, int size, int length,
                              int frameLength) {
  // Each place by the same product and quotient: where one window ends at a place that another
  // begins at, no pixel falls between them.
  const auto inFrame = [&](int place) { return static_cast<double>(place) * frameLength / length; };
  std::vector<Span> spans;
  for (const int start : starts) spans.push_back({inFrame(start), inFrame(start + size)});
  return spans;
}

}  // namespace mpm::segment
