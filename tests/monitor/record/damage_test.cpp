// SPDX-License-Identifier: Apache-2.0
// What others do to the files of a record that is being written: it is told, and writing goes on.
#include "monitor/record/database.h"
#include "monitor/record/record_case.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNever = 3600000;
constexpr int kBefore = 200;

void overwriteAll(const std::string& path) {
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
      << std::string(fs::file_size(path), '\x5a');
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
       {
         Record other(path + ".other");
         other.write(other.beginRun(sampleRun("hall")), {sampleBucket(kNoon, 7)});
       }
       fs::copy_file(path + ".other", path, fs::copy_options::overwrite_existing);
     },
     "damaged", true, 5, "The record was damaged ("},
    {"CutInHalf", [](auto& path) { fs::resize_file(path, fs::file_size(path) / 2); }, "damaged",
     true, 5, "(it was cut off): it was moved to"},
    {"CutToNothing", [](auto& path) { fs::resize_file(path, 0); }, "damaged", true, 5,
     "(it was cut off): it was moved to"},
    {"Removed", [](auto& path) { fs::remove(path); }, "removed", false, 5,
     "it was removed, and a new one was begun."},
    {"AllRemoved",
     [](auto& path) {
       for (const char* part : {"", "-wal", "-shm"}) fs::remove(path + part);
     },
     "removed", false, 5, "it was removed, and a new one was begun."},
    {"Replaced",
     [](auto& path) {
       std::ofstream(path + ".new") << "no record at all, but as long as you like";
       fs::rename(path + ".new", path);
     },
     "removed", true, 5, "another file is in its place; the file there now was not a sound record"},
    {"Moved", [](auto& path) { fs::rename(path, path + ".moved"); }, "moved", false, 0,
     "it was moved away, and a new one was begun."}};

class RecordDamage : public RecordCase {
 protected:
  // It is looked at with each flush, and else never.
  void beginUnlooked() { begin({.commitEveryMs = 20, .lookEveryMs = kNever, .silentMs = kDiskMs}); }
  bool isWritten() {
    return becomes([&] { return status().waiting == 0; });
  }
  std::vector<Event> told() const {
    std::vector<Event> events = eventsIn(path_);
    std::erase_if(events, [](const Event& event) { return event.kind != "record"; });
    return events;
  }
  std::size_t asides() const {
    std::size_t count = 0;
    for (const auto& file : fs::directory_iterator(folder_.path())) {
      const std::string name = file.path().filename().string();
      const bool isPart = name.ends_with("-wal") || name.ends_with("-snapshots");
      count += !isPart && name.find(".damaged-") != name.npos ? 1 : 0;
    }
    return count;
  }
};

class EachDamage : public RecordDamage, public testing::WithParamInterface<Injury> {};

