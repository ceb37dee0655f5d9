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

void upsampleReference(const UpsampleSource& source, const Taps& rows, const Taps& columns,
                       float* out) {
  const auto at = [&](std::size_t channel, std::int32_t row, std::int32_t column) -> double {
    const auto y = static_cast<std::size_t>(row), x = static_cast<std::size_t>(column);
    if (source.isRows) return source.data[(y * columns.in + x) * source.channels + channel];
    return source.data[(channel * rows.in + y) * columns.in + x];
  };
  const auto between = [](double first, double second, float weight) {
    return first + static_cast<double>(weight) * (second - first);
  };
  for (std::size_t channel = 0; channel < source.channels; ++channel) {
    for (std::size_t y = 0; y < rows.out(); ++y) {
      for (std::size_t x = 0; x < columns.out(); ++x) {
        const auto alongRow = [&](std::int32_t row) {
          return between(at(channel, row, columns.first[x]), at(channel, row, columns.second[x]),
                         columns.weight[x]);
        };
        *out++ = static_cast<float>(
            between(alongRow(rows.first[y]), alongRow(rows.second[y]), rows.weight[y]));
      }
    }
  }
}

}  // namespace mpm::vit
