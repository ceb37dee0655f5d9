// SPDX-License-Identifier: Apache-2.0
#include "segment/taps.h"

#include <cmath>
#include <cstddef>

namespace mpm::segment {

Tap tapAt(double position, int size) {
  if (!(position > 0)) return {};
  const double floor = std::floor(position);
  if (floor >= size - 1) return {size - 1, size - 1, 0};
  const auto first = static_cast<std::int32_t>(floor);
  return {first, first + 1, static_cast<float>(position - floor)};
}

void Taps::assign(int in, int out, int begin, int end) {
  const auto count = static_cast<std::size_t>(end - begin);
  first.resize(count), second.resize(count), weight.resize(count);
  const double scale = static_cast<double>(in) / out;
  for (std::size_t i = 0; i < count; ++i) {
    const Tap tap = tapAt((begin + static_cast<double>(i) + 0.5) * scale - 0.5, in);
    first[i] = tap.first, second[i] = tap.second, weight[i] = tap.weight;
  }
}

}  // namespace mpm::segment
