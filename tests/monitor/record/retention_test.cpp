// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/retention.h"

#include <gtest/gtest.h>

#include <fstream>

#include "monitor/record/backup.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kEver = kNoon * 2, kHour = 3600000, kDay = 24 * kHour;

RecordOptions ofMegabytes(int megabytes) {
  RecordOptions options;
  options.mostBytes = std::int64_t{megabytes} << 20;
  return options;
}

// A record whose clock stands still until it is told otherwise.
class Kept {
 public:
  explicit Kept(const RecordOptions& options = {}, const RunFacts& facts = sampleRun())
      : options_(options), clock_(kNoon) {
    options_.commitEveryMs = 3600000;
    open(facts);
  }

  void open(const RunFacts& facts = sampleRun()) {
    close();
    record_ = std::make_unique<Record>(path(), options_, clock_);
    RunFacts begun = facts;
    begun.begun = clock_.now();
    run_ = record_->beginRun(begun);
    begun.source = "pulse";
    pulse_ = record_->beginRun(begun);
  }
  void close() { record_.reset(); }

  std::string path() const { return folder_ / "a.sqlite"; }
  ManualClock& clock() { return clock_; }
  Record& record() { return *record_; }
  std::int64_t run() const { return run_; }

  void write(std::int64_t startUtcMs, Resolution resolution = Resolution::second) {
    record_->write(run_, {sampleBucket(startUtcMs, 1, resolution)});
  }
  /// More than four megabytes have room for; gives how many seconds stay.
  std::size_t fill() {
    for (int second = 0; second < 10000; ++second) write(kNoon + second * 1000);
    settle();
    return starts().size();
  }
  void snapshot(std::int64_t takenUtcMs, int side = 8) {
    Snapshot snapshot;
    snapshot.taken = {0, takenUtcMs, 0, true};
    snapshot.labels = cv::Mat(side, side, CV_8U);
    cv::randu(snapshot.labels, 0, 256);
    record_->write(run_, snapshot);
  }
  void picture(std::int64_t takenUtcMs, bool withOverlay = false) {
    Snapshot snapshot;
    snapshot.taken = {0, takenUtcMs, 0, true};
    snapshot.picture = cv::Mat(64, 64, CV_8UC3);
    cv::randu(snapshot.picture, 0, 256);
    if (withOverlay) snapshot.overlay = snapshot.picture;
    record_->write(run_, snapshot);
  }
  void clip(std::int64_t takenUtcMs, std::size_t bytes) {
    fs::create_directories(folder_.path() / "a-snapshots");
    Snapshot snapshot;
    snapshot.taken = {0, takenUtcMs, 0, true};
    snapshot.clip = folder_.path() / ("a-snapshots/" + std::to_string(takenUtcMs) + ".avi.part");
    std::ofstream(snapshot.clip) << std::string(bytes, 'x');
    record_->write(run_, snapshot);
    ASSERT_TRUE(record_->flush(60000));
  }
  // Time for the record to look after itself; as often as it wants to.
  void settle() {
    for (int i = 0; i < 20; ++i) {
      clock_.advance(61000);
      record_->write(pulse_, {sampleBucket(kNoon, i, Resolution::day)});
      ASSERT_TRUE(record_->flush(60000));
    }
  }
  // On a slow machine it takes more rounds.
  template <typename Condition>
  void settleUntil(const Condition& condition) {
    settle();
    for (int i = 0; i < 20 && !condition(); ++i) settle();
  }
  std::vector<std::int64_t> starts(Resolution resolution = Resolution::second) const {
    std::vector<std::int64_t> starts;
    for (const Bucket& bucket : RecordReader(path()).buckets("gate", resolution, 0, kEver, {})) {
      starts.push_back(bucket.startUtcMs);
    }
    return starts;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path() / "a-snapshots"), {}));
  }

 private:
  Folder folder_;
  RecordOptions options_;
  ManualClock clock_;
  std::unique_ptr<Record> record_;
  std::int64_t run_ = 0, pulse_ = 0;
};

