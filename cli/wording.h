// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core/types.hpp>
#include <string>
#include <vector>

/// How the program says what the library knows.
namespace mpm::cli {

std::string shapeText(const std::vector<int>& shape);      ///< "[any x 3 x 48 x 64]"
std::string sizeText(const cv::Size& size);                ///< "64 x 48": width x height
std::string scheduleText(const std::vector<int>& blocks);  ///< "before blocks 2 and 5"
/// A message of OpenCV's, which frames texts of several lines with "> " and " > ".
std::string withoutFrame(const std::string& text);

}  // namespace mpm::cli
