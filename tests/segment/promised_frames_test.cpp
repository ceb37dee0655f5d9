// SPDX-License-Identifier: Apache-2.0
#include "segment/promised_frames.h"

#include <gtest/gtest.h>

#include <limits>

namespace mpm::test {
namespace {

TEST(PromisedFrames, AreNoneWhereAVideoSaysWhatCannotBe) {
  EXPECT_EQ(promisedFrames(25), 25);
  EXPECT_EQ(promisedFrames(999999999), 999999999);
  using Limits = std::numeric_limits<double>;
  // -9e15: what OpenCV makes of a file without a duration.
  for (const double told : {0.0, -1.0, -9e15, 1e9, 9e18, Limits::infinity(), Limits::quiet_NaN()}) {
    EXPECT_EQ(promisedFrames(told), 0) << told;
  }
}

}  // namespace
}  // namespace mpm::test
