// SPDX-License-Identifier: Apache-2.0
#include "cli/chart/chart.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "cli/chart/canvas.h"
#include "cli/chart/places.h"

namespace mpm::cli {
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

/// A chart while it is drawn.
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

  // Its ticks are round themselves, so they stand where they fall.
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

  // A line that a goal draws, and its name where no point is.
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

  // Labels do not cross this stroke.
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

}  // namespace mpm::cli
