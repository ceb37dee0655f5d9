// SPDX-License-Identifier: Apache-2.0
// How fast it is, and what a frame's time goes to.
#include <gtest/gtest.h>

#include "gui/app/frame_figures.h"
#include "gui/app/watched.h"
#include "gui/app/window_parts.h"
#include "gui/plot/step_plot.h"

namespace mpm::gui {
namespace {

class PerformancePanelTest : public ::testing::Test {
 protected:
  bool shows(const AppOptions& options = smallStreet()) {
    watched_ = std::make_unique<Watched>(options);
    watched_->session.open();
    const bool shows = waitFor([&] {
      const auto engine = watched_->session.live().engine();
      return engine && (engine->latest() || options.source == "/nowhere/video.mp4");
    });
    watched_->session.blockSignals(true);  // the panel hears what the test says
    panel_.reset(newPerformancePanel(watched_->session));
    return shows;
  }
  template <typename Signal, typename... Words>
  void tell(Signal signal, const Words&... words) {
    watched_->session.blockSignals(false);
    emit(watched_->session.*signal)(words...);
    watched_->session.blockSignals(true);
  }
  void paint(const monitor::FrameResultPtr& frame, double viewsMs = 3) {
    tell(&Session::painted, frame, viewsMs);
    look();
  }
  void look(bool old = false) {
    Liveness stands;
    if (old) stands.oldMs = 240'000;
    tell(&Session::looked, stands);
  }
  std::shared_ptr<monitor::FrameResult> newest() const {
    return std::make_shared<monitor::FrameResult>(*engine().latest());
  }
  monitor::Engine& engine() const { return watched_->engine(); }
  FigureTile* at(const char* name) const { return tile(*panel_, name); }
  QString rate() const { return at("Frames per second")->figure(); }
  StepPlot* steps() const { return named<StepPlot>(*panel_, "Where a frame's time goes"); }
  StepPlot* layers() const { return named<StepPlot>(*panel_, "Where the network's time goes"); }
  QStringList layerTitles() const {
    QStringList titles;
    for (int row = 0; row < layers()->table()->rowCount(); ++row)
      titles << layers()->table()->index(row, 0).data().toString();
    return titles;
  }

