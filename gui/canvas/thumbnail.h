// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace mpm::gui {

/// As large as fits into `room`, never larger than the picture is.
inline QSize thumbnailSize(QSize picture, QSize room) {
  const double scale = std::min({1.0, static_cast<double>(room.width()) / picture.width(),
                                 static_cast<double>(room.height()) / picture.height()});
  return {std::max(1, static_cast<int>(std::lround(picture.width() * scale))),
          std::max(1, static_cast<int>(std::lround(picture.height() * scale)))};
}

/// A BGR picture of thumbnailSize; null of none.
inline QImage thumbnailOf(const cv::Mat& picture, QSize room) {
  if (picture.empty() || picture.type() != CV_8UC3) return {};
  const QSize size = thumbnailSize({picture.cols, picture.rows}, room);
  cv::Mat small;
  cv::resize(picture, small, {size.width(), size.height()}, 0, 0, cv::INTER_AREA);
  return QImage(small.data, small.cols, small.rows, static_cast<qsizetype>(small.step[0]),
                QImage::Format_BGR888)
      .convertToFormat(QImage::Format_RGB32);
}

}  // namespace mpm::gui
