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

}  // namespace mpm::cli
