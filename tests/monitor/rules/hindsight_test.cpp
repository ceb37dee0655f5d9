// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/hindsight.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace mpm::test {
namespace {

using namespace monitor;

const Metrics kMetrics({"area.car", "live_rows", "reconnects"});
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kStart = 1'700'000'000'000;

Bucket second(std::int64_t number, std::initializer_list<double> cars, double rows = kUnknown,
              LightState light = LightState::day) {
  Bucket bucket{kStart + number * 1000, 0, {}, std::vector<Tally>(3)};
  bucket.frames[static_cast<std::size_t>(light)] = 1;
  for (const double value : cars) bucket.tallies[0].add(value);
  bucket.tallies[1].add(rows);
  bucket.tallies[2].add(0);
  return bucket;
}

Rule ruleAbove(double above, std::int64_t dwellMs = 0) {
  Rule rule;
  rule.name = "cars";
  rule.metric = "area.car";
  rule.above = above;
  rule.dwellMs = dwellMs;
  return rule;
}

TEST(Hindsight, CountsWhatWouldHaveBegunAndForHowLong) {
  std::vector<Bucket> run;
  for (int i = 0; i < 60; ++i)
    run.push_back(second(i, {(i >= 10 && i < 20) || (i >= 40 && i < 45) ? 0.5 : 0.1}));
  const Hindsight every = hindsightOf(ruleAbove(0.3), kMetrics, {run});
  EXPECT_EQ(every.began, 2);
  EXPECT_EQ(every.heldMs, 15'000);
  EXPECT_EQ(every.lastUtcMs, kStart + 40'000);
  EXPECT_EQ(every.seenMs, 60'000);
  const Hindsight longer = hindsightOf(ruleAbove(0.3, 6000), kMetrics, {run});
  EXPECT_EQ(longer.began, 1) << "the second one held for five seconds";
  EXPECT_EQ(longer.heldMs, 4000);
  EXPECT_EQ(hindsightOf(ruleAbove(0.6), kMetrics, {run}).began, 0);
}

TEST(Hindsight, WhatHoldsAtTheEndHasHeldUntilThen) {
  const Hindsight told = hindsightOf(ruleAbove(0.3), kMetrics,
                                     {{second(0, {0.1}), second(1, {0.9}), second(2, {0.9})}});
  EXPECT_EQ(told.began, 1);
  EXPECT_EQ(told.heldMs, 2000);
}

// One frame is enough for a rule that does not have to hold; for one that has to, a second counts
// as a whole.
TEST(Hindsight, ASpikeWithinASecondCountsWhereNothingHasToHold) {
  const std::vector<Bucket> run{second(0, {0.1}), second(1, {0.1, 0.9, 0.1}), second(2, {0.1})};
  EXPECT_EQ(hindsightOf(ruleAbove(0.5), kMetrics, {run}).began, 1);
  EXPECT_EQ(hindsightOf(ruleAbove(0.5, 1000), kMetrics, {run}).began, 0);
  Rule below = ruleAbove(0);
  below.above.reset();
  below.below = 0.05;
  EXPECT_EQ(hindsightOf(below, kMetrics, {{second(0, {0.1, 0.01}), second(1, {0.1})}}).began, 1);
}

TEST(Hindsight, CountsOfTokensStayUntilTheNext) {
  Rule rule = ruleAbove(600, 3000);
  rule.metric = "live_rows";
  std::vector<Bucket> run;
  for (int i = 0; i < 10; ++i) run.push_back(second(i, {0.1}, i == 2 ? 700 : kUnknown));
  const Hindsight told = hindsightOf(rule, kMetrics, {run});
  EXPECT_EQ(told.began, 1);
  EXPECT_EQ(told.seenMs, 8000);
}

TEST(Hindsight, ARunBeginsWithARuleThatDoesNotHold) {
  const std::vector<Bucket> first{second(0, {0.9})}, next{second(100, {0.9})};
  EXPECT_EQ(hindsightOf(ruleAbove(0.5), kMetrics, {first, next}).began, 2);
}

TEST(Hindsight, MissingSecondsOfARunAreWhatASilentSourceIs) {
  Rule lost;
  lost.name = "lost";
  lost.stale = true;
  lost.dwellMs = 5000;
  const std::vector<Bucket> run{second(0, {0.1}), second(3, {0.1}), second(20, {0.1}),
                                second(21, {0.1})};
  const Hindsight told = hindsightOf(lost, kMetrics, {run});
  EXPECT_EQ(told.began, 1);
  EXPECT_EQ(told.lastUtcMs, kStart + 9000);
  EXPECT_EQ(told.heldMs, 11'000);
  EXPECT_EQ(hindsightOf(lost, kMetrics, {{second(0, {0.1})}, {second(500, {0.1})}}).began, 0)
      << "nothing ran between two runs";
}

TEST(Hindsight, ASourceThatIsStillGoneIsSilentUntilNow) {
  Rule lost;
  lost.name = "lost";
  lost.stale = true;
  lost.dwellMs = 60'000;
  std::vector<Bucket> run;
  for (int i = 0; i < 600; ++i) run.push_back(second(i, {0.5}));
  const Hindsight gone = hindsightOf(lost, kMetrics, {run}, 3'000'000);
  EXPECT_EQ(gone.began, 1);
  EXPECT_EQ(gone.lastUtcMs, kStart + 660'000);
  EXPECT_EQ(gone.heldMs, 2'940'000);
  EXPECT_EQ(gone.seenMs, 3'600'000);
  EXPECT_EQ(hindsightOf(lost, kMetrics, {run}, 59'999).began, 0);
  EXPECT_EQ(hindsightOf(lost, kMetrics, {run, {second(900, {0.5})}}, 59'999).began, 0)
      << "of the run before, which ended, nothing is known";
  EXPECT_EQ(hindsightOf(lost, kMetrics, {run, {}}, 3'000'000).began, 0);
  const Hindsight cars = hindsightOf(ruleAbove(0.3), kMetrics, {run}, 3'000'000);
  EXPECT_EQ(cars.heldMs, 600'000) << "nobody saw what was then";
  EXPECT_EQ(cars.seenMs, 600'000);
}

TEST(Hindsight, TimeBetweenFramesThatAreUsuallyFarApartIsSeen) {
  for (const int every : {1, 2, 10}) {
    std::vector<Bucket> run;
    for (int i = 0; i < 3600; i += every) run.push_back(second(i, {0.5}));
    const Hindsight told = hindsightOf(ruleAbove(0.3), kMetrics, {run});
    EXPECT_EQ(told.heldMs, 1000 * (3600 - every + 1)) << every;
    EXPECT_EQ(told.seenMs, told.heldMs) << every;
  }
}

TEST(Hindsight, TimeAwayCountsNeitherAsSeenNorAsHeld) {
  for (const double reconnects : {0.0, 1.0}) {
    std::vector<Bucket> run;
    for (int i = 0; i < 600; ++i) run.push_back(second(i, {0.5}));
    run.push_back(second(3599, {0.5}));
    run.back().tallies[2] = {};
    run.back().tallies[2].add(reconnects);
    const Hindsight told = hindsightOf(ruleAbove(0.3), kMetrics, {run});
    EXPECT_EQ(told.began, 1);
    EXPECT_EQ(told.heldMs, 601'000) << reconnects;
    EXPECT_EQ(told.seenMs, 601'000) << reconnects;
  }
}

TEST(Hindsight, SecondsThatTellNothingCountNeitherAsSeenNorAsHeld) {
  std::vector<Bucket> run;
  for (int i = 0; i < 60; ++i)
    run.push_back(i < 20 || i >= 40 ? second(i, {i < 50 ? 0.5 : 0.1}) : second(i, {}));
  const Hindsight told = hindsightOf(ruleAbove(0.3), kMetrics, {run});
  EXPECT_EQ(told.began, 1);
  EXPECT_EQ(told.heldMs, 30'000);
  EXPECT_EQ(told.seenMs, 40'000);
}

TEST(Hindsight, LightCountsAsThen) {
  Rule dark;
  dark.name = "dark";
  dark.light = {LightState::night};
  const std::vector<Bucket> run{second(0, {0.1}), second(1, {0.1}, 1, LightState::night),
                                second(2, {0.1})};
  EXPECT_EQ(hindsightOf(dark, kMetrics, {run}).began, 1);
  Rule byNight = ruleAbove(0.05);
  byNight.during = {LightState::night};
  EXPECT_EQ(hindsightOf(byNight, kMetrics, {run}).heldMs, 1000);
}

// As in a simulated night: what held before holds on, and the time between does not count as held.
TEST(Hindsight, RulesWaitWhereASecondHasNoFrames) {
  std::vector<Bucket> run;
  for (int i = 0; i < 60; ++i) {
    run.push_back(second(i, {0.5}));
    if (i >= 20 && i < 40) run.back().frames = {};
  }
  const Hindsight told = hindsightOf(ruleAbove(0.3), kMetrics, {run});
  EXPECT_EQ(told.began, 1);
  EXPECT_EQ(told.heldMs, 40'000);
  EXPECT_EQ(told.seenMs, 40'000);
  EXPECT_EQ(hindsightOf(ruleAbove(0.3, 30'000), kMetrics, {run}).began, 1);
  EXPECT_EQ(hindsightOf(ruleAbove(0.3, 45'000), kMetrics, {run}).began, 0);
  Rule lost;
  lost.name = "lost";
  lost.stale = true;
  lost.dwellMs = 5000;
  EXPECT_EQ(hindsightOf(lost, kMetrics, {run}).began, 0) << "frames came";
}

TEST(Hindsight, OfNothingIsNothing) {
  const Hindsight told = hindsightOf(ruleAbove(0.5), kMetrics, {});
  EXPECT_EQ(told.began, 0);
  EXPECT_EQ(told.seenMs, 0);
  EXPECT_FALSE(told.lastUtcMs);
  Rule nowhere = ruleAbove(0.5);
  nowhere.metric = "area.cow";
  EXPECT_THROW(hindsightOf(nowhere, kMetrics, {{second(0, {0.1})}}), std::runtime_error);
}

}  // namespace
}  // namespace mpm::test
