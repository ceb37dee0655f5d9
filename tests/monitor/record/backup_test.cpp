// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/backup.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>

#include "monitor/record/database.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

TEST(Backup, HasAllButSecondsWhileTheRecordIsWritten) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  Record record(path);
  const std::int64_t run = record.beginRun(sampleRun());
  writeMinute(record, run, 0);
  makeBackup(path, 2, kGoOn);
  writeMinute(record, run, 1);
  const RecordReader backup(backupOf(path, 1).string());
  EXPECT_EQ(backup.buckets("gate", Resolution::second, 0, kEver, {"luma"}).size(), 0u);
  EXPECT_EQ(minutesIn(backupOf(path, 1)), 1u);
  EXPECT_EQ(backup.events("gate", 0, kEver).size(), 1u);
  EXPECT_EQ(backup.runs("gate").size(), 1u);
  EXPECT_EQ(minutesIn(path), 2u);
  EXPECT_EQ(record.status().fault, "");
}

TEST(Backup, OfALinkLiesBesideWhatItLeadsTo) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite", link = folder / "links/b.sqlite";
  fs::create_directory(link.parent_path());
  fs::create_symlink("../a.sqlite", link);
  ManualClock clock(kNoon);
  RecordOptions options;
  options.backups = 2;
  options.commitEveryMs = 2;
  Record record(link.string(), options, clock);
  writeMinute(record, record.beginRun(sampleRun()), 0);
  EXPECT_TRUE(test::eventually([&] {
    clock.advance(60000);
    return fs::exists(backupOf(path, 1)) || fs::exists(backupOf(link, 1));
  }));
  EXPECT_TRUE(fs::exists(backupOf(path, 1)));
  EXPECT_GT(fs::file_size(path), 0u);
  EXPECT_TRUE(test::eventually([&] {
    clock.advance(60000);  // until they are counted again
    return record.status().bytes >= 2 * fileBytes(path);
  })) << "it counts";
  makeBackup(link, 2, kGoOn);
  EXPECT_TRUE(fs::exists(backupOf(path, 2)));
  EXPECT_NE(refusal([&] { restoreBackup(link, "1", kNoon); }).find(" is writing to "),
            std::string::npos);
}

TEST(Backup, KnowsWhatCamerasShow) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  Record record(path);
  writeMinute(record, record.beginRun(sampleRun()), 0);
  makeBackup(path, 2, kGoOn);  // nothing yet
  record.writeView("gate", "a street");
  ASSERT_TRUE(record.flush(kDiskMs));
  makeBackup(path, 2, kGoOn);
  EXPECT_EQ(RecordReader(backupOf(path, 1).string()).view("gate", 0), "a street");
  EXPECT_EQ(RecordReader(backupOf(path, 2).string()).view("gate", 0), "");
}

TEST(Backup, KeepsSoManyAndNoMore) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  Record record(path);
  const std::int64_t run = record.beginRun(sampleRun());
  for (int minute = 0; minute < 4; ++minute) {
    writeMinute(record, run, minute);
    makeBackup(path, 2, kGoOn);
  }
  EXPECT_EQ(minutesIn(backupOf(path, 1)), 4u);
  EXPECT_EQ(minutesIn(backupOf(path, 2)), 3u);
  EXPECT_FALSE(fs::exists(backupOf(path, 3)));
}

TEST(Backup, ThatFailsLeavesTheOnesBefore) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  {
    Record record(path.string());
    writeMinute(record, record.beginRun(sampleRun()), 0);
    makeBackup(path, 2, kGoOn);
    EXPECT_THROW(makeBackup(path, 2, kStop), std::runtime_error);
  }
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
      << std::string(fs::file_size(path), 'x');
  EXPECT_THROW(makeBackup(path, 2, kGoOn), std::runtime_error);
  EXPECT_EQ(minutesIn(backupOf(path, 1)), 1u);
  EXPECT_FALSE(fs::exists(backupOf(path, 2)));
  EXPECT_FALSE(fs::exists(path.string() + ".backup.part"));
  EXPECT_THROW(makeBackup(folder / "none.sqlite", 2, kGoOn), std::runtime_error);
  EXPECT_FALSE(fs::exists(folder / "none.sqlite"));
}

