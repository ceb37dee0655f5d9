// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/zones.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mpm::test {
namespace {

using namespace monitor;

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

void expectEqual(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << i;
    } else {
      EXPECT_EQ(found[i], expected[i]) << i;
    }
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

TEST(ClassAreas, CountWhatTheRuleSays) {
  for (const cv::Size size : {cv::Size(1, 1), {2, 3}, {17, 5}, {64, 48}, {101, 77}, {320, 180}}) {
    for (const int type : {CV_8UC1, CV_16UC1}) {
      SCOPED_TRACE(cv::format("%d x %d, type %d", size.width, size.height, type));
      const cv::Mat labels = randomLabels(size, type, 14, 3);
      ClassAreas areas(someZones(), 12);
      expectEqual(areas.measure(labels), sharesByRule(someZones(), 12, labels));
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
    expectEqual(ClassAreas(zones, 5).measure(labels), sharesByRule(zones, 5, labels));
  }
}

TEST(ClassAreas, WithoutZonesMeasureThePicture) {
  cv::Mat labels(10, 10, CV_8U, cv::Scalar(0));
  labels.rowRange(0, 3).setTo(1);
  EXPECT_EQ(ClassAreas({}, 3).measure(labels), (std::vector<double>{0.7, 0.3, 0}));
}

TEST(ClassAreas, LabelsThatAreNoClassDoNotCount) {
  cv::Mat labels(10, 10, CV_16U, cv::Scalar(65535));
  labels.rowRange(0, 4).setTo(1);
  EXPECT_EQ(ClassAreas({}, 2).measure(labels), (std::vector<double>{0, 0.4}));
}

TEST(ClassAreas, TakeManyClassesInSixteenBits) {
  cv::Mat labels(8, 8, CV_16U, cv::Scalar(299));
  labels.row(0).setTo(300);
  const auto shares = ClassAreas({}, 300).measure(labels);
  ASSERT_EQ(shares.size(), 300u);
  EXPECT_EQ(shares[299], 7 / 8.0);
}

TEST(ClassAreas, ZonesThatShareAnEdgeShareNoPixel) {
  const cv::Mat labels(53, 71, CV_8U, cv::Scalar(0));
  const std::vector<Zone> zones{{"left", {{0, 0}, {0.5, 0}, {0.31, 0.47}, {0.5, 1}, {0, 1}}},
                                {"right", {{0.5, 0}, {1, 0}, {1, 1}, {0.5, 1}, {0.31, 0.47}}}};
  ClassAreas areas(zones, 1);
  double pixels = 0;
  for (int y = 0; y < labels.rows; ++y) {
    for (int x = 0; x < labels.cols; ++x) {
      // One pixel of another class at a time shows which zones it is in.
      cv::Mat one = cv::Mat::ones(labels.size(), CV_8U);
      one.at<std::uint8_t>(y, x) = 0;
      const auto& shares = areas.measure(one);
      EXPECT_NE(shares[1] > 0, shares[2] > 0) << x << ", " << y;
      ++pixels;
    }
  }
  EXPECT_EQ(pixels, 53 * 71);
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

TEST(ClassAreas, SizesMayChangeAndLabelsBePartsOfOthers) {
  ClassAreas areas(someZones(), 12);
  for (const cv::Size size : {cv::Size(64, 48), {640, 480}, {64, 48}}) {
    const cv::Mat whole = randomLabels({size.width + 9, size.height + 5}, CV_8UC1, 12, 4);
    const cv::Mat labels = whole(cv::Rect({4, 3}, size));
    expectEqual(areas.measure(labels), sharesByRule(someZones(), 12, labels));
  }
}

TEST(ClassAreas, RefuseWhatAreNoLabels) {
  ClassAreas areas({}, 2);
  EXPECT_THROW(areas.measure(cv::Mat()), std::invalid_argument);
  EXPECT_THROW(areas.measure(cv::Mat(4, 4, CV_32S)), std::invalid_argument);
  EXPECT_THROW(areas.measure(cv::Mat(4, 4, CV_8UC3)), std::invalid_argument);
  EXPECT_THROW(ClassAreas({}, 0), std::invalid_argument);
  EXPECT_THROW(ClassAreas({{"line", {{0, 0}, {1, 1}, {0, 0}}}}, 2), std::invalid_argument);
}

std::string refusal(const std::function<void(std::vector<Zone>&)>& change) {
  std::vector<Zone> zones = someZones();
  change(zones);
  try {
    checkZones(zones);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

void expectRefusal(const std::string& sentence, const std::string& zone,
                   const std::string& reason) {
  EXPECT_NE(sentence.find(zone), std::string::npos) << sentence;
  EXPECT_NE(sentence.find(reason), std::string::npos) << sentence;
}

TEST(CheckZones, TakesZonesThatAreFine) {
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_EQ(refusal([](auto& zones) { zones.clear(); }), "");
  EXPECT_EQ(refusal([](auto& zones) { zones[0].name = "Einfahrt Süd"; }), "");
}

TEST(CheckZones, NamesTheZoneThatIsNot) {
  const double nan = std::nan("");
  expectRefusal(refusal([](auto& z) { z[1].name = ""; }), "zone 2", "no name");
  expectRefusal(refusal([](auto& z) { z[1].name = "gate"; }), "'gate'", "name of another");
  expectRefusal(refusal([](auto& z) { z[0].name = "a b", z[1].name = "a.b"; }), "'a.b'",
                "name of another");
  expectRefusal(refusal([](auto& z) { z[1].corners.resize(2); }), "'yard'", "2 corners");
  expectRefusal(refusal([](auto& z) { z[1].corners.clear(); }), "'yard'", "0 corners");
  expectRefusal(refusal([](auto& z) { z[2].corners[1].x = 1.01; }), "'star'", "(1.01, 1)");
  expectRefusal(refusal([](auto& z) { z[2].corners[1].y = -0.5; }), "'star'", "(0.8, -0.5)");
  expectRefusal(refusal([&](auto& z) { z[2].corners[1].x = nan; }), "'star'", "(nan, 1)");
  expectRefusal(refusal([](auto& z) { z[0].corners.assign(4, {0.5, 0.5}); }), "'gate'", "no area");
  expectRefusal(refusal([](auto& z) {
                  z[0].corners = {{0, 0.2}, {1, 0.2}, {0.5, 0.2}};
                }),
                "'gate'", "no area");
}

}  // namespace
}  // namespace mpm::test
