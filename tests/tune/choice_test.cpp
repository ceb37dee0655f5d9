// SPDX-License-Identifier: Apache-2.0
// Which of the measured schedules and precisions are worth a look, and which is taken.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mpm/tune.h"
#include "tune/median.h"
#include "tune/passes.h"
#include "tune/precisions.h"

namespace mpm::test {
namespace {

/// A schedule that was measured closely and surely: an unmerged run takes 100 ms.
TunedSchedule tuned(Schedule schedule, double ratio, double agreement) {
  TunedSchedule one;
  one.schedule = std::move(schedule);
  one.ratio = one.ratioHigh = ratio;
  one.ms = 100 * ratio;
  one.agreement = agreement;
  return one;
}

TunedSchedule lookedAt(Schedule schedule, double ratio, double agreement) {
  TunedSchedule one = tuned(std::move(schedule), ratio, agreement);
  one.close = false;
  return one;
}

using tune::markFront;
using tune::nearFront;
using Indices = std::vector<std::size_t>;

// Which are on the front, by index; an unmerged run is one more than the last.
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
      lookedAt({6}, 1.06, 1.000),  // agrees best, and is slower than unmerged
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

using Schedule = std::vector<int>;

Tuning tuningOf(std::vector<TunedSchedule> schedules) {
  Tuning tuning;
  tuning.full = tuned({}, 1, 1);
  tuning.schedules = std::move(schedules);
  return tuning;
}

TEST(Pick, TheFastestThatAgreesSoFar) {
  const Tuning tuning =
      tuningOf({tuned({1}, 0.5, 0.95), tuned({2}, 0.6, 0.99), tuned({3}, 0.7, 0.995)});
  EXPECT_EQ(fastestThatAgrees(tuning, 0.9).schedule, Schedule{1});
  EXPECT_EQ(fastestThatAgrees(tuning, 0.99).schedule, Schedule{2});
  EXPECT_EQ(fastestThatAgrees(tuning, 0.991).schedule, Schedule{3});
  EXPECT_EQ(fastestThatAgrees(tuning, 0.996).schedule, Schedule{});
  EXPECT_EQ(fastestThatAgrees(tuningOf({}), 0).schedule, Schedule{});
}

TEST(Pick, OfEquallyFastOnesTheNearerThenTheSimpler) {
  const Tuning tuning = tuningOf({tuned({1, 2}, 0.5, 0.99), tuned({4}, 0.5, 0.98),
                                  tuned({3}, 0.5, 0.99), tuned({5}, 0.5, 0.99)});
  EXPECT_EQ(fastestThatAgrees(tuning, 0.9).schedule, Schedule{3});
}

TEST(Pick, MergingHasToBeSurelyFaster) {
  TunedSchedule unsure = tuned({1}, 0.97, 1);
  unsure.ratioHigh = 1;
  const Tuning tuning = tuningOf({unsure, lookedAt({2}, 0.5, 1)});
  EXPECT_EQ(fastestThatAgrees(tuning, 0.9).schedule, Schedule{});
  EXPECT_EQ(bestThatReaches(tuning, 10.1), nullptr);
}

TEST(Pick, TheNearestThatReachesAFrameRate) {
  const Tuning tuning =
      tuningOf({tuned({1}, 0.5, 0.95), tuned({2}, 0.6, 0.99), tuned({3}, 0.8, 0.97)});
  ASSERT_NE(bestThatReaches(tuning, 10), nullptr);
  EXPECT_EQ(bestThatReaches(tuning, 10)->schedule, Schedule{});
  EXPECT_EQ(bestThatReaches(tuning, 11)->schedule, Schedule{2});
  EXPECT_EQ(bestThatReaches(tuning, 18)->schedule, Schedule{1});
  EXPECT_EQ(bestThatReaches(tuning, 20)->schedule, Schedule{1});
  EXPECT_EQ(bestThatReaches(tuning, 20.1), nullptr);
}

TEST(Pick, OfEquallyNearOnesTheFasterThenTheSimpler) {
  const Tuning tuning = tuningOf({tuned({1}, 0.6, 0.99), tuned({2, 3}, 0.5, 0.99),
                                  tuned({4}, 0.5, 0.99), tuned({5}, 0.4, 0.9)});
  EXPECT_EQ(bestThatReaches(tuning, 12)->schedule, Schedule{4});
}

// The model labels the columns of its picture by their brightness.
TEST(NoiseFloor, IsWhatAPictureMovedByAPixelKeeps) {
  cv::Mat frame(20, 100, CV_8UC3, cv::Scalar::all(0));
  frame.colRange(50, 100).setTo(cv::Scalar::all(200));
  const auto labelsOf = [](const cv::Mat& picture) {
    cv::Mat grey;
    cv::extractChannel(picture, grey, 0);
    return cv::Mat((grey > 100) / 255);
  };
  const cv::Mat labels = labelsOf(frame);
  EXPECT_EQ(noiseFloor(frame, labels, {100, 20}, labelsOf), 1) << "what moves along is no change";
  EXPECT_EQ(noiseFloor(frame, labels, {50, 10}, labelsOf), 1) << "by two of its pixels";
  // One that labels places: the edge stays where it was, and a column of 95 is another's.
  const auto fixed = [&](const cv::Mat&) { return labels; };
  EXPECT_NEAR(noiseFloor(frame, labels, {100, 20}, fixed), 94 / 95.0, 1e-12);
  EXPECT_NEAR(noiseFloor(frame, labels, {50, 10}, fixed), 88 / 90.0, 1e-12);
  EXPECT_EQ(noiseFloor(frame.colRange(0, 4), labels.colRange(0, 4), {4, 20}, labelsOf), 1);
}

using tune::median;
using tune::medianRange;
using tune::quantile;

TEST(Median, IsTheMiddleOrBetweenTheTwoInIt) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({9, 1, 2, 4}), 3);
}

