// SPDX-License-Identifier: Apache-2.0
#include "cli/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>

namespace mpm::cli {

namespace {

constexpr double kRounding = 1e-9;  // of a step

double stepOf(double span, int count) {
  const double rough = span / std::max(1, count);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (rough <= digit * power * (1 + kRounding)) return digit * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<double> ticksOf(const Range& range, int count) {
  if (!(range.high > range.low)) return {range.low};
  const double step = stepOf(range.high - range.low, count);
  std::vector<double> ticks;
  const double first = std::ceil(range.low / step - kRounding);
  for (double i = first; i * step <= range.high + kRounding * step; ++i) ticks.push_back(i * step);
  return ticks;
}

std::vector<std::string> wordsOf(const std::vector<double>& ticks) {
  int digits = 0;
  if (ticks.size() > 1) {
    const double step = ticks[1] - ticks[0];
    digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - kRounding)));
  }
  std::vector<std::string> words;
  for (const double tick : ticks) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, tick == 0 ? 0 : tick);
    words.emplace_back(text);
  }
  return words;
}

bool LabelPlaces::isFree(const cv::Rect2d& place) const {
  if ((place & area_) != place) return false;
  return std::none_of(taken_.begin(), taken_.end(),
                      [&](const cv::Rect2d& taken) { return (place & taken).area() > 0; });
}

std::optional<cv::Rect2d> LabelPlaces::place(const cv::Point2d& point, double radius,
                                             const cv::Size2d& size) {
  // Directions of a label from its point: right and down.
  constexpr double kSides[][2] = {{1, -1}, {1, 0},  {0, -1}, {-1, -1},
                                  {1, 1},  {-1, 0}, {0, 1},  {-1, 1}};
  for (const double distance : {4.0, 12.0, 22.0, 34.0}) {
    for (const auto& [right, down] : kSides) {
      const double reach = right != 0 && down != 0 ? 0.7 * (radius + distance) : radius + distance;
      const cv::Point2d centre(point.x + right * (reach + size.width / 2),
                               point.y + down * (reach + size.height / 2));
      const cv::Rect2d found(centre.x - size.width / 2, centre.y - size.height / 2, size.width,
                             size.height);
      if (!isFree(found)) continue;
      taken_.push_back(found);
      return found;
    }
  }
  return std::nullopt;
}

