// SPDX-License-Identifier: Apache-2.0
// What all plots share: their table, CSV, sentence, legend and readout.
#include "gui/plot/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gui/hands.h"
#include "gui/plot/opened.h"

namespace mpm::gui {
namespace {

PlotTable::Contents numbers(int from, int to, int factor = 1) {
  std::vector<PlotTable::Row> rows;
  for (int i = from; i < to; ++i)
    rows.push_back(
        {{0, i, 0}, {{QString::number(i * factor), i * factor}, {QString("word %1").arg(i)}}});
  return PlotTable::contentsOf({{"Number", {}}, {"Word", {}}}, rows);
}

class PlotTableTest : public ::testing::Test {
 protected:
  void expectNumbers(int from, int to) const {
    ASSERT_EQ(table_.rowCount(), to - from);
    for (int row = 0; row < table_.rowCount(); ++row)
      EXPECT_EQ(table_.index(row, 0).data().toString(), QString::number(from + row));
  }
  PlotTable table_;
  QAbstractItemModelTester tester_{&table_, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(PlotTableTest, ShowsTextsNumbersOnTheRight) {
  table_.show(numbers(3, 6));
  expectNumbers(3, 6);
  EXPECT_EQ(table_.columnCount(), 2);
  EXPECT_EQ(table_.headerData(1, Qt::Horizontal).toString(), "Word");
  EXPECT_EQ(table_.headerData(1, Qt::Vertical).toString(), "2");
  for (const auto& [column, side] : {std::pair(0, Qt::AlignRight), {1, Qt::AlignLeft}})
    EXPECT_TRUE(table_.index(0, column).data(Qt::TextAlignmentRole).toInt() & side) << column;
}

// A moving window keeps the rows that a reader may be on.
TEST_F(PlotTableTest, RowsThatStayAreNotResetInAnySequenceOfWindows) {
  table_.show(numbers(0, 10));
  const QPersistentModelIndex seven = table_.index(7, 0);
  QSignalSpy resets(&table_, &QAbstractItemModel::modelReset);
  QSignalSpy told(&table_, &QAbstractItemModel::dataChanged);
  table_.show(numbers(3, 13));
  EXPECT_EQ(seven.row(), 4);
  EXPECT_EQ(seven.data().toString(), "7");
  table_.show(numbers(3, 13, 10));
  EXPECT_EQ(seven.data().toString(), "70");
  EXPECT_EQ(told.count(), 2);
  EXPECT_EQ(resets.count(), 0);
  table_.show(numbers(100, 104));
  EXPECT_EQ(resets.count(), 1);
  table_.show({});
  EXPECT_EQ(table_.rowCount() + table_.columnCount(), 0);
  std::mt19937 random(5);
  std::uniform_int_distribution<int> start(0, 40), length(0, 25);
  for (int i = 0; i < 300; ++i) {
    const int from = start(random), to = from + length(random);
    table_.show(numbers(from, to));
    expectNumbers(from, to);
  }
}

/// Counts how often it is drawn; shows one number.
class OneNumber : public Plot {
 public:
  OneNumber() : Plot({100, 60}, {10, 10}) { changed(); }
  void set(PlotTable::Cell cell) {
    cell_ = std::move(cell);
    changed();
  }
  QString summary() const override { return QString("It is %1.").arg(cell_.text); }

  mutable int drawn = 0;

 protected:
  void draw(QPainter& painter) const override {
    ++drawn;
    painter.setPen(palette().color(QPalette::Text));
    painter.drawLine(0, 0, width() - 1, height() - 1);
  }
  QString hintAt(QPoint place) const override { return place.x() < 50 ? "a hint" : QString(); }
  Contents contents() const override {
    return PlotTable::contentsOf({{{}, "number"}, {"Number", "shown, too"}, {"Only here", {}}},
                                 {{{0, 0}, {cell_, cell_, {"-"}}}});
  }

 private:
  PlotTable::Cell cell_{"1", 1};
};

std::string csvOf(const Plot& plot) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  EXPECT_TRUE(plot.exportCsv(buffer));
  return buffer.data().toStdString();
}

/// A disk with room for this many bytes.
class FullDisk : public QIODevice {
 public:
  qint64 room = 30;

