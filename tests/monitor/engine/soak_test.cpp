// SPDX-License-Identifier: Apache-2.0
// Weeks in minutes, of which memory stays flat; and a real net, which is not among the `threads`:
// ThreadSanitizer does not see how OpenCV's own wait for each other.
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
