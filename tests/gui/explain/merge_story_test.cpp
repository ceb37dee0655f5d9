// SPDX-License-Identifier: Apache-2.0
#include "gui/explain/merge_story.h"

#include <gtest/gtest.h>

#include "gui/canvas/small_result.h"

namespace mpm::gui {
namespace {

std::shared_ptr<monitor::FrameResult> scheduled() {
  auto result = smallResult();
  result->schedule = {2, 5};
  return result;
}

const MergeScene::Token& tokenOf(const MergeScene& scene, int row) {
  return scene.tokens.at(static_cast<std::size_t>(row));
}

TEST(MergeStory, CountsTokensAndNamesBlocks) {
  const MergeStory story = tellStory(scheduled());
  EXPECT_EQ(story.grid, cv::Size(4, 3));
  ASSERT_EQ(story.merges.size(), 2u);
  EXPECT_EQ(story.merges[0].block, 2);
  EXPECT_EQ(story.merges[0].before, 12);
  EXPECT_EQ(story.merges[0].behind, 11);
  EXPECT_EQ(story.merges[1].block, 5);
  EXPECT_EQ(story.merges[1].before, 11);
  EXPECT_EQ(story.merges[1].behind, 9);
}

// As rows are averaged: a token of two places counts as much as one of one.
TEST(MergeStory, APairStandsAtHalfOfEach) {
  const MergeStory story = tellStory(scheduled());
  const MergeScene::Token& first = tokenOf(story.merges[0], 0);
  EXPECT_TRUE(first.paired);
  EXPECT_NEAR(first.from.x(), 0.125, 1e-12);
  EXPECT_NEAR(first.to.x(), 0.25, 1e-12);
  EXPECT_NEAR(first.to.y(), 1.0 / 6, 1e-12);
  const MergeScene::Token &two = tokenOf(story.merges[1], 0), &one = tokenOf(story.merges[1], 3);
  EXPECT_NEAR(two.from.x(), 0.25, 1e-12) << "where the first merge left it";
  for (const MergeScene::Token& token : {two, one}) {
    EXPECT_TRUE(token.paired);
    EXPECT_EQ(token.becomes, 0);
    EXPECT_NEAR(token.to.x(), 0.1875, 1e-12);
    EXPECT_NEAR(token.to.y(), 1.0 / 3, 1e-12);
  }
}

TEST(MergeStory, TokensWithoutAPartnerStay) {
  const MergeStory story = tellStory(scheduled());
  const MergeScene::Token& alone = tokenOf(story.merges[0], 7);
  EXPECT_FALSE(alone.paired);
  EXPECT_EQ(alone.from, alone.to);
  EXPECT_EQ(alone.becomes, 6);
  EXPECT_EQ(tokenOf(story.merges[1], 11).row, -1) << "the first merge left eleven";
}

TEST(MergeStory, KnowsTheMostAndTheLeastAlikePair) {
  const auto result = scheduled();
  cv::Mat& similarity = result->segmentation.stages[1].similarity;
  similarity.at<float>(2, 2) = similarity.at<float>(2, 3) = 0.75F;
  similarity.at<float>(1, 2) = 0.99F;  // alike, but it did not pair
  const MergeStory story = tellStory(result);
  ASSERT_TRUE(story.merges[1].mostAlike && story.merges[1].leastAlike);
  EXPECT_EQ(story.merges[1].mostAlike->places, (std::vector<int>{10, 11}));
  EXPECT_NEAR(story.merges[1].mostAlike->similarity, 0.75, 1e-6);
  EXPECT_EQ(story.merges[1].leastAlike->places, (std::vector<int>{0, 1, 4}));
  EXPECT_NEAR(story.merges[1].leastAlike->similarity, 0.5, 1e-6);
}

TEST(MergeStory, WithoutSimilaritiesNoPairIsNamed) {
  const auto result = scheduled();
  for (MergeStage& stage : result->segmentation.stages) stage.similarity.release();
  const MergeStory story = tellStory(result);
  EXPECT_EQ(story.merges.size(), 2u);
  EXPECT_FALSE(story.merges[0].mostAlike);
}

TEST(MergeStory, CountsWhatItCosts) {
  const MergeStory story = tellStory(scheduled());
  EXPECT_NEAR(story.same, 1 - 80.0 / 4800, 1e-12);
  ASSERT_EQ(story.swaps.size(), 2u);
  EXPECT_EQ(story.swaps[0].full, 0);
  EXPECT_EQ(story.swaps[0].merged, 1);
  EXPECT_NEAR(story.swaps[0].share, 40.0 / 4800, 1e-12);
}

TEST(MergeStory, WithoutMergesThereAreNoScenes) {
  const auto result = scheduled();
  result->schedule = {};
  result->segmentation.stages.clear();
  EXPECT_TRUE(tellStory(result).merges.empty());
  EXPECT_EQ(tellStory(result).grid, cv::Size(4, 3));
  result->segmentation.mergeMap.release();
  EXPECT_TRUE(tellStory(result).grid.empty());
}

}  // namespace
}  // namespace mpm::gui
