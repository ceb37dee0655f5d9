// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>

#include "cli/demo_day.h"

namespace mpm::cli {

/// A line for each light: mIoU and time of full tokens and of merging, rows, agreement; and what
/// the times were measured on.
std::string demoTable(const DemoDay& day);

/// Every frame and every light, for programs.
std::string demoJson(const DemoDay& day);

/// Live rows over the day.
cv::Mat demoChart(const DemoDay& day);

/// A moment: the frame, its labels by full tokens and with merging, the merged tokens.
cv::Mat demoPicture(const DemoMoment& moment, const std::vector<cv::Vec3b>& palette);

}  // namespace mpm::cli