  std::unique_ptr<Watched> watched_;
  std::unique_ptr<QWidget> panel_;
};

// The camera's frames do not count, as only some are taken.
TEST_F(PerformancePanelTest, CountsTheFramesThatWereSegmented) {
  AppOptions options;
  options.record = "none";
  options.source = "scene:?clock=600x&size=64x64";  // ten a second
  options.mostFps = 3;
  ASSERT_TRUE(shows(options));
  // Number of given and of segmented frames, and the time.
  struct Look {
    std::uint64_t given, taken;
    double seconds;
  };
  QElapsedTimer clock;
  clock.start();
  const auto count = [&] {
    const monitor::CaptureStatus now = engine().capture();
    return Look{now.frames, engine().frames(), static_cast<double>(clock.nsecsElapsed()) / 1e9};
  };
  const Look before = count();
  look();
  const Look begun = count();
  EXPECT_EQ(rate(), "–");  // not known yet
  ASSERT_TRUE(waitFor([&] {
    const Look now = count();
    return now.taken > begun.taken + 9 && now.given - now.taken > begun.given - begun.taken + 9;
  }));
  const Look ending = count();
  look();
  const Look end = count();
  const double told = QLocale().toDouble(rate());
  constexpr double kRounded = 0.051;  // to a tenth
  const auto least = static_cast<double>(ending.taken - begun.taken);
  const auto most = static_cast<double>(end.taken - before.taken);
  EXPECT_GE(told, least / (end.seconds - before.seconds) - kRounded);
  EXPECT_LE(told, most / (ending.seconds - begun.seconds) + kRounded);
  EXPECT_LT(most, static_cast<double>(end.given - before.given)) << "fewer than were given";
}

// Guards against ten frames a second, of 40 ms each, next to a grey picture four minutes old.
TEST_F(PerformancePanelTest, OfAModelThatFailsNoFramesAreSegmentedAndFiguresAreOld) {
  ASSERT_TRUE(shows());
  const auto quick = newest();
  quick->segmentation.times = {5, 20, 5};  // on any machine
  quick->readyMs = quick->frame.taken.steadyMs + 30;
  paint(quick);
  for (const bool old : {true, false}) {
    look(old);
    for (const char* name : {"Frame age", "Tokens", "Merged"})
      EXPECT_EQ(at(name)->state(), old ? FigureTile::State::old : FigureTile::State::plain) << name;
  }
  engine().setFilter([](const cv::Mat&) -> cv::Mat { throw std::runtime_error("out of order"); });
  ASSERT_TRUE(waitFor([&] { return !engine().fault().empty(); }));
  tell(&Session::shownChanged);
  const auto given = [&] { return engine().capture().frames; };
  const std::uint64_t before = given();
  look();
  ASSERT_TRUE(waitFor([&] { return given() > before + 9; }));
  look();
  EXPECT_EQ(rate(), "0.0");
}

// Guards against "0.0 of 0.0" frames a second, "0 of 0" dropped.
TEST_F(PerformancePanelTest, OfACameraWithoutPicturesNothingIsCounted) {
  AppOptions options;
  options.record = "none";
  options.source = "/nowhere/video.mp4";
  ASSERT_TRUE(shows(options));
  for (int times = 0; times < 2; ++times) {
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < 3) QCoreApplication::processEvents();
    look();
  }
  EXPECT_EQ(rate() + at("Frames per second")->note(), "0.0");
  EXPECT_EQ(at("Dropped")->figure() + at("Dropped")->note(), "–");
}

TEST_F(PerformancePanelTest, ShowsTheNetworksStepsAndMergesApart) {
  ASSERT_TRUE(shows());
  const auto shown = newest();
  paint(shown);
  const QStringList titles = layerTitles();
  EXPECT_EQ(at("Tokens")->note(), "of 1,024") << "as everywhere: no class token among them";
  EXPECT_EQ(titles.filter("Block ").size(), engine().blocks());
  EXPECT_EQ(titles.filter("Merge before").size(), 2);
  EXPECT_LT(titles.indexOf("Merge before block 2"), titles.indexOf("Block 2"));
  EXPECT_GT(titles.indexOf("Merge before block 2"), titles.indexOf("Block 1"));
  EXPECT_TRUE(titles.contains("Merges that are off"));
  const double networkMs = shown->segmentation.times.networkMs;
  EXPECT_NEAR(layers()->totalMs(), networkMs, 0.01 * networkMs);
  EXPECT_TRUE(0 < layers()->apartMs() && layers()->apartMs() < layers()->totalMs());

  // Guards against 599 of 1,024 tokens with 36.2 % merged.
  const auto told = newest(), other = newest();
  told->segmentation.rows.back() = told->segmentation.rows.front() - 512;
  other->merged = told;
  paint(other);
  EXPECT_TRUE(at("Tokens")->figure().startsWith("512"));
  EXPECT_TRUE(at("Merged")->figure().startsWith("50.0"));

  engine().setSchedule({});
  ASSERT_TRUE(waitFor([&] { return engine().latest()->schedule.empty(); }));
  paint(newest());
  EXPECT_EQ(layerTitles().filter("Merge before").size(), 0);
}

// A frame with little new content follows some full frames: its age is below their mean time.
TEST_F(PerformancePanelTest, NoFrameIsYoungerThanItTakesAndPlotsAgree) {
  ASSERT_TRUE(shows());
  for (int i = 0; i < 12; ++i) {
    const auto made = newest();
    const double share = i % 4 == 3 ? 0.1 : 1;
    made->frame.number = static_cast<std::uint64_t>(i);
    made->segmentation.times = {20 * share, 400 * share, 10 * share};
    for (NetworkStep& step : made->segmentation.steps)
      step.ms = 400 * share / static_cast<double>(made->segmentation.steps.size());
    made->readyMs =
        made->frame.taken.steadyMs + static_cast<std::int64_t>(frameMs(made->segmentation.times));
    paint(made, 50);
  }
  const double told = QLocale().toDouble(at("Frame age")->figure().section(' ', 0, 0));
  EXPECT_GE(told + 0.5, steps()->totalMs()) << "views are painted beside the next frame";
  EXPECT_DOUBLE_EQ(steps()->apartMs(), 50);
  QBuffer csv;
  csv.open(QIODevice::WriteOnly);
  ASSERT_TRUE(steps()->exportCsv(csv));
  const QString network = QString::fromUtf8(csv.data()).split("\r\n").filter("Network,").value(0);
  EXPECT_NEAR(layers()->totalMs(), network.section(',', 2, 2).toDouble(), 0.01);
}

}  // namespace
}  // namespace mpm::gui
