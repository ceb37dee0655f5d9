// SPDX-License-Identifier: Apache-2.0
// What of the window is of a source, when another one comes, or its zones change.
#include <gtest/gtest.h>

#include "gui/app/living_window.h"
#include "gui/plot/pareto_plot.h"
#include "monitor/source/test_video.h"

namespace mpm::gui {
namespace {

class AnotherSource : public LivingWindow {
 protected:
  static constexpr const char* kFirst = "scene:?clock=600x&hour=12&size=160x120&seed=31";
  static constexpr const char* kSecond = "scene:?clock=600x&hour=12&size=160x120&seed=32";

  AnotherSource() {
    QFile::remove(rulesFileOf(kFirst));
    AppOptions options;
    options.face = Face::study;
    options.record = folder_.filePath("record.sqlite");
    options.source = kFirst;
    options.model = smallModel();
    options.noMemory = true;  // each frame tells of its tokens
    open(withOptions({}, options));
    EXPECT_TRUE(shows(kFirst));
  }
  ~AnotherSource() override {
    for (const char* source : {kFirst, kSecond}) QFile::remove(rulesFileOf(source));
  }
  QString openVideo() {
    const QString video = folder_.filePath("video.avi");
    test::writeVideo(video.toStdString(), 20);
    EXPECT_TRUE(opens(video));
    return video;
  }
  FigureTile& tokens() { return *tile(window(), "Fewer tokens"); }
};

// A source opened while paused lets its first frame through. Guards against empty views.
TEST_F(AnotherSource, ThePlotIsLiveAgainAndOneThatIsOpenedWhilePausedShowsItsPicture) {
  TimePlot& plot = *window().findChild<TimePlot*>("Tokens");
  plot.lookAt(monitor::systemClock().now().utcMs - 3'600'000, "then");
  ASSERT_FALSE(plot.timeWindow().live());
  ASSERT_TRUE(opens(kSecond));
  EXPECT_TRUE(plot.timeWindow().live());
  choose("Pause");
  openVideo();
}

// Guards against a strip that looks live above a grey, old picture.
TEST_F(AnotherSource, FiguresOfAPictureThatIsNoLongerLiveAreGrey) {
  using State = FigureTile::State;
  const QString video = openVideo();
  ASSERT_TRUE(
      waitFor([&] { return tokens().figure() != "–" && tokens().state() == State::plain; }));
  ASSERT_TRUE(QFile::remove(video));  // read again at its end
  EXPECT_TRUE(waitFor([&] { return tokens().state() == State::old; }));
  EXPECT_TRUE(waitFor([&] { return tokens().accessibleDescription().contains("no longer live"); }));
  EXPECT_EQ(tile(window(), "Tokens at night")->state(), State::plain)
      << "of the record, not of a picture";
  ASSERT_TRUE(opens(kSecond));
  EXPECT_TRUE(waitFor([&] { return tokens().state() == State::plain; }));
}

// Guards against figures of an ended source next to an empty picture.
TEST_F(AnotherSource, NothingIsToldOfOneThatEndedAndCannotComeBack) {
  openVideo();
  qputenv("MPM_READER", "/nowhere/mpm-reader");
  session().openSource("/nowhere/video.mp4");
  EXPECT_TRUE(waitFor([&] { return !engine() && !live().isOpening(); }));
  qunsetenv("MPM_READER");
  EXPECT_EQ(tokens().figure() + tokens().note(), "–nothing is watched");
  EXPECT_EQ(tile(window(), "Tokens")->figure(), "–");
  EXPECT_FALSE(panel(window(), "Tune")->isEnabled());
  EXPECT_EQ(window().windowTitle(), "MPM Monitor");
  ASSERT_TRUE(opens(kSecond));
  EXPECT_TRUE(isKnown("Fewer tokens"));
  EXPECT_TRUE(panel(window(), "Tune")->isEnabled());
}

TEST_F(AnotherSource, OneThatIsLostIsNotLiveAndHasNoAreasInTheLegend) {
  const ClassLegendModel& areas = *window().findChild<ClassLegend*>()->classModel();
  const auto known = [&] {
    int count = 0;
    for (int row = 0; row < areas.rowCount(); ++row)
      count += areas.index(row, ClassLegendModel::kArea).data().toString().endsWith('%');
    return count;
  };
  ASSERT_TRUE(becomes("Live") && waitFor([&] { return known() > 0; }));
  session().openSource("/nowhere/video.mp4");
  EXPECT_TRUE(becomes("Lost") && !state().contains("Live"));
  EXPECT_TRUE(waitFor([&] { return known() == 0; }));
}

// Guards against points of another source or model next to those of the current one.
TEST_F(AnotherSource, WhatTuneMeasuredIsOfNoOtherSourceAndNoOtherModel) {
  choose("Tune");
  const auto& plot = *panel(window(), "Tune")->findChild<ParetoPlot*>();
  const QString nothing = plot.summary();
  const auto measured = [&] {
    return tune() && waitFor([&] { return !session().isMeasuring(); }) && plot.summary() != nothing;
  };
  ASSERT_TRUE(measured());
  ASSERT_TRUE(opens(kSecond));
  EXPECT_EQ(plot.summary(), nothing);
  ASSERT_TRUE(measured());
  const auto before = engine();
  session().openModel(QString::fromStdString(test::inProject("tests/models/upernet.onnx")));
  ASSERT_TRUE(waitFor([&] { return engine() && engine() != before; }));
  EXPECT_EQ(plot.summary(), nothing);
}

// Zones begin a new run of the record, which continues the same days.
TEST_F(AnotherSource, AZoneThatIsDrawnLeavesTheSentenceItsFigures) {
  std::uint64_t frames = 0;
  choose("Day and night");
  QObject::connect(&session(), &Session::nightsKnown, &window(), [&](const KnownNights& known) {
    frames = static_cast<std::uint64_t>(known.tokens.dayFrames.count());
  });
  const auto sentence = [&] { return named<QLabel>(window(), "Day and night")->text(); };
  const QRegularExpression counted(QStringLiteral("\\d tokens"));
  ASSERT_TRUE(waitFor([&] { return sentence().contains(counted) && frames > 20; }))
      << qPrintable(sentence());
  const auto before = engine();
  choose("Draw zones");
  drawCorners();
  hands::keys(view(), "Return");
  ASSERT_TRUE(waitFor(
      [&] { return engine() && engine() != before && engine()->source().book.zones.size() == 1; }));
  EXPECT_TRUE(waitFor([&] { return sentence().contains(counted) && frames > engine()->frames(); }))
      << qPrintable(sentence()) << " of " << frames << ", new: " << engine()->frames();
}

// Guards against writing the zone into the opened source's file, whose own zones were lost.
TEST_F(AnotherSource, AZoneThatIsDrawnWhileAnotherOneOpensIsNoneOfIts) {
  monitor::RuleBook kept;
  kept.zones.push_back({"gate", {{0, 0}, {1, 0}, {1, 1}}});
  writeBook(rulesFileOf(kSecond), kept);
  choose("Draw zones");
  session().openSource(kSecond);
  drawCorners();
  hands::keys(view(), "Return");
  EXPECT_TRUE(said().startsWith("Another source is being opened")) << qPrintable(said());
  drawCorners();  // and no Enter
  ASSERT_TRUE(live().isOpening());
  ASSERT_TRUE(says("The unfinished zone was discarded") && shows(kSecond));
  choose("Draw zones");  // ends it
  EXPECT_TRUE(session().book() == kept);
  EXPECT_TRUE(readBook(rulesFileOf(kSecond)) == kept);
  EXPECT_FALSE(QFile::exists(rulesFileOf(kFirst)));
}

}  // namespace
}  // namespace mpm::gui
