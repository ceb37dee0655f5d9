// SPDX-License-Identifier: Apache-2.0
// Weeks in minutes: memory stays flat, and every rollup is what its frames add up to.
#include <array>
#include <cstdio>
#include <cstdlib>

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
  for (int i = 0; i < pictures; ++i) {
    camera.shoot(i * 86400.0 / pictures, (*day)[static_cast<std::size_t>(i)], labels);
  }
  return day;
}

// Adds figures up by itself, and compares what the engine says of each bucket when it is over.
class Recount : public EngineListener {
 public:
  void onResult(std::size_t, const FrameResultPtr& result) override {
    const Figures& figures = result->figures;
    for (std::size_t r = 0; r < kAllResolutions.size(); ++r) {
      const std::int64_t length = lengthMs(kAllResolutions[r]);
      const std::int64_t start = figures.taken.utcMs / length * length;
      Sums& sums = open_[r][start];
      sums.sum.resize(figures.values.size());
      sums.count.resize(figures.values.size());
      ++sums.frames;
      for (std::size_t i = 0; i < figures.values.size(); ++i) {
        if (std::isnan(figures.values[i])) continue;
        sums.sum[i] += figures.values[i];
        ++sums.count[i];
      }
    }
    if (++frames == kWarm) warmMb = residentMb();
    if (frames > kWarm && frames % 20000 == 0) worstMb = std::max(worstMb, residentMb());
  }
  void onChanged(std::size_t, std::vector<Series::Changed> buckets) override {
    for (const Series::Changed& changed : buckets) {
      const auto r = static_cast<std::size_t>(changed.resolution);
      const auto found = open_[r].find(changed.bucket.startUtcMs);
      ASSERT_NE(found, open_[r].end());
      compare(found->second, changed.bucket);
      open_[r].erase(open_[r].begin(), found);  // what came before is over
      ++compared[r];
    }
  }

  static constexpr std::int64_t kWarm = 20000;
  std::int64_t frames = 0;
  double warmMb = 0, worstMb = 0;
  std::array<std::int64_t, 4> compared{};

 private:
  struct Sums {
    std::uint32_t frames = 0;
    std::vector<double> sum;
    std::vector<std::uint32_t> count;
  };
  void compare(const Sums& sums, const Bucket& bucket) const {
    std::uint32_t counted = 0;
    for (const std::uint32_t light : bucket.frames) counted += light;
    ASSERT_EQ(counted, sums.frames);
    for (std::size_t i = 0; i < sums.sum.size(); ++i) {
      ASSERT_EQ(bucket.tallies[i].count, sums.count[i]);
      if (sums.count[i] > 0) {
        ASSERT_EQ(bucket.tallies[i].sum, sums.sum[i]);
      }
    }
  }
  std::array<std::map<std::int64_t, Sums>, 4> open_;
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
  Recount recount;
  Engine engine(options, std::make_unique<StubNetwork>(), {&recount});
  while (!engine.done() && !::testing::Test::HasFatalFailure()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(recount.frames, frames);
  EXPECT_GE(recount.compared[3], days);
  EXPECT_LT(recount.worstMb - recount.warmMb, 2.0);
  std::printf("%d frames, %lld days: %.2f MB after warm-up, at most %.2f MB more\n", frames,
              static_cast<long long>(days), recount.warmMb, recount.worstMb - recount.warmMb);
}

TEST(Soak, TwentyDaysInAHundredThousandFrames) { soak(100000, 20); }

// Half a minute to some minutes, so it is run where there is time: MPM_LONG_TESTS=1.
TEST(Soak, TwoHundredDaysInAMillionFrames) {
  if (std::getenv("MPM_LONG_TESTS") == nullptr) GTEST_SKIP() << "long; MPM_LONG_TESTS=1 runs it";
  soak(1000000, 200);
}

}  // namespace
}  // namespace mpm::test
