// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/capture.h"

#include <unistd.h>

#include <new>

#include "cli/folder.h"
#include "monitor/clock/manual_clock.h"
#include "monitor/says.h"
#include "monitor/source/scripted_reader.h"
#include "monitor/source/test_video.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using test::eventually;
using test::kLong;
using test::numbered;
using test::numberOf;
using test::quick;
using test::Script;

ReadStatus give(Shot& shot, int number) {
  std::this_thread::sleep_for(milliseconds(1));
  shot.picture = numbered(number);
  return ReadStatus::frame;
}

Script liveScript() {
  Script script;
  script.read = [](int, int frame, Shot& shot) { return give(shot, frame + 1); };
  return script;
}

// Of frames 40 ms apart, which `fault` ends where it is not empty.
Script fileScript(int frames, double paceMs = 0, const std::string& fault = "") {
  Script script;
  script.live = false;
  script.paceMs = paceMs;
  script.fault = fault;
  script.read = [frames, fault](int, int frame, Shot& shot) {
    if (frame >= frames) return fault.empty() ? ReadStatus::ended : ReadStatus::failed;
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

CaptureOptions replay() {
  CaptureOptions options = quick();
  options.everyFrame = true;
  return options;
}
CaptureOptions waiting(std::int64_t firstMs, std::int64_t longestMs) {
  CaptureOptions options = quick();
  options.firstWaitMs = firstMs;
  options.longestWaitMs = longestMs;
  return options;
}

class CaptureTest : public testing::Test {
 protected:
  void TearDown() override {
    for (test::Gate& gate : gates_) gate.open();
  }
  void begin(const Script& script, const CaptureOptions& options = quick(),
             Clock& clock = systemClock(), const std::string& shown = "camera") {
    capture_.reset();  // which a stage waits for
    stage_.emplace(script);
    capture_ = std::make_unique<Capture>(shown, stage_->maker(), options, clock);
  }
  Frame next() {
    auto frame = capture_->next(kLong);
    EXPECT_TRUE(frame);
    return frame.value_or(Frame());
  }
  bool isQuiet(int ms) { return !capture_->next(milliseconds(ms)); }
  // All that comes, with a consumer that is now quick, now slow.
  std::vector<Frame> all() {
    std::vector<Frame> frames;
    while (auto frame = capture_->next(kLong)) {
      frames.push_back(std::move(*frame));
      if (frames.size() % 7 == 0) std::this_thread::sleep_for(milliseconds(3));
    }
    return frames;
  }
  CaptureStatus status() const { return capture_->status(); }
  bool becomes(const std::function<bool(const CaptureStatus&)>& holds) {
    return eventually([&] { return holds(status()); });
  }

  // What scripts look at: they may go on until the stage has ended.
  std::atomic<int> number_{1};
  std::mutex mutex_;
  std::set<pid_t> threads_;
  test::Gate gates_[2];
  ManualClock clock_{1'700'000'000'000};
  std::optional<test::Stage> stage_;
  std::unique_ptr<Capture> capture_;
};

TEST_F(CaptureTest, GivesTheNewestFrameAndCountsTheOthers) {
  // Its clock stands still, so that nothing is stale on a machine that does.
  begin(liveScript(), quick(), clock_);
  EXPECT_EQ(capture_->shown(), "camera");
  std::uint64_t last = 0, taken = 0;
  while (last < 50) {
    const Frame frame = next();
    ASSERT_GT(frame.number, last);
    EXPECT_EQ(frame.taken.utcMs, clock_.now().utcMs);
    EXPECT_EQ(numberOf(frame.picture), static_cast<int>(frame.number));
    last = frame.number;
    ASSERT_TRUE(++taken != 5 || becomes([](auto& is) { return is.drops > 0; }));
  }
  const CaptureStatus is = status();
  EXPECT_EQ(is.state, CaptureState::live);
  EXPECT_GE(is.frames, last);
  EXPECT_GE(is.frames, taken + is.drops);
  EXPECT_GT(is.drops, 0U);
  EXPECT_EQ(is.size, cv::Size(8, 6));
  EXPECT_EQ(is.fault, "");
  EXPECT_EQ(is.reconnects, 0U);
  EXPECT_GE(is.msSinceFrame, 0);
  EXPECT_TRUE(becomes([](auto& now) { return now.fps > 0; }));
}

// Seen: "about 259.8 a second" of a camera that gives ten, which had kept some before it was
// opened.
TEST_F(CaptureTest, WhatALiveSourceKeptBeforeIsNoRate) {
  Script script;
  script.read = [](int, int frame, Shot& shot) {
    if (frame >= 400) std::this_thread::sleep_for(milliseconds(10));
    shot.picture = numbered(frame + 1);
    return ReadStatus::frame;
  };
  begin(script);
  EXPECT_TRUE(becomes([](auto& is) { return is.fps > 0; }));
  EXPECT_LE(status().fps, 101);
}

TEST_F(CaptureTest, IsStaleWhenNothingComesAndLiveAgainWhenItDoes) {
  Script script;
  script.read = [&](int, int frame, Shot& shot) {
    while (number_ <= frame) std::this_thread::sleep_for(milliseconds(1));
    return give(shot, frame + 1);
  };
  begin(script, quick(), clock_);
  const auto stateAfter = [&](int frame) {
    number_ = frame;
    next();
    return status().state;
  };
  EXPECT_EQ(stateAfter(1), CaptureState::live);
  clock_.advance(2900);
  EXPECT_EQ(status().state, CaptureState::live);
  EXPECT_EQ(status().msSinceFrame, 2900);
  clock_.advance(200);
  EXPECT_EQ(status().state, CaptureState::stale);
  EXPECT_TRUE(has(status().fault, "3.1 s"));
  // What a decoder gives back of a stream that is lost is one frame, or a few at once.
  for (int frame = 2; frame <= 4; ++frame) EXPECT_EQ(stateAfter(frame), CaptureState::stale);
  clock_.advance(1100);
  EXPECT_EQ(stateAfter(5), CaptureState::live);
  EXPECT_EQ(status().fault, "");
  // Once more, as long as frames did not come for a second.
  for (int frame = 6; frame <= 7; ++frame) {
    clock_.advance(5000);
    EXPECT_EQ(stateAfter(frame), CaptureState::stale) << frame;
  }
  number_ = 1 << 30;
}

TEST_F(CaptureTest, CountsPicturesThatStandStill) {
  Script script;
  script.read = [&](int, int frame, Shot& shot) { return give(shot, number_ == 1 ? 0 : frame); };
  begin(script, quick(), clock_);
  ASSERT_TRUE(becomes([](auto& is) { return is.frozen >= 20; }));
  EXPECT_EQ(status().state, CaptureState::live);
  number_ = 2;
  EXPECT_TRUE(becomes([](auto& is) { return is.frozen == 0; }));
}

TEST_F(CaptureTest, KeepsThePaceOfAFile) {
  const auto start = steady_clock::now();
  begin(fileScript(1000, 20));
  for (std::uint64_t last = 0; last < 11;) {
    const Frame frame = next();
    ASSERT_GT(frame.number, last);
    last = frame.number;
    EXPECT_EQ(frame.positionMs, static_cast<std::int64_t>(last - 1) * 40);
  }
  EXPECT_GE(steady_clock::now() - start, milliseconds(195));
}

TEST_F(CaptureTest, EndsWithAFileAndGoesBackIntoIt) {
  begin(fileScript(3));
  EXPECT_EQ(all().back().number, 3U);
  EXPECT_EQ(status().state, CaptureState::ended);
  EXPECT_EQ(status().fault, "");
  EXPECT_EQ(capture_->next(kLong), std::nullopt);  // at once
  EXPECT_EQ(stage_->made(), 1);
  capture_->seek(80);
  ASSERT_TRUE(becomes([](auto& is) { return is.frames == 4; }));
  EXPECT_EQ(next().positionMs, 80);
}

TEST_F(CaptureTest, StandsStillInAFileAndGoesStepByStep) {
  begin(fileScript(1000, 5));
  next();
  capture_->pause(true);
  // Frames may be on their way; behind the one that was asked for there is none.
  capture_->seek(8000);
  ASSERT_TRUE(eventually([&] { return next().positionMs == 8000; }));
  const std::uint64_t before = status().frames;
  EXPECT_TRUE(isQuiet(60));
  for (std::uint64_t i = 1; i <= 3; ++i) {
    capture_->step();
    EXPECT_EQ(next().number, before + i);
  }
  capture_->seek(4000);
  EXPECT_EQ(next().positionMs, 4000);
  EXPECT_TRUE(isQuiet(60));
  capture_->pause(false);
  EXPECT_GE(next().positionMs, 4040);
}

// Seen: "Next frame" did nothing on a camera.
TEST_F(CaptureTest, ReadsOnWhileALiveSourceIsPausedAndStepsToItsNewestFrame) {
  begin(liveScript());
  next();
  capture_->pause(true);
  std::uint64_t before = 0;
  const auto readsOn = [&] {
    before = status().frames;
    return becomes([&](auto& is) { return is.frames > before + 10; });
  };
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(readsOn());
    EXPECT_TRUE(isQuiet(20));
    capture_->step();
    EXPECT_GT(next().number, before);
    EXPECT_TRUE(isQuiet(20)) << "one alone";
  }
  capture_->step();
  capture_->pause(false);
  capture_->pause(true);
  EXPECT_TRUE(isQuiet(20)) << "what was asked for is forgotten";
  ASSERT_TRUE(readsOn());
  capture_->pause(false);
  EXPECT_GT(next().number, before + 10);
}

// Engines that compute alternately wait for a frame first, and take the newest in their turn.
TEST_F(CaptureTest, WaitingForAFrameTakesNone) {
  begin(fileScript(2), replay());
  for (int number = 1; number <= 2; ++number) {
    EXPECT_TRUE(capture_->waitForFrame(kLong));
    EXPECT_TRUE(capture_->waitForFrame(kLong)) << "it is still there";
    const auto frame = capture_->next(milliseconds(0));
    ASSERT_TRUE(frame);
    EXPECT_EQ(numberOf(frame->picture), number);
  }
  EXPECT_FALSE(capture_->waitForFrame(kLong)) << "at its end, at once";

  begin(liveScript());
  ASSERT_TRUE(capture_->waitForFrame(kLong));
  ASSERT_TRUE(becomes([](auto& is) { return is.frames > 10; }));
  EXPECT_GT(next().number, 10u) << "and not the one that was waited for";
  capture_->pause(true);
  EXPECT_FALSE(capture_->waitForFrame(milliseconds(20)));
  capture_->step();
  EXPECT_TRUE(capture_->waitForFrame(kLong));
  EXPECT_TRUE(capture_->waitForFrame(kLong)) << "waiting is no step";
  next();
  EXPECT_FALSE(capture_->waitForFrame(milliseconds(20)));
  capture_->pause(false);
  EXPECT_TRUE(capture_->waitForFrame(kLong));

  Script silent;
  silent.read = [this](int, int, Shot&) {
    gates_[0].wait();
    return ReadStatus::failed;
  };
  begin(silent);
  EXPECT_FALSE(capture_->waitForFrame(milliseconds(20)));
}

// What OpenCV keeps for each thread that was, it keeps for good.
TEST_F(CaptureTest, ASourceThatFailsIsTriedAgainInTheSameThread) {
  Script script = liveScript();
  script.open = [&](int attempt) {
    const std::lock_guard lock(mutex_);
    threads_.insert(gettid());
    return attempt >= 5;
  };
  begin(script);
  next();
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(threads_.size(), 1U);
}

TEST_F(CaptureTest, WhatGaveFramesForASecondIsTriedAgainAtOnce) {
  Script script;
  script.read = [&](int attempt, int frame, Shot& shot) {
    if (attempt == 0 && number_ == 2) return ReadStatus::failed;
    return give(shot, frame);
  };
  begin(script, waiting(3'600'000, 3'600'000));
  next();
  // A second by the reader's thread, which noted the first frame before it took this one.
  const std::int64_t second = next().taken.steadyMs;
  ASSERT_TRUE(eventually([&] { return next().taken.steadyMs - second > 1000; }));
  number_ = 2;
  EXPECT_TRUE(becomes([](auto& is) { return is.reconnects == 1; }));
}

TEST_F(CaptureTest, ASourceThatCannotBeOpenedIsTriedEverMoreSlowlyAndSaysWhy) {
  Script script;
  script.open = [](int) { return false; };
  script.fault = "no route to rtsp://me:geheim@host/x?pwd=geheim";
  begin(script, waiting(1, 60000), systemClock(), "rtsp://me:geheim@host/x?pwd=geheim");
  EXPECT_EQ(capture_->shown(), "rtsp://***@host/x?pwd=***");
  ASSERT_TRUE(
      becomes([](auto& is) { return is.state == CaptureState::waiting && is.msToNextTry > 50; }));
  EXPECT_EQ(status().fault, "no route to rtsp://***@host/x?pwd=***");
  EXPECT_EQ(status().msSinceFrame, -1);
  EXPECT_EQ(status().frames, 0U);
  EXPECT_GE(stage_->made(), 5);
  EXPECT_TRUE(isQuiet(1));
}

TEST_F(CaptureTest, WhatReadersThrowIsAFaultWithoutSecrets) {
  Script script;
  script.open = [](int attempt) -> bool {
    if (attempt == 0) throw std::runtime_error("no rtsp://me:geheim@host");
    return attempt != 1;
  };
  script.read = [](int attempt, int, Shot&) -> ReadStatus {
    if (attempt == 2) throw std::bad_alloc();
    CV_Error(cv::Error::StsError, "pwd=geheim");
  };
  begin(script);
  std::string faults;
  ASSERT_TRUE(eventually([&] {
    faults += status().fault + "\n";
    return stage_->made() >= 6;
  }));
  faults += status().fault;  // of the fifth at the latest, whose fault no frame has cleared
  EXPECT_TRUE(has(faults, "camera failed: "));
  EXPECT_FALSE(has(faults, "geheim"));
}

// As one whose process is killed meanwhile: what a read of that would say is no cause.
TEST_F(CaptureTest, ASeekThatIsGivenUpIsTheFaultThatIsTold) {
  class GivesUp : public Reader {
   public:
    bool open() override { return true; }
    ReadStatus read(Shot& shot) override {
      if (!wasGivenUp_) return give(shot, 1);
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
  capture_ = std::make_unique<Capture>(
      "video", [] { return std::make_unique<GivesUp>(); }, waiting(kLong.count(), kLong.count()));
  next();
  capture_->seek(1000);
  ASSERT_TRUE(becomes([](auto& is) { return is.abandoned == 1; }));
  EXPECT_EQ(status().fault, "it did not return from seeking");
}

TEST_F(CaptureTest, GarbageIsPassedOverAndFailsWhenItGoesOn) {
  Script script;
  script.read = [](int attempt, int frame, Shot& shot) {
    const int sizes[] = {2, 2, 2};
    if (attempt == 0 && frame >= 20) return ReadStatus::frame;  // for ever an empty picture
    if (frame % 4 == 1) shot.picture = cv::Mat(4, 4, CV_8UC2, cv::Scalar::all(1));
    if (frame % 4 == 2) shot.picture = cv::Mat(3, sizes, CV_8U, cv::Scalar::all(1));
    return frame % 4 == 3 ? give(shot, frame) : ReadStatus::frame;
  };
  begin(script);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(next().picture.type(), CV_8UC3);
  EXPECT_GE(status().reconnects, 1U);
}

TEST_F(CaptureTest, ItEndsWhateverTheReaderDoes) {
  for (const bool inOpen : {true, false}) {
    test::Gate& gate = gates_[inOpen ? 0 : 1];
    Script script;
    script.open = [&](int) {
      if (inOpen) gate.wait();
      return true;
    };
    script.read = [&](int, int, Shot&) {
      gate.wait();
      return ReadStatus::failed;
    };
    begin(script);
    ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }));
    const auto start = steady_clock::now();
    capture_.reset();
    EXPECT_GE(steady_clock::now() - start, milliseconds(100));  // it was given a chance
    EXPECT_EQ(stage_->alive(), 1);  // it was not waited for: the test would last an hour
    gate.open();
    stage_.reset();
  }
}

