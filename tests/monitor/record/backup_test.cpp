// SPDX-License-Identifier: Apache-2.0
// What lies beside a record: backups, and what was set aside.
#include "monitor/record/backup.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "monitor/record/sample_record.h"
#include "monitor/record/store.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

void writeFile(const fs::path& path, std::size_t bytes) {
  std::ofstream(path) << std::string(bytes, 'x');
}

std::string textOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void writeSnapshot(Record& record, std::int64_t run) {
  const cv::Mat picture(8, 8, CV_8UC3, cv::Scalar::all(9)), labels(8, 8, CV_8U, cv::Scalar(1));
  record.write(run, snapshotAt(kNoon, labels, picture));
  ASSERT_TRUE(record.flush(kDiskMs));
}

class Backup : public testing::Test {
 protected:
  bool isThere(const std::string& name) const { return fs::exists(backupOf(path_, name)); }
  std::size_t minutes(const std::string& name) const { return minutesIn(backupOf(path_, name)); }

  Folder folder_;
  const fs::path path_ = folder_ / "a.sqlite", snapshots_ = folder_ / "a-snapshots";
};

// Of a record of a minute and a snapshot, closed.
class BackedUp : public Backup {
 protected:
  void SetUp() override {
    Record record(path_.string());
    const std::int64_t run = record.beginRun(sampleRun());
    writeMinute(record, run, 0);
    writeSnapshot(record, run);
    makeBackup(path_, 2, kGoOn);
  }
  void makeItOld() const {
    fs::last_write_time(backupOf(path_, 1),
                        fs::file_time_type::clock::now() - std::chrono::hours(24));
  }
};

TEST_F(Backup, HasAllButSecondsWhileTheRecordIsWritten) {
  Record record(path_.string());
  const std::int64_t run = record.beginRun(sampleRun());
  writeMinute(record, run, 0);
  makeBackup(path_, 2, kGoOn);
  record.writeView("gate", "a street");
  writeSnapshot(record, run);
  writeMinute(record, run, 1);
  EXPECT_EQ(countIn(backupOf(path_, 1)), 0u);
  EXPECT_EQ(minutes("1"), 1u);
  EXPECT_EQ(eventsIn(backupOf(path_, 1)).size(), 1u);
  EXPECT_EQ(RecordReader(backupOf(path_, 1)).runs("gate").size(), 1u);
  EXPECT_EQ(RecordReader(backupOf(path_, 1)).view("gate", 0), "");
  EXPECT_EQ(minutesIn(path_), 2u);
  EXPECT_EQ(record.status().fault, "");
  makeBackup(path_, 2, kGoOn);
  EXPECT_EQ(RecordReader(backupOf(path_, 1)).view("gate", 0), "a street");
  const auto snapshots = snapshotsIn(backupOf(path_, 1));
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_TRUE(fs::exists(snapshots[0].labels)) << "the record's";
}

TEST_F(Backup, KeepsSoManyAndNoMore) {
  Record record(path_.string());
  const std::int64_t run = record.beginRun(sampleRun());
  for (int minute = 0; minute < 4; ++minute) {
    writeMinute(record, run, minute);
    makeBackup(path_, 3, kGoOn);
  }
  EXPECT_EQ(minutes("1"), 4u);
  EXPECT_EQ(minutes("3"), 2u);
  EXPECT_FALSE(isThere("4"));
  makeBackup(path_, 2, kGoOn);
  EXPECT_FALSE(isThere("3")) << "fewer than before";
}

TEST_F(Backup, OfALinkLiesBesideWhatItLeadsTo) {
  const fs::path link = folder_ / "links/b.sqlite";
  fs::create_directory(link.parent_path());
  fs::create_symlink("../a.sqlite", link);
  ManualClock clock(kNoon);
  Record record(link.string(), {.backups = 2, .commitEveryMs = 2}, clock);
  writeMinute(record, record.beginRun(sampleRun()), 0);
  EXPECT_TRUE(test::eventually([&] {
    clock.advance(60000);
    return isThere("1");
  }));
  EXPECT_TRUE(test::eventually([&] {
    clock.advance(60000);  // until they are counted again
    return record.status().bytes >= fileBytes(path_) + fileBytes(backupOf(path_, 1));
  })) << "it counts";
  EXPECT_TRUE(has(refusal([&] { restoreBackup(link, "1", kNoon); }), " is writing to "));
}

TEST_F(BackedUp, OneThatFailsLeavesTheOnesBefore) {
  EXPECT_THROW(makeBackup(path_, 2, kStop), std::runtime_error);
  writeFile(path_, 100000);
  EXPECT_THROW(makeBackup(path_, 2, kGoOn), std::runtime_error);
  EXPECT_EQ(minutes("1"), 1u);
  EXPECT_FALSE(isThere("2"));
  EXPECT_FALSE(fs::exists(path_.string() + ".backup.part"));
  EXPECT_THROW(makeBackup(folder_ / "none.sqlite", 2, kGoOn), std::runtime_error);
  EXPECT_FALSE(fs::exists(folder_ / "none.sqlite"));
}

