// SPDX-License-Identifier: Apache-2.0
#include "monitor/light/light_steps.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mpm::test {
namespace {

using monitor::Smoothed;
using monitor::SmoothedLight;

TEST(Smoothed, TakesTheFirstValueAsItIs) {
  Smoothed value;
  value.add(0.7, 0, 3000);
  EXPECT_EQ(value.value(), 0.7);
}

TEST(Smoothed, DoesNotDependOnHowOftenItIsAsked) {
  Smoothed often, seldom;
  often.add(0, 0, 3000);
  seldom.add(0, 0, 3000);
  for (int i = 0; i < 300; ++i) often.add(1, 10, 3000);
  seldom.add(1, 3000, 3000);
  EXPECT_NEAR(often.value(), 1 - std::exp(-1), 1e-12);
  EXPECT_NEAR(seldom.value(), often.value(), 1e-12);
}

TEST(Smoothed, ForgetsInALongGap) {
  Smoothed value;
  value.add(0, 0, 3000);
  value.add(1, 3600000, 3000);
  EXPECT_EQ(value.value(), 1);
}

TEST(Smoothed, WithoutAConstantIsTheValue) {
  Smoothed value;
  value.add(0.2, 0, 0);
  value.add(0.9, 0, 0);
  EXPECT_EQ(value.value(), 0.9);
}

TEST(SmoothedLight, DriftsWhileItChanges) {
  SmoothedLight light(3000);
  light.add(0.5, 0.3, 0);
  for (int i = 0; i < 10; ++i) light.add(0.5, 0.3, 100);
  EXPECT_NEAR(light.levelDrift(), 0, 1e-12);
  for (int i = 0; i < 10; ++i) light.add(0.1, 0, 100);
  EXPECT_GT(light.levelDrift(), 0.1);
  EXPECT_GT(light.saturationDrift(), 0.1);
  EXPECT_GT(light.level(), 0.35);       // what it was lately
  EXPECT_LT(light.saturation(), 0.05);  // what it is just now
  for (int i = 0; i < 300; ++i) light.add(0.1, 0, 100);
  EXPECT_LT(light.levelDrift(), 0.001);
  light.forget();
  light.add(0.9, 0.2, 100);
  EXPECT_EQ(light.level(), 0.9);
}

}  // namespace
}  // namespace mpm::test
