// SPDX-License-Identifier: Apache-2.0
// The app as somebody sees it who starts it for the first time, or for once with other options.
#include <gtest/gtest.h>

#include "gui/app/living_window.h"
#include "gui/app/open_dialogs.h"
#include "models/street/street_model.h"

namespace mpm::gui {
namespace {

class FirstStart : public LivingWindow {};

TEST_F(FirstStart, WithinTenSecondsTheStripSaysAllThreeFigures) {
  QElapsedTimer since;
  since.start();
  AppOptions options;
  options.face = Face::study;
  options.fresh = true;
  options.record = folder_.filePath("record.sqlite");
  window_.emplace(withOptions({}, options));
  int results = 0;  // that it is told of; its engine may have many more
  QObject::connect(
      &live(), &Live::resultReady, &window(), [&] { ++results; }, Qt::QueuedConnection);
  window().show();
  for (const char* name : {"Fewer tokens", "Less time", "Label agreement"})
    ASSERT_TRUE(isKnown(name)) << name;
  // A busy machine takes longer for a result, but needs no more of them.
  EXPECT_TRUE(since.elapsed() < 10'000 || results < 20) << since.elapsed() << " ms, " << results;
  EXPECT_TRUE(glanceStrip(window())->isVisible());
}

// Guards against losing settings after one look with --fresh, or one start without a memory.
class ForOneStart : public LivingWindow {
 protected:
  static constexpr const char* kSource = "scene:?size=64x64&seed=40";
  static constexpr const char* kBeside = "scene:?size=64x64&seed=41";

  ForOneStart() {
    QFile::remove(rulesFileOf(kSource));
    Settings before;
    writeSettings(before);
    before.live.source = kSource;
    before.live.beside = QStringList{kBeside};
    before.sourceNames[sourceName(kSource)] = "gate";
    before.recentSources = QStringList{kSource, "/dev/video0"};
    before.teachFolder = "/taught";
    before.theme = Theme::light;
    writeSettings(before);
  }
  ~ForOneStart() override {
    window_.reset();
    writeSettings({});
    QFile::remove(rulesFileOf(kSource));
  }
  static void expectAllKept() {
    const Settings kept = readSettings();
    EXPECT_EQ(kept.live.sources(), (QStringList{kSource, kBeside}));
    EXPECT_EQ(kept.sourceNames.value(sourceName(kSource)), "gate");
    EXPECT_TRUE(kept.recentSources.contains("/dev/video0"));
    EXPECT_EQ(kept.teachFolder, "/taught");
    EXPECT_EQ(kept.theme, Theme::light);
    EXPECT_TRUE(kept.live.memory);
  }
  /// Starts with the remembered settings and these options; returns whether the app watches.
  bool start(const std::function<void(AppOptions&)>& set = {}) {
    AppOptions options;
    options.face = Face::study;
    options.record = "none";
    if (set) set(options);
    open(withOptions(options.fresh ? Settings() : readSettings(), options));
    return waitFor([&] { return engine() && live().newest(); });
  }
  bool closesAgain() {
    window().show();
    return window().close();
  }
};

TEST_F(ForOneStart, AMemoryThatIsOffThenIsOnAtTheNext) {
  ASSERT_TRUE(start([](AppOptions& options) { options.noMemory = true; }));
  EXPECT_FALSE(engine()->remembers());
  session().openModel(smallModel());
  ASSERT_TRUE(isOpened());
  EXPECT_FALSE(engine()->remembers()) << "still the same start";
  ASSERT_TRUE(window().close());
  expectAllKept();
  session().setMemory(false);  // by hand
  ASSERT_TRUE(closesAgain());
  EXPECT_FALSE(readSettings().live.memory);
}

// Guards against a model that exhausts memory and so ends each later start.
TEST_F(ForOneStart, AModelThatWasNeverOpenedIsNotTheOneOfTheNext) {
  ASSERT_TRUE(start());
  const QString ran = live().model();
  session().openModel(smallModel());
  ASSERT_TRUE(live().isOpening());
  ASSERT_TRUE(window().close());
  EXPECT_EQ(readSettings().live.modelOf(kSource), ran);
  ASSERT_TRUE(isOpened());
  ASSERT_TRUE(closesAgain());
  EXPECT_EQ(readSettings().live.modelOf(kSource), smallModel());
  EXPECT_EQ(readSettings().live.modelOf(kBeside), ran);
  expectAllKept();
}

TEST_F(ForOneStart, ViewsAndTheChosenCameraOfAWallAreThereAtTheNext) {
  ASSERT_TRUE(start());
  EXPECT_TRUE(wall().isVisible());
  session().show(1);
  choose("Wall of cameras");
  EXPECT_FALSE(wall().isVisible());
  ASSERT_TRUE(window().close());
  ASSERT_TRUE(start());
  EXPECT_EQ(live().shown(), 1U);
  EXPECT_TRUE(deck().isVisible() && !wall().isVisible());
  choose("Wall of cameras");
  EXPECT_TRUE(wall().isVisible());
}

// Guards against losing a wall of cameras after one look at a video.
TEST_F(ForOneStart, ASourceThatWasNamedLeavesTheCamerasBesideEachOther) {
  const QString named = "scene:?size=64x64&seed=42", beside = "scene:?size=64x64&seed=43";
  ASSERT_TRUE(start([&](AppOptions& options) { options.source = named; }));
  EXPECT_EQ(live().sources(), 1U);
  ASSERT_TRUE(window().close());
  expectAllKept();
  session().openBeside(beside);  // by hand
  ASSERT_TRUE(isOpened());
  ASSERT_TRUE(closesAgain());
  EXPECT_EQ(readSettings().live.sources(), (QStringList{named, beside}));
}

TEST_F(ForOneStart, WhatIsDoneAfreshLeavesWhatIsRememberedAlone) {
  monitor::RuleBook book;
  book.zones.push_back({"gate", {{0, 0}, {1, 0}, {1, 1}}});
  writeBook(rulesFileOf(kSource), book);
  ASSERT_TRUE(start([](AppOptions& options) {
    options.fresh = true;
    options.source = kSource;
  }));
  EXPECT_TRUE(session().book() == book) << "one that is drawn now comes beside them";
  session().nameSource(kSource, "yard");
  ASSERT_TRUE(window().close());
  expectAllKept();
}

// Guards against an error with nothing to click. A source that cannot be opened ends so, too.
TEST_F(FirstStart, AWrongModelLeavesABannerThatOffersAnother) {
  open(street([&](AppOptions& options) { options.model = fileOf("none.onnx", "no model"); }));
  ASSERT_TRUE(waitFor([&] { return banner(window())->isVisible(); }));
  EXPECT_TRUE(banner(window())->findChild<QLabel*>()->text().contains("none.onnx"));
  QStringList offered;
  QPushButton *source = nullptr, *choose = nullptr;
  for (QPushButton* button : banner(window())->findChildren<QPushButton*>()) {
    if (!button->isVisible()) continue;
    offered << button->text();
    source = std::exchange(choose, button);
  }
  EXPECT_EQ(offered, (QStringList{"Choose another source", "Choose another model"}));
  answer<SourceDialog>([](SourceDialog& dialog) { dialog.reject(); });
  ASSERT_TRUE(hands::click(source));
  EXPECT_EQ(answered_, 1);
  answer<ModelDialog>([](ModelDialog& dialog) {
    dialog.offer(QString::fromStdString(streetModel()));
    dialog.accept();
  });
  ASSERT_TRUE(hands::click(choose));
  EXPECT_EQ(answered_, 2);
  EXPECT_TRUE(isLive());
  EXPECT_FALSE(banner(window())->isVisible());
}

}  // namespace
}  // namespace mpm::gui
