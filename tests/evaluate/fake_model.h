// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/imgproc.hpp>

#include "evaluate/picture.h"

namespace mpm::test {

/// A model that takes a pixel's blue for its class, and with merging sees half the pixels.
struct FakeModel {
  int classes = 0;
  std::vector<Schedule>* ran = nullptr;  ///< is told what ran, in order

  static constexpr int kSpecial = 1;

  cv::Mat found(const Schedule& schedule, const cv::Mat& photo) const {
    cv::Mat seen = photo, blue;
    if (!schedule.empty()) {
      cv::resize(photo, seen, {(photo.cols + 1) / 2, (photo.rows + 1) / 2}, 0, 0,
                 cv::INTER_NEAREST);
      cv::resize(seen, seen, photo.size(), 0, 0, cv::INTER_NEAREST);
    }
    cv::extractChannel(seen, blue, 0);
    return cv::min(blue, classes - 1);
  }

  Segmentation operator()(const Schedule& schedule, const cv::Mat& photo) const {
    if (ran != nullptr) ran->push_back(schedule);
    Segmentation segmentation;
    segmentation.labels = found(schedule, photo);
    segmentation.rows = {kSpecial + 8};
    for (std::size_t i = 1; i <= schedule.size(); ++i)
      segmentation.rows.push_back(kSpecial + (8 >> i));
    segmentation.times = {2, 10.0 / static_cast<double>(1 + schedule.size()), 0};
    return segmentation;
  }
};

}  // namespace mpm::test
