// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <opencv2/videoio.hpp>
#include <string>

namespace mpm::test {

/// Writes a video of grey pictures, 64 x 48, 20 fps: the i-th has the grey 5 * i. Motion JPEG by
/// OpenCV's own writer, which is always there.
inline void writeVideo(const std::string& path, int frames) {
  cv::VideoWriter video(path, cv::CAP_OPENCV_MJPEG, cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 20,
                        cv::Size(64, 48));
  ASSERT_TRUE(video.isOpened());
  for (int i = 0; i < frames; ++i) video.write(cv::Mat(48, 64, CV_8UC3, cv::Scalar::all(5 * i)));
}

/// Which of its frames a picture is.
inline int frameOf(const cv::Mat& picture) {
  return cvRound(picture.at<cv::Vec3b>(24, 32)[1] / 5.0);
}

}  // namespace mpm::test
