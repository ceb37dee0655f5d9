// SPDX-License-Identifier: Apache-2.0
// What the menus and the bar set of merging, the scene memory and the precision.
#include <gtest/gtest.h>

#include "gui/app/living_window.h"
#include "gui/app/open_dialogs.h"
#include "models/street/street_model.h"
#include "mpm/net.h"

namespace mpm::gui {
namespace {

TEST_F(Window, TheScheduleActsOnTheLivingNetAndWhatIsNoneIsSaid) {
  ASSERT_TRUE(isLive());
  const auto net = engine();
  const auto merges = [&](const Schedule& schedule) {
    return waitFor([&] { return net->latest()->schedule == schedule; });
  };
  mergeBefore("none");
  EXPECT_TRUE(merges({}));
  EXPECT_TRUE(waitFor([&] { return net->latest()->segmentation.rows.size() == 1; }));
  mergeBefore("2,5");
  EXPECT_TRUE(merges({2, 5}));
  mergeBefore("5");
  EXPECT_TRUE(merges({5}));
  for (const char* wrong : {"99", "nonsense"}) {
    mergeBefore(wrong);
    EXPECT_TRUE(said().contains(wrong)) << qPrintable(said());
    EXPECT_EQ(net->schedule(), Schedule{5});
  }
  mergeBefore("none");
  EXPECT_TRUE(merges({}));
}

TEST_F(Window, TheStagesAreThoseOfTheSchedule) {
  ASSERT_TRUE(isLive());
  auto* stage = inBar<QComboBox>();
  ASSERT_NE(stage, nullptr);
  EXPECT_EQ(stage->count(), 3);  // behind all, 1, 2
  mergeBefore("1,3,5,7,9");
  ASSERT_EQ(stage->count(), 6);
  EXPECT_EQ(stage->itemText(5), "After merge 5");
  stage->setFocus();
  hands::keys(stage, "Down*4");
  EXPECT_EQ(stage->currentIndex(), 4);
  mergeBefore("1,2,3,4");
  EXPECT_EQ(stage->currentIndex(), 4);
  mergeBefore("2");
  EXPECT_EQ(stage->count(), 2);
  EXPECT_EQ(stage->currentIndex(), 0);
}

// Guards against showing the last comparison for good with merging off.
TEST_F(Window, TheSceneMemoryIsSwitchedAndAComparisonIsGoneWhereThereIsNoneAnyMore) {
  ASSERT_TRUE(isLive());
  const auto becomes = [&](bool remembers) {
    return waitFor([&] {
      return engine()->latest()->remembers == remembers && readSettings().live.memory == remembers;
    });
  };
  EXPECT_TRUE(action("Scene memory")->isChecked());
  EXPECT_TRUE(isKnown("Recomputed"));
  choose("Scene memory");
  EXPECT_TRUE(becomes(false));
  EXPECT_TRUE(
      waitFor([&] { return tile(window(), "Recomputed")->note() == "the scene memory is off"; }));
  press("Ctrl+T");
  ASSERT_TRUE(waitFor([&] { return compares(); }));
  mergeBefore("none");
  EXPECT_TRUE(waitFor([&] { return !compares(); }));
  choose("Scene memory");
  EXPECT_TRUE(becomes(true));
}

TEST_F(Window, ThePrecisionIsChosenFromTheMenuWhileItRunsAndStaysSo) {
  ASSERT_TRUE(isLive());
  mergeBefore("none");
  const auto precision = [&](const QString& text) -> QAction* {
    for (QAction* one : action("Precision")->menu()->actions())
      if (QString(one->text()).remove('&') == text) return one;
    return nullptr;
  };
  EXPECT_TRUE(precision("float32")->isChecked());
  EXPECT_FALSE(precision("TF32")->isVisible());  // a GPU's
  for (const auto& [text, name] : {std::pair("int8", "int8"), std::pair("float32", "fp32")}) {
    const auto before = engine();
    precision(text)->trigger();
    ASSERT_TRUE(beginsAnew(before)) << text;
    EXPECT_EQ(live().computing().precision, name);
    EXPECT_TRUE(precision(text)->isChecked());
    EXPECT_EQ(engine()->schedule(), Schedule());  // as it was
    EXPECT_TRUE(waitFor([&] { return readSettings().live.precision == name; }));
  }
}

// Guards against a field that shows a schedule that does not run, without a word.
TEST_F(Window, AScheduleThatAConvertedFileLacksIsRefusedAndTheLineGoesBack) {
  ASSERT_TRUE(isLive());
  const QString converted = folder_.filePath("converted.onnx");
  convert(streetModel(), converted.toStdString());  // for 2 and 5 alone
  session().openModel(converted);
  ASSERT_TRUE(waitFor([&] { return live().model() == converted && !live().isOpening(); }));
  for (int times = 0; times < 2; ++times) {
    mergeBefore("3");
    EXPECT_TRUE(says("can only merge before 2,5"));
    EXPECT_TRUE(waitFor([&] { return inBar()->text() == "2,5"; })) << times;
    EXPECT_EQ(live().options().schedule, (Schedule{2, 5}));
    EXPECT_EQ(session().settings().live.schedule, (Schedule{2, 5}));
  }
}

// Guards against a schedule that runs and is shown, but is forgotten at the next start.
TEST_F(Window, TheScheduleStaysWhereAModelIsRefusedOrTheSameOneIsOpenedAgain) {
  ASSERT_TRUE(isLive());
  mergeBefore("2");
  session().openModel(fileOf("none.onnx", "none"));
  ASSERT_TRUE(isOpened());
  EXPECT_EQ(engine()->schedule(), Schedule{2});
  EXPECT_TRUE(waitFor([] { return readSettings().live.schedule == Schedule{2}; }));
  answer<ModelDialog>([](ModelDialog& dialog) { hands::keys(&dialog, "Return"); });
  choose("Open model ...");
  ASSERT_TRUE(live().isOpening() && isOpened());
  EXPECT_EQ(engine()->schedule(), Schedule{2});
  EXPECT_EQ(session().settings().live.schedule, Schedule{2});
}

// Guards against keeping pictures that nobody wanted kept.
TEST_F(Window, WhatIsSetWhileAnotherSourceOpensHoldsForIt) {
  ASSERT_TRUE(isLive());
  const auto before = engine();
  session().openSource("scene:?clock=600x&hour=12&size=160x120&seed=6");
  mergeBefore("2");
  action("Scene memory")->trigger();
  session().setPicturesPerHour(0);
  ASSERT_TRUE(live().isOpening());
  ASSERT_TRUE(isOpened());
  ASSERT_TRUE(engine() && engine() != before);
  EXPECT_EQ(engine()->schedule(), Schedule{2});
  EXPECT_FALSE(engine()->remembers() || action("Scene memory")->isChecked() ||
               live().keepsPictures());
  const LiveOptions& kept = session().settings().live;
  EXPECT_EQ(kept.schedule, Schedule{2});
  EXPECT_FALSE(kept.memory);
  EXPECT_EQ(kept.picturesPerHour, 0);
}

}  // namespace
}  // namespace mpm::gui
