// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/metrics.h"

#include "monitor/says.h"

namespace mpm::monitor {
namespace {

// Names that are the whole word of their kind, and those of zones and parts.
TEST(MetricName, IsTakenApartAndPutTogether) {
  using enum MetricKind;
  std::vector<std::pair<std::string, MetricName>> cases{
      {"rows.0", {rows, "", "0"}},
      {"rows.12", {rows, "", "12"}},
      {"similarity.1", {similarity, "", "1"}},
      {"area.car", {area, "", "car"}},
      {"zone.gate.area.car", {area, "gate", "car"}},
      {"ms.network", {step, "", "network"}},
      {"zone.lawn.gcc", {gcc, "lawn", ""}},
      {"m2.snow", {squareMetres, "", "snow"}},
      {"zone.lawn.m2.snow", {squareMetres, "lawn", "snow"}},
      // Classes and zones may be named like parts.
      {"area.area", {area, "", "area"}},
      {"zone.area.area.area", {area, "area", "area"}},
      {"zone.zone.area.Bäume", {area, "zone", "Bäume"}},
      // A zone is known whatever is asked of it.
      {"zone.gate.", {other, "gate", ""}},
      {"zone.gate.area.", {other, "gate", "area."}},
      {"zone.gate.luma", {other, "gate", "luma"}},
      {"zone.gate.arae.car", {other, "gate", "arae.car"}}};
  for (const auto& [text, kind] : {std::pair{"live_rows", liveRows},
                                   {"merged_share", mergedShare},
                                   {"confidence", confidence},
                                   {"flicker", flicker},
                                   {"luma", luma},
                                   {"saturation", saturation},
                                   {"camera_faults", cameraFaults},
                                   {"frame_age_ms", frameAge},
                                   {"drops", drops},
                                   {"reconnects", reconnects},
                                   {"fresh_rows", freshRows},
                                   {"fresh_share", freshShare},
                                   {"memory_agreement", memoryAgreement},
                                   {"memory_age", memoryAge},
                                   {"gcc", gcc}})
    cases.push_back({text, {kind, "", ""}});
  for (const char* text :
       {"", "rows.", "area.", "zone..area.car", "zone.gate", "zone", "zone.", "luma.mean", "speed"})
    cases.push_back({text, {other, "", text}});
  for (const auto& [text, name] : cases) {
    EXPECT_EQ(MetricName::parse(text), name) << text;
    EXPECT_EQ(name.text(), text);
  }
}

TEST(MetricPart, KeepsLettersDigitsAndTwoMore) {
  const std::string stay = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  for (int code = 0; code < 128; ++code) {
    const std::string text(1, static_cast<char>(code));
    EXPECT_EQ(metricPart(text), stay.find(text) == std::string::npos ? "_" : text) << code;
  }
  const std::pair<std::string, std::string> cases[] = {{"Bus_2-B", "Bus_2-B"},
                                                       {"screen, CRT screen", "screen__CRT_screen"},
                                                       {"a.b\"c\n{d}", "a_b_c__d_"},
                                                       {"Straßenübergang", "Straßenübergang"},
                                                       {"дорога 1", "дорога_1"},
                                                       {"道路", "道路"},
                                                       {"café → 🚗", "café____"},
                                                       {"a\xFF\xC3", "a__"},
                                                       {"", "_"}};
  for (const auto& [name, part] : cases) EXPECT_EQ(metricPart(name), part);
  for (const std::string letter :
       {"ß", "é", "ÿ", "Ā", "Ж", "ש", "ع", "क", "木", "한", "が", "ﬁ", "𝒜"})
    EXPECT_EQ(metricPart(letter), letter);
  for (const char* sign : {" ", "©", "·", "×", "÷", "“", "…", "€", "→", "✓", "　", "🚗"})
    EXPECT_EQ(metricPart(sign), "_") << sign;
}

// Latin-1, a continuation alone, what is cut off, two, three and four bytes for less, a surrogate,
// beyond the last.
TEST(Utf8, EachByteOfNoCharacterIsMarked) {
  for (const std::string bad :
       {"\xE4", "\x80", "\xC3", "\xFF", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80",
        "\xF4\x90\x80\x80", "\xF0\x8F\xBF\xBF", "\xF5\x80\x80\x80", "\xE6\x9C"}) {
    std::string marks;
    for (std::size_t i = 0; i < bad.size(); ++i) marks += "\xEF\xBF\xBD";
    EXPECT_EQ(validUtf8("B" + bad + "u"), "B" + marks + "u");
    EXPECT_EQ(validUtf8(bad), marks);
    EXPECT_EQ(metricPart(bad), std::string(bad.size(), '_'));
  }
  for (const std::string text : {"", "car", "Bäume", "樹", "\xF0\x9F\x8C\xB3", "\xED\x9F\xBF",
                                 "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"})
    EXPECT_EQ(validUtf8(text), text);
  EXPECT_EQ(validUtf8(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(Metrics, FindPlacesByNameAndRefuseARepeatedOne) {
  const Metrics metrics({"luma", "area.road", "zone.gate.area.car"});
  EXPECT_EQ(metrics.size(), 3u);
  EXPECT_EQ(metrics.find("area.road"), 1u);
  EXPECT_EQ(metrics.find("zone.gate.area.car"), 2u);
  for (const char* none : {"area", ""}) EXPECT_FALSE(metrics.find(none)) << none;
  EXPECT_EQ(Metrics().size(), 0u);
  EXPECT_FALSE(Metrics().find("luma"));
  EXPECT_TRUE(has(refusal([] { Metrics({"luma", "area.road", "luma"}); }), "'luma'"));
}

TEST(Metrics, AreTheSameByNameAndTakenApart) {
  const MetricName car{MetricKind::area, "gate", "car"}, luma{MetricKind::luma, "", ""};
  const Metrics built(std::vector<MetricName>{car, luma}), read({"zone.gate.area.car", "luma"});
  EXPECT_EQ(built.names(), read.names());
  EXPECT_EQ(built.parsed(), read.parsed());
  EXPECT_EQ(built.find("zone.gate.area.car"), 0u);
}

}  // namespace
}  // namespace mpm::monitor
