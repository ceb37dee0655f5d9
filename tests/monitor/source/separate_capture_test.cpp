// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/folder.h"
#include "monitor/clock/manual_clock.h"
#include "monitor/eventually.h"
#include "monitor/source/capture.h"
#include "monitor/source/reader_children.h"
#include "monitor/source/reader_process.h"
#include "monitor/source/scripted_reader.h"
#include "monitor/source/separate_reader.h"
#include "monitor/source/tiny_server.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;
using test::eventually;
using test::kLong;
using test::processEntries;
using test::readersHere;

// A scene, which gives frames whenever it is asked, in a process of its own.
Capture::MakeReader sceneMaker() {
  return
      [] { return makeSeparateReader(readerProgram(), parseSourceAddress("scene:?size=64x64")); };
}

TEST(SeparateCapture, AKilledReaderIsReplacedAndNothingOfItStays) {
  Capture capture("camera", sceneMaker(), test::quick());
  ASSERT_TRUE(capture.next(kLong));
  const std::size_t threads = processEntries("task"), files = processEntries("fd");
  std::uint64_t number = 0;
  for (int killed = 1; killed <= 20; ++killed) {
    const auto readers = readersHere();
    ASSERT_EQ(readers.size(), 1U);
    kill(readers.front(), SIGKILL);
    ASSERT_TRUE(eventually(
        [&] { return capture.status().reconnects >= static_cast<std::uint64_t>(killed); }));
    const auto frame = capture.next(kLong);
    ASSERT_TRUE(frame);
    EXPECT_GT(frame->number, number);
    number = frame->number;
    ASSERT_TRUE(eventually([&] { return capture.status().state == CaptureState::live; }));
  }
  EXPECT_EQ(capture.status().abandoned, 0U);
  EXPECT_TRUE(eventually([&] { return processEntries("task") <= threads; }));
  EXPECT_LE(processEntries("fd"), files);
  EXPECT_EQ(readersHere().size(), 1U);
}

// One whose process was started before the capture has it: on a busy machine that takes longer than
// a reader may hang here.
class StartedReader : public Reader {
 public:
  explicit StartedReader(std::function<void()> atOpen = {})
      : atOpen_(std::move(atOpen)), inner_(sceneMaker()()), isOpen_(inner_->open()) {}

  bool open() override {
    if (atOpen_) atOpen_();
    return isOpen_;
  }
  ReadStatus read(Shot& shot) override { return inner_->read(shot); }
  const std::string& fault() const override { return inner_->fault(); }
  bool isLive() const override { return inner_->isLive(); }
  double paceMs() const override { return inner_->paceMs(); }
  std::function<void()> interruption() const override { return inner_->interruption(); }

 private:
  std::function<void()> atOpen_;
  std::unique_ptr<Reader> inner_;
  bool isOpen_;
};

TEST(SeparateCapture, AReaderThatHangsIsEndedAndLeavesNoThread) {
  ASSERT_TRUE(eventually([] { return readersHere().empty(); }));
  std::promise<const Capture*> made;
  std::promise<CaptureStatus> behindIt;
  std::vector<std::unique_ptr<StartedReader>> started;
  started.push_back(std::make_unique<StartedReader>());
  const pid_t hung = readersHere().at(0);
  started.push_back(std::make_unique<StartedReader>(
      [&] { behindIt.set_value(made.get_future().get()->status()); }));
  CaptureOptions options = test::quick();
  options.abandonAfterMs = 5000;
  std::size_t next = 0;
  Capture capture(
      "camera",
      [&]() -> std::unique_ptr<Reader> {
        if (next < started.size()) return std::move(started[next++]);
        return sceneMaker()();
      },
      options);
  made.set_value(&capture);
  ASSERT_TRUE(capture.next(kLong));
  const std::size_t threads = processEntries("task");
  kill(hung, SIGSTOP);
  const CaptureStatus status = behindIt.get_future().get();
  EXPECT_EQ(status.abandoned, 1U);
  EXPECT_NE(status.fault.find("did not return from reading within 5.0 s"), std::string::npos)
      << status.fault;
  EXPECT_TRUE(eventually([&] { return capture.status().reconnects >= 1; }));
  EXPECT_TRUE(eventually([&] { return !test::isAlive(hung); }));
  EXPECT_TRUE(eventually([&] { return processEntries("task") <= threads; }));
}

TEST(SeparateCapture, ItEndsAndItsReaderWithItAlsoWhereThatHangs) {
  for (const bool hangs : {false, true}) {
    auto capture = std::make_unique<Capture>("camera", sceneMaker(), test::quick());
    ASSERT_TRUE(capture->next(kLong));
    const auto readers = readersHere();
    ASSERT_EQ(readers.size(), 1U);
    if (hangs) kill(readers.front(), SIGSTOP);
    capture.reset();
    EXPECT_TRUE(eventually([&] { return readersHere().empty(); }));
  }
}

// A picture that crashed its decoder ended the monitor. SIGABRT is the crash that sanitizers leave
// to the system.
TEST(SeparateCapture, PicturesAreDecodedInAProcessOfTheirOwn) {
  const test::Folder folder;
  for (const char* name : {"a.png", "b.png"}) {
    cv::imwrite(folder.at(name), cv::Mat(6, 8, CV_8UC3, cv::Scalar::all(90)));
  }
  CaptureOptions options = test::quick();
  options.reader.loop = true;
  for (const char* name : {"", "a.png"}) {
    Capture capture(parseSourceAddress(folder.at(name)), options);
    ASSERT_TRUE(capture.next(kLong)) << capture.status().fault;
    const auto readers = readersHere();
    ASSERT_EQ(readers.size(), 1U) << name;
    kill(readers.front(), SIGABRT);
    ASSERT_TRUE(eventually([&] { return capture.status().reconnects == 1; }));
    EXPECT_TRUE(capture.next(kLong)) << capture.status().fault;
  }
}

