// SPDX-License-Identifier: Apache-2.0
// Disks that are full, fail or do not answer, folders that are gone, locks of others.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>

#include "monitor/record/child.h"
#include "monitor/record/database.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

// What happens while the next journal is synced; in the thread that writes the record.
std::mutex whileSyncedMutex;
std::function<void()> whileSynced;

}  // namespace

// In place of the system's, also for SQLite: a disk that is slow at the moment that a test chooses.
extern "C" [[gnu::visibility("default")]] int fdatasync(int file) {
  std::error_code ignored;
  const std::string name =
      fs::read_symlink("/proc/self/fd/" + std::to_string(file), ignored).string();
  std::function<void()> what;
  {
    const std::lock_guard lock(whileSyncedMutex);
    if (whileSynced && name.ends_with("-wal")) what.swap(whileSynced);
  }
  if (what) what();
  return static_cast<int>(syscall(SYS_fdatasync, file));
}

namespace {

RecordOptions quick() { return {.commitEveryMs = 2, .lookEveryMs = 20, .silentMs = kDiskMs}; }

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

struct InAnotherProcess {
  const char* what;
  const char* skipped;
};

class RecordElsewhere : public testing::TestWithParam<InAnotherProcess> {};

// record_child.cpp has what happens.
TEST_P(RecordElsewhere, GoesWell) {
  const Folder folder;
  fs::permissions(folder.path(), fs::perms(0777));
  Child child({GetParam().what, folder.path().string()});
  const int status = child.wait();
  if (status == 77) GTEST_SKIP() << GetParam().skipped;
  EXPECT_EQ(status, 0) << child.output();
}

INSTANTIATE_TEST_SUITE_P(
    RecordFault, RecordElsewhere,
    testing::Values(InAnotherProcess{"full", "this system lets no user mount a small disk"},
                    InAnotherProcess{"forbidden", "this user cannot become another one"},
                    InAnotherProcess{"read-only", "this user cannot become another one"}),
    [](const auto& one) {
      std::string name = one.param.what;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(RecordFault, ADiskThatFailsLosesNothingThatIsKept) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  Record record(path, quick());
  const std::int64_t run = record.beginRun(sampleRun());
  record.write(run, Event{{1, kNoon, 0, true}, "view", "0.0100,0.0000,0.00", "", {}});
  ASSERT_TRUE(record.flush(kDiskMs));
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
  const auto events = RecordReader(path).events("gate", 0, kEver);
  EXPECT_EQ(std::count_if(events.begin(), events.end(),
                          [](const Event& event) { return event.kind == "view"; }),
            1)
      << "each time that it is opened anew";
}

// Seen: each time that the record was opened anew the run had another row.
TEST(RecordFault, ARunThatIsStoredUnderAnotherNumberStaysOneWhenTheDiskHasFailed) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  {
    Record other(folder / "b.sqlite");
    other.beginRun(sampleRun("hall"));
  }
  Record record(path, quick());
  const std::int64_t run = record.beginRun(sampleRun());
  ASSERT_TRUE(record.flush(kDiskMs));
  fs::rename(folder / "b.sqlite", path);  // with a run 1 of its own
  ASSERT_TRUE(test::eventually([&] { return !record.status().fault.empty(); }));
  for (int i = 0; i < 3; ++i) {
    record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
    ASSERT_TRUE(record.flush(kDiskMs));
    const FileSizeLimit limit(16);
    record.write(run, {sampleBucket(kNoon + 60000 + 1000 * i, i)});
    ASSERT_TRUE(test::eventually([&] {
      return record.status().fault.find("The disk fails on") != std::string::npos;
    })) << record.status().fault;
  }
  ASSERT_TRUE(record.flush(kDiskMs));
  EXPECT_EQ(secondsIn(path), 6u);
  EXPECT_EQ(RecordReader(path).runs("gate").size(), 1u);
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
  ASSERT_TRUE(test::eventually(
      [&] { return record.status().fault.find("There is no folder") != std::string::npos; }));
  record.write(run, {sampleBucket(kNoon, 1, Resolution::day)});
  for (int i = 0; i < 350; ++i) record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
  // What is being tried goes beside the others until it is given up.
  EXPECT_TRUE(test::eventually([&] { return record.status().lost == 251; }));
  EXPECT_EQ(record.status().waiting, 100u);
  fs::rename(folder.path().string() + "-gone", folder.path());
  EXPECT_TRUE(test::eventually([&] { return record.flush(1000); }));
  EXPECT_EQ(record.status().lost, 251u) << "two events are told beside the 100 that waited";
  const RecordReader reader(path);
  EXPECT_EQ(reader.firstBucket("gate", Resolution::second, kNoon), kNoon + 251000);
  EXPECT_EQ(reader.buckets("gate", Resolution::day, 0, kEver, {}).size(), 1u);
  EXPECT_TRUE(test::eventually([&] {
    std::string told;
    for (const Event& event : reader.events("gate", 0, kEver)) told += event.name + event.text;
    return told.find("There is no folder") != told.npos &&
           told.find("251 rows were given up.") != told.npos;
  }));
}

TEST(RecordFault, AFolderOfSnapshotsThatIsRemovedIsMadeAnew) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  CountingClock clock(kNoon);
  Record record(path, quick(), clock);
  const std::int64_t run = record.beginRun(sampleRun());
  Snapshot snapshot;
  snapshot.taken = {0, kNoon, 0, true};
  snapshot.labels = cv::Mat(8, 8, CV_8U, cv::Scalar(1));
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
  const int before = clock.looks();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(clock.looks(), before + 100) << "a snapshot is encoded anew for each try";
  fs::remove(folder / "a-snapshots");
  EXPECT_TRUE(record.flush(kDiskMs));
  EXPECT_EQ(record.status().lost, 0u);
  const auto snapshots = RecordReader(path).snapshots("gate", 0, kEver);
  ASSERT_EQ(snapshots.size(), 2u);
  EXPECT_TRUE(fs::exists(snapshots[1].labels));
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

// One that does not answer until it is told to.
class SilentDisk {
 public:
  SilentDisk() {
    const std::lock_guard lock(whileSyncedMutex);
    whileSynced = [this] {
      std::unique_lock waiting(mutex_);
      isAsked_ = true;
      answers_.wait(waiting, [this] { return isAnswering_; });
    };
  }
  ~SilentDisk() { answer(); }
  SilentDisk(const SilentDisk&) = delete;
  SilentDisk& operator=(const SilentDisk&) = delete;

