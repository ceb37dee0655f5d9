// SPDX-License-Identifier: Apache-2.0
// What may lie where a record is opened: nothing, a record, an older or a newer or a damaged one,
// and what is none.
#include "monitor/record/database.h"
#include "monitor/record/old_record.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

class Opening : public testing::Test {
 protected:
  void make(const std::string& sql) { Database(path_, Database::Access::readWrite, 0).run(sql); }
  std::int64_t number(const std::string& sql) {
    return Database(path_, Database::Access::readOnly, 0).number(sql);
  }
  std::string written() {
    return refusal([&] { Record record(path_); });
  }
  std::string read() {
    return refusal([&] { RecordReader reader(path_); });
  }
  std::vector<std::string> namesLike(const std::string& part) {
    std::vector<std::string> names;
    for (const auto& file : fs::directory_iterator(folder_.path())) {
      const std::string name = file.path().filename().string();
      if (name.find(part) != std::string::npos) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const Folder folder_;
  const std::string path_ = folder_ / "a.sqlite";
};

void overwrite(const std::string& path, std::size_t at, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file << bytes;
}

struct Damage {
  const char* what;
  std::function<void(const std::string& path)> inflict;
};

class DamagedRecord : public Opening, public testing::WithParamInterface<Damage> {};

TEST_P(DamagedRecord, IsMovedAsideWholeAndANewOneTellsOfIt) {
  {
    ManualClock clock(kNoon);
    Record record(path_, {}, clock);
    const std::int64_t run = record.beginRun(sampleRun());
    writeSeconds(record, run, 300);
    record.write(run, snapshotAt(kNoon, cv::Mat(2, 2, CV_8U, cv::Scalar(3))));
    ASSERT_TRUE(record.flush(kDiskMs));
  }
  GetParam().inflict(path_);
  ManualClock clock(kNoon + 3600000);
  {
    Record record(path_, {}, clock);
    EXPECT_TRUE(record.status().fault.starts_with("The record was damaged: it was moved to "));
    writeSeconds(record, record.beginRun(sampleRun()), 1, 3600);
    ASSERT_TRUE(record.flush(kDiskMs));
    EXPECT_NE(record.status().fault, "") << "it is told for a while";
    clock.advance(91000);
    EXPECT_EQ(record.status().fault, "");
  }
  const std::string aside = "a.sqlite.damaged-20261101T130000.000Z";
  EXPECT_EQ(namesLike("damaged"), (std::vector{aside, aside + "-snapshots"}));
  EXPECT_FALSE(fs::is_empty(folder_ / (aside + "-snapshots")));
  const auto events = eventsIn(path_);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind + "." + events[0].name, "record.damaged");
  EXPECT_TRUE(has(events[0].text, aside + "\""));
  EXPECT_EQ(countIn(path_), 1u);
}

const std::string kJunk(8192, '\x5a');
INSTANTIATE_TEST_SUITE_P(
    Each, DamagedRecord,
    testing::Values(
        Damage{"FirstPage", [](auto& path) { overwrite(path, 0, kJunk); }},
        Damage{"Zeros", [](auto& path) { overwrite(path, 0, std::string(4096, 0)); }},
        Damage{"Middle", [](auto& path) { overwrite(path, fs::file_size(path) / 2, kJunk); }},
        Damage{"CutOff", [](auto& path) { fs::resize_file(path, fs::file_size(path) / 2 + 100); }},
        Damage{"CutToLess", [](auto& path) { fs::resize_file(path, 50); }},
        Damage{"AllButItsHeader", [](auto& path) { overwrite(path, 100, kJunk); }}),
    [](const auto& one) { return std::string(one.param.what); });

TEST_F(Opening, WhatIsNoRecordIsNamedAndLeftAlone) {
  EXPECT_TRUE(has(read(), "There is no record \"" + path_ + "\""));
  fs::create_directory(folder_ / "folder");
  const std::pair<std::string, const char*> places[] = {
      {folder_ / "none/a.sqlite", "/none\" for the record"},
      {folder_ / "folder", "is not a file"},
      {folder_ / "folder/", "cannot be the file name"},
      {"", "cannot be the file name"}};
  for (const auto& [place, part] : places)
    EXPECT_TRUE(has(refusal([&] { Record record(place); }), part)) << place;
  EXPECT_NE(refusal([&] { RecordReader reader(folder_ / "folder"); }), "");
  std::ofstream(path_) << std::string(10000, 'v');  // somebody's holiday.mp4
  EXPECT_NE(read(), "");
  for (int time = 0; time < 2; ++time)  // the first time leaves nothing that misleads the second
    EXPECT_TRUE(has(written(), "is not a record, and stays as it is"));
  EXPECT_EQ(fs::file_size(path_), 10000u);
  EXPECT_EQ(namesLike("a.sqlite").size(), 1u);
  fs::remove(path_);
  make("CREATE TABLE mine(x); INSERT INTO mine VALUES(1);");
  for (int time = 0; time < 2; ++time)
    EXPECT_TRUE(has(written(), "is a database of another program"));
  EXPECT_FALSE(fs::exists(path_ + "-lock"));
  EXPECT_EQ(number("SELECT x FROM mine"), 1);
}

TEST_F(Opening, AnEmptyFileIsABeginning) {
  { const std::ofstream file(path_); }
  EXPECT_TRUE(has(read(), "it is empty"));
  Record record(path_);
  EXPECT_EQ(record.beginRun(sampleRun()), 1);
  EXPECT_TRUE(namesLike("damaged").empty());
}

TEST_F(Opening, NamesNeedNoEndingAndMayHoldAnything) {
  for (const char* name : {"plain", "a b?c#d%41&e=f", "\xc3\xbc.sqlite"}) {
    { Record(folder_ / name).beginRun(sampleRun()); }
    EXPECT_TRUE(fs::exists(folder_ / name)) << name;
    EXPECT_EQ(RecordReader(folder_ / name).sources().size(), 1u) << name;
  }
}

TEST_F(Opening, ALinkLeadsToOneRecordWithOneLock) {
  fs::create_symlink(path_, folder_ / "link.sqlite");
  Record record(folder_ / "link.sqlite");
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_TRUE(has(written(), "Another process"));
}

TEST_F(Opening, ABucketThatCannotBeReadIsNotShownAsAnother) {
  {
    Record record(path_);
    writeSeconds(record, record.beginRun(sampleRun()), 1);
  }
  make("UPDATE bucket SET tallies = x'0702'");
  EXPECT_TRUE(has(refusal([&] { countIn(path_); }),
                  "is damaged: the bucket that begins at 1793534400000 ms"));
}

class OldRecord : public Opening, public testing::WithParamInterface<int> {
 protected:
  OldRecord() { makeOldRecord(path_, "gate", kOldSettings[0], GetParam()); }
  void expectContents() const {
    const RecordReader reader(path_);
    const auto buckets =
        reader.buckets("gate", Resolution::second, kNoon, kNoon + 1, {"luma", "live_rows"});
    ASSERT_EQ(buckets.size(), 1u);
    EXPECT_EQ(buckets[0].frames, (Frames{1, 0, 0, 0, 0, 0}));
    EXPECT_EQ(buckets[0].tallies, (std::vector{Tally{}, tallyOf({512})}));
    const auto events = reader.events("gate", kNoon, kNoon + 1);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].name, "old");
    EXPECT_TRUE(events[0].at.synchronised);
    ASSERT_EQ(reader.snapshots("gate", kNoon, kNoon + 1).size(), 1u);
    EXPECT_EQ(reader.snapshots("gate", kNoon, kNoon + 1)[0].picture, "");
    EXPECT_EQ(reader.runs("gate").at(0).facts.begun.steadyMs, 5);
  }
};

