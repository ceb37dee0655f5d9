// SPDX-License-Identifier: Apache-2.0
// ReadOptions::check over what exporters write: models that run pass, and the net is as it would
// be.
#include <gtest/gtest.h>

#include "mpm/net.h"
#include "net_run.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

class Checked : public FixtureTest {
 protected:
  static cv::dnn::Net read(bool check) {
    ReadOptions options;
    options.check = check;
    if (GetParam().isMergeable) options.schedule = {0};
    if (GetParam().hasOpenSize) options.inputSize = GetParam().imageSize();
    return readNet(GetParam().path(), options);
  }
};

TEST_P(Checked, NetsGiveWhatTheyGiveUnchecked) {
  cv::dnn::Net net = read(true), plain = read(false);
  EXPECT_TRUE(liveRows(net).empty()) << "no frame was there yet";
  const cv::Mat images = GetParam().images();
  const Outputs made = run(net, images), expected = run(plain, images);
  expectSame(made, expected);
}

// Its map has two rows a picture.
TEST(CheckedPicture, BesideItselfMirrored) {
  const Fixture fixture = unlistedFixture("mirrored", {"logits"});
  for (const Schedule& schedule : {Schedule{}, Schedule{1}}) {
    ReadOptions options;
    options.check = true;
    options.schedule = schedule;
    cv::dnn::Net net = readNet(fixture.path(), options);
    const Outputs outputs = run(net, fixture.images());
    EXPECT_EQ(outputs.at("mpm_map").size[0], 2 * fixture.images().size[0]);
    if (!schedule.empty()) continue;
    EXPECT_LE(relativeError(outputs.at("logits"), fixture.stored("logits")), kModelOutput);
  }
}

MPM_FOR_FIXTURES(Checked, shareOf(mergeableFixtures(), 3));

}  // namespace
}  // namespace mpm::test
