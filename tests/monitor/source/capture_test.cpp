// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/capture.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "monitor/clock/manual_clock.h"
#include "monitor/source/scripted_reader.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using test::eventually;
using test::Gate;
using test::kLong;
using test::numbered;
using test::numberOf;
using test::quick;
using test::Script;
using test::Stage;

ReadStatus slowly(Shot& shot, int frame) {
  std::this_thread::sleep_for(milliseconds(1));
  shot.picture = numbered(frame + 1);
  return ReadStatus::frame;
}

Script liveScript() {
  Script script;
  script.read = [](int, int frame, Shot& shot) { return slowly(shot, frame); };
  return script;
}

Script fileScript(int frames, double paceMs = 0) {
  Script script;
  script.live = false;
  script.paceMs = paceMs;
  script.fault = "";
  script.read = [frames](int, int frame, Shot& shot) {
    if (frame >= frames) return ReadStatus::ended;
    shot.picture = numbered(frame + 1);
    shot.positionMs = frame * 40;
    return ReadStatus::frame;
  };
  script.seek = [](std::int64_t positionMs, int& frame) {
    frame = static_cast<int>(positionMs / 40);
    return true;
  };
  return script;
}

TEST(Capture, GivesTheNewestFrameAndCountsTheOthers) {
  ManualClock clock(
      1'700'000'000'000);  // stands still, so that nothing is stale on a machine that does
  const Stage stage(liveScript());
  Capture capture("camera", stage.maker(), quick(), clock);
  EXPECT_EQ(capture.shown(), "camera");
  std::uint64_t last = 0, taken = 0;
  while (last < 50) {
    const auto frame = capture.next(kLong);
    ASSERT_TRUE(frame);
    EXPECT_GT(frame->number, last);
    EXPECT_EQ(frame->taken.utcMs, clock.now().utcMs);
    EXPECT_EQ(numberOf(frame->picture), static_cast<int>(frame->number));
    last = frame->number;
    ++taken;
    if (taken == 5) {
      ASSERT_TRUE(eventually([&] { return capture.status().drops > 0; }));
    }
  }
  const CaptureStatus status = capture.status();
  EXPECT_EQ(status.state, CaptureState::live);
  EXPECT_GE(status.frames, last);
  EXPECT_GE(status.frames, taken + status.drops);
  EXPECT_GT(status.drops, 0U);
  EXPECT_EQ(status.size, cv::Size(8, 6));
  EXPECT_EQ(status.fault, "");
  EXPECT_EQ(status.reconnects, 0U);
  EXPECT_GE(status.msSinceFrame, 0);
  EXPECT_TRUE(eventually([&] { return capture.status().fps > 0; }));
}

// Seen: "about 259.8 a second" of a camera that gives ten, which had kept some before it was
// opened.
TEST(Capture, WhatALiveSourceKeptBeforeIsNoRate) {
  Script script;
  script.read = [](int, int frame, Shot& shot) {
    if (frame >= 400) std::this_thread::sleep_for(milliseconds(10));
    shot.picture = numbered(frame + 1);
    return ReadStatus::frame;
  };
  const Stage stage(script);
  Capture capture("camera", stage.maker(), quick());
  EXPECT_TRUE(eventually([&] { return capture.status().fps > 0; }));
  EXPECT_LE(capture.status().fps, 101);
}

TEST(Capture, IsStaleWhenNothingComesAndLiveAgainWhenItDoes) {
  ManualClock clock(1'000'000);
  std::atomic<int> allowed{1};
  Script script;
  script.read = [&](int, int frame, Shot& shot) {
    while (allowed <= frame) std::this_thread::sleep_for(milliseconds(1));
    return slowly(shot, frame);
  };
  const Stage stage(script);
  Capture capture("camera", stage.maker(), quick(), clock);
  ASSERT_TRUE(capture.next(kLong));
  clock.advance(2900);
  EXPECT_EQ(capture.status().state, CaptureState::live);
  EXPECT_EQ(capture.status().msSinceFrame, 2900);
  clock.advance(200);
  EXPECT_EQ(capture.status().state, CaptureState::stale);
  EXPECT_NE(capture.status().fault.find("3.1 s"), std::string::npos) << capture.status().fault;
  // What a decoder gives back of a stream that is lost is one frame, or a few at once.
  for (int frame = 2; frame <= 4; ++frame) {
    allowed = frame;
    ASSERT_TRUE(capture.next(kLong));
    EXPECT_EQ(capture.status().state, CaptureState::stale) << frame;
  }
  clock.advance(1100);
  allowed = 5;
  ASSERT_TRUE(capture.next(kLong));
  EXPECT_EQ(capture.status().state, CaptureState::live);
  EXPECT_EQ(capture.status().fault, "");
  // Once more, as long as frames did not come for a second.
  clock.advance(5000);
  for (int frame = 6; frame <= 7; ++frame) {
    allowed = frame;
    ASSERT_TRUE(capture.next(kLong));
    EXPECT_EQ(capture.status().state, CaptureState::stale) << frame;
    clock.advance(5000);
  }
  allowed = 1 << 30;
}

