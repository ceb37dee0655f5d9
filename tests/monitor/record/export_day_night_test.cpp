// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>
#include <sstream>
#include <string>
#include <vector>

#include "monitor/record/export_case.h"
#include "monitor/statistics/day_night.h"

namespace mpm::monitor {
namespace {

// Three days and nights, in hours, but the first day may have begun before; the record says of them
// what the app says.
TEST_F(Export, NightsAgainstDaysAreThoseOfTheStatistics) {
  std::deque<Bucket> hours;
  std::vector<Series::Changed> changed;
  for (int hour = 0; hour < 72; ++hour) {
    Series::Changed made = sampleBucket(kNoon + hour * 3600000, 0, Resolution::hour);
    const bool night = hour / 12 % 2 == 1;
    made.bucket.frames = {};
    made.bucket.frames[static_cast<std::size_t>(night ? LightState::infrared : LightState::day)] =
        3;
    made.bucket.tallies[1] = tallyOf({400.0 + hour % 7 - (night ? 30 : 0)});
    hours.push_back(made.bucket);
    changed.push_back(std::move(made));
  }
  record_.write(run_, changed);
  const DayNight figures = dayNightOf(hours, 1);
  ASSERT_EQ(figures.nights.count(), 3u);
  const auto sure = nightsAgainstDays(figures);
  ASSERT_TRUE(sure && sure->differ());
  const RecordReader reader = written();
  std::ostringstream csv, json;
  exportDayNight(reader, {"gate", 0, kEver}, {"live_rows"}, kCsv, csv);
  const Rows rows = rowsOf(csv.str());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"metric", "days", "nights", "day.mean",
                                               "day.deviation", "night.mean", "night.deviation",
                                               "difference", "interval", "differ"}));
  EXPECT_EQ(rows[1][0] + rows[1][1] + rows[1][2], "live_rows23");
  EXPECT_EQ(std::stod(rows[1][3]), figures.days.mean());
  EXPECT_EQ(std::stod(rows[1][6]), figures.nights.deviation());
  EXPECT_EQ(std::stod(rows[1][7]), sure->difference);
  EXPECT_EQ(std::stod(rows[1][8]), sure->interval);
  EXPECT_EQ(rows[1][9], "1");
  exportDayNight(reader, {"gate", 0, kEver}, {}, kJson, json);
  const Json metrics = Json::parse(json.str())["metrics"];
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[1]["metric"], "live_rows");
  EXPECT_EQ(metrics[1]["differ"], true);
}

// As in the app: other schedules and simulated nights are no nights of this one.
TEST_F(Export, NightsAgainstDaysAreOfTheNewestRunsModelAndSchedule) {
  std::int64_t begun = kNoon - 100 * 3'600'000;
  const auto writeRun = [&](const char* settings, double byDay, double atNight,
                            const std::vector<Event>& events) {
    RunFacts facts = sampleRun();
    facts.settings = settings;
    facts.begun.utcMs = begun;
    const std::int64_t run = record_.beginRun(facts);
    for (const Event& event : events) record_.write(run, event);
    std::vector<Series::Changed> hours;
    for (int hour = 0; hour < 48; ++hour, begun += 3'600'000) {
      hours.push_back(sampleBucket(begun, hour % 24 < 12 ? byDay : atNight, Resolution::hour));
      hours.back().bucket.frames = {};
      hours.back().bucket.frames[static_cast<std::size_t>(hour % 24 < 12 ? LightState::day
                                                                         : LightState::night)] = 10;
    }
    record_.write(run, hours);
  };
  writeRun(R"({"merge_before":[1,3]})", 900, 10, {});
  const Moment dusk{1, begun + 36 * 3'600'000, 0, true};
  writeRun(R"({"merge_before":"2, 5"})", 440, 410, {Event{dusk, "filter", "on", "", {}}});
  const RecordReader reader = written();
  std::ostringstream csv;
  exportDayNight(reader, {"gate", 0, kEver}, {"live_rows"}, kCsv, csv);
  const Rows rows = rowsOf(csv.str());
  EXPECT_EQ(rows[1][1] + rows[1][2], "11") << csv.str();
  EXPECT_EQ(std::stod(rows[1][3]), 440);
  EXPECT_EQ(std::stod(rows[1][5]), 410);
}

// Three days at ten frames a second, then three at one in two seconds.
TEST_F(Export, DaysAndNightsOfASlowerFrameRateCountLikeTheOthers) {
  std::int64_t begun = kNoon;
  for (const std::uint32_t frames : {36000U, 1800U}) {
    RunFacts facts = sampleRun();
    facts.settings = R"({"max_fps":)" + std::string(frames == 1800 ? "0.5" : "10") + "}";
    facts.begun.utcMs = begun;
    const std::int64_t run = record_.beginRun(facts);
    std::vector<Series::Changed> hours;
    for (int hour = 0; hour < 72; ++hour, begun += 3'600'000) {
      const bool night = hour % 24 >= 12;
      hours.push_back(sampleBucket(begun, night ? 410 : 440, Resolution::hour));
      hours.back().bucket.frames = {};
      hours.back()
          .bucket.frames[static_cast<std::size_t>(night ? LightState::night : LightState::day)] =
          frames;
    }
    record_.write(run, hours);
  }
  const RecordReader reader = written();
  std::ostringstream csv;
  exportDayNight(reader, {"gate", 0, kEver}, {"live_rows"}, kCsv, csv);
  const Rows rows = rowsOf(csv.str());
  EXPECT_EQ(rows[1][1] + rows[1][2], "56") << "the first day may have begun before\n" << csv.str();
}

