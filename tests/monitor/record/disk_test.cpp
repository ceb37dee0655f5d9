// SPDX-License-Identifier: Apache-2.0
// A disk that takes its time: what befalls a record meanwhile, and what is told of it.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "monitor/record/database.h"
#include "monitor/record/harm.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

// What happens while the next journal is synced; in the thread that writes the record.
std::mutex whileSyncedMutex;
std::function<void()> whileSynced;

void onJournalSync(std::function<void()> what) {
  const std::lock_guard lock(whileSyncedMutex);
  whileSynced = std::move(what);
}

std::atomic<int> beginnings{0};  // syncs of the journal with which SQLite begins a database

std::string fileNameOf(int file) {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(file), ignored).string();
}

}  // namespace

// In place of the system's, also for SQLite: a disk that is slow at the moment that a test chooses.
extern "C" [[gnu::visibility("default")]] int fdatasync(int file) {
  const std::string name = fileNameOf(file);
  if (name.ends_with("-journal")) ++beginnings;
  std::function<void()> what;
  {
    const std::lock_guard lock(whileSyncedMutex);
    if (whileSynced && name.ends_with("-wal")) what.swap(whileSynced);
  }
  if (what) what();
  return static_cast<int>(syscall(SYS_fdatasync, file));
}

namespace {

std::vector<std::string> eventsIn(const std::string& path) {
  std::vector<std::string> names;
  for (const Event& event : RecordReader(path).events("gate", 0, kEver)) {
    names.push_back(event.name);
  }
  return names;
}

std::size_t secondsIn(const std::string& path) {
  return RecordReader(path).buckets("gate", Resolution::second, 0, kEver, {"luma"}).size();
}

// Seen: of 760 faults within 95 minutes on a busy machine one was never told. Pages that are harmed
// while a checkpoint waits for the disk are written over, if the journal has them.
TEST(RecordDisk, HarmWhileItSyncsTheJournalIsTold) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  CountingClock clock(kNoon);
  Record record(path, {.commitEveryMs = 20, .silentMs = kDiskMs}, clock);
  const std::int64_t run = record.beginRun(sampleRun());
  int seconds = 0;
  const auto write = [&](int more) {
    for (; more > 0; --more, ++seconds) {
      record.write(run, {sampleBucket(kNoon + 1000 * seconds, seconds)});
    }
  };
  write(200);
  ASSERT_TRUE(record.flush(kDiskMs));
  ASSERT_TRUE(settles(clock));  // it may have been asked to sync once more
  write(200);                   // so many that the file grows: its first two pages come anew
  ASSERT_TRUE(test::eventually([&] { return record.status().waiting == 0; }));
  std::atomic<bool> isHarmed{false};
  onJournalSync([&] {
    overwrite(path, 0, std::string(8192, 'x'));
    isHarmed = true;
  });
  record.flush(1000);
  ASSERT_TRUE(test::eventually([&] { return isHarmed && record.flush(1000); }));
  EXPECT_NE(record.status().fault.find("damaged"), std::string::npos) << record.status().fault;
  const auto events = eventsIn(path);
  EXPECT_EQ(std::count(events.begin(), events.end(), "damaged"), 1);
  EXPECT_EQ(secondsIn(path), 400u);
  EXPECT_EQ(record.status().lost, 0u);
}

// Seen: damage was told after nine seconds where each takes 0.6.
TEST(RecordDisk, IsNotWaitedForUntilThereIsSomethingInTheRecord) {
  const Folder folder;
  const int before = beginnings;
  ManualClock clock(kNoon);
  Record record(folder / "a.sqlite", {}, clock);
  record.write(record.beginRun(sampleRun()), {sampleBucket(kNoon, 1)});
  ASSERT_TRUE(record.flush(kDiskMs));
  EXPECT_EQ(beginnings, before);
}

// One that does not answer until it is told to.
class SilentDisk {
 public:
  SilentDisk() {
    onJournalSync([this] {
      std::unique_lock lock(mutex_);
      isAsked_ = true;
      answers_.wait(lock, [this] { return isAnswering_; });
    });
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
TEST(RecordDisk, OneThatDoesNotAnswerIsAFault) {
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
    const auto events = eventsIn(path);
    return std::count(events.begin(), events.end(), "recovered") == 1;
  }));
}

// A service that does not end is killed, and nobody is told what is lost.
TEST(RecordDisk, OneThatDoesNotAnswerIsNotWaitedForAtTheEnd) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  RecordOptions options;
  options.silentMs = 100;
  ManualClock clock(kNoon);
  std::optional<Record> record(std::in_place, path, options, clock);
  std::atomic<int> told{0};
  record->setTell([&](const std::string&, const Event&) { ++told; });
  const std::int64_t run = record->beginRun(sampleRun());
  std::size_t seconds = 0;
  const auto writeOne = [&] {
    record->write(run, {sampleBucket(kNoon + 1000 * static_cast<std::int64_t>(seconds++), 1)});
  };
  SilentDisk disk;
  ASSERT_TRUE(test::eventually([&] {
    writeOne();
    return !record->flush(1) && disk.isAsked();
  }));
  const std::size_t waiting = record->status().waiting;
  writeOne();
  writeOne();
  const RecordStatus status = record->end(10);
  EXPECT_TRUE(status.isLeftBehind);
  EXPECT_EQ(status.waiting, waiting + 2);
  EXPECT_EQ(status.waitingSeconds, waiting + 2);
  EXPECT_NE(status.fault.find("does not answer"), std::string::npos) << status.fault;
  record.reset();
  EXPECT_NE(refusal([&] { const Record second(path, options, clock); }), "");
  const int toldAtTheEnd = told;
  disk.answer();
  EXPECT_TRUE(test::eventually(
      [&] { return refusal([&] { const Record again(path, options, clock); }).empty(); }));
  EXPECT_EQ(told, toldAtTheEnd);
  EXPECT_EQ(secondsIn(path), seconds);  // for it did answer before this process ended
}

}  // namespace
}  // namespace mpm::monitor
