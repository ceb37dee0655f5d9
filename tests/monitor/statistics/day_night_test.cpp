// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/day_night.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace mpm::monitor {
namespace {

constexpr std::int64_t kHourMs = 3'600'000, kDayMs = 24 * kHourMs;
constexpr std::int64_t kMonday = 1'740'960'000'000;  // 2025-03-03T00:00Z

class Hours {
 public:
  void add(LightState light, double rows, int hours, int frames = 100) {
    for (int i = 0; i < hours; ++i) {
      Bucket bucket;
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

  std::deque<Bucket> buckets;
  std::int32_t era = 0;

 private:
  std::int64_t next_ = kMonday + 7 * kHourMs;
};

TEST(DayNight, EachDayAndNightCountsOnce) {
  Hours hours;
  hours.add(LightState::dusk, 999, 1);
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

TEST(DayNight, FramesAtDuskAreNeitherOfDaysNorOfNights) {
  Hours hours;
  hours.add(LightState::noSignal, 1, 1);
  hours.add(LightState::transition, 700, 1);
  hours.add(LightState::dusk, 600, 1);
  const DayNight figures = dayNightOf(hours.buckets, 0);
  EXPECT_EQ(figures.dayFrames.count() + figures.nightFrames.count(), 0U);
  EXPECT_EQ(figures.betweenFrames.count(), 200U);
  EXPECT_DOUBLE_EQ(figures.betweenFrames.mean(), 650);
  EXPECT_EQ(dayNightOf(hours.buckets, 1).betweenFrames.count(), 0U) << "no such metric";
}

TEST(DayNight, AShortNightIsNone) {
  Hours hours;
  hours.add(LightState::dusk, 999, 1);
  hours.add(LightState::day, 440, 11);
  hours.add(LightState::night, 100, 1);  // somebody in front of the camera
  hours.add(LightState::day, 440, 11);
  hours.add(LightState::night, 410, 12);
  hours.add(LightState::day, 100, 1);  // headlights
  hours.add(LightState::night, 410, 2);
  const DayNight figures = dayNightOf(hours.buckets, 0);
  EXPECT_EQ(figures.days.count(), 1U);
  EXPECT_EQ(figures.nights.count(), 1U);
  EXPECT_DOUBLE_EQ(figures.days.mean(), 440);
  EXPECT_DOUBLE_EQ(figures.nights.mean(), 410);
}

// Seen: after four days at ten frames a second none of thirty at one in two seconds counted.
TEST(DayNight, ANightOfASlowerFrameRateIsAsLongAsItIs) {
  Hours hours;
  hours.add(LightState::dusk, 999, 1);
  for (const int frames : {36000, 36000, 1800, 1800, 1800}) {
    hours.add(LightState::day, 440, 12, frames);
    hours.add(LightState::night, frames == 1800 ? 380 : 410, 8, frames);
  }
  hours.add(LightState::day, 440, 5, 1800);  // goes on, and is no half yet
  DayNight figures = dayNightOf(hours.buckets, 0);
  EXPECT_EQ(figures.days.count(), 5U);
  EXPECT_EQ(figures.nights.count(), 5U);
  EXPECT_DOUBLE_EQ(figures.nights.mean(), 392);
  hours.add(LightState::day, 440, 1, 1800);
  EXPECT_EQ(dayNightOf(hours.buckets, 0).days.count(), 6U);
}

TEST(DayNight, ALongBreakBeginsAnotherNight) {
  Hours hours;
  hours.add(LightState::dusk, 999, 1);
  hours.add(LightState::day, 440, 8);
  hours.add(LightState::night, 410, 8);
  hours.skip(2 * kHourMs);
  hours.add(LightState::night, 410, 2);
  hours.skip(14 * kHourMs);
  hours.add(LightState::dusk, 999, 1);
  hours.add(LightState::night, 400, 8);
  EXPECT_EQ(dayNightOf(hours.buckets, 0).nights.count(), 2U);
}

TEST(DayNight, ASetClockPartsNoNight) {
  Hours hours;
  hours.add(LightState::day, 440, 4);
  hours.add(LightState::night, 410, 4);
  hours.era = 1;
  hours.skip(-40 * kDayMs);
  hours.add(LightState::night, 410, 4);
  hours.add(LightState::day, 440, 4);
  EXPECT_EQ(dayNightOf(hours.buckets, 0).nights.count(), 1U);
}

// Eras begin anew with each run, so they do not tell one run's night from the other's.
TEST(DayNight, NightsOfTwoRunsThatAreWeeksApartAreTwo) {
  for (const bool isFirstSet : {false, true}) {
    Hours hours;
    hours.era = isFirstSet ? 1 : 0;
    hours.add(LightState::dusk, 999, 1);
    hours.add(LightState::day, 440, 10);
    hours.add(LightState::night, 400, 8);
    const std::size_t begin = hours.buckets.size();
    hours.era = 0;
    if (!isFirstSet) {  // its clock stands where it stood, and is set an hour later
      hours.add(LightState::dusk, 999, 1);
      hours.add(LightState::night, 420, 1, 5);
      hours.era = 1;
    }
    hours.skip(20 * kDayMs);
    hours.add(LightState::night, 999, 8);  // begun nobody knows when
    hours.add(LightState::day, 440, 10);
    hours.add(LightState::night, 420, 8);
    hours.add(LightState::day, 440, 10);
    const DayNight figures = dayNightOf(hours.buckets, 0, {0, begin});
    EXPECT_EQ(figures.nights.count(), 2U) << isFirstSet;
    EXPECT_NEAR(figures.nights.mean(), 410, 0.1) << isFirstSet;
  }
}

TEST(DayNight, ARestartAtNightPartsNone) {
  Hours hours;
  hours.era = 1;
  hours.add(LightState::day, 440, 10);
  hours.add(LightState::night, 410, 4);
  hours.era = 0;
  hours.add(LightState::night, 410, 4);
  hours.add(LightState::day, 440, 10);
  EXPECT_EQ(dayNightOf(hours.buckets, 0, {0, 14}).nights.count(), 1U);
}

TEST(DayNight, AShortDayJoinsNoNightsThatAreApart) {
  Hours hours;
  hours.add(LightState::dusk, 999, 1);
  hours.add(LightState::day, 440, 12);
  hours.add(LightState::night, 410, 8);
  hours.skip(5 * kDayMs);
  hours.add(LightState::day, 440, 1);
  hours.add(LightState::night, 420, 8);
  EXPECT_EQ(dayNightOf(hours.buckets, 0).nights.count(), 2U);
}

// Said of a fresh record an hour into its first night: 6.4 % more tokens merge.
TEST(DayNight, ANightThatHasJustBegunIsNoWholeNight) {
  Hours hours;
  hours.add(LightState::dusk, 999, 1);
  hours.add(LightState::day, 440, 10);
  hours.add(LightState::night, 400, 2);
  EXPECT_EQ(dayNightOf(hours.buckets, 0).days.count(), 1U);
  EXPECT_EQ(dayNightOf(hours.buckets, 0).nights.count(), 0U);
  EXPECT_EQ(dayNightOf(hours.buckets, 0).nightFrames.count(), 200U);
  hours.add(LightState::night, 400, 6);
  EXPECT_EQ(dayNightOf(hours.buckets, 0).nights.count(), 1U);
  hours.add(LightState::day, 440, 10);
  hours.add(LightState::night, 400, 1);
  EXPECT_EQ(dayNightOf(hours.buckets, 0).nights.count(), 1U);
}

// Nor is a day: a record that began at three in the afternoon had a first day of three hours.
TEST(DayNight, ANightOrDayInWhoseMiddleTheRecordBeganIsNoWholeOne) {
  for (const bool isNightFirst : {false, true}) {
    const auto first = isNightFirst ? LightState::infrared : LightState::day;
    const auto second = isNightFirst ? LightState::day : LightState::infrared;
    const auto whole = [](const DayNight& figures) {
      return std::pair(figures.days.count(), figures.nights.count());
    };
    Hours hours;
    hours.add(LightState::noSignal, 1, 1);
    hours.add(LightState::transition, 1, 1);  // tells nothing of the light before
    hours.add(first, 400, 5);
    hours.add(LightState::dusk, 999, 1);
    hours.add(second, 440, 9);
    EXPECT_EQ(whole(dayNightOf(hours.buckets, 0)), std::pair(0UL, 0UL))
        << "nobody knows how long the second will be";
    hours.add(first, 500, 1);
    EXPECT_EQ(whole(dayNightOf(hours.buckets, 0)),
              isNightFirst ? std::pair(1UL, 0UL) : std::pair(0UL, 1UL));
    hours.add(first, 500, 9);
    const DayNight figures = dayNightOf(hours.buckets, 0);
    EXPECT_EQ(whole(figures), std::pair(1UL, 1UL));
    EXPECT_EQ((isNightFirst ? figures.nights : figures.days).mean(), 500);
    EXPECT_EQ((isNightFirst ? figures.nightFrames : figures.dayFrames).count(), 1500U);
  }
}

// A schedule that was tried in the evening, or a computer that is shut down for most of the night.
TEST(DayNight, ANightOfWhichMostIsMissingIsNoWholeOne) {
  const auto nightsOf = [](int missingBefore, int hoursThere, int missingAfter) {
    Hours hours;
    hours.add(LightState::dusk, 999, 1);
    hours.add(LightState::day, 440, 12);
    hours.skip(missingBefore * kHourMs);
    hours.add(LightState::night, 410, hoursThere);
    hours.skip(missingAfter * kHourMs);
    hours.add(LightState::day, 440, 12);
    return dayNightOf(hours.buckets, 0).nights.count();
  };
  EXPECT_EQ(nightsOf(1, 10, 0), 1U);
  EXPECT_EQ(nightsOf(0, 10, 1), 1U);
  EXPECT_EQ(nightsOf(7, 4, 0), 0U);
  EXPECT_EQ(nightsOf(0, 3, 8), 0U);
}

// With a memory one frame in 64 counts, without one each: neither is a short night.
TEST(DayNight, ANightOfWhichFewFramesCountIsAsLongAsItIs) {
  Hours hours;
  hours.add(LightState::dusk, 999, 1);
  for (int i = 0; i < 2; ++i) {
    hours.add(LightState::day, 440, 10, 6400);
    hours.add(LightState::night, 410, 10, 6400);
  }
  const auto countFew = [&](std::size_t from) {
    for (std::size_t i = from; i < hours.buckets.size(); ++i) {
      Tally& tally = hours.buckets[i].tallies[0];
      const double rows = tally.mean();
      tally = {};
      for (int frame = 0; frame < 100; ++frame) tally.add(rows);
    }
  };
  const std::size_t before = hours.buckets.size();
  hours.add(LightState::day, 430, 10, 6400);
  hours.add(LightState::night, 380, 10, 6400);
  countFew(before);
  const DayNight figures = dayNightOf(hours.buckets, 0);
  EXPECT_EQ(figures.days.count(), 3U);
  EXPECT_EQ(figures.nights.count(), 3U);
  EXPECT_DOUBLE_EQ(figures.nights.mean(), 400);
}

// Seen, after ten seconds: "1 night". With a memory none of the day's frames had counted.
TEST(DayNight, ANightIsNoWholeOneBesideALongerDayThatNobodyCounted) {
  Hours hours;
  hours.add(LightState::dusk, 999, 1);
  hours.add(LightState::day, 440, 10);
  for (Bucket& bucket : hours.buckets) bucket.tallies[0] = {};
  hours.add(LightState::night, 410, 1);
  const DayNight figures = dayNightOf(hours.buckets, 0);
  EXPECT_EQ(figures.nights.count(), 0U);
  EXPECT_EQ(figures.days.count(), 0U);
  EXPECT_DOUBLE_EQ(figures.nightFrames.mean(), 410);
  hours.add(LightState::night, 410, 5);
  EXPECT_EQ(dayNightOf(hours.buckets, 0).nights.count(), 1U);
}

// The hour of a night in which each frame counted weighs no more than the others.
TEST(DayNight, HoursOfANightWeighAsManyFramesAsTheyHave) {
  Hours hours;
  hours.add(LightState::day, 440, 4);
  hours.add(LightState::night, 400, 1, 100);
  hours.add(LightState::night, 500, 3, 100);
  for (std::size_t i = 5; i < 8; ++i) {
    hours.buckets[i].tallies[0] = {};
    hours.buckets[i].tallies[0].add(500);
  }
  hours.add(LightState::day, 440, 4);
  EXPECT_DOUBLE_EQ(dayNightOf(hours.buckets, 0).nights.mean(), 475);
}

TEST(DayNight, OfNothing) {
  EXPECT_EQ(dayNightOf({}, 0).days.count(), 0U);
  Hours hours;
  hours.add(LightState::day, 440, 3);
  EXPECT_EQ(dayNightOf(hours.buckets, 5).days.count(), 0U);
}

TEST(DayNight, AllFramesOfDaysAndNightsAreSummedUp) {
  Hours hours;
  hours.add(LightState::day, 430, 5);
  hours.add(LightState::dusk, 999, 1);
  hours.add(LightState::infrared, 410, 2);
  hours.add(LightState::day, 450, 5);
  const DayNight figures = dayNightOf(hours.buckets, 0);
  EXPECT_EQ(figures.dayFrames.count(), 1000U);
  EXPECT_DOUBLE_EQ(figures.dayFrames.mean(), 440);
  EXPECT_NEAR(figures.dayFrames.deviation(), 10, 0.01);
  EXPECT_EQ(figures.nightFrames.count(), 200U);
  EXPECT_DOUBLE_EQ(figures.nightFrames.mean(), 410);
}

TEST(DayNight, HoursTellDaysAndNightsWhereTheyAreEnoughAndOfOneLight) {
  Hours hours;
  hours.add(LightState::day, 440, 12);
  EXPECT_FALSE(tellsDayNight(hours.buckets, Resolution::hour));
  hours.add(LightState::night, 410, 12);
  EXPECT_TRUE(tellsDayNight(hours.buckets, Resolution::hour));
  EXPECT_FALSE(tellsDayNight(hours.buckets, Resolution::minute));
  EXPECT_TRUE(tellsDayNight({}, Resolution::second));
  // A scene whose day takes two minutes: each hour is as much night as day.
  for (Bucket& bucket : hours.buckets)
    bucket.frames[static_cast<std::size_t>(LightState::infrared)] = 80;
  EXPECT_FALSE(tellsDayNight(hours.buckets, Resolution::hour));
}

Running of(std::initializer_list<double> values) {
  Running running;
  for (const double value : values) running.add(value);
  return running;
}

DayNight figures(std::initializer_list<double> days, std::initializer_list<double> nights) {
  return {of(days), of(nights), {}, {}, {}};
}

TEST(NightsAgainstDays, AreWelchsTest) {
  const auto found = nightsAgainstDays(figures({403, 412, 421}, {426, 437, 448}));
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->difference, 25);
  // t of 3.85 degrees of freedom exceeds 2.8199 once in 20; the limits' straight lines, 2.8373.
  EXPECT_GE(found->interval, 23.139);
  EXPECT_LT(found->interval, 23.30);
  EXPECT_TRUE(found->differ());
  EXPECT_FALSE(nightsAgainstDays(figures({400, 437, 474}, {390, 430, 470}))->differ());
}

TEST(NightsAgainstDays, SayNothingOfOneNight) {
  EXPECT_FALSE(nightsAgainstDays(figures({437, 438, 439}, {412})));
  EXPECT_FALSE(nightsAgainstDays(figures({437}, {412, 413})));
  EXPECT_FALSE(nightsAgainstDays({}));
}

TEST(NightsAgainstDays, WithoutDeviationEveryDifferenceCounts) {
  EXPECT_TRUE(nightsAgainstDays(figures({437, 437}, {436, 436}))->differ());
  EXPECT_FALSE(nightsAgainstDays(figures({437, 437}, {437, 437}))->differ());
}

// Sums round by how many frames they have: that is no difference.
TEST(NightsAgainstDays, OfAFigureThatNeverChangesDoNotDiffer) {
  Hours hours;
  for (int i = 0; i < 6; ++i) {
    hours.add(LightState::day, 0.1, 12, 3600);
    hours.add(LightState::night, 0.1, 12, 3500 + i % 3);
  }
  const auto found = nightsAgainstDays(dayNightOf(hours.buckets, 0));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->difference, 0);
  EXPECT_FALSE(found->differ());
}

// Two nights and two days that are 3 standard errors apart say nothing yet: t with two degrees of
// freedom is 4.3.
TEST(NightsAgainstDays, FewNightsHaveToDifferMore) {
  EXPECT_FALSE(nightsAgainstDays(figures({430, 440}, {410, 420}))->differ());
  EXPECT_TRUE(nightsAgainstDays(figures({434, 436}, {412, 414}))->differ());
}

}  // namespace
}  // namespace mpm::monitor
