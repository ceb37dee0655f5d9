// SPDX-License-Identifier: Apache-2.0
// What befalls a record that is written: disks that fail or do not answer, folders that are gone,
// locks, and what others do to its files.
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <system_error>

#include "monitor/record/database.h"
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

// A record "a.sqlite" that a run of `gate` is written to, and what it says meanwhile.
class RecordCase : public testing::Test {
 protected:
  void begin(const RecordOptions& options) {
    record_ = std::make_unique<Record>(path_, options, clock_);
    run_ = record_->beginRun(sampleRun());
  }
  // Commits at once, and looks at its files all the time.
  void beginQuick(std::size_t mostWaiting = RecordOptions().mostWaiting) {
    begin({.commitEveryMs = 2, .lookEveryMs = 20, .silentMs = kDiskMs, .mostWaiting = mostWaiting});
  }
  void seconds(std::int64_t count, std::int64_t from = 0) {
    writeSeconds(*record_, run_, count, from);
  }
  RecordStatus status() const { return record_->status(); }
  std::string fault() const { return record_->status().fault; }
  bool flush() { return record_->flush(kDiskMs); }
  bool becomes(const std::function<bool()>& holds) { return test::eventually(holds); }
  // Without a part: any at all.
  bool hasFault(const std::string& part = "") {
    return becomes([&] { return !fault().empty() && fault().find(part) != std::string::npos; });
  }

  const Folder folder_;
  const std::string path_ = folder_ / "a.sqlite";
  CountingClock clock_{kNoon};
  std::unique_ptr<Record> record_;
  std::int64_t run_ = 0;
};

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

constexpr std::int64_t kNever = 3600000;
constexpr int kBefore = 200;

void overwriteAll(const std::string& path) {
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
      << std::string(fs::file_size(path), '\x5a');
}

struct Injury {
  const char* name;
  std::function<void(const std::string& path)> inflict;
  const char* event;
  bool isSetAside;     // there is a file, which is kept
  std::uint64_t lost;  // of five rows that were written since the last look
  const char* says;
};

const std::vector<Injury> kInjuries{
    {"Garbage", overwriteAll, "damaged", true, 5, "The record was damaged ("},
    {"AnotherRecordsBytes",
     [](const std::string& path) {
       {
         Record other(path + ".other");
         other.write(other.beginRun(sampleRun("hall")), {sampleBucket(kNoon, 7)});
       }
       fs::copy_file(path + ".other", path, fs::copy_options::overwrite_existing);
     },
     "damaged", true, 5, "The record was damaged ("},
    {"CutInHalf", [](auto& path) { fs::resize_file(path, fs::file_size(path) / 2); }, "damaged",
     true, 5, "(it was cut off): it was moved to"},
    {"CutToNothing", [](auto& path) { fs::resize_file(path, 0); }, "damaged", true, 5,
     "(it was cut off): it was moved to"},
    {"Removed", [](auto& path) { fs::remove(path); }, "removed", false, 5,
     "it was removed, and a new one was begun."},
    {"AllRemoved",
     [](auto& path) {
       for (const char* part : {"", "-wal", "-shm"}) fs::remove(path + part);
     },
     "removed", false, 5, "it was removed, and a new one was begun."},
    {"Replaced",
     [](auto& path) {
       std::ofstream(path + ".new") << "no record at all, but as long as you like";
       fs::rename(path + ".new", path);
     },
     "removed", true, 5, "another file is in its place; the file there now was not a sound record"},
    {"Moved", [](auto& path) { fs::rename(path, path + ".moved"); }, "moved", false, 0,
     "it was moved away, and a new one was begun."}};

