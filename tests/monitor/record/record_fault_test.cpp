// SPDX-License-Identifier: Apache-2.0
// Disks that are full, fail or do not answer, folders that are gone, locks of others.
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <system_error>

#include "monitor/record/child.h"
#include "monitor/record/database.h"
#include "monitor/record/record_case.h"

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

class RecordElsewhere : public testing::TestWithParam<const char*> {};

// record_child.cpp has what happens.
TEST_P(RecordElsewhere, GoesWell) {
  const Folder folder;
  fs::permissions(folder.path(), fs::perms(0777));
  Child child({GetParam(), folder.path().string()});
  const int status = child.wait();
  if (status == 77) GTEST_SKIP() << "no small disk, or no other user, can be had here";
  EXPECT_EQ(status, 0) << child.output();
}

INSTANTIATE_TEST_SUITE_P(RecordFault, RecordElsewhere,
                         testing::Values("full", "forbidden", "readonly"),
                         [](const auto& one) { return std::string(one.param); });

class RecordFault : public RecordCase {};

TEST_F(RecordFault, ADiskThatFailsLosesNothingThatIsKept) {
  beginQuick();
  record_->write(run_, eventAt(kNoon, "view", "0.0100,0.0000,0.00"));
  ASSERT_TRUE(flush());
  int written = 0;
  {
    constexpr std::int64_t kMost = 300000;
    const FileSizeLimit limit(kMost);
    // At first only the database cannot grow, and all is safe in the journal; then that cannot
    // either. Much waits on a busy machine, too, before any disk has failed.
    const auto isStuck = [&] {
      const bool isFull = fileBytes(path_ + "-wal") > kMost - kPageBytes;
      return !record_->flush(50) && isFull && !fault().empty() && status().waiting >= 300;
    };
    for (; written < 60000 && !isStuck(); written += 100) seconds(100, written);
    EXPECT_TRUE(has(fault(), "The disk fails on"));
    EXPECT_FALSE(record_->flush(100));
    EXPECT_GT(status().waiting, 0u);
  }
  EXPECT_TRUE(flush());
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(status().lost, 0u);
  EXPECT_EQ(countIn(path_), static_cast<std::size_t>(written));
  const auto events = eventsIn(path_);
  EXPECT_EQ(std::count_if(events.begin(), events.end(),
                          [](const Event& event) { return event.kind == "view"; }),
            1)
      << "each time that it is opened anew";
}

// Seen: each time that the record was opened anew the run had another row.
TEST_F(RecordFault, ARunThatIsStoredUnderAnotherNumberStaysOneWhenTheDiskHasFailed) {
  { Record(folder_ / "b.sqlite").beginRun(sampleRun("hall")); }
  beginQuick();
  ASSERT_TRUE(flush());
  fs::rename(folder_ / "b.sqlite", path_);  // with a run 1 of its own
  ASSERT_TRUE(hasFault());
  for (int i = 0; i < 3; ++i) {
    seconds(1, i);
    ASSERT_TRUE(flush());
    const FileSizeLimit limit(16);
    seconds(1, 60 + i);
    ASSERT_TRUE(hasFault("The disk fails on")) << fault();
  }
  ASSERT_TRUE(flush());
  EXPECT_EQ(countIn(path_), 6u);
  EXPECT_EQ(RecordReader(path_).runs("gate").size(), 1u);
}

TEST_F(RecordFault, WhatIsTooMuchToKeepIsCountedAndTold) {
  beginQuick(100);
  seconds(1, -86400);
  ASSERT_TRUE(flush());
  fs::rename(folder_.path(), folder_.path().string() + "-gone");
  ASSERT_TRUE(hasFault("There is no folder"));
  record_->write(run_, {sampleBucket(kNoon, 1, Resolution::day)});
  seconds(350);
  // What is being tried goes beside the others until it is given up.
  EXPECT_TRUE(becomes([&] { return status().lost == 251; }));
  EXPECT_EQ(status().waiting, 100u);
  fs::rename(folder_.path().string() + "-gone", folder_.path());
  EXPECT_TRUE(becomes([&] { return record_->flush(1000); }));
  EXPECT_EQ(status().lost, 251u) << "two events are told beside the 100 that waited";
  EXPECT_EQ(RecordReader(path_).firstBucket("gate", Resolution::second, kNoon), kNoon + 251000);
  EXPECT_EQ(countIn(path_, Resolution::day), 1u);
  EXPECT_TRUE(becomes([&] {
    std::string told;
    for (const Event& event : eventsIn(path_)) told += event.name + event.text;
    return has(told, "There is no folder") && has(told, "251 rows were given up.");
  }));
}

