// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace mpm::cli {

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
