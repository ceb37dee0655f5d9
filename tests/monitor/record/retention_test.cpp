// SPDX-License-Identifier: Apache-2.0
// What goes by its age, what a clock says of that, and what goes so that the bytes that may be
// taken are kept to.
#include "monitor/record/backup.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kHour = 3600000, kDay = 24 * kHour, kMb = 1 << 20;

// A record whose clock stands still until it is told otherwise.
class KeptRecord {
 public:
  explicit KeptRecord(const RecordOptions& options = {}, const RunFacts& facts = sampleRun())
      : options_(options) {
    options_.commitEveryMs = 3600000;
    options_.silentMs = kDiskMs;
    open(facts);
  }

  void open(RunFacts facts = sampleRun()) {
    close();
    record_ = std::make_unique<Record>(path(), options_, clock_);
    facts.begun = clock_.now();
    run_ = record_->beginRun(facts);
    facts.source = "pulse";
    pulse_ = record_->beginRun(facts);
  }
  void close() { record_.reset(); }

  std::string path() const { return folder_ / "a.sqlite"; }
  ManualClock& clock() { return clock_; }
  Record& record() { return *record_; }
  std::int64_t bytes() const { return record_->status().bytes; }

  void write(std::int64_t startUtcMs, Resolution resolution = Resolution::second) {
    record_->write(run_, {sampleBucket(startUtcMs, 1, resolution)});
  }
  // So many, `stepMs` apart, the first at noon.
  void write(int count, std::int64_t stepMs, Resolution resolution) {
    for (int i = 0; i < count; ++i) write(kNoon + i * stepMs, resolution);
  }
  void seconds(int count) { write(count, 1000, Resolution::second); }
  void event(std::int64_t utcMs, const std::string& text = "") {
    record_->write(run_, eventAt(utcMs, "rule", "r", text));
  }
  void snapshot(std::int64_t takenUtcMs, int side = 8) {
    const cv::Mat labels(side, side, CV_8U);
    cv::randu(labels, 0, 256);
    record_->write(run_, snapshotAt(takenUtcMs, labels));
  }
  void picture(std::int64_t takenUtcMs, bool withOverlay = false) {
    Snapshot snapshot = snapshotAt(takenUtcMs, {}, cv::Mat(64, 64, CV_8UC3));
    cv::randu(snapshot.picture, 0, 256);
    if (withOverlay) snapshot.overlay = snapshot.picture;
    record_->write(run_, snapshot);
  }
  void clip(std::int64_t takenUtcMs, std::size_t bytes) {
    const auto path = snapshotFolderOf(this->path()) / (std::to_string(takenUtcMs) + ".avi.part");
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << std::string(bytes, 'x');
    record_->write(run_, snapshotAt(takenUtcMs, {}, {}, path));
    ASSERT_TRUE(record_->flush(kDiskMs));
  }
  // Time for the record to look after itself, as often as it wants to, once `afterMs` are over.
  void settle(std::int64_t afterMs = 0) {
    clock_.advance(afterMs);
    for (int i = 0; i < 20; ++i) {
      clock_.advance(61000);
      record_->write(pulse_, {sampleBucket(kNoon, i, Resolution::day)});
      ASSERT_TRUE(record_->flush(kDiskMs));
    }
  }
  // On a slow machine it takes more rounds.
  void settleUntil(const std::function<bool()>& condition) {
    settle();
    for (int i = 0; i < 20 && !condition(); ++i) settle();
    EXPECT_TRUE(condition());
  }
  std::vector<std::int64_t> starts(Resolution resolution = Resolution::second) const {
    std::vector<std::int64_t> starts;
    for (const Bucket& bucket : RecordReader(path()).buckets("gate", resolution, 0, kEver, {}))
      starts.push_back(bucket.startUtcMs);
    return starts;
  }
  std::size_t count(Resolution resolution = Resolution::second) const {
    return starts(resolution).size();
  }
  std::size_t events() const { return eventsIn(path()).size(); }
  std::size_t files() const {
    const std::filesystem::directory_iterator all(snapshotFolderOf(path()));
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

 private:
  Folder folder_;
  RecordOptions options_;
  ManualClock clock_{kNoon};
  std::unique_ptr<Record> record_;
  std::int64_t run_ = 0, pulse_ = 0;
};

TEST(Retention, EachResolutionHasItsAge) {
  KeptRecord kept({.keepDays = {2, 4, 6, 8}});
  for (const Resolution resolution : kAllResolutions) kept.write(9, kDay, resolution);
  kept.settle(9 * kDay);
  EXPECT_EQ(kept.starts(Resolution::second), std::vector{kNoon + 8 * kDay});
  EXPECT_EQ(kept.count(Resolution::minute), 3u);
  EXPECT_EQ(kept.count(Resolution::hour), 5u);
  EXPECT_EQ(kept.count(Resolution::day), 7u);
}

TEST(Retention, EventsAndSnapshotsWithTheirFilesHaveTheirs) {
  KeptRecord kept({.keepEventsDays = 3, .keepSnapshotsDays = 5});
  for (int day = 0; day < 9; ++day) {
    kept.event(kNoon + day * kDay);
    kept.snapshot(kNoon + day * kDay);
  }
  kept.settle();
  EXPECT_EQ(kept.files(), 18u);
  kept.settle(9 * kDay);
  EXPECT_EQ(kept.events(), 2u);
  EXPECT_EQ(snapshotsIn(kept.path()).size(), 4u);
  EXPECT_EQ(kept.files(), 8u);
}

TEST(Retention, AReplaysTimesAreNoAge) {
  KeptRecord kept;
  for (int i = 0; i < 10; ++i) kept.write(1000 * i);  // positions in a file
  kept.write(0, Resolution::day);
  kept.snapshot(5000);
  kept.settle(kDay);
  EXPECT_EQ(kept.count(), 10u);
  EXPECT_EQ(kept.files(), 2u);
  kept.settle(2 * kDay);  // by now the run is old
  EXPECT_EQ(kept.count(), 0u);
  EXPECT_EQ(kept.count(Resolution::day), 1u);
}

// Seen: a run that began in 2037 kept what it saw once its clock was set for eleven years.
TEST(Retention, WhatARunSeesThatBeganWhileTheClockWasAheadHasItsAge) {
  for (const bool isReplay : {false, true}) {
    RunFacts facts = sampleRun();
    facts.settings = isReplay ? R"({"replay":true})" : R"({"replay":false})";
    KeptRecord kept({.keepEventsDays = 2, .keepSnapshotsDays = 2}, facts);
    kept.clock().setUtc(kNoon + 4000 * kDay);
    kept.open(facts);
    kept.clock().setUtc(kNoon);
    kept.seconds(10);
    kept.snapshot(kNoon);
    kept.event(kNoon);
    kept.settle();
    EXPECT_EQ(kept.count(), 10u);
    kept.settle(3 * kDay);
    EXPECT_EQ(kept.count(), isReplay ? 10u : 0u);
    EXPECT_EQ(kept.files(), isReplay ? 2u : 0u);
    EXPECT_EQ(kept.events(), isReplay ? 1u : 0u);
  }
}

TEST(Retention, AClockThatWasJustSetIsNotBelieved) {
  KeptRecord kept;
  kept.seconds(10);
  kept.settle();
  kept.clock().setUtc(kNoon + 3650 * kDay);
  kept.settle();
  EXPECT_EQ(kept.count(), 10u);
  kept.clock().advance(kDay - 2 * kHour);
  kept.clock().setUtc(kNoon + 2 * kHour);  // set right again
  kept.settle(kDay);
  EXPECT_EQ(kept.count(), 10u);
  kept.settle(2 * kDay);  // and now they are old
  EXPECT_EQ(kept.count(), 0u);
}

TEST(Retention, AfterALongPauseTheClockIsBelievedADayLater) {
  KeptRecord kept;
  kept.seconds(10);
  kept.settle();
  kept.close();
  kept.clock().advance(100 * kDay);
  kept.open();
  kept.settle();
  EXPECT_EQ(kept.count(), 10u);
  kept.settle(kDay);
  EXPECT_EQ(kept.count(), 0u);
}

TEST(Retention, RunsWithNothingLeftGo) {
  KeptRecord kept;
  for (int i = 0; i < 5; ++i) kept.open();
  kept.write(kNoon, Resolution::day);
  kept.open();
  kept.open(sampleRun("yard"));  // idle, but the newest of its source
  EXPECT_EQ(RecordReader(kept.path()).runs("gate").size(), 7u);
  kept.settle(2 * kDay);
  EXPECT_EQ(RecordReader(kept.path()).runs("gate").size(), 2u);
  EXPECT_EQ(RecordReader(kept.path()).runs("yard").size(), 1u);
}

TEST(Retention, WhatIsDeletedShrinksTheFile) {
  KeptRecord kept;
  kept.seconds(20000);
  kept.settle();
  EXPECT_GT(fs::file_size(kept.path()), 2500000u);
  kept.clock().advance(3 * kDay);
  kept.settleUntil([&] { return fs::file_size(kept.path()) < 1200000; });
  EXPECT_EQ(kept.count(), 0u);
  EXPECT_LE(kept.bytes(), static_cast<std::int64_t>(fs::file_size(kept.path())) + 4 * kMb);
}

TEST(Retention, TheForecastComesWithTime) {
  KeptRecord kept;
  kept.settle();
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 900; ++k) kept.write(kNoon + 1000 * (900 * i + k));
    kept.clock().advance(900000);
    ASSERT_TRUE(kept.record().flush(kDiskMs));
  }
  ASSERT_TRUE(kept.record().status().daysToFull);
  EXPECT_GT(*kept.record().status().daysToFull, 0);
}

