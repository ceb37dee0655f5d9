// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "cli/chart/canvas.h"
#include "cli/chart/hours.h"
#include "cli/demo_report.h"
#include "segment/pictures.h"

namespace mpm::cli {
namespace {

constexpr int kGap = 12, kCaption = 34;

std::string clockText(double hour) {
  const int minutes = static_cast<int>(std::lround(hour * 60));
  return cv::format("%d:%02d", minutes / 60, minutes % 60);
}

// A picture under its words.
cv::Mat captioned(const cv::Mat& picture, const std::string& words) {
  Canvas caption(cv::Size(picture.cols, kCaption));
  caption.text(words, {2, kCaption / 2.0}, Align::left, 17, cv::Scalar(52, 44, 38));
  cv::Mat both;
  cv::vconcat(caption.picture(), picture, both);
  return both;
}

// Two by two, on white.
cv::Mat square(const std::vector<cv::Mat>& parts) {
  const cv::Size one = parts.front().size();
  cv::Mat all(2 * one.height + 3 * kGap, 2 * one.width + 3 * kGap, CV_8UC3, cv::Scalar::all(255));
  for (int i = 0; i < 4; ++i) {
    const cv::Point at(kGap + i % 2 * (one.width + kGap), kGap + i / 2 * (one.height + kGap));
    parts[static_cast<std::size_t>(i)].copyTo(all(cv::Rect(at, one)));
  }
  return all;
}

std::string rowsText(const std::vector<int>& rows) {
  std::string text = std::to_string(rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    text += " > ";
    text += std::to_string(rows[i]);
  }
  return text;
}

}  // namespace

cv::Mat demoPicture(const DemoMoment& moment, const std::vector<cv::Vec3b>& palette) {
  return square({captioned(moment.picture, clockText(moment.hour)),
                 captioned(drawMergeMap(moment.picture, moment.mergeMap),
                           "merged tokens: " + rowsText(moment.rows) + " rows"),
                 captioned(drawOverlay(moment.picture, moment.fullLabels, palette), "full tokens"),
                 captioned(drawOverlay(moment.picture, moment.labels, palette), "with merging")});
}

cv::Mat demoChart(const DemoDay& day) {
  HoursChart chart;
  chart.title = "Live rows over a day";
  chart.subtitle = "one street; dark ground: night";
  chart.yTitle = "live rows";
  chart.lines.resize(day.schedule.size());
  for (std::size_t merge = 0; merge < day.schedule.size(); ++merge) {
    chart.lines[merge].name = "behind block " + std::to_string(day.schedule[merge] - 1);
  }
  for (const DemoFrame& frame : day.frames) {
    chart.hours.push_back(frame.hour);
    chart.light.push_back(frame.daylight);
    for (std::size_t merge = 0; merge < chart.lines.size(); ++merge) {
      chart.lines[merge].values.push_back(frame.rows[merge + 1]);
    }
  }
  return drawHours(chart);
}

}  // namespace mpm::cli
