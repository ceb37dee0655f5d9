// SPDX-License-Identifier: Apache-2.0
#include "gui/days/day_band.h"

#include <gtest/gtest.h>

#include <QBuffer>
#include <QSignalSpy>
#include <QTest>
#include <QTimeZone>

#include "gui/canvas/colour_scale.h"
#include "gui/days/zone_here.h"
#include "gui/plot/text_recorder.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

const QDate kDay(2026, 11, 3);

// Two days in parts of an hour: value and hour are one, but for the hours from three to six of the
// older day, which nobody saw.
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

class OpenDayBand : public DayBand {
 public:
  using DayBand::draw;
  using DayBand::drawOver;
};

class DayBandTest : public ::testing::Test {
 protected:
  DayBandTest() {
    band_.resize(800, 200);
    band_.setGrid(twoDays(), "Rows", {});
    band_.show();
    EXPECT_TRUE(waitForExposed(&band_));
  }
  OpenDayBand band_;
};

TEST_F(DayBandTest, ColoursAreValuesAndWhatIsNotKnownHasNone) {
  const QImage image = band_.grab().toImage();
  EXPECT_EQ(image.pixel(band_.pointOf(0, 23)), colourAt(valueScale(), 1));
  EXPECT_EQ(image.pixel(band_.pointOf(1, 0)), colourAt(valueScale(), 0));
  const QColor unknown = image.pixelColor(band_.pointOf(1, 4));
  EXPECT_LT(unknown.saturation(), 30);
}

// Seen: 21:00 below the band, and 11:35 PM above it.
TEST_F(DayBandTest, HoursAreWrittenAsTimesAreElsewhere) {
  for (const QLocale::Country country : {QLocale::UnitedStates, QLocale::UnitedKingdom}) {
    QLocale::setDefault(QLocale(QLocale::English, country));
    testing::TextRecorder recorder(band_.size());
    QPainter painter(&recorder);
    band_.draw(painter, band_.size());
    painter.end();
    EXPECT_TRUE(
        recorder.drawn.words().contains(QLocale().toString(QTime(21, 0), QLocale::ShortFormat)))
        << qPrintable(recorder.drawn.words().join('|'));
  }
  QLocale::setDefault(QLocale::c());
}

// Seen: an empty field below the first day of a record, and small pictures above it.
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

// Seen: R alone, where both sides had the one picture of a new record.
TEST_F(DayBandTest, TwoMarksInOnePlaceHaveBothLetters) {
  const auto drawn = [&](int hour) {
    const auto at = [](int of) { return QDateTime(kDay, QTime(of, 0)).toMSecsSinceEpoch(); };
    band_.setMarks({DayBand::Mark{at(9), "L"}, DayBand::Mark{at(hour), "R"}});
    testing::TextRecorder recorder(band_.size());
    QPainter painter(&recorder);
    band_.drawOver(painter);
    painter.end();
    return recorder.drawn.words();
  };
  EXPECT_EQ(drawn(9), QStringList{"L, R"});
  EXPECT_EQ(drawn(12), (QStringList{"L", "R"}));
}

TEST_F(DayBandTest, ThePointerTellsAndAClickChooses) {
  QSignalSpy chosen(&band_, &DayBand::chosen);
  QTest::mouseMove(&band_, band_.pointOf(1, 12));
  EXPECT_TRUE(waitFor([&] { return band_.told().contains("Rows 12"); }))
      << qPrintable(band_.told());
  EXPECT_TRUE(band_.told().endsWith("Dusk")) << qPrintable(band_.told());
  QTest::mouseClick(&band_, Qt::LeftButton, {}, band_.pointOf(1, 4));
  EXPECT_TRUE(band_.told().contains("nothing was recorded")) << qPrintable(band_.told());
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen[0][0].value<std::int64_t>(),
            QDateTime(kDay.addDays(-1), QTime(4, 30)).toMSecsSinceEpoch());
}

// From a week to a year, whose parts are hours: it told of a part that the day does not have, which
// was that of another day, or of none.
TEST_F(DayBandTest, ThePointedTimeStaysWhereDaysHaveOtherParts) {
  DayGrid fine = twoDays();
  fine.parts = 144;
  fine.cells.assign(288, {7, 3, monitor::LightState::day});
  band_.setGrid(fine, "Rows", {});
  QTest::mouseClick(&band_, Qt::LeftButton, {}, band_.pointOf(1, 125));
  EXPECT_TRUE(band_.told().contains("20:50")) << qPrintable(band_.told());
  band_.setGrid(twoDays(), "Rows", {});
  EXPECT_TRUE(band_.told().contains("20:00")) << qPrintable(band_.told());
  EXPECT_TRUE(band_.told().contains("Rows 20")) << qPrintable(band_.told());
  band_.setGrid(fine, "Rows", {});
  EXPECT_TRUE(band_.told().contains("20:00")) << qPrintable(band_.told());
  band_.setGrid({}, "Rows", {});
  EXPECT_EQ(band_.told(), QString());
}

// Where clocks go ahead, 02:00 was told as "03:00 to 04:00: nothing was recorded", beside what was
// recorded from 03:00 to 04:00.
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
    const QString from = QLocale().toString(QTime(hour, 0), QLocale::ShortFormat);
    const QString to = QLocale().toString(QTime(hour + 1, 0), QLocale::ShortFormat);
    const QString told = QStringLiteral("%1 to %2").arg(from, to);
    EXPECT_TRUE(waitFor([&] { return band_.told().contains(told); }))
        << qPrintable(told) << ": " << qPrintable(band_.told());
    EXPECT_EQ(band_.told().contains("nothing was recorded"), hour == 2);
  }
}

TEST_F(DayBandTest, TheKeyboardGoesToEveryPart) {
  QSignalSpy chosen(&band_, &DayBand::chosen);
  band_.setMouseTracking(false);  // the pointer that another test left here would move the cursor
  band_.setFocus();
  QTest::keyClick(&band_, Qt::Key_Home);
  QTest::keyClick(&band_, Qt::Key_Down);
  QTest::keyClick(&band_, Qt::Key_Down);
  QTest::keyClick(&band_, Qt::Key_Right);
  QTest::keyClick(&band_, Qt::Key_Return);
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen[0][0].value<std::int64_t>(),
            QDateTime(kDay.addDays(-1), QTime(1, 30)).toMSecsSinceEpoch());
  EXPECT_EQ(band_.accessibleDescription(), band_.told()) << "a screen reader hears the cursor";
  QTest::keyClick(&band_, Qt::Key_End);
  QTest::keyClick(&band_, Qt::Key_Up);
  QTest::keyClick(&band_, Qt::Key_Right);
  QTest::keyClick(&band_, Qt::Key_Space);
  EXPECT_EQ(chosen[1][0].value<std::int64_t>(), QDateTime(kDay, QTime(23, 30)).toMSecsSinceEpoch());
}

TEST_F(DayBandTest, TheTableHasWhatIsKnown) {
  EXPECT_EQ(band_.table()->rowCount(), 45);
  QBuffer csv;
  csv.open(QIODevice::WriteOnly);
  ASSERT_TRUE(band_.exportCsv(csv));
  EXPECT_EQ(csv.data().count("dusk"), 45);
  band_.setGrid({}, {}, {});
  EXPECT_EQ(band_.summary(), "The record has nothing from these days.");
  EXPECT_FALSE(band_.grab().isNull());
}

}  // namespace
}  // namespace mpm::gui
