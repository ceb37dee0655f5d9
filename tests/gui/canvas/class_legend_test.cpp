// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/class_legend.h"

#include <gtest/gtest.h>

#include <QAbstractItemDelegate>
#include <QAbstractItemModelTester>
#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTest>
#include <cmath>
#include <limits>
#include <memory>

#include "gui/canvas/class_settings.h"
#include "small_result.h"

namespace mpm::gui {
namespace {

TEST(ClassSettings, TakesNamesAndColours) {
  ClassSettings classes;
  QSignalSpy reset(&classes, &ClassSettings::classesReset);
  classes.setClasses({"a", "b"}, {{1, 2, 3}});
  EXPECT_EQ(reset.count(), 1);
  EXPECT_EQ(classes.count(), 2);
  EXPECT_EQ(classes.name(0), "a");
  EXPECT_EQ(classes.colour(0), QColor(3, 2, 1));
  EXPECT_EQ(classes.colour(1).saturation(), 0) << "a class that the palette lacks is grey";
  EXPECT_EQ(classes.name(9), "class 9");
  EXPECT_TRUE(classes.shows(9));
}

TEST(ClassSettings, SoloGoesBeforeVisibility) {
  ClassSettings classes;
  giveSmallClasses(classes);
  classes.setVisible(1, false);
  EXPECT_FALSE(classes.shows(1));
  classes.setSolo(1);
  EXPECT_TRUE(classes.shows(1));
  EXPECT_FALSE(classes.shows(0));
  EXPECT_FALSE(classes.isVisible(1));
  classes.setSolo(77);
  EXPECT_EQ(classes.solo(), -1);
  EXPECT_TRUE(classes.shows(0));
  classes.setAllVisible(true);
  EXPECT_TRUE(classes.shows(1));
}

TEST(ClassSettings, WhatIsHiddenStaysSoByNameInAnotherModel) {
  ClassSettings classes;
  giveSmallClasses(classes);  // sky, wall, road
  classes.setVisible(1, false);
  classes.setSolo(2);
  classes.setClasses({"road", "car"}, {});
  EXPECT_EQ(classes.solo(), 0);
  EXPECT_TRUE(classes.isVisible(1));
  giveSmallClasses(classes);
  EXPECT_FALSE(classes.isVisible(1));
  EXPECT_EQ(classes.hidden(), QStringList("wall"));
  classes.setAllVisible(true);
  EXPECT_TRUE(classes.hidden().isEmpty());
  EXPECT_TRUE(classes.soloName().isEmpty());
  ClassSettings next;
  next.setHidden({"sky"}, "wall");
  giveSmallClasses(next);
  EXPECT_FALSE(next.isVisible(0));
  EXPECT_EQ(next.solo(), 1);
}

TEST(ClassSettings, TellsWhatChangedAndOnlyThat) {
  ClassSettings classes;
  giveSmallClasses(classes);
  QSignalSpy changed(&classes, &ClassSettings::changed);
  const quint64 revision = classes.revision();
  classes.setVisible(2, true);
  classes.setVisible(5, false);
  classes.setSolo(-1);
  EXPECT_EQ(changed.count(), 0);
  EXPECT_EQ(classes.revision(), revision);
  classes.setVisible(2, false);
  ASSERT_EQ(changed.count(), 1);
  EXPECT_EQ(changed[0][0].toInt(), 2);
  EXPECT_EQ(changed[0][1].toInt(), 2);
  EXPECT_GT(classes.revision(), revision);
}

using Model = ClassLegendModel;

class ClassLegendModelTest : public ::testing::Test {
 protected:
  ClassLegendModelTest() { giveSmallClasses(classes_); }
  QVector<double> history(int row) {
    return model_.index(row, Model::kHistory).data(Model::kHistoryRole).value<QVector<double>>();
  }
  ClassSettings classes_;
  Model model_{&classes_};
  QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(ClassLegendModelTest, HasARowForEachClass) {
  EXPECT_EQ(model_.rowCount(), 3);
  EXPECT_EQ(model_.columnCount(), 3);
  const QModelIndex name = model_.index(1, Model::kName);
  EXPECT_EQ(name.data().toString(), "wall");
  EXPECT_EQ(name.data(Qt::DecorationRole).value<QColor>(), QColor(0, 255, 0));
  EXPECT_EQ(name.data(Qt::CheckStateRole).toInt(), Qt::Checked);
  EXPECT_EQ(model_.index(1, Model::kArea).data().toString(), "–");
  classes_.setClasses({"one"}, {});
  EXPECT_EQ(model_.rowCount(), 1);
}

TEST_F(ClassLegendModelTest, TheCheckBoxIsTheClassesVisibility) {
  QSignalSpy changed(&model_, &Model::dataChanged);
  const QModelIndex name = model_.index(1, Model::kName);
  EXPECT_TRUE(name.flags() & Qt::ItemIsUserCheckable);
  EXPECT_TRUE(model_.setData(name, Qt::Unchecked, Qt::CheckStateRole));
  EXPECT_FALSE(classes_.isVisible(1));
  EXPECT_EQ(changed.count(), 1);
  EXPECT_FALSE(model_.setData(model_.index(1, Model::kArea), Qt::Unchecked, Qt::CheckStateRole));
  EXPECT_FALSE(model_.setData(name, "x", Qt::EditRole));
  classes_.setSolo(2);
  EXPECT_TRUE(model_.index(2, Model::kName).data(Model::kSoloRole).toBool());
}

TEST_F(ClassLegendModelTest, AreasAreShownAndKept) {
  EXPECT_FALSE(model_.addAreas({0.5}, 0)) << "another number of classes";
  EXPECT_TRUE(model_.addAreas({0.5, 0.25, std::nan("")}, 0));
  EXPECT_EQ(model_.index(0, Model::kArea).data().toString(), "50.0%");
  EXPECT_EQ(model_.index(2, Model::kArea).data().toString(), "–");
  model_.addAreas({0.7, 0.25, 0}, Model::kStepMs - 1);
  model_.addAreas({0.1, 0.25, 0}, Model::kStepMs);
  ASSERT_EQ(history(0).size(), 1);
  EXPECT_NEAR(history(0)[0], 0.6, 1e-12) << "the mean of its step";
  EXPECT_NEAR(history(2)[0], 0, 1e-12);
  EXPECT_EQ(model_.index(0, Model::kHistory).data(Qt::AccessibleTextRole).toString(),
            "from 60.0% to 60.0%");
}

TEST_F(ClassLegendModelTest, AGapIsUnknownAndTheHistoryEnds) {
  model_.addAreas({1, 0, 0}, 0);
  model_.addAreas({1, 0, 0}, 3 * Model::kStepMs + 1);
  ASSERT_EQ(history(0).size(), 3);
  EXPECT_EQ(history(0)[0], 1);
  EXPECT_TRUE(std::isnan(history(0)[1]));
  model_.addAreas({1, 0, 0}, 1'000'000'000);
  EXPECT_EQ(history(0).size(), Model::kMostPoints);
  for (int i = 1; i <= 500; ++i) model_.addAreas({1, 0, 0}, 1'000'000'000 + i * Model::kStepMs);
  EXPECT_EQ(history(0).size(), Model::kMostPoints);
  EXPECT_EQ(history(0).front(), 1);
}

TEST(ClassLegendModel, IsEmptyWithoutItsClasses) {
  auto classes = std::make_unique<ClassSettings>();
  giveSmallClasses(*classes);
  Model model(classes.get());
  classes.reset();
  EXPECT_EQ(model.rowCount(), 0);
  EXPECT_FALSE(model.addAreas({}, 0));
}

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

// A line through what is known, with a gap where nothing is; the newest value stands on the right.
TEST_F(ClassLegendTest, HistoriesAreLines) {
  const auto columns = [&](int points, int unknownFrom, int unknownTo) {
    legend_.classModel()->clearAreas();
    for (int i = 0; i <= points; ++i) {
      const bool known = i < unknownFrom || i >= unknownTo;
      legend_.classModel()->addAreas({known ? 0.5 : std::nan(""), 0, 0},
                                     i * ClassLegendModel::kStepMs);
    }
    QImage image(132, 30, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    QStyleOptionViewItem option;
    option.rect = image.rect();
    const QModelIndex index = legend_.model()->index(0, ClassLegendModel::kHistory);
    legend_.itemDelegateForIndex(index)->paint(&painter, option, index);
    int drawn = 0;
    for (int x = 0; x < image.width(); ++x) {
      bool any = false;
      for (int y = 0; y < image.height(); ++y) any = any || qGray(image.pixel(x, y)) < 128;
      drawn += any;
    }
    return drawn;
  };
  constexpr int kMost = ClassLegendModel::kMostPoints;
  EXPECT_EQ(columns(0, 0, 0), 0);
  EXPECT_GE(columns(1, 0, 0), 1);
  EXPECT_GE(columns(kMost, 0, 0), kMost - 2);
  EXPECT_NEAR(columns(kMost, 40, 80), 80, 4);
  EXPECT_EQ(columns(5, 0, 9), 0);
}

}  // namespace
}  // namespace mpm::gui
