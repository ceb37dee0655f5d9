// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/class_legend.h"

#include <gtest/gtest.h>

#include <QTest>

#include "small_result.h"

namespace mpm::gui {
namespace {

class ClassLegendTest : public testing::Test {
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

}  // namespace
}  // namespace mpm::gui