TEST(Median, QuantilesAreValuesOfTheirs) {
  const std::vector<double> ten = {7, 3, 9, 1, 5, 2, 8, 4, 10, 6};
  EXPECT_EQ(quantile(ten, 0), 1);
  EXPECT_EQ(quantile(ten, 0.5), 5);
  EXPECT_EQ(quantile(ten, 0.51), 6);
  EXPECT_EQ(quantile(ten, 0.95), 10);
  EXPECT_EQ(quantile(ten, 1), 10);
  EXPECT_EQ(quantile({}, 0.95), 0);
}

// Ranks of the sign test: with 9 values the second and the last but one hold the median in 96 of
// 100 cases, with 16 the fourth (98 of 100; the fifth would hold it in 92).
TEST(Median, ItsRangeLeavesOutWhatIsFar) {
  const auto upTo = [](int count) {
    std::vector<double> values;
    for (int i = count; i > 0; --i) values.push_back(i);
    return values;
  };
  const auto expectRange = [&](int count, double low, double high) {
    EXPECT_EQ(medianRange(upTo(count)).low, low) << count;
    EXPECT_EQ(medianRange(upTo(count)).high, high) << count;
  };
  expectRange(1, 1, 1);
  expectRange(5, 1, 5);
  expectRange(7, 1, 7);
  expectRange(8, 2, 7);
  expectRange(9, 2, 8);
  expectRange(16, 4, 13);
  expectRange(25, 8, 18);
}

std::string fastestOf(const std::vector<TunedPrecision>& precisions,
                      double agreement = kEnoughLabels) {
  return fastestPrecision(precisions, agreement).precision;
}

TEST(Precisions, TheFastestThatAgreesSoFar) {
  const std::vector<TunedPrecision> tuned{
      {"fp32", 1, 100, 1}, {"bf16", 0.6, 60, 0.999}, {"int8", 0.4, 40, 0.997}};
  EXPECT_EQ(fastestOf(tuned), "int8");
  EXPECT_EQ(fastestOf(tuned, 0.998), "bf16");
  EXPECT_EQ(fastestOf(tuned, 0.9995), "fp32");
}

TEST(Precisions, OneThatBreaksTheModelIsNotTaken) {
  EXPECT_EQ(fastestOf({{"fp32", 1, 100, 1}, {"int8", 0.3, 30, 0.994}}), "fp32");
}

TEST(Precisions, OfTwoThatAreAboutAsFastTheOneThatAgreesBetter) {
  EXPECT_EQ(fastestOf({{"fp32", 1, 100, 1}, {"bf16", 0.61, 61, 0.999}, {"int8", 0.6, 60, 0.997}}),
            "bf16");
  EXPECT_EQ(fastestOf({{"fp32", 1, 100, 1}, {"bf16", 0.6, 60, 0.996}, {"int8", 0.61, 61, 0.998}}),
            "int8");
  EXPECT_EQ(fastestOf({{"fp32", 1, 100, 1}, {"bf16", 0.98, 98, 1}}), "fp32");
}

TEST(Precisions, AFrameOfOneColourJudgesNothing) {
  cv::Mat frame(20, 30, CV_8UC3, cv::Scalar(3, 120, 200));
  EXPECT_TRUE(isOfOneColour(frame));
  EXPECT_TRUE(isOfOneColour({}));
  frame.at<cv::Vec3b>(19, 29) = {8, 118, 203};  // noise
  EXPECT_TRUE(isOfOneColour(frame));
  frame.at<cv::Vec3b>(19, 29) = {3, 120, 209};
  EXPECT_FALSE(isOfOneColour(frame));
  EXPECT_TRUE(isOfOneColour(frame.colRange(0, 29)));
  EXPECT_FALSE(isOfOneColour(frame.colRange(1, 30)));
}

TEST(Precisions, AreComparedOnEachFrameByNeighbouringRuns) {
  const auto labels = [](int changed) {
    cv::Mat picture(10, 10, CV_8UC1, cv::Scalar(0));
    for (int i = 0; i < changed; ++i) picture.at<std::uint8_t>(0, i) = 1;
    return picture;
  };
  std::vector<std::size_t> ran;
  double slow = 1;  // a machine that becomes busier
  const tune::RunFrame fp32 = [&](std::size_t) {
    return tune::Trial{100 * (slow += 1), labels(0), {}};
  };
  const tune::RunFrame other = [&](std::size_t frame) {
    ran.push_back(frame);
    return tune::Trial{25 * slow, labels(frame == 0 ? 2 : 6), {}};
  };
  const TunedPrecision tuned = tune::comparePrecision("bf16", fp32, other, 2);
  EXPECT_EQ(tuned.precision, "bf16");
  EXPECT_DOUBLE_EQ(tuned.ratio, 0.25);
  EXPECT_DOUBLE_EQ(tuned.agreement, 0.96);  // 98 and 94 percent
  EXPECT_EQ(ran, (std::vector<std::size_t>{0, 0, 1, 0, 1, 0}));
}

}  // namespace
}  // namespace mpm::test
