// SPDX-License-Identifier: Apache-2.0
// Which places of the source a place of the result lies between, and the reference of upsampling.
#include "vit/upsample.h"

#include <algorithm>
#include <cassert>

namespace mpm::vit {
namespace {

struct Axis {
  Places places;
  float in, out, scale;
};

float sourceOf(const Axis& axis, float place) {
  switch (axis.places) {
    case Places::asymmetric:
      return place / axis.scale;
    case Places::alignCorners:
      return axis.out == 1 ? 0 : place * (axis.in - 1) / (axis.out - 1);
    case Places::pytorchHalfPixel:
      if (axis.out == 1) return 0;
      break;
    case Places::halfPixel:
      break;
  }
  return (place + 0.5F) / axis.scale - 0.5F;
}

}  // namespace

void Taps::assign(Places places, std::size_t inCount, std::size_t outCount, float scale) {
  assert(inCount > 0 && outCount > 0 && scale >= 0);
  in = inCount;
  first.resize(outCount), second.resize(outCount), weight.resize(outCount);
  const auto inFloat = static_cast<float>(inCount), outFloat = static_cast<float>(outCount);
  const Axis axis{places, inFloat, outFloat, scale > 0 ? scale : outFloat / inFloat};
  const auto last = static_cast<std::int32_t>(inCount - 1);
  for (std::size_t i = 0; i < outCount; ++i) {
    const float place = std::clamp(sourceOf(axis, static_cast<float>(i)), 0.0F, inFloat - 1);
    first[i] = std::min(static_cast<std::int32_t>(place), last);
    second[i] = std::min(first[i] + 1, last);
    weight[i] = first[i] == last ? 0 : place - static_cast<float>(first[i]);
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
