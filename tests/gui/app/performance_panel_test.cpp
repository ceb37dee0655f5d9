// SPDX-License-Identifier: Apache-2.0
#include "gui/app/performance_panel.h"

#include <gtest/gtest.h>

#include <QTest>

#include "gui/app/live.h"
#include "gui/app/settings.h"

namespace mpm::gui {
namespace {

QStringList titlesOf(Plot& plot) {
  QAbstractTableModel* table = plot.table();
  QStringList titles;
  for (int row = 0; row < table->rowCount(); ++row)
    titles << table->index(row, 0).data().toString();
  return titles;
}

TEST(PerformancePanel, ShowsTheNetworksStepsAndMergesApart) {
  AppOptions options;
  options.record = "none";
  options.source = "scene:?clock=600x&hour=12&size=160x120";
  Live live;
  live.open(withOptions({}, options).live);
  ASSERT_TRUE(QTest::qWaitFor([&] { return live.engine() && live.engine()->latest(0); }, 120000));
  const auto engine = live.engine();
  PerformancePanel panel;
  const monitor::FrameResultPtr newest = engine->latest(0);
  panel.showFigures(*engine, newest, 3);
  const QStringList titles = titlesOf(*panel.layers());
  EXPECT_EQ(titles.filter("Block ").size(), engine->blocks());
  EXPECT_EQ(titles.filter("Merge before").size(), 2);
  EXPECT_LT(titles.indexOf("Merge before block 2"), titles.indexOf("Block 2"));
  EXPECT_GT(titles.indexOf("Merge before block 2"), titles.indexOf("Block 1"));
  EXPECT_TRUE(titles.contains("Merges that are off"));
  const double networkMs = newest->segmentation.times.networkMs;
  EXPECT_NEAR(panel.layers()->totalMs(), networkMs, 0.01 * networkMs);
  EXPECT_GT(panel.layers()->apartMs(), 0);
  EXPECT_LT(panel.layers()->apartMs(), panel.layers()->totalMs());

  engine->setSchedule({});
  ASSERT_TRUE(QTest::qWaitFor([&] { return engine->latest(0)->schedule.empty(); }, 120000));
  panel.showFigures(*engine, engine->latest(0), 3);
  EXPECT_EQ(titlesOf(*panel.layers()).filter("Merge before").size(), 0);
}

}  // namespace
}  // namespace mpm::gui
