// SPDX-License-Identifier: Apache-2.0
// What others do to the files of a record that is being written: it is noticed within seconds,
// told, and what was written in the last minutes is in the record again.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>

#include "monitor/record/damaged_files.h"
#include "monitor/record/database.h"
#include "monitor/record/harm.h"
#include "monitor/record/kept.h"
#include "monitor/record/past_runs.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr int kSeconds = 200;

struct Injury {
  const char* name;
  std::function<void(const std::string& path)> inflict;
  const char* event;
};

const std::vector<Injury> kInjuries{
    {"Garbage", [](const std::string& path) { overwriteAll(path); }, "damaged"},
    {"GarbageInTheMiddle",
     [](const std::string& path) {
       overwrite(path, static_cast<std::int64_t>(fs::file_size(path)) / 2, std::string(5000, 'x'));
     },
     "damaged"},
    {"OneBitOfTheFirstPage", [](const std::string& path) { flipBit(path, 3000); }, "damaged"},
    {"OneBitInTheMiddle",
     [](const std::string& path) {
       flipBit(path, static_cast<std::int64_t>(fs::file_size(path)) / 2 + 700);
     },
     "damaged"},
    // Of a page that the journal holds anew.
    {"OneBitOfTheLastPage",
     [](const std::string& path) {
       flipBit(path, static_cast<std::int64_t>(fs::file_size(path)) - 700);
     },
     "damaged"},
    {"AnotherRecordsBytes",
     [](const std::string& path) {
       const std::string other = path + ".other";
       {
         Record record(other);
         record.write(record.beginRun(sampleRun("hall")), {sampleBucket(kNoon, 7)});
       }
       fs::copy_file(other, path, fs::copy_options::overwrite_existing);
     },
     "damaged"},
    {"CutInHalf", [](const std::string& path) { fs::resize_file(path, fs::file_size(path) / 2); },
     "damaged"},
    // Of which the journal has the newest version.
    {"TheLastPageCut",
     [](const std::string& path) { fs::resize_file(path, fs::file_size(path) - 4096); }, "damaged"},
    {"CutToNothing", [](const std::string& path) { fs::resize_file(path, 0); }, "damaged"},
    {"Removed", [](const std::string& path) { fs::remove(path); }, "removed"},
    {"Replaced",
     [](const std::string& path) {
       std::ofstream(path + ".new") << "no record at all, but as long as you like";
       fs::rename(path + ".new", path);
     },
     "removed"},
    {"TheJournalRemoved", [](const std::string& path) { fs::remove(path + "-wal"); }, "damaged"},
    {"GarbageInTheJournal", [](const std::string& path) { overwriteAll(path + "-wal"); },
     "damaged"},
    {"OneBitOfTheJournal", [](const std::string& path) { flipBit(path + "-wal", 2000); },
     "damaged"},
    {"TheJournalCut", [](const std::string& path) { fs::resize_file(path + "-wal", 1000); },
     "damaged"},
    {"TheJournalsIndexRemoved", [](const std::string& path) { fs::remove(path + "-shm"); },
     "damaged"},
    {"AllRemoved",
     [](const std::string& path) {
       for (const char* part : {"", "-wal", "-shm"}) fs::remove(path + part);
     },
     "removed"}};

class RecordDamage : public testing::TestWithParam<Injury> {};

TEST_P(RecordDamage, IsNoticedToldAndMended) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  CountingClock clock(kNoon);
  Record record(path, {.commitEveryMs = 50, .silentMs = kDiskMs}, clock);
  const std::int64_t run = record.beginRun(sampleRun());
  record.write(run, Event{{7, kNoon, 0, true}, "light", "night", "It is night.", {}});
  for (int i = 0; i < kSeconds; ++i) record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
  record.write(run, {sampleBucket(kNoon, 1, Resolution::minute)});
  ASSERT_TRUE(record.flush(kDiskMs));  // all of it in the database
  ASSERT_TRUE(settles(clock));         // for what is synced once more may mend a page
  record.write(run, {sampleBucket(kNoon + 1000 * kSeconds, kSeconds)});  // in the journal
  ASSERT_TRUE(test::eventually([&] { return record.status().waiting == 0; }));
  ASSERT_EQ(record.status().fault, "");

  GetParam().inflict(path);
  record.write(run, {sampleBucket(kNoon, 2, Resolution::minute)});  // the same minute, further on
  const int looks = clock.looks();
  ASSERT_TRUE(test::eventually([&] { return !record.status().fault.empty(); }));
  EXPECT_LT(clock.looks(), looks + 600) << "two hundred rounds, of which ten seconds have room";
  ASSERT_TRUE(test::eventually([&] { return record.flush(1000); })) << record.status().fault;

  const RecordReader reader(path);
  EXPECT_EQ(reader.buckets("gate", Resolution::second, 0, kEver, {"luma"}).size(), kSeconds + 1u);
  const auto events = reader.events("gate", 0, kEver);
  const auto count = [&](const std::string& name) {
    return std::count_if(events.begin(), events.end(),
                         [&](const Event& event) { return event.name == name; });
  };
  EXPECT_EQ(count("night"), 1) << "once, whatever was written again";
  EXPECT_EQ(count(GetParam().event), 1);
  const RecordStatus status = record.status();
  EXPECT_EQ(status.written, kSeconds + 2 + events.size());
  const auto minutes = reader.buckets("gate", Resolution::minute, 0, kEver, {"live_rows"});
  ASSERT_EQ(minutes.size(), 1u);
  EXPECT_EQ(minutes[0].tallies[0].sum, 6);
  EXPECT_EQ(status.lost, 0u);
  EXPECT_NE(status.fault, "") << "it is told for a while";
  clock.advance(91000);
  EXPECT_EQ(record.status().fault, "");
}

