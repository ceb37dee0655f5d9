// SPDX-License-Identifier: Apache-2.0
// Rollups against a recount from the frames, to the bit.
#include "monitor/statistics/series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "street_frames.h"

namespace mpm::test {
namespace {

using namespace monitor;

constexpr std::size_t kMetrics = 4;
const SeriesLimits kUnlimited{{1u << 30, 1u << 30, 1u << 30, 1u << 30}};

using Key = std::tuple<Resolution, std::int32_t, std::int64_t>;
using Buckets = std::map<Key, Bucket>;

Key keyOf(Resolution resolution, const Bucket& bucket) {
  return {resolution, bucket.era, bucket.startUtcMs};
}

// Adds to what was counted of all frames before, the plain way.
void recount(Buckets& buckets, const Figures& frame) {
  for (const Resolution resolution : kAllResolutions) {
    const auto length = static_cast<double>(lengthMs(resolution));
    const auto start = static_cast<std::int64_t>(
        std::floor(static_cast<double>(frame.taken.utcMs) / length) * length);
    Bucket& bucket = buckets[{resolution, frame.taken.era, start}];
    bucket.startUtcMs = start;
    bucket.era = frame.taken.era;
    bucket.tallies.resize(frame.values.size());
    ++bucket.frames[static_cast<std::size_t>(frame.light)];
    for (std::size_t i = 0; i < frame.values.size(); ++i) bucket.tallies[i].add(frame.values[i]);
  }
}

// As a record does.
void store(Buckets& stored, Series& series) {
  for (auto& [resolution, bucket] : series.takeChanged()) {
    stored[keyOf(resolution, bucket)] = bucket;
  }
}

Figures frameAt(std::int64_t utcMs, std::int32_t era = 0, double value = 1,
                LightState light = LightState::day) {
  Figures frame;
  frame.taken.utcMs = utcMs;
  frame.taken.era = era;
  frame.light = light;
  frame.values = {value};
  return frame;
}

TEST(Series, EveryBucketIsARecount) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    StreetFrames frames(seed, kMetrics);
    Series series(kMetrics, kUnlimited);
    Buckets expected, found;
    for (int i = 0; i < 20000; ++i) {
      const Figures& frame = frames.next();
      series.add(frame);
      recount(expected, frame);
    }
    for (const Resolution resolution : kAllResolutions) {
      const Bucket* before = nullptr;
      for (const Bucket& bucket : series.buckets(resolution)) {
        EXPECT_TRUE(found.emplace(keyOf(resolution, bucket), bucket).second);
        if (before) {
          EXPECT_LT(keyOf(resolution, *before), keyOf(resolution, bucket));
        }
        before = &bucket;
      }
    }
    EXPECT_TRUE(found == expected) << "seed " << seed;
    EXPECT_GT(expected.size(), 500u);
  }
}

TEST(Series, WhatIsTakenNowAndThenIsEverything) {
  for (const std::uint64_t seed : {5, 6, 7, 8}) {
    StreetFrames frames(seed, kMetrics);
    Series series(kMetrics, {{40, 12, 10, 8}});
    Buckets expected, stored;
    for (int i = 0; i < 20000; ++i) {
      const Figures& frame = frames.next();
      series.add(frame);
      recount(expected, frame);
      if (i % 15 == 0) store(stored, series);
    }
    store(stored, series);
    EXPECT_TRUE(stored == expected) << "seed " << seed;
    for (const Resolution resolution : kAllResolutions) {
      EXPECT_LE(series.buckets(resolution).size(), 40u);
    }
  }
}

TEST(Series, FramesCountInTheirLight) {
  Series series(1);
  for (int i = 0; i < 5; ++i) series.add(frameAt(i * 10, 0, 1, LightState::night));
  for (int i = 5; i < 8; ++i) series.add(frameAt(i * 10, 0, 1, LightState::day));
  const Bucket& bucket = series.buckets(Resolution::minute).back();
  EXPECT_EQ(bucket.frames[static_cast<std::size_t>(LightState::night)], 5u);
  EXPECT_EQ(bucket.frames[static_cast<std::size_t>(LightState::day)], 3u);
  EXPECT_EQ(bucket.light(), LightState::night);
  for (int i = 8; i < 10; ++i) series.add(frameAt(i * 10, 0, 1, LightState::day));
  EXPECT_EQ(series.buckets(Resolution::minute).back().light(), LightState::day) << "of equals";
}

