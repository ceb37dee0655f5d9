// SPDX-License-Identifier: Apache-2.0
// How merging works, as somebody sees it who asks for it.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QTest>

#include "gui/app/main_window.h"
#include "gui/app/small_street.h"
#include "gui/explain/merge_window.h"
#include "gui/hands.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

class Explain : public ::testing::Test {
 protected:
  Explain() : window_(street()) {
    window_.resize(1000, 700);
    window_.show();
    window_.activateWindow();  // without a window manager nothing else does
  }
  static Settings street() { return withOptions({}, smallStreet()); }
  void choose(const QString& text) {
    EXPECT_TRUE(hands::choose(window_, text)) << qPrintable(text);
  }
  MergeWindow* merging() {
    choose("How merging works");
    auto* merging = window_.findChild<MergeWindow*>();
    EXPECT_TRUE(waitFor([&] { return merging->story() != nullptr; }));
    EXPECT_TRUE(waitForActive(merging));
    return merging;
  }
  static QStringList wordsOf(const QWidget& widget) {
    QStringList words;
    for (const QLabel* label : widget.findChildren<QLabel*>()) words << label->text();
    return words;
  }

  MainWindow window_;
};

TEST_F(Explain, MergingIsExplainedOnTheFrameOfThisMoment) {
  MergeWindow* shown = merging();
  const MergeStory& story = *shown->story();
  ASSERT_EQ(story.merges.size(), 2u);
  ASSERT_EQ(shown->steps(), 5);
  const auto rows = story.frame->segmentation.rows;
  EXPECT_EQ(story.merges[0].before - story.merges[0].behind, rows[0] - rows[1]);
  EXPECT_EQ(story.merges[1].before - story.merges[1].behind, rows[1] - rows[2]);
  EXPECT_GE(story.merges[0].mostAlike->similarity, story.merges[0].leastAlike->similarity);
  EXPECT_EQ(story.frame->schedule, (Schedule{2, 5}));

  QTest::keyClick(shown, Qt::Key_Right);
  EXPECT_EQ(shown->step(), 1);
  auto* movement = shown->findChild<QSlider*>();
  EXPECT_TRUE(movement->isVisible());
  EXPECT_TRUE(waitFor([&] { return movement->value() == movement->maximum(); })) << "it plays";
  movement->setFocus();
  QTest::keyClick(movement, Qt::Key_Right);
  EXPECT_EQ(shown->step(), 2) << "arrows step wherever the focus is";
  QTest::keyClick(shown, Qt::Key_Left);
  EXPECT_EQ(shown->step(), 1);
  QTest::keyClick(shown, Qt::Key_End);
  EXPECT_EQ(shown->step(), 4);
  EXPECT_FALSE(movement->isVisible());
  EXPECT_TRUE(waitFor([&] { return wordsOf(*shown).filter(" frames since ").size() == 1; }))
      << "the heat is counted while it runs";
  auto* light = shown->findChild<QComboBox*>();
  QSlider* hour = nullptr;
  for (QSlider* slider : shown->findChildren<QSlider*>())
    if (slider->accessibleName() == "Hour of the day") hour = slider;
  ASSERT_TRUE(light != nullptr && hour != nullptr);
  EXPECT_FALSE(hour->isVisible());
  light->setFocus();
  for (int i = 0; i < 3; ++i) QTest::keyClick(light, Qt::Key_Down);
  ASSERT_TRUE(hour->isVisible());
  EXPECT_TRUE(waitFor([&] { return wordsOf(*shown).filter(" frames since ").size() == 1; }));
  hour->setFocus();
  const Qt::Key away = hour->value() > 12 ? Qt::Key_PageDown : Qt::Key_PageUp;
  for (int i = 0; i < 2; ++i) QTest::keyClick(hour, away);
  EXPECT_TRUE(waitFor([&] { return wordsOf(*shown).filter("No such frame").size() == 1; }))
      << "nothing was seen two hours from now";
  QTest::keyClick(shown, Qt::Key_Right);
  EXPECT_EQ(shown->step(), 4) << "the last";
  QPointer<MergeWindow> gone = shown;
  QTest::keyClick(shown, Qt::Key_Escape);
  EXPECT_TRUE(waitFor([&] { return gone.isNull(); }));
}

// Seen: "in 812,345 frames since 14:05" of a window that had run for three days.
TEST_F(Explain, TellsTheDaySinceWhenFramesAreCounted) {
  const MergeStory& story = *merging()->story();
  const QDateTime since = QDateTime::currentDateTime().addDays(-2);
  MergeHeat heat;
  heat.add(story.frame->segmentation.mergeMap, story.frame->schedule, monitor::LightState::day,
           since.toMSecsSinceEpoch());
  const ClassSettings classes;
  MergeWindow window(heat, classes, nullptr);
  window.begin(window_.live().engine(), 0);
  window.show();
  ASSERT_TRUE(waitFor([&] { return window.story() != nullptr; }));
  window.goTo(window.steps() - 1);
  const QString day = QLocale().toString(since.date(), QLocale::ShortFormat);
  EXPECT_EQ(wordsOf(window).filter(" frames since " + day).size(), 1)
      << qPrintable(wordsOf(window).join('|'));
}

TEST_F(Explain, TheFrameStandsStillUntilAnotherIsAskedFor) {
  MergeWindow* shown = merging();
  const auto engine = window_.live().engine();
  const std::uint64_t number = shown->story()->frame->frame.number, frames = engine->frames(0);
  ASSERT_TRUE(waitFor([&] { return engine->frames(0) > frames + 2; }));
  EXPECT_EQ(shown->story()->frame->frame.number, number);
  for (QPushButton* button : shown->findChildren<QPushButton*>())
    if (button->text() == "Newest &frame") QTest::mouseClick(button, Qt::LeftButton);
  EXPECT_TRUE(waitFor([&] { return shown->story()->frame->frame.number > number; }));
}

TEST_F(Explain, WithoutMergesThereIsOneStepThatSaysSo) {
  ASSERT_TRUE(waitFor([&] { return window_.live().engine() != nullptr; }));
  window_.session().setSchedule("none");
  MergeWindow* shown = merging();
  EXPECT_EQ(shown->steps(), 1);
  EXPECT_EQ(wordsOf(*shown).filter("Merging is off").size(), 1);
}

TEST_F(Explain, AnotherSourceBeginsAnew) {
  MergeWindow* shown = merging();
  window_.session().openSource("scene:?clock=600x&hour=0&size=160x120&seed=7");
  EXPECT_TRUE(waitFor([&] { return shown->story() == nullptr; }));
  EXPECT_TRUE(waitFor([&] { return shown->story() != nullptr; }));
}

}  // namespace
}  // namespace mpm::gui
