// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/camera_watch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <opencv2/imgproc.hpp>
#include <string>

namespace mpm::test {
namespace {

using namespace monitor;

// A picture full of structure that stands still, by its seed.
cv::Mat wall(std::uint64_t seed, cv::Size size = {320, 240}) {
  cv::Mat picture(size, CV_8UC3, cv::Scalar(110, 115, 120));
  cv::RNG rng(seed);
  for (int i = 0; i < 150; ++i) {
    const cv::Point corner(rng.uniform(0, size.width), rng.uniform(0, size.height));
    const cv::Size sides(rng.uniform(6, 40), rng.uniform(6, 40));
    const cv::Scalar colour(rng.uniform(40, 210), rng.uniform(40, 210), rng.uniform(40, 210));
    cv::rectangle(picture, {corner, sides}, colour, cv::FILLED);
  }
  return picture;
}

class Watched {
 public:
  // Twice a second, with fresh noise.
  std::string see(double seconds, const std::function<cv::Mat()>& picture, double deviation = 3) {
    std::string told;
    for (double passed = 0; passed < seconds; passed += 0.5) {
      now_.steadyMs += 500;
      cv::Mat shown = picture().clone(), noise(shown.size(), CV_16SC3);
      rng_.fill(noise, cv::RNG::NORMAL, cv::Scalar::all(0), cv::Scalar::all(deviation));
      cv::add(shown, noise, shown, cv::noArray(), CV_8U);
      for (const CameraChange& change : watch.update(shown, now_, meter_.update(shown, now_))) {
        last = change;
        told += std::string(change.began ? "+" : "-") + std::string(nameOf(change.fault)) + " ";
      }
    }
    return told;
  }
  std::string see(double seconds, const cv::Mat& picture, double deviation = 3) {
    return see(
        seconds, [&] { return picture; }, deviation);
  }
  void wait(std::int64_t ms) { now_.steadyMs += ms; }

  CameraWatch watch;
  CameraChange last;

