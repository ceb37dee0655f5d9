// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/clip_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <opencv2/videoio.hpp>
#include <stdexcept>

#include "monitor/eventually.h"

namespace mpm::test {
namespace {

TEST(ClipWriter, WritesWhatItWasGiven) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("mpm-clip-" + std::to_string(getpid()) + ".avi");
  {
    monitor::ClipWriter writer(path.string(), 10);
    for (int i = 0; i < 5; ++i) {
      // Another size is brought to the first one's.
      const cv::Size size = i == 3 ? cv::Size(32, 32) : cv::Size(64, 48);
      writer.add(cv::Mat(size, CV_8UC3, cv::Scalar::all(i * 40)), i == 4 ? 3 : 1);
    }
    EXPECT_TRUE(eventually([&] { return writer.status().written == 5; }));
    EXPECT_EQ(writer.status().leftOut, 0u);
  }
  cv::VideoCapture video(path.string(), cv::CAP_OPENCV_MJPEG);
  cv::Mat picture;
  int count = 0;
  while (video.read(picture)) {
    EXPECT_EQ(picture.size(), cv::Size(64, 48));
    ++count;
  }
  EXPECT_EQ(count, 7) << "the last one stands for three frames";
  std::filesystem::remove(path);
}

TEST(ClipWriter, APlaceThatCannotBeWrittenIsRefused) {
  try {
    monitor::ClipWriter("/nowhere/clip.avi", 10);
    ADD_FAILURE() << "not refused";
  } catch (const std::runtime_error& fault) {
    EXPECT_STREQ(fault.what(), "cannot write /nowhere/clip.avi: No such file or directory");
  }
}

}  // namespace
}  // namespace mpm::test
