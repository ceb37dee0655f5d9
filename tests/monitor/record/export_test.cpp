// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/export.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "monitor/record/database.h"
#include "monitor/record/export_case.h"

namespace mpm::monitor {
namespace {

TEST_F(Export, CsvOfASeriesIsReadBack) {
  Series::Changed second = sampleBucket(kNoon, 0.1);
  second.bucket.tallies[1] = {};
  record_.write(run_, {second, sampleBucket(kNoon + 1000, 2)});
  const Rows rows = rowsOf(seriesText(written(), kCsv));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"time",
                                               "utc_ms",
                                               "era",
                                               "light",
                                               "frames.day",
                                               "frames.dusk",
                                               "frames.night",
                                               "frames.infrared",
                                               "frames.no_signal",
                                               "frames.transition",
                                               "frames.unknown",
                                               "luma.count",
                                               "luma.mean",
                                               "luma.deviation",
                                               "luma.min",
                                               "luma.max",
                                               "live_rows.count",
                                               "live_rows.mean",
                                               "live_rows.deviation",
                                               "live_rows.min",
                                               "live_rows.max",
                                               "run",
                                               "view"}));
  const std::vector<std::string> head(rows[1].begin(), rows[1].begin() + 12);
  EXPECT_EQ(head, (std::vector<std::string>{"2026-11-01T12:00:00.000Z", "1793534400000", "0", "day",
                                            "7", "0", "0", "2", "0", "1", "0", "3"}));
  const Tally& luma = second.bucket.tallies[0];
  EXPECT_EQ(rows[1][12], "0.0111111");
  EXPECT_EQ(rows[1][12], sixDigits(luma.mean()));
  EXPECT_EQ(rows[1][13], sixDigits(luma.deviation()));
  EXPECT_EQ(rows[1][14], "-0.1");
  EXPECT_EQ(rows[1][15], "0.1");
  const std::vector<std::string> none(rows[1].begin() + 16, rows[1].end());
  EXPECT_EQ(none, (std::vector<std::string>{"0", "", "", "", "", "1", "first"}));
  EXPECT_EQ(rows[2][16], "3");
  EXPECT_EQ(rows[2][18], "0");
}

TEST_F(Export, JsonOfASeriesIsReadBack) {
  Series::Changed second = sampleBucket(kNoon, 0.1);
  second.bucket.tallies[1] = {};
  record_.write(run_, {second, sampleBucket(kNoon + 1000, 2)});
  const std::string text = seriesText(written(), kJson, {"live_rows", "luma"});
  const Json json = Json::parse(text);
  EXPECT_EQ(json["source"], "gate");
  EXPECT_EQ(json["resolution"], "second");
  EXPECT_EQ(json["length_ms"], 1000);
  EXPECT_EQ(json["metrics"], Json({"live_rows", "luma"}));
  ASSERT_EQ(json["buckets"].size(), 2u);
  const Json& bucket = json["buckets"][0];
  EXPECT_EQ(bucket["time"], "2026-11-01T12:00:00.000Z");
  EXPECT_EQ(bucket["utc_ms"], kNoon);
  EXPECT_EQ(bucket["light"], "day");
  EXPECT_EQ(bucket["frames"]["infrared"], 2);
  EXPECT_EQ(bucket["metrics"]["luma"]["mean"].get<double>(), second.bucket.tallies[0].mean());
  EXPECT_EQ(bucket["metrics"]["luma"]["max"], 0.1);
  EXPECT_EQ(bucket["metrics"]["live_rows"]["count"], 0);
  for (const char* figure : {"mean", "deviation", "min", "max"}) {
    EXPECT_TRUE(bucket["metrics"]["live_rows"][figure].is_null()) << figure;
  }
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);  // a line for each bucket
}

TEST_F(Export, ARunWithAnotherTaughtModelAndAMoveAreMarked) {
  record_.write(run_, {sampleBucket(kNoon, 0.1), sampleBucket(kNoon + 10000, 0.1)});
  record_.write(run_, Event{{10000, kNoon + 9000, 0, true}, "view", "0.0100,0.0000,0.00", "", {}});
  RunFacts next = sampleRun();
  next.model = "yard-2.onnx";
  next.modelHash = "0ddba11";
  next.settings = R"({"merge_before":[2,5],"taught":"12 frames","new_view":true})";
  next.begun = {30000, kNoon + 20000, 0, true};
  record_.write(record_.beginRun(next), {sampleBucket(kNoon + 20000, 0.1)});
  const RecordReader reader = written();
  const Rows rows = rowsOf(seriesText(reader, kCsv));
  ASSERT_EQ(rows.size(), 4u);
  const auto end = [&](std::size_t row) {
    return std::vector<std::string>(rows[row].end() - 2, rows[row].end());
  };
  EXPECT_EQ(end(1), (std::vector<std::string>{"1", "first"}));
  EXPECT_EQ(end(2), (std::vector<std::string>{"1", "0.0100,0.0000,0.00"}));
  EXPECT_EQ(end(3), (std::vector<std::string>{"2", "first"}));
  std::ostringstream out;
  exportRuns(reader, {"gate", 0, kNoon * 2}, kCsv, out);
  const Rows runs = rowsOf(out.str());
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1][4], "street.onnx");
  EXPECT_EQ(runs[1][6], "");
  EXPECT_EQ(runs[2][0], "2");
  EXPECT_EQ(runs[2][4], "yard-2.onnx");
  EXPECT_EQ(runs[2][5], "0ddba11");
  EXPECT_EQ(runs[2][6], "12 frames");
  EXPECT_EQ(runs[2][9], "2,5");
  EXPECT_EQ(runs[2][10], "1") << "the camera had been put up anew";
  std::ostringstream json;
  exportRuns(reader, {"gate", 0, kNoon * 2}, kJson, json);
  EXPECT_EQ(Json::parse(json.str())["runs"][1]["settings"]["taught"], "12 frames");
}

