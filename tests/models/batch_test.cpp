// SPDX-License-Identifier: Apache-2.0
// An image's outputs do not depend on what else is in its batch, though it leaves over another
// number of rows.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "net_run.h"

namespace mpm::test {
namespace {

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