INSTANTIATE_TEST_SUITE_P(Each, RecordDamage, testing::ValuesIn(kInjuries),
                         [](const auto& injury) { return std::string(injury.param.name); });

// 0: it cannot be read now.
std::size_t eventsIn(const std::string& path) {
  try {
    return RecordReader(path).events("gate", 0, kEver).size();
  } catch (const std::exception&) {
    return 0;
  }
}

// Harm to a page that its journal holds anew, and that was not looked at before, is none: the
// journal's takes its place. On a machine that is busy enough that happens here, so not every one
// has to be told.
TEST(RecordFault, OneDamageAfterTheOtherLosesNothing) {
  constexpr int kPatience = 300;  // looks at the clock: a hundred rounds, three seconds at least
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  CountingClock clock(kNoon);
  Record record(path, {.commitEveryMs = 30, .silentMs = kDiskMs}, clock);
  const std::int64_t run = record.beginRun(sampleRun());
  std::size_t seconds = 0, told = 0;
  const auto writeMore = [&] {
    record.write(run, {sampleBucket(kNoon + 1000 * static_cast<std::int64_t>(seconds++), 1)});
    record.write(run, {sampleBucket(kNoon, static_cast<double>(seconds), Resolution::minute)});
  };
  for (const Injury& injury : kInjuries) {
    for (int i = 0; i < 5; ++i) writeMore();
    ASSERT_TRUE(test::eventually([&] { return record.flush(1000); })) << injury.name;
    ASSERT_TRUE(settles(clock));
    writeMore();
    ASSERT_TRUE(test::eventually([&] { return record.status().waiting == 0; }));
    clock.advance(1000);
    const std::size_t before = eventsIn(path);
    injury.inflict(path);
    bool isTold = false;
    for (const int looks = clock.looks(); clock.looks() < looks + kPatience && !isTold;) {
      writeMore();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      isTold = eventsIn(path) > before;
    }
    told += isTold;
    ASSERT_TRUE(test::eventually([&] { return record.flush(1000); })) << injury.name;
    EXPECT_EQ(record.status().lost, 0u) << injury.name << ": " << record.status().fault;
    const RecordReader reader(path);
    EXPECT_EQ(reader.buckets("gate", Resolution::second, 0, kEver, {"luma"}).size(), seconds);
    EXPECT_EQ(record.status().written, seconds + 1 + eventsIn(path)) << injury.name;
    Database other(path, Database::Access::readOnly, kDiskMs);
    Statement check(other, "PRAGMA integrity_check");
    EXPECT_TRUE(check.step() && check.text(0) == "ok") << injury.name << ", told or not";
  }
  RecordProperty("told", static_cast<int>(told));
  EXPECT_GE(told + 2, kInjuries.size());
  // As many as were damaged would fill a disk. Of one that was cut to nothing a journal may be all.
  const auto kept = [&] {
    std::set<std::string> records;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      std::string name = entry.path().string();
      if (name.find(".damaged-") == std::string::npos) continue;
      if (name.ends_with("-wal") || name.ends_with("-shm")) name.resize(name.size() - 4);
      records.insert(name);
    }
    return records.size();
  };
  EXPECT_TRUE(test::eventually([&] { return kept() == kMostDamaged; })) << kept();
}

