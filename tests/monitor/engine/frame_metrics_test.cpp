// SPDX-License-Identifier: Apache-2.0
// What is measured in a frame, which frames have full tokens besides, and in which tokens count.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "monitor/engine/frame_metrics.h"
#include "monitor/engine/frame_result.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

// Frames of a net that needs so long; gives which of them were compared.
std::vector<int> comparedOf(CompareBudget& budget, Compare compare, const Schedule& schedule,
                            int frames, double ms = 60, double fullMs = 100, bool remembers = false,
                            bool filtered = false) {
  std::vector<int> compared;
  for (int i = 0; i < frames; ++i) {
    FrameResult result;
    result.segmentation.times = {0, ms, 0};
    if (budget.isDue(compare, schedule, remembers, filtered)) {
      compared.push_back(i);
      result.full.emplace().times = {0, fullMs, 0};
    }
    budget.took(result);
  }
  return compared;
}

TEST(CompareBudget, SometimesTakesItsShareOfTheTime) {
  CompareBudget budget;
  const int frames = 20000;
  const std::vector<int> compared = comparedOf(budget, Compare::sometimes, {2, 5}, frames);
  ASSERT_GT(compared.size(), 3U);
  EXPECT_EQ(compared[0], 1);
  EXPECT_EQ(compared[1], 2);
  EXPECT_GT(compared[2], 40);
  const double full = 100.0 * static_cast<double>(compared.size());
  const double share = full / (full + 60.0 * frames);
  EXPECT_LE(share, kCompareShare * 1.01);
  EXPECT_GE(share, kCompareShare * 0.95);
}

// A frame of 100 ms that tells the noise floor takes another 100.
TEST(CompareBudget, TheNoiseFloorIsToldBySomeAndIsPartOfTheShare) {
  CompareBudget budget;
  std::vector<int> told;
  constexpr int kFrames = 20000;
  double ms = 0;
  for (int i = 0; i < kFrames; ++i) {
    FrameResult result;
    result.segmentation.times = {0, 60, 0};
    if (budget.isDue(Compare::sometimes, {2, 5}, false, false)) {
      told.push_back(budget.isFloorDue(Compare::sometimes) ? 1 : 0);
      EXPECT_FALSE(budget.isFloorDue(Compare::always));
      result.full.emplace().times = {0, 100, 0};
      result.floorMs = 100 * told.back();
      ms += 100 + result.floorMs;
    }
    budget.took(result);
  }
  EXPECT_LE(ms / (ms + 60.0 * kFrames), kCompareShare * 1.01);
  EXPECT_GE(ms / (ms + 60.0 * kFrames), kCompareShare * 0.95);
  ASSERT_GT(told.size(), 6U);
  told.resize(6);
  EXPECT_EQ(told, (std::vector<int>{0, 1, 0, 0, 0, 1}));
}

TEST(CompareBudget, WhatIsComputedInAnotherWayIsComparedAtOnce) {
  CompareBudget budget;
  const std::vector<int> atOnce{1, 2};
  comparedOf(budget, Compare::sometimes, {2, 5}, 10);
  EXPECT_EQ(comparedOf(budget, Compare::sometimes, {3}, 10), atOnce) << "another schedule";
  // Seen: for most of a minute of a simulated night it was not known what merging saved.
  for (const bool filtered : {true, false})
    EXPECT_EQ(comparedOf(budget, Compare::sometimes, {3}, 10, 60, 100, false, filtered), atOnce);
  comparedOf(budget, Compare::sometimes, {}, 10);
  EXPECT_EQ(comparedOf(budget, Compare::sometimes, {}, 10, 10, 100, true), atOnce) << "a memory";
}

TEST(CompareBudget, NeverAlwaysAndFullTokens) {
  CompareBudget budget;
  EXPECT_TRUE(comparedOf(budget, Compare::never, {2}, 5).empty());
  EXPECT_EQ(comparedOf(budget, Compare::always, {2}, 3).size(), 3U);
  EXPECT_TRUE(comparedOf(budget, Compare::always, {}, 3).empty());
}

std::vector<int> dueOf(TokenCount& count, const Schedule& schedule, int frames, std::int64_t stepMs,
                       std::int64_t fromMs = 0) {
  std::vector<int> due;
  for (int i = 0; i < frames; ++i)
    if (count.isDue({fromMs + i * stepMs, 0, 0, true}, schedule)) due.push_back(i);
  return due;
}

