// SPDX-License-Identifier: Apache-2.0
// What is measured in a frame, which frames are run unmerged besides, and in which tokens count.
#include "monitor/engine/frame_metrics.h"

#include "monitor/engine/frame_result.h"
#include "monitor/says.h"

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

// Frames one after the other, as they are measured.
class Measured : public testing::Test {
 protected:
  void begin(std::size_t merges, bool isLive = true, bool remembers = false) {
    metrics_.emplace(std::vector<std::string>{"road", "car"}, RuleBook(), merges, 1, isLive,
                     remembers);
  }
  void measure(const FrameResult& result, const FrameMetrics::Since& since = {}) {
    figures_ = metrics_->measure(result, since);
  }
  double value(const std::string& name) const { return valueOf(figures_, name); }
  double valueOf(const Figures& figures, const std::string& name) const {
    return figures.values.at(metrics_->metrics().find(name).value());
  }
  void expectUnknown(const std::vector<const char*>& names) const {
    for (const char* name : names) EXPECT_TRUE(std::isnan(value(name))) << name;
  }

  std::optional<FrameMetrics> metrics_;
  Figures figures_;
};

TEST_F(Measured, RowsAndWhatMerged) {
  begin(3);
  measure(frameOf({101, 81, 61}), {2, 1});
  const std::pair<const char*, double> expected[] = {
      {"rows.0", 101},       {"rows.1", 81}, {"rows.2", 61},    {"live_rows", 61},
      {"merged_share", 0.4}, {"drops", 2},   {"reconnects", 1}, {"area.car", 0.25}};
  for (const auto& [name, wanted] : expected) EXPECT_DOUBLE_EQ(value(name), wanted) << name;
  expectUnknown({"rows.3"});
  begin(1);  // a schedule that is longer than its metrics
  measure(frameOf({100, 80, 60}));
  EXPECT_EQ(value("live_rows"), 60);
  EXPECT_EQ(value("rows.1"), 80);
  begin(0);  // a model that cannot merge
  measure(frameOf({}));
  expectUnknown({"live_rows", "merged_share"});
}

TEST_F(Measured, MeanSimilarityLeavesOutPlacesWithoutAPartner) {
  begin(2);
  FrameResult result = frameOf({4, 3, 2});
  cv::Mat similarity =
      (cv::Mat_<float>(1, 3) << 0.5F, std::numeric_limits<float>::quiet_NaN(), 0.7F);
  result.segmentation.stages.resize(1);
  result.segmentation.stages[0].similarity = similarity;
  measure(result);
  EXPECT_NEAR(value("similarity.1"), 0.6, 1e-6);
  expectUnknown({"similarity.2"});
}

TEST_F(Measured, FlickerIsOfFramesOfOneWay) {
  begin(2, true, true);
  const auto flicker = [&](const FrameResult& result) {
    measure(result);
    return value("flicker");
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

TEST_F(Measured, AReplayKnowsNoTimes) {
  begin(2, false);
  FrameResult result = frameOf({4, 3});
  result.segmentation.times = {1, 2, 3};
  measure(result);
  metrics_->setFrameAge(figures_, 12);
  expectUnknown({"ms.prepare", "ms.network", "ms.labels", "frame_age_ms"});
}

TEST_F(Measured, OfAMemoryTokensAreThoseOfTheFrameThatCounts) {
  begin(2, true, true);
  const auto measured = [&](const std::vector<int>& rows, const MemoryReport& memory,
                            bool counted) {
    FrameResult result = frameOf(rows);
    result.segmentation.memory = memory;
    result.remembers = true;
    result.counted = counted;
    measure(result);
    result.figures = figures_;
    return result;
  };
  FrameResult full = measured({101, 81}, {100, 100, 0, 0.875}, true);
  full.known = metrics_->knownOf(full, {});
  EXPECT_EQ(value("live_rows"), 81);
  EXPECT_EQ(value("fresh_share"), 1);
  EXPECT_EQ(value("memory_agreement"), 0.875);

  const FrameResult remembered = measured({26, 26}, {100, 25, 7, std::nullopt}, false);
  expectUnknown({"live_rows", "rows.0", "rows.1", "merged_share", "memory_agreement"});
  EXPECT_EQ(value("fresh_rows"), 25);
  EXPECT_EQ(value("fresh_share"), 0.25);
  EXPECT_EQ(value("memory_age"), 7);
  const Figures known = metrics_->knownOf(remembered, full.known);
  EXPECT_EQ(valueOf(known, "live_rows"), 81);
  EXPECT_EQ(valueOf(known, "rows.0"), 101);
  EXPECT_EQ(valueOf(known, "memory_agreement"), 0.875);
  EXPECT_EQ(valueOf(known, "fresh_rows"), 25);

  // A full frame that was not due counts nowhere, and nothing is remembered that could agree.
  const FrameResult moved = measured({101, 51}, {100, 100, 0, std::nullopt}, false);
  expectUnknown({"live_rows"});
  const Figures after = metrics_->knownOf(moved, known);
  EXPECT_EQ(valueOf(after, "live_rows"), 81);
  EXPECT_TRUE(std::isnan(valueOf(after, "memory_agreement")));
}

TEST(FrameMetrics, NamesThatBecomeTheSameGetNumbers) {
  const FrameMetrics metrics({"a b", "a_b", "a.b"}, {}, 0, 0, true, false);
  const std::vector<std::string>& names = metrics.metrics().names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_TRUE(metrics.metrics().find("area.a_b_2"));
}

}  // namespace
}  // namespace mpm::test
