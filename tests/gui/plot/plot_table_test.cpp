// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/plot_table.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <random>

namespace mpm::gui {
namespace {

PlotTable::Contents numbers(int from, int to, int factor = 1) {
  PlotTable::Contents made;
  made.headers = QStringList{"Number", "Word"};
  for (int i = from; i < to; ++i) made.rows.push_back({0, i, 0});
  made.cell = [from, factor](int row, int column) -> PlotTable::Cell {
    const int number = (from + row) * factor;
    if (column == 1) return {QString("word %1").arg(number), {}};
    return {QString::number(number), number};
  };
  return made;
}

void expectNumbers(const PlotTable& table, int from, int to, int factor = 1) {
  ASSERT_EQ(table.rowCount(), to - from);
  for (int row = 0; row < table.rowCount(); ++row)
    EXPECT_EQ(table.index(row, 0).data().toString(), QString::number((from + row) * factor));
}

class PlotTableTest : public ::testing::Test {
 protected:
  PlotTable table_;
  QAbstractItemModelTester tester_{&table_, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(PlotTableTest, ShowsTextsAndValues) {
  table_.show(numbers(3, 6));
  expectNumbers(table_, 3, 6);
  EXPECT_EQ(table_.columnCount(), 2);
  EXPECT_EQ(table_.index(1, 0).data(PlotTable::kValueRole), QVariant(4));
  EXPECT_FALSE(table_.index(1, 1).data(PlotTable::kValueRole).isValid());
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
  table_.show(numbers(3, 13));
  EXPECT_EQ(seven.row(), 4);
  EXPECT_EQ(seven.data().toString(), "7");
  table_.show(numbers(-2, 9));
  EXPECT_EQ(seven.row(), 9);
  table_.show(numbers(5, 8));
  EXPECT_EQ(seven.row(), 2);
  table_.show(numbers(0, 12));
  EXPECT_EQ(seven.row(), 7);
  expectNumbers(table_, 0, 12);
  EXPECT_EQ(resets.count(), 0);
}

TEST_F(PlotTableTest, ValuesThatChangeAreTold) {
  table_.show(numbers(0, 4));
  QSignalSpy told(&table_, &QAbstractItemModel::dataChanged);
  table_.show(numbers(0, 4, 10));
  EXPECT_EQ(told.count(), 1);
  expectNumbers(table_, 0, 4, 10);
}

TEST_F(PlotTableTest, SomethingElseIsAReset) {
  table_.show(numbers(0, 4));
  QSignalSpy resets(&table_, &QAbstractItemModel::modelReset);
  table_.show(numbers(100, 104));
  EXPECT_EQ(resets.count(), 1);
  table_.show({});
  EXPECT_EQ(table_.rowCount(), 0);
  EXPECT_EQ(table_.columnCount(), 0);
  PlotTable::Contents one = numbers(100, 104);
  one.headers.removeLast();
  table_.show(one);
  EXPECT_EQ(table_.columnCount(), 1);
}

TEST_F(PlotTableTest, AnySequenceOfWindows) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> start(0, 40), length(0, 25);
  for (int i = 0; i < 300; ++i) {
    const int from = start(random), to = from + length(random);
    table_.show(numbers(from, to));
    expectNumbers(table_, from, to);
  }
}

}  // namespace
}  // namespace mpm::gui
