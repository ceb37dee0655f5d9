// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <iterator>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "monitor/clock/manual_clock.h"
#include "monitor/source/capture.h"
#include "monitor/source/scripted_reader.h"
#include "monitor/source/tiny_server.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using test::eventually;
using test::Gate;
using test::kLong;
using test::numbered;
using test::quick;
using test::Script;
using test::Stage;

ReadStatus give(Shot& shot, int number) {
  std::this_thread::sleep_for(milliseconds(1));
  shot.picture = numbered(number);
  return ReadStatus::frame;
}

CaptureOptions impatient() {
  CaptureOptions options = quick();
  options.abandonAfterMs = 300;
  return options;
}

// Opens its gate before the stage waits for the readers behind it.
struct Opener {
  Gate& gate;
  ~Opener() { gate.open(); }
};

std::ptrdiff_t entries(const char* folder) {
  const std::filesystem::directory_iterator begin(folder);
  return std::distance(begin, std::filesystem::directory_iterator());
}

// What OpenCV keeps for each thread that was, it keeps for good.
TEST(CaptureFault, ASourceThatFailsIsTriedAgainInTheSameThread) {
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

TEST(CaptureFault, AReaderThatHangsInOpenIsReplaced) {
  Gate gate;
  Script script;
  script.open = [&](int attempt) {
    if (attempt == 0) gate.wait();
    return true;
  };
  script.read = [](int attempt, int frame, Shot& shot) {
    return give(shot, attempt * 100000 + frame);
  };
  const Stage stage(script);
  const Opener opener{gate};
  Capture capture("camera", stage.maker(), impatient());
  const auto frame = capture.next(kLong);
  ASSERT_TRUE(frame);
  EXPECT_GE(test::numberOf(frame->picture), 100000);
  EXPECT_GE(capture.status().abandoned, 1U);
  // Neither the one that hangs nor the first that opened counts. On a busy machine there may be
  // others.
  const std::uint64_t reconnects = capture.status().reconnects;
  EXPECT_LE(reconnects + 2, static_cast<std::uint64_t>(stage.made()));
  gate.open();
  EXPECT_TRUE(eventually([&] { return stage.alive() == 1; }));  // it ends by itself
}

TEST(CaptureFault, AReaderThatHangsInReadIsReplacedAndWhatItBringsIsThrownAway) {
  Gate gate;
  std::promise<const Capture*> made;
  const auto capturing = made.get_future().share();
  std::promise<CaptureStatus> behindIt;
  std::atomic<int> next{-1};  // the attempt behind one that hung in a read and was told so
  Script script;
  // Its own frames will clear the fault. A busy machine may hold up an attempt in another call, so
  // each one hangs until one was told of its read.
  script.open = [&](int attempt) {
    if (attempt == 0 || next >= 0) return true;
    const CaptureStatus status = capturing.get()->status();
    int none = -1;
    if (status.fault.find("from reading") != std::string::npos &&
        next.compare_exchange_strong(none, attempt)) {
      behindIt.set_value(status);
    }
    return true;
  };
  script.read = [&](int attempt, int frame, Shot& shot) {
    if (next < 0 && frame == 3) gate.wait();
    return give(shot, attempt * 100000 + frame);
  };
  const Stage stage(script);
  const Opener opener{gate};
  Capture capture("camera", stage.maker(), impatient());
  made.set_value(&capture);
  const CaptureStatus status = behindIt.get_future().get();
  EXPECT_GE(status.abandoned, 1U);
  EXPECT_NE(status.fault.find("did not return from reading within 0.3 s"), std::string::npos)
      << status.fault;
  ASSERT_TRUE(eventually([&] { return capture.status().reconnects >= 1; }));
  ASSERT_TRUE(eventually([&] {
    const auto frame = capture.next(kLong);
    return frame && frame->number >= 10 && test::numberOf(frame->picture) >= 100000 * next;
  }));
  gate.open();
  ASSERT_TRUE(eventually([&] { return stage.alive() == 1; }));
  for (int i = 0; i < 20; ++i) {
    const auto frame = capture.next(kLong);
    ASSERT_TRUE(frame);
    EXPECT_GE(test::numberOf(frame->picture), 100000 * next);
  }
}

TEST(CaptureFault, NoMoreReadersHangThanAllowedAndItGoesOnWhenOneReturns) {
  Gate gate;
  std::atomic<bool> broken{true};
  Script script;
  script.open = [&](int) {
    if (broken) gate.wait();
    return true;
  };
  script.read = [](int, int frame, Shot& shot) { return give(shot, frame); };
  const Stage stage(script);
  const Opener opener{gate};
  CaptureOptions options = impatient();
  options.abandonAfterMs = 20;
  options.mostAbandoned = 3;
  Capture capture("camera", stage.maker(), options);
  ASSERT_TRUE(eventually([&] { return capture.status().abandoned == 3; }));
  ASSERT_TRUE(
      eventually([&] { return capture.status().fault.find("3 tries") != std::string::npos; }));
  EXPECT_EQ(stage.made(), 3);  // none was added while three hung
  broken = false;
  gate.open();
  EXPECT_TRUE(capture.next(kLong));
}

TEST(CaptureFault, WhatGaveFramesForASecondIsTriedAgainAtOnce) {
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

TEST(CaptureFault, ASourceThatClosesIsOpenedAgainForEver) {
  const auto threads = entries("/proc/self/task"), files = entries("/proc/self/fd");
  Script script;
  script.read = [](int, int frame, Shot& shot) {
    return frame < 2 ? (shot.picture = numbered(frame), ReadStatus::frame) : ReadStatus::failed;
  };
  const Stage stage(script);
  {
    CaptureOptions options = quick();
    options.longestWaitMs = 1;
    Capture capture("camera", stage.maker(), options);
    ASSERT_TRUE(
        eventually([&] { return capture.status().reconnects >= 1000; }, std::chrono::minutes(10)));
    // A thread that was joined is listed a moment longer.
    EXPECT_TRUE(eventually([&] { return entries("/proc/self/task") <= threads + 2; }));
    EXPECT_LE(entries("/proc/self/fd"), files);
    EXPECT_LE(stage.alive(), 1);
    EXPECT_EQ(capture.status().abandoned, 0U);
    EXPECT_GE(capture.status().frames, 2000U);
  }
  EXPECT_EQ(stage.alive(), 0);
  // Fewer where a thread of a test before this one was still ending.
  EXPECT_TRUE(eventually([&] { return entries("/proc/self/task") <= threads; }));
}

TEST(CaptureFault, ASourceThatCannotBeOpenedIsTriedEverMoreSlowlyAndSaysWhy) {
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

TEST(CaptureFault, WhatReadersThrowIsAFaultWithoutSecrets) {
  Script script;
  script.open = [](int attempt) -> bool {
    if (attempt == 0) throw std::runtime_error("no rtsp://me:geheim@host");
    if (attempt == 1) throw 7;
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

TEST(CaptureFault, AMakerThatThrowsOrGivesNothingIsTriedAgain) {
  Script script;
  script.read = [](int, int frame, Shot& shot) { return give(shot, frame); };
  const Stage stage(script);
  std::atomic<int> calls{0};
  Capture capture(
      "camera",
      [&, maker = stage.maker()]() -> std::unique_ptr<Reader> {
        const int call = calls++;
        if (call == 0) throw std::runtime_error("no maker");
        return call == 1 ? nullptr : maker();
      },
      quick());
  EXPECT_TRUE(capture.next(kLong));
}

TEST(CaptureFault, GarbageIsPassedOverAndFailsWhenItGoesOn) {
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

TEST(CaptureFault, OddTypesBecomeBgrAndSizesMayChange) {
  Script script;
  script.read = [](int, int frame, Shot& shot) {
    std::this_thread::sleep_for(milliseconds(2));
    const int side = 2 + frame % 3;
    const int types[] = {CV_8UC1, CV_8UC4, CV_16UC3};
    shot.picture = cv::Mat(side, side, types[frame % 3], cv::Scalar::all(0));  // black, too
    return ReadStatus::frame;
  };
  ManualClock clock;
  const Stage stage(script);
  Capture capture("camera", stage.maker(), quick(), clock);
  int seen = 0;
  while (seen != 7) {
    const auto frame = capture.next(kLong);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->picture.type(), CV_8UC3);
    EXPECT_EQ(cv::countNonZero(frame->picture.reshape(1)), 0);
    seen |= 1 << (frame->picture.rows - 2);
  }
  EXPECT_EQ(capture.status().state, CaptureState::live);
}

TEST(CaptureFault, ItEndsWhateverTheReaderDoes) {
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
    options.abandonAfterMs = 3'600'000;
    auto capture = std::make_unique<Capture>("camera", stage.maker(), options);
    ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }));
    const auto start = steady_clock::now();
    capture.reset();
    EXPECT_GE(steady_clock::now() - start, milliseconds(100));  // it was given a chance
    EXPECT_EQ(stage.alive(), 1);  // it was not waited for: the test would last an hour
  }
}

TEST(CaptureFault, ItEndsAtOnceWhileItWaits) {
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

TEST(CaptureFault, AServerThatNeverAnswersIsTriedAgainAndItsSecretsStayHere) {
  const test::TinyServer server("", false);
  CaptureOptions options = quick();
  options.reader.openTimeoutMs = options.reader.readTimeoutMs = 150;
  Capture capture(parseSourceAddress("http://me:geheim@127.0.0.1:" + std::to_string(server.port()) +
                                     "/x?pwd=geheim"),
                  options);
  std::string faults;
  ASSERT_TRUE(eventually([&] {
    faults += capture.status().fault;
    return faults.find("cannot be opened") != std::string::npos ||
           faults.find("did not answer") != std::string::npos;
  }));
  EXPECT_EQ(faults.find("geheim"), std::string::npos) << faults;
  EXPECT_EQ(capture.shown().find("geheim"), std::string::npos);
  EXPECT_EQ(capture.status().frames, 0U);
}

}  // namespace
}  // namespace mpm::monitor
