// SPDX-License-Identifier: Apache-2.0
// Tuning by a machine that is made up: what each schedule costs and keeps is known.
#include "tune/passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>

namespace mpm::test {
namespace {

using tune::Trial;

constexpr int kPixels = 1000;

/// Every merge saves 10% of what is left. Before the last block it loses a pixel, before each block
/// in front of that one pixel more, and in each frame after the first one more.
class MadeUpMachine {
 public:
  int blocks = 12;
  double slowness = 1;   // of every other unmerged run and what is compared with it
  double merging = 0.9;  // time with one merge more
  std::size_t runs = 0;
  std::map<Schedule, int> runsOf;

  Trial run(const Schedule& schedule, std::size_t frame) {
    if (schedule.empty()) busy_ = !busy_;
    ++runs;
    ++runsOf[schedule];
    Trial trial;
    trial.ms = 100 * (busy_ ? slowness : 1);
    trial.labels = cv::Mat::zeros(1, kPixels, CV_8U);
    trial.rows = {1025};
    int lost = 0;
    for (const int block : schedule) {
      trial.ms *= merging;
      trial.rows.push_back(trial.rows.back() * 3 / 4);
      lost += blocks - block + static_cast<int>(frame);
    }
    trial.labels.colRange(0, lost).setTo(1);
    return trial;
  }

