// SPDX-License-Identifier: Apache-2.0
// A net whose schedule is changed between forwards, one that has run for long, and one with other
// images in its batch compute what a new one computes of an image alone.
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

MPM_FOR_FIXTURES(LivingNet, shareOf(mergeableFixtures(), 2));

class ThousandthFrame : public FixtureTest {};

TEST_P(ThousandthFrame, IsLikeTheFirst) {
  const std::vector<Schedule> schedules = schedulesOf(GetParam());
  cv::dnn::Net net = netOf(GetParam(), schedules[0]);
  const cv::Mat images = GetParam().images();
  const Outputs first = run(net, images);
  cv::RNG random(7);
  const auto next =
      [&] {  // the fixture's own under plain areas, with more similar patches or fewer
        cv::Mat pictures = images.clone();
        for (int b = 0; b < images.size[0]; ++b) {
          const int plainRows = random.uniform(0, images.size[2] + 1);
          for (int c = 0; c < images.size[1]; ++c) {
            cv::Mat plane(images.size[2], images.size[3], CV_32F, pictures.ptr<float>(b, c));
            plane.rowRange(0, plainRows).setTo(random.uniform(-1.F, 1.F));
          }
        }
        return pictures;
      };
  std::set<float> counts;
  for (int frame = 1; frame < 1000; ++frame) {
    if (frame % 100 == 0) setSchedule(net, schedules[frame / 100 % schedules.size()]);
    const Outputs outputs = run(net, next());
    for (int b = 0; b < images.size[0]; ++b) counts.insert(outputs.at("mpm_rows").at<float>(b, 0));
  }
  EXPECT_GE(counts.size(), 5U);
  setSchedule(net, schedules[0]);
  expectSame(run(net, images), first);
}

MPM_FOR_FIXTURES(ThousandthFrame, (std::vector<Fixture>{fixtureNamed("segmenter_mask_small"),
                                                        fixtureNamed("hf_dinov2_reg4")}));

// An image's outputs do not depend on what else is in its batch, though it leaves over another
// number of rows.
class Batch : public FixtureTest {
 protected:
  static cv::Mat swapped(const cv::Mat& images) {
    cv::Mat result = images.clone();
    imageOf(images, 1).copyTo(result(rangesOf(images, 0)));
    imageOf(images, 0).copyTo(result(rangesOf(images, 1)));
    return result;
  }

  static std::vector<cv::Range> rangesOf(const cv::Mat& blob, int b) {
    std::vector<cv::Range> ranges(static_cast<std::size_t>(blob.dims), cv::Range::all());
    ranges[0] = {b, b + 1};
    return ranges;
  }

  static Outputs imageOfAll(const Outputs& outputs, int b) {
    Outputs result;
    for (const auto& [name, blob] : outputs) result[name] = imageOf(blob, b);
    return result;
  }
};

TEST_P(Batch, AnImageAloneIsTheSame) {
  const cv::Mat images = GetParam().images();
  for (const Schedule& schedule : schedulesOf(GetParam())) {
    SCOPED_TRACE("merge before " + schedule.text());
    const Outputs& together = outputsOf(GetParam(), schedule);
    for (int b = 0; b < images.size[0]; ++b) {
      SCOPED_TRACE("image " + std::to_string(b));
      cv::dnn::Net alone = netOf(GetParam(), schedule);
      expectSame(run(alone, imageOf(images, b)), imageOfAll(together, b));
    }
  }
}

TEST_P(Batch, ItsPlaceInTheBatchDoesNotMatter) {
  const cv::Mat images = GetParam().images();
  cv::dnn::Net net = netOf(GetParam(), {0});
  const Outputs first = run(net, images), second = run(net, swapped(images));
  for (int b = 0; b < 2; ++b) expectSame(imageOfAll(second, 1 - b), imageOfAll(first, b));
}

TEST_P(Batch, ALivingNetTakesBatchesOfAnotherSize) {
  const cv::Mat images = GetParam().images();
  cv::dnn::Net net = netOf(GetParam(), {1});
  const Outputs together = run(net, images);
  for (const int b : {1, 0}) expectSame(run(net, imageOf(images, b)), imageOfAll(together, b));
  expectSame(run(net, images), together);
}

MPM_FOR_FIXTURES(Batch, shareOf(openBatchFixtures(), 0));

}  // namespace
}  // namespace mpm::test
