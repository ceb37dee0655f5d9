// SPDX-License-Identifier: Apache-2.0
// What a light meter sees in one picture, how states follow from it, its options, and the sun.
#include "monitor/light/light_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace mpm::test {
namespace {

using namespace monitor;

LightReading glanceAt(const cv::Mat& picture) { return LightMeter().update(picture, {}); }

cv::Mat plain(const cv::Size& size, const cv::Scalar& colour) { return {size, CV_8UC3, colour}; }

TEST(LightReading, IsOfTheWholePicture) {
  const LightReading one = glanceAt(plain({640, 480}, {30, 60, 90}));
  EXPECT_NEAR(one.luma, (0.114 * 30 + 0.587 * 60 + 0.299 * 90) / 255, 1e-6);
  EXPECT_NEAR(one.contrast, 0, 1e-6);
  EXPECT_NEAR(one.level, one.luma, 1e-6);
  EXPECT_NEAR(one.saturation, (90 - 30) / (90 + 25.5), 1e-6);
  EXPECT_EQ(one.change, 0);
  cv::Mat half = plain({640, 480}, cv::Scalar::all(0));
  half.rowRange(240, 480).setTo(cv::Scalar::all(255));
  const LightReading most = glanceAt(half);
  EXPECT_NEAR(most.luma, 0.5, 1e-6);
  EXPECT_NEAR(most.contrast, 0.5, 1e-6);
  EXPECT_NEAR(most.level, 1 / 3.0, 1e-3) << "of three quarters, one is white";
  EXPECT_EQ(most.saturation, 0);
  cv::Mat noise(480, 640, CV_8UC3);
  cv::theRNG().state = 5;
  cv::randn(noise, cv::Scalar::all(20), cv::Scalar::all(8));
  EXPECT_LT(glanceAt(noise).contrast, 0.006) << "noise is none";
}

// Seen: three quarters of a car's photographs by day were called night, whose sky is white.
TEST(LightReading, ItsLevelKnowsABrightSkyAndNoLamps) {
  cv::Mat ground = plain({640, 360}, cv::Scalar::all(51)), sky = plain({640, 360}, {26, 26, 26});
  ground(cv::Rect(0, 180, 300, 180)).setTo(cv::Scalar::all(255));
  EXPECT_NEAR(glanceAt(ground).level, 0.2, 1e-3) << "without the brightest quarter";
  sky(cv::Rect(0, 0, 128, 90)).setTo(cv::Scalar::all(255));
  EXPECT_NEAR(glanceAt(sky).level, 0.1, 2e-3) << "a fifth of the upper quarter";
  sky(cv::Rect(128, 0, 64, 90)).setTo(cv::Scalar::all(255));
  EXPECT_NEAR(glanceAt(sky).level, 0.46, 1e-3) << "three tenths";
}

TEST(LightReading, IsTheSameOfOneChannelOrThreeOfAnySizeAndOfParts) {
  cv::Mat grey(240, 320, CV_8UC1), colour;
  cv::theRNG().state = 3;
  cv::randu(grey, 0, 255);
  cv::cvtColor(grey, colour, cv::COLOR_GRAY2BGR);
  const LightReading a = glanceAt(grey), b = glanceAt(colour);
  EXPECT_NEAR(a.luma, b.luma, 1e-6);
  EXPECT_NEAR(a.contrast, b.contrast, 1e-6);
  EXPECT_NEAR(a.level, b.level, 1e-6);
  EXPECT_EQ(b.saturation, 0);
  cv::Mat whole = plain({3840, 2160}, cv::Scalar::all(0));
  whole(cv::Rect(100, 100, 700, 500)).setTo(cv::Scalar(40, 120, 200));
  const LightReading part = glanceAt(whole(cv::Rect(100, 100, 700, 500)));
  EXPECT_NEAR(part.contrast, 0, 1e-6);
  EXPECT_NEAR(part.luma, (0.114 * 40 + 0.587 * 120 + 0.299 * 200) / 255, 1e-6);
  LightMeter meter;
  for (const cv::Size size :
       {cv::Size(1, 1), {5, 300}, {300, 5}, {63, 35}, {65, 37}, {3840, 2160}}) {
    const LightReading look = meter.update(plain(size, cv::Scalar::all(102)), {});
    EXPECT_NEAR(look.luma, 0.4, 1e-6) << size;
    EXPECT_NEAR(look.level, 0.4, 1e-6) << size;
  }
  for (const cv::Mat& none : {cv::Mat(), cv::Mat(9, 16, CV_8UC4), cv::Mat(9, 16, CV_32FC3)})
    EXPECT_THROW(meter.update(none, {}), std::invalid_argument);
}

TEST(LightReading, ItsChangeIsAgainstThePictureBefore) {
  LightMeter meter;
  cv::Mat picture = plain({128, 72}, cv::Scalar::all(51));
  EXPECT_EQ(meter.update(picture, {}).change, 0);
  picture.colRange(0, 64).setTo(cv::Scalar::all(153));
  EXPECT_NEAR(meter.update(picture, {}).change, 0.2, 1e-6);
  EXPECT_NEAR(meter.update(picture, {}).change, 0, 1e-6);
}

// Steps such as "u49m=d": 49 frames that look like dusk (d day, u dusk, n night, i infrared,
// x no signal), while the light moves, and the state after the last, of which t is transition.
// Frames are 100 ms apart, or as "n1@3600000" says.
TEST(Settling, NothingThatIsOverBeforeItsDwellShows) {
  struct {
    const char* what;
    double dwellMs;
    const char* steps;
  } const cases[] = {
      {"a first dwell", 5000, "d50=t d1=d"},
      {"another state has to stay for one", 5000, "d60=d u49=d d1=d u49=d u2=u"},
      {"light that moves is in transition", 5000, "d60 u49m=d u3m=t u10m=t u1=u"},
      {"so is the way through another state", 5000, "d60 u30 n25=t n30=n"},
      {"light that never stands still is taken as it is", 5000, "n190m=t n20m=n"},
      {"colour that goes shows soon", 5000, "n60 i9m=n i3m=t i40=i d13m=t"},
      {"no signal, too", 5000, "d60 x8m=d x3m=x d8=x d4=t d40=d"},
      {"one frame is no dwell, however slow the camera", 5000,
       "n5@10000=n d1@10000=n d1@10000=n d1@10000=d"},
      {"after a long gap another light is transition", 5000, "d60 n1@3600000=t n51=n n1@3600000=n"},
      {"without a dwell it follows at once", 0, "d1@0=d n1@40=n"}};
  const std::string lights = "dunixt";
  for (const auto& one : cases) {
    SCOPED_TRACE(one.what);
    Settling settling(one.dwellMs);
    std::istringstream words(one.steps);
    for (std::string word; words >> word;) {
      const std::size_t gap = word.find('@');
      const double ms = gap == word.npos ? 100 : std::stod(word.substr(gap + 1));
      LightState state = LightState::transition;
      for (int i = std::stoi(word.substr(1)); i > 0; --i) {
        state =
            settling.update(kAllLightStates[lights.find(word[0])], word.find('m') != word.npos, ms);
      }
      if (word.find('=') != word.npos) {
        EXPECT_EQ(lights[static_cast<std::size_t>(state)], word.back()) << word;
      }
    }
  }
}

TEST(SmoothedLight, DriftsWhileItChangesHoweverOftenItIsAsked) {
  SmoothedLight often(3000), seldom(3000);
  for (SmoothedLight* light : {&often, &seldom}) light->add(0.5, 0.3, 0);
  EXPECT_EQ(often.level(), 0.5) << "the first value is taken as it is";
  for (int i = 0; i < 100; ++i) often.add(0.1, 0, 10);
  seldom.add(0.1, 0, 1000);
  EXPECT_NEAR(often.level(), seldom.level(), 1e-12);
  EXPECT_GT(often.levelDrift(), 0.1);
  EXPECT_GT(often.saturationDrift(), 0.1);
  EXPECT_GT(often.level(), 0.35);       // what it was lately
  EXPECT_LT(often.saturation(), 0.05);  // what it is just now
  seldom.add(0.7, 0, 3600000);
  EXPECT_EQ(seldom.level(), 0.7) << "in a long gap it forgets";
  EXPECT_EQ(seldom.levelDrift(), 0);
}

TEST(LightState, EachIsFoundByItsName) {
  std::string names;
  for (const LightState state : kAllLightStates) {
    EXPECT_EQ(lightStateOf(nameOf(state)), state);
    names += std::string(nameOf(state)) + " ";
  }
  EXPECT_EQ(names, "day dusk night infrared no_signal transition unknown ");
  for (const char* name : {"", "Day", "day ", "not known yet", "no signal"})
    EXPECT_FALSE(lightStateOf(name)) << name;
}

TEST(LightOptions, EachRefusalNamesWhatIsWrong) {
  const double nan = std::nan("");
  const std::pair<const char*, std::function<void(LightOptions&)>> cases[] = {
      {"", [](auto&) {}},
      {"", [](auto& o) { o.smoothingMs = o.dwellMs = o.margin = 0; }},
      {"", [](auto& o) { o.nightLuma = 0, o.dayLuma = 1; }},
      {"", [](auto& o) { o.location = cv::Vec2d(-90, 180); }},
      {"day=1.5 is not allowed: day takes a level from 0 to 1", [](auto& o) { o.dayLuma = 1.5; }},
      {"day=nan", [=](auto& o) { o.dayLuma = nan; }},
      {"night=-0.1", [](auto& o) { o.nightLuma = -0.1; }},
      {"night must be less than day", [](auto& o) { o.nightLuma = o.dayLuma; }},
      {"infrared=2", [](auto& o) { o.infraredSaturation = 2; }},
      {"blank=-1", [](auto& o) { o.blankContrast = -1; }},
      {"black=-1", [](auto& o) { o.blankLuma = -1; }},
      {"margin=-0.01", [](auto& o) { o.margin = -0.01; }},
      {"smoothing=-1 is not allowed: smoothing takes seconds",
       [](auto& o) { o.smoothingMs = -1e3; }},
      {"smoothing=nan", [=](auto& o) { o.smoothingMs = nan; }},
      {"dwell=inf", [](auto& o) { o.dwellMs = INFINITY; }},
      {"latitude", [](auto& o) { o.location = cv::Vec2d(91, 0); }},
      {"longitude", [](auto& o) { o.location = cv::Vec2d(0, -181); }},
      {"latitude", [=](auto& o) { o.location = cv::Vec2d(nan, 0); }}};
  for (const auto& [reason, change] : cases) {
    LightOptions options;
    change(options);
    std::string found;
    try {
      LightMeter meter(options);
    } catch (const std::invalid_argument& error) {
      found = error.what();
    }
    EXPECT_NE(found.find(reason), std::string::npos) << found << ", not " << reason;
    EXPECT_EQ(found.empty(), reason[0] == '\0') << found;
  }
}

TEST(LightOptions, AreReadAsTheyAreWritten) {
  const LightOptions options = parseLight("day=0.5,dwell=7,infrared=0.125");
  EXPECT_EQ(options.dayLuma, 0.5);
  EXPECT_EQ(options.dwellMs, 7000);
  EXPECT_EQ(options.nightLuma, LightOptions{}.nightLuma);
  const std::string text = lightText(options);
  EXPECT_EQ(text,
            "day=0.5,night=0,infrared=0.125,blank=0.008,black=0.02,margin=0.03,smoothing=3,"
            "dwell=7");
  EXPECT_EQ(lightText(parseLight(text)), text);
  EXPECT_EQ(lightText(parseLight("")), lightText(LightOptions{}));
  for (const char* wrong : {"nigth=0.2", "night", "day=0.5,,night=0.2", "day=1.5", "dwell=5s",
                            "night=nan", "night=0.4"}) {
    EXPECT_THROW(parseLight(wrong), std::invalid_argument) << wrong;
  }
}

constexpr std::int64_t kMinute = 60000, kHour = 60 * kMinute, kDay = 24 * kHour;

std::int64_t utc(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
  using namespace std::chrono;
  const sys_days date = std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
  return duration_cast<milliseconds>(date.time_since_epoch()).count() + hour * kHour +
         minute * kMinute;
}

TEST(SunAltitude, DoesNotRiseInAPolarNightNorSetInAPolarDay) {
  for (std::int64_t time = 0; time < kDay; time += 10 * kMinute) {
    EXPECT_LT(sunAltitude(70, 25, utc(2024, 12, 21) + time), 0);
    EXPECT_GT(sunAltitude(70, 25, utc(2024, 6, 21) + time), 0);
    EXPECT_GT(sunAltitude(-70, 25, utc(2024, 12, 21) + time), 0);
  }
}

struct Horizon {
  std::string name;
  double latitude, longitude;
  std::int64_t sunriseMs, sunsetMs;
};

// Almanacs count the upper limb with refraction: the sun's centre is at -0.833 degrees then.
bool isUp(const Horizon& place, std::int64_t time) {
  return sunAltitude(place.latitude, place.longitude, time) > -0.833;
}

TEST(SunAltitude, RisesAndSetsWhenAlmanacsSay) {
  const std::int64_t patience = 3 * kMinute;
  const Horizon places[] = {
      {"Berlin", 52.52, 13.405, utc(2024, 6, 21, 2, 43), utc(2024, 6, 21, 19, 33)},
      {"London", 51.5074, -0.1278, utc(2023, 12, 22, 8, 4), utc(2023, 12, 22, 15, 53)},
      {"Sydney", -33.8688, 151.2093, utc(2024, 12, 20, 18, 41), utc(2024, 12, 21, 9, 5)},
      {"New York", 40.7128, -74.006, utc(2024, 3, 20, 10, 58), utc(2024, 3, 20, 23, 8)}};
  for (const Horizon& place : places) {
    SCOPED_TRACE(place.name);
    EXPECT_FALSE(isUp(place, place.sunriseMs - patience));
    EXPECT_TRUE(isUp(place, place.sunriseMs + patience));
    EXPECT_TRUE(isUp(place, place.sunsetMs - patience));
    EXPECT_FALSE(isUp(place, place.sunsetMs + patience));
  }
}

}  // namespace
}  // namespace mpm::test
