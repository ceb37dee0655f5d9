// SPDX-License-Identifier: Apache-2.0
// A net that does not return for a minute: the camera is read on, nothing queues, and the newest
// frame is the next one.
#include <climits>
#include <cstdio>

#include "monitor/engine/engine_case.h"
#include "monitor/engine/resident.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

class BlockedNetwork : public StubNetwork {
 public:
  BlockedNetwork(const std::atomic<bool>& blocked, std::atomic<bool>& waits)
      : blocked_(blocked), waits_(waits) {}
  Segmentation segment(const cv::Mat& picture) override {
    while (blocked_) {
      waits_ = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return StubNetwork::segment(picture);
  }

 private:
  const std::atomic<bool>& blocked_;
  std::atomic<bool>& waits_;
};

class Numbers : public EngineListener {
 public:
  void onResult(std::size_t, const FrameResultPtr& result) override {
    const std::lock_guard lock(mutex_);
    numbers_.push_back(result->frame.number);
  }
  std::vector<std::uint64_t> all() const {
    const std::lock_guard lock(mutex_);
    return numbers_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> numbers_;
};

// A camera's minute, as fast as its frames can be made.
TEST(Blocked, AMinutesFrames) {
  constexpr std::uint64_t frames = 1500;
  std::atomic<bool> blocked{false}, waits{false};
  const StubReaderPlan plan{.frames = INT_MAX, .size = {640, 480}, .live = true, .liveMs = 0};
  Numbers numbers;
  ManualClock clock;  // no source is stale on a machine that stands still for some seconds
  Engine engine(watching(plan), std::make_unique<BlockedNetwork>(blocked, waits), {&numbers},
                clock);
  const struct Release {
    std::atomic<bool>& blocked;
    ~Release() { blocked = false; }
  } release{blocked};  // before the engine waits for its thread
  ASSERT_TRUE(eventually([&] { return numbers.all().size() >= 20; }));

  blocked = true;
  const std::chrono::seconds patience(300);
  ASSERT_TRUE(eventually([&] { return waits.load(); }, patience));
  const std::uint64_t first = engine.capture(0).frames;
  ASSERT_TRUE(eventually([&] { return engine.capture(0).frames > first + 50; }, patience));
  const std::size_t seen = numbers.all().size();
  const std::int64_t turnedMs = engine.turnedMs();
  clock.advance(1000);
  const double warmMb = residentMb();
  ASSERT_TRUE(eventually([&] { return engine.capture(0).frames >= first + frames; }, patience));
  const double grownMb = residentMb() - warmMb;
  const CaptureStatus status = engine.capture(0);
  EXPECT_EQ(status.state, CaptureState::live);
  EXPECT_EQ(status.reconnects, 0u);
  EXPECT_GE(status.drops, frames - 2);
  EXPECT_LT(grownMb, 8);  // a frame is 0.9 MB, all of them more than a gigabyte
  EXPECT_EQ(numbers.all().size(), seen);
  EXPECT_EQ(engine.turnedMs(), turnedMs);  // which is what the watchdog looks at

  const std::uint64_t newest = engine.capture(0).frames;
  blocked = false;
  ASSERT_TRUE(eventually([&] { return numbers.all().size() >= seen + 2; }, patience));
  // First the frame that the net had in its hands.
  EXPECT_LE(numbers.all()[seen], first);
  EXPECT_GE(numbers.all()[seen + 1], newest);
  EXPECT_GT(engine.turnedMs(), turnedMs);
  std::printf("%llu frames while the net was blocked: %.2f MB more\n",
              static_cast<unsigned long long>(status.frames - first), grownMb);
}

}  // namespace
}  // namespace mpm::test
