// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/sighting.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

using namespace monitor;

constexpr Sighting kSeen{true, true, 1, std::nullopt}, kNot{true, false, 0, std::nullopt};

TEST(Holding, BeginsWhenItWasSeenForLongEnough) {
  Holding holding(3000, 2000);
  EXPECT_FALSE(holding.update(kSeen, 1000));
  EXPECT_FALSE(holding.update(kSeen, 1000));
  EXPECT_EQ(holding.update(kSeen, 1000), true);
  EXPECT_TRUE(holding.holds());
  EXPECT_FALSE(holding.update(kNot, 1000));
  EXPECT_EQ(holding.update(kNot, 1000), false);
  EXPECT_FALSE(holding.holds());
}

TEST(Holding, StartsAgainWhereItWasInterrupted) {
  Holding holding(3000, 2000);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(holding.update(kSeen, 2000));
    EXPECT_FALSE(holding.update(kNot, 500));
  }
}

TEST(Holding, WhatIsNotKnownCountsAsNeither) {
  Holding holding(3000, 2000);
  holding.update(kSeen, 2000);
  EXPECT_FALSE(holding.update({}, 60000));
  EXPECT_EQ(holding.update(kSeen, 1000), true);
  EXPECT_FALSE(holding.update({}, 60000));
  EXPECT_TRUE(holding.holds());
}

}  // namespace
}  // namespace mpm::test
