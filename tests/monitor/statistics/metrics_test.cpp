// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/metrics.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mpm::test {
namespace {

using monitor::metricPart;
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

TEST(MetricPart, KeepsLettersDigitsAndTwoMore) {
  EXPECT_EQ(metricPart("road"), "road");
  EXPECT_EQ(metricPart("Bus_2-B"), "Bus_2-B");
}

TEST(MetricPart, MakesAllElseAnUnderscore) {
  EXPECT_EQ(metricPart("traffic light"), "traffic_light");
  EXPECT_EQ(metricPart("screen, CRT screen"), "screen__CRT_screen");
  EXPECT_EQ(metricPart("a.b\"c\n{d}"), "a_b_c__d_");
}

TEST(MetricPart, KeepsLettersBeyondAscii) {
  EXPECT_EQ(metricPart("Straßenübergang"), "Straßenübergang");
  EXPECT_EQ(metricPart("дорога 1"), "дорога_1");
  EXPECT_EQ(metricPart("道路"), "道路");
  EXPECT_EQ(metricPart("café → 🚗"), "café____");
}

TEST(MetricPart, IsAlwaysUtf8AndNeverEmpty) {
  EXPECT_EQ(metricPart("a\xFF\xC3"), "a__");
  EXPECT_EQ(metricPart(""), "_");
}

}  // namespace
}  // namespace mpm::test
