// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/grid_painting.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "gui/canvas/pixels.h"

namespace mpm::gui {
namespace {

constexpr int kHatchStep = 8, kHatchWidth = 2;
constexpr QRgb kHatch = 0xff202020;

}  // namespace

void GridPainting::drawRow(const CellLook& look, int cellRow, bool topLine) {
  const int width = static_cast<int>(samples_.columns.size());
  spans_.clear();
  for (int x = 0; x < width;) {
    const int column = samples_.columns[static_cast<std::size_t>(x)];
    int end = x + 1;
    while (end < width && samples_.columns[static_cast<std::size_t>(end)] == column) ++end;
    const auto cell = static_cast<std::size_t>(cellRow * look.grid.width + column);
    if (column >= 0 && (look.skipped.empty() || !look.skipped[cell])) {
      const bool lines = lineWidth_ > 0;
      const auto differs = [&](std::size_t other) {
        return look.groups[cell] != look.groups[other];
      };
      const auto up = cell - static_cast<std::size_t>(look.grid.width);
      const bool top = lines && topLine && cellRow > 0 && differs(up);
      const bool left = lines && x > 0 && column > 0 && differs(cell - 1);
      std::fill(row_.begin() + x, row_.begin() + end, top ? look.lines[cell] : look.colours[cell]);
      if (left) std::fill_n(row_.begin() + x, std::min(lineWidth_, end - x), look.lines[cell]);
      if (!spans_.empty() && spans_.back().end == x) {
        spans_.back().end = end;
      } else {
        spans_.emplace_back(x, end);
      }
    }
    x = end;
  }
}

void GridPainting::drawHatch(cv::Mat& pixels, const CellLook& look) const {
  for (int y = 0; y < pixels.rows; ++y) {
    const int cellRow = samples_.rows[static_cast<std::size_t>(y)];
    if (cellRow < 0) continue;
    auto* to = pixels.ptr<QRgb>(y);
    for (int x = 0; x < pixels.cols; ++x) {
      const int column = samples_.columns[static_cast<std::size_t>(x)];
      if (column < 0 || (x + y) % kHatchStep >= kHatchWidth) continue;
      if (look.hatched[static_cast<std::size_t>(cellRow * look.grid.width + column)])
        to[x] = kHatch;
    }
  }
}

void GridPainting::paint(cv::Mat& pixels, const Part& part, const QRectF& area,
                         const CellLook& look, double opacity, int lineWidth) {
  sampleGrid(part, look.grid, area, samples_);
  const double cellWidth =
      area.width() / look.grid.width * part.picture.width * part.size.width / part.area.width;
  lineWidth_ = look.groups.empty() || cellWidth < 4 * lineWidth ? 0 : lineWidth;
  row_.resize(samples_.columns.size());
  const int alpha = blendAlpha(opacity);
  int drawn = -1, since = 0;  // the cells' row, and the first row of pixels in it
  for (int y = 0; y < pixels.rows; ++y) {
    const int cellRow = samples_.rows[static_cast<std::size_t>(y)];
    if (cellRow < 0) continue;
    if (cellRow != drawn) {
      drawRow(look, cellRow, y > 0);
      drawn = cellRow;
      since = y;
    } else if (y == since + std::max(1, lineWidth_)) {
      drawRow(look, cellRow, false);
    }
    auto* to = pixels.ptr<QRgb>(y);
    for (const cv::Range& span : spans_) {
      const QRgb* from = row_.data() + span.start;
      if (alpha == 256) {
        std::memcpy(to + span.start, from, static_cast<std::size_t>(span.size()) * sizeof(QRgb));
      } else {
        blend(to + span.start, from, span.size(), alpha);
      }
    }
  }
  if (!look.hatched.empty()) drawHatch(pixels, look);
}

}  // namespace mpm::gui
