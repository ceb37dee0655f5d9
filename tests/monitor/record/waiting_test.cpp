// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/waiting.h"

#include <gtest/gtest.h>

#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

Event event(const std::string& name) { return {{}, "rule", name, "", {}}; }

std::vector<std::int64_t> starts(const Batch& batch, Resolution resolution) {
  std::vector<std::int64_t> starts;
  for (const auto& [run, changed] : batch.buckets) {
    if (changed.resolution == resolution) starts.push_back(changed.bucket.startUtcMs);
  }
  return starts;
}

TEST(Waiting, ABucketThatComesAgainTakesItsOldPlace) {
  Waiting waiting(100);
  waiting.put(1, sampleBucket(0, 1));
  waiting.put(1, sampleBucket(1000, 1));
  waiting.put(1, sampleBucket(0, 2));
  waiting.put(2, sampleBucket(0, 3));                         // another run
  waiting.put(1, sampleBucket(0, 4, Resolution::second, 1));  // another era
  waiting.put(1, sampleBucket(0, 5, Resolution::minute));
  EXPECT_EQ(waiting.size(), 5u);
  const Batch batch = waiting.take(100);
  ASSERT_EQ(batch.buckets.size(), 5u);
  EXPECT_EQ(batch.buckets[0].second.resolution, Resolution::minute);
  EXPECT_EQ(batch.buckets[1].second.bucket, sampleBucket(0, 2).bucket);
  EXPECT_EQ(batch.buckets[2].first, 2);
  EXPECT_EQ(batch.buckets[3].second.bucket, sampleBucket(1000, 1).bucket);
}

TEST(Waiting, WhatIsTakenWaitsUntilItIsDone) {
  Waiting waiting(100);
  waiting.put(1, sampleBucket(0, 1));
  waiting.put(1, event("a"));
  const Batch batch = waiting.take(100);
  EXPECT_TRUE(waiting.empty());
  EXPECT_EQ(waiting.size(), 2u);
  waiting.done(batch);
  EXPECT_EQ(waiting.size(), 0u);
}

TEST(Waiting, WhatIsPutBackComesFirstButForWhatIsNewer) {
  Waiting waiting(100);
  for (int i = 0; i < 4; ++i) waiting.put(1, sampleBucket(1000 * i, 1));
  waiting.put(1, event("a"));
  waiting.put(1, event("b"));
  Batch batch = waiting.take(4);  // two events, two buckets
  waiting.put(1, sampleBucket(1000, 9));
  waiting.put(1, event("c"));
  waiting.putBack(std::move(batch));
  EXPECT_EQ(waiting.size(), 7u);
  const Batch again = waiting.take(100);
  ASSERT_EQ(again.events.size(), 3u);
  EXPECT_EQ(again.events[0].second.name, "a");
  EXPECT_EQ(again.events[2].second.name, "c");
  EXPECT_EQ(starts(again, Resolution::second), (std::vector<std::int64_t>{0, 1000, 2000, 3000}));
  EXPECT_EQ(again.buckets[1].second.bucket, sampleBucket(1000, 9).bucket);
  EXPECT_EQ(waiting.lost(), 0u);
}

TEST(Waiting, GivesUpTheOldestOfTheFinestAndCounts) {
  Waiting waiting(4);
  waiting.put(1, event("a"));
  waiting.put(1, sampleBucket(0, 1, Resolution::minute));
  for (int i = 0; i < 5; ++i) waiting.put(1, sampleBucket(1000 * i, 1));
  EXPECT_EQ(waiting.size(), 4u);
  EXPECT_EQ(waiting.lost(), 3u);
  Batch batch = waiting.take(100);
  EXPECT_EQ(starts(batch, Resolution::second), (std::vector<std::int64_t>{3000, 4000}));
  EXPECT_EQ(starts(batch, Resolution::minute), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(batch.events.size(), 1u);

  waiting.put(1, sampleBucket(5000, 1));  // newer than what is being written
  EXPECT_EQ(waiting.lost(), 3u);
  waiting.putBack(std::move(batch));
  EXPECT_EQ(waiting.lost(), 4u);
  EXPECT_EQ(waiting.size(), 4u);
  batch = waiting.take(100);
  EXPECT_EQ(starts(batch, Resolution::second), (std::vector<std::int64_t>{4000, 5000}));
  waiting.putBack(std::move(batch));
  for (int i = 0; i < 5; ++i) waiting.put(1, event("more"));
  EXPECT_EQ(waiting.size(), 4u);
  EXPECT_EQ(waiting.take(100).events.size(), 4u);  // without buckets, the oldest events go
}

// Newer ones may come first: those that a record has while it is asked which of the older it lost.
TEST(Waiting, TheOldestIsGivenUpWhicheverCameFirst) {
  Waiting waiting(4);
  for (const int second : {8, 9, 1, 2, 3, 4}) waiting.put(1, sampleBucket(1000 * second, 1));
  waiting.put(1, sampleBucket(5000, 1, Resolution::second, 1));  // the clock was set back
  EXPECT_EQ(starts(waiting.take(100), Resolution::second),
            (std::vector<std::int64_t>{4000, 8000, 9000, 5000}));
  EXPECT_EQ(waiting.lost(), 3u);
}

TEST(Waiting, ManyPutsAndTakesKeepTheirOrder) {
  Waiting waiting(1000);
  std::int64_t next = 0, expected = 0;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 7; ++i) waiting.put(1, sampleBucket(1000 * next++, 1));
    Batch batch = waiting.take(5);
    if (round % 3 == 0) {
      waiting.putBack(std::move(batch));
      continue;
    }
    for (const std::int64_t start : starts(batch, Resolution::second)) {
      EXPECT_EQ(start, 1000 * expected++);
    }
    waiting.done(batch);
  }
  EXPECT_EQ(waiting.size() + static_cast<std::size_t>(expected), static_cast<std::size_t>(next));
  EXPECT_EQ(waiting.lost(), 0u);
}

}  // namespace
}  // namespace mpm::monitor
