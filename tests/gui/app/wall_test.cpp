// SPDX-License-Identifier: Apache-2.0
// Cameras beside each other, as they stand, come and go.
#include <gtest/gtest.h>

#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <atomic>
#include <future>
#include <memory>

#include "gui/app/living_window.h"
#include "gui/app/wall.h"

namespace mpm::gui {
namespace {

TEST_F(WallOfCameras, ShowsEachAndAClickBringsOneLarge) {
  ASSERT_TRUE(bothShow());
  EXPECT_FALSE(window_.deck()->isVisible());
  EXPECT_TRUE(window_.focusWidget() != nullptr &&
              window_.wall()->isAncestorOf(window_.focusWidget()))
      << "keys are not for what was typed into";
  Wall& wall = *window_.wall();
  EXPECT_EQ(wall.view(0)->result()->frame.picture.cols, 160);
  EXPECT_EQ(wall.view(1)->result()->frame.picture.cols, 120);
  const int before = wall.view(1)->width();
  QTest::mouseClick(wall.view(1), Qt::LeftButton, {}, wall.view(1)->rect().center());
  EXPECT_EQ(wall.large(), 1);
  EXPECT_TRUE(waitFor([&] { return wall.view(1)->width() > before * 3 / 2; }));
  EXPECT_LT(wall.view(0)->height(), wall.view(1)->height());
  QTest::keyClick(wall.view(1), Qt::Key_Escape);
  EXPECT_EQ(wall.large(), -1);
  QTest::keyClick(wall.view(0), Qt::Key_Return);
  EXPECT_EQ(wall.large(), 0);
}

// Seen: four pictures of 69 pixels in two rows of a wall that had 900 x 185 for them.
TEST_F(WallOfCameras, StandsAsMakesPicturesLargest) {
  ASSERT_TRUE(bothShow());
  Wall wall(window_.session());
  wall.resize(900, 200);
  wall.show();
  const auto isBeside = [&] {
    const QPoint first = wall.view(0)->mapTo(&wall, QPoint(0, 0)),
                 second = wall.view(1)->mapTo(&wall, QPoint(0, 0));
    return first.y() == second.y() && first.x() < second.x();
  };
  const auto isBelow = [&] {
    const QPoint first = wall.view(0)->mapTo(&wall, QPoint(0, 0)),
                 second = wall.view(1)->mapTo(&wall, QPoint(0, 0));
    return first.x() == second.x() && first.y() < second.y();
  };
  EXPECT_TRUE(waitFor(isBeside));
  wall.resize(300, 900);
  EXPECT_TRUE(waitFor(isBelow));
  EXPECT_TRUE(waitFor([&] { return wall.view(1)->height() > 400; }));
  wall.resize(900, 200);
  EXPECT_TRUE(waitFor(isBeside));
  EXPECT_TRUE(waitFor([&] { return wall.view(0)->height() > 160; }))
      << "no room for a row that is empty now";
  // Seen: beside a panel, room above and below a large one that was as wide as it could be.
  wall.resize(400, 900);
  wall.enlarge(0);
  EXPECT_TRUE(waitFor([&] { return wall.view(1)->height() > 300; }));
  EXPECT_GE(wall.view(0)->height(), 300) << "as its 160 x 120 fill the width";
}

// Seen at a start with a panel: three rows of one camera each, until the window had another size.
TEST_F(WallOfCameras, StandsAsItIsWideWhenItsCamerasCome) {
  ASSERT_TRUE(bothShow());
  Wall wall(window_.session());
  wall.setMinimumWidth(900);
  wall.resize(900, 20);
  wall.show();
  emit window_.session().began(*window_.live().engine());
  wall.resize(900, 200);
  EXPECT_TRUE(waitFor([&] {
    return wall.view(0)->mapTo(&wall, QPoint(0, 0)).y() ==
           wall.view(1)->mapTo(&wall, QPoint(0, 0)).y();
  }));
}

// Seen in a window of 900 x 600 above a panel: a large one of 60 pixels, with nothing beside it.
TEST_F(WallOfCameras, OthersStandWhereTheyLeaveALargeOneMoreRoom) {
  ASSERT_TRUE(bothShow());
  Wall wall(window_.session());
  wall.resize(900, 180);
  wall.show();
  wall.enlarge(1);
  const auto other = [&] { return wall.view(0)->mapTo(&wall, QPoint(0, 0)); };
  const auto large = [&] {
    return QRect(wall.view(1)->mapTo(&wall, QPoint(0, 0)), wall.view(1)->size());
  };
  EXPECT_TRUE(waitFor([&] { return large().height() > 140 && other().x() > large().right(); }));
  EXPECT_GT(large().width(), 600);
  EXPECT_LT(wall.view(0)->width(), 250);
  wall.resize(900, 75);
  EXPECT_TRUE(waitFor([&] { return large().height() > 30 && other().x() > large().right(); }))
      << "also where that is very low";
  wall.resize(400, 900);
  EXPECT_TRUE(waitFor([&] { return other().y() > large().bottom() && large().width() > 390; }));
  wall.resize(1200, 600);
  EXPECT_TRUE(waitFor([&] { return large().height() > 550 && other().x() > large().right(); }));
  EXPECT_LT(wall.view(0)->height(), 250) << "a small one, as wide as the others";
  wall.enlarge(-1);
  EXPECT_TRUE(waitFor([&] { return wall.view(0)->width() == wall.view(1)->width(); }));
}

// Seen: nothing at all on the wall, and "Live" below it, from the end of one engine to the next.
TEST_F(WallOfCameras, KeepsItsPicturesUntilTheNextEngineIsThere) {
  ASSERT_TRUE(bothShow());
  std::promise<void> enough;
  const auto isHeld = std::make_shared<std::atomic<bool>>(false);
  window_.live().engine()->withNetwork(  // so that it ends late
      [isHeld, until = enough.get_future().share()](monitor::Network&) {
        *isHeld = true;
        until.wait();
      });
  ASSERT_TRUE(waitFor([&] { return isHeld->load(); })) << "an engine that ends does not call it";
  window_.session().openBeside("scene:?seed=23&size=160x120");
  EXPECT_TRUE(waitFor([&] { return !window_.live().engine() && state().contains("Opening"); }));
  EXPECT_FALSE(state().contains("Live"));
  const auto views = window_.wall()->findChildren<FrameView*>();
  EXPECT_EQ(views.size(), 2);
  EXPECT_TRUE(waitFor([&] {
    return std::all_of(views.begin(), views.end(),
                       [](const FrameView* one) { return one->result() && one->isStale(); });
  })) << "it says how old they are";
  if (!views.isEmpty()) {
    EXPECT_TRUE(hands::click(views[0]));
  }
  EXPECT_EQ(window_.wall()->large(), -1);
  enough.set_value();
  EXPECT_TRUE(waitFor([&] {
    const auto engine = window_.live().engine();
    return engine && engine->sources() == 3 && window_.wall()->view(2)->result();
  }));
  EXPECT_TRUE(waitFor([&] { return state().contains("Live"); })) << qPrintable(state());
}

// Seen: "Live" below a camera whose picture was 27 s old.
TEST_F(WallOfCameras, IsNotCalledLiveWhereOneOfThemIsNot) {
  ASSERT_TRUE(bothShow());
  EXPECT_TRUE(waitFor([&] { return state().contains("Live"); }));
  window_.session().openBeside("/nowhere/video.mp4");
  EXPECT_TRUE(waitFor([&] { return state().contains("2 of 3 live"); })) << qPrintable(state());
  EXPECT_TRUE(waitFor([&] {
    return window_.wall()->view(2)->accessibleDescription().contains("Next try in");
  })) << qPrintable(window_.wall()->view(2)->accessibleDescription());
  press("Ctrl+5");
  EXPECT_TRUE(waitFor([&] { return state().contains("Live") && !state().contains(" live"); }))
      << "of the one that is seen alone";
}

TEST_F(WallOfCameras, TilesThatAreOldSayWhyAsTheStatusLineDoes) {
  ASSERT_TRUE(bothShow());
  std::promise<void> enough;
  window_.live().engine()->withNetwork(
      [until = enough.get_future().share()](monitor::Network&) { until.wait(); });
  EXPECT_TRUE(waitFor([&] { return state().contains("Behind"); })) << qPrintable(state());
  EXPECT_TRUE(waitFor([&] {
    const auto says = [&](int of) {
      return window_.wall()->view(of)->accessibleDescription().contains("the model is still busy");
    };
    return says(0) && says(1);
  }));
  enough.set_value();
  EXPECT_TRUE(waitFor([&] { return state().contains("Live"); })) << qPrintable(state());
  EXPECT_TRUE(waitFor(
      [&] { return !window_.wall()->view(0)->isStale() && !window_.wall()->view(1)->isStale(); }));
}

TEST_F(WallOfCameras, RulesOfEachAreToldAndLightItsZones) {
  ASSERT_TRUE(bothShow());
  EXPECT_TRUE(waitFor([&] {
    return window_.wall()->view(1)->accessibleDescription().contains("A rule holds in: all.");
  }));
  const EventList& list = window_.events()->list();
  EXPECT_TRUE(waitFor([&] {
    for (int row = 0; row < list.rowCount(); ++row)
      if (list.words(row).contains("seed=22: Rule 'road' began")) return true;
    return false;
  }));
}

// Of the first one nobody could tell which camera it was.
TEST_F(WallOfCameras, EventsOfTheFirstAreNamedToo) {
  ASSERT_TRUE(bothShow());
  const EventList& list = window_.events()->list();
  const auto told = [&](const QString& words) {
    return waitFor([&] {
      for (int row = 0; row < list.rowCount(); ++row)
        if (list.words(row).contains(words)) return true;
      return false;
    });
  };
  EXPECT_TRUE(told("seed=21: frames come"));
  EXPECT_TRUE(told("seed=22: frames come"));
  window_.session().nameSource(kFirst, "The gate");
  EXPECT_TRUE(told("The gate: frames come"));
}

// Seen: Escape left full screen with one camera still large.
TEST_F(WallOfCameras, InFullScreenEscapeBringsAllBackFirst) {
  ASSERT_TRUE(bothShow());
  ASSERT_TRUE(hands::press(window_, QKeySequence(Qt::Key_F11)));
  ASSERT_TRUE(waitFor([&] { return window_.isFullScreen(); }));
  EXPECT_FALSE(remove("seed=22")->isVisible()) << "no chrome";
  Wall& wall = *window_.wall();
  QTest::keyClick(wall.view(1), Qt::Key_Return);
  ASSERT_EQ(wall.large(), 1);
  press("Ctrl+P");
  EXPECT_TRUE(waitFor([&] { return wall.view(1)->accessibleDescription().contains("Paused."); }));
  ASSERT_TRUE(hands::click(wall.view(1)));
  ASSERT_TRUE(wall.view(1)->viewState()->pinned());
  ASSERT_TRUE(hands::press(window_, QKeySequence(Qt::Key_Escape)));
  EXPECT_FALSE(wall.view(1)->viewState()->pinned());
  EXPECT_EQ(wall.large(), 1);
  ASSERT_TRUE(hands::press(window_, QKeySequence(Qt::Key_Escape)));
  EXPECT_EQ(wall.large(), -1);
  EXPECT_TRUE(window_.isFullScreen());
  ASSERT_TRUE(hands::press(window_, QKeySequence(Qt::Key_Escape)));
  EXPECT_TRUE(waitFor([&] { return !window_.isFullScreen(); }));
  EXPECT_TRUE(remove("seed=22")->isVisible());
}

TEST_F(WallOfCameras, ANameThatIsGivenStandsAboveThePictureAndInTheTitle) {
  ASSERT_TRUE(bothShow());
  bringLarge(1);
  window_.session().nameSource(kSecond, "gate & yard");
  const auto buttons = window_.wall()->findChildren<QToolButton*>();
  EXPECT_TRUE(std::any_of(buttons.begin(), buttons.end(), [](const auto* one) {
    return one->text() == "gate && yard" && one->toolTip() == "Enlarges it, or shows all again";
  }));
  EXPECT_TRUE(std::any_of(buttons.begin(), buttons.end(), [](const auto* one) {
    return one->accessibleName() == "No longer watch gate & yard";
  }));
  EXPECT_TRUE(window_.windowTitle().startsWith("gate & yard"));
  EXPECT_TRUE(waitFor(
      [] { return readSettings().sourceNames.value(sourceName(kSecond)) == "gate & yard"; }));
  const QString longName = QString(300, 'w') + "17";
  window_.session().nameSource(kSecond, longName);
  const auto isCut = [&](const auto* one) {
    return one->text().contains(QChar(0x2026)) && one->text().endsWith("17") &&
           one->accessibleName() == longName && one->toolTip().startsWith(longName + '\n') &&
           one->fontMetrics().horizontalAdvance(one->text()) < one->width();
  };
  EXPECT_TRUE(waitFor([&] { return std::any_of(buttons.begin(), buttons.end(), isCut); }))
      << "seen: both ends cut off, and ten cameras whose addresses begin alike by one name";
  window_.session().nameSource(kSecond, {});
  EXPECT_TRUE(window_.windowTitle().contains("seed=22"));
}

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
  bringLarge(1);
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
  ASSERT_TRUE(watchesBeside(QStringList{third}));
  EXPECT_EQ(window_.live().options().source, kSecond);
}

// Seen: the app ended at a double click, and of two quick clicks the second ended another camera.
TEST_F(WallOfCameras, WhatIsClickedWhileAnotherOneGoesIsStillTheOneThatIsSeen) {
  ASSERT_TRUE(bothShow());
  const QString third = QString(kSecond).replace("seed=22", "seed=23"),
                fourth = QString(kSecond).replace("seed=22", "seed=24");
  window_.session().openBeside(third);
  window_.session().openBeside(fourth);
  ASSERT_TRUE(watchesBeside({kSecond, third, fourth}));
  for (int click = 0; click < 2; ++click) ASSERT_TRUE(hands::click(remove("seed=22")));
  EXPECT_TRUE(watchesBeside({third, fourth}));
  window_.session().openBeside(kSecond);
  ASSERT_TRUE(watchesBeside({third, fourth, kSecond}));
  ASSERT_TRUE(hands::click(remove("seed=23")));
  ASSERT_TRUE(hands::click(remove("seed=24")));
  EXPECT_TRUE(watchesBeside({kSecond}));
  for (int click = 0; click < 2; ++click) ASSERT_TRUE(hands::click(remove("seed=22")));
  EXPECT_TRUE(watchesBeside({}));
}

TEST_F(WallOfCameras, AnotherSourceComesInPlaceOfTheChosenOne) {
  ASSERT_TRUE(bothShow());
  bringLarge(1);
  const auto engine = window_.live().engine();
  window_.session().openSource(kFirst);
  EXPECT_EQ(said(), "It is already being watched.");
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
  bringLarge(1);
  const QString third = QString(kSecond).replace("seed=22", "seed=23"),
                fourth = QString(kSecond).replace("seed=22", "seed=24");
  window_.session().openSource(third);
  window_.session().openSource(fourth);
  ASSERT_TRUE(watchesBeside(QStringList{fourth}));
  EXPECT_EQ(window_.live().options().source, kFirst);
}

TEST_F(WallOfCameras, TheSameSourceTwiceIsRefused) {
  ASSERT_TRUE(bothShow());
  const auto engine = window_.live().engine();
  window_.session().openBeside(kFirst);
  EXPECT_EQ(said(), "It is already being watched.");
  EXPECT_EQ(window_.live().engine(), engine);
  EXPECT_EQ(window_.live().options().beside, QStringList{kSecond});
}

// Seen: the second was refused, as if it were the first.
TEST_F(WallOfCameras, TwoWhoseNamesDifferOutsideOfAsciiAreWatchedBesideEachOther) {
  ASSERT_TRUE(bothShow());
  const QString north = QStringLiteral("/nowhere/北门"), south = QStringLiteral("/nowhere/南门");
  window_.session().openBeside(north);
  window_.session().openBeside(south);
  EXPECT_TRUE(watchesBeside(QStringList{kSecond, north, south}));
}

}  // namespace
}  // namespace mpm::gui
