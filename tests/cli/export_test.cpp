// SPDX-License-Identifier: Apache-2.0
// mpm record export: what it writes, and over what it refuses to write.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "cli/monitor_replay.h"
#include "cli/mpm.h"

namespace mpm::test {
namespace {

using nlohmann::json;

TEST(Monitor, ARecordIsExported) {
  const Folder folder(Disk::memory);
  const std::string record = folder.at("yard.sqlite");
  const Ended watched = monitorReplay("yard=" + noisePictures(folder, 25), {"--record", record});
  ASSERT_EQ(watched.status, 0) << watched.err;
  EXPECT_NE(watched.out.find("yard"), std::string::npos);  // the summary's table
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

TEST(Export, ARecordWhoseNameEndsInPartStaysWhereItIs) {
  const Folder folder(Disk::memory);
  const std::string record = folder.at("rec.part");
  ASSERT_EQ(monitorReplay("yard=" + noisePictures(folder, 3), {"--record", record}).status, 0);
  const std::string before = bytesOf(record);
  ASSERT_EQ(mpmProgram({"record", "export", record, "--out", folder.at("rec")}).status, 0);
  EXPECT_EQ(bytesOf(record), before);
  EXPECT_NE(bytesOf(folder.at("rec")).find("utc_ms"), std::string::npos);
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

TEST(Export, WritesThroughALinkAndIntoWhatIsNoFile) {
  namespace fs = std::filesystem;
  const Folder folder(Disk::memory);
  const std::string record = folder.at("yard.sqlite"), out = folder.write("good.csv", "good");
  ASSERT_EQ(monitorReplay("yard=" + noisePictures(folder, 3), {"--record", record}).status, 0);
  fs::create_symlink("good.csv", folder.at("link"));
  fs::permissions(out, fs::perms::owner_all);
  ASSERT_EQ(mpmProgram({"record", "export", record, "--out", folder.at("link")}).status, 0);
  EXPECT_TRUE(fs::is_symlink(folder.at("link")));
  EXPECT_NE(bytesOf(out).find("live_rows.mean"), std::string::npos);
  EXPECT_EQ(fs::status(out).permissions(), fs::perms::owner_all);
  EXPECT_EQ(mpmProgram({"record", "export", record, "--out", "/dev/null"}).status, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Export, RefusesWhatIsNotThere) {
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

}  // namespace
}  // namespace mpm::test
