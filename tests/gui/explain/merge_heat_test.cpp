// SPDX-License-Identifier: Apache-2.0
#include "gui/explain/merge_heat.h"

#include <gtest/gtest.h>

#include "gui/canvas/small_result.h"

namespace mpm::gui {
namespace {

std::shared_ptr<monitor::FrameResult> frame(std::uint64_t number,
                                            monitor::LightState light = monitor::LightState::day) {
  auto result = smallResult();
  result->schedule = {2, 5};
  result->frame.number = number;
  result->light.state = light;
  return result;
}

TEST(MergeHeat, CountsHowOftenAPlaceSharedItsToken) {
  MergeHeat heat;
  EXPECT_TRUE(heat.grid().empty());
  heat.add(*frame(1));
  auto other = frame(2);
  for (int place = 0; place < 12; ++place)
    other->segmentation.stages[1].map.ptr<int>()[place] = place;
  heat.add(*other);
  EXPECT_EQ(heat.frames(MergeHeat::kAll), 2u);
  EXPECT_EQ(heat.share(MergeHeat::kAll, 0), 0.5);
  EXPECT_EQ(heat.share(MergeHeat::kAll, 7), 0);
  heat.clear();
  EXPECT_EQ(heat.frames(MergeHeat::kAll), 0u);
  EXPECT_EQ(heat.share(MergeHeat::kAll, 0), 0);
}

TEST(MergeHeat, TellsDayFromNight) {
  MergeHeat heat;
  heat.add(*frame(1, monitor::LightState::day));
  heat.add(*frame(2, monitor::LightState::night));
  heat.add(*frame(3, monitor::LightState::infrared));
  heat.add(*frame(4, monitor::LightState::transition));
  EXPECT_EQ(heat.frames(MergeHeat::kDay), 1u);
  EXPECT_EQ(heat.frames(MergeHeat::kNight), 2u);
  EXPECT_EQ(heat.frames(MergeHeat::kAll), 4u);
}

TEST(MergeHeat, TellsTheHoursOfTheDayInTheirOwnTime) {
  MergeHeat heat;
  const cv::Mat merged = (cv::Mat_<int>(1, 3) << 0, 0, 1), apart = (cv::Mat_<int>(1, 3) << 0, 1, 2);
  const QDateTime three(QDate(2026, 11, 3), QTime(3, 59)), next(QDate(2026, 11, 4), QTime(3, 0));
  heat.add(merged, {2}, monitor::LightState::night, three.toMSecsSinceEpoch());
  heat.add(apart, {2}, monitor::LightState::night, next.toMSecsSinceEpoch());
  heat.add(merged, {2}, monitor::LightState::night, three.addSecs(60).toMSecsSinceEpoch());
  EXPECT_EQ(heat.frames(MergeHeat::kFirstHour + 3), 2u);
  EXPECT_EQ(heat.share(MergeHeat::kFirstHour + 3, 0), 0.5);
  EXPECT_EQ(heat.share(MergeHeat::kFirstHour + 3, 2), 0);
  EXPECT_EQ(heat.frames(MergeHeat::kFirstHour + 4), 1u);
  EXPECT_EQ(heat.share(MergeHeat::kFirstHour + 4, 1), 1);
  EXPECT_EQ(heat.frames(MergeHeat::kFirstHour + 5), 0u);
  EXPECT_EQ(heat.share(MergeHeat::kFirstHour + 5, 0), 0);
  heat.clear();
  EXPECT_EQ(heat.frames(MergeHeat::kFirstHour + 3), 0u);
}

TEST(MergeHeat, ASimulatedNightDoesNotCount) {
  MergeHeat heat;
  auto dark = frame(1, monitor::LightState::night);
  dark->filtered = true;
  heat.add(*dark);
  EXPECT_EQ(heat.frames(MergeHeat::kAll), 0u);
}

TEST(MergeHeat, WithAMemoryAFrameThatTellsCountsOnce) {
  MergeHeat heat;
  const auto told = frame(1);
  for (std::uint64_t number = 2; number < 5; ++number) {
    auto remembered = frame(number);
    remembered->segmentation.stages.clear();
    remembered->segmentation.mergeMap.release();
    remembered->merged = told;
    heat.add(*remembered);
  }
  EXPECT_EQ(heat.frames(MergeHeat::kAll), 1u);
}

TEST(MergeHeat, AnotherScheduleBeginsAnew) {
  MergeHeat heat;
  heat.add(*frame(1));
  auto other = frame(2);
  other->schedule = {3, 5};
  heat.add(*other);
  EXPECT_EQ(heat.frames(MergeHeat::kAll), 1u);
  EXPECT_EQ(heat.schedule(), (Schedule{3, 5}));
  auto off = frame(3);
  off->schedule = {};
  heat.add(*off);
  EXPECT_EQ(heat.frames(MergeHeat::kAll), 1u) << "full tokens tell nothing";
}

}  // namespace
}  // namespace mpm::gui
