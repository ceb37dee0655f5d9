// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>

namespace mpm::evaluate {

/// A photo, BGR, turned as its camera says; empty where it cannot be read. A JPEG that was cut off
/// counts as one: OpenCV would make grey of what is missing, without a word.
cv::Mat readPhotoFile(const std::string& path);

/// Whether bytes are a JPEG whose first picture lacks its end.
bool isCutJpeg(std::string_view bytes);

}  // namespace mpm::evaluate
