// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/overlays.h"

#include <QtGlobal>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mpm::gui {
namespace {

constexpr QRgb kLine = 0xffffffff, kHatch = 0xff202020;
constexpr double kLineOpacity = 0.85;
constexpr int kHatchStep = 8, kHatchWidth = 2;

/// Returns the cell that holds each painted column's or row's centre; -1 outside the grid. `start`
/// and `length` are the part, in the frame's pixels. The grid's `cells` cover `extent` of the
/// frame, from `from` on.
std::vector<int> sampled(int start, int length, int picture, int painted, int cells, double from,
                         double extent) {
  std::vector<int> samples(static_cast<std::size_t>(painted));
  const double step = static_cast<double>(length) / painted / picture;
  const double first = start / static_cast<double>(picture) + step / 2 - from;
  for (int i = 0; i < painted; ++i) {
    const double cell = std::floor((first + i * step) * cells / extent);
    samples[static_cast<std::size_t>(i)] = cell >= 0 && cell < cells ? static_cast<int>(cell) : -1;
  }
  return samples;
}

struct Samples {
  Samples(const Part& part, cv::Size grid, const QRectF& area = {0, 0, 1, 1})
      : columns(sampled(part.area.x, part.area.width, part.picture.width, part.size.width,
                        grid.width, area.x(), area.width())),
        rows(sampled(part.area.y, part.area.height, part.picture.height, part.size.height,
                     grid.height, area.y(), area.height())) {}

  int column(int x) const { return columns[static_cast<std::size_t>(x)]; }
  int row(int y) const { return rows[static_cast<std::size_t>(y)]; }

  std::vector<int> columns, rows;
};

/// Reads row `y` of the labels as they are painted.
void sampleRow(const cv::Mat& labels, const Samples& samples, int y, std::uint16_t* row) {
  const auto copy = [&](const auto* from) {
    for (const int column : samples.columns) *row++ = from[column];
  };
  if (labels.type() == CV_8U) return copy(labels.ptr<std::uint8_t>(samples.row(y)));
  copy(labels.ptr<std::uint16_t>(samples.row(y)));
}

/// Returns opacity from 0 to 256.
unsigned blendAlpha(double opacity) {
  return static_cast<unsigned>(qRound(qBound(0.0, opacity, 1.0) * 256));
}

/// Blends each channel, alpha included: (pixel * (256 - alpha) + colour * alpha) / 256, rounded
/// down. Two channels share a multiplication, as 255 * 256 fits into the 16 bits of each.
QRgb blended(QRgb pixel, QRgb colour, unsigned alpha) {
  constexpr QRgb kEven = 0x00ff00ff;
  const unsigned rest = 256 - alpha;
  return ((((pixel & kEven) * rest + (colour & kEven) * alpha) >> 8) & kEven) |
         ((((pixel >> 8) & kEven) * rest + ((colour >> 8) & kEven) * alpha) & ~kEven);
}

void blend(QRgb* pixels, int count, QRgb colour, unsigned alpha) {
  for (int i = 0; i < count; ++i) pixels[i] = blended(pixels[i], colour, alpha);
}

/// One row of pixels through cells: its colours, and the stretches of it that are painted.
struct CellRow {
  std::vector<QRgb> colours;
  std::vector<cv::Range> spans;
};

CellRow cellRow(const CellLook& look, const Samples& samples, int row, int lineWidth,
                bool isTopLine) {
  const int width = static_cast<int>(samples.columns.size());
  CellRow made{std::vector<QRgb>(samples.columns.size()), {}};
  for (int x = 0; x < width;) {
    const int column = samples.column(x);
    int end = x + 1;
    while (end < width && samples.column(end) == column) ++end;
    const auto cell = static_cast<std::size_t>(row * look.grid.width + column);
    if (column >= 0 && (look.skipped.empty() || !look.skipped[cell])) {
      const auto differs = [&](std::size_t other) {
        return look.groups[cell] != look.groups[other];
      };
      const bool top = lineWidth > 0 && isTopLine && row > 0 &&
                       differs(cell - static_cast<std::size_t>(look.grid.width));
      const bool left = lineWidth > 0 && x > 0 && column > 0 && differs(cell - 1);
      const auto begin = made.colours.begin();
      std::fill(begin + x, begin + end, top ? look.lines[cell] : look.colours[cell]);
      if (left) std::fill_n(begin + x, std::min(lineWidth, end - x), look.lines[cell]);
      if (!made.spans.empty() && made.spans.back().end == x)
        made.spans.back().end = end;
      else
        made.spans.emplace_back(x, end);
    }
    x = end;
  }
  return made;
}

void hatch(cv::Mat& pixels, const CellLook& look, const Samples& samples) {
  for (int y = 0; y < pixels.rows; ++y) {
    auto* to = pixels.ptr<QRgb>(y);
    for (int x = 0; x < pixels.cols; ++x) {
      const int row = samples.row(y), column = samples.column(x);
      if (row < 0 || column < 0 || (x + y) % kHatchStep >= kHatchWidth) continue;
      if (look.hatched[static_cast<std::size_t>(row * look.grid.width + column)]) to[x] = kHatch;
    }
  }
}

}  // namespace