TEST(TokenCount, IsDueByNumberByTimeAndAtOnceWhereTheScheduleIsAnother) {
  TokenCount count, slow, slower;
  EXPECT_EQ(dueOf(count, {2, 5}, 200, 100), (std::vector{0, 64, 128, 192}));
  EXPECT_EQ(dueOf(slow, {2, 5}, 10, 25000), (std::vector{0, 3, 6, 9})) << "once a minute";
  EXPECT_EQ(dueOf(slower, {2, 5}, 4, 300000).size(), 4U);
  EXPECT_EQ(dueOf(count, {3}, 10, 100, 21000), std::vector{0});
  EXPECT_EQ(dueOf(count, {3}, 10, 100, -600000), std::vector{0}) << "a video was wound back";
  EXPECT_TRUE(dueOf(count, {3}, 10, 100, -590000).empty());
}

FrameResult frameOf(const std::vector<int>& rows) {
  FrameResult result;
  result.frame.picture = cv::Mat(4, 4, CV_8UC3, cv::Scalar::all(90));
  result.segmentation.labels = cv::Mat::zeros(4, 4, CV_8U);
  result.segmentation.labels.row(0).setTo(1);
  result.segmentation.rows = rows;
  return result;
}

double valueOf(const FrameMetrics& metrics, const Figures& figures, const std::string& name) {
  return figures.values.at(metrics.metrics().find(name).value());
}

TEST(FrameMetrics, RowsAndWhatMerged) {
  FrameMetrics metrics({"road", "car"}, {}, 3, 1, true, false);
  const Figures figures = metrics.measure(frameOf({101, 81, 61}), {2, 1});
  EXPECT_EQ(valueOf(metrics, figures, "rows.0"), 101);
  EXPECT_EQ(valueOf(metrics, figures, "rows.1"), 81);
  EXPECT_EQ(valueOf(metrics, figures, "rows.2"), 61);
  EXPECT_TRUE(std::isnan(valueOf(metrics, figures, "rows.3")));
  EXPECT_EQ(valueOf(metrics, figures, "live_rows"), 61);
  EXPECT_DOUBLE_EQ(valueOf(metrics, figures, "merged_share"), 0.4);
  EXPECT_EQ(valueOf(metrics, figures, "drops"), 2);
  EXPECT_EQ(valueOf(metrics, figures, "reconnects"), 1);
  EXPECT_DOUBLE_EQ(valueOf(metrics, figures, "area.car"), 0.25);
}

TEST(FrameMetrics, ScheduleLongerThanItsMetricsStillTellsLiveRows) {
  FrameMetrics metrics({"road"}, {}, 1, 0, true, false);
  const Figures figures = metrics.measure(frameOf({100, 80, 60}), {});
  EXPECT_EQ(valueOf(metrics, figures, "live_rows"), 60);
  EXPECT_EQ(valueOf(metrics, figures, "rows.1"), 80);
}

TEST(FrameMetrics, AModelThatCannotMergeHasNoRows) {
  FrameMetrics metrics({"road"}, {}, 0, 0, true, false);
  const Figures figures = metrics.measure(frameOf({}), {});
  EXPECT_TRUE(std::isnan(valueOf(metrics, figures, "live_rows")));
  EXPECT_TRUE(std::isnan(valueOf(metrics, figures, "merged_share")));
}

TEST(FrameMetrics, MeanSimilarityLeavesOutPlacesWithoutAPartner) {
  FrameMetrics metrics({"road"}, {}, 2, 0, true, false);
  FrameResult result = frameOf({4, 3, 2});
  cv::Mat similarity =
      (cv::Mat_<float>(1, 3) << 0.5F, std::numeric_limits<float>::quiet_NaN(), 0.7F);
  result.segmentation.stages.resize(1);
  result.segmentation.stages[0].similarity = similarity;
  const Figures figures = metrics.measure(result, {});
  EXPECT_NEAR(valueOf(metrics, figures, "similarity.1"), 0.6, 1e-6);
  EXPECT_TRUE(std::isnan(valueOf(metrics, figures, "similarity.2")));
}

