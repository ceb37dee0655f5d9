// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "vit/references.h"

namespace mpm::vit {
namespace {

// The place of the source that a tap of a place of the result reads; outside of it: `length`.
std::size_t placeOf(const Reach& reach, std::size_t place, std::size_t tap, std::size_t length) {
  const std::size_t shifted = place * reach.stride + tap * reach.dilation;
  return shifted < reach.padding ? length : std::min(shifted - reach.padding, length);
}

}  // namespace

void convolveReference(const Image& source, const ConvolveWeights& weights, std::size_t height,
                       std::size_t width, float* out) {
  const Reach &rows = weights.rows, &columns = weights.columns;
  for (std::size_t output = 0; output < weights.filters.weight.count; ++output) {
    const float bias = weights.filters.bias == nullptr ? 0 : weights.filters.bias[output];
    for (std::size_t place = 0; place < height * width; ++place) {
      const float* filter = weights.filters.weight.row(output);
      double sum = bias;
      for (std::size_t channel = 0; channel < source.channels; ++channel) {
        for (std::size_t tap = 0; tap < rows.taps * columns.taps; ++tap, ++filter) {
          const std::size_t y = placeOf(rows, place / width, tap / columns.taps, source.height);
          const std::size_t x = placeOf(columns, place % width, tap % columns.taps, source.width);
          if (y == source.height || x == source.width) continue;
          sum += static_cast<double>(*filter) *
                 source.data[(channel * source.height + y) * source.width + x];
        }
      }
      *out++ = static_cast<float>(sum);
    }
  }
}

}  // namespace mpm::vit
