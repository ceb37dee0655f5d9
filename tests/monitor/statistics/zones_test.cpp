// SPDX-License-Identifier: Apache-2.0
// What is measured: names of metrics, and shares, greenness and square metres of zones.
#include "monitor/statistics/zones.h"

#include <array>
#include <opencv2/core.hpp>
#include <random>

#include "monitor/says.h"
#include "monitor/statistics/metrics.h"

namespace mpm::test {
namespace {

using namespace monitor;

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

// The rule as it is told: how many edges lie right of a pixel's centre at its height.
bool isInside(const Zone& zone, double x, double y) {
  bool inside = false;
  for (std::size_t i = 0; i < zone.corners.size(); ++i) {
    cv::Point2d a = zone.corners[i], b = zone.corners[(i + 1) % zone.corners.size()];
    if (b.y < a.y) std::swap(a, b);
    if ((a.y <= y) == (b.y <= y)) continue;
    inside ^= a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y)) > x;
  }
  return inside;
}

std::vector<double> sharesByRule(const std::vector<Zone>& zones, int classes,
                                 const cv::Mat& labels) {
  std::vector<double> shares;
  for (std::size_t zone = 0; zone <= zones.size(); ++zone) {
    std::vector<double> counts(static_cast<std::size_t>(classes));
    double pixels = 0;
    for (int y = 0; y < labels.rows; ++y) {
      for (int x = 0; x < labels.cols; ++x) {
        const double centreX = (x + 0.5) / labels.cols, centreY = (y + 0.5) / labels.rows;
        if (zone > 0 && !isInside(zones[zone - 1], centreX, centreY)) continue;
        ++pixels;
        const int label = labels.depth() == CV_8U ? labels.at<std::uint8_t>(y, x)
                                                  : labels.at<std::uint16_t>(y, x);
        if (label < classes) ++counts[static_cast<std::size_t>(label)];
      }
    }
    for (const double count : counts) shares.push_back(pixels > 0 ? count / pixels : std::nan(""));
  }
  return shares;
}

// Of a whole, or of a part of another's memory.
void expectSharesByRule(ClassAreas& areas, const std::vector<Zone>& zones, int classes,
                        const cv::Mat& labels) {
  const std::vector<double> found = areas.measure(labels),
                            expected = sharesByRule(zones, classes, labels);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(std::isnan(found[i]), std::isnan(expected[i])) << i;
    EXPECT_TRUE(std::isnan(found[i]) || found[i] == expected[i]) << i;
  }
}

std::vector<Zone> someZones() {
  return {{"gate", {{0.1, 0.1}, {0.6, 0.2}, {0.5, 0.9}, {0.05, 0.7}}},
          {"yard", {{0.3, 0.3}, {1, 0.3}, {1, 1}, {0.3, 1}}},
          {"star", {{0.5, 0}, {0.8, 1}, {0, 0.35}, {1, 0.35}, {0.2, 1}}}};
}

cv::Mat randomLabels(cv::Size size, int type, int labels, std::uint64_t seed) {
  cv::Mat drawn(size, type);
  cv::RNG rng(seed);
  rng.fill(drawn, cv::RNG::UNIFORM, 0, labels);
  return drawn;
}

TEST(ClassAreas, CountWhatTheRuleSaysOfAnySizeTypeAndPartOfAPicture) {
  for (const int type : {CV_8UC1, CV_16UC1}) {
    ClassAreas areas(someZones(), 12);
    for (const cv::Size size :
         {cv::Size(1, 1), {2, 3}, {17, 5}, {64, 48}, {101, 77}, {640, 480}, {64, 48}}) {
      SCOPED_TRACE(cv::format("%d x %d, type %d", size.width, size.height, type));
      const cv::Mat whole = randomLabels({size.width + 9, size.height + 5}, type, 14, 3);
      expectSharesByRule(areas, someZones(), 12, whole(cv::Rect({4, 3}, size)));
    }
  }
}

