// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/time_window.h"

#include <gtest/gtest.h>

#include <limits>

namespace mpm::gui {
namespace {

constexpr std::int64_t kNow = 1'740'960'000'000, kHour = 3'600'000, kOldest = kNow - 48 * kHour;

TimeWindow window() {
  TimeWindow made;
  made.follow(kNow, kOldest);
  return made;
}

TEST(TimeWindow, ALiveOneMovesAlong) {
  TimeWindow live = window();
  EXPECT_TRUE(live.live());
  EXPECT_EQ(live.to(), kNow);
  EXPECT_FALSE(live.follow(kNow, kOldest));
  EXPECT_TRUE(live.follow(kNow + 250, kOldest));
  EXPECT_EQ(live.to(), kNow + 250);
  live.setRange(kOldest, kOldest + kHour);
  EXPECT_FALSE(live.follow(kNow + 500, kOldest));
  EXPECT_EQ(live.to(), kOldest + kHour);
}

TEST(TimeWindow, ZoomKeepsTheAnchorInItsPlace) {
  TimeWindow held = window();
  held.setRange(kNow - 10 * kHour, kNow - 6 * kHour);
  const std::int64_t anchor = kNow - 9 * kHour;  // at a quarter
  held.zoom(0.5, anchor);
  EXPECT_EQ(held.span(), 2 * kHour);
  EXPECT_EQ(anchor - held.from(), held.span() / 4);
  held.zoom(2, anchor);
  EXPECT_EQ(held.from(), kNow - 10 * kHour);
  EXPECT_EQ(held.to(), kNow - 6 * kHour);
}

TEST(TimeWindow, ZoomingInElsewhereLeavesLiveAndZoomingOutComesBack) {
  TimeWindow made = window();
  made.zoom(0.5, kNow - kHour / 2);
  EXPECT_FALSE(made.live());
  made.zoom(4, kNow - kHour / 2);
  EXPECT_TRUE(made.live());
  EXPECT_EQ(made.to(), kNow);
}

TEST(TimeWindow, ZoomAtItsEndStaysLive) {
  TimeWindow made = window();
  made.zoom(0.5, made.to());
  EXPECT_TRUE(made.live());
  EXPECT_EQ(made.span(), kHour / 2);
}

TEST(TimeWindow, SpansHaveEnds) {
  TimeWindow made = window();
  for (int i = 0; i < 100; ++i) made.zoom(0.5, made.to());
  EXPECT_EQ(made.span(), TimeWindow::kShortestMs);
  for (int i = 0; i < 100; ++i) made.zoom(2, made.to());
  EXPECT_EQ(made.span(), TimeWindow::kLongestMs);
  made.zoom(1e300, made.to());
  EXPECT_EQ(made.span(), TimeWindow::kLongestMs);
  made.zoom(0, made.to());
  made.zoom(-1, made.to());
  made.zoom(std::numeric_limits<double>::quiet_NaN(), made.to());
  EXPECT_EQ(made.span(), TimeWindow::kLongestMs);
  made.setSpan(-5);
  EXPECT_EQ(made.span(), TimeWindow::kShortestMs);
}

TEST(TimeWindow, PanGoesNeitherBeyondNowNorFarBeyondTheOldest) {
  TimeWindow made = window();
  made.pan(-2 * kHour);
  EXPECT_FALSE(made.live());
  EXPECT_EQ(made.to(), kNow - 2 * kHour);
  made.pan(-1000 * kHour);
  EXPECT_EQ(made.to(), kOldest + made.span() / 10);
  made.pan(1000 * kHour);
  EXPECT_TRUE(made.live());
  EXPECT_EQ(made.to(), kNow);
}

TEST(TimeWindow, ToTheOldestAndBack) {
  TimeWindow made = window();
  made.goToOldest();
  EXPECT_FALSE(made.live());
  EXPECT_EQ(made.from(), kOldest);
  made.goLive();
  EXPECT_TRUE(made.live());
  EXPECT_EQ(made.to(), kNow);
}

TEST(TimeWindow, TheOldestOfShortDataIsLive) {
  TimeWindow made;
  made.follow(kNow, kNow - 60'000);
  made.goToOldest();
  EXPECT_TRUE(made.live());
  EXPECT_EQ(made.to(), kNow);
}

}  // namespace
}  // namespace mpm::gui
