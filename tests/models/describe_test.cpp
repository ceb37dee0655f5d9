// SPDX-License-Identifier: Apache-2.0
// What describe() says of a model is what models.json says it was made of.
#include "mpm/net.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "net_run.h"

namespace mpm::test {
namespace {

class Describe : public FixtureTest {};

TEST_P(Describe, SaysWhatTheEncoderIs) {
  const Fixture& fixture = GetParam();
  const Description description = describe(fixture.path());
  expectDescribed(description, fixture);
  EXPECT_NE(description.head, "");
  if (!fixture.hasOpenSize) {
    EXPECT_EQ(description.input, fixture.imageSize());
  }
}

TEST_P(Describe, SaysTheScheduleThatIsReadWithoutOne) {
  std::vector<int> expected;
  for (const int block : {2, 5}) {
    if (block < GetParam().blocks) expected.push_back(block);
  }
  EXPECT_EQ(describe(GetParam().path()).schedule, expected);
  cv::dnn::Net net = readNet(GetParam().path(), optionsOf(GetParam()));
  EXPECT_EQ(schedule(net), expected);
  EXPECT_EQ(describe(net).schedule, expected);
}

TEST_P(Describe, SaysOfANetWhatItsLayersTell) {
  cv::dnn::Net net = netOf(GetParam(), {0});
  const Description description = describe(net);
  expectDescribed(description, GetParam());
  EXPECT_EQ(description.schedule, std::vector<int>{0});
}

TEST_P(Describe, NamesTheInputAndTheOutputs) {
  const Description description = describe(GetParam().path());
  ASSERT_EQ(description.inputs.size(), 1U);
  EXPECT_EQ(description.inputs[0].name, GetParam().inputName);
  ASSERT_EQ(description.inputs[0].shape.size(), 4U);
  EXPECT_EQ(description.inputs[0].shape[0], GetParam().hasOpenBatch ? -1 : 1);
  std::vector<std::string> names;
  for (const Description::Blob& output : description.outputs) names.push_back(output.name);
  EXPECT_EQ(names, GetParam().outputs);
}

MPM_FOR_FIXTURES(Describe, shareOf(sizedFixtures(), 4));

// 48 positions may be a grid of 6x8, 4x12 or any other.
TEST(DescribeOpenSize, PositionsOfNoSquareTellNoSize) {
  const Description description = describe(fixtureNamed("timm_vit_open_size").path());
  EXPECT_FALSE(description.mergeable);
  expectSentence(description.reason);
  EXPECT_NE(description.reason.find("are open"), std::string::npos) << description.reason;
}

TEST(DescribeWindows, SaysTheLastBlockWithinThem) {
  for (const auto& [name, last] : {std::pair{"hf_sam", 2}, {"hf_lw_detr", 3}, {"hf_yolos", -1}}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(describe(fixtureNamed(name).path()).lastInWindows, last);
    cv::dnn::Net net = netOf(fixtureNamed(name), {1, 2});
    EXPECT_EQ(describe(net).lastInWindows, last);
  }
}

class DescribeNotMergeable : public FixtureTest {};

TEST_P(DescribeNotMergeable, SaysWhyNotInOneSentence) {
  const Description description = describe(GetParam().path());
  EXPECT_FALSE(description.mergeable);
  expectSentence(description.reason);
  const auto& reasons = GetParam().reasons;
  EXPECT_TRUE(std::any_of(
      reasons.begin(), reasons.end(),
      [&](const std::string& part) { return description.reason.find(part) != std::string::npos; }))
      << description.reason << "\nlacks: " << reasons.back();
  EXPECT_TRUE(description.schedule.empty());
}

MPM_FOR_FIXTURES(DescribeNotMergeable, refusedFixtures());

}  // namespace
}  // namespace mpm::test
