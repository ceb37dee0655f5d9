// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "mpm/tune.h"
#include "tune/tuned.h"

namespace mpm::test {
namespace {

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

}  // namespace
}  // namespace mpm::test