// The clock was set in the first run, so its night is of a later era than the next run's.
TEST_F(Export, NightsOfRunsThatAreWeeksApartAreTwo) {
  const auto hours = [&](std::int64_t run, std::int64_t begin, bool night, std::int32_t era,
                         double rows) {
    std::vector<Series::Changed> made;
    for (int hour = 0; hour < 12; ++hour) {
      made.push_back(sampleBucket(begin + hour * 3'600'000, rows, Resolution::hour, era));
      made.back().bucket.frames = {};
      made.back()
          .bucket.frames[static_cast<std::size_t>(night ? LightState::night : LightState::day)] =
          10;
    }
    record_.write(run, made);
  };
  hours(run_, kNoon - kDay / 2, true, 0, 999);
  hours(run_, kNoon, false, 0, 440);
  hours(run_, kNoon + kDay / 2, true, 1, 400);
  RunFacts facts = sampleRun();
  facts.begun.utcMs = kNoon + 20 * kDay;
  const std::int64_t next = record_.beginRun(facts);
  hours(next, kNoon + 20 * kDay, true, 0, 999);
  hours(next, kNoon + 20 * kDay + kDay / 2, false, 0, 440);
  hours(next, kNoon + 21 * kDay, true, 0, 420);
  const RecordReader reader = written();
  std::ostringstream csv;
  exportDayNight(reader, {"gate", 0, kEver}, {"live_rows"}, kCsv, csv);
  const Rows rows = rowsOf(csv.str());
  EXPECT_EQ(rows[1][1] + rows[1][2], "22") << csv.str();
  EXPECT_EQ(std::stod(rows[1][5]), 410);
}

