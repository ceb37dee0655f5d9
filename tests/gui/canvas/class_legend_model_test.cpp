// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/class_legend_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <cmath>
#include <limits>
#include <memory>

#include "gui/wait_for.h"
#include "small_result.h"

namespace mpm::gui {
namespace {

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
  model_.setStepMs(1000);
  EXPECT_TRUE(model_.addAreas({0.5, 0.25, std::nan("")}, 0));
  EXPECT_EQ(model_.index(0, Model::kArea).data().toString(), "50.0%");
  EXPECT_EQ(model_.index(2, Model::kArea).data().toString(), "–");
  model_.addAreas({0.7, 0.25, 0}, 900);
  model_.addAreas({0.1, 0.25, 0}, 1000);
  ASSERT_EQ(history(0).size(), 1);
  EXPECT_NEAR(history(0)[0], 0.6, 1e-12) << "the mean of its step";
  EXPECT_NEAR(history(2)[0], 0, 1e-12);
  EXPECT_EQ(model_.index(0, Model::kHistory).data(Qt::AccessibleTextRole).toString(),
            "from 60.0% to 60.0%");
}

TEST_F(ClassLegendModelTest, AGapIsUnknownAndTheHistoryEnds) {
  model_.setStepMs(100);
  model_.addAreas({1, 0, 0}, 0);
  model_.addAreas({1, 0, 0}, 350);
  ASSERT_EQ(history(0).size(), 3);
  EXPECT_EQ(history(0)[0], 1);
  EXPECT_TRUE(std::isnan(history(0)[1]));
  model_.addAreas({1, 0, 0}, 1'000'000'000);
  EXPECT_EQ(history(0).size(), Model::kMostPoints);
  for (int i = 1; i <= 500; ++i) model_.addAreas({1, 0, 0}, 1'000'000'000 + i * 100);
  EXPECT_EQ(history(0).size(), Model::kMostPoints);
  EXPECT_EQ(history(0).front(), 1);
}

TEST_F(ClassLegendModelTest, TellsSixteenTimesASecondAtMost) {
  QSignalSpy changed(&model_, &Model::dataChanged);
  for (int ms = 0; ms < 1000; ms += 20) model_.addAreas({0.1, 0.2, 0.3}, ms);
  EXPECT_EQ(changed.count(), 17);  // at 0, 60, ..., 960
}

TEST_F(ClassLegendModelTest, RefusesOtherNumbersOfClasses) {
  EXPECT_FALSE(model_.addAreas({0.5}, 0));
  EXPECT_EQ(model_.index(0, Model::kArea).data().toString(), "–");
}

TEST(ClassLegendModel, IsEmptyWithoutItsClasses) {
  auto classes = std::make_unique<ClassSettings>();
  giveSmallClasses(*classes);
  Model model(classes.get());
  classes.reset();
  EXPECT_EQ(model.rowCount(), 0);
  EXPECT_FALSE(model.addAreas({}, 0));
}

// Seen: "car 0.0%" beside two large cars, since the picture that was shown was the last one.
TEST_F(ClassLegendModelTest, WhatCameLastIsToldThoughNothingComesAfterIt) {
  model_.addAreas({0, 1, 0}, 1000);
  QSignalSpy told(&model_, &QAbstractItemModel::dataChanged);
  model_.addAreas({0.4, 0.6, 0}, 1010);
  EXPECT_EQ(told.count(), 0);
  ASSERT_TRUE(waitFor([&] { return told.count() > 0; }));
  EXPECT_EQ(model_.index(0, Model::kArea).data().toString(), "40.0%");
}

}  // namespace
}  // namespace mpm::gui
