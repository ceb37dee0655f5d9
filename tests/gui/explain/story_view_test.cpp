// SPDX-License-Identifier: Apache-2.0
#include "gui/explain/story_view.h"

#include <gtest/gtest.h>

#include <QImage>

#include "gui/canvas/small_result.h"

namespace mpm::gui {
namespace {

class StoryViewTest : public testing::Test {
 protected:
  StoryViewTest() {
    const auto result = smallResult();
    result->schedule = {2, 5};
    view_.resize(400, 300);  // five pixels for each of the picture, 100 for a place
    view_.setStory(std::make_shared<const MergeStory>(tellStory(result)));
  }
  QColor at(int x, int y) { return view_.grab().toImage().pixelColor(x, y); }
  static bool isRed(const QColor& colour) { return colour.red() > 150 && colour.blue() < 60; }
  static bool isDark(const QColor& colour) { return colour.value() < 90; }

  StoryView view_;
};

TEST_F(StoryViewTest, PatchesAreCutByAGrid) {
  EXPECT_TRUE(isRed(at(50, 50)));
  EXPECT_GT(at(100, 50).green(), 60) << "a line between the first two patches";
}

// Places 0 and 1 become one token between them: both of theirs are left empty on the way.
TEST_F(StoryViewTest, APairMovesTogether) {
  view_.showMerge(0, 0);
  EXPECT_TRUE(isRed(at(15, 50)));
  view_.showMerge(0, 0.7);
  EXPECT_TRUE(isDark(at(15, 50)));
  EXPECT_TRUE(isRed(at(85, 50))) << "where the token stands now";
  EXPECT_TRUE(isRed(at(50, 150))) << "a token without a partner stays";
  view_.showMerge(0, 1);
  EXPECT_TRUE(isRed(at(15, 50))) << "each place has the colour of its token";
}

TEST_F(StoryViewTest, ColoursWhatHasAnotherClass) {
  view_.showDifference();
  const QColor uppermost = at(200, 2);
  EXPECT_GT(uppermost.red(), uppermost.blue() + 100) << "orange";
  const QColor below = at(50, 150);
  EXPECT_NEAR(below.red(), below.blue(), 2) << "grey";
}

TEST_F(StoryViewTest, HeatGoesFromNeverToAlways) {
  std::vector<double> shares(12, 0.0);
  shares[0] = 1;
  view_.showHeat(shares);
  const QColor always = at(50, 50), never = at(150, 50);
  EXPECT_GT(always.lightness(), never.lightness() + 30);
  view_.showHeat({0.5});  // of another grid
  EXPECT_EQ(at(50, 50), at(150, 50));
}

TEST_F(StoryViewTest, WithoutAStorySaysWhy) {
  view_.setStory(nullptr, "Waiting");
  EXPECT_FALSE(view_.grab().isNull());
  view_.showPatches();
  view_.resize(300, 400);
  EXPECT_FALSE(view_.grab().isNull());
}

}  // namespace
}  // namespace mpm::gui
