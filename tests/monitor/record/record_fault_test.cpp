// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>

#include "monitor/record/child.h"
#include "monitor/record/database.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"
#include "monitor/record/schema.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

RecordOptions quick() {
  RecordOptions options;
  options.commitEveryMs = 2;
  options.silentMs = kDiskMs;
  return options;
}

std::size_t secondsIn(const std::string& path) {
  return RecordReader(path).buckets("gate", Resolution::second, 0, kEver, {"luma"}).size();
}

// No file of this process may become larger: the next write that would fails.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST(RecordFault, AFullDiskKeepsThingsWaitingUntilThereIsRoom) {
  const Folder folder;
  Child child({"full", folder.path().string()});
  const int status = child.wait();
  if (status == 77) GTEST_SKIP() << "this system lets no user mount a small disk";
  EXPECT_EQ(status, 0) << child.output();
}

TEST(RecordFault, AFolderThatMayOnlyBeReadCanBeReadAndNotWritten) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  {
    Record record(path);
    record.write(record.beginRun(sampleRun()), Event{});
  }
  fs::remove(path + "-lock");
  fs::permissions(folder.path(), fs::perms(0555));
  Child child({"read-only", path});
  const int status = child.wait();
  fs::permissions(folder.path(), fs::perms(0755));
  if (status == 77) GTEST_SKIP() << "this user cannot become another one";
  EXPECT_EQ(status, 0) << child.output();
}

TEST(RecordFault, ADiskThatFailsLosesNothingThatIsKept) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  Record record(path, quick());
  const std::int64_t run = record.beginRun(sampleRun());
  int seconds = 0;
  {
    constexpr std::int64_t kMost = 300000;
    const FileSizeLimit limit(kMost);
    // At first only the database cannot grow, and all is safe in the journal; then that cannot
    // either. Much waits on a busy machine, too, before any disk has failed.
    const auto isStuck = [&] {
      const bool isFull = fileBytes(path + "-wal") > kMost - kPageBytes;
      return !record.flush(50) && isFull && !record.status().fault.empty() &&
             record.status().waiting >= 300;
    };
    for (; seconds < 60000 && (seconds % 100 != 0 || !isStuck()); ++seconds) {
      record.write(run, {sampleBucket(kNoon + 1000 * seconds, seconds)});
    }
    EXPECT_NE(record.status().fault.find("The disk fails on"), std::string::npos)
        << record.status().fault;
    EXPECT_FALSE(record.flush(100));
    EXPECT_GT(record.status().waiting, 0u);
  }
  EXPECT_TRUE(record.flush(kDiskMs));
  EXPECT_EQ(record.status().fault, "");
  EXPECT_EQ(record.status().lost, 0u);
  EXPECT_EQ(secondsIn(path), static_cast<std::size_t>(seconds));
}

TEST(RecordFault, WhatIsTooMuchToKeepIsCountedAndTold) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  RecordOptions options = quick();
  options.mostWaiting = 100;
  Record record(path, options);
  const std::int64_t run = record.beginRun(sampleRun());
  record.write(run, {sampleBucket(kNoon - 86400000, 1)});
  ASSERT_TRUE(record.flush(kDiskMs));
  fs::rename(folder.path(), folder.path().string() + "-gone");
  ASSERT_TRUE(test::eventually([&] { return !record.status().fault.empty(); }));
  record.write(run, {sampleBucket(kNoon, 1, Resolution::day)});
  for (int i = 0; i < 350; ++i) record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
  // What is being tried goes beside the others until it is given up.
  EXPECT_TRUE(test::eventually([&] { return record.status().lost == 251; }));
  EXPECT_EQ(record.status().waiting, 100u);
  fs::rename(folder.path().string() + "-gone", folder.path());
  EXPECT_TRUE(record.flush(kDiskMs));
  EXPECT_TRUE(record.flush(kDiskMs));  // with what the record tells of itself
  EXPECT_EQ(record.status().lost, 251u);
  EXPECT_EQ(secondsIn(path), 100u);
  const RecordReader reader(path);
  EXPECT_EQ(reader.firstBucket("gate", Resolution::second, kNoon), kNoon + 251000);
  EXPECT_EQ(reader.buckets("gate", Resolution::day, 0, kEver, {}).size(), 1u);
  const auto events = reader.events("gate", 0, kEver);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].name, "recovered");
  EXPECT_NE(events[0].text.find("There is no folder"), std::string::npos) << events[0].text;
  EXPECT_NE(events[0].text.find("251 rows were given up."), std::string::npos);
}

