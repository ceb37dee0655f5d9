// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "onnx/operators/table.h"

namespace mpm::onnx {

// A window's way along one axis of an image. Sizes as in table.h: `size`, `places` and pads
// may be unknown, and so may a kernel.
struct WindowAxis {
  std::int64_t size = 1, kernel = 1, stride = 1, dilation = 1, before = 0, behind = 0;
  std::int64_t places = 1;  // at which the window stands

  // From the first element that it covers to the last.
  std::int64_t span() const { return isNumber(kernel) ? dilation * (kernel - 1) + 1 : kUnknown; }
  // Where its element k lies, which may be beside the axis.
  std::int64_t at(std::int64_t place, std::int64_t k) const {
    return place * stride - before + k * dilation;
  }
  bool holds(std::int64_t element) const { return element >= 0 && element < size; }
};

using Window = std::vector<WindowAxis>;

// How the window of a Conv, a ConvTranspose, a pooling or a Col2Im walks over an image [B, C, ...]
// of these dims, by its attributes; `kernel` is for nodes that do not say theirs. Nothing where an
// attribute has not one entry for each axis, or one that no image needs.
std::optional<Window> windowOf(const Node& node, const Integers& image, const Integers& kernel);

// Whether a node's padding is what makes as many places as elements, divided by the stride.
bool isPaddedToSame(const Node& node);

// The kernel of weights [out, in, ...].
Integers kernelOf(const Integers& weight);

// An attribute's entry for each axis, from `least` on, which is what stands for an attribute that
// is left out; nothing where one is below that, or larger than any image needs.
std::optional<Integers> entriesOf(const Node& node, const char* name, std::size_t count,
                                  std::int64_t least);

// visit(place, element) at each place where the element of the window in this row and column lies
// in the plane; both in row-major order.
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
