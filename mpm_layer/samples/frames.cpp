// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

#include <algorithm>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio/registry.hpp>
#include <stdexcept>

namespace demo {
namespace {

// By the readers that fit the name: OpenCV would ask every camera driver that it knows, too.
bool openByName(cv::VideoCapture& capture, const std::string& name) {
  if (std::filesystem::is_character_file(name)) return capture.open(name, cv::CAP_V4L2);
  if (!std::filesystem::exists(name) && name.find("://") == std::string::npos) return false;
  const bool hasFFmpeg = cv::videoio_registry::hasBackend(cv::CAP_FFMPEG);
  return capture.open(name, hasFFmpeg ? cv::CAP_FFMPEG : cv::CAP_GSTREAMER);
}

}  // namespace

Frames::Frames(const std::string& input) {
  const bool camera =
      !input.empty() && input.size() < 4 &&
      std::all_of(input.begin(), input.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!camera && std::filesystem::is_regular_file(input)) picture_ = cv::imread(input);
  if (!picture_.empty()) return;
  if (camera ? capture_.open(std::stoi(input)) : openByName(capture_, input)) return;
  throw std::runtime_error("cannot open '" + input + "' as a camera, a picture or a video");
}

bool Frames::read(cv::Mat& frame) {
  if (picture_.empty()) return capture_.read(frame);
  frame = picture_;
  return true;
}

}  // namespace demo
