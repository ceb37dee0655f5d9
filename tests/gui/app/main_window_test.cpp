// SPDX-License-Identifier: Apache-2.0
// The whole app without a display: the street model on a drawn street, and what goes wrong.
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QSignalSpy>
#include <QSlider>
#include <algorithm>

#include "gui/app/living_window.h"
#include "gui/app/report.h"

namespace mpm::gui {
namespace {

Settings streetSettings() { return withOptions({}, smallStreet()); }

TEST_F(Window, OpensOnTheStreetAndShowsIt) {
  ASSERT_TRUE(isLive());
  const auto engine = window_.live().engine();
  EXPECT_EQ(engine->classes().size(), 12u);
  EXPECT_EQ(engine->schedule(), (Schedule{2, 5}));
  ASSERT_TRUE(waitFor([&] { return !window_.deck()->exported().isNull(); }));
  const monitor::FrameResultPtr result = engine->latest(0);
  EXPECT_EQ(result->segmentation.stages.size(), 2u);
  EXPECT_LT(result->segmentation.rows.back(), result->segmentation.rows.front());
  // The picture in the window is no single colour.
  const QImage shown = window_.deck()->grab().toImage();
  QSet<QRgb> colours;
  for (int x = 0; x < shown.width(); x += 7) colours.insert(shown.pixel(x, shown.height() / 4));
  EXPECT_GT(colours.size(), 10);
}

// What a newcomer sees without a click.
TEST_F(Window, SaysAtOnceWhatMergingSavesAndKeeps) {
  ASSERT_TRUE(isLive());
  for (const char* name : {"Fewer tokens", "Less time", "Same labels"})
    EXPECT_TRUE(waitFor([&] { return tile(window_, name)->figure() != "–"; })) << name;
  ASSERT_TRUE(hands::click(tile(window_, "Less time")));
  ASSERT_TRUE(hands::followLink());
  EXPECT_TRUE(waitFor([&] { return panel(window_, "Performance")->isVisible(); }));
}

// Of the window, what the two pictures have that it opens with.
double shareOfPictures(const QString& size) {
  Settings settings = streetSettings();
  settings.live.source = "scene:?clock=600x&hour=12&size=" + size;
  MainWindow window(settings);
  window.resize(1280, 800);
  window.show();
  double area = 0;
  const bool isThere = waitFor([&] {
    area = 0;
    for (const FrameView* view : window.deck()->findChildren<FrameView*>()) {
      if (!view->isVisible() || !view->result()) continue;
      const cv::Size picture = view->result()->frame.picture.size();
      const QSize shown =
          QSize(picture.width, picture.height).scaled(view->size(), Qt::KeepAspectRatio);
      area += shown.width() * shown.height();
    }
    return area > 0;
  });
  EXPECT_TRUE(isThere);
  return area / (window.width() * window.height());
}

// Seen: 43 % for cameras of 4:3, since a panel stood beside them.
TEST(WindowSize, PicturesHaveMostOfIt) {
  EXPECT_GE(shareOfPictures("160x120"), 0.55);
  EXPECT_GE(shareOfPictures("144x144"), 0.55);
  EXPECT_GE(shareOfPictures("160x90"), 0.44) << "as wide as the window, and no higher";
}

TEST_F(Window, EveryViewInEveryLayoutPaints) {
  ASSERT_TRUE(isLive());
  for (int layout = 0; layout < kDeckLayouts; ++layout) {
    window_.deck()->setLayoutKind(static_cast<DeckLayout>(layout));
    for (int kind = 0; kind < kViewKinds; ++kind) {
      window_.deck()->showKind(static_cast<ViewKind>(kind));
      EXPECT_FALSE(window_.deck()->grab().isNull());
      EXPECT_FALSE(window_.deck()->exported().isNull()) << layout << " " << kind;
    }
  }
}

TEST_F(Window, TheScheduleActsOnTheLivingNet) {
  ASSERT_TRUE(isLive());
  const auto engine = window_.live().engine();
  mergeBefore("5");
  EXPECT_TRUE(waitFor([&] { return engine->latest(0)->schedule == Schedule{5}; }));
  mergeBefore("99");
  EXPECT_TRUE(said().contains("99")) << qPrintable(said());
  EXPECT_EQ(engine->schedule(), Schedule{5});
  mergeBefore("nonsense");
  EXPECT_TRUE(said().contains("nonsense")) << qPrintable(said());
  mergeBefore("none");
  EXPECT_TRUE(waitFor([&] { return engine->latest(0)->segmentation.rows.size() == 1; }));
}

TEST_F(Window, TheStagesAreThoseOfTheSchedule) {
  ASSERT_TRUE(isLive());
  auto* stage = inBar<QComboBox>();
  ASSERT_NE(stage, nullptr);
  EXPECT_EQ(stage->count(), 3);  // behind all, 1, 2
  mergeBefore("1,3,5,7,9");
  ASSERT_EQ(stage->count(), 6);
  EXPECT_EQ(stage->itemText(5), "Behind merge 5");
  stage->setFocus();
  for (int i = 0; i < 4; ++i) QTest::keyClick(stage, Qt::Key_Down);
  EXPECT_EQ(stage->currentIndex(), 4);
  mergeBefore("1,2,3,4");
  EXPECT_EQ(stage->currentIndex(), 4);
  mergeBefore("2");
  EXPECT_EQ(stage->count(), 2);
  EXPECT_EQ(stage->currentIndex(), 0);
}

TEST_F(Window, ChangesAreMarkedInThePlotAndASimulatedNightIsSaid) {
  ASSERT_TRUE(isLive());
  ASSERT_TRUE(becomes("Live")) << qPrintable(state());
  choose("Day and night");
  auto* night = panel(window_, "DayNight")->findChild<QCheckBox*>();
  ASSERT_TRUE(waitFor([&] { return night->isVisible(); }));
  QTest::mouseClick(night, Qt::LeftButton, {}, {10, night->height() / 2});
  EXPECT_TRUE(becomes("simulated night")) << qPrintable(state());
  EXPECT_TRUE(waitFor([&] {
    return named<QLabel>(window_, "Day and night")->text().startsWith("A simulated night is shown");
  })) << qPrintable(named<QLabel>(window_, "Day and night")->text());
  const QString other = "scene:?clock=600x&hour=11&size=160x120";
  window_.session().openSource(other);
  ASSERT_TRUE(shows(other));
  EXPECT_FALSE(night->isChecked());
  EXPECT_FALSE(window_.live().engine()->latest(0)->filtered);
}

TEST_F(Window, ASettingIsKeptWhenItChangesAndNotAtTheEnd) {
  ASSERT_TRUE(isLive());
  auto* opacity = inBar<QSlider>();
  ASSERT_NE(opacity, nullptr);
  opacity->setFocus();
  QTest::keyClick(opacity, opacity->value() > 50 ? Qt::Key_PageDown : Qt::Key_PageUp);
  const int other = opacity->value();
  mergeBefore("3");
  EXPECT_TRUE(waitFor([&] {
    const Settings kept = readSettings();
    return kept.opacity == other / 100.0 && kept.live.schedule == Schedule{3};
  }));
}

TEST_F(Window, AnAddressThatIsNoneIsRefused) {
  ASSERT_TRUE(isLive());
  QSignalSpy failed(&window_.live(), &Live::failed);
  const auto engine = window_.live().engine();
  window_.session().openSource("scene:?seed=banana");
  ASSERT_TRUE(waitFor([&] { return failed.count() > 0; }));
  EXPECT_EQ(window_.live().engine(), engine);
}

TEST_F(Window, TuningCanBeCancelled) {
  ASSERT_TRUE(isLive());
  ASSERT_TRUE(tune());
  ASSERT_TRUE(hands::click(panel(window_, "Tune")->findChild<QPushButton*>()));
  EXPECT_TRUE(waitFor([&] { return !window_.session().isMeasuring(); }));
}

TEST_F(Window, AnotherSourceEndsTuningAndTheEngineBefore) {
  ASSERT_TRUE(isLive());
  const std::weak_ptr<monitor::Engine> before = window_.live().engine();
  ASSERT_TRUE(tune());
  window_.session().openSource("scene:?seed=9&size=160x120");
  // Nobody keeps it, so that its camera is free.
  EXPECT_TRUE(waitFor([&] { return before.expired(); }));
  EXPECT_TRUE(isLive());
}

TEST(WindowSize, AFaultAtLengthMakesNoWindowWider) {
  AppOptions options;
  options.face = Face::study;
  options.source = "scene:?size=160x120";
  options.record = "none";
  MainWindow sound(withOptions({}, options));
  options.record = "/nowhere/" + QString("long").repeated(100) + "/a.sqlite";
  MainWindow window(withOptions({}, options));
  window.show();
  const auto says = [&] {
    for (const QLabel* label : window.statusBar()->findChildren<QLabel*>())
      if (label->text().contains("longlong")) return true;
    return false;
  };
  ASSERT_TRUE(waitFor(says));
  EXPECT_LT(window.minimumSizeHint().width(), sound.minimumSizeHint().width() + 200);
}

// On a screen that nobody attends a record that could not be written was not seen.
TEST(FullScreen, TheStatusLineIsThereWhereARecordCannotBeWritten) {
  AppOptions options;
  options.face = Face::study;
  options.source = "scene:?size=160x120";
  options.record = "/nowhere/a.sqlite";
  MainWindow window(withOptions({}, options));
  window.show();
  window.goFullScreen();
  EXPECT_FALSE(window.statusBar()->isVisible());
  EXPECT_TRUE(waitFor([&] { return window.isFullScreen() && window.statusBar()->isVisible(); }));
  EXPECT_FALSE(window.menuBar()->isVisible());
}

// Seen: on a screen of 900 x 600 the last tile and the second picture were beyond its edge.
TEST(WindowSize, IsNoLargerThanTheScreen) {
  AppOptions options;
  options.face = Face::study;
  options.record = "none";
  options.source = "scene:?size=160x120";
  MainWindow window(withOptions({}, options));
  const QSize room = window.screen()->availableSize();
  EXPECT_LE(window.width(), room.width());
  EXPECT_LE(window.height(), room.height());
  Settings larger = withOptions({}, options);
  window.resize(4 * room);
  larger.geometry = window.saveGeometry();
  MainWindow next(larger);
  EXPECT_LE(next.width(), room.width());
  EXPECT_LE(next.height(), room.height());
}

TEST_F(Window, TheReportNamesModelAndSourceAndNoSecret) {
  window_.session().openSource("rtsp://user:topsecret@127.0.0.1:9/stream");
  ASSERT_TRUE(waitFor([&] {
    const auto engine = window_.live().engine();
    return engine && engine->source(0).address.shown.rfind("rtsp", 0) == 0;
  }));
  const QString report = reportText(window_.live());
  EXPECT_TRUE(report.contains("street.onnx"));
  EXPECT_TRUE(report.contains("model sha256: "));
  EXPECT_TRUE(report.contains("\ndevice: cpu\n"));
  EXPECT_FALSE(report.contains("topsecret"));
  EXPECT_FALSE(window_.windowTitle().contains("topsecret"));
}

TEST_F(Window, EveryActionHasAKeyOrAMenuAndNoKeyIsThereTwice) {
  QSet<QString> keys;
  for (const QAction* menu : window_.menuBar()->actions()) {
    for (const QAction* action : menu->menu()->actions()) {
      if (action->shortcut().isEmpty()) continue;
      EXPECT_FALSE(keys.contains(action->shortcut().toString())) << qPrintable(action->text());
      keys.insert(action->shortcut().toString());
    }
  }
  EXPECT_GT(keys.size(), 20);
}

}  // namespace
}  // namespace mpm::gui
