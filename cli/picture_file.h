// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <opencv2/core.hpp>
#include <vector>

namespace mpm::cli {

/// Writes a picture in the format of its ending, with cv::imwrite's parameters. std::runtime_error
/// where that fails, on a full disk too, which cv::imwrite does not notice.
void writePicture(const std::filesystem::path& path, const cv::Mat& picture,
                  const std::vector<int>& parameters = {});

}  // namespace mpm::cli
