// SPDX-License-Identifier: Apache-2.0
// A source that is lost and opened again leaves nothing behind, however often: MPM_RECONNECTS says
// how often, MPM_RECONNECT_MINUTES for how long at most, MPM_RECONNECTS_BESIDE how many sources do
// it side by side, MPM_RECONNECT_PAUSE how many seconds one waits between two tries, and MPM_RTSP
// where a server of RTSP is, which scripts/fault-test starts. What it comes to is printed then.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <ratio>
#include <string>
#include <utility>
#include <vector>

#include "cli/folder.h"
#include "monitor/engine/resident.h"
#include "monitor/eventually.h"
#include "monitor/source/capture.h"
#include "monitor/source/reader_children.h"
#include "monitor/source/scripted_reader.h"
#include "monitor/source/separate_reader.h"
#include "monitor/source/test_video.h"
#include "monitor/source/tiny_server.h"

namespace mpm::monitor {
namespace {

using std::chrono::steady_clock;
using test::eventually;
using test::processEntries;
using test::readersHere;

constexpr std::uint64_t kFirst = 20;  // of which it may keep what only a beginning takes
constexpr double kMostMb = 5;
constexpr std::chrono::minutes kPatience{10};  // beside programs that go first, a try may take long

double wanted(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtod(text, nullptr) : otherwise;
}
std::uint64_t wantedReconnects() {
  return static_cast<std::uint64_t>(wanted("MPM_RECONNECTS", 40));
}

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

struct Use {
  double mb = test::residentMb();
  std::size_t threads = processEntries("task"), files = processEntries("fd");
};

void print(std::uint64_t reconnects, const Use& before, const Use& now) {
  if (std::getenv("MPM_RECONNECTS") == nullptr) return;
  std::printf(
      "after %llu reconnects: MB %.1f to %.1f, threads %zu to %zu, descriptors %zu to %zu\n",
      static_cast<unsigned long long>(reconnects), before.mb, now.mb, before.threads, now.threads,
      before.files, now.files);
  std::fflush(stdout);
}

using Captures = std::vector<std::unique_ptr<Capture>>;

// As many of the same as are wanted side by side.
template <typename Make>
Captures sideBySide(const Make& make) {
  Captures captures;
  for (double i = 0; i < wanted("MPM_RECONNECTS_BESIDE", 1); ++i) captures.push_back(make());
  return captures;
}

template <typename Of>
std::uint64_t sumOf(const Captures& captures, const Of& of) {
  std::uint64_t sum = 0;
  for (const auto& capture : captures) sum += of(capture->status());
  return sum;
}

std::string faultsOf(const Captures& captures) {
  std::string text;
  for (const auto& capture : captures) text += capture->status().fault + "; ";
  return text;
}

// Of all together.
void expectNoGrowth(const Captures& captures) {
  const auto reconnects = [&] {
    return sumOf(captures, [](const CaptureStatus& status) { return status.reconnects; });
  };
  std::uint64_t seen = 0;
  const auto reach = [&](std::uint64_t all) {
    for (; seen < all; seen = reconnects()) {
      if (!eventually([&] { return reconnects() > seen; }, kPatience)) return false;
    }
    return true;
  };
  const std::uint64_t first = kFirst * captures.size();
  ASSERT_TRUE(reach(first)) << faultsOf(captures);
  const std::uint64_t most = wantedReconnects();
  const auto end = steady_clock::now() + std::chrono::duration<double, std::ratio<60>>(
                                             wanted("MPM_RECONNECT_MINUTES", 1e4));
  const Use before;
  std::uint64_t done = 0;
  for (std::uint64_t told = 0; done < most && steady_clock::now() < end; done = seen - first) {
    ASSERT_TRUE(reach(first + done + 1)) << faultsOf(captures);
    if (done < told + most / 20) continue;
    told = done;
    print(done, before, Use());
  }
  const Use now;
  print(done, before, now);
  EXPECT_LT(now.mb - before.mb, kMostMb);
  // A reader's socket, and the server's connection; a reader that is replaced just now. What is
  // counted in the midst of a change may have more.
  EXPECT_TRUE(eventually([&] {
    return processEntries("fd") <= before.files + 2 + captures.size();
  })) << before.files
      << " descriptors became " << processEntries("fd");
  EXPECT_TRUE(eventually([&] {
    return processEntries("task") <= before.threads + captures.size();
  })) << before.threads
      << " threads became " << processEntries("task");
  EXPECT_TRUE(eventually([&] { return readersHere().size() <= captures.size(); }));
  EXPECT_EQ(sumOf(captures, [](const CaptureStatus& status) { return status.abandoned; }), 0U);
}

CaptureOptions restless() {
  CaptureOptions options = test::quick();
  options.firstWaitMs = options.longestWaitMs = options.atOnceMs =
      std::max<std::int64_t>(1, std::llround(1000 * wanted("MPM_RECONNECT_PAUSE", 0)));
  options.reader.loop = true;
  options.reader.abandonAfterMs = std::chrono::milliseconds(kPatience).count();
  return options;
}

// Of a source that does not end by itself, read as the monitor reads it.
void expectNoGrowthOf(const std::string& text) {
  const SourceAddress address = parseSourceAddress(text);
  const ReaderOptions reading = restless().reader;
  expectNoGrowth(sideBySide([&] {
    return std::make_unique<Capture>(
        address.shown,
        [&] {
          return std::make_unique<LosesItself>(
              isReadSeparately(address.kind) ? makeSeparateReader(readerProgram(), address, reading)
                                             : makeReader(address, reading));
        },
        restless());
  }));
}

TEST(Reconnects, ToAStreamLeaveNothing) {
  const test::TinyServer server(test::cameraAnswer(3, {320, 240}), true);
  const SourceAddress stream =
      parseSourceAddress("http://127.0.0.1:" + std::to_string(server.port()) + "/video");
  expectNoGrowth(sideBySide([&] { return std::make_unique<Capture>(stream, restless()); }));
}

TEST(Reconnects, ToAPipelineLeaveNothing) {
  const SourceAddress pipeline = parseSourceAddress(
      "gst:videotestsrc num-buffers=3 ! video/x-raw,format=BGR,width=320,height=240 ! appsink");
  if (const auto reader = makeSeparateReader(readerProgram(), pipeline); !reader->open()) {
    GTEST_SKIP() << "no videotestsrc here: " << reader->fault();
  }
  expectNoGrowth(sideBySide([&] { return std::make_unique<Capture>(pipeline, restless()); }));
}

TEST(Reconnects, ToAnRtspStreamLeaveNothing) {
  const char* address = std::getenv("MPM_RTSP");
  if (address == nullptr) GTEST_SKIP() << "MPM_RTSP names no server; scripts/fault-test starts one";
  expectNoGrowthOf(address);
}

TEST(Reconnects, ToAnRtspPipelineLeaveNothing) {
  const char* address = std::getenv("MPM_RTSP");
  if (address == nullptr) GTEST_SKIP() << "MPM_RTSP names no server; scripts/fault-test starts one";
  expectNoGrowthOf(std::string("gst:rtspsrc location=") + address +
                   " latency=0 ! rtpjpegdepay ! jpegdec ! videoconvert ! "
                   "video/x-raw,format=BGR ! appsink drop=true max-buffers=1");
}

TEST(Reconnects, ToAVideoLeaveNothing) {
  const test::Folder folder;
  test::writeVideo(folder.at("a.avi"), 2);
  expectNoGrowthOf(folder.at("a.avi"));
}

TEST(Reconnects, ToAFolderLeaveNothing) {
  const test::Folder folder;
  for (const char* name : {"a.jpg", "b.png"}) {
    cv::imwrite(folder.at(name), cv::Mat(48, 64, CV_8UC3, cv::Scalar::all(90)));
  }
  expectNoGrowthOf(folder.at(""));
}

TEST(Reconnects, ToASceneLeaveNothing) { expectNoGrowthOf("scene:?size=64x64"); }

// It stays open, and its process opens the file anew.
TEST(Reconnects, AVideoThatBeginsAgainLeavesNothingInItsReader) {
  const test::Folder folder;
  test::writeVideo(folder.at("a.avi"), 2);
  const auto reader = makeSeparateReader(readerProgram(), parseSourceAddress(folder.at("a.avi")),
                                         restless().reader);
  ASSERT_TRUE(reader->open()) << reader->fault();
  const pid_t id = readersHere().at(0);
  const auto loop = [&](std::uint64_t times) {
    Shot shot;
    for (std::uint64_t i = 0; i < 2 * times; ++i) {
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
  ASSERT_TRUE(loop(wantedReconnects())) << reader->fault();
  const auto after = use();
  if (std::getenv("MPM_RECONNECTS") != nullptr) {
    std::printf("after %llu rounds: MB %.1f to %.1f, descriptors %td to %td\n",
                static_cast<unsigned long long>(wantedReconnects()), before.first, after.first,
                before.second, after.second);
  }
  EXPECT_LT(after.first - before.first, kMostMb);
  EXPECT_LE(after.second, before.second);
}

}  // namespace
}  // namespace mpm::monitor
