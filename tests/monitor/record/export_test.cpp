// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/export.h"

#include <deque>
#include <nlohmann/json.hpp>

#include "monitor/record/database.h"
#include "monitor/record/sample_record.h"
#include "monitor/statistics/comparison.h"

namespace mpm::monitor {
namespace {

using Json = nlohmann::json;
using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

constexpr std::int64_t kHour = 3600000, kDay = 24 * kHour;
constexpr ExportFormat kCsv = ExportFormat::csv, kJson = ExportFormat::json;
const char* const kMoved = "0.0100,0.0000,0.00";

// RFC 4180, as a spreadsheet reads it.
Rows rowsOf(const std::string& csv) {
  Rows rows{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    std::string& field = rows.back().back();
    if (quoted && csv[i] == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
      field += csv[i++];
    } else if (csv[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && csv[i] == ',') {
      rows.back().emplace_back();
    } else if (!quoted && csv[i] == '\n') {
      rows.push_back({""});
    } else {
      field += csv[i];
    }
  }
  rows.pop_back();
  return rows;
}

std::string joined(const Row& row, std::size_t begin = 0, std::size_t end = 100) {
  std::string text;
  for (std::size_t i = begin; i < std::min(end, row.size()); ++i)
    text += (i > begin ? " " : "") + row[i];
  return text;
}

// A number as CSV has it.
std::string sixDigits(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

// Hours from `begin` on, twelve by day and twelve by night, in turn.
std::vector<Series::Changed> hoursFrom(std::int64_t begin, int count, double byDay, double atNight,
                                       std::uint32_t frames = 10) {
  std::vector<Series::Changed> hours;
  for (int hour = 0; hour < count; ++hour) {
    const bool isNight = hour % 24 >= 12;
    hours.push_back(
        sampleBucket(begin + hour * kHour, isNight ? atNight : byDay, Resolution::hour));
    hours.back().bucket.frames = {};
    const LightState light = isNight ? LightState::night : LightState::day;
    hours.back().bucket.frames[static_cast<std::size_t>(light)] = frames;
  }
  return hours;
}

// A record "a.sqlite" that a run of `gate` is written to.
class Export : public testing::Test {
 protected:
  Export() : record_(path_), run_(record_.beginRun(sampleRun())) {}

  RecordReader written() {
    EXPECT_TRUE(record_.flush(kDiskMs));
    return RecordReader(path_);
  }
  std::string series(ExportFormat format, const Row& metrics = {}, std::int64_t from = 0,
                     std::int64_t to = kEver, Resolution resolution = Resolution::second) {
    std::ostringstream out;
    exportSeries(written(), {"gate", from, to}, resolution, metrics, format, out);
    return out.str();
  }
  Rows rows(const Row& metrics = {}, std::int64_t from = 0, std::int64_t to = kEver) {
    return rowsOf(series(kCsv, metrics, from, to));
  }
  // Of exportEvents, exportSnapshots or exportRuns.
  Rows rowsWith(const auto& exports) {
    std::ostringstream out;
    exports(written(), {"gate", 0, kEver}, kCsv, out);
    return rowsOf(out.str());
  }
  Json jsonWith(const auto& exports) {
    std::ostringstream out;
    exports(written(), {"gate", 0, kEver}, kJson, out);
    return Json::parse(out.str());
  }
  // Another run of `gate`, begun at `begun`.
  std::int64_t beginRun(std::int64_t begun, const std::string& settings,
                        const Row& metrics = sampleRun().metrics) {
    RunFacts facts = sampleRun("gate", metrics);
    facts.settings = settings;
    facts.begun.utcMs = begun;
    return record_.beginRun(facts);
  }
  Rows dayNightRows(const Row& metrics = {"live_rows"}, std::int64_t to = kEver) {
    std::ostringstream csv;
    exportDayNight(written(), {"gate", 0, to}, metrics, kCsv, csv);
    return rowsOf(csv.str());
  }
  // Days and nights of the first metric, and their means, as "2 3 of 440 410".
  std::string dayNight(std::int64_t to = kEver) {
    const Row row = dayNightRows({"live_rows"}, to).at(1);
    return row[1] + " " + row[2] + " of " + row[3] + " " + row[5];
  }

  Folder folder_;
  const std::string path_ = folder_ / "a.sqlite";
  Record record_;
  std::int64_t run_;
};

TEST_F(Export, ASeriesIsReadBackAsCsvAndAsJson) {
  Series::Changed second = sampleBucket(kNoon, 0.1);
  second.bucket.tallies[1] = {};
  record_.write(run_, {second, sampleBucket(kNoon + 1000, 2)});
  const Tally& luma = second.bucket.tallies[0];
  const Rows found = rows();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(joined(found[0]),
            "time utc_ms era light frames.day frames.dusk frames.night frames.infrared "
            "frames.no_signal frames.transition frames.unknown luma.count luma.mean luma.deviation "
            "luma.min "
            "luma.max live_rows.count live_rows.mean live_rows.deviation live_rows.min "
            "live_rows.max run view");
  EXPECT_EQ(joined(found[1]),
            "2026-11-01T12:00:00.000Z 1793534400000 0 day 7 0 0 2 0 1 0 3 0.0111111 " +
                sixDigits(luma.deviation()) + " -0.1 0.1 0     1 first");
  EXPECT_EQ(found[1][12], sixDigits(luma.mean()));
  EXPECT_EQ(joined(found[2], 16, 19), "3 2 0");

  const std::string text = series(kJson, {"live_rows", "luma"});
  const Json json = Json::parse(text);
  EXPECT_EQ(json["metrics"], Json({"live_rows", "luma"}));
  ASSERT_EQ(json["buckets"].size(), 2u);
  const std::pair<const char*, Json> expected[] = {
      {"/source", "gate"},
      {"/resolution", "second"},
      {"/length_ms", 1000},
      {"/buckets/0/time", "2026-11-01T12:00:00.000Z"},
      {"/buckets/0/utc_ms", kNoon},
      {"/buckets/0/light", "day"},
      {"/buckets/0/frames/infrared", 2},
      {"/buckets/0/metrics/luma/mean", luma.mean()},
      {"/buckets/0/metrics/luma/max", 0.1},
      {"/buckets/0/metrics/live_rows/count", 0},
      {"/buckets/0/metrics/live_rows/mean", nullptr},
      {"/buckets/0/metrics/live_rows/deviation", nullptr},
      {"/buckets/0/metrics/live_rows/min", nullptr},
      {"/buckets/0/metrics/live_rows/max", nullptr}};
  for (const auto& [path, value] : expected)
    EXPECT_EQ(json.at(Json::json_pointer(path)), value) << path;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);  // a line for each bucket
}

TEST_F(Export, ARunWithAnotherTaughtModelAndAMoveAreMarked) {
  record_.write(run_, {sampleBucket(kNoon, 0.1), sampleBucket(kNoon + 10000, 0.1)});
  record_.write(run_, eventAt(kNoon + 9000, "view", kMoved));
  RunFacts next = sampleRun();
  next.model = "yard-2.onnx";
  next.modelHash = "0ddba11";
  next.settings = R"({"merge_before":[2,5],"taught":"12 frames","new_view":true})";
  next.begun = {30000, kNoon + 20000, 0, true};
  record_.write(record_.beginRun(next), {sampleBucket(kNoon + 20000, 0.1)});
  std::string marks;
  for (const Row& row : rows()) marks += joined(row, 21) + "; ";
  EXPECT_EQ(marks, std::string("run view; 1 first; 1 ") + kMoved + "; 2 first; ");
  const Rows runs = rowsWith(exportRuns);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1][4] + runs[1][6], "street.onnx");
  EXPECT_EQ(runs[2][0] + " " + joined(runs[2], 4, 7), "2 yard-2.onnx 0ddba11 12 frames");
  EXPECT_EQ(joined(runs[2], 9, 11), "2,5 1") << "the camera had been put up anew";
  EXPECT_EQ(jsonWith(exportRuns)["runs"][1]["settings"]["taught"], "12 frames");
}

// With the square of their number this would take hours.
TEST_F(Export, ARunMayNameAMillionMetrics) {
  record_.write(run_, {sampleBucket(kNoon, 0.1)});
  record_.beginRun(sampleRun());
  written();
  Database(path_, Database::Access::readWrite, kDiskMs)
      .run(
          "WITH RECURSIVE z(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM z WHERE n < 999999) "
          "UPDATE run SET metrics = (SELECT json_group_array('z' || n) FROM z) "
          "WHERE id = (SELECT max(id) FROM run)");
  const Rows found = rows({"z999999", "luma"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0][11], "z999999.count");
  EXPECT_EQ(found[1][11], "0");
  EXPECT_EQ(found[1][16], "3") << "luma, which the older run has";
}

TEST_F(Export, NothingIsAListOfNothing) {
  EXPECT_EQ(rows().size(), 1u);
  EXPECT_TRUE(Json::parse(series(kJson))["buckets"].empty());
  EXPECT_TRUE(jsonWith(exportEvents)["events"].empty());
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
  const Rows found = rows({"luma"}, 0, std::numeric_limits<std::int64_t>::max());
  ASSERT_EQ(found.size(), expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(found[i + 1][1], std::to_string(expected[i])) << i;
  EXPECT_EQ(rows({"luma"}, kNoon + 500, kNoon + 2000).size(), 2u);
}

TEST_F(Export, MetricsAreOfAllRunsAndTheOnesAskedFor) {
  const std::int64_t later = record_.beginRun(sampleRun("gate", {"area.car", "luma"}));
  record_.write(run_, {sampleBucket(kNoon, 1, Resolution::day)});
  record_.write(later, {sampleBucket(kNoon, 2, Resolution::day)});
  const Json json = Json::parse(series(kJson, {}, 0, kEver, Resolution::day));
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
  const std::int64_t later = record_.beginRun(other), yard = record_.beginRun(sampleRun("yard"));
  for (int second = 0; second < 1000; ++second) {  // more than are read at once
    record_.write(later, {sampleBucket(1000 * second, 2)});
    record_.write(run_, {sampleBucket(1000 * second, 1)});
    record_.write(yard, {sampleBucket(1000 * second, 3)});
  }
  const Rows found = rows({"live_rows"});
  ASSERT_EQ(found.size(), 2001u);
  for (std::size_t row = 1; row < found.size(); ++row) {
    ASSERT_EQ(found[row][1], std::to_string((row - 1) / 2 * 1000));
    const std::string run = row % 2 == 1 ? "1" : "2";
    EXPECT_EQ(found[row][12], run) << "its mean";
    EXPECT_EQ(found[row][16], run) << "its run";
  }
}

// A small computer knows no time when it is switched on.
TEST_F(Export, ARunThatBeganWithAWrongClockChangesNoOlderRow) {
  RunFacts next = sampleRun();
  next.begun = {10, 5000, 0, false};
  const std::int64_t later = record_.beginRun(next);
  record_.write(run_, {sampleBucket(kNoon, 1), sampleBucket(kNoon + 1000, 1)});
  record_.write(run_, eventAt(kNoon + 500, "view", kMoved));
  record_.write(later,
                {sampleBucket(5000, 2), sampleBucket(kNoon + 9000, 2, Resolution::second, 1)});
  std::string marks;
  for (const Row& row : rows({"luma"})) marks += joined(row, 16) + "; ";
  EXPECT_EQ(marks, std::string("run view; 2 first; 1 first; 1 ") + kMoved + "; 2 first; ");
}

// A file of somebody else's may have times that are none, which reading must not go round in.
TEST_F(Export, TimesThatAreNoWholeNumbersAreRefused) {
  writeSeconds(record_, run_, 1000);
  written();
  Database(path_, Database::Access::readWrite, kDiskMs)
      .run("UPDATE bucket SET start_utc_ms = start_utc_ms + 0.5");
  EXPECT_TRUE(has(refusal([&] { series(kCsv); }), "is damaged"));
}

TEST_F(Export, EventsAreReadBack) {
  const std::string text = "Zone \"a, b\" is\nfull: 50%";
  record_.write(run_, Event{{1, kNoon + 1, 2, false}, "rule", "full", text, 0.5});
  record_.write(run_, Event{{1, kNoon + 2, 2, true}, "light", "dusk", "", std::nan("")});
  const Rows found = rowsWith(exportEvents);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(joined(found[0]), "time utc_ms era synchronised kind name text value");
  EXPECT_EQ(found[1], (Row{"2026-11-01T12:00:00.001Z", "1793534400001", "2", "0", "rule", "full",
                           text, "0.5"}));
  EXPECT_EQ(found[2].back(), "");
  const Json events = jsonWith(exportEvents)["events"];
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["text"], text);
  EXPECT_EQ(events[0]["value"], 0.5);
  EXPECT_EQ(events[0]["synchronised"], false);
  EXPECT_TRUE(events[1]["value"].is_null());
}

TEST_F(Export, SnapshotsAreReadBack) {
  Snapshot snapshot = snapshotAt(kNoon, cv::Mat(4, 4, CV_8U, cv::Scalar(1)));
  snapshot.facts = R"({"light":"day"})";
  record_.write(run_, snapshot);
  const Rows found = rowsWith(exportSnapshots);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1][4], "by hand");
  EXPECT_TRUE(std::filesystem::exists(found[1][5]));
  EXPECT_EQ(found[1][6] + found[1][8], "") << "no overlay, no clip";
  EXPECT_EQ(Json::parse(found[1][7])["run"]["model"], "street.onnx");
  const Json snapshots = jsonWith(exportSnapshots)["snapshots"];
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_TRUE(snapshots[0]["overlay"].is_null());
  EXPECT_EQ(snapshots[0]["facts"]["light"], "day");
}

