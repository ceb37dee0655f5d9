// SPDX-License-Identifier: Apache-2.0
#include "cli/video.h"

#include <filesystem>
#include <system_error>

namespace mpm::cli {

bool openVideo(cv::VideoCapture& video, const std::string& input) {
  std::error_code ignored;
  if (std::filesystem::is_character_file(input, ignored)) return video.open(input, cv::CAP_V4L2);
  const bool isFile = std::filesystem::is_regular_file(input, ignored);
  if (!isFile && input.find('%') != std::string::npos) return video.open(input, cv::CAP_IMAGES);
  if (!isFile && input.find("://") == std::string::npos) return false;
  for (const int reader : {cv::CAP_FFMPEG, cv::CAP_GSTREAMER, cv::CAP_OPENCV_MJPEG}) {
    if (video.open(input, reader)) return true;
  }
  return false;
}

}  // namespace mpm::cli
