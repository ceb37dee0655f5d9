// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace mpm::test {
namespace {

using monitor::Sketch;

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

Sketch sketchOf(const std::vector<double>& all) {
  Sketch sketch;
  for (const double value : all) sketch.add(value);
  return sketch;
}

const std::vector<double>& shares() {
  static const std::vector<double> all{0,   0.001, 0.01, 0.05, 0.1,  0.25,  0.3, 0.5,
                                       0.7, 0.75,  0.9,  0.95, 0.99, 0.999, 1};
  return all;
}

// The smallest value that so many of all do not exceed.
double exactQuantile(std::vector<double> all, std::size_t share1000) {
  std::sort(all.begin(), all.end());
  const std::size_t wanted = std::max<std::size_t>(1, (share1000 * all.size() + 999) / 1000);
  return all[wanted - 1];
}

TEST(Sketch, QuantilesAreRightToOnePercent) {
  for (const Values& values : distributions()) {
    const Sketch sketch = sketchOf(values.all);
    EXPECT_EQ(sketch.count(), values.all.size());
    for (const double share : shares()) {
      const double exact =
          exactQuantile(values.all, static_cast<std::size_t>(std::lround(share * 1000)));
      EXPECT_NEAR(sketch.quantile(share), exact, 0.01 * std::abs(exact))
          << values.name << " at " << share;
    }
  }
}

TEST(Sketch, OfNoneHasNoQuantile) {
  Sketch sketch;
  sketch.add(std::numeric_limits<double>::quiet_NaN());
  sketch.add(std::numeric_limits<double>::infinity());
  sketch.add(-std::numeric_limits<double>::infinity());
  EXPECT_EQ(sketch.count(), 0u);
  EXPECT_TRUE(std::isnan(sketch.quantile(0.5)));
}

TEST(Sketch, NextToZeroIsZero) {
  const Sketch sketch = sketchOf({0, -0.0, 1e-10, -1e-10, 5e-324});
  EXPECT_EQ(sketch.count(), 5u);
  EXPECT_EQ(sketch.quantile(0), 0);
  EXPECT_EQ(sketch.quantile(1), 0);
}

TEST(Sketch, SharesBeyondTheEndsAreTheEnds) {
  const Sketch sketch = sketchOf({-2, 0, 3});
  EXPECT_EQ(sketch.quantile(-1), sketch.quantile(0));
  EXPECT_EQ(sketch.quantile(7), sketch.quantile(1));
  EXPECT_TRUE(std::isnan(sketch.quantile(std::numeric_limits<double>::quiet_NaN())));
}

void expectSame(const Sketch& a, const Sketch& b, const std::string& name) {
  EXPECT_EQ(a.count(), b.count()) << name;
  for (int i = 0; i <= 2000; ++i) EXPECT_EQ(a.quantile(i / 2000.0), b.quantile(i / 2000.0)) << name;
}

TEST(Sketch, MergingIsAddingTogether) {
  Sketch everything, merged;
  for (const Values& values : distributions()) {
    Sketch halves;
    const auto middle = values.all.begin() + static_cast<std::ptrdiff_t>(values.all.size() / 3);
    halves.add(sketchOf({values.all.begin(), middle}));
    halves.add(sketchOf({middle, values.all.end()}));
    expectSame(halves, sketchOf(values.all), values.name);
    for (const double value : values.all) everything.add(value);
    merged.add(halves);
  }
  expectSame(merged, everything, "everything");
  Sketch twice = merged;
  twice.add(twice);
  EXPECT_EQ(twice.count(), 2 * merged.count());
  EXPECT_EQ(twice.quantile(0.9), merged.quantile(0.9));
}

TEST(Sketch, PutsTheSmallestTogetherWhenThereAreTooMany) {
  // 17 powers of ten are 2000 cells: the upper half keeps its own, on either side of zero.
  const auto values = draw("too wide", 50000, [](auto& r) {
    const double size = std::pow(10, std::uniform_real_distribution<>(-8, 9)(r));
    return std::bernoulli_distribution()(r) ? size : -size;
  });
  const Sketch sketch = sketchOf(values.all);
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

  auto shuffled = values.all;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(4));
  expectSame(sketch, sketchOf(shuffled), "another order");
  std::sort(shuffled.begin(), shuffled.end());
  expectSame(sketch, sketchOf(shuffled), "sorted");
  const auto middle = values.all.begin() + 20000;
  Sketch merged = sketchOf({values.all.begin(), middle});
  merged.add(sketchOf({middle, values.all.end()}));
  expectSame(sketch, merged, "merged");
}

}  // namespace
}  // namespace mpm::test
