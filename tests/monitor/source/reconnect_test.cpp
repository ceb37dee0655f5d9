// SPDX-License-Identifier: Apache-2.0
// A source that is lost and opened again leaves nothing behind, however often.
#include <cstdlib>
#include <opencv2/imgcodecs.hpp>

#include "cli/folder.h"
#include "monitor/engine/resident.h"
#include "monitor/process/processes.h"
#include "monitor/says.h"
#include "monitor/source/capture.h"
#include "monitor/source/scripted_reader.h"
#include "monitor/source/separate_reader.h"
#include "monitor/source/test_video.h"
#include "monitor/source/tiny_server.h"

namespace mpm::monitor {
namespace {

using test::eventually;
using test::processEntries;
using test::readersHere;

constexpr int kFirst = 20;  // of which it may keep what only a beginning takes
// Under sanitizers a process takes seconds to start.
const int kReconnects = std::getenv("MPM_RECONNECTS") != nullptr ? 6 : 40;
constexpr double kMostMb = 5;
constexpr std::chrono::minutes kPatience{10};  // beside programs that go first, a try may take long

// As another reader, at no pace, and lost behind its third frame.
class LosesItself : public Reader {
 public:
  explicit LosesItself(std::unique_ptr<Reader> inner) : inner_(std::move(inner)) {}

  bool open() override {
    given_ = 0;
    return inner_->open();
  }
  ReadStatus read(Shot& shot) override {
    return given_++ < 3 ? inner_->read(shot) : ReadStatus::failed;
  }
  const std::string& fault() const override { return inner_->fault(); }
  bool isLive() const override { return inner_->isLive(); }
  std::function<void()> interruption() const override { return inner_->interruption(); }

 private:
  std::unique_ptr<Reader> inner_;
  int given_ = 0;
};

CaptureOptions restless() {
  CaptureOptions options = test::quick();
  options.firstWaitMs = options.longestWaitMs = options.atOnceMs = 1;
  options.reader.loop = true;
  options.reader.abandonAfterMs = std::chrono::milliseconds(kPatience).count();
  return options;
}

void expectNoGrowth(Capture& capture) {
  const auto reach = [&](std::uint64_t reconnects) {
    return eventually([&] { return capture.status().reconnects >= reconnects; }, kPatience);
  };
  ASSERT_TRUE(reach(kFirst)) << capture.status().fault;
  const double mb = test::residentMb();
  const std::size_t threads = processEntries("task"), files = processEntries("fd");
  ASSERT_TRUE(reach(kFirst + kReconnects)) << capture.status().fault;
  EXPECT_LT(test::residentMb() - mb, kMostMb);
  // A reader's socket, and the server's connection; a reader that is replaced just now. What is
  // counted in the midst of a change may have more.
  EXPECT_TRUE(eventually([&] { return processEntries("fd") <= files + 3; }))
      << files << " descriptors became " << processEntries("fd");
  EXPECT_TRUE(eventually([&] { return processEntries("task") <= threads + 1; }))
      << threads << " threads became " << processEntries("task");
  EXPECT_TRUE(eventually([&] { return readersHere().size() <= 1; }));
  EXPECT_EQ(capture.status().abandoned, 0U);
}

TEST(Reconnects, ToAStreamLeaveNothing) {
  const test::TinyServer server(test::cameraAnswer(3, {320, 240}), true);
  Capture capture(
      parseSourceAddress("http://127.0.0.1:" + std::to_string(server.port()) + "/video"),
      restless());
  expectNoGrowth(capture);
}

TEST(Reconnects, ToAPipelineLeaveNothing) {
  const SourceAddress pipeline = parseSourceAddress(
      "gst:videotestsrc num-buffers=3 ! video/x-raw,format=BGR,width=320,height=240 ! appsink");
  if (const auto reader = makeSeparateReader(readerProgram(), pipeline); !reader->open()) {
    GTEST_SKIP() << "no videotestsrc here: " << reader->fault();
  }
  Capture capture(pipeline, restless());
  expectNoGrowth(capture);
}

// Sources that do not end by themselves, read as the monitor reads them.
TEST(Reconnects, ToFilesAndScenesLeaveNothing) {
  const test::Folder folder, video;
  test::writeVideo(video.at("a.avi"), 2);
  for (const char* name : {"a.jpg", "b.png"})
    cv::imwrite(folder.at(name), cv::Mat(48, 64, CV_8UC3, cv::Scalar::all(90)));
  for (const std::string& source :
       {video.at("a.avi"), folder.at(""), std::string("scene:?size=64x64")}) {
    SCOPED_TRACE(source);
    const SourceAddress address = parseSourceAddress(source);
    const ReaderOptions reading = restless().reader;
    Capture capture(
        address.shown,
        [&] {
          return std::make_unique<LosesItself>(
              isReadSeparately(address.kind) ? makeSeparateReader(readerProgram(), address, reading)
                                             : makeReader(address, reading));
        },
        restless());
    expectNoGrowth(capture);
  }
}

// It stays open, and its process opens the file anew.
TEST(Reconnects, AVideoThatBeginsAgainLeavesNothingInItsReader) {
  const test::Folder folder;
  test::writeVideo(folder.at("a.avi"), 2);
  const auto reader = makeSeparateReader(readerProgram(), parseSourceAddress(folder.at("a.avi")),
                                         restless().reader);
  ASSERT_TRUE(reader->open()) << reader->fault();
  const pid_t id = readersHere().at(0);
  const auto loop = [&](int times) {
    Shot shot;
    for (int i = 0; i < 2 * times; ++i) {
      if (reader->read(shot) != ReadStatus::frame) return false;
    }
    return true;
  };
  const auto use = [&] {
    const std::filesystem::directory_iterator files("/proc/" + std::to_string(id) + "/fd");
    return std::pair(test::residentMb(id),
                     std::distance(files, std::filesystem::directory_iterator()));
  };
  ASSERT_TRUE(loop(kFirst)) << reader->fault();
  const auto before = use();
  ASSERT_TRUE(loop(kReconnects)) << reader->fault();
  const auto after = use();
  EXPECT_LT(after.first - before.first, kMostMb);
  EXPECT_LE(after.second, before.second);
}

}  // namespace
}  // namespace mpm::monitor
