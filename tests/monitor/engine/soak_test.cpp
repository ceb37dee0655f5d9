// SPDX-License-Identifier: Apache-2.0
// Weeks in minutes, of which memory stays flat; a net that does not return for a minute; and a real
// net, which is not among the `threads`: ThreadSanitizer does not see how OpenCV's own wait for
// each other.
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "in_project.h"
#include "models/scenes/camera.h"
#include "monitor/engine/engine_case.h"
#include "monitor/engine/resident.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

// A day of a drawn street in a few hundred small pictures, shown again and again, with times of
// its own. Drawing a million would take hours; what the engine does with them is the same.
std::shared_ptr<const std::vector<cv::Mat>> streetDay(int pictures) {
  scenes::CameraOptions options;
  options.size = {64, 64};
  scenes::Camera camera(options);
  auto day = std::make_shared<std::vector<cv::Mat>>(static_cast<std::size_t>(pictures));
  cv::Mat labels;
  for (int i = 0; i < pictures; ++i)
    camera.shoot(i * 86400.0 / pictures, (*day)[static_cast<std::size_t>(i)], labels);
  return day;
}

// Looks at the memory, and how many days were told of. That each bucket is what its frames add up
// to is said of the series alone.
class Weeks : public EngineListener {
 public:
  void onResult(const std::string&, const FrameResultPtr&) override {
    if (++frames == kWarm) warmMb = residentMb();
    if (frames > kWarm && frames % 20000 == 0) worstMb = std::max(worstMb, residentMb());
  }
  void onChanged(const std::string&, std::vector<Series::Changed> buckets) override {
    for (const Series::Changed& changed : buckets)
      if (changed.resolution == Resolution::day) days.insert(changed.bucket.startUtcMs);
  }

  static constexpr std::int64_t kWarm = 20000;
  std::int64_t frames = 0;
  double warmMb = 0, worstMb = 0;
  std::set<std::int64_t> days;
};

void soak(int frames, std::int64_t days) {
  const auto pictures = streetDay(96);
  const std::int64_t stepMs = days * 86400000 / frames;
  EngineOptions options = watching(
      [&] {
        return std::make_unique<MadeReader>(frames, stepMs, [pictures, stepMs](int frame) {
          constexpr std::int64_t kDayMs = 86400000;
          const auto passed = static_cast<std::size_t>(frame * stepMs % kDayMs);
          return (*pictures)[passed * pictures->size() / kDayMs];
        });
      },
      true);
  options.watchCamera = false;  // twice a second: of weeks that alone would take an hour
  Weeks weeks;
  Engine engine(options, std::make_unique<StubNetwork>(), {&weeks});
  while (!engine.done() && !::testing::Test::HasFatalFailure())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(weeks.frames, frames);
  EXPECT_GE(weeks.days.size(), static_cast<std::size_t>(days));
  EXPECT_LT(weeks.worstMb - weeks.warmMb, 2.0);
  std::printf("%d frames, %lld days: %.2f MB after warm-up, at most %.2f MB more\n", frames,
              static_cast<long long>(days), weeks.warmMb, weeks.worstMb - weeks.warmMb);
}

TEST(Soak, TwentyDaysInAHundredThousandFrames) { soak(100000, 20); }

// Half a minute to some minutes, so it is run where there is time: MPM_LONG_TESTS=1.
TEST(Soak, TwoHundredDaysInAMillionFrames) {
  if (std::getenv("MPM_LONG_TESTS") == nullptr) GTEST_SKIP() << "long; MPM_LONG_TESTS=1 runs it";
  soak(1000000, 200);
}

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
  void onResult(const std::string&, const FrameResultPtr& result) override {
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
  const std::uint64_t first = engine.capture().frames;
  ASSERT_TRUE(eventually([&] { return engine.capture().frames > first + 50; }, patience));
  const std::size_t seen = numbers.all().size();
  const std::int64_t turnedMs = engine.turnedMs();
  clock.advance(1000);
  const double warmMb = residentMb();
  ASSERT_TRUE(eventually([&] { return engine.capture().frames >= first + frames; }, patience));
  const double grownMb = residentMb() - warmMb;
  const CaptureStatus status = engine.capture();
  EXPECT_EQ(status.state, CaptureState::live);
  EXPECT_EQ(status.reconnects, 0u);
  EXPECT_GE(status.drops, frames - 2);
  EXPECT_LT(grownMb, 8);  // a frame is 0.9 MB, all of them more than a gigabyte
  EXPECT_EQ(numbers.all().size(), seen);
  EXPECT_EQ(engine.turnedMs(), turnedMs);  // which is what the watchdog looks at

  const std::uint64_t newest = engine.capture().frames;
  blocked = false;
  ASSERT_TRUE(eventually([&] { return numbers.all().size() >= seen + 2; }, patience));
  // First the frame that the net had in its hands.
  EXPECT_LE(numbers.all()[seen], first);
  EXPECT_GE(numbers.all()[seen + 1], newest);
  EXPECT_GT(engine.turnedMs(), turnedMs);
  std::printf("%llu frames while the net was blocked: %.2f MB more\n",
              static_cast<unsigned long long>(status.frames - first), grownMb);
}

// Something that passes over a wall.
std::unique_ptr<Reader> passingReader() {
  return std::make_unique<MadeReader>(40, 100, [](int frame) {
    cv::Mat picture(48, 64, CV_8UC3);
    cv::RNG(5).fill(picture, cv::RNG::UNIFORM, 0, 255);
    cv::rectangle(picture, {4 * frame % 56, 20, 8, 8}, {30, 200, 250}, cv::FILLED);
    return picture;
  });
}

class EngineAreas : public EngineCase {};

TEST_F(EngineAreas, OfWholeAndZoneAreThoseOfTheLabelsThatAreShown) {
  EngineOptions options = watching(passingReader, true);
  options.source.book.zones = {{"left", {{0, 0}, {0.5, 0}, {0.5, 1}, {0, 1}}}};
  SegmenterOptions segmenter;
  segmenter.read.schedule = Schedule({2});
  watch(options, makeNetwork(inProject("tests/models/segmenter_mask.onnx"), segmenter));
  ASSERT_EQ(engine_->memoryFault(), "");
  ASSERT_EQ(heard_.results.size(), 40U);
  int remembered = 0;
  for (const FrameResultPtr& result : heard_.results) {
    const cv::Mat& labels = result->segmentation.labels;
    remembered += result->segmentation.memory.fresh < result->segmentation.memory.rows ? 1 : 0;
    for (std::size_t k = 0; k < engine_->classes().size(); ++k) {
      const auto shareOf = [&](const cv::Mat& part) {
        return static_cast<double>(cv::countNonZero(part == static_cast<int>(k))) /
               static_cast<double>(part.total());
      };
      const std::string area = "area." + metricPart(engine_->classes()[k]);
      EXPECT_DOUBLE_EQ(figure(result->figures, area), shareOf(labels));
      EXPECT_DOUBLE_EQ(figure(result->figures, "zone.left." + area),
                       shareOf(labels.colRange(0, labels.cols / 2)));
    }
  }
  EXPECT_GT(remembered, 20);
}

}  // namespace
}  // namespace mpm::test