// Seen: it began again at the first picture, and came to no other than those before it.
TEST(SeparateCapture, AFolderGoesOnBehindAPictureThatCrashesItsDecoder) {
  setenv("MPM_READER", MPM_CRASHING_READER, 1);
  const test::Folder folder;
  const auto add = [&](const std::string& name, int grey) {
    cv::imwrite(folder.at(name), cv::Mat(6, 8, CV_8UC3, cv::Scalar::all(grey)));
  };
  add("a.png", 10);
  add("b-crashes.png", 20);
  add("c-waits.png", 30);
  CaptureOptions options = test::quick();
  options.reader.loop = true;
  options.reader.folderFps = 20;
  ManualClock clock;  // the source is not stale while c-waits.png is decoded
  Capture capture(parseSourceAddress(folder.at("")), options, clock);
  EXPECT_TRUE(eventually([&] {
    return capture.status().fault.find(
               "while it decoded b-crashes.png, which is left out from now on") !=
           std::string::npos;
  })) << capture.status().fault;
  folder.write("c-waits.png.goes-on", "");
  int behind = 0;
  ASSERT_TRUE(eventually([&] {
    const auto frame = capture.next(milliseconds(0));
    if (frame && frame->picture.at<cv::Vec3b>(0, 0)[0] == 30) ++behind;
    return behind >= 3;
  })) << capture.status().fault;
  EXPECT_EQ(capture.status().reconnects, 2U) << "it is tried twice";

  std::filesystem::copy_file(folder.at("a.png"), folder.at("b-crashes.png"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(eventually([&] { return capture.status().reconnects > 2; }))
      << "it may be another picture now";
  unsetenv("MPM_READER");
}

// Seen: no report named it, and none said that it is left out.
TEST(SeparateCapture, APictureThatHangsItsDecoderIsNamedEachTime) {
  setenv("MPM_READER", MPM_CRASHING_READER, 1);
  const test::Folder folder;
  for (const char* name : {"a-hangs.png", "b-waits.png"}) {
    cv::imwrite(folder.at(name), cv::Mat(6, 8, CV_8UC3, cv::Scalar::all(90)));
  }
  CaptureOptions options = test::quick();
  options.reader.loop = true;
  options.abandonAfterMs = 5000;  // a reader that starts more slowly is tried again
  options.firstWaitMs = options.longestWaitMs = options.atOnceMs = 1000;
  ManualClock clock;  // the source is not stale, so what it says is the hang's
  Capture capture(parseSourceAddress(folder.at("")), options, clock);
  const std::string named = "did not return from reading within 5.0 s while it decoded a-hangs.png";
  for (const auto& end : {std::string(), std::string(", which is left out from now on")}) {
    EXPECT_TRUE(eventually([&] { return capture.status().fault.ends_with(named + end); }))
        << capture.status().fault;
  }
  folder.write("b-waits.png.goes-on", "");
  EXPECT_TRUE(eventually([&] { return capture.status().state == CaptureState::live; }));
  EXPECT_LE(std::filesystem::file_size(folder.at("a-hangs.png.tries")), 2U);
  unsetenv("MPM_READER");
}

TEST(SeparateCapture, AReplayOfPicturesEndsWhereItsReaderDoesAndSaysWhy) {
  const test::Folder folder;
  for (const char* name : {"a.png", "b.png", "c.png", "d.png"}) {
    cv::imwrite(folder.at(name), cv::Mat(6, 8, CV_8UC3, cv::Scalar::all(90)));
  }
  CaptureOptions options = test::quick();
  options.everyFrame = true;
  Capture capture(parseSourceAddress(folder.at("")), options);
  ASSERT_TRUE(capture.next(kLong));
  kill(readersHere().at(0), SIGABRT);
  int more = 0;
  while (capture.next(kLong)) ++more;
  EXPECT_LT(more, 3) << "none is given twice";
  EXPECT_EQ(capture.status().state, CaptureState::ended);
  EXPECT_TRUE(capture.status().isCutShort);
  EXPECT_NE(capture.status().fault.find("signal 6"), std::string::npos) << capture.status().fault;
}

TEST(SeparateCapture, StreamsAreReadInAProcessOfTheirOwnUnlessAskedOtherwise) {
  const test::TinyServer server("", false);
  const SourceAddress address =
      parseSourceAddress("http://127.0.0.1:" + std::to_string(server.port()) + "/x");
  CaptureOptions options = test::quick();
  options.reader.openTimeoutMs = options.reader.readTimeoutMs = 60000;
  {
    const Capture capture(address, options);
    EXPECT_TRUE(eventually([] { return readersHere().size() == 1; }));
  }
  options.separate = false;
  options.reader.openTimeoutMs = options.reader.readTimeoutMs = 100;
  const Capture capture(address, options);
  ASSERT_TRUE(eventually([&] { return !capture.status().fault.empty(); }));
  // That of the first capture may still be ending.
  EXPECT_TRUE(eventually([] { return readersHere().empty(); }));
}

}  // namespace
}  // namespace mpm::monitor
