// SPDX-License-Identifier: Apache-2.0
#include "monitor/clock/era.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace mpm::test {
namespace {

using monitor::Era;
using monitor::kClockStepMs;

constexpr std::int64_t kUtc = 1700000000000;

TEST(Era, StaysWhileBothClocksGoOn) {
  Era era;
  for (std::int64_t ms = 0; ms < 10000000; ms += 997) EXPECT_EQ(era.at(ms, kUtc + ms), 0);
}

TEST(Era, GrowsWhenTheClockIsSet) {
  Era era;
  EXPECT_EQ(era.at(0, kUtc), 0);
  EXPECT_EQ(era.at(100, kUtc + 100 + 3600000), 1) << "an hour ahead";
  EXPECT_EQ(era.at(200, kUtc + 200 + 3600000), 1);
  EXPECT_EQ(era.at(300, kUtc + 300), 2) << "and back";
  EXPECT_EQ(era.at(400, kUtc + 400), 2);
}

TEST(Era, AStepIsMoreThanTheLimit) {
  Era era;
  era.at(0, kUtc);
  EXPECT_EQ(era.at(0, kUtc + kClockStepMs), 0);
  EXPECT_EQ(era.at(0, kUtc), 0);
  EXPECT_EQ(era.at(0, kUtc - kClockStepMs - 1), 1);
}

TEST(Era, ASlewedClockStaysInItsEraHoweverFarItGoes) {
  Era era;
  for (std::int64_t second = 0; second < 100000; ++second) {
    EXPECT_EQ(era.at(second * 1000, kUtc + second * 1000 - second / 2), 0);
  }
}

TEST(Era, ALongPauseIsNoStep) {
  Era era;
  era.at(0, kUtc);
  EXPECT_EQ(era.at(30LL * 86400000, kUtc + 30LL * 86400000), 0);
}

}  // namespace
}  // namespace mpm::test