TEST(RetentionOfBytes, ClipsHaveALimitOfTheirOwn) {
  KeptRecord kept({.mostClipBytes = 25000});
  kept.snapshot(kNoon - 1000);
  for (int hour = 0; hour < 5; ++hour) kept.clip(kNoon + hour * kHour, 10000);
  kept.settle();
  const auto found = snapshotsIn(kept.path());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NE(found[0].labels, "") << "pictures stay";
  EXPECT_EQ(found[1].taken.utcMs, kNoon + 3 * kHour) << "the newest two";
  EXPECT_EQ(fs::file_size(found[2].clip), 10000u);
  EXPECT_EQ(kept.files(), 6u);
}

TEST(RetentionOfBytes, PicturesOfTheDayHaveALimitOfTheirOwn) {
  KeptRecord kept({.mostPictureBytes = 100000});
  kept.picture(kNoon - 1000, true);  // a rule's
  for (int hour = 0; hour < 40; ++hour) kept.picture(kNoon + hour * kHour);
  kept.settle();
  const auto found = snapshotsIn(kept.path());
  ASSERT_GT(found.size(), 2u);
  ASSERT_LT(found.size(), 41u);
  EXPECT_NE(found[0].overlay, "") << "other snapshots stay";
  EXPECT_EQ(found.back().taken.utcMs, kNoon + 39 * kHour) << "the oldest go";
  std::uintmax_t bytes = 0;
  for (std::size_t i = 1; i < found.size(); ++i) bytes += fs::file_size(found[i].picture);
  EXPECT_LE(bytes, 100000u);
}

