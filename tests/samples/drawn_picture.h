// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

namespace mpm::test {

/// Writes a picture of 96 x 64: a sky, a ground and a disc.
inline void writePicture(const std::string& path) {
  cv::Mat picture(64, 96, CV_8UC3, cv::Scalar(220, 160, 90));
  picture.rowRange(40, 64).setTo(cv::Scalar(60, 90, 70));
  cv::circle(picture, {60, 30}, 14, {40, 40, 200}, cv::FILLED);
  cv::imwrite(path, picture);
}

}  // namespace mpm::test
