// SPDX-License-Identifier: Apache-2.0
// What of the window is of a source, when another one comes, or its zones change.
#include <gtest/gtest.h>

#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <cstdint>
#include <string>

#include "gui/app/main_window.h"
#include "gui/canvas/class_legend.h"
#include "gui/hands.h"
#include "gui/plot/pareto_plot.h"
#include "gui/wait_for.h"
#include "in_project.h"
#include "monitor/source/test_video.h"

namespace mpm::gui {
namespace {

const char* const kFirst = "scene:?clock=600x&hour=12&size=160x120&seed=31";
const char* const kSecond = "scene:?clock=600x&hour=12&size=160x120&seed=32";

class AnotherSource : public ::testing::Test {
 protected:
  AnotherSource() : window_(settings()) {
    window_.resize(1000, 700);
    window_.show();
  }
  ~AnotherSource() override {
    for (const char* source : {kFirst, kSecond}) QFile::remove(rulesFileOf(source));
  }
  Settings settings() const {
    QFile::remove(rulesFileOf(kFirst));
    AppOptions options;
    options.face = Face::study;
    options.record = folder_.filePath("record.sqlite");
    options.source = kFirst;
    options.model = QString::fromStdString(
        test::inProject("tests/models/segmenter_mask.onnx"));  // which is soon read
    options.noMemory = true;                                   // each frame tells of its tokens
    return withOptions({}, options);
  }
  bool shows(const char* address) {
    return waitFor([&] {
      const auto engine = window_.live().engine();
      return engine && engine->source(0).address.text == address && window_.live().newest() &&
             !window_.deck()->exported().isNull();
    });
  }
  QString saved() const {
    QStringList words;
    for (const QLabel* label : window_.statusBar()->findChildren<QLabel*>()) words << label->text();
    return words.join('|');
  }

