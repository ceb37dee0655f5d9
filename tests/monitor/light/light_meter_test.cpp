// SPDX-License-Identifier: Apache-2.0
// Made pictures: what state each is, from its start, over gaps, with a location; light that
// changes, and light that only seems to.
#include "monitor/light/light_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>
#include <vector>

#include "monitor/clock/manual_clock.h"

namespace mpm::test {
namespace {

using namespace monitor;
using States = std::vector<LightState>;

constexpr double kDay = 0.5, kDusk = 0.36, kNight = 0.12;  // of the made street

// A street of a few coloured areas whose mean luma is about `brightness`.
cv::Mat streetPicture(double brightness, std::uint64_t seed = 1) {
  cv::Mat picture(120, 160, CV_8UC3, cv::Scalar(90, 95, 100));
  picture.rowRange(0, 40).setTo(cv::Scalar(190, 150, 120));
  picture(cv::Rect(10, 30, 45, 50)).setTo(cv::Scalar(60, 90, 170));
  picture(cv::Rect(100, 20, 50, 65)).setTo(cv::Scalar(70, 150, 80));
  picture.convertTo(picture, CV_8U, brightness / (cv::mean(picture)[1] / 255));
  cv::Mat noise(picture.size(), CV_16SC3), noisy;
  cv::RNG rng(seed);
  rng.fill(noise, cv::RNG::NORMAL, cv::Scalar::all(0), cv::Scalar::all(4));
  cv::add(picture, noise, noisy, cv::noArray(), CV_8U);
  return noisy;
}

// As a camera's infrared light shows it, and JPEG hands it out: next to no colour.
cv::Mat infraredPicture(double brightness, std::uint64_t seed = 1) {
  cv::Mat grey, picture;
  cv::cvtColor(streetPicture(brightness, seed), grey, cv::COLOR_BGR2GRAY);
  cv::cvtColor(grey, picture, cv::COLOR_GRAY2BGR);
  cv::Mat cast(picture.size(), CV_16SC3), tinted;
  cv::RNG rng(seed + 1);
  rng.fill(cast, cv::RNG::NORMAL, cv::Scalar::all(0), cv::Scalar::all(2));
  cv::add(picture, cast, tinted, cv::noArray(), CV_8U);
  std::vector<unsigned char> jpeg;
  cv::imencode(".jpg", tinted, jpeg, {cv::IMWRITE_JPEG_QUALITY, 70});
  return cv::imdecode(jpeg, cv::IMREAD_COLOR);
}

// A camera in front of a meter that knows its days, and which states it has shown.
class Watch {
 public:
  explicit Watch(const LightOptions& options = {}, std::int64_t utcMs = 1700000000000,
                 double dayLevel = 0.44)
      : meter_(options, dayLevel), clock_(utcMs) {}

  LightState see(const cv::Mat& picture, std::int64_t afterMs = 100) {
    clock_.advance(afterMs);
    reading_ = meter_.update(picture, clock_.now());
    if (states_.empty() || states_.back() != reading_.state) states_.push_back(reading_.state);
    return reading_.state;
  }
  // The same picture with fresh noise, ten times a second.
  template <typename Picture>
  LightState see(const Picture& picture, double seconds) {
    for (double time = 0; time < seconds; time += 0.1) see(picture(++seed_));
    return reading_.state;
  }
  LightState seeStreet(double brightness, double seconds) {
    return see([&](std::uint64_t seed) { return streetPicture(brightness, seed); }, seconds);
  }
  LightState seeInfrared(double brightness, double seconds) {
    return see([&](std::uint64_t seed) { return infraredPicture(brightness, seed); }, seconds);
  }

  const LightReading& reading() const { return reading_; }
  const std::vector<LightState>& states() const { return states_; }
  void forgetStates() { states_.clear(); }
  // Sees so bright a street for long enough; its states from then on count.
  void settle(double brightness) {
    seeStreet(brightness, 8);
    forgetStates();
  }
  ManualClock& clock() { return clock_; }