TEST(Capture, CountsPicturesThatStandStill) {
  ManualClock clock;
  std::atomic<bool> frozen{true};
  Script script;
  script.read = [&](int, int frame, Shot& shot) { return slowly(shot, frozen ? 0 : frame); };
  const Stage stage(script);
  Capture capture("camera", stage.maker(), quick(), clock);
  ASSERT_TRUE(eventually([&] { return capture.status().frozen >= 20; }));
  EXPECT_EQ(capture.status().state, CaptureState::live);
  frozen = false;
  EXPECT_TRUE(eventually([&] { return capture.status().frozen == 0; }));
}

TEST(Capture, KeepsThePaceOfAFile) {
  const Stage stage(fileScript(1000, 20));
  const auto start = std::chrono::steady_clock::now();
  Capture capture("file", stage.maker(), quick());
  std::uint64_t last = 0;
  while (last < 11) {
    const auto frame = capture.next(kLong);
    ASSERT_TRUE(frame);
    last = frame->number;
    EXPECT_EQ(frame->positionMs, static_cast<std::int64_t>(last - 1) * 40);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(195));
}

TEST(Capture, EndsWithAFileAndGoesBackIntoIt) {
  const Stage stage(fileScript(3));
  Capture capture("file", stage.maker(), quick());
  std::optional<Frame> last;
  while (auto frame = capture.next(kLong)) last = frame;
  ASSERT_TRUE(last);
  EXPECT_EQ(last->number, 3U);
  EXPECT_EQ(capture.status().state, CaptureState::ended);
  EXPECT_EQ(capture.status().fault, "");
  EXPECT_EQ(capture.next(kLong), std::nullopt);  // at once
  EXPECT_EQ(stage.made(), 1);
  capture.seek(80);
  ASSERT_TRUE(eventually([&] { return capture.status().frames == 4; }));
  const auto again = capture.next(kLong);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->positionMs, 80);
}

TEST(Capture, StandsStillInAFileAndGoesStepByStep) {
  const Stage stage(fileScript(1000, 5));
  Capture capture("file", stage.maker(), quick());
  ASSERT_TRUE(capture.next(kLong));
  capture.pause(true);
  // Frames may be on their way; behind the one that was asked for there is none.
  capture.seek(8000);
  ASSERT_TRUE(eventually([&] {
    const auto frame = capture.next(kLong);
    return frame && frame->positionMs == 8000;
  }));
  const std::uint64_t before = capture.status().frames;
  EXPECT_EQ(capture.next(milliseconds(60)), std::nullopt);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    capture.step();
    const auto frame = capture.next(kLong);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->number, before + i);
  }
  capture.seek(4000);
  const auto sought = capture.next(kLong);
  ASSERT_TRUE(sought);
  EXPECT_EQ(sought->positionMs, 4000);
  EXPECT_EQ(capture.next(milliseconds(60)), std::nullopt);
  capture.pause(false);
  const auto on = capture.next(kLong);
  ASSERT_TRUE(on);
  EXPECT_GE(on->positionMs, 4040);
}

TEST(Capture, ReadsOnWhileALiveSourceIsPaused) {
  const Stage stage(liveScript());
  Capture capture("camera", stage.maker(), quick());
  ASSERT_TRUE(capture.next(kLong));
  capture.pause(true);
  const std::uint64_t before = capture.status().frames;
  ASSERT_TRUE(eventually([&] { return capture.status().frames > before + 10; }));
  EXPECT_EQ(capture.next(milliseconds(20)), std::nullopt);
  capture.pause(false);
  const auto frame = capture.next(kLong);
  ASSERT_TRUE(frame);
  EXPECT_GT(frame->number, before + 10);
}

