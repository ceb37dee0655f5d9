// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "cli/chart/places.h"

namespace mpm::cli {

/// How a point looks, from what lies behind to what lies in front.
enum class Mark { faint, plain, front, chosen };

struct ChartPoint {
  double x = 0, y = 0;
  Mark mark = Mark::plain;
  std::string label;  ///< may stay away where there is no room, unless the mark is `chosen`
};

/// Points over two axes, those of the front joined by a line.
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

/// BGR, 1200 x 780.
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

/// BGR, 1200 x 620. The y axis takes in all values.
cv::Mat drawHours(const HoursChart& chart);

}  // namespace mpm::cli
