// SPDX-License-Identifier: Apache-2.0
#include "teach/head.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace mpm::test {
namespace {

using Vector = std::vector<double>;

// Curvatures from 1 to 10^4, and its smallest value 3 at (1, 2, 3, ...).
double longBowl(const Vector& x, Vector& gradient) {
  double value = 3;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double curvature =
        std::pow(10.0, 4.0 * static_cast<double>(i) / static_cast<double>(x.size() - 1));
    const double off = x[i] - static_cast<double>(i + 1);
    value += 0.5 * curvature * off * off;
    gradient[i] = curvature * off;
  }
  return value;
}

TEST(Minimise, FindsTheBottomOfALongBowl) {
  const teach::Minimum found = teach::minimise(longBowl, Vector(8, 0), 200, 1e-14);
  EXPECT_NEAR(found.value, 3, 1e-8);
  for (std::size_t i = 0; i < found.x.size(); ++i)
    EXPECT_NEAR(found.x[i], static_cast<double>(i + 1), 1e-3);
}

// What is known of the curvature, even roughly, saves the steps that would find it out.
TEST(Minimise, HeedsWhatIsKnownOfTheCurvature) {
  const auto turn = [](Vector& gradient) {
    for (std::size_t i = 0; i < gradient.size(); ++i)
      gradient[i] *=
          (i % 2 == 0 ? 2 : 0.5) *
          std::pow(10.0, -4.0 * static_cast<double>(i) / static_cast<double>(gradient.size() - 1));
  };
  const teach::Minimum found = teach::minimise(longBowl, Vector(40, 0), 200, 1e-12, turn);
  EXPECT_NEAR(found.value, 3, 1e-6);
  EXPECT_LT(2 * found.steps, teach::minimise(longBowl, Vector(40, 0), 200, 1e-12).steps);
}

TEST(Minimise, StopsWhereItMay) {
  EXPECT_EQ(teach::minimise(longBowl, Vector(8, 0), 3, 0).steps, 3);
  const teach::Minimum there = teach::minimise(longBowl, {1, 2}, 100, 1e-9);
  EXPECT_EQ(there.steps, 0);
  EXPECT_EQ(there.value, 3);
}

TEST(Minimise, GivesTheSameTwice) {
  EXPECT_EQ(teach::minimise(longBowl, Vector(20, 0), 50, 1e-9).x,
            teach::minimise(longBowl, Vector(20, 0), 50, 1e-9).x);
}

// Its slope goes on for ever: the values have to fall, and stay finite.
TEST(Minimise, GoesDownWhereThereIsNoBottom) {
  const auto endless = [](const Vector& x, Vector& gradient) {
    gradient[0] = -1 / (1 + std::exp(x[0]));
    return std::log1p(std::exp(-x[0]));
  };
  const teach::Minimum found = teach::minimise(endless, {0}, 30, 0);
  EXPECT_LT(found.value, 1e-3);
  EXPECT_TRUE(std::isfinite(found.x[0]));
}

}  // namespace
}  // namespace mpm::test