TEST_P(OldRecord, IsReadAsItIsAndBroughtUpToDateByWhoWrites) {
  expectContents();
  EXPECT_EQ(number("PRAGMA user_version"), GetParam());
  {
    ManualClock clock(kNoon + 60000);
    Record record(path_, {}, clock);
    const std::int64_t run = record.beginRun(sampleRun());
    EXPECT_EQ(run, 2);
    record.write(run, Event{{9, kNoon + 1000, 0, false}, "clock", "new", "A new event.", {}});
    record.write(run, snapshotAt(kNoon + 1000, {}, cv::Mat(4, 6, CV_8UC3, cv::Scalar(1, 2, 3))));
    EXPECT_TRUE(record.flush(kDiskMs));
  }
  expectContents();
  const auto events = eventsIn(path_);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_FALSE(events[1].at.synchronised);
  const auto snapshots = snapshotsIn(path_);
  ASSERT_EQ(snapshots.size(), 2u);
  EXPECT_NE(snapshots[1].picture, "");
  EXPECT_EQ(snapshots[1].clip + snapshots[1].mergeMap, "") << "a picture alone is no clip";
  EXPECT_EQ(number("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(number("PRAGMA application_id"), kApplicationId);
}

TEST_P(OldRecord, OneThatGrewIsTheSameAsANewOne) {
  std::vector<std::string> columns;
  for (const std::string& path : {path_, folder_ / "new.sqlite"}) {
    Database database(path, Database::Access::readWrite, 0);
    bringUpToDate(database);
    Statement rows(database,
                   "SELECT group_concat(m.name || '.' || p.name || ':' || p.type, ' ') FROM "
                   "sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table'");
    rows.step();
    columns.push_back(rows.text(0));
  }
  EXPECT_EQ(columns[0], columns[1]);
  EXPECT_TRUE(has(columns[0], "event.synchronised:INTEGER"));
}

TEST_P(OldRecord, OfANewerVersionIsLeftAlone) {
  make("PRAGMA user_version = 4");
  for (const std::string& text : {written(), read()})
    EXPECT_TRUE(has(text,
                    "was written by a newer version of this program (schema 4, this one "
                    "knows 3)"));
  EXPECT_EQ(number("SELECT count(*) FROM event"), 1);
}

// What else a file defines is of no use to us.
TEST_P(OldRecord, ViewsAndTriggersOfAFileAreNotRun) {
  make(
      "CREATE VIEW mine AS SELECT 1;"
      "CREATE TRIGGER more AFTER INSERT ON event BEGIN DELETE FROM event; END;");
  expectContents();
  EXPECT_THROW(number("SELECT * FROM mine"), DatabaseError);
  make(
      "INSERT INTO event(id, run, utc_ms, steady_ms, era, kind, name, text) "
      "VALUES(2, 1, 0, 0, 0, '', '', '')");
  EXPECT_EQ(number("SELECT count(*) FROM event"), 2);
  EXPECT_THROW(number("SELECT length(randomblob(20000000))"), DatabaseError);
}

INSTANTIATE_TEST_SUITE_P(Schema, OldRecord, testing::Values(1, 2));

}  // namespace
}  // namespace mpm::monitor
