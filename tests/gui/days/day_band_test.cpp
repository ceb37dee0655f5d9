// SPDX-License-Identifier: Apache-2.0
#include "gui/days/day_band.h"

#include <gtest/gtest.h>

#include <tuple>

#include "gui/canvas/pictures.h"
#include "gui/days/day_record.h"
#include "gui/hands.h"
#include "gui/plot/opened.h"
#include "monitor/statistics/comparison.h"

namespace mpm::gui {
namespace {

const QDate kDay(2026, 11, 3);

// Returns two days in parts of an hour, where a value is its hour. Hours three to six of the older
// day are missing.
DayGrid twoDays() {
  DayGrid grid;
  grid.days = {kDay, kDay.addDays(-1)};
  grid.parts = 24;
  for (int day = 0; day < 2; ++day) {
    for (int hour = 0; hour < 24; ++hour) {
      const bool seen = day == 0 || hour < 3 || hour >= 6;
      grid.cells.push_back({static_cast<double>(hour), seen ? 9u : 0u, monitor::LightState::dusk});
    }
  }
  return grid;
}

class DayBandTest : public ::testing::Test {
 protected:
  DayBandTest() {
    band_.resize(800, 200);
    band_.setGrid(twoDays(), "Rows", {});
    band_.show();
    EXPECT_TRUE(waitForExposed(&band_));
  }
  void expectTold(const QString& words) {
    EXPECT_TRUE(waitFor([&] { return band_.told().contains(words); }))
        << qPrintable(words + ": " + band_.told());
  }
  testing::Opened<DayBand> band_;
  QSignalSpy chosen_{&band_, &DayBand::chosen};
};

TEST_F(DayBandTest, ColoursAreValuesAndWhatIsNotKnownHasNone) {
  const QImage image = band_.grab().toImage();
  EXPECT_EQ(image.pixel(band_.pointOf(0, 23)), colourAt(valueScale(), 1));
  EXPECT_EQ(image.pixel(band_.pointOf(1, 0)), colourAt(valueScale(), 0));
  const QColor unknown = image.pixelColor(band_.pointOf(1, 4));
  EXPECT_LT(unknown.saturation(), 30);
}

// Guards against 21:00 below the band, and 11:35 PM above it.
TEST_F(DayBandTest, HoursAreWrittenAsTimesAreElsewhere) {
  for (const QLocale::Country country : {QLocale::UnitedStates, QLocale::UnitedKingdom}) {
    QLocale::setDefault(QLocale(QLocale::English, country));
    const QStringList words = band_.words(band_.size());
    EXPECT_TRUE(words.contains(QLocale().toString(QTime(21, 0), QLocale::ShortFormat)))
        << qPrintable(words.join('|'));
  }
  QLocale::setDefault(QLocale::c());
}

// Guards against an empty field below a record's first day, and small pictures above it.
TEST_F(DayBandTest, IsAsHighAsItsDaysNeed) {
  const int two = band_.maximumHeight();
  DayGrid many = twoDays();
  for (int day = 2; day < 8; ++day) {
    many.days.push_back(kDay.addDays(-day));
    many.cells.resize(many.cells.size() + 24);
  }
  band_.setGrid(many, "Rows", {});
  EXPECT_GT(band_.maximumHeight(), 2 * two);
  EXPECT_LT(band_.minimumHeight(), 150) << "a week in a low window";
}

// Guards against R alone when both sides have a new record's only picture.
TEST_F(DayBandTest, TwoMarksInOnePlaceHaveBothLetters) {
  const auto drawn = [&](int hour) {
    band_.setMarks({DayBand::Mark{localMs(kDay, 9), "L"}, DayBand::Mark{localMs(kDay, hour), "R"}});
    return testing::recorded(band_.size(), [&](QPainter& painter) { band_.drawOver(painter); })
        .words();
  };
  EXPECT_EQ(drawn(9), QStringList{"L, R"});
  EXPECT_EQ(drawn(12), (QStringList{"L", "R"}));
}

TEST_F(DayBandTest, ThePointerTellsAndAClickChooses) {
  QTest::mouseMove(&band_, band_.pointOf(1, 12));
  expectTold("Rows 12");
  EXPECT_TRUE(band_.told().endsWith("Dusk")) << qPrintable(band_.told());
  QTest::mouseClick(&band_, Qt::LeftButton, {}, band_.pointOf(1, 4));
  expectTold("nothing was recorded");
  ASSERT_EQ(chosen_.count(), 1);
  EXPECT_EQ(chosen_[0][0].value<std::int64_t>(), localMs(kDay.addDays(-1), 4, 30));
}

// Parts become hours from a week to a year. Guards against showing a part of another day, or of
// none.
TEST_F(DayBandTest, ThePointedTimeStaysWhereDaysHaveOtherParts) {
  DayGrid fine = twoDays();
  fine.parts = 144;
  fine.cells.assign(288, {7, 3, monitor::LightState::day});
  band_.setGrid(fine, "Rows", {});
  QTest::mouseClick(&band_, Qt::LeftButton, {}, band_.pointOf(1, 125));
  expectTold("20:50");
  band_.setGrid(twoDays(), "Rows", {});
  expectTold("20:00");
  expectTold("Rows 20");
  band_.setGrid(fine, "Rows", {});
  expectTold("20:00");
  band_.setGrid({}, "Rows", {});
  EXPECT_EQ(band_.told(), QString());
}

// Guards against "03:00 to 04:00: nothing was recorded" for a skipped 02:00, next to what that hour
// has.
TEST_F(DayBandTest, AnHourThatTheClockSkipsIsToldAsItself) {
  if (!QTimeZone("Europe/Berlin").isValid()) GTEST_SKIP() << "no time zone data";
  const ZoneHere berlin("Europe/Berlin");
  DayGrid grid = twoDays();
  grid.days = {QDate(2026, 3, 30), QDate(2026, 3, 29)};
  for (int hour = 0; hour < 24; ++hour)
    grid.cells[static_cast<std::size_t>(24 + hour)].frames = hour == 2 ? 0 : 9;
  band_.setGrid(grid, "Rows", {});
  for (const int hour : {1, 2, 3}) {
    QTest::mouseMove(&band_, band_.pointOf(1, hour));
    expectTold(QStringLiteral("%1 to %2")
                   .arg(QLocale().toString(QTime(hour, 0), QLocale::ShortFormat),
                        QLocale().toString(QTime(hour + 1, 0), QLocale::ShortFormat)));
    EXPECT_EQ(band_.told().contains("nothing was recorded"), hour == 2);
  }
}

TEST_F(DayBandTest, TheKeyboardGoesToEveryPart) {
  band_.setMouseTracking(false);  // the pointer that another test left here would move the cursor
  ASSERT_TRUE(waitForActive(&band_)) << "the cursor comes with the focus";
  band_.setFocus();
  hands::keys(&band_, "Home Down*2 Right Return");
  ASSERT_EQ(chosen_.count(), 1);
  EXPECT_EQ(chosen_[0][0].value<std::int64_t>(), localMs(kDay.addDays(-1), 1, 30));
  EXPECT_EQ(band_.accessibleDescription(), band_.told()) << "a screen reader hears the cursor";
  hands::keys(&band_, "End Up Right Space");
  EXPECT_EQ(chosen_.last()[0].value<std::int64_t>(), localMs(kDay, 23, 30));
}

TEST_F(DayBandTest, TheTableHasWhatIsKnown) {
  EXPECT_EQ(band_.table()->rowCount(), 45);
  EXPECT_EQ(band_.csv().filter("dusk").size(), 45);
  band_.setGrid({}, {}, {});
  EXPECT_EQ(band_.summary(), "The record has nothing from these days.");
  EXPECT_FALSE(band_.grab().isNull());
}

TEST(DayGrid, ADaysMinutesLieWhereTheClockOnTheWallSays) {
  DayRecord record;
  for (const int hour : {0, 12, 23}) record.minute(localMs(kDay, hour, 5));
  record.minute(localMs(kDay.addDays(-1), 12, 14));
  record.minute(localMs(kDay.addDays(-40), 12));
  record.flush();
  const DayGrid grid = readDays(record.path(), "gate", "area.car", 7, localMs(kDay, 23, 59));
  ASSERT_EQ(grid.days, (std::vector<QDate>{kDay, kDay.addDays(-1)})) << "empty days go at the end";
  ASSERT_EQ(grid.parts, 144);
  EXPECT_NEAR(grid.at(0, 72).value, 25, 1e-9);
  EXPECT_EQ(grid.at(0, 72).frames, 2u);
  EXPECT_EQ(grid.at(0, 72).light, monitor::LightState::day);
  EXPECT_EQ(grid.at(0, 138).light, monitor::LightState::night);
  EXPECT_NEAR(grid.at(1, 73).value, 25, 1e-9);
  EXPECT_EQ(grid.at(1, 72).frames, 0u);
  EXPECT_EQ(grid.utcMsOf(0, 72), localMs(kDay, 12));
}

TEST(DayGrid, AnHourThatTheClockRepeatsHasBothAndOneThatItSkipsNone) {
  if (!QTimeZone("Europe/Berlin").isValid()) GTEST_SKIP() << "no time zone data";
  const ZoneHere berlin("Europe/Berlin");
  constexpr std::int64_t kHourMs = 3'600'000;
  // The moments 2026-03-28T23:00Z and 2026-10-24T22:00Z are midnights there.
  for (const auto& [day, midnight, hours] :
       {std::tuple(QDate(2026, 3, 29), std::int64_t{1'774'738'800'000}, 23),
        std::tuple(QDate(2026, 10, 25), std::int64_t{1'792'879'200'000}, 25)}) {
    DayRecord record;
    for (int hour = 0; hour < hours; ++hour) record.minute(midnight + hour * kHourMs);
    record.flush();
    const DayGrid grid =
        readDays(record.path(), "gate", "area.car", 7, midnight + hours * kHourMs - 1);
    ASSERT_EQ(grid.days, std::vector<QDate>{day});
    for (int hour = 0; hour < 24; ++hour) {
      const std::uint64_t frames = hour == 2 ? (hours == 23 ? 0 : 4) : 2;
      EXPECT_EQ(grid.at(0, 6 * hour).frames, frames) << hours << " hours, " << hour;
    }
    EXPECT_EQ(grid.utcMsOf(0, 6 * 4), midnight + (hours == 23 ? 3 : 5) * kHourMs);
  }
}

// Guards against days without the hour before a clock change, whose pictures the slider has.
TEST(DayGrid, WhatWasRecordedBeforeTheClockWasSetBackIsThere) {
  DayRecord record;
  record.minute(localMs(kDay, 12, 45));
  record.minute(localMs(kDay.addDays(1), 0));
  record.flush();
  const DayGrid grid = readDays(record.path(), "gate", "area.car", 7, localMs(kDay, 12, 10));
  ASSERT_EQ(grid.days, std::vector<QDate>{kDay});
  EXPECT_EQ(grid.at(0, 76).frames, 2u);
}

TEST(DayGrid, FewerTokensAreTheShareThatMergingTookAway) {
  DayRecord record;
  record.minute(localMs(kDay, 12));
  record.flush();
  const auto read = [&](const char* metric) {
    return readDays(record.path(), "gate", metric, 7, localMs(kDay, 13)).at(0, 72).value;
  };
  EXPECT_NEAR(read("merged_share"), 100 * (1 - 39.0 / 64), 1e-9) << "of the picture's tokens";
  EXPECT_NEAR(read("area.car"), 25, 1e-9);
  EXPECT_EQ(dayMetrics(record.path(), "gate"), (QStringList{"merged_share", "luma", "area.car"}));
}

TEST(DayGrid, ASimulatedNightIsLeftOutAndAnotherScheduleIsNot) {
  const auto at = [](int hour) { return monitor::Moment{1, localMs(kDay, hour), 0, true}; };
  DayRecord record({{at(2), monitor::kScheduleEvent, "2", "", {}},
                    {at(10), monitor::kFilterEvent, monitor::kOn, "", {}},
                    {at(14), monitor::kFilterEvent, "off", "", {}}});
  for (const int hour : {1, 5, 12, 16}) record.minute(localMs(kDay, hour));
  record.flush();
  const DayGrid grid = readDays(record.path(), "gate", "merged_share", 7, localMs(kDay, 20));
  EXPECT_GT(grid.at(0, 6).frames, 0u);
  EXPECT_GT(grid.at(0, 30).frames, 0u);
  EXPECT_EQ(grid.at(0, 72).frames, 0u);
  EXPECT_GT(grid.at(0, 96).frames, 0u);
  // Metrics that do not depend on a memory count once, even if one comes and goes.
  DayRecord other({{at(2), monitor::kMemoryEvent, monitor::kOn, "", {}}});
  for (const int hour : {1, 5}) other.minute(localMs(kDay, hour));
  other.flush();
  for (const char* metric : {"merged_share", "area.car"}) {
    const DayGrid once = readDays(other.path(), "gate", metric, 7, localMs(kDay, 20));
    EXPECT_EQ(once.at(0, 6).frames, 2u) << metric;
    EXPECT_EQ(once.at(0, 30).frames, 2u) << metric;
  }
}

TEST(DayGrid, NothingIsKnownOfAnotherSource) {
  DayRecord record;
  record.flush();
  EXPECT_TRUE(dayMetrics(record.path(), "yard").isEmpty());
  EXPECT_TRUE(readDays(record.path(), "yard", "merged_share", 7, localMs(kDay, 1)).days.empty());
}

}  // namespace
}  // namespace mpm::gui