// Seen: a video of a night and a day, played twice, was two nights and two days that surely differ.
TEST_F(Export, DaysAndNightsOfAReplayAreThoseOfThatRunAlone) {
  const auto writeRun = [&](std::int64_t begun, const char* settings, std::int64_t from,
                            double byDay, double atNight) {
    RunFacts facts = sampleRun();
    facts.settings = settings;
    facts.begun.utcMs = begun;
    const std::int64_t run = record_.beginRun(facts);
    std::vector<Series::Changed> seconds;
    for (int second = 0; second < 90; ++second) {
      const bool night = second >= 5 && second < 45, dusk = second % 45 < 5;
      seconds.push_back(sampleBucket(from + second * 1000, night ? atNight : byDay));
      seconds.back().bucket.frames = {};
      seconds.back().bucket.frames[static_cast<std::size_t>(
          dusk ? LightState::dusk : (night ? LightState::night : LightState::day))] = 10;
    }
    record_.write(run, seconds);
  };
  const auto told = [&] {
    const RecordReader reader = written();
    std::ostringstream csv;
    exportDayNight(reader, {"gate", 0, kEver}, {"live_rows"}, kCsv, csv);
    const std::vector<std::string> row = rowsOf(csv.str()).at(1);
    return row.at(1) + " of " + row.at(3) + ", " + row.at(2) + " of " + row.at(5);
  };
  constexpr const char* kReplay = R"({"merge_before":[2,5],"replay":true})";
  constexpr const char* kLive = R"({"merge_before":[2,5],"replay":false})";
  writeRun(kNoon - 3 * kDay, kLive, kNoon - 3 * kDay, 430, 420);
  writeRun(kNoon + 60'000, kReplay, 0, 440, 410);
  writeRun(kNoon + 120'000, kReplay, 0, 440, 410);
  EXPECT_EQ(told(), "1 of 440, 1 of 410");
  writeRun(kNoon + 180'000, kLive, kNoon + 180'000, 432, 422);
  EXPECT_EQ(told(), "2 of 431, 2 of 421") << "live ones go on where they were";
}

// Seen: a zone that was drawn elsewhere under its old name had 10 % cars before and 90 % since, and
// all nights and days of both were compared.
TEST_F(Export, NightsAgainstDaysOfAZoneAreThoseOfWhereItIsNow) {
  const std::vector<std::string> names{"zone.the_gate.area.car", "zone.the_gate.m2.car", "m2.car",
                                       "luma"};
  std::int64_t begun = kNoon;
  const auto writeDays = [&](const std::string& places) {
    RunFacts facts = sampleRun("gate", names);
    facts.settings = R"({"merge_before":[2,5])" + places + "}";
    facts.begun.utcMs = begun;
    const std::int64_t run = record_.beginRun(facts);
    std::vector<Series::Changed> hours;
    for (int hour = 0; hour < 48; ++hour, begun += 3'600'000) {
      hours.push_back(sampleBucket(begun, 1, Resolution::hour));
      hours.back().bucket.tallies.assign(names.size(), tallyOf({1, 1}));
      hours.back().bucket.frames = {};
      hours.back().bucket.frames[static_cast<std::size_t>(hour % 24 < 12 ? LightState::day
                                                                         : LightState::night)] = 10;
    }
    record_.write(run, hours);
  };
  const auto nights = [&] {
    const RecordReader reader = written();
    std::ostringstream csv;
    exportDayNight(reader, {"gate", 0, kEver}, names, kCsv, csv);
    std::string counts;
    for (std::size_t i = 1; i <= names.size(); ++i) counts += " " + rowsOf(csv.str()).at(i).at(2);
    return counts;
  };
  const auto ground = [](const char* metres) {
    return std::string(R"(,"ground":{"points":[[0,0],[1,0],[1,1],[0,1]],"metres":)") + metres + "}";
  };
  const std::string zone = R"(,"zones":[{"name":"the gate","corners":[[0,0.9],[1,0.9],[1,1]]}])";
  const std::string square = ground("[[0,0],[4,0],[4,4],[0,4]]");
  writeDays("");  // as earlier versions wrote it
  writeDays(R"(,"zones":[{"name":"the gate","corners":[[0,0],[1,0],[1,0.1]]}])" + square);
  writeDays(zone + ground("[[0,0],[9,0],[9,9],[0,9]]"));
  writeDays(zone + square);
  EXPECT_EQ(nights(), " 6 4 6 8");
}

// A camera that was moved later changes nothing of what was before.
TEST_F(Export, NightsAgainstDaysAreComparedAsThingsWereAtTheRangesEnd) {
  std::vector<Series::Changed> hours;
  for (int hour = 0; hour < 96; ++hour) {
    hours.push_back(sampleBucket(kNoon + hour * 3'600'000, 1, Resolution::hour));
    hours.back().bucket.frames = {};
    hours.back().bucket.frames[static_cast<std::size_t>(hour % 24 < 12 ? LightState::day
                                                                       : LightState::night)] = 10;
  }
  record_.write(run_, hours);
  record_.write(run_, Event{{1, kNoon + 3 * kDay, 0, true}, "view", "0.0100,0.0000,0.00", "", {}});
  const RecordReader reader = written();
  std::ostringstream csv;
  exportDayNight(reader, {"gate", 0, kNoon + 3 * kDay}, {"live_rows"}, kCsv, csv);
  EXPECT_EQ(rowsOf(csv.str())[1][1] + rowsOf(csv.str())[1][2], "23") << csv.str();
}

// Tokens are the same with a memory, times are not.
TEST_F(Export, NightsAgainstDaysOfTimesAreThoseWithAMemoryWhereThereIsOne) {
  std::int64_t begun = kNoon - 200 * 3'600'000;
  const auto writeRun = [&](const char* settings, double ms) {
    RunFacts facts = sampleRun("gate", {"ms.network", "live_rows"});
    facts.settings = settings;
    facts.begun.utcMs = begun;
    const std::int64_t run = record_.beginRun(facts);
    std::vector<Series::Changed> hours;
    for (int hour = 0; hour < 48; ++hour, begun += 3'600'000) {
      hours.push_back(sampleBucket(begun, ms, Resolution::hour));
      hours.back().bucket.frames = {};
      hours.back().bucket.frames[static_cast<std::size_t>(hour % 24 < 12 ? LightState::day
                                                                         : LightState::night)] = 10;
    }
    record_.write(run, hours);
  };
  writeRun(R"({"merge_before":[2,5]})", 90);
  writeRun(R"({"merge_before":[2,5],"memory":true})", 30);
  const RecordReader reader = written();
  std::ostringstream csv;
  exportDayNight(reader, {"gate", 0, kNoon - 100 * 3'600'000}, {"ms.network", "live_rows"}, kCsv,
                 csv);
  const Rows rows = rowsOf(csv.str());
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1][0] + rows[1][1] + rows[1][2], "ms.network12") << csv.str();
  EXPECT_EQ(rows[2][0] + rows[2][1] + rows[2][2], "live_rows34") << csv.str();
}

TEST_F(Export, NightsAgainstDaysAreNotKnownOfOneDay) {
  record_.write(run_, {sampleBucket(kNoon, 2), sampleBucket(kNoon + 1000, 3)});
  const RecordReader reader = written();
  std::ostringstream csv, json;
  exportDayNight(reader, {"gate", 0, kEver}, {"luma"}, kCsv, csv);
  EXPECT_EQ(rowsOf(csv.str())[1][1], "0");
  EXPECT_EQ(rowsOf(csv.str())[1][9], "");
  exportDayNight(reader, {"gate", 0, kEver}, {"luma"}, kJson, json);
  EXPECT_TRUE(Json::parse(json.str())["metrics"][0]["differ"].is_null());
}

}  // namespace
}  // namespace mpm::monitor