// "Next frame" did nothing on a camera.
TEST(Capture, StepsALiveSourceToItsNewestFrame) {
  const Stage stage(liveScript());
  Capture capture("camera", stage.maker(), quick());
  ASSERT_TRUE(capture.next(kLong));
  capture.pause(true);
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t before = capture.status().frames;
    ASSERT_TRUE(eventually([&] { return capture.status().frames > before + 10; }));
    capture.step();
    const auto frame = capture.next(kLong);
    ASSERT_TRUE(frame);
    EXPECT_GT(frame->number, before);
    EXPECT_EQ(capture.next(milliseconds(20)), std::nullopt) << "one alone";
  }
  capture.step();
  capture.pause(false);
  capture.pause(true);
  EXPECT_EQ(capture.next(milliseconds(20)), std::nullopt) << "what was asked for is forgotten";
}

TEST(Capture, RefusesToReplayWhatIsLive) {
  CaptureOptions replay;
  replay.everyFrame = true;
  EXPECT_THROW(Capture(parseSourceAddress("camera:0"), replay), std::invalid_argument);
}

ReadStatus give(Shot& shot, int number) {
  std::this_thread::sleep_for(milliseconds(1));
  shot.picture = numbered(number);
  return ReadStatus::frame;
}

// Opens its gate before the stage waits for the readers behind it.
struct Opener {
  Gate& gate;
  ~Opener() { gate.open(); }
};

// What OpenCV keeps for each thread that was, it keeps for good.
TEST(Capture, ASourceThatFailsIsTriedAgainInTheSameThread) {
  std::mutex mutex;
  std::set<pid_t> threads;
  Script script;
  script.open = [&](int attempt) {
    const std::lock_guard lock(mutex);
    threads.insert(gettid());
    return attempt >= 5;
  };
  script.read = [](int, int frame, Shot& shot) { return give(shot, frame); };
  const Stage stage(script);
  Capture capture("camera", stage.maker(), quick());
  ASSERT_TRUE(capture.next(kLong));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(threads.size(), 1U);
}

TEST(Capture, WhatGaveFramesForASecondIsTriedAgainAtOnce) {
  std::atomic<bool> isLost{false};
  Script script;
  script.read = [&](int attempt, int frame, Shot& shot) {
    if (attempt == 0 && isLost) return ReadStatus::failed;
    return give(shot, frame);
  };
  const Stage stage(script);
  CaptureOptions options = quick();
  options.firstWaitMs = options.longestWaitMs = 3'600'000;
  Capture capture("camera", stage.maker(), options);
  ASSERT_TRUE(capture.next(kLong));
  // A second by the reader's thread, which noted the first frame before it took this one.
  const auto second = capture.next(kLong);
  ASSERT_TRUE(second);
  ASSERT_TRUE(eventually([&] {
    const auto newest = capture.next(kLong);
    return newest && newest->taken.steadyMs - second->taken.steadyMs > 1000;
  }));
  isLost = true;
  EXPECT_TRUE(eventually([&] { return capture.status().reconnects == 1; }));
}

TEST(Capture, ASourceThatCannotBeOpenedIsTriedEverMoreSlowlyAndSaysWhy) {
  Script script;
  script.open = [](int) { return false; };
  script.fault = "no route to rtsp://me:geheim@host/x?pwd=geheim";
  const Stage stage(script);
  CaptureOptions options = quick();
  options.longestWaitMs = 60000;
  Capture capture("rtsp://me:geheim@host/x?pwd=geheim", stage.maker(), options);
  EXPECT_EQ(capture.shown(), "rtsp://***@host/x?pwd=***");
  ASSERT_TRUE(eventually([&] {
    const CaptureStatus status = capture.status();
    return status.state == CaptureState::waiting && status.msToNextTry > 50;
  }));
  const CaptureStatus status = capture.status();
  EXPECT_EQ(status.fault, "no route to rtsp://***@host/x?pwd=***");
  EXPECT_EQ(status.msSinceFrame, -1);
  EXPECT_EQ(status.frames, 0U);
  EXPECT_GE(stage.made(), 5);
  EXPECT_EQ(capture.next(milliseconds(1)), std::nullopt);
}

