// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/database.h"

#include <gtest/gtest.h>

#include "monitor/record/old_record.h"
#include "monitor/record/record.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

// Schema 1 as it was, with one run, a bucket of one frame in the dusk and two metrics, an event, a
// snapshot.
constexpr const char* kVersion1 = R"(
PRAGMA auto_vacuum = INCREMENTAL;
CREATE TABLE run(
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL, address TEXT NOT NULL, model TEXT NOT NULL, model_hash TEXT NOT NULL,
  settings TEXT NOT NULL, version TEXT NOT NULL, metrics TEXT NOT NULL,
  begun_utc_ms INTEGER NOT NULL, begun_steady_ms INTEGER NOT NULL, begun_era INTEGER NOT NULL);
CREATE TABLE bucket(
  run INTEGER NOT NULL, resolution INTEGER NOT NULL, era INTEGER NOT NULL,
  start_utc_ms INTEGER NOT NULL, frames BLOB NOT NULL, tallies BLOB NOT NULL);
CREATE UNIQUE INDEX bucket_series ON bucket(run, resolution, era, start_utc_ms);
CREATE INDEX bucket_age ON bucket(resolution, start_utc_ms, run);
CREATE TABLE event(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL,
  utc_ms INTEGER NOT NULL, steady_ms INTEGER NOT NULL, era INTEGER NOT NULL,
  kind TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, value REAL);
CREATE INDEX event_run ON event(run, utc_ms);
CREATE INDEX event_age ON event(utc_ms);
CREATE TABLE snapshot(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL,
  utc_ms INTEGER NOT NULL, steady_ms INTEGER NOT NULL, era INTEGER NOT NULL,
  reason TEXT NOT NULL, stem TEXT NOT NULL UNIQUE, labels INTEGER NOT NULL,
  overlay INTEGER NOT NULL, bytes INTEGER NOT NULL, facts TEXT NOT NULL);
CREATE INDEX snapshot_run ON snapshot(run, utc_ms);
CREATE INDEX snapshot_age ON snapshot(utc_ms);
INSERT INTO run VALUES(1, 'gate', 'address', 'old.onnx', 'abc', '{}', '1.0', '["luma","live_rows"]',
                       1793534400000, 5, 0);
INSERT INTO bucket VALUES(1, 0, 0, 1793534400000,
  x'000000000100000000000000000000000000000000000000', x'0101000000000000000000f03f00');
INSERT INTO event VALUES(1, 1, 1793534400000, 5, 2, 'rule', 'old', 'An old event.', 1.5);
INSERT INTO snapshot VALUES(1, 1, 1793534400000, 5, 0, 'by hand', 'stem', 1, 0, 10, '{}');
PRAGMA application_id = 1297108338;
PRAGMA user_version = 1;
)";

void make(const std::string& path, const std::string& sql) {
  Database(path, Database::Access::readWrite, 0).run(sql.c_str());
}

