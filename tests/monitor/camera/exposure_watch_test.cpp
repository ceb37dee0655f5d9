// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/sighting.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

using namespace monitor;

// So much of it is white, and so much black.
cv::Mat samples(double white, double black) {
  cv::Mat picture(100, 100, CV_8U, cv::Scalar(120));
  picture.rowRange(0, static_cast<int>(white * 100)).setTo(255);
  picture.rowRange(100 - static_cast<int>(black * 100), 100).setTo(0);
  return picture;
}

Sighting lookFor(ExposureWatch& watch, double seconds, LightState light, const cv::Mat& picture) {
  Sighting last;
  for (double passed = 0; passed < seconds; passed += 0.5) last = watch.look(picture, light, 500);
  return last;
}

TEST(ExposureWatch, SeesThatMostIsWhite) {
  ExposureWatch watch;
  EXPECT_FALSE(lookFor(watch, 61, LightState::day, samples(0.05, 0.1)).isSeen);
  const Sighting white = watch.look(samples(0.7, 0), LightState::day, 500);
  EXPECT_TRUE(white.isKnown);
  EXPECT_TRUE(white.isSeen);
  EXPECT_NEAR(white.value, 0.7, 1e-9);
}

TEST(ExposureWatch, TakesWhatIsUsualByNightForGood) {
  ExposureWatch watch;
  lookFor(watch, 61, LightState::day, samples(0, 0.1));
  EXPECT_FALSE(lookFor(watch, 61, LightState::night, samples(0, 0.7)).isSeen);
  EXPECT_FALSE(watch.look(samples(0, 0.7), LightState::day, 500).isSeen);
  EXPECT_FALSE(lookFor(watch, 600, LightState::night, samples(0, 0.7)).isSeen);
}

TEST(ExposureWatch, DoesNotLearnWhatIsWrong) {
  ExposureWatch watch;
  lookFor(watch, 61, LightState::day, samples(0, 0.1));
  EXPECT_TRUE(lookFor(watch, 7200, LightState::day, samples(0.6, 0)).isSeen);
}

TEST(ExposureWatch, KnowsNothingInItsFirstMinute) {
  ExposureWatch watch;
  EXPECT_FALSE(lookFor(watch, 59, LightState::day, samples(0.9, 0)).isKnown);
}

}  // namespace
}  // namespace mpm::test
