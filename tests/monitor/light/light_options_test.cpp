// SPDX-License-Identifier: Apache-2.0
// What a light meter refuses to go by.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

#include "monitor/light/light_meter.h"

namespace mpm::test {
namespace {

using namespace monitor;

std::string refusal(const std::function<void(LightOptions&)>& change) {
  LightOptions options;
  change(options);
  try {
    LightMeter meter(options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(LightOptions, TheDefaultsAreFine) {
  EXPECT_EQ(refusal([](LightOptions&) {}), "");
}

TEST(LightOptions, EdgesAreFine) {
  EXPECT_EQ(refusal([](LightOptions& o) { o.smoothingMs = o.dwellMs = o.margin = 0; }), "");
  EXPECT_EQ(refusal([](LightOptions& o) { o.nightLuma = 0, o.dayLuma = 1; }), "");
  EXPECT_EQ(refusal([](LightOptions& o) { o.location = cv::Vec2d(-90, 180); }), "");
}

TEST(LightOptions, EachRefusalNamesWhatIsWrong) {
  const auto nan = std::nan("");
  const auto names = [](const std::string& sentence, const std::string& part) {
    return sentence.find(part) != std::string::npos;
  };
  EXPECT_TRUE(names(refusal([](auto& o) { o.dayLuma = 1.5; }), "day luma"));
  EXPECT_TRUE(names(refusal([&](auto& o) { o.dayLuma = nan; }), "day luma"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.nightLuma = -0.1; }), "night luma"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.nightLuma = o.dayLuma; }), "night luma"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.infraredSaturation = 2; }), "infrared saturation"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.blankContrast = -1; }), "blank contrast"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.blankLuma = -1; }), "blank luma"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.margin = -0.01; }), "margin"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.smoothingMs = -1; }), "smoothing"));
  EXPECT_TRUE(names(refusal([&](auto& o) { o.smoothingMs = nan; }), "smoothing"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.dwellMs = INFINITY; }), "dwell"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.location = cv::Vec2d(91, 0); }), "latitude"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.location = cv::Vec2d(0, -181); }), "longitude"));
  EXPECT_TRUE(names(refusal([&](auto& o) { o.location = cv::Vec2d(nan, 0); }), "latitude"));
}

TEST(LightOptions, AreReadAsTheyAreWritten) {
  const LightOptions options = parseLight("day=0.5,dwell=7,infrared=0.125");
  EXPECT_EQ(options.dayLuma, 0.5);
  EXPECT_EQ(options.dwellMs, 7000);
  EXPECT_EQ(options.nightLuma, LightOptions{}.nightLuma);
  const std::string text = lightText(options);
  EXPECT_EQ(text,
            "day=0.5,night=0.29,infrared=0.125,blank=0.008,black=0.02,margin=0.03,smoothing=3,"
            "dwell=7");
  EXPECT_EQ(lightText(parseLight(text)), text);
  EXPECT_EQ(lightText(parseLight("")), lightText(LightOptions{}));
  for (const char* wrong : {"nigth=0.2", "night", "day=0.5,,night=0.2", "day=1.5", "dwell=5s",
                            "night=nan", "night=0.4"}) {
    EXPECT_THROW(parseLight(wrong), std::invalid_argument) << wrong;
  }
}

}  // namespace
}  // namespace mpm::test
