// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/metric_name.h"

#include <gtest/gtest.h>

namespace mpm::monitor {
namespace {

void expectName(const std::string& text, MetricKind kind, const std::string& zone,
                const std::string& part) {
  const MetricName name = MetricName::parse(text);
  EXPECT_EQ(name.kind, kind) << text;
  EXPECT_EQ(name.zone, zone) << text;
  EXPECT_EQ(name.part, part) << text;
  EXPECT_EQ(name.text(), text);
}

TEST(MetricName, EachDocumentedNameIsTakenApart) {
  expectName("live_rows", MetricKind::liveRows, "", "");
  expectName("rows.0", MetricKind::rows, "", "0");
  expectName("rows.12", MetricKind::rows, "", "12");
  expectName("merged_share", MetricKind::mergedShare, "", "");
  expectName("similarity.1", MetricKind::similarity, "", "1");
  expectName("confidence", MetricKind::confidence, "", "");
  expectName("flicker", MetricKind::flicker, "", "");
  expectName("area.car", MetricKind::area, "", "car");
  expectName("zone.gate.area.car", MetricKind::area, "gate", "car");
  expectName("luma", MetricKind::luma, "", "");
  expectName("saturation", MetricKind::saturation, "", "");
  expectName("camera_faults", MetricKind::cameraFaults, "", "");
  expectName("ms.network", MetricKind::step, "", "network");
  expectName("frame_age_ms", MetricKind::frameAge, "", "");
  expectName("drops", MetricKind::drops, "", "");
  expectName("reconnects", MetricKind::reconnects, "", "");
  expectName("fresh_rows", MetricKind::freshRows, "", "");
  expectName("fresh_share", MetricKind::freshShare, "", "");
  expectName("memory_agreement", MetricKind::memoryAgreement, "", "");
  expectName("memory_age", MetricKind::memoryAge, "", "");
  expectName("gcc", MetricKind::gcc, "", "");
  expectName("zone.lawn.gcc", MetricKind::gcc, "lawn", "");
  expectName("m2.snow", MetricKind::squareMetres, "", "snow");
  expectName("zone.lawn.m2.snow", MetricKind::squareMetres, "lawn", "snow");
}

TEST(MetricName, ClassesAndZonesMayBeNamedLikeParts) {
  expectName("area.area", MetricKind::area, "", "area");
  expectName("zone.area.area.area", MetricKind::area, "area", "area");
  expectName("zone.zone.area.Bäume", MetricKind::area, "zone", "Bäume");
}

TEST(MetricName, WhatIsUnknownKeepsItsText) {
  for (const std::string text :
       {"", "rows.", "area.", "zone..area.car", "zone.gate", "zone", "zone.", "luma.mean", "speed"})
    expectName(text, MetricKind::other, "", text);
}

TEST(MetricName, AZoneIsKnownWhateverIsAskedOfIt) {
  expectName("zone.gate.", MetricKind::other, "gate", "");
  expectName("zone.gate.area.", MetricKind::other, "gate", "area.");
  expectName("zone.gate.luma", MetricKind::other, "gate", "luma");
  expectName("zone.gate.arae.car", MetricKind::other, "gate", "arae.car");
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

TEST(MetricPart, KeepsOfAsciiLettersDigitsAndTwoMore) {
  const std::string stay = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  for (int code = 0; code < 128; ++code) {
    const std::string text(1, static_cast<char>(code));
    EXPECT_EQ(metricPart(text), stay.find(text) == std::string::npos ? "_" : text) << code;
  }
}

TEST(MetricPart, KeepsLettersBeyondAscii) {
  EXPECT_EQ(metricPart("Straßenübergang"), "Straßenübergang");
  EXPECT_EQ(metricPart("дорога 1"), "дорога_1");
  EXPECT_EQ(metricPart("道路"), "道路");
  EXPECT_EQ(metricPart("café → 🚗"), "café____");
  for (const std::string text :
       {"ß", "é", "ÿ", "Ā", "Ж", "ש", "ع", "क", "木", "한", "が", "ﬁ", "𝒜"}) {
    EXPECT_EQ(metricPart(text), text);
  }
}

TEST(MetricPart, SignsSpacesAndSymbolsAreNoLetters) {
  for (const char* text : {" ", "©", "·", "×", "÷", "“", "…", "€", "→", "✓", "　", "🚗"}) {
    EXPECT_EQ(metricPart(text), "_") << text;
  }
}

TEST(MetricPart, IsAlwaysUtf8AndNeverEmpty) {
  EXPECT_EQ(metricPart("a\xFF\xC3"), "a__");
  EXPECT_EQ(metricPart(""), "_");
  for (const std::string text :
       {"\x80", "\xFF", "\xC3", "\xC3(", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80",
        "\xF5\x80\x80\x80", "\xF4\x90\x80\x80", "\xE6\x9C"}) {
    EXPECT_EQ(metricPart(text), std::string(text.size(), '_'));
  }
}

}  // namespace
}  // namespace mpm::monitor
