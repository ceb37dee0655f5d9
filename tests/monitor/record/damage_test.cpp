// SPDX-License-Identifier: Apache-2.0
// What others do to the files of a record that is being written: it is told, and writing goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <iterator>

#include "monitor/record/database.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNever = 3600000;
constexpr int kBefore = 200;

void overwriteAll(const std::string& path) {
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
      << std::string(fs::file_size(path), '\x5a');
}

void makeOther(const std::string& path) {
  Record record(path);
  record.write(record.beginRun(sampleRun("hall")), {sampleBucket(kNoon, 7)});
}

struct Injury {
  const char* name;
  std::function<void(const std::string& path)> inflict;
  const char* event;
  bool isSetAside;     // there is a file, which is kept
  std::uint64_t lost;  // of five rows that were written since the last look
  const char* says;
};

const std::vector<Injury> kInjuries{
    {"Garbage", overwriteAll, "damaged", true, 5, "The record was damaged ("},
    {"AnotherRecordsBytes",
     [](const std::string& path) {
       makeOther(path + ".other");
       fs::copy_file(path + ".other", path, fs::copy_options::overwrite_existing);
     },
     "damaged", true, 5, "The record was damaged ("},
    {"CutInHalf", [](const std::string& path) { fs::resize_file(path, fs::file_size(path) / 2); },
     "damaged", true, 5, "(it was cut off): it was moved to"},
    {"CutToNothing", [](const std::string& path) { fs::resize_file(path, 0); }, "damaged", true, 5,
     "(it was cut off): it was moved to"},
    {"Removed", [](const std::string& path) { fs::remove(path); }, "removed", false, 5,
     "it was removed, and a new one was begun."},
    {"AllRemoved",
     [](const std::string& path) {
       for (const char* part : {"", "-wal", "-shm"}) fs::remove(path + part);
     },
     "removed", false, 5, "it was removed, and a new one was begun."},
    {"Replaced",
     [](const std::string& path) {
       std::ofstream(path + ".new") << "no record at all, but as long as you like";
       fs::rename(path + ".new", path);
     },
     "removed", true, 5, "another file is in its place; the file there now was not a sound record"},
    {"Moved", [](const std::string& path) { fs::rename(path, path + ".moved"); }, "moved", false, 0,
     "it was moved away, and a new one was begun."}};

std::size_t secondsIn(const std::string& path, const std::string& source = "gate") {
  return RecordReader(path).buckets(source, Resolution::second, 0, kEver, {"luma"}).size();
}

std::vector<Event> toldIn(const std::string& path) {
  std::vector<Event> events = RecordReader(path).events("gate", 0, kEver);
  std::erase_if(events, [](const Event& event) { return event.kind != "record"; });
  return events;
}

std::vector<std::string> asidesOf(const Folder& folder) {
  std::vector<std::string> found;
  for (const auto& file : fs::directory_iterator(folder.path())) {
    const std::string name = file.path().filename().string();
    const bool isPart = name.ends_with("-wal") || name.ends_with("-snapshots");
    if (!isPart && name.find(".damaged-") != name.npos) found.push_back(file.path());
  }
  return found;
}

class RecordDamage : public testing::TestWithParam<Injury> {};

