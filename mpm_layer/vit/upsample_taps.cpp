// SPDX-License-Identifier: Apache-2.0
// Finds the places of the source that a place of the result lies between.
#include <algorithm>
#include <cassert>

#include "vit/upsample.h"

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

}  // namespace mpm::vit
