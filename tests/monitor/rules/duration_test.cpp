// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/duration.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

using monitor::durationText;

TEST(Duration, IsToldInTheUnitsThatMatter) {
  EXPECT_EQ(durationText(-5), "0 s");
  EXPECT_EQ(durationText(0), "0 s");
  EXPECT_EQ(durationText(99), "0 s");
  EXPECT_EQ(durationText(500), "0.5 s");
  EXPECT_EQ(durationText(1000), "1 s");
  EXPECT_EQ(durationText(9999), "9.9 s");
  EXPECT_EQ(durationText(12900), "12 s");
  EXPECT_EQ(durationText(60000), "1 min");
  EXPECT_EQ(durationText(125000), "2 min 5 s");
  EXPECT_EQ(durationText(3600000), "1 h");
  EXPECT_EQ(durationText(3600000 * 3 + 60000 * 12 + 59999), "3 h 12 min");
  EXPECT_EQ(durationText(86400000LL * 9 + 3600000 * 4), "9 d 4 h");
}

}  // namespace
}  // namespace mpm::test
