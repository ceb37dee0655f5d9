// SPDX-License-Identifier: Apache-2.0
// What goes so that the bytes that may be taken are kept to.
#include <gtest/gtest.h>

#include <fstream>

#include "monitor/record/backup.h"
#include "monitor/record/kept_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kHour = 3600000, kDay = 24 * kHour;

RecordOptions ofMegabytes(int megabytes) {
  RecordOptions options;
  options.mostBytes = std::int64_t{megabytes} << 20;
  return options;
}

TEST(RetentionOfBytes, ClipsHaveALimitOfTheirOwn) {
  RecordOptions options;
  options.mostClipBytes = 25000;
  KeptRecord kept(options);
  kept.snapshot(kNoon - 1000);
  for (int hour = 0; hour < 5; ++hour) kept.clip(kNoon + hour * 3600000, 10000);
  kept.settle();
  const auto found = RecordReader(kept.path()).snapshots("gate", 0, kEver);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NE(found[0].labels, "") << "pictures stay";
  EXPECT_EQ(found[1].taken.utcMs, kNoon + 3 * 3600000) << "the newest two";
  EXPECT_EQ(fs::file_size(found[2].clip), 10000u);
  EXPECT_EQ(kept.files(), 6u);
}

TEST(RetentionOfBytes, PicturesOfTheDayHaveALimitOfTheirOwn) {
  RecordOptions options;
  options.mostPictureBytes = 100000;
  KeptRecord kept(options);
  kept.picture(kNoon - 1000, true);  // a rule's
  for (int hour = 0; hour < 40; ++hour) kept.picture(kNoon + hour * kHour);
  kept.settle();
  const auto found = RecordReader(kept.path()).snapshots("gate", 0, kEver);
  ASSERT_GT(found.size(), 2u);
  ASSERT_LT(found.size(), 41u);
  EXPECT_NE(found[0].overlay, "") << "other snapshots stay";
  EXPECT_EQ(found.back().taken.utcMs, kNoon + 39 * kHour) << "the oldest go";
  std::uintmax_t bytes = 0;
  for (std::size_t i = 1; i < found.size(); ++i) bytes += fs::file_size(found[i].picture);
  EXPECT_LE(bytes, 100000u);
}

TEST(RetentionOfBytes, WhatItsBackupsTakeCounts) {
  KeptRecord kept(ofMegabytes(4));
  const std::size_t before = kept.fill();
  std::ofstream(backupOf(kept.path(), 1)) << std::string(1900 << 10, 'x');
  std::ofstream(backupOf(kept.path(), 2)) << std::string(1900 << 10, 'x');
  kept.clock().advance(kHour);  // what lies beside is weighed once in one
  kept.settleUntil([&] { return kept.starts().size() < before; });
  EXPECT_LT(kept.starts().size(), before);
  EXPECT_TRUE(fs::exists(backupOf(kept.path(), 1)));
  EXPECT_FALSE(fs::exists(backupOf(kept.path(), 2))) << "backups take half of it at most";
  EXPECT_LE(kept.record().status().bytes, 4 << 20);
}

TEST(RetentionOfBytes, ABackupOfMoreThanTheLimitLeavesTheRecordItsHalf) {
  KeptRecord kept(ofMegabytes(4));
  const std::size_t before = kept.fill();
  std::ofstream(backupOf(kept.path(), 1)) << std::string(5000 << 10, 'x');
  kept.clock().advance(kHour);  // what lies beside is weighed once in one
  kept.settleUntil([&] { return kept.starts().size() < before; });
  EXPECT_TRUE(fs::exists(backupOf(kept.path(), 1)));
  EXPECT_GT(kept.record().status().bytes, 5000 << 10) << "it counts";
  EXPECT_LT(kept.starts().size(), before);
  EXPECT_GT(kept.starts().size(), before / 8);
}

TEST(RetentionOfBytes, TheMostBytesAreKeptTo) {
  constexpr std::int64_t kMost = 4 << 20;
  RecordOptions options;
  options.mostBytes = kMost;
  KeptRecord kept(options);
  for (int i = 0; i < 200; ++i) kept.write(kNoon + 60000 * i, Resolution::minute);
  kept.snapshot(kNoon, 200);
  std::int64_t seconds = 0;
  for (int part = 0; part < 10; ++part) {
    for (int i = 0; i < 4000; ++i) kept.write(kNoon + 1000 * seconds++);
    kept.settleUntil([&] { return kept.record().status().bytes <= kMost; });
    EXPECT_LE(kept.record().status().bytes, kMost) << part;
  }
  const std::vector<std::int64_t> starts = kept.starts();
  EXPECT_GT(starts.size(), 5000u);
  EXPECT_LT(starts.size(), 30000u);
  EXPECT_EQ(starts.back(), kNoon + 1000 * (seconds - 1));
  EXPECT_EQ(starts.front(), kNoon + 1000 * (seconds - static_cast<std::int64_t>(starts.size())))
      << "the oldest go";
  EXPECT_EQ(kept.starts(Resolution::minute).size(), 200u);
  EXPECT_EQ(kept.files(), 2u);
}

