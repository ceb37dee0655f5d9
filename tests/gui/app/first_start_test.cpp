// SPDX-License-Identifier: Apache-2.0
// The app as somebody sees it who starts it for the first time, or for once with other options.
#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include "gui/app/living_window.h"
#include "gui/app/open_dialogs.h"
#include "gui/hands.h"
#include "gui/wait_for.h"
#include "in_project.h"
#include "models/street/street_model.h"

namespace mpm::gui {
namespace {

TEST(FirstStart, WithinTenSecondsTheStripSaysAllThreeFigures) {
  QElapsedTimer since;
  since.start();
  const QTemporaryDir home;
  AppOptions options;
  options.face = Face::study;
  options.fresh = true;
  options.record = home.filePath("record.sqlite");
  MainWindow window(withOptions({}, options));
  int results = 0;  // that it is told of; its engine may have many more
  QObject::connect(
      &window.live(), &Live::resultReady, &window, [&] { ++results; }, Qt::QueuedConnection);
  window.show();
  const auto isKnown = [&] {
    for (const char* name : {"Fewer tokens", "Less time", "Same labels"})
      if (tile(window, name)->figure() == "–") return false;
    return true;
  };
  ASSERT_TRUE(waitFor(isKnown));
  // A machine that does much else takes longer for a result, but needs no more of them.
  EXPECT_TRUE(since.elapsed() < 10'000 || results < 20) << since.elapsed() << " ms, " << results;
  EXPECT_TRUE(glanceStrip(window)->isVisible());
}

// Seen: a look with --fresh, or a start without a memory, and what was remembered was gone.
class ForOneStart : public ::testing::Test {
 protected:
  ForOneStart() {
    QFile::remove(rulesFileOf(kSource));
    writeSettings(before_);
    before_.live.source = kSource;
    before_.live.beside = QStringList{"scene:?size=64x64&seed=41"};
    before_.sourceNames[sourceName(kSource)] = "gate";
    before_.recentSources = QStringList{kSource, "/dev/video0"};
    before_.teachFolder = "/taught";
    before_.theme = Theme::light;
    writeSettings(before_);
  }
  ~ForOneStart() override {
    writeSettings({});
    QFile::remove(rulesFileOf(kSource));
  }
  static void expectAllKept(const Settings& kept) {
    EXPECT_EQ(kept.live.source, kSource);
    EXPECT_EQ(kept.live.beside, QStringList{"scene:?size=64x64&seed=41"});
    EXPECT_EQ(kept.sourceNames.value(sourceName(kSource)), "gate");
    EXPECT_TRUE(kept.recentSources.contains("/dev/video0"));
    EXPECT_EQ(kept.teachFolder, "/taught");
    EXPECT_EQ(kept.theme, Theme::light);
    EXPECT_TRUE(kept.live.memory);
  }
  static bool isLive(MainWindow& window) {
    return waitFor([&] { return window.live().engine() && window.live().newest(); });
  }

  static constexpr const char* kSource = "scene:?size=64x64&seed=40";
  Settings before_;
};

TEST_F(ForOneStart, AMemoryThatIsOffThenIsOnAtTheNext) {
  AppOptions options;
  options.face = Face::study;
  options.record = "none";
  options.noMemory = true;
  MainWindow window(withOptions(readSettings(), options));
  window.show();
  ASSERT_TRUE(isLive(window));
  EXPECT_FALSE(window.live().engine()->remembers());
  window.session().openModel(
      QString::fromStdString(test::inProject("tests/models/segmenter_mask.onnx")));
  ASSERT_TRUE(waitFor([&] { return !window.live().isOpening(); }));
  EXPECT_FALSE(window.live().engine()->remembers()) << "still the same start";
  ASSERT_TRUE(window.close());
  expectAllKept(readSettings());
  window.session().setMemory(false);  // by hand
  window.show();
  ASSERT_TRUE(window.close());
  EXPECT_FALSE(readSettings().live.memory);
}

// A model that the memory does not suffice for ended the app, and then each start that followed.
TEST_F(ForOneStart, AModelThatWasNeverOpenedIsNotTheOneOfTheNext) {
  AppOptions options;
  options.face = Face::study;
  options.record = "none";
  MainWindow window(withOptions(readSettings(), options));
  window.show();
  ASSERT_TRUE(isLive(window));
  const QString ran = window.live().options().model;
  const QString other = QString::fromStdString(test::inProject("tests/models/segmenter_mask.onnx"));
  window.session().openModel(other);
  ASSERT_TRUE(window.live().isOpening());
  ASSERT_TRUE(window.close());
  EXPECT_EQ(readSettings().live.model, ran);
  ASSERT_TRUE(waitFor([&] { return !window.live().isOpening(); }));
  window.show();
  ASSERT_TRUE(window.close());
  EXPECT_EQ(readSettings().live.model, other);
  expectAllKept(readSettings());
}

TEST_F(ForOneStart, ViewsAndTheChosenCameraOfAWallAreThereAtTheNext) {
  AppOptions options;
  options.face = Face::study;
  options.record = "none";
  {
    MainWindow window(withOptions(readSettings(), options));
    window.show();
    ASSERT_TRUE(isLive(window));
    EXPECT_TRUE(window.wall()->isVisible());
    window.session().show(1);
    ASSERT_TRUE(hands::choose(window, "Wall of cameras"));
    EXPECT_FALSE(window.wall()->isVisible());
    ASSERT_TRUE(window.close());
  }
  MainWindow window(withOptions(readSettings(), options));
  window.show();
  ASSERT_TRUE(isLive(window));
  EXPECT_EQ(window.live().shown(), 1U);
  EXPECT_FALSE(window.wall()->isVisible());
  EXPECT_TRUE(window.deck()->isVisible());
  ASSERT_TRUE(hands::choose(window, "Wall of cameras"));
  EXPECT_TRUE(window.wall()->isVisible());
}

// A wall of cameras was gone after one look at a video.
TEST_F(ForOneStart, ASourceThatWasNamedLeavesTheCamerasBesideEachOther) {
  AppOptions options;
  options.face = Face::study;
  options.record = "none";
  options.source = "scene:?size=64x64&seed=42";
  MainWindow window(withOptions(readSettings(), options));
  window.show();
  ASSERT_TRUE(isLive(window));
  EXPECT_EQ(window.live().engine()->sources(), 1U);
  ASSERT_TRUE(window.close());
  expectAllKept(readSettings());
  window.session().openBeside("scene:?size=64x64&seed=43");  // by hand
  ASSERT_TRUE(waitFor([&] { return !window.live().isOpening(); }));
  window.show();
  ASSERT_TRUE(window.close());
  EXPECT_EQ(readSettings().live.source, *options.source);
  EXPECT_EQ(readSettings().live.beside, QStringList{"scene:?size=64x64&seed=43"});
}

TEST_F(ForOneStart, WhatIsDoneAfreshLeavesWhatIsRememberedAlone) {
  monitor::RuleBook book;
  book.zones.push_back({"gate", {{0, 0}, {1, 0}, {1, 1}}});
  writeBook(rulesFileOf(kSource), book);
  AppOptions options;
  options.face = Face::study;
  options.record = "none";
  options.fresh = true;
  options.source = kSource;
  MainWindow window(withOptions({}, options));
  window.show();
  ASSERT_TRUE(isLive(window));
  EXPECT_TRUE(window.session().book() == book) << "one that is drawn now comes beside them";
  window.session().nameSource(kSource, "yard");
  ASSERT_TRUE(window.close());
  expectAllKept(readSettings());
}

// Seen: a window that said what was wrong with --model, and nothing to click.
class WrongModel : public LivingWindow {
 protected:
  WrongModel()
      : LivingWindow([](const QTemporaryDir& folder) {
          QFile none(folder.filePath("none.onnx"));
          EXPECT_TRUE(none.open(QIODevice::WriteOnly) && none.write("no model") > 0);
          AppOptions options = smallStreet();
          options.model = none.fileName();
          return withOptions({}, options);
        }) {}
};

TEST_F(WrongModel, LeavesABannerThatOffersAnother) {
  ASSERT_TRUE(waitFor([&] { return banner(window_)->isVisible(); }));
  EXPECT_TRUE(banner(window_)->findChild<QLabel*>()->text().contains("none.onnx"));
  QPushButton* choose = nullptr;
  for (QPushButton* button : banner(window_)->findChildren<QPushButton*>()) {
    EXPECT_EQ(button->isVisible(), button->text() == "Choose another model");
    if (button->isVisible()) choose = button;
  }
  answer<ModelDialog>([](ModelDialog& dialog) {
    dialog.offer(QString::fromStdString(streetModel()));
    dialog.accept();
  });
  ASSERT_TRUE(hands::click(choose));
  EXPECT_EQ(answered_, 1);
  EXPECT_TRUE(isLive());
  EXPECT_FALSE(banner(window_)->isVisible());
}

}  // namespace
}  // namespace mpm::gui
