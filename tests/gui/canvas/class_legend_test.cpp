// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/class_legend.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <QStandardItemModel>
#include <QTest>
#include <limits>

#include "gui/canvas/class_legend_model.h"
#include "small_result.h"

namespace mpm::gui {
namespace {

class ClassLegendTest : public ::testing::Test {
 protected:
  ClassLegendTest() {
    giveSmallClasses(classes_);
    legend_.resize(320, 200);
    legend_.show();
  }
  QPoint middleOf(int row, int column) {
    return legend_.visualRect(legend_.model()->index(row, column)).center();
  }
  ClassSettings classes_;
  ClassLegend legend_{&classes_};
};

TEST_F(ClassLegendTest, ADoubleClickShowsOneAloneAndAllAgain) {
  QWidget* viewport = legend_.viewport();
  const QPoint at = middleOf(1, ClassLegendModel::kArea);
  QTest::mouseClick(viewport, Qt::LeftButton, {}, at);
  QTest::mouseDClick(viewport, Qt::LeftButton, {}, at);
  EXPECT_EQ(classes_.solo(), 1);
  QTest::mouseDClick(viewport, Qt::LeftButton, {}, at);
  EXPECT_EQ(classes_.solo(), -1);
}

TEST_F(ClassLegendTest, KeysDoTheSame) {
  legend_.setCurrentIndex(legend_.model()->index(2, ClassLegendModel::kArea));
  QTest::keyClick(&legend_, Qt::Key_Space);
  EXPECT_FALSE(classes_.isVisible(2));
  QTest::keyClick(&legend_, Qt::Key_Space);
  EXPECT_TRUE(classes_.isVisible(2));
  QTest::keyClick(&legend_, Qt::Key_Return);
  EXPECT_EQ(classes_.solo(), 2);
}

TEST_F(ClassLegendTest, SortedRowsAreTheRightClasses) {
  legend_.classModel()->addAreas({0.1, 0.7, 0.2}, 0);
  legend_.sortByColumn(ClassLegendModel::kArea, Qt::DescendingOrder);
  const QModelIndex first = legend_.model()->index(0, ClassLegendModel::kName);
  EXPECT_EQ(first.data().toString(), "wall");
  legend_.setCurrentIndex(first);
  QTest::keyClick(&legend_, Qt::Key_Return);
  EXPECT_EQ(classes_.solo(), 1);
}

TEST_F(ClassLegendTest, WithoutARowKeysDoNothing) {
  legend_.setCurrentIndex({});
  QTest::keyClick(&legend_, Qt::Key_Return);
  QTest::keyClick(&legend_, Qt::Key_Space);
  EXPECT_EQ(classes_.solo(), -1);
  EXPECT_EQ(legend_.accessibleName(), "Classes");
}

class SparklineDelegateTest : public ::testing::Test {
 protected:
  // How many columns of the cell have something drawn in them.
  int drawn(const QVector<double>& values) {
    QStandardItemModel model(1, 1);
    model.setData(model.index(0, 0), QVariant::fromValue(values), ClassLegendModel::kHistoryRole);
    QImage image(132, 30, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    QStyleOptionViewItem option;
    option.rect = image.rect();
    SparklineDelegate().paint(&painter, option, model.index(0, 0));
    painter.end();
    int columns = 0;
    for (int x = 0; x < image.width(); ++x) {
      bool any = false;
      for (int y = 0; y < image.height(); ++y) any = any || qGray(image.pixel(x, y)) < 128;
      columns += any;
    }
    return columns;
  }
};

TEST_F(SparklineDelegateTest, DrawsValuesAndLeavesGaps) {
  EXPECT_EQ(drawn({}), 0);
  EXPECT_GE(drawn({0.5}), 1);
  QVector<double> values(ClassLegendModel::kMostPoints, 0.5);
  EXPECT_GE(drawn(values), 118);
  for (int i = 40; i < 80; ++i) values[i] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NEAR(drawn(values), 80, 4);
  EXPECT_EQ(drawn(QVector<double>(5, std::numeric_limits<double>::quiet_NaN())), 0);
}

}  // namespace

}  // namespace mpm::gui
