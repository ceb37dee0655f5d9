// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "monitor/record/record.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

// A record with so many seconds, closed.
void makeRecord(const std::string& path, int seconds) {
  ManualClock clock(kNoon);
  Record record(path, {}, clock);
  const std::int64_t run = record.beginRun(sampleRun());
  for (int i = 0; i < seconds; ++i) record.write(run, {sampleBucket(kNoon + 1000 * i, i)});
  Snapshot snapshot;
  snapshot.taken = {0, kNoon, 0, true};
  snapshot.labels = cv::Mat(2, 2, CV_8U, cv::Scalar(3));
  record.write(run, snapshot);
  ASSERT_TRUE(record.flush(kDiskMs));
}

void overwrite(const std::string& path, std::size_t at, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file << bytes;
}

std::vector<std::string> namesLike(const Folder& folder, const std::string& part) {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(folder.path())) {
    const std::string name = file.path().filename().string();
    if (name.find(part) != std::string::npos) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

class DamagedRecord : public testing::TestWithParam<int> {};

TEST_P(DamagedRecord, IsMovedAsideWholeAndANewOneTellsOfIt) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  makeRecord(path, 300);
  const auto size = fs::file_size(path);
  const std::string junk(8192, '\x5a');
  switch (GetParam()) {
    case 0:
      overwrite(path, 0, junk);
      break;  // its first page
    case 1:
      overwrite(path, 0, std::string(4096, '\0'));
      break;
    case 2:
      overwrite(path, size / 2, junk);
      break;  // in the middle
    case 3:
      fs::resize_file(path, size / 2 + 100);
      break;  // cut off
    case 4:
      fs::resize_file(path, 50);
      break;
    default:
      overwrite(path, 100, junk);
      break;  // all but the header
  }
  ManualClock clock(kNoon + 3600000);
  {
    Record record(path, {}, clock);
    EXPECT_TRUE(record.status().fault.starts_with("The record was damaged: it was moved to "));
    const std::int64_t run = record.beginRun(sampleRun());
    record.write(run, {sampleBucket(kNoon + 3600000, 1)});
    ASSERT_TRUE(record.flush(kDiskMs));
    EXPECT_NE(record.status().fault, "") << "it is told for a while";
    clock.advance(91000);
    EXPECT_EQ(record.status().fault, "");
  }
  EXPECT_EQ(namesLike(folder, "damaged"),
            (std::vector<std::string>{"a.sqlite.damaged-20261101T130000.000Z",
                                      "a.sqlite.damaged-20261101T130000.000Z-snapshots"}));
  EXPECT_FALSE(fs::is_empty(folder / "a.sqlite.damaged-20261101T130000.000Z-snapshots"));
  const RecordReader reader(path);
  const auto events = reader.events("gate", 0, kNoon * 2);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind + "." + events[0].name, "record.damaged");
  EXPECT_NE(events[0].text.find("a.sqlite.damaged-20261101T130000.000Z\""), std::string::npos);
  EXPECT_EQ(reader.buckets("gate", Resolution::second, 0, kNoon * 2, {"luma"}).size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(EachPlace, DamagedRecord, testing::Range(0, 6));

TEST(Opening, SomebodysOtherFileIsLeftAlone) {
  const Folder folder;
  const std::string path = folder / "holiday.mp4";
  std::ofstream(path) << std::string(10000, 'v');
  for (int time = 0; time < 2; ++time) {  // the first time leaves nothing that misleads the second
    const std::string text = refusal([&] { Record record(path); });
    EXPECT_NE(text.find("is not a record, and stays as it is"), std::string::npos) << text;
  }
  EXPECT_EQ(fs::file_size(path), 10000u);
  EXPECT_EQ(namesLike(folder, "").size(), 1u);
}

TEST(Opening, WhatCannotHoldARecordIsNamed) {
  const Folder folder;
  EXPECT_NE(refusal([&] {
              Record record(folder / "none/a.sqlite");
            }).find("There is no folder \"" + (folder / "none") + "\" for the record"),
            std::string::npos);
  EXPECT_NE(refusal([&] { Record record(folder.path().string()); }).find("is not a file"),
            std::string::npos);
  EXPECT_NE(
      refusal([&] { Record record(folder.path().string() + "/"); }).find("cannot be the file name"),
      std::string::npos);
  EXPECT_NE(refusal([&] { Record record(""); }).find("cannot be the file name"), std::string::npos);
}

TEST(Opening, AnEmptyFileIsABeginning) {
  const Folder folder;
  { const std::ofstream file(folder / "a.sqlite"); }
  Record record(folder / "a.sqlite");
  EXPECT_EQ(record.beginRun(sampleRun()), 1);
  EXPECT_TRUE(namesLike(folder, "damaged").empty());
}

TEST(Opening, NamesNeedNoEndingAndMayHoldAnything) {
  const Folder folder;
  for (const char* name : {"plain", "a b?c#d%41&e=f", "\xc3\xbc.sqlite"}) {
    { Record(folder / name).beginRun(sampleRun()); }
    EXPECT_TRUE(fs::exists(folder / name)) << name;
    EXPECT_EQ(RecordReader(folder / name).sources().size(), 1u) << name;
  }
}

TEST(Opening, ALinkLeadsToOneRecordWithOneLock) {
  const Folder folder;
  fs::create_symlink(folder / "real.sqlite", folder / "link.sqlite");
  Record record(folder / "link.sqlite");
  EXPECT_TRUE(fs::exists(folder / "real.sqlite"));
  EXPECT_NE(refusal([&] { Record second(folder / "real.sqlite"); }).find("Another process"),
            std::string::npos);
}

}  // namespace
}  // namespace mpm::monitor
