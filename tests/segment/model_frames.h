// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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

/// To the bit, of Mats that own all they show.
inline bool isSame(const cv::Mat& a, const cv::Mat& b) {
  if (a.size() != b.size() || a.type() != b.type()) return false;
  return a.empty() || std::equal(a.datastart, a.dataend, b.datastart);
}

}  // namespace mpm::test
