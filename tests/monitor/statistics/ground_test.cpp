// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/ground.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace mpm::monitor {
namespace {

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

std::string faultOf(const Ground& ground) {
  try {
    checkGround(ground);
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return "none";
}

TEST(GroundPlane, MeasuresAsAPinholeSees) {
  const Pinhole camera;
  const GroundPlane plane(camera.ground());
  for (const cv::Point2d& there : {cv::Point2d(0, 6), cv::Point2d(-3, 30), cv::Point2d(2.5, 12)}) {
    const double depth = there.y * std::cos(Pinhole::kTilt) + 4 * std::sin(Pinhole::kTilt);
    const double ofPixel = std::pow(depth, 3) / (600.0 * 600 * Pinhole::kHeight);
    EXPECT_NEAR(plane.scaleAt(camera.placeOf(there.x, there.y)) / (ofPixel * 640 * 480), 1, 1e-6)
        << there;
  }
  const double farthest = 16 * std::cos(Pinhole::kTilt) + 4 * std::sin(Pinhole::kTilt);
  const double other = 40 * std::cos(Pinhole::kTilt) + 4 * std::sin(Pinhole::kTilt);
  EXPECT_NEAR(plane.depthAt(camera.placeOf(0, 40)), other / farthest, 1e-6);
}

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
  const Ground good = Pinhole().ground();
  EXPECT_EQ(faultOf(good), "none");
  Ground bad = good;
  bad.points[2] = (bad.points[1] + bad.points[3]) / 2;
  EXPECT_NE(faultOf(bad).find("three of the ground's four points lie on a line in the picture"),
            std::string::npos);
  bad = good;
  bad.metres[1] = bad.metres[0];
  EXPECT_NE(faultOf(bad).find("lie on a line in metres"), std::string::npos);
  bad = good;
  std::swap(bad.metres[2], bad.metres[3]);
  EXPECT_NE(faultOf(bad).find("do not go around an area in metres"), std::string::npos);
  bad = good;
  bad.points[0].x = 1.2;
  EXPECT_NE(faultOf(bad).find("the ground has a point at (1.2, "), std::string::npos);
  bad = good;
  bad.metres[0].y = std::nan("");
  EXPECT_NE(faultOf(bad).find("write metres"), std::string::npos);
}

TEST(Ground, AZoneThatReachesTooFarIsRefused) {
  const Pinhole camera;
  const auto faultOfZone = [&](const Zone& zone) -> std::string {
    try {
      checkOnGround(zone, camera.ground());
    } catch (const std::invalid_argument& fault) {
      return fault.what();
    }
    return "none";
  };
  EXPECT_EQ(faultOfZone(camera.rectangle(-1, 1, 8, 60)), "none");
  EXPECT_NE(faultOfZone(camera.rectangle(-1, 1, 8, 90)).find("times as far"), std::string::npos);
  const Zone sky{"sky", {{0, 0}, {1, 0}, {1, 0.9}}, true};
  EXPECT_NE(faultOfZone(sky).find("zone 'sky' reaches the horizon"), std::string::npos);
  EXPECT_THROW(GroundAreas(camera.ground(), {sky}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace mpm::monitor
