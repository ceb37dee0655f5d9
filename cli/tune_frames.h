// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace mpm::cli {

/// Up to `count` frames, BGR, spread evenly over what `inputs` name: pictures, folders (their
/// pictures by name), videos. std::runtime_error where one of them is neither or holds no frame.
std::vector<cv::Mat> spreadFrames(const std::vector<std::string>& inputs, int count);

}  // namespace mpm::cli
