// SPDX-License-Identifier: Apache-2.0
// How merging is explained: what the scenes count, how often places merge, and how both are drawn.
#include "gui/explain/merge_story.h"

#include <gtest/gtest.h>

#include <QtWidgets>
#include <tuple>

#include "gui/canvas/small_result.h"
#include "gui/explain/merge_heat.h"
#include "gui/explain/story_view.h"

namespace mpm::gui {
namespace {

using monitor::LightState;

std::shared_ptr<monitor::FrameResult> frame(std::uint64_t number = 1,
                                            LightState light = LightState::day) {
  auto result = smallResult();
  result->schedule = {2, 5};
  result->frame.number = number;
  result->light.state = light;
  return result;
}

const MergeScene::Token& tokenOf(const MergeScene& scene, int row) {
  return scene.tokens.at(static_cast<std::size_t>(row));
}

TEST(MergeStory, CountsTokensNamesBlocksAndKnowsWhatItCosts) {
  const MergeStory story = tellStory(frame());
  EXPECT_EQ(story.grid, cv::Size(4, 3));
  ASSERT_EQ(story.merges.size(), 2u);
  const std::tuple<int, int, int> merges[]{{2, 12, 11}, {5, 11, 9}};
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(std::tuple(story.merges[i].block, story.merges[i].before, story.merges[i].behind),
              merges[i]);
  EXPECT_NEAR(story.same, 1 - 80.0 / 4800, 1e-12);
  ASSERT_EQ(story.swaps.size(), 2u);
  EXPECT_EQ(story.swaps[0].full, 0);
  EXPECT_EQ(story.swaps[0].merged, 1);
  EXPECT_NEAR(story.swaps[0].share, 40.0 / 4800, 1e-12);
  const auto off = frame();
  off->schedule = {};
  off->segmentation.stages.clear();
  EXPECT_TRUE(tellStory(off).merges.empty());
  EXPECT_EQ(tellStory(off).grid, cv::Size(4, 3));
  off->segmentation.mergeMap.release();
  EXPECT_TRUE(tellStory(off).grid.empty());
}

// Rows are averaged equally: a token of two patches counts as much as one of one.
TEST(MergeStory, APairStandsAtHalfOfEachAndTokensWithoutAPartnerStay) {
  const MergeStory story = tellStory(frame());
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
  const MergeScene::Token& alone = tokenOf(story.merges[0], 7);
  EXPECT_FALSE(alone.paired);
  EXPECT_EQ(alone.from, alone.to);
  EXPECT_EQ(alone.becomes, 6);
  EXPECT_EQ(tokenOf(story.merges[1], 11).row, -1) << "the first merge left eleven";
}

TEST(MergeStory, KnowsTheMostAndTheLeastAlikePairWhereThereAreSimilarities) {
  const auto result = frame();
  cv::Mat& similarity = result->segmentation.stages[1].similarity;
  similarity.at<float>(2, 2) = similarity.at<float>(2, 3) = 0.75F;
  similarity.at<float>(1, 2) = 0.99F;  // alike, but it did not pair
  const MergeScene scene = tellStory(result).merges[1];
  ASSERT_TRUE(scene.mostAlike && scene.leastAlike);
  EXPECT_EQ(scene.mostAlike->places, (std::vector<int>{10, 11}));
  EXPECT_NEAR(scene.mostAlike->similarity, 0.75, 1e-6);
  EXPECT_EQ(scene.leastAlike->places, (std::vector<int>{0, 1, 4}));
  EXPECT_NEAR(scene.leastAlike->similarity, 0.5, 1e-6);
  for (MergeStage& stage : result->segmentation.stages) stage.similarity.release();
  const MergeStory without = tellStory(result);
  EXPECT_EQ(without.merges.size(), 2u);
  EXPECT_FALSE(without.merges[0].mostAlike);
}

TEST(MergeHeat, CountsHowOftenAPlaceSharedItsTokenByDayAndNight) {
  MergeHeat heat;
  EXPECT_TRUE(heat.grid().empty());
  heat.add(*frame(1));
  const auto other = frame(2, LightState::night);
  for (int place = 0; place < 12; ++place)
    other->segmentation.stages[1].map.ptr<int>()[place] = place;
  heat.add(*other);
  EXPECT_EQ(heat.share(MergeHeat::kAll, 0), 0.5);
  EXPECT_EQ(heat.share(MergeHeat::kAll, 7), 0);
  heat.add(*frame(3, LightState::infrared));
  heat.add(*frame(4, LightState::transition));
  const auto simulated = frame(5, LightState::night);
  simulated->filtered = true;
  heat.add(*simulated);
  EXPECT_EQ(heat.frames(MergeHeat::kDay), 1u);
  EXPECT_EQ(heat.frames(MergeHeat::kNight), 2u);
  EXPECT_EQ(heat.frames(MergeHeat::kAll), 4u);
  heat.clear();
  EXPECT_EQ(heat.frames(MergeHeat::kAll), 0u);
  EXPECT_EQ(heat.share(MergeHeat::kAll, 0), 0);
}

TEST(MergeHeat, TellsTheHoursOfTheDayInTheirOwnTime) {
  MergeHeat heat;
  const cv::Mat merged = (cv::Mat_<int>(1, 3) << 0, 0, 1), apart = (cv::Mat_<int>(1, 3) << 0, 1, 2);
  const QDateTime three(QDate(2026, 11, 3), QTime(3, 59)), next(QDate(2026, 11, 4), QTime(3, 0));
  for (const auto& [map, at] :
       {std::pair(merged, three), {apart, next}, {merged, three.addSecs(60)}})
    heat.add(map, {2}, LightState::night, at.toMSecsSinceEpoch());
  for (const auto& [hour, frames, place, share] :
       {std::tuple(3, 2u, 0, 0.5), {3, 2u, 2, 0.0}, {4, 1u, 1, 1.0}, {5, 0u, 0, 0.0}}) {
    EXPECT_EQ(heat.frames(MergeHeat::kFirstHour + hour), frames) << hour;
    EXPECT_EQ(heat.share(MergeHeat::kFirstHour + hour, place), share) << hour << ' ' << place;
  }
  heat.clear();
  EXPECT_EQ(heat.frames(MergeHeat::kFirstHour + 3), 0u);
}

TEST(MergeHeat, WithAMemoryAFrameThatTellsCountsOnceAndAnotherScheduleBeginsAnew) {
  MergeHeat heat;
  const auto told = frame(1);
  for (std::uint64_t number = 2; number < 5; ++number) {
    const auto remembered = frame(number);
    remembered->segmentation.stages.clear();
    remembered->segmentation.mergeMap.release();
    remembered->merged = told;
    heat.add(*remembered);
  }
  EXPECT_EQ(heat.frames(MergeHeat::kAll), 1u);
  const auto other = frame(6), off = frame(7);
  heat.add(*frame(5));
  other->schedule = {3, 5};
  off->schedule = {};
  heat.add(*other);
  heat.add(*off);
  EXPECT_EQ(heat.frames(MergeHeat::kAll), 1u) << "an unmerged frame tells nothing";
  EXPECT_EQ(heat.schedule(), (Schedule{3, 5}));
}

class StoryViewTest : public testing::Test {
 protected:
  StoryViewTest() {
    view_.resize(400, 300);  // five pixels for each of the picture, 100 for a place
    view_.setStory(std::make_shared<const MergeStory>(tellStory(frame())));
  }
  QColor at(int x, int y) { return view_.grab().toImage().pixelColor(x, y); }
  bool isRed(int x, int y) { return at(x, y).red() > 150 && at(x, y).blue() < 60; }

