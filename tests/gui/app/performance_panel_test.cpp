// SPDX-License-Identifier: Apache-2.0
#include "gui/app/performance_panel.h"

#include <gtest/gtest.h>

#include <QBuffer>
#include <QElapsedTimer>
#include <QLocale>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "gui/app/live.h"
#include "gui/app/settings.h"
#include "gui/app/small_street.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

QStringList titlesOf(Plot& plot) {
  QAbstractTableModel* table = plot.table();
  QStringList titles;
  for (int row = 0; row < table->rowCount(); ++row)
    titles << table->index(row, 0).data().toString();
  return titles;
}

// A drawn street is watched; whether a frame of it came.
bool showsAStreet(Live& live) {
  live.open(withOptions({}, smallStreet()).live);
  return waitFor([&] { return live.engine() && live.engine()->latest(0); });
}

// Not those that the camera gives, of which some are taken.
TEST(PerformancePanel, CountsTheFramesThatWereSegmented) {
  AppOptions options;
  options.record = "none";
  options.source = "scene:?clock=600x&size=64x64";  // ten a second
  options.mostFps = 3;
  Live live;
  live.open(withOptions({}, options).live);
  ASSERT_TRUE(waitFor([&] { return live.engine() && live.engine()->latest(0); }));
  const auto engine = live.engine();
  // How many were given, how many of them segmented, and when.
  struct Look {
    std::uint64_t given, taken;
    double seconds;
  };
  QElapsedTimer clock;
  clock.start();
  const auto look = [&] {
    const monitor::CaptureStatus now = engine->capture(0);
    return Look{now.frames, engine->frames(0), static_cast<double>(clock.nsecsElapsed()) / 1e9};
  };
  PerformancePanel panel;
  const Look before = look();
  panel.showFigures(*engine, engine->latest(0));
  const Look begun = look();
  EXPECT_EQ(panel.rate()->figure(), QString::fromUtf8("–"));  // not known yet
  ASSERT_TRUE(waitFor([&] {
    const Look now = look();
    return now.taken > begun.taken + 9 && now.given - now.taken > begun.given - begun.taken + 9;
  }));
  const Look ending = look();
  panel.showFigures(*engine, engine->latest(0));
  const Look end = look();
  const double rate = QLocale().toDouble(panel.rate()->figure());
  constexpr double kRounded = 0.051;  // to a tenth
  const auto least = static_cast<double>(ending.taken - begun.taken);
  const auto most = static_cast<double>(end.taken - before.taken);
  EXPECT_GE(rate, least / (end.seconds - before.seconds) - kRounded);
  EXPECT_LE(rate, most / (ending.seconds - begun.seconds) + kRounded);
  EXPECT_LT(most, static_cast<double>(end.given - before.given)) << "fewer than were given";
}

// Seen: ten frames a second, of 40 ms each, beside a picture that was grey and four minutes old.
TEST(PerformancePanel, OfAModelThatFailsNoFramesAreSegmentedAndFiguresAreOld) {
  Live live;
  ASSERT_TRUE(showsAStreet(live));
  const auto engine = live.engine();
  PerformancePanel panel;
  const monitor::FrameResultPtr newest = engine->latest(0);
  panel.addFrame(*newest, 3);
  panel.showFigures(*engine, newest);
  const auto states = [&] {
    return std::array{panel.age()->state(), panel.tokens()->state(), panel.share()->state()};
  };
  using enum FigureTile::State;
  panel.setOld(true);
  EXPECT_EQ(states(), (std::array{old, old, old}));
  panel.showFigures(*engine, newest);
  EXPECT_EQ(states(), (std::array{old, old, old}));
  panel.setOld(false);
  EXPECT_EQ(states(), (std::array{plain, plain, plain}));

  engine->setFilter([](const cv::Mat&) -> cv::Mat { throw std::runtime_error("out of order"); });
  ASSERT_TRUE(waitFor([&] { return !engine->fault(0).empty(); }));
  panel.begin();
  const auto given = [&] { return engine->capture(0).frames; };
  const std::uint64_t before = given();
  panel.showFigures(*engine, engine->latest(0));
  ASSERT_TRUE(waitFor([&] { return given() > before + 9; }));
  panel.showFigures(*engine, engine->latest(0));
  EXPECT_EQ(panel.rate()->figure(), "0.0");
}

