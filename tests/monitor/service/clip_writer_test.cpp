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

// As on a full disk. Seen: it counted as whole.
TEST(ClipWriter, AFileThatIsNotWholeIsTold) {
  const Folder folder;
  const std::string path = folder.at("clip.avi");
  const auto heed = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 100000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &few), 0);
  monitor::ClipWriter::Status status;
  {
    monitor::ClipWriter writer(path, 10);
    cv::Mat picture(240, 320, CV_8UC3);
    cv::RNG(1).fill(picture, cv::RNG::UNIFORM, 0, 256);
    for (int i = 0; i < 10; ++i) writer.add(picture);
    writer.finish([&](const monitor::ClipWriter::Status& is) { status = is; });
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, heed);
  EXPECT_GT(status.written, 0u);
  EXPECT_FALSE(status.isWhole);
}

TEST(ClipWriter, APlaceThatCannotBeWrittenIsTold) {
  monitor::ClipWriter::Status status;
  {
    monitor::ClipWriter writer("/nowhere/clip.avi", 10);
    writer.add(cv::Mat(48, 64, CV_8UC3, cv::Scalar()));
    writer.finish([&](const monitor::ClipWriter::Status& is) { status = is; });
  }
  EXPECT_EQ(status.fault, "cannot write /nowhere/clip.avi: No such file or directory");
  EXPECT_EQ(status.written, 0u);
  EXPECT_EQ(status.leftOut, 1u);
}

}  // namespace
}  // namespace mpm::test
