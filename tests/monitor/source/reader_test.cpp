// SPDX-License-Identifier: Apache-2.0
// Readers of scenes, streams, pipelines, videos, folders and pictures, and what each says that
// cannot be opened.
#include <unistd.h>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio/registry.hpp>

#include "cli/folder.h"
#include "models/scenes/camera.h"
#include "monitor/process/processes.h"
#include "monitor/says.h"
#include "monitor/source/readers.h"
#include "monitor/source/test_video.h"
#include "monitor/source/tiny_server.h"
#include "scoped.h"

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

namespace fs = std::filesystem;

class FileReader : public testing::Test {
 protected:
  // A reader of what has this name here; it is read to its end below.
  void make(const std::string& name, bool loop = false, bool timesInNames = false) {
    ReaderOptions options;
    options.loop = loop;
    options.timesInNames = timesInNames;
    reader_ = makeReader(parseSourceAddress(folder_.at(name)), options);
  }
  void open(const std::string& name, bool loop = false, bool timesInNames = false) {
    make(name, loop, timesInNames);
    ASSERT_TRUE(reader_->open()) << reader_->fault();
    EXPECT_FALSE(reader_->isLive());
  }
  // The next frames, as "position: what is seen", until the end or so many.
  std::vector<std::string> frames(std::size_t most = 100) {
    std::vector<std::string> all;
    while (all.size() < most && (last_ = reader_->read(shot_)) == ReadStatus::frame) {
      EXPECT_EQ(shot_.picture.type(), CV_8UC3);
      all.push_back(std::to_string(*shot_.positionMs) + ": " +
                    std::to_string(seen_(shot_.picture)));
    }
    return all;
  }
  std::string frameAfterSeek(std::int64_t positionMs) {
    EXPECT_TRUE(reader_->seek(positionMs));
    const auto found = frames(1);
    return found.empty() ? "" : found[0];
  }

  test::Folder folder_;
  std::unique_ptr<Reader> reader_;
  Shot shot_;
  ReadStatus last_ = ReadStatus::frame;
  std::function<int(const cv::Mat&)> seen_ = test::frameOf;
};

class VideoReader : public FileReader {
 protected:
  void write(int frames) { test::writeVideo(folder_.at("a.avi"), frames); }
  void cut(double share) {
    const auto whole = static_cast<double>(fs::file_size(folder_.at("a.avi")));
    fs::resize_file(folder_.at("a.avi"), static_cast<std::uintmax_t>(whole * share));
  }
};

TEST_F(VideoReader, GivesEveryFrameWithItsPlaceAndGoesToAnyFromItsEndToo) {
  write(30);
  open("a.avi");
  EXPECT_NEAR(reader_->paceMs(), 50, 1e-6);
  const auto all = frames();
  ASSERT_EQ(all.size(), 30U);
  for (std::size_t i = 0; i < 30; ++i)
    EXPECT_EQ(all[i], std::to_string(50 * i) + ": " + std::to_string(i));
  EXPECT_EQ(last_, ReadStatus::ended);
  EXPECT_EQ(reader_->fault(), "");
  for (const std::size_t frame : {10, 3, 29})
    EXPECT_EQ(frameAfterSeek(static_cast<std::int64_t>(50 * frame)), all[frame]);
  EXPECT_EQ(frameAfterSeek(3'600'000), all[29]) << "the last one";
}

TEST_F(VideoReader, BeginsAgain) {
  write(4);
  open("a.avi", true);
  EXPECT_EQ(frames(6),
            (std::vector<std::string>{"0: 0", "50: 1", "100: 2", "150: 3", "0: 0", "50: 1"}));
  EXPECT_EQ(frames(4).size(), 4U);
}

TEST_F(VideoReader, SaysWhatIsWrongWithAFile) {
  folder_.write("empty.avi", "");
  folder_.write("text.avi", std::string(5000, 'x'));
  write(40);
  cut(0.02);  // its head alone, in which it says that there are 40 frames
  for (const auto& [name, word] : {std::pair{"missing.avi", "no file"},
                                   {"empty.avi", "is empty"},
                                   {"text.avi", "not a video"},
                                   {"a.avi", ""}}) {
    for (const bool loop : {false, true}) {
      make(name, loop);
      EXPECT_FALSE(reader_->open() && reader_->read(shot_) != ReadStatus::failed) << name;
      EXPECT_NE(reader_->fault(), "");
      EXPECT_TRUE(has(reader_->fault(), word));
    }
  }
}

TEST_F(VideoReader, TellsThatAFileIsCutOff) {
  write(40);
  cut(0.4);
  open("a.avi");
  const std::size_t found = frames().size();
  EXPECT_GT(found, 3U);
  EXPECT_LT(found, 30U);
  EXPECT_TRUE(has(reader_->fault(), "cut off"));
  EXPECT_EQ(reader_->read(shot_), ReadStatus::ended);
}

TEST_F(VideoReader, PassesOverBrokenFrames) {
  write(40);
  std::string bytes = test::bytesOf(folder_.at("a.avi"));
  for (std::size_t i = bytes.size() / 3; i < bytes.size() / 2; ++i)
    bytes[i] = static_cast<char>(i * 37);
  folder_.write("b.avi", bytes);
  open("b.avi");
  std::int64_t last = -1;
  int found = 0;
  for (; reader_->read(shot_) == ReadStatus::frame; ++found) {
    EXPECT_GT(*shot_.positionMs, last);
    last = *shot_.positionMs;
    ASSERT_LT(found, 40);
  }
  EXPECT_GT(found, 5);
}

