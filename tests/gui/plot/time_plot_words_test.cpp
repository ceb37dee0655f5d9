// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QBuffer>
#include <QLocale>
#include <QTest>

#include "gui/plot/plot_table.h"
#include "gui/plot/synthetic_source.h"
#include "gui/plot/time_plot.h"

namespace mpm::gui {
namespace {

using monitor::Resolution;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMinuteMs;
using testing::kMonday;

class TimePlotWords : public ::testing::Test {
 protected:
  void SetUp() override {
    PlotBucket bucket;
    bucket.light = monitor::LightState::day;
    for (int minute = 0; minute < 10; ++minute) {
      if (minute == 4) continue;
      bucket.startUtcMs = kMonday + minute * kMinuteMs;
      bucket.era = minute < 6 ? 0 : 1;
      bucket.count = minute == 8 ? 0 : 10;
      bucket.mean = 400 + minute;
      bucket.smallest = 390;
      bucket.largest = 420;
      source_.at("live_rows", Resolution::minute).push_back(bucket);
      bucket.mean /= 100;
      bucket.smallest = 3.5;
      bucket.largest = 4.5;
      if (minute != 2) source_.at("ms", Resolution::minute).push_back(bucket);
    }
    plot_.resize(600, 200);
    plot_.setTimeZone(QTimeZone::utc());
    plot_.setClock([] { return kMonday + kHourMs; });
    plot_.setSource(&source_);
    plot_.setLines({{"live_rows", "Live rows"}, {"ms", "Time, network"}}, "rows");
    plot_.showWindow(kMonday, kMonday + 10 * kMinuteMs);
  }

  QString csv() const {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    EXPECT_TRUE(plot_.exportCsv(buffer));
    return QString::fromUtf8(buffer.data());
  }

  testing::SyntheticSource source_;
  TimePlot plot_;
};

TEST_F(TimePlotWords, TheTableHasARowForEachBucket) {
  const QAbstractTableModel& table = *plot_.table();
  ASSERT_EQ(table.rowCount(), 9);
  ASSERT_EQ(table.columnCount(), 10);
  const auto text = [&](int row, int column) { return table.index(row, column).data().toString(); };
  EXPECT_EQ(table.headerData(2, Qt::Horizontal).toString(), "Live rows, mean");
  EXPECT_EQ(text(0, 0), "Mon 3 Mar 2025 00:00");
  EXPECT_EQ(text(0, 1), "Day");
  EXPECT_EQ(text(1, 2), "401");
  EXPECT_EQ(text(1, 3), "390");
  EXPECT_EQ(text(1, 4), "420");
  EXPECT_EQ(text(1, 5), "10");
  EXPECT_EQ(text(1, 6), "4.01");
  EXPECT_EQ(text(2, 6), "");  // the other line has nothing here
  EXPECT_EQ(text(7, 2), "");  // no value was known
  EXPECT_EQ(table.index(1, 2).data(PlotTable::kValueRole), QVariant(401.0));
}

TEST_F(TimePlotWords, TheTableIsAGoodModelWhileTimeGoesOn) {
  const QAbstractItemModelTester tester(plot_.table(),
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  const QPersistentModelIndex five = plot_.table()->index(4, 0);
  EXPECT_EQ(five.data().toString(), "Mon 3 Mar 2025 00:05");
  plot_.showWindow(kMonday + 2 * kMinuteMs, kMonday + 12 * kMinuteMs);
  EXPECT_EQ(plot_.table()->rowCount(), 7);
  EXPECT_EQ(five.data().toString(), "Mon 3 Mar 2025 00:05");
  plot_.showWindow(kMonday - kHourMs, kMonday + 12 * kMinuteMs);
  EXPECT_EQ(plot_.table()->rowCount(), 9);
  plot_.showWindow(kMonday + kDayMs, kMonday + 2 * kDayMs);
  EXPECT_EQ(plot_.table()->rowCount(), 0);
}

TEST_F(TimePlotWords, CsvHasWhatIsShown) {
  const QStringList lines = csv().split("\r\n");
  ASSERT_EQ(lines.size(), 11);  // header, 9 buckets, the end
  EXPECT_EQ(lines[0],
            "start_utc,seconds,era,light,live_rows.mean,live_rows.smallest,live_rows.largest,"
            "live_rows.count,ms.mean,ms.smallest,ms.largest,ms.count,run");
  EXPECT_EQ(lines[2], "2025-03-03T00:01:00.000Z,60,0,day,401,390,420,10,4.01,3.5,4.5,10,1");
  EXPECT_EQ(lines[3], "2025-03-03T00:02:00.000Z,60,0,day,402,390,420,10,,,,0,1");
  EXPECT_EQ(lines[8], "2025-03-03T00:08:00.000Z,60,1,day,,,,0,,,,0,1");
  EXPECT_EQ(lines[10], "");
}

// Of another model, or a video that was watched again.
TEST_F(TimePlotWords, RunsThatShareTheirTimesHaveRowsOfTheirOwn) {
  for (const char* metric : {"live_rows", "ms"}) {
    PlotBucket bucket = source_.at(metric, Resolution::minute)[1];
    bucket.run = 1;
    bucket.mean = bucket.smallest = bucket.largest = 7;
    source_.at(metric, Resolution::minute).push_back(bucket);
  }
  plot_.setSource(&source_);
  const QAbstractTableModel& table = *plot_.table();
  ASSERT_EQ(table.rowCount(), 10);
  EXPECT_EQ(table.index(1, 2).data().toString(), "401");
  EXPECT_EQ(table.index(9, 0).data(), table.index(1, 0).data());
  EXPECT_EQ(table.index(9, 2).data().toString(), "7.00");
  EXPECT_EQ(table.index(9, 6).data().toString(), "7.00");
  const QStringList lines = csv().split("\r\n");
  EXPECT_EQ(lines[2], "2025-03-03T00:01:00.000Z,60,0,day,401,390,420,10,4.01,3.5,4.5,10,1");
  EXPECT_EQ(lines[10], "2025-03-03T00:01:00.000Z,60,0,day,7,7,7,10,7,7,7,10,2");
}

TEST_F(TimePlotWords, CsvOfNothingIsItsHeader) {
  plot_.setSource(nullptr);
  EXPECT_EQ(csv().count("\r\n"), 1);
}

TEST_F(TimePlotWords, TheSummaryIsOneSentenceOfWhatIsShown) {
  EXPECT_EQ(
      plot_.summary(),
      "Mon 3 Mar 2025 00:00 to Mon 3 Mar 2025 00:10: Live rows: 404 rows on average, from 390 "
      "rows to 420 rows; Time, network: 4.04 rows on average, from 3.50 rows to 4.50 rows.");
  plot_.setLocale(QLocale(QLocale::German));
  EXPECT_TRUE(plot_.summary().contains("4,04"));
  plot_.showWindow(kMonday - 2 * kDayMs, kMonday - kDayMs);
  EXPECT_TRUE(plot_.summary().startsWith("Nothing was measured from"));
}

TEST_F(TimePlotWords, HasANameAndADescription) {
  EXPECT_FALSE(plot_.accessibleName().isEmpty());
  EXPECT_FALSE(plot_.accessibleDescription().isEmpty());
}

// Zoomed into a part of one bucket, that bucket is what is seen.
TEST_F(TimePlotWords, ABucketLongerThanTheWindowIsThere) {
  plot_.showWindow(kMonday + 70'000, kMonday + 90'000);
  EXPECT_EQ(plot_.table()->rowCount(), 1);
}

}  // namespace
}  // namespace mpm::gui
