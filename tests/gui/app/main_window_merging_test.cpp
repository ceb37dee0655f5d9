// SPDX-License-Identifier: Apache-2.0
// What the menus set of merging, the scene memory and the precision.
#include <gtest/gtest.h>

#include <QAction>
#include <QFile>
#include <QLabel>
#include <QMenu>
#include <QToolBar>
#include <utility>

#include "gui/app/living_window.h"
#include "gui/app/open_dialogs.h"
#include "models/street/street_model.h"
#include "mpm/net.h"

namespace mpm::gui {
namespace {

TEST_F(Window, MergingIsSetFromTheMenu) {
  ASSERT_TRUE(isLive());
  const auto engine = window_.live().engine();
  choose("Full tokens");
  EXPECT_EQ(engine->schedule(), Schedule());
  choose("Merge before 2 and 5");
  EXPECT_EQ(engine->schedule(), (Schedule{2, 5}));
}

// Seen: with merging off, the status line gave the last comparison as that of this frame, for good.
TEST_F(Window, AComparisonIsGoneWhereThereIsNoneAnyMore) {
  ASSERT_TRUE(isLive());
  choose("Scene memory");
  press("Ctrl+T");
  const auto compares = [&] {
    for (const QLabel* label : window_.statusBar()->findChildren<QLabel*>())
      if (label->isVisible() && label->text().startsWith("This frame: ")) return true;
    return false;
  };
  ASSERT_TRUE(waitFor(compares));
  choose("Full tokens");
  EXPECT_TRUE(waitFor([&] { return !compares(); }));
}

TEST_F(Window, TheSceneMemoryIsSwitchedFromTheMenuAndStaysSo) {
  ASSERT_TRUE(isLive());
  const auto engine = window_.live().engine();
  const auto becomes = [&](bool remembers) {
    return waitFor([&] { return engine->latest(0)->remembers == remembers; });
  };
  EXPECT_TRUE(action("Scene memory")->isChecked());
  EXPECT_TRUE(becomes(true));
  EXPECT_TRUE(waitFor([&] { return tile(window_, "Computed")->figure() != "–"; }));
  choose("Scene memory");
  EXPECT_TRUE(becomes(false));
  EXPECT_TRUE(
      waitFor([&] { return tile(window_, "Computed")->note() == "the scene memory is off"; }));
  EXPECT_TRUE(waitFor([] { return !readSettings().live.memory; }));
  choose("Scene memory");
  EXPECT_TRUE(becomes(true));
  EXPECT_TRUE(waitFor([] { return readSettings().live.memory; }));
}

TEST_F(Window, ThePrecisionIsChosenFromTheMenuWhileItRunsAndStaysSo) {
  ASSERT_TRUE(isLive());
  choose("Full tokens");
  const auto precision = [&](const QString& text) -> QAction* {
    for (QAction* one : action("Precision")->menu()->actions()) {
      if (QString(one->text()).remove('&') == text) return one;
    }
    return nullptr;
  };
  EXPECT_TRUE(precision("float32")->isChecked());
  EXPECT_FALSE(precision("TF32")->isVisible());  // a GPU's
  for (const auto& [text, name] : {std::pair("int8", "int8"), std::pair("float32", "fp32")}) {
    const auto before = window_.live().engine();
    precision(text)->trigger();
    ASSERT_TRUE(waitFor([&] {
      const auto engine = window_.live().engine();
      return engine && engine != before && engine->latest(0);
    })) << text;
    EXPECT_EQ(window_.live().computing().precision, name);
    EXPECT_TRUE(precision(text)->isChecked());
    EXPECT_EQ(window_.live().engine()->schedule(), Schedule());  // as it was
    EXPECT_TRUE(waitFor([&] { return readSettings().live.precision == name; }));
  }
}

// Seen: the line went on showing it, and nobody said that it does not run.
TEST_F(Window, AScheduleThatAConvertedFileLacksIsRefusedAndTheLineGoesBack) {
  ASSERT_TRUE(isLive());
  const QString converted = folder_.filePath("converted.onnx");
  convert(streetModel(), converted.toStdString());  // for 2 and 5 alone
  window_.session().openModel(converted);
  ASSERT_TRUE(waitFor(
      [&] { return window_.live().options().model == converted && !window_.live().isOpening(); }));
  mergeBefore("3");
  EXPECT_TRUE(says("can only merge before 2,5")) << qPrintable(said());
  EXPECT_EQ(inBar()->text(), "2,5");
  EXPECT_EQ(window_.live().options().schedule, (Schedule{2, 5}));
  EXPECT_EQ(window_.session().settings().live.schedule, (Schedule{2, 5}));
  mergeBefore("3");
  EXPECT_TRUE(waitFor([&] { return inBar()->text() == "2,5"; })) << "once more";
  EXPECT_TRUE(said().contains("can only merge before 2,5")) << qPrintable(said());
}

// Seen: it ran on and stood in the line, but no later start knew it.
TEST_F(Window, TheScheduleStaysWhereAModelIsRefused) {
  ASSERT_TRUE(isLive());
  mergeBefore("2");
  const QString none = folder_.filePath("none.onnx");
  QFile file(none);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly) && file.write("none") > 0);
  file.close();
  window_.session().openModel(none);
  ASSERT_TRUE(waitFor([&] { return !window_.live().isOpening(); }));
  EXPECT_EQ(window_.session().settings().live.schedule, Schedule{2});
  EXPECT_TRUE(waitFor([] { return readSettings().live.schedule == Schedule{2}; }));
  EXPECT_EQ(window_.live().engine()->schedule(), Schedule{2});
}

TEST_F(Window, TheScheduleStaysWhereTheSameModelIsOpenedAgain) {
  ASSERT_TRUE(isLive());
  mergeBefore("2");
  const auto before = window_.live().engine();
  answer<ModelDialog>([](ModelDialog& dialog) { QTest::keyClick(&dialog, Qt::Key_Return); });
  choose("Open model ...");
  ASSERT_TRUE(
      waitFor([&] { return window_.live().engine() && window_.live().engine() != before; }));
  EXPECT_EQ(window_.live().engine()->schedule(), Schedule{2});
  EXPECT_EQ(window_.session().settings().live.schedule, Schedule{2});
}

// Seen: pictures that nobody wanted kept were kept.
TEST_F(Window, WhatIsSetWhileAnotherSourceOpensHoldsForIt) {
  ASSERT_TRUE(isLive());
  const auto before = window_.live().engine();
  window_.session().openSource("scene:?clock=600x&hour=12&size=160x120&seed=6");
  mergeBefore("2");
  action("Scene memory")->trigger();
  window_.session().setPicturesPerHour(0);
  ASSERT_TRUE(window_.live().isOpening());
  ASSERT_TRUE(waitFor([&] { return !window_.live().isOpening(); }));
  const auto engine = window_.live().engine();
  ASSERT_TRUE(engine && engine != before);
  EXPECT_EQ(engine->schedule(), Schedule{2});
  EXPECT_FALSE(engine->remembers());
  EXPECT_FALSE(action("Scene memory")->isChecked());
  EXPECT_FALSE(window_.live().keepsPictures());
  const LiveOptions& kept = window_.session().settings().live;
  EXPECT_EQ(kept.schedule, Schedule{2});
  EXPECT_FALSE(kept.memory);
  EXPECT_EQ(kept.picturesPerHour, 0);
}

}  // namespace
}  // namespace mpm::gui
