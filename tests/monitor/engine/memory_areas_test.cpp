// SPDX-License-Identifier: Apache-2.0
// With a real net. Not among the `threads`: ThreadSanitizer does not see how OpenCV's own wait for
// each other.
#include "in_project.h"
#include "monitor/engine/engine_case.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

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
  options.sources[0].book.zones = {{"left", {{0, 0}, {0.5, 0}, {0.5, 1}, {0, 1}}}};
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
