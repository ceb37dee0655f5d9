// SPDX-License-Identifier: Apache-2.0
#include "evaluate/edges.h"

#include <cstdint>
#include <opencv2/imgproc.hpp>

#include "evaluate/label_rule.h"

namespace mpm::evaluate {
namespace {

bool isEdge(std::uint16_t a, std::uint16_t b) {
  return a != b && a != LabelRule::kIgnored && b != LabelRule::kIgnored;
}

}  // namespace

cv::Mat nearEdges(const cv::Mat& truth, int distance) {
  cv::Mat near = cv::Mat::zeros(truth.size(), CV_8U);
  for (int y = 0; y < truth.rows; ++y) {
    const auto* here = truth.ptr<std::uint16_t>(y);
    const auto* below = y + 1 < truth.rows ? truth.ptr<std::uint16_t>(y + 1) : nullptr;
    for (int x = 0; x < truth.cols; ++x) {
      if (x + 1 < truth.cols && isEdge(here[x], here[x + 1]))
        near.at<uchar>(y, x) = near.at<uchar>(y, x + 1) = 255;
      if (below != nullptr && isEdge(here[x], below[x]))
        near.at<uchar>(y, x) = near.at<uchar>(y + 1, x) = 255;
    }
  }
  const int side = 2 * (distance - 1) + 1;
  if (side > 1) cv::dilate(near, near, cv::Mat::ones(side, side, CV_8U));
  return near;
}

}  // namespace mpm::evaluate
