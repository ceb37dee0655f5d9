// SPDX-License-Identifier: Apache-2.0
// mpm record: what export writes, and over what it refuses to; restore and check.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "cli/monitor_replay.h"
#include "cli/mpm.h"
#include "monitor/record/backup.h"
#include "monitor/record/database.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::test {
namespace {

using nlohmann::json;

TEST(Monitor, ARecordIsExported) {
  const Folder folder(Disk::memory);
  const std::string record = folder.at("yard.sqlite");
  const Ended watched = monitorReplay("yard=" + noisePictures(folder, 25), {"--record", record});
  ASSERT_EQ(watched.status, 0) << watched.err;
  EXPECT_NE(watched.out.find("yard"), std::string::npos);  // the summary's table
  EXPECT_TRUE(std::regex_search(watched.out, std::regex("largest classes\\n.* [^ ]+ [0-9]+%")))
      << watched.out;
  const Ended csv = mpmProgram(
      {"record", "export", record, "--resolution", "second", "--metrics", "live_rows,confidence"});
  ASSERT_EQ(csv.status, 0) << csv.err;
  EXPECT_NE(csv.out.find("live_rows.mean"), std::string::npos);
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 1 + 3);  // 25 frames, 10 a second
  const Ended nights =
      mpmProgram({"record", "export", record, "--what", "day-night", "--metrics", "live_rows"});
  ASSERT_EQ(nights.status, 0) << nights.err;
  EXPECT_EQ(std::count(nights.out.begin(), nights.out.end(), '\n'), 2) << nights.out;
  const Ended printed =
      mpmProgram({"record", "export", record, "--what", "events", "--json", "--out", "-"});
  EXPECT_EQ(printed.out,
            mpmProgram({"record", "export", record, "--what", "events", "--json"}).out);
  const Ended events = mpmProgram({"record", "export", record, "--what", "events", "--json"});
  ASSERT_EQ(events.status, 0) << events.err;
  EXPECT_FALSE(json::parse(events.out).empty());
}

// Opened for writing, it would be empty before anything was read of it.
TEST(Export, RefusesToWriteOverTheRecord) {
  namespace fs = std::filesystem;
  const Folder folder(Disk::memory);
  const std::string record = folder.at("yard.sqlite");
  ASSERT_EQ(monitorReplay("yard=" + noisePictures(folder, 3), {"--record", record}).status, 0);
  const std::string before = bytesOf(record);
  fs::create_symlink("yard.sqlite", folder.at("link"));
  fs::create_hard_link(record, folder.at("twin"));
  folder.write("yard.sqlite-wal", "");
  for (const std::string& out : {record, folder.at("./yard.sqlite"), folder.at("link"),
                                 folder.at("twin"), record + "-wal", record + "-shm"}) {
    expectMpmRefuses({"record", "export", record, "--out", out}, 2, "belongs to the record");
    EXPECT_EQ(bytesOf(record), before) << out;
  }
  expectMpmRefuses({"record", "export", folder.at("link"), "--out", record}, 2,
                   "belongs to the record");
  EXPECT_EQ(bytesOf(record), before);
}

TEST(Export, RefusesToWriteOverBackupsSnapshotsAndOtherRecords) {
  const Folder folder(Disk::memory);
  const std::string record = folder.at("yard.sqlite"), other = folder.at("other.sqlite");
  ASSERT_EQ(monitorReplay("yard=" + noisePictures(folder, 3), {"--record", record}).status, 0);
  std::filesystem::copy_file(record, other);
  std::filesystem::create_directories(folder.at("yard-snapshots"));
  const std::string backup = folder.write("yard.sqlite.backup-1", "a backup");
  const std::string snapshot = folder.write("yard-snapshots/s.json", "{}");
  std::filesystem::create_hard_link(snapshot, folder.at("twin"));
  for (const std::string& out :
       {backup, record + ".backup-2", record + ".damaged-1", record + ".removed-1-snapshots",
        record + ".replaced-1", snapshot, folder.at("twin"), folder.at("yard-snapshots/new.csv")}) {
    expectMpmRefuses({"record", "export", record, "--out", out}, 2, "belongs to the record");
  }
  const std::string before = bytesOf(other);
  expectMpmRefuses({"record", "export", record, "--out", other}, 2, "is a record itself");
  expectMpmRefuses({"record", "export", record, "--out", other + "-wal"}, 2, "or belongs to one");
  EXPECT_EQ(bytesOf(other), before);
  EXPECT_EQ(bytesOf(backup), "a backup");
  EXPECT_EQ(bytesOf(snapshot), "{}");
}

