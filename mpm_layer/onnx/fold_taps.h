// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mpm::onnx {

// Attributes of a Resize.
struct ResizeStyle {
  std::string mode, coordinates, nearest;
  float cubicA = -0.75F;
  bool excludesOutside = false;
};

struct ResizedAxis {
  std::size_t index = 0;
  std::int64_t from = 0, to = 0;
  float scale = 1;
};

// What one element along an axis is made of.
struct Taps {
  std::array<std::int64_t, 4> places{};
  std::array<float, 4> weights{};
  std::size_t count = 1;
};

// What the elements along an axis of the result are made of, in float32 as ONNX Runtime computes
// it. Nothing where rounding decides which element is the nearest, for there runtimes differ.
std::optional<std::vector<Taps>> tapsOf(const ResizeStyle& style, const ResizedAxis& axis);

}  // namespace mpm::onnx
