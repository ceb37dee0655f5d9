// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/record.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <random>

#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

TEST(Record, EverythingComesBackToTheBit) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  const std::vector<Event> events{
      {{5, kNoon + 5, 1, false}, "rule", "r, \"quoted\"", "line\nand \xc3\xa9", -0.5},
      {{6, kNoon + 6, 1, true}, "light", "dusk", "", {}}};
  std::vector<Bucket> written;
  {
    Record record(path);
    const std::int64_t run = record.beginRun(sampleRun());
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> values(-10, 10);
    for (int i = 0; i < 200; ++i) {
      const Series::Changed changed = sampleBucket(kNoon + 1000 * i, values(random));
      written.push_back(changed.bucket);
      record.write(run, {changed});
    }
    for (const Event& event : events) record.write(run, event);
    EXPECT_TRUE(record.flush(kDiskMs));
    const RecordStatus status = record.status();
    EXPECT_EQ(status.fault, "");
    EXPECT_EQ(status.written, 202u);
    EXPECT_EQ(status.lost + status.waiting, 0u);
    EXPECT_GT(status.bytes, 50000);
    EXPECT_GT(status.freeBytes, 0);
    EXPECT_FALSE(status.daysToFull);
  }
  const RecordReader reader(path);
  EXPECT_EQ(reader.sources(), std::vector<std::string>{"gate"});
  EXPECT_EQ(reader.buckets("gate", Resolution::second, 0, kEver, sampleRun().metrics), written);
  EXPECT_TRUE(reader.buckets("gate", Resolution::minute, 0, kEver, sampleRun().metrics).empty());
  const std::vector<Event> back = reader.events("gate", 0, kEver);
  ASSERT_EQ(back.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(back[i].at.utcMs, events[i].at.utcMs);
    EXPECT_EQ(back[i].at.steadyMs, events[i].at.steadyMs);
    EXPECT_EQ(back[i].at.era, events[i].at.era);
    EXPECT_EQ(back[i].at.synchronised, events[i].at.synchronised);
    EXPECT_EQ(back[i].kind, events[i].kind);
    EXPECT_EQ(back[i].name, events[i].name);
    EXPECT_EQ(back[i].text, events[i].text);
    EXPECT_EQ(back[i].value, events[i].value);
  }
  const RunFacts run = reader.runs("gate").at(0).facts, facts = sampleRun();
  EXPECT_EQ(run.address, facts.address);
  EXPECT_EQ(run.model, facts.model);
  EXPECT_EQ(run.modelHash, facts.modelHash);
  EXPECT_EQ(run.settings, facts.settings);
  EXPECT_EQ(run.version, facts.version);
  EXPECT_EQ(run.metrics, facts.metrics);
  EXPECT_EQ(run.begun.utcMs, facts.begun.utcMs);
}

TEST(Record, AnOpenBucketIsReplacedByItsLaterSelf) {
  const Folder folder;
  Record record(folder / "a.sqlite");
  const std::int64_t run = record.beginRun(sampleRun());
  for (int i = 0; i < 5; ++i) {
    record.write(run, {sampleBucket(kNoon, i, Resolution::day)});
    EXPECT_TRUE(record.flush(kDiskMs));
  }
  const auto days = RecordReader(folder / "a.sqlite")
                        .buckets("gate", Resolution::day, 0, kEver, sampleRun().metrics);
  ASSERT_EQ(days.size(), 1u);
  EXPECT_EQ(days[0], sampleBucket(kNoon, 4, Resolution::day).bucket);
}

TEST(Record, ClockSetBackAnHourAndForthLosesNothing) {
  const Folder folder;
  ManualClock clock(kNoon);
  Record record(folder / "a.sqlite", {}, clock);
  RunFacts facts = sampleRun();
  const std::int64_t run = record.beginRun(facts);
  std::vector<Bucket> expected;
  const auto watch = [&](int seconds) {
    for (int i = 0; i < seconds; ++i) {
      const Moment now = clock.now();
      const auto changed =
          sampleBucket(now.utcMs, static_cast<double>(now.steadyMs), Resolution::second, now.era);
      expected.push_back(changed.bucket);
      record.write(run, {changed});
      clock.advance(1000);
    }
  };
  watch(20);
  clock.setUtc(kNoon - 3600000);
  watch(20);
  clock.setUtc(kNoon);  // the very seconds of the first era once more
  watch(20);
  ASSERT_TRUE(record.flush(kDiskMs));
  const RecordReader reader(folder / "a.sqlite");
  EXPECT_EQ(reader.buckets("gate", Resolution::second, 0, kEver, facts.metrics), expected);
  EXPECT_EQ(reader.buckets("gate", Resolution::second, kNoon, kNoon + 5000, facts.metrics).size(),
            10u);
  EXPECT_EQ(reader.firstBucket("gate", Resolution::second, 0), kNoon - 3600000);
}

TEST(Record, RunsAreNumberedOnOverManyLives) {
  const Folder folder;
  for (std::int64_t life = 1; life <= 3; ++life) {
    Record record(folder / "a.sqlite");
    EXPECT_EQ(record.beginRun(sampleRun()), 2 * life - 1);
    EXPECT_EQ(record.beginRun(sampleRun("yard")), 2 * life);
  }
  const RecordReader reader(folder / "a.sqlite");
  EXPECT_EQ(reader.sources(), (std::vector<std::string>{"gate", "yard"}));
  EXPECT_EQ(reader.runs("gate").size(), 3u);
  EXPECT_EQ(reader.runs("gate")[2].id, 5);
}

TEST(Record, WhatIsQueuedAtTheEndIsWritten) {
  const Folder folder;
  RecordOptions options;
  options.commitEveryMs = 3600000;
  options.silentMs = kDiskMs;  // for so long its end waits for the disk
  {
    Record record(folder / "a.sqlite", options);
    const std::int64_t run = record.beginRun(sampleRun());
    for (int i = 0; i < 12000; ++i) record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
    EXPECT_EQ(record.status().waiting, 12000u);
  }
  EXPECT_EQ(RecordReader(folder / "a.sqlite")
                .buckets("gate", Resolution::second, 0, kEver, {"luma"})
                .size(),
            12000u);
}

TEST(Record, WrongThingsAreRefusedInASentence) {
  const Folder folder;
  Record record(folder / "a.sqlite");
  const std::int64_t run = record.beginRun(sampleRun());
  EXPECT_EQ(refusal([&] { record.write(99, Event{}); }),
            "There is no run 99: begin one, and write to that");
  EXPECT_THROW(record.write(99, std::vector<Series::Changed>{}), std::invalid_argument);
  EXPECT_THROW(record.write(99, Snapshot{}), std::invalid_argument);
  Series::Changed changed = sampleBucket(kNoon, 1);
  changed.bucket.tallies.pop_back();
  EXPECT_EQ(refusal([&] { record.write(run, {changed}); }),
            "A bucket of 1 tallies for run 1, which has 2 metrics");
  EXPECT_THROW(record.beginRun(sampleRun("")), std::invalid_argument);
  EXPECT_THROW(record.beginRun(sampleRun("x", {"a", "a"})), std::invalid_argument);
  EXPECT_EQ(record.status().waiting, 0u);
  RecordOptions options;
  options.mostBytes = 1000;
  EXPECT_THROW(Record(folder / "b.sqlite", options), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(folder / "b.sqlite"));
}

}  // namespace
}  // namespace mpm::monitor
