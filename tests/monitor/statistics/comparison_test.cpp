// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/comparison.h"

#include <gtest/gtest.h>

namespace mpm::monitor {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;

Event at(std::int64_t utcMs, const char* kind, const char* name, std::int32_t era = 0) {
  return {{utcMs, utcMs, era, true}, kind, name, "", {}};
}

// Minutes 0 to 9 of an era.
std::deque<Bucket> tenMinutes(std::int32_t era = 0) {
  std::deque<Bucket> buckets;
  for (int minute = 0; minute < 10; ++minute) {
    Bucket bucket;
    bucket.startUtcMs = minute * kMinuteMs;
    bucket.era = era;
    buckets.push_back(bucket);
  }
  return buckets;
}

std::vector<int> minutesOf(const std::deque<Bucket>& buckets) {
  std::vector<int> minutes;
  for (const Bucket& bucket : buckets)
    minutes.push_back(static_cast<int>(bucket.startUtcMs / kMinuteMs));
  return minutes;
}

std::vector<int> minutesOf(const Way& wanted, const Way& first, const std::vector<Event>& events,
                           bool memoryMatters = true) {
  return minutesOf(bucketsWithin(stretchesOf(wanted, first, events, memoryMatters), tenMinutes(),
                                 Resolution::minute));
}

TEST(Comparison, ARunInWhichNothingChangedCountsAltogether) {
  EXPECT_EQ(minutesOf({"2,5"}, {"2,5"}, {}).size(), 10U);
  EXPECT_TRUE(minutesOf({"2,5"}, {"1,3"}, {}).empty());
  EXPECT_TRUE(minutesOf({"2,5"}, {"2,5", true}, {}).empty());
}

TEST(Comparison, AMinuteWithFramesOfBothSchedulesIsOfNeither) {
  const std::vector<Event> events{at(3 * kMinuteMs + 1, "schedule", "1,3")};
  EXPECT_EQ(minutesOf({"2,5"}, {"2,5"}, events), (std::vector{0, 1, 2}));
  EXPECT_EQ(minutesOf({"1,3"}, {"2,5"}, events), (std::vector{4, 5, 6, 7, 8, 9}));
}

TEST(Comparison, WhatComesBackCountsAgain) {
  const std::vector<Event> events{at(2 * kMinuteMs, "schedule", "1,3"),
                                  at(5 * kMinuteMs, "rule", "a car"),
                                  at(7 * kMinuteMs, "schedule", "2,5")};
  EXPECT_EQ(minutesOf({"2,5"}, {"2,5"}, events), (std::vector{0, 1, 7, 8, 9}));
}

TEST(Comparison, AViewPartsWhatIsSeenInIt) {
  const std::vector<Event> events{at(3 * kMinuteMs, kViewEvent, "0.0100,0.0000,0.00"),
                                  at(6 * kMinuteMs, kViewEvent, kHomeView)};
  EXPECT_EQ(minutesOf({"2,5"}, {"2,5"}, events), (std::vector{0, 1, 2, 6, 7, 8, 9}));
  Way moved{"2,5"};
  moved.view = "0.0100,0.0000,0.00";
  EXPECT_EQ(minutesOf(moved, {"2,5"}, events), (std::vector{3, 4, 5}));
}

TEST(Comparison, AMemoryPartsWhatDependsOnIt) {
  const std::vector<Event> events{at(3 * kMinuteMs, "memory", "off"),
                                  at(8 * kMinuteMs, "memory", "on")};
  const Way with{"2,5", false, true}, without{"2,5", false, false};
  EXPECT_EQ(minutesOf(with, with, events), (std::vector{0, 1, 2, 8, 9}));
  EXPECT_EQ(minutesOf(without, with, events), (std::vector{3, 4, 5, 6, 7}));
  EXPECT_EQ(minutesOf(without, with, events, false).size(), 10U);
  EXPECT_TRUE(minutesOf({"1,3", false, true}, with, events, false).empty());
}

TEST(Comparison, ASimulatedNightIsLeftOut) {
  const std::vector<Event> events{at(2 * kMinuteMs, "filter", "on"),
                                  at(4 * kMinuteMs, "schedule", "1,3"),
                                  at(6 * kMinuteMs, "filter", "off")};
  EXPECT_EQ(minutesOf({"2,5"}, {"2,5"}, events), (std::vector{0, 1}));
  EXPECT_EQ(minutesOf({"1,3"}, {"2,5"}, events), (std::vector{6, 7, 8, 9}));
}

TEST(Comparison, AClockThatWasSetBackDoesNotBringBackWhatChanged) {
  const std::vector<Event> events{at(2 * kMinuteMs, "schedule", "1,3", 1)};
  std::deque<Bucket> buckets = tenMinutes(0);
  for (const Bucket& bucket : tenMinutes(1)) buckets.push_back(bucket);
  const auto before =
      bucketsWithin(stretchesOf({"2,5"}, {"2,5"}, events, true), buckets, Resolution::minute);
  EXPECT_EQ(before.size(), 12U);  // ten of the first era, two of the second
  const auto after =
      bucketsWithin(stretchesOf({"1,3"}, {"2,5"}, events, true), buckets, Resolution::minute);
  EXPECT_EQ(minutesOf(after), (std::vector{2, 3, 4, 5, 6, 7, 8, 9}));
}

}  // namespace
}  // namespace mpm::monitor
