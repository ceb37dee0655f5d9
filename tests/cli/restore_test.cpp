// SPDX-License-Identifier: Apache-2.0
// mpm record restore: a backup takes the place of a record, and nothing else changes.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/mpm.h"
#include "monitor/record/backup.h"
#include "monitor/record/database.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::test {
namespace {

namespace fs = std::filesystem;

class Restore : public testing::Test {
 protected:
  // A record of one minute, a backup of it, and a minute more.
  void SetUp() override {
    monitor::Record record(path_);
    const auto run = record.beginRun(monitor::sampleRun());
    const auto write = [&](int minute) {
      record.write(run, {monitor::sampleBucket(monitor::kNoon + minute * 60000, 1,
                                               monitor::Resolution::minute)});
      ASSERT_TRUE(record.flush(monitor::kDiskMs));
    };
    write(0);
    monitor::makeBackup(path_, 3, std::atomic<bool>{false});
    write(1);
  }
  std::size_t minutes(const std::string& path) const {
    return monitor::RecordReader(path)
        .buckets("gate", monitor::Resolution::minute, 0, std::int64_t{1} << 60, {})
        .size();
  }

  monitor::Folder folder_;
  const std::string path_ = folder_ / "a.sqlite";
};

TEST_F(Restore, PutsTheBackupInTheRecordsPlaceAndKeepsWhatWasThere) {
  const Ended ended = mpmProgram({"record", "restore", path_});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(minutes(path_), 1u);
  const std::string before = path_ + " is " + path_ + ".backup-1 now; what was there is ";
  ASSERT_EQ(ended.out.compare(0, before.size(), before), 0) << ended.out;
  const std::string replaced =
      ended.out.substr(before.size(), ended.out.find('\n') - before.size());
  EXPECT_EQ(minutes(replaced), 2u) << replaced;
}

TEST_F(Restore, RefusesWhatCannotBeAndChangesNothing) {
  expectMpmRefuses({"record", "restore", path_, "--backup", "2"}, 1, "There is no backup");
  expectMpmRefuses({"record", "restore", path_, "--backup", "0"}, 2, "--backup counts from 1");
  expectMpmRefuses({"record", "restore", path_, "--backup", "-1"}, 2, "--backup");
  expectMpmRefuses({"record", "restore", path_, "--backup", "kept/../1"}, 2, "is no number");
  expectMpmRefuses({"record", "restore", path_, "--backup", "kept"}, 1, "There is no backup");
  expectMpmRefuses({"record", "restore", folder_ / "none.sqlite"}, 1, "There is no backup");
  const monitor::Record writing(path_);
  expectMpmRefuses({"record", "restore", path_}, 1, " is writing to ");
  EXPECT_EQ(minutes(path_), 2u);
}

// Behind a damage the backups of the nights are those of the record that was begun then.
TEST_F(Restore, BringsBackTheHistoryFromBeforeARecordWasBegunAnew) {
  fs::remove(path_);
  { const monitor::Record anew(path_); }
  expectMpmRefuses({"record", "restore", path_}, 1, "but one of an earlier record (--backup kept)");
  monitor::makeBackup(path_, 3, std::atomic<bool>{false});
  const Ended hint = mpmProgram({"record", "restore", path_});
  EXPECT_NE(hint.out.find(path_ + ".backup-kept"), std::string::npos) << hint.out;
  EXPECT_EQ(minutes(path_), 0u);
  const Ended ended = mpmProgram({"record", "restore", path_, "--backup", "kept"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(minutes(path_), 1u);
}

// What is locked, and where backups lie, is not a matter of the name.
TEST_F(Restore, OfALinkIsThatOfWhatItLeadsTo) {
  const std::string link = folder_ / "links/b.sqlite";
  fs::create_directory(folder_ / "links");
  fs::create_symlink("../a.sqlite", link);
  {
    const monitor::Record writing(path_);
    expectMpmRefuses({"record", "restore", link}, 1, " is writing to ");
  }
  const Ended ended = mpmProgram({"record", "restore", link});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find(path_ + ".backup-1 now"), std::string::npos) << ended.out;
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(minutes(path_), 1u);
}

TEST_F(Restore, ACheckSaysWhatARecordHoldsAndWhetherItIsSound) {
  const Ended sound = mpmProgram({"record", "check", path_});
  EXPECT_EQ(sound.status, 0) << sound.err;
  EXPECT_EQ(sound.out, path_ + " is sound\ngate: 1 run, 0 snapshots\n");
  {
    const monitor::Record writing(path_);
    EXPECT_EQ(mpmProgram({"record", "check", path_}).out, sound.out);
  }
  const std::string damaged = folder_ / "damaged.sqlite";
  fs::copy_file(path_, damaged);
  std::fstream file(damaged, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(monitor::kPageBytes);
  file << std::string(static_cast<std::size_t>(fs::file_size(damaged)) - monitor::kPageBytes, 'x');
  file.close();
  expectMpmRefuses({"record", "check", damaged}, 1, "is damaged");
  expectMpmRefuses({"record", "check", folder_ / "none.sqlite"}, 1, "is not a record");
  expectMpmRefuses({"record"}, 2, "subcommand is required");
}

TEST(Record, HelpHasAnExample) {
  for (const std::string command : {"export", "restore", "check"}) {
    const Ended help = mpmProgram({"record", command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.out.find("Example: mpm record " + command), std::string::npos) << help.out;
  }
}

}  // namespace
}  // namespace mpm::test
