// SPDX-License-Identifier: Apache-2.0
// A Segmenter asks its net for inner blobs, and for what merges did.
#include <cstdint>

#include "dnn/host_runner/loaded_runner.h"
#include "mpm/segmenter.h"

namespace mpm::test {
namespace {

using cv::Mat;

class DeviceSegmenter : public OnHostRunner {};

SegmenterOptions optionsFor(const char* device, bool stages) {
  SegmenterOptions options;
  options.read.device = device;
  options.read.schedule = std::vector<int>{0, 1};
  options.stages = stages;
  return options;
}

Mat frameOf(std::uint64_t seed) {
  Mat frame(90, 120, CV_8UC3);
  cv::RNG random(seed);
  random.fill(frame, cv::RNG::UNIFORM, 0, 256);
  frame.rowRange(0, 40).setTo(cv::Scalar(200, 150, 100));
  return frame;
}

TEST_F(DeviceSegmenter, GivesWhatItGivesOnTheProcessor) {
  for (const char* name : {"segmenter_mask", "segmenter_linear", "setr_pup"}) {
    for (const bool stages : {false, true}) {
      SCOPED_TRACE(testing::Message() << name << (stages ? ", with stages" : ""));
      const std::string model = fixtureNamed(name).path();
      Segmenter cpu(model, optionsFor("cpu", stages)), device(model, optionsFor("cuda", stages));
      EXPECT_EQ(deviceName(device.net()), "Host Memory 1");
      for (const std::uint64_t seed : {1U, 2U}) {
        const Segmentation is = device.segment(frameOf(seed)), right = cpu.segment(frameOf(seed));
        EXPECT_TRUE(isSame(is.labels, right.labels));
        EXPECT_TRUE(isSame(is.confidence, right.confidence));
        EXPECT_TRUE(isSame(is.mergeMap, right.mergeMap));
        EXPECT_EQ(is.rows, right.rows);
        ASSERT_EQ(is.stages.size(), right.stages.size());
        for (std::size_t i = 0; i < is.stages.size(); ++i) {
          EXPECT_TRUE(isSame(is.stages[i].map, right.stages[i].map));
          EXPECT_TRUE(isSame(is.stages[i].similarity, right.stages[i].similarity));
        }
        cpu.setSchedule({1}), device.setSchedule({1});
      }
    }
  }
}

}  // namespace
}  // namespace mpm::test