TEST_F(Export, WhatThereIsNotIsNamedWithWhatThereIs) {
  std::ostringstream out;
  const RecordReader reader = written();
  EXPECT_EQ(refusal([&] {
              exportEvents(reader, {"yard", 0, 1}, kCsv, out);
            }),
            "The record has no source \"yard\"; it has: gate");
  EXPECT_EQ(refusal([&] { series(kCsv, {"lum"}); }),
            "The source \"gate\" has no metric \"lum\"; it has: luma, live_rows");
  EXPECT_THROW(series(kCsv, {}, 5, 4), std::invalid_argument);
  EXPECT_EQ(out.str(), "");
}

// Three days and nights, but the first day may have begun before; the record says of them what the
// app says.
TEST_F(Export, NightsAgainstDaysAreThoseOfTheStatistics) {
  std::vector<Series::Changed> changed = hoursFrom(kNoon, 72, 0, 0);
  std::deque<Bucket> hours;
  for (int hour = 0; hour < 72; ++hour) {
    Bucket& bucket = changed[static_cast<std::size_t>(hour)].bucket;
    bucket.tallies[1] = tallyOf({400.0 + hour % 7 - (hour % 24 >= 12 ? 30 : 0)});
    hours.push_back(bucket);
  }
  record_.write(run_, changed);
  const DayNight figures = dayNightOf(hours, 1);
  ASSERT_EQ(figures.nights.count(), 3u);
  const auto sure = nightsAgainstDays(figures);
  ASSERT_TRUE(sure && sure->differ());
  const Rows found = dayNightRows();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(joined(found[0]),
            "metric days nights day.mean day.deviation night.mean night.deviation difference "
            "interval differ reason");
  const auto& [days, nights] = std::tie(figures.days, figures.nights);
  EXPECT_EQ(joined(found[1]),
            "live_rows 2 3 " + sixDigits(days.mean()) + " " + sixDigits(days.deviation()) + " " +
                sixDigits(nights.mean()) + " " + sixDigits(nights.deviation()) + " " +
                sixDigits(sure->difference) + " " + sixDigits(sure->interval) + " 1 ");
  std::ostringstream json;
  exportDayNight(written(), {"gate", 0, kEver}, {}, kJson, json);
  const Json metrics = Json::parse(json.str())["metrics"];
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[1]["metric"], "live_rows");
  EXPECT_EQ(metrics[1]["differ"], true);
}