TEST(FrameMetrics, FlickerIsOfFramesOfOneWay) {
  FrameMetrics metrics({"road"}, {}, 2, 0, true, true);
  const auto flicker = [&](const FrameResult& result) {
    return valueOf(metrics, metrics.measure(result, {}), "flicker");
  };
  FrameResult result = frameOf({4, 3});
  EXPECT_TRUE(std::isnan(flicker(result))) << "a first frame";
  EXPECT_EQ(flicker(result), 0);
  result.segmentation.labels = result.segmentation.labels.clone();
  result.segmentation.labels.row(1).setTo(1);
  EXPECT_EQ(flicker(result), 0.25);
  result.frame.picture = cv::Mat(4, 4, CV_8UC3, cv::Scalar::all(120));
  EXPECT_TRUE(std::isnan(flicker(result))) << "nothing stands still";
  result.schedule = {2};
  EXPECT_TRUE(std::isnan(flicker(result))) << "another schedule";
  result.remembers = true;
  result.segmentation.memory = {1, 1, 0, std::nullopt};
  EXPECT_TRUE(std::isnan(flicker(result))) << "with a memory";
  EXPECT_EQ(flicker(result), 0);
}

TEST(FrameMetrics, AReplayKnowsNoTimes) {
  FrameMetrics metrics({"road"}, {}, 2, 0, false, false);
  FrameResult result = frameOf({4, 3});
  result.segmentation.times = {1, 2, 3};
  Figures figures = metrics.measure(result, {});
  metrics.setFrameAge(figures, 12);
  for (const char* name : {"ms.prepare", "ms.network", "ms.labels", "frame_age_ms"}) {
    EXPECT_TRUE(std::isnan(valueOf(metrics, figures, name))) << name;
  }
}

TEST(FrameMetrics, OfAMemoryTokensAreThoseOfTheFrameThatCounts) {
  FrameMetrics metrics({"road"}, {}, 2, 1, true, true);
  const auto frame = [](const std::vector<int>& rows, const MemoryReport& memory, bool counted) {
    FrameResult result = frameOf(rows);
    result.segmentation.memory = memory;
    result.remembers = true;
    result.counted = counted;
    return result;
  };
  FrameResult full = frame({101, 81}, {100, 100, 0, 0.875}, true);
  full.figures = metrics.measure(full, {});
  full.known = metrics.knownOf(full, {});
  EXPECT_EQ(valueOf(metrics, full.figures, "live_rows"), 81);
  EXPECT_EQ(valueOf(metrics, full.figures, "fresh_share"), 1);
  EXPECT_EQ(valueOf(metrics, full.figures, "memory_agreement"), 0.875);

  FrameResult remembered = frame({26, 26}, {100, 25, 7, std::nullopt}, false);
  remembered.figures = metrics.measure(remembered, {});
  for (const char* name : {"live_rows", "rows.0", "rows.1", "merged_share", "memory_agreement"})
    EXPECT_TRUE(std::isnan(valueOf(metrics, remembered.figures, name))) << name;
  EXPECT_EQ(valueOf(metrics, remembered.figures, "fresh_rows"), 25);
  EXPECT_EQ(valueOf(metrics, remembered.figures, "fresh_share"), 0.25);
  EXPECT_EQ(valueOf(metrics, remembered.figures, "memory_age"), 7);
  const Figures known = metrics.knownOf(remembered, full.known);
  EXPECT_EQ(valueOf(metrics, known, "live_rows"), 81);
  EXPECT_EQ(valueOf(metrics, known, "rows.0"), 101);
  EXPECT_EQ(valueOf(metrics, known, "memory_agreement"), 0.875);
  EXPECT_EQ(valueOf(metrics, known, "fresh_rows"), 25);

  // A full frame that was not due counts nowhere, and nothing is remembered that could agree.
  FrameResult moved = frame({101, 51}, {100, 100, 0, std::nullopt}, false);
  moved.figures = metrics.measure(moved, {});
  EXPECT_TRUE(std::isnan(valueOf(metrics, moved.figures, "live_rows")));
  const Figures after = metrics.knownOf(moved, known);
  EXPECT_EQ(valueOf(metrics, after, "live_rows"), 81);
  EXPECT_TRUE(std::isnan(valueOf(metrics, after, "memory_agreement")));
}

TEST(FrameMetrics, NamesThatBecomeTheSameGetNumbers) {
  const FrameMetrics metrics({"a b", "a_b", "a.b"}, {}, 0, 0, true, false);
  const std::vector<std::string>& names = metrics.metrics().names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_TRUE(metrics.metrics().find("area.a_b_2"));
}

}  // namespace
}  // namespace mpm::test
