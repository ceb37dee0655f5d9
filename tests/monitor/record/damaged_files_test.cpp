// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/damaged_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "monitor/record/opening.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

class DamagedFiles : public testing::Test {
 protected:
  // A record with a journal and two snapshots, 1000 bytes in all, moved aside.
  fs::path moved(std::int64_t utcMs) {
    write(path_, 500);
    write(path_ + "-wal", 200);
    fs::create_directories(folder_ / "a-snapshots");
    write(folder_ / "a-snapshots/1.labels.png", 200);
    write(folder_ / "a-snapshots/2.labels.png", 100);
    return moveAside(path_, utcMs);
  }
  static void write(const std::string& path, std::size_t bytes) {
    std::ofstream(path) << std::string(bytes, 'x');
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
  }

  Folder folder_;
  const std::string path_ = folder_ / "a.sqlite";
};

TEST_F(DamagedFiles, OfARecordTheNewestThreeAreKeptWithAllThatBelongsToThem) {
  std::vector<fs::path> all;
  for (int i = 0; i < 4; ++i) all.push_back(moved(kNoon + 1000 * i));
  all.push_back(moved(kNoon + 3000));  // the same moment once more
  EXPECT_EQ(boundDamaged(path_, 0, kNoon + 5000), 3000);
  EXPECT_EQ(files(), 9u);
  for (int i = 2; i < 5; ++i) EXPECT_TRUE(fs::exists(all[static_cast<std::size_t>(i)])) << i;
  EXPECT_EQ(boundDamaged(path_, 0, kNoon + 5000), 3000);
}

// Seen: what mpm restore replaced stayed for good, and counted nowhere.
TEST_F(DamagedFiles, WhatABackupReplacedCountsAmongThem) {
  const std::string replaced = path_ + ".replaced-20261101T115959.000Z";
  for (const char* part : {"", "-wal"}) write(replaced + part, 300);
  for (int i = 0; i < 2; ++i) moved(kNoon + 1000 * i);
  EXPECT_EQ(boundDamaged(path_, 0, kNoon + 5000), 2600);
  EXPECT_EQ(boundDamaged(path_, 2500, kNoon + 5000), 2000);
  EXPECT_FALSE(fs::exists(replaced) || fs::exists(replaced + "-wal"));
  const std::string newest = path_ + ".replaced-20261101T120003.000Z";
  write(newest, 300);
  moved(kNoon + 2000);
  EXPECT_EQ(boundDamaged(path_, 0, kNoon + 5000), 2300) << "the newest three";
  EXPECT_EQ(boundDamaged(path_, 1, kNoon + 5000), 300);
  EXPECT_TRUE(fs::exists(newest));
}

TEST_F(DamagedFiles, OfTooMuchTheOldestGoAndNeverTheNewest) {
  for (int i = 0; i < 3; ++i) moved(kNoon + 1000 * i);
  EXPECT_EQ(boundDamaged(path_, 2500, kNoon + 5000), 2000);
  EXPECT_EQ(files(), 6u);
  EXPECT_EQ(boundDamaged(path_, 10, kNoon + 5000), 1000);
  EXPECT_EQ(files(), 3u);
  EXPECT_TRUE(fs::exists(path_ + ".damaged-20261101T120002.000Z"));
}

TEST_F(DamagedFiles, OneFromTheFutureWasMovedByAWrongClockAndIsTheOldest) {
  const fs::path future = moved(kNoon + std::int64_t{20} * 366 * 86400000);
  for (int i = 0; i < 3; ++i) moved(kNoon + 1000 * i);
  EXPECT_EQ(boundDamaged(path_, 0, kNoon + 5000), 3000);
  EXPECT_FALSE(fs::exists(future));
}

TEST_F(DamagedFiles, OthersAndWhatPeopleNamedStay) {
  for (int i = 0; i < 3; ++i) moved(kNoon + 1000 * i);
  for (const char* name : {"a.sqlite", "b.sqlite.damaged-20261101T120000.000Z",
                           "a.sqlite.damaged-20261101T120000.000Z.zip", "a.sqlite.damaged-mine",
                           "a.sqlite.damaged-20261101T120000.000Z-2-mine", "a.sqlite.backup-1"}) {
    write(folder_ / name, 100);
  }
  EXPECT_EQ(boundDamaged(path_, 1, kNoon + 5000), 1000);
  EXPECT_EQ(files(), 3u + 6u);
}

}  // namespace
}  // namespace mpm::monitor
