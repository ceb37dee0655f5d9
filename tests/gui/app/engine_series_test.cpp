// SPDX-License-Identifier: Apache-2.0
// Figures over time, of a record's runs and of the one that is watched.
#include "gui/app/engine_series.h"

#include <gtest/gtest.h>

#include <QTemporaryDir>

#include "gui/wait_for.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"
#include "monitor/record/old_record.h"
#include "monitor/record/sample_record.h"

namespace mpm::gui {
namespace {

using monitor::kNoon;
using monitor::Resolution;

constexpr std::int64_t kHourMs = 3'600'000;

TEST(EngineSeries, ACountOfTokensHoldsUntilTheNextIsDue) {
  std::vector<PlotBucket> seconds(100);
  for (std::size_t i = 0; i < seconds.size(); ++i)
    seconds[i].startUtcMs = kNoon + static_cast<std::int64_t>(i) * 1000;
  const auto count = [&](std::size_t second, double rows) {
    seconds[second].count = 2;
    seconds[second].mean = seconds[second].smallest = seconds[second].largest = rows;
  };
  count(3, 600);
  count(10, 640);
  holdCounts(seconds);
  EXPECT_EQ(seconds[2].count, 0U) << "nobody knows yet";
  EXPECT_EQ(seconds[9].mean, 600);
  EXPECT_EQ(seconds[10].count, 2U);
  EXPECT_EQ(seconds[70].mean, 640);
  EXPECT_EQ(seconds[71].count, 0U) << "too long ago";
}

TEST(EngineSeries, ReadsRecordsOfBothEarlierKindsTheSame) {
  const QTemporaryDir folder;
  std::vector<PlotBucket> read[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const QString path = folder.filePath(QString("%1.sqlite").arg(i));
    monitor::makeOldRecord(path.toStdString(), "gate", monitor::kOldSettings[i]);
    EngineSeries series;
    series.setEngine(nullptr, path, "gate");
    const auto ask = [&] {
      return series.buckets("live_rows", monitor::Resolution::minute, kNoon - 60000, kNoon + 60000);
    };
    ASSERT_TRUE(waitFor([&] { return !(read[i] = ask()).empty(); }));
    ASSERT_EQ(read[i].size(), 1u);
    EXPECT_EQ(read[i][0].startUtcMs, kNoon);
  }
  EXPECT_EQ(read[0][0].mean, 512);
  EXPECT_EQ(read[1][0].mean, 512);
}

TEST(EngineSeries, ACountOfTokensDoesNotHoldInAnotherRun) {
  std::vector<PlotBucket> seconds(2);
  seconds[0].count = 2;
  seconds[0].mean = 600;
  seconds[1].run = 1;
  seconds[1].startUtcMs = 1000;
  holdCounts(seconds);
  EXPECT_EQ(seconds[1].count, 0U);
}

class EngineSeriesOfRuns : public ::testing::Test {
 protected:
  /// A run with `rows` in the hour that begins at `startUtcMs`.
  void writeRun(const std::string& model, std::int64_t begunUtcMs, std::int64_t startUtcMs,
                double rows) {
    monitor::RunFacts facts = monitor::sampleRun("gate", {"luma", "live_rows"});
    facts.modelHash = model;
    facts.begun.utcMs = begunUtcMs;
    monitor::Record record(path_.toStdString());
    record.write(record.beginRun(facts),
                 {monitor::sampleBucket(startUtcMs, rows, Resolution::hour)});
    ASSERT_TRUE(record.flush(monitor::kDiskMs));
  }
  std::vector<double> means(std::int64_t fromUtcMs, std::size_t count) {
    std::vector<PlotBucket> hours;
    EXPECT_TRUE(waitFor([&] {
      hours = series_.buckets("live_rows", Resolution::hour, fromUtcMs, fromUtcMs + kHourMs);
      return hours.size() >= count;
    }));
    std::vector<double> means;
    for (const PlotBucket& hour : hours) means.push_back(hour.mean);
    return means;
  }

  const QTemporaryDir folder_;
  const QString path_ = folder_.filePath("a.sqlite");
  EngineSeries series_;
};

// Seen: a video watched again with another model, whose tokens the plot gave as the mean of both.
TEST_F(EngineSeriesOfRuns, WhatTwoCountedInOneHourIsNotAddedUp) {
  writeRun("a", kNoon, kNoon, 600);
  writeRun("b", kNoon + 1000, kNoon, 100);
  series_.setEngine(nullptr, path_, "gate");
  EXPECT_EQ(means(kNoon, 2), (std::vector<double>{600, 100}));
}

TEST_F(EngineSeriesOfRuns, TheOnesBeforeStayBesideTheOneThatIsWatched) {
  monitor::EngineOptions options;
  options.sources = {monitor::NamedSource{}};
  options.sources[0].name = "gate";
  test::StubReaderPlan plan;
  plan.live = true;
  options.makeReader = [plan](const monitor::NamedSource&) {
    return std::make_unique<test::StubReader>(plan);
  };
  const auto engine =
      std::make_shared<monitor::Engine>(std::move(options), std::make_unique<test::StubNetwork>(),
                                        std::vector<monitor::EngineListener*>{});
  const auto hourInMemory = [&] {
    std::optional<std::int64_t> start;
    engine->readStatistics(0, [&](const monitor::Statistics& statistics) {
      const auto& hours = statistics.series().buckets(Resolution::hour);
      if (!hours.empty()) start = hours.front().startUtcMs;
    });
    return start;
  };
  ASSERT_TRUE(waitFor([&] { return hourInMemory().has_value(); }));
  const std::int64_t hour = *hourInMemory(), begun = hour + 1000;
  writeRun("a", hour, hour, 5000);
  writeRun("b", begun, hour, 7000);
  series_.setEngine(engine, path_, "gate", begun);
  const std::vector<double> found = means(hour, 2);
  ASSERT_EQ(found.size(), 2U) << "what memory and record both have of its run is there once";
  EXPECT_EQ(found[0], 5000) << "seen: gone as soon as the hour was watched again";
  EXPECT_LT(found[1], 5000) << "its own, as the engine has it";
}

}  // namespace
}  // namespace mpm::gui