TEST_F(BackedUp, TakesThePlaceOfADamagedRecordWhichIsWrittenOn) {
  std::ofstream(path_, std::ios::binary) << "nothing that could be read";
  std::ofstream(path_.string() + "-wal") << "its journal";
  const fs::path replaced = restoreBackup(path_, "1", kNoon).replaced;
  EXPECT_EQ(replaced, path_.string() + ".replaced-20261101T120000.000Z");
  EXPECT_EQ(textOf(replaced), "nothing that could be read");
  EXPECT_EQ(textOf(replaced.string() + "-wal"), "its journal");
  EXPECT_EQ(minutesIn(path_), 1u);
  Record record(path_.string());
  writeMinute(record, record.beginRun(sampleRun()), 1);
  EXPECT_EQ(minutesIn(path_), 2u);
  EXPECT_EQ(record.status().fault, "");
  EXPECT_EQ(RecordReader(path_.string()).runs("gate").size(), 2u);
}

// As an earlier try leaves it that was killed in the middle.
TEST_F(BackedUp, TakesThePlaceOfNothingAndLeavesItsJournal) {
  fs::remove(path_);
  std::ofstream(path_.string() + "-wal") << "its journal";
  EXPECT_EQ(restoreBackup(path_, "1", kNoon).replaced, fs::path());
  EXPECT_FALSE(fs::exists(path_.string() + "-wal"));
  EXPECT_EQ(textOf(path_.string() + ".replaced-20261101T120000.000Z-wal"), "its journal");
  EXPECT_EQ(minutesIn(path_), 1u);
}

TEST_F(BackedUp, OneThatIsDamagedItselfOrNotThereIsRefused) {
  fs::resize_file(backupOf(path_, 1), fs::file_size(backupOf(path_, 1)) / 2);
  for (const char* name : {"1", "2"})
    EXPECT_THROW(restoreBackup(path_, name, kNoon), std::runtime_error);
  EXPECT_EQ(minutesIn(path_), 1u) << "the record stays as it was";
  EXPECT_FALSE(fs::exists(path_.string() + ".restored.part"));
}

// Seen: as many nights after a damage as backups are kept the last of the history was gone.
TEST_F(BackedUp, OneOfTheRecordBeforeStaysWhateverNightsCome) {
  fs::remove(path_);
  {
    Record record(path_.string());
    EXPECT_EQ(record.status().fault, "") << "it may have been removed on purpose";
    record.beginRun(sampleRun());
    ASSERT_TRUE(record.flush(kDiskMs));
    const auto events = eventsIn(path_);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].name, "removed");
    EXPECT_TRUE(has(events[0].text, "--backup kept"));
  }
  for (int night = 0; night < 3; ++night) makeBackup(path_, 2, kGoOn);
  boundBeside(path_, 1, kNoon);
  EXPECT_EQ(minutes("kept"), 1u);
  { const Record again(path_.string()); }
  EXPECT_TRUE(isThere("1")) << "it has begun long ago";
  writeFile(backupOf(path_, 1), 10);
  std::ofstream(path_) << "nothing that could be read";
  { const Record anew(path_.string()); }
  EXPECT_EQ(minutes("kept"), 1u) << "the larger one stays";
}

TEST_F(BackedUp, ItsSnapshotsComeBackFromWhereTheyWereSetAside) {
  const auto files = std::distance(fs::directory_iterator(snapshots_), {});
  for (const bool isRemoved : {true, false}) {
    isRemoved ? void(fs::remove(path_)) : writeFile(path_, 100);
    { const Record anew(path_.string()); }
    EXPECT_FALSE(fs::exists(snapshots_));
    EXPECT_EQ(restoreBackup(path_, "kept", kNoon).snapshots, 1) << isRemoved;
    EXPECT_EQ(std::distance(fs::directory_iterator(snapshots_), {}), files) << isRemoved;
  }
}

// Seen: they stayed, and were taken for those of another run, which had got the number of theirs.
TEST_F(BackedUp, SnapshotsThatItDoesNotHaveGoWithWhatItReplaces) {
  {
    Record record(path_.string());
    writeSnapshot(record, record.beginRun(sampleRun("yard")));
  }
  EXPECT_EQ(snapshotsIn(path_, "yard").size(), 1u);
  const auto left = snapshotsIn(restoreBackup(path_, "1", kNoon).replaced, "yard");
  ASSERT_EQ(left.size(), 1u);
  EXPECT_TRUE(fs::exists(left[0].labels)) << left[0].labels;
  EXPECT_EQ(SnapshotFolder(path_).stems().size(), 1u);
}