// Somebody who reads meanwhile keeps SQLite from reading its journal anew: it stays damaged until
// they end, and the record is given up and opened again and again.
TEST(RecordFault, CountsAreRightWhereTheJournalStaysDamagedForAWhile) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  ManualClock clock(kNoon);
  Record record(path, {.commitEveryMs = 20, .silentMs = kDiskMs}, clock);
  const std::int64_t run = record.beginRun(sampleRun());
  for (int i = 0; i < 20; ++i) record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
  ASSERT_TRUE(record.flush(kDiskMs));
  for (int i = 20; i < 30; ++i) {
    record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
    ASSERT_TRUE(test::eventually([&] { return record.status().waiting == 0; }));
  }
  {
    Database other(path, Database::Access::readOnly, 0);
    Statement reading(other, "SELECT * FROM bucket");
    ASSERT_TRUE(reading.step());
    flipBit(path + "-wal", static_cast<std::int64_t>(fs::file_size(path + "-wal")) / 2);
    ASSERT_TRUE(test::eventually([&] { return !record.status().fault.empty(); }));
    // A window, since nobody tells how often it is given up and opened again meanwhile.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  ASSERT_TRUE(test::eventually([&] { return record.flush(1000); })) << record.status().fault;
  const RecordReader reader(path);
  const auto seconds = reader.buckets("gate", Resolution::second, 0, kEver, {"luma"});
  EXPECT_EQ(seconds.size(), 30u);
  EXPECT_EQ(record.status().written, seconds.size() + reader.events("gate", 0, kEver).size());
  EXPECT_EQ(record.status().lost, 0u);
}

// Seen: after a hundred damages within an hour and a half the next was not mended for minutes.
TEST(RecordFault, AHundredDamagesAreMendedAndOneMoreEachMinute) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  CountingClock clock(kNoon);
  Record record(path, {.commitEveryMs = 1, .silentMs = kDiskMs}, clock);
  const std::int64_t run = record.beginRun(sampleRun());
  std::size_t told = 0;
  const auto isGivenUp = [&] {
    return record.status().fault.find("keeps getting damaged") != std::string::npos;
  };
  const auto isMended = [&] { return record.flush(1000) && eventsIn(path) > told; };
  record.write(run, {sampleBucket(kNoon, 1)});
  ASSERT_TRUE(record.flush(kDiskMs));
  // On a busy machine a record may find the same damage twice, so that there are fewer of them.
  for (int harm = 0; harm <= 100 && !isGivenUp(); ++harm) {
    told = eventsIn(path);
    fs::resize_file(path, 5000);
    ASSERT_TRUE(test::eventually([&] { return isGivenUp() || isMended(); }))
        << told << ": " << record.status().fault;
  }
  ASSERT_TRUE(isGivenUp());
  EXPECT_GE(told, 90u);
  for (int harm = 0; harm < 5; ++harm) {
    bool isWell = false;
    for (int minute = 0; minute < 3 && !isWell; ++minute) {  // one that is found twice takes two
      clock.advance(61000);
      EXPECT_TRUE(test::eventually([&, looks = clock.looks()] {
        isWell = isMended();
        return isWell || clock.looks() >= looks + 100;
      }));
    }
    EXPECT_TRUE(isWell) << told << ": " << record.status().fault;
    told = eventsIn(path);
    fs::resize_file(path, 5000);
  }
  EXPECT_EQ(record.status().lost, 0u);
}

// Seen: the record's thread crashed in the next round.
TEST(RecordFault, WhatCannotBeMovedAsideIsToldAndTriedAgain) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  ManualClock clock(kNoon);
  Record record(path, {.commitEveryMs = 20, .silentMs = kDiskMs}, clock);
  const std::int64_t run = record.beginRun(sampleRun());
  for (int i = 0; i < 20; ++i) record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
  ASSERT_TRUE(record.flush(kDiskMs));
  fs::create_directory(folder / "a-snapshots");
  const std::string taken = path + ".damaged-20261101T120000.000Z-snapshots";
  std::ofstream(taken) << "no folder";  // where snapshots are to go

  overwriteAll(path);
  const auto isTold = [&] {
    return record.status().fault.find("cannot be moved aside") != std::string::npos;
  };
  ASSERT_TRUE(test::eventually(isTold)) << record.status().fault;
  record.write(run, {sampleBucket(kNoon + 20000, 20)});
  EXPECT_FALSE(record.flush(200));
  fs::remove(taken);
  ASSERT_TRUE(test::eventually([&] { return record.flush(1000); })) << record.status().fault;
  EXPECT_NE(record.status().fault.find("was damaged"), std::string::npos) << record.status().fault;
  EXPECT_EQ(RecordReader(path).buckets("gate", Resolution::second, 0, kEver, {"luma"}).size(), 21u);
  EXPECT_EQ(record.status().lost, 0u);
}

