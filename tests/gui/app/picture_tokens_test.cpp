// SPDX-License-Identifier: Apache-2.0
// One number for one thing: tokens of the picture, wherever the app counts.
#include "gui/app/picture_tokens.h"

#include <gtest/gtest.h>

#include <QLocale>
#include <QTemporaryDir>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "gui/app/engine_series.h"
#include "gui/app/glance_strip.h"
#include "gui/app/live.h"
#include "gui/app/performance_panel.h"
#include "gui/app/settings.h"
#include "gui/app/small_street.h"
#include "gui/wait_for.h"
#include "monitor/record/sample_record.h"

namespace mpm::gui {
namespace {

using monitor::Resolution;

constexpr std::int64_t kNoon = 1'900'000'800'000;

monitor::Bucket minute(int number, double before, double live, double special) {
  monitor::Bucket bucket;
  bucket.startUtcMs = kNoon + number * 60'000;
  bucket.tallies = {monitor::tallyOf({before, before}), monitor::tallyOf({live - 1, live + 1}),
                    monitor::tallyOf({1 - (live - special) / (before - special)})};
  return bucket;
}

TEST(PictureTokens, AreRowsWithoutSpecialOnes) {
  std::vector<monitor::Bucket> buckets{minute(0, 1025, 1025, 1), minute(1, 1025, 642, 1)};
  PictureTokens("live_tokens").reduce(buckets, {});
  EXPECT_EQ(buckets[1].tallies[0].mean(), 1024);
  EXPECT_EQ(buckets[1].tallies[1].mean(), 641);
  EXPECT_EQ(buckets[1].tallies[1].smallest, 640);
  EXPECT_EQ(buckets[1].tallies[1].largest, 642);
  EXPECT_NEAR(buckets[1].tallies[1].deviation(), std::sqrt(2), 1e-6);
  EXPECT_EQ(buckets[0].tallies[0].mean(), 1024) << "where nothing merged another bucket tells";
}

TEST(PictureTokens, AreNotGuessedWhereNoBucketTells) {
  const std::vector<monitor::Bucket> rows{minute(0, 1025, 1025, 1)};
  std::vector<monitor::Bucket> unknown = rows, usual = rows;
  PictureTokens("tokens.0").reduce(unknown, {});
  EXPECT_EQ(unknown[0].tallies[0].count, 0u);
  PictureTokens("tokens.0").reduce(usual, 1);
  EXPECT_EQ(usual[0].tallies[0].mean(), 1024);
}

TEST(PictureTokens, OfARecordAreThoseOfEachModel) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("a.sqlite");
  {
    monitor::Record record(path.toStdString());
    int number = 0;
    for (const auto& [before, live, special] : {std::tuple{1025., 642., 1.}, {261., 105., 5.}}) {
      monitor::RunFacts facts = monitor::sampleRun("gate", {"rows.0", "live_rows", "merged_share"});
      facts.modelHash = std::to_string(number);
      facts.begun = {1, kNoon + number * 60'000, 0, true};
      const std::int64_t run = record.beginRun(facts);
      record.write(run, {{Resolution::minute, minute(number++, before, live, special)}});
    }
    ASSERT_TRUE(record.flush(monitor::kDiskMs));
  }
  EngineSeries series;
  series.setEngine(nullptr, path, "gate");
  std::vector<PlotBucket> live, before;
  ASSERT_TRUE(waitFor([&] {
    live = series.buckets("live_tokens", Resolution::minute, kNoon, kNoon + 120'000);
    before = series.buckets("tokens.0", Resolution::minute, kNoon, kNoon + 120'000);
    return !live.empty() && !before.empty();
  }));
  ASSERT_EQ(live.size(), 2u);
  EXPECT_EQ(live[0].mean, 641);
  EXPECT_EQ(live[1].mean, 100);
  EXPECT_EQ(before[0].mean, 1024);
  EXPECT_EQ(before[1].mean, 256);
}

// Seen: 1,024 tokens in the strip beside 1,025 rows in other panels.
TEST(PictureTokens, AreTheSameInStripPanelsPlotsAndBelowThePicture) {
  AppOptions options = smallStreet();
  options.noMemory = true;
  Live live;
  live.open(withOptions({}, options).live);
  ASSERT_TRUE(waitFor([&] { return live.engine() && live.engine()->latest(0); }));
  const auto engine = live.engine();
  const monitor::FrameResultPtr newest = engine->latest(0);
  const auto count = countTokens(*newest);
  ASSERT_TRUE(count);
  EXPECT_EQ(count->special, 1);
  EXPECT_EQ(count->all, 1024);
  const cv::Mat& map = newest->segmentation.mergeMap;
  EXPECT_EQ(std::set<int>(map.begin<int>(), map.end<int>()).size(), count->live)
      << "what the caption of the merge map counts";

  const QLocale locale;
  const QString live_ = locale.toString(count->live, 'f', 0), all = locale.toString(1024);
  GlanceStrip strip;
  strip.begin(*engine);
  strip.showFrame(*newest, nullptr);
  EXPECT_EQ(strip.tokens()->note(), live_ + " of " + all);
  PerformancePanel panel;
  panel.showFigures(*engine, newest, 0);
  EXPECT_EQ(panel.tokens()->figure(), live_);
  EXPECT_EQ(panel.tokens()->note(), "of " + all);
  EngineSeries series;
  series.setEngine(engine, {}, "gate");
  const auto before =
      series.buckets("tokens.0", Resolution::second, 0, std::numeric_limits<std::int64_t>::max());
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(before.front().mean, 1024);
}

}  // namespace
}  // namespace mpm::gui
