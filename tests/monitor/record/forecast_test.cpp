// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/forecast.h"

#include <gtest/gtest.h>

namespace mpm::monitor {
namespace {

constexpr std::int64_t kMinute = 60000, kHour = 60 * kMinute, kDay = 24 * kHour;
constexpr std::int64_t kMb = 1000000;

TEST(Forecast, SaysNothingBeforeAnHour) {
  Forecast forecast;
  EXPECT_FALSE(forecast.daysToFull(kMb, 0));
  for (std::int64_t at = 0; at < kHour; at += kMinute) {
    forecast.add(at, at);
    EXPECT_FALSE(forecast.daysToFull(kMb, 0)) << at;
  }
  forecast.add(kHour, kHour);
  EXPECT_TRUE(forecast.daysToFull(kMb, 0));
}

TEST(Forecast, GoesByThePaceOfTheLastDay) {
  Forecast forecast;
  std::int64_t bytes = 0;
  for (std::int64_t at = 0; at <= 10 * kDay; at += kMinute) {
    bytes += at < 5 * kDay ? 100000 : 1000;  // a day: 144 MB, then 1.44 MB
    forecast.add(at, bytes);
  }
  const auto days = forecast.daysToFull(144 * kMb, 0);
  ASSERT_TRUE(days);
  EXPECT_NEAR(*days, 100, 1);
}

TEST(Forecast, DoesNotFillWhatDoesNotGrow) {
  Forecast forecast;
  for (std::int64_t at = 0; at <= kDay; at += kHour) forecast.add(at, 5 * kMb);
  EXPECT_FALSE(forecast.daysToFull(kMb, 0));
}

TEST(Forecast, ALimitBeforeTheDisksEndIsNoEnd) {
  Forecast forecast;
  forecast.add(0, 0);
  forecast.add(kDay, 10 * kMb);
  EXPECT_FALSE(forecast.daysToFull(100 * kMb, 50 * kMb));
  const auto days = forecast.daysToFull(20 * kMb, 50 * kMb);  // the disk ends first
  ASSERT_TRUE(days);
  EXPECT_NEAR(*days, 2, 1e-9);
}

}  // namespace
}  // namespace mpm::monitor