void paintLabels(cv::Mat& pixels, const cv::Mat& labels, const Part& part,
                 const ClassSettings& classes, double opacity, int lineWidth) {
  struct Look {
    QRgb colour;
    bool shown;
  };
  std::vector<Look> looks;  // the last one is for labels past the classes
  for (int i = 0; i <= classes.count(); ++i)
    looks.push_back({classes.colour(i).rgb(), classes.shows(i)});
  const auto lookOf = [&](unsigned label) -> const Look& {
    return looks[std::min<std::size_t>(label, looks.size() - 1)];
  };
  const Samples samples(part, labels.size());
  const int width = pixels.cols, kept = lineWidth + 1;  // of which lines look back to others
  const unsigned alpha = blendAlpha(opacity), lineAlpha = blendAlpha(kLineOpacity);
  cv::Mat_<std::uint16_t> rows(kept, width);
  const auto line = [&](QRgb* to, int count) { blend(to, count, kLine, lineAlpha); };
  for (int y = 0; y < pixels.rows; ++y) {
    std::uint16_t* row = rows[y % kept];
    sampleRow(labels, samples, y, row);
    auto* to = pixels.ptr<QRgb>(y);
    for (int from = 0, end = 0; from < width; from = end) {
      while (end < width && row[end] == row[from]) ++end;
      const Look& look = lookOf(row[from]);
      if (look.shown) blend(to + from, end - from, look.colour, alpha);
      if (lineWidth > 0 && from > 0 && (look.shown || lookOf(row[from - 1]).shown))
        line(to + from, std::min(lineWidth, end - from));
    }
    if (lineWidth == 0 || y == 0) continue;
    const std::uint16_t* above = rows[(y - std::min(y, lineWidth)) % kept];
    for (int x = 0; x < width; ++x)
      if (row[x] != above[x] && (lookOf(row[x]).shown || lookOf(above[x]).shown)) line(to + x, 1);
  }
}

void paintDifferences(cv::Mat& pixels, const cv::Mat& labels, const cv::Mat& others,
                      const Part& part, QRgb colour, double opacity) {
  const Samples samples(part, labels.size());
  const unsigned alpha = blendAlpha(opacity);
  cv::Mat_<std::uint16_t> rows(2, pixels.cols);
  for (int y = 0; y < pixels.rows; ++y) {
    sampleRow(labels, samples, y, rows[0]);
    sampleRow(others, samples, y, rows[1]);
    auto* to = pixels.ptr<QRgb>(y);
    for (int x = 0; x < pixels.cols; ++x)
      if (rows(0, x) != rows(1, x)) blend(to + x, 1, colour, alpha);
  }
}

void paintCells(cv::Mat& pixels, const Part& part, const QRectF& area, const CellLook& look,
                double opacity, int lineWidth) {
  const Samples samples(part, look.grid, area);
  const double cellWidth =
      area.width() / look.grid.width * part.picture.width * part.size.width / part.area.width;
  if (look.groups.empty() || cellWidth < 4 * lineWidth) lineWidth = 0;
  const unsigned alpha = blendAlpha(opacity);
  CellRow row;
  int drawn = -1, since = 0;  // the cells' row, and the first row of pixels in it
  for (int y = 0; y < pixels.rows; ++y) {
    if (samples.row(y) < 0) continue;
    if (samples.row(y) != drawn) {
      drawn = samples.row(y);
      since = y;
      row = cellRow(look, samples, drawn, lineWidth, y > 0);
    } else if (y == since + std::max(1, lineWidth)) {
      row = cellRow(look, samples, drawn, lineWidth, false);
    }
    auto* to = pixels.ptr<QRgb>(y);
    for (const cv::Range& span : row.spans) {
      const QRgb* from = row.colours.data();
      if (alpha == 256)
        std::copy(from + span.start, from + span.end, to + span.start);
      else
        for (int x = span.start; x < span.end; ++x) to[x] = blended(to[x], from[x], alpha);
    }
  }
  if (!look.hatched.empty()) hatch(pixels, look, samples);
}

void paintValues(cv::Mat& pixels, const cv::Mat& values, const Part& part, const ColourScale& scale,
                 double opacity) {
  const Samples samples(part, values.size());
  const unsigned alpha = blendAlpha(opacity);
  for (int y = 0; y < pixels.rows; ++y) {
    const auto* from = values.ptr<float>(samples.row(y));
    auto* to = pixels.ptr<QRgb>(y);
    for (int x = 0; x < pixels.cols; ++x) {
      const float value = from[samples.column(x)];
      const int step = value > 0 ? (value < 1 ? static_cast<int>(value * 255 + 0.5F) : 255) : 0;
      to[x] = blended(to[x], scale[static_cast<std::size_t>(step)], alpha);
    }
  }
}

}  // namespace mpm::gui