 private:
  LightMeter meter_;
  Moment now_;
  cv::RNG rng_{11};
};

cv::Mat shifted(const cv::Mat& picture, double x) {
  Placement placement;
  placement.shift = {x, 0};
  cv::Mat other;
  cv::warpAffine(picture, other, transformOf(placement, picture.size()), picture.size(),
                 cv::INTER_LINEAR, cv::BORDER_REFLECT);
  return other;
}

TEST(CameraWatch, WhatWasKeptOverARestartIsKnownAtOnce) {
  Watched before;
  EXPECT_EQ(before.see(100, wall(1)), "");
  const std::string view = before.watch.view();
  EXPECT_LT(view.size(), 2000000U);
  Watched after, other, without;
  ASSERT_TRUE(after.watch.setView(view));
  EXPECT_EQ(after.see(40, wall(1)), "") << "it is where it was";
  ASSERT_TRUE(other.watch.setView(view));
  EXPECT_EQ(other.see(40, shifted(wall(1), 0.06)), "+moved ");
  EXPECT_EQ(without.see(40, shifted(wall(1), 0.06)), "");
}

// The monitor may have begun anew because of that very camera.
TEST(CameraWatch, WhatIsWrongWhenItBeginsIsToldOfACameraThatIsKnown) {
  Watched before;
  EXPECT_EQ(before.see(100, wall(1)), "");
  const std::string view = before.watch.view();
  Watched frozen, white, without;
  ASSERT_TRUE(frozen.watch.setView(view));
  EXPECT_EQ(frozen.see(60, wall(1), 0), "+frozen ");
  EXPECT_EQ(without.see(60, wall(1), 0), "");
  cv::Mat glaring = wall(1);
  glaring.rowRange(0, glaring.rows * 7 / 10).setTo(255);
  ASSERT_TRUE(white.watch.setView(view));
  EXPECT_NE(white.see(30, glaring).find("+exposure "), std::string::npos);
}

TEST(CameraWatch, TheViewAloneIsWhatEarlierVersionsKept) {
  Watched before, after;
  EXPECT_EQ(before.see(100, wall(1)), "");
  const std::string view = before.watch.view();
  const std::size_t usual = 4 + 8 * (2 + 3 * kLearntLights);
  ASSERT_TRUE(after.watch.setView(view.substr(usual)));
  EXPECT_EQ(after.see(60, shifted(wall(1), 0.06), 0), "+moved ");
}

TEST(CameraWatch, WhatIsNoViewIsRefused) {
  Watched camera;
  EXPECT_EQ(camera.see(100, wall(1)), "");
  const std::string view = camera.watch.view();
  CameraWatch watch;
  EXPECT_FALSE(watch.setView(""));
  EXPECT_FALSE(watch.setView("no view at all"));
  EXPECT_FALSE(watch.setView(view + "x"));
  for (std::size_t size = 0; size < view.size(); size += 1 + view.size() / 50) {
    EXPECT_FALSE(watch.setView(view.substr(0, size))) << size;
  }
  EXPECT_TRUE(watch.setView(view));
}

TEST(CameraWatch, SaysNothingOfWhatPassesBy) {
  Watched camera;
  const cv::Mat street = wall(1);
  EXPECT_EQ(camera.see(100, street), "");
  cv::Mat lorry = street.clone();  // fills nine tenths of the picture for eight seconds
  lorry(cv::Rect(0, 0, 290, 240)).setTo(cv::Scalar(70, 90, 160));
  EXPECT_EQ(camera.see(8, lorry), "");
  EXPECT_EQ(camera.see(60, street), "");
}

TEST(CameraWatch, LearnsWhatStaysInAPartOfThePicture) {
  Watched camera;
  cv::Mat street = wall(1);
  EXPECT_EQ(camera.see(100, street), "");
  street(cv::Rect(20, 40, 150, 150)).setTo(cv::Scalar(70, 90, 160));
  EXPECT_EQ(camera.see(300, street), "");
}

TEST(CameraWatch, StaysMovedUntilItIsBackAndFindsOtherFaultsMeanwhile) {
  Watched camera;
  const cv::Mat street = wall(1), other = shifted(street, 0.1);
  EXPECT_EQ(camera.see(100, street), "");
  EXPECT_EQ(camera.see(30, other), "+moved ");
  EXPECT_EQ(camera.see(100, other), "");
  cv::Mat covered(street.size(), CV_8UC3, cv::Scalar(80, 90, 100));
  EXPECT_EQ(camera.see(30, covered), "+covered ");
  EXPECT_EQ(camera.see(30, other), "-covered ");
  EXPECT_TRUE(camera.watch.faults()[0]);
  EXPECT_EQ(camera.see(30, street), "-moved ");
  EXPECT_TRUE(camera.watch.faults().none());
}

TEST(CameraWatch, SeesACameraThatSagsSlowly) {
  Watched camera;
  const cv::Mat street = wall(1);
  EXPECT_EQ(camera.see(100, street), "");
  std::string told;
  for (int step = 1; step <= 20; ++step) told += camera.see(15, shifted(street, step * 0.0015));
  // Once for each percent at most.
  EXPECT_TRUE(told == "+moved " || told == "+moved +moved " || told == "+moved +moved +moved ")
      << told;
}

TEST(CameraWatch, TellsWhereAMovedCameraIsThatIsMovedOnceMore) {
  Watched camera;
  const cv::Mat street = wall(1);
  EXPECT_EQ(camera.see(100, street), "");
  EXPECT_EQ(camera.see(100, shifted(street, 0.03)), "+moved ");
  ASSERT_TRUE(camera.last.placement);
  EXPECT_NEAR(camera.last.placement->shift.x, 0.03, 0.002);
  EXPECT_EQ(camera.see(60, shifted(street, 0.09)), "+moved ");
  ASSERT_TRUE(camera.last.placement);
  EXPECT_NEAR(camera.last.placement->shift.x, 0.09, 0.002) << "against its first view";
  EXPECT_EQ(camera.see(60, street), "-moved ");
  EXPECT_FALSE(camera.last.placement);
}

TEST(CameraWatch, DoesNotTakeAShakeForAMoveOrABlur) {
  Watched camera;
  const cv::Mat street = wall(1, {640, 480});
  EXPECT_EQ(camera.see(100, street), "");
  int frame = 0;
  EXPECT_EQ(camera.see(120, [&] { return shifted(street, 0.006 * std::sin(0.9 * ++frame)); }), "");
}

TEST(CameraWatch, SaysNothingOfPicturesThatHaveNothingInCommon) {
  Watched camera;
  std::uint64_t seed = 0;
  EXPECT_EQ(camera.see(300, [&] { return wall(++seed); }), "");
}

TEST(CameraWatch, SaysNothingOfAWallWithoutStructure) {
  Watched camera;
  const cv::Mat plain(240, 320, CV_8UC3, cv::Scalar(120, 125, 130));
  cv::Mat switchOnIt = plain.clone();
  switchOnIt(cv::Rect(100, 60, 12, 12)).setTo(cv::Scalar(20, 20, 20));
  EXPECT_EQ(camera.see(100, switchOnIt), "");
  EXPECT_EQ(camera.see(100, shifted(switchOnIt, 0.2)), "");
}

TEST(CameraWatch, TakesOneSwitchToInfraredForWhatItIs) {
  Watched camera;
  const cv::Mat street = wall(1);
  cv::Mat infrared;
  cv::cvtColor(wall(2), infrared, cv::COLOR_BGR2GRAY);
  cv::cvtColor(infrared, infrared, cv::COLOR_GRAY2BGR);
  EXPECT_EQ(camera.see(100, street), "");
  EXPECT_EQ(camera.see(100, infrared), "");
  EXPECT_EQ(camera.see(60, street), "");
  EXPECT_EQ(camera.see(60, infrared), "");
}

TEST(CameraWatch, GoesOnBehindAGapAndWhereAFileBeginsAgain) {
  Watched camera;
  const cv::Mat street = wall(1);
  EXPECT_EQ(camera.see(100, street), "");
  camera.wait(3600000);
  EXPECT_EQ(camera.see(60, street), "");
  camera.wait(-3000000);
  EXPECT_EQ(camera.see(60, street), "");
  EXPECT_EQ(camera.see(60, cv::Mat(cv::Mat::zeros(street.size(), CV_8UC3))), "+covered ");
}

TEST(CameraWatch, TakesAnySize) {
  for (const cv::Size size : {cv::Size(1, 1), cv::Size(7, 400), cv::Size(3840, 60)}) {
    Watched camera;
    camera.see(20, cv::Mat(size, CV_8UC3, cv::Scalar(1, 2, 3)));
  }
}

}  // namespace
}  // namespace mpm::test
