// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>

namespace mpm::evaluate {

/// The numbers that a label picture holds, CV_16U: the values of a grey one of any depth, the
/// palette's indices of a PNG with a palette (the colours that stand there are for looking at).
/// std::runtime_error that begins with the path where it cannot be read, where it has several
/// channels, or where a palette has one colour at two indices, of which OpenCV, which hands colours
/// over, does not say which it was.
cv::Mat readLabelNumbers(const std::string& path);

}  // namespace mpm::evaluate
