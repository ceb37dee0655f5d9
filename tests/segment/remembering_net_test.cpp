// SPDX-License-Identifier: Apache-2.0
// Nets with a memory whose fresh patches the caller names.
#include "mpm/remembering_net.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "segment/model_frames.h"

namespace mpm::test {
namespace {

ReadOptions scheduled(const Schedule& schedule) {
  ReadOptions options;
  options.schedule = schedule;
  return options;
}

cv::Mat noise(const RememberingNet& net, std::uint64_t seed) {
  const cv::Size size = net.model().input;
  cv::Mat blob({1, 3, size.height, size.width}, CV_32F);
  cv::RNG(seed).fill(blob, cv::RNG::NORMAL, 0, 1);
  return blob;
}

// The patch at this place of the grid shows something else.
void change(cv::Mat& blob, const Description& model, int place) {
  const int patch = model.patchSize, top = place / model.gridSize.width * patch;
  const int left = place % model.gridSize.width * patch;
  for (int colour = 0; colour < 3; ++colour) {
    for (int y = top; y < top + patch; ++y) {
      float* line = blob.ptr<float>(0, colour, y);
      for (int x = left; x < left + patch; ++x) line[x] = 1 - line[x];
    }
  }
}

std::vector<int> everyPlace(const RememberingNet& net) {
  std::vector<int> places(static_cast<std::size_t>(net.model().gridSize.area()));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

// Of the models whose first output is tokens.
class TokensOf : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Models, TokensOf,
                         testing::Values("hf_dinov2", "timm_dinov2_reg4_tokens", "hf_vit"));

TEST_P(TokensOf, AllRowsAreTheNets) {
  for (const Schedule& schedule : {Schedule(), Schedule({0}), Schedule({0, 1})}) {
    RememberingNet net(modelPath(GetParam()), scheduled(schedule));
    const cv::Mat blob = noise(net, 3);
    cv::dnn::Net plain = readNet(modelPath(GetParam()), scheduled(schedule));
    plain.setInput(blob);
    const cv::Mat expected = plain.forward(net.model().outputs[0].name);
    RowMemory memory;
    EXPECT_TRUE(memory.isEmpty());
    const cv::Mat rows = net.forward(blob, memory);
    ASSERT_EQ(rows.rows, net.model().numPrefixTokens + net.model().gridSize.area());
    ASSERT_EQ(rows.total(), expected.total());
    EXPECT_EQ(cv::norm(rows.reshape(1, 1), expected.reshape(1, 1), cv::NORM_INF), 0);
    EXPECT_GT(memory.bytes(), rows.total() * sizeof(float));
  }
}

TEST_P(TokensOf, EveryPatchFreshIsAPictureOfItsOwn) {
  RememberingNet net(modelPath(GetParam()), scheduled({}));
  RowMemory memory, other;
  net.forward(noise(net, 4), memory);
  const cv::Mat next = noise(net, 5);
  const cv::Mat found = net.forward(next, everyPlace(net), memory);
  EXPECT_EQ(cv::norm(found, net.forward(next, other), cv::NORM_INF), 0);
}

TEST_P(TokensOf, OnlyFreshPatchesAreComputedAndTheySeeThePicture) {
  RememberingNet net(modelPath(GetParam()), scheduled({}));
  RowMemory memory, other;
  cv::Mat blob = noise(net, 6);
  const cv::Mat before = net.forward(blob, memory);
  const int place = net.model().gridSize.area() / 2, special = net.model().numPrefixTokens;
  change(blob, net.model(), place);
  const cv::Mat found = net.forward(blob, {place}, memory), full = net.forward(blob, other);
  for (int row = special; row < found.rows; ++row) {
    if (row == special + place) continue;
    EXPECT_EQ(cv::norm(found.row(row), before.row(row), cv::NORM_INF), 0) << row;
  }
  const double moved = cv::norm(full.row(special + place), before.row(special + place));
  EXPECT_LT(cv::norm(full.row(special + place), found.row(special + place)), 0.2 * moved);
}

TEST(RememberingNet, ScoresInFrontOfMovesAndResizesAreRows) {
  RememberingNet net(modelPath("segmenter_mask"), scheduled({2}));
  RowMemory memory;
  const cv::Mat rows = net.forward(noise(net, 7), memory);
  EXPECT_EQ(rows.rows, net.model().gridSize.area());
  EXPECT_EQ(rows.cols, 5);  // classes
}

TEST(RememberingNet, FewPatchesCostLittleAndAllCostNoLessThanTheMergedOnes) {
  RememberingNet net(modelPath("hf_vit"), scheduled({1}));
  RowMemory memory;
  EXPECT_EQ(net.costOf(1, memory), 1);  // nothing is remembered
  net.forward(noise(net, 8), memory);
  const auto all = static_cast<std::size_t>(net.model().gridSize.area());
  EXPECT_LT(net.costOf(1, memory), net.costOf(all / 2, memory));
  EXPECT_LT(net.costOf(all / 2, memory), net.costOf(all, memory));
  EXPECT_GE(net.costOf(all, memory), 1);
}

TEST(RememberingNet, RefusesWhatItCannotRemember) {
  EXPECT_THROW(RememberingNet(modelPath("hf_depth_anything")), std::runtime_error);
  EXPECT_THROW(RememberingNet(modelPath("refused_cnn")), std::runtime_error);
  EXPECT_THROW(RememberingNet(modelPath("hf_vit"), {}, "no such output"), std::invalid_argument);
}

TEST(RememberingNet, RefusesPlacesAndMemoriesThatAreNone) {
  RememberingNet net(modelPath("hf_vit")), another(modelPath("hf_vit"));
  RowMemory memory;
  const cv::Mat blob = noise(net, 9);
  EXPECT_THROW(net.forward(blob, {0}, memory), std::logic_error);
  net.forward(blob, memory);
  const int patches = net.model().gridSize.area();
  for (const std::vector<int>& places : {std::vector<int>{-1}, std::vector<int>{patches},
                                         std::vector<int>{1, 1}, std::vector<int>{2, 1}}) {
    EXPECT_THROW(net.forward(blob, places, memory), std::invalid_argument);
  }
  EXPECT_THROW(another.forward(blob, memory), std::logic_error);
  EXPECT_THROW(another.forward(blob, {0}, memory), std::logic_error);
  EXPECT_FALSE(memory.isEmpty());
  const cv::Mat before = net.forward(blob, memory);
  const cv::Mat none = net.forward(noise(net, 10), std::vector<int>{}, memory);
  EXPECT_EQ(none.size(), before.size());
  for (int row = net.model().numPrefixTokens; row < none.rows; ++row)
    EXPECT_EQ(cv::norm(none.row(row), before.row(row), cv::NORM_INF), 0) << row;
  memory.forget();
  EXPECT_TRUE(memory.isEmpty());
  EXPECT_THROW(net.forward(blob, {0}, memory), std::logic_error);
}

}  // namespace
}  // namespace mpm::test
