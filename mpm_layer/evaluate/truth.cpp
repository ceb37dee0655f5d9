// SPDX-License-Identifier: Apache-2.0
#include "evaluate/truth.h"

#include <array>
#include <cstdint>
#include <opencv2/imgproc.hpp>

namespace mpm::evaluate {
namespace {

// Cityscapes' numbers of its 19 classes, in their order.
constexpr std::array<int, 19> kCityscapesIds = {7,  8,  11, 12, 13, 17, 19, 20, 21, 22,
                                                23, 24, 25, 26, 27, 28, 31, 32, 33};
constexpr int kLastCityscapesId = 33;
constexpr int kUnlabelled = 255;

}  // namespace

// What is no number of a picture changes nothing.
void LabelRule::set(int number, std::uint16_t meaning) {
  if (number < 0 || number >= static_cast<int>(meanings_.size())) return;
  meanings_[static_cast<std::size_t>(number)] = meaning;
}

LabelRule LabelRule::plain(std::size_t classes, int ignored) {
  LabelRule rule;
  for (std::size_t k = 0; k < classes; ++k)
    rule.set(static_cast<int>(k), static_cast<std::uint16_t>(k));
  rule.set(ignored, kIgnored);
  return rule;
}

LabelRule LabelRule::reducedZero(std::size_t classes, int ignored) {
  LabelRule rule;
  rule.set(0, kIgnored);
  for (std::size_t k = 0; k < classes; ++k)
    rule.set(static_cast<int>(k) + 1, static_cast<std::uint16_t>(k));
  rule.set(ignored, kIgnored);
  return rule;
}

LabelRule LabelRule::cityscapesIds() {
  LabelRule rule;
  for (int number = 0; number <= kLastCityscapesId; ++number) rule.set(number, kIgnored);
  rule.set(kUnlabelled, kIgnored);
  for (std::size_t k = 0; k < kCityscapesIds.size(); ++k)
    rule.set(kCityscapesIds[k], static_cast<std::uint16_t>(k));
  return rule;
}

Truth LabelRule::truthOf(const cv::Mat& numbers) const {
  Truth truth;
  truth.classes.create(numbers.size(), CV_16U);
  for (int y = 0; y < numbers.rows; ++y) {
    const auto* from = numbers.ptr<std::uint16_t>(y);
    auto* to = truth.classes.ptr<std::uint16_t>(y);
    for (int x = 0; x < numbers.cols; ++x) {
      to[x] = meanings_[from[x]];
      if (to[x] == kOutside && !truth.outside) truth.outside = from[x];
    }
  }
  return truth;
}

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