// As in the app: other schedules and simulated nights are no nights of this one.
TEST_F(Export, NightsAgainstDaysAreOfTheNewestRunsModelAndSchedule) {
  record_.write(beginRun(kNoon, R"({"merge_before":[1,3]})"), hoursFrom(kNoon, 48, 900, 10));
  const std::int64_t begun = kNoon + 48 * kHour;
  const std::int64_t run = beginRun(begun, R"({"merge_before":"2, 5"})");
  record_.write(run, eventAt(begun + 36 * kHour, "filter", "on"));
  record_.write(run, hoursFrom(begun, 48, 440, 410));
  EXPECT_EQ(dayNight(), "1 1 of 440 410");
}

// Three days at ten frames a second, then three at one in two seconds.
TEST_F(Export, DaysAndNightsOfASlowerFrameRateCountLikeTheOthers) {
  record_.write(beginRun(kNoon, R"({"max_fps":10})"), hoursFrom(kNoon, 72, 440, 410, 36000));
  const std::int64_t begun = kNoon + 72 * kHour;
  record_.write(beginRun(begun, R"({"max_fps":0.5})"), hoursFrom(begun, 72, 440, 410, 1800));
  EXPECT_EQ(dayNight(), "5 6 of 440 410") << "the first day may have begun before";
}

