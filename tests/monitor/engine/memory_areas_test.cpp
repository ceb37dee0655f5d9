// SPDX-License-Identifier: Apache-2.0
// With a real net. Not among the `threads`: ThreadSanitizer does not see how OpenCV's own wait for
// each other.
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "in_project.h"
#include "monitor/engine/heard.h"
#include "monitor/eventually.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

// Something that passes over a wall.
class PassingReader : public Reader {
 public:
  bool open() override { return true; }
  ReadStatus read(Shot& shot) override {
    if (next_ == 40) return ReadStatus::ended;
    shot.picture = cv::Mat(48, 64, CV_8UC3);
    cv::RNG(5).fill(shot.picture, cv::RNG::UNIFORM, 0, 255);
    cv::rectangle(shot.picture, {4 * next_ % 56, 20, 8, 8}, {30, 200, 250}, cv::FILLED);
    shot.positionMs = 100 * next_++;
    return ReadStatus::frame;
  }
  const std::string& fault() const override { return fault_; }
  bool isLive() const override { return false; }

 private:
  int next_ = 0;
  std::string fault_;
};

TEST(EngineMemory, AreasOfWholeAndZoneAreThoseOfTheLabelsThatAreShown) {
  Heard heard;
  EngineOptions options = watchingWith([] { return std::make_unique<PassingReader>(); }, true);
  options.sources[0].book.zones = {{"left", {{0, 0}, {0.5, 0}, {0.5, 1}, {0, 1}}}};
  SegmenterOptions segmenter;
  segmenter.read.schedule = Schedule({2});
  Engine engine(options, makeNetwork(inProject("tests/models/segmenter_mask.onnx"), segmenter),
                {&heard});
  ASSERT_EQ(engine.memoryFault(), "");
  ASSERT_TRUE(eventually([&] { return engine.done(); }));
  ASSERT_EQ(heard.results.size(), 40U);
  int remembered = 0;
  for (const FrameResultPtr& result : heard.results) {
    const cv::Mat& labels = result->segmentation.labels;
    remembered += result->segmentation.memory.fresh < result->segmentation.memory.rows ? 1 : 0;
    for (std::size_t k = 0; k < engine.classes().size(); ++k) {
      const auto shareOf = [&](const cv::Mat& part) {
        return static_cast<double>(cv::countNonZero(part == static_cast<int>(k))) /
               static_cast<double>(part.total());
      };
      const std::string area = "area." + metricPart(engine.classes()[k]);
      EXPECT_DOUBLE_EQ(figureOf(engine, result->figures, area), shareOf(labels));
      EXPECT_DOUBLE_EQ(figureOf(engine, result->figures, "zone.left." + area),
                       shareOf(labels.colRange(0, labels.cols / 2)));
    }
  }
  EXPECT_GT(remembered, 20);
}

}  // namespace
}  // namespace mpm::test
