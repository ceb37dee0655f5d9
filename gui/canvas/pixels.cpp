// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/pixels.h"

#include <QtGlobal>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mpm::gui {
namespace {

struct Axis {
  int start, length, picture, painted, cells;  // length: of the part
  double from, extent;                         // of the grid, in parts of the picture
};

void sampleAxis(const Axis& axis, std::vector<int>& samples) {
  samples.resize(static_cast<std::size_t>(axis.painted));
  const double step = static_cast<double>(axis.length) / axis.painted / axis.picture;
  const double first = (axis.start / static_cast<double>(axis.picture) + step / 2 - axis.from);
  const double scale = axis.cells / axis.extent;
  for (int i = 0; i < axis.painted; ++i) {
    const double cell = std::floor((first + i * step) * scale);
    samples[static_cast<std::size_t>(i)] =
        cell >= 0 && cell < axis.cells ? static_cast<int>(cell) : -1;
  }
}

// Two pixels at a time, four of their eight channels in a multiplication: 255 * 256 still fits
// into the 16 bits that each has.
constexpr std::uint64_t kEven = 0x00ff00ff00ff00ffULL;

std::uint64_t mixed(std::uint64_t two, std::uint64_t over, std::uint64_t share) {
  const std::uint64_t rest = 256 - share;
  return ((((two & kEven) * rest + (over & kEven) * share) >> 8) & kEven) |
         ((((two >> 8) & kEven) * rest + ((over >> 8) & kEven) * share) & ~kEven);
}

/// `pair(i)` and `one(i)`: what lies over pixels i and i + 1, and over i alone.
template <typename Pair, typename One>
void blendBy(QRgb* pixels, int count, int alpha, const Pair& pair, const One& one) {
  const auto share = static_cast<std::uint64_t>(alpha);
  int i = 0;
  for (; i + 2 <= count; i += 2) {
    std::uint64_t two;
    std::memcpy(&two, pixels + i, sizeof(two));
    two = mixed(two, pair(i), share);
    std::memcpy(pixels + i, &two, sizeof(two));
  }
  if (i < count) pixels[i] = static_cast<QRgb>(mixed(pixels[i], one(i), share));
}

}  // namespace

void sampleGrid(const Part& part, cv::Size grid, const QRectF& area, Samples& samples) {
  sampleAxis({part.area.x, part.area.width, part.picture.width, part.size.width, grid.width,
              area.x(), area.width()},
             samples.columns);
  sampleAxis({part.area.y, part.area.height, part.picture.height, part.size.height, grid.height,
              area.y(), area.height()},
             samples.rows);
  samples.everyColumn = part.size.width == grid.width;
  for (int x = 0; samples.everyColumn && x < grid.width; ++x) {
    samples.everyColumn = samples.columns[static_cast<std::size_t>(x)] == x;
  }
}

int blendAlpha(double opacity) { return qRound(qBound(0.0, opacity, 1.0) * 256); }

void blend(QRgb* pixels, int count, QRgb colour, int alpha) {
  const std::uint64_t twice = static_cast<std::uint64_t>(colour) << 32 | colour;
  const auto same = [twice](int) { return twice; };
  blendBy(pixels, count, alpha, same, same);
}

void blend(QRgb* pixels, const QRgb* colours, int count, int alpha) {
  const auto pair = [colours](int i) {
    std::uint64_t over;
    std::memcpy(&over, colours + i, sizeof(over));
    return over;
  };
  blendBy(pixels, count, alpha, pair, [colours](int i) { return colours[i]; });
}

}  // namespace mpm::gui
