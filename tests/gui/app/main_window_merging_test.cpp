// SPDX-License-Identifier: Apache-2.0
// What the menus set of merging, the scene memory and the precision.
#include <gtest/gtest.h>

#include <QAction>
#include <QLabel>
#include <QMenu>
#include <utility>

#include "gui/app/main_window_actions.h"

namespace mpm::gui {
namespace {

TEST_F(Actions, MergingIsSetFromTheMenu) {
  ASSERT_TRUE(isLive());
  const auto engine = window_.live().engine();
  choose("Full tokens");
  EXPECT_EQ(engine->schedule(), Schedule());
  choose("Merge before 2 and 5");
  EXPECT_EQ(engine->schedule(), (Schedule{2, 5}));
}

// Seen: with merging off, the status line gave the last comparison as that of this frame, for good.
TEST_F(Actions, AComparisonIsGoneWhereThereIsNoneAnyMore) {
  ASSERT_TRUE(isLive());
  choose("Scene memory");
  ASSERT_TRUE(hands::press(window_, QKeySequence("Ctrl+T")));
  const auto compares = [&] {
    for (const QLabel* label : window_.statusBar()->findChildren<QLabel*>())
      if (label->isVisible() && label->text().startsWith("This frame: ")) return true;
    return false;
  };
  ASSERT_TRUE(waitFor(compares));
  choose("Full tokens");
  EXPECT_TRUE(waitFor([&] { return !compares(); }));
}

TEST_F(Actions, TheSceneMemoryIsSwitchedFromTheMenuAndStaysSo) {
  ASSERT_TRUE(isLive());
  const auto engine = window_.live().engine();
  const auto becomes = [&](bool remembers) {
    return waitFor([&] { return engine->latest(0)->remembers == remembers; });
  };
  EXPECT_TRUE(action("Scene memory")->isChecked());
  EXPECT_TRUE(becomes(true));
  EXPECT_TRUE(waitFor([&] { return window_.glance()->computed()->figure() != "–"; }));
  choose("Scene memory");
  EXPECT_TRUE(becomes(false));
  EXPECT_TRUE(
      waitFor([&] { return window_.glance()->computed()->note() == "the scene memory is off"; }));
  EXPECT_TRUE(waitFor([] { return !readSettings().live.memory; }));
  choose("Scene memory");
  EXPECT_TRUE(becomes(true));
  EXPECT_TRUE(waitFor([] { return readSettings().live.memory; }));
}

TEST_F(Actions, ThePrecisionIsChosenFromTheMenuWhileItRunsAndStaysSo) {
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

}  // namespace
}  // namespace mpm::gui