TEST_P(RecordDamage, IsToldWithWhatIsLostAndWritingGoesOn) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  ManualClock clock(kNoon);
  std::atomic<int> heard{0};
  Record record(path, {.commitEveryMs = 20, .lookEveryMs = kNever, .silentMs = kDiskMs}, clock);
  record.setTell([&](const std::string&, const Event&) { ++heard; });
  const std::int64_t run = record.beginRun(sampleRun());
  for (int i = 0; i < kBefore; ++i) record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
  ASSERT_TRUE(record.flush(kDiskMs));  // looks, and is the last that does until the next flush
  for (int i = 0; i < 5; ++i) record.write(run, {sampleBucket(kNoon + 1000 * (kBefore + i), i)});
  ASSERT_TRUE(test::eventually([&] { return record.status().waiting == 0; }));
  GetParam().inflict(path);
  record.flush(kDiskMs);
  ASSERT_TRUE(test::eventually([&] { return !toldIn(path).empty(); })) << record.status().fault;
  const auto told = toldIn(path);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].name, GetParam().event);
  EXPECT_NE(told[0].text.find(GetParam().says), std::string::npos) << told[0].text;
  EXPECT_EQ(record.status().lost, GetParam().lost);
  const std::string count = " " + std::to_string(GetParam().lost) + " rows written since";
  EXPECT_EQ(told[0].text.find(count) != std::string::npos, GetParam().lost > 0) << told[0].text;
  EXPECT_EQ(record.status().fault, told[0].text);
  EXPECT_TRUE(test::eventually([&] { return heard == 1; }));
  EXPECT_EQ(asidesOf(folder).size(), GetParam().isSetAside ? 1u : 0u);

  record.write(run, {sampleBucket(kNoon, 1, Resolution::minute), sampleBucket(kNoon + 900000, 1)});
  EXPECT_TRUE(record.flush(kDiskMs));
  EXPECT_EQ(secondsIn(path), 1u);
  EXPECT_EQ(RecordReader(path).runs("gate").size(), 1u);
  clock.advance(91000);
  EXPECT_EQ(record.status().fault, "") << "it is told for a minute and a half";
  const bool isMoved = fs::exists(path + ".moved");
  EXPECT_EQ(isMoved ? secondsIn(path + ".moved") : 0u, isMoved ? kBefore + 5u : 0u);
}

INSTANTIATE_TEST_SUITE_P(Each, RecordDamage, testing::ValuesIn(kInjuries),
                         [](const auto& injury) { return std::string(injury.param.name); });

class DamageMetFirst : public testing::TestWithParam<const char*> {};

// Seen: whoever was told of it asked for the status, and got SQLite's words instead.
TEST_P(DamageMetFirst, ByIsToldOnceAndIsTheFaultThen) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  ManualClock clock(kNoon);
  Record record(path, {.commitEveryMs = 20, .lookEveryMs = kNever, .silentMs = kDiskMs}, clock);
  std::string heard, faultThen;
  std::atomic<bool> isHeard{false};
  record.setTell([&](const std::string&, const Event& event) {
    if (isHeard) return;
    heard = event.text;
    faultThen = record.status().fault;
    isHeard = true;
  });
  const std::int64_t run = record.beginRun(sampleRun());
  ASSERT_TRUE(record.flush(kDiskMs));
  for (int i = 0; i < 5; ++i) record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
  ASSERT_TRUE(test::eventually([&] { return record.status().waiting == 0; }));
  {
    // It would believe its own copies of the pages if nobody else wrote.
    Database other(path, Database::Access::readWrite, kDiskMs);
    other.run("UPDATE run SET version = version || '+'");
    other.leaveFilesWhenClosed();
  }
  overwriteAll(path);
  if (GetParam() == std::string("Retention")) {
    clock.advance(61000);
  } else {
    record.write(run, {sampleBucket(kNoon + 5000, 5)});
  }
  ASSERT_TRUE(test::eventually([&] { return isHeard.load(); })) << record.status().fault;
  EXPECT_EQ(faultThen, heard);
  ASSERT_TRUE(record.flush(kDiskMs));
  const auto told = toldIn(path);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].text, heard);
  EXPECT_NE(told[0].text.find(" 5 rows written since"), std::string::npos) << told[0].text;
}

INSTANTIATE_TEST_SUITE_P(Each, DamageMetFirst, testing::Values("Retention", "Writing"),
                         [](const auto& by) { return std::string(by.param); });