TEST(ClassAreas, CountRandomZones) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<> place(0, 1);
  const cv::Mat labels = randomLabels({97, 61}, CV_8UC1, 5, 2);
  for (int round = 0; round < 40; ++round) {
    std::vector<Zone> zones(1 + static_cast<std::size_t>(round) % 5);
    for (std::size_t i = 0; i < zones.size(); ++i) {
      zones[i].name = std::to_string(i);
      for (int k = 0; k < 3 + round % 7; ++k) {
        // Some corners on pixels' centres, where a rule is needed.
        double x = place(random), y = place(random);
        if (k % 2 == 0) x = (std::floor(x * 97) + 0.5) / 97, y = (std::floor(y * 61) + 0.5) / 61;
        zones[i].corners.emplace_back(x, y);
      }
    }
    SCOPED_TRACE("round " + std::to_string(round));
    ClassAreas areas(zones, 5);
    expectSharesByRule(areas, zones, 5, labels);
  }
}

TEST(ClassAreas, LabelsThatAreNoClassDoNotCount) {
  cv::Mat some(10, 10, CV_8U, cv::Scalar(0)), none(10, 10, CV_16U, cv::Scalar(65535)),
      many(8, 8, CV_16U, cv::Scalar(299));
  some.rowRange(0, 3).setTo(1);
  none.rowRange(0, 4).setTo(1);
  many.row(0).setTo(300);
  EXPECT_EQ(ClassAreas({}, 3).measure(some), (std::vector<double>{0.7, 0.3, 0}));
  EXPECT_EQ(ClassAreas({}, 2).measure(none), (std::vector<double>{0, 0.4}));
  EXPECT_EQ(ClassAreas({}, 300).measure(many)[299], 7 / 8.0);
}

TEST(ClassAreas, ZonesThatShareAnEdgeShareNoPixel) {
  const cv::Size size(71, 53);
  ClassAreas areas({{"left", {{0, 0}, {0.5, 0}, {0.31, 0.47}, {0.5, 1}, {0, 1}}},
                    {"right", {{0.5, 0}, {1, 0}, {1, 1}, {0.5, 1}, {0.31, 0.47}}}},
                   1);
  for (int pixel = 0; pixel < size.area(); ++pixel) {
    // One pixel of another class at a time shows which zones it is in.
    cv::Mat one = cv::Mat::ones(size, CV_8U);
    one.at<std::uint8_t>(pixel / size.width, pixel % size.width) = 0;
    const auto& shares = areas.measure(one);
    EXPECT_NE(shares[1] > 0, shares[2] > 0) << pixel;
  }
}

TEST(ClassAreas, AZoneBetweenPixelsIsUnknown) {
  const Zone sliver{"sliver", {{0.501, 0.501}, {0.51, 0.501}, {0.51, 0.51}}};
  ClassAreas areas({sliver}, 2);
  const auto small = areas.measure(cv::Mat(4, 4, CV_8U, cv::Scalar(1)));
  EXPECT_EQ(small[1], 1);
  EXPECT_TRUE(std::isnan(small[2]) && std::isnan(small[3]));
  const auto large = areas.measure(cv::Mat(1000, 1000, CV_8U, cv::Scalar(1)));
  EXPECT_EQ(large[2], 0);
  EXPECT_EQ(large[3], 1);
}

TEST(ClassAreas, RefuseWhatAreNoLabels) {
  ClassAreas areas({}, 2);
  EXPECT_THROW(areas.measure(cv::Mat()), std::invalid_argument);
  EXPECT_THROW(areas.measure(cv::Mat(4, 4, CV_32S)), std::invalid_argument);
  EXPECT_THROW(areas.measure(cv::Mat(4, 4, CV_8UC3)), std::invalid_argument);
  EXPECT_THROW(ClassAreas({}, 0), std::invalid_argument);
  EXPECT_THROW(ClassAreas({{"line", {{0, 0}, {1, 1}, {0, 0}}}}, 2), std::invalid_argument);
}

struct Refusal {
  const char *zone, *reason;
  std::function<void(std::vector<Zone>&)> change;
};