TEST(Series, BucketsBeginAtMultiplesAlsoBefore1970) {
  Series series(1);
  series.add(frameAt(-1));
  EXPECT_EQ(series.buckets(Resolution::second).back().startUtcMs, -1000);
  EXPECT_EQ(series.buckets(Resolution::day).back().startUtcMs, -86400000);
  series.add(frameAt(0));
  EXPECT_EQ(series.buckets(Resolution::second).back().startUtcMs, 0);
  series.add(frameAt(1711846799999));
  EXPECT_EQ(series.buckets(Resolution::second).back().startUtcMs, 1711846799000);
  EXPECT_EQ(series.buckets(Resolution::minute).back().startUtcMs, 1711846740000);
  EXPECT_EQ(series.buckets(Resolution::hour).back().startUtcMs, 1711843200000);
  EXPECT_EQ(series.buckets(Resolution::day).back().startUtcMs, 1711843200000);
}

TEST(Series, AnHourThatIsThereTwiceIsTwoHours) {
  Series series(1);
  for (std::int64_t ms = 0; ms < 3600000; ms += 600000) series.add(frameAt(ms, 0, 1));
  for (std::int64_t ms = 0; ms < 3600000; ms += 600000) series.add(frameAt(ms, 1, 2));
  const auto& hours = series.buckets(Resolution::hour);
  ASSERT_EQ(hours.size(), 2u);
  EXPECT_EQ(hours[0].tallies[0].sum, 6);
  EXPECT_EQ(hours[1].tallies[0].sum, 12);
  EXPECT_EQ(hours[1].era, 1);
}

TEST(Series, ALateFrameGoesWhereItBelongs) {
  Series series(1);
  series.add(frameAt(10500));
  series.add(frameAt(12100));
  series.takeChanged();
  series.add(frameAt(10900));  // slewed back: its bucket is there
  const auto& seconds = series.buckets(Resolution::second);
  EXPECT_EQ(seconds.size(), 2u);
  EXPECT_EQ(seconds[0].tallies[0].count, 2u);
  bool told = false;
  for (const auto& [resolution, bucket] : series.takeChanged()) {
    told = told || (resolution == Resolution::second && bucket.startUtcMs == 10000 &&
                    bucket.tallies[0].count == 2);
  }
  EXPECT_TRUE(told);
  series.add(frameAt(11999));  // there was none yet
  ASSERT_EQ(seconds.size(), 3u);
  EXPECT_EQ(seconds[1].startUtcMs, 11000);
  EXPECT_EQ(seconds[2].startUtcMs, 12000);
}

TEST(Series, ABucketThatIsGoneIsNotOpenedAnew) {
  Series series(1, {{2, 2, 2, 2}});
  for (const std::int64_t ms : {10000, 11000, 12000}) series.add(frameAt(ms));
  series.takeChanged();
  series.add(frameAt(10999));
  const auto& seconds = series.buckets(Resolution::second);
  ASSERT_EQ(seconds.size(), 2u);
  EXPECT_EQ(seconds[0].startUtcMs, 11000);
  EXPECT_EQ(seconds[0].tallies[0].count, 2u);
  for (const auto& changed : series.takeChanged()) {
    EXPECT_NE(changed.bucket.startUtcMs, 10000);
  }
}

TEST(Series, TellsOpenBucketsAgainAndOthersOnce) {
  Series series(1);
  series.add(frameAt(0));
  EXPECT_EQ(series.takeChanged().size(), 4u);
  EXPECT_TRUE(series.takeChanged().empty());
  series.add(frameAt(500));
  EXPECT_EQ(series.takeChanged().size(), 4u);
  series.add(frameAt(1500));
  series.add(frameAt(2500));
  const auto changed = series.takeChanged();
  EXPECT_EQ(changed.size(), 5u);  // two seconds; the minute, the hour and the day again
  EXPECT_EQ(changed[2].bucket.tallies[0].count, 4u);
  EXPECT_EQ(changed[2].resolution, Resolution::minute);
}

TEST(Series, KeepsWithinItsLimits) {
  Series series(1, {{3, 2, 0, 1}});
  for (std::int64_t ms = 0; ms < 400000000; ms += 999999) series.add(frameAt(ms));
  EXPECT_EQ(series.buckets(Resolution::second).size(), 3u);
  EXPECT_EQ(series.buckets(Resolution::minute).size(), 2u);
  EXPECT_EQ(series.buckets(Resolution::hour).size(), 1u) << "one at least";
  EXPECT_EQ(series.buckets(Resolution::day).size(), 1u);
  EXPECT_EQ(series.takeChanged().size(), 7u);
  EXPECT_EQ(series.buckets(Resolution::second).back().startUtcMs, 399999000 / 1000 * 1000);
}

TEST(Series, WithoutMetricsCountsFrames) {
  Series series(0);
  Figures frame;
  series.add(frame);
  EXPECT_EQ(series.buckets(Resolution::day).back().frames[5], 1u);
}

TEST(Series, RefusesFiguresOfOtherMetrics) {
  Series series(2);
  EXPECT_THROW(series.add(frameAt(0)), std::invalid_argument);
  for (const Resolution resolution : kAllResolutions) {
    EXPECT_TRUE(series.buckets(resolution).empty());
  }
}

}  // namespace
}  // namespace mpm::test
