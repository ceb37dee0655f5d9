// SPDX-License-Identifier: Apache-2.0
// One number for one thing: what a frame takes, and tokens of the picture, wherever the app counts.
#include "gui/app/frame_figures.h"

#include <gtest/gtest.h>

#include <tuple>

#include "gui/app/history.h"
#include "gui/app/watched.h"
#include "gui/app/window_parts.h"
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

// Guards against 1,024 tokens in the strip next to 1,025 rows in other panels.
TEST(PictureTokens, AreTheSameInStripPanelsPlotsAndBelowThePicture) {
  AppOptions options = smallStreet();
  options.noMemory = true;
  Watched watched(options);
  const std::unique_ptr<Strip> strip(newGlanceStrip(watched.session));
  const std::unique_ptr<QWidget> performance(newPerformancePanel(watched.session));
  ASSERT_TRUE(watched.shows());
  const auto engine = watched.session.live().engine();
  const monitor::FrameResultPtr newest = watched.session.frame();
  const auto count = countTokens(*newest);
  ASSERT_TRUE(count);
  EXPECT_EQ(count->special, 1);
  EXPECT_EQ(count->all, 1024);
  const cv::Mat& map = newest->segmentation.mergeMap;
  EXPECT_EQ(std::set<int>(map.begin<int>(), map.end<int>()).size(), count->live)
      << "what the caption of the merge map counts";

  const QLocale locale;
  const QString live = locale.toString(count->live, 'f', 0), all = locale.toString(1024);
  emit watched.session.came(newest, nullptr, 0);
  EXPECT_EQ(tile(*strip, "Fewer tokens")->note(), live + " of " + all);
  emit watched.session.painted(newest, 3);
  emit watched.session.looked(watched.stands());
  EXPECT_EQ(tile(*performance, "Tokens")->figure(), live);
  EXPECT_EQ(tile(*performance, "Tokens")->note(), "of " + all);
  EngineSeries series;
  series.setEngine(engine, {}, "gate");
  const auto before =
      series.buckets("tokens.0", Resolution::second, 0, std::numeric_limits<std::int64_t>::max());
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(before.front().mean, 1024);
}

monitor::FrameResult frame(std::uint64_t number, double ms, bool remembers = true) {
  monitor::FrameResult made;
  made.frame.number = number;
  made.frame.taken.steadyMs = static_cast<std::int64_t>(1000 * number);
  made.readyMs = made.frame.taken.steadyMs + static_cast<std::int64_t>(ms);
  made.remembers = remembers;
  made.schedule = {2, 5};
  made.segmentation.times = {0.1 * ms, 0.8 * ms, 0.1 * ms};
  made.segmentation.memory.rows = 64;
  made.segmentation.steps = {{NetworkStep::Kind::embedding, -1, 0.2 * ms},
                             {NetworkStep::Kind::block, 0, 0.6 * ms}};
  return made;
}

TEST(FrameTimes, StepsAddUpToTheNetworkAndNoFrameIsYoungerThanItTook) {
  FrameTimes times;
  for (std::uint64_t i = 0; i < 9; ++i) {
    times.add(frame(i, i % 4 == 3 ? 40.9 : 400.9), 5);
    const FrameTimes::Means means = times.means();
    double steps = 0;
    for (const NetworkStep& step : means.steps) steps += step.ms;
    EXPECT_NEAR(steps, means.frame.networkMs, 1e-9) << i;
    EXPECT_GE(means.ageMs, frameMs(means.frame)) << i;
    EXPECT_DOUBLE_EQ(means.viewsMs, 5) << i;
  }
}

TEST(FrameTimes, AFrameThatIsShownTwiceCountsOnce) {
  FrameTimes times;
  for (const std::uint64_t number : {1, 2, 3, 3, 3}) {
    times.add(frame(number, number == 3 ? 200 : 100), 5);
  }
  EXPECT_NEAR(frameMs(times.means().frame), 150, 1e-9) << "of the second and the third";
}

TEST(FrameTimes, BeginAnewWithoutAMemory) {
  FrameTimes times;
  for (std::uint64_t i = 0; i < 5; ++i) times.add(frame(i, 100), 5);
  times.add(frame(5, 300, false), 5);
  EXPECT_NEAR(frameMs(times.means().frame), 300, 1e-9);
}

}  // namespace
}  // namespace mpm::gui
