// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/sighting.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

using namespace monitor;

const Sighting kSeen{true, true, 1, std::nullopt}, kNot{true, false, 0, std::nullopt};

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

TEST(ChangeText, SaysWhereTheViewIsNow) {
  Placement placement;
  placement.shift = {-0.12, 0.031};
  placement.degrees = -3.2;
  EXPECT_EQ(beganText(CameraFault::moved, {true, true, 0.13, placement}),
            "the camera was moved: what it shows is now 12% further left, 3.1% further down, "
            "3.2 degrees counterclockwise (of the picture's width)");
}

TEST(ChangeText, SaysWhereAPlacementIs) {
  EXPECT_EQ(placementText({{0.0042, 0}, 1.02, 0.9, 0.5}),
            "0.4% further right, 1 degree clockwise (of the picture's width)");
  EXPECT_EQ(placementText({}), "where it was");
}

TEST(ChangeText, HasASentenceForEachBeginningAndEnd) {
  for (const CameraFault fault : kAllCameraFaults) {
    EXPECT_FALSE(beganText(fault, {true, true, 0.9, std::nullopt}).empty()) << nameOf(fault);
    EXPECT_TRUE(endedText(fault, 125000).ends_with(", after 2 min 5 s")) << nameOf(fault);
  }
}

}  // namespace

}  // namespace mpm::test
