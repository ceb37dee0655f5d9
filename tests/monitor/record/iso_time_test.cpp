// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/iso_time.h"

#include <gtest/gtest.h>

#include <limits>

namespace mpm::monitor {
namespace {

TEST(IsoTime, writesMillisecondsInUtc) {
  EXPECT_EQ(isoUtc(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(isoUtc(1793534400123), "2026-11-01T12:00:00.123Z");
  EXPECT_EQ(isoUtc(951868799999), "2000-02-29T23:59:59.999Z");
  EXPECT_EQ(isoUtc(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(isoUtcCompact(1793534400123), "20261101T120000.123Z");
}

TEST(IsoTime, whatIso8601CannotWriteIsEmpty) {
  EXPECT_EQ(isoUtc(253402300799999), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(isoUtc(253402300800000), "");
  EXPECT_EQ(isoUtc(-62167219200000), "0000-01-01T00:00:00.000Z");
  EXPECT_EQ(isoUtc(-62167219200001), "");
  EXPECT_EQ(isoUtc(std::numeric_limits<std::int64_t>::max()), "");
  EXPECT_EQ(isoUtc(std::numeric_limits<std::int64_t>::min()), "");
  EXPECT_EQ(isoUtcCompact(253402300800000), "T253402300800000");
}

}  // namespace
}  // namespace mpm::monitor
