// SPDX-License-Identifier: Apache-2.0
#include "cli/chart.h"

#include <gtest/gtest.h>

#include <cmath>

#include <opencv2/core.hpp>

namespace mpm::test {
namespace {

using cli::ChartPoint;
using cli::LabelPlaces;
using cli::Mark;
using cli::ticksOf;
using cli::wordsOf;
using Strings = std::vector<std::string>;

TEST(Ticks, AreRoundAndWithinTheRange) {
  EXPECT_EQ(wordsOf(ticksOf({0, 10}, 5)), (Strings{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(wordsOf(ticksOf({21.3, 74}, 5)), (Strings{"40", "60"}));
  EXPECT_EQ(wordsOf(ticksOf({98.91, 100.06}, 5)), (Strings{"99.0", "99.5", "100.0"}));
  EXPECT_EQ(wordsOf(ticksOf({-0.3, 0.3}, 6)),
            (Strings{"-0.3", "-0.2", "-0.1", "0.0", "0.1", "0.2", "0.3"}));
  EXPECT_EQ(ticksOf({5, 5}, 4), std::vector<double>{5});
}

TEST(LabelPlaces, CoverNeitherPointsNorEachOther) {
  LabelPlaces places({0, 0, 200, 200});
  const cv::Rect2d point(95, 95, 10, 10);
  places.keepFree(point);
  std::vector<cv::Rect2d> placed = {point};
  for (int label = 0; label < 6; ++label) {
    const auto place = places.place({100, 100}, 5, {30, 12});
    ASSERT_TRUE(place) << label;
    for (const cv::Rect2d& other : placed) EXPECT_EQ((*place & other).area(), 0) << label;
    placed.push_back(*place);
  }
}

TEST(LabelPlaces, StayWithinTheirArea) {
  LabelPlaces places({0, 0, 100, 100});
  const auto place = places.place({98, 2}, 5, {40, 12});
  ASSERT_TRUE(place);
  EXPECT_EQ(*place & cv::Rect2d(0, 0, 100, 100), *place);
  EXPECT_FALSE(places.place({50, 50}, 5, {120, 12}));
}

// How much of a picture has about this colour.
int pixelsOf(const cv::Mat& picture, const cv::Scalar& colour) {
  cv::Mat mask;
  cv::inRange(picture, colour - cv::Scalar::all(3), colour + cv::Scalar::all(3), mask);
  return cv::countNonZero(mask);
}

TEST(Chart, DrawsWhatIsInItsRange) {
  const cv::Scalar chosen(36, 110, 232);
  cli::Chart chart;
  chart.x = {0, 100};
  chart.y = {90, 100};
  chart.points = {{50, 95, Mark::chosen, ""}};
  const cv::Mat inside = drawChart(chart);
  EXPECT_EQ(inside.size(), cv::Size(1200, 780));
  EXPECT_EQ(inside.type(), CV_8UC3);
  EXPECT_GT(pixelsOf(inside, chosen), 100);
  chart.points = {{50, 85, Mark::chosen, "far"}, {120, 95, Mark::chosen, "far"}};
  EXPECT_EQ(pixelsOf(drawChart(chart), chosen), 0);
}

TEST(Chart, TheChosenPointHasItsLabelHoweverFullItIs) {
  const cv::Scalar chosen(36, 110, 232);
  cli::Chart chart;
  chart.x = {0, 100};
  chart.y = {90, 100};
  for (int i = 0; i < 400; ++i)
    chart.points.push_back({i % 20 * 5.0, 90 + i / 20 * 0.5, Mark::front, "2,5"});
  chart.points.push_back({50, 95, Mark::chosen, ""});
  const int bare = pixelsOf(drawChart(chart), chosen);
  chart.points.back().label = "a long label of the pick";
  EXPECT_GT(pixelsOf(drawChart(chart), chosen), bare);
}

TEST(HoursChart, DrawsLinesWithGapsOnADarkNight) {
  const cv::Scalar first(178, 104, 28), night(228, 216, 206);
  cli::HoursChart chart;
  chart.hours = {0, 6, 12, 18, 24};
  chart.light = {0, 0, 1, 1, 0};
  chart.lines = {{"", {900, 700, 800, 700, 900}}};
  const cv::Mat whole = drawHours(chart);
  EXPECT_EQ(whole.size(), cv::Size(1200, 620));
  EXPECT_GT(pixelsOf(whole, night), 100000);
  chart.lines[0].values[2] = NAN;
  EXPECT_LT(pixelsOf(drawHours(chart), first), pixelsOf(whole, first) * 3 / 4);
  chart.lines[0].values.assign(5, NAN);
  EXPECT_EQ(pixelsOf(drawHours(chart), first), 0);
}

}  // namespace
}  // namespace mpm::test
