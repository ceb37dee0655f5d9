// SPDX-License-Identifier: Apache-2.0
#include "segment/pictures.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <opencv2/imgproc.hpp>

namespace mpm {
namespace {

// A cell is at least this large, so that lines leave something of it.
constexpr int kSmallestCell = 8;
// A picture of few pixels is enlarged for that, but to no more than this.
constexpr int kLongestSide = 8192;

std::vector<cv::Vec3b> groupColours(const cv::Mat& frame, const cv::Mat& map) {
  cv::Mat colours;  // one pixel for each place
  cv::resize(frame, colours, map.size(), 0, 0, cv::INTER_AREA);
  std::vector<cv::Vec3d> sums(map.total());
  std::vector<int> sizes(map.total(), 0);
  for (int y = 0; y < map.rows; ++y) {
    for (int x = 0; x < map.cols; ++x) {
      const auto group = static_cast<std::size_t>(map.at<int>(y, x));
      sums[group] += cv::Vec3d(colours.at<cv::Vec3b>(y, x));
      ++sizes[group];
    }
  }
  std::vector<cv::Vec3b> means;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    means.emplace_back(cv::Vec3b(sums[i] / std::max(sizes[i], 1)));
  }
  return means;
}

// A line in a dark colour is lighter than it, any other one darker.
cv::Vec3b lineIn(const cv::Vec3b& colour) {
  const bool isDark = colour[0] + colour[1] + colour[2] < 3 * 60;
  const cv::Vec3d line = isDark ? cv::Vec3d(colour) + cv::Vec3d::all(45) : cv::Vec3d(colour) * 0.55;
  return {line};
}

}  // namespace

cv::Mat drawOverlay(const cv::Mat& frame, const cv::Mat& labels,
                    const std::vector<cv::Vec3b>& palette) {
  cv::Mat overlay(frame.size(), CV_8UC3);
  for (int y = 0; y < frame.rows; ++y) {
    for (int x = 0; x < frame.cols; ++x) {
      const int label = labels.depth() == CV_8U ? labels.at<uchar>(y, x) : labels.at<ushort>(y, x);
      const cv::Vec3b colour = palette[static_cast<std::size_t>(label)];
      const cv::Vec3b own = frame.at<cv::Vec3b>(y, x);
      for (int c = 0; c < 3; ++c) {
        overlay.at<cv::Vec3b>(y, x)[c] = static_cast<uchar>((own[c] + colour[c]) / 2);
      }
    }
  }
  return overlay;
}

cv::Mat drawMergeMap(const cv::Mat& frame, const cv::Mat& map) {
  const std::vector<cv::Vec3b> colours = groupColours(frame, map);
  const int wanted = std::max((kSmallestCell * map.cols + frame.cols - 1) / frame.cols,
                              (kSmallestCell * map.rows + frame.rows - 1) / frame.rows);
  const int scale = std::max(1, std::min(wanted, kLongestSide / std::max(frame.cols, frame.rows)));
  cv::Mat drawn(frame.rows * scale, frame.cols * scale, CV_8UC3);
  for (int y = 0; y < drawn.rows; ++y) {
    const int row = y * map.rows / drawn.rows;
    const int above = std::max(y - 1, 0) * map.rows / drawn.rows;
    for (int x = 0; x < drawn.cols; ++x) {
      const int column = x * map.cols / drawn.cols;
      const int left = std::max(x - 1, 0) * map.cols / drawn.cols;
      const int group = map.at<int>(row, column);
      const bool isEdge = map.at<int>(above, column) != group || map.at<int>(row, left) != group;
      const cv::Vec3b& colour = colours[static_cast<std::size_t>(group)];
      drawn.at<cv::Vec3b>(y, x) = isEdge ? lineIn(colour) : colour;
    }
  }
  return drawn;
}

cv::Mat drawValues(const cv::Mat& values) {
  // Of numbers whose magnitude is finite, NaN not among them.
  const cv::Mat isFinite = cv::abs(values) <= std::numeric_limits<float>::max();
  double smallest = 0, largest = 0;
  if (cv::countNonZero(isFinite) > 0)
    cv::minMaxLoc(values, &smallest, &largest, nullptr, nullptr, isFinite);
  const double scale = largest > smallest ? 255 / (largest - smallest) : 0;
  cv::Mat shares, drawn;
  values.convertTo(shares, CV_8U, scale, -smallest * scale);
  cv::applyColorMap(shares, drawn, cv::COLORMAP_INFERNO);
  drawn.setTo(cv::Scalar::all(0), ~isFinite);
  return drawn;
}

}  // namespace mpm