// Nobody asks for a look, and the next injury comes as soon as one is told.
TEST(RecordFault, OneDamageAfterTheOtherIsToldAndLeavesNothingOpen) {
  EXPECT_LE(RecordOptions().lookEveryMs + RecordOptions().commitEveryMs, 15000);
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  ManualClock clock(kNoon);
  Record record(path, {.commitEveryMs = 10, .lookEveryMs = 20, .silentMs = kDiskMs}, clock);
  const std::int64_t run = record.beginRun(sampleRun());
  const auto descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), {});
  };
  std::int64_t seconds = 0, open = 0;
  for (int round = 0; round < 3; ++round) {
    for (const Injury& injury : kInjuries) {
      for (int i = 0; i < 200; ++i) {
        record.write(run, {sampleBucket(kNoon + 1000 * seconds++, 1)});
      }
      ASSERT_TRUE(record.flush(kDiskMs)) << injury.name;
      clock.advance(100000);
      ASSERT_EQ(record.status().fault, "");
      fs::remove_all(path + ".moved");
      injury.inflict(path);
      EXPECT_TRUE(test::eventually([&] { return !record.status().fault.empty(); })) << injury.name;
      // There is a third one for a moment.
      EXPECT_TRUE(test::eventually([&] { return asidesOf(folder).size() <= 2; }))
          << "the newest and the largest";
    }
    ASSERT_TRUE(record.flush(kDiskMs));
    // A look has a second connection open for a moment.
    if (round == 0) open = descriptors();
    EXPECT_TRUE(test::eventually([&] { return descriptors() <= open; }));
  }
  record.write(run, {sampleBucket(kNoon, 1)});
  EXPECT_TRUE(record.flush(kDiskMs));
  Database(path, Database::Access::readOnly, kDiskMs).checkSound("integrity_check");
}

TEST(RecordFault, AJournalThatIsRemovedLosesNothing) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  Record record(path, {.commitEveryMs = 10, .lookEveryMs = 20, .silentMs = kDiskMs});
  const std::int64_t run = record.beginRun(sampleRun());
  for (int i = 0; i < kBefore; ++i) record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
  ASSERT_TRUE(test::eventually([&] { return record.status().waiting == 0; }));
  fs::remove(path + "-wal");
  record.write(run, {sampleBucket(kNoon - 1000, 1)});
  const auto isThere = [&] {
    return refusal([&] {
             if (secondsIn(path) != kBefore + 1u) throw std::runtime_error("not yet");
           })
        .empty();
  };
  EXPECT_TRUE(test::eventually(isThere)) << record.status().fault;
  EXPECT_TRUE(record.flush(kDiskMs));
  EXPECT_EQ(record.status().lost, 0u);
}

// Seen: the record's thread crashed in the next round.
TEST(RecordFault, WhatCannotBeSetAsideIsToldAndTriedAgain) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  ManualClock clock(kNoon);
  Record record(path, {.commitEveryMs = 10, .lookEveryMs = 20, .silentMs = kDiskMs}, clock);
  const std::int64_t run = record.beginRun(sampleRun());
  ASSERT_TRUE(record.flush(kDiskMs));
  // A folder with something in it: nothing can take its place.
  const std::string taken = path + ".damaged-20261101T120000.000Z-wal";
  fs::create_directories(taken + "/x");
  overwriteAll(path);
  EXPECT_TRUE(test::eventually([&] {
    return record.status().fault.find("cannot be moved aside") != std::string::npos;
  })) << record.status().fault;
  record.write(run, {sampleBucket(kNoon, 20)});
  EXPECT_FALSE(record.flush(100));
  fs::remove_all(taken);
  EXPECT_TRUE(test::eventually([&] { return record.flush(1000); })) << record.status().fault;
  EXPECT_NE(record.status().fault.find("was damaged"), std::string::npos) << record.status().fault;
  EXPECT_EQ(secondsIn(path), 1u);
}

// Seen: figures of a camera that had been moved were those of its first view in the new record.
TEST(RecordFault, ANewRecordKnowsInWhichWayTheRunGoes) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  Record record(path, {.commitEveryMs = 10, .lookEveryMs = 20, .silentMs = kDiskMs});
  const std::int64_t run = record.beginRun(sampleRun());
  const auto tell = [&](std::int64_t at, const char* kind, const char* name) {
    record.write(run, Event{{at, kNoon + at, 0, true}, kind, name, "", {}});
  };
  tell(1, "view", "0.0100,0.0000,0.00");
  tell(2, "view", "0.0200,0.0000,0.00");
  tell(3, "schedule", "4,6");
  ASSERT_TRUE(record.flush(kDiskMs));
  fs::remove(path);
  ASSERT_TRUE(test::eventually([&] { return !record.status().fault.empty(); }));
  ASSERT_TRUE(record.flush(kDiskMs));
  const auto runs = pastRuns(RecordReader(path), "gate");
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].last().view, "0.0200,0.0000,0.00");
  EXPECT_EQ(runs[0].last().schedule, "4,6");
}

}  // namespace
}  // namespace mpm::monitor
