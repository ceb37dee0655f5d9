// SPDX-License-Identifier: Apache-2.0
// GridSample and AffineGrid of planes, computed as ONNX Runtime does: coordinates and weights in
// float32.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_ops.h"
#include "onnx/operators/fold_places.h"

namespace mpm::onnx {
namespace {

enum class Padding { zeros, border, reflection };

// What one place of the result is made of along one axis of a plane; -1: nothing stands there.
struct Taps {
  std::array<std::int64_t, 4> places{};
  std::array<float, 4> weights{};
  std::size_t count = 0;
};

// An axis of the planes, and how coordinates from -1 to 1 lie on it.
struct Axis {
  std::int64_t size = 0;
  bool alignsCorners = false;
  Padding padding = Padding::zeros;

  float first() const { return alignsCorners ? 0.0F : -0.5F; }
  float last() const { return static_cast<float>(size) - (alignsCorners ? 1.0F : 0.5F); }

  float at(float coordinate) const {
    const auto length = static_cast<float>(size);
    return alignsCorners ? (coordinate + 1) / 2 * (length - 1)
                         : ((coordinate + 1) * length - 1) / 2;
  }

  // As often as it takes, at the first and the last.
  float reflected(float place) const {
    const float range = last() - first();
    if (range <= 0) return 0;
    const float away = place < first() ? first() - place : place - last();
    if (away <= 0) return place;
    const float turns = std::floor(away / range), rest = away - turns * range;
    const bool isBack = std::fmod(turns, 2.0F) == 0;
    return (place < first()) == isBack ? first() + rest : last() - rest;
  }

  // Where the element for a whole place stands; -1: nowhere.
  std::int64_t element(float place) const {
    if (padding == Padding::reflection) place = reflected(place);
    const auto end = static_cast<float>(size);
    if (padding == Padding::zeros && !(place >= 0 && place < end)) return -1;
    return static_cast<std::int64_t>(std::clamp(place, 0.0F, end - 1));
  }

  // A place of the grid on this axis, where padding has its way with the coordinate itself; of the
  // border only where there are no more taps than the two beside it.
  float placeOf(float coordinate, bool isCubic) const {
    const float place = at(coordinate);
    if (!std::isfinite(place)) return -2;  // outside, and far from nothing
    if (place >= first() && place <= last()) return place;
    if (padding == Padding::border && !isCubic)
      return std::clamp(place, 0.0F, static_cast<float>(size - 1));
    return padding == Padding::reflection ? reflected(place) : place;
  }
};

std::array<float, 4> cubicWeights(float s) {
  constexpr float a = -0.75F;
  return {((a * (s + 1) - 5 * a) * (s + 1) + 8 * a) * (s + 1) - 4 * a,
          ((a + 2) * s - (a + 3)) * s * s + 1,
          ((a + 2) * (1 - s) - (a + 3)) * (1 - s) * (1 - s) + 1,
          ((a * (2 - s) - 5 * a) * (2 - s) + 8 * a) * (2 - s) - 4 * a};
}

Taps tapsAt(const Axis& axis, const std::string& mode, float coordinate) {
  float place = axis.placeOf(coordinate, mode == "cubic");
  if (mode == "nearest") {
    place = std::nearbyint(place);
    return {{axis.element(place)}, {1}, 1};
  }
  const float left = std::floor(place), part = place - left;
  if (mode == "linear") {
    return {{axis.element(left), axis.element(left + 1)}, {1 - part, part}, 2};
  }
  Taps taps{{}, cubicWeights(part), 4};
  for (std::size_t i = 0; i < 4; ++i)
    taps.places[i] = axis.element(left - 1 + static_cast<float>(i));
  return taps;
}

float sampled(const float* plane, std::int64_t width, const Taps& rows, const Taps& columns) {
  float sum = 0;
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (rows.places[i] < 0) continue;
    float line = 0;
    for (std::size_t j = 0; j < columns.count; ++j) {
      if (columns.places[j] >= 0)
        line += columns.weights[j] * plane[rows.places[i] * width + columns.places[j]];
    }
    sum += rows.weights[i] * line;
  }
  return sum;
}

// As new opsets call it; empty where it is none.
std::string modeOf(const Node& node) {
  const std::string mode = stringAttribute(node, "mode").value_or("linear");
  if (mode == "linear" || mode == "bilinear") return "linear";
  if (mode == "cubic" || mode == "bicubic") return "cubic";
  return mode == "nearest" ? mode : "";
}

std::optional<Padding> paddingOf(const Node& node) {
  const std::string padding = stringAttribute(node, "padding_mode").value_or("zeros");
  if (padding == "zeros") return Padding::zeros;
  if (padding == "border") return Padding::border;
  return padding == "reflection" ? std::optional(Padding::reflection) : std::nullopt;
}

}  // namespace

Result foldGridSample(const Call& call) {
  const Known *data = sureFloats(call.input(0)), *grid = sureFloats(call.input(1));
  const std::string mode = modeOf(call.node);
  const auto padding = paddingOf(call.node);
  const Dims made = data && grid && padding && !mode.empty() ? resultDims(call) : std::nullopt;
  Result result = made ? emptyKnown(data->type, *made) : std::nullopt;
  if (!result || data->dims.size() != 4 || data->dims[2] < 1 || data->dims[3] < 1)
    return std::nullopt;
  result->sure.assign(result->count(), 1);
  const bool aligns = intAttribute(call.node, "align_corners").value_or(0) != 0;
  const std::int64_t height = data->dims[2], width = data->dims[3];
  const Axis down{height, aligns, *padding}, across{width, aligns, *padding};
  const auto channels = static_cast<std::size_t>(data->dims[1]);
  const std::size_t area = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  const std::size_t places = product(*made, 2, 4);
  forEachPiece(product(grid->dims, 0, 3), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Taps columns = tapsAt(across, mode, grid->floats[2 * i]);
      const Taps rows = tapsAt(down, mode, grid->floats[2 * i + 1]);
      const std::size_t first = i / places * channels;
      for (std::size_t c = 0; c < channels; ++c) {
        result->floats[(first + c) * places + i % places] =
            sampled(data->floats.data() + (first + c) * area, width, rows, columns);
      }
    }
  });
  return result;
}

}  // namespace mpm::onnx
