// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "gui/plot/day_night_sentence.h"
#include "gui/plot/synthetic_source.h"

namespace mpm::gui {
namespace {

using monitor::LightState;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMonday;

class Hours {
 public:
  void add(LightState light, double rows, int hours, int frames = 100) {
    for (int i = 0; i < hours; ++i) {
      monitor::Bucket bucket;
      bucket.startUtcMs = next_;
      bucket.era = era;
      bucket.frames[static_cast<std::size_t>(light)] = static_cast<std::uint32_t>(frames);
      bucket.tallies.resize(1);
      for (int frame = 0; frame < frames; ++frame) bucket.tallies[0].add(rows);
      buckets.push_back(bucket);
      next_ += kHourMs;
    }
  }
  void skip(std::int64_t ms) { next_ += ms; }

  std::deque<monitor::Bucket> buckets;
  std::int32_t era = 0;

 private:
  std::int64_t next_ = kMonday + 7 * kHourMs;
};

TEST(DayNight, EachDayAndNightCountsOnce) {
  Hours hours;
  for (const double rows : {430.0, 440.0, 450.0}) {
    hours.add(LightState::day, rows, 10);
    hours.add(LightState::dusk, 999, 1);
    hours.add(LightState::night, rows - 30, 5);
    hours.add(LightState::transition, 999, 1);
    hours.add(LightState::infrared, rows - 30, 6);
    hours.add(LightState::noSignal, 1, 1);
  }
  const DayNight figures = dayNightOf(hours.buckets, 0);
  EXPECT_EQ(figures.days.count(), 3U);
  EXPECT_EQ(figures.nights.count(), 3U);
  EXPECT_DOUBLE_EQ(figures.days.mean(), 440);
  EXPECT_DOUBLE_EQ(figures.nights.mean(), 410);
  EXPECT_DOUBLE_EQ(figures.days.deviation(), 10);
}

TEST(DayNight, AShortNightIsNone) {
  Hours hours;
  hours.add(LightState::day, 440, 5);
  hours.add(LightState::night, 100, 1, 5);  // somebody in front of the camera
  hours.add(LightState::day, 440, 5);
  hours.add(LightState::night, 410, 10);
  hours.add(LightState::day, 100, 1, 5);  // headlights
  hours.add(LightState::night, 410, 2);
  const DayNight figures = dayNightOf(hours.buckets, 0);
  EXPECT_EQ(figures.days.count(), 1U);
  EXPECT_EQ(figures.nights.count(), 1U);
  EXPECT_DOUBLE_EQ(figures.days.mean(), 440);
  EXPECT_DOUBLE_EQ(figures.nights.mean(), 410);
}

TEST(DayNight, ALongBreakBeginsAnotherNight) {
  Hours hours;
  hours.add(LightState::night, 410, 8);
  hours.skip(2 * kHourMs);
  hours.add(LightState::night, 410, 2);
  EXPECT_EQ(dayNightOf(hours.buckets, 0).nights.count(), 1U);
  hours.skip(14 * kHourMs);
  hours.add(LightState::night, 400, 8);
  EXPECT_EQ(dayNightOf(hours.buckets, 0).nights.count(), 2U);
}

TEST(DayNight, ASetClockPartsNoNight) {
  Hours hours;
  hours.add(LightState::night, 410, 4);
  hours.era = 1;
  hours.skip(-40 * kDayMs);
  hours.add(LightState::night, 410, 4);
  EXPECT_EQ(dayNightOf(hours.buckets, 0).nights.count(), 1U);
}

TEST(DayNight, OfNothing) {
  EXPECT_EQ(dayNightOf({}, 0).days.count(), 0U);
  Hours hours;
  hours.add(LightState::day, 440, 3);
  EXPECT_EQ(dayNightOf(hours.buckets, 5).days.count(), 0U);
}

}  // namespace
}  // namespace mpm::gui
