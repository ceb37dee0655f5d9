// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "onnx/operators/table.h"

namespace mpm::onnx {

// Steps of a window along one axis of an image. Sizes as in table.h: `size`, `places` and pads may
// be unknown, and so may a kernel.
struct WindowAxis {
  std::int64_t size = 1, kernel = 1, stride = 1, dilation = 1, before = 0, behind = 0;
  std::int64_t places = 1;  // at which the window stands

  // Returns the length from the first element that it covers to the last.
  std::int64_t span() const { return isNumber(kernel) ? dilation * (kernel - 1) + 1 : kUnknown; }
  // Returns the position of its element k, which may be outside the axis.
  std::int64_t at(std::int64_t place, std::int64_t k) const {
    return place * stride - before + k * dilation;
  }
  bool holds(std::int64_t element) const { return element >= 0 && element < size; }
};

using Window = std::vector<WindowAxis>;

// Returns the window of a Conv, a ConvTranspose, a pooling or a Col2Im over an image [B, C, ...].
// `kernel` is for nodes that do not state theirs. Returns std::nullopt if an attribute lacks an
// entry for an axis, or has one beyond any image's needs.
std::optional<Window> windowOf(const Node& node, const Integers& image, const Integers& kernel);

// Tells whether a node's padding makes as many places as elements, divided by the stride.
bool isPaddedToSame(const Node& node);

// Returns the kernel of weights [out, in, ...].
Integers kernelOf(const Integers& weight);

// Returns an attribute's entry for each axis; `least` for each if it is missing. Returns
// std::nullopt if an entry is below `least`, or larger than any image needs.
std::optional<Integers> entriesOf(const Node& node, const char* name, std::size_t count,
                                  std::int64_t least);

// Calls visit(place, element) for each place at which the window's element in this row and column
// is inside the plane; both in row-major order.
template <class Visit>
void forEachCovered(const WindowAxis& down, const WindowAxis& across, std::int64_t row,
                    std::int64_t column, const Visit& visit) {
  for (std::int64_t i = 0; i < down.places; ++i) {
    const std::int64_t y = down.at(i, row);
    if (!down.holds(y)) continue;
    for (std::int64_t j = 0; j < across.places; ++j) {
      const std::int64_t x = across.at(j, column);
      if (across.holds(x)) visit(i * across.places + j, y * across.size + x);
    }
  }
}

}  // namespace mpm::onnx