TEST(CheckZones, NamesTheZoneThatIsNotFine) {
  using Corners = std::vector<cv::Point2d>;
  const auto gate = [](const Corners& corners) {
    return [corners](std::vector<Zone>& z) { z[0].corners = corners; };
  };
  const Refusal cases[] = {
      {"", "", [](auto&) {}},
      {"", "", [](auto& z) { z.clear(); }},
      {"", "", [](auto& z) { z[0].name = "Einfahrt Süd"; }},
      {"zone 2", "no name", [](auto& z) { z[1].name = ""; }},
      {"'gate'", "name of another", [](auto& z) { z[1].name = "gate"; }},
      {"'a.b'", "name of another", [](auto& z) { z[0].name = "a b", z[1].name = "a.b"; }},
      {"'yard'", "2 corners", [](auto& z) { z[1].corners.resize(2); }},
      {"'yard'", "0 corners", [](auto& z) { z[1].corners.clear(); }},
      {"'star'", "(1.01, 1)", [](auto& z) { z[2].corners[1].x = 1.01; }},
      {"'star'", "(0.8, -0.5)", [](auto& z) { z[2].corners[1].y = -0.5; }},
      {"'star'", "(nan, 1)", [](auto& z) { z[2].corners[1].x = std::nan(""); }},
      {"'gate'", "no area", gate(Corners(4, {0.5, 0.5}))},
      {"'gate'", "no area", gate({{0, 0.2}, {1, 0.2}, {0.5, 0.2}})},
      {"'gate'", "no area", gate({{0, 0}, {0.3, 0.3}, {1, 1}})},
      {"'gate'", "no area", gate({{0, 0}, {1, 0}, {0, 1}, {0, 0}, {1, 0}, {0, 1}})},
      // Edges that cross, and what is narrow, have some.
      {"", "", gate({{0, 0}, {1, 0}, {0, 1}, {1, 1}})},
      {"", "", gate({{0, 0}, {1, 1}, {1, 0}, {0, 1}})},
      {"", "", gate({{0, 0.5}, {1, 0.5001}, {1, 0.5002}})}};
  for (const Refusal& one : cases) {
    std::vector<Zone> zones = someZones();
    one.change(zones);
    const std::string found = refusal([&] { checkZones(zones); });
    EXPECT_TRUE(has(found, one.zone));
    EXPECT_TRUE(has(found, one.reason));
    EXPECT_EQ(found.empty(), one.reason[0] == '\0') << found;
  }
}

const Zone kLeft{"left", {{0, 0}, {0.5, 0}, {0.5, 1}, {0, 1}}};

TEST(Greenness, IsGreenOfTheMeans) {
  cv::Mat picture(10, 20, CV_8UC3, cv::Scalar(60, 120, 60));
  picture.colRange(10, 20).setTo(cv::Scalar(200, 100, 100));
  const std::vector<double> found = Greenness({kLeft}).measure(picture);
  ASSERT_EQ(found.size(), 2U);
  // Means first: 110 of 130, 110 and 80. The mean of both sides' ratios would be 0.375.
  EXPECT_DOUBLE_EQ(found[0], 110.0 / 320);
  EXPECT_DOUBLE_EQ(found[1], 0.5);
}

TEST(Greenness, OfDarkAndOfBrightPicturesAndOutsideIsUnknown) {
  Greenness greenness({kLeft});
  const auto at = [&](int level) {
    return greenness.measure(cv::Mat(8, 8, CV_8UC3, cv::Scalar::all(level)));
  };
  for (const int level : {0, 33, 222, 255}) {
    for (const double value : at(level)) EXPECT_TRUE(std::isnan(value)) << level;
  }
  EXPECT_DOUBLE_EQ(at(34)[1], 1.0 / 3);
  Zone away = kLeft;
  for (cv::Point2d& corner : away.corners) corner.x -= 0.75;
  greenness.place({away});
  EXPECT_FALSE(std::isnan(at(100)[0]));
  EXPECT_TRUE(std::isnan(at(100)[1]));
  EXPECT_THROW(greenness.measure(cv::Mat(8, 8, CV_8U, cv::Scalar(9))), std::invalid_argument);
}

// A pinhole at a height of 4 m, tilted down by 20 degrees, 640 x 480, focal length 600 pixels.
class Pinhole {
 public:
  static constexpr double kHeight = 4, kTilt = 20 * CV_PI / 180, kFocal = 600;
  const cv::Size size{640, 480};

  // Of ground `right` metres right of the camera and `ahead` metres ahead, from 0 to 1.
  cv::Point2d placeOf(double right, double ahead) const {
    const double depth = ahead * std::cos(kTilt) + kHeight * std::sin(kTilt);
    const double down = kHeight * std::cos(kTilt) - ahead * std::sin(kTilt);
    return {(size.width / 2.0 + kFocal * right / depth) / size.width,
            (size.height / 2.0 + kFocal * down / depth) / size.height};
  }
  Ground ground() const {
    const std::array<cv::Point2d, 4> metres{
        {{-2, 8}, {2, 8}, {3, 16}, {-3, 16}}};  // a trapezoid of 40 square metres
    Ground ground;
    ground.metres = metres;
    for (std::size_t i = 0; i < 4; ++i) ground.points[i] = placeOf(metres[i].x, metres[i].y);
    return ground;
  }
  Zone rectangle(double left, double right, double near, double far) const {
    return {"zone",
            {placeOf(left, near), placeOf(right, near), placeOf(right, far), placeOf(left, far)},
            true};
  }
};