// 6000 events in half a year, and the seconds of two hours.
TEST(RetentionOfBytes, OldEventsGoBeforeSecondsOfToday) {
  constexpr std::int64_t kMost = 2 << 20;
  RecordOptions options;
  options.mostBytes = kMost;
  KeptRecord kept(options);
  for (int i = 0; i < 6000; ++i) {
    const std::int64_t utcMs = kNoon - 180 * kDay + i * (180 * kDay / 6000);
    kept.record().write(kept.run(),
                        Event{{i, utcMs, 0, true}, "rule", "r", std::string(400, 'x'), {}});
  }
  for (int i = 0; i < 2000; ++i) kept.write(kNoon + 1000 * i);
  for (int i = 0; i < 100; ++i) kept.write(kNoon - i * kDay, Resolution::day);
  kept.settleUntil([&] { return kept.record().status().bytes <= kMost; });
  EXPECT_LE(kept.record().status().bytes, kMost);
  EXPECT_EQ(kept.starts().size(), 2000u);
  EXPECT_EQ(kept.starts(Resolution::day).size(), 100u);
  const auto events = RecordReader(kept.path()).events("gate", 0, kEver);
  EXPECT_LT(events.size(), 4000u);
  ASSERT_GT(events.size(), 500u);
  EXPECT_GT(events.back().at.utcMs, kNoon - kDay);
  EXPECT_LT(events.back().at.utcMs - events.front().at.utcMs, 120 * kDay) << "the oldest went";
}

TEST(RetentionOfBytes, AFewOldEventsStayBesideManySeconds) {
  constexpr std::int64_t kMost = 2 << 20;
  RecordOptions options;
  options.mostBytes = kMost;
  KeptRecord kept(options);
  for (int i = 0; i < 200; ++i) {
    kept.record().write(kept.run(), Event{{i, kNoon - i * kDay, 0, true}, "rule", "r", "x", {}});
  }
  for (int i = 0; i < 15000; ++i) kept.write(kNoon + 1000 * i);
  kept.settleUntil([&] { return kept.record().status().bytes <= kMost; });
  EXPECT_LE(kept.record().status().bytes, kMost);
  EXPECT_GT(kept.starts().size(), 4000u);
  EXPECT_EQ(kept.starts().back(), kNoon + 14999000);
  EXPECT_EQ(RecordReader(kept.path()).events("gate", 0, kEver).size(), 200u);
}

TEST(RetentionOfBytes, SnapshotsAndMinutesThatAreTooMuchGoAndFewSecondsStay) {
  RecordOptions options;
  options.mostBytes = 2 << 20;
  KeptRecord kept(options);
  for (int i = 0; i < 12; ++i) kept.snapshot(kNoon + 1000 * i, 400);  // 160 kB each
  for (int i = 0; i < 100; ++i) kept.write(kNoon + 1000 * i);
  kept.write(kNoon, Resolution::minute);
  const auto isSmall = [&] { return kept.record().status().bytes <= 2 << 20; };
  kept.settleUntil(isSmall);
  EXPECT_EQ(kept.starts().size(), 100u);
  const auto snapshots = RecordReader(kept.path()).snapshots("gate", 0, kEver);
  EXPECT_LT(snapshots.size(), 12u);
  EXPECT_GT(snapshots.size(), 4u);
  EXPECT_EQ(snapshots.back().taken.utcMs, kNoon + 11000);
  EXPECT_EQ(kept.starts(Resolution::minute).size(), 1u);
  EXPECT_LE(kept.record().status().bytes, 2 << 20);

  for (int i = 0; i < 12000; ++i) kept.write(kNoon + 60000 * i, Resolution::minute);
  for (int i = 0; i < 50; ++i) kept.write(kNoon + kHour * i, Resolution::hour);
  kept.settleUntil(isSmall);
  // Of both more than its share was there, and snapshots are the older ones.
  EXPECT_LE(RecordReader(kept.path()).snapshots("gate", 0, kEver).size(), 2u);
  EXPECT_LT(kept.starts(Resolution::minute).size(), 12000u);
  EXPECT_GT(kept.starts(Resolution::minute).size(), 2000u);
  EXPECT_EQ(kept.starts(Resolution::hour).size(), 50u);
  EXPECT_LE(kept.record().status().bytes, 2 << 20);
}

}  // namespace
}  // namespace mpm::monitor