TEST(Backup, TakesThePlaceOfADamagedRecordWhichIsWrittenOn) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  {
    Record record(path.string());
    writeMinute(record, record.beginRun(sampleRun()), 0);
    makeBackup(path, 2, kGoOn);
    EXPECT_THROW(restoreBackup(path, "1", kNoon), std::runtime_error) << "it is being written";
  }
  std::ofstream(path, std::ios::binary) << "nothing that could be read";
  const fs::path replaced = restoreBackup(path, "1", kNoon).replaced;
  EXPECT_EQ(replaced, path.string() + ".replaced-20261101T120000.000Z");
  EXPECT_TRUE(fs::exists(replaced));
  EXPECT_EQ(minutesIn(path), 1u);
  Record record(path.string());
  writeMinute(record, record.beginRun(sampleRun()), 1);
  EXPECT_EQ(minutesIn(path), 2u);
  EXPECT_EQ(record.status().fault, "");
  EXPECT_EQ(RecordReader(path.string()).runs("gate").size(), 2u);
}

TEST(Backup, ThatIsDamagedItselfOrNotThereIsRefused) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  {
    Record record(path.string());
    writeMinute(record, record.beginRun(sampleRun()), 0);
    makeBackup(path, 2, kGoOn);
  }
  fs::resize_file(backupOf(path, 1), fs::file_size(backupOf(path, 1)) / 2);
  EXPECT_THROW(restoreBackup(path, "1", kNoon), std::runtime_error);
  EXPECT_THROW(restoreBackup(path, "2", kNoon), std::runtime_error);
  EXPECT_EQ(minutesIn(path), 1u) << "the record stays as it was";
}

// Seen: three nights after a damage the last of the history was gone.
TEST(Backup, OfTheRecordBeforeStaysWhateverNightsCome) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  {
    Record record(path.string());
    const std::int64_t run = record.beginRun(sampleRun());
    writeMinute(record, run, 0);
    makeBackup(path, 3, kGoOn);
    fs::remove(path);
    ASSERT_TRUE(test::eventually([&] {
      return record.status().fault.find("--backup kept-") != std::string::npos;
    })) << record.status().fault;
  }
  for (int night = 0; night < 4; ++night) makeBackup(path, 3, kGoOn);
  boundBackups(path, 1);
  const std::vector<std::string> kept = keptBackups(path);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(minutesIn(backupOf(path, kept[0])), 1u);
}

TEST(Backup, StaysAlsoWhereTheRecordIsGoneOrDamagedAtTheStart) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  {
    Record record(path.string());
    writeMinute(record, record.beginRun(sampleRun()), 0);
    makeBackup(path, 3, kGoOn);
  }
  fs::remove(path);
  {
    Record record(path.string());
    EXPECT_EQ(record.status().fault, "") << "it may have been removed on purpose";
    writeMinute(record, record.beginRun(sampleRun()), 1);
    const auto events = RecordReader(path.string()).events("gate", 0, kEver);
    ASSERT_EQ(keptBackups(path).size(), 1u);
    EXPECT_EQ(std::count_if(events.begin(), events.end(),
                            [](const Event& event) { return event.name == "removed"; }),
              1);
    makeBackup(path, 3, kGoOn);
  }
  { const Record again(path.string()); }
  EXPECT_EQ(keptBackups(path).size(), 1u) << "it has begun long ago";
  std::ofstream(path) << "nothing that could be read";
  { const Record anew(path.string()); }
  EXPECT_EQ(keptBackups(path).size(), 2u);
}

