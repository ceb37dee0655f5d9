// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <opencv2/core.hpp>
#include <optional>

namespace mpm::monitor {

/// Width and height as a picture's file says them, of each of the formats that isPictureName names,
/// told by their contents. Nothing of the picture is decoded. Nothing: it is no such file, or it
/// ends before it says so.
std::optional<cv::Size> pictureSize(const std::filesystem::path& path);

}  // namespace mpm::monitor
