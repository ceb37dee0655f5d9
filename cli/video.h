// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/videoio.hpp>
#include <string>

namespace mpm::cli {

/// Opens a video file, the numbered pictures of a pattern (p_%03d.png), an address (rtsp://...) or
/// a camera (/dev/video0); false where it is none. OpenCV by itself would hand what is no video to
/// every camera driver that it knows, which takes seconds, and some of them leak.
bool openVideo(cv::VideoCapture& video, const std::string& input);

}  // namespace mpm::cli