  const QTemporaryDir folder_;
  MainWindow window_;
};

TEST_F(AnotherSource, ThePlotIsLiveAgain) {
  ASSERT_TRUE(shows(kFirst));
  TimePlot& plot = *window_.dayNight()->tokens();
  plot.lookAt(monitor::systemClock().now().utcMs - 3'600'000, "then");
  ASSERT_FALSE(plot.timeWindow().live());
  window_.session().openSource(kSecond);
  ASSERT_TRUE(shows(kSecond));
  EXPECT_TRUE(plot.timeWindow().live());
}

// Two empty views: nobody lets a frame through that is not asked for.
TEST_F(AnotherSource, OpenedWhilePausedShowsItsPicture) {
  ASSERT_TRUE(shows(kFirst));
  ASSERT_TRUE(hands::choose(window_, "Pause"));
  const std::string video = folder_.filePath("video.avi").toStdString();
  test::writeVideo(video, 20);
  window_.session().openSource(QString::fromStdString(video));
  EXPECT_TRUE(shows(video.c_str()));
}

TEST_F(AnotherSource, LostIsNotLive) {
  ASSERT_TRUE(shows(kFirst));
  ASSERT_TRUE(waitFor([&] { return saved().contains("Live"); })) << qPrintable(saved());
  window_.session().openSource("/nowhere/video.mp4");
  EXPECT_TRUE(waitFor([&] { return saved().contains("Lost"); })) << qPrintable(saved());
  EXPECT_FALSE(saved().contains("Live")) << qPrintable(saved());
}

// Seen: the picture was grey and said how old it was, and the strip above it looked as before.
TEST_F(AnotherSource, FiguresOfAPictureThatIsNoLongerLiveAreGrey) {
  ASSERT_TRUE(shows(kFirst));
  const std::string video = folder_.filePath("video.avi").toStdString();
  test::writeVideo(video, 20);
  window_.session().openSource(QString::fromStdString(video));
  ASSERT_TRUE(shows(video.c_str()));
  using State = FigureTile::State;
  const FigureTile& tokens = *window_.glance()->tokens();
  ASSERT_TRUE(waitFor([&] { return tokens.figure() != "–" && tokens.state() == State::plain; }));
  ASSERT_TRUE(QFile::remove(QString::fromStdString(video)));  // read again at its end
  EXPECT_TRUE(waitFor([&] { return tokens.state() == State::old; }));
  EXPECT_TRUE(waitFor([&] { return tokens.accessibleDescription().contains("no longer live"); }));
  EXPECT_EQ(window_.glance()->night()->state(), State::plain) << "of the record, not of a picture";
  window_.session().openSource(kSecond);
  ASSERT_TRUE(shows(kSecond));
  EXPECT_TRUE(waitFor([&] { return tokens.state() == State::plain; }));
}

// Seen: the strip and the panels told figures of a source that had ended, beside an empty picture.
TEST_F(AnotherSource, NothingIsToldOfOneThatEndedAndCannotComeBack) {
  ASSERT_TRUE(shows(kFirst));
  const std::string video = folder_.filePath("video.avi").toStdString();
  test::writeVideo(video, 20);
  window_.session().openSource(QString::fromStdString(video));
  ASSERT_TRUE(shows(video.c_str()));
  qputenv("MPM_READER", "/nowhere/mpm-reader");
  window_.session().openSource("/nowhere/video.mp4");
  EXPECT_TRUE(waitFor([&] { return !window_.live().engine() && !window_.live().isOpening(); }));
  qunsetenv("MPM_READER");
  EXPECT_EQ(window_.glance()->tokens()->figure(), "–");
  EXPECT_EQ(window_.glance()->tokens()->note(), "nothing is watched");
  EXPECT_EQ(window_.performance()->tokens()->figure(), "–");
  EXPECT_FALSE(window_.tune()->isEnabled());
  EXPECT_EQ(window_.windowTitle(), "MPM Monitor");
  window_.session().openSource(kSecond);
  ASSERT_TRUE(shows(kSecond));
  EXPECT_TRUE(waitFor([&] { return window_.glance()->tokens()->figure() != "–"; }));
  EXPECT_TRUE(window_.tune()->isEnabled());
}

TEST_F(AnotherSource, AreasInTheLegendAreOfTheNewOne) {
  ASSERT_TRUE(shows(kFirst));
  const ClassLegendModel& areas = *window_.findChild<ClassLegend*>()->classModel();
  const auto known = [&] {
    int count = 0;
    for (int row = 0; row < areas.rowCount(); ++row)
      count += areas.index(row, ClassLegendModel::kArea).data().toString().endsWith('%');
    return count;
  };
  ASSERT_TRUE(waitFor([&] { return known() > 0; }));
  window_.session().openSource("/nowhere/video.mp4");
  EXPECT_TRUE(waitFor([&] { return known() == 0; }));
}

// Seen: points of another source's frames, and of another model's, beside the one that runs.
TEST_F(AnotherSource, WhatTuneMeasuredIsOfNoOtherSourceAndNoOtherModel) {
  ASSERT_TRUE(shows(kFirst));
  ASSERT_TRUE(hands::choose(window_, "Tune"));
  auto* button = window_.tune()->findChild<QPushButton*>();
  const auto& plot = *window_.tune()->findChild<ParetoPlot*>();
  const QString nothing = plot.summary();
  const auto measured = [&] {
    // Until there is a frame to measure with it only says so.
    const bool begun = waitFor([&] { return hands::click(button) && window_.tune()->isRunning(); });
    return begun && waitFor([&] { return !window_.tune()->isRunning(); }) &&
           plot.summary() != nothing;
  };
  ASSERT_TRUE(measured());
  window_.session().openSource(kSecond);
  ASSERT_TRUE(shows(kSecond));
  EXPECT_EQ(plot.summary(), nothing);
  ASSERT_TRUE(measured());
  const auto before = window_.live().engine();
  window_.session().openModel(QString::fromStdString(test::inProject("tests/models/upernet.onnx")));
  ASSERT_TRUE(waitFor([&] {
    const auto engine = window_.live().engine();
    return engine && engine != before;
  }));
  EXPECT_EQ(plot.summary(), nothing);
}

// Zones begin a new run of the record, which goes on telling of the same days.
TEST_F(AnotherSource, AZoneThatIsDrawnLeavesTheSentenceItsFigures) {
  ASSERT_TRUE(shows(kFirst));
  std::uint64_t frames = 0;
  QObject::connect(window_.dayNight(), &DayNightPanel::knows, &window_,
                   [&](const DayNightHistory::Known& known) {
                     frames = static_cast<std::uint64_t>(known.tokens.dayFrames.count());
                   });
  const auto said = [&] {
    window_.dayNight()->refresh();
    return window_.dayNight()->sentence();
  };
  ASSERT_TRUE(waitFor([&] { return said().contains("live tokens") && frames > 20; }))
      << qPrintable(said());
  const auto before = window_.live().engine();
  ASSERT_TRUE(hands::choose(window_, "Draw zones"));
  FrameView* view = nullptr;
  for (FrameView* each : window_.deck()->findChildren<FrameView*>())
    if (each->isVisible()) view = each;
  ASSERT_NE(view, nullptr);
  const QPoint middle = view->rect().center();
  for (const QPoint& away : {QPoint(-60, -60), QPoint(60, -60), QPoint(0, 60)})
    QTest::mouseClick(view, Qt::LeftButton, {}, middle + away);
  QTest::keyClick(view, Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] {
    const auto engine = window_.live().engine();
    return engine && engine != before && engine->source(0).book.zones.size() == 1;
  }));
  const auto after = window_.live().engine();
  EXPECT_TRUE(waitFor([&] { return said().contains("live tokens") && frames > after->frames(0); }))
      << qPrintable(said()) << " of " << frames << ", " << after->frames(0) << " of them new";
}

// Seen: it was written into the file of the one that opened, whose own zones were gone then.
TEST_F(AnotherSource, AZoneThatIsDrawnWhileAnotherOneOpensIsNoneOfIts) {
  monitor::RuleBook kept;
  kept.zones.push_back({"gate", {{0, 0}, {1, 0}, {1, 1}}});
  writeBook(rulesFileOf(kSecond), kept);
  ASSERT_TRUE(shows(kFirst));
  ASSERT_TRUE(hands::choose(window_, "Draw zones"));
  FrameView* view = nullptr;
  for (FrameView* each : window_.deck()->findChildren<FrameView*>())
    if (each->isVisible()) view = each;
  ASSERT_NE(view, nullptr);
  const auto draw = [&] {
    for (const QPoint& away : {QPoint(-60, -60), QPoint(60, -60), QPoint(0, 60)})
      QTest::mouseClick(view, Qt::LeftButton, {}, view->rect().center() + away);
  };
  window_.session().openSource(kSecond);
  draw();
  QTest::keyClick(view, Qt::Key_Return);
  EXPECT_TRUE(window_.statusBar()->currentMessage().startsWith("Another source is being opened"))
      << qPrintable(window_.statusBar()->currentMessage());
  draw();  // and no Enter
  ASSERT_TRUE(window_.live().isOpening());
  ASSERT_TRUE(shows(kSecond));
  ASSERT_TRUE(hands::choose(window_, "Draw zones"));  // ends it
  EXPECT_TRUE(window_.session().book() == kept);
  EXPECT_TRUE(readBook(rulesFileOf(kSecond)) == kept);
  EXPECT_FALSE(QFile::exists(rulesFileOf(kFirst)));
}

}  // namespace
}  // namespace mpm::gui
