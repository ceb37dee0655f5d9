// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/plot.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QDateTime>
#include <QDialog>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolTip>
#include <cmath>
#include <random>

#include "gui/plot/text_recorder.h"
#include "gui/wait_for.h"

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
  void expectNumbers(int from, int to, int factor = 1) const {
    ASSERT_EQ(table_.rowCount(), to - from);
    for (int row = 0; row < table_.rowCount(); ++row)
      EXPECT_EQ(table_.index(row, 0).data().toString(), QString::number((from + row) * factor));
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
  const auto side = [&](int column) {
    return Qt::Alignment(table_.index(0, column).data(Qt::TextAlignmentRole).toInt());
  };
  EXPECT_TRUE(side(0).testFlag(Qt::AlignRight));
  EXPECT_TRUE(side(1).testFlag(Qt::AlignLeft));
}

// A window that moves on keeps the rows that a reader may be on.
TEST_F(PlotTableTest, RowsThatStayAreNotReset) {
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
}

TEST_F(PlotTableTest, AnySequenceOfWindows) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> start(0, 40), length(0, 25);
  for (int i = 0; i < 300; ++i) {
    const int from = start(random), to = from + length(random);
    table_.show(numbers(from, to));
    expectNumbers(from, to);
  }
}

/// Counts how often it is drawn; tells one number.
class OneNumber : public Plot {
 public:
  OneNumber() : Plot({100, 60}, {10, 10}) { changed(); }
  void set(PlotTable::Cell cell) {
    cell_ = std::move(cell);
    changed();
  }
  QString summary() const override { return QString("It is %1.").arg(cell_.text); }
  QString csv() const {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    EXPECT_TRUE(exportCsv(buffer));
    return QString::fromUtf8(buffer.data());
  }

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

TEST(Plot, CsvIsReadBackTheSameInAnyLocale) {
  const QLocale before;
  QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
  OneNumber plot;
  const std::pair<PlotTable::Cell, const char*> cells[] = {
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
    EXPECT_EQ(plot.csv(), QString("number,\"shown, too\"\r\n%1,%1\r\n").arg(field));
  }
  QLocale::setDefault(before);
}

/// A disk with room for so many bytes.
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

TEST(Plot, CsvSaysWhenADiskIsFull) {
  FullDisk disk;
  disk.open(QIODevice::WriteOnly | QIODevice::Unbuffered);
  OneNumber plot;
  EXPECT_TRUE(plot.exportCsv(disk));
  EXPECT_FALSE(plot.exportCsv(disk));
}

TEST(Plot, DrawsAgainOnlyWhenSomethingChanged) {
  OneNumber plot;
  plot.resize(100, 60);
  plot.grab();
  const int before = plot.drawn;
  plot.grab();
  EXPECT_EQ(plot.drawn, before);
  plot.set({"2", 2});
  plot.grab();
  EXPECT_EQ(plot.drawn, before + 1);
  plot.setPalette(testing::darkPalette());
  const QImage dark = plot.grab().toImage();
  EXPECT_EQ(plot.drawn, before + 2);
  EXPECT_EQ(dark.pixelColor(0, 59), testing::darkPalette().color(QPalette::Base));
  EXPECT_EQ(dark.pixelColor(0, 0), testing::darkPalette().color(QPalette::Text));
  plot.resize(120, 60);
  plot.grab();
  EXPECT_EQ(plot.drawn, before + 3);
}

TEST(Plot, TheTableFollows) {
  OneNumber plot;
  QAbstractTableModel* table = plot.table();
  EXPECT_EQ(table->columnCount(), 2);
  EXPECT_EQ(table->index(0, 0).data().toString(), "1");
  plot.set({"2", 2});
  EXPECT_TRUE(waitFor([&] { return table->index(0, 0).data().toString() == "2"; }));
  plot.set({"3", 3});
  EXPECT_EQ(plot.table()->index(0, 0).data().toString(), "3");
  EXPECT_EQ(plot.table(), table);
}

// The first sentence is said at once; later ones wait, and the last is said.
TEST(Plot, DescribesItselfWithoutTalkingAllTheTime) {
  OneNumber plot;
  EXPECT_EQ(plot.accessibleDescription(), "It is 1.");
  for (const char* number : {"2", "3", "4"}) {
    plot.set({number});
    EXPECT_EQ(plot.accessibleDescription(), "It is 1.");
  }
  EXPECT_TRUE(waitFor([&] { return plot.accessibleDescription() == "It is 4."; }));
}

TEST(Plot, AKeyShowsTheTableInAWindowAndCopiesIt) {
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
  EXPECT_EQ(QGuiApplication::clipboard()->text(), plot.csv());
  dialog->close();
}

TEST(Plot, ThePointerTells) {
  OneNumber plot;
  plot.show();
  QHelpEvent over(QEvent::ToolTip, {20, 20}, plot.mapToGlobal(QPoint(20, 20)));
  QApplication::sendEvent(&plot, &over);
  EXPECT_EQ(QToolTip::text(), "a hint");
  QHelpEvent beside(QEvent::ToolTip, {70, 20}, plot.mapToGlobal(QPoint(70, 20)));
  QApplication::sendEvent(&plot, &beside);
  EXPECT_FALSE(beside.isAccepted());
}

std::vector<Legend::Entry> entries(int count) {
  std::vector<Legend::Entry> made;
  for (int i = 0; i < count; ++i)
    made.push_back({QString("A name %1").arg(i), Qt::blue,
                    i % 2 == 0 ? Legend::Sample::line : Legend::Sample::patch});
  return made;
}

testing::DrawnTexts drawn(const std::vector<Legend::Entry>& list, int width) {
  return testing::recorded({width, 100}, [&](QPainter& painter) {
    Legend(list, width, 2, QFontMetrics(painter.font(), painter.device()))
        .draw(painter, {0, 0}, testing::lightPalette());
  });
}

TEST(Legend, TakesAsManyLinesAsItNeedsAndSaysWhenSomethingIsLeftOut) {
  const QFontMetrics metrics{QFont()};
  const int one = Legend(entries(1), 400, 2, metrics).height();
  EXPECT_GT(one, 0);
  EXPECT_EQ(Legend(entries(20), 400, 2, metrics).height(), 2 * one);
  EXPECT_EQ(Legend(entries(20), 5000, 2, metrics).height(), one);
  EXPECT_EQ(Legend({}, 400, 2, metrics).height(), 0);
  EXPECT_TRUE(drawn(entries(20), 300).words().contains("…"));
  EXPECT_FALSE(drawn(entries(3), 900).words().contains("…"));
}

TEST(Legend, NothingTouchesAndNothingIsCut) {
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
