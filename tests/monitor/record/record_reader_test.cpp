// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/record_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "monitor/record/database.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

TEST(RecordReader, ReadsWhileItIsWritten) {
  const Folder folder;
  RecordOptions options;
  options.commitEveryMs = 2;
  Record record(folder / "a.sqlite", options);
  const std::int64_t run = record.beginRun(sampleRun());
  std::atomic<bool> stop = false;
  std::atomic<std::int64_t> queued = 0;
  std::thread writer([&] {
    for (std::int64_t i = 0; !stop; ++i) {
      record.write(run, {sampleBucket(kNoon + 1000 * i, 1),
                         sampleBucket(kNoon, static_cast<double>(i), Resolution::day)});
      queued = i + 1;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  std::size_t seen = 0;
  for (int i = 0; i < 100 || (seen < 100 && i < 100000); ++i) {
    const RecordReader reader(folder / "a.sqlite");
    const auto days = reader.buckets("gate", Resolution::day, 0, kEver, {"luma"});
    const auto seconds = reader.buckets("gate", Resolution::second, 0, kEver, {"luma"});
    EXPECT_GE(seconds.size(), seen);  // nothing goes again
    seen = seconds.size();
    // One transaction has both: the later look sees at least what the earlier saw of the other.
    if (!days.empty()) {
      EXPECT_GE(static_cast<double>(seconds.size()), days[0].tallies[0].largest + 1);
    }
    for (std::size_t k = 0; k < seconds.size(); ++k) {
      ASSERT_EQ(seconds[k].startUtcMs, kNoon + 1000 * static_cast<std::int64_t>(k));
    }
  }
  stop = true;
  writer.join();
  EXPECT_TRUE(record.flush(kDiskMs));
  EXPECT_EQ(record.status().fault, "");
  EXPECT_EQ(RecordReader(folder / "a.sqlite")
                .buckets("gate", Resolution::second, 0, kEver, {"luma"})
                .size(),
            static_cast<std::size_t>(queued));
}

TEST(RecordReader, MetricsComeInTheOrderAskedForAndRunsThatLackThemHaveNone) {
  const Folder folder;
  Record record(folder / "a.sqlite");
  const std::int64_t old = record.beginRun(sampleRun("gate", {"luma", "live_rows"}));
  const std::int64_t later = record.beginRun(sampleRun("gate", {"area.car", "luma"}));
  record.write(old, {sampleBucket(kNoon, 1)});
  record.write(later, {sampleBucket(kNoon + 1000, 2)});
  ASSERT_TRUE(record.flush(kDiskMs));
  const auto buckets =
      RecordReader(folder / "a.sqlite")
          .buckets("gate", Resolution::second, 0, kEver, {"live_rows", "luma", "none"});
  ASSERT_EQ(buckets.size(), 2u);
  const auto first = sampleBucket(kNoon, 1).bucket.tallies;
  const auto second = sampleBucket(kNoon, 2).bucket.tallies;
  EXPECT_EQ(buckets[0].tallies, (std::vector<Tally>{first[1], first[0], Tally{}}));
  EXPECT_EQ(buckets[1].tallies, (std::vector<Tally>{Tally{}, second[1], Tally{}}));
}

TEST(RecordReader, BucketsOfSeveralRunsStayApart) {
  const Folder folder;
  Record record(folder / "a.sqlite");
  for (int i = 0; i < 3; ++i) {
    const std::int64_t run = record.beginRun(sampleRun());
    record.write(run, {sampleBucket(kNoon, i + 1, Resolution::day),
                       sampleBucket(kNoon, i + 1, Resolution::day, 7)});
  }
  const std::int64_t other = record.beginRun(sampleRun("yard"));
  record.write(other, {sampleBucket(kNoon, 50, Resolution::day)});
  ASSERT_TRUE(record.flush(kDiskMs));
  const RecordReader reader(folder / "a.sqlite");
  const auto days = reader.buckets("gate", Resolution::day, 0, kEver, {"luma"});
  ASSERT_EQ(days.size(), 6u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(days[i].era, i % 2 * 7) << "by run, in each by era";
    EXPECT_EQ(days[i].tallies[0].largest, i / 2 + 1);
  }
  const std::int64_t second = reader.runs("gate")[1].id;
  const auto its = reader.buckets("gate", Resolution::day, 0, kEver, {"luma"}, second);
  EXPECT_EQ(its, (std::vector<Bucket>{days[2], days[3]}));
}

TEST(RecordReader, RangesIncludeTheirBeginningAlone) {
  const Folder folder;
  Record record(folder / "a.sqlite");
  const std::int64_t run = record.beginRun(sampleRun());
  for (int i = 0; i < 10; ++i) {
    record.write(run, {sampleBucket(kNoon + 1000 * i, 1)});
    record.write(run, Event{{0, kNoon + 1000 * i, 0, true}, "rule", "", "", {}});
  }
  ASSERT_TRUE(record.flush(kDiskMs));
  const RecordReader reader(folder / "a.sqlite");
  EXPECT_EQ(reader.buckets("gate", Resolution::second, kNoon + 2000, kNoon + 5000, {}).size(), 3u);
  EXPECT_EQ(reader.events("gate", kNoon + 2000, kNoon + 5000).size(), 3u);
  EXPECT_TRUE(reader.buckets("gate", Resolution::second, kNoon, kNoon, {}).empty());
  EXPECT_EQ(reader.firstBucket("gate", Resolution::second, kNoon + 1), kNoon + 1000);
  EXPECT_FALSE(reader.firstBucket("gate", Resolution::second, kNoon + 9001));
  EXPECT_FALSE(reader.firstBucket("gate", Resolution::hour, 0));
  EXPECT_TRUE(reader.runs("nobody").empty());
  EXPECT_TRUE(reader.buckets("nobody", Resolution::second, 0, kEver, {}).empty());
}

TEST(RecordReader, WhatIsNoRecordIsNamed) {
  const Folder folder;
  EXPECT_EQ(refusal([&] { RecordReader reader(folder / "a.sqlite"); }),
            "There is no record \"" + (folder / "a.sqlite") + "\"");
  EXPECT_NE(refusal([&] { RecordReader reader(folder.path().string()); }), "");
  { const std::ofstream file(folder / "empty"); }
  EXPECT_NE(refusal([&] { RecordReader reader(folder / "empty"); }).find("it is empty"),
            std::string::npos);
  std::ofstream(folder / "text") << std::string(5000, 't');
  EXPECT_NE(refusal([&] { RecordReader reader(folder / "text"); }), "");
  EXPECT_EQ(std::filesystem::file_size(folder / "text"), 5000u);
}

TEST(RecordReader, ABucketThatCannotBeReadIsNotShownAsAnother) {
  const Folder folder;
  {
    Record record(folder / "a.sqlite");
    record.write(record.beginRun(sampleRun()), {sampleBucket(kNoon, 1)});
  }
  Database(folder / "a.sqlite", Database::Access::readWrite, kDiskMs)
      .run("UPDATE bucket SET tallies = x'0702'");
  const RecordReader reader(folder / "a.sqlite");
  const std::string text =
      refusal([&] { reader.buckets("gate", Resolution::second, 0, kEver, {"luma"}); });
  EXPECT_NE(text.find("is damaged: the bucket that begins at 1793534400000 ms"), std::string::npos)
      << text;
}

TEST(RecordReader, FollowsARecordThatWasReplaced) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  { Record(path).beginRun(sampleRun("old")); }
  const RecordReader reader(path);
  EXPECT_EQ(reader.sources(), std::vector<std::string>{"old"});
  std::filesystem::rename(path, folder / "b.sqlite");
  EXPECT_EQ(reader.sources(), std::vector<std::string>{"old"});
  { Record(path).beginRun(sampleRun("new")); }
  EXPECT_EQ(reader.sources(), std::vector<std::string>{"new"});
}

}  // namespace
}  // namespace mpm::monitor
