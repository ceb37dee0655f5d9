// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/class_settings.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

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

}  // namespace
}  // namespace mpm::gui