TEST(Backup, OfThoseThatAreKeptTheLargestStay) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  for (const int bytes : {40, 1000, 20, 30}) {
    std::ofstream(backupOf(path, 1)) << std::string(static_cast<std::size_t>(bytes), 'x');
    keepNewestBackup(path, kNoon + bytes);
  }
  std::ofstream(backupOf(path, "kept-mine")) << "as people call it";
  const auto isThere = [&](const char* ms) {
    return fs::exists(backupOf(path, "kept-20261101T1200" + std::string(ms) + "Z"));
  };
  EXPECT_EQ(boundBackups(path, 0), 1070);
  EXPECT_FALSE(isThere("00.020"));
  std::ofstream(backupOf(path, 1)) << std::string(100, 'x');
  EXPECT_EQ(boundBackups(path, 1150), 1140);
  EXPECT_TRUE(isThere("00.040"));
  EXPECT_FALSE(isThere("00.030"));
  EXPECT_EQ(boundBackups(path, 1), 1100);
  EXPECT_EQ(keptBackups(path), std::vector<std::string>{"kept-20261101T120001.000Z"});
  EXPECT_TRUE(fs::exists(backupOf(path, "kept-mine")));
}

std::string textOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The journal of what was there goes with it, also where an earlier try was killed in the middle.
TEST(Backup, ThatIsRestoredTakesNoJournalAway) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  {
    Record record(path.string());
    writeMinute(record, record.beginRun(sampleRun()), 0);
    makeBackup(path, 2, kGoOn);
  }
  for (const bool isThere : {true, false}) {
    fs::remove(path);
    if (isThere) std::ofstream(path) << "a record";
    std::ofstream(path.string() + "-wal") << "its journal";
    const std::int64_t now = kNoon + isThere;
    const fs::path replaced = path.string() + ".replaced-" + isoUtcCompact(now);
    EXPECT_EQ(restoreBackup(path, "1", now).replaced, isThere ? replaced : fs::path());
    EXPECT_EQ(textOf(replaced), isThere ? "a record" : "");
    EXPECT_EQ(textOf(replaced.string() + "-wal"), "its journal");
    EXPECT_FALSE(fs::exists(path.string() + "-wal"));
    EXPECT_EQ(minutesIn(path), 1u);
  }
}

// As where the disk fills up.
TEST(Backup, ThatCannotBeCopiedLeavesNothingBehind) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  {
    Record record(path.string());
    const std::int64_t run = record.beginRun(sampleRun());
    writeMinute(record, run, 0);
    makeBackup(path, 2, kGoOn);
    writeMinute(record, run, 1);
  }
  const auto heed = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 8192;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &few), 0);
  const std::string fault = refusal([&] { restoreBackup(path, "1", kNoon); });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, heed);
  EXPECT_NE(fault.find("cannot be copied to"), std::string::npos) << fault;
  EXPECT_FALSE(fs::exists(path.string() + ".restored.part"));
  EXPECT_EQ(minutesIn(path), 2u) << "the record stays as it was";
}

TEST(Backup, OfTooMuchTheOldestGo) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  for (int number = 1; number <= 3; ++number) {
    std::ofstream(backupOf(path, number)) << std::string(1000, 'x');
  }
  EXPECT_EQ(boundBackups(path, 0), 3000);
  EXPECT_EQ(boundBackups(path, 2500), 2000);
  EXPECT_TRUE(fs::exists(backupOf(path, 2)));
  EXPECT_FALSE(fs::exists(backupOf(path, 3)));
}

TEST(Backup, ThatIsTheNewestStaysWhateverItTakes) {
  const Folder folder;
  const fs::path path = folder / "a.sqlite";
  for (int number = 1; number <= 3; ++number) {
    std::ofstream(backupOf(path, number)) << std::string(number == 1 ? 1000 : 10, 'x');
  }
  EXPECT_EQ(boundBackups(path, 500), 1000);
  EXPECT_TRUE(fs::exists(backupOf(path, 1)));
  EXPECT_FALSE(fs::exists(backupOf(path, 2)));
  EXPECT_FALSE(fs::exists(backupOf(path, 3))) << "no older one outlives a newer one";
}

TEST(Backup, OfFewerThanBeforeTheSurplusGoes) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  Record record(path);
  writeMinute(record, record.beginRun(sampleRun()), 0);
  for (int number = 0; number < 5; ++number) makeBackup(path, 5, kGoOn);
  makeBackup(path, 2, kGoOn);
  EXPECT_TRUE(fs::exists(backupOf(path, 2)));
  for (int number = 3; number <= 5; ++number) EXPECT_FALSE(fs::exists(backupOf(path, number)));
}

}  // namespace
}  // namespace mpm::monitor