TEST(Retention, EachResolutionHasItsAge) {
  RecordOptions options;
  options.keepDays = {2, 4, 6, 8};
  Kept kept(options);
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

TEST(Retention, ClipsHaveALimitOfTheirOwn) {
  RecordOptions options;
  options.mostClipBytes = 25000;
  Kept kept(options);
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

TEST(Retention, PicturesOfTheDayHaveALimitOfTheirOwn) {
  RecordOptions options;
  options.mostPictureBytes = 100000;
  Kept kept(options);
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

TEST(Retention, WhatItsBackupsTakeCounts) {
  Kept kept(ofMegabytes(4));
  const std::size_t before = kept.fill();
  std::ofstream(backupOf(kept.path(), 1)) << std::string(1900 << 10, 'x');
  std::ofstream(backupOf(kept.path(), 2)) << std::string(1900 << 10, 'x');
  kept.settleUntil([&] { return kept.starts().size() < before; });
  EXPECT_LT(kept.starts().size(), before);
  EXPECT_TRUE(fs::exists(backupOf(kept.path(), 1)));
  EXPECT_FALSE(fs::exists(backupOf(kept.path(), 2))) << "backups take half of it at most";
  EXPECT_LE(kept.record().status().bytes, 4 << 20);
}

TEST(Retention, ABackupOfMoreThanTheLimitLeavesTheRecordItsHalf) {
  Kept kept(ofMegabytes(4));
  const std::size_t before = kept.fill();
  std::ofstream(backupOf(kept.path(), 1)) << std::string(5000 << 10, 'x');
  kept.settleUntil([&] { return kept.starts().size() < before; });
  EXPECT_TRUE(fs::exists(backupOf(kept.path(), 1)));
  EXPECT_GT(kept.record().status().bytes, 5000 << 10) << "it counts";
  EXPECT_LT(kept.starts().size(), before);
  EXPECT_GT(kept.starts().size(), before / 8);
}

TEST(Retention, WhatDamagedRecordsTakeCountsAndTheNewestStays) {
  Kept kept(ofMegabytes(4));
  const std::size_t before = kept.fill();
  const std::string older = kept.path() + ".damaged-20261030T120000.000Z";
  const std::string newest = kept.path() + ".damaged-20261031T120000.000Z";
  std::ofstream(older) << std::string(900 << 10, 'x');
  std::ofstream(newest) << std::string(1900 << 10, 'x');
  kept.open();
  kept.settleUntil([&] { return kept.starts().size() < before; });
  EXPECT_LT(kept.starts().size(), before);
  EXPECT_TRUE(fs::exists(newest));
  EXPECT_FALSE(fs::exists(older));
  EXPECT_LE(kept.record().status().bytes, 4 << 20);
  // One that takes more than the limit leaves its successor the half that is the record's.
  std::ofstream(newest) << std::string(5000 << 10, 'x');
  kept.open();
  kept.settle();
  EXPECT_TRUE(fs::exists(newest));
  EXPECT_GT(kept.record().status().bytes, 5000 << 10);
  EXPECT_GT(kept.starts().size(), before / 8);
}

TEST(Retention, EventsAndSnapshotsWithTheirFilesHaveTheirs) {
  RecordOptions options;
  options.keepEventsDays = 3;
  options.keepSnapshotsDays = 5;
  Kept kept(options);
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
  Kept kept;
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

TEST(Retention, AClockThatWasJustSetIsNotBelieved) {
  Kept kept;
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
  Kept kept;
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
  Kept kept;
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
  Kept kept;
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

TEST(Retention, TheMostBytesAreKeptTo) {
  constexpr std::int64_t kMost = 4 << 20;
  RecordOptions options;
  options.mostBytes = kMost;
  Kept kept(options);
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
TEST(Retention, OldEventsGoBeforeSecondsOfToday) {
  constexpr std::int64_t kMost = 2 << 20;
  RecordOptions options;
  options.mostBytes = kMost;
  Kept kept(options);
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

TEST(Retention, AFewOldEventsStayBesideManySeconds) {
  constexpr std::int64_t kMost = 2 << 20;
  RecordOptions options;
  options.mostBytes = kMost;
  Kept kept(options);
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

TEST(Retention, SnapshotsAndMinutesThatAreTooMuchGoAndFewSecondsStay) {
  RecordOptions options;
  options.mostBytes = 2 << 20;
  Kept kept(options);
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

TEST(Retention, TheForecastComesWithTime) {
  Kept kept;
  kept.settle();
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 900; ++k) kept.write(kNoon + 1000 * (900 * i + k));
    kept.clock().advance(900000);
    ASSERT_TRUE(kept.record().flush(60000));
  }
  const RecordStatus status = kept.record().status();
  ASSERT_TRUE(status.daysToFull);
  EXPECT_GT(*status.daysToFull, 0);
}

}  // namespace
}  // namespace mpm::monitor