class RecordDamage : public RecordCase {
 protected:
  // It is looked at with each flush, and else never.
  void beginUnlooked() { begin({.commitEveryMs = 20, .lookEveryMs = kNever, .silentMs = kDiskMs}); }
  bool isWritten() {
    return becomes([&] { return status().waiting == 0; });
  }
  std::vector<Event> told() const {
    std::vector<Event> events = eventsIn(path_);
    std::erase_if(events, [](const Event& event) { return event.kind != "record"; });
    return events;
  }
  std::size_t asides() const {
    std::size_t count = 0;
    for (const auto& file : fs::directory_iterator(folder_.path())) {
      const std::string name = file.path().filename().string();
      const bool isPart = name.ends_with("-wal") || name.ends_with("-snapshots");
      count += !isPart && name.find(".damaged-") != name.npos ? 1 : 0;
    }
    return count;
  }
};

class EachDamage : public RecordDamage, public testing::WithParamInterface<Injury> {};

TEST_P(EachDamage, IsToldWithWhatIsLostAndWritingGoesOn) {
  const Injury& injury = GetParam();
  std::atomic<int> heard{0};
  beginUnlooked();
  record_->setTell([&](const std::string&, const Event&) { ++heard; });
  seconds(kBefore);
  ASSERT_TRUE(flush());
  seconds(5, kBefore);
  ASSERT_TRUE(isWritten());
  injury.inflict(path_);
  flush();
  ASSERT_TRUE(becomes([&] { return !told().empty(); })) << fault();
  ASSERT_EQ(told().size(), 1u);
  const Event event = told()[0];
  EXPECT_EQ(event.name, injury.event);
  EXPECT_TRUE(has(event.text, injury.says));
  EXPECT_EQ(status().lost, injury.lost);
  const std::string count = " " + std::to_string(injury.lost) + " rows written since";
  EXPECT_EQ(bool(has(event.text, count)), injury.lost > 0) << event.text;
  EXPECT_EQ(fault(), event.text);
  EXPECT_TRUE(becomes([&] { return heard == 1; }));
  EXPECT_EQ(asides(), injury.isSetAside ? 1u : 0u);

  record_->write(run_, {sampleBucket(kNoon, 1, Resolution::minute)});
  seconds(1, 900);
  EXPECT_TRUE(flush());
  EXPECT_EQ(countIn(path_), 1u);
  EXPECT_EQ(RecordReader(path_).runs("gate").size(), 1u);
  clock_.advance(91000);
  EXPECT_EQ(fault(), "") << "it is told for a minute and a half";
  if (fs::exists(path_ + ".moved")) {
    EXPECT_EQ(countIn(path_ + ".moved"), kBefore + 5u);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, EachDamage, testing::ValuesIn(kInjuries),
                         [](const auto& injury) { return std::string(injury.param.name); });

class DamageMetFirst : public RecordDamage, public testing::WithParamInterface<const char*> {};

// Seen: whoever was told of it asked for the status, and got SQLite's words instead.
TEST_P(DamageMetFirst, ByIsToldOnceAndIsTheFaultThen) {
  beginUnlooked();
  std::string heard, faultThen;
  std::atomic<bool> isHeard{false};
  record_->setTell([&](const std::string&, const Event& event) {
    if (isHeard) return;
    heard = event.text;
    faultThen = fault();
    isHeard = true;
  });
  ASSERT_TRUE(flush());
  seconds(5);
  ASSERT_TRUE(isWritten());
  {
    // It would believe its own copies of the pages if nobody else wrote.
    Database other(path_, Database::Access::readWrite, kDiskMs);
    other.run("UPDATE run SET version = version || '+'");
    other.leaveFilesWhenClosed();
  }
  overwriteAll(path_);
  if (GetParam() == std::string("Retention")) {
    clock_.advance(61000);
  } else {
    seconds(1, 5);
  }
  ASSERT_TRUE(becomes([&] { return isHeard.load(); })) << fault();
  EXPECT_EQ(faultThen, heard);
  ASSERT_TRUE(flush());
  ASSERT_EQ(told().size(), 1u);
  EXPECT_EQ(told()[0].text, heard);
  EXPECT_TRUE(has(heard, " 5 rows written since"));
}

INSTANTIATE_TEST_SUITE_P(Each, DamageMetFirst, testing::Values("Retention", "Writing"),
                         [](const auto& by) { return std::string(by.param); });

// Nobody asks for a look, and the next injury comes as soon as one is told.
TEST_F(RecordDamage, OneAfterTheOtherIsToldAndLeavesNothingOpen) {
  EXPECT_LE(RecordOptions().lookEveryMs + RecordOptions().commitEveryMs, 15000);
  beginQuick();
  const auto descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), {});
  };
  std::int64_t second = 0, open = 0;
  for (int round = 0; round < 3; ++round) {
    for (const Injury& injury : kInjuries) {
      seconds(200, second);
      second += 200;
      ASSERT_TRUE(flush()) << injury.name;
      clock_.advance(100000);
      ASSERT_EQ(fault(), "");
      fs::remove_all(path_ + ".moved");
      injury.inflict(path_);
      EXPECT_TRUE(hasFault()) << injury.name;
      // There is a third one for a moment.
      EXPECT_TRUE(becomes([&] { return asides() <= 2; })) << "the newest two";
    }
    ASSERT_TRUE(flush());
    // A look has a second connection open for a moment.
    if (round == 0) open = descriptors();
    EXPECT_TRUE(becomes([&] { return descriptors() <= open; }));
  }
  seconds(1);
  EXPECT_TRUE(flush());
  Database(path_, Database::Access::readOnly, kDiskMs).checkSound("integrity_check");
}