// Seen: "0.0 of 0.0" frames a second, "0 of 0" dropped.
TEST(PerformancePanel, OfACameraWithoutPicturesNothingIsCounted) {
  AppOptions options;
  options.record = "none";
  options.source = "/nowhere/video.mp4";
  Live live;
  live.open(withOptions({}, options).live);
  ASSERT_TRUE(waitFor([&] { return live.engine() != nullptr; }));
  PerformancePanel panel;
  const auto drops = [&] {
    QString figure;
    for (const FigureTile* tile : panel.findChildren<FigureTile*>())
      if (tile->accessibleName() == "Dropped") figure = tile->figure() + tile->note();
    return figure;
  };
  for (int times = 0; times < 2; ++times) {
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < 3) QCoreApplication::processEvents();
    panel.showFigures(*live.engine(), nullptr);
  }
  EXPECT_EQ(panel.rate()->figure(), "0.0");
  EXPECT_EQ(panel.rate()->note(), "");
  EXPECT_EQ(drops(), QString::fromUtf8("–"));
}

TEST(PerformancePanel, ShowsTheNetworksStepsAndMergesApart) {
  Live live;
  ASSERT_TRUE(showsAStreet(live));
  const auto engine = live.engine();
  PerformancePanel panel;
  const monitor::FrameResultPtr newest = engine->latest(0);
  panel.addFrame(*newest, 3);
  panel.showFigures(*engine, newest);
  const QStringList titles = titlesOf(*panel.layers());
  EXPECT_EQ(panel.tokens()->note(), "of 1,024") << "as everywhere: no class token among them";
  EXPECT_EQ(titles.filter("Block ").size(), engine->blocks());
  EXPECT_EQ(titles.filter("Merge before").size(), 2);
  EXPECT_LT(titles.indexOf("Merge before block 2"), titles.indexOf("Block 2"));
  EXPECT_GT(titles.indexOf("Merge before block 2"), titles.indexOf("Block 1"));
  EXPECT_TRUE(titles.contains("Merges that are off"));
  const double networkMs = newest->segmentation.times.networkMs;
  EXPECT_NEAR(panel.layers()->totalMs(), networkMs, 0.01 * networkMs);
  EXPECT_GT(panel.layers()->apartMs(), 0);
  EXPECT_LT(panel.layers()->apartMs(), panel.layers()->totalMs());

  // Seen: 599 of 1,024 tokens, and 36.2 % of them merged.
  auto told = std::make_shared<monitor::FrameResult>(*newest);
  told->segmentation.rows.back() = told->segmentation.rows.front() - 512;
  auto shown = std::make_shared<monitor::FrameResult>(*newest);
  shown->merged = told;
  panel.showFigures(*engine, shown);
  EXPECT_TRUE(panel.tokens()->figure().startsWith("512")) << qPrintable(panel.tokens()->figure());
  EXPECT_TRUE(panel.share()->figure().startsWith("50.0")) << qPrintable(panel.share()->figure());

  engine->setSchedule({});
  ASSERT_TRUE(waitFor([&] { return engine->latest(0)->schedule.empty(); }));
  panel.addFrame(*engine->latest(0), 3);
  panel.showFigures(*engine, engine->latest(0));
  EXPECT_EQ(titlesOf(*panel.layers()).filter("Merge before").size(), 0);
}

// A frame of which little was new came after some that were computed in full: its own age is below
// what frames take in the mean.
TEST(PerformancePanel, NoFrameIsYoungerThanItTakesAndPlotsAgree) {
  Live live;
  ASSERT_TRUE(showsAStreet(live));
  const auto engine = live.engine();
  const monitor::FrameResultPtr newest = engine->latest(0);
  PerformancePanel panel;
  for (int i = 0; i < 12; ++i) {
    auto made = std::make_shared<monitor::FrameResult>(*newest);
    const double share = i % 4 == 3 ? 0.1 : 1;
    made->frame.number = static_cast<std::uint64_t>(i);
    made->segmentation.times = {20 * share, 400 * share, 10 * share};
    for (NetworkStep& step : made->segmentation.steps)
      step.ms = 400 * share / static_cast<double>(made->segmentation.steps.size());
    made->readyMs =
        made->frame.taken.steadyMs + static_cast<std::int64_t>(frameMs(made->segmentation.times));
    panel.addFrame(*made, 50);
    panel.showFigures(*engine, made);
  }
  const double age = QLocale().toDouble(panel.age()->figure().section(' ', 0, 0));
  EXPECT_GE(age + 0.5, panel.steps()->totalMs()) << "views are painted beside the next frame";
  EXPECT_DOUBLE_EQ(panel.steps()->apartMs(), 50);
  QBuffer csv;
  csv.open(QIODevice::WriteOnly);
  ASSERT_TRUE(panel.steps()->exportCsv(csv));
  const QString network = QString::fromUtf8(csv.data()).split("\r\n").filter("Network,").value(0);
  EXPECT_NEAR(panel.layers()->totalMs(), network.section(',', 2, 2).toDouble(), 0.01);
}

}  // namespace
}  // namespace mpm::gui
