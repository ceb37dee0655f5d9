// SPDX-License-Identifier: Apache-2.0
// What is shown of the camera that was chosen on the wall.
#include <gtest/gtest.h>

#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <cstddef>
#include <limits>

#include "gui/app/model_shelf.h"
#include "gui/app/report.h"
#include "gui/app/wall.h"
#include "gui/app/wall_of_cameras.h"
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
  EXPECT_TRUE(waitFor([&] { return window_.glance()->tokens()->figure() != "–"; }));
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
  QTest::keyClick(window_.wall()->view(0), Qt::Key_Return);
  EXPECT_TRUE(window_.windowTitle().contains("seed=21"));
}

TEST_F(WallOfCameras, RulesAndZonesAreThoseOfTheChosenOne) {
  ASSERT_TRUE(bothShow());
  EXPECT_TRUE(window_.session().book().zones.empty());
  QTest::keyClick(window_.wall()->view(1), Qt::Key_Return);
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
  QTest::keyClick(window_.wall()->view(1), Qt::Key_Return);
  const QString report = reportText(window_.live());
  EXPECT_TRUE(report.contains("seed=22"));
  EXPECT_FALSE(report.contains("seed=21"));
  EXPECT_TRUE(report.contains("of the wall: 2 of 2"));
  EXPECT_TRUE(report.contains("120 x 160"));
  window_.teaching().open();
  const TeachWindow* teach = window_.teaching().window();
  ASSERT_TRUE(teach != nullptr && teach->project() != nullptr);
  ASSERT_EQ(teach->project()->frames().size(), 1);
  EXPECT_EQ(teach->project()->frame(teach->project()->frames()[0]).cols, 120);
}

TEST_F(WallOfCameras, TheCardOfTheModelShowsTheChosenOne) {
  ASSERT_TRUE(bothShow());
  ModelShelf shelf(window_.session());
  const QString model = window_.live().options().model;
  shelf.note();
  shelf.finish();
  const QSize first = ModelShelf::of(model).picture.size();
  EXPECT_GT(first.width(), first.height());
  QTest::keyClick(window_.wall()->view(1), Qt::Key_Return);
  shelf.note();
  shelf.finish();
  const QSize second = ModelShelf::of(model).picture.size();
  EXPECT_LT(second.width(), second.height());
}

// Seen: what was measured on one camera's frames was shown beside another's.
TEST_F(WallOfCameras, WhatIsMeasuredEndsWhenAnotherIsShown) {
  ASSERT_TRUE(bothShow());
  ASSERT_TRUE(hands::choose(window_, "Tune"));
  auto* button = window_.tune()->findChild<QPushButton*>();
  ASSERT_TRUE(waitFor([&] { return button->isVisible(); }));
  const QString nothing = window_.tune()->findChild<ParetoPlot*>()->summary();
  ASSERT_TRUE(hands::click(button));
  ASSERT_TRUE(window_.tune()->isRunning());
  QTest::keyClick(window_.wall()->view(1), Qt::Key_Return);
  EXPECT_TRUE(waitFor([&] { return !window_.tune()->isRunning(); }));
  EXPECT_EQ(window_.tune()->findChild<ParetoPlot*>()->summary(), nothing);
}

// Seen: the moment was marked in the plot of the camera that was shown, whichever it was of.
TEST_F(WallOfCameras, AClickOnAnEventShowsTheCameraWhereItHappened) {
  ASSERT_TRUE(bothShow());
  EventList& list = window_.events()->list();
  const auto rowOfIt = [&] {  // another one whenever something happens
    for (int row = 0; row < list.rowCount(); ++row)
      if (list.item(row, 2)->text().contains("seed=22: Rule 'road' began")) return row;
    return -1;
  };
  ASSERT_TRUE(waitFor([&] { return rowOfIt() >= 0; }));
  ASSERT_TRUE(hands::choose(window_, "Events"));
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
  EXPECT_FALSE(window_.dayNight()->tokens()->timeWindow().live());
}

// Seen: views that nobody saw were drawn on.
TEST_F(WallOfCameras, ZonesAreDrawnOnTheViewsOfTheChosenOne) {
  ASSERT_TRUE(bothShow());
  QTest::keyClick(window_.wall()->view(1), Qt::Key_Return);
  ASSERT_TRUE(hands::press(window_, QKeySequence("Ctrl+D")));
  EXPECT_FALSE(window_.wall()->isVisible());
  EXPECT_TRUE(window_.deck()->isVisible());
  EXPECT_EQ(window_.live().shown(), 1U);
  ASSERT_TRUE(hands::press(window_, QKeySequence("Ctrl+5")));
  EXPECT_TRUE(window_.wall()->isVisible());
  for (const FrameView* view : window_.deck()->findChildren<FrameView*>())
    EXPECT_FALSE(view->isZoneEditing());
}

}  // namespace
}  // namespace mpm::gui
