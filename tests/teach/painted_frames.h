// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <opencv2/core.hpp>
#include <string>

namespace mpm::test {

/// A frame of 64 x 48 of a fixed scene, and its painting: a sky (0) above, ground (1) below, and on
/// it a box (2) that is elsewhere in each frame, in colours that change a little with `number`.
struct PaintedScene {
  cv::Mat frame, labels;  ///< CV_8UC3; CV_8U
};
PaintedScene paintedScene(int number);

/// A frame of 64 x 48 of noise that says nothing of where one is, painted in four quarters of which
/// opposite ones have one class.
PaintedScene paintedQuarters(int number);
/// Dots of single patches, of one colour or the other: the last block's tokens know little of them.
PaintedScene paintedDots(int number);

/// The share of pixels that have the same label.
double agreement(const cv::Mat& labels, const cv::Mat& others);

/// For other programs that run a taught file: a frame of its input's size as its metadata say,
/// [1 x 3 x H x W]; and of scores [1 x classes x H x W] each pixel's class, the first of several.
cv::Mat blobOf(const cv::Mat& frame, const std::map<std::string, std::string>& metadata);
cv::Mat bestOf(const cv::Mat& scores);

}  // namespace mpm::test
