// SPDX-License-Identifier: Apache-2.0
// Which cameras are watched beside each other, as they come and go.
#include <gtest/gtest.h>

#include <QToolButton>

#include "gui/app/wall_of_cameras.h"

namespace mpm::gui {
namespace {

TEST_F(WallOfCameras, OneThatIsNoLongerWatchedLeavesTheViewsOfTheOther) {
  ASSERT_TRUE(bothShow());
  ASSERT_TRUE(hands::click(remove("seed=22")));
  EXPECT_TRUE(waitFor([&] {
    const auto engine = window_.live().engine();
    return engine && engine->sources() == 1 && window_.deck()->isVisible();
  }));
  EXPECT_FALSE(window_.wall()->isVisible());
  EXPECT_EQ(window_.live().options().source, kFirst);
  EXPECT_TRUE(window_.live().options().beside.isEmpty());
}

// There was no way to watch only the camera that had come second.
TEST_F(WallOfCameras, TheFirstOneCanGoAsWellButNotTheLast) {
  ASSERT_TRUE(bothShow());
  QTest::keyClick(window_.wall()->view(1), Qt::Key_Return);
  for (const char* each : {"seed=21", "seed=22"}) ASSERT_TRUE(hands::click(remove(each)));
  EXPECT_TRUE(waitFor([&] {
    const auto engine = window_.live().engine();
    return engine && engine->sources() == 1 && window_.deck()->isVisible();
  }));
  EXPECT_EQ(window_.live().options().source, kSecond);
  EXPECT_TRUE(window_.windowTitle().contains("seed=22"));
  EXPECT_EQ(window_.session().book().zones.size(), 1U) << "its own";
}

// In its place, although there is none on the wall any more.
TEST_F(WallOfCameras, WhatIsOpenedWhileTheFirstOneGoesComesBeside) {
  ASSERT_TRUE(bothShow());
  ASSERT_TRUE(hands::click(remove("seed=21")));
  const QString third = QString(kSecond).replace("seed=22", "seed=23");
  window_.session().openSource(third);
  ASSERT_TRUE(waitFor([&] {
    return !window_.live().isOpening() && window_.live().options().beside == QStringList{third};
  }));
  EXPECT_EQ(window_.live().options().source, kSecond);
}

// Seen: the app ended at a double click, and of two quick clicks the second ended another camera.
TEST_F(WallOfCameras, WhatIsClickedWhileAnotherOneGoesIsStillTheOneThatIsSeen) {
  ASSERT_TRUE(bothShow());
  const auto watches = [&](const QStringList& beside) {
    return waitFor([&] {
      return !window_.live().isOpening() && window_.live().engine() &&
             window_.live().options().beside == beside;
    });
  };
  const QString third = QString(kSecond).replace("seed=22", "seed=23"),
                fourth = QString(kSecond).replace("seed=22", "seed=24");
  window_.session().openBeside(third);
  window_.session().openBeside(fourth);
  ASSERT_TRUE(watches({kSecond, third, fourth}));
  for (int click = 0; click < 2; ++click) ASSERT_TRUE(hands::click(remove("seed=22")));
  EXPECT_TRUE(watches({third, fourth}));
  window_.session().openBeside(kSecond);
  ASSERT_TRUE(watches({third, fourth, kSecond}));
  ASSERT_TRUE(hands::click(remove("seed=23")));
  ASSERT_TRUE(hands::click(remove("seed=24")));
  EXPECT_TRUE(watches({kSecond}));
  for (int click = 0; click < 2; ++click) ASSERT_TRUE(hands::click(remove("seed=22")));
  EXPECT_TRUE(watches({}));
}

TEST_F(WallOfCameras, AnotherSourceComesInPlaceOfTheChosenOne) {
  ASSERT_TRUE(bothShow());
  QTest::keyClick(window_.wall()->view(1), Qt::Key_Return);
  const auto engine = window_.live().engine();
  window_.session().openSource(kFirst);
  EXPECT_EQ(window_.statusBar()->currentMessage(), "It is already being watched.");
  const QString third = "scene:?clock=600x&hour=12&size=140x140&seed=23";
  window_.session().openSource(third);
  ASSERT_TRUE(waitFor([&] {
    const auto next = window_.live().engine();
    return next && next != engine && next->sources() == 2;
  }));
  EXPECT_EQ(window_.live().options().source, kFirst);
  EXPECT_EQ(window_.live().options().beside, QStringList{third});
  EXPECT_EQ(window_.live().shown(), 1U);
  EXPECT_EQ(window_.session().shownSource(), third);
}

// Seen: the first camera was replaced instead.
TEST_F(WallOfCameras, WhatIsOpenedWhileAnotherOneComesIsInTheSamePlace) {
  ASSERT_TRUE(bothShow());
  QTest::keyClick(window_.wall()->view(1), Qt::Key_Return);
  const QString third = QString(kSecond).replace("seed=22", "seed=23"),
                fourth = QString(kSecond).replace("seed=22", "seed=24");
  window_.session().openSource(third);
  window_.session().openSource(fourth);
  ASSERT_TRUE(waitFor([&] {
    return !window_.live().isOpening() && window_.live().options().beside == QStringList{fourth};
  }));
  EXPECT_EQ(window_.live().options().source, kFirst);
}

TEST_F(WallOfCameras, TheSameSourceTwiceIsRefused) {
  ASSERT_TRUE(bothShow());
  const auto engine = window_.live().engine();
  window_.session().openBeside(kFirst);
  EXPECT_EQ(window_.statusBar()->currentMessage(), "It is already being watched.");
  EXPECT_EQ(window_.live().engine(), engine);
  EXPECT_EQ(window_.live().options().beside, QStringList{kSecond});
}

// Seen: the second was refused, as if it were the first.
TEST_F(WallOfCameras, TwoWhoseNamesDifferOutsideOfAsciiAreWatchedBesideEachOther) {
  ASSERT_TRUE(bothShow());
  const QString north = QStringLiteral("/nowhere/北门"), south = QStringLiteral("/nowhere/南门");
  window_.session().openBeside(north);
  window_.session().openBeside(south);
  EXPECT_TRUE(waitFor([&] {
    return !window_.live().isOpening() &&
           window_.live().options().beside == QStringList{kSecond, north, south};
  }));
}

}  // namespace
}  // namespace mpm::gui
