// SPDX-License-Identifier: Apache-2.0
#include "gui/app/view_deck.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>
#include <algorithm>
#include <memory>
#include <vector>

#include "gui/app/watched.h"
#include "gui/canvas/frame_view.h"
#include "gui/canvas/small_result.h"

namespace mpm::gui {
namespace {

class ViewDeckTest : public ::testing::Test {
 protected:
  ViewDeckTest() {
    giveSmallClasses(watched_.session.classes());
    deck_.resize(640, 480);
    deck_.show();
  }
  // Shows a frame of its own, `full`: with full tokens as well.
  std::weak_ptr<monitor::FrameResult> show(bool full) {
    auto result = smallResult();
    if (!full) result->full.reset();
    deck_.setResult(result);
    deck_.grab();
    return result;
  }

  Watched watched_;
  ViewDeck deck_{watched_.session};
};

TEST_F(ViewDeckTest, OnlyWhatIsSeenKeepsItsFrame) {
  std::vector<std::weak_ptr<monitor::FrameResult>> given;
  for (int layout = 0; layout < kDeckLayouts; ++layout) {
    deck_.setLayoutKind(static_cast<DeckLayout>(layout));
    for (int kind = 0; kind < kViewKinds; ++kind) {
      deck_.showKind(static_cast<ViewKind>(kind));
      given.push_back(show(false));
    }
  }
  const auto newest = given.back();
  given.pop_back();
  for (std::size_t i = 0; i < given.size(); ++i) EXPECT_TRUE(given[i].expired()) << "frame " << i;
  EXPECT_FALSE(newest.expired());
  deck_.setResult(nullptr);
  EXPECT_TRUE(newest.expired());
}

TEST_F(ViewDeckTest, AViewThatIsSeenAgainHasTheNewestComparison) {
  deck_.setLayoutKind(DeckLayout::tabs);
  deck_.showKind(ViewKind::difference);
  show(true);
  const QImage compared = deck_.exported();
  deck_.showKind(ViewKind::camera);
  show(false);
  deck_.showKind(ViewKind::difference);
  EXPECT_EQ(deck_.exported(), compared);
  deck_.setResult(nullptr);
  show(false);
  EXPECT_NE(deck_.exported(), compared) << "of the source before";
}

// Seen: with merging off, Difference went on with the comparison of the schedule before.
TEST_F(ViewDeckTest, AComparisonIsGoneWithItsSchedule) {
  deck_.setLayoutKind(DeckLayout::tabs);
  deck_.showKind(ViewKind::difference);
  show(false);
  const QImage none = deck_.exported();
  show(true);
  EXPECT_NE(deck_.exported(), none);
  auto merged = smallResult();
  merged->full.reset();
  merged->schedule = {2};
  deck_.setResult(merged);
  EXPECT_EQ(deck_.exported(), none);
  deck_.showKind(ViewKind::camera);
  show(true);
  deck_.setResult(merged);
  deck_.showKind(ViewKind::difference);
  EXPECT_EQ(deck_.exported(), none) << "nor is it in a view that is seen again";
}

// Seen: the left view of two was another one after the next start.
TEST_F(ViewDeckTest, WhatEachViewShowsIsToldAndTaken) {
  deck_.setLayoutKind(DeckLayout::pair);
  std::vector<ViewKind> kinds = deck_.kinds();
  ASSERT_EQ(kinds.size(), 6U);
  EXPECT_EQ(kinds[4], ViewKind::segmentation);
  kinds[4] = ViewKind::camera;
  deck_.setKinds(kinds);
  EXPECT_EQ(deck_.kinds(), kinds);
  deck_.setKinds({ViewKind::camera});
  EXPECT_EQ(deck_.kinds(), kinds) << "of another version";
}

// The menu said that the split line shows the tab that was chosen, and it showed the one before.
TEST_F(ViewDeckTest, ATabThatIsChosenIsBesideTheSplitLineAsWell) {
  deck_.showKind(ViewKind::mergeMap);
  show(false);
  deck_.setLayoutKind(DeckLayout::tabs);
  deck_.findChild<QTabWidget*>()->setCurrentIndex(static_cast<int>(ViewKind::groupSize));
  deck_.setLayoutKind(DeckLayout::split);
  const QImage split = deck_.exported();
  EXPECT_EQ(deck_.kind(), ViewKind::groupSize);
  deck_.showKind(ViewKind::groupSize);
  EXPECT_EQ(deck_.exported(), split);
  deck_.showKind(ViewKind::mergeMap);
  EXPECT_NE(deck_.exported(), split);
}

// Tabs stayed, in the settings as well, while the menu went on to say that there is a split line.
TEST_F(ViewDeckTest, ZonesAreDrawnInTabsWhereThereIsASplitLineThatComesBack) {
  show(false);
  deck_.setLayoutKind(DeckLayout::split);
  const auto* line = deck_.findChild<SplitView*>();
  ASSERT_TRUE(line->isVisible());
  QSignalSpy left(&deck_, &ViewDeck::zoneEditingLeft);
  deck_.setZoneEditing(true);
  EXPECT_FALSE(line->isVisible());
  EXPECT_EQ(deck_.layoutKind(), DeckLayout::split) << "as the settings are to have it";
  deck_.setZoneEditing(false);
  EXPECT_TRUE(line->isVisible());
  EXPECT_EQ(left.count(), 0);
  deck_.setZoneEditing(true);
  deck_.setLayoutKind(DeckLayout::split);
  EXPECT_TRUE(line->isVisible());
  EXPECT_EQ(left.count(), 1) << "nothing can be drawn on it";
  for (const FrameView* view : deck_.findChildren<FrameView*>())
    EXPECT_FALSE(view->isZoneEditing());
}

// Seen: Escape ended drawing in the view that had the focus, and not in those beside it.
TEST_F(ViewDeckTest, EscapeEndsDrawingInEveryView) {
  show(false);
  deck_.setZoneEditing(true);
  QSignalSpy left(&deck_, &ViewDeck::zoneEditingLeft);
  const QList<FrameView*> views = deck_.findChildren<FrameView*>();
  const auto seen =
      std::find_if(views.begin(), views.end(), [](FrameView* view) { return view->isVisible(); });
  ASSERT_NE(seen, views.end());
  QTest::keyClick(*seen, Qt::Key_Escape);
  for (const FrameView* view : views) EXPECT_FALSE(view->isZoneEditing());
  EXPECT_EQ(left.count(), 1);
}

}  // namespace
}  // namespace mpm::gui
