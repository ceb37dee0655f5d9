// SPDX-License-Identifier: Apache-2.0
#include "monitor/clock/manual_clock.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

using monitor::ManualClock;
using monitor::Moment;

TEST(ManualClock, StandsStill) {
  ManualClock clock(5000);
  for (int i = 0; i < 2; ++i) {
    const Moment now = clock.now();
    EXPECT_EQ(now.steadyMs, 0);
    EXPECT_EQ(now.utcMs, 5000);
    EXPECT_EQ(now.era, 0);
    EXPECT_TRUE(now.synchronised);
  }
}

TEST(ManualClock, AdvancesBothClocks) {
  ManualClock clock(5000);
  clock.advance(250);
  clock.advance(750);
  EXPECT_EQ(clock.now().steadyMs, 1000);
  EXPECT_EQ(clock.now().utcMs, 6000);
  EXPECT_EQ(clock.now().era, 0);
}

TEST(ManualClock, SettingItIsANewEraAndNoTime) {
  ManualClock clock(10000000);
  clock.advance(100);
  clock.setUtc(10000000 - 3600000);
  EXPECT_EQ(clock.now().steadyMs, 100);
  EXPECT_EQ(clock.now().utcMs, 10000000 - 3600000);
  EXPECT_EQ(clock.now().era, 1);
  clock.setUtc(10000000);
  EXPECT_EQ(clock.now().era, 2);
}

TEST(ManualClock, ASmallCorrectionIsNoNewEra) {
  ManualClock clock(10000000);
  clock.setUtc(10000000 - monitor::kClockStepMs);
  EXPECT_EQ(clock.now().era, 0);
  EXPECT_EQ(clock.now().utcMs, 10000000 - monitor::kClockStepMs);
}

TEST(ManualClock, SaysWhetherItIsSynchronised) {
  ManualClock clock;
  clock.setSynchronised(false);
  EXPECT_FALSE(clock.now().synchronised);
  clock.setSynchronised(true);
  EXPECT_TRUE(clock.now().synchronised);
}

}  // namespace
}  // namespace mpm::test
