// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/metrics.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mpm::test {
namespace {

using monitor::MetricKind;
using monitor::MetricName;
using monitor::Metrics;

TEST(Metrics, FindsPlacesByName) {
  const Metrics metrics({"luma", "area.road", "zone.gate.area.car"});
  EXPECT_EQ(metrics.size(), 3u);
  EXPECT_EQ(metrics.find("area.road"), 1u);
  EXPECT_EQ(metrics.find("zone.gate.area.car"), 2u);
  EXPECT_FALSE(metrics.find("area").has_value());
  EXPECT_FALSE(metrics.find("").has_value());
}

TEST(Metrics, WithoutNamesAreNone) {
  EXPECT_EQ(Metrics().size(), 0u);
  EXPECT_FALSE(Metrics().find("luma").has_value());
}

TEST(Metrics, RefuseARepeatedName) {
  try {
    Metrics({"luma", "area.road", "luma"});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'luma'"), std::string::npos);
  }
}

TEST(Metrics, AreTheSameByNameAndTakenApart) {
  const MetricName car{MetricKind::area, "gate", "car"}, luma{MetricKind::luma, "", ""};
  const Metrics built(std::vector<MetricName>{car, luma}), read({"zone.gate.area.car", "luma"});
  EXPECT_EQ(built.names(), read.names());
  EXPECT_EQ(built.parsed(), read.parsed());
  EXPECT_EQ(built.find("zone.gate.area.car"), 0u);
}

}  // namespace
}  // namespace mpm::test
