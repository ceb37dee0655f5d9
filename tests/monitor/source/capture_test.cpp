// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/capture.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "monitor/clock/manual_clock.h"
#include "monitor/source/scripted_reader.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;
using test::eventually;
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
  ManualClock clock;  // stands still, so that nothing is stale on a machine that does
  const Stage stage(liveScript());
  Capture capture("camera", stage.maker(), quick(), clock);
  EXPECT_EQ(capture.shown(), "camera");
  std::uint64_t last = 0, taken = 0;
  while (last < 50) {
    const auto frame = capture.next(kLong);
    ASSERT_TRUE(frame);
    EXPECT_GT(frame->number, last);
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

TEST(Capture, StampsFramesWithItsClock) {
  ManualClock clock(1'700'000'000'000);
  clock.advance(5000);
  const Stage stage(liveScript());
  Capture capture("camera", stage.maker(), quick(), clock);
  const auto frame = capture.next(kLong);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->taken.utcMs, clock.now().utcMs);
  EXPECT_EQ(frame->taken.steadyMs, clock.now().steadyMs);
}

TEST(Capture, IsNotHeldUpByWhoTakesNothing) {
  // Each picture counts itself: memory stays as it is when few are alive at any time.
  const auto alive = std::make_shared<std::atomic<int>>(0);
  const auto most = std::make_shared<std::atomic<int>>(0);
  struct Counted : cv::MatAllocator {
    std::shared_ptr<std::atomic<int>> alive, most;
    cv::UMatData* allocate(int dims, const int* sizes, int type, void* data, size_t* step,
                           cv::AccessFlag flags, cv::UMatUsageFlags usage) const override {
      if (++*alive > *most) *most = alive->load();
      cv::UMatData* made =
          cv::Mat::getStdAllocator()->allocate(dims, sizes, type, data, step, flags, usage);
      made->prevAllocator = made->currAllocator = this;
      return made;
    }
    bool allocate(cv::UMatData* data, cv::AccessFlag, cv::UMatUsageFlags) const override {
      return data != nullptr;
    }
    void deallocate(cv::UMatData* data) const override {
      --*alive;
      cv::Mat::getStdAllocator()->deallocate(data);
    }
  };
  static Counted allocator;  // pictures may outlive the test's locals
  allocator.alive = alive;
  allocator.most = most;
  Script script;
  script.read = [](int, int frame, Shot& shot) {
    shot.picture.allocator = &allocator;
    shot.picture.create(6, 8, CV_8UC3);
    numbered(frame + 1).copyTo(shot.picture);
    return ReadStatus::frame;
  };
  const Stage stage(script);
  {
    Capture capture("camera", stage.maker(), quick());
    ASSERT_TRUE(eventually([&] { return capture.status().frames >= 5000; }));
    const std::uint64_t before = capture.status().frames;
    const auto frame = capture.next(kLong);
    ASSERT_TRUE(frame);
    EXPECT_GE(frame->number, before);
  }
  EXPECT_GE(*most, 2);
  EXPECT_LE(*most, 6);
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

TEST(Capture, ReadsADrawnStreet) {
  CaptureOptions options = quick();
  Capture capture(parseSourceAddress("scene:?size=64x64&clock=600x"), options);
  for (int i = 0; i < 2; ++i) {
    const auto frame = capture.next(kLong);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->picture.size(), cv::Size(64, 64));
    EXPECT_TRUE(frame->positionMs);
  }
}

TEST(Capture, RefusesOptionsThatCannotBe) {
  const Stage stage(liveScript());
  const auto refuses = [&](const auto& change) {
    CaptureOptions options;
    change(options);
    EXPECT_THROW(Capture("camera", stage.maker(), options), std::invalid_argument);
  };
  refuses([](CaptureOptions& options) { options.staleMs = 0; });
  refuses([](CaptureOptions& options) { options.abandonAfterMs = 0; });
  refuses([](CaptureOptions& options) { options.firstWaitMs = 0; });
  refuses([](CaptureOptions& options) { options.longestWaitMs = 1; });
  refuses([](CaptureOptions& options) { options.mostAbandoned = 0; });
  CaptureOptions endless;
  endless.everyFrame = endless.reader.loop = true;
  EXPECT_THROW(Capture(parseSourceAddress("a.mp4"), endless), std::invalid_argument);
  CaptureOptions replay;
  replay.everyFrame = true;
  EXPECT_THROW(Capture(parseSourceAddress("camera:0"), replay), std::invalid_argument);
  CaptureOptions still;
  still.reader.folderFps = 0;
  EXPECT_THROW(Capture(parseSourceAddress("folder/"), still), std::invalid_argument);
}

TEST(Capture, NamesItsStates) {
  EXPECT_STREQ(nameOf(CaptureState::opening), "opening");
  EXPECT_STREQ(nameOf(CaptureState::live), "live");
  EXPECT_STREQ(nameOf(CaptureState::stale), "stale");
  EXPECT_STREQ(nameOf(CaptureState::waiting), "waiting");
  EXPECT_STREQ(nameOf(CaptureState::ended), "ended");
}

}  // namespace
}  // namespace mpm::monitor
