// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/registration.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "models/scenes/camera.h"

namespace mpm::test {
namespace {

using namespace monitor;

cv::Mat street(double hour, cv::Size size = {640, 480}, std::uint64_t seed = 7) {
  scenes::CameraOptions options;
  options.seed = seed;
  options.size = size;
  scenes::Camera camera(options);
  cv::Mat picture, labels;
  camera.shoot(hour * 3600, picture, labels);
  return picture;
}

cv::Mat moved(const cv::Mat& picture, double x, double y, double degrees) {
  Placement placement;
  placement.shift = {x, y};
  placement.degrees = degrees;
  cv::Mat other;
  cv::warpAffine(picture, other, transformOf(placement, picture.size()), picture.size());
  return other;
}

Placement placementOf(const cv::Mat& reference, const cv::Mat& picture) {
  return placementOfDetails(detailsOf(reducedGrey(reference, 160)),
                            detailsOf(reducedGrey(picture, 160)));
}

TEST(Registration, FindsShiftsAndTurnsInTwoPicturesOfOneStreet) {
  const cv::Mat reference = street(12), later = street(12.01);
  struct Case {
    double x, y, degrees;
  };
  for (const Case& one : {Case{0, 0, 0}, Case{0.02, 0, 0}, Case{0, 0, 2}, Case{-0.05, 0.03, -5},
                          Case{0.1, -0.05, 12}, Case{0.3, 0, 0}, Case{0, 0.1, 25}}) {
    SCOPED_TRACE(cv::format("%.2f %.2f %.0f", one.x, one.y, one.degrees));
    const Placement found = placementOf(reference, moved(later, one.x, one.y, one.degrees));
    EXPECT_NEAR(found.shift.x, one.x, 0.004);
    EXPECT_NEAR(found.shift.y, one.y, 0.004);
    EXPECT_NEAR(found.degrees, one.degrees, 0.5);
    EXPECT_GT(found.fit, 0.7);
  }
}

TEST(Registration, FindsTheStreetInOtherLightAndAtAnotherSize) {
  const Placement found = placementOf(street(12), moved(street(16, {320, 240}), 0.05, 0.02, 3));
  EXPECT_NEAR(found.shift.x, 0.05, 0.01);
  EXPECT_NEAR(found.shift.y, 0.02, 0.01);
  EXPECT_NEAR(found.degrees, 3, 0.8);
  EXPECT_GT(found.fit, found.fitUnmoved + 0.1);
}

TEST(Registration, DoesNotFindAnotherStreet) {
  const Placement found = placementOf(street(12), street(12, {640, 480}, 42));
  EXPECT_LT(found.fit, 0.5);
}

TEST(Registration, OfNothingFitsNothing) {
  const cv::Mat grey(120, 160, CV_8UC1, cv::Scalar(90));
  const Placement found = placementOf(grey, grey);
  EXPECT_EQ(found.fit, 0);
  EXPECT_EQ(found.fitUnmoved, 0);
}

TEST(Registration, LeavesItsPicturesAsTheyAre) {
  const cv::Mat details = detailsOf(reducedGrey(street(12), 160));
  const cv::Mat before = details.clone();
  placementOfDetails(details, details);
  EXPECT_EQ(cv::norm(before, details, cv::NORM_INF), 0);
}

TEST(Registration, ReachesAsFarAsTheCornerThatMovedMost) {
  Placement placement;
  placement.shift = {0.03, 0.04};
  EXPECT_NEAR(placement.reach({640, 480}), 0.05, 1e-9);
  placement.shift = {};
  placement.degrees = 2;
  EXPECT_NEAR(placement.reach({640, 480}), 2 * CV_PI / 180 * 0.625, 1e-4);
}

}  // namespace
}  // namespace mpm::test
