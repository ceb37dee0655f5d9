// SPDX-License-Identifier: Apache-2.0
// Made pictures: what state each is, from its start, over gaps, with a location.
#include "monitor/light/light_meter.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <vector>

#include "street_picture.h"

namespace mpm::test {
namespace {

using namespace monitor;
using States = std::vector<LightState>;

constexpr double kDay = 0.5, kDusk = 0.36, kNight = 0.12;  // of the made street

TEST(LightMeter, KnowsTheFiveLights) {
  EXPECT_EQ(Watch().seeStreet(kDay, 8), LightState::day);
  EXPECT_EQ(Watch().seeStreet(kDusk, 8), LightState::dusk);
  EXPECT_EQ(Watch().seeStreet(kNight, 8), LightState::night);
  EXPECT_EQ(Watch().seeInfrared(0.5, 8), LightState::infrared);
  EXPECT_EQ(Watch().seeInfrared(0.1, 8), LightState::infrared);
}

TEST(LightMeter, StartsInTransition) {
  Watch watch;
  EXPECT_EQ(watch.seeStreet(kDay, 4), LightState::transition);
  EXPECT_EQ(watch.seeStreet(kDay, 4), LightState::day);
  EXPECT_EQ(watch.states(), (States{LightState::transition, LightState::day}));
}

TEST(LightMeter, ReadsThePicture) {
  Watch watch;
  watch.seeStreet(kDay, 1);
  EXPECT_NEAR(watch.reading().luma, kDay, 0.05);
  EXPECT_GT(watch.reading().contrast, 0.05);
  EXPECT_GT(watch.reading().saturation, 0.1);
  EXPECT_LT(watch.reading().change, 0.01);
  EXPECT_LT(watch.reading().level, watch.reading().luma);
}

TEST(LightMeter, BlackAndOneColourAreNoSignalSoon) {
  const cv::Mat frames[] = {cv::Mat(120, 160, CV_8UC3, cv::Scalar::all(0)),
                            cv::Mat(120, 160, CV_8UC3, cv::Scalar(180, 20, 10)),
                            cv::Mat(120, 160, CV_8UC3, cv::Scalar::all(255)),
                            cv::Mat(120, 160, CV_8UC1, cv::Scalar::all(128))};
  for (const cv::Mat& frame : frames) {
    Watch watch;
    watch.seeStreet(kDay, 8);
    watch.see(frame);
    EXPECT_EQ(watch.reading().state, LightState::day) << "one frame is a glitch";
    for (int i = 0; i < 15; ++i) watch.see(frame);
    EXPECT_EQ(watch.reading().state, LightState::noSignal);
    EXPECT_EQ(watch.seeStreet(kDay, 3), LightState::transition);
    EXPECT_EQ(watch.seeStreet(kDay, 4), LightState::day);
  }
}

TEST(LightMeter, BlackWithAStampAndNoiseIsNoSignal) {
  Watch watch;
  watch.see(
      [](std::uint64_t seed) {
        cv::Mat picture(480, 640, CV_8UC3);
        cv::RNG rng(seed);
        rng.fill(picture, cv::RNG::NORMAL, cv::Scalar::all(0), cv::Scalar::all(3));
        cv::putText(picture, "2026-01-31 23:59:59", {10, 20}, 0, 0.5, cv::Scalar::all(255));
        return picture;
      },
      8.0);
  EXPECT_EQ(watch.reading().state, LightState::noSignal);
}

TEST(LightMeter, GreyPicturesHaveNoColour) {
  Watch watch;
  watch.see(
      [](std::uint64_t seed) {
        cv::Mat grey;
        cv::cvtColor(streetPicture(kDay, seed), grey, cv::COLOR_BGR2GRAY);
        return grey;
      },
      8.0);
  EXPECT_EQ(watch.reading().state, LightState::infrared);
}

TEST(LightMeter, DarkNoiseIsNoSignalOnlyWhenItShowsNothing) {
  EXPECT_EQ(Watch().seeStreet(0.06, 8), LightState::night);
  EXPECT_EQ(Watch().seeInfrared(0.06, 8), LightState::infrared);
}

TEST(LightMeter, AClockThatIsSetBackChangesNothing) {
  Watch watch;
  watch.seeStreet(kDay, 8);
  watch.forgetStates();
  watch.clock().setUtc(watch.clock().now().utcMs - 3600000);
  watch.seeStreet(kDay, 3);
  EXPECT_EQ(watch.states(), States{LightState::day});
  watch.seeStreet(kNight, 3);
  watch.clock().setUtc(watch.clock().now().utcMs + 7200000);
  EXPECT_EQ(watch.seeStreet(kNight, 1), LightState::day) << "the dwell is real time";
  EXPECT_EQ(watch.seeStreet(kNight, 12), LightState::night);
}

TEST(LightMeter, FramesThatGoBackInTimeAreTakenAsNow) {
  LightMeter meter;
  Moment moment;
  moment.steadyMs = 1000000;
  for (int i = 0; i < 100; ++i, moment.steadyMs += 100)
    meter.update(streetPicture(kDay, i), moment);
  moment.steadyMs = 5;
  for (int i = 0; i < 100; ++i, moment.steadyMs += 100) {
    EXPECT_EQ(meter.update(streetPicture(kDay, i), moment).state, LightState::day);
  }
}

TEST(LightMeter, AfterALongGapTheLightBeforeItIsForgotten) {
  Watch watch;
  watch.seeStreet(kDay, 8);
  EXPECT_EQ(watch.see(streetPicture(kNight), 8 * 3600000), LightState::transition);
  EXPECT_EQ(watch.seeStreet(kNight, 6), LightState::night);
}

TEST(LightMeter, AFrameAMinuteIsEnough) {
  Watch watch;
  for (int i = 0; i < 5; ++i) watch.see(streetPicture(kDay, i), 60000);
  EXPECT_EQ(watch.reading().state, LightState::day);
  for (int i = 0; i < 5; ++i) watch.see(streetPicture(kNight, i), 60000);
  EXPECT_EQ(watch.reading().state, LightState::night);
}

TEST(LightMeter, AReplaySaysTheSame) {
  const auto play = [] {
    Watch watch;
    std::vector<LightState> states;
    for (int i = 0; i < 300; ++i) {
      states.push_back(watch.see(streetPicture(kNight + 0.4 * (i / 150), i), 40 + i % 7 * 30));
    }
    return states;
  };
  EXPECT_EQ(play(), play());
}

LightOptions viennaOptions() {
  LightOptions options;
  options.location = cv::Vec2d(48.2, 16.4);
  return options;
}

constexpr std::int64_t kNoonUtcMs = 1718967600000;  // 21 June 2024, 11:00 UTC
constexpr std::int64_t kHourMs = 3600000;

TEST(LightMeter, WithALocationTheSunDecides) {
  EXPECT_EQ(Watch(viennaOptions(), kNoonUtcMs).seeStreet(kNight, 8), LightState::day);
  EXPECT_EQ(Watch(viennaOptions(), kNoonUtcMs + 12 * kHourMs).seeStreet(kDay, 8),
            LightState::night);
  // The sun sets at 18:58 UTC; civil twilight ends 40 minutes later.
  EXPECT_EQ(Watch(viennaOptions(), kNoonUtcMs + 8 * kHourMs + 900000).seeStreet(kDay, 8),
            LightState::dusk);
}

TEST(LightMeter, WithALocationInfraredAndNoSignalAreThePictures) {
  Watch watch(viennaOptions(), kNoonUtcMs + 12 * kHourMs);
  EXPECT_EQ(watch.seeInfrared(0.4, 8), LightState::infrared);
  EXPECT_EQ(watch.see([](auto) { return cv::Mat(90, 160, CV_8UC3, cv::Scalar::all(0)); }, 3.0),
            LightState::noSignal);
}

TEST(LightMeter, AClockThatWasNeverSetKnowsNoSun) {
  Watch watch(viennaOptions(), 12 * kHourMs);  // noon of 1 January 1970
  watch.clock().setSynchronised(false);
  EXPECT_EQ(watch.seeStreet(kNight, 8), LightState::night);
}

TEST(LightMeter, RefusesWhatIsNoPicture) {
  LightMeter meter;
  EXPECT_THROW(meter.update(cv::Mat(), {}), std::invalid_argument);
  EXPECT_THROW(meter.update(cv::Mat(9, 16, CV_8UC4), {}), std::invalid_argument);
  EXPECT_THROW(meter.update(cv::Mat(9, 16, CV_32FC3), {}), std::invalid_argument);
}

}  // namespace
}  // namespace mpm::test
