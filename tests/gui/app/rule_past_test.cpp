// SPDX-License-Identifier: Apache-2.0
#include "gui/app/rule_past.h"

#include <gtest/gtest.h>

#include <QTemporaryDir>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gui/wait_for.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::gui {
namespace {

TEST(RulePast, OfARecordHasNoFramesOfSimulatedNights) {
  const QTemporaryDir folder;
  const std::string path = folder.filePath("a.sqlite").toStdString();
  {
    monitor::Record record(path);
    const std::int64_t run = record.beginRun(monitor::sampleRun());
    std::vector<monitor::Series::Changed> seconds;
    for (int i = 0; i < 10; ++i)
      seconds.push_back(monitor::sampleBucket(monitor::kNoon + i * 1000, 0.5));
    record.write(run, std::move(seconds));
    const auto tell = [&](std::int64_t afterMs, const char* kind, const char* name) {
      record.write(run, {{1000 + afterMs, monitor::kNoon + afterMs, 0, true}, kind, name, "", {}});
    };
    tell(3500, monitor::kFilterEvent, monitor::kOn);
    tell(4000, monitor::kScheduleEvent, "none");
    tell(6000, monitor::kFilterEvent, "off");
  }
  const RulePast past = pastOf(monitor::RecordReader(path), "gate",
                               monitor::Metrics({"luma", "live_rows"}), monitor::kNoon + 10'000);
  ASSERT_EQ(past.runs.size(), 1u);
  std::string seen;
  for (const monitor::Bucket& second : past.runs[0])
    seen += second.frames == decltype(second.frames){} ? '-' : 'x';
  EXPECT_EQ(seen, "xxx---xxxx");
}

// Seen: a rule on a zone was judged by what the zone of that name had seen where it was before.
TEST(RulePast, OfARecordHasNoValuesOfAZoneThatWasDrawnAnewSince) {
  const QTemporaryDir folder;
  const std::string path = folder.filePath("a.sqlite").toStdString();
  const std::vector<std::string> names{"luma", "zone.gate.area.car"};
  {
    monitor::Record record(path);
    std::int64_t begun = monitor::kNoon;
    for (const char* corners : {"[[0,0],[1,0],[1,0.1]]", "[[0,0.9],[1,0.9],[1,1]]"}) {
      monitor::RunFacts facts = monitor::sampleRun("gate", names);
      facts.settings = std::string(R"({"zones":[{"name":"gate","corners":)") + corners + "}]}";
      facts.begun.utcMs = begun;
      record.write(record.beginRun(facts), {monitor::sampleBucket(begun, 0.5)});
      begun += 10'000;
    }
  }
  const RulePast past =
      pastOf(monitor::RecordReader(path), "gate", monitor::Metrics(names), monitor::kNoon + 20'000);
  ASSERT_EQ(past.runs.size(), 2u);
  EXPECT_GT(past.runs[0][0].tallies[0].count, 0u);
  EXPECT_EQ(past.runs[0][0].tallies[1].count, 0u);
  EXPECT_GT(past.runs[1][0].tallies[1].count, 0u);
}

// "In the last hour, 115 min of it recorded".
TEST(RulePast, IsNoMoreThanAnHourWhereTheClockWasSetBack) {
  constexpr std::int64_t kMinuteMs = 60'000, kHourMs = 60 * kMinuteMs;
  const QTemporaryDir folder;
  const std::string path = folder.filePath("a.sqlite").toStdString();
  {
    monitor::Record record(path);
    const std::int64_t run = record.beginRun(monitor::sampleRun());
    std::vector<monitor::Series::Changed> seconds;
    const auto see = [&](std::int64_t beginUtcMs, std::int64_t ms, std::int32_t era) {
      for (std::int64_t at = 0; at < ms; at += kMinuteMs / 2)
        seconds.push_back(
            monitor::sampleBucket(beginUtcMs + at, 0.5, monitor::Resolution::second, era));
    };
    see(monitor::kNoon, 2 * kHourMs, 0);
    see(monitor::kNoon + kHourMs, 5 * kMinuteMs, 1);
    record.write(run, std::move(seconds));
  }
  const RulePast past =
      pastOf(monitor::RecordReader(path), "gate", monitor::Metrics({"luma", "live_rows"}),
             monitor::kNoon + kHourMs + 5 * kMinuteMs);
  ASSERT_EQ(past.runs.size(), 1u);
  EXPECT_EQ(past.runs[0].front().era, 0);
  EXPECT_EQ(past.runs[0].front().startUtcMs, monitor::kNoon + kHourMs + 5 * kMinuteMs);
  EXPECT_EQ(past.runs[0].size(), 120u);
  EXPECT_EQ(past.runs[0].back().era, 1);
}

TEST(RulePast, OfAnEngineIsWhatCameBehindASimulatedNight) {
  monitor::EngineOptions options;
  options.sources = {{"street", monitor::parseSourceAddress("scene:?size=64x64"), {}}};
  monitor::Engine engine(std::move(options), std::make_unique<test::StubNetwork>(), {});
  ASSERT_TRUE(waitFor([&] { return !pastOf(engine, 0).runs[0].empty(); }));
  engine.setFilter([](const cv::Mat& picture) { return picture; });
  ASSERT_TRUE(waitFor([&] { return pastOf(engine, 0).runs[0].empty(); }));
  engine.setFilter({});
  EXPECT_TRUE(waitFor([&] { return !pastOf(engine, 0).runs[0].empty(); }));
}

monitor::EngineOptions streetOptions() {
  monitor::EngineOptions options;
  options.sources = {{"street", monitor::parseSourceAddress("scene:?size=64x64"), {}}};
  return options;
}

TEST(SilenceNow, IsOfTheRunThatGoesOnAlone) {
  monitor::Engine engine(streetOptions(), std::make_unique<test::StubNetwork>(), {});
  ASSERT_TRUE(waitFor([&] { return !pastOf(engine, 0).runs[0].empty(); }));
  RulePast past = pastOf(engine, 0);
  EXPECT_TRUE(silenceNow(past, engine, 0));
  past.runs[0].back().startUtcMs -= 3'600'000;
  EXPECT_FALSE(silenceNow(past, engine, 0)) << "of a run before";
  past.runs[0].clear();
  EXPECT_FALSE(silenceNow(past, engine, 0));
  past.runs.clear();
  EXPECT_FALSE(silenceNow(past, engine, 0));
}

TEST(SilenceNow, AFileAtItsEndIsNotSilent) {
  monitor::EngineOptions options = streetOptions();
  options.makeReader = [](const monitor::NamedSource&) {
    return std::make_unique<test::StubReader>(test::StubReaderPlan{});
  };
  monitor::Engine engine(std::move(options), std::make_unique<test::StubNetwork>(), {});
  ASSERT_TRUE(waitFor([&] { return engine.done(); }));
  const RulePast past = pastOf(engine, 0);
  ASSERT_FALSE(past.runs[0].empty());
  EXPECT_FALSE(silenceNow(past, engine, 0));
}

}  // namespace
}  // namespace mpm::gui
