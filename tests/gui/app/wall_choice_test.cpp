// SPDX-License-Identifier: Apache-2.0
// What is shown of the camera that was chosen on the wall, and of no other.
#include <gtest/gtest.h>

#include "gui/app/history.h"
#include "gui/app/living_window.h"
#include "gui/app/report.h"
#include "gui/app/shelf.h"
#include "gui/plot/pareto_plot.h"

namespace mpm::gui {
namespace {

TEST_F(WallOfCameras, StripViewsPlotsAndReportFollowTheOneThatIsBroughtLarge) {
  EXPECT_TRUE(titleHas("seed=21") && reportText(live()).contains("seed=21"));
  ASSERT_TRUE(hands::click(wall().view(1)));
  EXPECT_EQ(live().shown(), 1U);
  EXPECT_TRUE(titleHas("seed=22"));
  EXPECT_EQ(live().newest()->frame.picture.cols, 120);
  EXPECT_TRUE(isKnown("Fewer tokens"));
  EXPECT_TRUE(waitFor([&] {
    const auto views = deck().findChildren<FrameView*>();
    return std::any_of(views.begin(), views.end(), [](const FrameView* view) {
      return view->result() && view->result()->frame.picture.cols == 120;
    });
  }));
  // Returns the zones; only the second camera has one.
  const auto zones = [&](std::size_t source) {
    EngineSeries series;
    series.setEngine(live().engine(source), {}, "any", {});
    constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;
    return series.buckets("zone.all.area.road", monitor::Resolution::second, 0, kEver).size();
  };
  EXPECT_TRUE(waitFor([&] { return zones(1) > 0; }));
  EXPECT_EQ(zones(0), 0U);
  const QString report = reportText(live());
  for (const char* words : {"seed=22", "of the wall: 2 of 2", "120 x 160"})
    EXPECT_TRUE(report.contains(words)) << words;
  EXPECT_FALSE(report.contains("seed=21"));
  hands::keys(wall().view(1), "Esc");
  EXPECT_EQ(live().shown(), 1U) << "all are back, the figures stay";
  bringLarge(0);
  EXPECT_TRUE(titleHas("seed=21"));
}

TEST_F(WallOfCameras, RulesAndZonesAreThoseOfTheChosenOne) {
  EXPECT_TRUE(session().book().zones.empty());
  bringLarge(1);
  monitor::RuleBook book = session().book();
  ASSERT_EQ(book.zones.size(), 1U);
  const auto before = engine();
  book.rules[0].name = "street";
  session().setBook(book);
  EXPECT_EQ(engine(), before) << "zones are the same: it goes on";
  EXPECT_EQ(readBook(rulesFileOf(kSecond)).rules[0].name, "street");
  EXPECT_TRUE(waitFor([&] {
    const auto rules = before->rules();
    return rules.size() == 1 && rules[0].first == "street";
  }));
  EXPECT_TRUE(live().engine(0)->rules().empty());
  book.zones.push_back({"half", {{0, 0}, {1, 0}, {1, 0.5}}});
  const auto other = live().engine(0);
  session().changeZones(book.zones);
  ASSERT_TRUE(beginsAnew(before));
  EXPECT_EQ(engine()->source().book.zones.size(), 2U);
  EXPECT_EQ(live().engine(0), other) << "which goes on";
  EXPECT_EQ(live().shown(), 1U) << "with another engine, too";
  // Guards against drawing on hidden views.
  press("Ctrl+D");
  EXPECT_TRUE(deck().isVisible() && !wall().isVisible());
  EXPECT_EQ(live().shown(), 1U);
  press("Ctrl+5");
  EXPECT_TRUE(wall().isVisible() && !drawsZones());
}

TEST_F(WallOfCameras, TeachAndTheCardOfTheModelAreOfTheChosenOne) {
  Shelf shelf(session());
  const auto shape = [&] {
    shelf.note();
    shelf.finish();
    const QSize size = Shelf::model(live().model()).picture.size();
    return size.width() - size.height();
  };
  EXPECT_GT(shape(), 0);
  bringLarge(1);
  EXPECT_LT(shape(), 0);
  window().beside().openTeach();
  const TeachWindow* teach = window().beside().teach();
  ASSERT_TRUE(teach != nullptr && teach->project() != nullptr);
  ASSERT_EQ(teach->project()->frames().size(), 1);
  EXPECT_EQ(teach->project()->frame(teach->project()->frames()[0]).cols, 120);
}

// Guards against measurements of one camera shown for another.
TEST_F(WallOfCameras, WhatIsMeasuredEndsWhenAnotherIsShown) {
  choose("Tune");
  const auto* plot = panel(window(), "Tune")->findChild<ParetoPlot*>();
  const QString nothing = plot->summary();
  ASSERT_TRUE(tune());
  bringLarge(1);
  EXPECT_TRUE(waitFor([&] { return !session().isMeasuring(); }));
  EXPECT_EQ(plot->summary(), nothing);
}

// Guards against marking the moment in whichever camera's plot is shown.
TEST_F(WallOfCameras, AClickOnAnEventShowsTheCameraWhereItHappened) {
  ASSERT_TRUE(happened("seed=22: Rule 'road' began"));
  choose("Events");
  ASSERT_EQ(live().shown(), 0U);
  clickOnEvent(rowOf("seed=22: Rule 'road' began"));
  EXPECT_EQ(live().shown(), 1U);
  EXPECT_FALSE(window().findChild<TimePlot*>("Tokens")->timeWindow().live());
}

/// Adds a camera that never sends a frame to the drawn street.
class CameraWithoutPictures : public Window {
 protected:
  CameraWithoutPictures() : Window(QStringList{"/dev/video99"}) {}
};

// Guards against the previous camera's comparison, age, tokens and share, with a warning.
TEST_F(CameraWithoutPictures, HasNoFiguresAndIsNotCompared) {
  ASSERT_TRUE(
      waitFor([&] { return engine() && wall().view(0)->result() && wall().view(1)->isVisible(); }));
  press("Ctrl+T");
  ASSERT_TRUE(waitFor([&] { return compares(); }));
  constexpr const char* kTiles[]{"Frame age", "Tokens", "Merged", "Frames per second"};
  for (const char* name : kTiles) EXPECT_TRUE(isKnown(name)) << name;
  ASSERT_TRUE(hands::click(wall().view(1)));
  ASSERT_EQ(live().shown(), 1U);
  EXPECT_FALSE(compares());
  for (const char* name : kTiles)
    EXPECT_EQ(tile(window(), name)->figure() + tile(window(), name)->note(), "–") << name;
  EXPECT_TRUE(isKnown("Frames per second")) << "none a second";
  EXPECT_EQ(tile(window(), "Frame age")->figure(), "–");
  EXPECT_EQ(tile(window(), "Tokens")->figure(), "–");
}

}  // namespace
}  // namespace mpm::gui