 private:
  LightMeter meter_;
  ManualClock clock_;
  LightReading reading_;
  std::vector<LightState> states_;
  std::uint64_t seed_ = 0;
};

TEST(LightMeter, KnowsTheFiveLights) {
  EXPECT_EQ(Watch().seeStreet(kDay, 8), LightState::day);
  EXPECT_EQ(Watch().seeStreet(kDusk, 8), LightState::dusk);
  EXPECT_EQ(Watch().seeStreet(kNight, 8), LightState::night);
  EXPECT_EQ(Watch().seeInfrared(0.5, 8), LightState::infrared);
  EXPECT_EQ(Watch().seeInfrared(0.1, 8), LightState::infrared);
  // Dark, and they show something all the same.
  EXPECT_EQ(Watch().seeStreet(0.06, 8), LightState::night);
  EXPECT_EQ(Watch().seeInfrared(0.06, 8), LightState::infrared);
}

TEST(LightMeter, WhatIsDarkIsNotKnownUntilTheCameraWasSeenByDay) {
  using enum LightState;
  constexpr double kGrey = 0.3;  // of a level of 0.26, as dark photographs by day have it
  struct {
    const char* what;
    double dayLevel, border, brightness;
    LightState state;
  } const cases[] = {{"a night of a new camera", 0, 0, kNight, unknown},
                     {"a darker one", 0, 0, 0.06, unknown},
                     {"a grey day of a new camera", 0, 0, kGrey, unknown},
                     {"a dusk of one", 0, 0, kDusk, unknown},
                     {"a day of one", 0, 0, kDay, day},
                     {"a night, with days known", 0.44, 0, kNight, night},
                     {"a bright night", 0.44, 0, kGrey, night},
                     {"a dusk", 0.44, 0, kDusk, dusk},
                     {"the same of a camera with darker days", 0.36, 0, kGrey, dusk},
                     {"a night of one", 0.36, 0, kNight, night},
                     {"a dusk, with days of fog known", 0.8, 0, kDusk, dusk},
                     {"a night by a border that was set", 0, 0.29, kGrey, night},
                     {"a dusk by one", 0, 0.29, kDusk, dusk}};
  for (const auto& one : cases) {
    LightOptions options;
    options.nightLuma = one.border;
    Watch watch(options, 1700000000000, one.dayLevel);
    EXPECT_EQ(nameOf(watch.seeStreet(one.brightness, 8)), nameOf(one.state)) << one.what;
    EXPECT_EQ(nameOf(watch.seeInfrared(one.brightness, 15)), "infrared") << one.what;
  }
  Watch seen({}, 1700000000000, 0);
  for (const auto& [brightness, state] : {std::pair{kNight, unknown}, {kDay, day}, {kNight, night}})
    EXPECT_EQ(nameOf(seen.seeStreet(brightness, 15)), nameOf(state)) << brightness;
}

TEST(LightMeter, StartsInTransition) {
  Watch watch;
  EXPECT_EQ(watch.seeStreet(kDay, 4), LightState::transition);
  EXPECT_EQ(watch.seeStreet(kDay, 4), LightState::day);
  EXPECT_EQ(watch.states(), (States{LightState::transition, LightState::day}));
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

TEST(LightChanges, ASlowDuskHasEachStateOnce) {
  Watch watch;
  watch.settle(kDay);
  // Half an hour in frames of a second.
  for (int i = 0; i < 1800; ++i) {
    watch.see(streetPicture(kDay + (kNight - kDay) * i / 1800, i), 1000);
  }
  EXPECT_EQ(watch.states(), (States{LightState::day, LightState::dusk, LightState::night}));
}

TEST(LightChanges, ASuddenSwitchToInfraredShowsAndSettles) {
  Watch watch;
  watch.settle(kNight);
  EXPECT_EQ(watch.seeInfrared(0.45, 4), LightState::transition);
  EXPECT_EQ(watch.seeInfrared(0.45, 6), LightState::infrared);
  EXPECT_EQ(watch.states(),
            (States{LightState::night, LightState::transition, LightState::infrared}));
}

TEST(LightChanges, AGradualFadeToInfraredPassesOnce) {
  Watch watch;
  watch.settle(kNight);
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
  watch.settle(kNight);
  for (int car = 0; car < 10; ++car) {
    for (int i = 0; i < 40; ++i) watch.see(withHeadlights(std::sin(i / 40.0 * CV_PI), i));
    watch.seeStreet(kNight, 2 + car % 4);
  }
  EXPECT_GT(LightMeter().update(withHeadlights(1, 1), {}).luma, 0.3) << "they are bright";
  EXPECT_EQ(watch.states(), States{LightState::night});
}

TEST(LightChanges, ALightningChangesNothing) {
  Watch watch;
  watch.settle(kNight);
  for (int i = 0; i < 10; ++i) {
    watch.see(cv::Mat(120, 160, CV_8UC3, cv::Scalar::all(255)));
    watch.seeStreet(0.7, 0.3);
    watch.seeStreet(kNight, 3);
  }
  EXPECT_EQ(watch.states(), States{LightState::night});
}

TEST(LightChanges, ALampInACornerIsStillNight) {
  Watch watch;
  watch.settle(kNight);
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
  watch.settle(kDay);
  for (int i = 0; i < 900; ++i) {
    // Darker at once, then the camera follows.
    const double phase = (i % 300) / 300.0;
    watch.see(streetPicture(kDay - 0.12 * std::exp(-6 * phase), i));
  }
  EXPECT_EQ(watch.states(), States{LightState::day});
}

TEST(LightChanges, LumaAroundALevelDoesNotFlap) {
  Watch watch;
  watch.settle(0.44);  // a level of about dayLuma and more
  cv::RNG rng(11);
  for (int i = 0; i < 2000; ++i) watch.see(streetPicture(0.43 + rng.uniform(-0.02, 0.02), i));
  EXPECT_LE(watch.states().size(), 2u);
}

}  // namespace
}  // namespace mpm::test
