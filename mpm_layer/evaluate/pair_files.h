// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>

namespace mpm::evaluate {

/// The numbers that a label picture holds, CV_16U: the values of a grey one of any depth, the
/// palette's indices of a PNG with a palette (the colours that stand there are for looking at).
/// std::runtime_error that begins with the path where it cannot be read, where it has several
/// channels, or where a palette has one colour at two indices, of which OpenCV, which hands colours
/// over, does not say which it was.
cv::Mat readLabelNumbers(const std::string& path);

/// A photo, BGR, turned as its camera says; empty where it cannot be read. A JPEG that was cut off
/// counts as one: OpenCV would make grey of what is missing, without a word.
cv::Mat readPhotoFile(const std::string& path);

/// Whether bytes are a JPEG whose first picture lacks its end.
bool isCutJpeg(std::string_view bytes);

}  // namespace mpm::evaluate
