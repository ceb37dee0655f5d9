// SPDX-License-Identifier: Apache-2.0
// The window in other languages: nothing left in English, nothing cut off, no letter twice.
#include <gtest/gtest.h>

#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QStatusBar>

#include "gui/app/main_window.h"
#include "gui/app/translated_window.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

using testing::clash;
using testing::elided;
using testing::expectNoClash;
using testing::letterOf;
using testing::lettersOfWindow;
using testing::lines;
using testing::stillCut;

TEST_P(TranslatedWindow, HasAllItsPartsAndCutsNone) {
  MainWindow window(street());
  window.resize(1280, 800);
  window.show();
  ASSERT_TRUE(waitFor([&] {
    const auto engine = window.live().engine();
    return engine && engine->latest(0) && !window.deck()->exported().isNull();
  }));
  ASSERT_EQ(window.size(), QSize(1280, 800));
  for (const char* name : {"DayNight", "Performance", "Tune", "Events", "Classes"}) {
    auto* dock = window.findChild<QDockWidget*>(name);
    ASSERT_NE(dock, nullptr) << name;
    dock->show();
    dock->raise();
    window.performance()->showFigures(*window.live().engine(), window.live().newest());
    EXPECT_EQ(lines(stillCut(window)), "") << name;
    EXPECT_TRUE(waitFor([&] { return elided(window).isEmpty(); })) << name << lines(elided(window));
    keep(window, name);
  }
  for (int layout = 0; layout < kDeckLayouts; ++layout) {
    window.deck()->setLayoutKind(static_cast<DeckLayout>(layout));
    EXPECT_EQ(lines(stillCut(window)), "") << layout;
  }
  EXPECT_EQ(lines(unanswered_.list.values()), "");
}

TEST_P(TranslatedWindow, HasRoomForWhatComparingTells) {
  MainWindow window(street());
  window.resize(1280, 800);
  window.show();
  for (QAction* menu : window.menuBar()->actions()) {
    for (QAction* action : menu->menu()->actions()) {
      if (action->shortcut() == QKeySequence("Ctrl+T")) action->setChecked(true);
    }
  }
  ASSERT_TRUE(waitFor([&] {
    for (const auto* label : window.statusBar()->findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains('%')) return true;
    return false;
  }));
  EXPECT_EQ(lines(stillCut(window)), "");
  keep(window, "Comparing");
}

TEST_P(TranslatedWindow, HasNoLetterTwiceInAMenu) {
  const MainWindow window(street());
  QStringList texts = lettersOfWindow(window);
  int letters = 0;
  for (const QAction* action : window.menuBar()->actions()) {
    texts << action->text();
    letters += letterOf(action->text()).isEmpty() ? 0 : 1;
    expectNoClash(*action->menu());
  }
  EXPECT_EQ(clash(texts).toStdString(), "");
  EXPECT_EQ(letters, window.menuBar()->actions().size());
}

// What happens is told in the language of the app, as far as it is no error.
TEST_P(TranslatedWindow, TellsWhatHappensInItsLanguage) {
  MainWindow window(street());
  window.show();
  const auto told = [&](const char* kind) {
    return waitFor([&] {
      const EventList& list = window.events()->list();
      for (int row = 0; row < list.rowCount(); ++row) {
        const EventList::Entry entry = list.entry(row);
        if (entry.kind != kind) continue;
        EXPECT_NE(list.item(row, 2)->text(), entry.text);
        return true;
      }
      return false;
    });
  };
  EXPECT_TRUE(told("source"));
  EXPECT_TRUE(told("light"));
  window.session().setSchedule("3");
  EXPECT_TRUE(told("schedule"));
  window.session().setMemory(false);
  EXPECT_TRUE(told("memory"));
  window.live().engine()->setFilter([](const cv::Mat& picture) { return picture.clone(); });
  EXPECT_TRUE(told("filter"));
  EXPECT_EQ(lines(unanswered_.list.values()), "");
}

INSTANTIATE_TEST_SUITE_P(Languages, TranslatedWindow, ::testing::Values("de", "fr"));

}  // namespace
}  // namespace mpm::gui
