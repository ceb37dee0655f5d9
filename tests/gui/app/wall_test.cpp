// SPDX-License-Identifier: Apache-2.0
// Cameras beside each other, as they stand, come and go.
#include "gui/app/wall.h"

#include <gtest/gtest.h>

#include "gui/app/living_window.h"

namespace mpm::gui {
namespace {

TEST_F(WallOfCameras, ShowsEachAndAClickBringsOneLarge) {
  EXPECT_FALSE(deck().isVisible());
  EXPECT_TRUE(window().focusWidget() != nullptr && wall().isAncestorOf(window().focusWidget()))
      << "keys are not for what was typed into";
  EXPECT_EQ(wall().view(0)->result()->frame.picture.cols, 160);
  EXPECT_EQ(wall().view(1)->result()->frame.picture.cols, 120);
  const int before = wall().view(1)->width();
  ASSERT_TRUE(hands::click(wall().view(1)));
  EXPECT_EQ(wall().large(), 1);
  EXPECT_TRUE(waitFor([&] { return wall().view(1)->width() > before * 3 / 2; }));
  EXPECT_LT(wall().view(0)->height(), wall().view(1)->height());
  hands::keys(wall().view(1), "Esc");
  EXPECT_EQ(wall().large(), -1);
  bringLarge(0);
  EXPECT_EQ(wall().large(), 0);
}

// Guards against two rows of 69 pixels on a wall of 900 x 185, a large picture of 60 pixels with
// empty room, and unused room around one of full width.
TEST_F(WallOfCameras, StandsAsMakesPicturesLargest) {
  Wall wall(session());
  wall.show();
  const auto place = [&](int i) {
    return QRect(wall.view(i)->mapTo(&wall, QPoint(0, 0)), wall.view(i)->size());
  };
  const auto isBeside = [&] { return place(0).y() == place(1).y() && place(0).x() < place(1).x(); };
  const auto isBelow = [&] { return place(0).x() == place(1).x() && place(0).y() < place(1).y(); };
  const auto isRight = [&] { return place(0).x() > place(1).right(); };  // of the large one
  const struct {
    QSize size;
    int large;
    std::function<bool()> stands;
  } cases[]{
      {{900, 200}, -1, isBeside},
      {{300, 900}, -1, [&] { return isBelow() && place(1).height() > 400; }},
      {{900, 200}, -1, [&] { return isBeside() && place(0).height() > 160; }},
      {{400, 900}, 0, [&] { return place(1).height() > 300 && place(0).height() >= 300; }},
      {{900, 180},
       1,
       [&] {
         return isRight() && place(1).height() > 140 && place(1).width() > 600 &&
                place(0).width() < 250;
       }},
      {{900, 75}, 1, [&] { return isRight() && place(1).height() > 30; }},
      {{400, 900}, 1, [&] { return place(0).y() > place(1).bottom() && place(1).width() > 390; }},
      // A small one is as wide as the others.
      {{1200, 600},
       1,
       [&] { return isRight() && place(1).height() > 550 && place(0).height() < 250; }},
      {{1200, 600}, -1, [&] { return place(0).width() == place(1).width(); }}};
  for (const auto& one : cases) {
    wall.resize(one.size);
    wall.enlarge(one.large);
    EXPECT_TRUE(waitFor(one.stands))
        << one.size.width() << " x " << one.size.height() << ", " << one.large;
  }
  // Guards against three rows of one camera each after a start with a panel.
  Wall late(session());
  late.setMinimumWidth(900);
  late.resize(900, 20);
  late.show();
  emit session().began(live().engines());
  late.resize(900, 200);
  EXPECT_TRUE(waitFor([&] {
    return late.view(0)->mapTo(&late, QPoint()).y() == late.view(1)->mapTo(&late, QPoint()).y();
  }));
}

// Guards against an empty wall with "Live" below it, from one engine to the next.
TEST_F(WallOfCameras, KeepsItsPicturesUntilTheNextEngineIsThere) {
  std::promise<void> enough;
  const auto isHeld = std::make_shared<std::atomic<bool>>(false);
  engine()->withNetwork(  // so that it ends late
      [isHeld, until = enough.get_future().share()](monitor::Network&) {
        *isHeld = true;
        until.wait();
      });
  ASSERT_TRUE(waitFor([&] { return isHeld->load(); })) << "an engine that ends does not call it";
  session().openSource("scene:?seed=23&size=160x120");
  EXPECT_TRUE(waitFor([&] { return !engine() && state().contains("Opening"); }));
  EXPECT_FALSE(state().contains("Live"));
  const auto views = wall().findChildren<FrameView*>();
  ASSERT_EQ(views.size(), 2);
  EXPECT_TRUE(waitFor([&] {
    return std::all_of(views.begin(), views.end(),
                       [](const FrameView* one) { return one->result() && one->isStale(); });
  })) << "it says how old they are";
  enough.set_value();
  EXPECT_TRUE(isLive(2) && becomes("Live"));
}

// Guards against all cameras starting over when one comes, goes, or gets another model.
TEST_F(WallOfCameras, ACameraGoesOnWhateverBecomesOfOthers) {
  const QString third = another(24);
  const auto first = live().engine(0);
  const auto goesOn = [&] {
    return live().engine(0) == first &&
           waitFor([&, from = first->frames()] { return first->frames() > from; });
  };
  EXPECT_TRUE(goesOn());
  session().openBeside(third);
  ASSERT_TRUE(watches({kFirst, kSecond, third}) && isLive(3));
  EXPECT_TRUE(goesOn()) << "beside another one";
  session().show(2);
  session().openModel(smallModel());
  ASSERT_TRUE(isOpened());
  EXPECT_EQ(live().model(), smallModel());
  EXPECT_NE(live().engine(2)->classes(), first->classes());
  EXPECT_EQ(session().classes().count(), static_cast<int>(live().engine(2)->classes().size()));
  ASSERT_TRUE(isLive(3));
  EXPECT_TRUE(goesOn()) << "with its own model";
  session().closeSource(1);
  ASSERT_TRUE(watches({kFirst, third}));
  EXPECT_EQ(live().model(), smallModel()) << "which stays its own and shown";
  EXPECT_EQ(session().settings().recentModels.mid(0, 2),
            (QStringList{smallModel(), live().options().model}))
      << "that any camera has";
  session().openModel(smallModel(), Session::For::all);
  ASSERT_TRUE(isOpened() && isLive(2));
  EXPECT_NE(live().engine(0), first);
  EXPECT_TRUE(live().options().ownModels.isEmpty());
}

// Guards against "Live" below a camera whose picture was 27 s old.
TEST_F(WallOfCameras, IsCalledLiveWhereEachIsAndTilesSayWhyTheyAreNot) {
  const auto says = [&](int of, const char* words) {
    return waitFor([&] { return wall().view(of)->accessibleDescription().contains(words); });
  };
  EXPECT_TRUE(becomes("Live"));
  std::promise<void> enough;
  engine()->withNetwork([until = enough.get_future().share()](monitor::Network&) { until.wait(); });
  EXPECT_TRUE(becomes("Behind"));
  EXPECT_TRUE(says(0, "the model is still busy") && says(1, "the model is still busy"));
  enough.set_value();
  EXPECT_TRUE(becomes("Live"));
  EXPECT_TRUE(waitFor([&] { return !wall().view(0)->isStale() && !wall().view(1)->isStale(); }));
  session().openBeside("/nowhere/video.mp4");
  EXPECT_TRUE(becomes("2 of 3 live"));
  EXPECT_TRUE(says(2, "Next try in")) << qPrintable(wall().view(2)->accessibleDescription());
  press("Ctrl+5");
  EXPECT_TRUE(waitFor([&] { return state().contains("Live") && !state().contains(" live"); }))
      << "of the one that is seen alone";
}

// The first camera must be identifiable, too.
TEST_F(WallOfCameras, EventsAndRulesOfEachAreToldByItsNameWhichStandsAboveItsPicture) {
  EXPECT_TRUE(waitFor(
      [&] { return wall().view(1)->accessibleDescription().contains("A rule holds in: all."); }));
  EXPECT_TRUE(happened("seed=22: Rule 'road' began"));
  EXPECT_TRUE(happened("seed=21: frames come") && happened("seed=22: frames come"));
  bringLarge(1);
  session().nameSource(kSecond, "gate & yard");
  EXPECT_TRUE(happened("gate & yard: frames come"));
  const auto anyButton = [&](const auto& is) {
    const auto buttons = wall().findChildren<QToolButton*>();
    return std::any_of(buttons.begin(), buttons.end(), is);
  };
  EXPECT_TRUE(anyButton([](const QToolButton* one) {
    return one->text() == "gate && yard" && one->toolTip() == "Enlarges it, or shows all again";
  }));
  EXPECT_NE(remove("gate & yard"), nullptr);
  EXPECT_TRUE(window().windowTitle().startsWith("gate & yard"));
  EXPECT_TRUE(waitFor(
      [] { return readSettings().sourceNames.value(sourceName(kSecond)) == "gate & yard"; }));
  const QString longName = QString(300, 'w') + "17";
  session().nameSource(kSecond, longName);
  EXPECT_TRUE(waitFor([&] {
    return anyButton([&](const QToolButton* one) {
      return one->text().contains(QChar(0x2026)) && one->text().endsWith("17") &&
             one->accessibleName() == longName && one->toolTip().startsWith(longName + '\n') &&
             one->fontMetrics().horizontalAdvance(one->text()) < one->width();
    });
  })) << "seen: both ends cut off, and ten cameras whose addresses begin alike by one name";
  session().nameSource(kSecond, {});
  EXPECT_TRUE(titleHas("seed=22"));
}

// Guards against Escape leaving full screen with a large camera.
TEST_F(WallOfCameras, InFullScreenEscapeBringsAllBackFirst) {
  press("F11");
  ASSERT_TRUE(waitFor([&] { return window().isFullScreen(); }));
  EXPECT_FALSE(remove("seed=22")->isVisible()) << "no chrome";
  bringLarge(1);
  ASSERT_EQ(wall().large(), 1);
  press("Ctrl+P");
  EXPECT_TRUE(waitFor([&] { return wall().view(1)->accessibleDescription().contains("Paused."); }));
  ASSERT_TRUE(hands::click(wall().view(1)));
  ASSERT_TRUE(wall().view(1)->viewState()->pinned());
  press("Esc");
  EXPECT_FALSE(wall().view(1)->viewState()->pinned());
  EXPECT_EQ(wall().large(), 1);
  press("Esc");
  EXPECT_EQ(wall().large(), -1);
  EXPECT_TRUE(window().isFullScreen());
  press("Esc");
  EXPECT_TRUE(waitFor([&] { return !window().isFullScreen(); }));
  EXPECT_TRUE(remove("seed=22")->isVisible());
}

TEST_F(WallOfCameras, OneThatIsNoLongerWatchedLeavesTheViewsOfTheOther) {
  ASSERT_TRUE(hands::click(remove("seed=22")));
  EXPECT_TRUE(watches({kFirst}));
  EXPECT_TRUE(waitFor([&] { return deck().isVisible() && !wall().isVisible(); }));
}

// Guards against a wall that cannot keep only its second camera.
TEST_F(WallOfCameras, TheFirstOneCanGoAsWellButNotTheLast) {
  bringLarge(1);
  for (const char* each : {"seed=21", "seed=22"}) ASSERT_TRUE(hands::click(remove(each)));
  EXPECT_TRUE(watches({kSecond}));
  EXPECT_TRUE(waitFor([&] { return deck().isVisible(); }));
  EXPECT_TRUE(titleHas("seed=22"));
  EXPECT_EQ(session().book().zones.size(), 1U) << "its own";
}

// Guards against an index beyond the remaining camera: a double click ended the app, and of two
// quick clicks the second ended another camera.
TEST_F(WallOfCameras, WhatIsOpenedOrClickedWhileOneGoesIsWhatIsMeant) {
  const QString third = another(23), fourth = another(24);
  ASSERT_TRUE(hands::click(remove("seed=21")));
  session().openSource(third);
  ASSERT_TRUE(watches({kSecond, third}));
  session().openBeside(fourth);
  ASSERT_TRUE(watches({kSecond, third, fourth}));
  for (int click = 0; click < 2; ++click) ASSERT_TRUE(hands::click(remove("seed=23")));
  EXPECT_TRUE(watches({kSecond, fourth}));
  session().openBeside(third);
  ASSERT_TRUE(watches({kSecond, fourth, third}));
  ASSERT_TRUE(hands::click(remove("seed=24")));
  ASSERT_TRUE(hands::click(remove("seed=23")));
  EXPECT_TRUE(watches({kSecond}));
}

// Guards against replacing the first camera instead, and refusing a second as a duplicate.
TEST_F(WallOfCameras, AnotherSourceComesInPlaceOfTheChosenOneOrBesideAndNoneTwice) {
  bringLarge(1);
  const auto before = engine();
  for (const bool beside : {false, true}) {
    session().said({}, false);
    beside ? session().openBeside(kFirst) : session().openSource(kFirst);
    EXPECT_EQ(said(), "It is already being watched.");
  }
  EXPECT_EQ(engine(), before);
  session().openSource(another(23));
  session().openSource(another(24));  // while that one comes
  ASSERT_TRUE(watches({kFirst, another(24)}));
  EXPECT_EQ(live().shown(), 1U);
  EXPECT_EQ(session().shownSource(), another(24));
  const QString north = QStringLiteral("/nowhere/北门"), south = QStringLiteral("/nowhere/南门");
  session().openBeside(north);
  session().openBeside(south);
  EXPECT_TRUE(watches({kFirst, another(24), north, south}));
}

}  // namespace
}  // namespace mpm::gui