TEST(RecordFault, ARecordThatSomebodyRemovesIsBegunAnew) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  Record record(path, quick());
  const std::int64_t first = record.beginRun(sampleRun());
  const std::int64_t run = record.beginRun(sampleRun("yard"));
  record.write(first, {sampleBucket(kNoon, 1)});
  ASSERT_TRUE(record.flush(kDiskMs));
  fs::remove(path);
  record.write(run, {sampleBucket(kNoon + 1000, 1)});
  record.write(first, {sampleBucket(kNoon + 1000, 1)});
  EXPECT_TRUE(test::eventually([&] { return record.flush(1000) && secondsIn(path) == 2; }));
  EXPECT_EQ(RecordReader(path).sources(), (std::vector<std::string>{"gate", "yard"}));
  folder.remove();
  record.write(first, {sampleBucket(kNoon + 2000, 1)});
  EXPECT_FALSE(record.flush(100));
  EXPECT_TRUE(test::eventually(
      [&] { return record.status().fault.find("There is no folder") != std::string::npos; }));
  fs::create_directory(folder.path());
  EXPECT_TRUE(test::eventually([&] { return record.flush(1000) && secondsIn(path) == 3; }));
}

// While a clip is written, or waits, its record may have to be opened anew.
class RecordFaultWithAClip : public testing::Test {
 protected:
  void write(const std::string& text) const {
    fs::create_directory(folder_ / "a-snapshots");
    std::ofstream(clip_, std::ios::binary) << text;
  }
  void expectKept(Record& record, std::int64_t run) const {
    Snapshot snapshot;
    snapshot.taken = {0, kNoon, 0, true};
    snapshot.clip = clip_;
    record.write(run, snapshot);
    EXPECT_TRUE(record.flush(kDiskMs));
    EXPECT_EQ(record.status().lost, 0u);
    const auto snapshots = RecordReader(path_).snapshots("gate", 0, kEver);
    ASSERT_EQ(snapshots.size(), 1u);
    EXPECT_TRUE(fs::exists(snapshots[0].clip));
  }

  const Folder folder_;
  const std::string path_ = folder_ / "a.sqlite";
  const fs::path clip_ = fs::path(folder_ / "a-snapshots") / "growing-1.clip.avi";
};

TEST_F(RecordFaultWithAClip, KeepsItWhereTheRecordIsRemoved) {
  Record record(path_, quick());
  const std::int64_t run = record.beginRun(sampleRun());
  ASSERT_TRUE(record.flush(kDiskMs));
  write("pictures");
  fs::remove(path_);
  ASSERT_TRUE(test::eventually([&] { return fs::exists(path_); }));
  expectKept(record, run);
}

TEST_F(RecordFaultWithAClip, KeepsItWhereTheRecordIsDamaged) {
  Record record(path_, quick());
  const std::int64_t run = record.beginRun(sampleRun());
  ASSERT_TRUE(record.flush(kDiskMs));
  write("pictures");
  std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary) << std::string(4096, 'x');
  ASSERT_TRUE(test::eventually([&] { return !record.status().fault.empty(); }));
  expectKept(record, run);
}

TEST_F(RecordFaultWithAClip, RemovesWhatAnEarlierProcessLeft) {
  { Record record(path_, quick()); }
  write("pictures");
  Record record(path_, quick());
  EXPECT_FALSE(fs::exists(clip_));
}

TEST(RecordFault, ARecordThatIsMovedTakesEverythingAlong) {
  const Folder folder;
  const std::string path = folder / "a.sqlite", moved = folder / "moved.sqlite";
  Record record(path, quick());
  const std::int64_t run = record.beginRun(sampleRun());
  for (int i = 0; i < 50; ++i) record.write(run, {sampleBucket(kNoon + 1000 * i, 1)});
  ASSERT_TRUE(
      test::eventually([&] { return record.status().waiting == 0; }));  // committed, in the journal
  fs::rename(path, moved);
  ASSERT_TRUE(test::eventually([&] { return fs::exists(path); }));
  record.write(run, {sampleBucket(kNoon + 50000, 1)});
  EXPECT_TRUE(record.flush(kDiskMs));
  EXPECT_EQ(secondsIn(moved), 50u);
  EXPECT_EQ(secondsIn(path), 1u);
}

TEST(RecordFault, WhereAnotherRecordLiesByThenBothKeepTheirRuns) {
  const Folder folder;
  const std::string path = folder / "a.sqlite", other = folder / "b.sqlite";
  {
    Record record(other);
    record.write(record.beginRun(sampleRun("hall")), {sampleBucket(kNoon, 7)});
  }
  Record record(path, quick());
  const std::int64_t run = record.beginRun(sampleRun());
  ASSERT_TRUE(record.flush(kDiskMs));
  fs::rename(other, path);  // with a run 1 of its own
  record.write(run, {sampleBucket(kNoon, 8)});
  EXPECT_TRUE(record.flush(kDiskMs));
  const RecordReader reader(path);
  for (const auto& [source, sum] : {std::pair("hall", 21), std::pair("gate", 24)}) {
    const auto seconds = reader.buckets(source, Resolution::second, 0, kEver, {"live_rows"});
    ASSERT_EQ(seconds.size(), 1u) << source;
    EXPECT_EQ(seconds[0].tallies[0].sum, sum);
  }
}

