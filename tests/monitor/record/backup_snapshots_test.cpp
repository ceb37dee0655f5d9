// SPDX-License-Identifier: Apache-2.0
// Snapshots beside a backup: it has their rows, and finds their files again.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <opencv2/core.hpp>
#include <optional>

#include "monitor/record/backup.h"
#include "monitor/record/damaged_files.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"
#include "monitor/record/snapshot_files.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

void writeSnapshot(Record& record, std::int64_t run) {
  const cv::Mat picture(8, 8, CV_8UC3, cv::Scalar::all(9)), labels(8, 8, CV_8U, cv::Scalar(1));
  record.write(run, Snapshot{{1, kNoon, 0, true}, "by hand", labels, picture, "{}"});
  ASSERT_TRUE(record.flush(kDiskMs));
}

// Seen: they were listed in "a.sqlite.backup-1-snapshots", which nobody makes.
TEST(Backup, ListsSnapshotsWhereTheRecordHasThem) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  {
    Record record(path.string());
    writeSnapshot(record, record.beginRun(sampleRun()));
    makeBackup(path, 2, kGoOn);
  }
  const auto snapshots = RecordReader(backupOf(path, 1).string()).snapshots("gate", 0, kEver);
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_TRUE(fs::exists(snapshots[0].labels)) << snapshots[0].labels;
}

// They would be nobody's, count nowhere, and stay for ever.
TEST(Backup, FindsItsSnapshotsAgainThatWereMovedAsideWithARemovedRecord) {
  for (const bool isOpen : {true, false}) {
    const Folder folder;
    const fs::path path = folder / "a.sqlite", snapshots = folder / "a-snapshots";
    RecordOptions options;
    options.commitEveryMs = 20;
    std::optional<Record> record(std::in_place, path.string(), options);
    const std::int64_t run = record->beginRun(sampleRun());
    writeMinute(*record, run, 0);
    writeSnapshot(*record, run);
    makeBackup(path, 2, kGoOn);
    const auto files = std::distance(fs::directory_iterator(snapshots), {});
    if (!isOpen) record.reset();
    fs::remove(path);
    if (!isOpen) record.emplace(path.string(), options);
    ASSERT_TRUE(test::eventually([&] { return !keptBackups(path).empty(); })) << isOpen;
    EXPECT_FALSE(fs::exists(snapshots)) << isOpen;
    EXPECT_GT(boundDamaged(path, 0, kNoon * 2), 0) << "they count";
    record.reset();
    const Restored restored = restoreBackup(path, keptBackups(path).at(0), kNoon);
    EXPECT_EQ(restored.snapshots, 1) << isOpen;
    EXPECT_EQ(std::distance(fs::directory_iterator(snapshots), {}), files) << isOpen;
  }
}

TEST(Backup, FindsItsSnapshotsAgainThatWereMovedAsideWithADamagedRecord) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  {
    Record record(path.string());
    const std::int64_t run = record.beginRun(sampleRun());
    writeSnapshot(record, run);
    makeBackup(path, 2, kGoOn);
  }
  std::ofstream(path) << "nothing that could be read";
  { const Record anew(path.string()); }
  EXPECT_FALSE(fs::exists(folder / "a-snapshots"));
  EXPECT_EQ(restoreBackup(path, keptBackups(path).at(0), kNoon).snapshots, 1);
  const auto snapshots = RecordReader(path.string()).snapshots("gate", 0, kEver);
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_TRUE(fs::exists(snapshots[0].labels)) << snapshots[0].labels;
}

// Seen: they stayed in the folder, counted nowhere, and at the next start but one were taken for
// those of another run, which had got the number of theirs.
TEST(Backup, SnapshotsOfRunsThatItDoesNotHaveAreSetAsideAndNeverAnotherRuns) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  ManualClock clock(kNoon);
  const auto watch = [&](std::int64_t begunMs) {
    Record record(path.string(), {}, clock);
    RunFacts facts = sampleRun();
    facts.begun.utcMs = begunMs;
    const std::int64_t run = record.beginRun(facts);
    record.write(run, Snapshot{{1, begunMs, 0, true}, "by hand", cv::Mat(8, 8, CV_8U), {}, "{}"});
    EXPECT_TRUE(record.flush(kDiskMs));
    return run;
  };
  watch(kNoon);
  makeBackup(path, 2, kGoOn);
  const std::int64_t second = watch(kNoon + 60000);
  restoreBackup(path, "1", kNoon + 120000);
  clock.advance(180000);
  EXPECT_EQ(watch(kNoon + 180000), second) << "the same number";
  const fs::path aside =
      path.string() + ".removed-" + isoUtcCompact(clock.now().utcMs) + "-snapshots";
  EXPECT_EQ(std::distance(fs::directory_iterator(aside), {}), 2) << "labels and facts";
  const auto events = RecordReader(path.string()).events("gate", 0, kEver);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].name, "snapshots");
  EXPECT_NE(events[0].text.find(aside.string()), std::string::npos) << events[0].text;
  fs::copy(aside, SnapshotFolder::pathOf(path));  // as if they had stayed
  { const Record again(path.string(), {}, clock); }
  EXPECT_EQ(RecordReader(path.string()).snapshots("gate", 0, kEver).size(), 2u);
}

// Whom the monitor runs as that goes on with it.
TEST(Backup, ThatRootRestoresBelongsToWhomTheRecordBelongedTo) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give a file away";
  constexpr uid_t kService = 65432;
  const Folder folder;
  const fs::path path = folder / "a.sqlite", lock = path.string() + "-lock";
  const fs::path snapshots = SnapshotFolder::pathOf(path);
  {
    Record record(path.string());
    const std::int64_t run = record.beginRun(sampleRun());
    writeMinute(record, run, 0);
    writeSnapshot(record, run);
    makeBackup(path, 2, kGoOn);
  }
  const auto ownerOf = [](const fs::path& file) {
    struct stat has {};
    return stat(file.c_str(), &has) == 0 ? has.st_uid : 0;
  };
  for (const fs::path& file : {path, backupOf(path, 1)}) {
    ASSERT_EQ(chown(file.c_str(), kService, kService), 0);
  }
  for (const bool isThere : {true, false}) {
    fs::remove(lock);
    if (!isThere) {
      fs::remove(path);
      fs::rename(snapshots, path.string() + ".removed-" + isoUtcCompact(kNoon) + "-snapshots");
    }
    EXPECT_EQ(restoreBackup(path, "1", kNoon + isThere).snapshots, isThere ? 0 : 1);
    EXPECT_EQ(ownerOf(path), kService);
    EXPECT_EQ(ownerOf(lock), kService);
    EXPECT_TRUE(isThere || ownerOf(snapshots) == kService);
  }
}

}  // namespace
}  // namespace mpm::monitor