TEST_F(RecordFault, AFolderOfSnapshotsThatIsRemovedIsMadeAnew) {
  beginQuick();
  const Snapshot snapshot = snapshotAt(kNoon, cv::Mat(8, 8, CV_8U, cv::Scalar(1)));
  record_->write(run_, snapshot);
  ASSERT_TRUE(flush());
  fs::remove_all(folder_ / "a-snapshots");
  std::ofstream(folder_ / "a-snapshots") << "a file in its place";
  record_->write(run_, snapshot);
  seconds(1);
  EXPECT_FALSE(record_->flush(100));
  EXPECT_TRUE(hasFault("for snapshots cannot be created")) << fault();
  EXPECT_TRUE(becomes([&] { return countIn(path_) == 1; }));  // the series goes on
  const int before = clock_.looks();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(clock_.looks(), before + 100) << "a snapshot is encoded anew for each try";
  fs::remove(folder_ / "a-snapshots");
  EXPECT_TRUE(flush());
  EXPECT_EQ(status().lost, 0u);
  const auto snapshots = snapshotsIn(path_);
  ASSERT_EQ(snapshots.size(), 2u);
  EXPECT_TRUE(fs::exists(snapshots[1].labels));
}

TEST_F(RecordFault, AnotherProgramsLockIsWaitedFor) {
  beginQuick();
  {
    Database other(path_, Database::Access::readWrite, kDiskMs);
    other.run("BEGIN IMMEDIATE");
    seconds(1);
    EXPECT_TRUE(hasFault());
    EXPECT_EQ(fault(), "Another program holds a lock on \"" + path_ + "\"");
    // A run can be begun all the same, and is written later.
    record_->write(record_->beginRun(sampleRun("yard")), Event{});
    other.run("ROLLBACK");
  }
  EXPECT_TRUE(flush());
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(countIn(path_), 1u);
  EXPECT_EQ(eventsIn(path_, "yard").size(), 1u);
}

// One that does not answer until it is told to.
class SilentDisk {
 public:
  SilentDisk() {
    const std::lock_guard lock(whileSyncedMutex);
    whileSynced = [this] {
      std::unique_lock waiting(mutex_);
      answers_.wait(waiting, [this] { return isAnswering_; });
    };
  }
  ~SilentDisk() { answer(); }
  SilentDisk(const SilentDisk&) = delete;
  SilentDisk& operator=(const SilentDisk&) = delete;

  void answer() {
    const std::lock_guard lock(mutex_);
    isAnswering_ = true;
    answers_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable answers_;
  bool isAnswering_ = false;
};

// It gives no error, and may never give one.
TEST_F(RecordFault, ADiskThatDoesNotAnswerIsAFault) {
  begin({.silentMs = 3000});  // a round in memory takes less
  seconds(1);
  ASSERT_TRUE(flush());
  ASSERT_EQ(fault(), "");
  SilentDisk disk;
  seconds(1, 1);
  EXPECT_FALSE(record_->flush(1));
  seconds(1, 2);
  EXPECT_TRUE(hasFault("does not answer")) << fault();
  disk.answer();
  ASSERT_TRUE(becomes([&] { return record_->flush(1000); }));
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(countIn(path_), 3u);
  EXPECT_TRUE(becomes([&] {
    const auto events = eventsIn(path_);
    return events.size() == 1 && events[0].name == "recovered";
  }));
}

}  // namespace
}  // namespace mpm::monitor
