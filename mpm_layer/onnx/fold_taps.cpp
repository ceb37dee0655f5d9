// SPDX-License-Identifier: Apache-2.0
#include "onnx/fold_taps.h"

#include <algorithm>
#include <cmath>

namespace mpm::onnx {
namespace {

float coordinate(const ResizeStyle& style, const ResizedAxis& axis, std::int64_t place) {
  const auto x = static_cast<float>(place);
  if (style.coordinates == "asymmetric") return x / axis.scale;
  if (style.coordinates == "align_corners") {
    if (axis.to == 1) return 0;
    return x * static_cast<float>(axis.from - 1) / static_cast<float>(axis.to - 1);
  }
  if (style.coordinates == "pytorch_half_pixel" && axis.to == 1) return 0;
  return (x + 0.5F) / axis.scale - 0.5F;
}

// Whether the last bit of a coordinate decides which element is the nearest: runtimes round
// differently.
bool isDoubtful(const ResizeStyle& style, float x) {
  const bool isRound = style.nearest.rfind("round", 0) == 0;
  const float away = std::fabs(isRound ? x - std::floor(x) - 0.5F : x - std::round(x));
  return away > 0 && away < 1e-4F;
}

Taps nearestTaps(const ResizeStyle& style, const ResizedAxis& axis, float x) {
  float place = 0;
  if (style.nearest == "floor") {
    place = std::floor(x);
  } else if (style.nearest == "ceil") {
    place = std::ceil(x);
  } else {
    const bool isHalf = x - std::floor(x) == 0.5F;
    const float half = style.nearest == "round_prefer_ceil" ? std::ceil(x) : std::floor(x);
    place = isHalf ? half : std::round(x);
  }
  Taps taps;
  taps.places[0] = std::clamp<std::int64_t>(static_cast<std::int64_t>(place), 0, axis.from - 1);
  taps.weights[0] = 1;
  return taps;
}

Taps linearTaps(const ResizedAxis& axis, float x) {
  x = std::clamp(x, 0.0F, static_cast<float>(axis.from - 1));
  const auto left = std::min(static_cast<std::int64_t>(x), axis.from - 1);
  const float part = x - static_cast<float>(left);
  Taps taps;
  taps.count = 2;
  taps.places = {left, std::min(left + 1, axis.from - 1)};
  taps.weights = {1 - part, part};
  return taps;
}

Taps cubicTaps(const ResizeStyle& style, const ResizedAxis& axis, float x) {
  const float a = style.cubicA, left = std::floor(x), s = x - left;
  Taps taps;
  taps.count = 4;
  taps.weights = {((a * (s + 1) - 5 * a) * (s + 1) + 8 * a) * (s + 1) - 4 * a,
                  ((a + 2) * s - (a + 3)) * s * s + 1,
                  ((a + 2) * (1 - s) - (a + 3)) * (1 - s) * (1 - s) + 1,
                  ((a * (2 - s) - 5 * a) * (2 - s) + 8 * a) * (2 - s) - 4 * a};
  float total = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int64_t place = static_cast<std::int64_t>(left) - 1 + static_cast<std::int64_t>(i);
    taps.places[i] = std::clamp<std::int64_t>(place, 0, axis.from - 1);
    if (style.excludesOutside && taps.places[i] != place) taps.weights[i] = 0;
    total += taps.weights[i];
  }
  for (float& weight : taps.weights) {
    if (style.excludesOutside) weight /= total;
  }
  return taps;
}

}  // namespace

std::optional<std::vector<Taps>> tapsOf(const ResizeStyle& style, const ResizedAxis& axis) {
  std::vector<Taps> taps;
  for (std::int64_t i = 0; i < axis.to; ++i) {
    const float x = coordinate(style, axis, i);
    if (style.mode == "nearest" && isDoubtful(style, x)) return std::nullopt;
    taps.push_back(style.mode == "nearest"  ? nearestTaps(style, axis, x)
                   : style.mode == "linear" ? linearTaps(axis, x)
                                            : cubicTaps(style, axis, x));
  }
  return taps;
}

}  // namespace mpm::onnx