TEST(GroundAreas, OfAPinholeAreThoseOfTheGround) {
  const Pinhole camera;
  const std::vector<Zone> zones{camera.rectangle(-1, 2, 7, 20), camera.rectangle(-4, 4, 20, 50)};
  GroundAreas areas(camera.ground(), zones, 2);
  cv::Mat labels(camera.size, CV_8U, cv::Scalar(0));
  // Class 1 is the right half of the picture, which is the right half of the ground.
  labels.colRange(320, 640).setTo(1);
  const std::vector<double>& found = areas.measure(labels);
  ASSERT_EQ(found.size(), 6U);
  EXPECT_NEAR(found[0], 20, 0.2);
  EXPECT_NEAR(found[1], 20, 0.2);
  EXPECT_NEAR(found[2], 13, 0.15);
  EXPECT_NEAR(found[3], 26, 0.3);
  EXPECT_NEAR(found[4] + found[5], 240, 5);
  cv::Mat wide;
  labels.convertTo(wide, CV_16U);
  EXPECT_EQ(areas.measure(wide), std::vector<double>(found));
}

TEST(GroundAreas, DoNotDependOnTheDirectionOfMetresOrPoints) {
  const Pinhole camera;
  Ground mirrored = camera.ground();
  for (cv::Point2d& point : mirrored.metres) point.x = 100 - point.x;
  std::reverse(mirrored.points.begin(), mirrored.points.end());
  std::reverse(mirrored.metres.begin(), mirrored.metres.end());
  const cv::Mat labels(camera.size, CV_8U, cv::Scalar(0));
  EXPECT_NEAR(GroundAreas(mirrored, {}, 1).measure(labels)[0], 40, 0.4);
}

TEST(GroundAreas, OutsideThePictureAreUnknown) {
  const Pinhole camera;
  GroundAreas areas(camera.ground(), {}, 1);
  Ground away = camera.ground();
  for (cv::Point2d& point : away.points) point.x += 3;
  areas.place(away, {});
  EXPECT_TRUE(std::isnan(areas.measure(cv::Mat(camera.size, CV_8U, cv::Scalar(0)))[0]));
}

TEST(Ground, WhatIsNoAreaIsRefused) {
  const std::pair<const char*, std::function<void(Ground&)>> cases[] = {
      {"", [](Ground&) {}},
      {"three of the ground's four points lie on a line in the picture",
       [](Ground& g) { g.points[2] = (g.points[1] + g.points[3]) / 2; }},
      {"lie on a line in metres", [](Ground& g) { g.metres[1] = g.metres[0]; }},
      {"do not go around an area in metres",
       [](Ground& g) { std::swap(g.metres[2], g.metres[3]); }},
      {"the ground has a point at (1.2, ", [](Ground& g) { g.points[0].x = 1.2; }},
      {"write metres", [](Ground& g) { g.metres[0].y = std::nan(""); }}};
  for (const auto& [reason, change] : cases) {
    Ground ground = Pinhole().ground();
    change(ground);
    const std::string found = refusal([&] { checkGround(ground); });
    EXPECT_TRUE(has(found, reason));
    EXPECT_EQ(found.empty(), reason[0] == '\0') << found;
  }
}

TEST(Ground, AZoneThatReachesTooFarIsRefused) {
  const Pinhole camera;
  const auto faultOfZone = [&](const Zone& zone) {
    return refusal([&] { checkOnGround(zone, camera.ground()); });
  };
  EXPECT_EQ(faultOfZone(camera.rectangle(-1, 1, 8, 60)), "");
  EXPECT_TRUE(has(faultOfZone(camera.rectangle(-1, 1, 8, 90)), "reaches 5.2 times as far"));
  const Zone sky{"sky", {{0, 0}, {1, 0}, {1, 0.9}}, true};
  EXPECT_TRUE(has(faultOfZone(sky), "zone 'sky' reaches the horizon"));
  EXPECT_THROW(GroundAreas(camera.ground(), {sky}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace mpm::test