// With the square of their number this would take hours.
TEST_F(Export, ARunMayNameAMillionMetrics) {
  record_.write(run_, {sampleBucket(kNoon, 0.1)});
  record_.beginRun(sampleRun());
  const RecordReader reader = written();
  Database(folder_ / "a.sqlite", Database::Access::readWrite, kDiskMs)
      .run(
          "WITH RECURSIVE z(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM z WHERE n < 999999) "
          "UPDATE run SET metrics = (SELECT json_group_array('z' || n) FROM z) "
          "WHERE id = (SELECT max(id) FROM run)");
  const Rows rows = rowsOf(seriesText(reader, kCsv, {"z999999", "luma"}));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0][11], "z999999.count");
  EXPECT_EQ(rows[1][11], "0");
  EXPECT_EQ(rows[1][16], "3") << "luma, which the older run has";
}

TEST_F(Export, NothingIsAListOfNothing) {
  const RecordReader reader = written();
  EXPECT_EQ(rowsOf(seriesText(reader, kCsv)).size(), 1u);
  EXPECT_TRUE(Json::parse(seriesText(reader, kJson))["buckets"].empty());
  std::ostringstream out;
  exportEvents(reader, {"gate", 0, kEver}, kJson, out);
  EXPECT_TRUE(Json::parse(out.str())["events"].empty());
}

TEST_F(Export, ComesInOrderOverGapsErasAndParts) {
  std::vector<std::int64_t> expected;
  const auto put = [&](std::int64_t start, std::int32_t era) {
    record_.write(run_, {sampleBucket(start, 1, Resolution::second, era)});
    expected.push_back(start);
  };
  put(5000, 0);  // a clock that began in 1970
  for (int i = 0; i < 4000; ++i) put(kNoon + 1000 * i, 1);
  for (int i = 0; i < 1000; ++i) put(kNoon + 1000 * (2000 + i), 2);
  put(kNoon + 1000 * kDay, 2);
  std::sort(expected.begin(), expected.end());
  const RecordReader reader = written();
  const Rows rows =
      rowsOf(seriesText(reader, kCsv, {"luma"}, 0, std::numeric_limits<std::int64_t>::max()));
  ASSERT_EQ(rows.size(), expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(rows[i + 1][1], std::to_string(expected[i])) << i;
  }
  EXPECT_EQ(rowsOf(seriesText(reader, kCsv, {"luma"}, kNoon + 500, kNoon + 2000)).size(), 2u);
}

TEST_F(Export, MetricsAreOfAllRunsAndTheOnesAskedFor) {
  const std::int64_t later = record_.beginRun(sampleRun("gate", {"area.car", "luma"}));
  record_.write(run_, {sampleBucket(kNoon, 1, Resolution::day)});
  record_.write(later, {sampleBucket(kNoon, 2, Resolution::day)});
  const RecordReader reader = written();
  const std::string text = seriesText(reader, kJson, {}, 0, kEver, Resolution::day);
  const Json json = Json::parse(text);
  EXPECT_EQ(json["metrics"], Json({"area.car", "luma", "live_rows"}));
  ASSERT_EQ(json["buckets"].size(), 2u);
  EXPECT_EQ(json["buckets"][0]["metrics"]["luma"]["count"], 3);
  EXPECT_EQ(json["buckets"][0]["metrics"]["area.car"]["count"], 0);
  EXPECT_EQ(json["buckets"][1]["metrics"]["area.car"]["count"], 3);
}

// As of a video that was replayed with one model and then with another.
TEST_F(Export, RunsThatShareTheirTimesAreNotAddedUp) {
  RunFacts other = sampleRun();
  other.modelHash = "0ddba11";
  const std::int64_t later = record_.beginRun(other);
  const std::int64_t yard = record_.beginRun(sampleRun("yard"));
  for (int second = 0; second < 1000; ++second) {  // more than are read at once
    record_.write(later, {sampleBucket(1000 * second, 2)});
    record_.write(run_, {sampleBucket(1000 * second, 1)});
    record_.write(yard, {sampleBucket(1000 * second, 3)});
  }
  const Rows rows = rowsOf(seriesText(written(), kCsv, {"live_rows"}));
  ASSERT_EQ(rows.size(), 2001u);
  for (std::size_t row = 1; row < rows.size(); ++row) {
    ASSERT_EQ(rows[row][1], std::to_string((row - 1) / 2 * 1000));
    const std::string run = row % 2 == 1 ? "1" : "2";
    EXPECT_EQ(rows[row][12], run) << "its mean";
    EXPECT_EQ(rows[row][16], run) << "its run";
  }
}

