// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <opencv2/videoio/registry.hpp>
#include <string>

#include "cli/folder.h"
#include "monitor/source/readers.h"
#include "monitor/source/test_video.h"
#include "monitor/source/tiny_server.h"

namespace mpm::monitor {
namespace {

class StreamReader : public testing::Test {
 protected:
  void SetUp() override {
    if (!cv::videoio_registry::hasBackend(cv::CAP_FFMPEG)) {
      GTEST_SKIP() << "this OpenCV was built without FFmpeg";
    }
    options_.openTimeoutMs = 60000;  // no server here but the silent one lets it wait
    options_.readTimeoutMs = 3000;
  }
  std::unique_ptr<Reader> reader(const test::TinyServer& server) const {
    return makeReader(parseSourceAddress("http://me:geheim@127.0.0.1:" +
                                         std::to_string(server.port()) + "/video?pwd=geheim"),
                      options_);
  }

  ReaderOptions options_;
};

TEST_F(StreamReader, GivesUpOnAServerThatAcceptsAndNeverAnswers) {
  options_.openTimeoutMs = 400;
  const test::TinyServer server("", false);
  const auto stream = reader(server);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(stream->open());
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took, std::chrono::milliseconds(300));
  EXPECT_LT(took, std::chrono::seconds(29));  // FFmpeg's own choice is 30
  EXPECT_NE(stream->fault().find("did not answer within 0.4 s"), std::string::npos)
      << stream->fault();
  EXPECT_EQ(stream->fault().find("geheim"), std::string::npos) << stream->fault();
}

TEST_F(StreamReader, ReadsUntilTheCameraFallsSilent) {
  const test::TinyServer server(test::cameraAnswer(60, {64, 48}), false);
  const auto stream = reader(server);
  ASSERT_TRUE(stream->open()) << stream->fault();
  EXPECT_TRUE(stream->isLive());
  Shot shot;
  int frames = 0;
  while (stream->read(shot) == ReadStatus::frame) {
    EXPECT_EQ(shot.picture.type(), CV_8UC3);
    EXPECT_EQ(shot.picture.size(), cv::Size(64, 48));
    EXPECT_NEAR(shot.picture.at<cv::Vec3b>(9, 9)[0], 90, 3);
    ASSERT_LE(++frames, 60);
  }
  EXPECT_GT(frames, 30);
  EXPECT_EQ(stream->read(shot), ReadStatus::failed);
  EXPECT_NE(stream->fault().find("gave no frame"), std::string::npos) << stream->fault();
  EXPECT_EQ(stream->fault().find("geheim"), std::string::npos) << stream->fault();
  EXPECT_TRUE(stream->open()) << stream->fault();  // and again
  EXPECT_EQ(stream->read(shot), ReadStatus::frame);
}

TEST_F(StreamReader, FailsOnAnAnswerThatIsNoVideo) {
  for (const char* answer : {"HTTP/1.0 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
                             "HTTP/1.0 200 OK\r\n\r\nHello.", "no web server at all"}) {
    const test::TinyServer server(answer, true);
    const auto stream = reader(server);
    EXPECT_FALSE(stream->open()) << answer;
    EXPECT_NE(stream->fault().find("cannot be opened"), std::string::npos) << stream->fault();
    EXPECT_EQ(stream->fault().find("geheim"), std::string::npos) << stream->fault();
  }
}

// A camera may stay away for weeks; half a minute apart, tries are three thousand a day.
TEST_F(StreamReader, LeavesNothingBehindOfAddressesThatDoNotOpen) {
  const auto descriptors = [] {
    const std::filesystem::directory_iterator open("/proc/self/fd");
    return std::distance(begin(open), end(open));
  };
  const auto tries = [](int count) {
    const auto stream = makeReader(parseSourceAddress("http://127.0.0.1:1/x"));
    for (int i = 0; i < count; ++i) EXPECT_FALSE(stream->open());
  };
  tries(2);
  const auto before = descriptors();
  tries(60);
  EXPECT_EQ(descriptors(), before);
}

TEST_F(StreamReader, PlaysARecordingOfAWebServerAtItsPaceToItsEnd) {
  const test::Folder folder;
  test::writeVideo(folder.at("a.avi"), 20);
  const std::string bytes = test::bytesOf(folder.at("a.avi"));
  const test::TinyServer server(
      "HTTP/1.0 200 OK\r\nContent-Type: video/x-msvideo\r\nContent-Length: " +
          std::to_string(bytes.size()) + "\r\n\r\n" + bytes,
      true);
  const auto stream = reader(server);
  ASSERT_TRUE(stream->open()) << stream->fault();
  EXPECT_FALSE(stream->isLive());
  EXPECT_NEAR(stream->paceMs(), 50, 1e-6);
  Shot shot;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(stream->read(shot), ReadStatus::frame) << i;
    EXPECT_EQ(test::frameOf(shot.picture), i);
  }
  EXPECT_EQ(stream->read(shot), ReadStatus::ended);
}

TEST(PipelineReader, ReadsAPipeline) {
  const auto pipeline = makeReader(parseSourceAddress(
      "gst:videotestsrc num-buffers=5 ! video/x-raw,format=BGR,width=64,height=48 ! appsink"));
  if (!pipeline->open()) GTEST_SKIP() << "no videotestsrc here: " << pipeline->fault();
  EXPECT_TRUE(pipeline->isLive());
  Shot shot;
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(pipeline->read(shot), ReadStatus::frame);
    EXPECT_EQ(shot.picture.size(), cv::Size(64, 48));
  }
  EXPECT_EQ(pipeline->read(shot), ReadStatus::failed);
}

}  // namespace
}  // namespace mpm::monitor
