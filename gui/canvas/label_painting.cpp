// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/label_painting.h"

#include <QColor>
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "gui/canvas/class_settings.h"
#include "gui/canvas/pixels.h"

namespace mpm::gui {
namespace {

constexpr QRgb kLine = 0xffffffff;
constexpr double kLineOpacity = 0.85;

// A row of labels as it is painted.
template <typename Label>
void sampleRow(const cv::Mat& labels, const Samples& samples, int y, Label* row) {
  const Label* source = labels.ptr<Label>(samples.rows[static_cast<std::size_t>(y)]);
  const std::size_t width = samples.columns.size();
  if (samples.everyColumn) {
    std::memcpy(row, source, width * sizeof(Label));
    return;
  }
  for (std::size_t x = 0; x < width; ++x) row[x] = source[samples.columns[x]];
}

const LabelLook& lookOf(const std::vector<LabelLook>& looks, unsigned label) {
  return looks[std::min<std::size_t>(label, looks.size() - 1)];
}

// Calls run(from, to, label) for each run of equal labels.
template <typename Label, typename Run>
void forEachRun(const Label* row, int width, const Run& run) {
  int from = 0;
  while (from < width) {
    int to = from + 1;
    while (to < width && row[to] == row[from]) ++to;
    run(from, to, row[from]);
    from = to;
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

template <typename Label>
void LabelPainting::overlayTyped(cv::Mat& pixels, const cv::Mat& labels,
                                 const std::vector<LabelLook>& looks, int alpha, int lineWidth) {
  const int width = pixels.cols, kept = lineWidth + 1, lineAlpha = blendAlpha(kLineOpacity);
  rows_.create(kept, width, labels.type());
  const auto line = [&](QRgb* to, int count) { blend(to, count, kLine, lineAlpha); };
  const auto shown = [&](Label label) { return lookOf(looks, label).shown; };
  for (int y = 0; y < pixels.rows; ++y) {
    auto* row = rows_.ptr<Label>(y % kept);
    sampleRow(labels, samples_, y, row);
    auto* to = pixels.ptr<QRgb>(y);
    forEachRun(row, width, [&](int from, int end, Label label) {
      const LabelLook& look = lookOf(looks, label);
      if (look.shown) blend(to + from, end - from, look.colour, alpha);
      if (lineWidth > 0 && from > 0 && (look.shown || shown(row[from - 1]))) {
        line(to + from, std::min(lineWidth, end - from));
      }
    });
    if (lineWidth == 0 || y == 0) continue;
    const auto* above = rows_.ptr<Label>((y - std::min(y, lineWidth)) % kept);
    if (std::memcmp(row, above, static_cast<std::size_t>(width) * sizeof(Label)) == 0) continue;
    for (int x = 0; x < width; ++x) {
      if (row[x] != above[x] && (shown(row[x]) || shown(above[x]))) line(to + x, 1);
    }
  }
}

template <typename Label>
void LabelPainting::differTyped(cv::Mat& pixels, const cv::Mat& labels, const cv::Mat& others,
                                QRgb colour, int alpha) {
  const int width = pixels.cols;
  rows_.create(2, width, labels.type());
  auto *own = rows_.ptr<Label>(0), *other = rows_.ptr<Label>(1);
  for (int y = 0; y < pixels.rows; ++y) {
    sampleRow(labels, samples_, y, own);
    sampleRow(others, samples_, y, other);
    if (std::memcmp(own, other, static_cast<std::size_t>(width) * sizeof(Label)) == 0) continue;
    auto* to = pixels.ptr<QRgb>(y);
    for (int x = 0; x < width; ++x) {
      if (own[x] != other[x]) blend(to + x, 1, colour, alpha);
    }
  }
}

void LabelPainting::overlay(cv::Mat& pixels, const cv::Mat& labels, const Part& part,
                            const std::vector<LabelLook>& looks, double opacity, int lineWidth) {
  sampleGrid(part, labels.size(), {0, 0, 1, 1}, samples_);
  const int alpha = blendAlpha(opacity);
  if (labels.type() == CV_8U) {
    overlayTyped<std::uint8_t>(pixels, labels, looks, alpha, lineWidth);
  } else {
    overlayTyped<std::uint16_t>(pixels, labels, looks, alpha, lineWidth);
  }
}

void LabelPainting::differences(cv::Mat& pixels, const cv::Mat& labels, const cv::Mat& others,
                                const Part& part, QRgb colour, double opacity) {
  sampleGrid(part, labels.size(), {0, 0, 1, 1}, samples_);
  if (labels.type() == CV_8U) {
    differTyped<std::uint8_t>(pixels, labels, others, colour, blendAlpha(opacity));
  } else {
    differTyped<std::uint16_t>(pixels, labels, others, colour, blendAlpha(opacity));
  }
}

}  // namespace mpm::gui
