// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace mpm::gui {

/// A BGR picture, as large as fits into `room`, never larger than it is; null of none.
inline QImage thumbnailOf(const cv::Mat& picture, QSize room) {
  if (picture.empty() || picture.type() != CV_8UC3) return {};
  const double scale = std::min({1.0, static_cast<double>(room.width()) / picture.cols,
                                 static_cast<double>(room.height()) / picture.rows});
  const cv::Size size(std::max(1, cvRound(picture.cols * scale)),
                      std::max(1, cvRound(picture.rows * scale)));
  cv::Mat small;
  cv::resize(picture, small, size, 0, 0, cv::INTER_AREA);
  return QImage(small.data, small.cols, small.rows, static_cast<qsizetype>(small.step[0]),
                QImage::Format_BGR888)
      .convertToFormat(QImage::Format_RGB32);
}

}  // namespace mpm::gui
