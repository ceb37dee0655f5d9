// SPDX-License-Identifier: Apache-2.0
// What goes by its age, and what a clock says of that.
#include <gtest/gtest.h>

#include "monitor/record/kept_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kHour = 3600000, kDay = 24 * kHour;

TEST(Retention, EachResolutionHasItsAge) {
  RecordOptions options;
  options.keepDays = {2, 4, 6, 8};
  KeptRecord kept(options);
  for (const Resolution resolution : kAllResolutions) {
    for (int day = 0; day < 9; ++day) kept.write(kNoon + day * kDay, resolution);
  }
  kept.clock().advance(9 * kDay);
  kept.settle();
  EXPECT_EQ(kept.starts(Resolution::second), (std::vector<std::int64_t>{kNoon + 8 * kDay}));
  EXPECT_EQ(kept.starts(Resolution::minute).size(), 3u);
  EXPECT_EQ(kept.starts(Resolution::hour).size(), 5u);
  EXPECT_EQ(kept.starts(Resolution::day).size(), 7u);
}

TEST(Retention, EventsAndSnapshotsWithTheirFilesHaveTheirs) {
  RecordOptions options;
  options.keepEventsDays = 3;
  options.keepSnapshotsDays = 5;
  KeptRecord kept(options);
  for (int day = 0; day < 9; ++day) {
    kept.record().write(kept.run(), Event{{0, kNoon + day * kDay, 0, true}, "rule", "", "", {}});
    kept.snapshot(kNoon + day * kDay);
  }
  kept.settle();
  EXPECT_EQ(kept.files(), 18u);
  kept.clock().advance(9 * kDay);
  kept.settle();
  const RecordReader reader(kept.path());
  EXPECT_EQ(reader.events("gate", 0, kEver).size(), 2u);
  EXPECT_EQ(reader.snapshots("gate", 0, kEver).size(), 4u);
  EXPECT_EQ(kept.files(), 8u);
}

TEST(Retention, AReplaysTimesAreNoAge) {
  KeptRecord kept;
  for (int i = 0; i < 10; ++i) kept.write(1000 * i);  // positions in a file
  kept.write(0, Resolution::day);
  kept.snapshot(5000);
  kept.clock().advance(kDay);
  kept.settle();
  EXPECT_EQ(kept.starts().size(), 10u);
  EXPECT_EQ(kept.files(), 2u);
  kept.clock().advance(2 * kDay);  // by now the run is old
  kept.settle();
  EXPECT_TRUE(kept.starts().empty());
  EXPECT_EQ(kept.starts(Resolution::day).size(), 1u);
}

// Seen: a run that began in 2037 kept what it saw once its clock was set for eleven years.
TEST(Retention, WhatARunSeesThatBeganWhileTheClockWasAheadHasItsAge) {
  RecordOptions options;
  options.keepSnapshotsDays = options.keepEventsDays = 2;
  for (const bool isReplay : {false, true}) {
    RunFacts facts = sampleRun();
    facts.settings = isReplay ? R"({"replay":true})" : R"({"replay":false})";
    KeptRecord kept(options, facts);
    kept.clock().setUtc(kNoon + 4000 * kDay);
    kept.open(facts);
    kept.clock().setUtc(kNoon);
    for (int i = 0; i < 10; ++i) kept.write(kNoon + 1000 * i);
    kept.snapshot(kNoon);
    kept.record().write(kept.run(), Event{{0, kNoon, 0, true}, "rule", "", "", {}});
    kept.settle();
    EXPECT_EQ(kept.starts().size(), 10u);
    kept.clock().advance(3 * kDay);
    kept.settle();
    EXPECT_EQ(kept.starts().size(), isReplay ? 10u : 0u);
    EXPECT_EQ(kept.files(), isReplay ? 2u : 0u);
    EXPECT_EQ(RecordReader(kept.path()).events("gate", 0, kEver).size(), isReplay ? 1u : 0u);
  }
}

TEST(Retention, AClockThatWasJustSetIsNotBelieved) {
  KeptRecord kept;
  for (int i = 0; i < 10; ++i) kept.write(kNoon + 1000 * i);
  kept.settle();
  kept.clock().setUtc(kNoon + 3650 * kDay);
  kept.settle();
  EXPECT_EQ(kept.starts().size(), 10u);
  kept.clock().advance(kDay - 2 * kHour);
  kept.clock().setUtc(kNoon + 2 * kHour);  // set right again
  kept.clock().advance(kDay);
  kept.settle();
  EXPECT_EQ(kept.starts().size(), 10u);
  kept.clock().advance(2 * kDay);  // and now they are old
  kept.settle();
  EXPECT_TRUE(kept.starts().empty());
}

TEST(Retention, AfterALongPauseTheClockIsBelievedADayLater) {
  KeptRecord kept;
  for (int i = 0; i < 10; ++i) kept.write(kNoon + 1000 * i);
  kept.settle();
  kept.close();
  kept.clock().advance(100 * kDay);
  kept.open();
  kept.settle();
  EXPECT_EQ(kept.starts().size(), 10u);
  kept.clock().advance(kDay);
  kept.settle();
  EXPECT_TRUE(kept.starts().empty());
}

TEST(Retention, RunsWithNothingLeftGo) {
  KeptRecord kept;
  for (int i = 0; i < 5; ++i) kept.open();
  kept.write(kNoon, Resolution::day);
  kept.open();
  kept.open(sampleRun("yard"));  // idle, but the newest of its source
  EXPECT_EQ(RecordReader(kept.path()).runs("gate").size(), 7u);
  kept.clock().advance(2 * kDay);
  kept.settle();
  EXPECT_EQ(RecordReader(kept.path()).runs("gate").size(), 2u);
  EXPECT_EQ(RecordReader(kept.path()).runs("yard").size(), 1u);
}

TEST(Retention, WhatIsDeletedShrinksTheFile) {
  KeptRecord kept;
  for (int i = 0; i < 20000; ++i) kept.write(kNoon + 1000 * i);
  kept.settle();
  const auto before = fs::file_size(kept.path());
  kept.clock().advance(3 * kDay);
  kept.settleUntil([&] { return fs::file_size(kept.path()) < 1200000; });
  EXPECT_TRUE(kept.starts().empty());
  EXPECT_GT(before, 2500000u);
  EXPECT_LT(fs::file_size(kept.path()), 1200000u);
  EXPECT_LE(kept.record().status().bytes,
            static_cast<std::int64_t>(fs::file_size(kept.path())) + (4 << 20));
}

TEST(Retention, TheForecastComesWithTime) {
  KeptRecord kept;
  kept.settle();
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 900; ++k) kept.write(kNoon + 1000 * (900 * i + k));
    kept.clock().advance(900000);
    ASSERT_TRUE(kept.record().flush(kDiskMs));
  }
  const RecordStatus status = kept.record().status();
  ASSERT_TRUE(status.daysToFull);
  EXPECT_GT(*status.daysToFull, 0);
}

}  // namespace
}  // namespace mpm::monitor
