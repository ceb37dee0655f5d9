// SPDX-License-Identifier: Apache-2.0
#include "tune/passes.h"

#include <gtest/gtest.h>

#include "tune/tuned.h"

namespace mpm::test {
namespace {

using tune::markFront;
using tune::nearFront;
using Indices = std::vector<std::size_t>;

// Which are on the front, by index; full tokens are one more than the last.
Indices frontOf(std::vector<TunedSchedule> schedules) {
  TunedSchedule full = tuned({}, 1, 1);
  markFront(full, schedules);
  Indices front;
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    if (schedules[i].onFront) front.push_back(i);
  }
  if (full.onFront) front.push_back(schedules.size());
  return front;
}

TEST(Front, IsWhatNothingBeats) {
  EXPECT_EQ(frontOf({}), Indices{0});
  EXPECT_EQ(frontOf({tuned({1}, 0.9, 0.99), tuned({2}, 0.8, 0.97), tuned({3}, 0.85, 0.96),
                     tuned({4}, 0.95, 0.98)}),
            (Indices{0, 1, 4}));
}

TEST(Front, OfEquallyFastOnesTheNearerOfEquallyNearOnesTheFaster) {
  EXPECT_EQ(frontOf({tuned({1}, 0.9, 0.98), tuned({2}, 0.9, 0.99)}), (Indices{1, 2}));
  EXPECT_EQ(frontOf({tuned({1}, 0.9, 0.99), tuned({2}, 0.8, 0.99)}), (Indices{1, 2}));
}

TEST(Front, OfTwinsTheSimplerOne) {
  EXPECT_EQ(frontOf({tuned({1, 2}, 0.9, 0.99), tuned({5}, 0.9, 0.99), tuned({7}, 0.9, 0.99)}),
            (Indices{1, 3}));
}

TEST(Front, FullTokensLeaveItWhereMergingCostsNothing) {
  EXPECT_EQ(frontOf({tuned({1}, 0.9, 1)}), Indices{0});
}

TEST(Front, WhatIsNotSurelyFasterThanFullTokensIsNotOnIt) {
  TunedSchedule unsure = tuned({1}, 0.98, 0.999);
  unsure.ratioHigh = 1.01;
  EXPECT_EQ(frontOf({unsure, tuned({2}, 0.985, 0.99)}), (Indices{1, 2}));
  EXPECT_EQ(frontOf({tuned({1}, 1.1, 0.999)}), Indices{1});
}

TEST(Front, WhatWasOnlyLookedAtIsNotOnItAndBeatsNothing) {
  EXPECT_EQ(frontOf({lookedAt({1}, 0.5, 1), tuned({2}, 0.9, 0.99)}), (Indices{1, 2}));
}

TEST(NearFront, LeavesOutWhatIsClearlyBeaten) {
  const std::vector<TunedSchedule> looked = {
      lookedAt({0}, 0.90, 0.990),  // on the front
      lookedAt({1}, 0.93, 0.990),  // 3% slower: may turn out faster
      lookedAt({2}, 0.95, 0.990),  // 5% slower
      lookedAt({3}, 0.90, 0.979),  // as fast, and 1.1% of the pixels worse
      lookedAt({4}, 0.80, 0.900),  // on the front
      lookedAt({5}, 0.80, 0.895),  // as fast, and less than 1% worse
      lookedAt({6}, 1.06, 1.000),  // agrees best, and is slower than full tokens
  };
  EXPECT_EQ(nearFront(looked, 10), (Indices{0, 1, 4, 5}));
}

TEST(NearFront, KeepsTheFrontAndThenWhatIsNearest) {
  const std::vector<TunedSchedule> looked = {lookedAt({0}, 0.90, 0.99), lookedAt({1}, 0.93, 0.99),
                                             lookedAt({2}, 0.91, 0.99), lookedAt({3}, 0.80, 0.90),
                                             lookedAt({4}, 0.70, 0.80)};
  EXPECT_EQ(nearFront(looked, 1), (Indices{0, 3, 4}));
  EXPECT_EQ(nearFront(looked, 4), (Indices{0, 2, 3, 4}));
  EXPECT_EQ(nearFront(looked, 5), (Indices{0, 1, 2, 3, 4}));
  EXPECT_EQ(nearFront({}, 5), Indices{});
}

}  // namespace
}  // namespace mpm::test