// A small computer knows no time when it is switched on.
TEST_F(Export, ARunThatBeganWithAWrongClockChangesNoOlderRow) {
  RunFacts next = sampleRun();
  next.begun = {10, 5000, 0, false};
  const std::int64_t later = record_.beginRun(next);
  record_.write(run_, {sampleBucket(kNoon, 1), sampleBucket(kNoon + 1000, 1)});
  record_.write(run_, Event{{900, kNoon + 500, 0, true}, "view", "0.0100,0.0000,0.00", "", {}});
  record_.write(later,
                {sampleBucket(5000, 2), sampleBucket(kNoon + 9000, 2, Resolution::second, 1)});
  const Rows rows = rowsOf(seriesText(written(), kCsv, {"luma"}));
  ASSERT_EQ(rows.size(), 5u);
  const auto end = [&](std::size_t row) { return rows[row][16] + " " + rows[row][17]; };
  EXPECT_EQ(end(1), "2 first");
  EXPECT_EQ(end(2), "1 first");
  EXPECT_EQ(end(3), "1 0.0100,0.0000,0.00");
  EXPECT_EQ(end(4), "2 first");
}

// A file of somebody else's may have times that are none, which reading must not go round in.
TEST_F(Export, TimesThatAreNoWholeNumbersAreRefused) {
  for (int second = 0; second < 1000; ++second) {
    record_.write(run_, {sampleBucket(1000 * second, 1)});
  }
  const RecordReader reader = written();
  Database(folder_ / "a.sqlite", Database::Access::readWrite, kDiskMs)
      .run("UPDATE bucket SET start_utc_ms = start_utc_ms + 0.5");
  EXPECT_NE(refusal([&] { seriesText(reader, kCsv); }).find("is damaged"), std::string::npos);
}

TEST_F(Export, EventsAreReadBack) {
  const std::string text = "Zone \"a, b\" is\nfull: 50%";
  record_.write(run_, Event{{1, kNoon + 1, 2, false}, "rule", "full", text, 0.5});
  record_.write(run_, Event{{1, kNoon + 2, 2, true}, "light", "dusk", "", std::nan("")});
  const RecordReader reader = written();
  std::ostringstream csv, json;
  exportEvents(reader, {"gate", 0, kEver}, kCsv, csv);
  const Rows rows = rowsOf(csv.str());
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"time", "utc_ms", "era", "synchronised", "kind",
                                               "name", "text", "value"}));
  EXPECT_EQ(rows[1], (std::vector<std::string>{"2026-11-01T12:00:00.001Z", "1793534400001", "2",
                                               "0", "rule", "full", text, "0.5"}));
  EXPECT_EQ(rows[2].back(), "");
  exportEvents(reader, {"gate", 0, kEver}, kJson, json);
  const Json events = Json::parse(json.str())["events"];
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["text"], text);
  EXPECT_EQ(events[0]["value"], 0.5);
  EXPECT_EQ(events[0]["synchronised"], false);
  EXPECT_TRUE(events[1]["value"].is_null());
}

TEST_F(Export, SnapshotsAreReadBack) {
  Snapshot snapshot;
  snapshot.taken = {1, kNoon, 0, true};
  snapshot.reason = "by hand";
  snapshot.labels = cv::Mat(4, 4, CV_8U, cv::Scalar(1));
  snapshot.facts = R"({"light":"day"})";
  record_.write(run_, snapshot);
  const RecordReader reader = written();
  std::ostringstream csv, json;
  exportSnapshots(reader, {"gate", 0, kEver}, kCsv, csv);
  const Rows rows = rowsOf(csv.str());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1][4], "by hand");
  EXPECT_TRUE(std::filesystem::exists(rows[1][5]));
  EXPECT_EQ(rows[1][6], "");
  EXPECT_EQ(Json::parse(rows[1][7])["run"]["model"], "street.onnx");
  EXPECT_EQ(rows[1][8], "") << "no clip";
  exportSnapshots(reader, {"gate", 0, kEver}, kJson, json);
  const Json snapshots = Json::parse(json.str())["snapshots"];
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_TRUE(snapshots[0]["overlay"].is_null());
  EXPECT_EQ(snapshots[0]["facts"]["light"], "day");
}

TEST_F(Export, WhatThereIsNotIsNamedWithWhatThereIs) {
  const RecordReader reader = written();
  std::ostringstream out;
  EXPECT_EQ(refusal([&] {
              exportEvents(reader, {"yard", 0, 1}, kCsv, out);
            }),
            "The record has no source \"yard\"; it has: gate");
  EXPECT_EQ(refusal([&] { seriesText(reader, kCsv, {"lum"}); }),
            "The source \"gate\" has no metric \"lum\"; it has: luma, live_rows");
  EXPECT_THROW(seriesText(reader, kCsv, {}, 5, 4), std::invalid_argument);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace mpm::monitor