namespace {

const cv::Size kSize(1200, 780);
const cv::Rect2d kPlot(96, 118, 1064, 570);

const cv::Scalar kInk(52, 44, 38), kQuiet(130, 120, 112), kGrid(236, 232, 229),
    kFaint(222, 216, 212), kPlain(196, 178, 160), kFront(178, 104, 28), kChosen(36, 110, 232);
constexpr double kSmall = 15, kText = 17, kTitle = 25;

struct Look {
  cv::Scalar colour;
  double radius;
};

Look lookOf(Mark mark) {
  switch (mark) {
    case Mark::faint:
      return {kFaint, 3.2};
    case Mark::plain:
      return {kPlain, 4.2};
    case Mark::front:
      return {kFront, 6.5};
    default:
      return {kChosen, 8};
  }
}

/// Draws a chart.
class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart), canvas_(kSize), places_(kPlot) {}

  cv::Mat draw() {
    drawTitles();
    drawAxes();
    drawGuides();
    drawFrontLine();
    for (const Mark mark : {Mark::faint, Mark::plain, Mark::front, Mark::chosen}) drawPoints(mark);
    for (const Mark mark : {Mark::chosen, Mark::front, Mark::plain}) drawLabels(mark);
    drawKey();
    return canvas_.picture();
  }

 private:
  cv::Point2d at(double x, double y) const {
    const double right = (x - chart_.x.low) / (chart_.x.high - chart_.x.low);
    const double up = (y - chart_.y.low) / (chart_.y.high - chart_.y.low);
    return {kPlot.x + right * kPlot.width, kPlot.y + (1 - up) * kPlot.height};
  }

  bool isShown(const ChartPoint& point) const {
    return point.x >= chart_.x.low && point.x <= chart_.x.high && point.y >= chart_.y.low &&
           point.y <= chart_.y.high;
  }

  void drawTitles() {
    canvas_.text(chart_.title, {24, 30}, Align::left, kTitle, kInk, true);
    canvas_.text(chart_.subtitle, {24, 60}, Align::left, kSmall, kQuiet);
    canvas_.text(chart_.xTitle, {kPlot.x + kPlot.width / 2, kPlot.br().y + 50}, Align::centre,
                 kText, kInk);
    canvas_.textUpwards(chart_.yTitle, {26, kPlot.y + kPlot.height / 2}, kText, kInk);
  }

  void drawAxes() {
    const std::vector<double> across = ticksOf(chart_.x, 10), up = ticksOf(chart_.y, 8);
    const std::vector<std::string> acrossWords = wordsOf(across), upWords = wordsOf(up);
    for (std::size_t i = 0; i < across.size(); ++i) {
      const double x = at(across[i], 0).x;
      canvas_.line({x, kPlot.y}, {x, kPlot.br().y}, kGrid, 1);
      canvas_.text(acrossWords[i], {x, kPlot.br().y + 20}, Align::centre, kSmall, kInk);
    }
    for (std::size_t i = 0; i < up.size(); ++i) {
      const double y = at(0, up[i]).y;
      canvas_.line({kPlot.x, y}, {kPlot.br().x, y}, kGrid, 1);
      canvas_.text(upWords[i], {kPlot.x - 10, y}, Align::right, kSmall, kInk);
    }
    canvas_.line({kPlot.x, kPlot.br().y}, kPlot.br(), kQuiet, 1.2);
    canvas_.line(kPlot.tl(), {kPlot.x, kPlot.br().y}, kQuiet, 1.2);
    if (chart_.topFrom > 0) drawTopAxis();
  }

  // Places round ticks where they fall.
  void drawTopAxis() {
    const double least = std::max(chart_.x.low, 1e-9 * chart_.x.high);
    const Range range{chart_.topFrom / chart_.x.high, chart_.topFrom / least};
    double free = kPlot.br().x + 20;  // right of what stands there already
    const std::vector<double> ticks = ticksOf(range, 12);
    const std::vector<std::string> words = wordsOf(ticks);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const double x = at(chart_.topFrom / ticks[i], 0).x;
      const double half = Canvas::textSize(words[i], kSmall).width / 2 + 8;
      if (ticks[i] <= 0 || x < kPlot.x - 1 || x + half > free) continue;
      free = x - half;
      canvas_.line({x, kPlot.y - 5}, {x, kPlot.y}, kQuiet, 1);
      canvas_.text(words[i], {x, kPlot.y - 15}, Align::centre, kSmall, kQuiet);
    }
    canvas_.line(kPlot.tl(), {kPlot.br().x, kPlot.y}, kQuiet, 1);
    canvas_.text(chart_.topTitle, {kPlot.br().x, kPlot.y - 38}, Align::right, kSmall, kQuiet);
  }

  void dashed(const cv::Point2d& from, const cv::Point2d& to) {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    const cv::Point2d way = (to - from) * (1 / length);
    keepFreeAlong(from, to);
    for (double done = 0; done < length; done += 10)
      canvas_.line(from + way * done, from + way * std::min(done + 5, length), kQuiet, 1.2);
  }

  // Draws the line of a goal, and its name away from points.
  void drawGuides() {
    if (!chart_.ruleLabel.empty() && chart_.rule > chart_.y.low && chart_.rule < chart_.y.high) {
      const double y = at(0, chart_.rule).y;
      dashed({kPlot.x, y}, {kPlot.br().x, y});
      const cv::Size2d size = Canvas::textSize(chart_.ruleLabel, kSmall);
      guideLabel(chart_.ruleLabel, {kPlot.br().x - size.width - 10, y + 4, size.width, kSmall + 4});
    }
    if (!chart_.uprightLabel.empty() && chart_.upright > chart_.x.low &&
        chart_.upright < chart_.x.high) {
      const double x = at(chart_.upright, 0).x;
      dashed({x, kPlot.y}, {x, kPlot.br().y});
      const cv::Size2d size = Canvas::textSize(chart_.uprightLabel, kSmall);
      const bool fits = x + size.width + 10 < kPlot.br().x;
      guideLabel(chart_.uprightLabel, {fits ? x + 6 : x - size.width - 6,
                                       kPlot.br().y - kSmall - 10, size.width, kSmall + 4});
    }
  }

  void guideLabel(const std::string& words, const cv::Rect2d& place) {
    canvas_.text(words, {place.x, place.y + place.height / 2}, Align::left, kSmall, kQuiet);
    places_.keepFree(place);
  }

  void drawFrontLine() {
    std::vector<cv::Point2d> line;
    for (const ChartPoint& point : chart_.points) {
      if (point.mark >= Mark::front && isShown(point)) line.push_back(at(point.x, point.y));
    }
    std::sort(line.begin(), line.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    for (std::size_t i = 1; i < line.size(); ++i) {
      canvas_.line(line[i - 1], line[i], kFront, 1.8);
      keepFreeAlong(line[i - 1], line[i]);
    }
  }

  // Keeps labels off this stroke.
  void keepFreeAlong(const cv::Point2d& from, const cv::Point2d& to) {
    constexpr double kHalf = 2;  // of what is kept free, in pixels
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    for (double done = 0; done < length; done += 2 * kHalf) {
      const cv::Point2d at = from + (to - from) * (done / length);
      places_.keepFree({at.x - kHalf, at.y - kHalf, 2 * kHalf, 2 * kHalf});
    }
  }

  void drawPoints(Mark mark) {
    const Look look = lookOf(mark);
    for (const ChartPoint& point : chart_.points) {
      if (point.mark != mark || !isShown(point)) continue;
      const cv::Point2d centre = at(point.x, point.y);
      if (mark >= Mark::front) canvas_.disc(centre, look.radius + 1.5, cv::Scalar::all(255));
      canvas_.disc(centre, look.radius, look.colour);
      if (mark == Mark::chosen) canvas_.ring(centre, look.radius + 5, look.colour, 2);
      const double reach = mark == Mark::faint ? 0 : look.radius;
      places_.keepFree({centre.x - reach, centre.y - reach, 2 * reach, 2 * reach});
    }
  }

  void drawLabels(Mark mark) {
    const bool chosen = mark == Mark::chosen;
    for (const ChartPoint& point : chart_.points) {
      if (point.mark != mark || point.label.empty() || !isShown(point)) continue;
      const double height = mark == Mark::plain ? kSmall - 3 : chosen ? kText : kSmall;
      const cv::Size2d size = Canvas::textSize(point.label, height) + cv::Size2d(4, 2);
      const cv::Point2d centre = at(point.x, point.y);
      const double radius = lookOf(mark).radius + (chosen ? 6 : 0);
      const std::optional<cv::Rect2d> place = places_.place(centre, radius, size);
      if (!place && !chosen) continue;
      const cv::Point2d middle = place ? (place->tl() + place->br()) / 2 : centre;
      canvas_.text(point.label, middle, Align::centre, height,
                   mark == Mark::plain ? kQuiet
                   : chosen            ? kChosen
                                       : kInk,
                   chosen);
    }
  }

  void drawKey() {
    double x = 24;
    const auto entry = [&](Mark mark, const std::string& words) {
      if (words.empty()) return;
      canvas_.disc({x + 8, kSize.height - 18.0}, lookOf(mark).radius * 0.9, lookOf(mark).colour);
      canvas_.text(words, {x + 22, kSize.height - 18.0}, Align::left, kSmall, kQuiet);
      x += 22 + Canvas::textSize(words, kSmall).width + 28;
    };
    entry(Mark::chosen, chart_.chosenWords);
    entry(Mark::front, chart_.frontWords);
    entry(Mark::plain, chart_.plainWords);
    entry(Mark::faint, chart_.faintWords);
  }

  const Chart& chart_;
  Canvas canvas_;
  LabelPlaces places_;
};

}  // namespace

