// SPDX-License-Identifier: Apache-2.0
// The whole app: the street model on a drawn street, how large its window is, and what goes wrong.
#include <gtest/gtest.h>

#include "gui/app/living_window.h"
#include "gui/app/report.h"

namespace mpm::gui {
namespace {

TEST_F(Window, OpensOnTheStreetAndShowsWhatMergingSavesAndKeeps) {
  ASSERT_TRUE(isLive());
  EXPECT_EQ(engine()->classes().size(), 12u);
  EXPECT_EQ(engine()->schedule(), (Schedule{2, 5}));
  const Segmentation& found = engine()->latest()->segmentation;
  EXPECT_EQ(found.stages.size(), 2u);
  EXPECT_LT(found.rows.back(), found.rows.front());
  // The picture in the window has more than one colour.
  const QImage shown = deck().grab().toImage();
  QSet<QRgb> colours;
  for (int x = 0; x < shown.width(); x += 7) colours.insert(shown.pixel(x, shown.height() / 4));
  EXPECT_GT(colours.size(), 10);
  for (const char* name : {"Fewer tokens", "Less time", "Label agreement"})
    EXPECT_TRUE(isKnown(name)) << name;
  ASSERT_TRUE(hands::click(tile(window(), "Less time")));
  ASSERT_TRUE(hands::followLink());
  EXPECT_TRUE(waitFor([&] { return panel(window(), "Performance")->isVisible(); }));
}

TEST_F(Window, ASimulatedNightIsSaidAndOfNoOtherSource) {
  ASSERT_TRUE(isLive() && becomes("Live"));
  choose("Day and night");
  auto* night = panel(window(), "DayNight")->findChild<QCheckBox*>();
  const auto sentence = [&] { return named<QLabel>(window(), "Day and night")->text(); };
  ASSERT_TRUE(waitFor([&] { return night->isVisible(); }));
  QTest::mouseClick(night, Qt::LeftButton, {}, {10, night->height() / 2});
  EXPECT_TRUE(becomes("simulated night"));
  EXPECT_TRUE(waitFor([&] { return sentence().startsWith("A simulated night is shown"); }))
      << qPrintable(sentence());
  ASSERT_TRUE(opens("scene:?clock=600x&hour=11&size=160x120"));
  EXPECT_FALSE(night->isChecked() || engine()->latest()->filtered);
}

TEST_F(Window, ASettingIsKeptWhenItChangesAndNotAtTheEnd) {
  ASSERT_TRUE(isLive());
  auto* opacity = inBar<QSlider>();
  ASSERT_NE(opacity, nullptr);
  opacity->setFocus();
  hands::keys(opacity, opacity->value() > 50 ? "PgDown" : "PgUp");
  const int other = opacity->value();
  mergeBefore("3");
  EXPECT_TRUE(waitFor([&] {
    const Settings kept = readSettings();
    return kept.opacity == other / 100.0 && kept.live.schedule == Schedule{3};
  }));
}

TEST_F(Window, TuningIsCancelledByItsButtonAndEndsWithItsEngineForAnotherSource) {
  ASSERT_TRUE(isLive());
  ASSERT_TRUE(tune());
  ASSERT_TRUE(hands::click(panel(window(), "Tune")->findChild<QPushButton*>()));
  EXPECT_TRUE(waitFor([&] { return !session().isMeasuring(); }));
  QSignalSpy failed(&live(), &Live::failed);
  const std::weak_ptr<monitor::Engine> before = engine();
  session().openSource("scene:?seed=banana");  // which is no address
  ASSERT_TRUE(waitFor([&] { return failed.count() > 0; }));
  EXPECT_EQ(engine(), before.lock());
  ASSERT_TRUE(tune());
  session().openSource("scene:?seed=9&size=160x120");
  EXPECT_TRUE(waitFor([&] { return before.expired(); })) << "so that its camera is free";
  EXPECT_TRUE(isLive());
}

TEST_F(Window, TheReportNamesModelAndSourceAndNoSecret) {
  session().openSource("rtsp://user:topsecret@127.0.0.1:9/stream");
  ASSERT_TRUE(
      waitFor([&] { return engine() && engine()->source().address.shown.rfind("rtsp", 0) == 0; }));
  const QString report = reportText(live());
  for (const char* words : {"street.onnx", "model sha256: ", "\ndevice: cpu\n"})
    EXPECT_TRUE(report.contains(words)) << words;
  EXPECT_FALSE(report.contains("topsecret") || window().windowTitle().contains("topsecret"));
}

TEST_F(Window, NoKeyIsThereTwice) {
  QSet<QString> keys;
  for (const QAction* menu : window().menuBar()->actions())
    for (const QAction* action : menu->menu()->actions()) {
      if (action->shortcut().isEmpty()) continue;
      EXPECT_FALSE(keys.contains(action->shortcut().toString())) << qPrintable(action->text());
      keys.insert(action->shortcut().toString());
    }
  EXPECT_GT(keys.size(), 20);
}

class WindowSize : public LivingWindow {};

// Guards against 43 % for cameras of 4:3 next to a panel.
TEST_F(WindowSize, PicturesHaveMostOfIt) {
  for (const auto& [size, least] : {std::pair("160x120", 0.55),
                                    {"144x144", 0.55},
                                    {"160x90", 0.44}}) {  // as wide as the window, and no higher
    open(street([size = size](AppOptions& options) {
           options.source = QString("scene:?clock=600x&hour=12&size=") + size;
         }),
         {1280, 800});
    double area = 0;
    EXPECT_TRUE(waitFor([&] {
      area = 0;
      for (const FrameView* view : deck().findChildren<FrameView*>()) {
        if (!view->isVisible() || !view->result()) continue;
        const cv::Size picture = view->result()->frame.picture.size();
        const QSize shown =
            QSize(picture.width, picture.height).scaled(view->size(), Qt::KeepAspectRatio);
        area += shown.width() * shown.height();
      }
      return area > 0;
    }));
    EXPECT_GE(area / (window().width() * window().height()), least) << size;
  }
}

TEST_F(WindowSize, AFaultAtLengthMakesNoWindowWider) {
  const auto least = [&](const QString& record) {
    open(street([&](AppOptions& options) { options.record = record; }));
    EXPECT_TRUE(record == "none" || becomes("longlong"));
    return window().minimumSizeHint().width();
  };
  const int sound = least("none");
  EXPECT_LT(least("/nowhere/" + QString("long").repeated(100) + "/a.sqlite"), sound + 200);
}

// An unattended screen must also show that the record cannot be written.
TEST_F(WindowSize, InFullScreenTheStatusLineIsThereWhereARecordCannotBeWritten) {
  open(street([](AppOptions& options) { options.record = "/nowhere/a.sqlite"; }));
  window().goFullScreen();
  EXPECT_FALSE(window().statusBar()->isVisible());
  EXPECT_TRUE(
      waitFor([&] { return window().isFullScreen() && window().statusBar()->isVisible(); }));
  EXPECT_FALSE(window().menuBar()->isVisible());
}

// Guards against a tile and a picture beyond the edge of a screen of 900 x 600.
TEST_F(WindowSize, IsNoLargerThanTheScreen) {
  Settings settings = street();
  for (int start = 0; start < 2; ++start) {
    MainWindow next(settings);
    const QSize room = next.screen()->availableSize();
    EXPECT_EQ(next.size().boundedTo(room), next.size()) << start;
    next.resize(4 * room);
    settings.geometry = next.saveGeometry();
  }
}

}  // namespace
}  // namespace mpm::gui