// The clock was set in the first run, so its night is of a later era than the next run's.
TEST_F(Export, NightsOfRunsThatAreWeeksApartAreTwo) {
  const std::int64_t later = kNoon + 20 * kDay;
  const std::int64_t next = beginRun(later, sampleRun().settings);
  const struct {
    std::int64_t run, begin;
    bool night;
    std::int32_t era;
    double rows;
  } halves[] = {{run_, kNoon - kDay / 2, true, 0, 999},  {run_, kNoon, false, 0, 440},
                {run_, kNoon + kDay / 2, true, 1, 400},  {next, later, true, 0, 999},
                {next, later + kDay / 2, false, 0, 440}, {next, later + kDay, true, 0, 420}};
  for (const auto& half : halves) {
    auto hours = hoursFrom(half.begin - (half.night ? kDay / 2 : 0), 24, half.rows, half.rows);
    hours.erase(hours.begin() + (half.night ? 0 : 12), hours.begin() + (half.night ? 12 : 24));
    for (auto& hour : hours) hour.bucket.era = half.era;
    record_.write(half.run, hours);
  }
  EXPECT_EQ(dayNight(), "2 2 of 440 410");
}

// Seen: a video of a night and a day, played twice, was two nights and two days that surely differ.
TEST_F(Export, DaysAndNightsOfAReplayAreThoseOfThatRunAlone) {
  const auto writeRun = [&](std::int64_t begun, bool isReplay, double byDay, double atNight) {
    const std::int64_t run = beginRun(
        begun, std::string(R"({"merge_before":[2,5],"replay":)") + (isReplay ? "true}" : "false}"));
    std::vector<Series::Changed> seconds;
    for (int second = 0; second < 90; ++second) {
      const bool night = second >= 5 && second < 45, dusk = second % 45 < 5;
      seconds.push_back(
          sampleBucket((isReplay ? 0 : begun) + second * 1000, night ? atNight : byDay));
      seconds.back().bucket.frames = {};
      seconds.back().bucket.frames[static_cast<std::size_t>(
          dusk ? LightState::dusk : (night ? LightState::night : LightState::day))] = 10;
    }
    record_.write(run, seconds);
  };
  writeRun(kNoon - 3 * kDay, false, 430, 420);
  writeRun(kNoon + 60'000, true, 440, 410);
  writeRun(kNoon + 120'000, true, 440, 410);
  EXPECT_EQ(dayNight(), "1 1 of 440 410");
  writeRun(kNoon + 180'000, false, 432, 422);
  EXPECT_EQ(dayNight(), "2 2 of 431 421") << "live ones go on where they were";
}

// Seen: a zone that was drawn elsewhere under its old name had 10 % cars before and 90 % since, and
// all nights and days of both were compared.
TEST_F(Export, NightsAgainstDaysOfAZoneAreThoseOfWhereItIsNow) {
  const Row names{"zone.the_gate.area.car", "zone.the_gate.m2.car", "m2.car", "luma"};
  const auto ground = [](const char* metres) {
    return std::string(R"(,"ground":{"points":[[0,0],[1,0],[1,1],[0,1]],"metres":)") + metres + "}";
  };
  const auto zone = [](const char* corners) {
    return std::string(R"(,"zones":[{"name":"the gate","corners":)") + corners + "}]";
  };
  const std::string here = zone("[[0,0.9],[1,0.9],[1,1]]"),
                    square = ground("[[0,0],[4,0],[4,4],[0,4]]");
  std::int64_t begun = kNoon;
  for (const std::string& places : {std::string(),  // as earlier versions wrote it
                                    zone("[[0,0],[1,0],[1,0.1]]") + square,
                                    here + ground("[[0,0],[9,0],[9,9],[0,9]]"), here + square}) {
    auto hours = hoursFrom(begun, 48, 1, 1);
    for (auto& hour : hours) hour.bucket.tallies.assign(names.size(), tallyOf({1, 1}));
    record_.write(beginRun(begun, R"({"merge_before":[2,5])" + places + "}", names), hours);
    begun += 48 * kHour;
  }
  std::string nights;
  for (const Row& row : dayNightRows(names)) nights += " " + row.at(2);
  EXPECT_EQ(nights, " nights 6 4 6 8");
}

// A camera that was moved later changes nothing of what was before.
TEST_F(Export, NightsAgainstDaysAreComparedAsThingsWereAtTheRangesEnd) {
  record_.write(run_, hoursFrom(kNoon, 96, 1, 1));
  record_.write(run_, eventAt(kNoon + 3 * kDay, "view", kMoved));
  EXPECT_EQ(dayNight(kNoon + 3 * kDay), "2 3 of 1 1");
}

// Tokens are the same with a memory, times are not.
TEST_F(Export, NightsAgainstDaysOfTimesAreThoseWithAMemoryWhereThereIsOne) {
  const Row names{"ms.network", "live_rows"};
  std::int64_t begun = kNoon - 200 * kHour;
  for (const bool remembers : {false, true}) {
    const double ms = remembers ? 30 : 90;
    record_.write(beginRun(begun,
                           remembers ? R"({"merge_before":[2,5],"memory":true})"
                                     : R"({"merge_before":[2,5]})",
                           names),
                  hoursFrom(begun, 48, ms, ms));
    begun += 48 * kHour;
  }
  const Rows found = dayNightRows(names, kNoon - 100 * kHour);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(joined(found[1], 0, 3), "ms.network 1 2");
  EXPECT_EQ(joined(found[2], 0, 3), "live_rows 3 4");
}

TEST_F(Export, NightsAgainstDaysAreNotKnownOfOneDay) {
  writeSeconds(record_, run_, 2);
  const Row row = dayNightRows({"luma"}).at(1);
  EXPECT_EQ(row[1] + row[9], "0");
  EXPECT_EQ(row.back(),
            "there are 0 whole days and 0 whole nights, and a difference needs two of each");
  std::ostringstream json;
  exportDayNight(written(), {"gate", 0, kEver}, {"luma"}, kJson, json);
  EXPECT_TRUE(Json::parse(json.str())["metrics"][0]["differ"].is_null());
}

}  // namespace
}  // namespace mpm::monitor
