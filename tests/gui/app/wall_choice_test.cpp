// SPDX-License-Identifier: Apache-2.0
// What is shown of the camera that was chosen on the wall, and of no other.
#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <cstddef>
#include <limits>

#include "gui/app/history.h"
#include "gui/app/living_window.h"
#include "gui/app/report.h"
#include "gui/app/shelf.h"
#include "gui/app/wall.h"
#include "gui/plot/pareto_plot.h"

namespace mpm::gui {
namespace {

TEST_F(WallOfCameras, StripViewsAndPlotsFollowTheOneThatIsBroughtLarge) {
  ASSERT_TRUE(bothShow());
  EXPECT_TRUE(window_.windowTitle().contains("seed=21"));
  QTest::mouseClick(window_.wall()->view(1), Qt::LeftButton, {},
                    window_.wall()->view(1)->rect().center());
  EXPECT_EQ(window_.live().shown(), 1U);
  EXPECT_TRUE(window_.windowTitle().contains("seed=22"));
  EXPECT_EQ(window_.live().newest()->frame.picture.cols, 120);
  EXPECT_TRUE(waitFor([&] { return tile(window_, "Fewer tokens")->figure() != "–"; }));
  EXPECT_TRUE(waitFor([&] {
    for (const FrameView* view : window_.deck()->findChildren<FrameView*>())
      if (view->result() && view->result()->frame.picture.cols == 120) return true;
    return false;
  }));
  // A zone that the second has alone.
  const auto zones = [&](std::size_t source) {
    EngineSeries series;
    series.setEngine(window_.live().engine(), {}, "any", {}, source);
    constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;
    return series.buckets("zone.all.area.road", monitor::Resolution::second, 0, kEver).size();
  };
  EXPECT_TRUE(waitFor([&] { return zones(1) > 0; }));
  EXPECT_EQ(zones(0), 0U);
  QTest::keyClick(window_.wall()->view(1), Qt::Key_Escape);
  EXPECT_EQ(window_.live().shown(), 1U) << "all are back, the figures stay";
  bringLarge(0);
  EXPECT_TRUE(window_.windowTitle().contains("seed=21"));
}

TEST_F(WallOfCameras, RulesAndZonesAreThoseOfTheChosenOne) {
  ASSERT_TRUE(bothShow());
  EXPECT_TRUE(window_.session().book().zones.empty());
  bringLarge(1);
  monitor::RuleBook book = window_.session().book();
  ASSERT_EQ(book.zones.size(), 1U);
  const auto engine = window_.live().engine();
  book.rules[0].name = "street";
  window_.session().setBook(book);
  EXPECT_EQ(window_.live().engine(), engine) << "zones are the same: it goes on";
  EXPECT_EQ(readBook(rulesFileOf(kSecond)).rules[0].name, "street");
  EXPECT_TRUE(waitFor([&] {
    const auto rules = engine->rules(1);
    return rules.size() == 1 && rules[0].first == "street";
  }));
  EXPECT_TRUE(engine->rules(0).empty());
  book.zones.push_back({"half", {{0, 0}, {1, 0}, {1, 0.5}}});
  window_.session().changeZones(book.zones);
  ASSERT_TRUE(waitFor([&] {
    const auto next = window_.live().engine();
    return next && next != engine && next->source(1).book.zones.size() == 2;
  }));
  EXPECT_TRUE(window_.live().engine()->source(0).book.zones.empty());
  EXPECT_EQ(window_.live().shown(), 1U) << "with another engine, too";
}

TEST_F(WallOfCameras, TheReportAndTeachAreOfTheChosenOne) {
  ASSERT_TRUE(bothShow());
  EXPECT_TRUE(reportText(window_.live()).contains("seed=21"));
  bringLarge(1);
  const QString report = reportText(window_.live());
  EXPECT_TRUE(report.contains("seed=22"));
  EXPECT_FALSE(report.contains("seed=21"));
  EXPECT_TRUE(report.contains("of the wall: 2 of 2"));
  EXPECT_TRUE(report.contains("120 x 160"));
  window_.beside().openTeach();
  const TeachWindow* teach = window_.beside().teach();
  ASSERT_TRUE(teach != nullptr && teach->project() != nullptr);
  ASSERT_EQ(teach->project()->frames().size(), 1);
  EXPECT_EQ(teach->project()->frame(teach->project()->frames()[0]).cols, 120);
}

TEST_F(WallOfCameras, TheCardOfTheModelShowsTheChosenOne) {
  ASSERT_TRUE(bothShow());
  Shelf shelf(window_.session());
  const QString model = window_.live().options().model;
  shelf.note();
  shelf.finish();
  const QSize first = Shelf::model(model).picture.size();
  EXPECT_GT(first.width(), first.height());
  bringLarge(1);
  shelf.note();
  shelf.finish();
  const QSize second = Shelf::model(model).picture.size();
  EXPECT_LT(second.width(), second.height());
}

// Seen: what was measured on one camera's frames was shown beside another's.
TEST_F(WallOfCameras, WhatIsMeasuredEndsWhenAnotherIsShown) {
  ASSERT_TRUE(bothShow());
  choose("Tune");
  auto* button = panel(window_, "Tune")->findChild<QPushButton*>();
  ASSERT_TRUE(waitFor([&] { return button->isVisible(); }));
  const QString nothing = panel(window_, "Tune")->findChild<ParetoPlot*>()->summary();
  ASSERT_TRUE(hands::click(button));
  ASSERT_TRUE(window_.session().isMeasuring());
  bringLarge(1);
  EXPECT_TRUE(waitFor([&] { return !window_.session().isMeasuring(); }));
  EXPECT_EQ(panel(window_, "Tune")->findChild<ParetoPlot*>()->summary(), nothing);
}

// Seen: the moment was marked in the plot of the camera that was shown, whichever it was of.
TEST_F(WallOfCameras, AClickOnAnEventShowsTheCameraWhereItHappened) {
  ASSERT_TRUE(bothShow());
  EventList& list = window_.events()->list();
  const auto rowOfIt = [&] {  // another one whenever something happens
    for (int row = 0; row < list.rowCount(); ++row)
      if (list.words(row).contains("seed=22: Rule 'road' began")) return row;
    return -1;
  };
  ASSERT_TRUE(waitFor([&] { return rowOfIt() >= 0; }));
  choose("Events");
  QTableView* view = window_.events()->view();
  ASSERT_TRUE(waitFor([&] { return view->isVisible(); }));
  ASSERT_EQ(window_.live().shown(), 0U);
  const auto clickOn = [&](int of) {
    view->scrollTo(list.index(of, 2));
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                      view->visualRect(list.index(of, 2)).center());
  };
  clickOn(rowOfIt());
  EXPECT_EQ(window_.live().shown(), 1U);
  EXPECT_FALSE(window_.findChild<TimePlot*>("Tokens")->timeWindow().live());
}

// Seen: views that nobody saw were drawn on.
TEST_F(WallOfCameras, ZonesAreDrawnOnTheViewsOfTheChosenOne) {
  ASSERT_TRUE(bothShow());
  bringLarge(1);
  press("Ctrl+D");
  EXPECT_FALSE(window_.wall()->isVisible());
  EXPECT_TRUE(window_.deck()->isVisible());
  EXPECT_EQ(window_.live().shown(), 1U);
  press("Ctrl+5");
  EXPECT_TRUE(window_.wall()->isVisible());
  EXPECT_FALSE(drawsZones());
}

/// Beside the drawn street a camera that never sends a picture.
class CameraWithoutPictures : public Window {
 protected:
  CameraWithoutPictures() : Window(QStringList{"/dev/video99"}) {}
  bool isBeside() {
    return waitFor([&] {
      return window_.live().engine() && window_.wall()->view(0)->result() &&
             window_.wall()->view(1)->isVisible();
    });
  }
  void look(int source) {
    ASSERT_TRUE(hands::click(window_.wall()->view(source)));
    ASSERT_EQ(window_.live().shown(), static_cast<std::size_t>(source));
  }
};

// Seen: the status line kept the comparison of the camera before.
TEST_F(CameraWithoutPictures, IsNotComparedWithFullTokens) {
  ASSERT_TRUE(isBeside());
  press("Ctrl+T");
  const auto compares = [&] {
    for (const QLabel* label : window_.statusBar()->findChildren<QLabel*>())
      if (label->isVisible() && label->text().startsWith("This frame: ")) return true;
    return false;
  };
  ASSERT_TRUE(waitFor(compares));
  look(1);
  EXPECT_FALSE(compares());
}

// Seen: its age, tokens and share were those of the camera before, with a warning.
TEST_F(CameraWithoutPictures, HasNoFiguresOfPerformance) {
  ASSERT_TRUE(isBeside());
  const QString unknown = QString::fromUtf8("–");
  const FigureTile *age = tile(window_, "Frame age"), *tokens = tile(window_, "Live tokens"),
                   *share = tile(window_, "Merged"), *rate = tile(window_, "Frames a second");
  ASSERT_TRUE(waitFor([&] {
    return age->figure() != unknown && tokens->figure() != unknown && share->figure() != unknown &&
           rate->figure() != unknown;
  }));
  look(1);
  for (const FigureTile* tile : {age, tokens, share, rate}) {
    EXPECT_EQ(tile->figure(), unknown) << qPrintable(tile->accessibleName());
    EXPECT_EQ(tile->note(), QString()) << qPrintable(tile->accessibleName());
  }
  EXPECT_TRUE(waitFor([&] { return rate->figure() != unknown; })) << "none a second";
  EXPECT_EQ(age->figure(), unknown);
  EXPECT_EQ(tokens->figure(), unknown);
}

}  // namespace
}  // namespace mpm::gui