TEST_F(RecordDamage, AJournalThatIsRemovedLosesNothing) {
  beginQuick();
  seconds(kBefore);
  ASSERT_TRUE(isWritten());
  // Who reads keeps SQLite from copying the journal where the record is closed.
  const RecordReader reader(path_);
  ASSERT_EQ(reader.buckets("gate", Resolution::second, 0, kEver, {"luma"}).size(), kBefore);
  fs::remove(path_ + "-wal");
  seconds(1, -1);
  EXPECT_TRUE(becomes([&] {
    std::size_t count = 0;
    refusal([&] { count = countIn(path_); });
    return count == kBefore + 1u;
  })) << fault();
  EXPECT_TRUE(flush());
  EXPECT_EQ(status().lost, 0u);
}

// Seen: the record's thread crashed in the next round.
TEST_F(RecordDamage, WhatCannotBeSetAsideIsToldAndTriedAgain) {
  beginQuick();
  ASSERT_TRUE(flush());
  // A folder with something in it: nothing can take its place.
  const std::string taken = path_ + ".damaged-20261101T120000.000Z-wal";
  fs::create_directories(taken + "/x");
  overwriteAll(path_);
  EXPECT_TRUE(hasFault("cannot be moved aside")) << fault();
  seconds(1);
  EXPECT_FALSE(record_->flush(100));
  fs::remove_all(taken);
  EXPECT_TRUE(becomes([&] { return record_->flush(1000); })) << fault();
  EXPECT_TRUE(has(fault(), "was damaged"));
  EXPECT_EQ(countIn(path_), 1u);
}

// Seen: figures of a camera that had been moved were those of its first view in the new record.
TEST_F(RecordDamage, ANewRecordKnowsInWhichWayTheRunGoes) {
  beginQuick();
  record_->write(run_, eventAt(kNoon + 1, "view", "0.0100,0.0000,0.00"));
  record_->write(run_, eventAt(kNoon + 2, "view", "0.0200,0.0000,0.00"));
  record_->write(run_, eventAt(kNoon + 3, "schedule", "4,6"));
  ASSERT_TRUE(flush());
  fs::remove(path_);
  ASSERT_TRUE(hasFault());
  ASSERT_TRUE(flush());
  const auto runs = pastRuns(RecordReader(path_), "gate");
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].last().view, "0.0200,0.0000,0.00");
  EXPECT_EQ(runs[0].last().schedule, "4,6");
}

}  // namespace
}  // namespace mpm::monitor
