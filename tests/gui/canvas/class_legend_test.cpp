// SPDX-License-Identifier: Apache-2.0
// Which classes are shown, and the table that tells their areas.
#include "gui/canvas/class_legend.h"

#include <gtest/gtest.h>

#include "gui/canvas/class_settings.h"
#include "gui/canvas/small_result.h"
#include "gui/hands.h"

namespace mpm::gui {
namespace {

// Returns which of sky, wall and road are shown; in brackets, which without solo.
std::string shown(const ClassSettings& classes) {
  QStringList names, visible;
  for (int i = 0; i < classes.count(); ++i) {
    if (classes.shows(i)) names << classes.name(i);
    if (classes.isVisible(i)) visible << classes.name(i);
  }
  const QString rest = names == visible ? QString() : " (" + visible.join(' ') + ')';
  return (names.join(' ') + rest).toStdString();
}

TEST(ClassSettings, TakesNamesAndColours) {
  ClassSettings classes;
  QSignalSpy reset(&classes, &ClassSettings::classesReset);
  classes.setClasses({"a", "b"}, {{1, 2, 3}});
  EXPECT_EQ(reset.count(), 1);
  EXPECT_EQ(shown(classes), "a b");
  EXPECT_EQ(classes.colour(0), QColor(3, 2, 1));
  EXPECT_EQ(classes.colour(1).saturation(), 0) << "a class that the palette lacks is grey";
  EXPECT_EQ(classes.name(9), "class 9");
  EXPECT_TRUE(classes.shows(9));
}

TEST(ClassSettings, SoloGoesBeforeVisibilityAndBothGoByNameToAnotherModel) {
  ClassSettings classes;
  giveSmallClasses(classes);
  classes.setVisible(1, false);
  EXPECT_EQ(shown(classes), "sky road");
  classes.setSolo(1);
  EXPECT_EQ(shown(classes), "wall (sky road)");
  classes.setSolo(77);
  EXPECT_EQ(classes.solo(), -1);
  EXPECT_EQ(shown(classes), "sky road");
  classes.setSolo(2);
  classes.setClasses({"road", "car"}, {});
  EXPECT_EQ(shown(classes), "road (road car)");
  giveSmallClasses(classes);
  EXPECT_EQ(shown(classes), "road (sky road)");
  EXPECT_EQ(classes.hidden(), QStringList("wall"));
  classes.setAllVisible(true);
  EXPECT_EQ(shown(classes), "sky wall road");
  EXPECT_TRUE(classes.hidden().isEmpty() && classes.soloName().isEmpty());
  ClassSettings next;
  next.setHidden({"sky"}, "wall");
  giveSmallClasses(next);
  EXPECT_EQ(shown(next), "wall (wall road)");
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
  EXPECT_EQ(changed[0], (QVariantList{2, 2}));
  EXPECT_GT(classes.revision(), revision);
}

using Model = ClassLegendModel;

class ClassLegendModelTest : public ::testing::Test {
 protected:
  ClassLegendModelTest() { giveSmallClasses(*classes_); }
  QVariant at(int row, Model::Column column, int role = Qt::DisplayRole) const {
    return model_.index(row, column).data(role);
  }
  std::unique_ptr<ClassSettings> classes_ = std::make_unique<ClassSettings>();
  Model model_{classes_.get()};
  QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(ClassLegendModelTest, HasARowForEachClassWhoseCheckBoxIsItsVisibility) {
  EXPECT_EQ(model_.rowCount(), 3);
  EXPECT_EQ(model_.columnCount(), 2);
  const QModelIndex name = model_.index(1, Model::kName);
  EXPECT_EQ(name.data().toString(), "wall");
  EXPECT_EQ(name.data(Qt::DecorationRole).value<QColor>(), QColor(0, 255, 0));
  EXPECT_EQ(name.data(Qt::CheckStateRole).toInt(), Qt::Checked);
  EXPECT_EQ(at(1, Model::kArea).toString(), "–");
  QSignalSpy changed(&model_, &Model::dataChanged);
  EXPECT_TRUE(name.flags() & Qt::ItemIsUserCheckable);
  EXPECT_TRUE(model_.setData(name, Qt::Unchecked, Qt::CheckStateRole));
  EXPECT_EQ(shown(*classes_), "sky road");
  EXPECT_EQ(changed.count(), 1);
  EXPECT_FALSE(model_.setData(model_.index(1, Model::kArea), Qt::Unchecked, Qt::CheckStateRole));
  EXPECT_FALSE(model_.setData(name, "x", Qt::EditRole));
  classes_->setSolo(2);
  EXPECT_TRUE(at(2, Model::kName, Model::kSoloRole).toBool());
  classes_->setClasses({"one"}, {});
  EXPECT_EQ(model_.rowCount(), 1);
  classes_.reset();
  EXPECT_EQ(model_.rowCount(), 0);
  EXPECT_FALSE(model_.setAreas({}));
}

TEST_F(ClassLegendModelTest, AreasAreShownWhereTheyAreKnown) {
  EXPECT_FALSE(model_.setAreas({0.5})) << "another number of classes";
  EXPECT_TRUE(model_.setAreas({0.5, 0.25, std::nan("")}));
  EXPECT_EQ(at(0, Model::kArea).toString(), "50.0%");
  EXPECT_EQ(at(2, Model::kArea).toString(), "–");
  model_.clearAreas();
  EXPECT_EQ(at(0, Model::kArea).toString(), "–");
}

class ClassLegendTest : public ::testing::Test {
 protected:
  ClassLegendTest() {
    giveSmallClasses(classes_);
    legend_.resize(320, 200);
    legend_.show();
  }
  ClassSettings classes_;
  ClassLegend legend_{&classes_};
};

TEST_F(ClassLegendTest, ADoubleClickOrAKeyShowsOneAloneAndAllAgainWhateverTheOrder) {
  QWidget* viewport = legend_.viewport();
  const QPoint at = legend_.visualRect(legend_.model()->index(1, Model::kArea)).center();
  QTest::mouseClick(viewport, Qt::LeftButton, {}, at);
  QTest::mouseDClick(viewport, Qt::LeftButton, {}, at);
  EXPECT_EQ(shown(classes_), "wall (sky wall road)");
  QTest::mouseDClick(viewport, Qt::LeftButton, {}, at);
  EXPECT_EQ(shown(classes_), "sky wall road");
  legend_.setCurrentIndex(legend_.model()->index(2, Model::kArea));
  hands::keys(&legend_, "Space");
  EXPECT_EQ(shown(classes_), "sky wall");
  hands::keys(&legend_, "Space Return");
  EXPECT_EQ(shown(classes_), "road (sky wall road)");
  legend_.classModel()->setAreas({0.1, 0.7, 0.2});
  legend_.sortByColumn(Model::kArea, Qt::DescendingOrder);
  const QModelIndex first = legend_.model()->index(0, Model::kName);
  EXPECT_EQ(first.data().toString(), "wall");
  legend_.setCurrentIndex(first);
  hands::keys(&legend_, "Return");
  EXPECT_EQ(shown(classes_), "wall (sky wall road)");
}

}  // namespace
}  // namespace mpm::gui
