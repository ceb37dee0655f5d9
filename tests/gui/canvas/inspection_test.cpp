// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/inspection.h"

#include <gtest/gtest.h>

#include "small_result.h"

namespace mpm::gui {
namespace {

class InspectionTest : public ::testing::Test {
 protected:
  InspectionTest() { giveSmallClasses(classes_); }
  // In the middle of a place of the grid of 4 x 3.
  Inspection at(int place, int stage = 0) {
    const QPointF position((place % 4 + 0.5) / 4, (place / 4 + 0.5) / 3);
    return inspect(*result_, classes_, stage, position, {0, 0, 1, 1});
  }
  std::shared_ptr<monitor::FrameResult> result_ = smallResult();
  ClassSettings classes_;
};

TEST_F(InspectionTest, SeesClassAndGroup) {
  const Inspection seen = at(4);
  EXPECT_EQ(seen.pixel, cv::Point(10, 30));
  EXPECT_EQ(seen.label, 1);
  EXPECT_EQ(seen.className, "wall");
  EXPECT_EQ(seen.confidence, 0.75);
  EXPECT_EQ(seen.fullLabel, 1);
  EXPECT_EQ(seen.group.place, 4);
  EXPECT_EQ(seen.group.places, (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(seen.mergedAt, 2);
  EXPECT_EQ(seen.similarity, 0.5);
}

TEST_F(InspectionTest, KnowsTheFirstMerge) {
  EXPECT_EQ(at(0).mergedAt, 1);
  EXPECT_NEAR(*at(0).similarity, 0.9, 1e-6);
  EXPECT_EQ(at(4, 1).mergedAt, std::nullopt) << "behind the first merge it stood alone";
  EXPECT_EQ(at(4, 1).group.places, (std::vector<int>{4}));
  EXPECT_EQ(at(7).mergedAt, std::nullopt);
  EXPECT_EQ(at(7).similarity, std::nullopt) << "NaN is none";
}

TEST_F(InspectionTest, KnowsNothingWhereNothingIsKnown) {
  result_->segmentation = {};
  result_->full.reset();
  const Inspection seen = at(3);
  EXPECT_FALSE(seen.label);
  EXPECT_FALSE(seen.confidence);
  EXPECT_EQ(seen.group.place, -1);
  EXPECT_EQ(describe(seen), "");
}

TEST_F(InspectionTest, TokensOfARememberedFrameAreThoseOfTheNewestThatTells) {
  const auto before = smallResult();
  result_->segmentation.mergeMap.release();
  result_->segmentation.stages.clear();
  result_->segmentation.labels.setTo(2);
  EXPECT_EQ(at(4).group.place, -1);
  result_->merged = before;
  EXPECT_EQ(at(4).group.places, (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(at(4).mergedAt, 2);
  EXPECT_EQ(at(4).label, 2) << "the frame's own";
  EXPECT_EQ(at(5).age, 7);
}

TEST_F(InspectionTest, BordersBelongToThePicture) {
  const Inspection seen = inspect(*result_, classes_, 0, {1, 1}, {0, 0, 1, 1});
  EXPECT_EQ(seen.pixel, cv::Point(79, 59));
  EXPECT_EQ(seen.group.place, 11);
  EXPECT_EQ(inspect(*result_, classes_, 0, {-4, 9}, {0, 0, 1, 1}).pixel, cv::Point(0, 59));
}

TEST_F(InspectionTest, BesideTheGridThereIsNoGroup) {
  const Inspection seen = inspect(*result_, classes_, 0, {0.9, 0.5}, {0, 0, 0.5, 1});
  EXPECT_EQ(seen.group.place, -1);
  EXPECT_FALSE(seen.similarity);
  EXPECT_EQ(seen.label, 2);
}

TEST_F(InspectionTest, IsDescribedInOneLine) {
  EXPECT_EQ(describe(at(0)),
            "wall, 75% sure; shares its token with 2 other places since merge 1; "
            "similarity 0.90");
  EXPECT_EQ(describe(at(10)),
            "road, 75% sure; computed one frame ago; shares its token with one other place "
            "since merge 2; similarity 0.50");
  EXPECT_EQ(describe(at(7)), "road, 75% sure; computed 7 frames ago; has a token of its own");
  const Inspection above = inspect(*result_, classes_, 0, {0.3, 0}, {0, 0, 1, 1});
  EXPECT_TRUE(describe(above).contains("sky with full tokens"));
}

TEST_F(InspectionTest, ACardTellsATokenWholly) {
  const auto card = [&](int place, int stage = 0) {
    const QPointF position((place % 4 + 0.5) / 4, (place / 4 + 0.5) / 3);
    return cardOf(*result_, classes_, stage, position, {0, 0, 1, 1});
  };
  EXPECT_EQ(card(4), (QStringList{"A token of 3 places", "wall, 75% sure", "25.0% of the picture",
                                  "Together since merge 2", "Similarity then: 0.500"}));
  EXPECT_EQ(card(9, 1), (QStringList{"A token of its own", "wall, 75% sure", "8.3% of the picture",
                                     "Most alike: 0.900"}));
  result_->segmentation.labels.rowRange(20, 40).setTo(2);
  EXPECT_EQ(card(4).last(), "Places: 2 wall, 1 road");
}

// Seen: "2 s ago", on a picture that was itself minutes old.
TEST_F(InspectionTest, ACardSaysHowMuchOlderThanThePictureItsTokensAre) {
  const auto before = smallResult();
  result_->segmentation.mergeMap.release();
  result_->segmentation.stages.clear();
  result_->merged = before;
  result_->frame.taken.steadyMs = before->frame.taken.steadyMs + 2500;
  const QStringList card = cardOf(*result_, classes_, 0, {0.1, 0.1}, {0, 0, 1, 1});
  EXPECT_EQ(card.first(), "A token of 3 places");
  EXPECT_EQ(card.last(), "Tokens from a picture taken 2 s earlier");
}

TEST_F(InspectionTest, WithoutTokensACardTellsTheClassAlone) {
  result_->segmentation.mergeMap.release();
  result_->segmentation.stages.clear();
  EXPECT_EQ(cardOf(*result_, classes_, 0, {0.1, 0.1}, {0, 0, 1, 1}), QStringList{"wall, 75% sure"});
}

}  // namespace
}  // namespace mpm::gui
