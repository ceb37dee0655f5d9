// SPDX-License-Identifier: Apache-2.0
#include "segment/pictures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <opencv2/imgproc.hpp>

namespace mpm {
namespace {

// Makes cells large enough that a line leaves some of them visible.
constexpr int kSmallestCell = 8;
// Limits the side to which a small picture is enlarged for that.
constexpr int kLongestSide = 8192;

// An enlarged frame, with the place of the grid that each of its pixels lies in.
struct Cells {
  Cells(const cv::Size& frame, const cv::Mat& map, const cv::Rect2d& area) {
    const auto cellsOf = [](int pixels, int places, double begin, double length) {
      std::vector<int> cells;
      for (int pixel = 0; pixel < pixels; ++pixel) {
        const double cell = (pixel - begin * pixels) * places / (length * pixels);
        cells.push_back(std::clamp(static_cast<int>(cell), 0, places - 1));
      }
      return cells;
    };
    const double wanted = std::max(kSmallestCell * map.cols / (frame.width * area.width),
                                   kSmallestCell * map.rows / (frame.height * area.height));
    scale = std::max(1, std::min(static_cast<int>(std::ceil(wanted)),
                                 kLongestSide / std::max(frame.width, frame.height)));
    columns = cellsOf(frame.width * scale, map.cols, area.x, area.width);
    rows = cellsOf(frame.height * scale, map.rows, area.y, area.height);
  }

  cv::Size size() const {
    return {static_cast<int>(columns.size()), static_cast<int>(rows.size())};
  }

  int scale;
  std::vector<int> columns, rows;  // of each pixel
};

std::vector<cv::Vec3b> groupColours(const cv::Mat& frame, const cv::Mat& map, const Cells& cells) {
  std::vector<cv::Vec3d> sums(map.total());
  std::vector<int> sizes(map.total(), 0);
  for (int y = 0; y < cells.size().height; ++y) {
    const int* row = map.ptr<int>(cells.rows[static_cast<std::size_t>(y)]);
    const auto* pixels = frame.ptr<cv::Vec3b>(y / cells.scale);
    for (int x = 0; x < cells.size().width; ++x) {
      const auto group = static_cast<std::size_t>(row[cells.columns[static_cast<std::size_t>(x)]]);
      sums[group] += cv::Vec3d(pixels[x / cells.scale]);
      ++sizes[group];
    }
  }
  std::vector<cv::Vec3b> means;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    means.emplace_back(cv::Vec3b(sums[i] / std::max(sizes[i], 1)));
  }
  return means;
}

// Makes a line lighter than a dark colour and darker than any other.
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

cv::Mat drawMergeMap(const cv::Mat& frame, const cv::Mat& map, const cv::Rect2d& area) {
  const Cells cells(frame.size(), map, area);
  const std::vector<cv::Vec3b> colours = groupColours(frame, map, cells);
  cv::Mat drawn(cells.size(), CV_8UC3);
  const auto groupAt = [&](int y, int x) {
    return map.at<int>(cells.rows[static_cast<std::size_t>(y)],
                       cells.columns[static_cast<std::size_t>(x)]);
  };
  for (int y = 0; y < drawn.rows; ++y) {
    for (int x = 0; x < drawn.cols; ++x) {
      const int group = groupAt(y, x);
      const bool isEdge =
          groupAt(std::max(y - 1, 0), x) != group || groupAt(y, std::max(x - 1, 0)) != group;
      const cv::Vec3b& colour = colours[static_cast<std::size_t>(group)];
      drawn.at<cv::Vec3b>(y, x) = isEdge ? lineIn(colour) : colour;
    }
  }
  return drawn;
}

cv::Mat drawValues(const cv::Mat& values) {
  // Selects values of finite magnitude; NaN is not among them.
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