TEST(RetentionOfBytes, BackupsCountAndLeaveTheRecordItsHalf) {
  for (const int each : {1900 << 10, 5000 << 10}) {  // two of less than the limit, one of more
    KeptRecord kept({.mostBytes = 4 * kMb});
    kept.seconds(10000);  // more than four megabytes have room for
    kept.settle();
    const std::size_t before = kept.count();
    const bool isMore = each > 4 * kMb;
    for (int number = 1; number <= (isMore ? 1 : 2); ++number)
      std::ofstream(backupOf(kept.path(), number)) << std::string(each, 'x');
    kept.clock().advance(kHour);  // what lies beside is weighed once in one
    kept.settleUntil([&] { return kept.count() < before; });
    EXPECT_GT(kept.count(), isMore ? before / 8 : 0u);
    EXPECT_TRUE(fs::exists(backupOf(kept.path(), 1)));
    EXPECT_FALSE(fs::exists(backupOf(kept.path(), 2))) << "backups take half of it at most";
    EXPECT_EQ(kept.bytes() > 4 * kMb, isMore) << "it counts";
    EXPECT_GT(kept.bytes(), isMore ? each : 0);
  }
}

TEST(RetentionOfBytes, TheMostBytesAreKeptTo) {
  KeptRecord kept({.mostBytes = 4 * kMb});
  kept.write(200, 60000, Resolution::minute);
  kept.snapshot(kNoon, 200);
  std::int64_t seconds = 0;
  for (int part = 0; part < 10; ++part) {
    for (int i = 0; i < 4000; ++i) kept.write(kNoon + 1000 * seconds++);
    kept.settleUntil([&] { return kept.bytes() <= 4 * kMb; });
  }
  const std::vector<std::int64_t> starts = kept.starts();
  EXPECT_GT(starts.size(), 5000u);
  EXPECT_LT(starts.size(), 30000u);
  EXPECT_EQ(starts.back(), kNoon + 1000 * (seconds - 1));
  EXPECT_EQ(starts.front(), kNoon + 1000 * (seconds - static_cast<std::int64_t>(starts.size())))
      << "the oldest go";
  EXPECT_EQ(kept.count(Resolution::minute), 200u);
  EXPECT_EQ(kept.files(), 2u);
}

