// SPDX-License-Identifier: Apache-2.0
// What of the window is of a source, when another one comes, or its zones change.
#include <gtest/gtest.h>

#include <QFile>
#include <QPushButton>
#include <cstdint>
#include <string>

#include "gui/app/living_window.h"
#include "gui/plot/pareto_plot.h"
#include "in_project.h"
#include "monitor/source/test_video.h"

namespace mpm::gui {
namespace {

const char* const kFirst = "scene:?clock=600x&hour=12&size=160x120&seed=31";
const char* const kSecond = "scene:?clock=600x&hour=12&size=160x120&seed=32";

class AnotherSource : public LivingWindow {
 protected:
  AnotherSource() : LivingWindow(settings) {}
  ~AnotherSource() override {
    for (const char* source : {kFirst, kSecond}) QFile::remove(rulesFileOf(source));
  }
  static Settings settings(const QTemporaryDir& folder) {
    QFile::remove(rulesFileOf(kFirst));
    AppOptions options;
    options.face = Face::study;
    options.record = folder.filePath("record.sqlite");
    options.source = kFirst;
    options.model = QString::fromStdString(
        test::inProject("tests/models/segmenter_mask.onnx"));  // which is soon read
    options.noMemory = true;                                   // each frame tells of its tokens
    return withOptions({}, options);
  }
  // Of so many pictures; it is watched then.
  QString openVideo() {
    const QString video = folder_.filePath("video.avi");
    test::writeVideo(video.toStdString(), 20);
    window_.session().openSource(video);
    EXPECT_TRUE(shows(video));
    return video;
  }
};

TEST_F(AnotherSource, ThePlotIsLiveAgain) {
  ASSERT_TRUE(shows(kFirst));
  TimePlot& plot = *window_.findChild<TimePlot*>("Tokens");
  plot.lookAt(monitor::systemClock().now().utcMs - 3'600'000, "then");
  ASSERT_FALSE(plot.timeWindow().live());
  window_.session().openSource(kSecond);
  ASSERT_TRUE(shows(kSecond));
  EXPECT_TRUE(plot.timeWindow().live());
}

// Two empty views: nobody lets a frame through that is not asked for.
TEST_F(AnotherSource, OpenedWhilePausedShowsItsPicture) {
  ASSERT_TRUE(shows(kFirst));
  choose("Pause");
  openVideo();
}

TEST_F(AnotherSource, LostIsNotLive) {
  ASSERT_TRUE(shows(kFirst));
  ASSERT_TRUE(becomes("Live")) << qPrintable(state());
  window_.session().openSource("/nowhere/video.mp4");
  EXPECT_TRUE(becomes("Lost")) << qPrintable(state());
  EXPECT_FALSE(state().contains("Live")) << qPrintable(state());
}

// Seen: the picture was grey and said how old it was, and the strip above it looked as before.
TEST_F(AnotherSource, FiguresOfAPictureThatIsNoLongerLiveAreGrey) {
  ASSERT_TRUE(shows(kFirst));
  const QString video = openVideo();
  using State = FigureTile::State;
  const FigureTile& tokens = *tile(window_, "Fewer tokens");
  ASSERT_TRUE(waitFor([&] { return tokens.figure() != "–" && tokens.state() == State::plain; }));
  ASSERT_TRUE(QFile::remove(video));  // read again at its end
  EXPECT_TRUE(waitFor([&] { return tokens.state() == State::old; }));
  EXPECT_TRUE(waitFor([&] { return tokens.accessibleDescription().contains("no longer live"); }));
  EXPECT_EQ(tile(window_, "Tokens at night")->state(), State::plain)
      << "of the record, not of a picture";
  window_.session().openSource(kSecond);
  ASSERT_TRUE(shows(kSecond));
  EXPECT_TRUE(waitFor([&] { return tokens.state() == State::plain; }));
}

// Seen: the strip and the panels told figures of a source that had ended, beside an empty picture.
TEST_F(AnotherSource, NothingIsToldOfOneThatEndedAndCannotComeBack) {
  ASSERT_TRUE(shows(kFirst));
  openVideo();
  qputenv("MPM_READER", "/nowhere/mpm-reader");
  window_.session().openSource("/nowhere/video.mp4");
  EXPECT_TRUE(waitFor([&] { return !window_.live().engine() && !window_.live().isOpening(); }));
  qunsetenv("MPM_READER");
  EXPECT_EQ(tile(window_, "Fewer tokens")->figure(), "–");
  EXPECT_EQ(tile(window_, "Fewer tokens")->note(), "nothing is watched");
  EXPECT_EQ(tile(window_, "Live tokens")->figure(), "–");
  EXPECT_FALSE(panel(window_, "Tune")->isEnabled());
  EXPECT_EQ(window_.windowTitle(), "MPM Monitor");
  window_.session().openSource(kSecond);
  ASSERT_TRUE(shows(kSecond));
  EXPECT_TRUE(waitFor([&] { return tile(window_, "Fewer tokens")->figure() != "–"; }));
  EXPECT_TRUE(panel(window_, "Tune")->isEnabled());
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
  choose("Tune");
  const auto& plot = *panel(window_, "Tune")->findChild<ParetoPlot*>();
  const QString nothing = plot.summary();
  const auto measured = [&] {
    return tune() && waitFor([&] { return !window_.session().isMeasuring(); }) &&
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
  choose("Day and night");
  QObject::connect(&window_.session(), &Session::nightsKnown, &window_,
                   [&](const KnownNights& known) {
                     frames = static_cast<std::uint64_t>(known.tokens.dayFrames.count());
                   });
  const auto said = [&] { return named<QLabel>(window_, "Day and night")->text(); };
  ASSERT_TRUE(waitFor([&] { return said().contains("live tokens") && frames > 20; }))
      << qPrintable(said());
  const auto before = window_.live().engine();
  choose("Draw zones");
  drawCorners();
  QTest::keyClick(view(), Qt::Key_Return);
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
  choose("Draw zones");
  window_.session().openSource(kSecond);
  drawCorners();
  QTest::keyClick(view(), Qt::Key_Return);
  EXPECT_TRUE(said().startsWith("Another source is being opened")) << qPrintable(said());
  drawCorners();  // and no Enter
  ASSERT_TRUE(window_.live().isOpening());
  ASSERT_TRUE(shows(kSecond));
  choose("Draw zones");  // ends it
  EXPECT_TRUE(window_.session().book() == kept);
  EXPECT_TRUE(readBook(rulesFileOf(kSecond)) == kept);
  EXPECT_FALSE(QFile::exists(rulesFileOf(kFirst)));
}

}  // namespace
}  // namespace mpm::gui