// Without SQLite's own files beside the record, which readers may leave.
std::set<std::string> exportsIn(const Folder& folder) {
  std::set<std::string> names = folder.content();
  for (const char* own : {"yard.sqlite-shm", "yard.sqlite-wal"}) names.erase(own);
  return names;
}

TEST(Export, WhatFailsLeavesTheOldFileAsItWas) {
  const Folder folder(Disk::memory);
  const std::string record = folder.at("yard.sqlite"), out = folder.write("good.csv", "good");
  ASSERT_EQ(monitorReplay("yard=" + noisePictures(folder, 3), {"--record", record}).status, 0);
  const auto names = exportsIn(folder);
  expectMpmRefuses({"record", "export", record, "--source", "typo", "--out", out}, 2,
                   "--source typo");
  expectMpmRefuses({"record", "export", record, "--metrics", "typo", "--out", out}, 2, "typo");
  expectMpmRefuses(
      {"record", "export", record, "--from", "2026-01-02", "--to", "2026-01-01", "--out", out}, 2,
      "before");
  expectMpmRefuses({"record", "export", record, "--resolution", "week", "--out", out}, 2,
                   "--resolution");
  expectMpmRefuses({"record", "export", record, "--metrics", "luma,luma", "--out", out}, 2,
                   "given twice");
  EXPECT_EQ(bytesOf(out), "good");
  EXPECT_EQ(exportsIn(folder), names);

  ASSERT_EQ(mpmProgram({"record", "export", record, "--out", out}).status, 0);
  EXPECT_NE(bytesOf(out).find("live_rows.mean"), std::string::npos);
  EXPECT_EQ(exportsIn(folder), names);  // nothing beside it
}

TEST(Export, RefusesWhatIsNotThere) {
  const Folder videos;
  const std::string video = videos.write("video.avi", "RIFF");
  expectMpmRefuses({"record", "export", video}, 1,
                   video + " is a picture or a video, not a record; mpm segment MODEL ");
  const Folder folder(Disk::memory);
  expectMpmRefuses({"record", "export", folder.at("none.sqlite")}, 1, "none.sqlite");
  expectMpmRefuses({"record", "export", folder.at("none.sqlite"), "--what", "all"}, 2, "--what");
  expectMpmRefuses({"record", "export", folder.at("none.sqlite"), "--from", "yesterday"}, 2,
                   "--from");
  expectMpmRefuses({"record", "export", folder.at("none.sqlite"), "--to", "2026-02-31"}, 2, "--to");
  expectMpmRefuses({"record", "export", folder.at("none.sqlite"), "--resolution", "week"}, 2,
                   "--resolution");
}

TEST(Export, ATimeIsWrittenInFull) {
  for (const char* time : {"26-05-04", "2026-05-04T13", " 2026-05-04", "2026-05-04 ", "2026-5-4",
                           "2026-05-04T13:00:60", "2026-05-04T24:00", "2026-05-04T13:00:5",
                           "2026-05-04 13:00", "2026-05-04T13:00ZZ", "Z"}) {
    expectMpmRefuses({"record", "export", "none.sqlite", "--from", time}, 2, "is not a time");
  }
  for (const char* time : {"2026-05-04", "2026-05-04Z", "2026-05-04T13:00", "2026-05-04T13:00:59Z"})
    expectMpmRefuses({"record", "export", "none.sqlite", "--from", time}, 1, "none.sqlite");
}

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

}  // namespace
}  // namespace mpm::test
