// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/backoff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace mpm::monitor {
namespace {

std::vector<std::int64_t> waits(std::uint64_t seed, int count) {
  Backoff backoff(500, 30000, seed);
  std::vector<std::int64_t> found;
  for (int i = 0; i < count; ++i) found.push_back(backoff.nextMs());
  return found;
}

TEST(Backoff, DoublesUpToTheLongestAndAFifthMore) {
  const std::vector<std::int64_t> found = waits(7, 12);
  std::int64_t plain = 500;
  for (const std::int64_t wait : found) {
    EXPECT_GE(wait, plain);
    EXPECT_LE(wait, plain + plain / 5);
    plain = std::min<std::int64_t>(plain * 2, 30000);
  }
}

TEST(Backoff, FollowsFromItsSeed) {
  EXPECT_EQ(waits(7, 12), waits(7, 12));
  EXPECT_NE(waits(7, 12), waits(8, 12));
  EXPECT_NE(seedOfName("rtsp://cam1/x"), seedOfName("rtsp://cam2/x"));
}

TEST(Backoff, BeginsAnew) {
  Backoff backoff(500, 30000, 7);
  EXPECT_EQ(backoff.lastMs(), 0);
  backoff.nextMs();
  const std::int64_t second = backoff.nextMs();
  EXPECT_EQ(backoff.lastMs(), second);
  backoff.reset();
  EXPECT_EQ(backoff.lastMs(), 0);
  EXPECT_LE(backoff.nextMs(), 600);
}

TEST(Backoff, NeverOverflows) {
  Backoff backoff(1, INT64_MAX / 2, 7);
  for (int i = 0; i < 200; ++i) EXPECT_GT(backoff.nextMs(), 0);
}

TEST(Backoff, RefusesWaitsThatCannotBe) {
  EXPECT_THROW(Backoff(0, 10, 7), std::invalid_argument);
  EXPECT_THROW(Backoff(20, 10, 7), std::invalid_argument);
}

}  // namespace
}  // namespace mpm::monitor