// 6000 events in half a year, and the seconds of two hours; or a few, and many seconds.
TEST(RetentionOfBytes, OldEventsGoBeforeSecondsOfTodayAndAFewStay) {
  for (const bool areMany : {true, false}) {
    KeptRecord kept({.mostBytes = 2 * kMb});
    const int events = areMany ? 6000 : 200, seconds = areMany ? 2000 : 15000;
    const std::int64_t days = areMany ? 180 : 200;
    for (int i = 0; i < events; ++i)
      kept.event(kNoon - days * kDay + i * (days * kDay / events),
                 std::string(areMany ? 400 : 1, 'x'));
    kept.seconds(seconds);
    for (int i = 0; i < 100; ++i) kept.write(kNoon - i * kDay, Resolution::day);
    kept.settleUntil([&] { return kept.bytes() <= 2 * kMb; });
    EXPECT_EQ(kept.count(Resolution::day), 100u);
    EXPECT_EQ(kept.starts().back(), kNoon + 1000 * (seconds - 1));
    if (areMany) {
      EXPECT_EQ(kept.count(), 2000u);
      const auto left = eventsIn(kept.path());
      EXPECT_LT(left.size(), 4000u);
      ASSERT_GT(left.size(), 500u);
      EXPECT_GT(left.back().at.utcMs, kNoon - kDay);
      EXPECT_LT(left.back().at.utcMs - left.front().at.utcMs, 120 * kDay) << "the oldest went";
    } else {
      EXPECT_GT(kept.count(), 4000u);
      EXPECT_EQ(kept.events(), 200u);
    }
  }
}

TEST(RetentionOfBytes, SnapshotsAndMinutesThatAreTooMuchGoAndFewSecondsStay) {
  KeptRecord kept({.mostBytes = 2 * kMb});
  for (int i = 0; i < 12; ++i) kept.snapshot(kNoon + 1000 * i, 400);  // 160 kB each
  kept.seconds(100);
  kept.write(kNoon, Resolution::minute);
  const auto isSmall = [&] { return kept.bytes() <= 2 * kMb; };
  kept.settleUntil(isSmall);
  EXPECT_EQ(kept.count(), 100u);
  const auto snapshots = snapshotsIn(kept.path());
  EXPECT_LT(snapshots.size(), 12u);
  EXPECT_GT(snapshots.size(), 4u);
  EXPECT_EQ(snapshots.back().taken.utcMs, kNoon + 11000);
  EXPECT_EQ(kept.count(Resolution::minute), 1u);

  kept.write(12000, 60000, Resolution::minute);
  kept.write(50, kHour, Resolution::hour);
  kept.settleUntil(isSmall);
  // Of both more than its share was there, and snapshots are the older ones.
  EXPECT_LE(snapshotsIn(kept.path()).size(), 2u);
  EXPECT_LT(kept.count(Resolution::minute), 12000u);
  EXPECT_GT(kept.count(Resolution::minute), 2000u);
  EXPECT_EQ(kept.count(Resolution::hour), 50u);
}

}  // namespace
}  // namespace mpm::monitor
