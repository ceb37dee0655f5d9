// SPDX-License-Identifier: Apache-2.0
// How fast it is, and what a frame's time goes to.
#include <gtest/gtest.h>

#include <QBuffer>
#include <QElapsedTimer>
#include <QLocale>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "gui/app/frame_figures.h"
#include "gui/app/watched.h"
#include "gui/app/window_parts.h"
#include "gui/plot/step_plot.h"

namespace mpm::gui {
namespace {

QStringList titlesOf(Plot& plot) {
  QAbstractTableModel* table = plot.table();
  QStringList titles;
  for (int row = 0; row < table->rowCount(); ++row)
    titles << table->index(row, 0).data().toString();
  return titles;
}

class PerformancePanelTest : public ::testing::Test {
 protected:
  bool shows(const AppOptions& options = smallStreet()) {
    watched_ = std::make_unique<Watched>(options);
    watched_->session.open();
    const bool shows = waitFor([&] {
      const auto engine = watched_->session.live().engine();
      return engine && (engine->latest(0) || options.source == "/nowhere/video.mp4");
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
  void begin() { tell(&Session::shownChanged); }
  void paint(const monitor::FrameResultPtr& frame, double viewsMs) {
    tell(&Session::painted, frame, viewsMs);
  }
  void look(bool old = false) {
    Liveness stands;
    if (old) stands.oldMs = 240'000;
    tell(&Session::looked, stands);
  }
  monitor::Engine& engine() const { return watched_->engine(); }
  FigureTile* rate() const { return tile(*panel_, "Frames a second"); }
  FigureTile* age() const { return tile(*panel_, "Frame age"); }
  FigureTile* tokens() const { return tile(*panel_, "Live tokens"); }
  FigureTile* share() const { return tile(*panel_, "Merged"); }
  StepPlot* steps() const { return named<StepPlot>(*panel_, "Where a frame's time goes"); }
  StepPlot* layers() const { return named<StepPlot>(*panel_, "Where the network's time goes"); }

  std::unique_ptr<Watched> watched_;
  std::unique_ptr<QWidget> panel_;
};

// Not those that the camera gives, of which some are taken.
TEST_F(PerformancePanelTest, CountsTheFramesThatWereSegmented) {
  AppOptions options;
  options.record = "none";
  options.source = "scene:?clock=600x&size=64x64";  // ten a second
  options.mostFps = 3;
  ASSERT_TRUE(shows(options));
  // How many were given, how many of them segmented, and when.
  struct Look {
    std::uint64_t given, taken;
    double seconds;
  };
  QElapsedTimer clock;
  clock.start();
  const auto count = [&] {
    const monitor::CaptureStatus now = engine().capture(0);
    return Look{now.frames, engine().frames(0), static_cast<double>(clock.nsecsElapsed()) / 1e9};
  };
  const Look before = count();
  look();
  const Look begun = count();
  EXPECT_EQ(rate()->figure(), QString::fromUtf8("–"));  // not known yet
  ASSERT_TRUE(waitFor([&] {
    const Look now = count();
    return now.taken > begun.taken + 9 && now.given - now.taken > begun.given - begun.taken + 9;
  }));
  const Look ending = count();
  look();
  const Look end = count();
  const double told = QLocale().toDouble(rate()->figure());
  constexpr double kRounded = 0.051;  // to a tenth
  const auto least = static_cast<double>(ending.taken - begun.taken);
  const auto most = static_cast<double>(end.taken - before.taken);
  EXPECT_GE(told, least / (end.seconds - before.seconds) - kRounded);
  EXPECT_LE(told, most / (ending.seconds - begun.seconds) + kRounded);
  EXPECT_LT(most, static_cast<double>(end.given - before.given)) << "fewer than were given";
}

// Seen: ten frames a second, of 40 ms each, beside a picture that was grey and four minutes old.
TEST_F(PerformancePanelTest, OfAModelThatFailsNoFramesAreSegmentedAndFiguresAreOld) {
  ASSERT_TRUE(shows());
  const auto quick = std::make_shared<monitor::FrameResult>(*engine().latest(0));
  quick->segmentation.times = {5, 20, 5};  // on any machine
  quick->readyMs = quick->frame.taken.steadyMs + 30;
  paint(quick, 3);
  look();
  const auto states = [&] {
    return std::array{age()->state(), tokens()->state(), share()->state()};
  };
  using enum FigureTile::State;
  look(true);
  EXPECT_EQ(states(), (std::array{old, old, old}));
  look();
  EXPECT_EQ(states(), (std::array{plain, plain, plain}));

  engine().setFilter([](const cv::Mat&) -> cv::Mat { throw std::runtime_error("out of order"); });
  ASSERT_TRUE(waitFor([&] { return !engine().fault(0).empty(); }));
  begin();
  const auto given = [&] { return engine().capture(0).frames; };
  const std::uint64_t before = given();
  look();
  ASSERT_TRUE(waitFor([&] { return given() > before + 9; }));
  look();
  EXPECT_EQ(rate()->figure(), "0.0");
}

// Seen: "0.0 of 0.0" frames a second, "0 of 0" dropped.
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
  EXPECT_EQ(rate()->figure(), "0.0");
  EXPECT_EQ(rate()->note(), "");
  EXPECT_EQ(tile(*panel_, "Dropped")->figure() + tile(*panel_, "Dropped")->note(),
            QString::fromUtf8("–"));
}

TEST_F(PerformancePanelTest, ShowsTheNetworksStepsAndMergesApart) {
  ASSERT_TRUE(shows());
  const monitor::FrameResultPtr newest = engine().latest(0);
  paint(newest, 3);
  look();
  const QStringList titles = titlesOf(*layers());
  EXPECT_EQ(tokens()->note(), "of 1,024") << "as everywhere: no class token among them";
  EXPECT_EQ(titles.filter("Block ").size(), engine().blocks());
  EXPECT_EQ(titles.filter("Merge before").size(), 2);
  EXPECT_LT(titles.indexOf("Merge before block 2"), titles.indexOf("Block 2"));
  EXPECT_GT(titles.indexOf("Merge before block 2"), titles.indexOf("Block 1"));
  EXPECT_TRUE(titles.contains("Merges that are off"));
  const double networkMs = newest->segmentation.times.networkMs;
  EXPECT_NEAR(layers()->totalMs(), networkMs, 0.01 * networkMs);
  EXPECT_GT(layers()->apartMs(), 0);
  EXPECT_LT(layers()->apartMs(), layers()->totalMs());

  // Seen: 599 of 1,024 tokens, and 36.2 % of them merged.
  auto told = std::make_shared<monitor::FrameResult>(*newest);
  told->segmentation.rows.back() = told->segmentation.rows.front() - 512;
  auto shown = std::make_shared<monitor::FrameResult>(*newest);
  shown->merged = told;
  paint(shown, 3);
  look();
  EXPECT_TRUE(tokens()->figure().startsWith("512")) << qPrintable(tokens()->figure());
  EXPECT_TRUE(share()->figure().startsWith("50.0")) << qPrintable(share()->figure());

  engine().setSchedule({});
  ASSERT_TRUE(waitFor([&] { return engine().latest(0)->schedule.empty(); }));
  paint(engine().latest(0), 3);
  look();
  EXPECT_EQ(titlesOf(*layers()).filter("Merge before").size(), 0);
}

// A frame of which little was new came after some that were computed in full: its own age is below
// what frames take in the mean.
TEST_F(PerformancePanelTest, NoFrameIsYoungerThanItTakesAndPlotsAgree) {
  ASSERT_TRUE(shows());
  const monitor::FrameResultPtr newest = engine().latest(0);
  for (int i = 0; i < 12; ++i) {
    auto made = std::make_shared<monitor::FrameResult>(*newest);
    const double share = i % 4 == 3 ? 0.1 : 1;
    made->frame.number = static_cast<std::uint64_t>(i);
    made->segmentation.times = {20 * share, 400 * share, 10 * share};
    for (NetworkStep& step : made->segmentation.steps)
      step.ms = 400 * share / static_cast<double>(made->segmentation.steps.size());
    made->readyMs =
        made->frame.taken.steadyMs + static_cast<std::int64_t>(frameMs(made->segmentation.times));
    paint(made, 50);
    look();
  }
  const double told = QLocale().toDouble(age()->figure().section(' ', 0, 0));
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