// What was kept in memory is bounded; the counts say what is not there any more.
TEST(RecordFault, WhatIsNotKeptAnyMoreIsCountedAsLost) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  ManualClock clock(kNoon);
  Record record(path, {.commitEveryMs = 50, .silentMs = kDiskMs}, clock);
  const std::int64_t run = record.beginRun(sampleRun());
  for (int i = 0; i < 4; ++i) {  // the last two are kept
    if (i > 0) clock.advance(Kept::kLeastMs + 1);
    record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
    ASSERT_TRUE(record.flush(kDiskMs));
  }
  EXPECT_EQ(record.status().written, 4u);
  fs::remove(path);
  ASSERT_TRUE(test::eventually([&] { return !record.status().fault.empty(); }));
  ASSERT_TRUE(test::eventually([&] { return record.flush(1000); }));
  EXPECT_EQ(record.status().lost, 2u);
  EXPECT_EQ(record.status().written, 3u);  // with the event
  const auto seconds = RecordReader(path).buckets("gate", Resolution::second, 0, kEver, {"luma"});
  ASSERT_EQ(seconds.size(), 2u);
  EXPECT_EQ(seconds[0].startUtcMs, kNoon + 2000);
}

// Seen: figures of a camera that had been moved were those of its first view in the new record.
TEST(RecordFault, ANewRecordKnowsInWhichWayTheRunGoes) {
  const std::vector<std::function<void(const std::string& path)>> inflict{
      [](const std::string& path) {
        for (const char* part : {"", "-wal", "-shm"}) fs::rename(path + part, path + ".old" + part);
      },
      [](const std::string& path) { fs::remove(path); }, overwriteAll};
  for (std::size_t i = 0; i < inflict.size(); ++i) {
    const Folder folder;
    const std::string path = folder / "a.sqlite";
    ManualClock clock(kNoon);
    Record record(path, {.commitEveryMs = 20, .silentMs = kDiskMs}, clock);
    const std::int64_t run = record.beginRun(sampleRun());
    const auto tell = [&](std::int64_t afterMs, const char* kind, const char* name) {
      record.write(run, Event{{1000 + afterMs, kNoon + afterMs, 0, true}, kind, name, "", {}});
    };
    tell(0, kScheduleEvent, "1,3");
    tell(0, kViewEvent, "0.0500,0.0000,1.00");
    for (int k = 0; k < 4; ++k) {  // longer than what is written is kept
      record.write(run, {sampleBucket(kNoon + 1000 * k, k)});
      ASSERT_TRUE(record.flush(kDiskMs));
      clock.advance(Kept::kLeastMs + 1);
    }
    tell(600'000, kFilterEvent, kOn);
    tell(601'000, kFilterEvent, "off");
    ASSERT_TRUE(record.flush(kDiskMs));
    inflict[i](path);
    ASSERT_TRUE(test::eventually([&] { return !record.status().fault.empty(); })) << i;
    ASSERT_TRUE(test::eventually([&] { return record.flush(1000); })) << record.status().fault;
    const RecordReader reader(path);
    const std::vector<PastRun> runs = pastRuns(reader, "gate");
    ASSERT_EQ(runs.size(), 1u) << i;
    EXPECT_EQ(runs[0].last(), (Way{"1,3", false, false, "0.0500,0.0000,1.00"})) << i;
    EXPECT_EQ(runs[0].events.size(), i == 0 ? 3u : 4u) << i << ": each once";
    EXPECT_EQ(runs[0].last(kNoon + 601'000).filtered, i > 0) << i;
  }
}

// What others may do: read, write by way of SQLite, make checkpoints, touch, vacuum.
TEST(RecordFault, WhatOthersMayDoIsNone) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  Record record(path, {.commitEveryMs = 20, .silentMs = kDiskMs});
  const std::int64_t run = record.beginRun(sampleRun());
  int second = 0;
  const auto writeMore = [&] {
    for (int i = 0; i < 50; ++i) record.write(run, {sampleBucket(kNoon + 1000 * second++, 1)});
    EXPECT_TRUE(record.flush(kDiskMs));
  };
  writeMore();
  for (const char* what :
       {"SELECT count(*) FROM bucket", "PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM",
        "PRAGMA wal_checkpoint(RESTART)", "DELETE FROM bucket WHERE start_utc_ms % 3 = 0",
        "UPDATE bucket SET frames = frames || x'00000000'", "PRAGMA wal_checkpoint(PASSIVE)",
        "CREATE TABLE mine(x); INSERT INTO mine VALUES(zeroblob(100000)); DROP TABLE mine",
        "PRAGMA incremental_vacuum"}) {
    {
      Database other(path, Database::Access::readWrite, kDiskMs);
      other.run(what);
      writeMore();
      other.run("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    fs::last_write_time(path, fs::file_time_type::clock::now());
    // A window of some commits in which nothing is found, as pages are looked at a few at a time.
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(150);
    while (std::chrono::steady_clock::now() < until) writeMore();
    EXPECT_EQ(record.status().fault, "") << what;
  }
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    EXPECT_EQ(entry.path().string().find("damaged"), std::string::npos) << entry.path();
  }
}

}  // namespace
}  // namespace mpm::monitor
