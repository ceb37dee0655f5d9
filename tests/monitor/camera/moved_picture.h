// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/imgproc.hpp>

#include "monitor/camera/registration.h"
#include "monitor/clock/clock.h"
#include "monitor/says.h"

namespace mpm::test {

/// What a camera sees that was moved by shares of the width, and turned.
inline cv::Mat moved(const cv::Mat& picture, double x, double y = 0, double degrees = 0,
                     int border = cv::BORDER_REFLECT) {
  monitor::Placement placement;
  placement.shift = {x, y};
  placement.degrees = degrees;
  cv::Mat other;
  cv::warpAffine(picture, other, monitor::transformOf(placement, picture.size()), picture.size(),
                 cv::INTER_LINEAR, border);
  return other;
}

inline monitor::Moment momentAt(double seconds) {
  const auto ms = static_cast<std::int64_t>(seconds * 1000);
  return {ms, ms, 0, true};
}

}  // namespace mpm::test