  StoryView view_;
};

// Patches 0 and 1 become one token between them: their own places are empty on the way.
TEST_F(StoryViewTest, PatchesAreCutByAGridAndAPairMovesTogether) {
  EXPECT_TRUE(isRed(50, 50));
  EXPECT_GT(at(100, 50).green(), 60) << "a line between the first two patches";
  view_.showMerge(0, 0);
  EXPECT_TRUE(isRed(15, 50));
  view_.showMerge(0, 0.7);
  EXPECT_LT(at(15, 50).value(), 90) << "dark";
  EXPECT_TRUE(isRed(85, 50)) << "where the token stands now";
  EXPECT_TRUE(isRed(50, 150)) << "a token without a partner stays";
  view_.showMerge(0, 1);
  EXPECT_TRUE(isRed(15, 50)) << "each place has the colour of its token";
}

TEST_F(StoryViewTest, ColoursWhatHasAnotherClassAndHeatFromNeverToAlways) {
  view_.showDifference();
  EXPECT_GT(at(200, 2).red(), at(200, 2).blue() + 100) << "orange";
  EXPECT_NEAR(at(50, 150).red(), at(50, 150).blue(), 2) << "grey";
  std::vector<double> shares(12, 0.0);
  shares[0] = 1;
  view_.showHeat(shares);
  EXPECT_GT(at(50, 50).lightness(), at(150, 50).lightness() + 30);
  view_.showHeat({0.5});  // of another grid
  EXPECT_EQ(at(50, 50), at(150, 50));
  view_.setStory(nullptr, "Waiting");
  EXPECT_FALSE(view_.grab().isNull());
  view_.showPatches();
  view_.resize(300, 400);
  EXPECT_FALSE(view_.grab().isNull());
}

}  // namespace
}  // namespace mpm::gui