TEST(Capture, WhatReadersThrowIsAFaultWithoutSecrets) {
  Script script;
  script.open = [](int attempt) -> bool {
    if (attempt == 0) throw std::runtime_error("no rtsp://me:geheim@host");
    if (attempt == 1) return false;
    return true;
  };
  script.read = [](int attempt, int, Shot&) -> ReadStatus {
    if (attempt == 2) throw std::bad_alloc();
    CV_Error(cv::Error::StsError, "pwd=geheim");
  };
  const Stage stage(script);
  Capture capture("camera", stage.maker(), quick());
  std::string faults;
  ASSERT_TRUE(eventually([&] {
    faults += capture.status().fault + "\n";
    return stage.made() >= 6;
  }));
  faults += capture.status().fault;  // of the fifth at the latest, whose fault no frame has cleared
  EXPECT_NE(faults.find("camera failed: "), std::string::npos);
  EXPECT_EQ(faults.find("geheim"), std::string::npos) << faults;
}

// As one whose process is killed meanwhile: what a read of that would say is no cause.
TEST(Capture, ASeekThatIsGivenUpIsTheFaultThatIsTold) {
  class GivesUp : public Reader {
   public:
    bool open() override { return true; }
    ReadStatus read(Shot& shot) override {
      if (!wasGivenUp_) return slowly(shot, 0);
      fault_ = "the process ended";
      return ReadStatus::failed;
    }
    bool seek(std::int64_t /*positionMs*/) override {
      fault_ = "it did not return from seeking";
      wasGivenUp_ = true;
      return false;
    }
    const std::string& fault() const override { return fault_; }
    bool isLive() const override { return false; }
    bool wasGivenUp() const override { return wasGivenUp_; }

   private:
    std::string fault_;
    bool wasGivenUp_ = false;
  };
  CaptureOptions options;
  options.firstWaitMs = options.longestWaitMs = kLong.count();
  Capture capture(
      "video", [] { return std::make_unique<GivesUp>(); }, options);
  ASSERT_TRUE(capture.next(kLong));
  capture.seek(1000);
  ASSERT_TRUE(eventually([&] { return capture.status().abandoned == 1; }));
  EXPECT_EQ(capture.status().fault, "it did not return from seeking");
}

TEST(Capture, GarbageIsPassedOverAndFailsWhenItGoesOn) {
  Script script;
  script.read = [](int attempt, int frame, Shot& shot) {
    if (attempt == 0 && frame >= 20) return ReadStatus::frame;  // for ever an empty picture
    const int sizes[] = {2, 2, 2};
    switch (frame % 4) {
      case 0:
        break;
      case 1:
        shot.picture = cv::Mat(4, 4, CV_8UC2, cv::Scalar::all(1));
        break;
      case 2:
        shot.picture = cv::Mat(3, sizes, CV_8U, cv::Scalar::all(1));
        break;
      default:
        return give(shot, frame);
    }
    return ReadStatus::frame;
  };
  const Stage stage(script);
  Capture capture("camera", stage.maker(), quick());
  for (int i = 0; i < 8; ++i) {
    const auto frame = capture.next(kLong);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->picture.type(), CV_8UC3);
  }
  EXPECT_GE(capture.status().reconnects, 1U);
}

TEST(Capture, ItEndsWhateverTheReaderDoes) {
  for (const bool inOpen : {true, false}) {
    Gate gate;
    Script script;
    script.open = [&](int) {
      if (inOpen) gate.wait();
      return true;
    };
    script.read = [&](int, int, Shot&) {
      gate.wait();
      return ReadStatus::failed;
    };
    const Stage stage(script);
    const Opener opener{gate};
    CaptureOptions options = quick();
    auto capture = std::make_unique<Capture>("camera", stage.maker(), options);
    ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }));
    const auto start = steady_clock::now();
    capture.reset();
    EXPECT_GE(steady_clock::now() - start, milliseconds(100));  // it was given a chance
    EXPECT_EQ(stage.alive(), 1);  // it was not waited for: the test would last an hour
  }
}

TEST(Capture, ItEndsAtOnceWhileItWaits) {
  Script script;
  script.open = [](int) { return false; };
  const Stage stage(script);
  CaptureOptions options = quick();
  options.firstWaitMs = options.longestWaitMs = 3'600'000;
  auto capture = std::make_unique<Capture>("camera", stage.maker(), options);
  ASSERT_TRUE(eventually([&] { return capture->status().state == CaptureState::waiting; }));
  EXPECT_GT(capture->status().msToNextTry, 3'000'000);
  capture.reset();  // the test would last an hour
  EXPECT_EQ(stage.alive(), 0);
}

}  // namespace
}  // namespace mpm::monitor
