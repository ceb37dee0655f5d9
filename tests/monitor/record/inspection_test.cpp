// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/inspection.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <functional>
#include <optional>
#include <random>
#include <thread>

#include "monitor/record/database.h"
#include "monitor/record/harm.h"
#include "monitor/record/sample_record.h"
#include "monitor/record/schema.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

// Seen: garbage in a record that was begun a moment before was never told, as all its pages stood
// in the journal as well.
TEST(RecordInspection, GarbageInAFileThatWasJustBegunIsTold) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  {
    Database database(path, Database::Access::readWrite, 0);
    bringUpToDate(database);
    prepareForWriting(database);
    database.run("CREATE TABLE mine(x)");  // the journal has the first page now
    overwrite(path, 0, std::string(8192, 'x'));
    Inspection inspection(database);
    EXPECT_EQ(inspection.look().kind, Trouble::Kind::damaged);
    database.leaveFilesWhenClosed();
  }
  Database database(folder / "b.sqlite", Database::Access::readWrite, 0);
  bringUpToDate(database);
  prepareForWriting(database);
  Inspection inspection(database);
  database.run("CREATE TABLE mine(x)");
  inspection.committed();
  EXPECT_EQ(inspection.look().kind, Trouble::Kind::none);
  flipBit(database.path().string(), 3000);  // of the first page, behind what every first page has
  EXPECT_EQ(inspection.look().kind, Trouble::Kind::damaged);
}

// Somebody who reads keeps SQLite from bringing all of the journal into the file: what came is
// looked at all the same.
TEST(RecordInspection, WhatAPartOfTheJournalBroughtIsLookedAt) {
  const auto harmed = [](const std::function<void(const std::string&, std::int64_t)>& harm) {
    const Folder folder;
    const std::string path = folder / "a.sqlite";
    Database database(path, Database::Access::readWrite, 0);
    bringUpToDate(database);
    prepareForWriting(database);
    Inspection inspection(database);
    const auto commit = [&](const char* what) {
      database.run(what);
      inspection.committed();
    };
    commit("CREATE TABLE mine(x); INSERT INTO mine VALUES(randomblob(100000))");
    Database other(path, Database::Access::readOnly, 0);
    Statement reading(other, "SELECT count(*) FROM mine");
    EXPECT_TRUE(reading.step());
    commit("INSERT INTO mine VALUES(randomblob(100000))");
    const auto before = static_cast<std::int64_t>(fs::file_size(path));
    int frames = 0, done = 0;
    sqlite3_wal_checkpoint_v2(database.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &frames, &done);
    EXPECT_LT(done, frames);
    inspection.checkpointed(false);
    EXPECT_GT(static_cast<std::int64_t>(fs::file_size(path)), before + 90000);
    EXPECT_EQ(inspection.look().kind, Trouble::Kind::none) << inspection.look().text;
    harm(path, before);
    const Trouble::Kind found = inspection.look().kind;
    database.leaveFilesWhenClosed();
    return found;
  };
  EXPECT_EQ(harmed([](const auto&, std::int64_t) {}), Trouble::Kind::none);
  EXPECT_EQ(harmed([](const auto& path, std::int64_t before) { flipBit(path, before + 50000); }),
            Trouble::Kind::damaged);
  EXPECT_EQ(harmed([](const auto& path, std::int64_t before) {
              fs::resize_file(path, static_cast<std::uintmax_t>(before) + 50000);
            }),
            Trouble::Kind::damaged);
}

// Growing, shrinking, journals that come in parts, in whole, or by another program.
TEST(RecordInspection, NothingIsFoundWhereNothingWasHarmed) {
  constexpr int kSeeds = 60, kSteps = 60;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Folder folder;
    const std::string path = folder / "a.sqlite";
    Database database(path, Database::Access::readWrite, 0);
    bringUpToDate(database);
    prepareForWriting(database);
    database.run("CREATE TABLE mine(x)");
    Inspection inspection(database);
    Database other(path, Database::Access::readWrite, 0);
    Database reader(path, Database::Access::readOnly, 0);
    std::optional<Statement> reading;
    const auto checkpoint = [](Database& by, int mode) {
      int frames = 0, done = 0;
      const int code = sqlite3_wal_checkpoint_v2(by.get(), nullptr, mode, &frames, &done);
      return code == SQLITE_OK && frames == done;
    };
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int step = 0; step < kSteps; ++step) {
      const auto what = random() % 10;
      SCOPED_TRACE("step " + std::to_string(step) + ": " + std::to_string(what));
      Database& by = random() % 4 == 0 ? other : database;
      if (what < 4) by.run("INSERT INTO mine VALUES(randomblob(50000)), (randomblob(9000))");
      if (what == 4) by.run("DELETE FROM mine WHERE rowid % 3 = 0");
      if (what == 5) by.run("PRAGMA incremental_vacuum(40)");
      if (what == 6) inspection.checkpointed(checkpoint(database, SQLITE_CHECKPOINT_PASSIVE));
      if (what == 7)
        checkpoint(other,
                   random() % 2 == 0 ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE);
      if (what == 8) reading.reset();
      if (what == 9 && !reading) {
        reading.emplace(reader, "SELECT count(*) FROM mine");
        reading->step();
      }
      if (&by == &database && what < 6) inspection.committed();
      if (random() % 3 == 0) {
        const Trouble found = inspection.look();
        ASSERT_EQ(found.kind, Trouble::Kind::none) << found.text;
      }
    }
    reading.reset();
    database.leaveFilesWhenClosed();
  }
}

// Seen: another program cut the journal while it was being read, and damage was told.
TEST(RecordInspection, AJournalThatBeginsAnewWhileItIsReadIsNone) {
  for (const char* checkpoint :
       {"PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA wal_checkpoint(RESTART)",
        "PRAGMA wal_checkpoint(PASSIVE)"}) {
    SCOPED_TRACE(checkpoint);
    const Folder folder;
    const std::string path = folder / "a.sqlite";
    Database database(path, Database::Access::readWrite, kDiskMs);
    bringUpToDate(database);
    prepareForWriting(database);
    database.run("CREATE TABLE mine(x)");
    Inspection inspection(database);
    std::atomic<bool> isDone{false};
    std::thread others([&] {
      Database other(path, Database::Access::readWrite, kDiskMs);
      for (int round = 0; round < 400; ++round) {
        other.run("INSERT INTO mine VALUES(randomblob(200000)); DELETE FROM mine");
        other.run(checkpoint);
      }
      isDone = true;
    });
    Trouble found;
    while (!isDone && found.kind == Trouble::Kind::none) found = inspection.look();
    others.join();
    EXPECT_EQ(found.kind, Trouble::Kind::none) << found.text;
    database.leaveFilesWhenClosed();
  }
}

}  // namespace
}  // namespace mpm::monitor
