// SPDX-License-Identifier: Apache-2.0
// A net whose schedule is changed between forwards, and one that has run for long, compute what a
// new one computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpm/layers.h"
#include "net_run.h"

namespace mpm::test {
namespace {

class LivingNet : public FixtureTest {};

TEST_P(LivingNet, ASetScheduleIsTheOneItWasReadWith) {
  const cv::Mat images = GetParam().images();
  cv::dnn::Net living = netOf(GetParam(), {});
  EXPECT_EQ(schedule(living), Schedule());
  run(living, images);
  std::vector<Schedule> schedules = schedulesOf(GetParam());
  schedules.emplace_back();
  for (const Schedule& blocks : schedules) {
    SCOPED_TRACE("merge before " + blocks.text());
    setSchedule(living, blocks);
    EXPECT_EQ(schedule(living), blocks);
    expectSame(run(living, images), outputsOf(GetParam(), blocks));
  }
}

TEST_P(LivingNet, SwitchedOffItGivesFullTokens) {
  const cv::Mat images = GetParam().images();
  cv::dnn::Net living = netOf(GetParam(), {0, 1});
  run(living, images);
  EXPECT_EQ(setMerging(living, false), GetParam().blocks);
  expectSame(run(living, images), outputsOf(GetParam(), {}));
}

TEST_P(LivingNet, ABlockThatIsNotThereIsRefused) {
  const int blocks = GetParam().blocks;
  cv::dnn::Net net = netOf(GetParam(), {1});
  for (const int block : {-1, blocks, std::numeric_limits<int>::max()}) {
    const std::string expected = "merge before " + std::to_string(block) + ": the encoder has " +
                                 std::to_string(blocks) + " blocks, 0 to " +
                                 std::to_string(blocks - 1);
    try {
      setSchedule(net, {0, block});
      ADD_FAILURE() << "accepted " << block;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), expected);
    }
    EXPECT_EQ(schedule(net), Schedule{1});
    try {
      netOf(GetParam(), {0, block});
      ADD_FAILURE() << "read with " << block;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), expected);
    }
  }
}

TEST_P(LivingNet, TheOrderOfAScheduleDoesNotMatter) {
  cv::dnn::Net net = netOf(GetParam(), {1, 0, 1});
  EXPECT_EQ(schedule(net), (Schedule{0, 1}));
  setSchedule(net, {1, 0, 0});
  EXPECT_EQ(schedule(net), (Schedule{0, 1}));
}

MPM_FOR_FIXTURES(LivingNet, shareOf(mergeableFixtures(), 2));

/// Pictures whose number of similar patches differs: plain areas that grow, over the fixture's own.
class Pictures {
 public:
  explicit Pictures(const Fixture& fixture) : own_(fixture.images()), random_(7) {}

  cv::Mat next() {
    cv::Mat images = own_.clone();
    for (int b = 0; b < images.size[0]; ++b) {
      const int plainRows = random_.uniform(0, images.size[2] + 1);
      for (int c = 0; c < images.size[1]; ++c) {
        cv::Mat plane(images.size[2], images.size[3], CV_32F, images.ptr<float>(b, c));
        plane.rowRange(0, plainRows).setTo(random_.uniform(-1.F, 1.F));
      }
    }
    return images;
  }

 private:
  cv::Mat own_;
  cv::RNG random_;
};

class ThousandthFrame : public FixtureTest {};

TEST_P(ThousandthFrame, IsLikeTheFirst) {
  const std::vector<Schedule> schedules = schedulesOf(GetParam());
  cv::dnn::Net net = netOf(GetParam(), schedules[0]);
  const cv::Mat images = GetParam().images();
  const Outputs first = run(net, images);
  Pictures pictures(GetParam());
  std::set<float> counts;
  for (int frame = 1; frame < 1000; ++frame) {
    if (frame % 100 == 0) setSchedule(net, schedules[frame / 100 % schedules.size()]);
    const Outputs outputs = run(net, pictures.next());
    for (int b = 0; b < images.size[0]; ++b) counts.insert(outputs.at("mpm_rows").at<float>(b, 0));
  }
  EXPECT_GE(counts.size(), 5U);
  setSchedule(net, schedules[0]);
  expectSame(run(net, images), first);
}

MPM_FOR_FIXTURES(ThousandthFrame, (std::vector<Fixture>{fixtureNamed("segmenter_mask_small"),
                                                        fixtureNamed("hf_dinov2_reg4")}));

}  // namespace
}  // namespace mpm::test
