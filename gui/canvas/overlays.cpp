// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/overlays.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "gui/canvas/class_settings.h"

namespace mpm::gui {
namespace {

constexpr QRgb kLine = 0xffffffff, kHatch = 0xff202020;
constexpr double kLineOpacity = 0.85;
constexpr int kHatchStep = 8, kHatchWidth = 2;

template <typename Label>
void copyRow(const Label* source, const Samples& samples, std::uint16_t* row) {
  const std::size_t width = samples.columns.size();
  if (samples.everyColumn) {
    std::copy_n(source, width, row);
  } else {
    for (std::size_t x = 0; x < width; ++x) row[x] = source[samples.columns[x]];
  }
}

bool same(const std::uint16_t* one, const std::uint16_t* other, int width) {
  return std::memcmp(one, other, static_cast<std::size_t>(width) * sizeof(*one)) == 0;
}

const LabelLook& lookOf(const std::vector<LabelLook>& looks, unsigned label) {
  return looks[std::min<std::size_t>(label, looks.size() - 1)];
}

// Calls run(from, to, label) for each run of equal labels.
template <typename Run>
void forEachRun(const std::uint16_t* row, int width, const Run& run) {
  for (int from = 0, to = 0; from < width; from = to) {
    while (to < width && row[to] == row[from]) ++to;
    run(from, to, row[from]);
  }
}

}  // namespace

std::vector<LabelLook> looksOf(const ClassSettings& classes) {
  std::vector<LabelLook> looks;
  looks.reserve(static_cast<std::size_t>(classes.count()) + 1);
  for (int i = 0; i <= classes.count(); ++i)
    looks.push_back({classes.colour(i).rgb(), classes.shows(i)});
  return looks;
}

// Row `y` of what is painted, into the row of rows_ that is kept for it.
std::uint16_t* LabelPainting::sampleRow(const cv::Mat& labels, int y, int kept) {
  const int from = samples_.rows[static_cast<std::size_t>(y)];
  if (labels.type() == CV_8U) {
    copyRow(labels.ptr<std::uint8_t>(from), samples_, rows_[kept]);
  } else {
    copyRow(labels.ptr<std::uint16_t>(from), samples_, rows_[kept]);
  }
  return rows_[kept];
}

void LabelPainting::overlay(cv::Mat& pixels, const cv::Mat& labels, const Part& part,
                            const std::vector<LabelLook>& looks, double opacity, int lineWidth) {
  sampleGrid(part, labels.size(), {0, 0, 1, 1}, samples_);
  const int width = pixels.cols, kept = lineWidth + 1;
  const int alpha = blendAlpha(opacity), lineAlpha = blendAlpha(kLineOpacity);
  rows_.create(kept, width);
  const auto line = [&](QRgb* to, int count) { blend(to, count, kLine, lineAlpha); };
  const auto shown = [&](std::uint16_t label) { return lookOf(looks, label).shown; };
  for (int y = 0; y < pixels.rows; ++y) {
    const std::uint16_t* row = sampleRow(labels, y, y % kept);
    auto* to = pixels.ptr<QRgb>(y);
    forEachRun(row, width, [&](int from, int end, std::uint16_t label) {
      const LabelLook& look = lookOf(looks, label);
      if (look.shown) blend(to + from, end - from, look.colour, alpha);
      if (lineWidth > 0 && from > 0 && (look.shown || shown(row[from - 1]))) {
        line(to + from, std::min(lineWidth, end - from));
      }
    });
    if (lineWidth == 0 || y == 0) continue;
    const std::uint16_t* above = rows_[(y - std::min(y, lineWidth)) % kept];
    if (same(row, above, width)) continue;
    for (int x = 0; x < width; ++x) {
      if (row[x] != above[x] && (shown(row[x]) || shown(above[x]))) line(to + x, 1);
    }
  }
}

void LabelPainting::differences(cv::Mat& pixels, const cv::Mat& labels, const cv::Mat& others,
                                const Part& part, QRgb colour, double opacity) {
  sampleGrid(part, labels.size(), {0, 0, 1, 1}, samples_);
  const int width = pixels.cols, alpha = blendAlpha(opacity);
  rows_.create(2, width);
  for (int y = 0; y < pixels.rows; ++y) {
    const std::uint16_t *own = sampleRow(labels, y, 0), *other = sampleRow(others, y, 1);
    if (same(own, other, width)) continue;
    auto* to = pixels.ptr<QRgb>(y);
    for (int x = 0; x < width; ++x) {
      if (own[x] != other[x]) blend(to + x, 1, colour, alpha);
    }
  }
}

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

void ValuePainting::paint(cv::Mat& pixels, const cv::Mat& values, const Part& part,
                          const ColourScale& scale, double opacity) {
  sampleGrid(part, values.size(), {0, 0, 1, 1}, samples_);
  const std::size_t width = samples_.columns.size();
  row_.resize(width);
  const int alpha = blendAlpha(opacity);
  int drawn = -1;
  for (int y = 0; y < pixels.rows; ++y) {
    const int source = samples_.rows[static_cast<std::size_t>(y)];
    if (source != drawn) {
      const auto* from = values.ptr<float>(source);
      for (std::size_t x = 0; x < width; ++x) {
        const float value = from[samples_.columns[x]];
        const int step = value > 0 ? (value < 1 ? static_cast<int>(value * 255 + 0.5F) : 255) : 0;
        row_[x] = scale[static_cast<std::size_t>(step)];
      }
      drawn = source;
    }
    blend(pixels.ptr<QRgb>(y), row_.data(), pixels.cols, alpha);
  }
}

}  // namespace mpm::gui