void checkContents(const RecordReader& reader) {
  const auto buckets =
      reader.buckets("gate", Resolution::second, kNoon, kNoon + 1, {"live_rows", "luma"});
  ASSERT_EQ(buckets.size(), 1u);
  EXPECT_EQ(buckets[0].frames, (std::array<std::uint32_t, kLightStates>{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(buckets[0].tallies, (std::vector<Tally>{Tally{}, tallyOf({1.0})}));
  const auto events = reader.events("gate", kNoon, kNoon + 1);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].name, "old");
  EXPECT_EQ(events[0].at.era, 2);
  EXPECT_TRUE(events[0].at.synchronised);
  EXPECT_EQ(reader.snapshots("gate", kNoon, kNoon + 1).size(), 1u);
  EXPECT_EQ(reader.runs("gate").at(0).facts.begun.steadyMs, 5);
}

TEST(Schema, AnOlderOneIsReadAsItIs) {
  const Folder folder;
  make(folder / "a.sqlite", kVersion1);
  checkContents(RecordReader(folder / "a.sqlite"));
  EXPECT_EQ(
      Database(folder / "a.sqlite", Database::Access::readOnly, 0).number("PRAGMA user_version"),
      1);
}

TEST(Schema, AnOlderOneIsBroughtUpToDateAndGoesOn) {
  const Folder folder;
  make(folder / "a.sqlite", kVersion1);
  {
    ManualClock clock(kNoon + 60000);
    Record record(folder / "a.sqlite", {}, clock);
    const std::int64_t run = record.beginRun(sampleRun());
    EXPECT_EQ(run, 2);
    record.write(run, Event{{9, kNoon + 1000, 0, false}, "clock", "new", "A new event.", {}});
    EXPECT_TRUE(record.flush(kDiskMs));
  }
  const RecordReader reader(folder / "a.sqlite");
  checkContents(reader);
  const auto events = reader.events("gate", kNoon, kNoon + 2000);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_FALSE(events[1].at.synchronised);
  Database database(folder / "a.sqlite", Database::Access::readWrite, 0);
  EXPECT_EQ(database.number("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(database.number("PRAGMA application_id"), kApplicationId);
}

TEST(Schema, OneThatGrewIsTheSameAsANewOne) {
  const Folder folder;
  make(folder / "old.sqlite", kVersion1);
  std::vector<std::string> columns;
  for (const char* name : {"old.sqlite", "new.sqlite"}) {
    Database database(folder / name, Database::Access::readWrite, 0);
    bringUpToDate(database);
    Statement rows(database,
                   "SELECT group_concat(m.name || '.' || p.name || ':' || p.type, ' ') FROM "
                   "sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table'");
    rows.step();
    columns.push_back(rows.text(0));
  }
  EXPECT_EQ(columns[0], columns[1]);
  EXPECT_NE(columns[0].find("event.synchronised:INTEGER"), std::string::npos);
}

TEST(Schema, ARecordFromBeforePicturesIsReadAndGoesOnWithThem) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  makeOldRecord(path, "gate", kOldSettings[0]);
  const auto read = [&] { return RecordReader(path).snapshots("gate", kNoon, kNoon + 2000); };
  ASSERT_EQ(read().size(), 1u);
  EXPECT_EQ(read()[0].picture, "");
  {
    ManualClock clock(kNoon + 60000);
    Record record(path, {}, clock);
    Snapshot snapshot;
    snapshot.taken = {9, kNoon + 1000, 0, true};
    snapshot.picture = cv::Mat(4, 6, CV_8UC3, cv::Scalar(1, 2, 3));
    record.write(record.beginRun(sampleRun()), snapshot);
    EXPECT_TRUE(record.flush(kDiskMs));
  }
  ASSERT_EQ(read().size(), 2u);
  EXPECT_EQ(read()[0].picture, "");
  EXPECT_NE(read()[1].picture, "");
  EXPECT_EQ(read()[1].clip, "") << "a picture alone is no clip";
  EXPECT_EQ(read()[1].mergeMap, "");
}

TEST(Schema, ANewerOneIsLeftAlone) {
  const Folder folder;
  make(folder / "a.sqlite", std::string(kVersion1) + "PRAGMA user_version = 4;");
  const std::string expected =
      "was written by a newer version of this program (schema 4, this one knows 3)";
  std::string text = refusal([&] { Record record(folder / "a.sqlite"); });
  EXPECT_NE(text.find(expected), std::string::npos) << text;
  text = refusal([&] { RecordReader reader(folder / "a.sqlite"); });
  EXPECT_NE(text.find(expected), std::string::npos) << text;
  EXPECT_EQ(Database(folder / "a.sqlite", Database::Access::readOnly, 0)
                .number("SELECT count(*) FROM event"),
            1);
}

TEST(Schema, AnotherProgramsDatabaseIsLeftAlone) {
  const Folder folder;
  make(folder / "a.sqlite", "CREATE TABLE mine(x); INSERT INTO mine VALUES(1);");
  for (int time = 0; time < 2; ++time) {
    const std::string text = refusal([&] { Record record(folder / "a.sqlite"); });
    EXPECT_NE(text.find("is a database of another program"), std::string::npos) << text;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "a.sqlite-lock"));
  EXPECT_EQ(
      Database(folder / "a.sqlite", Database::Access::readOnly, 0).number("SELECT x FROM mine"), 1);
}

// What else a file defines is of no use to us.
TEST(Schema, ViewsAndTriggersOfAFileAreNotRun) {
  const Folder folder;
  make(folder / "a.sqlite", std::string(kVersion1) +
                                "CREATE VIEW mine AS SELECT 1;"
                                "CREATE TRIGGER more AFTER INSERT ON event BEGIN "
                                "DELETE FROM event; END;");
  checkContents(RecordReader(folder / "a.sqlite"));
  Database database(folder / "a.sqlite", Database::Access::readWrite, 0);
  EXPECT_THROW(database.number("SELECT * FROM mine"), DatabaseError);
  database.run("INSERT INTO event VALUES(2, 1, 0, 0, 0, '', '', '', NULL)");
  EXPECT_EQ(database.number("SELECT count(*) FROM event"), 2);
  EXPECT_THROW(database.number("SELECT length(randomblob(20000000))"), DatabaseError);
}

}  // namespace
}  // namespace mpm::monitor
