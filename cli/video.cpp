// SPDX-License-Identifier: Apache-2.0
#include "cli/video.h"

#include <filesystem>
#include <opencv2/videoio/registry.hpp>
#include <system_error>

namespace mpm::cli {

bool openVideo(cv::VideoCapture& video, const std::string& input) {
  std::error_code ignored;
  if (std::filesystem::is_character_file(input, ignored)) return video.open(input, cv::CAP_V4L2);
  const bool isFile = std::filesystem::is_regular_file(input, ignored);
  if (!isFile && input.find('%') != std::string::npos) return video.open(input, cv::CAP_IMAGES);
  if (!isFile && input.find("://") == std::string::npos) return false;
  // GStreamer reads nothing that FFmpeg does not, and what it does not open it may never let go of.
  const int main =
      cv::videoio_registry::hasBackend(cv::CAP_FFMPEG) ? cv::CAP_FFMPEG : cv::CAP_GSTREAMER;
  return video.open(input, main) || video.open(input, cv::CAP_OPENCV_MJPEG);
}

}  // namespace mpm::cli