cv::Mat drawChart(const Chart& chart) { return Drawing(chart).draw(); }

namespace {

const cv::Size kHoursSize(1200, 620);
const cv::Rect2d kHoursPlot(96, 96, 960, 446);
const cv::Scalar kNight(228, 216, 206), kDay(255, 255, 255);
const std::array<cv::Scalar, 4> kLines = {
    {{178, 104, 28}, {36, 110, 232}, {96, 150, 60}, {150, 70, 150}}};
constexpr double kHours = 24;

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

// Draws a chart.
class HoursDrawing {
 public:
  explicit HoursDrawing(const HoursChart& chart)
      : chart_(chart), range_(rangeOf(chart)), canvas_(kHoursSize) {}

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
    return {kHoursPlot.x + hour / kHours * kHoursPlot.width,
            kHoursPlot.y + (1 - up) * kHoursPlot.height};
  }

  static cv::Scalar colourOf(std::size_t line) { return kLines[line % kLines.size()]; }

  // Lets each hour's light reach to the middle between it and its neighbours.
  void drawGround() {
    const std::vector<double>& hours = chart_.hours;
    for (std::size_t i = 0; i < chart_.light.size(); ++i) {
      const double from = i == 0 ? 0 : (hours[i - 1] + hours[i]) / 2;
      const double to = i + 1 == hours.size() ? kHours : (hours[i] + hours[i + 1]) / 2;
      const double light = std::clamp(chart_.light[i], 0.0, 1.0);
      const double left = at(from, 0).x;
      canvas_.box({left, kHoursPlot.y, at(to, 0).x - left, kHoursPlot.height},
                  kNight * (1 - light) + kDay * light);
    }
  }

