// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mpm::cli {

/// A range of values that an axis shows.
struct Range {
  double low = 0, high = 1;
};

/// Returns about `count` round values within the range, in steps of 1, 2 or 5 times a power of ten.
/// Returns one if the range is empty.
std::vector<double> ticksOf(const Range& range, int count);

/// Formats the values with as many digits after the point as distinguish them.
std::vector<std::string> wordsOf(const std::vector<double>& ticks);

/// Finds places for labels near their points, so that none covers a point or another label.
class LabelPlaces {
 public:
  /// Labels stay within `area`.
  explicit LabelPlaces(const cv::Rect2d& area) : area_(area) {}

  /// Keeps labels out of an area.
  void keepFree(const cv::Rect2d& area) { taken_.push_back(area); }

  /// Returns where a label of this size goes for a point with this radius; std::nullopt if all
  /// places around it are taken. Tries places from near to far, right and above first. The returned
  /// place is then taken.
  std::optional<cv::Rect2d> place(const cv::Point2d& point, double radius, const cv::Size2d& size);

 private:
  bool isFree(const cv::Rect2d& place) const;

  cv::Rect2d area_;
  std::vector<cv::Rect2d> taken_;
};

/// Position of a text relative to its point.
enum class Align { left, centre, right };

/// A picture drawn larger than it is shown, so that strokes and letters are smooth. All measures
/// are in pixels of the shown picture; colours are BGR.
class Canvas {
 public:
  explicit Canvas(const cv::Size& size)
      : size_(size), large_(size * kScale, CV_8UC3, cv::Scalar::all(255)) {}

  void line(const cv::Point2d& from, const cv::Point2d& to, const cv::Scalar& colour,
            double width) {
    cv::line(large_, fine(from), fine(to), colour, stroke(width), cv::LINE_AA, kShift);
  }

  void disc(const cv::Point2d& centre, double radius, const cv::Scalar& colour) {
    cv::circle(large_, fine(centre), fine({radius, 0}).x, colour, cv::FILLED, cv::LINE_AA, kShift);
  }

  void ring(const cv::Point2d& centre, double radius, const cv::Scalar& colour, double width) {
    cv::circle(large_, fine(centre), fine({radius, 0}).x, colour, stroke(width), cv::LINE_AA,
               kShift);
  }

  void box(const cv::Rect2d& area, const cv::Scalar& colour) {
    cv::rectangle(large_, fine(area.tl()), fine(area.br()), colour, cv::FILLED, cv::LINE_AA,
                  kShift);
  }

  /// Draws a text. `at` is the middle of its height, and the left, centre or right of its width.
  void text(const std::string& words, const cv::Point2d& at, Align align, double height,
            const cv::Scalar& colour, bool bold = false) {
    const cv::Size2d size = textSize(words, height);
    const double left = align == Align::left     ? at.x
                        : align == Align::centre ? at.x - size.width / 2
                                                 : at.x - size.width;
    const cv::Point origin(cvRound(left * kScale), cvRound((at.y + height * 0.34) * kScale));
    cv::putText(large_, words, origin, kFont, fontScale(height), colour, fontStroke(height, bold),
                cv::LINE_AA);
  }

  /// Draws a text that runs upwards.
  void textUpwards(const std::string& words, const cv::Point2d& centre, double height,
                   const cv::Scalar& colour) {
    const cv::Size2d size = textSize(words, height);
    Canvas flat({static_cast<int>(std::ceil(size.width)) + 4, static_cast<int>(2 * height)});
    flat.text(words, {flat.size_.width / 2.0, height}, Align::centre, height, colour);
    cv::Mat upright;
    cv::rotate(flat.large_, upright, cv::ROTATE_90_COUNTERCLOCKWISE);
    const cv::Point corner(cvRound(centre.x * kScale) - upright.cols / 2,
                           cvRound(centre.y * kScale) - upright.rows / 2);
    const cv::Rect whole(corner, upright.size());
    const cv::Rect seen = whole & cv::Rect({}, large_.size());
    if (!seen.empty()) upright(seen - corner).copyTo(large_(seen));
  }

  /// Returns the size of a text.
  static cv::Size2d textSize(const std::string& words, double height) {
    int below = 0;
    const cv::Size size =
        cv::getTextSize(words, kFont, fontScale(height), fontStroke(height, false), &below);
    return {static_cast<double>(size.width) / kScale, height};
  }

  cv::Mat picture() const {
    cv::Mat picture;
    cv::resize(large_, picture, size_, 0, 0, cv::INTER_AREA);
    return picture;
  }

 private:
  static constexpr int kScale = 4;
  static constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
  // Height of this font at scale 1, from the top of a b to a p's foot.
  static constexpr double kFontHeight = 30;
  static constexpr int kShift = 4;  // drawing takes sixteenths of a pixel
  static cv::Point fine(const cv::Point2d& point) {
    constexpr double kFine = kScale * (1 << kShift);
    return {cvRound(point.x * kFine), cvRound(point.y * kFine)};
  }

  static int stroke(double width) { return std::max(1, cvRound(width * kScale)); }
  static double fontScale(double height) { return height * kScale / kFontHeight; }
  static int fontStroke(double height, bool bold) { return stroke(height * (bold ? 0.15 : 0.095)); }

  cv::Size size_;
  cv::Mat large_;
};

/// Look of a point, from back to front.
enum class Mark { faint, plain, front, chosen };

struct ChartPoint {
  double x = 0, y = 0;
  Mark mark = Mark::plain;
  std::string label;  ///< may stay away where there is no room, unless the mark is `chosen`
};

/// Points over two axes; a line joins those of the front.
struct Chart {
  std::string title, subtitle;
  std::string xTitle, yTitle, topTitle;
  Range x, y;          ///< points outside are not shown
  double topFrom = 0;  ///< the upper axis shows topFrom / x; 0: there is none
  double rule = 0;     ///< a dashed line across at this y, where `ruleLabel` says why
  double upright = 0;  ///< a dashed line from top to bottom at this x
  std::string ruleLabel, uprightLabel;
  std::string frontWords, plainWords, faintWords, chosenWords;  ///< of the key; empty: no such mark
  std::vector<ChartPoint> points;
};

/// Returns a BGR picture, 1200 x 780.
cv::Mat drawChart(const Chart& chart);

/// A line over the hours of a day.
struct HourLine {
  std::string name;
  std::vector<double> values;  ///< one for each of HoursChart::hours; NaN: a gap
};

/// Lines over a day, on a ground that shows how light it was.
struct HoursChart {
  std::string title, subtitle, yTitle;
  std::vector<double> hours;  ///< rising, 0 to 24
  std::vector<double> light;  ///< of each hour: 0 night, 1 day
  std::vector<HourLine> lines;
};

/// Returns a BGR picture, 1200 x 620. The y axis covers all values.
cv::Mat drawHours(const HoursChart& chart);

}  // namespace mpm::cli
