// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/clips.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <opencv2/videoio.hpp>
#include <string>

#include "cli/folder.h"
#include "monitor/eventually.h"

namespace mpm::test {
namespace {

TEST(ClipWriter, WritesWhatItWasGiven) {
  const Folder folder;
  const std::string path = folder.at("clip.avi");
  {
    monitor::ClipWriter writer(path, 10);
    for (int i = 0; i < 5; ++i) {
      // Another size is brought to the first one's.
      const cv::Size size = i == 3 ? cv::Size(32, 32) : cv::Size(64, 48);
      writer.add(cv::Mat(size, CV_8UC3, cv::Scalar::all(i * 40)), i == 4 ? 3 : 1);
    }
    EXPECT_TRUE(eventually([&] { return writer.status().written == 5; }));
    EXPECT_EQ(writer.status().leftOut, 0u);
    bool isWhole = false;
    writer.finish([&](const monitor::ClipWriter::Status& is) { isWhole = is.isWhole; });
    EXPECT_TRUE(eventually([&] { return writer.isDone(); }));
    EXPECT_TRUE(isWhole);
  }
  cv::VideoCapture video(path, cv::CAP_OPENCV_MJPEG);
  cv::Mat picture;
  int count = 0;
  while (video.read(picture)) {
    EXPECT_EQ(picture.size(), cv::Size(64, 48));
    ++count;
  }
  EXPECT_EQ(count, 7) << "the last one stands for three frames";
}

}  // namespace
}  // namespace mpm::test