 private:
  bool busy_ = false;
};

std::vector<int> blocksUpTo(int count) {
  std::vector<int> blocks(static_cast<std::size_t>(count));
  std::iota(blocks.begin(), blocks.end(), 0);
  return blocks;
}

Tuning tuneOn(MadeUpMachine& machine, int blocks, std::size_t frames,
              const TuneOptions& options = {}, const Schedule& always = {}) {
  machine.blocks = blocks;
  return tune::tuneBy(
      [&](const Schedule& schedule, std::size_t frame) { return machine.run(schedule, frame); },
      frames, blocksUpTo(blocks), always, options);
}

const TunedSchedule& find(const Tuning& tuning, const Schedule& schedule) {
  const auto found = std::find_if(tuning.schedules.begin(), tuning.schedules.end(),
                                  [&](const auto& one) { return one.schedule == schedule; });
  if (found == tuning.schedules.end()) throw std::runtime_error("it was not run");
  return *found;
}

std::vector<Schedule> frontOf(const Tuning& tuning) {
  std::vector<Schedule> front;
  for (const TunedSchedule& one : tuning.schedules) {
    if (one.onFront) front.push_back(one.schedule);
  }
  return front;
}

TEST(Passes, RunEveryScheduleOfOneAndTwoMerges) {
  MadeUpMachine machine;
  const Tuning tuning = tuneOn(machine, 12, 3);
  EXPECT_EQ(tuning.schedules.size(), 12U + 66);
  EXPECT_EQ(tuning.full.schedule, Schedule{});
  EXPECT_EQ(tuning.full.ms, 100);
  EXPECT_EQ(tuning.full.rows, std::vector<double>{1025});
  EXPECT_TRUE(tuning.full.onFront);
  EXPECT_TRUE(tuning.pays);
  EXPECT_TRUE(std::is_sorted(tuning.schedules.begin(), tuning.schedules.end(),
                             [](const auto& a, const auto& b) { return a.ms < b.ms; }));
}

TEST(Passes, FiguresAreMeansOverTheFrames) {
  MadeUpMachine machine;
  const Tuning tuning = tuneOn(machine, 12, 3);
  const TunedSchedule& last = find(tuning, {10, 11});
  EXPECT_NEAR(last.ratio, 0.81, 1e-12);
  EXPECT_NEAR(last.ms, 81, 1e-9);
  EXPECT_NEAR(last.agreement, 1 - (3 + 2 * 1) / 1000.0, 1e-12);  // frames 0, 1, 2: 3, 5, 7 pixels
  EXPECT_EQ(last.rows, (std::vector<double>{1025, 768, 576}));
  EXPECT_EQ(last.runs, 15);
}

TEST(Passes, TheFrontIsTheBestOfEachLength) {
  MadeUpMachine machine;
  EXPECT_EQ(frontOf(tuneOn(machine, 12, 2)), (std::vector<Schedule>{{10, 11}, {11}}));
}

TEST(Passes, WhatIsLeftBehindIsLookedAtAlone) {
  MadeUpMachine machine;
  TuneOptions options;
  options.looks = 2;
  const Tuning tuning = tuneOn(machine, 12, 4, options);
  const TunedSchedule& first = find(tuning, {0, 1});  // 23 pixels; the best pair loses 3
  EXPECT_FALSE(first.close);
  EXPECT_FALSE(first.onFront);
  EXPECT_EQ(first.runs, 2);
  EXPECT_EQ(machine.runsOf[(Schedule{0, 1})], 2);
  const auto close = std::count_if(tuning.schedules.begin(), tuning.schedules.end(),
                                   [](const auto& one) { return one.close; });
  EXPECT_LE(close, options.close);
  EXPECT_LT(machine.runs, 600U);
}

TEST(Passes, TheOwnScheduleIsAlwaysMeasured) {
  MadeUpMachine machine;
  const Tuning tuning = tuneOn(machine, 12, 2, {}, {0, 1});
  EXPECT_TRUE(find(tuning, {0, 1}).close);
  EXPECT_FALSE(find(tuning, {0, 1}).onFront);
}

// An unmerged run comes before every four schedules at most, so that drift meets both.
TEST(Passes, AMachineThatIsBusyNowAndThenChangesNothing) {
  MadeUpMachine steady, busy;
  busy.slowness = 3;
  const Tuning expected = tuneOn(steady, 8, 2), tuning = tuneOn(busy, 8, 2);
  for (const TunedSchedule& one : expected.schedules)
    EXPECT_NEAR(find(tuning, one.schedule).ratio, one.ratio, 1e-12);
}

TEST(Passes, SayWhetherMergingPays) {
  MadeUpMachine barely, no;
  barely.merging = 0.98;  // two merges: 0.96
  EXPECT_TRUE(tuneOn(barely, 4, 1).pays);
  no.merging = 0.99;  // two merges: 0.98
  EXPECT_FALSE(tuneOn(no, 4, 1).pays);
}

TEST(Passes, ThreeMergesGrowOutOfTheBestPairs) {
  MadeUpMachine machine;
  TuneOptions options;
  options.merges = {3, 1, 2, 2};
  const Tuning tuning = tuneOn(machine, 12, 1, options);
  EXPECT_EQ(frontOf(tuning), (std::vector<Schedule>{{9, 10, 11}, {10, 11}, {11}}));
  EXPECT_EQ(machine.runsOf.count({0, 1, 2}), 0U);
  EXPECT_LT(tuning.schedules.size(), 12U + 66 + 220);
}

TEST(Passes, ADeepEncoderGetsThreeMergesByItself) {
  MadeUpMachine machine;
  machine.merging = 0.8;
  EXPECT_EQ(frontOf(tuneOn(machine, 24, 1)).front(), (Schedule{21, 22, 23}));
}

TEST(Passes, ThreeMergesAloneAreAllRun) {
  MadeUpMachine machine;
  TuneOptions options;
  options.merges = {3};
  EXPECT_EQ(tuneOn(machine, 6, 1, options).schedules.size(), 20U);
}

TEST(Passes, ProgressRisesToItsEndAndCanStop) {
  MadeUpMachine machine;
  TuneOptions options;
  std::vector<double> shares;
  options.progress = [&](double share) {
    shares.push_back(share);
    return true;
  };
  tuneOn(machine, 6, 2, options);
  EXPECT_EQ(shares.size(), machine.runs);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GT(shares.front(), 0);
  EXPECT_LT(shares.front(), 0.1);
  EXPECT_EQ(shares.back(), 1);

  MadeUpMachine stopped;
  options.progress = [](double) { return false; };
  EXPECT_THROW(tuneOn(stopped, 6, 2, options), TuneStopped);
  EXPECT_EQ(stopped.runs, 1U);
}

TEST(Passes, RefuseWhatCannotBeTuned) {
  MadeUpMachine machine;
  EXPECT_THROW(tuneOn(machine, 6, 0), std::invalid_argument);
  TuneOptions options;
  for (const int merges : {0, 7}) {
    options.merges = {merges};
    EXPECT_THROW(tuneOn(machine, 6, 1, options), std::invalid_argument);
  }
  EXPECT_THROW(tuneOn(machine, 0, 1), std::invalid_argument);
  EXPECT_EQ(machine.runs, 0U);
}

// Seen: an encoder that can merge before one block was refused for having no schedule of two.
TEST(Passes, AnEncoderOfOneBlockHasOneMerge) {
  MadeUpMachine machine;
  EXPECT_EQ(tuneOn(machine, 1, 1).schedules.size(), 1U);
}

TEST(Agreement, IsTheShareOfEqualLabels) {
  const cv::Mat a = (cv::Mat_<std::uint8_t>(1, 4) << 1, 2, 3, 4),
                b = (cv::Mat_<std::uint8_t>(1, 4) << 1, 2, 0, 4);
  EXPECT_EQ(agreementOf(a, b), 0.75);
  EXPECT_EQ(agreementOf(a, b.reshape(1, 2)), 0);
  cv::Mat wideA, wideB;
  a.convertTo(wideA, CV_16U), b.convertTo(wideB, CV_16U);
  EXPECT_EQ(agreementOf(wideA, wideB), 0.75);
  EXPECT_EQ(agreementOf(a, wideB), 0);
  EXPECT_EQ(agreementOf({}, {}), 0);
}

using tune::extensionsOf;
using tune::schedulesOf;
using Schedules = std::vector<Schedule>;

TEST(Schedules, AreAllThatThereAreInTheirOrder) {
  EXPECT_EQ(schedulesOf({0, 1, 2}, 1), (Schedules{{0}, {1}, {2}}));
  EXPECT_EQ(schedulesOf({0, 2, 5}, 2), (Schedules{{0, 2}, {0, 5}, {2, 5}}));
  EXPECT_EQ(schedulesOf({0, 2, 5}, 3), (Schedules{{0, 2, 5}}));
  EXPECT_EQ(schedulesOf(blocksUpTo(12), 2).size(), 66U);
  EXPECT_EQ(schedulesOf(blocksUpTo(24), 3).size(), 2024U);
}

TEST(Schedules, OfMoreMergesThanBlocksThereAreNone) {
  EXPECT_EQ(schedulesOf({0, 1}, 3), Schedules{});
  EXPECT_EQ(schedulesOf({}, 1), Schedules{});
  EXPECT_EQ(schedulesOf({0, 1}, 0), Schedules{});
}

TEST(Schedules, ExtensionsAddOneMergeAndComeOnce) {
  EXPECT_EQ(extensionsOf({{1, 2}}, {0, 1, 2, 3}), (Schedules{{0, 1, 2}, {1, 2, 3}}));
  EXPECT_EQ(extensionsOf({{0, 2}, {0, 1}}, {0, 1, 2}), (Schedules{{0, 1, 2}}));
  EXPECT_EQ(extensionsOf({}, {0, 1}), Schedules{});
  EXPECT_EQ(extensionsOf(schedulesOf(blocksUpTo(6), 2), blocksUpTo(6)),
            schedulesOf(blocksUpTo(6), 3));
}

TEST(Schedules, SimplerHasFewerMergesThenEarlierOnes) {
  EXPECT_TRUE(tune::simpler({9}, {0, 1}));
  EXPECT_TRUE(tune::simpler({0, 5}, {1, 2}));
  EXPECT_FALSE(tune::simpler({1, 2}, {1, 2}));
}

}  // namespace
}  // namespace mpm::test
