// SPDX-License-Identifier: Apache-2.0
// What a record has and an engine sees: figures over time, and what can be compared with now.
#include "gui/app/history.h"

#include <gtest/gtest.h>

#include <QtTest>
#include <QtWidgets>

#include "gui/app/live.h"
#include "gui/wait_for.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"
#include "monitor/record/old_record.h"
#include "monitor/record/sample_record.h"

namespace mpm::gui {
namespace {

using monitor::kNoon;
using monitor::LightState;
using monitor::Resolution;

constexpr std::int64_t kHourMs = 3'600'000;

// Creates an engine on a source of this many frames; with 0, no frame can add to a minute.
std::shared_ptr<monitor::Engine> liveEngine(int frames) {
  monitor::EngineOptions options;
  options.source.name = "gate";
  test::StubReaderPlan plan;
  plan.live = true;
  plan.frames = frames;
  options.makeReader = [plan](const monitor::NamedSource&) {
    return std::make_unique<test::StubReader>(plan);
  };
  return std::make_shared<monitor::Engine>(std::move(options),
                                           std::make_unique<test::StubNetwork>(),
                                           std::vector<monitor::EngineListener*>{});
}

TEST(EngineSeries, ACountOfTokensHoldsUntilTheNextIsDueAndInNoOtherRun) {
  std::vector<PlotBucket> seconds(101);
  for (std::size_t i = 0; i < seconds.size(); ++i)
    seconds[i].startUtcMs = kNoon + static_cast<std::int64_t>(i) * 1000;
  for (const auto& [second, rows] : {std::pair(3U, 600.0), {10U, 640.0}, {99U, 700.0}}) {
    seconds[second].count = 2;
    seconds[second].mean = seconds[second].smallest = seconds[second].largest = rows;
  }
  seconds[100].run = 1;
  holdCounts(seconds);
  EXPECT_EQ(seconds[2].count, 0U) << "nobody knows yet";
  EXPECT_EQ(seconds[9].mean, 600);
  EXPECT_EQ(seconds[10].count, 2U);
  EXPECT_EQ(seconds[70].mean, 640);
  EXPECT_EQ(seconds[71].count, 0U) << "too long ago";
  EXPECT_EQ(seconds[100].count, 0U) << "of another run";
}

TEST(EngineSeries, ReadsRecordsOfBothEarlierKindsTheSame) {
  const QTemporaryDir folder;
  for (std::size_t i = 0; i < 2; ++i) {
    const QString path = folder.filePath(QString("%1.sqlite").arg(i));
    monitor::makeOldRecord(path.toStdString(), "gate", monitor::kOldSettings[i]);
    EngineSeries series;
    series.setEngine(nullptr, path, "gate");
    std::vector<PlotBucket> read;
    ASSERT_TRUE(waitFor([&] {
      read = series.buckets("live_rows", Resolution::minute, kNoon - 60000, kNoon + 60000);
      return !read.empty();
    }));
    ASSERT_EQ(read.size(), 1u);
    EXPECT_EQ(read[0].startUtcMs, kNoon);
    EXPECT_EQ(read[0].mean, 512);
  }
}

class EngineSeriesOfRuns : public ::testing::Test {
 protected:
  /// Writes a run with `rows` in the hour that begins at `startUtcMs`.
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
  std::vector<double> means(std::int64_t fromUtcMs) {
    std::vector<PlotBucket> hours;
    EXPECT_TRUE(waitFor([&] {
      hours = series_.buckets("live_rows", Resolution::hour, fromUtcMs, fromUtcMs + kHourMs);
      return hours.size() >= 2;
    }));
    std::vector<double> means;
    for (const PlotBucket& hour : hours) means.push_back(hour.mean);
    return means;
  }

