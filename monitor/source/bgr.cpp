// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/reader.h"

#include <opencv2/imgproc.hpp>

namespace mpm::monitor {
namespace {

// What white is; 0: no depth of a picture.
double whiteOf(int depth) {
  switch (depth) {
    case CV_8U:
      return 255;
    case CV_16U:
      return 65535;
    case CV_32F:
    case CV_64F:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

cv::Mat bgrOf(const cv::Mat& picture) {
  const double white = whiteOf(picture.depth());
  if (picture.empty() || picture.dims != 2 || white <= 0) return {};
  if (picture.type() == CV_8UC3) return picture;
  cv::Mat bytes = picture;
  if (picture.depth() != CV_8U) picture.convertTo(bytes, CV_8U, 255 / white);
  cv::Mat bgr;
  switch (picture.channels()) {
    case 1:
      cv::cvtColor(bytes, bgr, cv::COLOR_GRAY2BGR);
      return bgr;
    case 3:
      return bytes;
    case 4:
      cv::cvtColor(bytes, bgr, cv::COLOR_BGRA2BGR);
      return bgr;
    default:
      return {};
  }
}

}  // namespace mpm::monitor