TEST_P(EachDamage, IsToldWithWhatIsLostAndWritingGoesOn) {
  const Injury& injury = GetParam();
  std::atomic<int> heard{0};
  beginUnlooked();
  record_->setTell([&](const std::string&, const Event&) { ++heard; });
  seconds(kBefore);
  ASSERT_TRUE(flush());
  seconds(5, kBefore);
  ASSERT_TRUE(isWritten());
  injury.inflict(path_);
  flush();
  ASSERT_TRUE(becomes([&] { return !told().empty(); })) << fault();
  ASSERT_EQ(told().size(), 1u);
  const Event event = told()[0];
  EXPECT_EQ(event.name, injury.event);
  EXPECT_TRUE(has(event.text, injury.says));
  EXPECT_EQ(status().lost, injury.lost);
  const std::string count = " " + std::to_string(injury.lost) + " rows written since";
  EXPECT_EQ(bool(has(event.text, count)), injury.lost > 0) << event.text;
  EXPECT_EQ(fault(), event.text);
  EXPECT_TRUE(becomes([&] { return heard == 1; }));
  EXPECT_EQ(asides(), injury.isSetAside ? 1u : 0u);

  record_->write(run_, {sampleBucket(kNoon, 1, Resolution::minute)});
  seconds(1, 900);
  EXPECT_TRUE(flush());
  EXPECT_EQ(countIn(path_), 1u);
  EXPECT_EQ(RecordReader(path_).runs("gate").size(), 1u);
  clock_.advance(91000);
  EXPECT_EQ(fault(), "") << "it is told for a minute and a half";
  if (fs::exists(path_ + ".moved")) {
    EXPECT_EQ(countIn(path_ + ".moved"), kBefore + 5u);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, EachDamage, testing::ValuesIn(kInjuries),
                         [](const auto& injury) { return std::string(injury.param.name); });

class DamageMetFirst : public RecordDamage, public testing::WithParamInterface<const char*> {};

// Seen: whoever was told of it asked for the status, and got SQLite's words instead.
TEST_P(DamageMetFirst, ByIsToldOnceAndIsTheFaultThen) {
  beginUnlooked();
  std::string heard, faultThen;
  std::atomic<bool> isHeard{false};
  record_->setTell([&](const std::string&, const Event& event) {
    if (isHeard) return;
    heard = event.text;
    faultThen = fault();
    isHeard = true;
  });
  ASSERT_TRUE(flush());
  seconds(5);
  ASSERT_TRUE(isWritten());
  {
    // It would believe its own copies of the pages if nobody else wrote.
    Database other(path_, Database::Access::readWrite, kDiskMs);
    other.run("UPDATE run SET version = version || '+'");
    other.leaveFilesWhenClosed();
  }
  overwriteAll(path_);
  if (GetParam() == std::string("Retention")) {
    clock_.advance(61000);
  } else {
    seconds(1, 5);
  }
  ASSERT_TRUE(becomes([&] { return isHeard.load(); })) << fault();
  EXPECT_EQ(faultThen, heard);
  ASSERT_TRUE(flush());
  ASSERT_EQ(told().size(), 1u);
  EXPECT_EQ(told()[0].text, heard);
  EXPECT_TRUE(has(heard, " 5 rows written since"));
}

INSTANTIATE_TEST_SUITE_P(Each, DamageMetFirst, testing::Values("Retention", "Writing"),
                         [](const auto& by) { return std::string(by.param); });

// Nobody asks for a look, and the next injury comes as soon as one is told.
TEST_F(RecordDamage, OneAfterTheOtherIsToldAndLeavesNothingOpen) {
  EXPECT_LE(RecordOptions().lookEveryMs + RecordOptions().commitEveryMs, 15000);
  beginQuick();
  const auto descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), {});
  };
  std::int64_t second = 0, open = 0;
  for (int round = 0; round < 3; ++round) {
    for (const Injury& injury : kInjuries) {
      seconds(200, second);
      second += 200;
      ASSERT_TRUE(flush()) << injury.name;
      clock_.advance(100000);
      ASSERT_EQ(fault(), "");
      fs::remove_all(path_ + ".moved");
      injury.inflict(path_);
      EXPECT_TRUE(hasFault()) << injury.name;
      // There is a third one for a moment.
      EXPECT_TRUE(becomes([&] { return asides() <= 2; })) << "the newest and the largest";
    }
    ASSERT_TRUE(flush());
    // A look has a second connection open for a moment.
    if (round == 0) open = descriptors();
    EXPECT_TRUE(becomes([&] { return descriptors() <= open; }));
  }
  seconds(1);
  EXPECT_TRUE(flush());
  Database(path_, Database::Access::readOnly, kDiskMs).checkSound("integrity_check");
}

TEST_F(RecordDamage, AJournalThatIsRemovedLosesNothing) {
  beginQuick();
  seconds(kBefore);
  ASSERT_TRUE(isWritten());
  fs::remove(path_ + "-wal");
  seconds(1, -1);
  EXPECT_TRUE(becomes([&] {
    std::size_t count = 0;
    refusal([&] { count = countIn(path_); });
    return count == kBefore + 1u;
  })) << fault();
  EXPECT_TRUE(flush());
  EXPECT_EQ(status().lost, 0u);
}

// Seen: the record's thread crashed in the next round.
TEST_F(RecordDamage, WhatCannotBeSetAsideIsToldAndTriedAgain) {
  beginQuick();
  ASSERT_TRUE(flush());
  // A folder with something in it: nothing can take its place.
  const std::string taken = path_ + ".damaged-20261101T120000.000Z-wal";
  fs::create_directories(taken + "/x");
  overwriteAll(path_);
  EXPECT_TRUE(hasFault("cannot be moved aside")) << fault();
  seconds(1);
  EXPECT_FALSE(record_->flush(100));
  fs::remove_all(taken);
  EXPECT_TRUE(becomes([&] { return record_->flush(1000); })) << fault();
  EXPECT_TRUE(has(fault(), "was damaged"));
  EXPECT_EQ(countIn(path_), 1u);
}

// Seen: figures of a camera that had been moved were those of its first view in the new record.
TEST_F(RecordDamage, ANewRecordKnowsInWhichWayTheRunGoes) {
  beginQuick();
  record_->write(run_, eventAt(kNoon + 1, "view", "0.0100,0.0000,0.00"));
  record_->write(run_, eventAt(kNoon + 2, "view", "0.0200,0.0000,0.00"));
  record_->write(run_, eventAt(kNoon + 3, "schedule", "4,6"));
  ASSERT_TRUE(flush());
  fs::remove(path_);
  ASSERT_TRUE(hasFault());
  ASSERT_TRUE(flush());
  const auto runs = pastRuns(RecordReader(path_), "gate");
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].last().view, "0.0200,0.0000,0.00");
  EXPECT_EQ(runs[0].last().schedule, "4,6");
}

}  // namespace
}  // namespace mpm::monitor
