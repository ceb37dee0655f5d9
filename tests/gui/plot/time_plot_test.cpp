// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/time_plot.h"

#include <gtest/gtest.h>

#include <QTimer>
#include <algorithm>
#include <memory>

#include "gui/plot/synthetic_source.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

using monitor::Resolution;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMinuteMs;
using testing::kMonday;
using testing::SyntheticSource;

class TimePlotTest : public ::testing::Test {
 protected:
  void SetUp() override {
    source_->at("live_rows", Resolution::minute) =
        testing::syntheticBuckets(now_ - kDayMs, now_, Resolution::minute);
    source_->at("live_rows", Resolution::hour) =
        testing::syntheticBuckets(now_ - 20 * kDayMs, now_, Resolution::hour);
    plot_.resize(800, 300);
    plot_.setTimeZone(QTimeZone::utc());
    plot_.setClock([this] { return now_; });
    plot_.setSource(source_.get());
    plot_.setLines({{"live_rows", "Live rows"}}, "rows");
  }

  /// Whether anything happens by itself, now or later.
  bool rests() const {
    const auto timers = plot_.findChildren<QTimer*>();
    return std::none_of(timers.begin(), timers.end(), [](QTimer* one) { return one->isActive(); });
  }

  std::int64_t now_ = kMonday + 15 * kHourMs;
  std::unique_ptr<SyntheticSource> source_ = std::make_unique<SyntheticSource>();
  TimePlot plot_;
};

TEST_F(TimePlotTest, FollowsNow) {
  plot_.show();
  plot_.setSpan(kMinuteMs);
  EXPECT_EQ(plot_.timeWindow().to(), now_);
  now_ += 5000;
  EXPECT_TRUE(waitFor([&] { return plot_.timeWindow().to() == now_; }));
}

TEST_F(TimePlotTest, RestsWhileItIsHidden) {
  plot_.show();
  EXPECT_FALSE(rests());
  plot_.hide();
  EXPECT_TRUE(rests());
  const std::int64_t before = plot_.timeWindow().to();
  now_ += 5000;
  EXPECT_EQ(plot_.timeWindow().to(), before);
  plot_.show();
  EXPECT_EQ(plot_.timeWindow().to(), now_);
}

TEST_F(TimePlotTest, TakesTheResolutionOfTheZoom) {
  plot_.setSpan(20 * kHourMs);
  EXPECT_EQ(plot_.shownResolution(), Resolution::minute);
  plot_.setSpan(20 * kDayMs);
  EXPECT_EQ(plot_.shownResolution(), Resolution::hour);
}

TEST_F(TimePlotTest, AsksTheSourceOnceForWhatItDraws) {
  plot_.setSpan(6 * kHourMs);
  plot_.grab();
  const int asked = source_->asked;
  for (int i = 1; i <= 5; ++i) {
    plot_.showWindow(now_ - 6 * kHourMs - i * kMinuteMs, now_ - i * kMinuteMs);
    plot_.grab();
    plot_.table();
    plot_.summary();
  }
  EXPECT_EQ(source_->asked, asked);
  plot_.showWindow(now_ - 20 * kHourMs, now_ - 14 * kHourMs);
  plot_.grab();
  EXPECT_EQ(source_->asked, asked + 1);
}

TEST_F(TimePlotTest, ShowsWhatArrivesLater) {
  plot_.setSpan(kDayMs);
  const QImage before = plot_.image({400, 200});
  for (PlotBucket& bucket : source_->at("live_rows", Resolution::minute)) bucket.largest = 900;
  emit source_->changed(now_ - kHourMs, now_);
  EXPECT_TRUE(waitFor([&] { return plot_.image({400, 200}) != before; }));
}

TEST_F(TimePlotTest, WhatArrivesElsewhereChangesNothing) {
  plot_.setSpan(kHourMs);
  plot_.grab();
  const int asked = source_->asked;
  emit source_->changed(now_ - 10 * kDayMs, now_ - 9 * kDayMs);
  EXPECT_TRUE(rests());
  plot_.grab();
  EXPECT_EQ(source_->asked, asked);
}

// A frame in every second: the source is asked a few times, not a thousand.
TEST_F(TimePlotTest, ManyChangesAreOneFetch) {
  plot_.setSpan(kHourMs);
  plot_.grab();
  const int asked = source_->asked;
  for (int i = 0; i < 1000; ++i) emit source_->changed(now_ - 1000, now_);
  ASSERT_TRUE(waitFor([&] { return rests(); }));
  plot_.grab();
  EXPECT_EQ(source_->asked, asked + 1);
}

TEST_F(TimePlotTest, OutlivesItsSource) {
  plot_.grab();
  QAbstractTableModel* table = plot_.table();
  EXPECT_GT(table->rowCount(), 0);
  source_.reset();
  plot_.grab();
  EXPECT_FALSE(plot_.summary().isEmpty());
  EXPECT_EQ(plot_.table()->rowCount(), 0);
  plot_.setSource(nullptr);
  plot_.grab();
}

TEST_F(TimePlotTest, AWindowThatIsNoneIsIgnored) {
  const std::int64_t before = plot_.timeWindow().span();
  plot_.showWindow(now_, now_);
  plot_.showWindow(now_, now_ - 1);
  EXPECT_EQ(plot_.timeWindow().span(), before);
  EXPECT_TRUE(plot_.timeWindow().live());
}

}  // namespace
}  // namespace mpm::gui
