// SPDX-License-Identifier: Apache-2.0
// Light that changes, and light that only seems to.
#include "monitor/light/light_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "street_picture.h"

namespace mpm::test {
namespace {

using namespace monitor;
using States = std::vector<LightState>;

constexpr double kDay = 0.5, kNight = 0.12;  // of the made street

TEST(LightChanges, ASlowDuskHasEachStateOnce) {
  Watch watch;
  watch.seeStreet(kDay, 8);
  watch.forgetStates();
  // Half an hour in frames of a second.
  for (int i = 0; i < 1800; ++i) {
    watch.see(streetPicture(kDay + (kNight - kDay) * i / 1800, i), 1000);
  }
  EXPECT_EQ(watch.states(), (States{LightState::day, LightState::dusk, LightState::night}));
}

TEST(LightChanges, ASuddenSwitchToInfraredShowsAndSettles) {
  Watch watch;
  watch.seeStreet(kNight, 8);
  watch.forgetStates();
  EXPECT_EQ(watch.seeInfrared(0.45, 4), LightState::transition);
  EXPECT_EQ(watch.seeInfrared(0.45, 6), LightState::infrared);
  EXPECT_EQ(watch.states(),
            (States{LightState::night, LightState::transition, LightState::infrared}));
}

TEST(LightChanges, ASuddenSwitchBackToColourToo) {
  Watch watch;
  watch.seeInfrared(0.45, 8);
  watch.forgetStates();
  EXPECT_EQ(watch.seeStreet(kDay, 3), LightState::transition);
  EXPECT_EQ(watch.seeStreet(kDay, 7), LightState::day);
  EXPECT_EQ(watch.states(),
            (States{LightState::infrared, LightState::transition, LightState::day}));
}

TEST(LightChanges, AGradualFadeToInfraredPassesOnce) {
  Watch watch;
  watch.seeStreet(kNight, 8);
  watch.forgetStates();
  for (int i = 0; i <= 300; ++i) {
    cv::Mat mixed;
    cv::addWeighted(streetPicture(kNight, i), 1 - i / 300.0, infraredPicture(0.4, i), i / 300.0, 0,
                    mixed);
    watch.see(mixed);
  }
  EXPECT_EQ(watch.seeInfrared(0.4, 8), LightState::infrared);
  EXPECT_EQ(watch.states().front(), LightState::night);
  EXPECT_LE(watch.states().size(), 4u);
}

// Headlights: a cone that comes, fills a third of the picture, and goes.
cv::Mat withHeadlights(double strength, std::uint64_t seed) {
  cv::Mat picture = streetPicture(kNight, seed);
  cv::Mat light(picture.size(), CV_8UC3, cv::Scalar::all(0));
  cv::ellipse(light, {80, 85}, {65, 31}, 0, 0, 360, cv::Scalar(215, 235, 255) * strength, -1);
  return picture + light;
}

TEST(LightChanges, ACarsHeadlightsChangeNothing) {
  Watch watch;
  watch.seeStreet(kNight, 8);
  watch.forgetStates();
  for (int car = 0; car < 10; ++car) {
    for (int i = 0; i < 40; ++i) watch.see(withHeadlights(std::sin(i / 40.0 * CV_PI), i));
    watch.seeStreet(kNight, 2 + car % 4);
  }
  EXPECT_GT(LightMeter().update(withHeadlights(1, 1), {}).luma, 0.3) << "they are bright";
  EXPECT_EQ(watch.states(), States{LightState::night});
}

TEST(LightChanges, ALightningChangesNothing) {
  Watch watch;
  watch.seeStreet(kNight, 8);
  watch.forgetStates();
  for (int i = 0; i < 10; ++i) {
    watch.see(cv::Mat(120, 160, CV_8UC3, cv::Scalar::all(255)));
    watch.seeStreet(0.7, 0.3);
    watch.seeStreet(kNight, 3);
  }
  EXPECT_EQ(watch.states(), States{LightState::night});
}

TEST(LightChanges, ALampInACornerIsStillNight) {
  Watch watch;
  watch.seeStreet(kNight, 8);
  watch.forgetStates();
  watch.see(
      [](std::uint64_t seed) {
        cv::Mat picture = streetPicture(kNight, seed);
        cv::circle(picture, {150, 10}, 30, cv::Scalar(200, 230, 255), -1);
        return picture;
      },
      60.0);
  EXPECT_EQ(watch.states(), States{LightState::night});
}

TEST(LightChanges, ACloudByDayChangesNothing) {
  Watch watch;
  watch.seeStreet(kDay, 8);
  watch.forgetStates();
  for (int i = 0; i < 900; ++i) {
    // Darker at once, then the camera follows.
    const double phase = (i % 300) / 300.0;
    watch.see(streetPicture(kDay - 0.12 * std::exp(-6 * phase), i));
  }
  EXPECT_EQ(watch.states(), States{LightState::day});
}

TEST(LightChanges, LumaAroundALevelDoesNotFlap) {
  Watch watch;
  watch.seeStreet(0.44, 8);  // a level of about dayLuma and more
  watch.forgetStates();
  cv::RNG rng(11);
  for (int i = 0; i < 2000; ++i) watch.see(streetPicture(0.43 + rng.uniform(-0.02, 0.02), i));
  EXPECT_LE(watch.states().size(), 2u);
}

}  // namespace
}  // namespace mpm::test