// Whom the monitor runs as that goes on with it.
TEST_F(BackedUp, OneThatRootRestoresBelongsToWhomTheRecordBelongedTo) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give a file away";
  constexpr uid_t kService = 65432;
  for (const fs::path& file : {path_, backupOf(path_, 1)})
    ASSERT_EQ(chown(file.c_str(), kService, kService), 0);
  fs::rename(snapshots_, path_.string() + ".removed-" + isoUtcCompact(kNoon) + "-snapshots");
  fs::remove(LockFile::pathOf(path_));
  EXPECT_EQ(restoreBackup(path_, "1", kNoon).snapshots, 1);
  for (const fs::path& file : {path_, LockFile::pathOf(path_), snapshots_}) {
    struct stat is {};
    EXPECT_EQ(stat(file.c_str(), &is), 0) << file;
    EXPECT_EQ(is.st_uid, kService) << file;
  }
}

// What lies beside a record of which nothing else is there: names and bytes, and what stays.
struct Beside {
  std::vector<std::pair<std::string, std::size_t>> files;
  std::int64_t most;
  std::set<std::string> stay;
  std::int64_t bytes;
};

TEST(Beside, TheOldestGoAndTheNewestStayWhateverTheyTake) {
  const std::string first = ".damaged-20261101T120000.000Z",
                    second = ".replaced-20261101T120001.000Z",
                    third = ".damaged-20261101T120001.000Z-2",
                    future = ".damaged-20461101T120000.000Z", one = ".backup-1", two = ".backup-2",
                    three = ".backup-3", kept = ".backup-kept", mine = ".damaged-mine",
                    zip = second + ".zip", also = first + "-2-mine", wal = first + "-wal";
  const std::vector<Beside> cases{
      {{{one, 1000}, {two, 1000}, {three, 1000}}, 0, {one, two, three}, 3000},
      {{{one, 1000}, {two, 1000}, {three, 1000}}, 2500, {one, two}, 2000},
      {{{one, 1000}, {two, 10}, {kept, 500}}, 500, {one, kept}, 1500},
      {{{first, 500}, {wal, 100}, {second, 300}, {third, 200}}, 0, {second, third}, 500},
      {{{first, 500}, {wal, 100}, {third, 200}}, 0, {first, wal, third}, 800},
      {{{first, 500}, {third, 200}, {one, 100}}, 600, {third, one}, 300},
      {{{first, 100}, {third, 100}, {future, 50}}, 0, {first, third}, 200},
      {{{first, 100}, {third, 10}, {mine, 5000}, {zip, 1}, {also, 1}},
       0,
       {first, third, mine, zip, also},
       110}};
  for (const Beside& beside : cases) {
    const Folder folder;
    const std::string path = folder / "a.sqlite";
    for (const auto& [name, bytes] : beside.files) writeFile(path + name, bytes);
    SCOPED_TRACE(beside.files[0].first + " " + std::to_string(beside.most));
    EXPECT_EQ(boundBeside(path, beside.most, kNoon + 2000), beside.bytes);
    for (const auto& [name, bytes] : beside.files)
      EXPECT_EQ(fs::exists(path + name), beside.stay.contains(name)) << name;
  }
}

TEST(Beside, TwoThatAreSetAsideInOneMomentHaveTwoNames) {
  const Folder folder;
  for (const char* ending : {"", "-2"}) {
    writeFile(folder / "a", 2);
    EXPECT_EQ(setAside(folder / "a", kNoon),
              folder / ("a.damaged-20261101T120000.000Z" + std::string(ending)));
  }
}

// A moment of such an hour, local time.
Moment atHour(int hour) {
  Moment now{1000, kNoon, 0, true};
  const auto isIt = [&] {
    const auto seconds = static_cast<time_t>(now.utcMs / 1000);
    tm parts{};
    return localtime_r(&seconds, &parts) != nullptr && parts.tm_hour == hour;
  };
  while (!isIt()) now.utcMs += 600000;
  return now;
}

TEST_F(BackedUp, BackupsThatFailedAtNightAreTriedAgainEveryHourAndToldOnce) {
  const fs::path away = folder_ / "away.sqlite";
  makeItOld();  // a night old: by its age none is due before another twelve hours have gone by
  fs::rename(path_, away);
  Backups backups(path_, 3);
  Moment now = atHour(3);
  int told = 0;
  const auto pass = [&](int minutes) {
    for (int minute = 0; minute < minutes; ++minute) {
      now.steadyMs += 60000;
      now.utcMs += 60000;
      if (backups.look(now)) ++told;
    }
  };
  backups.look(now);
  EXPECT_EQ(backups.fault(), "") << "not while the program is starting";
  pass(5);
  ASSERT_TRUE(test::eventually([&] { return !backups.fault().empty(); }));
  EXPECT_TRUE(has(backups.fault(), "There is no record"));
  pass(59);
  fs::rename(away, path_);  // an hour later, at four
  EXPECT_FALSE(isThere("2"));
  pass(1);
  EXPECT_TRUE(test::eventually([&] { return backups.fault().empty(); }));
  EXPECT_TRUE(isThere("2"));
  EXPECT_EQ(told, 1);
  pass(8 * 60);
  EXPECT_FALSE(isThere("3")) << "one a night";
}

}  // namespace
}  // namespace mpm::monitor
