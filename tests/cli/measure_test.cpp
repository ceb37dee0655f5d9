// SPDX-License-Identifier: Apache-2.0
// What measuring is made of, with times that are made up.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "cli/measure.h"
#include "cli/output.h"
#include "cli/wording.h"
#include "in_project.h"
#include "mpm/net.h"

namespace mpm::test {
namespace {

using cli::largestDifference;
using cli::measureInRounds;
using cli::RoundCount;

TEST(Rounds, RunEverythingInTurn) {
  std::string order;
  RoundCount count;
  count.wanted = 3;
  const auto ms = measureInRounds(
      2, count,
      [&](std::size_t thing) {
        order += thing == 0 ? 'A' : 'B';
        return static_cast<double>(order.size());
      },
      [](double) {});
  EXPECT_EQ(order, "ABABAB");
  EXPECT_EQ(ms, (std::vector<std::vector<double>>{{1, 3, 5}, {2, 4, 6}}));
}

std::size_t roundsOf(double eachMs, std::vector<double>* shares = nullptr) {
  const RoundCount count{0, 1000, 5, 20};
  return measureInRounds(
             2, count, [&](std::size_t) { return eachMs; },
             [&](double share) {
               if (shares != nullptr) shares->push_back(share);
             })[0]
      .size();
}

TEST(Rounds, TakeWhatTheBudgetAllowsWithinTheirLimits) {
  EXPECT_EQ(roundsOf(1), 20U);    // more would fit
  EXPECT_EQ(roundsOf(50), 10U);   // two things: 100 ms a round
  EXPECT_EQ(roundsOf(5000), 5U);  // the budget is spent at once
}

TEST(Rounds, ProgressRisesToOne) {
  for (const double eachMs : {1.0, 50.0, 5000.0}) {
    std::vector<double> shares;
    roundsOf(eachMs, &shares);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_GT(shares.front(), 0);
    EXPECT_EQ(shares.back(), 1);
  }
}

// A machine that is three times slower in every third round.
TEST(Rounds, RatiosAreTakenWithinRounds) {
  const cli::Times times = cli::summarise({5, 15, 5, 5, 15}, {10, 30, 10, 10, 30});
  EXPECT_EQ(times.ratio, 0.5);
  EXPECT_EQ(times.medianMs, 5);
  EXPECT_EQ(times.p95Ms, 15);
  EXPECT_EQ(times.slowestMs, 15);
}

// New memory for 150 planes of 512 x 512 takes longer to touch than a small network computes.
TEST(LoadedNet, TakesNoNewMemoryForAFrame) {
  const std::string path = inProject("tests/models/segmenter_mask.onnx");
  Description model = describe(path);
  for (const char* more : {"", "mpm_rows"}) {
    if (*more != '\0') model.outputs.emplace_back().name = more;
    cli::LoadedNet loaded(readNet(path), cv::Mat(std::vector<int>{1, 3, 48, 64}, CV_32F, 0.5),
                          model);
    const std::vector<cv::Mat> first = loaded.forward(), second = loaded.forward();
    ASSERT_EQ(first.size(), model.outputs.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(first[i].data, second[i].data) << model.outputs[i].name;
      EXPECT_GT(cv::norm(second[i], cv::NORM_INF), 0) << model.outputs[i].name;
    }
  }
}

TEST(Peer, DifferencesAreRelativeToTheLargestValue) {
  const cv::Mat expected = (cv::Mat_<float>(1, 3) << 1, -4, 2);
  EXPECT_EQ(largestDifference(expected, expected), 0);
  EXPECT_EQ(largestDifference((cv::Mat_<float>(1, 3) << 1, -4, 1), expected), 0.25);
  EXPECT_EQ(largestDifference(cv::Mat::zeros(1, 3, CV_32F), cv::Mat::zeros(1, 3, CV_32F)), 0);
}

TEST(Peer, AnotherShapeOrNanIsInfinitelyWrong) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const cv::Mat expected = (cv::Mat_<float>(1, 3) << 1, -4, 2);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(largestDifference((cv::Mat_<float>(1, 2) << 1, -4), expected), kInfinite);
  EXPECT_EQ(largestDifference((cv::Mat_<float>(1, 3) << 1, -4, nan), expected), kInfinite);
}

TEST(ProgressLine, SaysHowFarAndHowLong) {
  EXPECT_EQ(cli::progressLine("tuning", 0, 0), "tuning  [>                           ]   0%");
  EXPECT_EQ(cli::progressLine("tuning", 0.5, 12),
            "tuning  [==============>             ]  50%, 12 s left");
  EXPECT_EQ(cli::progressLine("tuning", 0.25, 100),
            "tuning  [=======>                    ]  25%, 5 min left");
  EXPECT_EQ(cli::progressLine("tuning", 1, 12),
            "tuning  [============================] 100%, 0 s left");
}

TEST(ProgressLine, IsALineOfItsOwnAwayFromATerminal) {
  const std::string half = cli::progressLine("tuning", 0.5, 0) + "\n";
  for (const bool isWanted : {true, false}) {
    testing::internal::CaptureStderr();
    {
      cli::Progress progress("tuning", isWanted ? std::chrono::seconds(0) : std::chrono::hours(1));
      progress.show(0.5);
      progress.show(0.5);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), isWanted ? half + half : "");
  }
}

TEST(Table, ColumnsAreAsWideAsTheirWidestWord) {
  EXPECT_EQ(
      cli::tableText({{"", "ms", "rows"}, {"unmerged", "71.25", "1025"}, {"2,5", "4", ""}}, "lrl"),
      "             ms  rows\n"
      "unmerged  71.25  1025\n"
      "2,5           4\n");
  EXPECT_EQ(cli::tableText({}, "l"), "");
  EXPECT_EQ(cli::numberText(1234.567, 1), "1234.6");
}

}  // namespace
}  // namespace mpm::test
