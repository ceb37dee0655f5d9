// SPDX-License-Identifier: Apache-2.0
#include "gui/app/view_deck.h"

#include <gtest/gtest.h>

#include <tuple>

#include "gui/app/watched.h"
#include "gui/canvas/frame_view.h"
#include "gui/canvas/small_result.h"
#include "gui/hands.h"

namespace mpm::gui {
namespace {

class ViewDeckTest : public ::testing::Test {
 protected:
  ViewDeckTest() {
    giveSmallClasses(watched_.session.classes());
    deck_.resize(640, 480);
    deck_.show();
  }
  // Shows a new frame; `full` adds an unmerged result.
  std::weak_ptr<monitor::FrameResult> show(bool full, const Schedule& schedule = {}) {
    auto result = smallResult();
    if (!full) result->full.reset();
    result->schedule = schedule;
    deck_.setResult(result);
    deck_.grab();
    return result;
  }
  bool drawsZones() const {
    const auto views = deck_.findChildren<FrameView*>();
    return std::any_of(views.begin(), views.end(),
                       [](const FrameView* view) { return view->isZoneEditing(); });
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
  for (std::size_t i = 0; i < given.size(); ++i)
    EXPECT_EQ(given[i].expired(), i + 1 < given.size()) << "frame " << i;
  deck_.setResult(nullptr);
  EXPECT_TRUE(given.back().expired());
}

// Guards against Difference keeping the previous schedule's comparison with merging off.
TEST_F(ViewDeckTest, AViewThatIsSeenAgainHasTheNewestComparisonOfItsScheduleAndSource) {
  deck_.setLayoutKind(DeckLayout::pair);
  deck_.showKind(ViewKind::difference);
  show(false);
  const QImage none = deck_.exported();
  show(true);
  const QImage compared = deck_.exported();
  EXPECT_NE(compared, none);
  // The view is hidden by the split line; then come another schedule and another source.
  for (const auto& [schedule, ends, expected] : {std::tuple(Schedule{}, false, &compared),
                                                 {Schedule{2}, false, &none},
                                                 {Schedule{}, true, &none}}) {
    show(true);
    deck_.setLayoutKind(DeckLayout::split);
    if (ends) deck_.setResult(nullptr);
    show(false, schedule);
    deck_.setLayoutKind(DeckLayout::pair);
    EXPECT_EQ(deck_.exported(), *expected) << schedule.size() << ends;
  }
  show(true);
  show(false, {2});
  EXPECT_EQ(deck_.exported(), none) << "in the view that was seen all along, too";
}

// Guards against a left view that differs after a restart.
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

// Guards against Escape that ends drawing only in the focused view.
TEST_F(ViewDeckTest, ZonesAreDrawnOnTwoViewsWhereThereIsASplitLineThatComesBack) {
  show(false);
  QSignalSpy left(&deck_, &ViewDeck::zoneEditingLeft);
  deck_.setZoneEditing(true);
  for (FrameView* view : deck_.findChildren<FrameView*>())
    if (view->isVisible() && left.isEmpty()) hands::keys(view, "Esc");
  EXPECT_EQ(left.count(), 1);
  EXPECT_FALSE(drawsZones());
  deck_.setLayoutKind(DeckLayout::split);
  const auto* line = deck_.findChild<SplitView*>();
  ASSERT_TRUE(line->isVisible());
  deck_.setZoneEditing(true);
  EXPECT_FALSE(line->isVisible());
  EXPECT_EQ(deck_.layoutKind(), DeckLayout::split) << "as the settings are to have it";
  deck_.setZoneEditing(false);
  EXPECT_TRUE(line->isVisible());
  EXPECT_EQ(left.count(), 1);
  deck_.setZoneEditing(true);
  deck_.setLayoutKind(DeckLayout::split);
  EXPECT_TRUE(line->isVisible());
  EXPECT_EQ(left.count(), 2) << "nothing can be drawn on it";
  EXPECT_FALSE(drawsZones());
}

}  // namespace
}  // namespace mpm::gui
