// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#ifdef __linux__
#include <unistd.h>
#endif

#include <filesystem>
#include <fstream>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <utility>

#include "models/scenes/camera.h"
#include "monitor/source/readers.h"

namespace mpm::monitor {
namespace {

std::unique_ptr<Reader> readerOf(const std::string& text, const ReaderOptions& options = {}) {
  return makeReader(parseSourceAddress(text), options);
}

TEST(Reader, OfEveryKindSaysWhyItCannotOpen) {
  const std::pair<const char*, const char*> cases[] = {
      {"/dev/video250", "there is no camera /dev/video250"},
      {"/dev/null", "/dev/null"},
      {"/nowhere/a.mp4", "there is no file"},
      {"/nowhere/folder/", "there is no folder"},
      {"/nowhere/a.png", "there is no picture"},
      {"http://me:geheim@127.0.0.1:1/x", "cannot be opened"},
      {"gst:nosuchelement location=rtsp://me:geheim@h/x user-pw=geheim ! appsink",
       "nosuchelement"}};
  for (const auto& [text, part] : cases) {
    const auto reader = readerOf(text);
    EXPECT_FALSE(reader->open()) << text;
    EXPECT_NE(reader->fault().find(part), std::string::npos) << reader->fault();
    EXPECT_EQ(reader->fault().find("geheim"), std::string::npos) << reader->fault();
    EXPECT_EQ(reader->fault().find('\n'), std::string::npos) << reader->fault();
  }
}

#ifdef __linux__
// Seen: "is not a video that can be read" of one that somebody else alone may read.
TEST(Reader, OfAFileThatMayNotBeReadSaysThatPermissionIsMissing) {
  for (const char* ending : {".mp4", ".png"}) {
    const std::string file =
        testing::TempDir() + "mpm-forbidden-" + std::to_string(getpid()) + ending;
    std::ofstream(file) << "x";
    std::filesystem::permissions(file, std::filesystem::perms::none);
    const uid_t user = geteuid();
    ASSERT_EQ(user == 0 ? seteuid(65534) : 0, 0);  // root may read everything
    const auto reader = readerOf(file);
    EXPECT_FALSE(reader->open());
    EXPECT_EQ(reader->fault(), "permission is missing to read " + file);
    ASSERT_EQ(seteuid(user), 0);
    std::filesystem::remove(file);
  }
}
#endif

TEST(Reader, MakesBgrOfWhatIsAPicture) {
  const cv::Mat own(3, 5, CV_8UC3, cv::Scalar(1, 2, 3));
  EXPECT_EQ(bgrOf(own).data, own.data);
  const struct {
    int type;
    cv::Scalar value;
    cv::Scalar bgr;
  } cases[] = {{CV_8UC1, cv::Scalar(9), {9, 9, 9}},
               {CV_8UC4, {1, 2, 3, 77}, {1, 2, 3}},
               {CV_16UC1, cv::Scalar(65535), {255, 255, 255}},
               {CV_16UC3, {0, 257, 65535}, {0, 1, 255}},
               {CV_32FC3, {0, 1, 2}, {0, 255, 255}}};
  for (const auto& each : cases) {
    const cv::Mat bgr = bgrOf(cv::Mat(3, 5, each.type, each.value));
    ASSERT_EQ(bgr.type(), CV_8UC3) << each.type;
    EXPECT_EQ(cv::norm(bgr, cv::Mat(3, 5, CV_8UC3, each.bgr), cv::NORM_INF), 0) << each.type;
  }
  const int sizes[] = {2, 3, 4};
  EXPECT_TRUE(bgrOf({}).empty());
  EXPECT_TRUE(bgrOf(cv::Mat(3, 5, CV_8UC2)).empty());
  EXPECT_TRUE(bgrOf(cv::Mat(3, 5, CV_32SC3)).empty());
  EXPECT_TRUE(bgrOf(cv::Mat(3, sizes, CV_8U)).empty());
}

TEST(SceneReader, ShootsWithTheScenesClockAndGoesToAnyTime) {
  const std::string text = "scene:?size=64x64&clock=600x&hour=8";
  const scenes::CameraOptions options = scenes::parseSceneAddress(text);
  const auto reader = readerOf(text);
  ASSERT_TRUE(reader->open()) << reader->fault();
  EXPECT_FALSE(reader->isLive());
  EXPECT_EQ(reader->paceMs(), 100);
  for (const std::int64_t positionMs : {0, 100, 86400000, 86400100, 0}) {
    if (positionMs % 1000 == 0) {
      ASSERT_TRUE(reader->seek(positionMs));
    }
    Shot shot;
    ASSERT_EQ(reader->read(shot), ReadStatus::frame);
    EXPECT_EQ(shot.positionMs, positionMs);
    scenes::Camera camera(options);
    cv::Mat picture, labels;
    camera.shoot(options.start + options.clock * static_cast<double>(positionMs) / 1000, picture,
                 labels);
    EXPECT_EQ(cv::norm(shot.picture, picture, cv::NORM_INF), 0) << positionMs;
  }
}

}  // namespace
}  // namespace mpm::monitor