TEST(RecordFault, AFolderOfSnapshotsThatIsRemovedIsMadeAnew) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  Record record(path, quick());
  const std::int64_t run = record.beginRun(sampleRun());
  Snapshot snapshot;
  snapshot.taken = {0, kNoon, 0, true};
  snapshot.labels = cv::Mat(8, 8, CV_8U, cv::Scalar(1));
  record.write(run, snapshot);
  ASSERT_TRUE(record.flush(kDiskMs));
  fs::remove_all(folder / "a-snapshots");
  record.write(run, snapshot);
  ASSERT_TRUE(record.flush(kDiskMs));

  fs::remove_all(folder / "a-snapshots");
  std::ofstream(folder / "a-snapshots") << "a file in its place";
  record.write(run, snapshot);
  record.write(run, {sampleBucket(kNoon, 1)});
  EXPECT_FALSE(record.flush(100));
  EXPECT_TRUE(test::eventually([&] {
    return record.status().fault.find("for snapshots cannot be created") != std::string::npos;
  })) << record.status().fault;
  EXPECT_TRUE(test::eventually([&] { return secondsIn(path) == 1; }));  // the series goes on
  fs::remove(folder / "a-snapshots");
  EXPECT_TRUE(record.flush(kDiskMs));
  EXPECT_EQ(record.status().lost, 0u);
  const auto snapshots = RecordReader(path).snapshots("gate", 0, kEver);
  ASSERT_EQ(snapshots.size(), 3u);
  EXPECT_TRUE(fs::exists(snapshots[2].labels));
}

TEST(RecordFault, DamageThatShowsWhileWritingIsMovedAside) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  ManualClock clock(kNoon);
  Record record(path, quick(), clock);
  const std::int64_t run = record.beginRun(sampleRun());
  for (int i = 0; i < 3000; ++i) record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
  ASSERT_TRUE(record.flush(kDiskMs));
  Database(path, Database::Access::readWrite, kDiskMs).run("PRAGMA wal_checkpoint(TRUNCATE)");
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    for (auto left = fs::file_size(path) - 4096; left > 0; left -= 4096) {
      file << std::string(4096, '\x5a');
    }
  }
  std::int64_t next = 3000;
  EXPECT_TRUE(test::eventually([&] {
    for (int i = 0; i < 1500; ++i, ++next) {
      record.write(run, {sampleBucket(kNoon + 1000 * next, 1)});
    }
    record.flush(200);
    return fs::exists(path + ".damaged-20261101T120000.000Z");
  }));
  EXPECT_TRUE(record.flush(kDiskMs));
  EXPECT_TRUE(record.flush(kDiskMs));
  const auto events = RecordReader(path).events("gate", 0, kEver);
  ASSERT_GE(events.size(), 1u);
  EXPECT_EQ(events[0].name, "damaged");
  EXPECT_GT(secondsIn(path), 0u);
}

TEST(RecordFault, AnotherProgramsLockIsWaitedFor) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  Record record(path, quick());
  const std::int64_t run = record.beginRun(sampleRun());
  {
    Database other(path, Database::Access::readWrite, kDiskMs);
    other.run("BEGIN IMMEDIATE");
    record.write(run, {sampleBucket(kNoon, 1)});
    EXPECT_TRUE(test::eventually([&] { return !record.status().fault.empty(); }));
    EXPECT_EQ(record.status().fault, "Another program holds a lock on \"" + path + "\"");
    // A run can be begun all the same, and is written later.
    const std::int64_t later = record.beginRun(sampleRun("yard"));
    record.write(later, Event{});
    other.run("ROLLBACK");
  }
  EXPECT_TRUE(record.flush(kDiskMs));
  EXPECT_EQ(record.status().fault, "");
  EXPECT_EQ(secondsIn(path), 1u);
  EXPECT_EQ(RecordReader(path).events("yard", 0, 1).size(), 1u);
}

// They are a twentieth of a second apart, for five seconds: a hundred rounds.
TEST(RecordFault, EndsAfterSomeTriesWhereNothingCanBeWritten) {
  const Folder folder;
  CountingClock clock(kNoon);
  int before = 0;
  {
    Record record(folder / "a.sqlite", quick(), clock);
    const std::int64_t run = record.beginRun(sampleRun());
    folder.remove();
    record.write(run, {sampleBucket(kNoon, 1)});
    before = clock.looks();
  }
  EXPECT_LT(clock.looks(), before + 1000);
}

}  // namespace
}  // namespace mpm::monitor