TEST_F(CaptureTest, ItEndsAtOnceWhileItWaits) {
  Script script;
  script.open = [](int) { return false; };
  begin(script, waiting(3'600'000, 3'600'000));
  ASSERT_TRUE(becomes([](auto& is) { return is.state == CaptureState::waiting; }));
  EXPECT_GT(status().msToNextTry, 3'000'000);
  capture_.reset();  // the test would last an hour
  EXPECT_EQ(stage_->alive(), 0);
}

TEST_F(CaptureTest, AReplayGivesEveryFrameOfAVideoTheSameEachTime) {
  const test::Folder folder;
  test::writeVideo(folder.at("a.avi"), 50);
  std::vector<cv::Mat> before;
  for (int run = 0; run < 2; ++run) {
    capture_ = std::make_unique<Capture>(parseSourceAddress(folder.at("a.avi")), replay());
    const std::vector<Frame> frames = all();
    EXPECT_EQ(status().state, CaptureState::ended);
    EXPECT_EQ(status().drops, 0U);
    EXPECT_EQ(status().frames, 50U);
    ASSERT_EQ(frames.size(), 50U);
    for (std::size_t i = 0; i < 50; ++i) {
      const Frame& frame = frames[i];
      EXPECT_EQ(frame.number, i + 1);
      EXPECT_EQ(test::frameOf(frame.picture), static_cast<int>(i));
      EXPECT_EQ(frame.positionMs, static_cast<std::int64_t>(50 * i));
      EXPECT_EQ(frame.taken.utcMs, static_cast<std::int64_t>(50 * i));
      EXPECT_EQ(frame.taken.steadyMs, frame.taken.utcMs);
      EXPECT_TRUE(frame.taken.era == 0 && frame.taken.synchronised);
      if (run == 0) before.push_back(frame.picture);
      EXPECT_EQ(cv::norm(frame.picture, before[i], cv::NORM_INF), 0);
    }
  }
  EXPECT_THROW(Capture(parseSourceAddress("camera:0"), replay()), std::invalid_argument);
}

