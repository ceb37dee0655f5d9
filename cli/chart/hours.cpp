// SPDX-License-Identifier: Apache-2.0
#include "cli/chart/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "cli/chart/canvas.h"
#include "cli/chart/places.h"

namespace mpm::cli {
namespace {

const cv::Size kSize(1200, 620);
const cv::Rect2d kPlot(96, 96, 960, 446);
const cv::Scalar kInk(52, 44, 38), kQuiet(130, 120, 112), kGrid(226, 221, 217);
const cv::Scalar kNight(228, 216, 206), kDay(255, 255, 255);
const std::array<cv::Scalar, 4> kLines = {
    {{178, 104, 28}, {36, 110, 232}, {96, 150, 60}, {150, 70, 150}}};
constexpr double kSmall = 15, kText = 17, kTitle = 25, kHours = 24;

Range rangeOf(const HoursChart& chart) {
  double low = INFINITY, high = -INFINITY;
  for (const HourLine& line : chart.lines) {
    for (const double value : line.values) {
      if (std::isnan(value)) continue;
      low = std::min(low, value), high = std::max(high, value);
    }
  }
  if (low > high) return {0, 1};
  const double margin = std::max(0.08 * (high - low), 1e-3 * std::abs(high) + 1e-9);
  return {low - margin, high + margin};
}

/// A chart while it is drawn.
class Drawing {
 public:
  explicit Drawing(const HoursChart& chart)
      : chart_(chart), range_(rangeOf(chart)), canvas_(kSize) {}

  cv::Mat draw() {
    drawGround();
    drawAxes();
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) drawLine(i);
    drawNames();
    canvas_.text(chart_.title, {24, 30}, Align::left, kTitle, kInk, true);
    canvas_.text(chart_.subtitle, {24, 60}, Align::left, kSmall, kQuiet);
    return canvas_.picture();
  }

 private:
  cv::Point2d at(double hour, double value) const {
    const double up = (value - range_.low) / (range_.high - range_.low);
    return {kPlot.x + hour / kHours * kPlot.width, kPlot.y + (1 - up) * kPlot.height};
  }

  static cv::Scalar colourOf(std::size_t line) { return kLines[line % kLines.size()]; }

  // Each hour's light reaches to the middle between it and its neighbours.
  void drawGround() {
    const std::vector<double>& hours = chart_.hours;
    for (std::size_t i = 0; i < chart_.light.size(); ++i) {
      const double from = i == 0 ? 0 : (hours[i - 1] + hours[i]) / 2;
      const double to = i + 1 == hours.size() ? kHours : (hours[i] + hours[i + 1]) / 2;
      const double light = std::clamp(chart_.light[i], 0.0, 1.0);
      const double left = at(from, 0).x;
      canvas_.box({left, kPlot.y, at(to, 0).x - left, kPlot.height},
                  kNight * (1 - light) + kDay * light);
    }
  }

  void drawAxes() {
    for (int hour = 0; hour <= kHours; hour += 3) {
      const double x = at(hour, 0).x;
      canvas_.line({x, kPlot.y}, {x, kPlot.br().y}, kGrid, 1);
      canvas_.text(cv::format("%d:00", hour), {x, kPlot.br().y + 20}, Align::centre, kSmall, kInk);
    }
    const std::vector<double> up = ticksOf(range_, 7);
    const std::vector<std::string> words = wordsOf(up);
    for (std::size_t i = 0; i < up.size(); ++i) {
      const double y = at(0, up[i]).y;
      canvas_.line({kPlot.x, y}, {kPlot.br().x, y}, kGrid, 1);
      canvas_.text(words[i], {kPlot.x - 10, y}, Align::right, kSmall, kInk);
    }
    canvas_.line({kPlot.x, kPlot.br().y}, kPlot.br(), kQuiet, 1.2);
    canvas_.line(kPlot.tl(), {kPlot.x, kPlot.br().y}, kQuiet, 1.2);
    canvas_.textUpwards(chart_.yTitle, {26, kPlot.y + kPlot.height / 2}, kText, kInk);
    canvas_.text("hour of the day", {kPlot.x + kPlot.width / 2, kPlot.br().y + 50}, Align::centre,
                 kText, kInk);
  }

  void drawLine(std::size_t index) {
    const std::vector<double>& values = chart_.lines[index].values;
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (std::isnan(values[i - 1]) || std::isnan(values[i])) continue;
      canvas_.line(at(chart_.hours[i - 1], values[i - 1]), at(chart_.hours[i], values[i]),
                   colourOf(index), 2.4);
    }
  }

  // At the lines' right ends, from top to bottom in their order there, one below the other.
  void drawNames() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) {
      const std::vector<double>& values = chart_.lines[i].values;
      if (!values.empty() && !std::isnan(values.back())) order.push_back(i);
    }
    const auto last = [&](std::size_t i) { return chart_.lines[i].values.back(); };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return last(a) > last(b); });
    double free = kPlot.y;
    for (const std::size_t i : order) {
      const double y = std::max(at(0, last(i)).y, free);
      canvas_.text(chart_.lines[i].name, {kPlot.br().x + 12, y}, Align::left, kSmall, colourOf(i),
                   true);
      free = y + 1.5 * kSmall;
    }
  }

  const HoursChart& chart_;
  Range range_;
  Canvas canvas_;
};

}  // namespace

cv::Mat drawHours(const HoursChart& chart) { return Drawing(chart).draw(); }

}  // namespace mpm::cli
