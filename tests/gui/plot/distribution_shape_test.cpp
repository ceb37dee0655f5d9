// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/distribution_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace mpm::gui {
namespace {

using monitor::LightState;

std::vector<double> normal(int count, double mean, double deviation) {
  std::mt19937 random(9);
  std::normal_distribution<double> value(mean, deviation);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(value(random));
  return values;
}

double highestAt(const DistributionShape& shape) {
  return std::max_element(
             shape.outline.begin(), shape.outline.end(),
             [](const auto& one, const auto& other) { return one.density < other.density; })
      ->value;
}

TEST(DistributionShape, OfANormalDistribution) {
  const auto shape = shapeOf(LightState::day, normal(20'000, 437, 20));
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->count, 20'000U);
  EXPECT_NEAR(shape->median, 437, 1);
  EXPECT_NEAR(shape->low, 437 - 1.645 * 20, 1.5);
  EXPECT_NEAR(shape->high, 437 + 1.645 * 20, 1.5);
  EXPECT_NEAR(highestAt(*shape), 437, 6);
  for (const auto& point : shape->outline) {
    EXPECT_GT(point.density, 0);
    EXPECT_LE(point.density, 1);
  }
}

TEST(DistributionShape, ASketchSaysTheSameToOnePercent) {
  const auto values = normal(20'000, 437, 20);
  monitor::Sketch sketch;
  for (const double value : values) sketch.add(value);
  const auto one = shapeOf(LightState::day, values), other = shapeOf(LightState::day, sketch);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(other->count, one->count);
  EXPECT_NEAR(other->median, one->median, 0.011 * one->median);
  EXPECT_NEAR(other->low, one->low, 0.011 * one->low);
  EXPECT_NEAR(other->high, one->high, 0.011 * one->high);
  // The cells of a sketch make no teeth: one top.
  int tops = 0;
  for (std::size_t i = 1; i + 1 < other->outline.size(); ++i)
    if (other->outline[i].density > other->outline[i - 1].density &&
        other->outline[i].density > other->outline[i + 1].density)
      ++tops;
  EXPECT_EQ(tops, 1);
}

TEST(DistributionShape, TwoHumpsAreTwo) {
  auto values = normal(5000, 300, 10);
  const auto more = normal(5000, 500, 10);
  values.insert(values.end(), more.begin(), more.end());
  const auto shape = shapeOf(LightState::night, values);
  ASSERT_TRUE(shape);
  const auto at = [&](double value) {
    return std::min_element(shape->outline.begin(), shape->outline.end(),
                            [value](const auto& one, const auto& other) {
                              return std::fabs(one.value - value) < std::fabs(other.value - value);
                            })
        ->density;
  };
  EXPECT_GT(at(300), 0.5);
  EXPECT_GT(at(500), 0.5);
  EXPECT_LT(at(400), 0.2);
}

TEST(DistributionShape, FewOrEqualValuesHaveNoOutline) {
  const auto few = shapeOf(LightState::day, {1, 2, 3});
  ASSERT_TRUE(few);
  EXPECT_EQ(few->median, 2);
  EXPECT_TRUE(few->outline.empty());
  const auto equal = shapeOf(LightState::day, std::vector<double>(100, 5.0));
  ASSERT_TRUE(equal);
  EXPECT_EQ(equal->low, 5);
  EXPECT_TRUE(equal->outline.empty());
}

TEST(DistributionShape, NothingOfNoValues) {
  EXPECT_FALSE(shapeOf(LightState::day, std::vector<double>{}));
  EXPECT_FALSE(shapeOf(LightState::day, monitor::Sketch()));
  EXPECT_FALSE(shapeOf(LightState::day, {std::nan(""), std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(shapeOf(LightState::day, {std::nan(""), 4.0})->count, 1U);
}

}  // namespace
}  // namespace mpm::gui
