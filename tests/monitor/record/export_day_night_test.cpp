// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>
#include <sstream>
#include <string>
#include <vector>

#include "monitor/record/export_case.h"
#include "monitor/statistics/comparison.h"

namespace mpm::monitor {
namespace {

constexpr std::int64_t kHour = 3600000;

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
  const Rows rows = dayNightRows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"metric", "days", "nights", "day.mean",
                                               "day.deviation", "night.mean", "night.deviation",
                                               "difference", "interval", "differ", "reason"}));
  EXPECT_EQ(rows[1][0] + rows[1][1] + rows[1][2], "live_rows23");
  EXPECT_EQ(rows[1][3], sixDigits(figures.days.mean()));
  EXPECT_EQ(rows[1][6], sixDigits(figures.nights.deviation()));
  EXPECT_EQ(rows[1][7], sixDigits(sure->difference));
  EXPECT_EQ(rows[1][8], sixDigits(sure->interval));
  EXPECT_EQ(rows[1][9] + rows[1][10], "1");
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
  record_.write(run, Event{{1, begun + 36 * kHour, 0, true}, "filter", "on", "", {}});
  record_.write(run, hoursFrom(begun, 48, 440, 410));
  const Rows rows = dayNightRows();
  EXPECT_EQ(rows[1][1] + rows[1][2], "11");
  EXPECT_EQ(std::stod(rows[1][3]), 440);
  EXPECT_EQ(std::stod(rows[1][5]), 410);
}

// Three days at ten frames a second, then three at one in two seconds.
TEST_F(Export, DaysAndNightsOfASlowerFrameRateCountLikeTheOthers) {
  record_.write(beginRun(kNoon, R"({"max_fps":10})"), hoursFrom(kNoon, 72, 440, 410, 36000));
  const std::int64_t begun = kNoon + 72 * kHour;
  record_.write(beginRun(begun, R"({"max_fps":0.5})"), hoursFrom(begun, 72, 440, 410, 1800));
  const Rows rows = dayNightRows();
  EXPECT_EQ(rows[1][1] + rows[1][2], "56") << "the first day may have begun before";
}

// The clock was set in the first run, so its night is of a later era than the next run's.
TEST_F(Export, NightsOfRunsThatAreWeeksApartAreTwo) {
  const auto write = [&](std::int64_t run, std::int64_t begin, bool night, std::int32_t era,
                         double rows) {
    auto hours = hoursFrom(begin - (night ? kDay / 2 : 0), 24, rows, rows);
    hours.erase(hours.begin() + (night ? 0 : 12), hours.begin() + (night ? 12 : 24));
    for (auto& hour : hours) hour.bucket.era = era;
    record_.write(run, hours);
  };
  const std::int64_t later = kNoon + 20 * kDay;
  const std::int64_t next = beginRun(later, sampleRun().settings);
  write(run_, kNoon - kDay / 2, true, 0, 999);
  write(run_, kNoon, false, 0, 440);
  write(run_, kNoon + kDay / 2, true, 1, 400);
  write(next, later, true, 0, 999);
  write(next, later + kDay / 2, false, 0, 440);
  write(next, later + kDay, true, 0, 420);
  const Rows rows = dayNightRows();
  EXPECT_EQ(rows[1][1] + rows[1][2], "22");
  EXPECT_EQ(std::stod(rows[1][5]), 410);
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
  const auto told = [&] {
    const std::vector<std::string> row = dayNightRows().at(1);
    return row.at(1) + " of " + row.at(3) + ", " + row.at(2) + " of " + row.at(5);
  };
  writeRun(kNoon - 3 * kDay, false, 430, 420);
  writeRun(kNoon + 60'000, true, 440, 410);
  writeRun(kNoon + 120'000, true, 440, 410);
  EXPECT_EQ(told(), "1 of 440, 1 of 410");
  writeRun(kNoon + 180'000, false, 432, 422);
  EXPECT_EQ(told(), "2 of 431, 2 of 421") << "live ones go on where they were";
}

// Seen: a zone that was drawn elsewhere under its old name had 10 % cars before and 90 % since, and
// all nights and days of both were compared.
TEST_F(Export, NightsAgainstDaysOfAZoneAreThoseOfWhereItIsNow) {
  const std::vector<std::string> names{"zone.the_gate.area.car", "zone.the_gate.m2.car", "m2.car",
                                       "luma"};
  std::int64_t begun = kNoon;
  const auto writeDays = [&](const std::string& places) {
    const std::int64_t run = beginRun(begun, R"({"merge_before":[2,5])" + places + "}", names);
    auto hours = hoursFrom(begun, 48, 1, 1);
    for (auto& hour : hours) hour.bucket.tallies.assign(names.size(), tallyOf({1, 1}));
    record_.write(run, hours);
    begun += 48 * kHour;
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
  std::string nights;
  for (const auto& row : dayNightRows(names)) nights += " " + row.at(2);
  EXPECT_EQ(nights, " nights 6 4 6 8");
}

// A camera that was moved later changes nothing of what was before.
TEST_F(Export, NightsAgainstDaysAreComparedAsThingsWereAtTheRangesEnd) {
  record_.write(run_, hoursFrom(kNoon, 96, 1, 1));
  record_.write(run_, Event{{1, kNoon + 3 * kDay, 0, true}, "view", "0.0100,0.0000,0.00", "", {}});
  const Rows rows = dayNightRows({"live_rows"}, kNoon + 3 * kDay);
  EXPECT_EQ(rows[1][1] + rows[1][2], "23");
}

// Tokens are the same with a memory, times are not.
TEST_F(Export, NightsAgainstDaysOfTimesAreThoseWithAMemoryWhereThereIsOne) {
  const std::vector<std::string> names{"ms.network", "live_rows"};
  std::int64_t begun = kNoon - 200 * kHour;
  for (const auto& [settings, ms] : {std::pair(R"({"merge_before":[2,5]})", 90.0),
                                     std::pair(R"({"merge_before":[2,5],"memory":true})", 30.0)}) {
    record_.write(beginRun(begun, settings, names), hoursFrom(begun, 48, ms, ms));
    begun += 48 * kHour;
  }
  const Rows rows = dayNightRows(names, kNoon - 100 * kHour);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1][0] + rows[1][1] + rows[1][2], "ms.network12");
  EXPECT_EQ(rows[2][0] + rows[2][1] + rows[2][2], "live_rows34");
}

TEST_F(Export, NightsAgainstDaysAreNotKnownOfOneDay) {
  record_.write(run_, {sampleBucket(kNoon, 2), sampleBucket(kNoon + 1000, 3)});
  const Rows rows = dayNightRows({"luma"});
  EXPECT_EQ(rows[1][1], "0");
  EXPECT_EQ(rows[1][9], "");
  EXPECT_EQ(rows[0].back(), "reason");
  EXPECT_EQ(rows[1].back(),
            "there are 0 whole days and 0 whole nights, and a difference needs two of each");
  std::ostringstream json;
  exportDayNight(written(), {"gate", 0, kEver}, {"luma"}, kJson, json);
  EXPECT_TRUE(Json::parse(json.str())["metrics"][0]["differ"].is_null());
}

}  // namespace
}  // namespace mpm::monitor
