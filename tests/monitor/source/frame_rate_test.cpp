// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/frame_rate.h"

#include <gtest/gtest.h>

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;

TEST(FrameRate, IsThatOfTheLastSeconds) {
  FrameRate rate;
  FrameRate::Time now{};
  EXPECT_EQ(rate.at(now), 0);
  for (int i = 0; i < 100; ++i) rate.note(now += milliseconds(40));
  EXPECT_NEAR(rate.at(now), 25, 1e-6);
  for (int i = 0; i < 60; ++i) rate.note(now += milliseconds(100));
  EXPECT_NEAR(rate.at(now), 10, 1e-6);
}

TEST(FrameRate, FallsWhenFramesStayAway) {
  FrameRate rate;
  FrameRate::Time now{};
  for (int i = 0; i < 50; ++i) rate.note(now += milliseconds(100));
  EXPECT_NEAR(rate.at(now + milliseconds(100)), 10, 1e-6);
  EXPECT_LT(rate.at(now + milliseconds(3000)), 7);
  EXPECT_EQ(rate.at(now + milliseconds(6000)), 0);
}

TEST(FrameRate, TakesFramesOfOneMomentAndVeryManyOfThem) {
  FrameRate rate;
  FrameRate::Time now{};
  rate.note(now);
  rate.note(now);
  EXPECT_EQ(rate.at(now), 0);
  for (int i = 0; i < 5000; ++i) rate.note(now += std::chrono::microseconds(100));
  EXPECT_NEAR(rate.at(now), 10000, 1);
}

}  // namespace
}  // namespace mpm::monitor
