// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <opencv2/videoio.hpp>
#include <string>

namespace demo {

/// The frames of a camera (its number), a picture (the same again and again), a video or an
/// address. std::runtime_error where `input` is none of these.
class Frames {
 public:
  explicit Frames(const std::string& input);

  /// False where there are no more.
  bool read(cv::Mat& frame);

 private:
  cv::Mat picture_;
  cv::VideoCapture capture_;
};

}  // namespace demo
