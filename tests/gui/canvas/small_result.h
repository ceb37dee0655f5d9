// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>

#include "gui/canvas/class_settings.h"
#include "monitor/engine/frame_result.h"

namespace mpm::gui {

/// Returns a frame of 80 x 60, its left half red, class 1, and its right half blue, class 2, over 4
/// x 3 patches. Merge 1 joins patches 0 and 1, merge 2 joins 4 to them and 10 with 11; patch 7 has
/// no partner before merge 2. Unmerged, the uppermost row of pixels is class 0. Patches 0, 1 and 4
/// are new, the others up to seven frames old.
inline std::shared_ptr<monitor::FrameResult> smallResult() {
  auto result = std::make_shared<monitor::FrameResult>();
  cv::Mat picture(60, 80, CV_8UC3, cv::Scalar(0, 0, 200));
  picture.colRange(40, 80).setTo(cv::Scalar(200, 0, 0));
  result->frame.picture = picture;
  result->frame.number = 1;
  Segmentation& found = result->segmentation;
  found.labels = cv::Mat(60, 80, CV_8U, cv::Scalar(1));
  found.labels.colRange(40, 80).setTo(2);
  found.confidence = cv::Mat(60, 80, CV_32F, cv::Scalar(0.75));
  found.stages.resize(2);
  found.stages[0].map = (cv::Mat_<int>(3, 4) << 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
  found.stages[0].similarity = cv::Mat(3, 4, CV_32F, cv::Scalar(0.9));
  found.stages[1].map = (cv::Mat_<int>(3, 4) << 0, 0, 1, 2, 0, 3, 4, 5, 6, 7, 8, 8);
  found.stages[1].similarity = cv::Mat(3, 4, CV_32F, cv::Scalar(0.5));
  found.stages[1].similarity.at<float>(1, 3) = std::numeric_limits<float>::quiet_NaN();
  found.mergeMap = found.stages[1].map;
  found.rows = {13, 12, 10};
  found.patchAges = (cv::Mat_<int>(3, 4) << 0, 0, 3, 3, 0, 7, 7, 7, 1, 1, 1, 1);
  result->full = Segmentation{};
  result->full->labels = found.labels.clone();
  result->full->labels.row(0).setTo(0);
  return result;
}

inline void giveSmallClasses(ClassSettings& classes) {
  classes.setClasses({"sky", "wall", "road"}, {{255, 0, 0}, {0, 255, 0}, {0, 255, 255}});
}

}  // namespace mpm::gui
