// SPDX-License-Identifier: Apache-2.0
// What is kept of values that are not: counts and means, quantiles, series.
#include "monitor/statistics/statistics.h"

#include <array>
#include <random>

#include "monitor/says.h"

namespace mpm::test {
namespace {

using namespace monitor;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct Values {
  std::string name;
  std::vector<double> all;
};

Values draw(const std::string& name, std::size_t count,
            const std::function<double(std::mt19937_64&)>& next) {
  std::mt19937_64 random(17);
  Values values{name, std::vector<double>(count)};
  for (double& value : values.all) value = next(random);
  return values;
}

template <typename Kept>
Kept kept(const std::vector<double>& all) {
  Kept found;
  for (const double value : all) found.add(value);
  return found;
}

void expectTwoPasses(const Running& running, const std::vector<double>& all, double tolerance) {
  long double sum = 0, squares = 0;
  for (const double value : all) sum += value;
  const long double mean = sum / static_cast<long double>(all.size());
  for (const double value : all) squares += (value - mean) * (value - mean);
  const auto deviation =
      static_cast<double>(std::sqrt(squares / static_cast<long double>(all.size() - 1)));
  EXPECT_EQ(running.count(), all.size());
  EXPECT_NEAR(running.mean(), static_cast<double>(mean),
              1e-14 * std::abs(static_cast<double>(mean)) + tolerance);
  EXPECT_NEAR(running.deviation(), deviation, tolerance);
  EXPECT_EQ(running.smallest(), *std::min_element(all.begin(), all.end()));
  EXPECT_EQ(running.largest(), *std::max_element(all.begin(), all.end()));
}

TEST(Running, AgreesWithTwoPassesInOneGoAndInParts) {
  const std::pair<Values, double> cases[] = {
      {draw("skewed", 100000, [](auto& r) { return std::lognormal_distribution<>(0, 2)(r) - 3; }),
       1e-9},
      {draw("even", 30000, [](auto& r) { return std::uniform_real_distribution<>(-1, 1)(r); }),
       1e-12},
      // A value around 1e9 is itself known to 1e-7.
      {draw("large", 1000000, [](auto& r) { return 1e9 + std::normal_distribution<>(0, 1e-3)(r); }),
       1e-7}};
  for (const auto& [values, tolerance] : cases) {
    SCOPED_TRACE(values.name);
    const std::vector<double>& all = values.all;
    expectTwoPasses(kept<Running>(all), all, tolerance);
    Running merged;
    merged.add(Running());
    for (std::size_t begin = 0, part = 1; begin < all.size();
         begin += part, part = part * 3 % 4999 + 1) {
      const auto end = std::min(all.size(), begin + part);
      merged.add(kept<Running>({all.begin() + static_cast<std::ptrdiff_t>(begin),
                                all.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    merged.add(Running());
    expectTwoPasses(merged, all, tolerance);
  }
}

TEST(Running, AndATallyKnowNothingOfNothing) {
  const auto running = kept<Running>({kNan, kInfinite});
  const auto tally = kept<Tally>({kNan, -kInfinite});
  EXPECT_EQ(running.count(), 0u);
  EXPECT_EQ(tally, Tally());
  for (const double unknown : {running.mean(), running.deviation(), tally.mean(), tally.deviation(),
                               kept<Running>({3}).deviation(), kept<Tally>({3}).deviation()})
    EXPECT_TRUE(std::isnan(unknown));
  EXPECT_EQ(kept<Running>({3, kNan, 5}).mean(), 4);
  EXPECT_DOUBLE_EQ(kept<Running>({3, kNan, 5}).deviation(), std::sqrt(2));
}

TEST(Tally, CountsWhatIsKnown) {
  const auto tally = kept<Tally>({2.0, kNan, 4.0, 9.0});
  EXPECT_EQ(tally.count, 3u);
  EXPECT_EQ(tally.mean(), 5);
  EXPECT_EQ(tally.squares, 4 + 16 + 81);
  EXPECT_DOUBLE_EQ(tally.deviation(), std::sqrt((9 + 1 + 16) / 2.0));
  EXPECT_EQ(tally.smallest, 2);
  EXPECT_EQ(tally.largest, 9);
  Tally sum = kept<Tally>({1.0, 2.0});
  sum.add(kept<Tally>({-3.0, 8.0, 0.5}));
  sum.add(Tally());
  EXPECT_EQ(sum, kept<Tally>({1.0, 2.0, -3.0, 8.0, 0.5}));
  // Half the digits of the values.
  EXPECT_NEAR(kept<Tally>(std::vector<double>(1000, 0.1)).deviation(), 0, 1e-7);
}

std::vector<Values> distributions() {
  return {
      draw("shares", 20000, [](auto& r) { return std::uniform_real_distribution<>(0, 1)(r); }),
      draw("normal", 20000, [](auto& r) { return std::normal_distribution<>(0, 1)(r); }),
      draw("milliseconds", 20000, [](auto& r) { return std::lognormal_distribution<>(3, 1)(r); }),
      draw("negative", 5000, [](auto& r) { return -std::exponential_distribution<>(2)(r); }),
      draw("counts", 5000, [](auto& r) { return double(std::poisson_distribution<>(0.7)(r)); }),
      draw("wide", 5000,
           [](auto& r) { return std::pow(10, std::uniform_real_distribution<>(-4, 4)(r)); }),
      draw("borders", 700, [i = -350](auto&) mutable { return std::pow(1.02, i++); }),
      draw("all the same", 100, [](auto&) { return 0.25; }),
      draw("one", 1, [](auto&) { return -4.5; }),
      draw("large", 1000, [](auto& r) {
        return std::numeric_limits<double>::max() * std::uniform_real_distribution<>(0.9, 1)(r);
      })};
}

// The smallest value that so many of all do not exceed.
double exactQuantile(std::vector<double> all, std::size_t share1000) {
  std::sort(all.begin(), all.end());
  const std::size_t wanted = std::max<std::size_t>(1, (share1000 * all.size() + 999) / 1000);
  return all[wanted - 1];
}

TEST(Sketch, QuantilesAreRightToOnePercent) {
  for (const Values& values : distributions()) {
    const auto sketch = kept<Sketch>(values.all);
    EXPECT_EQ(sketch.count(), values.all.size());
    for (const std::size_t share :
         {0, 1, 10, 50, 100, 250, 300, 500, 700, 750, 900, 950, 990, 999, 1000}) {
      const double exact = exactQuantile(values.all, share);
      EXPECT_NEAR(sketch.quantile(static_cast<double>(share) / 1000), exact, 0.01 * std::abs(exact))
          << values.name << " at " << share;
    }
  }
}

TEST(Sketch, OfNothingZeroAndSharesBeyondTheEnds) {
  const auto none = kept<Sketch>({kNan, kInfinite, -kInfinite});
  EXPECT_EQ(none.count(), 0u);
  EXPECT_TRUE(std::isnan(none.quantile(0.5)));
  const auto zero = kept<Sketch>({0, -0.0, 1e-10, -1e-10, 5e-324});
  EXPECT_EQ(zero.count(), 5u);
  EXPECT_EQ(zero.quantile(0), 0);
  EXPECT_EQ(zero.quantile(1), 0);
  const auto sketch = kept<Sketch>({-2, 0, 3});
  EXPECT_EQ(sketch.quantile(-1), sketch.quantile(0));
  EXPECT_EQ(sketch.quantile(7), sketch.quantile(1));
  EXPECT_TRUE(std::isnan(sketch.quantile(kNan)));
}

TEST(Sketch, PutsTheSmallestTogetherWhenThereAreTooMany) {
  // 17 powers of ten are 2000 cells: the upper half keeps its own, on either side of zero.
  const auto values = draw("too wide", 50000, [](auto& r) {
    const double size = std::pow(10, std::uniform_real_distribution<>(-8, 9)(r));
    return std::bernoulli_distribution()(r) ? size : -size;
  });
  const auto sketch = kept<Sketch>(values.all);
  EXPECT_EQ(sketch.count(), values.all.size());
  for (const std::size_t share1000 : {0, 10, 100, 200, 800, 900, 990, 1000}) {
    const double exact = exactQuantile(values.all, share1000);
    EXPECT_NEAR(sketch.quantile(static_cast<double>(share1000) / 1000), exact,
                0.01 * std::abs(exact));
  }
  // What was put together is still small, and on the right side.
  EXPECT_LT(std::abs(sketch.quantile(0.5)), 2);
  EXPECT_LT(sketch.quantile(0.45), 0);
  EXPECT_GT(sketch.quantile(0.55), 0);

  auto sorted = values.all;
  std::sort(sorted.begin(), sorted.end());
  const auto other = kept<Sketch>(sorted);
  for (int i = 0; i <= 2000; ++i)
    EXPECT_EQ(sketch.quantile(i / 2000.0), other.quantile(i / 2000.0));
}

// Frames of a source whose wall clock is set and slewed, with gaps: random figures, some unknown.
class StreetFrames {
 public:
  StreetFrames(std::uint64_t seed, std::size_t metrics) : random_(seed) {
    frame_.values.resize(metrics);
    frame_.taken.utcMs = 1711846795123;  // 31 March 2024, 00:59:55: where summer time begins
  }

  const Figures& next() {
    auto& taken = frame_.taken;
    const std::int64_t passed = between(20, 120);
    taken.steadyMs += passed;
    taken.utcMs += passed;
    const std::int64_t what = between(0, 2000);
    if (what < 2) return set(what == 0 ? 3600000 : -3600000);
    if (what == 2) return set(between(-200000000, 200000000));
    if (what < 7) taken.utcMs += what == 6 ? 900 : -900;  // slewed: still its era
    if (what == 7 || what == 8) gap(between(1000, 200000));
    if (what == 9) gap(between(3600000, 300000000));
    return drawn();
  }

 private:
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(first, last)(random_);
  }
  const Figures& set(std::int64_t ms) {
    frame_.taken.utcMs += ms;
    ++frame_.taken.era;
    return drawn();
  }
  void gap(std::int64_t ms) {
    frame_.taken.steadyMs += ms;
    frame_.taken.utcMs += ms;
  }
  const Figures& drawn() {
    if (between(0, 50) == 0) light_ = between(0, kLightStates - 1);
    frame_.light = kAllLightStates[static_cast<std::size_t>(light_)];
    for (double& value : frame_.values) {
      value = between(0, 19) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                  : std::normal_distribution<>(0.1, 3)(random_);
    }
    return frame_;
  }

  std::mt19937_64 random_;
  Figures frame_;
  std::int64_t light_ = 0;
};

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
  for (auto& [resolution, bucket] : series.takeChanged())
    stored[keyOf(resolution, bucket)] = bucket;
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
    for (const Resolution resolution : kAllResolutions)
      EXPECT_LE(series.buckets(resolution).size(), 40u);
  }
}

TEST(Series, ABucketsLightIsThatOfMostFrames) {
  Series series(1);
  const auto add = [&](int frames, LightState light) {
    for (int i = 0; i < frames; ++i) series.add(frameAt(10, 0, 1, light));
    return series.buckets(Resolution::minute).back().light();
  };
  EXPECT_EQ(add(5, LightState::night), LightState::night);
  EXPECT_EQ(add(3, LightState::day), LightState::night);
  EXPECT_EQ(add(2, LightState::day), LightState::day) << "of equals";
}

TEST(Series, BucketsBeginAtMultiplesAlsoBefore1970) {
  Series series(1);
  series.add(frameAt(-1));
  EXPECT_EQ(series.buckets(Resolution::second).back().startUtcMs, -1000);
  EXPECT_EQ(series.buckets(Resolution::day).back().startUtcMs, -86400000);
  series.add(frameAt(0));
  EXPECT_EQ(series.buckets(Resolution::second).back().startUtcMs, 0);
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
  for (const auto& changed : series.takeChanged()) EXPECT_NE(changed.bucket.startUtcMs, 10000);
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

TEST(Statistics, KeepsEachMetricInEachLight) {
  Statistics statistics(Metrics({"luma", "confidence"}));
  std::array<std::array<Distribution, kLightStates>, 2> expected;
  StreetFrames frames(3, 2);
  for (int i = 0; i < 5000; ++i) {
    const Figures& frame = frames.next();
    statistics.add(frame);
    for (std::size_t metric = 0; metric < 2; ++metric) {
      auto& own = expected[metric][static_cast<std::size_t>(frame.light)];
      own.running.add(frame.values[metric]);
      own.sketch.add(frame.values[metric]);
    }
  }
  for (std::size_t metric = 0; metric < 2; ++metric) {
    for (const LightState light : kAllLightStates) {
      const Distribution& found = statistics.of(metric, light);
      const Distribution& own = expected[metric][static_cast<std::size_t>(light)];
      EXPECT_GT(own.running.count(), 0u);
      EXPECT_EQ(found.running.count(), own.running.count());
      EXPECT_EQ(found.running.mean(), own.running.mean());
      EXPECT_EQ(found.running.deviation(), own.running.deviation());
      EXPECT_EQ(found.sketch.quantile(0.5), own.sketch.quantile(0.5));
    }
  }
}

TEST(Statistics, RefusesFiguresOfOtherMetricsBeforeItCounts) {
  Statistics statistics(Metrics({"luma", "confidence"}));
  Figures frame;
  frame.values = {1};
  EXPECT_THROW(statistics.add(frame), std::invalid_argument);
  EXPECT_EQ(statistics.of(0, LightState::transition).running.count(), 0u);
  EXPECT_TRUE(statistics.series().buckets(Resolution::second).empty());
  EXPECT_THROW(statistics.of(2, LightState::day), std::out_of_range);
}

}  // namespace
}  // namespace mpm::test