  void drawAxes() {
    for (int hour = 0; hour <= kHours; hour += 3) {
      const double x = at(hour, 0).x;
      canvas_.line({x, kHoursPlot.y}, {x, kHoursPlot.br().y}, kGrid, 1);
      canvas_.text(cv::format("%d:00", hour), {x, kHoursPlot.br().y + 20}, Align::centre, kSmall,
                   kInk);
    }
    const std::vector<double> up = ticksOf(range_, 7);
    const std::vector<std::string> words = wordsOf(up);
    for (std::size_t i = 0; i < up.size(); ++i) {
      const double y = at(0, up[i]).y;
      canvas_.line({kHoursPlot.x, y}, {kHoursPlot.br().x, y}, kGrid, 1);
      canvas_.text(words[i], {kHoursPlot.x - 10, y}, Align::right, kSmall, kInk);
    }
    canvas_.line({kHoursPlot.x, kHoursPlot.br().y}, kHoursPlot.br(), kQuiet, 1.2);
    canvas_.line(kHoursPlot.tl(), {kHoursPlot.x, kHoursPlot.br().y}, kQuiet, 1.2);
    canvas_.textUpwards(chart_.yTitle, {26, kHoursPlot.y + kHoursPlot.height / 2}, kText, kInk);
    canvas_.text("hour of the day", {kHoursPlot.x + kHoursPlot.width / 2, kHoursPlot.br().y + 50},
                 Align::centre, kText, kInk);
  }

  void drawLine(std::size_t index) {
    const std::vector<double>& values = chart_.lines[index].values;
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (std::isnan(values[i - 1]) || std::isnan(values[i])) continue;
      canvas_.line(at(chart_.hours[i - 1], values[i - 1]), at(chart_.hours[i], values[i]),
                   colourOf(index), 2.4);
    }
  }

  // Draws names at the lines' right ends, in their order there from top to bottom.
  void drawNames() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) {
      const std::vector<double>& values = chart_.lines[i].values;
      if (!values.empty() && !std::isnan(values.back())) order.push_back(i);
    }
    const auto last = [&](std::size_t i) { return chart_.lines[i].values.back(); };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return last(a) > last(b); });
    double free = kHoursPlot.y;
    for (const std::size_t i : order) {
      const double y = std::max(at(0, last(i)).y, free);
      canvas_.text(chart_.lines[i].name, {kHoursPlot.br().x + 12, y}, Align::left, kSmall,
                   colourOf(i), true);
      free = y + 1.5 * kSmall;
    }
  }

  const HoursChart& chart_;
  Range range_;
  Canvas canvas_;
};

}  // namespace

cv::Mat drawHours(const HoursChart& chart) { return HoursDrawing(chart).draw(); }

}  // namespace mpm::cli