  const QTemporaryDir folder_;
  const QString path_ = folder_.filePath("a.sqlite");
  EngineSeries series_;
};

// Guards against the mean token count of two models that watched the same video.
TEST_F(EngineSeriesOfRuns, WhatTwoCountedInOneHourIsNotAddedUp) {
  writeRun("a", kNoon, kNoon, 600);
  writeRun("b", kNoon + 1000, kNoon, 100);
  series_.setEngine(nullptr, path_, "gate");
  EXPECT_EQ(means(kNoon), (std::vector<double>{600, 100}));
}

TEST_F(EngineSeriesOfRuns, TheOnesBeforeStayBesideTheOneThatIsWatched) {
  const auto engine = liveEngine(test::StubReaderPlan().frames);
  std::optional<std::int64_t> inMemory;
  ASSERT_TRUE(waitFor([&] {
    engine->readStatistics([&](const monitor::Statistics& statistics) {
      const auto& hours = statistics.series().buckets(Resolution::hour);
      if (!hours.empty()) inMemory = hours.front().startUtcMs;
    });
    return inMemory.has_value();
  }));
  const std::int64_t hour = *inMemory, begun = hour + 1000;
  writeRun("a", hour, hour, 5000);
  writeRun("b", begun, hour, 7000);
  series_.setEngine(engine, path_, "gate", begun);
  const std::vector<double> found = means(hour);
  ASSERT_EQ(found.size(), 2U) << "what memory and record both have of its run is there once";
  EXPECT_EQ(found[0], 5000) << "seen: gone as soon as the hour was watched again";
  EXPECT_LT(found[1], 5000) << "its own, as the engine has it";
}

constexpr const char* kTwoFive = R"({"merge_before":[2,5],"precision":"fp32"})";

class DayNightHistoryTest : public ::testing::Test {
 protected:
  // Writes days of 12 hours up to now, each with its night, the newest last. By default 440 tokens
  // live by day, 410 at night, and one more each day.
  void writeRun(const std::string& settings, int days, int daysAgo, const std::string& hash = "a",
                double byDay = 440, double atNight = 410,
                const std::vector<monitor::Event>& events = {}) {
    const std::int64_t begun = now_ - daysAgo * 24 * kHourMs;
    std::vector<monitor::Series::Changed> hours;
    for (int hour = 0; hour < days * 24; ++hour) {
      const bool night = hour % 24 >= 12;
      hours.push_back({Resolution::hour, bucketAt(begun / kHourMs * kHourMs + hour * kHourMs, night,
                                                  (night ? atNight : byDay) + hour / 24)});
    }
    write(settings, hash, begun, std::move(hours), events);
  }
  // Writes five nights of a minute each, and days. A minute of the clock has half of both.
  void writeShortDays(const std::string& settings, int hoursAgo) {
    constexpr int kMinuteMs = 60000, kMinutes = 10;
    const std::int64_t begun = (now_ - hoursAgo * kHourMs) / kMinuteMs * kMinuteMs;
    std::vector<monitor::Series::Changed> buckets;
    for (int second = 0; second < kMinutes * 60; ++second) {
      const bool night = (second + 30) / 60 % 2 == 1;
      buckets.push_back(
          {Resolution::second, bucketAt(begun + second * 1000, night, night ? 410 : 440)});
    }
    for (int minute = 0; minute < kMinutes; ++minute) {
      monitor::Bucket both = bucketAt(begun + minute * kMinuteMs, true, 425);
      both.frames[static_cast<std::size_t>(LightState::day)] = 3;
      buckets.push_back({Resolution::minute, both});
    }
    write(settings, "a", begun, std::move(buckets));
  }
  void write(const std::string& settings, const std::string& hash, std::int64_t begun,
             std::vector<monitor::Series::Changed> buckets,
             const std::vector<monitor::Event>& events = {}) {
    monitor::RunFacts facts;
    facts.source = "gate";
    facts.model = hash + ".onnx";
    facts.modelHash = hash;
    facts.settings = settings;
    facts.metrics = {"luma", "live_rows", "rows.0", "ms.network", "merged_share"};
    facts.begun = {1000, begun, 0, true};
    monitor::Record record(file());
    const std::int64_t run = record.beginRun(facts);
    record.write(run, std::move(buckets));
    for (const monitor::Event& event : events) record.write(run, event);
    ASSERT_TRUE(record.flush(monitor::kDiskMs));
  }
  static monitor::Bucket bucketAt(std::int64_t startUtcMs, bool night, double live) {
    monitor::Bucket bucket;
    bucket.startUtcMs = startUtcMs;
    bucket.frames[static_cast<std::size_t>(night ? LightState::night : LightState::day)] = 3;
    const double rows = live + 1, merged = 1 - live / 1024;
    bucket.tallies = {monitor::tallyOf({1, 1, 1}), monitor::tallyOf({rows, rows, rows}),
                      monitor::tallyOf({1025, 1025, 1025}), monitor::tallyOf({30, 31, 32}),
                      monitor::tallyOf({merged, merged, merged})};
    return bucket;
  }
  monitor::Event event(const char* kind, const char* name, int hoursAgo = 0) const {
    return {{1, now_ - hoursAgo * kHourMs, 0, true}, kind, name, "", {}};
  }
  void watch(int frames = 0) {
    engine_ = liveEngine(frames);
    run_.begunUtcMs = now_;
    run_.model = "a.onnx";
    run_.modelHash = "a";
    run_.precision = "fp32";
    run_.first = {engine_->schedule().text(), false, engine_->remembers()};
    begin(history_);
  }
  // Begins with the engine that is watched.
  void begin(DayNightHistory& history) {
    QSignalSpy read(&history, &DayNightHistory::changed);
    history.setEngine(engine_, QString::fromStdString(file()), "gate", run_);
    ASSERT_TRUE(waitFor([&] { return read.count() > 0; }));
  }
  std::uint64_t nights() const { return history_.known().tokens.nights.count(); }
  std::string marks() const {
    QStringList words;
    for (const TimePlot::Mark& mark : history_.marks()) words << mark.words;
    return words.join("; ").toStdString();
  }
  std::string file() const { return folder_ / "record.sqlite"; }

