// SPDX-License-Identifier: Apache-2.0
#include "evaluate/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "evaluate/picture.h"
#include "evaluate/test_data.h"

namespace mpm::test {
namespace {

using evaluate::Header;
using evaluate::PictureRecord;
using evaluate::ScheduleRecord;
using evaluate::Summary;
using evaluate::Totals;

Header twoSchedules() {
  Header header;
  header.pictures = 3;
  header.classes = {"a", "b", "c"};
  header.schedules = {{}, {2, 5}};
  header.special = 1;
  return header;
}

PictureRecord record(std::size_t index, double fullMs, double mergedMs, int windows) {
  PictureRecord record;
  record.index = index;
  ScheduleRecord full, merged;
  full.counts = {{0, 0, 3}, {1, 1, 1}};
  merged.counts = {{0, 0, 2}, {0, 1, 1}, {1, 1, 1}};
  full.edgeCounts = {{0, 0, 1}};
  merged.edgeCounts = {{0, 1, 1}};
  full.rows = {17 * windows};
  merged.rows = {17 * windows, 11 * windows, 9 * windows};
  full.windows = merged.windows = windows;
  full.ms = fullMs, merged.ms = mergedMs;
  full.networkMs = fullMs / 2, merged.networkMs = mergedMs / 2;
  record.schedules = {full, merged};
  return record;
}

Summary summaryOfThree() {
  Totals totals(twoSchedules());
  totals.add(record(0, 10, 5, 1));
  totals.add(record(1, 100, 80, 2));
  totals.add(record(2, 20, 12, 1));
  PictureRecord faulty;
  faulty.fault = evaluate::Fault{evaluate::FaultKind::otherSize, "a.png: it is small"};
  totals.add(faulty);
  return summaryOf(totals, twoSchedules());
}

TEST(Summary, SharesOfAllPictures) {
  const Summary summary = summaryOfThree();
  EXPECT_EQ(summary.pictures, 3U);
  ASSERT_EQ(summary.faults.size(), 1U);
  const evaluate::ScheduleFigures &full = summary.schedules[0], &merged = summary.schedules[1];
  EXPECT_EQ(fullTokensOf(summary), &full);
  EXPECT_DOUBLE_EQ(full.all.meanIou, 1);
  EXPECT_DOUBLE_EQ(merged.all.meanIou, (2.0 / 3 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(merged.edges.meanIou, 0);
  EXPECT_EQ(merged.all.pixels, (std::vector<std::uint64_t>{9, 3, 0}));
}

TEST(Summary, RowsAreThoseOfAWindow) {
  const Summary summary = summaryOfThree();
  EXPECT_EQ(summary.schedules[1].rows, (std::vector<double>{17, 11, 9}));
  EXPECT_DOUBLE_EQ(summary.schedules[0].merged, 0);
  EXPECT_DOUBLE_EQ(summary.schedules[1].merged, 0.5);
}

TEST(Summary, TimesAreMediansAndRatiosArePaired) {
  const Summary summary = summaryOfThree();
  EXPECT_DOUBLE_EQ(summary.schedules[0].ms, 20);
  EXPECT_DOUBLE_EQ(summary.schedules[1].ms, 12);
  EXPECT_DOUBLE_EQ(summary.schedules[1].networkMs, 6);
  EXPECT_DOUBLE_EQ(summary.schedules[1].ratio, 0.6);
  EXPECT_DOUBLE_EQ(summary.schedules[0].ratio, 1);
}

TEST(Summary, AgreementIsToldBesideTheFloorOfThePicturesThatWereCompared) {
  for (const auto& [agreement, beyond] : {std::pair{0.75, 0.125}, {0.9375, 0.0}}) {
    Totals totals(twoSchedules());
    for (const bool isCompared : {true, false, true}) {
      PictureRecord one = record(1, 10, 5, 1);
      if (isCompared) {
        one.floor = totals.pictures() == 0 ? 0.75 : 1;
        one.schedules[0].agreement = 1, one.schedules[1].agreement = agreement;
      }
      totals.add(one);
    }
    const Summary summary = summaryOf(totals, twoSchedules());
    EXPECT_EQ(summary.compared, 2U);
    EXPECT_DOUBLE_EQ(summary.floor, 0.875);
    EXPECT_DOUBLE_EQ(summary.schedules[1].agreement, agreement);
    EXPECT_DOUBLE_EQ(summary.schedules[1].beyondFloor, beyond);
    EXPECT_DOUBLE_EQ(summary.schedules[0].beyondFloor, 0);
  }
  const Summary none = summaryOfThree();
  EXPECT_EQ(none.compared, 0U);
  for (const double figure :
       {none.floor, none.schedules[1].agreement, none.schedules[1].beyondFloor})
    EXPECT_TRUE(std::isnan(figure));
}

TEST(Summary, WithoutFullTokensThereIsNoRatio) {
  Header header = twoSchedules();
  header.schedules = {{3}};
  Totals totals(header);
  PictureRecord one = record(1, 10, 5, 1);
  one.schedules = {one.schedules[1]};
  one.schedules[0].rows = {17, 9};
  totals.add(one);
  const Summary summary = summaryOf(totals, header);
  EXPECT_EQ(fullTokensOf(summary), nullptr);
  EXPECT_TRUE(std::isnan(summary.schedules[0].ratio));
}

TEST(Summary, OfNoPictureSaysNothing) {
  const Summary summary = summaryOf(Totals(twoSchedules()), twoSchedules());
  EXPECT_EQ(summary.pictures, 0U);
  EXPECT_TRUE(std::isnan(summary.schedules[0].all.meanIou));
  EXPECT_TRUE(std::isnan(summary.schedules[0].ms));
  EXPECT_TRUE(std::isnan(summary.schedules[1].merged));
}

TEST(Summary, OtherMergesThanTheSchedule) {
  Totals totals(twoSchedules());
  PictureRecord one = record(1, 10, 5, 1);
  one.schedules[1].rows = {17, 9};
  EXPECT_THROW(totals.add(one), std::runtime_error);
}

TEST(SpreadPairs, TakesTheMiddleOfEachPart) {
  std::vector<evaluate::Pair> pairs(10);
  for (std::size_t i = 0; i < 10; ++i) pairs[i].name = std::to_string(i);
  const auto namesOf = [&](std::size_t count) {
    std::string names;
    for (const evaluate::Pair& pair : evaluate::spreadPairs(pairs, count)) names += pair.name;
    return names;
  };
  EXPECT_EQ(namesOf(0), "0123456789");
  EXPECT_EQ(namesOf(1), "5");
  EXPECT_EQ(namesOf(2), "27");
  EXPECT_EQ(namesOf(5), "13579");
  EXPECT_EQ(namesOf(10), "0123456789");
  EXPECT_EQ(namesOf(99), "0123456789");
}

}  // namespace
}  // namespace mpm::test