TEST_F(CaptureTest, AReplayCountsTimeByItselfWhereTheFileTellsNone) {
  Script script = fileScript(6, 40);
  script.read = [](int, int frame, Shot& shot) {
    if (frame >= 6) return ReadStatus::ended;
    shot.picture = numbered(frame);
    if (frame == 3) shot.positionMs = 500;  // then it goes on from there
    if (frame == 4) shot.positionMs = 500;  // and stands still
    return ReadStatus::frame;
  };
  begin(script, replay());
  std::vector<std::int64_t> times;
  for (const Frame& frame : all()) times.push_back(frame.taken.utcMs);
  EXPECT_EQ(times, (std::vector<std::int64_t>{0, 40, 80, 500, 540, 580}));
}

TEST_F(CaptureTest, AReplayWaitsUntilAFrameWasTaken) {
  begin(fileScript(1 << 20), replay());
  ASSERT_TRUE(becomes([](auto& is) { return is.frames == 1; }));
  EXPECT_EQ(status().state, CaptureState::live);
  for (int i = 0; i < 500; ++i) {
    EXPECT_LE(status().frames, static_cast<std::uint64_t>(i) + 1);
    EXPECT_EQ(numberOf(next().picture), i + 1);
  }
  EXPECT_EQ(status().drops, 0U);
}

TEST_F(CaptureTest, AReplayEndsWithAFailureInsteadOfBeginningAgain) {
  begin(fileScript(3, 0, "the script says so"), replay());
  EXPECT_EQ(all().size(), 3U);
  EXPECT_EQ(status().state, CaptureState::ended);
  EXPECT_EQ(status().fault, "the script says so");
  EXPECT_EQ(stage_->made(), 1);
  capture_ = std::make_unique<Capture>(parseSourceAddress("/nowhere/missing.avi"), replay());
  ASSERT_TRUE(becomes([](auto& is) { return is.state == CaptureState::ended; }));
  EXPECT_TRUE(has(status().fault, "there is no file"));
}

}  // namespace
}  // namespace mpm::monitor