 protected:
  qint64 readData(char*, qint64) override { return -1; }
  qint64 writeData(const char*, qint64 size) override {
    if (size > room) return -1;
    room -= size;
    return size;
  }
};

TEST(Plot, CsvIsReadBackTheSameInAnyLocaleAndSaysWhenADiskIsFull) {
  const QLocale before;
  QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
  OneNumber plot;
  const std::pair<PlotTable::Cell, std::string> cells[] = {
      {{"0,1", 0.1}, "0.1"},
      {{"1.234.567,5", 1234567.5}, "1234567.5"},
      {{"–", std::nan("")}, ""},
      {{"-3", qint64{-3}}, "-3"},
      {{"ja", true}, "1"},
      {{"gestern", QDateTime::fromMSecsSinceEpoch(1'740'960'000'123)}, "2025-03-03T00:00:00.123Z"},
      {{"Straße"}, "Straße"},
      {{"a,b"}, "\"a,b\""},
      {{"say \"no\""}, "\"say \"\"no\"\"\""},
      {{"x\ny"}, "\"x\ny\""}};
  for (const auto& [cell, field] : cells) {
    plot.set(cell);
    EXPECT_EQ(csvOf(plot), "number,\"shown, too\"\r\n" + field + "," + field + "\r\n");
  }
  QLocale::setDefault(before);
  FullDisk disk;
  disk.open(QIODevice::WriteOnly | QIODevice::Unbuffered);
  plot.set({"1", 1});
  EXPECT_TRUE(plot.exportCsv(disk));
  EXPECT_FALSE(plot.exportCsv(disk));
}

TEST(Plot, DrawsAgainOnlyWhenSomethingChanged) {
  OneNumber plot;
  plot.resize(100, 60);
  plot.grab();
  const int before = plot.drawn;
  const auto drawnSince = [&] {
    plot.grab();
    return plot.drawn - before;
  };
  EXPECT_EQ(drawnSince(), 0);
  plot.set({"2", 2});
  EXPECT_EQ(drawnSince(), 1);
  plot.setPalette(testing::darkPalette());
  const QImage dark = plot.grab().toImage();
  EXPECT_EQ(dark.pixelColor(0, 59), testing::darkPalette().color(QPalette::Base));
  EXPECT_EQ(dark.pixelColor(0, 0), testing::darkPalette().color(QPalette::Text));
  EXPECT_EQ(drawnSince(), 2);
  plot.resize(120, 60);
  EXPECT_EQ(drawnSince(), 3);
}

// The first sentence is announced at once; of later ones, only the last is after a pause.
TEST(Plot, TheTableFollowsAndItDescribesItselfWithoutTalkingAllTheTime) {
  OneNumber plot;
  QAbstractTableModel* table = plot.table();
  const auto first = [&] { return table->index(0, 0).data().toString(); };
  EXPECT_EQ(table->columnCount(), 2);
  EXPECT_EQ(first(), "1");
  EXPECT_EQ(plot.accessibleDescription(), "It is 1.");
  plot.set({"2", 2});
  EXPECT_TRUE(waitFor([&] { return first() == "2"; }));
  for (const char* number : {"3", "4"}) {
    plot.set({number});
    EXPECT_EQ(plot.accessibleDescription(), "It is 1.");
    EXPECT_EQ(plot.table(), table);
    EXPECT_EQ(first(), number);
  }
  EXPECT_TRUE(waitFor([&] { return plot.accessibleDescription() == "It is 4."; }));
}

TEST(Plot, AKeyShowsTheTableInAWindowAndCopiesItAndThePointerTells) {
  OneNumber plot;
  plot.setAccessibleName("Steps");
  plot.show();
  ASSERT_EQ(plot.actions().size(), 1);
  EXPECT_EQ(plot.actions().front()->shortcut(), QKeySequence(Qt::Key_T));
  plot.actions().front()->trigger();
  auto* dialog = plot.findChild<QDialog*>();
  ASSERT_TRUE(dialog);
  EXPECT_TRUE(dialog->isVisible());
  EXPECT_EQ(dialog->windowTitle(), "Steps");
  EXPECT_EQ(dialog->findChild<QTableView*>()->model()->rowCount(), 1);
  for (QPushButton* button : dialog->findChildren<QPushButton*>())
    if (button->text().contains("CSV")) button->click();
  EXPECT_EQ(QGuiApplication::clipboard()->text().toStdString(), csvOf(plot));
  dialog->close();
  EXPECT_EQ(hands::tipAt(&plot, {20, 20}), "a hint");
  EXPECT_EQ(hands::tipAt(&plot, {70, 20}), QString());
}

std::vector<Legend::Entry> entries(int count) {
  std::vector<Legend::Entry> made;
  for (int i = 0; i < count; ++i)
    made.push_back({QString("A name %1").arg(i), Qt::blue,
                    i % 2 == 0 ? Legend::Sample::line : Legend::Sample::patch});
  return made;
}

TEST(Legend, TakesAsManyLinesAsItNeedsAndNothingTouches) {
  const QFontMetrics metrics{QFont()};
  const auto height = [&](int count, int width) {
    return Legend(entries(count), width, 2, metrics).height();
  };
  const int one = height(1, 400);
  EXPECT_GT(one, 0);
  EXPECT_EQ(height(20, 400), 2 * one);
  EXPECT_EQ(height(20, 5000), one);
  EXPECT_EQ(height(0, 400), 0);
  const auto drawn = [](const std::vector<Legend::Entry>& list, int width) {
    return testing::recorded({width, 100}, [&](QPainter& painter) {
      Legend(list, width, 2, QFontMetrics(painter.font(), painter.device()))
          .draw(painter, {0, 0}, testing::lightPalette());
    });
  };
  EXPECT_TRUE(drawn(entries(20), 300).words().contains("…")) << "something is left out";
  EXPECT_FALSE(drawn(entries(3), 900).words().contains("…"));
  for (const int width : {120, 200, 400, 900})
    for (const auto& list : {entries(1), entries(3), entries(20),
                             std::vector<Legend::Entry>{{QString(300, 'n'), Qt::blue}}}) {
      const auto texts = drawn(list, width);
      EXPECT_EQ(testing::collision(texts, QRectF(0, 0, width, 100)).toStdString(), "")
          << width << ' ' << list.size();
      EXPECT_FALSE(texts.texts.empty());
    }
}

TEST(Readout, StaysInsideAndNothingTouches) {
  const QRect inside(0, 0, 300, 100);
  for (const int pointer : {0, 150, 299})
    for (const int length : {5, 300}) {
      const auto texts = testing::recorded(inside.size(), [&](QPainter& painter) {
        drawReadout(painter, inside, pointer, 4, {{QString(length, 'n')}, {"Rows", Qt::blue}},
                    testing::lightPalette());
      });
      EXPECT_EQ(texts.texts.size(), 2U);
      EXPECT_EQ(testing::collision(texts, inside).toStdString(), "") << pointer;
    }
}

}  // namespace
}  // namespace mpm::gui
