// SPDX-License-Identifier: Apache-2.0
// Readers of cameras, streams, pipelines and scenes, and what each says that cannot be opened.
#include <unistd.h>

#include <opencv2/videoio/registry.hpp>

#include "cli/folder.h"
#include "models/scenes/camera.h"
#include "monitor/process/processes.h"
#include "monitor/says.h"
#include "monitor/source/readers.h"
#include "monitor/source/test_video.h"
#include "monitor/source/tiny_server.h"

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
    EXPECT_TRUE(has(reader->fault(), part));
    EXPECT_FALSE(has(reader->fault(), "geheim"));
    EXPECT_FALSE(has(reader->fault(), "\n"));
  }
}

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

TEST(Reader, MakesBgrOfWhatIsAPicture) {
  const cv::Mat own(3, 5, CV_8UC3, cv::Scalar(1, 2, 3));
  EXPECT_EQ(bgrOf(own).data, own.data);
  const struct {
    int type;
    cv::Scalar value, bgr;
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
  for (const cv::Mat& none :
       {cv::Mat(), cv::Mat(3, 5, CV_8UC2), cv::Mat(3, 5, CV_32SC3), cv::Mat(3, sizes, CV_8U)})
    EXPECT_TRUE(bgrOf(none).empty());
}

TEST(SceneReader, ShootsWithTheScenesClockAndGoesToAnyTime) {
  const std::string text = "scene:?size=64x64&clock=600x&hour=8";
  const scenes::CameraOptions options = scenes::parseSceneAddress(text);
  const auto reader = readerOf(text);
  ASSERT_TRUE(reader->open()) << reader->fault();
  EXPECT_FALSE(reader->isLive());
  EXPECT_EQ(reader->paceMs(), 100);
  for (const std::int64_t positionMs : {0, 100, 86400000, 86400100, 0}) {
    ASSERT_TRUE(positionMs % 1000 != 0 || reader->seek(positionMs));
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

class StreamReader : public testing::Test {
 protected:
  void SetUp() override {
    if (!cv::videoio_registry::hasBackend(cv::CAP_FFMPEG))
      GTEST_SKIP() << "this OpenCV was built without FFmpeg";
    options_.openTimeoutMs = 60000;  // no server here but the silent one lets it wait
    options_.readTimeoutMs = 3000;
  }
  // Of what a server says, which then closes the connection, or stays silent.
  void connect(const std::string& answer, bool closes) {
    server_.emplace(answer, closes);
    stream_ = readerOf(
        "http://me:geheim@127.0.0.1:" + std::to_string(server_->port()) + "/video?pwd=geheim",
        options_);
  }
  void expectFault(const std::string& part) const {
    EXPECT_TRUE(has(stream_->fault(), part));
    EXPECT_FALSE(has(stream_->fault(), "geheim"));
  }

  ReaderOptions options_;
  std::optional<test::TinyServer> server_;
  std::unique_ptr<Reader> stream_;
  Shot shot_;
};

TEST_F(StreamReader, GivesUpOnAServerThatAcceptsAndNeverAnswers) {
  options_.openTimeoutMs = 400;
  connect("", false);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(stream_->open());
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took, std::chrono::milliseconds(300));
  EXPECT_LT(took, std::chrono::seconds(29));  // FFmpeg's own choice is 30
  expectFault("did not answer within 0.4 s");
}

TEST_F(StreamReader, ReadsUntilTheCameraFallsSilent) {
  connect(test::cameraAnswer(60, {64, 48}), false);
  ASSERT_TRUE(stream_->open()) << stream_->fault();
  EXPECT_TRUE(stream_->isLive());
  int frames = 0;
  while (stream_->read(shot_) == ReadStatus::frame) {
    EXPECT_EQ(shot_.picture.type(), CV_8UC3);
    EXPECT_EQ(shot_.picture.size(), cv::Size(64, 48));
    EXPECT_NEAR(shot_.picture.at<cv::Vec3b>(9, 9)[0], 90, 3);
    ASSERT_LE(++frames, 60);
  }
  EXPECT_GT(frames, 30);
  EXPECT_EQ(stream_->read(shot_), ReadStatus::failed);
  expectFault("gave no frame");
  EXPECT_TRUE(stream_->open()) << stream_->fault();  // and again
  EXPECT_EQ(stream_->read(shot_), ReadStatus::frame);
}

TEST_F(StreamReader, FailsOnAnAnswerThatIsNoVideo) {
  for (const char* answer : {"HTTP/1.0 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
                             "HTTP/1.0 200 OK\r\n\r\nHello.", "no web server at all"}) {
    connect(answer, true);
    EXPECT_FALSE(stream_->open()) << answer;
    expectFault("cannot be opened");
  }
}

// A camera may stay away for weeks; half a minute apart, tries are three thousand a day.
TEST_F(StreamReader, LeavesNothingBehindOfAddressesThatDoNotOpen) {
  const auto tries = [](int count) {
    const auto stream = readerOf("http://127.0.0.1:1/x");
    for (int i = 0; i < count; ++i) EXPECT_FALSE(stream->open());
  };
  tries(2);
  const std::size_t before = test::openDescriptors();
  tries(60);
  EXPECT_EQ(test::openDescriptors(), before);
}

TEST_F(StreamReader, PlaysARecordingOfAWebServerAtItsPaceToItsEnd) {
  const test::Folder folder;
  test::writeVideo(folder.at("a.avi"), 20);
  const std::string bytes = test::bytesOf(folder.at("a.avi"));
  connect("HTTP/1.0 200 OK\r\nContent-Type: video/x-msvideo\r\nContent-Length: " +
              std::to_string(bytes.size()) + "\r\n\r\n" + bytes,
          true);
  ASSERT_TRUE(stream_->open()) << stream_->fault();
  EXPECT_FALSE(stream_->isLive());
  EXPECT_NEAR(stream_->paceMs(), 50, 1e-6);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(stream_->read(shot_), ReadStatus::frame) << i;
    EXPECT_EQ(test::frameOf(shot_.picture), i);
  }
  EXPECT_EQ(stream_->read(shot_), ReadStatus::ended);
}

TEST(PipelineReader, ReadsAPipeline) {
  const auto pipeline = readerOf(
      "gst:videotestsrc num-buffers=5 ! video/x-raw,format=BGR,width=64,height=48 ! appsink");
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
