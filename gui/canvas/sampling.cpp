// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/sampling.h"

#include <cmath>
#include <cstddef>

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

}  // namespace mpm::gui