TEST_F(VideoReader, TakesNamesThatLookLikeProtocols) {
  write(3);
  fs::rename(folder_.at("a.avi"), folder_.at("12:30 50%.avi"));
  const test::CurrentFolder here(folder_.at(""));
  const auto video = makeReader(parseSourceAddress("12:30 50%.avi"));
  EXPECT_TRUE(video->open()) << video->fault();
}

TEST(PromisedFrames, AreNoneWhereAVideoSaysWhatCannotBe) {
  EXPECT_EQ(promisedFrames(25), 25);
  EXPECT_EQ(promisedFrames(999999999), 999999999);
  using Limits = std::numeric_limits<double>;
  // -9e15: what OpenCV makes of a file without a duration.
  for (const double told : {0.0, -1.0, -9e15, 1e9, 9e18, Limits::infinity(), Limits::quiet_NaN()})
    EXPECT_EQ(promisedFrames(told), 0) << told;
}

class FolderReader : public FileReader {
 protected:
  FolderReader() {
    seen_ = [](const cv::Mat& picture) { return picture.at<cv::Vec3b>(7, 11)[2]; };
  }
  void add(const std::string& name, int grey, int type = CV_8UC3) {
    ASSERT_TRUE(cv::imwrite(folder_.at(name), cv::Mat(8, 12, type, cv::Scalar::all(grey))));
  }
};
using Frames = std::vector<std::string>;

TEST_F(FolderReader, GivesPicturesByNameAtThePace) {
  add("b.png", 20);
  add("a.bmp", 10);
  add("c.PNG", 30, CV_8UC1);
  folder_.write("notes.txt", "no picture");
  fs::create_directory(folder_.at("d.png"));
  open("");
  EXPECT_EQ(reader_->paceMs(), 100);
  EXPECT_EQ(frames(), (Frames{"0: 10", "100: 20", "200: 30"}));
  EXPECT_EQ(last_, ReadStatus::ended);
  EXPECT_EQ(reader_->fault(), "");
  EXPECT_TRUE(shot_.picture.empty());
}

TEST_F(FolderReader, TimesInAllNamesArePositions) {
  const auto positions = [&] {
    open("", false, true);
    return frames();
  };
  add("20240612T152855Z.png", 10);
  add("20240612T153033Z.png", 20);
  add("gate 2024-06-13_00-00-01.png", 30);
  const std::vector<std::int64_t> times = {1718206135000, 1718206233000, 1718236801000};
  EXPECT_EQ(namedTimes(folder_.at("")), times);
  EXPECT_EQ(positions(), (Frames{"1718206135000: 10", "1718206233000: 20", "1718236801000: 30"}));
  EXPECT_EQ(frameAfterSeek(times[1] + 5), "1718206233000: 20");
  for (const char* name : {"zz.png", "20240631T120000Z.png", "gate 2024-06-13_24-00-01.png",
                           "gate 2024-06-13_00-00-01 again.png"}) {
    add(name, 40);
    EXPECT_TRUE(namedTimes(folder_.at("")).empty()) << name;
    EXPECT_TRUE(positions().back().starts_with("300: ")) << name;
    fs::remove(folder_.at(name));
  }
  EXPECT_TRUE(namedTimes(folder_.at("none")).empty());
}

TEST_F(FolderReader, PassesOverWhatCannotBeReadAndSaysSo) {
  make("");
  EXPECT_FALSE(reader_->open());
  EXPECT_TRUE(has(reader_->fault(), "holds no picture"));
  folder_.write("a.png", "broken");
  for (const bool loop : {false, true}) {
    open("", loop);
    EXPECT_EQ(reader_->read(shot_), ReadStatus::failed);
    EXPECT_TRUE(has(reader_->fault(), "1 of the 1"));
  }
  add("b.png", 20);
  folder_.write("c.jpg", "");
  add("d.png", 40);
  open("");
  EXPECT_EQ(frames(), (Frames{"100: 20", "300: 40"}));
  EXPECT_TRUE(has(reader_->fault(), "2 of the 4 pictures"));
  EXPECT_TRUE(has(reader_->fault(), "a.png"));
  EXPECT_EQ(frameAfterSeek(300), "300: 40") << "places stay as they are";
}

TEST_F(FolderReader, BeginsAgainAndLooksWhatIsThere) {
  add("a.png", 10);
  open("", true);
  EXPECT_EQ(frames(2), (Frames{"0: 10", "0: 10"}));
  add("b.png", 20);
  EXPECT_EQ(frames(3), (Frames{"0: 10", "100: 20", "0: 10"}));
}

TEST_F(FolderReader, GoesToAnyPicture) {
  for (int i = 0; i < 5; ++i) add(std::to_string(i) + ".png", 10 * i);
  open("");
  for (const auto& [positionMs, frame] :
       {std::pair{399, "300: 30"}, {0, "0: 0"}, {1'000'000, "400: 40"}, {-5, "0: 0"}})
    EXPECT_EQ(frameAfterSeek(positionMs), frame);
}

TEST_F(FolderReader, WatchesOnePictureAsItIsNow) {
  add("one.png", 50, CV_16UC1);
  open("one.png", true);
  EXPECT_EQ(frames(2).size(), 2U);
  add("one.png", 60);
  EXPECT_TRUE(has(frames(1).at(0), ": 60"));
}

}  // namespace
}  // namespace mpm::monitor
