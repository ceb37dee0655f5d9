// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <string>

#include "in_project.h"

namespace mpm::test {

/// Of a model of tests/models.
inline std::string modelPath(const std::string& name) {
  return inProject("tests/models/") + name + ".onnx";
}

/// BGR.
inline cv::Mat randomFrame(const cv::Size& size, std::uint64_t seed = 31) {
  cv::Mat frame(size, CV_8UC3);
  cv::RNG(seed).fill(frame, cv::RNG::UNIFORM, 0, 256);
  return frame;
}

}  // namespace mpm::test
