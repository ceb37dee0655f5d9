// SPDX-License-Identifier: Apache-2.0
// Without merging, a net computes what ONNX Runtime computed of the same model.
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "mpm/net.h"
#include "net_run.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

void expectStored(const Fixture& fixture, const Outputs& outputs) {
  for (const std::string& name : fixture.outputs) {
    ASSERT_TRUE(outputs.contains(name)) << name;
    const double error = relativeError(outputs.at(name), fixture.stored(name));
    EXPECT_LE(error, fixture.isHalf() ? kHalfModelOutput : kModelOutput) << name;
    testing::Test::RecordProperty(name, cv::format("%.1e", error));
  }
}

class Equality : public FixtureTest {};

TEST_P(Equality, FullTokensGiveTheStoredOutputs) {
  expectStored(GetParam(), outputsOf(GetParam(), {}));
}

TEST_P(Equality, TheOutputsAreTheModelsThenMapAndRows) {
  cv::dnn::Net net = netOf(GetParam(), {});
  std::vector<cv::String> names = net.getUnconnectedOutLayersNames();
  std::vector<cv::String> expected(GetParam().outputs.begin(), GetParam().outputs.end());
  expected.insert(expected.end(), {"mpm_map", "mpm_rows"});
  std::sort(names.begin(), names.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(names, expected);
}

TEST_P(Equality, FullTokensHaveAMapThatChangesNothing) {
  const Outputs& outputs = outputsOf(GetParam(), {});
  const cv::Mat &map = outputs.at("mpm_map"), &rows = outputs.at("mpm_rows");
  const int tokens = GetParam().grid.area();
  ASSERT_EQ(map.size[1], tokens);
  for (int b = 0; b < map.size[0]; ++b) {
    EXPECT_EQ(rows.at<float>(b, 0), static_cast<float>(GetParam().special + tokens));
    for (int i = 0; i < tokens; ++i) EXPECT_EQ(map.at<float>(b, i), static_cast<float>(i));
  }
}

MPM_FOR_FIXTURES(Equality, mergeableFixtures());

class NotMergeable : public FixtureTest {};

// OpenCV cannot load each of them, and a newer one loads more.
TEST_P(NotMergeable, GivesTheStoredOutputsOrOneSentence) {
  cv::dnn::Net net;
  try {
    net = readNet(GetParam().path());
  } catch (const std::exception& error) {
    expectSentence(error.what());
    EXPECT_NE(std::string(error.what()).find(GetParam().path()), std::string::npos) << error.what();
    GTEST_SKIP() << error.what();
  }
  expectStored(GetParam(), run(net, GetParam().images()));
}

MPM_FOR_FIXTURES(NotMergeable, refusedFixtures());

}  // namespace
}  // namespace mpm::test
