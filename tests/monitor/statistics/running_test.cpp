// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/running.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace mpm::test {
namespace {

using monitor::Running;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> values(std::size_t count, std::uint64_t seed,
                           const std::function<double(std::mt19937_64&)>& draw) {
  std::mt19937_64 random(seed);
  std::vector<double> all(count);
  for (double& value : all) value = draw(random);
  return all;
}

Running runningOf(const std::vector<double>& all) {
  Running running;
  for (const double value : all) running.add(value);
  return running;
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

TEST(Running, OfNoneIsNothing) {
  Running running;
  running.add(kNan);
  running.add(std::numeric_limits<double>::infinity());
  EXPECT_EQ(running.count(), 0u);
  EXPECT_TRUE(std::isnan(running.mean()));
  EXPECT_TRUE(std::isnan(running.deviation()));
}

TEST(Running, OfOneHasNoDeviation) {
  Running running;
  running.add(3);
  EXPECT_EQ(running.mean(), 3);
  EXPECT_TRUE(std::isnan(running.deviation()));
  running.add(kNan);
  running.add(5);
  EXPECT_EQ(running.mean(), 4);
  EXPECT_DOUBLE_EQ(running.deviation(), std::sqrt(2));
}

TEST(Running, AgreesWithTwoPasses) {
  const auto all = values(
      100000, 1, [](auto& random) { return std::lognormal_distribution<>(0, 2)(random) - 3; });
  expectTwoPasses(runningOf(all), all, 1e-9);
}

TEST(Running, SeesATinyDeviationOfLargeValues) {
  const auto all = values(
      1000000, 2, [](auto& random) { return 1e9 + std::normal_distribution<>(0, 0.001)(random); });
  // A value around 1e9 is itself known to 1e-7.
  expectTwoPasses(runningOf(all), all, 1e-7);
  EXPECT_NEAR(runningOf(all).deviation(), 0.001, 1e-5);
}

TEST(Running, MergesToWhatAddingGives) {
  for (const double offset : {0.0, 1e9}) {
    const auto all = values(30000, 3, [&](auto& random) {
      return offset + std::uniform_real_distribution<>(-1, 1)(random);
    });
    Running merged;
    merged.add(Running());
    for (std::size_t begin = 0, part = 1; begin < all.size();
         begin += part, part = part * 3 % 4999 + 1) {
      const auto end = std::min(all.size(), begin + part);
      merged.add(runningOf({all.begin() + static_cast<std::ptrdiff_t>(begin),
                            all.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    merged.add(Running());
    expectTwoPasses(merged, all, offset > 0 ? 1e-7 : 1e-12);
  }
}

}  // namespace
}  // namespace mpm::test
