// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace mpm::monitor {

/// A picture as BGR CV_8UC3: `picture` itself where it is that already, else a converted copy.
/// Takes 8 and 16 bits and floats from 0 to 1; grey, BGR and BGRA. Empty: it is no such picture.
cv::Mat bgrOf(const cv::Mat& picture);

}  // namespace mpm::monitor
