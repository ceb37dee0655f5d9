// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointF>
#include <QRectF>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "gui/canvas/pixels.h"
#include "gui/canvas/token_groups.h"
#include "mpm/teach.h"

/// What tools do to a painting, CV_8U. Places are of the picture, from (0, 0) to (1, 1).
namespace mpm::gui {

/// The pixel that a place lies in; also beside the picture.
inline cv::Point pixelAt(QPointF place, cv::Size size) {
  return {cvFloor(place.x() * size.width), cvFloor(place.y() * size.height)};
}

/// A line of so many pixels' width, one more where that is even, with round ends, from the middle
/// of one pixel to that of another; each pixel becomes `valueAt` (row, column). Gives where it
/// lies.
template <typename ValueAt>
cv::Rect paintAlong(cv::Mat& labels, QPointF from, QPointF to, int width, const ValueAt& valueAt) {
  const cv::Point begin = pixelAt(from, labels.size()), end = pixelAt(to, labels.size());
  const int reach = width / 2;
  const cv::Point first(std::min(begin.x, end.x) - reach, std::min(begin.y, end.y) - reach);
  const cv::Point last(std::max(begin.x, end.x) + reach, std::max(begin.y, end.y) + reach);
  const cv::Rect area = cv::Rect(first, last + cv::Point(1, 1)) & cv::Rect({}, labels.size());
  const cv::Point2d along = end - begin;
  const double length2 = std::max(1.0, along.dot(along)), most = width * width / 4.0;
  for (int y = area.y; y < area.br().y; ++y) {
    auto* row = labels.ptr<std::uint8_t>(y);
    for (int x = area.x; x < area.br().x; ++x) {
      const cv::Point2d off = cv::Point(x, y) - begin;
      const cv::Point2d across = off - along * std::clamp(off.dot(along) / length2, 0.0, 1.0);
      if (across.dot(across) <= most) row[x] = static_cast<std::uint8_t>(valueAt(y, x));
    }
  }
  return area;
}

inline cv::Rect paintLine(cv::Mat& labels, QPointF from, QPointF to, int width, int value) {
  return paintAlong(labels, from, to, width, [value](int, int) { return value; });
}

/// The same with what `found`, of the same size, says of each pixel; where that is kUnpainted the
/// painting stays.
inline cv::Rect paintFound(cv::Mat& labels, const cv::Mat& found, QPointF from, QPointF to,
                           int width) {
  return paintAlong(labels, from, to, width, [&](int y, int x) {
    const int value = found.at<std::uint8_t>(y, x);
    return value == kUnpainted ? labels.at<std::uint8_t>(y, x) : value;
  });
}

inline void paintPolygon(cv::Mat& labels, const std::vector<QPointF>& corners, int value) {
  std::vector<cv::Point> points;
  for (const QPointF& corner : corners) points.push_back(pixelAt(corner, labels.size()));
  if (points.size() >= 3) cv::fillPoly(labels, std::vector{points}, cv::Scalar(value));
}

/// Every place whose token is that of the place at `at`. `map` as mapBehind gives it, or empty; the
/// grid covers `area`. Gives how many places these were: 0 outside the grid.
inline int paintGroup(cv::Mat& labels, const cv::Mat& map, const QRectF& area, QPointF at,
                      int value) {
  const int place = map.empty() ? -1 : placeAt(at, map.size(), area);
  if (place < 0) return 0;
  const int row = map.at<int>(place / map.cols, place % map.cols);
  Samples samples;
  sampleGrid({{{}, labels.size()}, labels.size(), labels.size()}, map.size(), area, samples);
  for (int y = 0; y < labels.rows; ++y) {
    const int gridRow = samples.rows[static_cast<std::size_t>(y)];
    if (gridRow < 0) continue;
    const int* rows = map.ptr<int>(gridRow);
    if (std::find(rows, rows + map.cols, row) == rows + map.cols) continue;
    auto* pixels = labels.ptr<std::uint8_t>(y);
    for (int x = 0; x < labels.cols; ++x) {
      const int column = samples.columns[static_cast<std::size_t>(x)];
      if (column >= 0 && rows[column] == row) pixels[x] = static_cast<std::uint8_t>(value);
    }
  }
  return cv::countNonZero(map == row);
}

/// What is not painted yet becomes what `found` says.
inline void paintRest(cv::Mat& labels, const cv::Mat& found) {
  found.copyTo(labels, labels == kUnpainted);
}

}  // namespace mpm::gui