  bool isAsked() const { return isAsked_; }
  void answer() {
    {
      const std::lock_guard lock(mutex_);
      isAnswering_ = true;
    }
    answers_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable answers_;
  bool isAnswering_ = false;
  std::atomic<bool> isAsked_{false};
};

// It gives no error, and may never give one.
TEST(RecordFault, ADiskThatDoesNotAnswerIsAFault) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  ManualClock clock(kNoon);
  Record record(path, {.silentMs = 3000}, clock);  // a round in memory takes less
  const std::int64_t run = record.beginRun(sampleRun());
  record.write(run, {sampleBucket(kNoon, 1)});
  ASSERT_TRUE(record.flush(kDiskMs));
  ASSERT_EQ(record.status().fault, "");
  SilentDisk disk;
  record.write(run, {sampleBucket(kNoon + 1000, 1)});
  EXPECT_FALSE(record.flush(1));
  record.write(run, {sampleBucket(kNoon + 2000, 1)});
  EXPECT_TRUE(test::eventually([&] {
    return record.status().fault.find("does not answer") != std::string::npos;
  })) << record.status().fault;
  disk.answer();
  ASSERT_TRUE(test::eventually([&] { return record.flush(1000); }));
  EXPECT_EQ(record.status().fault, "");
  EXPECT_EQ(secondsIn(path), 3u);
  EXPECT_TRUE(test::eventually([&] {
    const auto events = RecordReader(path).events("gate", 0, kEver);
    return events.size() == 1 && events[0].name == "recovered";
  }));
}

}  // namespace
}  // namespace mpm::monitor