  const std::int64_t now_ = monitor::systemClock().now().utcMs;
  monitor::Folder folder_;
  std::shared_ptr<monitor::Engine> engine_;
  monitor::PastRun run_;  // that is watched, as it began
  DayNightHistory history_;
};

TEST_F(DayNightHistoryTest, OtherZonesAreMarkedInThePlot) {
  constexpr const char* kZoned =
      R"({"merge_before":[2,5],"precision":"fp32","zones":[{"name":"gate","corners":[[0,0],[1,0],[1,1]]}]})";
  for (const int daysAgo : {5, 3}) writeRun(kZoned, 1, daysAgo);
  watch();
  EXPECT_EQ(QString::fromStdString(marks()).count("zones changed"), 1)
      << "they went with the run that is watched, and not before: " << marks();
}

// Guards against "No night has been seen yet" above plotted nights, after a restart.
TEST_F(DayNightHistoryTest, NightsOfTheRecordAreKnownAfterARestart) {
  writeRun(kTwoFive, 4, 5);
  watch();
  const KnownNights known = history_.known();
  EXPECT_EQ(known.tokens.days.count(), 3U) << "the first may have begun before the record";
  EXPECT_EQ(known.tokens.nights.count(), 4U);
  EXPECT_NEAR(known.tokens.days.mean(), 442, 1e-9) << "without the class token";
  EXPECT_NEAR(known.tokens.nights.mean(), 411.5, 1e-9);
  EXPECT_EQ(known.tokensBefore, 1024);
  EXPECT_EQ(known.atNight.front(), 410) << "days are no part of the line";
  history_.setEngine(nullptr, {}, {}, {});
  EXPECT_EQ(history_.known().tokens.days.count(), 0U) << "without a record the engine alone";
  EXPECT_EQ(marks(), "");
}

// Guards against "none counted yet" for a street of short days, twenty minutes after it was left.
TEST_F(DayNightHistoryTest, NightsOfSecondsAreKnownAfterABreak) {
  writeShortDays(kTwoFive, 30);
  writeRun(kTwoFive, 0, 1);  // a short one, of no days
  watch();
  EXPECT_EQ(nights(), 5U);
  EXPECT_EQ(history_.known().tokens.days.count(), 5U) << "the first is half a one";
  EXPECT_EQ(history_.known().resolution, Resolution::second);
}

// A replay's times are positions in a file: played twice, one night would count as two.
TEST_F(DayNightHistoryTest, OtherModelsPrecisionsSchedulesAndReplaysAreNotCompared) {
  writeRun(kTwoFive, 3, 30, "other", 900, 10);
  writeRun(R"({"merge_before":[2,5],"precision":"bf16"})", 3, 25, "a", 900, 10);
  writeRun(R"({"merge_before":[1,3],"precision":"fp32"})", 3, 20, "a", 900, 10);
  writeRun(R"({"merge_before":[2,5],"precision":"fp32","device":"a GPU"})", 3, 15, "a", 900, 10);
  writeRun(R"({"merge_before":"2, 5","precision":"fp32"})", 3, 10);  // as once
  watch();
  EXPECT_EQ(nights(), 3U);
  EXPECT_NEAR(history_.known().tokens.nights.mean(), 411, 1e-9);
  EXPECT_EQ(marks(),
            "model a.onnx (a); bfloat16; float32; merge before 1,3; float32 a GPU; merge before "
            "2,5; float32");
  writeRun(R"({"merge_before":[2,5],"precision":"fp32","replay":true})", 4, 5, "a", 900, 10);
  watch();
  EXPECT_EQ(nights(), 3U);
  EXPECT_NEAR(history_.known().tokens.nights.mean(), 411, 1e-9);
  run_.replay = true;
  begin(history_);
  EXPECT_EQ(nights(), 0U) << "with nothing else";
}

// Guards against nights of mixed schedules: "6.4 % more tokens merge ... 604 ± 125".
TEST_F(DayNightHistoryTest, AnotherScheduleBeginsAnotherComparison) {
  writeRun(kTwoFive, 4, 5);
  watch();
  EXPECT_EQ(nights(), 4U);
  QSignalSpy changed(&history_, &DayNightHistory::changed);
  history_.hear(event("schedule", "1,3"));
  EXPECT_EQ(changed.count(), 1);
  EXPECT_EQ(nights(), 0U);
  EXPECT_EQ(history_.marks().back().words, "merge before 1,3");
  history_.hear(event("rule", "a car"));
  EXPECT_EQ(changed.count(), 1);
  history_.hear(event("schedule", "2,5"));
  EXPECT_EQ(nights(), 4U);
}

// Token counts do not depend on the memory, but times do.
TEST_F(DayNightHistoryTest, TimesAreThoseWithAMemoryWhereThereIsOneAndTokensAreOfAll) {
  writeRun(R"({"merge_before":[2,5],"precision":"fp32","memory":true})", 2, 10);
  writeRun(kTwoFive, 2, 5);
  watch();  // without: the stub has none
  for (const char* mark : {"scene memory off", "scene memory"}) {
    std::size_t hours = 0;
    const KnownNights known = history_.known();
    for (const auto& means : known.means[KnownNights::kNetworkMs]) hours += means.size();
    EXPECT_EQ(hours, 48U) << "those of one run: " << mark;
    EXPECT_EQ(nights(), 4U);
    EXPECT_EQ(history_.marks().back().words, mark);
    history_.hear(event("memory", "on"));
  }
}

TEST_F(DayNightHistoryTest, ARunOfAClockThatWentAheadIsNotTheOneThatIsWatched) {
  writeRun(R"({"merge_before":[1,3],"precision":"fp32"})", 3, -400, "a", 900, 10);
  watch();
  EXPECT_EQ(nights(), 0U) << "of another schedule";
  EXPECT_EQ(history_.marks().size(), 1U) << "where that schedule became this one";
}

TEST_F(DayNightHistoryTest, ASimulatedNightOfTheRecordDoesNotCount) {
  writeRun(kTwoFive, 4, 5, "a", 440, 410,
           {event("filter", "on", 5 * 24 - 12), event("filter", "off", 5 * 24 - 26)});
  watch();
  EXPECT_EQ(nights(), 3U);
  history_.hear(event("filter", "on"));  // what is seen now does not count, what was does
  EXPECT_EQ(nights(), 3U);
}

// The record's part is kept between calls, as copying everything takes 66 ms and more.
TEST_F(DayNightHistoryTest, AskedAgainItSaysWhatOneThatIsNewSays) {
  writeRun(kTwoFive, 2, 10);
  writeRun(R"({"merge_before":[1,3],"precision":"fp32"})", 3, 8, "a", 520, 480);
  writeRun(kTwoFive, 3, 5, "a", 440, 410, {event("memory", "on", 4 * 24)});
  watch(1'000'000);
  ASSERT_TRUE(waitFor([&] { return engine_->latest() != nullptr; }));
  std::promise<void> goOn;
  const auto standsStill = engine_->withNetwork(
      [until = goOn.get_future().share()](monitor::Network&) { until.wait(); });
  const auto told = [](const DayNightHistory& history) {
    const KnownNights known = history.known();
    std::vector<double> all{known.tokensBefore, static_cast<double>(known.resolution)};
    for (const monitor::Running& of :
         {known.tokens.days, known.tokens.nights, known.tokens.dayFrames, known.tokens.nightFrames})
      all.insert(all.end(), {static_cast<double>(of.count()), of.mean()});
    for (const auto& metric : known.means)
      for (const auto& light : metric) all.insert(all.end(), light.begin(), light.end());
    all.insert(all.end(), known.atNight.begin(), known.atNight.end());
    std::replace_if(
        all.begin(), all.end(), [](double value) { return std::isnan(value); }, -1);
    return all;
  };
  for (const char* schedule : {"2,5", "1,3", "2,5"}) {
    const monitor::Event set = event("schedule", schedule);
    history_.hear(set);
    if (monitor::changed(run_.last(), set) != run_.last()) run_.events.push_back(set);
    DayNightHistory other;
    begin(other);
    const std::vector<double> first = told(other);
    EXPECT_GE(first[2], 2) << "days";
    for (int time = 0; time < 3; ++time) EXPECT_EQ(told(history_), first) << schedule << time;
  }
  goOn.set_value();
  standsStill.wait();
}

}  // namespace
}  // namespace mpm::gui
